package pursuit

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

// TestLassoBound: Gap is at least the distance of Objective from the minimum, whether or not the signal has converged,
// and Objective is not above that of s = 0. The columns of A have any units; some are equal, nearly equal, nearly
// parallel or 0. The test finds the minimum by trying all signs of s, with 400 binary digits.
func TestLassoBound(t *testing.T) {
	ctx := context.Background()
	missed := map[string]int{}
	count := trial.Count(300, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 82))
		m, n := 2+rng.IntN(6), 1+rng.IntN(4)
		A, name := trial.Features(rng, m, n)
		x := mat.NewDense(m, 1, nil)
		for i := range m {
			x.Set(i, 0, rng.NormFloat64())
		}
		columns := trial.Columns(A)
		X := trial.Columns(x)[0]
		G, c, weight := trial.Gram(columns), make([]trial.Number, n), make([]trial.Number, n)
		top := 0.0
		for j := range c {
			c[j] = trial.Dot(columns[j], X)
			top = math.Max(top, math.Abs(trial.Float(c[j])))
		}
		if top == 0 {
			continue
		}
		alpha := top * math.Pow(10, -4*rng.Float64())
		for j := range weight {
			weight[j] = trial.Of(alpha)
		}
		nonnegative := rng.IntN(2) == 0
		f, _ := trial.Quadratic(G, c, weight, nonnegative)
		xx := trial.Mul(trial.Of(0.5), trial.Dot(X, X))
		zero, least := trial.Float(xx), trial.Float(trial.Add(xx, f))
		for method, fit := range map[string]func(context.Context, mat.Matrix, mat.Matrix, float64, *LassoOptions) (*LassoResult, error){"Lasso": Lasso, "FISTA": FISTA} {
			o := &LassoOptions{NonNegative: nonnegative, MaxIterations: 1000}
			if rng.IntN(3) == 0 {
				o.MaxIterations = 1 + rng.IntN(20)
			}
			r, err := fit(ctx, A, x, alpha, o)
			what := fmt.Sprintf("seed %d, %d×%d, %s, alpha %g, %s", seed, m, n, name, alpha, method)
			if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if err != nil && o.MaxIterations == 1000 {
				missed[method]++
			}
			own, noise := trial.Of(0), 0.0
			for i := range m {
				v, size := X[i], math.Abs(x.At(i, 0))
				for j := range n {
					v = trial.Sub(v, trial.Mul(trial.Of(r.S.At(j, 0)), columns[j][i]))
					size += math.Abs(r.S.At(j, 0) * A.At(i, j))
				}
				size *= float64(n+2) * 0x1p-52
				noise += size * (math.Abs(trial.Float(v)) + size)
				own = trial.Add(own, trial.Mul(trial.Of(0.5), trial.Mul(v, v)))
			}
			for j := range n {
				own = trial.Add(own, trial.Mul(trial.Of(alpha), trial.Of(math.Abs(r.S.At(j, 0)))))
			}
			got := trial.Float(own)
			noise += 1e-14 * (got + zero)
			if math.Abs(got-r.Objective[0]) > noise {
				t.Errorf("%s: Objective is %v, that of S %v", what, r.Objective[0], got)
			}
			if got-least > r.Gap[0]+noise {
				t.Errorf("%s: gap %v, distance from the minimum %v, of %v", what, r.Gap[0], got-least, got)
			}
			if got > zero+noise {
				t.Errorf("%s: objective %v, that of s = 0 is %v", what, got, zero)
			}
		}
	}
	t.Logf("not converged: %v of %d", missed, count)
	for method, m := range missed {
		if m > count/50 {
			t.Errorf("%s: %d of %d not converged", method, m, count)
		}
	}
}

// TestLinearProgramBound: Objective − Gap <= c'z* − Σ min(0, r_j) z*_j, with the minimum z* of exact arithmetic and r =
// c − A'y. This holds for vertices and interior points. Objective and Gap are those of z and y.
func TestLinearProgramBound(t *testing.T) {
	count := trial.Count(300, 10000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 83))
		q, _ := mixedProgram(rng, false)
		// Rows and columns in other units, powers of two, leave b and c exact.
		m, n := q.a.Dims()
		for i := range m {
			e := rng.IntN(53) - 26
			q.b[i] = math.Ldexp(q.b[i], e)
			for j := range n {
				q.a.Set(i, j, math.Ldexp(q.a.At(i, j), e))
			}
		}
		for j := range n {
			e := rng.IntN(53) - 26
			q.c[j] = math.Ldexp(q.c[j], e)
			for i := range m {
				q.a.Set(i, j, math.Ldexp(q.a.At(i, j), e))
			}
		}
		want, z, objective := rational(q.c, q.a, rationals(q.b))
		if want != ended.Converged {
			continue
		}
		least, _ := objective.Float64()
		for _, o := range []*LPOptions{nil, {KeepInterior: true}, {MaxIterations: 1 + rng.IntN(10)}} {
			r, err := LinearProgram(t.Context(), q.c, q.a, q.b, o)
			if err != nil && (o == nil || !errors.Is(err, ended.ErrNotConverged)) {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			if math.IsInf(r.Gap, 1) {
				if o == nil {
					t.Errorf("seed %d: %v", seed, r.Status)
				}
				continue
			}
			cz, by, terms, slack := trial.Of(0), trial.Of(0), 0.0, 0.0
			for i, y := range r.Y {
				by = trial.Add(by, trial.Mul(trial.Of(y), trial.Of(q.b[i])))
				terms += math.Abs(y * q.b[i])
			}
			for j, v := range r.Z {
				cz = trial.Add(cz, trial.Mul(trial.Of(v), trial.Of(q.c[j])))
				terms += math.Abs(v * q.c[j])
				rj := trial.Of(q.c[j]) // c − A'y
				for i, y := range r.Y {
					rj = trial.Sub(rj, trial.Mul(trial.Of(y), trial.Of(q.a.At(i, j))))
				}
				f, _ := z[j].Float64()
				slack += math.Max(0, -trial.Float(rj)) * f
			}
			noise := 1e-12 * terms
			if gap := math.Abs(trial.Float(trial.Sub(cz, by))); math.Abs(gap-r.Gap) > noise || math.Abs(trial.Float(cz)-r.Objective) > noise {
				t.Errorf("seed %d, %+v, %v: objective %v and gap %v, those of Z and Y are %v and %v", seed, o, r.Status, r.Objective, r.Gap, trial.Float(cz), gap)
			}
			if r.Objective-r.Gap > least+slack+noise {
				t.Errorf("seed %d, %+v, %v: objective %v, gap %v, minimum %v", seed, o, r.Status, r.Objective, r.Gap, least)
			}
			if o == nil && slack > 1e-8*terms+1e-8*math.Abs(least) {
				t.Errorf("seed %d: negative reduced costs move the bound by %v of %v", seed, slack, terms)
			}
		}
	}
}

// TestLassoDefaults: with default options, Lasso converges however dependent the columns and however small alpha. The
// duality gap is computed from A.
func TestLassoDefaults(t *testing.T) {
	for _, size := range [][2]int{{100, 300}, {200, 60}, {100, 100}, {64, 128}, {2, 3}, {20, 30}} {
		for _, rho := range []float64{0, 0.5, 0.9, 0.99} {
			m, n := size[0], size[1]
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			A, X := mat.NewDense(m, n, nil), mat.NewDense(m, 3, nil)
			for i := range m {
				z := 0.0
				for j := range n { // neighbors have the correlation rho
					z = rho*z + math.Sqrt(1-rho*rho)*rng.NormFloat64()
					A.Set(i, j, z)
				}
				for k := range 3 {
					X.Set(i, k, A.At(i, 0)-A.At(i, 1)+rng.NormFloat64())
				}
			}
			var C mat.Dense
			C.Mul(A.T(), X)
			for _, share := range []float64{0.1, 1e-2, 1e-3, 1e-4} {
				for _, nonneg := range []bool{false, true} {
					alpha := share * mat.Norm(&C, math.Inf(1))
					r, err := Lasso(t.Context(), A, X, alpha, &LassoOptions{NonNegative: nonneg})
					if err != nil {
						t.Errorf("%d×%d, correlation %v, alpha %v, s >= 0: %v: %v", m, n, rho, share, nonneg, err)
						continue
					}
					var R, Q mat.Dense
					R.Mul(A, r.S)
					R.Sub(X, &R)
					Q.Mul(A.T(), &R)
					for k := range 3 {
						// With the multiple of the residual that is feasible for the dual, the gap is a bound.
						top := mat.Norm(Q.ColView(k), math.Inf(1))
						if nonneg {
							top = mat.Max(Q.ColView(k))
						}
						tau := 1.0
						if top > alpha {
							tau = alpha / top
						}
						x, e := X.ColView(k), R.ColView(k)
						dual := tau*mat.Dot(x, e) - tau*tau*mat.Dot(e, e)/2
						if obj := mat.Dot(e, e)/2 + alpha*mat.Norm(r.S.ColView(k), 1); obj-dual > 1e-5*obj {
							t.Errorf("%d×%d, correlation %v, alpha %v, s >= 0: %v, signal %d: the objective %v is above the dual's %v", m, n, rho, share, nonneg, k, obj, dual)
						}
					}
				}
			}
		}
	}
}
