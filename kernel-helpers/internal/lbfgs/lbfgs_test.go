package lbfgs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func vector(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// bfgs computes H by formula (6.17) with matrices, starting with gamma times the identity. Because the inner product is
// a'Mb, every transpose a' becomes a'M.
func bfgs(S, Y [][]float64, M *mat.Dense) *mat.Dense {
	n, _ := M.Dims()
	inner := func(a, b []float64) float64 { return mat.Inner(mat.NewVecDense(n, a), M, mat.NewVecDense(n, b)) }
	H := mat.NewDense(n, n, nil)
	gamma := 1.0
	if k := len(S) - 1; k >= 0 {
		gamma = inner(S[k], Y[k]) / inner(Y[k], Y[k])
	}
	for i := range n {
		H.Set(i, i, gamma)
	}
	outer := func(a, b []float64) *mat.Dense { // a b'M
		var O, OM mat.Dense
		O.Outer(1, mat.NewVecDense(n, a), mat.NewVecDense(n, b))
		OM.Mul(&O, M)
		return &OM
	}
	for k, s := range S {
		rho := 1 / inner(s, Y[k])
		left, right := outer(s, Y[k]), outer(Y[k], s)
		left.Scale(-rho, left)
		right.Scale(-rho, right)
		for i := range n {
			left.Set(i, i, left.At(i, i)+1)
			right.Set(i, i, right.At(i, i)+1)
		}
		var T mat.Dense
		T.Mul(left, H)
		H.Mul(&T, right)
		ss := outer(s, s)
		ss.Scale(rho, ss)
		H.Add(H, ss)
	}
	return H
}

// Direction equals −Hg with H from the formula, for two inner products, and with fewer pairs than the memory can hold,
// exactly as many, and more. For the newest pair, H y = s.
func TestDirection(t *testing.T) {
	const n, most = 6, 3
	rng := rand.New(rand.NewPCG(7, 2))
	for _, plain := range []bool{true, false} {
		M := mat.NewDense(n, n, nil)
		if plain {
			for i := range n {
				M.Set(i, i, 1)
			}
		} else {
			A := mat.NewDense(n, n, vector(rng, n*n))
			M.Mul(A, A.T())
		}
		var inner func(a, b []float64) float64
		if !plain {
			inner = func(a, b []float64) float64 { return mat.Inner(mat.NewVecDense(n, a), M, mat.NewVecDense(n, b)) }
		}
		// The Hessian of a function in this inner product is MB with B positive definite.
		B := mat.NewDense(n, n, nil)
		A := mat.NewDense(n, n, vector(rng, n*n))
		B.Mul(A, A.T())
		m := New(most, inner)
		var S, Y [][]float64
		for pairs := 0; pairs <= 2*most; pairs++ {
			if m.Len() != min(pairs, most) {
				t.Fatalf("%d pairs after %d", m.Len(), pairs)
			}
			g := vector(rng, n)
			before := slices.Clone(g)
			p, want := vector(rng, n), make([]float64, n)
			m.Direction(p, g)
			mat.NewVecDense(n, want).MulVec(bfgs(S, Y, M), mat.NewVecDense(n, g))
			floats.Scale(-1, want)
			if d := floats.Distance(p, want, 2); !(d <= 1e-9*floats.Norm(want, 2)) || !slices.Equal(g, before) {
				t.Errorf("plain %t, %d pairs: %v, want %v (off by %g)", plain, pairs, p, want, d)
			}
			if k := len(S) - 1; k >= 0 {
				m.Direction(p, Y[k])
				floats.Add(p, S[k])
				if d := floats.Norm(p, 2); !(d <= 1e-9*floats.Norm(S[k], 2)) {
					t.Errorf("plain %t, %d pairs: H y is not s, by %g", plain, pairs, d)
				}
			}
			s, y := vector(rng, n), make([]float64, n)
			mat.NewVecDense(n, y).MulVec(B, mat.NewVecDense(n, s))
			if plain {
				// y's > 0 because B is positive definite; in the other product y must be M⁻¹B s.
			} else if err := mat.NewVecDense(n, y).SolveVec(M, mat.NewVecDense(n, slices.Clone(y))); err != nil {
				t.Fatal(err)
			}
			S, Y = append(S, slices.Clone(s)), append(Y, slices.Clone(y))
			if len(S) > most {
				S, Y = S[1:], Y[1:]
			}
			if !m.Keep(s, y, 0) {
				t.Fatal("a pair with a positive product was refused")
			}
		}
	}
}

// With as many pairs as dimensions and exact steps, a quadratic function is minimized.
func TestQuadratic(t *testing.T) {
	const n = 8
	rng := rand.New(rand.NewPCG(3, 3))
	A := mat.NewDense(n, n, vector(rng, n*n))
	var Q mat.Dense
	Q.Mul(A, A.T())
	times := func(x []float64) []float64 {
		y := make([]float64, n)
		mat.NewVecDense(n, y).MulVec(&Q, mat.NewVecDense(n, x))
		return y
	}
	x := vector(rng, n)
	g := times(x) // of ½x'Qx
	first := floats.Norm(g, 2)
	m := New(n, nil)
	p := make([]float64, n)
	for range n {
		m.Direction(p, g)
		qp := times(p)
		step := -floats.Dot(g, p) / floats.Dot(p, qp)
		s, y := m.Vector(n), m.Vector(n)
		floats.ScaleTo(s, step, p)
		floats.ScaleTo(y, step, qp)
		floats.Add(x, s)
		floats.Add(g, y)
		m.Keep(s, y, 0)
	}
	if left := floats.Norm(g, 2) / first; !(left <= 1e-8) {
		t.Errorf("after %d steps %g of the gradient is left", n, left)
	}
}

func TestKeep(t *testing.T) {
	m := New(2, nil)
	e := func(v ...float64) []float64 { return v }
	for _, c := range []struct {
		s, y  []float64
		least float64
		want  bool
	}{
		{e(1, 0), e(-1, 0), 0, false}, {e(1, 0), e(0, 1), 0, false}, {e(1, 0), e(math.NaN(), 0), 0, false},
		{e(1, 0), e(1, 9), 0.5, false}, {e(1, 0), e(1, 9), 1e-16, true}, {e(0, 1), e(0, 2), 0, true}, {e(1, 1), e(1, 1), 0, true},
	} {
		if got := m.Keep(c.s, c.y, c.least); got != c.want {
			t.Errorf("s %v, y %v, least %v: %t", c.s, c.y, c.least, got)
		}
	}
	if m.Len() != 2 {
		t.Errorf("%d pairs, want 2", m.Len())
	}
	p := make([]float64, 2)
	m.Drop()
	if m.Len() != 1 {
		t.Errorf("%d pairs after Drop, want 1", m.Len())
	}
	m.Direction(p, e(3, 3))
	if !slices.Equal(p, e(-3, -3)) { // with s = y
		t.Errorf("%v", p)
	}
	m.Reset()
	if m.Direction(p, e(3, 4)); m.Len() != 0 || !slices.Equal(p, e(-3, -4)) {
		t.Errorf("after Reset %d pairs, %v", m.Len(), p)
	}
	// The vectors of dropped and refused pairs are reused, each once.
	seen := map[*float64]bool{}
	for range 14 {
		v := m.Vector(2)
		if seen[&v[0]] {
			t.Error("Vector gave the same memory twice")
		}
		seen[&v[0]] = true
	}
	if v := m.Vector(2); len(v) != 2 || v[0] != 0 {
		t.Errorf("new memory: %v", v)
	}
}
