package icon

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPerplexityP(t *testing.T) {
	X := Normal(60, 5, 3, 1)
	for _, perplexity := range []float64{1.5, 5, 30, 58} {
		p := must(PerplexityP(X, perplexity))
		for i := range 60 {
			near(t, "perplexity of a row", Perplexity(p.P.Slice(i, i+1, 0, 60)), perplexity, 1e-8)
			near(t, "sum of a row", mat.Sum(p.P.RowView(i)), 1, 1e-12)
			// For a Gaussian, log p is affine in the squared distance.
			j, k, l := (i+1)%60, (i+2)%60, (i+3)%60
			if a, b, c := p.P.At(i, j), p.P.At(i, k), p.P.At(i, l); a > 1e-250 && b > 1e-250 && c > 1e-250 {
				u := (math.Log(a) - math.Log(b)) * (dist2(X, i, j) - dist2(X, i, l))
				v := (math.Log(a) - math.Log(c)) * (dist2(X, i, j) - dist2(X, i, k))
				near(t, "width", u, v, 1e-7)
			}
		}
	}
	// For perplexity n−1, p is uniform.
	p := must(PerplexityP(X, 59))
	if v := p.P.At(0, 1); math.Abs(v-1.0/59) > 1e-3 {
		t.Errorf("perplexity n−1: p = %v", v)
	}
	s := Symmetrized(must(PerplexityP(X, 10)))
	near(t, "sum of P", mat.Sum(s.P), 1, 1e-12)
	near(t, "P", s.P.At(3, 8), s.P.At(8, 3), 0)
	// Each of the four equal points has three other points at distance 0, so its perplexity is at least 3,
	// not 2.
	same := mat.NewDense(5, 1, []float64{1, 1, 1, 1, 7})
	if _, err := PerplexityP(same, 2); err == nil || !strings.Contains(err.Error(), "point 0") {
		t.Error(err)
	}
}

func TestSupervisors(t *testing.T) {
	line := mat.NewDense(5, 1, []float64{0, 1, 3, 6, 10})
	p := must(NeighborsP(line, 2)).P
	want := mat.NewDense(5, 5, []float64{
		0, .5, .5, 0, 0,
		.5, 0, .5, 0, 0,
		.5, .5, 0, 0, 0, // points 0 and 6 are equally far from point 3: the first wins
		0, .5, .5, 0, 0, // distances to points 1, 3 and 10 are 5, 3 and 4
		0, 0, .5, .5, 0,
	})
	want.SetRow(3, []float64{0, 0, .5, 0, .5})
	nearMatrix(t, "neighbours", p, want, 1e-15)
	g := must(GaussianP(line, 2, false)).P
	nearMatrix(t, "Gaussian", g, conditional(line, constant(5, 1.0/8)), 1e-14)
	self := must(GaussianP(line, 2, true)).P
	near(t, "p(0|0)/p(1|0)", self.At(0, 0)/self.At(0, 1), math.Exp(1.0/8), 1e-14)
	nearMatrix(t, "labels", must(SameLabelP([]int{4, 7, 4, 7, 4})).P, mat.NewDense(5, 5, []float64{
		0, 0, .5, 0, .5, 0, 0, 0, 1, 0, .5, 0, 0, 0, .5, 0, 1, 0, 0, 0, .5, 0, .5, 0, 0}), 1e-15)
	nearMatrix(t, "views", ViewsP(2, 3).P, must(SameLabelP([]int{0, 1, 0, 1, 0, 1})).P, 1e-15)
	nearMatrix(t, "classes", must(ClassP([]int{1, 0}, 3)).P, mat.NewDense(2, 3, []float64{0, 1, 0, 1, 0, 0}), 0)
	nearMatrix(t, "graph", must(GraphP(mat.NewDense(2, 2, []float64{1, 3, 2, 0}))).P, mat.NewDense(2, 2, []float64{.25, .75, 1, 0}), 1e-15)

	bad := mat.DenseCopyOf(line)
	bad.Set(2, 0, math.Inf(1))
	for want, f := range map[string]func() (*Given, error){
		"X(2, 0) is +Inf": func() (*Given, error) { return PerplexityP(bad, 2) },
		"at most 4":       func() (*Given, error) { return PerplexityP(line, 5) },
		"sigma":           func() (*Given, error) { return GaussianP(line, 0, false) },
		"k is 5":          func() (*Given, error) { return NeighborsP(line, 5) },
		"label 9":         func() (*Given, error) { return SameLabelP([]int{1, 1, 9}) },
		"label 1 is 3":    func() (*Given, error) { return ClassP([]int{0, 3}, 3) },
		"nil":             func() (*Given, error) { return GraphP(nil) },
		"sum to 0":        func() (*Given, error) { return GraphP(mat.NewDense(2, 2, []float64{0, 1, 0, 0})) },
		"row 1":           func() (*Given, error) { return NewGiven("", mat.NewDense(2, 2, []float64{0, 1, 0, 0.5}), false) },
		"P sums to":       func() (*Given, error) { return NewGiven("", mat.NewDense(1, 2, []float64{0, 2}), true) },
		"is -1":           func() (*Given, error) { return NewGiven("", mat.NewDense(1, 2, []float64{2, -1}), false) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}
