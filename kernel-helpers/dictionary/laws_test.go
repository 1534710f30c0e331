package dictionary

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

// TestLaws: with every method, signals and λ in another unit (a power of two) give the same basis. It is the same to
// the last bit, except with SGD, which measures the unit of its step. Signals times −1 give the same basis too. Rotated
// signals with a rotated start give the rotated basis, and a row of zeros stays zero. For the methods that use all
// signals at once, passing each signal twice changes nothing.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 87))
	X, start := gaussian(5, 60, 3), gaussian(5, 8, 4)
	times := func(A mat.Matrix, e int) *mat.Dense {
		var S mat.Dense
		S.Scale(math.Ldexp(1, e), A)
		return &S
	}
	for _, method := range []Method{Online, SGD, LagrangeDual, MOD} {
		for _, kind := range []string{"L1", "KL"} {
			if kind == "KL" && method != SGD {
				continue
			}
			coder := func(e int) Coder {
				if kind == "KL" {
					return KLCoder(&klcoding.Options{Lambda: math.Ldexp(0.3, e), P: math.Ldexp(0.1, e), Doubled: true})
				}
				return SparseCoder(&sparseapprox.Options{Lambda: math.Ldexp(0.3, e), Tolerance: 1e-10})
			}
			learn := func(X, start mat.Matrix, e int) *Result {
				t.Helper()
				r, err := Fit(t.Context(), X, &Options{Coder: coder(e), Init: start, Method: method, Passes: 3, Seed: 1, DeadAfter: -1})
				if err != nil {
					t.Fatalf("%v, %s: %v", method, kind, err)
				}
				return r
			}
			base := learn(X, start, 0)
			check := func(what string, got, want mat.Matrix, tolerance float64) {
				t.Helper()
				if d := difference(mat.DenseCopyOf(got), mat.DenseCopyOf(want)); !(d <= tolerance) {
					t.Errorf("%v, %s, %s: the bases differ by %g", method, kind, what, d)
				}
			}
			rounding := 0.0
			if method == SGD {
				rounding = 1e-9
			}
			for _, e := range []int{-20, -3, 3, 20} {
				r := learn(times(X, e), start, e)
				what := fmt.Sprintf("times 2^%d", e)
				check(what, r.B, base.B, rounding)
				if got := math.Ldexp(r.Objective(), -2*e); math.Abs(got-base.Objective()) > rounding {
					t.Errorf("%v, %s, %s: objective %v, want %v", method, kind, what, got, base.Objective())
				}
			}
			var minus mat.Dense
			minus.Scale(-1, X)
			check("mirrored", learn(&minus, start, 0).B, base.B, 1e-9)
			// Turned, with a row of zeros: an orthogonal 6×6 matrix times (X, 0).
			var qr mat.QR
			qr.Factorize(gaussian(6, 6, rng.Uint64()))
			var Q, QX, QS mat.Dense
			qr.QTo(&Q)
			high := func(A *mat.Dense) *mat.Dense {
				_, c := A.Dims()
				H := mat.NewDense(6, c, nil)
				H.Slice(0, 5, 0, c).(*mat.Dense).Copy(A)
				return H
			}
			QX.Mul(&Q, high(X))
			QS.Mul(&Q, high(start))
			var back mat.Dense
			back.Mul(Q.T(), learn(&QX, &QS, 0).B)
			check("turned", &back, high(base.B), 1e-6)
			if method == LagrangeDual || method == MOD {
				XX := mat.NewDense(5, 120, nil)
				XX.Slice(0, 5, 0, 60).(*mat.Dense).Copy(X)
				XX.Slice(0, 5, 60, 120).(*mat.Dense).Copy(X)
				twice := learn(XX, start, 0)
				check("signals twice", twice.B, base.B, 1e-8)
				if math.Abs(twice.Objective()-base.Objective()) > 1e-9*base.Objective() {
					t.Errorf("%v: signals twice: objective %v, want %v", method, twice.Objective(), base.Objective())
				}
			}
			// The coefficients are in the unit of the signals.
			one, err1 := MeanObjective(t.Context(), coder(0), base.B, X)
			other, err2 := MeanObjective(t.Context(), coder(10), base.B, times(X, 10))
			if err1 != nil || err2 != nil || math.Ldexp(other, -20) != one {
				t.Errorf("%v, %s: MeanObjective is %v, want %v (%v, %v)", method, kind, math.Ldexp(other, -20), one, err1, err2)
			}
		}
	}
}

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
