package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// exactJ returns Σ_i s_i ‖x_i − μ_a‖² with 400 binary digits.
func exactJ(X *mat.Dense, s []float64, r *Model) float64 {
	J := trial.Of(0)
	for i, a := range r.Labels {
		w := trial.Of(1)
		if s != nil {
			w = trial.Of(s[i])
		}
		for j, v := range X.RawRowView(i) {
			e := trial.Sub(trial.Of(v), trial.Of(r.Centers.At(a, j)))
			J.Add(J, trial.Mul(w, trial.Mul(e, e)))
		}
	}
	return trial.Float(J)
}

// TestLaws: each point has its nearest center, J agrees with its value in 400 binary digits, and if a run Converged,
// its centers are the weighted means of their points. This holds for all units and origins, and with equal columns,
// constant columns and a far point.
func TestLaws(t *testing.T) {
	converged := 0
	for seed := range uint64(trial.Count(1000, 20000)) {
		rng := rand.New(rand.NewPCG(seed, 78))
		n, d := 5+rng.IntN(10), 1+rng.IntN(3)
		X, name := trial.Features(rng, n, d)
		o := Options{K: 1 + rng.IntN(4), Seed: seed, Tolerance: -1, Restarts: 2}
		if rng.IntN(3) == 0 {
			for range n {
				o.SampleWeights = append(o.SampleWeights, rng.ExpFloat64())
			}
		}
		if rng.IntN(4) == 0 {
			o.Batch = 1 + rng.IntN(n)
		}
		for kind, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
			what := fmt.Sprintf("seed %d, %d×%d, %s, %s, K %d, batch %d, weights %v", seed, n, d, name, kind, o.K, o.Batch, o.SampleWeights != nil)
			r, err := Fit(t.Context(), Z, &o)
			if ended.Accept(err) != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			size := 0.0 // of the numbers
			for i := range n {
				size = max(size, largest(X.RawRowView(i)))
			}
			// Squares of the numbers' rounding errors are noise.
			noise := float64(n*d) * math.Pow(0x1p-52*size, 2)
			tolerance := 1e-12
			if kind == "sparse" {
				tolerance = 1e-9
			}
			if J := exactJ(X, o.SampleWeights, r); math.Abs(r.Inertia-J) > tolerance*J+noise {
				t.Errorf("%s: J is %v, want %v", what, r.Inertia, J)
			}
			for i, a := range r.Labels {
				own := squaredDistance(X.RawRowView(i), r.Centers.RawRowView(a))
				for b := range o.K {
					if v := squaredDistance(X.RawRowView(i), r.Centers.RawRowView(b)); v < own*(1-1e-14) && (kind == "dense" || own-v > noise) {
						t.Errorf("%s: point %d has center %d at %g, center %d is at %g", what, i, a, own, b, v)
					}
				}
			}
			if r.Status != ended.Converged {
				continue
			}
			converged++
			means, count, weight := mat.NewDense(o.K, d, nil), make([]int, o.K), make([]float64, o.K)
			columns := trial.Columns(X)
			for a := range o.K {
				for j, c := range columns {
					sum, total := trial.Of(0), trial.Of(0)
					for i, l := range r.Labels {
						if l != a {
							continue
						}
						w := trial.Of(1)
						if o.SampleWeights != nil {
							w = trial.Of(o.SampleWeights[i])
						}
						sum.Add(sum, trial.Mul(w, c[i]))
						total.Add(total, w)
						if j == 0 {
							count[a]++
							weight[a] = trial.Float(total)
						}
					}
					if count[a] == 0 {
						continue
					}
					means.Set(a, j, trial.Float(trial.Quo(sum, total)))
					most := 0.0
					for i := range n {
						most = max(most, math.Abs(X.At(i, j)))
					}
					if e := math.Abs(r.Centers.At(a, j) - means.At(a, j)); e > float64(n+4)*0x1p-52*most {
						t.Errorf("%s: center %d is %v in column %d, the mean is %v", what, a, r.Centers.At(a, j), j, means.At(a, j))
					}
				}
			}
			if !slices.Equal(count, r.Counts) {
				t.Errorf("%s: counts %v, want %v", what, r.Counts, count)
			}
		}
	}
	if converged < 500 {
		t.Errorf("only %d runs converged", converged)
	}
}

// TestSameProblem checks changes to the data that leave the labels the same and, except for a change of unit, also J:
// another unit (a power of two) and another origin, for numbers with few digits; a column of zeros; a constant column;
// equal columns in place of one column in another unit; another order of the columns.
func TestSameProblem(t *testing.T) {
	for seed := range uint64(trial.Count(200, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		n, d := 16, 1+rng.IntN(3) // n is a power of two: the mean is exact
		X := mat.NewDense(n, d, nil)
		X.Apply(func(int, int, float64) float64 { return math.Round(rng.NormFloat64()*0x1p16) / 0x1p10 }, X)
		k := 2 + rng.IntN(3)
		base := fit(t, X, &Options{K: k, Seed: seed, Restarts: 3, Tolerance: -1})
		same := func(what string, Y *mat.Dense, unit float64) {
			t.Helper()
			rounding := float64(n*d) * math.Pow(0x1p-52*mat.Norm(Y, math.Inf(1))/unit, 2) // of the centers
			for kind, Z := range map[string]mat.Matrix{"dense": Y, "sparse": csr.Of(Y)} {
				if kind == "sparse" && mat.Max(Y)/unit > 0x1p30 { // too few digits for the same start
					continue
				}
				r := fit(t, Z, &Options{K: k, Seed: seed, Restarts: 3, Tolerance: -1})
				if AdjustedRand(r.Labels, base.Labels) != 1 || math.Abs(r.Inertia/unit/unit-base.Inertia) > 1e-12*base.Inertia+rounding {
					t.Errorf("seed %d, %s, %s: inertia %v, want %v; labels %v, want %v", seed, what, kind, r.Inertia/unit/unit, base.Inertia, r.Labels, base.Labels)
				}
			}
		}
		with := func(columns int, f func(i, j int) float64) *mat.Dense {
			Y := mat.NewDense(n, columns, nil)
			Y.Apply(func(i, j int, _ float64) float64 { return f(i, j) }, Y)
			return Y
		}
		same("as it is", X, 1)
		for _, e := range []int{-300, -20, 20, 300} {
			same(fmt.Sprintf("times 2^%d", e), with(d, func(i, j int) float64 { return math.Ldexp(X.At(i, j), e) }), math.Ldexp(1, e))
		}
		for _, shift := range []float64{7, -0x1p20, 0x1p40} {
			same(fmt.Sprintf("plus %g", shift), with(d, func(i, j int) float64 { return X.At(i, j) + shift }), 1)
		}
		for _, c := range []float64{0, 3, 0x1p40} {
			same(fmt.Sprintf("with a column of %g", c), with(d+1, func(i, j int) float64 {
				if j == d {
					return c
				}
				return X.At(i, j)
			}), 1)
		}
		same("reversed columns", with(d, func(i, j int) float64 { return X.At(i, d-1-j) }), 1)
		same("each column four times", with(4*d, func(i, j int) float64 { return X.At(i, j/4) }), 2)
	}
}

// TestFarPoint: a point far from all others gets its own center, and the others get the same labels as without it.
func TestFarPoint(t *testing.T) {
	X, y := blobs(90, 3, 2, 4)
	for _, far := range []float64{1e4, 1e8, 1e14} {
		Y := mat.NewDense(91, 2, nil)
		Y.Slice(0, 90, 0, 2).(*mat.Dense).Copy(X)
		Y.SetRow(90, []float64{far, -far})
		for kind, Z := range map[string]mat.Matrix{"dense": Y, "sparse": csr.Of(Y)} {
			r := fit(t, Z, &Options{K: 4})
			if r.Counts[r.Labels[90]] != 1 || AdjustedRand(r.Labels[:90], y) != 1 {
				t.Errorf("far point at %g, %s: counts %v, adjusted Rand index %v", far, kind, r.Counts, AdjustedRand(r.Labels[:90], y))
			}
		}
	}
}
