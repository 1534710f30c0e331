package superposition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// The weights are a distribution with the moments of the features.
func TestPair(t *testing.T) {
	for _, p := range []float64{0.1, 1} {
		d := Pair(p)
		var sum, mean, second, cross float64
		for s, w := range d.Weight {
			x, y := d.X.At(0, s), d.X.At(1, s)
			sum, mean, second, cross = sum+w, mean+w*x, second+w*y*y, cross+w*x*y
		}
		for _, c := range []struct{ got, want float64 }{{sum, 1}, {mean, p / 2}, {second, p / 3}, {cross, p * p / 4}} {
			if math.Abs(c.got-c.want) > 1e-14 {
				t.Errorf("p = %v: %v, want %v", p, c.got, c.want)
			}
		}
	}
}

// An antipodal pair without bias loses twice the square of the smaller feature if both are nonzero.
func TestAntipodal(t *testing.T) {
	a := &Model{W: mat.NewDense(1, 2, []float64{1, -1}), Bias: []float64{0, 0}}
	for _, p := range []float64{0.1, 1} {
		if got := a.Loss(Pair(p), []float64{1, 1}); math.Abs(got-p*p/3) > 1e-14 {
			t.Errorf("p = %v: %v, want %v", p, got, p*p/3)
		}
	}
}

func TestSparse(t *testing.T) {
	d := Sparse(3, 20000, 0.3, 1)
	row := mat.Row(nil, 1, d.X)
	if m := stat.Mean(row, nil); math.Abs(m-0.15) > 0.01 {
		t.Errorf("mean %v", m)
	}
}

func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d, importance := Sparse(5, 30, 0.6, 1), []float64{1, 0.8, 0.6, 0.4, 0.2}
	for _, linear := range []bool{false, true} {
		a := &Model{W: mat.NewDense(2, 5, nil), Bias: make([]float64, 5), Linear: linear}
		for i := range a.W.RawMatrix().Data {
			a.W.RawMatrix().Data[i] = rng.NormFloat64()
		}
		for i := range a.Bias {
			a.Bias[i] = rng.NormFloat64() / 5
		}
		_, g := a.Gradient(d, importance)
		for k, values := range [][]float64{a.W.RawMatrix().Data, a.Bias} {
			grad := [][]float64{g.W.RawMatrix().Data, g.Bias}[k]
			for i := range values {
				const h = 1e-6
				old := values[i]
				values[i] = old + h
				up := a.Loss(d, importance)
				values[i] = old - h
				down := a.Loss(d, importance)
				values[i] = old
				if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-7 {
					t.Errorf("linear %v: parameters %d, %d: %v, finite differences %v", linear, k, i, grad[i], want)
				}
			}
		}
	}
}

// If two features share one dimension, both are represented if they are rare; otherwise only one is. The
// losses equal the closed forms.
func TestTwoInOne(t *testing.T) {
	rare, err := Fit(t.Context(), Pair(0.02), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := rare.Model.Norms()
	if n[0] < 0.8 || n[1] < 0.8 || rare.Model.W.At(0, 0)*rare.Model.W.At(0, 1) > 0 {
		t.Errorf("rare features: squared lengths %v", n)
	}
	dense, err := Fit(t.Context(), Pair(1), &Options{Importance: []float64{1, 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	// The second feature is replaced by its mean, so 0.3 times its variance, 1/12, is lost.
	if n := dense.Model.Norms(); n[0] < 0.8 || n[1] > 0.2 || dense.Loss > 0.3/12+1e-3 {
		t.Errorf("features always there: squared lengths %v, loss %v", n, dense.Loss)
	}
}

// Without the ReLU the best solution consists of principal components, and its loss is the sum of the
// discarded eigenvalues.
func TestLinear(t *testing.T) {
	d := Sparse(4, 500, 0.5, 3)
	r, err := Fit(t.Context(), d, &Options{Hidden: 2, Linear: true, Steps: 2000})
	if err != nil {
		t.Fatal(err)
	}
	var C mat.SymDense
	stat.CovarianceMatrix(&C, d.X.T(), nil)
	C.ScaleSym(float64(499)/500, &C)
	var eig mat.EigenSym
	eig.Factorize(&C, false)
	v := eig.Values(nil)
	if want := v[0] + v[1]; math.Abs(r.Loss/want-1) > 1e-3 {
		t.Errorf("loss %v, principal components %v", r.Loss, want)
	}
}

func TestInterference(t *testing.T) {
	a := &Model{W: mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, -1})}
	for i, want := range []float64{0, 1, 1} {
		if got := a.Interference()[i]; math.Abs(got-want) > 1e-15 {
			t.Errorf("feature %d: %v, want %v", i, got, want)
		}
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Fit(ctx, Pair(0.5), &Options{})
	if !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
		t.Error(r, err)
	}
}

// Errors for invalid options name the option.
func TestRefusesOptions(t *testing.T) {
	for _, c := range []struct {
		opt  *Options
		want string
	}{
		{&Options{Hidden: -1}, "superposition: Fit: Hidden is -1"},
		{&Options{Starts: -1}, "superposition: Fit: Starts is -1"},
		{&Options{Steps: -1}, "superposition: Fit: Steps is -1"},
		{&Options{Rate: math.NaN()}, "superposition: Fit: Rate is NaN"},
	} {
		if _, err := Fit(t.Context(), Pair(0.5), c.opt); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
}

func TestDirections(t *testing.T) {
	W := mat.NewDense(2, 3, []float64{0.5, 0.4, -1, 0, 0.2, 1})
	m := &Model{W: mat.DenseCopyOf(W), Bias: make([]float64, 3)}
	if got := m.Directions(); !mat.Equal(got, mat.NewDense(2, 3, []float64{0.5, 0, -1, 0, 0, 1})) || !mat.Equal(m.W, W) {
		t.Errorf("%v of %v", mat.Formatted(got), mat.Formatted(m.W))
	}
}

// TestLaws: if features and biases are in another unit (a power of two), the loss is in the square of this unit. If
// importances are in another unit, the loss is in this unit. Both hold to the last bit, and the gradients scale in the
// same way. Rotating the hidden layer does not change the loss. Replacing a sample by two with half its weight changes
// nothing, also in Fit.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 95))
		n := 2 + rng.IntN(4)
		m, S := 1+rng.IntN(n-1), 3+rng.IntN(30)
		d := Sparse(n, S, 0.2+0.8*rng.Float64(), seed)
		a := &Model{W: mat.NewDense(m, n, nil), Bias: make([]float64, n), Linear: seed%4 == 0}
		a.W.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a.W)
		importance := make([]float64, n)
		for i := range n {
			a.Bias[i], importance[i] = 0.1*rng.NormFloat64(), rng.Float64()
		}
		what := fmt.Sprintf("seed %d, %d features, %d hidden, %d samples", seed, n, m, S)
		times := func(x []float64, e int) []float64 {
			y := make([]float64, len(x))
			for i, v := range x {
				y[i] = math.Ldexp(v, e)
			}
			return y
		}
		L, g := a.Gradient(d, importance)
		check := func(how string, got float64, h *Model, loss, weights, biases int) {
			t.Helper()
			if got != math.Ldexp(L, loss) || !mat.Equal(h.W, mat.NewDense(m, n, times(g.W.RawMatrix().Data, weights))) ||
				!mat.Equal(mat.NewVecDense(n, h.Bias), mat.NewVecDense(n, times(g.Bias, biases))) {
				t.Errorf("%s, %s: loss %v, want %v, or another gradient", what, how, got, math.Ldexp(L, loss))
			}
		}
		for _, e := range []int{-30, 1, 30} {
			unit := &Model{W: a.W, Bias: times(a.Bias, e), Linear: a.Linear}
			l, h := unit.Gradient(&Data{mat.NewDense(n, S, times(d.X.RawMatrix().Data, e)), d.Weight}, importance)
			check(fmt.Sprintf("features times 2^%d", e), l, h, 2*e, 2*e, e)
			l, h = a.Gradient(d, times(importance, e))
			check(fmt.Sprintf("importances times 2^%d", e), l, h, e, e, e)
		}

		var qr mat.QR
		var Q, turned mat.Dense
		qr.Factorize(trial.Normal(rng, m, m, 1))
		qr.QTo(&Q)
		turned.Mul(&Q, a.W)
		if l := (&Model{W: &turned, Bias: a.Bias, Linear: a.Linear}).Loss(d, importance); math.Abs(l-L) > 1e-12*L {
			t.Errorf("%s: turned hidden layer: loss %v, want %v", what, l, L)
		}

		halves := &Data{X: mat.NewDense(n, 2*S, nil)}
		halves.X.Augment(d.X, d.X)
		for range 2 {
			for _, w := range d.Weight {
				halves.Weight = append(halves.Weight, w/2)
			}
		}
		opt := &Options{Hidden: m, Importance: importance, Linear: a.Linear, Starts: 1, Steps: 15, Seed: seed}
		one, err1 := Fit(t.Context(), d, opt)
		two, err2 := Fit(t.Context(), halves, opt)
		if err1 != nil || err2 != nil {
			t.Fatal(what, err1, err2)
		}
		if !mat.EqualApprox(one.Model.W, two.Model.W, 1e-7) {
			t.Errorf("%s: divided samples: W is %v, want %v", what, two.Model.W, one.Model.W)
		}
	}
}
