package nmfimplicit

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/labtest"
)

// TestExercises gives each exercise the solution in the notebook, and typical wrong answers of
// students.
func TestExercises(t *testing.T) {
	ctx := context.Background()
	negative := func(A, U, W *mat.Dense, both, zerosOnly bool, sign float64) (count int) {
		var R, Ubar, Wbar mat.Dense
		R.Mul(U, W.T())
		R.Sub(&R, A)
		Ubar.Mul(&R, W)
		Wbar.Mul(R.T(), U)
		add := func(F, bar *mat.Dense) {
			r, c := F.Dims()
			for i := range r {
				for j := range c {
					if (F.At(i, j) == 0 || !zerosOnly) && sign*bar.At(i, j) < 0 {
						count++
					}
				}
			}
		}
		add(U, &Ubar)
		if both {
			add(W, &Wbar)
		}
		return count
	}
	corner := func(A *mat.Dense, i, j int) *mat.Dense {
		r, err := nmf.Fit(ctx, A, &nmf.Options{Components: 1, MaxIterations: 5000, Tolerance: -1, KKT: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		p, err := nmfgrad.PointAt(A, r.U, r.W, &nmfgrad.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, d := A.Dims()
		G := mat.NewDense(n, d, nil)
		G.Set(i, j, 1)
		g, _, err := p.VJPProduct(ctx, G)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	leave := func(a, b, eps, power float64) int {
		return int(math.Ceil(math.Log(1/eps) / (power * math.Log(a/b))))
	}
	// descent runs coordinate descent on U from 0, with λ in the slope of each entry.
	descent := func(A, W *mat.Dense, lambda float64, sweeps int) *mat.Dense {
		n, _ := A.Dims()
		_, k := W.Dims()
		var G, C mat.Dense
		G.Mul(W.T(), W)
		C.Mul(A, W)
		U := mat.NewDense(n, k, nil)
		for range sweeps {
			for j := range k {
				for i := range n {
					slope := mat.Dot(U.RowView(i), G.ColView(j)) - C.At(i, j) + lambda
					U.Set(i, j, math.Max(0, U.At(i, j)-slope/G.At(j, j)))
				}
			}
		}
		return U
	}
	gauge := func(U, W, dU, dW *mat.Dense, second float64, root bool) *mat.Dense {
		var out mat.Dense
		out.Apply(func(i, j int, u float64) float64 {
			s := mat.Norm(W.ColView(j), 2)
			v := second * u * mat.Dot(W.ColView(j), dW.ColView(j))
			if root {
				v /= s
			}
			return dU.At(i, j)*s + v
		}, U)
		return &out
	}
	coefficients := func(W *mat.Dense, a []float64) *mat.Dense {
		r, err := nnls.Solve(ctx, W, mat.NewDense(len(a), 1, append([]float64(nil), a...)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.X
	}
	differences := func(W *mat.Dense, a []float64, j int) []float64 {
		out := make([]float64, len(a))
		const step = 1e-4
		for i := range a {
			up, down := append([]float64(nil), a...), append([]float64(nil), a...)
			up[i] += step
			down[i] -= step
			out[i] = (coefficients(W, up).At(j, 0) - coefficients(W, down).At(j, 0)) / (2 * step)
		}
		return out
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"nmf-1": {
			Right: func(A, U, W *mat.Dense) int { return negative(A, U, W, true, true, 1) },
			Wrong: map[string]any{
				"only U":        func(A, U, W *mat.Dense) int { return negative(A, U, W, false, true, 1) },
				"not only 0":    func(A, U, W *mat.Dense) int { return negative(A, U, W, true, false, 1) },
				"the good ones": func(A, U, W *mat.Dense) int { return negative(A, U, W, true, true, -1) },
				"nothing":       func(A, U, W *mat.Dense) int { return 0 },
			},
		},
		"nmf-2": {
			Right: func(A *mat.Dense) *mat.Dense { return corner(A, 0, 0) },
			Wrong: map[string]any{
				"another entry": func(A *mat.Dense) *mat.Dense { return corner(A, 1, 0) },
				"its own alone": func(A *mat.Dense) *mat.Dense {
					n, d := A.Dims()
					G := mat.NewDense(n, d, nil)
					G.Set(0, 0, corner(A, 0, 0).At(0, 0))
					return G
				},
				"transposed": func(A *mat.Dense) *mat.Dense { return mat.DenseCopyOf(corner(A, 0, 0).T()) },
				"nothing":    func(A *mat.Dense) *mat.Dense { return nil },
			},
		},
		"nmf-3": {
			Right: func(a, b, eps float64) int { return leave(a, b, eps, 2) },
			Wrong: map[string]any{
				"half a step":   func(a, b, eps float64) int { return leave(a, b, eps, 1) },
				"one too many":  func(a, b, eps float64) int { return leave(a, b, eps, 2) + 1 },
				"for (2, 1)":    func(a, b, eps float64) int { return leave(2, 1, eps, 2) },
				"b is ignored":  func(a, b, eps float64) int { return leave(a, 1, eps, 2) },
				"never leaves":  func(a, b, eps float64) int { return 0 },
				"upside down":   func(a, b, eps float64) int { return leave(b, a, eps, 2) },
				"one too early": func(a, b, eps float64) int { return leave(a, b, eps, 2) - 1 },
			},
		},
		"nmf-4": {
			Right: func(A, W *mat.Dense, lambda float64) *mat.Dense { return descent(A, W, lambda, 3000) },
			Wrong: map[string]any{
				"no penalty": func(A, W *mat.Dense, lambda float64) *mat.Dense { return descent(A, W, 0, 3000) },
				"twice":      func(A, W *mat.Dense, lambda float64) *mat.Dense { return descent(A, W, 2*lambda, 3000) },
				"a reward":   func(A, W *mat.Dense, lambda float64) *mat.Dense { return descent(A, W, -lambda, 3000) },
				"one sweep":  func(A, W *mat.Dense, lambda float64) *mat.Dense { return descent(A, W, lambda, 1) },
				"shrunk behind": func(A, W *mat.Dense, lambda float64) *mat.Dense {
					U := descent(A, W, 0, 3000)
					U.Apply(func(_, _ int, u float64) float64 { return math.Max(0, u-lambda) }, U)
					return U
				},
			},
		},
		"nmf-5": {
			Right: func(U, W, dU, dW *mat.Dense) *mat.Dense { return gauge(U, W, dU, dW, 1, true) },
			Wrong: map[string]any{
				"W stands still": func(U, W, dU, dW *mat.Dense) *mat.Dense { return gauge(U, W, dU, dW, 0, true) },
				"the other sign": func(U, W, dU, dW *mat.Dense) *mat.Dense { return gauge(U, W, dU, dW, -1, true) },
				"no root":        func(U, W, dU, dW *mat.Dense) *mat.Dense { return gauge(U, W, dU, dW, 1, false) },
				"as given":       func(U, W, dU, dW *mat.Dense) *mat.Dense { return mat.DenseCopyOf(dU) },
				"in place": func(U, W, dU, dW *mat.Dense) *mat.Dense {
					dU.Copy(gauge(U, W, dU, dW, 1, true))
					return dU
				},
			},
		},
		"nmf-6": {
			Right: differences,
			Wrong: map[string]any{
				"all columns": func(W *mat.Dense, a []float64, j int) []float64 {
					var G, P mat.Dense
					G.Mul(W.T(), W)
					if err := P.Solve(&G, W.T()); err != nil {
						t.Fatal(err)
					}
					return mat.Row(nil, j, &P)
				},
				"the part itself": func(W *mat.Dense, a []float64, j int) []float64 { return mat.Col(nil, j, W) },
				"another part": func(W *mat.Dense, a []float64, j int) []float64 {
					_, k := W.Dims()
					return differences(W, a, (j+1)%k)
				},
				"a short one": func(W *mat.Dense, a []float64, j int) []float64 { return differences(W, a, j)[1:] },
			},
		},
	})
}
