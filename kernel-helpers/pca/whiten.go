package pca

import (
	"context"
	"fmt"
	"math"

	"overcomplete/internal/finite"

	"gonum.org/v1/gonum/mat"
)

// A Whitener maps points so that their sample covariance (division by n−1) becomes the identity. This is also
// called sphering:
//
//	PCA: z = D^(−½) Q_kᵀ (x − x̄)       k numbers, the scores at unit variance
//	ZCA: z = Q_k D^(−½) Q_kᵀ (x − x̄)   d numbers, the whitening nearest to x
//
// where D holds the variances λ_i/(n−1) + ε. ZCA with fewer than d axes gives the covariance Q_kQ_kᵀ, a
// projection.
//
// Any choice of ε has a drawback. With ε = 0 an axis of tiny variance is amplified to variance 1, even if it
// holds only rounding or noise. With ε > 0 the covariance is no longer the identity: an axis of variance v
// gets the variance v/(v + ε).
type Whitener struct {
	W       *mat.Dense // maps x − x̄ to z: d×k (PCA) or d×d (ZCA)
	Unwhite *mat.Dense // maps z back: k×d or d×d
	Mean    []float64
	Epsilon float64
	ZCA     bool
	Axes    int // k
}

// String returns a one-line summary of the whitening.
func (w *Whitener) String() string {
	kind := "PCA"
	if w.ZCA {
		kind = "ZCA"
	}
	return fmt.Sprintf("%s whitening of points in %d dimensions: %d axes, ε = %.4g", kind, len(w.Mean), w.Axes, w.Epsilon)
}

// Whiten returns the PCA whitening of all k axes of the model. It returns an error if ε is negative or not finite, or
// if the model has only one point and therefore no sample variance. With ε = 0, an axis whose variance is at most
// 1e-12 times that of the first axis is also an error.
func (m *Model) Whiten(epsilon float64) (*Whitener, error) { return m.whitener("Whiten", epsilon) }

func (m *Model) whitener(what string, epsilon float64) (*Whitener, error) {
	s, err := m.spread(what, epsilon)
	if err != nil {
		return nil, err
	}
	k := m.K()
	w := &Whitener{W: mat.NewDense(m.D, k, nil), Unwhite: mat.NewDense(k, m.D, nil), Mean: append([]float64(nil), m.Mean...), Epsilon: epsilon, Axes: k}
	for i := range m.D {
		for j := range k {
			q := m.Components.At(i, j)
			w.W.Set(i, j, q/s[j])
			w.Unwhite.Set(j, i, q*s[j])
		}
	}
	return w, nil
}

// ZCA returns the ZCA whitening. It returns an error under the same conditions as Whiten.
func (m *Model) ZCA(epsilon float64) (*Whitener, error) {
	w, err := m.whitener("ZCA", epsilon)
	if err != nil {
		return nil, err
	}
	var z, u mat.Dense
	z.Mul(w.W, m.Components.T())
	u.Mul(m.Components, w.Unwhite)
	w.W, w.Unwhite, w.ZCA = &z, &u, true
	return w, nil
}

// spread returns √(λ_i/(n−1) + ε) for each axis, or the errors that Whiten describes.
func (m *Model) spread(what string, epsilon float64) ([]float64, error) {
	if !(epsilon >= 0) || math.IsInf(epsilon, 0) {
		return nil, fmt.Errorf("pca: %s: ε is %v, must be finite and at least 0", what, epsilon)
	}
	if m.N < 2 {
		return nil, fmt.Errorf("pca: %s: one point has no sample variance", what)
	}
	v := m.Variances()
	if epsilon == 0 && v[0] == 0 {
		return nil, fmt.Errorf("pca: %s: the data have no variance: all points are equal; use ε > 0", what)
	}
	s := make([]float64, len(v))
	for i := range v {
		if epsilon == 0 && !(v[i] > 1e-12*v[0]) {
			return nil, fmt.Errorf("pca: %s: axis %d has variance %.3g, axis 0 %.3g: keep fewer axes, or use ε > 0", what, i, v[i], v[0])
		}
		s[i] = math.Sqrt(v[i] + epsilon)
	}
	return s, nil
}

// Transform whitens the rows of X (n×d). The result is n×k for PCA and n×d for ZCA.
func (w *Whitener) Transform(X mat.Matrix) *mat.Dense {
	n, d := mustDims("Whitener", "X", X)
	if d != len(w.Mean) || n == 0 {
		panic(fmt.Sprintf("pca: Whitener: X is %d×%d, the model has dimension %d", n, d, len(w.Mean)))
	}
	C, err := center(context.Background(), finite.AsDense(X), w.Mean)
	if err != nil {
		panic(fmt.Sprintf("pca: Whitener: %v", err))
	}
	var z mat.Dense
	z.Mul(C, w.W)
	return &z
}

// Inverse maps whitened points, the rows of Z (n×k for PCA, n×d for ZCA), back to points (n×d). If the model has fewer
// axes than the data need, the results are the points' projections on the plane of its axes.
func (w *Whitener) Inverse(Z mat.Matrix) *mat.Dense {
	n, c := mustDims("Whitener", "Z", Z)
	if r, _ := w.Unwhite.Dims(); c != r || n == 0 {
		panic(fmt.Sprintf("pca: Whitener: Z is %d×%d, must have %d columns", n, c, r))
	}
	var x mat.Dense
	x.Mul(Z, w.Unwhite)
	for i := range n {
		row := x.RawRowView(i)
		for j, mu := range w.Mean {
			row[j] += mu
		}
	}
	return &x
}
