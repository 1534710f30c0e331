package bradley2008

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/internal/must"
)

// TestExercises gives each exercise the solution in the notebook, and typical wrong answers of
// students.
func TestExercises(t *testing.T) {
	ctx := context.Background()
	// newton solves w + λ(log w − shift) = x.
	newton := func(x, lambda, shift, start float64, steps int) float64 {
		u := start
		for range steps {
			u -= (math.Exp(u) + lambda*(u-shift) - x) / (math.Exp(u) + lambda)
		}
		return math.Exp(u)
	}
	coder := func(B mat.Matrix, lambda, p float64, doubled bool) *klcoding.Coder {
		return must.Get(klcoding.New(B, &klcoding.Options{Lambda: lambda, P: p, Doubled: doubled, Tolerance: 1e-12}))
	}
	code := func(B mat.Matrix, x []float64, lambda, p float64, doubled bool) []float64 {
		return mat.Col(nil, 0, must.Get(coder(B, lambda, p, doubled).Code(ctx, mat.NewDense(len(x), 1, append([]float64(nil), x...)))).W)
	}
	// atom returns ∂ŵ_j/∂B_i by central differences.
	atom := func(B *mat.Dense, x []float64, j, i int, lambda, p float64, doubled bool) []float64 {
		const step = 1e-5
		g := make([]float64, len(x))
		for k := range g {
			up, down := mat.DenseCopyOf(B), mat.DenseCopyOf(B)
			up.Set(k, i, B.At(k, i)+step)
			down.Set(k, i, B.At(k, i)-step)
			g[k] = (code(up, x, lambda, p, doubled)[j] - code(down, x, lambda, p, doubled)[j]) / (2 * step)
		}
		return g
	}
	scaled := func(v []float64, s float64) []float64 {
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = s * x
		}
		return out
	}
	// copies codes x on a basis that contains m copies of each atom, and returns the coefficients of the first
	// copies.
	copies := func(B *mat.Dense, x []float64, m int, lambda, p float64, doubled bool) []float64 {
		D, n := B.Dims()
		all := mat.NewDense(D, n*m, nil)
		for j := range n * m {
			all.SetCol(j, mat.Col(nil, j%n, B))
		}
		return code(all, x, lambda, p, doubled)[:n]
	}
	gapOf := func(B *mat.Dense, x, w []float64, lambda, p, constant float64, half float64) float64 {
		var r, h mat.VecDense
		r.MulVec(B, mat.NewVecDense(len(w), append([]float64(nil), w...)))
		r.SubVec(mat.NewVecDense(len(x), append([]float64(nil), x...)), &r)
		h.MulVec(B.T(), &r)
		out := half * mat.Dot(&r, &r) // ½‖r‖² of the objective and ½‖r‖² of g
		for i, v := range x {
			out -= v * r.AtVec(i)
		}
		for j, v := range w {
			out += lambda * (v*math.Log(v/p) - v + constant*p + p*math.Exp(h.AtVec(j)/lambda) - p)
		}
		return out
	}
	lost := func(B, X *mat.Dense, lambda, p float64, doubled bool) float64 {
		var R mat.Dense
		R.Mul(B, must.Get(coder(B, lambda, p, doubled).Code(ctx, X)).W)
		R.Sub(X, &R)
		return mat.Norm(&R, 2) / mat.Norm(X, 2)
	}
	search := func(B, X *mat.Dense, p, share float64, doubled, squared bool) float64 {
		lo, hi := math.Log(1e-3), math.Log(10)
		for range 40 {
			mid := (lo + hi) / 2
			s := lost(B, X, math.Exp(mid), p, doubled)
			if squared {
				s *= s
			}
			if s < share {
				lo = mid
			} else {
				hi = mid
			}
		}
		return math.Exp(lo)
	}
	layers := func(B1, B2 *mat.Dense, x []float64, lambda, p float64, doubled bool) *mat.Dense {
		sum := func(B *mat.Dense) (s float64) {
			for _, v := range code(B2, code(B, x, lambda, p, doubled), lambda, p, doubled) {
				s += v
			}
			return s
		}
		var g mat.Dense
		g.Apply(func(i, j int, b float64) float64 {
			const step = 1e-5
			up, down := mat.DenseCopyOf(B1), mat.DenseCopyOf(B1)
			up.Set(i, j, b+step)
			down.Set(i, j, b-step)
			return (sum(up) - sum(down)) / (2 * step)
		}, B1)
		return &g
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"dsc-1": {
			Right: func(x, lambda, p float64) float64 {
				return newton(x, lambda, math.Log(p), math.Log(max(x, p)), 60)
			},
			Wrong: map[string]any{
				"soft threshold": func(x, lambda, p float64) float64 { return max(x-lambda*math.Log(1/p), 0) },
				"one step":       func(x, lambda, p float64) float64 { return newton(x, lambda, math.Log(p), math.Log(max(x, p)), 1) },
				"no p":           func(x, lambda, p float64) float64 { return newton(x, lambda, 0, math.Log(max(x, p)), 60) },
				"log w": func(x, lambda, p float64) float64 {
					return math.Log(newton(x, lambda, math.Log(p), math.Log(max(x, p)), 60))
				},
			},
		},
		"dsc-2": {
			Right: func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64 {
				return atom(B, x, j, j, lambda, p, true)
			},
			Wrong: map[string]any{
				"not doubled": func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64 {
					return atom(B, x, j, j, lambda, p, false)
				},
				"the sign": func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64 {
					return scaled(atom(B, x, j, j, lambda, p, true), -1)
				},
				"the first": func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64 {
					return atom(B, x, j, 0, lambda, p, true)
				},
				"nothing": func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64 { return make([]float64, len(x)) },
			},
		},
		"dsc-3": {
			Right: func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
				return copies(B, x, m, lambda, p, false)
			},
			Wrong: map[string]any{
				"all together": func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
					return scaled(copies(B, x, m, lambda, p, false), float64(m))
				},
				"no copies": func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
					return code(B, x, lambda, p, false)
				},
				"a share": func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
					return scaled(code(B, x, lambda, p, false), 1/float64(m))
				},
				"doubled": func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
					return copies(B, x, m, lambda, p, true)
				},
				"divided p": func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64 {
					return scaled(code(B, x, lambda, p/float64(m), false), 1/float64(m))
				},
			},
		},
		"dsc-4": {
			Right: func(B *mat.Dense, x, w []float64, lambda, p float64) float64 { return gapOf(B, x, w, lambda, p, 1, 1) },
			Wrong: map[string]any{
				"without the constant": func(B *mat.Dense, x, w []float64, lambda, p float64) float64 { return gapOf(B, x, w, lambda, p, 0, 1) },
				"twice the constant":   func(B *mat.Dense, x, w []float64, lambda, p float64) float64 { return gapOf(B, x, w, lambda, p, 2, 1) },
				"half of the loss": func(B *mat.Dense, x, w []float64, lambda, p float64) float64 {
					return gapOf(B, x, w, lambda, p, 1, 0.5)
				},
				"the other sign": func(B *mat.Dense, x, w []float64, lambda, p float64) float64 { return -gapOf(B, x, w, lambda, p, 1, 1) },
				"nothing":        func(B *mat.Dense, x, w []float64, lambda, p float64) float64 { return 0 },
			},
		},
		"dsc-5": {
			Right: func(B, X *mat.Dense, p, share float64) float64 { return search(B, X, p, share, true, true) },
			Wrong: map[string]any{
				"not squared": func(B, X *mat.Dense, p, share float64) float64 { return search(B, X, p, share, true, false) },
				"not doubled": func(B, X *mat.Dense, p, share float64) float64 { return search(B, X, p, share, false, true) },
				"the share":   func(B, X *mat.Dense, p, share float64) float64 { return share },
				"the first": func(B, X *mat.Dense, p, share float64) float64 {
					D, _ := X.Dims()
					return search(B, mat.DenseCopyOf(X.Slice(0, D, 0, 1)), p, share, true, true)
				},
			},
		},
		"dsc-6": {
			Right: func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense {
				return layers(B1, B2, x, lambda, p, true)
			},
			Wrong: map[string]any{
				"of another shape": func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense { return mat.NewDense(1, 1, nil) },
				"one layer": func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense {
					c, X := coder(B1, lambda, p, true), mat.NewDense(len(x), 1, append([]float64(nil), x...))
					W := must.Get(c.Code(ctx, X)).W
					ones := mat.DenseCopyOf(W)
					ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
					return must.Get(c.VJP(ctx, X, W, ones)).B
				},
				"twice the prior": func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense {
					return layers(B1, B2, x, 2*lambda, p, true)
				},
				"the sign": func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense {
					g := layers(B1, B2, x, lambda, p, true)
					g.Scale(-1, g)
					return g
				},
			},
		},
	})
}
