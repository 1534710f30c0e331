package nmfgradplot_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nmfgrad/nmfgradplot"
)

// problem returns a noisy product of k nonnegative components, a start, and a gradient.
func problem(n, d, k int) (A, U0, W0, G *mat.Dense) {
	rng := rand.New(rand.NewPCG(1, 31))
	draw := func(r, c int, zeros float64) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 {
			if rng.Float64() < zeros {
				return 0
			}
			return 0.2 + rng.Float64()
		}, m)
		return m
	}
	A = mat.NewDense(n, d, nil)
	A.Mul(draw(n, k, 0.5), draw(d, k, 0.5).T())
	A.Apply(func(_, _ int, v float64) float64 { return max(0.01, v+0.4*rng.NormFloat64()) }, A)
	G = mat.NewDense(n, d, nil)
	G.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, G)
	return A, draw(n, k, 0), draw(d, k, 0), G
}

func TestComparison(t *testing.T) {
	A, U0, W0, G := problem(8, 6, 2)
	c, err := nmfgrad.Compare(context.Background(), A, U0, W0, G, []int{10, 100}, nmfgrad.HALS)
	if err != nil {
		t.Fatal(err)
	}
	g := nmfgradplot.Comparison(c)
	if len(g.Figures) != 1 || len(g.Figures[0]) != 3 || !strings.Contains(g.Caption, "8×6 matrix with 2 components") || len(g.PNG()) < 1000 {
		t.Errorf("%v", g)
	}
}

func TestDiagnosis(t *testing.T) {
	d := &nmfgrad.Diagnosis{K: 2, Singular: []float64{4, 2, 1, 0, 0}, Nullity: 2, SupportSingular: []float64{3, 2, 0, 0}, SupportNullity: 2}
	f := nmfgradplot.Diagnosis(d)
	if !strings.Contains(f.Caption, "2 of the first and 2 of the second are zero up to rounding, one for each component") || len(f.PNG()) < 1000 {
		t.Error(f.Caption)
	}
	d.Nullity = 3
	if f = nmfgradplot.Diagnosis(d); !strings.Contains(f.Caption, "more than the scales of the 2 components") {
		t.Error(f.Caption)
	}
}

// BenchmarkCost draws the figure of Compare into $OVERCOMPLETE_FIGURES.
func BenchmarkCost(b *testing.B) {
	dir := os.Getenv("OVERCOMPLETE_FIGURES")
	if dir == "" {
		b.Skip("OVERCOMPLETE_FIGURES names no folder for the figure")
	}
	A, U0, W0, G := problem(120, 80, 4)
	for b.Loop() {
		c, err := nmfgrad.Compare(context.Background(), A, U0, W0, G, []int{10, 20, 50, 100, 200, 500, 1000, 2000}, nmfgrad.HALS)
		if err != nil {
			b.Fatal(err)
		}
		for _, one := range c.Costs {
			b.Logf("%+v", one)
		}
		if err := nmfgradplot.Comparison(c).Save(dir + "/nmfgrad-cost"); err != nil {
			b.Fatal(err)
		}
	}
}
