package pca

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/internal/peer"
)

// A fit with a share has the axes of a fit with the same number of components. With one axis fewer, it would miss
// the share.
func TestShare(t *testing.T) {
	faces, err := synth.Faces(t.Context(), synth.FacesOptions{N: 300, Size: 16, Noise: 0.05, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	X := faces.Images // 300×256
	for _, method := range []Method{Auto, ByCovariance, ByDual, BySVD} {
		for _, share := range []float64{0.2, 0.9, 0.95, 0.999, 1} {
			m := fit(t, X, Options{Share: share, Method: method})
			k := m.K()
			if m.Explained(k) < share-1e-12 || k > 1 && m.Explained(k-1) >= share {
				t.Errorf("%v, share %v: %d axes have %v", method, share, k, m.Explained(k))
			}
			want := fit(t, X, Options{Components: k, Method: method})
			if r, c := m.Components.Dims(); r != 256 || c != k || len(m.Singular) != k || m.Method != want.Method {
				t.Errorf("%v, share %v: axes %d×%d, %d singular values, method %v", method, share, r, c, len(m.Singular), m.Method)
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
					t.Errorf("%v, share %v: %s is %v, want %v", method, share, what, got, want)
				}
			}
			for i := range k {
				near("eigenvalue", m.Eigenvalues[i], want.Eigenvalues[i])
				near("ratio", m.ExplainedRatio()[i], m.Variances()[i]*299/m.Total)
			}
			if k < 256 {
				near("loss", m.Loss(X, k), want.Loss(X, k))
				near("discarded loss", m.DiscardedLoss(k), m.Loss(X, k))
			}
		}
	}
}

func TestShareRefused(t *testing.T) {
	X := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7})
	for _, c := range []struct {
		X    mat.Matrix
		o    Options
		want string
	}{
		{X, Options{Share: 1.5}, "Share is 1.5, must be above 0 and at most 1"},
		{X, Options{Share: -0.1}, "Share is -0.1"},
		{X, Options{Share: math.NaN()}, "Share is NaN"},
		{X, Options{Share: 0.9, Components: 1}, "Share is 0.9 and Components is 1: set one of them"},
		{X, Options{Share: 0.9, Method: ByRandom}, "the method randomized finds only some axes"},
		{mat.NewDense(3, 2, nil), Options{Share: 0.9}, "no variance"},
	} {
		if _, err := Fit(context.Background(), c.X, &c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
}

func TestShareSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.decomposition import PCA", "numpy", "sklearn")
	faces, err := synth.Faces(t.Context(), synth.FacesOptions{N: 120, Size: 16, Noise: 0.05, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	py.Array("X", faces.Images)
	for _, share := range []float64{0.3, 0.8, 0.95, 0.99} {
		m := fit(t, faces.Images, Options{Share: share})
		py.Do(fmt.Sprintf("p = PCA(%v, svd_solver='full').fit(X)", share))
		ratios := py.Floats("p.explained_variance_ratio_")
		if len(ratios) != m.K() {
			t.Errorf("share %v: %d axes, scikit-learn has %d", share, m.K(), len(ratios))
			continue
		}
		for i, r := range ratios {
			if math.Abs(m.ExplainedRatio()[i]-r) > 1e-10 {
				t.Errorf("share %v: ratio %d is %v, scikit-learn has %v", share, i, m.ExplainedRatio()[i], r)
			}
		}
	}
}
