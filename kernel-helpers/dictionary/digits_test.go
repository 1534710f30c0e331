package dictionary

import (
	"errors"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/sparseapprox"
)

// digits returns N signals X (k×N) and H held-out signals (k×H), both views of matrices with one signal per
// row. The signals are training images of MNIST, or generated digits if MNIST is missing, after PCA to k
// dimensions.
func digits(tb testing.TB, N, H, k int) (X, held mat.Matrix, source string) {
	tb.Helper()
	var images *mat.Dense
	if d, err := mnist.Load(); err == nil {
		images, source = d.Train.First(N+H), "MNIST"
	} else {
		s, err := synth.Digits(tb.Context(), synth.DigitsOptions{N: N + H, Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		images, source = s.Images, "generated digits"
	}
	_, p := images.Dims()
	m, err := pca.Fit(tb.Context(), images.Slice(0, min(N, 5000), 0, p), &pca.Options{Components: k})
	if err != nil {
		tb.Fatal(err)
	}
	Z := m.Scores(images)
	return Z.Slice(0, N, 0, k).T(), Z.Slice(N, N+H, 0, k).T(), source
}

// TestMNIST checks that on real digits the learned basis codes held-out signals better than the digits from
// which learning began.
func TestMNIST(t *testing.T) {
	if _, err := mnist.Load(); errors.Is(err, data.ErrAbsent) {
		t.Skip("no MNIST here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	X, H, _ := digits(t, 1500, 300, 60)
	opt := Options{Coder: l1(0.5), Atoms: 100, Batch: 100, Passes: 3}
	r := learn(t, X, opt)
	before, after := heldOut(t, opt.Coder, firstBasis(t, X, opt), H), heldOut(t, opt.Coder, r.B, H)
	t.Logf("held-out objective %.4f from %.4f; %v", after, before, r)
	if !(after < 0.93*before) {
		t.Errorf("held-out objective %g, with digits for atoms %g", after, before)
	}
}

// BenchmarkSklearn compares Online with scikit-learn's MiniBatchDictionaryLearning on the same signals, with
// the same initial B, λ, batch size and passes, and otherwise the defaults of each library. The metrics held
// and peer-held are the mean objectives on held-out signals, both computed here.
func BenchmarkSklearn(b *testing.B) {
	const (
		batch, passes = 256, 3
		lambda        = 0.3 // about 10 % nonzeros on MNIST
	)
	for _, c := range []struct {
		N, n, threads int
		algorithm     string
	}{{2000, 512, 1, "cd"}, {2000, 512, 2, "cd"}, {2000, 512, 1, "lars"}, {1000, 1024, 1, "cd"}} {
		X, H, source := digits(b, c.N, 1000, 180)
		b.Run(fmt.Sprintf("%s/%d signals, %d atoms/%s/%d threads", source, c.N, c.n, c.algorithm, c.threads), func(b *testing.B) {
			defer gemm.SetWorkers(gemm.SetWorkers(c.threads))
			opt := Options{Coder: SparseCoder(&sparseapprox.Options{Lambda: lambda, Workers: c.threads}), Atoms: c.n, Batch: batch, Passes: passes}
			l, err := newLearner(X, &opt)
			if err != nil {
				b.Fatal(err)
			}
			first := l.st.B
			opt.Init = first
			py := peer.Start(b, c.threads, "import numpy as np, warnings\nfrom sklearn.decomposition import MiniBatchDictionaryLearning\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
			py.Array("X", X.T())
			py.Array("B", first.T())
			var r *Result
			mine := peer.Timer(func() { r = learn(b, X, opt) })
			jobs := "None"
			if c.threads > 1 {
				jobs = fmt.Sprint(c.threads)
			}
			theirs := py.Timer(fmt.Sprintf(`
m = MiniBatchDictionaryLearning(%d, alpha=%g, max_iter=%d, batch_size=%d, fit_algorithm=%q, dict_init=B,
    random_state=0, tol=0, max_no_improvement=None, n_jobs=%s).fit(X)`, c.n, lambda, passes, batch, c.algorithm, jobs))
			peer.Race(1, mine, theirs).Report(b)
			if steps := py.Float("float(m.n_steps_)"); int(steps) != r.State.Step {
				b.Logf("the peer made %v steps, we %d", steps, r.State.Step)
			}
			v := py.Floats("m.components_.ravel()")
			B := mat.DenseCopyOf(mat.NewDense(c.n, 180, v).T())
			b.ReportMetric(heldOut(b, opt.Coder, first, H), "start-held")
			b.ReportMetric(heldOut(b, opt.Coder, r.B, H), "held")
			b.ReportMetric(heldOut(b, opt.Coder, B, H), "peer-held")
		})
	}
}

// BenchmarkUpdate measures the share of a step of Online that the update of B takes, for a batch of 512
// digits.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{512, 1024} {
		X, _, source := digits(b, 5000, 1, 180)
		b.Run(fmt.Sprintf("%s/%d atoms", source, n), func(b *testing.B) {
			r := learn(b, X, Options{Coder: l1(0.3), Atoms: n, Passes: 1})
			x, err := signals("Fit", X)
			if err != nil {
				b.Fatal(err)
			}
			xr, Y := gather(x, nil, 0, 512)
			a, ct, bt := mat.NewDense(n, n, nil).RawMatrix(), mat.NewDense(n, 180, nil).RawMatrix(), transpose(r.B)
			c, err := l1(0.3).Code(b.Context(), r.B, Y, nil)
			if err != nil {
				b.Fatal(err)
			}
			race := peer.Race(9, peer.Timer(func() {
				accumulate(b.Context(), a, ct, c.W, xr, 1)
				updateColumns(b.Context(), bt, a, ct, false, false)
			}), peer.Timer(func() {
				if _, err := l1(0.3).Code(b.Context(), r.B, Y, nil); err != nil {
					b.Fatal(err)
				}
			}))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(race.Mine*1e3, "update-ms")
			b.ReportMetric(race.Peer*1e3, "coding-ms")
			b.ReportMetric(100/(1+race.Speed), "%update")
		})
	}
}
