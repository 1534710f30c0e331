package nmfgrad

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The backward pass of T iterations agrees with finite differences of the same T iterations.
func TestUnrolled(t *testing.T) {
	A, U0, W0 := problem(2, 5, 4, 2)
	rng := rand.New(rand.NewPCG(1, 3))
	cU, cW := random(rng, 5, 2), random(rng, 4, 2)
	for _, update := range []Update{HALS, Multiplicative} {
		for _, T := range []int{1, 2, 7} {
			r, err := Unroll(context.Background(), A, U0, W0, T, update)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.VJP(context.Background(), cU, cW)
			if err != nil {
				t.Fatal(err)
			}
			want := differences(A, 1e-4, func(A *mat.Dense) float64 {
				s, err := Unroll(context.Background(), A, U0, W0, T, update)
				if err != nil {
					t.Fatal(err)
				}
				return inner(cU, s.U()) + inner(cW, s.W())
			})
			near(t, update.String(), got, want, 1e-8)
			if want := 5*4 + (T+1)*(5+4)*2; r.Floats() != want {
				t.Errorf("%d numbers kept, want %d", r.Floats(), want)
			}
		}
	}
}

// The unrolled gradient converges to the implicit gradient as T grows. The memory of the unrolled gradient
// grows with T; that of the implicit gradient does not.
func TestCompare(t *testing.T) {
	A, U0, W0 := problem(2, 30, 20, 3)
	G := random(rand.New(rand.NewPCG(2, 3)), 30, 20)
	c, err := Compare(context.Background(), A, U0, W0, G, []int{10, 100, 1000}, HALS)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range c.Costs {
		t.Logf("%+v", one)
	}
	first, mid, last := c.Costs[0], c.Costs[1], c.Costs[2]
	if last.UnrolledError > 1e-5 || !(first.UnrolledError > mid.UnrolledError && mid.UnrolledError > last.UnrolledError) {
		t.Errorf("errors %v, %v, %v", first.UnrolledError, mid.UnrolledError, last.UnrolledError)
	}
	if !(last.ImplicitError < 1e-5) {
		t.Errorf("implicit error %v", last.ImplicitError)
	}
	if last.UnrolledFloats < 9*mid.UnrolledFloats || last.ImplicitFloats != first.ImplicitFloats {
		t.Errorf("kept %+v", c.Costs)
	}
	// Counted and measured sizes agree if there is enough to measure.
	if f := float64(last.UnrolledBytes) / float64(8*last.UnrolledFloats); f < 0.8 || f > 1.7 {
		t.Errorf("%d bytes for %d numbers", last.UnrolledBytes, last.UnrolledFloats)
	}
}

// Multiplicative updates converge to the same point, more slowly.
func TestMultiplicative(t *testing.T) {
	A, U0, W0 := problem(3, 8, 6, 2)
	G := random(rand.New(rand.NewPCG(3, 3)), 8, 6)
	c, err := Compare(context.Background(), A, U0, W0, G, []int{50, 5000}, Multiplicative)
	if err != nil {
		t.Fatal(err)
	}
	a, b := c.Costs[0].UnrolledError, c.Costs[1].UnrolledError
	if !(b < a/100) || math.IsNaN(a) || b > 1e-3 {
		t.Errorf("errors %v, %v", a, b)
	}
	t.Logf("%+v", c.Costs)
}
