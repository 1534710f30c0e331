package icon

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"overcomplete/kernel-helpers/internal/peer"
)

// BenchmarkSklearn compares the engine's t-SNE with scikit-learn's exact method at the same points,
// perplexity, rate, exaggeration and number of steps. Each side has its own initial embedding.
func BenchmarkSklearn(b *testing.B) {
	for _, n := range []int{300, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			X := digits(b, n, 10, 1).Images
			py := peer.Start(b, 2, "import numpy as np\nfrom sklearn.manifold import TSNE", "numpy", "sklearn")
			x := must(json.Marshal(X.RawMatrix().Data))
			py.Do(fmt.Sprintf("X = np.array(%s).reshape(%d, 100)", x, n))
			var r *Result
			race := peer.Race(3, peer.Timer(func() {
				o := must(TSNE(X, 30, 2, 1))
				r = must(Minimize(context.Background(), o, &Options{Method: Momentum, Rate: 50, Exaggeration: 12, Steps: 500, ExaggerationSteps: 250, Tolerance: -1}))
			}), py.Timer("m = TSNE(2, perplexity=30, method='exact', init='random', learning_rate=50, n_iter=500, random_state=1).fit(X)"))
			race.Report(b)
			b.ReportMetric(r.Loss, "loss")
			b.ReportMetric(py.Float("float(m.kl_divergence_)"), "peer-loss")
			b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-steps")
		})
	}
}
