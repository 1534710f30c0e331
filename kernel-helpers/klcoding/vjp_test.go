//lint:file-ignore SA1012 a nil context is allowed, and tested here

package klcoding

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Every element of dl/dB and dl/dx agrees with central differences of the reference EGD, which shares no code
// with the package. l = Σ G∘W.
func TestVJP(t *testing.T) {
	every(t, func(t *testing.T, loss Loss, doubled bool) {
		rng := rand.New(rand.NewPCG(20, 0))
		for range 2 {
			d, n, N := 4, 6, 2
			B := basis(rng, d, n)
			X := normal(rng, d, N, 1)
			opt := Options{Lambda: 0.3, P: 0.1, Doubled: doubled, Loss: loss, Tolerance: -1}
			if loss == Softmax {
				X = documents(rng, d, N)
				opt.Lambda = 0.05
			}
			G := normal(rng, n, N, 1)
			c := coder(t, B, opt)
			res := code(t, c, X)
			grad, err := c.VJP(nil, X, res.W, G)
			if err != nil {
				t.Fatal(err)
			}
			l := func(B, X *mat.Dense) float64 {
				var p mat.Dense
				p.MulElem(G, referenceCodes(t, B, X, opt))
				return mat.Sum(&p)
			}
			const h = 1e-4
			check := func(name string, got float64, move func(e float64) float64) {
				t.Helper()
				// Fourth order, so that truncation is below 1e-9 and rounding decides.
				want := (8*(move(h)-move(-h)) - move(2*h) + move(-2*h)) / (12 * h)
				if math.Abs(got-want) > 2e-7*(1+math.Abs(want)) {
					t.Errorf("%s: %v, differences give %v", name, got, want)
				}
			}
			for i := range d {
				for j := range n {
					check("dl/dB", grad.B.At(i, j), func(e float64) float64 {
						b := mat.DenseCopyOf(B)
						b.Set(i, j, b.At(i, j)+e)
						return l(b, X)
					})
				}
				for s := range N {
					got, to := grad.X.At(i, s), -1
					if loss == Softmax { // along a direction that keeps the sum
						to = (i + 1) % d
						got -= grad.X.At(to, s)
					}
					check("dl/dx", got, func(e float64) float64 {
						x := mat.DenseCopyOf(X)
						x.Set(i, s, x.At(i, s)+e)
						if to >= 0 {
							x.Set(to, s, x.At(to, s)-e)
						}
						return l(B, x)
					})
				}
			}
		}
	})
}

// The Woodbury form and the n×n system (9) written out give the same result.
func TestVJPDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	for _, doubled := range []bool{false, true} {
		d, n := 9, 20
		B, X, G := basis(rng, d, n), normal(rng, d, 1, 1), normal(rng, n, 1, 1)
		opt := Options{Lambda: 0.1, P: 0.01, Doubled: doubled}
		c := coder(t, B, opt)
		res := code(t, c, X)
		got, err := c.VJP(nil, X, res.W, G)
		if err != nil {
			t.Fatal(err)
		}
		var k, a, want mat.Dense
		k.Mul(B.T(), B)
		for j := range n {
			w := res.W.At(j, 0)
			if doubled {
				w = math.Sqrt(w*w + 4*opt.P*opt.P)
			}
			k.Set(j, j, k.At(j, j)+opt.Lambda/w)
		}
		if err := a.Solve(&k, G); err != nil {
			t.Fatal(err)
		}
		want.Mul(B, &a)
		if e := difference(got.X, &want); e > 1e-10 {
			t.Errorf("dl/dx differs by %g", e)
		}
	}
}

// A weight that underflows to 0 has the derivative 0, not NaN.
func TestVJPZeroWeight(t *testing.T) {
	B := mat.NewDense(2, 3, []float64{1, 0, -1, 0, 1, 0})
	X := mat.NewDense(2, 1, []float64{100, 1})
	c := coder(t, B, Options{Lambda: 0.01, P: 0.01})
	res := code(t, c, X)
	if res.W.At(2, 0) > 1e-4 {
		t.Fatalf("w = %v", mat.Formatted(res.W))
	}
	res.W.Set(2, 0, 0)
	g, err := c.VJP(nil, X, res.W, mat.NewDense(3, 1, []float64{1, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(g.B.RawMatrix().Data, g.X.RawMatrix().Data...) {
		if math.IsNaN(v) {
			t.Fatalf("dl/dB = %v", mat.Formatted(g.B))
		}
	}
}
