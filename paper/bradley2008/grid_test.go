package bradley2008

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
)

// A search goes beyond the ends of its axes as long as that helps, and reports where it was stopped.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name    string
		at      setting // the minimum
		g       grid
		want    setting
		tried   int
		stopped bool
	}{
		{"inside", setting{10, 0}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{0}, 0}, 3, false}, setting{10, 0}, 3, false},
		{"below", setting{0.1, 0}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{0}, 0}, 3, false}, setting{0.1, 0}, 5, false},
		{"above", setting{1000, 0}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{0}, 0}, 3, false}, setting{1000, 0}, 5, false},
		{"far", setting{1e9, 0}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{0}, 0}, 3, false}, setting{1e5, 0}, 6, true},
		{"kept", setting{1e9, 0}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{0}, 0}, 0, false}, setting{100, 0}, 3, true},
		{"second", setting{10, 8}, grid{axis{[]float64{1, 10, 100}, 10}, axis{[]float64{2, 1, 4}, 2}, 3, false}, setting{10, 8}, 9, false},
		{"closed", setting{10, 8}, grid{axis{[]float64{1, 10}, 0}, axis{[]float64{2, 4}, 0}, 3, false}, setting{10, 4}, 3, false},
		{"back", setting{10, 8}, grid{axis{[]float64{1, 10}, 10}, axis{[]float64{0, 8}, 0}, 3, false}, setting{100, 8}, 7, false},
		{"back, not allowed", setting{10, 8}, grid{axis{[]float64{1, 10}, 10}, axis{[]float64{0, 8}, 0}, 3, true}, setting{10, 8}, 4, false},
	} {
		calls := 0
		r := c.g.search(func(s setting) float64 {
			calls++
			at := c.at.first
			if strings.HasPrefix(c.name, "back") && s.second == 8 {
				at *= 10 // the best value of the first depends on the second
			}
			return math.Abs(math.Log(s.first/at)) + math.Abs(s.second-c.at.second)
		})
		near := math.Abs(r.best.first/c.want.first-1) < 1e-9 && r.best.second == c.want.second
		if !near || r.tried != c.tried || calls != c.tried || (r.open != "") != c.stopped {
			t.Errorf("%s: %+v after %d calls, want %+v after %d, stopped %v", c.name, r, calls, c.want, c.tried, c.stopped)
		}
	}
}

// clouds returns n points of each of k classes on a circle of the given radius, with noise of
// variance 1.
func clouds(n, k int, radius float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	X, y := mat.NewDense(n*k, 2, nil), make([]int, n*k)
	for i := range y {
		y[i] = i % k
		sin, cos := math.Sincos(2 * math.Pi * float64(y[i]) / float64(k))
		X.SetRow(i, []float64{radius*cos + rng.NormFloat64(), radius*sin + rng.NormFloat64()})
	}
	return X, y
}

// Machines for pairs separate classes that one machine for each class against the rest cannot separate: the classes
// lie in a row, and the outer classes mask the middle classes.
func TestPairs(t *testing.T) {
	X, y := clouds(40, 7, 0, 1)
	for i := range y {
		X.Set(i, 0, X.At(i, 0)+8*float64(y[i]))
	}
	o := &classify.LinearSVMOptions{C: 1}
	p, err := trainPairs(t.Context(), X, y, 7, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := classify.FitLinearSVM(t.Context(), X, y, o)
	if err != nil {
		t.Fatal(err)
	}
	pair, rest := classify.ErrorRate(p.Predict(X), y), classify.ErrorRate(r.Predict(X), y)
	if len(p.machines) != 21 || pair > 0.05 || rest < 0.3 {
		t.Errorf("%d machines, errors %.3f and %.3f", len(p.machines), pair, rest)
	}
	if _, err := trainPairs(t.Context(), X, y, 8, o); err == nil {
		t.Error("a class without points")
	}
}

// The network with two hidden layers learns what no linear classifier can, gives the same result
// with the same seed, and does not modify its input.
func TestDeep(t *testing.T) {
	X, y := clouds(60, 6, 7, 2)
	for i := range y {
		y[i] %= 2
	}
	before := mat.DenseCopyOf(X)
	train := func() *deepNetwork {
		m, err := trainDeep(t.Context(), X, y, deepOptions{hidden: [2]int{30, 20}, classes: 2, alpha: 1e-4, epochs: 60, seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := train()
	V, yv := clouds(60, 6, 7, 3)
	for i := range yv {
		yv[i] %= 2
	}
	line, err := classify.FitMaxent(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, l := classify.ErrorRate(m.Predict(V), yv), classify.ErrorRate(line.Predict(V), yv); e > 0.05 || l < 0.3 {
		t.Errorf("errors %.3f, of a linear classifier %.3f", e, l)
	}
	if !mat.Equal(before, X) || !slices.Equal(m.Predict(V), train().Predict(V)) {
		t.Error("the input was changed, or the same seed gave another network")
	}
}
