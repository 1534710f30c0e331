package dictionary

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

func init() { gemm.Use() }

// gaussian returns an r×c matrix of independent normal numbers.
func gaussian(r, c int, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 7)), r, c, 1)
}

// planted returns N signals X = B W + noise, each with k nonzero coefficients of size 1 to 2 and random sign,
// on a random B (d×n) with unit columns.
func planted(d, n, N, k int, noise float64, seed uint64) (X, B, W *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 8))
	B = gaussian(d, n, seed)
	for j := range n {
		c := B.ColView(j).(*mat.VecDense)
		c.ScaleVec(1/mat.Norm(c, 2), c)
	}
	W = mat.NewDense(n, N, nil)
	for i := range N {
		for _, j := range rng.Perm(n)[:k] {
			w := 1 + rng.Float64()
			if rng.IntN(2) == 0 {
				w = -w
			}
			W.Set(j, i, w)
		}
	}
	X = gaussian(d, N, seed+1)
	X.Scale(noise, X)
	var p mat.Dense
	p.Mul(B, W)
	X.Add(X, &p)
	return X, B, W
}

// distributions returns N columns of d nonnegative numbers with sum 1.
func distributions(d, N int, seed uint64) *mat.Dense {
	X := gaussian(d, N, seed)
	for i := range N {
		var s float64
		for j := range d {
			X.Set(j, i, math.Exp(X.At(j, i)))
			s += X.At(j, i)
		}
		for j := range d {
			X.Set(j, i, X.At(j, i)/s)
		}
	}
	return X
}

func l1(lambda float64) Coder { return SparseCoder(&sparseapprox.Options{Lambda: lambda}) }

func softmaxCoder() Coder {
	return KLCoder(&klcoding.Options{Lambda: 0.02, P: 0.05, Loss: klcoding.Softmax, Doubled: true})
}

func learn(t testing.TB, X mat.Matrix, opt Options) *Result {
	t.Helper()
	r, err := Fit(context.Background(), X, &opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func heldOut(t testing.TB, c Coder, B, X mat.Matrix) float64 {
	t.Helper()
	f, err := MeanObjective(context.Background(), c, B, X)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// sameRun checks that two states are equal except for times.
func sameRun(t *testing.T, a, b *State) {
	t.Helper()
	strip := func(s *State) []byte {
		s = s.Clone()
		s.second = 0
		for _, l := range [][]Record{s.Steps, s.Passes} {
			for i := range l {
				l[i].Seconds = 0
			}
		}
		return s.encode()
	}
	if string(strip(a)) != string(strip(b)) {
		t.Errorf("states differ: step %d and %d, pass %d and %d, largest difference of B %g",
			a.Step, b.Step, a.Pass, b.Pass, difference(a.B, b.B))
	}
}

func difference(a, b *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, math.Inf(1))
}

// asDense returns g'.
func asDense(g blas64.General) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(g.Rows, g.Cols, clone(g).Data).T())
}

// largestMatch returns, for each column of the true basis B0, the largest |cos| with a column of B.
func largestMatch(B0, B *mat.Dense) []float64 {
	var c mat.Dense
	c.Mul(B0.T(), B)
	_, n := B0.Dims()
	best := make([]float64, n)
	for j := range n {
		for _, v := range c.RawRowView(j) {
			best[j] = max(best[j], math.Abs(v))
		}
	}
	return best
}

var bg = context.Background()
