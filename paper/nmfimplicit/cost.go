package nmfimplicit

import (
	"fmt"
	"math"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nmfgrad/nmfgradplot"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// Costs measures the time and memory of a gradient as the number of iterations grows. It computes the
// gradient in two ways: through all iterations, and implicitly.
func (l *Lab) Costs() *figure.Grid {
	rng := l.stream(40)
	n, d, k := l.Pick(40, 120, 200), l.Pick(30, 80, 120), l.Pick(3, 5, 6)
	iterations := []int{10, 30, 100, 300, 1000}
	if l.Size == record.Smoke {
		iterations = []int{10, 30, 100, 300}
	}
	A := drawNoisy(rng, n, d, k)
	U0, W0, G := drawSparse(rng, n, k, 0), drawSparse(rng, d, k, 0), drawNormal(rng, n, d)
	// Start below the data. From above, coordinate descent would set the first column to zero at once.
	U0.Scale(0.4, U0)
	c := must.Get(nmfgrad.Compare(l.Context(), A, U0, W0, G, iterations, nmfgrad.HALS))
	first, last := c.Costs[0], c.Costs[len(c.Costs)-1]
	data := record.Generated(fmt.Sprintf("a %d × %d matrix in %d components, %d to %d iterations of coordinate descent", n, d, k, first.Iterations, last.Iterations))
	whole := float64((n+d)*k) * float64(n*d)
	l.Row(record.Row{
		ID: "no-whole-jacobian", What: "numbers stored for the implicit gradient, as a fraction of the entries of the full Jacobian of U and W with respect to A",
		Published: post.Quote("It calculates these Jacobians without explicitly forming the entire Jacobian matrix.", implicitly),
		Measured:  record.Number(float64(last.ImplicitFloats)/whole, ""), Rule: record.AtMost(0.05), Data: data, Figure: "costs",
		Reason: fmt.Sprintf("%d against %.3g numbers. The gradient of a scalar takes one linear system, solved with %d matrix-vector products", last.ImplicitFloats, whole, last.Products),
	})
	timed := record.Times(data)
	slower := record.Row{
		ID: "unrolled-slower", What: "time of the unrolled gradient divided by that of the implicit gradient, at the largest number of iterations",
		Measured: record.Number(last.Unrolled/last.Implicit, "times"), Rule: record.AtLeast(1), Data: timed, Figure: "costs", Repeat: 1e4,
		Reason: "each time is the shortest of three runs",
	}
	accurate := record.Row{
		ID: "implicit-accurate", What: "relative error of the implicit gradient at the largest number of iterations",
		Measured: record.Number(last.ImplicitError, ""), Rule: record.AtMost(1e-2), Data: data, Figure: "costs", Repeat: 1e-2,
		Reason: fmt.Sprintf("relative error of the unrolled gradient: %.1g; KKT residual %.1g", last.UnrolledError, last.KKT),
	}
	if math.IsNaN(last.ImplicitError) {
		why := fmt.Sprintf("the last iterate (KKT residual %.1g) is too far from a solution for an implicit gradient", last.KKT)
		for _, r := range []*record.Row{&slower, &accurate} {
			r.Measured, r.Rule, r.Reason = record.Value{}, record.NoData(why), ""
		}
	}
	l.Row(slower)
	l.Row(accurate)
	g := nmfgradplot.Comparison(c)
	l.Save("costs", fmt.Sprintf("Time of the backward pass on this machine, memory kept for it, and error relative to the gradient at the solution. Missing implicit gradients were refused: far from the solution, the linear system need not be positive semidefinite. Data: %v.", data), g)
	return g
}
