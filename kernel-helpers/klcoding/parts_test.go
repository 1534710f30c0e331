package klcoding

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

// The parts are the coefficients that the coder finds on a stored [−B B].
func TestPartsAreTheDoubledCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const D, n, N = 5, 8, 4
	B, X := normal(rng, D, n, 1), normal(rng, D, N, 1)
	both := mat.NewDense(D, 2*n, nil)
	both.Slice(0, D, n, 2*n).(*mat.Dense).Copy(B)
	both.Slice(0, D, 0, n).(*mat.Dense).Scale(-1, B)
	signed, err := New(B, &Options{Lambda: 0.2, P: 0.01, Doubled: true})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := New(both, &Options{Lambda: 0.2, P: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	r, err := signed.Code(context.Background(), X)
	if err != nil {
		t.Fatal(err)
	}
	want, err := stored.Code(context.Background(), X)
	if err != nil {
		t.Fatal(err)
	}
	if got := signed.Parts(r.W); !mat.EqualApprox(got, want.W, 1e-7) {
		t.Errorf("Parts\n%v\nstored doubled basis\n%v", mat.Formatted(got), mat.Formatted(want.W))
	}
}

func TestPartsVJP(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n = 6
	c, err := New(mat.NewDense(2, n, []float64{1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1}),
		&Options{Lambda: 1, PVec: []float64{1e-3, 0.1, 0.5, 1, 2, 1e-2}, Doubled: true})
	if err != nil {
		t.Fatal(err)
	}
	W, G := mat.NewDense(n, 1, []float64{-2, 3, 0, 0.5, -1e-3, 1e-5}), mat.NewDense(2*n, 1, nil)
	for j := range 2 * n {
		G.Set(j, 0, rng.NormFloat64())
	}
	got := c.PartsVJP(W, G)
	for j := range n {
		const h = 1e-6
		at := func(d float64) float64 {
			V := mat.DenseCopyOf(W)
			V.Set(j, 0, V.At(j, 0)+d)
			P := c.Parts(V)
			return mat.Dot(G.ColView(0), P.ColView(0))
		}
		want := (at(h) - at(-h)) / (2 * h)
		if math.Abs(got.At(j, 0)-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("coefficient %d: %v, central difference %v", j, got.At(j, 0), want)
		}
	}
}

func TestPartsNeedDoubled(t *testing.T) {
	c, err := New(mat.NewDense(1, 1, []float64{1}), &Options{Lambda: 1, P: 1})
	if err != nil {
		t.Fatal(err)
	}
	if panics.Value(func() { c.Parts(mat.NewDense(1, 1, []float64{1})) }) == nil {
		t.Error("Parts of a coder that is not Doubled did not panic")
	}
}
