package sparseapprox

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// exactObjective returns ½‖x − Bw‖² + λ‖w‖₁ + ½μ‖w‖² with 400 binary digits.
func exactObjective(columns [][]trial.Number, x []trial.Number, w []float64, lambda, mu float64) float64 {
	f, rest := trial.Of(0), make([]trial.Number, len(x))
	for i := range x {
		rest[i] = x[i]
		for j, c := range columns {
			rest[i] = trial.Sub(rest[i], trial.Mul(c[i], trial.Of(w[j])))
		}
	}
	f.Add(f, trial.Mul(trial.Of(0.5), trial.Dot(rest, rest)))
	for _, v := range w {
		f.Add(f, trial.Mul(trial.Of(lambda), trial.Of(math.Abs(v))))
		f.Add(f, trial.Mul(trial.Of(mu/2), trial.Mul(trial.Of(v), trial.Of(v))))
	}
	return trial.Float(f)
}

// TestLaws: Objective is the objective of w, and Gap is at least its distance from the minimum, for atoms in any units,
// with equal, nearly equal, constant and zero atoms, and with numbers far from the others. A signal with status
// Converged is near the minimum. The test finds the minimum by trying all signs of w, with 400 binary digits.
func TestLaws(t *testing.T) {
	missed, solved := map[string]int{}, 0
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 83))
		d, n := 2+rng.IntN(6), 1+rng.IntN(4)
		B, name := trial.Features(rng, d, n)
		X := mat.NewDense(d, 1, nil)
		size := math.Pow(10, 12*rng.Float64()-6)
		X.Apply(func(int, int, float64) float64 { return size * rng.NormFloat64() }, X)
		columns, x := trial.Columns(B), trial.Columns(X)[0]
		c, top := make([]trial.Number, n), 0.0
		for j := range c {
			c[j] = trial.Dot(columns[j], x)
			top = max(top, math.Abs(trial.Float(c[j])))
		}
		if top == 0 {
			continue
		}
		var svd mat.SVD
		svd.Factorize(B, mat.SVDNone)
		certain := true // whether no singular value is close to the bound below which it counts as 0
		for _, s := range svd.Values(nil) {
			certain = certain && s > 1e-10*svd.Values(nil)[0]
		}
		for _, prior := range []Prior{L1, L1NonNegative, L2, None} {
			if prior == None && !certain {
				continue
			}
			o := Options{Prior: prior}
			G, weight := trial.Gram(columns), make([]trial.Number, n)
			for j := range weight {
				weight[j] = trial.Of(0)
			}
			methods := []Method{ClosedForm}
			switch prior {
			case L1, L1NonNegative:
				o.Lambda, o.MaxIterations = top*math.Pow(10, -4*rng.Float64()), 1000
				methods = []Method{CoordinateDescent, FeatureSign, LARS, FISTA}
				if rng.IntN(3) == 0 {
					o.Ridge = trial.Float(G[0][0]) * math.Pow(10, -4*rng.Float64())
				}
				for j := range weight {
					weight[j] = trial.Of(o.Lambda)
					G[j][j] = trial.Add(G[j][j], trial.Of(o.Ridge))
				}
			case L2:
				o.Lambda = math.Pow(mat.Norm(B, 2), 2) * math.Pow(10, -6*rng.Float64())
				for j := range weight {
					G[j][j] = trial.Add(G[j][j], trial.Of(2*o.Lambda))
				}
			}
			f, _ := trial.Quadratic(G, c, weight, prior == L1NonNegative)
			least := trial.Float(trial.Add(f, trial.Mul(trial.Of(0.5), trial.Dot(x, x))))
			for _, o.Method = range methods {
				what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, d, n, name, o)
				r, err := Solve(t.Context(), B, X, &o)
				if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
					t.Errorf("%s: %v", what, err)
					continue
				}
				w := mat.Col(nil, 0, r.W)
				own := 0.0
				switch prior {
				case L1, L1NonNegative:
					own = exactObjective(columns, x, w, o.Lambda, o.Ridge)
				case L2:
					own = exactObjective(columns, x, w, 0, 2*o.Lambda)
				default:
					own = exactObjective(columns, x, w, 0, 0)
				}
				// A bound on the rounding error of x − Bw.
				noise := 0.0
				for i := range d {
					e := math.Abs(X.At(i, 0))
					for j, v := range w {
						e += math.Abs(B.At(i, j) * v)
					}
					noise += math.Pow(float64(n+4)*0x1p-52*e, 2)
				}
				noise = math.Sqrt(noise)*(math.Sqrt(noise)+2*math.Sqrt(2*own)) + 1e-13*own
				if math.Abs(own-r.Objective[0]) > noise {
					t.Errorf("%s: Objective is %v, w has %v (noise %g)", what, r.Objective[0], own, noise)
				}
				// 1e-9 is allowed because the products of nearly dependent columns are also rounded in the gap.
				if own-least > r.Gap[0]+noise+1e-9*own {
					t.Errorf("%s: %v: gap %g, distance from the minimum %g of %g", what, r.Signals[0], r.Gap[0], own-least, least)
				}
				if r.Signals[0] != ended.Converged {
					missed[fmt.Sprint(o.Method, prior)]++
					continue
				}
				solved++
				limit := 3e-6 * own
				if prior == L2 || prior == None {
					limit = 1e-6 * trial.Float(trial.Dot(x, x)) / 2
				}
				if own-least > limit+noise {
					t.Errorf("%s: converged at %v, the minimum is %v", what, own, least)
				}
			}
		}
	}
	t.Logf("%d solved, missed: %v", solved, missed)
	if solved < 1000 {
		t.Errorf("%d solved", solved)
	}
}

// TestUnits: if signals and λ change to another unit (a power of two), so do the codes. If atoms and λ change to
// another unit, the codes change to its inverse. Both hold to the last bit, unless numbers are out of float32's range.
// Adding a row of zeros, or reordering rows and signals, changes only rounding errors. An atom of zeros changes nothing
// at all.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 84))
	B, X := problem(8, 12, 5, 3)
	for _, o := range []Options{
		{Lambda: 0.1, Method: CoordinateDescent}, {Lambda: 0.1, Method: FeatureSign}, {Lambda: 0.1, Method: LARS}, {Lambda: 0.1, Method: FISTA},
		{Lambda: 0.1, Prior: L1NonNegative}, {Lambda: 0.1, Ridge: 0.25}, {Lambda: 0.1, Prior: L2}, {Prior: L0, Nonzeros: 3}, {Prior: Lp, Lambda: 0.05},
	} {
		solve := func(B, X *mat.Dense, o Options) *mat.Dense {
			t.Helper()
			r, err := Solve(t.Context(), B, X, &o)
			if ended.Accept(err) != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			return r.W
		}
		want := solve(B, X, o)
		same := func(what string, got mat.Matrix, tolerance float64) {
			t.Helper()
			var e mat.Dense
			e.Sub(got, want)
			if d := mat.Norm(&e, math.Inf(1)); !(d <= tolerance) {
				t.Errorf("%+v, %s: the codes differ by %g", o, what, d)
			}
		}
		scaled := func(A *mat.Dense, e int) *mat.Dense {
			var S mat.Dense
			S.Scale(math.Ldexp(1, e), A)
			return &S
		}
		for _, e := range []int{-60, -3, 3, 60} {
			u := o
			switch o.Prior { // λP(w) is in the squared unit of the signals
			case L1, L1NonNegative:
				u.Lambda = math.Ldexp(o.Lambda, e)
			case Lp:
				u.Lambda = o.Lambda * math.Pow(2, 1.5*float64(e))
			}
			tolerance := 0.0
			if e < -30 || e > 30 { // the search is in float64
				tolerance = 1e-15
			}
			if o.Prior == Lp || o.Prior == L2 { // powers and singular values are not exact
				tolerance = 1e-9
			}
			same(fmt.Sprintf("signals times 2^%d", e), scaled(solve(B, scaled(X, e), u), -e), tolerance)
			u = o
			u.Ridge = math.Ldexp(o.Ridge, 2*e)
			switch o.Prior {
			case L1, L1NonNegative:
				u.Lambda = math.Ldexp(o.Lambda, e)
			case L2:
				u.Lambda = math.Ldexp(o.Lambda, 2*e)
			case Lp:
				u.Lambda = o.Lambda * math.Pow(2, 0.5*float64(e))
			}
			same(fmt.Sprintf("atoms times 2^%d", e), scaled(solve(scaled(B, e), X, u), e), tolerance)
		}
		// With a row of zeros, and the rows and signals in another order.
		perm, order := rng.Perm(9), rng.Perm(5)
		B2, X2 := mat.NewDense(9, 12, nil), mat.NewDense(9, 5, nil)
		for i, p := range perm {
			if p == 8 {
				continue
			}
			B2.SetRow(i, B.RawRowView(p))
			for k, q := range order {
				X2.Set(i, k, X.At(p, q))
			}
		}
		W := solve(B2, X2, o)
		back := mat.NewDense(12, 5, nil)
		for k, q := range order {
			back.SetCol(q, mat.Col(nil, k, W))
		}
		tolerance := 1e-8
		if o.Method == FISTA { // FISTA ends at a gap of 1e-6
			tolerance = 1e-2
		}
		same("other rows", back, tolerance)
		// An atom of zeros has the coefficient 0.
		B3 := mat.NewDense(8, 13, nil)
		B3.Slice(0, 8, 0, 12).(*mat.Dense).Copy(B)
		W = solve(B3, X, o)
		same("an atom of zeros", W.Slice(0, 12, 0, 5), tolerance)
		if floats.Norm(W.RawRowView(12), 1) > 0 {
			t.Errorf("%+v: an atom of zeros has the coefficients %v", o, W.RawRowView(12))
		}
	}
}
