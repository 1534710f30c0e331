package nmf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// TestUnit: if A is multiplied by 4^k, so is U W' after the same number of iterations, for each method and loss,
// because the start scales with √A. (The start NNDSVDa does not; see the package comment.)
func TestUnit(t *testing.T) {
	A := lowRank(12, 9, 3, 0.2, 0.3, 1)
	for i := range 12 {
		for j := range 9 {
			A.Set(i, j, A.At(i, j)+0.01)
		}
	}
	for _, o := range []Options{
		{Method: CoordinateDescent, Init: Random}, {Method: ADMM, Init: Random}, {Method: Multiplicative, Init: Random},
		{Method: CoordinateDescent, Init: NNDSVD}, {Method: Multiplicative, Loss: KL, Init: Random},
		{Method: Multiplicative, Loss: ItakuraSaito, Init: Random},
	} {
		o.Components, o.MaxIterations, o.Tolerance, o.Seed = 3, 20, -1, 5
		base, err := Fit(t.Context(), A, &o)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{-26, -2, 2, 26} {
			var B mat.Dense
			B.Scale(math.Ldexp(1, e), A)
			r, err := Fit(t.Context(), &B, &o)
			what := fmt.Sprintf("%v, %v, %v, times 2^%d", o.Method, o.Loss, o.Init, e)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if math.Abs(r.KKT-base.KKT) > 1e-9*base.KKT+1e-14 {
				t.Errorf("%s: KKT is %v, want %v", what, r.KKT, base.KKT)
			}
			M, N := r.Reconstruct(), base.Reconstruct()
			for i := range 12 {
				for j := range 9 {
					if got, want := M.At(i, j), math.Ldexp(N.At(i, j), e); math.Abs(got-want) > 1e-9*want {
						t.Errorf("%s: (%d, %d) is %v, want %v", what, i, j, got, want)
					}
				}
			}
		}
	}
}

// TestTransformLaws: the rows that Transform returns minimize the loss for the given W. Columns of W are in any units,
// equal, nearly equal or 0, and fits are with and without penalties. The test finds the minimum by trying all sets of
// zeros, with 400 binary digits.
func TestTransformLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 88))
		d, k := 2+rng.IntN(6), 1+rng.IntN(4)
		W, name := trial.Features(rng, d, k)
		W.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, W)
		x := mat.NewDense(1, d, nil)
		s := math.Pow(10, 16*rng.Float64()-8)
		for j := range d {
			x.Set(0, j, s*math.Abs(rng.NormFloat64()))
		}
		m := &Model{U: mat.NewDense(1, k, nil), W: W}
		columns := trial.Columns(W)
		G, X := trial.Gram(columns), trial.Columns(x.T())[0]
		c, weight, top := make([]trial.Number, k), make([]trial.Number, k), 0.0
		for j := range c {
			c[j] = trial.Dot(columns[j], X)
			top = math.Max(top, trial.Float(c[j]))
		}
		if rng.IntN(3) == 0 {
			m.PenaltyU = Penalty{L1: top * math.Pow(10, -4*rng.Float64()), L2: trial.Float(G[0][0]) * math.Pow(10, -4*rng.Float64())}
		}
		for j := range c {
			weight[j] = trial.Of(m.PenaltyU.L1)
			G[j][j] = trial.Add(G[j][j], trial.Of(m.PenaltyU.L2))
		}
		f, _ := trial.Quadratic(G, c, weight, true)
		U, err := m.Transform(t.Context(), x)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, d, k, name, m.PenaltyU)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		u := make([]trial.Number, k)
		for j := range u {
			u[j] = trial.Of(U.At(0, j))
		}
		own := trial.Of(0)
		for i := range u {
			own = trial.Add(own, trial.Mul(u[i], trial.Add(trial.Sub(trial.Mul(trial.Of(0.5), trial.Dot(G[i], u)), c[i]), weight[i])))
		}
		over, size := trial.Float(trial.Sub(own, f)), trial.Float(trial.Dot(X, X))
		if over > 1e-8*size {
			t.Errorf("%s: %v above the minimum, ‖x‖² is %v", what, over, size)
		}
	}
}

// TestFewFeatures: U W' can equal A if A has no more columns than W. Fit with its default options then converges for
// nearly all A, and nearly always to at most 1e-5 of the sum of squares. (Not always, because the objective is not
// convex, and may hardly change at other points too.)
func TestFewFeatures(t *testing.T) {
	missed, elsewhere, count := 0, 0, trial.Count(40, 1000)
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 101))
		n, d := 5+rng.IntN(60), 1+rng.IntN(3)
		A := mat.NewDense(n, d, nil)
		A.Apply(func(_, _ int, _ float64) float64 { return rng.ExpFloat64() }, A)
		m, err := Fit(t.Context(), A, &Options{Components: d})
		switch {
		case errors.Is(err, ended.ErrNotConverged):
			missed++
		case err != nil:
			t.Fatal(err)
		case 1-m.Explained > 1e-5:
			elsewhere++
		}
	}
	t.Logf("of %d: %d not converged, %d elsewhere", count, missed, elsewhere)
	if missed > 1+count/40 || elsewhere > 1+count/100 {
		t.Errorf("of %d: %d not converged, %d at points where the objective hardly changes", count, missed, elsewhere)
	}
}

// TestADMMConverged: with columns of very different sizes, ADMM may change slowly far from a solution. It does not call
// this converged.
func TestADMMConverged(t *testing.T) {
	A := mat.NewDense(4, 3, []float64{1e6, 1, 2, 2e6, 3, 1, 3e6, 0, 1, 1e6, 2, 2})
	m, err := Fit(t.Context(), A, &Options{Components: 2, Method: ADMM, MaxIterations: 200})
	if !errors.Is(err, ended.ErrNotConverged) || m.KKT < 1 {
		t.Errorf("%v, %v", m, err)
	}
}
