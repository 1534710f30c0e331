package lecturepca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
)

// A costCurve holds measured times by size. Its exponent is the slope of the least-squares line of log time on log
// size. The times are valid for one machine at one moment. Only the exponent can be compared, and at small sizes
// caches and fixed costs distort it.
type costCurve struct {
	sizes    []float64
	seconds  []float64 // the shortest of several runs
	exponent float64
}

// measureCost measures the running time of the function that work(size) returns, for each size in sizes. The call of
// work itself prepares what this function needs, and is not timed. The function runs two to ten times; from the third
// run on, no run begins after 30 ms. The shortest run counts.
func measureCost(sizes []int, work func(size int) func()) *costCurve {
	c := &costCurve{}
	for _, s := range sizes {
		run := work(s)
		best := math.Inf(1)
		begin := time.Now()
		for r := 0; r < 2 || r < 10 && time.Since(begin) < 30*time.Millisecond; r++ {
			t := time.Now()
			run()
			best = math.Min(best, time.Since(t).Seconds())
		}
		c.sizes = append(c.sizes, float64(s))
		c.seconds = append(c.seconds, math.Max(best, 1e-9))
	}
	c.exponent = powerExponent(c.sizes, c.seconds)
	return c
}

// powerExponent returns the slope of the least-squares line of log y on log x.
func powerExponent(x, y []float64) float64 {
	lx, ly := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		lx[i], ly[i] = math.Log(x[i]), math.Log(y[i])
	}
	_, slope := stat.LinearRegression(lx, ly, nil, false)
	return slope
}

// eigenCost measures how long pca.Eigen takes to compute all eigenvectors of a d×d matrix, for each d in ds. The
// theoretical cost is O(d³).
func (l *Lab) eigenCost(ds []int) *costCurve {
	return measureCost(ds, func(d int) func() {
		C, err := pca.Scatter(gaussian(2*d, d, l.Seed))
		lab.Check(err)
		return func() {
			l.Heed()
			_, err := pca.Eigen(C, 0)
			lab.Check(err)
		}
	})
}

// svdCost measures how long pca.FullSVD takes for an n×n matrix, for each n in ns. The theoretical cost is O(n³).
func (l *Lab) svdCost(ns []int) *costCurve {
	return measureCost(ns, func(n int) func() {
		M := gaussian(n, n, l.Seed)
		return func() {
			l.Heed()
			_, err := pca.FullSVD(M)
			lab.Check(err)
		}
	})
}

// dualCost measures how long pca.Fit takes with the method ByDual, for all axes, on n×d data. shape returns n and d for
// a size.
func (l *Lab) dualCost(sizes []int, shape func(size int) (n, d int)) *costCurve {
	return measureCost(sizes, func(size int) func() {
		n, d := shape(size)
		X := gaussian(n, d, l.Seed)
		return func() { fit(l.Context(), X, &pca.Options{Method: pca.ByDual}) }
	})
}

// figure draws time against size, both logarithmic, with the fitted power.
func (c *costCurve) figure(title, x string) *figure.Figure {
	f := figure.New(title, x, "seconds")
	f.Marked("measured", c.sizes, c.seconds)
	n := len(c.sizes) - 1
	mid := math.Sqrt(c.sizes[0] * c.sizes[n])
	logMean := 0.0
	for i, s := range c.seconds {
		logMean += (math.Log(s) - c.exponent*math.Log(c.sizes[i]/mid)) / float64(n+1)
	}
	line := func(x float64) float64 { return math.Exp(logMean + c.exponent*math.Log(x/mid)) }
	f.Dashed(fmt.Sprintf("power %.2f", c.exponent), []float64{c.sizes[0], c.sizes[n]}, []float64{line(c.sizes[0]), line(c.sizes[n])})
	return decades(f.LogX())
}

// gaussian returns an n×d matrix of standard normal numbers.
func gaussian(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0xc057))
	X := mat.NewDense(n, d, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, X)
	return X
}
