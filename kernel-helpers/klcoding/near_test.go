//lint:file-ignore SA1012 a nil context is allowed, and tested here

package klcoding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Codes and gradients computed in another coder's coordinates equal those computed in the coder's own, for a
// similar basis and for an unrelated one.
func TestNear(t *testing.T) {
	for _, doubled := range []bool{false, true} {
		for _, apart := range []float64{1e-3, 0.1, 10} {
			rng := rand.New(rand.NewPCG(33, 0))
			const d, n, N = 20, 45, 3 * width
			B, X, G := basis(rng, d, n), normal(rng, d, N, 1), normal(rng, n, N, 1)
			opt := Options{Lambda: 0.05, P: 0.01, Doubled: doubled, Tolerance: 1e-11}
			var other mat.Dense
			other.Add(B, normal(rng, d, n, apart))
			name := fmt.Sprintf("doubled %v, %g apart", doubled, apart)
			own := coder(t, B, opt)
			opt.Near = coder(t, &other, opt)
			near := coder(t, B, opt)
			want, got := code(t, own, X), code(t, near, X)
			if e := difference(got.W, want.W); e > 1e-8 {
				t.Errorf("%s: W differs by %g", name, e)
			}
			a, err := own.VJP(nil, X, want.W, G)
			if err != nil {
				t.Fatal(err)
			}
			b, err := near.VJP(nil, X, want.W, G)
			if err != nil {
				t.Fatal(err)
			}
			if e := difference(a.B, b.B); e > 1e-8*(1+mat.Norm(a.B, 1)) {
				t.Errorf("%s: dl/dB differs by %g", name, e)
			}
			if &near.spectral().q.Data[0] != &opt.Near.spectral().q.Data[0] {
				t.Errorf("%s: it has eigenvectors of its own", name)
			}
		}
	}
	// Near is ignored if its signals have another length.
	rng := rand.New(rand.NewPCG(34, 0))
	opt := Options{Lambda: 0.05, P: 0.01}
	opt.Near = coder(t, basis(rng, 7, 9), opt)
	X := normal(rng, 5, 4, 1)
	B := basis(rng, 5, 9)
	got := code(t, coder(t, B, opt), X)
	opt.Near = nil
	if e := difference(got.W, code(t, coder(t, B, opt), X).W); e != 0 {
		t.Errorf("another length: W differs by %g", e)
	}
}
