package kmeans

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
)

// checkNearest checks that each label is that of the nearest center, and that the inertia is the sum of the
// squared distances. It computes both from differences; the error is only a few roundings, because a sum of
// positive numbers has no cancellation. It also checks that each point has the same label alone and among others.
func checkNearest(t *testing.T, name string, X mat.Matrix, r *Model) {
	t.Helper()
	n, d := X.Dims()
	k, _ := r.Centers.Dims()
	sum, row := 0.0, make([]float64, d)
	for i := range n {
		mat.Row(row, i, X)
		own := squaredDistance(row, r.Centers.RawRowView(r.Labels[i]))
		sum += own
		for a := range k {
			if v := squaredDistance(row, r.Centers.RawRowView(a)); v < own*(1-1e-14) || v == own && a < r.Labels[i] {
				t.Errorf("%s: point %d has center %d at %g, center %d is at %g", name, i, r.Labels[i], own, a, v)
				return
			}
		}
		if l := r.Predict(mat.NewDense(1, d, row))[0]; l != r.Labels[i] {
			t.Errorf("%s: point %d has label %d and is predicted %d", name, i, r.Labels[i], l)
			return
		}
	}
	near(t, name+": inertia", r.Inertia, sum, 1e-9)
}

// Each point gets its nearest center, even where the squares of the points have no digits left for their
// distances: far from 0 in a sparse matrix, and in groups that are far from each other in any matrix.
func TestNearest(t *testing.T) {
	four := mat.NewDense(4, 1, []float64{-1e8, -1e8 + 1, 1e8, 1e8 + 1})
	for _, X := range []mat.Matrix{four, csr.Of(four)} {
		for seed := range uint64(20) {
			r := fit(t, X, &Options{K: 4, Seed: seed})
			checkNearest(t, "four points", X, r)
			if r.Inertia != 0 || r.Status == ended.IterationLimit {
				t.Errorf("four points and four centers: inertia %v, counts %v, %v", r.Inertia, r.Counts, r.Status)
			}
		}
	}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 9))
		for name, far := range map[string]func(i int) float64{
			"about 1e8":        func(int) float64 { return 1e8 },
			"two groups":       func(i int) float64 { return 1e8 * float64(i%2*2-1) },
			"groups of growth": func(i int) float64 { return []float64{0, 1, 1e3, 1e6, 1e9}[i%5] },
			"about 0":          func(int) float64 { return 0 },
		} {
			X := mat.NewDense(80, 2, nil)
			X.Apply(func(i, _ int, _ float64) float64 { return far(i) + rng.NormFloat64() }, X)
			for _, o := range []*Options{{K: 7, Seed: seed}, {K: 7, Seed: seed, Tolerance: -1}, {K: 7, Seed: seed, Batch: 20}, {K: 80, Seed: seed}} {
				for _, Y := range []mat.Matrix{X, csr.Of(X)} {
					checkNearest(t, name, Y, fit(t, Y, o))
				}
			}
		}
	}
}

// Ties go to the first of the nearest centers.
func TestTies(t *testing.T) {
	X := mat.NewDense(3, 1, []float64{-3, 1, 5})
	r := fit(t, X, &Options{K: 2, Centers: mat.NewDense(2, 1, []float64{-1, 3})}) // 1 is in the middle
	checkNearest(t, "tie", X, r)
	same := mat.NewDense(5, 2, []float64{.1, .2, .1, .2, .1, .2, .3, .4, .3, .4})
	for _, X := range []mat.Matrix{same, csr.Of(same)} {
		for _, batch := range []int{0, 3} {
			checkNearest(t, "equal centers", X, fit(t, X, &Options{K: 5, Batch: batch}))
		}
	}
}

// With at least as many centers as different points, a run ends with every point at a center. The center of equal
// points is rounded; the distance that this causes must not make an empty cluster take one of the points.
func TestFewDifferentPoints(t *testing.T) {
	check := func(name string, X mat.Matrix, opt Options) {
		opt.Restarts = 1
		n, _ := X.Dims()
		rounding := float64(n) * 0x1p-52 * mat.Norm(X, math.Inf(1)) // of a sum
		for _, tolerance := range []float64{0, -1} {
			opt.Tolerance = tolerance
			if r := fit(t, X, &opt); r.Status == ended.IterationLimit || !(r.Inertia <= float64(n)*rounding*rounding) {
				t.Errorf("%s, K = %d, seed %d: inertia %v, %d times filled, %v", name, opt.K, opt.Seed, r.Inertia, r.Filled, r.Status)
			}
		}
	}
	for _, v := range []float64{0.1, 1e8 + 0.1, -1.0 / 3} {
		ten := mat.NewDense(10, 2, nil)
		ten.Apply(func(int, int, float64) float64 { return v }, ten)
		check("ten equal points", ten, Options{K: 3})
		check("ten equal points, sparse", csr.Of(ten), Options{K: 3})
	}
	six := mat.NewDense(6, 1, []float64{3, 2, 3, 0, 3, 0})
	check("three of six", six, Options{K: 4, Seed: 750})
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 10))
		X := mat.NewDense(3+rng.IntN(8), 1+rng.IntN(2), nil)
		n, d := X.Dims()
		X.Apply(func(int, int, float64) float64 { return float64(rng.IntN(4)) / float64(1+2*(seed%2)) }, X)
		different := map[[2]float64]bool{}
		for i := range n {
			different[[2]float64{X.At(i, 0), X.At(i, d-1)}] = true
		}
		k := len(different) + rng.IntN(n-len(different)+1)
		check("dense", X, Options{K: k, Seed: seed})
		check("sparse", csr.Of(X), Options{K: k, Seed: seed, Start: RandomPoints})
	}
}
