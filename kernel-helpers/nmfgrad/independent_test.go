package nmfgrad

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// The solvers of this file share no code with the package.

// problem returns data and a start. The data are a sparse product with much noise, clipped at zero. So the
// best matrix of rank k has negative entries and the constraints bind; TestFreeRank shows the other case.
func problem(seed uint64, n, d, k int) (A, U0, W0 *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 31))
	draw := func(r, c int, zeros float64) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 {
			if rng.Float64() < zeros {
				return 0
			}
			return 0.2 + rng.Float64()
		}, m)
		return m
	}
	A = mat.NewDense(n, d, nil)
	u, w := draw(n, k, 0.5), draw(d, k, 0.5)
	A.Mul(u, w.T())
	A.Apply(func(_, _ int, v float64) float64 { return max(0.01, v+0.4*rng.NormFloat64()) }, A)
	return A, draw(n, k, 0), draw(d, k, 0)
}

// sweep performs one sweep of coordinate descent, entry by entry.
func sweep(A, U, W *mat.Dense) {
	half := func(x, y *mat.Dense, at func(i, l int) float64) {
		n, k := x.Dims()
		d, _ := y.Dims()
		for i := range n {
			for j := range k {
				var up, down float64
				for l := range d {
					rest := at(i, l)
					for m := range k {
						if m != j {
							rest -= x.At(i, m) * y.At(l, m)
						}
					}
					up += rest * y.At(l, j)
					down += y.At(l, j) * y.At(l, j)
				}
				x.Set(i, j, max(0, up/down))
			}
		}
	}
	half(U, W, A.At)
	half(W, U, func(i, l int) float64 { return A.At(l, i) })
}

// factorise minimizes ½‖A − UW'‖² from a start, to rounding accuracy: by coordinate descent, then by Newton's
// method on the support, with the Hessian written out entry by entry and its pseudo-inverse by eigenvectors.
func factorise(t testing.TB, A, U0, W0 *mat.Dense) (U, W *mat.Dense) {
	t.Helper()
	n, d := A.Dims()
	_, k := U0.Dims()
	U, W = mat.DenseCopyOf(U0), mat.DenseCopyOf(W0)
	gradient := func(U, W *mat.Dense) (x, g []float64, R *mat.Dense) {
		R = mat.NewDense(n, d, nil)
		R.Mul(U, W.T())
		R.Sub(R, A)
		var gu, gw mat.Dense
		gu.Mul(R, W)
		gw.Mul(R.T(), U)
		x = append(append(x, U.RawMatrix().Data...), W.RawMatrix().Data...)
		g = append(append(g, gu.RawMatrix().Data...), gw.RawMatrix().Data...)
		return x, g, R
	}
	for round := range 60 {
		for range 50 + 50*round {
			sweep(A, U, W)
		}
		u, w := mat.DenseCopyOf(U), mat.DenseCopyOf(W)
		for range 8 {
			x, g, R := gradient(u, w)
			var free []int
			for i, v := range x {
				if v > 0 {
					free = append(free, i)
				}
			}
			h := mat.NewSymDense(len(free), nil)
			for a, p := range free {
				for b, q := range free[:a+1] {
					h.SetSym(a, b, second(u, w, R, p, q))
				}
			}
			var eig mat.EigenSym
			if !eig.Factorize(h, true) {
				t.Fatal("eigenvalues")
			}
			var v mat.Dense
			eig.VectorsTo(&v)
			values := eig.Values(nil)
			top := values[len(values)-1]
			bad := false
			for c, lambda := range values {
				if math.Abs(lambda) < 1e-9*top {
					continue
				}
				if lambda < 0 {
					bad = true
					break
				}
				var s float64
				for a, p := range free {
					s += v.At(a, c) * g[p]
				}
				for a, p := range free {
					x[p] -= s / lambda * v.At(a, c)
				}
			}
			for _, p := range free {
				bad = bad || x[p] <= 0 // the support is not final yet
			}
			if bad {
				break
			}
			copy(u.RawMatrix().Data, x[:n*k])
			copy(w.RawMatrix().Data, x[n*k:])
		}
		x, g, _ := gradient(u, w)
		good := true
		for i, v := range x {
			if v > 0 && math.Abs(g[i]) > 1e-13*floats.Max(x) || g[i] < -1e-12 {
				good = false
			}
		}
		if good {
			return u, w
		}
	}
	t.Fatal("the independent solver did not converge")
	return nil, nil
}

// second returns ∂²f/∂x_p∂x_q for x = (U, W).
func second(U, W, R *mat.Dense, p, q int) float64 {
	n, k := U.Dims()
	d, _ := W.Dims()
	i, j, l, m := p/k, p%k, q/k, q%k
	var s float64
	switch {
	case i < n && l < n:
		if i == l {
			for r := range d {
				s += W.At(r, j) * W.At(r, m)
			}
		}
	case i >= n && l >= n:
		if i == l {
			for r := range n {
				s += U.At(r, j) * U.At(r, m)
			}
		}
	case i < n:
		return second(U, W, R, q, p)
	default: // p in W, q in U
		s = U.At(l, j) * W.At(i-n, m)
		if j == m {
			s += R.At(l, i-n)
		}
	}
	return s
}

// bestRow returns the best coefficients of the row a, by trying all supports. W must have few columns.
func bestRow(t testing.TB, a []float64, W *mat.Dense) []float64 {
	d, k := W.Dims()
	best, at := math.Inf(1), make([]float64, k)
	for bits := range 1 << k {
		var s []int
		for j := range k {
			if bits>>j&1 == 1 {
				s = append(s, j)
			}
		}
		u := make([]float64, k)
		if len(s) > 0 {
			ws := mat.NewDense(d, len(s), nil)
			for c, j := range s {
				ws.SetCol(c, mat.Col(nil, j, W))
			}
			var x mat.VecDense
			if err := x.SolveVec(ws, mat.NewVecDense(d, a)); err != nil {
				t.Fatal(err)
			}
			for c, j := range s {
				u[j] = x.AtVec(c)
			}
		}
		if floats.Min(u) < 0 {
			continue
		}
		r := append([]float64(nil), a...)
		for j, v := range u {
			floats.AddScaled(r, -v, mat.Col(nil, j, W))
		}
		if f := floats.Norm(r, 2); f < best {
			best, at = f, u
		}
	}
	return at
}

func bestRows(t testing.TB, A, W *mat.Dense) *mat.Dense {
	n, _ := A.Dims()
	_, k := W.Dims()
	U := mat.NewDense(n, k, nil)
	for i := range n {
		U.SetRow(i, bestRow(t, append([]float64(nil), A.RawRowView(i)...), W))
	}
	return U
}

func random(rng *rand.Rand, r, c int) *mat.Dense {
	return trial.Normal(rng, r, c, 1)
}

func inner(a, b *mat.Dense) float64 {
	return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data)
}

// slope returns the central difference of fourth order of f at 0.
func slope(f func(e float64) float64, h float64) float64 {
	return (8*(f(h)-f(-h)) - f(2*h) + f(-2*h)) / (12 * h)
}

// differences returns the finite differences of l with respect to every entry of A.
func differences(A *mat.Dense, h float64, l func(A *mat.Dense) float64) *mat.Dense {
	n, d := A.Dims()
	g := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			g.Set(i, j, slope(func(e float64) float64 {
				b := mat.DenseCopyOf(A)
				b.Set(i, j, b.At(i, j)+e)
				return l(b)
			}, h))
		}
	}
	return g
}

// near fails unless ‖got − want‖ ≤ tol ‖want‖.
func near(t testing.TB, what string, got, want *mat.Dense, tol float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: nothing", what)
		return
	}
	if d := distance(got, want); !(d <= tol) {
		t.Errorf("%s: off by %.3g of its norm %.3g", what, d, mat.Norm(want, 2))
	}
}
