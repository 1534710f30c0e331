package superposition

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ended"
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
