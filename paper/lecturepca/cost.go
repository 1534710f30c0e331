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
	"overcomplete/paper/record"
)

// Cost measures how time grows with size, and draws three of the curves: the time of the spectral decomposition
// against d, and the time of dual PCA against n and against d. It also measures the SVD of square matrices.
func (l *Lab) Cost() *figure.Grid {
	sizes := func(smoke, lecture []int) []int {
		if l.Size == record.Smoke {
			return smoke
		}
		return lecture
	}
	eig := l.eigenCost(sizes([]int{60, 120, 240}, []int{128, 256, 512, 1024}))
	fixedD, fixedN := l.Pick(2000, 8000, 8000), l.Pick(60, 100, 100)
	dualN := l.dualCost(sizes([]int{50, 100, 200}, []int{80, 160, 320, 640}), func(n int) (int, int) { return n, fixedD })
	dualD := l.dualCost(sizes([]int{1000, 2000, 4000}, []int{2000, 4000, 8000, 16000}), func(d int) (int, int) { return fixedN, d })

	square := l.svdCost(sizes([]int{40, 80, 160}, []int{80, 160, 320, 640}))

	const wide = 3 // on a shared machine, the exponents of two runs may differ much
	timed := record.Times(record.Data{})
	// The published orders count operations; the fitted exponents are about times. So the rule is the one for
	// attention in the other half of the lecture: within 0.3, partly within 0.7.
	order := func(id, what, quote, place string, power float64, c *costCurve, reason string) {
		row := record.Row{ID: id, What: what, Published: record.Published(power, "", slides.Place(place)+": "+quote), Data: timed, Figure: "cost",
			Measured: record.Number(c.exponent, ""), Rule: record.Within(0.3).Partly(0.4), Repeat: wide, Reason: reason}
		if l.Size == record.Smoke {
			row.Measured, row.Rule, row.Repeat, row.Figure, row.Reason = record.Value{}, record.NoData("matrices of this size are too small to estimate an exponent"), 0, "", ""
		}
		l.Row(row)
	}
	span := func(c *costCurve) string { return fmt.Sprintf("%g to %g", c.sizes[0], c.sizes[len(c.sizes)-1]) }
	const small = "times on one machine; below a few thousand rows, lower-order terms still matter, and larger matrix products run more efficiently"
	order("cost-eig-exponent", fmt.Sprintf("spectral decomposition with all eigenvectors, d = %s: fitted exponent of d", span(eig)), "O(d³)", "Linear algebra for PCA", 3, eig, small)
	order("cost-svd-exponent", fmt.Sprintf("SVD of square matrices, m = n = %s: fitted exponent of n", span(square)), "O(m²n + mn²)", "Can be applied to any matrix M", 3, square, small)
	order("cost-dual-n-exponent", fmt.Sprintf("dual PCA in %d dimensions, n = %s: fitted exponent of n", fixedD, span(dualN)), "O(dn²), the power of n", "Recall this example with d ≫ n", 2, dualN, small)
	order("cost-dual-d-exponent", fmt.Sprintf("dual PCA of %d points, d = %s: fitted exponent of d", fixedN, span(dualD)), "O(dn²), the power of d", "Recall this example with d ≫ n", 1, dualD, "times on one machine")
	g := figure.NewGrid("Running time of the decompositions", 3,
		eig.figure("eigendecomposition", "d"), dualN.figure(fmt.Sprintf("dual, d = %d", fixedD), "n"), dualD.figure(fmt.Sprintf("dual, n = %d", fixedN), "d"))
	l.Save("cost", "Seconds on this machine (shortest of several runs), with a fitted power law. The exponents in the lecture are 3, 2 and 1.", g)
	l.Timed("cost") // at smoke size no row of times names it
	return g
}

// A costCurve holds measured times by size. Its exponent is the slope of the least-squares line of log time on log
// size. The times are valid for one machine at one moment. Only the exponent can be compared, and at small sizes
// caches and fixed costs distort it.
type costCurve struct {
	sizes    []float64
	seconds  []float64 // the shortest of several runs
	exponent float64
}

// measureCost measures the running time of the function that work(size) returns, for each size in sizes. The call to
// work(size) itself prepares what this function needs, and is not timed. The functions run in turn, at least five times
// each, because other programs on the machine slow it down for seconds: if the runs of one size followed each other,
// they would slow down that size alone, and bend the curve. In each turn, a function runs up to four times within 20
// ms. The shortest run of each size counts.
func measureCost(sizes []int, work func(size int) func()) *costCurve {
	c := &costCurve{}
	var runs []func()
	for _, s := range sizes {
		runs = append(runs, work(s))
		c.sizes = append(c.sizes, float64(s))
		c.seconds = append(c.seconds, math.Inf(1))
	}
	for range 5 {
		for i, run := range runs {
			begin := time.Now()
			for r := 0; r < 1 || r < 4 && time.Since(begin) < 20*time.Millisecond; r++ {
				c.seconds[i] = math.Min(c.seconds[i], lab.Seconds(run))
			}
		}
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
	f.Dashed(fmt.Sprintf("exponent %.2f", c.exponent), []float64{c.sizes[0], c.sizes[n]}, []float64{line(c.sizes[0]), line(c.sizes[n])})
	return decades(f.LogX())
}

// A Race is the time of one way to do PCA, for a number of images (points) with a number of pixels.
type Race struct {
	Way     string
	Points  int
	Pixels  int
	Axes    int
	Seconds string
}

// Dual measures the time of PCA when there are fewer images than pixels. It compares two ways: by the d×d covariance
// of the pixels, and by the dual, which decomposes an n×n matrix. At the lecture's n = 1,000 and d = 100·100 it
// measures only the dual.
func (l *Lab) Dual() []Race {
	n, d := l.Pick(60, 200, 200), l.Pick(600, 2000, 2000)
	X := images(n, d, l.Seed)
	timed := func(X *mat.Dense, how pca.Method, k int) (*pca.Model, float64) {
		best := math.Inf(1)
		var m *pca.Model
		for range 2 {
			best = math.Min(best, lab.Seconds(func() {
				m = fit(l.Context(), X, &pca.Options{Method: how, Components: k, Seed: l.Seed})
			}))
		}
		return m, best
	}
	cov, tc := timed(X, pca.ByCovariance, n-1)
	dual, td := timed(X, pca.ByDual, n-1)
	sec := func(t float64) string { return fmt.Sprintf("%.3g", t) }
	out := []Race{
		{"covariance of pixels, d × d", n, d, n - 1, sec(tc)},
		{"dual, n × n", n, d, n - 1, sec(td)},
	}
	machine := record.Times(record.Generated("generated data of the rank of pictures"))
	const top = 20
	angle := pca.LargestAngle(cov.Components.Slice(0, d, 0, top), dual.Components.Slice(0, d, 0, top))
	off := 0.0
	for i := range dual.K() {
		off = math.Max(off, math.Abs(cov.Eigenvalues[i]-dual.Eigenvalues[i])/dual.Eigenvalues[0])
	}
	heading := "Recall this example with d ≫ n"
	l.Row(record.Row{
		ID: "dual-same-axes", What: fmt.Sprintf("%d images of %d pixels: both methods give the same eigenvalues and the same subspace of the first 20 axes", n, d),
		Published: slides.Quote("V are the needed eigenvectors for XᵀX", heading),
		Measured:  record.Bool(off < 1e-12 && angle < 1e-5, fmt.Sprintf("eigenvalues differ by at most %.1g of λ₁, subspaces by %.1g degrees", off, angle)),
		Rule:      record.Holds(), Data: record.Generated(fmt.Sprintf("%d points in %d dimensions", n, d)),
	})
	l.Row(record.Row{
		ID: "dual-faster", What: fmt.Sprintf("%d images of %d pixels: time of covariance PCA divided by that of dual PCA", n, d),
		Measured: record.Number(tc/td, "times"), Rule: record.AtLeast(1.5), Data: machine, Repeat: 1e4,
		Reason: "the lecture asks \"Could we do something cheaper?\"; shortest of two runs each",
	})
	bigN, bigD := l.Pick(100, 1000, 1000), l.Pick(2500, 10_000, 10_000)
	big := images(bigN, bigD, l.Seed)
	k := min(100, bigN-1)
	begin := time.Now()
	fit(l.Context(), big, &pca.Options{Method: pca.ByDual, Components: k, Seed: l.Seed})
	return append(out, Race{"dual, n × n", bigN, bigD, k, sec(time.Since(begin).Seconds())})
}

// images returns n random points in d dimensions (n×d) whose variances along the principal axes fall like those of
// pictures. Each point is a random combination of 150 random pictures, the i-th of which has amplitude i^(−¾), plus a
// little noise.
func images(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0x1a9e))
	const r = 150
	A, B := mat.NewDense(n, r, nil), mat.NewDense(r, d, nil)
	for j := range r {
		s := math.Pow(float64(j+1), -0.75)
		for i := range n {
			A.Set(i, j, s*rng.NormFloat64())
		}
		row := B.RawRowView(j)
		for i := range row {
			row[i] = rng.NormFloat64()
		}
	}
	var X mat.Dense
	X.Mul(A, B)
	for i := range n {
		row := X.RawRowView(i)
		for j := range row {
			row[j] += 0.1 * rng.NormFloat64()
		}
	}
	return &X
}

// A Solver is the result of one method of PCA on the faces.
type Solver struct {
	Way     string
	Share   string // share of the variance that the axes explain
	Angle   string // largest principal angle to the exact axes, degrees
	Seconds string
}

// Solvers computes 100 principal axes of the faces (fewer at smoke size) by the covariance, by the dual, and by
// randomized and incremental PCA. It leaves out the dual if there are more than 1,500 faces, because then the
// covariance is the smaller matrix.
func (l *Lab) Solvers() []Solver {
	s := l.faceSet()
	n, d := s.X.Dims()
	k := min(kept, n/3)
	exact := l.Model().Components.Slice(0, d, 0, k)
	best := l.Model().Explained(k)
	var out []Solver
	worst, least := 0.0, 1.0
	for _, how := range []pca.Method{pca.ByCovariance, pca.ByDual, pca.ByRandom, pca.ByBlocks} {
		begin := time.Now()
		var m *pca.Model
		switch {
		case how == pca.ByDual && n > 1500:
			continue // n is larger than d, so the covariance is the smaller matrix
		case how == pca.ByBlocks:
			inc := pca.NewIncremental(k)
			block := max(2*k, n/10)
			for from := 0; from < n; from += block {
				l.Heed()
				lab.Check(inc.PartialFit(l.Context(), s.X.Slice(from, min(from+block, n), 0, d)))
			}
			var err error
			m, err = inc.Model()
			lab.Check(err)
		default:
			m = fit(l.Context(), s.X, &pca.Options{Method: how, Components: k, Seed: l.Seed})
		}
		t := time.Since(begin).Seconds()
		loss := m.Loss(s.X, k)
		share := 1 - loss*loss/m.Total
		angle := pca.LargestAngle(m.Components, exact)
		if !m.Approximate {
			worst = math.Max(worst, best-share)
		}
		least = math.Min(least, share/best)
		out = append(out, Solver{how.String(), fmt.Sprintf("%.4f %%", 100*share), fmt.Sprintf("%.2g", angle), fmt.Sprintf("%.3g", t)})
	}
	l.Row(record.Row{
		ID: "solvers-agree", What: fmt.Sprintf("exact solvers, %d axes: largest shortfall of the explained share of the variance from the optimum", k),
		Measured: record.Bool(math.Abs(worst) < 1e-10, fmt.Sprintf("%.1g", worst)), Rule: record.Holds(), Data: s.Data,
	})
	l.Row(record.Row{
		ID: "solvers-approximate", What: fmt.Sprintf("randomized and incremental PCA, %d axes: smallest explained share of the variance relative to the optimum", k),
		Measured: record.Number(100*least, "%"), Rule: record.AtLeast(98), Data: s.Data, Repeat: 0.1,
	})
	return out
}

// gaussian returns an n×d matrix of standard normal numbers.
func gaussian(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0xc057))
	X := mat.NewDense(n, d, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, X)
	return X
}
