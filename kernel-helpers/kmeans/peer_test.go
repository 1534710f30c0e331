package kmeans

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

const sklearn = "import numpy as np\nimport warnings; warnings.simplefilter('ignore')\nfrom sklearn.cluster import KMeans, MiniBatchKMeans\nfrom sklearn import metrics"

func list(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }

// From the same start scikit-learn reaches the same centers in the same number of steps.
func TestSklearn(t *testing.T) {
	py := peer.Start(t, 1, sklearn, "numpy", "sklearn")
	set, err := synth.Digits(t.Context(), synth.DigitsOptions{N: 1000, Size: 14, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	X := set.Images
	C := mat.DenseCopyOf(X.Slice(0, 12, 0, 196))
	py.Array("X", X)
	py.Array("C", C)
	py.Do("m = KMeans(12, init=C, n_init=1, tol=0, max_iter=500, algorithm='lloyd').fit(X)")
	r := fit(t, X, &Options{K: 12, Centers: C, Tolerance: -1, MaxIterations: 500})
	near(t, "inertia", r.Inertia, py.Float("float(m.inertia_)"), 1e-10)
	near(t, "steps", float64(r.Iterations), py.Float("float(m.n_iter_)"), 0)
	for j, v := range py.Floats("m.cluster_centers_.ravel()") {
		if math.Abs(v-r.Centers.RawMatrix().Data[j]) > 1e-9 {
			t.Fatalf("centre coordinate %d: %v, scikit-learn has %v", j, r.Centers.RawMatrix().Data[j], v)
		}
	}
	py.Do("a, b = " + list(r.Labels) + ", " + list(set.Labels))
	near(t, "ARI", AdjustedRand(r.Labels, set.Labels), py.Float("float(metrics.adjusted_rand_score(a, b))"), 1e-12)
	near(t, "NMI", NormalizedInformation(r.Labels, set.Labels), py.Float("float(metrics.normalized_mutual_info_score(a, b))"), 1e-12)
}

// BenchmarkSklearn compares Fit with scikit-learn: with the same start and number of steps for Lloyd's
// algorithm (lloyd), and with each side's own starts and stopping rule in the other cases.
func BenchmarkSklearn(b *testing.B) {
	for _, c := range []struct{ n, size, k int }{{5000, 16, 10}, {5000, 28, 10}, {20000, 28, 10}, {20000, 28, 50}} {
		set, err := synth.Digits(b.Context(), synth.DigitsOptions{N: c.n, Size: c.size, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		d := c.size * c.size
		C := mat.DenseCopyOf(set.Images.Slice(0, c.k, 0, d))
		for _, p := range []struct {
			name, theirs string
			opt          *Options
		}{
			{"lloyd", "KMeans(%d, init=C, n_init=1, tol=0, max_iter=20, algorithm='lloyd')", &Options{Centers: C, Tolerance: -1, MaxIterations: 20}},
			{"starts", "KMeans(%d, n_init=5, algorithm='lloyd', random_state=0)", &Options{Restarts: 5}},
			{"minibatch", "MiniBatchKMeans(%d, batch_size=1024, n_init=1, random_state=0)", &Options{Batch: 1024, Restarts: 1}},
		} {
			b.Run(fmt.Sprintf("%s/%dx%d k=%d", p.name, c.n, d, c.k), func(b *testing.B) {
				py := peer.Start(b, runtime.GOMAXPROCS(0), sklearn, "numpy", "sklearn")
				py.Array("X", set.Images)
				py.Array("C", C)
				opt := p.opt
				opt.K = c.k
				var r *Model
				race := peer.Race(5, peer.Timer(func() {
					var err error
					if r, err = Fit(context.Background(), set.Images, opt); ended.Accept(err) != nil {
						b.Fatal(err)
					}
				}), py.Timer("m = "+fmt.Sprintf(p.theirs, c.k)+".fit(X)"))
				race.Report(b)
				b.ReportMetric(r.Inertia/py.Float("float(m.inertia_)"), "inertia-ratio")
				b.ReportMetric(float64(r.Iterations), "steps")
				b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-steps")
			})
		}
	}
}
