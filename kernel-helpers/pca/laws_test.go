package pca

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/trial"
)

// eigenvaluesExactly returns the eigenvalues of a symmetric matrix in descending order, by Jacobi's rotations with
// 400 binary digits.
func eigenvaluesExactly(G [][]trial.Number) []float64 {
	d := len(G)
	root := func(x trial.Number) trial.Number { return trial.Of(0).Sqrt(x) }
	for range 12 { // sweeps: they converge quadratically
		for p := range d {
			for q := p + 1; q < d; q++ {
				if G[p][q].Sign() == 0 {
					continue
				}
				// t² + 2θt − 1 = 0 for the tangent t, the root nearer to 0.
				theta := trial.Quo(trial.Sub(G[q][q], G[p][p]), trial.Mul(trial.Of(2), G[p][q]))
				t := trial.Add(new(big.Float).Abs(theta), root(trial.Add(trial.Of(1), trial.Mul(theta, theta))))
				t = trial.Quo(trial.Of(1), t)
				if theta.Sign() < 0 {
					t.Neg(t)
				}
				c := trial.Quo(trial.Of(1), root(trial.Add(trial.Of(1), trial.Mul(t, t))))
				s := trial.Mul(t, c)
				turn := func(x, y trial.Number) (trial.Number, trial.Number) {
					return trial.Sub(trial.Mul(c, x), trial.Mul(s, y)), trial.Add(trial.Mul(s, x), trial.Mul(c, y))
				}
				for k := range d {
					G[k][p], G[k][q] = turn(G[k][p], G[k][q])
				}
				for k := range d {
					G[p][k], G[q][k] = turn(G[p][k], G[q][k])
				}
			}
		}
	}
	var values []float64
	for i := range d {
		values = append(values, max(0, trial.Float(G[i][i])))
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

// TestLaws compares the eigenvalues with those computed with 400 binary digits, for any units and origins, with
// constant, equal and nearly equal columns, and with far points. They differ only by the rounding of the largest
// eigenvalue or, with BySVD, of the largest singular value. The loss with k axes is the sum of the other eigenvalues.
func TestLaws(t *testing.T) {
	worst := map[Method]float64{}
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 80))
		n, d := 3+rng.IntN(8), 1+rng.IntN(4)
		X, name := trial.Features(rng, n, d)
		columns, size := trial.Columns(X), 0.0
		for j := range columns {
			columns[j], _ = trial.Centered(columns[j])
			for i := range n {
				size = max(size, math.Abs(X.At(i, j)))
			}
		}
		G := trial.Gram(columns)
		total := trial.Of(0)
		for j := range G {
			total.Add(total, G[j][j])
		}
		right, sum := eigenvaluesExactly(G), trial.Float(total)
		// The mean is rounded, which adds n times the square of its rounding.
		noise := float64(n*d) * math.Pow(0x1p-52*size, 2)
		for _, method := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
			for kind, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				if kind == "sparse" && method != ByRandom { // a dense copy
					continue
				}
				what := fmt.Sprintf("seed %d, %d×%d, %s, %v, %s", seed, n, d, name, method, kind)
				m, err := Fit(t.Context(), Z, &Options{Method: method})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				noise := noise
				if kind == "sparse" { // X̄ is not formed
					noise += float64(n*d*d) * 0x1p-52 * size * (size + math.Sqrt(sum))
				}
				if math.Abs(m.Total-sum) > 1e-13*sum+noise {
					t.Errorf("%s: Total is %v, want %v", what, m.Total, sum)
				}
				for i, l := range m.Eigenvalues {
					e, limit := math.Abs(l-right[i]), 1e-14*sum+noise
					if method == BySVD {
						e, limit = math.Abs(m.Singular[i]-math.Sqrt(right[i])), 1e-14*math.Sqrt(sum)+math.Sqrt(noise)
					}
					if limit > 0 {
						worst[method] = max(worst[method], e/limit)
					}
					if e > limit {
						t.Errorf("%s: eigenvalue %d is %v, want %v", what, i, l, right[i])
					}
				}
				var I mat.Dense
				I.Mul(m.Components.T(), m.Components)
				for i := range m.K() {
					for j := range m.K() {
						want := 0.0
						if i == j {
							want = 1
						}
						if math.Abs(I.At(i, j)-want) > 1e-12 {
							t.Errorf("%s: axes %d and %d have the product %v", what, i, j, I.At(i, j))
						}
					}
				}
				for k := range m.K() + 1 {
					left := 0.0
					for _, l := range right[k:] {
						left += l
					}
					loss := m.Loss(Z, k)
					ok := math.Abs(loss*loss-left) <= 1e-13*sum+noise
					if method == BySVD {
						ok = math.Abs(loss-math.Sqrt(left)) <= 1e-13*math.Sqrt(sum)+math.Sqrt(noise)
					}
					if !ok {
						t.Errorf("%s: the loss of %d axes is %v, want %v", what, k, loss, math.Sqrt(left))
					}
				}
			}
		}
	}
	t.Logf("worst, of the limit: %v", worst)
}

// TestSameProblem: another unit (a power of two) changes no axis, and another origin, a constant column or equal
// columns have the effect on the results that theory predicts.
func TestSameProblem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 81))
	X := mat.NewDense(16, 3, nil) // the mean of 16 numbers of few digits is exact
	X.Apply(func(int, int, float64) float64 { return math.Round(rng.NormFloat64()*0x1p16) / 0x1p10 }, X)
	with := func(columns int, f func(i, j int) float64) *mat.Dense {
		Y := mat.NewDense(16, columns, nil)
		Y.Apply(func(i, j int, _ float64) float64 { return f(i, j) }, Y)
		return Y
	}
	for _, method := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
		base := fit(t, X, Options{Method: method, Components: 3})
		for _, e := range []int{-400, -3, 3, 400} {
			m := fit(t, with(3, func(i, j int) float64 { return math.Ldexp(X.At(i, j), e) }), Options{Method: method, Components: 3})
			if !mat.Equal(m.Components, base.Components) {
				t.Errorf("%v, times 2^%d: other axes", method, e)
			}
			for i, l := range m.Eigenvalues {
				if math.Ldexp(l, -2*e) != base.Eigenvalues[i] {
					t.Errorf("%v, times 2^%d: eigenvalue %v, want %v", method, e, math.Ldexp(l, -2*e), base.Eigenvalues[i])
				}
			}
		}
		m := fit(t, with(3, func(i, j int) float64 { return X.At(i, j) + 0x1p30 }), Options{Method: method, Components: 3})
		if !mat.Equal(m.Components, base.Components) || !slices.Equal(m.Eigenvalues, base.Eigenvalues) {
			t.Errorf("%v: another origin, other axes", method)
		}
		// A column that is constant has no part in an axis, and each column twice doubles the eigenvalues.
		m = fit(t, with(4, func(i, j int) float64 {
			if j == 3 {
				return 0.1
			}
			return X.At(i, j)
		}), Options{Method: method, Components: 3})
		twice := fit(t, with(6, func(i, j int) float64 { return X.At(i, j/2) }), Options{Method: method, Components: 3})
		for i := range 3 {
			if math.Abs(m.Components.At(3, i)) > 1e-15 || math.Abs(m.Eigenvalues[i]-base.Eigenvalues[i]) > 1e-13*base.Eigenvalues[0] {
				t.Errorf("%v: axis %d has %v of a constant column, and the eigenvalue %v, want %v", method, i, m.Components.At(3, i), m.Eigenvalues[i], base.Eigenvalues[i])
			}
			if math.Abs(twice.Eigenvalues[i]/2-base.Eigenvalues[i]) > 1e-13*base.Eigenvalues[0] {
				t.Errorf("%v: each column twice: eigenvalue %d is %v, want %v", method, i, twice.Eigenvalues[i], 2*base.Eigenvalues[i])
			}
			for j := range 6 {
				if a, b := twice.Components.At(j, i)*math.Sqrt2, base.Components.At(j/2, i); math.Abs(a-b) > 1e-11 {
					t.Errorf("%v: each column twice: axis %d has %v, want %v", method, i, a, b)
				}
			}
		}
	}
}

// TestFarPoint: with one far point, the first axis points at it, and the second axis is about the first axis of
// the other points.
func TestFarPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 81))
	X := mat.NewDense(40, 3, nil)
	X.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * []float64{3, 1, 1}[j] }, X)
	near := fit(t, X.Slice(0, 39, 0, 3), Options{})
	for _, method := range []Method{ByCovariance, ByDual, BySVD} {
		for _, far := range []float64{1e4, 1e7} {
			X.SetRow(39, []float64{0, 0, far})
			m := fit(t, X, Options{Method: method})
			second := m.Components.ColView(1)
			if math.Abs(m.Components.At(2, 0)-1) > 1e-5 || math.Abs(mat.Dot(second, near.Components.ColView(0))) < 0.95 {
				t.Errorf("%v, far point at %g: first axis %v, second %v", method, far, mat.Col(nil, 0, m.Components), mat.Col(nil, 1, m.Components))
			}
		}
	}
}

// TestProbabilisticLaws computes the log likelihood from eigenvalues with 400 binary digits. The closed form, and EM
// where it converges, find the same likelihood, or the fit says that the noise is lost in rounding, and it is. The data
// have any units and origins, constant, equal and nearly equal columns, and far points.
func TestProbabilisticLaws(t *testing.T) {
	refused, missed, count := 0, 0, trial.Count(200, 5000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 95))
		n, d := 5+rng.IntN(8), 2+rng.IntN(3)
		k := 1 + rng.IntN(d-1)
		X, name := trial.Features(rng, n, d)
		columns, size := trial.Columns(X), 0.0
		for j := range columns {
			columns[j], _ = trial.Centered(columns[j])
			for i := range n {
				size = max(size, math.Abs(X.At(i, j)))
			}
		}
		right := eigenvaluesExactly(trial.Gram(columns))
		total, left := 0.0, 0.0
		for i, l := range right {
			total += l
			if i >= k {
				left += l
			}
		}
		// noise bounds the rounding of an eigenvalue, which comes from the largest eigenvalue and from the numbers.
		noise := 1e-14*total + float64(n*d)*math.Pow(0x1p-51*size, 2) + 1e-15*size*math.Sqrt(total)
		what := fmt.Sprintf("seed %d, %d×%d, %s, k %d", seed, n, d, name, k)
		sigma2 := left / float64(d-k) / float64(n)
		want := float64(d) * (1 + math.Log(2*math.Pi))
		for _, l := range right[:k] {
			want += math.Log(l / float64(n))
		}
		want = -0.5 * float64(n) * (want + float64(d-k)*math.Log(sigma2))
		// The last term is the effect of σ²'s relative error on the likelihood.
		tolerance := 1e-6*math.Abs(want) + 10*float64(n*d)*noise/left
		p, err := FitProbabilistic(t.Context(), X, k)
		if err != nil {
			refused++
			if left > 1e4*noise {
				t.Errorf("%s: %v, but σ² is %g of the mean variance", what, err, left/total)
			}
			continue
		}
		if !(math.Abs(p.LogLikelihood-want) <= tolerance) {
			t.Errorf("%s: log likelihood %v, want %v", what, p.LogLikelihood, want)
		}
		em, err := FitProbabilisticEM(t.Context(), X, k, &EMOptions{Seed: seed})
		if err != nil {
			missed++
			continue
		}
		if !(math.Abs(em.LogLikelihood-want) <= tolerance) {
			t.Errorf("%s: EM: log likelihood %v, want %v", what, em.LogLikelihood, want)
		}
	}
	t.Logf("%d of %d refused, EM missed %d", refused, count, missed)
	if refused > 9*count/10 || missed > 1+count/50 {
		t.Errorf("%d of %d refused, EM missed %d", refused, count, missed)
	}
}
