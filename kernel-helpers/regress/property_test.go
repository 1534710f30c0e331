package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// cloud returns n points with d features, and y for a sparse true w. share is the fraction of X's elements that are
// nonzero.
func cloud(n, d int, share float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			if rng.Float64() < share {
				X.Set(i, j, rng.NormFloat64()+0.5)
			}
			if j%4 == 0 {
				y[i] += X.At(i, j) * float64(j%3-1)
			}
		}
		y[i] += 0.3*rng.NormFloat64() + 2
	}
	return X, y
}

// A sparse matrix gives the same results as its dense copy, in all functions that accept sparse matrices.
func TestSparse(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ n, d int }{{60, 12}, {25, 40}} {
		X, y := cloud(c.n, c.d, 0.3, 1)
		S := csr.Of(X)
		same := func(name string, a, b *Linear) {
			t.Helper()
			if floats.Distance(a.W, b.W, math.Inf(1)) > 1e-9 || math.Abs(a.Intercept-b.Intercept) > 1e-9 {
				t.Errorf("%d×%d: %s: dense %v, sparse %v", c.n, c.d, name, a, b)
			}
			if e := floats.Distance(a.Predict(X), b.Predict(S), math.Inf(1)); e > 1e-8 {
				t.Errorf("%d×%d: %s: predictions differ by %g", c.n, c.d, name, e)
			}
		}
		for _, alpha := range []float64{0.1, 5} {
			a, err := FitRidge(t.Context(), X, y, alpha)
			b, err2 := FitRidge(t.Context(), S, y, alpha)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			same("ridge", a, b)
		}
		alphas := []float64{1, 0.01}
		p, err := FitRidgePath(t.Context(), X, y, alphas)
		q, err2 := FitRidgePath(t.Context(), S, y, alphas)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		same("path", p[1], q[1])
		o := &LassoOptions{Tolerance: 1e-12}
		l, err := FitLasso(ctx, X, y, 0.05, o)
		m, err2 := FitLasso(ctx, S, y, 0.05, o)
		if err != nil || err2 != nil || m.Status != ended.Converged || m.Active == 0 {
			t.Fatal(err, err2, m)
		}
		if math.Abs(l.Objective-m.Objective) > 1e-11*l.Objective {
			t.Errorf("lasso: %v, sparse %v", l.Objective, m.Objective)
		}
		r, err := RidgeCV(ctx, X, y, nil)
		s, err2 := RidgeCV(ctx, S, y, nil)
		if err != nil || err2 != nil || math.Abs(r.PR2-s.PR2) > 1e-9 || r.Best != s.Best {
			t.Errorf("CV: %v %v, %v %v", r.PR2, s.PR2, err, err2)
		}
	}
	X, y := cloud(10, 3, 0.5, 2)
	X.Set(7, 2, math.NaN())
	if _, err := FitLasso(ctx, csr.Of(X), y, 1, nil); err == nil || err.Error() != "regress: FitLasso: X(7, 2) is NaN" {
		t.Error(err)
	}
}

// On hard problems, a Lasso with status Converged has an objective, recomputed from the definition, that is
// within Tolerance·F(0, ȳ) of the dual's value, and not above scikit-learn's minimum.
func TestLassoProperty(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np, warnings
from sklearn.linear_model import Lasso
warnings.simplefilter("ignore")
def objective(X, y, a):
    m = Lasso(alpha=a, tol=1e-14, max_iter=5000).fit(X, y)
    r = y - X @ m.coef_ - m.intercept_
    return (r*r).sum()/2/len(y) + a*abs(m.coef_).sum()
`, "numpy", "sklearn")
	ran, converged := 0, 0
	for seed := range uint64(1) {
		base, y := cloud(40, 12, 0.7, seed)
		wide, yw := cloud(20, 50, 0.7, seed)
		scaled := func(f func(i, j int, v float64) float64) *mat.Dense {
			var Z mat.Dense
			Z.Apply(f, base)
			return &Z
		}
		for _, c := range []struct {
			name string
			X    *mat.Dense
			y    []float64
		}{
			{"as it is", base, y},
			{"wide", wide, yw},
			{"columns by 1e-8 to 1e8", scaled(func(_, j int, v float64) float64 { return v * math.Pow(10, float64(j*16/11-8)) }), y},
			{"all by 1e-8", scaled(func(_, _ int, v float64) float64 { return v * 1e-8 }), y},
			{"all by 1e8", scaled(func(_, _ int, v float64) float64 { return v * 1e8 }), y},
			{"a row by 1e6", scaled(func(i, _ int, v float64) float64 {
				if i == 3 {
					return v * 1e6
				}
				return v
			}), y},
			{"constant, double and zero columns", scaled(func(i, j int, v float64) float64 {
				switch j {
				case 0:
					return 7
				case 1:
					return 0
				case 2:
					return base.At(i, 3)
				}
				return v
			}), y},
			{"far from 0", scaled(func(_, _ int, v float64) float64 { return v + 1e6 }), y},
		} {
			top, err := AlphaMax(c.X, c.y)
			if err != nil {
				t.Fatal(err)
			}
			py.Array("X", c.X)
			py.Array("y", mat.NewDense(1, len(c.y), c.y))
			for _, share := range []float64{0.5, 0.03, 1e-4} {
				for _, tolerance := range []float64{0, 1e-10} {
					m, err := FitLasso(context.Background(), c.X, c.y, share*top, &LassoOptions{Tolerance: tolerance})
					name := fmt.Sprintf("%s, %g of the largest alpha, tolerance %g", c.name, share, tolerance)
					if errors.Is(err, ended.ErrNotConverged) != (m == nil || m.Status != ended.Converged) || m == nil {
						t.Errorf("%s: %v, %v", name, m, err)
						continue
					}
					ran++
					if m.Status == ended.Converged {
						converged++
					} else {
						t.Logf("%s: %v, gap %g of %g", name, m.Status, m.Gap, m.Objective)
					}
					r := m.Predict(c.X)
					own := share * top * floats.Norm(m.W, 1)
					for i := range r {
						own += (r[i] - c.y[i]) * (r[i] - c.y[i]) / float64(2*len(r))
					}
					// Predict's rounding error: Predict adds numbers as large as the features.
					noise := 1e-15 * mat.Max(c.X) * floats.Norm(m.W, 1) * math.Sqrt(own)
					if math.Abs(own-m.Objective) > 1e-9*own+noise {
						t.Errorf("%s: told %v, is %v", name, m.Objective, own)
					}
					least := py.Float(fmt.Sprintf("objective(X, y.ravel(), %.17g)", share*top))
					if m.Objective-m.Gap > least*(1+1e-9)+noise {
						t.Errorf("%s: the dual says at least %v, scikit-learn has %v", name, m.Objective-m.Gap, least)
					}
				}
			}
		}
	}
	t.Logf("%d trained, %d converged", ran, converged)
	if converged < ran*9/10 {
		t.Errorf("%d of %d converged", converged, ran)
	}
}

// If data or options are out of range, the error names them.
func TestRefusedByName(t *testing.T) {
	ctx := context.Background()
	X, y := cloud(20, 4, 1, 3)
	times := func(f float64) *mat.Dense {
		var Z mat.Dense
		Z.Scale(f, X)
		return &Z
	}
	far := make([]float64, 20)
	floats.ScaleTo(far, 1e200, y)
	near := make([]float64, 20)
	floats.ScaleTo(near, 1e-200, y)
	for want, err := range map[string]error{
		"FitLasso: Tolerance is NaN":                           second(FitLasso(ctx, X, y, 1, &LassoOptions{Tolerance: math.NaN()})),
		"FitLasso: MaxIterations is -1":                        second(FitLasso(ctx, X, y, 1, &LassoOptions{MaxIterations: -1})),
		"FitLassoPath: Count is -2":                            second(FitLassoPath(ctx, X, y, nil, &LassoOptions{Count: -2})),
		"FitLassoPath: Ratio is 1":                             second(FitLassoPath(ctx, X, y, nil, &LassoOptions{Ratio: 1})),
		"FitLasso: alpha[0] is -1":                             second(FitLasso(ctx, X, y, -1, nil)),
		"FitRidge: alpha is NaN":                               second(FitRidge(t.Context(), X, y, math.NaN())),
		"RidgeCV: Folds is 1":                                  second(RidgeCV(ctx, X, y, &CVOptions{Folds: 1})),
		"LassoCV: Nested is 1":                                 second(LassoCV(ctx, X, y, &CVOptions{Nested: 1}, nil)),
		"FitLasso: the sum of squares of feature 0":            second(FitLasso(ctx, times(1e160), y, 1, nil)),
		"AlphaMax: the sum of squares of feature 0":            second(AlphaMax(times(1e-170), y)),
		"FitLasso: the sum of squares of y about its mean":     second(FitLasso(ctx, X, far, 1, nil)),
		"FitLassoPath: the sum of squares of y about its mean": second(FitLassoPath(ctx, X, near, nil, nil)),
		"FitRidge: the squares of X overflow":                  second(FitRidge(t.Context(), times(1e160), y, 1)),
		"FitRidgePath: the squares of X overflow":              second(FitRidgePath(t.Context(), times(1e160), y, []float64{1})),
		"FitRidge: no unique solution with alpha 0":            second(FitRidge(t.Context(), mat.NewDense(20, 4, nil), y, 0)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "regress: "+want) || len(err.Error()) > 130 {
			t.Errorf("%s: %v", want, err)
		}
	}
	cv, err := LassoCV(ctx, X, y, nil, &LassoOptions{Tolerance: 1e-12, MaxIterations: 1})
	if !errors.Is(err, ended.ErrNotConverged) || !strings.HasPrefix(err.Error(), "regress: LassoCV: ") || cv == nil || cv.Model == nil || cv.NotConverged == 0 {
		t.Errorf("%v: %v", err, cv)
	}
	m, err := FitRidge(t.Context(), X, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"nil":   func() { FitRidge(t.Context(), nil, y, 1) },
		"train": func() { FitRidge(t.Context(), X.T(), y, 1) }, "lasso": func() { FitLasso(ctx, csr.Of(X.T()), y, 1, nil) }, "predict": func() { m.Predict(X.T()) },
	} {
		if r, _ := panics.Value(f).(string); !strings.HasPrefix(r, "regress: ") || name != "nil" && !strings.HasSuffix(r, "want 20×4, is X transposed?") {
			t.Errorf("%s: %q", name, r)
		}
	}
}

func second[T any](_ T, err error) error { return err }
