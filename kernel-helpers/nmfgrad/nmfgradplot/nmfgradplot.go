// Package nmfgradplot draws the measurements of package nmfgrad: the cost of its gradients, and the singular
// values of its two systems.
//
//	c, err := nmfgrad.Compare(ctx, A, U0, W0, G, []int{10, 100, 1000}, nmfgrad.HALS)
//	nmfgradplot.Comparison(c)
package nmfgradplot

import (
	"fmt"
	"math"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/nmfgrad"
)

// Comparison draws time, memory and error of the gradient against the iterations.
func Comparison(c *nmfgrad.Comparison) *figure.Grid {
	given.Args("nmfgradplot: Comparison", "c", c)
	curve := func(f func(nmfgrad.Cost) float64) (x, y []float64) {
		for _, one := range c.Costs {
			if v := f(one); v > 0 && !math.IsInf(v, 0) {
				x, y = append(x, float64(one.Iterations)), append(y, v)
			}
		}
		return x, y
	}
	panel := func(title, label string, unrolled, implicit func(nmfgrad.Cost) float64) *figure.Figure {
		f := figure.New(title, "iterations", label)
		for i, part := range []func(nmfgrad.Cost) float64{unrolled, implicit} {
			if x, y := curve(part); len(x) > 0 {
				f.Use([]int{figure.Vermilion, figure.Blue}[i]).Marked([]string{"unrolled", "implicit"}[i], x, y)
			}
		}
		return f.LogX().LogY()
	}
	// The labels are short because gonum/plot reserves room for the label of a logarithmic axis as if it were at the mean
	// of the values instead of the middle.
	grid := figure.NewGrid("The gradient of a factorization", 3,
		panel("Backward pass, seconds", "", func(c nmfgrad.Cost) float64 { return c.Unrolled }, func(c nmfgrad.Cost) float64 { return c.Implicit }),
		panel("Kept for the backward pass, bytes", "", func(c nmfgrad.Cost) float64 { return float64(c.UnrolledBytes) }, func(c nmfgrad.Cost) float64 { return float64(c.ImplicitBytes) }),
		panel("Relative error of ∂l/∂A", "", func(c nmfgrad.Cost) float64 { return c.UnrolledError }, func(c nmfgrad.Cost) float64 { return c.ImplicitError }))
	return grid.Size(3.4, 3).Note(fmt.Sprintf("%s updates of a %d×%d matrix with %d components. Both gradients belong to the last iterate; the implicit one includes the check of the KKT conditions, and is missing where CG finds that the iterate is near no minimum.", c.Update, c.N, c.D, c.K))
}

// Diagnosis draws the singular values of both systems, relative to the largest. Values below 1e-18 are drawn at 1e-18.
func Diagnosis(d *nmfgrad.Diagnosis) *figure.Figure {
	given.Args("nmfgradplot: Diagnosis", "d", d)
	f := figure.New("Singular values", "index", "σ / largest σ")
	for i, v := range [][]float64{d.Singular, d.SupportSingular} {
		var x, y []float64
		for j, s := range v {
			x, y = append(x, float64(j+1)), append(y, max(s/v[0], 1e-18))
		}
		f.Marked([]string{"Jacobian of the KKT map", "Hessian on the support"}[i], x, y)
	}
	why := "one for each component, whose scale is free."
	if d.Nullity > d.K || d.SupportNullity > d.K {
		why = fmt.Sprintf("more than the scales of the %d components: U and W are not unique, or entries are degenerate.", d.K)
	}
	return f.LogY().Note(fmt.Sprintf("%d of the first and %d of the second are zero up to rounding, %s", d.Nullity, d.SupportNullity, why))
}
