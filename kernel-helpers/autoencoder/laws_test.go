package autoencoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// scaled returns A times 2^e.
func scaled(A mat.Matrix, e int) *mat.Dense {
	var S mat.Dense
	S.Scale(math.Ldexp(1, e), A)
	return &S
}

// TestLaws: in another unit (a power of two) of the samples, biases and λ, the loss is in the square of this unit, and
// its gradients in the units of their parameters, to the last bit. Multiplying one value of all samples by −1 changes
// the signs of its weights and nothing else, also in Fit, to the last bit. An additional value that is always 0 changes
// nothing if its weights start at 0. If values and features are permuted, or if each sample occurs twice and each step
// uses all samples, Fit finds the same model up to rounding.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 94))
		m, n, N := 2+rng.IntN(4), 2+rng.IntN(6), 5+rng.IntN(20)
		X := normal(m, N, seed)
		start := New(m, n, seed)
		for i := range start.Benc {
			start.Benc[i] = 0.1 * rng.NormFloat64()
		}
		for i := range start.Bdec {
			start.Bdec[i] = 0.1 * rng.NormFloat64()
		}
		lambda := 0.2 * rng.Float64()
		if rng.IntN(3) == 0 {
			start.TopK = 1 + rng.IntN(n)
		}
		what := fmt.Sprintf("seed %d, %d values, %d features, %d samples, TopK %d", seed, m, n, N, start.TopK)

		base, g := start.Gradient(X, lambda)
		for _, e := range []int{-30, -1, 30} {
			c := math.Ldexp(1, e)
			unit := start.Clone()
			for i := range unit.Benc {
				unit.Benc[i] *= c
			}
			for i := range unit.Bdec {
				unit.Bdec[i] *= c
			}
			l, h := unit.Gradient(scaled(X, e), c*lambda)
			want := Loss{Total: c * c * base.Total, Error: c * c * base.Error, L1: c * base.L1, Active: base.Active}
			if l != want {
				t.Errorf("%s: times 2^%d: %+v, want %+v", what, e, l, want)
			}
			if !mat.Equal(h.Wenc, scaled(g.Wenc, 2*e)) || !mat.Equal(h.Wdec, scaled(g.Wdec, 2*e)) ||
				!mat.Equal(mat.NewVecDense(n, h.Benc), scaled(mat.NewVecDense(n, g.Benc), e)) || !mat.Equal(mat.NewVecDense(m, h.Bdec), scaled(mat.NewVecDense(m, g.Bdec), e)) {
				t.Errorf("%s: times 2^%d: another gradient", what, e)
			}
		}

		opt := Options{Lambda: lambda, Steps: 15, Batch: 4, Start: start, Seed: seed, FreeNorm: seed%2 == 0}
		fit := func(X mat.Matrix, opt Options) *Model {
			r, err := Fit(t.Context(), X, &opt)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return r.Model
		}
		same := func(how string, got, want *Model, tolerance float64) {
			t.Helper()
			a, b := got.params(), want.params()
			for k := range a {
				for i, v := range a[k] {
					if !(math.Abs(v-b[k][i]) <= tolerance) {
						t.Errorf("%s, %s: parameter %d, %d is %v, want %v", what, how, k, i, v, b[k][i])
						return
					}
				}
			}
		}
		model := fit(X, opt)

		flip := rng.IntN(m)
		mirror := func(a *Model) *Model {
			a = a.Clone()
			for k := range n {
				a.Wenc.Set(k, flip, -a.Wenc.At(k, flip))
				a.Wdec.Set(flip, k, -a.Wdec.At(flip, k))
			}
			a.Bdec[flip] = -a.Bdec[flip]
			return a
		}
		Y := mat.DenseCopyOf(X)
		for j := range N {
			Y.Set(flip, j, -X.At(flip, j))
		}
		o := opt
		o.Start = mirror(start)
		same("a value times −1", mirror(fit(Y, o)), model, 0)

		// The values and the features of p are those of a in another order.
		values, feature := rng.Perm(m), rng.Perm(n)
		ordered := func(a *Model) *Model {
			b := a.Clone()
			for i, vi := range values {
				b.Bdec[i] = a.Bdec[vi]
				for k, fk := range feature {
					b.Benc[k] = a.Benc[fk]
					b.Wenc.Set(k, i, a.Wenc.At(fk, vi))
					b.Wdec.Set(i, k, a.Wdec.At(vi, fk))
				}
			}
			return b
		}
		for i, v := range values {
			Y.SetRow(i, X.RawRowView(v))
		}
		o.Start = ordered(start)
		same("another order", fit(Y, o), ordered(model), 1e-9)

		// With a row of zeros.
		wide := func(a *Model) *Model {
			return &Model{TopK: a.TopK, Benc: a.Benc, Bdec: append(append([]float64{}, a.Bdec...), 0),
				Wenc: mat.DenseCopyOf(a.Wenc.Grow(0, 1)), Wdec: mat.DenseCopyOf(a.Wdec.Grow(1, 0))}
		}
		o.Start = wide(start)
		same("a value of 0", fit(X.Grow(1, 0), o), wide(model), 0)

		o = opt
		o.Batch = 2 * N
		all := fit(X, o)
		twice := mat.NewDense(m, 2*N, nil)
		twice.Augment(X, X)
		same("samples twice", fit(twice, o), all, 1e-7)
	}
}
