package iconframework

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/internal/labtest"
)

// TestExercises gives each exercise the solution in the notebook, and typical wrong answers of
// students.
func TestExercises(t *testing.T) {
	moments := func(grid, p []float64) (mean, variance float64) {
		for i, x := range grid {
			mean += p[i] * x
		}
		for i, x := range grid {
			variance += p[i] * (x - mean) * (x - mean)
		}
		return mean, variance
	}
	// highest returns the position of the highest point of p, and the width that its height gives: this is what
	// KL(q‖p) would choose.
	highest := func(grid, p []float64) []float64 {
		top := 0
		for i := range p {
			if p[i] > p[top] {
				top = i
			}
		}
		return []float64{grid[top], (grid[1] - grid[0]) / p[top] / math.Sqrt(2*math.Pi)}
	}
	simplex := func(pairs, cosine, tau float64) float64 { return math.Log(1 + pairs*math.Exp((cosine-1)/tau)) }
	entropies := func(P *mat.Dense, zero bool, result func(h float64) float64) []float64 {
		n, _ := P.Dims()
		out := make([]float64, n)
		for i := range n {
			h := 0.0
			for _, p := range P.RawRowView(i) {
				if p > 0 || !zero {
					h -= p * math.Log(p)
				}
			}
			out[i] = result(h)
		}
		return out
	}
	// power is the power of 1/(1+d²) in a spring; both says whether the columns count too.
	springs := func(P, Z *mat.Dense, power float64, both bool, factor float64) *mat.Dense {
		n, k := Z.Dims()
		w, Q := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				if j != i {
					d := floats.Distance(Z.RawRowView(i), Z.RawRowView(j), 2)
					w.Set(i, j, 1/(1+d*d))
				}
			}
			floats.ScaleTo(Q.RawRowView(i), 1/floats.Sum(w.RawRowView(i)), w.RawRowView(i))
		}
		G := mat.NewDense(n, k, nil)
		for i := range n {
			for j := range n {
				s := P.At(i, j) - Q.At(i, j)
				if both {
					s += P.At(j, i) - Q.At(j, i)
				}
				for d := range k {
					G.Set(i, d, G.At(i, d)+factor*s*math.Pow(w.At(i, j), power)*(Z.At(i, d)-Z.At(j, d)))
				}
			}
		}
		return G
	}
	contrast := func(Z *mat.Dense, labels []int, tau float64, self, inside bool) float64 {
		n := len(labels)
		L := 0.0
		for i := range n {
			sum, mine, count, within := 0.0, 0.0, 0.0, 0.0
			for j := range n {
				if j == i && !self {
					continue
				}
				a := floats.Dot(Z.RawRowView(i), Z.RawRowView(j)) / (floats.Norm(Z.RawRowView(i), 2) * floats.Norm(Z.RawRowView(j), 2) * tau)
				sum += math.Exp(a)
				if j != i && labels[j] == labels[i] {
					mine, count, within = mine+a, count+1, within+math.Exp(a)
				}
			}
			if inside { // the logarithm of the mean, L_in of the paper
				L -= math.Log(within/count/sum) / float64(n)
			} else {
				L -= (mine/count - math.Log(sum)) / float64(n)
			}
		}
		return L
	}
	clusters := func(P *mat.Dense, labels []int, q func(same bool, size, n float64) float64) float64 {
		n := len(labels)
		L := 0.0
		for i := range n {
			size := 0.0
			for j := range n {
				if labels[j] == labels[i] {
					size++
				}
			}
			for j, p := range P.RawRowView(i) {
				if p > 0 {
					L += p * math.Log(p/q(labels[j] == labels[i], size, float64(n))) / float64(n)
				}
			}
		}
		return L
	}
	scaled := func(p []float64) []float64 { floats.Scale(1/floats.Sum(p), p); return p }
	between := func(q, prior []float64, f func(q, prior float64) float64) []float64 {
		p := make([]float64, len(q))
		for j := range p {
			p[j] = f(q[j], prior[j])
		}
		return scaled(p)
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"icon-1": {
			Right: func(grid, p []float64) []float64 { m, v := moments(grid, p); return []float64{m, math.Sqrt(v)} },
			Wrong: map[string]any{
				"variance":   func(grid, p []float64) []float64 { m, v := moments(grid, p); return []float64{m, v} },
				"chooses":    highest,
				"mean alone": func(grid, p []float64) []float64 { m, _ := moments(grid, p); return []float64{m, 1} },
				"nothing":    func(grid, p []float64) []float64 { return nil },
			},
		},
		"icon-2": {
			Right: func(N int, tau float64) float64 { n := float64(N); return simplex(2*n-2, -1/(n-1), tau) },
			Wrong: map[string]any{
				"orthogonal":    func(N int, tau float64) float64 { return simplex(2*float64(N)-2, 0, tau) },
				"one view each": func(N int, tau float64) float64 { n := float64(N); return simplex(n-1, -1/(n-1), tau) },
				"a guess":       func(N int, tau float64) float64 { return math.Log(2*float64(N) - 1) },
				"of all":        func(N int, tau float64) float64 { n := 2 * float64(N); return simplex(n-2, -1/(n-1), tau) },
			},
		},
		"icon-3": {
			Right: func(P *mat.Dense) []float64 { return entropies(P, true, math.Exp) },
			Wrong: map[string]any{
				"NaN":         func(P *mat.Dense) []float64 { return entropies(P, false, math.Exp) },
				"entropy":     func(P *mat.Dense) []float64 { return entropies(P, true, func(h float64) float64 { return h }) },
				"nats as bit": func(P *mat.Dense) []float64 { return entropies(P, true, math.Exp2) },
				"neighbours": func(P *mat.Dense) []float64 {
					n, _ := P.Dims()
					out := make([]float64, n)
					for i := range n {
						for _, p := range P.RawRowView(i) {
							if p > 0 {
								out[i]++
							}
						}
					}
					return out
				},
			},
		},
		"icon-4": {
			Right: func(P, Z *mat.Dense) *mat.Dense { n, _ := Z.Dims(); return springs(P, Z, 1, true, 2/float64(n)) },
			Wrong: map[string]any{
				"SNE's":         func(P, Z *mat.Dense) *mat.Dense { n, _ := Z.Dims(); return springs(P, Z, 0, true, 2/float64(n)) },
				"squared":       func(P, Z *mat.Dense) *mat.Dense { n, _ := Z.Dims(); return springs(P, Z, 2, true, 2/float64(n)) },
				"rows alone":    func(P, Z *mat.Dense) *mat.Dense { n, _ := Z.Dims(); return springs(P, Z, 1, false, 2/float64(n)) },
				"not divided":   func(P, Z *mat.Dense) *mat.Dense { return springs(P, Z, 1, true, 2) },
				"the other way": func(P, Z *mat.Dense) *mat.Dense { n, _ := Z.Dims(); return springs(P, Z, 1, true, -2/float64(n)) },
			},
		},
		"icon-5": {
			Right: func(Z *mat.Dense, labels []int, tau float64) float64 { return contrast(Z, labels, tau, false, false) },
			Wrong: map[string]any{
				"with itself":     func(Z *mat.Dense, labels []int, tau float64) float64 { return contrast(Z, labels, tau, true, false) },
				"mean in the log": func(Z *mat.Dense, labels []int, tau float64) float64 { return contrast(Z, labels, tau, false, true) },
				"no temperature":  func(Z *mat.Dense, labels []int, tau float64) float64 { return contrast(Z, labels, 1, false, false) },
				"a sum over all i": func(Z *mat.Dense, labels []int, tau float64) float64 {
					return float64(len(labels)) * contrast(Z, labels, tau, false, false)
				},
			},
		},
		"icon-6": {
			Right: func(P *mat.Dense, labels []int, eps float64) float64 {
				return clusters(P, labels, func(same bool, size, n float64) float64 {
					if same {
						return (1-eps)/size + eps/n
					}
					return eps / n
				})
			},
			Wrong: map[string]any{
				"no ε": func(P *mat.Dense, labels []int, eps float64) float64 {
					return clusters(P, labels, func(same bool, size, n float64) float64 {
						if same {
							return 1 / size
						}
						return 0
					})
				},
				"ε outside alone": func(P *mat.Dense, labels []int, eps float64) float64 {
					return clusters(P, labels, func(same bool, size, n float64) float64 {
						if same {
							return (1 - eps) / size
						}
						return eps / n
					})
				},
				"a sum": func(P *mat.Dense, labels []int, eps float64) float64 {
					return float64(len(labels)) * clusters(P, labels, func(same bool, size, n float64) float64 {
						if same {
							return (1-eps)/size + eps/n
						}
						return eps / n
					})
				},
				"equal sizes": func(P *mat.Dense, labels []int, eps float64) float64 {
					k := 0.0
					for _, c := range labels {
						k = max(k, float64(c+1))
					}
					return clusters(P, labels, func(same bool, _, n float64) float64 {
						if same {
							return (1-eps)*k/n + eps/n
						}
						return eps / n
					})
				},
			},
		},
		"icon-7": {
			Right: func(q, prior []float64, lambda float64) []float64 {
				return between(q, prior, func(q, p float64) float64 {
					return math.Pow(q, 1/(1+lambda)) * math.Pow(p, lambda/(1+lambda))
				})
			},
			Wrong: map[string]any{
				"arithmetic": func(q, prior []float64, lambda float64) []float64 {
					return between(q, prior, func(q, p float64) float64 { return q + lambda*p })
				},
				"exchanged": func(q, prior []float64, lambda float64) []float64 {
					return between(q, prior, func(q, p float64) float64 {
						return math.Pow(q, lambda/(1+lambda)) * math.Pow(p, 1/(1+lambda))
					})
				},
				"product": func(q, prior []float64, lambda float64) []float64 {
					return between(q, prior, func(q, p float64) float64 { return q * math.Pow(p, lambda) })
				},
				"in place": func(q, prior []float64, lambda float64) []float64 {
					for j := range q {
						q[j] = math.Pow(q[j], 1/(1+lambda)) * math.Pow(prior[j], lambda/(1+lambda))
					}
					return scaled(q)
				},
			},
		},
	})
}
