//lint:file-ignore SA1012 a nil context is allowed, and tested here

package klcoding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
)

// Batches give the same results as dual and adjoint, signal by signal.
func TestBatches(t *testing.T) {
	for _, doubled := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(30, 0))
		for trial := range 12 {
			d, n := 1+rng.IntN(30), 1+rng.IntN(60)
			N := 1 + rng.IntN(4*width)
			B, X, G := basis(rng, d, n), normal(rng, d, N, 1), normal(rng, n, N, 1)
			opt := Options{Lambda: []float64{1, 0.1, 1e-2, 1e-4}[trial%4], P: 0.01, Doubled: doubled, Tolerance: 1e-11}
			c := coder(t, B, opt)
			alone := *c
			alone.alone = true
			name := fmt.Sprintf("doubled %v, %d×%d, λ %g", doubled, d, n, opt.Lambda)
			want, got := code(t, &alone, X), code(t, c, X)
			if e := difference(got.W, want.W); e > 1e-8 {
				t.Errorf("%s: W differs by %g", name, e)
			}
			if e := difference(got.R, want.R); e > 1e-8 {
				t.Errorf("%s: R differs by %g", name, e)
			}
			g, err := c.VJP(nil, X, got.W, G)
			if err != nil {
				t.Fatal(err)
			}
			slow, err := alone.VJP(nil, X, got.W, G)
			if err != nil {
				t.Fatal(err)
			}
			size := 1 + mat.Norm(slow.B, 1)
			if e := difference(g.B, slow.B); e > 1e-8*size {
				t.Errorf("%s: dl/dB differs by %g of %g", name, e, size)
			}
			if e := difference(g.X, slow.X); e > 1e-8*(1+mat.Norm(slow.X, 1)) {
				t.Errorf("%s: dl/dx differs by %g", name, e)
			}
		}
	}
}

// A signal's code has the same bits alone, among other signals, and at any position among them.
func TestCompany(t *testing.T) {
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	gemm.Use()
	rng := rand.New(rand.NewPCG(31, 0))
	for _, size := range [][2]int{{1, 1}, {2, 2}, {5, 3}, {40, 90}} {
		d, n, N := size[0], size[1], 3*width+5
		B, X, G := basis(rng, d, n), normal(rng, d, N, 1), normal(rng, n, N, 1)
		c := coder(t, B, Options{Lambda: 0.02, P: 0.001, Doubled: true, Workers: 2})
		all := code(t, c, X)
		back, err := c.VJP(nil, X, all.W, G)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][2]int{{0, 1}, {7, 9}, {30, 33}, {3, N}, {N - 1, N}} {
			from, to := part[0], part[1]
			x := X.Slice(0, d, from, to)
			few := code(t, c, x)
			if w := all.W.Slice(0, n, from, to); !mat.Equal(few.W, w) {
				t.Errorf("%d×%d, signals %d to %d: W differs by %g", d, n, from, to, difference(few.W, w))
			}
			if !mat.Equal(few.R, all.R.Slice(0, d, from, to)) {
				t.Errorf("%d×%d, signals %d to %d: R differs", d, n, from, to)
			}
			g, err := c.VJP(nil, x, few.W, G.Slice(0, n, from, to))
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(g.X, back.X.Slice(0, d, from, to)) {
				t.Errorf("%d×%d, signals %d to %d: dl/dx differs", d, n, from, to)
			}
		}
	}
}
