package pca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"
)

// A CostCurve holds measured times against size, with the least-squares line of log time on log size: time ≈
// c · size^Exponent. The times are valid for one machine at one moment. Only the exponent is comparable, and
// at small sizes it is distorted by caches and fixed costs.
type CostCurve struct {
	Name     string
	Sizes    []float64
	Seconds  []float64 // the shortest of several runs
	Exponent float64
}

// MeasureCost times a function for each size. work(size) prepares a run and returns the function to time.
// Each size runs at least twice, then until 30 ms have passed or it has run ten times; the shortest run
// counts. When ctx ends, MeasureCost stops after the current run. It returns an error if
// there are fewer than two sizes, or if they are not positive and ascending.
func MeasureCost(ctx context.Context, name string, sizes []int, work func(size int) func()) (*CostCurve, error) {
	if len(sizes) < 2 {
		return nil, fmt.Errorf("pca: MeasureCost: need at least 2 sizes for an exponent, not %d", len(sizes))
	}
	c := &CostCurve{Name: name}
	for i, s := range sizes {
		if s <= 0 || i > 0 && s <= sizes[i-1] {
			return nil, fmt.Errorf("pca: MeasureCost: the sizes are %v, must be positive and ascending", sizes)
		}
	}
	for _, s := range sizes {
		run := work(s)
		best := math.Inf(1)
		begin := time.Now()
		for r := 0; r < 2 || r < 10 && time.Since(begin) < 30*time.Millisecond; r++ {
			t := time.Now()
			run()
			best = math.Min(best, time.Since(t).Seconds())
			if ctx != nil && ctx.Err() != nil { // the last run may have been cut short
				return nil, fmt.Errorf("pca: MeasureCost: %w", ctx.Err())
			}
		}
		c.Sizes = append(c.Sizes, float64(s))
		c.Seconds = append(c.Seconds, math.Max(best, 1e-9))
	}
	c.Exponent = PowerExponent(c.Sizes, c.Seconds)
	return c, nil
}

// PowerExponent returns the slope of the least-squares line of log y on log x. All elements of x and y must
// be positive.
func PowerExponent(x, y []float64) float64 {
	if len(x) != len(y) || len(x) < 2 {
		panic(fmt.Sprintf("pca: PowerExponent: %d and %d values", len(x), len(y)))
	}
	var mx, my float64
	for i := range x {
		if !(x[i] > 0 && y[i] > 0) {
			panic(fmt.Sprintf("pca: PowerExponent: the point (%v, %v) has no logarithm", x[i], y[i]))
		}
		mx += math.Log(x[i]) / float64(len(x))
		my += math.Log(y[i]) / float64(len(y))
	}
	var sxy, sxx float64
	for i := range x {
		dx := math.Log(x[i]) - mx
		sxy += dx * (math.Log(y[i]) - my)
		sxx += dx * dx
	}
	if sxx == 0 {
		panic("pca: PowerExponent: all sizes are equal")
	}
	return sxy / sxx
}

// EigenCost measures the spectral decomposition of d×d matrices by Eigen, all
// vectors: O(d³).
func EigenCost(ctx context.Context, ds []int, seed uint64) (*CostCurve, error) {
	return MeasureCost(ctx, "eigendecomposition of a d×d matrix, against d", ds, func(d int) func() {
		C, err := Scatter(gaussian(2*d, d, seed))
		must(err)
		return func() {
			_, err := Eigen(C, 0)
			must(err)
		}
	})
}

// DualCostN measures the time of Fit with the method ByDual, for all axes of n×d data, against n at a fixed d
// >> n: O(dn²).
func DualCostN(ctx context.Context, ns []int, d int, seed uint64) (*CostCurve, error) {
	if d < 1 {
		return nil, fmt.Errorf("pca: DualCostN: d is %d, must be at least 1", d)
	}
	return MeasureCost(ctx, fmt.Sprintf("dual PCA of n points in %d dimensions, against n", d), ns, func(n int) func() {
		return fitter(ctx, gaussian(n, d, seed), ByDual)
	})
}

// DualCostD measures the time of Fit with the method ByDual against d at a fixed n: O(dn²), which is linear
// in d.
func DualCostD(ctx context.Context, n int, ds []int, seed uint64) (*CostCurve, error) {
	if n < 1 {
		return nil, fmt.Errorf("pca: DualCostD: n is %d, must be at least 1", n)
	}
	return MeasureCost(ctx, fmt.Sprintf("dual PCA of %d points in d dimensions, against d", n), ds, func(d int) func() {
		return fitter(ctx, gaussian(n, d, seed), ByDual)
	})
}

func fitter(ctx context.Context, X *mat.Dense, how Method) func() {
	return func() {
		_, err := Fit(ctx, X, &Options{Method: how})
		if ctx == nil || ctx.Err() == nil { // otherwise MeasureCost returns ctx's error
			must(err)
		}
	}
}

func gaussian(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0xc057))
	X := mat.NewDense(n, d, nil)
	for i := range n {
		row := X.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	return X
}

// must panics on an error. It is for data generated here, on which nothing fails.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("pca: %v", err))
	}
}
