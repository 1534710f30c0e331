package s3c2011

import (
	"context"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/exercise"
	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/ui/cell"
)

// TestExercises gives each exercise the answer of its solution in the notebook, and wrong ones as students write them.
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

	for name, answers := range map[string]struct {
		right any
		wrong map[string]any
	}{
		"s3c-1": {
			func(t, b, alpha, beta float64) float64 {
				gamma := alpha + beta
				return sigmoid(b + math.Log(alpha/gamma)/2 + beta*beta*t*t/(2*gamma))
			},
			map[string]any{
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
			func(W *mat.Dense, v []float64) float64 { return gap(W, v, 1, 4, ascent) },
			map[string]any{
				"Algorithm 1":    func(W *mat.Dense, v []float64) float64 { return gap(W, v, 1, 4, nil) },
				"the other way":  func(W *mat.Dense, v []float64) float64 { return -gap(W, v, 1, 4, ascent) },
				"another model":  func(W *mat.Dense, v []float64) float64 { return gap(W, v, 4, 1, ascent) },
				"nothing at all": func(W *mat.Dense, v []float64) float64 { return 0 },
			},
		},
		"s3c-3": {
			func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n-1)*beta/(alpha+beta)) },
			map[string]any{
				"no overshoot":  func(n int, alpha, beta float64) float64 { return 1 / (1 + float64(n-1)*beta/(alpha+beta)) },
				"all units":     func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n)*beta/(alpha+beta)) },
				"one over n":    func(n int, alpha, beta float64) float64 { return 2 / float64(n) },
				"no prior of s": func(n int, alpha, beta float64) float64 { return 2 / (1 + float64(n-1)*beta/alpha) },
			},
		},
		"s3c-4": {
			func(m *s3c.Model) *mat.Dense { return spread(m, exactly, true) },
			map[string]any{
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
			func(h, penalty float64) float64 { return root(h, penalty, -1) },
			map[string]any{
				"no penalty":     func(h, _ float64) float64 { return math.Log(h / (1 - h)) },
				"the other root": func(h, penalty float64) float64 { return root(h, penalty, 1) },
				"σ, not b":       func(h, penalty float64) float64 { return sigmoid(root(h, penalty, -1)) },
				"of σ alone":     func(h, penalty float64) float64 { x := h / (1 + penalty); return math.Log(x / (1 - x)) },
			},
		},
		"s3c-6": {
			func(H, S *mat.Dense) *mat.Dense { return split(H, S, plus, minus) },
			map[string]any{
				"signs kept": func(H, S *mat.Dense) *mat.Dense {
					return split(H, S, plus, func(x float64) float64 { return min(0, x) })
				},
				"exchanged": func(H, S *mat.Dense) *mat.Dense { return split(H, S, minus, plus) },
				"not split": func(H, S *mat.Dense) *mat.Dense { var out mat.Dense; out.MulElem(H, S); return &out },
				"in place":  func(H, S *mat.Dense) *mat.Dense { H.MulElem(H, S); return split(H, S, plus, minus) },
			},
		},
	} {
		if v := check.Exercise(name, answers.right); !v.Right {
			t.Errorf("the solution of %s: %v", name, v)
		}
		// Whoever has it right must have it right by any grader's seed.
		task := exercise.Find(name)
		for seed := range uint64(100) {
			a, err := task.Try(context.Background(), cell.Start, answers.right, seed)
			if err != nil || a.Fault != "" {
				t.Fatal(name, a, err)
			}
			if fault := task.Judge(seed, a.Result); fault != "" {
				t.Errorf("the solution of %s, seed %d: %s", name, seed, fault)
			}
		}
		if len(answers.wrong) < 3 {
			t.Errorf("%s has %d wrong answers", name, len(answers.wrong))
		}
		for how, f := range answers.wrong {
			if v := check.Exercise(name, f); v.Right || v.Hint == "" {
				t.Errorf("%s, %s: %v", name, how, v)
			}
		}
		if v := check.Exercise(name, func() {}); v.Right {
			t.Errorf("%s takes another type", name)
		}
	}
}

// A case is the same whenever it is drawn: the grader draws it in two processes.
func TestDrawnAlike(t *testing.T) {
	tasks := exercise.Of(Paper)
	if len(tasks) != 6 {
		t.Errorf("%d exercises", len(tasks))
	}
	for _, task := range tasks {
		if !reflect.DeepEqual(task.Draw(7), task.Draw(7)) {
			t.Errorf("%s differs from itself", task.Name)
		}
		c, before := task.Draw(8), task.Draw(8)
		if a, b := task.Reference(c), task.Reference(c); !reflect.DeepEqual(a, b) || !reflect.DeepEqual(c.Args, before.Args) {
			t.Errorf("the reference of %s changes", task.Name)
		}
	}
}
