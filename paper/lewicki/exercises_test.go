package lewicki

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/paper/internal/labtest"
)

// TestExercises tries a right answer to each exercise, computed in another way than the reference, and
// typical wrong answers of students.
func TestExercises(t *testing.T) {
	one := func(x []float64, sign, a, eta float64, steps int, keep bool) float64 {
		for range steps {
			zs := 0.0
			for _, v := range x {
				s := v / a
				if keep {
					s = v // ŝ of a = 1
				}
				zs += sign * math.Copysign(1, s) * s / float64(len(x))
			}
			a -= eta * a * (zs + 1)
		}
		return a
	}
	line := func(s0, v []float64) func(t float64) float64 {
		return func(t float64) (sum float64) {
			for i := range v {
				sum += math.Abs(s0[i] + t*v[i])
			}
			return sum
		}
	}
	// The norm is convex, so ternary search finds the minimum.
	thirds := func(s0, v []float64) float64 {
		f, lo, hi := line(s0, v), -100.0, 100.0
		for range 200 {
			if a, b := lo+(hi-lo)/3, hi-(hi-lo)/3; f(a) < f(b) {
				hi = b
			} else {
				lo = a
			}
		}
		return (lo + hi) / 2
	}
	moment := func(A *mat.Dense, step int, slack float64, from int) int {
		_, n := A.Dims()
		for k := from; k < 40; k += step {
			least, most := math.Inf(1), math.Inf(-1)
			for a := range 360 {
				sin, cos := math.Sincos(float64(a) * math.Pi / 360)
				sum := 0.0
				for i := range n {
					sum += math.Pow(cos*A.At(0, i)+sin*A.At(1, i), float64(k))
				}
				least, most = min(least, sum), max(most, sum)
			}
			if most-least > slack*math.Abs(most) {
				return k
			}
		}
		return 0
	}
	pursue := func(A *mat.Dense, x []float64, nonNegative bool) []float64 {
		_, n := A.Dims()
		r, err := pursuit.BasisPursuit(t.Context(), A, x, &pursuit.PursuitOptions{NonNegative: nonNegative})
		if err != nil {
			return make([]float64, n) // outside the cone
		}
		return r.S
	}
	enclosing := func(A *mat.Dense, x []float64) []float64 { // the two unit columns with the smallest sum of coefficients
		_, n := A.Dims()
		unit := mat.DenseCopyOf(A)
		lengths := ica.Normalize(unit)
		s := pursue(unit, x, true)
		for i := range n {
			s[i] /= lengths[i]
		}
		return s
	}
	solve := func(A, X *mat.Dense) *mat.Dense {
		var S mat.Dense
		if err := S.Solve(A, X); err != nil {
			t.Fatal(err)
		}
		return &S
	}
	lengths := func(A, X *mat.Dense, each func(s []float64) float64) []float64 {
		S, out := solve(A, X), ica.ColumnNorms(A)
		for i := range out {
			out[i] *= each(S.RawRowView(i))
		}
		return out
	}
	meanAbs := func(s []float64) (sum float64) {
		for _, v := range s {
			sum += math.Abs(v) / float64(len(s))
		}
		return sum
	}
	rootMeanSquare := func(s []float64) float64 {
		return mat.Norm(mat.NewVecDense(len(s), s), 2) / math.Sqrt(float64(len(s)))
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"lewicki-1": {
			Right: func(x []float64, sign, a, eta float64, steps int) float64 { return one(x, sign, a, eta, steps, false) },
			Wrong: map[string]any{
				"as begun":           func(x []float64, sign, a, eta float64, steps int) float64 { return a },
				"the paper's always": func(x []float64, sign, a, eta float64, steps int) float64 { return one(x, -1, a, eta, steps, false) },
				"the post's always":  func(x []float64, sign, a, eta float64, steps int) float64 { return one(x, 1, a, eta, steps, false) },
				"one step more": func(x []float64, sign, a, eta float64, steps int) float64 {
					return one(x, sign, a, eta, steps+1, false)
				},
				"x for ŝ": func(x []float64, sign, a, eta float64, steps int) float64 { return one(x, sign, a, eta, steps, true) },
			},
		},
		"lewicki-2": {
			Right: thirds,
			Wrong: map[string]any{
				"as begun":         func(s0, v []float64) float64 { return 0 },
				"the first corner": func(s0, v []float64) float64 { return -s0[0] / v[0] },
				"the norm":         func(s0, v []float64) float64 { return line(s0, v)(thirds(s0, v)) },
				"the sign":         func(s0, v []float64) float64 { return -thirds(s0, v) },
				"least squares": func(s0, v []float64) float64 {
					a, b := mat.NewVecDense(len(s0), s0), mat.NewVecDense(len(v), v)
					return -mat.Dot(a, b) / mat.Dot(b, b)
				},
			},
		},
		"lewicki-3": {
			Right: func(A *mat.Dense) int { return moment(A, 2, 1e-5, 2) },
			Wrong: map[string]any{
				"2":                  func(A *mat.Dense) int { return 2 },
				"2n":                 func(A *mat.Dense) int { _, n := A.Dims(); return 2 * n },
				"the last constant":  func(A *mat.Dense) int { return moment(A, 2, 1e-5, 2) - 2 },
				"rounding is change": func(A *mat.Dense) int { return moment(A, 2, 0, 2) },
				"odd ones too":       func(A *mat.Dense) int { return moment(A, 1, 1e-5, 1) },
			},
		},
		"lewicki-4": {
			Right: func(A *mat.Dense, x []float64) []float64 { return pursue(A, x, true) },
			Wrong: map[string]any{
				"as begun":    func(A *mat.Dense, x []float64) []float64 { _, n := A.Dims(); return make([]float64, n) },
				"either sign": func(A *mat.Dense, x []float64) []float64 { return pursue(A, x, false) },
				"a ReLU after it": func(A *mat.Dense, x []float64) []float64 {
					s := pursue(A, x, false)
					for i := range s {
						s[i] = max(0, s[i])
					}
					return s
				},
				"the two that enclose x": enclosing,
				"nothing":                func(A *mat.Dense, x []float64) []float64 { return nil },
			},
		},
		"lewicki-5": {
			Right: func(A, X *mat.Dense) []float64 { return lengths(A, X, meanAbs) },
			Wrong: map[string]any{
				"as begun":    func(A, X *mat.Dense) []float64 { return []float64{0, 0} },
				"as they are": func(A, X *mat.Dense) []float64 { return ica.ColumnNorms(A) },
				"the other way": func(A, X *mat.Dense) []float64 {
					return lengths(A, X, func(s []float64) float64 { return 1 / meanAbs(s) })
				},
				"root mean squares": func(A, X *mat.Dense) []float64 { return lengths(A, X, rootMeanSquare) },
				"without A's lengths": func(A, X *mat.Dense) []float64 {
					S := solve(A, X)
					return []float64{meanAbs(S.RawRowView(0)), meanAbs(S.RawRowView(1))}
				},
			},
		},
		"lewicki-6": {
			Right: func(beta, s float64) float64 { return -math.Log(math.Cosh(beta*s)) / beta },
			Wrong: map[string]any{
				"as begun":       func(beta, s float64) float64 { return 0 },
				"the Laplacian":  func(beta, s float64) float64 { return -math.Abs(s) },
				"without 1/β":    func(beta, s float64) float64 { return -math.Log(math.Cosh(beta * s)) },
				"its derivative": func(beta, s float64) float64 { return -math.Tanh(beta * s) },
				"the sign":       func(beta, s float64) float64 { return math.Log(math.Cosh(beta*s)) / beta },
			},
		},
	})
}
