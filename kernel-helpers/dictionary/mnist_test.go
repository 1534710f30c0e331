package dictionary

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/pca"
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
