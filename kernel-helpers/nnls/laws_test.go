package nnls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: the methods solve equally well for columns of A in any units, far from 0, equal, nearly equal or 0, and
// with a far row. The test finds the minimum X* by trying all sets of zeros, with 400 binary digits. For every
// result X,
//
//	½‖A X − B‖² − ½‖A X* − B‖² <= Σ Z (X − X*)
//
// with Z = A'(A X − B). A result is not worse than X = 0, even if it has not converged.
func TestLaws(t *testing.T) {
	ctx := context.Background()
	count := trial.Count(300, 10000)
	missed := map[Method]int{}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 81))
		m, k := 3+rng.IntN(6), 1+rng.IntN(4)
		A, name := trial.Features(rng, m, k)
		b := mat.NewVecDense(m, nil)
		for i := range m {
			b.SetVec(i, rng.NormFloat64())
		}
		columns := trial.Columns(A)
		B := trial.Columns(b)[0]
		G, c, none := trial.Gram(columns), make([]trial.Number, k), make([]trial.Number, k)
		for j := range c {
			c[j], none[j] = trial.Dot(columns[j], B), trial.Of(0)
		}
		f, at := trial.Quadratic(G, c, none, true)
		bb := trial.Mul(trial.Of(0.5), trial.Dot(B, B))
		least, zero := trial.Float(trial.Add(f, bb)), trial.Float(bb)
		for method := BlockPivoting; method <= CoordinateDescent; method++ {
			o := &Options{Method: method}
			if method >= ADMM {
				o.MaxIterations = 1000
			}
			if rng.IntN(3) == 0 {
				o.MaxIterations = 1 + rng.IntN(20)
			}
			r, err := Solve(ctx, A, b, o)
			what := fmt.Sprintf("seed %d, %d×%d, %s, %v", seed, m, k, name, method)
			if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
				t.Errorf("%s: %v", what, err)
				continue
			}
			x, noise := make([]trial.Number, k), 0.0
			for j := range x {
				v := r.X.At(j, 0)
				if !(v >= 0) {
					t.Errorf("%s: X is %v", what, v)
				}
				x[j] = trial.Of(v)
			}
			rest := make([]trial.Number, m)
			for i := range rest {
				rest[i] = trial.Sub(trial.Of(0), B[i])
				size := math.Abs(b.AtVec(i))
				for j := range x {
					rest[i] = trial.Add(rest[i], trial.Mul(x[j], columns[j][i]))
					size += math.Abs(r.X.At(j, 0) * A.At(i, j))
				}
				noise += size * float64(k+2) * 0x1p-52 * (math.Abs(trial.Float(rest[i])) + size*float64(k+2)*0x1p-52)
			}
			own := trial.Float(trial.Mul(trial.Of(0.5), trial.Dot(rest, rest)))
			noise += 1e-14 * own
			if math.Abs(own-r.Objective) > noise {
				t.Errorf("%s: Objective is %v, that of X %v", what, r.Objective, own)
			}
			bound := trial.Of(0) // Σ Z (X − X*)
			for j := range x {
				bound = trial.Add(bound, trial.Mul(trial.Dot(columns[j], rest), trial.Sub(x[j], at[j])))
			}
			if own-least > trial.Float(bound)+noise {
				t.Errorf("%s: %v above the minimum, the bound is %v", what, own-least, trial.Float(bound))
			}
			if own > zero*(1+1e-12)+noise {
				t.Errorf("%s: %v: objective %v, that of X = 0 is %v", what, r.Status, own, zero)
			}
			if r.Status == ended.Converged {
				// KKT is relative to C. The bound needs Σ√G_ii X_i with the larger of X and X*.
				size := 0.0
				for j := range x {
					size += math.Sqrt(trial.Float(G[j][j])) * math.Max(r.X.At(j, 0), trial.Float(at[j]))
				}
				if most := 1e-7*size*math.Sqrt(2*zero) + noise; own-least > most {
					t.Errorf("%s: converged %v above the minimum, at most %v", what, own-least, most)
				}
			} else if o.MaxIterations == 0 || o.MaxIterations == 1000 {
				missed[method]++
			}
		}
	}
	t.Logf("not converged: %v of %d", missed, count)
}
