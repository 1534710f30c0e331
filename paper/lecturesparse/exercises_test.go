package lecturesparse

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/paper/internal/labtest"
)

// proximal runs ISTA. Unlike the references, it computes BᵀB first, and takes the threshold as a function.
func proximal(B *mat.Dense, x *mat.VecDense, step float64, steps int, threshold func(v float64) float64) *mat.VecDense {
	_, n := B.Dims()
	var G, Bx mat.Dense // BᵀB and Bᵀx
	G.Mul(B.T(), B)
	Bx.Mul(B.T(), x)
	w := mat.NewDense(n, 1, nil)
	for range steps {
		var next mat.Dense
		next.Mul(&G, w)
		next.Sub(&Bx, &next)
		next.Scale(step, &next)
		next.Add(w, &next)
		next.Apply(func(_, _ int, v float64) float64 { return threshold(v) }, &next)
		w = &next
	}
	return mat.VecDenseCopyOf(w.ColView(0))
}

// TestExercises gives each exercise a right answer, found in another way than the reference's if
// possible, and typical wrong answers of students.
func TestExercises(t *testing.T) {
	shrink := func(by float64) func(v float64) float64 {
		return func(v float64) float64 { return math.Max(v-by, 0) - math.Max(-v-by, 0) }
	}
	largest := func(B *mat.Dense) float64 { // eigenvalue of BᵀB
		var G mat.SymDense
		G.SymOuterK(1, B.T())
		var e mat.EigenSym
		if !e.Factorize(&G, false) {
			t.Fatal("no eigenvalues")
		}
		return e.Values(nil)[G.SymmetricDim()-1]
	}
	zeros := func(B *mat.Dense, x *mat.VecDense, lambda float64) bool {
		r, err := sparseapprox.Solve(t.Context(), B, x, &sparseapprox.Options{Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		return mat.Norm(r.W, 1) == 0
	}
	fista := func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int, late bool) *mat.VecDense {
		L, tt := largest(B), 1.0
		_, n := B.Dims()
		w, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		value := func(w *mat.VecDense) float64 {
			var r mat.VecDense
			r.MulVec(B, w)
			r.SubVec(&r, x)
			return math.Pow(mat.Norm(&r, 2), 2)/2 + lambda*mat.Norm(w, 1)
		}
		for range steps {
			var r, g, next mat.VecDense
			r.MulVec(B, y)
			r.SubVec(&r, x)
			g.MulVec(B.T(), &r)
			next.AddScaledVec(y, -1/L, &g)
			for j := range n {
				next.SetVec(j, shrink(lambda/L)(next.AtVec(j)))
			}
			rises := value(&next) > value(w)
			if rises && !late {
				tt = 1
			}
			after := (1 + math.Sqrt(1+4*tt*tt)) / 2
			for j := range n {
				y.SetVec(j, next.AtVec(j)+(tt-1)/after*(next.AtVec(j)-w.AtVec(j)))
			}
			if tt = after; rises && late {
				tt = 1
			}
			w.CopyVec(&next)
		}
		return w
	}
	sweeps := func(B *mat.Dense, x *mat.VecDense, lambda float64, times int, divisor func(length2 float64) float64) *mat.VecDense {
		_, n := B.Dims()
		w := mat.NewVecDense(n, nil)
		for range times {
			for j := range n {
				w.SetVec(j, 0)
				var r mat.VecDense
				r.MulVec(B, w)
				r.SubVec(x, &r)
				b := B.ColView(j)
				w.SetVec(j, shrink(lambda)(mat.Dot(b, &r))/divisor(mat.Dot(b, b)))
			}
		}
		return w
	}
	share := func(A, C *mat.Dense, each func(cosine float64) float64) float64 {
		hits := 0.0
		_, n := A.Dims()
		_, m := C.Dims()
		for i := range n {
			for j := range m {
				if each(mat.Dot(A.ColView(i), C.ColView(j))) > 0.8 {
					hits++
					break
				}
			}
		}
		return hits / float64(n)
	}
	// The loss of the toy model, by quadrature.
	loss := func(p, second, bias float64) float64 {
		m := &superposition.Model{W: mat.NewDense(1, 2, []float64{1, second}), Bias: []float64{0, bias}}
		return m.Loss(superposition.Pair(p), []float64{1, 1})
	}

	type (
		signalOf = func(B *mat.Dense, x *mat.VecDense) float64
		ista     = func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense
		two      = func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense
		atoms    = func(A, C *mat.Dense) float64
		chance   = func(p float64) float64
	)
	start := func(B *mat.Dense) *mat.VecDense { _, n := B.Dims(); return mat.NewVecDense(n, nil) }
	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"sparse-1": {
			Right: signalOf(func(B *mat.Dense, x *mat.VecDense) float64 {
				var c mat.VecDense
				c.MulVec(B.T(), x)
				lambda := mat.Norm(&c, math.Inf(1))
				if !zeros(B, x, 1.001*lambda) || zeros(B, x, 0.9*lambda) {
					t.Error("the library's lasso becomes 0 elsewhere")
				}
				return lambda
			}),
			Wrong: map[string]any{
				"as begun": signalOf(func(B *mat.Dense, x *mat.VecDense) float64 { return 0 }),
				"the step's": signalOf(func(B *mat.Dense, x *mat.VecDense) float64 {
					var c mat.VecDense
					c.MulVec(B.T(), x)
					return mat.Norm(&c, math.Inf(1)) / largest(B)
				}),
				"twice, without the ½": signalOf(func(B *mat.Dense, x *mat.VecDense) float64 {
					var c mat.VecDense
					c.MulVec(B.T(), x)
					return 2 * mat.Norm(&c, math.Inf(1))
				}),
				"the sum": signalOf(func(B *mat.Dense, x *mat.VecDense) float64 {
					var c mat.VecDense
					c.MulVec(B.T(), x)
					return mat.Norm(&c, 1)
				}),
			},
		},
		"sparse-2": {
			Right: two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense {
				L := largest(B)
				return proximal(B, x, c/L, steps, shrink(c*lambda/L))
			}),
			Wrong: map[string]any{
				"as begun": two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense { return start(B) }),
				"the threshold does not grow": two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense {
					L := largest(B)
					return proximal(B, x, c/L, steps, shrink(lambda/L))
				}),
				"not divided by L": two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense {
					return proximal(B, x, c, steps, shrink(c*lambda))
				}),
				"without c": two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense {
					L := largest(B)
					return proximal(B, x, 1/L, steps, shrink(lambda/L))
				}),
				"the norm for L": two(func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense {
					L := math.Sqrt(largest(B))
					return proximal(B, x, c/L, steps, shrink(c*lambda/L))
				}),
			},
		},
		"sparse-3": {
			Right: ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
				return fista(B, x, lambda, steps, false)
			}),
			Wrong: map[string]any{
				"as begun": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense { return start(B) }),
				"ISTA": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					L := largest(B)
					return proximal(B, x, 1/L, steps, shrink(lambda/L))
				}),
				"one step late": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					return fista(B, x, lambda, steps, true)
				}),
				"one step more": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					return fista(B, x, lambda, steps+1, false)
				}),
			},
		},
		"sparse-4": {
			Right: two(func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, times int) *mat.VecDense {
				return sweeps(B, x, lambda, times, func(length2 float64) float64 { return length2 + mu })
			}),
			Wrong: map[string]any{
				"as begun": two(func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, times int) *mat.VecDense { return start(B) }),
				"the lasso": two(func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, times int) *mat.VecDense {
					return sweeps(B, x, lambda, times, func(length2 float64) float64 { return length2 })
				}),
				"without the ½": two(func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, times int) *mat.VecDense {
					return sweeps(B, x, lambda, times, func(length2 float64) float64 { return length2 + 2*mu })
				}),
				"atoms of length 1": two(func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, times int) *mat.VecDense {
					return sweeps(B, x, lambda, times, func(float64) float64 { return 1 + mu })
				}),
			},
		},
		"sparse-5": {
			Right: ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
				L := largest(B)
				return proximal(B, x, 1/L, steps, func(v float64) float64 { return math.Max(0, v-lambda/L) })
			}),
			Wrong: map[string]any{
				"as begun": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense { return start(B) }),
				"of either sign": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					L := largest(B)
					return proximal(B, x, 1/L, steps, shrink(lambda/L))
				}),
				"a ReLU at the end": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					L := largest(B)
					w := proximal(B, x, 1/L, steps, shrink(lambda/L))
					for j := range w.Len() {
						w.SetVec(j, math.Max(0, w.AtVec(j)))
					}
					return w
				}),
				"no penalty": ista(func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense {
					return proximal(B, x, 1/largest(B), steps, func(v float64) float64 { return math.Max(0, v) })
				}),
			},
		},
		"sparse-6": {
			Right: atoms(func(A, C *mat.Dense) float64 { return share(A, C, math.Abs) }),
			Wrong: map[string]any{
				"as begun":       atoms(func(A, C *mat.Dense) float64 { return math.NaN() }),
				"with signs":     atoms(func(A, C *mat.Dense) float64 { return share(A, C, func(c float64) float64 { return c }) }),
				"of C's atoms":   atoms(func(A, C *mat.Dense) float64 { return share(C, A, math.Abs) }),
				"how many":       atoms(func(A, C *mat.Dense) float64 { _, n := A.Dims(); return float64(n) * share(A, C, math.Abs) }),
				"squared cosine": atoms(func(A, C *mat.Dense) float64 { return share(A, C, func(c float64) float64 { return c * c * 0.9 }) }),
			},
		},
		"sparse-7": {
			Right: chance(func(p float64) float64 { return loss(p, -1, 0) - loss(p, 0, p/2) }),
			Wrong: map[string]any{
				"as begun":             chance(func(p float64) float64 { return 0 }),
				"no bias":              chance(func(p float64) float64 { return loss(p, -1, 0) - loss(p, 0, 0) }),
				"the other way":        chance(func(p float64) float64 { return loss(p, 0, p/2) - loss(p, -1, 0) }),
				"the mean if present":  chance(func(p float64) float64 { return loss(p, -1, 0) - loss(p, 0, 0.5) }),
				"one of the two, once": chance(func(p float64) float64 { return p*p/6 - (p/3 - p*p/4) }),
			},
		},
	})
}
