package grade

// right holds an answer for each exercise of lecture-pca, as a good student would write it.
var right = map[string]string{
	"pca-1": `turned := func(m *pca.Model, i int) *pca.Model {
	out := *m
	out.Components = mat.DenseCopyOf(m.Components)
	for j := range m.D {
		out.Components.Set(j, i, -m.Components.At(j, i))
	}
	return &out
}`,
	"pca-2": `func powerIteration(Xbar *mat.Dense, steps int) *mat.VecDense {
	n, d := Xbar.Dims()
	q, z := mat.NewVecDense(d, nil), mat.NewVecDense(n, nil)
	for j := range d {
		q.SetVec(j, 1)
	}
	for range steps {
		z.MulVec(Xbar, q)
		q.MulVec(Xbar.T(), z)
		q.ScaleVec(1/mat.Norm(q, 2), q)
	}
	return q
}`,
	"pca-3": `winsAt := func(X *mat.Dense, pixel int) float64 {
	m, err := pca.Fit(ctx, X, &pca.Options{Components: 1})
	if err != nil {
		panic(err)
	}
	return math.Sqrt(m.Variances()[0] / stat.Variance(mat.Col(nil, pixel, X), nil))
}`,
	"pca-4": `unmix := func(X *mat.Dense) *mat.Dense {
	m, err := pca.Fit(ctx, X, nil)
	if err != nil {
		panic(err)
	}
	w, err := m.Whiten(0)
	if err != nil {
		panic(err)
	}
	Z := w.Apply(X)
	var best *mat.Dense
	least := math.Inf(1)
	for a := range 91 {
		sin, cos := math.Sincos(float64(a) * math.Pi / 180)
		var T mat.Dense
		T.Mul(Z, mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}))
		fourth := 0.0
		for _, x := range T.RawMatrix().Data {
			fourth += x * x * x * x
		}
		if fourth < least {
			best, least = &T, fourth
		}
	}
	return best
}`,
	"pca-5": `axesByDensity := func(X *mat.Dense, folds int) int {
	n, d := X.Dims()
	best, most := 0, math.Inf(-1)
	for k := 1; k < d; k++ {
		sum := 0.0
		for f := range folds {
			var train []float64
			for i := range n {
				if i*folds/n != f {
					train = append(train, X.RawRowView(i)...)
				}
			}
			p, err := pca.FitProbabilistic(ctx, mat.NewDense(len(train)/d, d, train), k)
			if err != nil {
				panic(err)
			}
			sum += p.LogDensity(X.Slice(f*n/folds, (f+1)*n/folds, 0, d))
		}
		if sum > most {
			best, most = k, sum
		}
	}
	return best
}`,
	"pca-6": `directions := func(X *mat.Dense) int {
	spectrum := func(X mat.Matrix) []float64 {
		S, err := pca.Scatter(X)
		if err != nil {
			panic(err)
		}
		values, err := pca.Eigenvalues(S)
		if err != nil {
			panic(err)
		}
		return values
	}
	n, d := X.Dims()
	shuffled := mat.NewDense(n, d, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range d {
		for to, from := range rng.Perm(n) {
			shuffled.Set(to, j, X.At(from, j))
		}
	}
	top, k := spectrum(shuffled)[0], 0
	for _, v := range spectrum(X) {
		if v > top {
			k++
		}
	}
	return k
}`,
}

// head is the import declaration of a student's notebook.
const head = `import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/pca"
)

ctx := context.Background()`
