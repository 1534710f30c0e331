package lecturepca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
)

// init registers the exercises of the notebook, whose cells call check.Exercise. The inputs are smaller than the
// notebook's, so that the verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "pca-1", Function: "turned", Signature: (func(m *pca.Model, i int) *pca.Model)(nil),
			Draw: drawModel, Reference: turnAxis, Points: 1,
			Empty: func(c check.Case) any { return c.Args[0] },
			Nudges: [2]string{
				"What is an axis in Components, a row or a column?",
				"One column changes its sign; the model that was given stays as it is.",
			},
			Mistakes: []check.Mistake{
				{Says: "Row i has changed its sign: the axes are the columns.", Result: func(c check.Case) any { return flipped(c, func(j, _, i int) bool { return j == i }) }},
				{Says: "The first axis is flipped: axis i was asked for.", Result: func(c check.Case) any { return flipped(c, func(_, k, _ int) bool { return k == 0 }) }},
				{Says: "All axes are flipped: only axis i was asked for.", Result: func(c check.Case) any { return flipped(c, func(_, _, _ int) bool { return true }) }},
				{Says: "The axis before i is flipped: indices begin at 0.", Result: func(c check.Case) any { return flipped(c, func(_, k, i int) bool { return k == i-1 }) }},
			},
			Hint: func(check.Case) string {
				return "Column i of Components, all of it and no other, is multiplied by −1, in a copy."
			},
		},
		{
			Name: "pca-2", Function: "powerIteration", Signature: (func(Xbar *mat.Dense, steps int) *mat.VecDense)(nil),
			Draw: drawCentred, Reference: iterate, Tolerance: 1e-6, Points: 2,
			Empty: func(c check.Case) any { return iterateFor(c, 0) },
			Nudges: [2]string{
				"Which matrix do you multiply by in each step, and how long is q afterwards?",
				"Σq is X̄ᵀ(X̄q), up to a factor that the normalization removes. No d×d matrix is needed.",
			},
			Mistakes: []check.Mistake{
				{Says: "q does not have length 1.", Result: func(c check.Case) any { return powers(c, c.Args[1].(int), false) }},
				{Says: "This is one step too many.", Result: func(c check.Case) any { return powers(c, c.Args[1].(int)+1, true) }},
				{Says: "This is one step too few.", Result: func(c check.Case) any { return powers(c, c.Args[1].(int)-1, true) }},
				{Says: "This has the opposite sign: begin with ones.", Result: func(c check.Case) any { q := iterateFor(c, c.Args[1].(int)); q.ScaleVec(-1, q); return q }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Begin with ones. Each of the %d steps multiplies by Xbar, then by its transpose, and makes the length 1 again.", c.Args[1])
			},
		},
		{
			Name: "pca-3", Function: "winsAt", Signature: (func(X *mat.Dense, pixel int) float64)(nil),
			Draw: drawPixel, Reference: winsAt, Tolerance: 1e-6, Points: 1,
			Empty: func(check.Case) any { return 1.0 },
			Nudges: [2]string{
				"By which factor does the variance of a pixel grow when the pixel is multiplied by c?",
				"The pixel wins when its variance exceeds the largest variance of any direction.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the ratio of the variances: c multiplies the pixel, and so its standard deviation.", Result: func(c check.Case) any { x := winsAt(c).(float64); return x * x }},
				{Says: "This is the ratio upside down.", Result: func(c check.Case) any { return 1 / winsAt(c).(float64) }},
				{Says: "This competes with another pixel: the rival is the first axis, which no single pixel is.", Result: largestPixel},
			},
			Hint: func(check.Case) string {
				return "Multiplied by c, the pixel has c² times its variance. With which variance must that compete?"
			},
		},
		{
			Name: "pca-4", Function: "unmix", Signature: (func(X *mat.Dense) *mat.Dense)(nil),
			Draw: drawMixture, Reference: func(c check.Case) any { return c.Known }, Agree: sameSources, Points: 2,
			Empty: func(c check.Case) any { return c.Args[0] },
			Nudges: [2]string{
				"After whitening every direction has variance 1. What still tells the sources from their mixtures?",
				"A turn keeps the data white. Uniform sources are flatter than any of their mixtures: that is a low kurtosis.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is white, and not yet turned.", Result: func(c check.Case) any { return whitened(c) }},
				{Says: "This is turned to the highest kurtosis: uniform sources have the lowest.", Result: func(c check.Case) any { return mostKurtic(c) }},
			},
			Hint: func(check.Case) string {
				return "Whiten, then turn to where the sum of the kurtoses is lowest. Order, sign and scale of the two columns do not count."
			},
		},
		{
			Name: "pca-5", Function: "axesByDensity", Signature: (func(X *mat.Dense, folds int) int)(nil),
			Draw: drawHidden, Reference: axesByDensity, Points: 2,
			Empty: func(check.Case) any { return 1 },
			Nudges: [2]string{
				"On which rows is the density taken, and on which is the model fitted?",
				"Each row is left out once. The k with the largest sum over all rows wins.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the density of the fitted rows: the more axes, the better it looks.", Result: func(c check.Case) any { return axesBy(c, true) }},
				{Says: "This is one axis too many: is it an index, or a number of axes?", Result: func(c check.Case) any { return axesBy(c, false) + 1 }},
				{Says: "This is one axis too few: is it an index, or a number of axes?", Result: func(c check.Case) any { return axesBy(c, false) - 1 }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Fold f of %d has consecutive rows. For each k below the dimension, sum LogDensity of the rows left out, over all folds.", c.Args[1])
			},
		},
		{
			Name: "pca-6", Function: "directions", Signature: (func(X *mat.Dense) int)(nil),
			Draw: drawPlanted, Reference: func(c check.Case) any { return c.Known }, Points: 2,
			Nudges: [2]string{
				"What would the eigenvalues be if the columns had nothing to do with each other?",
				"Shuffling each column separately keeps its variance and destroys what columns share.",
			},
			Mistakes: []check.Mistake{
				{Says: "This counts the eigenvalues above their mean: noise alone has some of those.", Result: func(c check.Case) any { return aboveMean(c) }},
				{Says: "This is one direction too many.", Result: func(c check.Case) any { return c.Known.(int) + 1 }},
				{Says: "This is one direction too few.", Result: func(c check.Case) any { return c.Known.(int) - 1 }},
			},
			Hint: func(check.Case) string {
				return "How many eigenvalues lie above the largest one of the same data, after each column is shuffled separately?"
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// noise returns a matrix of independent normal numbers.
func noise(rng *rand.Rand, r, c int) *mat.Dense {
	X := mat.NewDense(r, c, nil)
	X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, X)
	return X
}

// drawStretched returns a matrix of independent normal numbers with mean 1. The standard deviations decrease from
// column to column.
func drawStretched(rng *rand.Rand, r, c int) *mat.Dense {
	X := noise(rng, r, c)
	X.Apply(func(_, j int, x float64) float64 { return 1 + x*(1+float64(c-j)) }, X)
	return X
}

func drawModel(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := 6 + rng.IntN(5)
	m := fit(context.Background(), drawStretched(rng, 30, d), &pca.Options{Components: 4})
	i := 1 + rng.IntN(3) // not 0, so that an answer that always flips the first axis is wrong
	return check.Case{Sizes: fmt.Sprintf("%d×4 axes, i = %d", d, i), Args: []any{m, i}}
}

func turnAxis(c check.Case) any { return flipped(c, func(_, k, i int) bool { return k == i }) }

// flipped returns a copy of the model in c, in which element (j, k) of Components has the opposite sign wherever
// selects(j, k, i) is true. The index i is the axis that c names.
func flipped(c check.Case, selects func(j, k, i int) bool) *pca.Model {
	m, i := c.Args[0].(*pca.Model), c.Args[1].(int)
	out := *m
	out.Components = mat.DenseCopyOf(m.Components)
	out.Components.Apply(func(j, k int, v float64) float64 {
		if selects(j, k, i) {
			return -v
		}
		return v
	}, out.Components)
	return &out
}

func drawCentred(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	n, d, steps := 20+rng.IntN(20), 8+rng.IntN(8), 2+rng.IntN(5)
	X := drawStretched(rng, n, d)
	for j := range d {
		mean := stat.Mean(mat.Col(nil, j, X), nil)
		for i := range n {
			X.Set(i, j, X.At(i, j)-mean)
		}
	}
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d steps", n, d, steps), Args: []any{X, steps}}
}

func iterate(c check.Case) any { return iterateFor(c, c.Args[1].(int)) }

// iterateFor returns the vector that the power iteration reaches after the given number of steps.
func iterateFor(c check.Case, steps int) *mat.VecDense { return powers(c, steps, true) }

// powers returns the vector q that the power iteration reaches after the given number of steps. It begins at a vector
// of ones. Only if unit is set does it scale q to length 1 after each step.
func powers(c check.Case, steps int, unit bool) *mat.VecDense {
	X := c.Args[0].(*mat.Dense)
	n, d := X.Dims()
	q, z := mat.NewVecDense(d, nil), mat.NewVecDense(n, nil)
	for j := range d {
		q.SetVec(j, 1)
	}
	for range steps {
		z.MulVec(X, q)
		q.MulVec(X.T(), z)
		if unit {
			q.ScaleVec(1/mat.Norm(q, 2), q)
		}
	}
	return q
}

func drawPixel(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	n, d := 40+rng.IntN(40), 6+rng.IntN(6)
	pixel := d - 1 - rng.IntN(2) // a pixel of small variance
	return check.Case{Sizes: fmt.Sprintf("%d×%d, pixel %d", n, d, pixel), Args: []any{drawStretched(rng, n, d), pixel}}
}

func winsAt(c check.Case) any {
	X, pixel := c.Args[0].(*mat.Dense), c.Args[1].(int)
	m := fit(context.Background(), X, &pca.Options{Components: 1})
	return math.Sqrt(m.Variances()[0] / stat.Variance(mat.Col(nil, pixel, X), nil))
}

// largestPixel returns the factor by which one pixel must be multiplied so that its standard deviation equals the
// largest standard deviation of any pixel.
func largestPixel(c check.Case) any {
	X, pixel := c.Args[0].(*mat.Dense), c.Args[1].(int)
	_, d := X.Dims()
	most := 0.0
	for j := range d {
		most = max(most, stat.Variance(mat.Col(nil, j, X), nil))
	}
	return math.Sqrt(most / stat.Variance(mat.Col(nil, pixel, X), nil))
}

func drawMixture(seed uint64) check.Case {
	const n = 4000
	rng := rand.New(rand.NewPCG(seed, 4))
	S := mat.NewDense(n, 2, nil)
	S.Apply(func(int, int, float64) float64 { return 2*rng.Float64() - 1 }, S)
	// A is far from singular, and such that whitening alone does not recover the sources.
	A := mat.NewDense(2, 2, []float64{2 + rng.Float64(), 1, 1 + rng.Float64()/2, 1 + rng.Float64()/2})
	A.Set(1, 1, A.At(1, 1)+A.At(1, 0)/2)
	X := mat.NewDense(n, 2, nil)
	X.Mul(S, A)
	return check.Case{Sizes: "4000×2", Args: []any{X}, Known: S}
}

func whitened(c check.Case) *mat.Dense {
	X := c.Args[0].(*mat.Dense)
	w, err := fit(context.Background(), X, nil).Whiten(0)
	lab.Check(err)
	return mat.DenseCopyOf(w.Transform(X))
}

// mostKurtic tries rotations of the whitened data in steps of one degree. It returns the rotated data with the largest
// sum of fourth powers.
func mostKurtic(c check.Case) *mat.Dense {
	Z := whitened(c)
	var best *mat.Dense
	most := 0.0
	for a := range 91 {
		sin, cos := math.Sincos(float64(a) * math.Pi / 180)
		var turned mat.Dense
		turned.Mul(Z, mat.NewDense(2, 2, []float64{cos, -sin, sin, cos}))
		sum := 0.0
		for _, v := range turned.RawMatrix().Data {
			sum += v * v * v * v
		}
		if sum > most {
			best, most = &turned, sum
		}
	}
	return best
}

// sameSources reports whether the two columns of got are the two known sources, up to order, sign and scale. It
// demands a correlation above 0.98, which is an angle below about 11 degrees. The error of a good answer, due to the
// finite sample, is below 3 degrees.
func sameSources(_ check.Case, got, want any) bool {
	G, S := got.(*mat.Dense), want.(*mat.Dense)
	r, c := G.Dims()
	if n, _ := S.Dims(); r != n || c != 2 {
		return false
	}
	alike := func(i, j int) bool {
		return math.Abs(stat.Correlation(mat.Col(nil, i, G), mat.Col(nil, j, S), nil)) > 0.98
	}
	return alike(0, 0) && alike(1, 1) || alike(0, 1) && alike(1, 0)
}

func drawHidden(seed uint64) check.Case {
	const n, d, folds = 100, 10, 5
	rng := rand.New(rand.NewPCG(seed, 5))
	k := 2 + rng.IntN(4)
	var X mat.Dense
	X.Mul(noise(rng, n, k), noise(rng, k, d))
	X.Apply(func(_, _ int, x float64) float64 { return x + rng.NormFloat64()/3 }, &X)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d folds", n, d, folds), Args: []any{&X, folds}}
}

func axesByDensity(c check.Case) any { return axesBy(c, false) }

// axesBy chooses a number of axes by cross-validation: the number for which the rows that were left out have the
// largest density. If ofFit is set, it makes the mistake of using the density of the rows that the model was fitted
// to.
func axesBy(c check.Case, ofFit bool) int {
	X, folds := c.Args[0].(*mat.Dense), c.Args[1].(int)
	n, d := X.Dims()
	each := n / folds
	best, most := 0, math.Inf(-1)
	for k := 1; k < d; k++ {
		sum := 0.0
		for f := range folds {
			train, to := mat.NewDense(n-each, d, nil), 0
			for i := range n {
				if i/each != f {
					train.SetRow(to, X.RawRowView(i))
					to++
				}
			}
			p, err := pca.FitProbabilistic(context.Background(), train, k)
			lab.Check(err)
			if ofFit {
				sum += p.LogDensity(train)
			} else {
				sum += p.LogDensity(X.Slice(f*each, (f+1)*each, 0, d))
			}
		}
		if sum > most {
			best, most = k, sum
		}
	}
	return best
}

// drawPlanted draws data with one to four strong directions hidden in noise. Any sensible threshold separates the
// directions from the noise. The eigenvalues of the directions are above 15, those of the data with shuffled columns
// are below 10, and those of the noise are below 4. Each direction has entries of equal size in all columns.
// Otherwise a single column could have a large variance, which shuffling would not reduce.
func drawPlanted(seed uint64) check.Case {
	const n, d = 200, 60
	rng := rand.New(rand.NewPCG(seed, 6))
	k := 1 + rng.IntN(4)
	W := mat.NewDense(k, d, nil)
	W.Apply(func(int, int, float64) float64 { return 6 / math.Sqrt(d) * float64(2*rng.IntN(2)-1) }, W)
	var X mat.Dense
	X.Mul(noise(rng, n, k), W)
	X.Add(&X, noise(rng, n, d))
	return check.Case{Sizes: fmt.Sprintf("%d×%d", n, d), Args: []any{&X}, Known: k}
}

// aboveMean counts how many eigenvalues of the covariance are above the mean eigenvalue.
func aboveMean(c check.Case) int {
	values := fit(context.Background(), c.Args[0].(*mat.Dense), nil).Variances()
	k := 0
	for _, v := range values {
		if v > stat.Mean(values, nil) {
			k++
		}
	}
	return k
}
