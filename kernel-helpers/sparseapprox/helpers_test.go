package sparseapprox

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// problem returns random atoms of unit norm (D×n), and signals (D×N) that are sparse sums of these atoms plus noise.
func problem(d, n, N int, seed uint64) (B, X *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	B = mat.NewDense(d, n, nil)
	for j := range n {
		col := B.ColView(j).(*mat.VecDense)
		for i := range d {
			col.SetVec(i, rng.NormFloat64())
		}
		col.ScaleVec(1/mat.Norm(col, 2), col)
	}
	W := mat.NewDense(n, N, nil)
	for k := range N {
		for range max(1, n/8) {
			W.Set(rng.IntN(n), k, rng.NormFloat64())
		}
	}
	X = mat.NewDense(d, N, nil)
	X.Mul(B, W)
	for i := range d {
		for k := range N {
			X.Set(i, k, X.At(i, k)+0.05*rng.NormFloat64())
		}
	}
	return B, X
}

func solve(t testing.TB, B, X mat.Matrix, opt Options) *Result {
	t.Helper()
	r, err := Solve(t.Context(), B, X, &opt)
	if err != nil {
		t.Fatalf("%+v: %v", opt, err)
	}
	return r
}

// objective returns ½‖x − Bw‖² + λP(w) for column k, by the definition.
func objective(B, X, W mat.Matrix, k int, lambda float64, p func(float64) float64) float64 {
	d, n := B.Dims()
	f := 0.0
	for i := range d {
		r := X.At(i, k)
		for j := range n {
			r -= B.At(i, j) * W.At(j, k)
		}
		f += 0.5 * r * r
	}
	for j := range n {
		f += lambda * p(W.At(j, k))
	}
	return f
}

// conditions returns the largest violation, in column k, of the optimality conditions of the L1 problem: q_j = λ
// sign(w_j) where w_j is not 0, and |q_j| <= λ elsewhere (q_j <= λ if nonneg is set).
func conditions(B, X, W mat.Matrix, k int, lambda float64, nonneg bool) (worst float64) {
	d, n := B.Dims()
	r := make([]float64, d)
	for i := range r {
		r[i] = X.At(i, k)
		for j := range n {
			r[i] -= B.At(i, j) * W.At(j, k)
		}
	}
	for j := range n {
		q := 0.0
		for i := range r {
			q += B.At(i, j) * r[i]
		}
		switch w := W.At(j, k); {
		case w < 0 && nonneg:
			worst = math.Inf(1)
		case w != 0:
			worst = max(worst, math.Abs(q-math.Copysign(lambda, w)))
		case nonneg:
			worst = max(worst, q-lambda)
		default:
			worst = max(worst, math.Abs(q)-lambda)
		}
	}
	return worst
}

// largestDifference returns max |A − B|.
func largestDifference(A, B *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return max(mat.Max(&d), -mat.Min(&d))
}
