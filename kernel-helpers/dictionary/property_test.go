package dictionary

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/sparseapprox"
)

// TestLearnOnOddData checks degenerate data that users may pass by accident. If the error is nil, the basis
// must be finite, with columns of norm 1 (at most 1 for Online and LagrangeDual), and its objective must not
// exceed the objective of the initial basis.
func TestLearnOnOddData(t *testing.T) {
	rng := rand.New(rand.NewPCG(86, 7))
	kinds := []string{"plain", "zero signals", "all the same", "duplicates", "constant row", "rows", "small", "large", "fewer signals than atoms"}
	learned, refused := 0, map[string]int{}
	for k := range 5 * len(kinds) * 4 {
		kind, method := kinds[k%len(kinds)], Method(k/len(kinds)%4)
		d, N := 3+rng.IntN(5), 20+rng.IntN(30)
		if kind == "fewer signals than atoms" {
			N = 3
		}
		X := gaussian(d, N, rng.Uint64())
		size := 1.0
		switch kind {
		case "zero signals":
			for j := 0; j < N; j += 2 {
				X.SetCol(j, make([]float64, d))
			}
		case "all the same":
			for j := range N {
				X.SetCol(j, mat.Col(nil, 0, X))
			}
		case "duplicates":
			for j := 1; j < N; j += 2 {
				X.SetCol(j, mat.Col(nil, j-1, X))
			}
		case "constant row":
			for j := range N {
				X.Set(0, j, 100)
			}
		case "rows":
			for j := range N {
				X.Set(0, j, X.At(0, j)*1e6)
				X.Set(1, j, X.At(1, j)*1e-6)
			}
		case "small":
			size = 1e-8
		case "large":
			size = 1e8
		}
		X.Scale(size, X)
		coder := SparseCoder(&sparseapprox.Options{Lambda: 0.1 * size})
		start := gaussian(d, 6, 5)
		opt := &Options{Coder: coder, Init: start, Method: method, Passes: 4, Seed: uint64(k), DeadAfter: -1}
		r, err := Fit(context.Background(), X, opt)
		if err != nil {
			refused[kind+", "+method.String()]++
			if kind != "rows" || method != LagrangeDual { // with LagrangeDual, the codes of "rows" use only one atom, up to rounding
				t.Errorf("%d, %s, %v: %v", k, kind, method, err)
			}
			continue
		}
		learned++
		first := mat.DenseCopyOf(start)
		for j := range 6 {
			c := first.ColView(j).(*mat.VecDense)
			c.ScaleVec(1/mat.Norm(c, 2), c)
			n := mat.Norm(r.B.ColView(j), 2)
			if atMost := method == Online || method == LagrangeDual; !(n <= 1+1e-9) || !atMost && !(n >= 1-1e-9) {
				t.Errorf("%d, %s, %v: column %d has norm %v", k, kind, method, j, n)
			}
		}
		before, err1 := MeanObjective(context.Background(), coder, first, X)
		after, err2 := MeanObjective(context.Background(), coder, r.B, X)
		if err1 != nil || err2 != nil || !(after <= before*(1+1e-6)) || math.IsInf(after, 0) {
			t.Errorf("%d, %s, %v: objective %v, %v before (%v, %v)", k, kind, method, after, before, err1, err2)
		}
	}
	t.Logf("%d learned, refused %v", learned, refused)
}
