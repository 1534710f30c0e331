package s3c2011

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
)

// infer performs the E step for the rows of V; opt may be nil. If coordinate ascent stops before it has converged,
// infer returns the result so far. It panics on any other error.
func infer(ctx context.Context, m *s3c.Model, V mat.Matrix, opt *s3c.InferOptions) *s3c.Inference {
	r, err := m.Infer(ctx, V, opt)
	lab.Check(ended.Accept(err))
	return r
}

// one returns a schedule that has only update k of s.
func one(s s3c.Schedule, k int) s3c.Schedule {
	return s3c.Schedule{H: s.H[k : k+1], S: s.S[k : k+1], Rho: s.Rho}
}

// eachUpdate runs Algorithm 1 one update at a time. Before the first update and after each update, it calls fn with the
// number of updates so far, Q, and the energy of each patch.
func eachUpdate(ctx context.Context, m *s3c.Model, V mat.Matrix, schedule s3c.Schedule, fn func(made int, q *s3c.Posterior, energy []float64)) {
	n, _ := V.Dims()
	q := m.Prior(n)
	energy, err := m.Energy(V, q)
	lab.Check(err)
	fn(0, q, energy)
	for k := range schedule.H {
		r := infer(ctx, m, V, &s3c.InferOptions{Schedule: one(schedule, k), Init: q})
		fn(k+1, r.Q, r.Energy)
		q = r.Q
	}
}

// mean returns the mean of numbers.
func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}
