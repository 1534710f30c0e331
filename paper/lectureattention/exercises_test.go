package lectureattention

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/paper/internal/labtest"
)

// TestExercises gives each exercise the solution in the notebook, and typical wrong answers of
// students.
func TestExercises(t *testing.T) {
	self := func(H *mat.Dense, head attention.Head, o attention.Options) *attention.Output {
		out, err := attention.SelfAttention(H, head, &o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	mean := func(A *mat.Dense, by float64) []float64 {
		n, d := A.Dims()
		m := make([]float64, d)
		for i := range n {
			for j := range d {
				m[j] += A.At(i, j) / by
			}
		}
		return m
	}
	rows := func(H *mat.Dense) float64 { n, _ := H.Dims(); return float64(n) }
	entropies := func(Q, K *mat.Dense, scaled bool) []float64 {
		m, _ := K.Dims()
		out, err := attention.Attend(Q, K, mat.NewDense(m, 1, nil), &attention.Options{Scaled: scaled})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := Q.Dims()
		h := make([]float64, n)
		for l := range h {
			for t := range m {
				if a := out.Alpha.At(l, t); a > 0 {
					h[l] -= a * math.Log(a)
				}
			}
		}
		return h
	}
	average := func(x []float64, f func(float64) float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += f(v) / float64(len(x))
		}
		return sum
	}
	same := func(x float64) float64 { return x }
	copier := func(d, shift int, sharp float64) attention.Head {
		h := attention.Head{Wq: mat.NewDense(2*d, d, nil), Wk: mat.NewDense(2*d, d, nil), Wv: mat.NewDense(2*d, d, nil)}
		back := attention.Shift(shift, d)
		for i := range d {
			for j := range d {
				h.Wq.Set(d+i, j, sharp*back.At(i, j))
			}
			h.Wk.Set(d+i, i, 1)
			h.Wv.Set(i, i, 1)
		}
		return h
	}
	leaky := func(H *mat.Dense, head attention.Head) *mat.Dense {
		out := self(H, head, attention.Options{Scaled: true})
		n, _ := H.Dims()
		for l := range n {
			for t := l + 1; t < n; t++ {
				out.Alpha.Set(l, t, 0)
			}
		}
		var V, A mat.Dense
		V.Mul(H, head.Wv)
		A.Mul(out.Alpha, &V)
		return &A
	}
	differences := func(c attention.Config, tokens []int, second bool) []float64 {
		m, err := attention.NewTransformer(c)
		if err != nil {
			t.Fatal(err)
		}
		once, err := m.Logits([][]int{tokens})
		if err != nil {
			t.Fatal(err)
		}
		n, v := once.Dims()
		twice, err := m.Logits([][]int{append(append([]int{}, tokens...), tokens...)})
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		if second {
			from = n
		}
		var all []float64
		for i := range n {
			for j := range v {
				all = append(all, twice.At(from+i, j)-once.At(i, j))
			}
		}
		return all
	}
	gap := func(c attention.Config, tokens []int, second bool) float64 {
		return floats.Norm(differences(c, tokens, second), math.Inf(1))
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"attention-1": {
			Right: func(H *mat.Dense, h attention.Head) []float64 {
				return mean(self(H, h, attention.Options{}).A, rows(H))
			},
			Wrong: map[string]any{
				"with a mask": func(H *mat.Dense, h attention.Head) []float64 {
					return mean(self(H, h, attention.Options{Causal: true}).A, rows(H))
				},
				"a sum": func(H *mat.Dense, h attention.Head) []float64 { return mean(self(H, h, attention.Options{}).A, 1) },
				"with positions": func(H *mat.Dense, h attention.Head) []float64 {
					return mean(self(attention.WithPositions(H), h, attention.Options{}).A, rows(H))
				},
				"of the input": func(H *mat.Dense, h attention.Head) []float64 { return mean(H, rows(H)) },
			},
		},
		"attention-2": {
			Right: func(Q, K *mat.Dense, scaled bool) float64 { return math.Exp(average(entropies(Q, K, scaled), same)) },
			Wrong: map[string]any{
				"no exp":            func(Q, K *mat.Dense, scaled bool) float64 { return average(entropies(Q, K, scaled), same) },
				"always scaled":     func(Q, K *mat.Dense, _ bool) float64 { return math.Exp(average(entropies(Q, K, true), same)) },
				"exp before a mean": func(Q, K *mat.Dense, scaled bool) float64 { return average(entropies(Q, K, scaled), math.Exp) },
			},
		},
		"attention-3": {
			Right: func(d int) attention.Head { return copier(d, -1, 20) },
			Wrong: map[string]any{
				"as begun": func(d int) attention.Head {
					return attention.Head{Wq: mat.NewDense(2*d, d, nil), Wk: mat.NewDense(2*d, d, nil), Wv: mat.NewDense(2*d, d, nil)}
				},
				"the word itself": func(d int) attention.Head { return copier(d, 0, 20) },
				"not sharp":       func(d int) attention.Head { return copier(d, -1, 1) },
				"no matrices":     func(d int) attention.Head { return attention.Head{} },
				"one width":       func(d int) attention.Head { return copier(16, -1, 20) },
			},
		},
		"attention-4": {
			Right: func(V, d, m, L int) int { return 2*V*d + V + L*(4*d*d+2*d*m+m+5*d) },
			Wrong: map[string]any{
				"as begun":         func(V, d, m, L int) int { return 0 },
				"no biases":        func(V, d, m, L int) int { return 2*V*d + L*(4*d*d+2*d*m) },
				"one block":        func(V, d, m, L int) int { return 2*V*d + V + 4*d*d + 2*d*m + m + 5*d },
				"no normalisation": func(V, d, m, L int) int { return 2*V*d + V + L*(4*d*d+2*d*m+m+d) },
			},
		},
		"attention-5": {
			Right: func(H *mat.Dense, h attention.Head) *mat.Dense {
				return self(H, h, attention.Options{Causal: true, Scaled: true}).A
			},
			Wrong: map[string]any{
				"the leak":  leaky,
				"no mask":   func(H *mat.Dense, h attention.Head) *mat.Dense { return self(H, h, attention.Options{Scaled: true}).A },
				"no √d":     func(H *mat.Dense, h attention.Head) *mat.Dense { return self(H, h, attention.Options{Causal: true}).A },
				"the input": func(H *mat.Dense, h attention.Head) *mat.Dense { return H },
			},
		},
		"attention-6": {
			Right: func(c attention.Config, tokens []int) float64 { return gap(c, tokens, true) },
			Wrong: map[string]any{
				"as begun":       func(c attention.Config, tokens []int) float64 { return 0 },
				"the first copy": func(c attention.Config, tokens []int) float64 { return gap(c, tokens, false) },
				"no modulus":     func(c attention.Config, tokens []int) float64 { return floats.Max(differences(c, tokens, true)) },
				"a sum":          func(c attention.Config, tokens []int) float64 { return floats.Norm(differences(c, tokens, true), 1) },
				"another seed":   func(c attention.Config, tokens []int) float64 { c.Seed++; return gap(c, tokens, true) },
			},
		},
	})
}
