// Package minimize passes a function and its gradient, both func literals, to gonum's optimize.Minimize.
package minimize

import "gonum.org/v1/gonum/optimize"

// Run minimizes a valley-shaped function of ten variables n times, from different starts. It returns the total number
// of calls of the function plus the sum of the minima.
func Run(n int) float64 {
	calls := 0
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			calls++
			f := 0.0
			for i := 0; i+1 < len(x); i++ {
				a, b := 1-x[i], x[i+1]-x[i]*x[i]
				f += a*a + 100*b*b
			}
			return f
		},
		Grad: func(grad, x []float64) {
			for i := range grad {
				grad[i] = 0
			}
			for i := 0; i+1 < len(x); i++ {
				a, b := 1-x[i], x[i+1]-x[i]*x[i]
				grad[i] += -2*a - 400*b*x[i]
				grad[i+1] += 200 * b
			}
		},
	}
	sum := 0.0
	for k := 0; k < n; k++ {
		start := make([]float64, 10)
		for i := range start {
			start[i] = float64((i+k)%5) * 0.2
		}
		result, err := optimize.Minimize(problem, start, nil, &optimize.BFGS{})
		if err != nil {
			panic(err)
		}
		sum += result.F
	}
	return sum + float64(calls)
}
