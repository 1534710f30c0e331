package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/internal/subset"
)

// whole returns n points of d small integers, and integer weights whose sum is a power of two, so that the mean of
// the data is exact.
func whole(rng *rand.Rand, n, d int) (*mat.Dense, []float64) {
	X, s := mat.NewDense(n, d, nil), make([]float64, n)
	X.Apply(func(int, int, float64) float64 { return float64(rng.IntN(40) - 20) }, X)
	rest := 64 - n
	for i := range s {
		extra := rng.IntN(min(rest, 6) + 1)
		if i == n-1 {
			extra = rest
		}
		s[i] = float64(1 + extra)
		rest -= extra
	}
	return X, s
}

// repeated returns the rows of X, row i s_i times.
func repeated(X *mat.Dense, s []float64) *mat.Dense {
	var rows []int
	for i, w := range s {
		for range int(w) {
			rows = append(rows, i)
		}
	}
	return subset.Rows(X, rows)
}

// An integer weight acts like repeated points: from the same start and after the same number of steps, the centers
// have the same bits. (J is a sum of other numbers, and rounds differently.)
func TestRepeated(t *testing.T) {
	compared := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 21))
		n, d, k := 6+rng.IntN(5), 1+rng.IntN(3), 1+rng.IntN(4)
		X, s := whole(rng, n, d)
		R := repeated(X, s)
		for _, tolerance := range []float64{0, -1} {
			o := Options{K: k, Centers: X.Slice(0, k, 0, d), Tolerance: tolerance, SampleWeights: s}
			for _, sparse := range []bool{false, true} {
				var A, B mat.Matrix = X, R
				if sparse {
					A, B = csr.Of(X), csr.Of(R)
				}
				got := fit(t, A, &o)
				o2 := o
				o2.SampleWeights = nil
				want := fit(t, B, &o2)
				if got.Filled > 0 || want.Filled > 0 { // an empty cluster takes all repetitions of a point here, and one of them there
					continue
				}
				compared++
				if !mat.Equal(got.Centers, want.Centers) || !scalar.EqualWithinRel(got.Inertia, want.Inertia, 1e-13) || got.Iterations != want.Iterations || got.Status != want.Status {
					t.Errorf("seed %d, sparse %v: inertia %v after %d steps, repeated %v after %d", seed, sparse, got.Inertia, got.Iterations, want.Inertia, want.Iterations)
				}
				for h := range got.History {
					if !scalar.EqualWithinRel(got.History[h].Inertia, want.History[h].Inertia, 1e-12) {
						t.Errorf("seed %d: inertia %v in step %d, repeated %v", seed, got.History[h].Inertia, h, want.History[h].Inertia)
					}
				}
			}
		}
	}
	if compared < 600 {
		t.Errorf("only %d comparisons", compared)
	}
}

// The best of many runs has the least weighted J of all labelings.
func TestWeightedBruteForce(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 22))
		X := gauss(7, 2, seed)
		s := make([]float64, 7)
		for i := range s {
			s[i] = float64(1 + rng.IntN(3))
		}
		for k := 1; k <= 3; k++ {
			// J of a labeling. Repetitions of a point are equal, so they share one label.
			least := math.Inf(1)
			for code := range int(math.Pow(float64(k), 7)) {
				labels := make([]int, 0, 21)
				for i := range 7 {
					for range int(s[i]) {
						labels = append(labels, code%k)
					}
					code /= k
				}
				least = min(least, inertiaOf(repeated(X, s), labels))
			}
			r := fit(t, X, &Options{K: k, Seed: seed, Restarts: 200, Start: RandomPoints, Tolerance: -1, SampleWeights: s})
			near(t, "weighted J", r.Inertia, least, 1e-12)
		}
	}
}

// Weights in another unit change J, and nothing else. Points of weight 0 have labels, and change nothing.
func TestUnitOfWeights(t *testing.T) {
	X := gauss(60, 3, 1)
	rng := rand.New(rand.NewPCG(1, 23))
	s := make([]float64, 60)
	for i := range s {
		s[i] = rng.ExpFloat64()
	}
	var some []int
	with := slices.Clone(s)
	for i := range with {
		if i%3 == 0 {
			with[i] = 0
		} else {
			some = append(some, i)
		}
	}
	for _, o := range []Options{{K: 4}, {K: 4, Start: RandomPoints}, {K: 4, Batch: 20, MaxIterations: 40}, {K: 30}} {
		for _, sparse := range []bool{false, true} {
			what := fmt.Sprintf("%+v, sparse %v", o, sparse)
			data := func(X *mat.Dense) mat.Matrix {
				if sparse {
					return csr.Of(X)
				}
				return X
			}
			o.SampleWeights = s
			base := fit(t, data(X), &o)
			for _, e := range []int{-200, 3, 200} {
				o.SampleWeights = make([]float64, len(s))
				floats.ScaleTo(o.SampleWeights, math.Ldexp(1, e), s)
				r := fit(t, data(X), &o)
				if !mat.Equal(r.Centers, base.Centers) || math.Ldexp(r.Inertia, -e) != base.Inertia {
					t.Errorf("%s, weights times 2^%d: inertia %v, want %v", what, e, math.Ldexp(r.Inertia, -e), base.Inertia)
				}
			}
			o.SampleWeights = with
			r := fit(t, data(X), &o)
			o.SampleWeights = subset.Values(s, some)
			want := fit(t, data(subset.Rows(X, some)), &o)
			if !mat.Equal(r.Centers, want.Centers) || r.Inertia != want.Inertia || !slices.Equal(subset.Values(r.Labels, some), want.Labels) || !slices.Equal(r.Predict(X), r.Labels) {
				t.Errorf("%s: points of weight 0 matter", what)
			}
			o.SampleWeights = slices.Repeat([]float64{1}, 60)
			ones := fit(t, data(X), &o)
			near(t, what+": inertia by weights 1", ones.Inertia, ones.Score(data(X)), 1e-12)
		}
	}
}

// Starting points are drawn according to the weights.
func TestWeightedStarts(t *testing.T) {
	s := []float64{1, 2, 5, 8}
	X := mat.NewDense(4, 1, []float64{0, 1, 2, 4})
	p, err := newPoints(t.Context(), X, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20000
	for _, start := range []Start{PlusPlus, RandomPoints} {
		first, second := make([]float64, 4), make([]float64, 4)
		for seed := range uint64(draws) {
			M, err := firstCenters(t.Context(), p, 2, start, rand.New(rand.NewPCG(seed, 3)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				if x := X.At(i, 0) - p.mean[0]; x == M.At(0, 0) {
					first[i]++
				} else if x == M.At(1, 0) {
					second[i]++
				}
			}
		}
		for i, w := range s {
			share := w / 16
			if e := math.Abs(first[i]/draws - share); e > 5*math.Sqrt(share*(1-share)/draws) {
				t.Errorf("start %d: point %d is first in a share of %v, want %v", start, i, first[i]/draws, share)
			}
		}
		if start == PlusPlus {
			continue // greedy: the second point has no simple distribution
		}
		for i, w := range s {
			share := 0.0
			for l, v := range s {
				if l != i {
					share += v / 16 * w / (16 - v)
				}
			}
			if e := math.Abs(second[i]/draws - share); e > 5*math.Sqrt(share*(1-share)/draws) {
				t.Errorf("point %d is second in a share of %v, want %v", i, second[i]/draws, share)
			}
		}
	}
	// After the first start, the point of weight 1 is at most twice as far from it as the other point, whose weight is
	// 1e9. So k-means++ never chooses the point of weight 1.
	heavy := []float64{1e9, 1, 1e9}
	p, err = newPoints(t.Context(), mat.NewDense(3, 1, []float64{0, 1, -1}), heavy, 0)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		M, err := firstCenters(t.Context(), p, 2, PlusPlus, rand.New(rand.NewPCG(seed, 4)))
		if err != nil {
			t.Fatal(err)
		}
		if one := 1 - p.mean[0]; M.At(0, 0) == one || M.At(1, 0) == one {
			t.Errorf("seed %d: the point of weight 1 beside 1e9 is a start", seed)
		}
	}
}

// With batches of one point, a center is the weighted mean of the points that it received.
func TestWeightedMiniBatch(t *testing.T) {
	X := gauss(50, 2, 3)
	s := make([]float64, 50)
	for i := range s {
		s[i] = float64(1 + i%7)
	}
	for _, sparse := range []bool{false, true} {
		p, err := newPoints(t.Context(), X, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if sparse {
			p = newSparsePoints(csr.Of(X), s, 0)
		}
		r, err := minibatch(t.Context(), p, mat.NewDense(1, 2, nil), Options{K: 1, Batch: 1, MaxIterations: 30}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		sum, total := [2]float64{}, 0.0
		for range r.Iterations {
			i := rng.IntN(50)
			total += s[i]
			sum[0] += s[i] * X.At(i, 0)
			sum[1] += s[i] * X.At(i, 1)
		}
		near(t, "centre", r.Centers.At(0, 0), sum[0]/total, 1e-12)
		near(t, "centre", r.Centers.At(0, 1), sum[1]/total, 1e-12)
	}
}

func TestWeightedSklearn(t *testing.T) {
	py := peer.Start(t, 1, sklearn, "numpy", "sklearn")
	X, _ := blobs(600, 5, 4, 1)
	rng := rand.New(rand.NewPCG(1, 24))
	w := mat.NewDense(1, 600, nil)
	w.Apply(func(int, int, float64) float64 { return rng.ExpFloat64() }, w)
	w.Set(0, 7, 0)
	C := mat.DenseCopyOf(X.Slice(10, 16, 0, 4))
	py.Array("X", X)
	py.Array("C", C)
	py.Array("w", w)
	py.Do("m = KMeans(6, init=C, n_init=1, tol=0, max_iter=500, algorithm='lloyd').fit(X, sample_weight=w[0])")
	r := fit(t, X, &Options{K: 6, Centers: C, Tolerance: -1, MaxIterations: 500, SampleWeights: w.RawRowView(0)})
	near(t, "inertia", r.Inertia, py.Float("float(m.inertia_)"), 1e-10)
	near(t, "steps", float64(r.Iterations), py.Float("float(m.n_iter_)"), 0)
	for j, v := range py.Floats("m.cluster_centers_.ravel()") {
		near(t, "centre", r.Centers.RawMatrix().Data[j], v, 1e-9)
	}
	for i, v := range py.Floats("m.labels_.astype(float)") {
		near(t, "label", float64(r.Labels[i]), v, 0)
	}
}

func TestRefusedWeights(t *testing.T) {
	X := gauss(4, 2, 1)
	X.Scale(100, X)
	for _, c := range []struct {
		s    []float64
		want string
	}{
		{[]float64{1, 1}, "SampleWeights has 2 weights for 4 points"},
		{[]float64{1, -1, 1, 1}, "SampleWeights[1] is -1"},
		{[]float64{1, 1, 1, math.NaN()}, "SampleWeights[3] is NaN"},
		{make([]float64, 4), "sum of SampleWeights is 0"},
		{[]float64{1e308, 1e308, 1e308, 1}, "sum of SampleWeights is +Inf"},
		{[]float64{0, 0, 1, 0}, "K is 2, must be between 1 and the number of points with a weight, 1"},
		{[]float64{1e308, 1, 1e307, 1}, "overflow: scale X or SampleWeights"},
		{[]float64{1e-300, 1e-300, 1e-300, 1e-300}, "underflow: scale X or SampleWeights"},
	} {
		_, err := Fit(t.Context(), X, &Options{K: 2, SampleWeights: c.s})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.s, err, c.want)
		}
	}
}
