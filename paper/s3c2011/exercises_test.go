package s3c2011

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/internal/labtest"
)

// TestExercises tries the notebook's solution of each exercise, and typical wrong answers of students.
func TestExercises(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	gap := func(W *mat.Dense, v []float64, alpha, beta float64, o *s3c.InferOptions) float64 {
		m, err := s3c.NewModel(W, -1, alpha, beta)
		if err != nil {
			t.Fatal(err)
		}
		V := mat.NewDense(1, 2, append([]float64(nil), v...))
		p, err := m.Exact(V)
		if err != nil {
			t.Fatal(err)
		}
		q, err := m.Infer(context.Background(), V, o)
		if err != nil {
			t.Fatal(err)
		}
		return p.LogEvidence[0] - q.Energy[0]
	}
	ascent := &s3c.InferOptions{Method: s3c.Coordinate}
	spread := func(m *s3c.Model, variance func(p, mu, alpha float64) float64, noise bool) *mat.Dense {
		D, N := m.Dims()
		C := mat.NewDense(D, D, nil)
		for i := range N {
			w := m.W.ColView(i)
			C.RankOne(C, variance(sigmoid(m.Bias[i]), m.Mu[i], m.Alpha[i]), w, w)
		}
		for d := range D {
			if noise {
				C.Set(d, d, C.At(d, d)+1/m.Beta[0])
			}
		}
		return C
	}
	exactly := func(p, mu, alpha float64) float64 { return p*(1/alpha+mu*mu) - p*p*mu*mu }
	root := func(h, penalty, sign float64) float64 {
		x := (1 + penalty + sign*math.Sqrt((1+penalty)*(1+penalty)-4*penalty*h)) / (2 * penalty)
		return math.Log(x / (1 - x))
	}
	split := func(H, S *mat.Dense, positive, negative func(hs float64) float64) *mat.Dense {
		n, N := H.Dims()
		out := mat.NewDense(n, 2*N, nil)
		for k := range n {
			for i := range N {
				hs := H.At(k, i) * S.At(k, i)
				out.Set(k, i, positive(hs))
				out.Set(k, N+i, negative(hs))
			}
		}
		return out
	}
	plus, minus := func(x float64) float64 { return max(0, x) }, func(x float64) float64 { return max(0, -x) }

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"s3c-1": {
			Right: func(t, b, alpha, beta float64) float64 {
				gamma := alpha + beta
				return sigmoid(b + math.Log(alpha/gamma)/2 + beta*beta*t*t/(2*gamma))
			},
			Wrong: map[string]any{
				"no determinant": func(t, b, alpha, beta float64) float64 {
					return sigmoid(b + beta*beta*t*t/(2*(alpha+beta)))
				},
				"no prior": func(t, b, alpha, beta float64) float64 {
					return sigmoid(math.Log(alpha/(alpha+beta))/2 + beta*beta*t*t/(2*(alpha+beta)))
				},
				"the slab at its best": func(t, b, alpha, beta float64) float64 { return sigmoid(b + beta*t*t/2) },
				"the prior":            func(t, b, alpha, beta float64) float64 { return sigmoid(b) },
			},
		},
		"s3c-2": {
			Right: func(W *mat.Dense, v []float64) float64 { return gap(W, v, 1, 4, ascent) },
			Wrong: map[string]any{
				"Algorithm 1":    func(W *mat.Dense, v []float64) float64 { return gap(W, v, 1, 4, nil) },
				"the other way":  func(W *mat.Dense, v []float64) float64 { return -gap(W, v, 1, 4, ascent) },
				"another model":  func(W *mat.Dense, v []float64) float64 { return gap(W, v, 4, 1, ascent) },
				"nothing at all": func(W *mat.Dense, v []float64) float64 { return 0 },
			},
		},
		"s3c-3": {
			Right: func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n-1)*beta/(alpha+beta)) },
			Wrong: map[string]any{
				"no overshoot":  func(n int, alpha, beta float64) float64 { return 1 / (1 + float64(n-1)*beta/(alpha+beta)) },
				"all units":     func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n)*beta/(alpha+beta)) },
				"one over n":    func(n int, alpha, beta float64) float64 { return 2 / float64(n) },
				"no prior of s": func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n-1)*beta/alpha) },
			},
		},
		"s3c-4": {
			Right: func(m *s3c.Model) *mat.Dense { return spread(m, exactly, true) },
			Wrong: map[string]any{
				"no noise":   func(m *s3c.Model) *mat.Dense { return spread(m, exactly, false) },
				"slab alone": func(m *s3c.Model) *mat.Dense { return spread(m, func(p, _, a float64) float64 { return p / a }, true) },
				"second moment": func(m *s3c.Model) *mat.Dense {
					return spread(m, func(p, mu, a float64) float64 { return p * (1/a + mu*mu) }, true)
				},
				"always on":      func(m *s3c.Model) *mat.Dense { return spread(m, func(_, _, a float64) float64 { return 1 / a }, true) },
				"nothing at all": func(m *s3c.Model) *mat.Dense { return nil },
			},
		},
		"s3c-5": {
			Right: func(h, penalty float64) float64 { return root(h, penalty, -1) },
			Wrong: map[string]any{
				"no penalty":     func(h, _ float64) float64 { return math.Log(h / (1 - h)) },
				"the other root": func(h, penalty float64) float64 { return root(h, penalty, 1) },
				"σ, not b":       func(h, penalty float64) float64 { return sigmoid(root(h, penalty, -1)) },
				"of σ alone":     func(h, penalty float64) float64 { x := h / (1 + penalty); return math.Log(x / (1 - x)) },
			},
		},
		"s3c-6": {
			Right: func(H, S *mat.Dense) *mat.Dense { return split(H, S, plus, minus) },
			Wrong: map[string]any{
				"signs kept": func(H, S *mat.Dense) *mat.Dense {
					return split(H, S, plus, func(x float64) float64 { return min(0, x) })
				},
				"exchanged": func(H, S *mat.Dense) *mat.Dense { return split(H, S, minus, plus) },
				"not split": func(H, S *mat.Dense) *mat.Dense { var out mat.Dense; out.MulElem(H, S); return &out },
				"in place":  func(H, S *mat.Dense) *mat.Dense { H.MulElem(H, S); return split(H, S, plus, minus) },
			},
		},
	})
}
