package lecturepca

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/internal/labtest"
)

// TestExercises gives each exercise the solution in the notebook, and typical wrong answers of
// students.
func TestExercises(t *testing.T) {
	patience.SkipShort(t, "it computes the answer of each exercise, and of wrong ones")
	ctx := context.Background()
	flip := func(m *pca.Model, which func(j, i int) bool) *pca.Model {
		out := *m
		out.Components = mat.DenseCopyOf(m.Components)
		out.Components.Apply(func(j, i int, x float64) float64 {
			if which(j, i) {
				return -x
			}
			return x
		}, out.Components)
		return &out
	}
	power := func(X *mat.Dense, steps int, normalise bool) *mat.VecDense {
		_, d := X.Dims()
		q := mat.NewVecDense(d, nil)
		for j := range d {
			q.SetVec(j, 1)
		}
		for range steps {
			var z, next mat.VecDense
			z.MulVec(X, q)
			next.MulVec(X.T(), &z)
			if normalise {
				next.ScaleVec(1/mat.Norm(&next, 2), &next)
			}
			q.CopyVec(&next)
		}
		return q
	}
	variance := func(X *mat.Dense, pixel int) (first, own float64) {
		var C mat.SymDense
		stat.CovarianceMatrix(&C, X, nil)
		values, err := pca.Eigenvalues(&C)
		if err != nil {
			t.Fatal(err)
		}
		return values[0], C.At(pixel, pixel)
	}
	whiten := func(X *mat.Dense) *mat.Dense {
		m, err := pca.Fit(ctx, X, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := m.Whiten(0)
		if err != nil {
			t.Fatal(err)
		}
		return mat.DenseCopyOf(w.Transform(X))
	}
	turn := func(Z *mat.Dense, degrees float64) *mat.Dense {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		var out mat.Dense
		out.Mul(Z, mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}))
		return &out
	}
	extreme := func(X *mat.Dense, sign float64) *mat.Dense {
		Z := whiten(X)
		best, least := 0, math.Inf(1)
		for a := range 91 {
			sum := 0.0
			for _, x := range turn(Z, float64(a)).RawMatrix().Data {
				sum += sign * x * x * x * x
			}
			if sum < least {
				best, least = a, sum
			}
		}
		return turn(Z, float64(best))
	}
	byDensity := func(X *mat.Dense, folds int, others bool) int {
		n, d := X.Dims()
		best, most := 0, math.Inf(-1)
		for k := 1; k < d; k++ {
			sum := 0.0
			for f := range folds {
				var train []float64
				for i := range n {
					if (i*folds/n == f) != others {
						train = append(train, X.RawRowView(i)...)
					}
				}
				p, err := pca.FitProbabilistic(ctx, mat.NewDense(len(train)/d, d, train), k)
				if err != nil {
					t.Fatal(err)
				}
				if others {
					sum += p.LogDensity(X.Slice(f*n/folds, (f+1)*n/folds, 0, d))
				} else {
					sum += p.LogDensity(mat.NewDense(len(train)/d, d, train))
				}
			}
			if sum > most {
				best, most = k, sum
			}
		}
		return best
	}
	spectrum := func(X mat.Matrix) []float64 {
		S, err := pca.Scatter(X)
		if err != nil {
			t.Fatal(err)
		}
		values, err := pca.Eigenvalues(S)
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	above := func(X *mat.Dense, bound func() float64) (k int) {
		for _, v := range spectrum(X) {
			if v > bound() {
				k++
			}
		}
		return k
	}
	shuffled := func(X *mat.Dense) *mat.Dense {
		n, d := X.Dims()
		out := mat.NewDense(n, d, nil)
		rng := rand.New(rand.NewPCG(9, 9))
		for j := range d {
			for to, from := range rng.Perm(n) {
				out.Set(to, j, X.At(from, j))
			}
		}
		return out
	}

	labtest.Exercises(t, Paper, map[string]labtest.Answers{
		"pca-1": {
			Right: func(m *pca.Model, i int) *pca.Model { return flip(m, func(_, c int) bool { return c == i }) },
			Wrong: map[string]any{
				"as begun":      func(m *pca.Model, i int) *pca.Model { return flip(m, func(_, c int) bool { return false }) },
				"the first":     func(m *pca.Model, i int) *pca.Model { return flip(m, func(_, c int) bool { return c == 0 }) },
				"a row":         func(m *pca.Model, i int) *pca.Model { return flip(m, func(j, _ int) bool { return j == i }) },
				"in place":      func(m *pca.Model, i int) *pca.Model { m.Components.Scale(-1, m.Components); return m },
				"nothing":       func(m *pca.Model, i int) *pca.Model { return nil },
				"an empty one":  func(m *pca.Model, i int) *pca.Model { return &pca.Model{} },
				"another's one": func(m *pca.Model, i int) *pca.Model { return &pca.Model{Components: mat.NewDense(1, 1, nil)} },
			},
		},
		"pca-2": {
			Right: func(X *mat.Dense, steps int) *mat.VecDense { return power(X, steps, true) },
			Wrong: map[string]any{
				"not begun":    func(X *mat.Dense, steps int) *mat.VecDense { return power(X, 0, true) },
				"not length 1": func(X *mat.Dense, steps int) *mat.VecDense { return power(X, steps, false) },
				"one too many": func(X *mat.Dense, steps int) *mat.VecDense { return power(X, steps+1, true) },
			},
		},
		"pca-3": {
			Right: func(X *mat.Dense, pixel int) float64 { a, b := variance(X, pixel); return math.Sqrt(a / b) },
			Wrong: map[string]any{
				"no root":        func(X *mat.Dense, pixel int) float64 { a, b := variance(X, pixel); return a / b },
				"upside down":    func(X *mat.Dense, pixel int) float64 { a, b := variance(X, pixel); return math.Sqrt(b / a) },
				"the first":      func(X *mat.Dense, pixel int) float64 { a, b := variance(X, 0); return math.Sqrt(a / b) },
				"not a number":   func(X *mat.Dense, pixel int) float64 { return math.NaN() },
				"divided by n−1": func(X *mat.Dense, pixel int) float64 { a, b := variance(X, pixel); return math.Sqrt(a / b / 39) },
			},
		},
		"pca-4": {
			Right: func(X *mat.Dense) *mat.Dense { return extreme(X, 1) },
			Wrong: map[string]any{
				"as it was":  func(X *mat.Dense) *mat.Dense { return mat.DenseCopyOf(X) },
				"white only": whiten,
				"highest":    func(X *mat.Dense) *mat.Dense { return extreme(X, -1) },
				"transposed": func(X *mat.Dense) *mat.Dense { return mat.DenseCopyOf(extreme(X, 1).T()) },
				"nothing":    func(X *mat.Dense) *mat.Dense { return nil },
				"one twice": func(X *mat.Dense) *mat.Dense {
					Z := extreme(X, 1)
					Z.SetCol(1, mat.Col(nil, 0, Z))
					return Z
				},
			},
		},
		"pca-5": {
			Right: func(X *mat.Dense, folds int) int { return byDensity(X, folds, true) },
			Wrong: map[string]any{
				"on the points of the fit": func(X *mat.Dense, folds int) int { return byDensity(X, folds, false) },
				"all":                      func(X *mat.Dense, folds int) int { _, d := X.Dims(); return d - 1 },
				"always three":             func(X *mat.Dense, folds int) int { return 3 },
				"an index":                 func(X *mat.Dense, folds int) int { return byDensity(X, folds, true) - 1 },
			},
		},
		"pca-6": {
			Right: func(X *mat.Dense) int {
				top := spectrum(shuffled(X))[0]
				return above(X, func() float64 { return top })
			},
			Wrong: map[string]any{
				"always three": func(X *mat.Dense) int { return 3 },
				"above the mean eigenvalue": func(X *mat.Dense) int {
					mean := stat.Mean(spectrum(X), nil)
					return above(X, func() float64 { return mean })
				},
				"an index": func(X *mat.Dense) int {
					top := spectrum(shuffled(X))[0]
					return above(X, func() float64 { return top }) - 1
				},
				"above the mean of noise": func(X *mat.Dense) int {
					s := spectrum(X)
					return above(X, func() float64 { return 200 * 60 / float64(len(s)) })
				},
				"above 1, no 1/n": func(X *mat.Dense) int { return above(X, func() float64 { return 1 }) },
				"the second share": func(X *mat.Dense) int {
					top := spectrum(shuffled(X))[59]
					return above(X, func() float64 { return top })
				},
			},
		},
	})
}
