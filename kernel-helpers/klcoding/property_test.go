package klcoding

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// Status Converged implies a small gradient (6) at the codes, recomputed here from B, x and w. The bases have
// duplicate, zero, long and short columns; the signals have all sizes.
func TestConvergedImpliesGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 4))
	kinds := []string{"plain", "duplicates", "zeros", "columns", "small", "large", "few columns"}
	missed, solved := map[string]int{}, 0
	for k := range 30 * len(kinds) {
		kind := kinds[k%len(kinds)]
		d, n, N := 2+rng.IntN(8), 1+rng.IntN(20), 1+rng.IntN(3)
		if kind == "few columns" {
			d, n = 10, 1+rng.IntN(3)
		}
		B, X := basis(rng, d, n), normal(rng, d, N, 1)
		opt := Options{Lambda: math.Pow(10, 1-4*rng.Float64()), P: math.Pow(10, -4*rng.Float64()), Doubled: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			opt.Loss, X = Softmax, documents(rng, d, N)
			opt.Method = []Method{Newton, NewtonCG}[rng.IntN(2)]
		}
		switch kind {
		case "duplicates":
			for j := 1; j < n; j += 2 {
				B.SetCol(j, mat.Col(nil, j-1, B))
			}
		case "zeros":
			B.SetCol(rng.IntN(n), make([]float64, d))
			if opt.Loss == Squared {
				X.SetCol(0, make([]float64, d))
			}
		case "columns":
			for j := range n {
				c := B.ColView(j).(*mat.VecDense)
				c.ScaleVec(math.Pow(10, float64(rng.IntN(7)-3)), c)
			}
		case "small":
			B.Scale(1e-8, B)
			if opt.Loss == Squared {
				X.Scale(1e-8, X)
			}
		case "large":
			if opt.Loss == Squared {
				X.Scale(1e4, X)
			}
		}
		c, err := New(B, &opt)
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1012 a nil context is allowed, and tested here
		r, err := c.Code(nil, X)
		if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Fatalf("%d, %s: %v", k, kind, err)
		}
		for i, st := range r.Status {
			name := kind + ", " + opt.Loss.String()
			if st != ended.Converged {
				if err == nil {
					t.Errorf("%d, %s: %v, and no error", k, name, st)
				}
				missed[name]++
				continue
			}
			solved++
			x := mat.Col(nil, i, X)
			g, size := gradient6(B, x, mat.Col(nil, i, r.W), &opt)
			limit := 1e-9*(opt.Lambda+norm(x)+opt.P) + 1e-13*size
			if !(g <= 1.5*limit) {
				t.Errorf("%d, %s, %+v: gradient %g, limit %g, says %g", k, name, opt, g, limit, r.Gradient[i])
			}
		}
	}
	t.Logf("%d signals converged; the others: %v", solved, missed)
	if solved < 300 {
		t.Errorf("%d signals converged", solved)
	}
}

// gradient6 returns the largest element of λ v + B'(f(Bw) − x), with v = log(w/p) or arcsinh(w/2p), and the
// size of its terms. If w has underflowed, v is unknown; such a w is below 1e-300 and does not affect f.
func gradient6(B *mat.Dense, x, w []float64, opt *Options) (g, size float64) {
	d, n := B.Dims()
	f := make([]float64, d)
	mat.NewVecDense(d, f).MulVec(B, mat.NewVecDense(n, w))
	if opt.Loss == Softmax {
		top, sum := math.Inf(-1), 0.0
		for _, z := range f {
			top = max(top, z)
		}
		for i, z := range f {
			f[i] = math.Exp(z - top)
			sum += f[i]
		}
		for i := range f {
			f[i] /= sum
		}
	}
	for j, wj := range w {
		if math.Abs(wj) < 1e-300 {
			continue
		}
		v := math.Log(wj / opt.P)
		if opt.Doubled {
			v = math.Asinh(wj / (2 * opt.P))
		}
		e := opt.Lambda * v
		s := math.Abs(e)
		for i := range d {
			e += B.At(i, j) * (f[i] - x[i])
			t := 0.0
			for l, u := range w {
				t += math.Abs(B.At(i, l) * u)
			}
			s += math.Abs(B.At(i, j)) * (t + math.Abs(x[i]))
		}
		g, size = max(g, math.Abs(e)), max(size, s)
	}
	return g, size
}
