package lecturepca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/pca"
)

// cloud returns n normal points in d dimensions with different variances.
func cloud(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(2, 3))
	X := mat.NewDense(n, d, nil)
	X.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * float64(j+1) }, X)
	return X
}

// The lecture's Σ is not divided by n, so an eigenvalue is n times the variance along its axis.
func TestEigenvalueIsTimesN(t *testing.T) {
	const n, d = 40, 3
	X := cloud(n, d)
	var S mat.SymDense
	for j := range d {
		mean := stat.Mean(mat.Col(nil, j, X), nil)
		for i := range n {
			X.Set(i, j, X.At(i, j)-mean)
		}
	}
	S.SymOuterK(1, X.T())
	eig, err := pca.Eigen(&S, 0)
	if err != nil {
		t.Fatal(err)
	}
	var scores mat.Dense
	scores.Mul(X, eig.Vectors)
	for k, v := range eig.Values {
		if got := n * stat.PopVariance(mat.Col(nil, k, &scores), nil); math.Abs(got-v) > 1e-9*v {
			t.Errorf("axis %d: eigenvalue %.6f, n times the variance %.6f", k, v, got)
		}
	}
}

// W of probabilistic PCA is not unique: a rotation of z leaves the likelihood unchanged. So the notebook's formula
// holds up to a rotation.
func TestProbabilisticUpToRotation(t *testing.T) {
	X := cloud(50, 4)
	p, err := pca.FitProbabilistic(t.Context(), X, 2)
	if err != nil {
		t.Fatal(err)
	}
	sin, cos := math.Sincos(0.7)
	turned := *p
	turned.W = &mat.Dense{}
	turned.W.Mul(p.W, mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}))
	if mat.EqualApprox(turned.W, p.W, 0.1) {
		t.Fatal("W was not turned")
	}
	if a, b := p.LogDensity(X), turned.LogDensity(X); math.Abs(a-b) > 1e-9*math.Abs(a) {
		t.Errorf("log density %.9f, turned %.9f", a, b)
	}
	turned.W.Scale(1.1, turned.W)
	if a, b := p.LogDensity(X), turned.LogDensity(X); !(b < a-1e-3) {
		t.Errorf("log density %.6f, and with a longer W %.6f", a, b)
	}
}
