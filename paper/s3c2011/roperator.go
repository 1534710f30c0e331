package s3c2011

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/record"
)

// A HessianLine holds the cost per patch of solving for ŝ by conjugate gradients, for one number of units.
type HessianLine struct {
	Units    int
	Steps    float64 // mean number of steps of conjugate gradients
	Formed   float64 // µs per patch, with the Hessian as a matrix
	Operator float64 // µs per patch, using only products with W and W'
	Abreast  float64 // the same as Operator, but for all patches at once
	Ratio    float64 // Formed divided by Operator
	Numbers  int     // numbers in the formed Hessian
}

// ROperator measures how much time is saved by not forming the Hessian. Let y = √ĥ∘ŝ and γ_i = α_i + W_i'βW_i, as in
// package s3c. The terms of the energy that contain ŝ are −½y'Ay + b'y, where
//
//	A = diag(√ĥ) W'βW diag(√ĥ) + diag(γ_i − ĥ_i W_i'βW_i),   b = √ĥ∘(W'βv + αμ).
//
// Each patch has its own A, because ĥ depends on the patch. The R operator multiplies the first term of A by a vector
// p as √ĥ∘(W'(β(W(√ĥ∘p)))). These are two products with W, which take 4DN operations. If A is formed, the product
// takes 2N² operations, and the N² numbers of A must be written first, for each patch. The time for W'βW, which all
// patches share, is not counted.
func (l *Lab) ROperator() []HessianLine {
	whole, V := l.Model(), l.HeldOut(10)
	d, N := whole.Dims()
	var lines []HessianLine
	worst := 0.0
	for n := N; n >= max(20, N/8); n /= 2 {
		l.Heed()
		line, apart := measureHessian(l.Context(), part(whole, n), V)
		lines = append([]HessianLine{line}, lines...)
		worst = max(worst, apart)
	}
	last := lines[len(lines)-1]
	row := record.Row{ID: "r-operator", What: fmt.Sprintf("solving for ŝ of a patch by conjugate gradients, %d units: time with the explicit Hessian divided by time with the R operator", N),
		Published: record.Text("by using the R-operator to perform Hessian-vector products rather than computing the entire Hessian explicitly", variational),
		Data:      record.Times(l.Photographs().Data)}
	if why := l.smaller(); why != "" {
		row.Rule = record.NoData(fmt.Sprintf("a product with the explicit Hessian takes fewer multiplications only if there are fewer than %d units, twice the dimension of a patch; %s", 2*d, why))
	} else {
		row.Measured, row.Rule, row.Repeat = record.Number(last.Ratio, "times"), record.AtLeast(1), 1e4
		row.Reason = fmt.Sprintf("%.3g and %.3g µs per patch, shortest of three runs; %.3g steps to a relative residual of 0.01; %.3g µs with all patches at once. The Hessian has %.3g million entries per patch", last.Formed, last.Operator, last.Steps, last.Abreast, 1e-6*float64(last.Numbers))
	}
	l.Claim(row)
	l.Row(record.Row{ID: "r-operator-same", What: "√ĥ∘ŝ by the R operator and by the explicit Hessian, both to a relative residual of 1e-10: relative difference",
		Measured: record.Number(worst, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: l.Photographs().Data, Reason: "largest over patches and numbers of units"})
	return lines
}

// part returns a model that has only the first n units of m.
func part(m *s3c.Model, n int) *s3c.Model {
	p := m.Clone()
	d, _ := m.Dims()
	p.W = mat.DenseCopyOf(m.W.Slice(0, d, 0, n))
	p.Bias, p.Mu, p.Alpha = p.Bias[:n], p.Mu[:n], p.Alpha[:n]
	return p
}

// measureHessian measures the costs in a HessianLine for the model m and the patches V. It also computes y = √ĥ∘ŝ with
// and without a formed Hessian, both iterated to a tolerance of 1e-10. The result apart is the largest distance between
// these two solutions for a patch, relative to their norm.
func measureHessian(ctx context.Context, m *s3c.Model, V *mat.Dense) (line HessianLine, apart float64) {
	patches, _ := V.Dims()
	_, N := m.Dims()
	G := gramOf(m)
	h := infer(ctx, m, V, nil).Q.H() // n×N
	root := mat.NewDense(patches, N, nil)
	root.Apply(func(k, i int, _ float64) float64 { return math.Sqrt(h.At(k, i)) }, root)
	diagonal := mat.NewDense(patches, N, nil)
	diagonal.Apply(func(k, i int, _ float64) float64 { return m.Alpha[i] + G.At(i, i)*(1-h.At(k, i)) }, diagonal)
	b := scaledBeta(m, V)
	var right mat.Dense
	right.Mul(b, m.W) // (n×D)(D×N)
	right.Apply(func(k, i int, x float64) float64 { return root.At(k, i) * (x + m.Alpha[i]*m.Mu[i]) }, &right)

	one := func(X *mat.Dense, k int) *mat.Dense { return X.Slice(k, k+1, 0, N).(*mat.Dense) }
	formed := func(tolerance float64) (y *mat.Dense, steps int) {
		y = mat.NewDense(patches, N, nil)
		A := mat.NewDense(N, N, nil)
		for k := range patches {
			g, a := root.RawRowView(k), diagonal.RawRowView(k)
			for i := range N {
				row := A.RawRowView(i)
				floats.MulTo(row, G.RawRowView(i), g)
				floats.Scale(g[i], row)
				row[i] += a[i]
			}
			// A is symmetric, so A.T() is A.
			steps += conjugateGradients(one(y, k), one(&right, k), tolerance, func(dst, p *mat.Dense) { dst.Mul(p, A.T()) })
		}
		return y, steps
	}
	operator := func(tolerance float64, abreast bool) (y *mat.Dense) {
		y = mat.NewDense(patches, N, nil)
		apply := func(g, a *mat.Dense) func(dst, p *mat.Dense) {
			var hp, ap, r mat.Dense
			return func(dst, p *mat.Dense) {
				hp.MulElem(g, p)
				r.Mul(&hp, m.W.T()) // (n×N)(N×D)
				dst.Mul(scaledBeta(m, &r), m.W)
				dst.MulElem(dst, g)
				ap.MulElem(a, p)
				dst.Add(dst, &ap)
			}
		}
		if abreast {
			conjugateGradients(y, &right, tolerance, apply(root, diagonal))
			return y
		}
		for k := range patches {
			conjugateGradients(one(y, k), one(&right, k), tolerance, apply(one(root, k), one(diagonal, k)))
		}
		return y
	}
	micro := func(f func()) float64 {
		least := math.Inf(1)
		for range 3 {
			begin := time.Now()
			f()
			least = min(least, time.Since(begin).Seconds())
		}
		return 1e6 * least / float64(patches)
	}
	steps := 0
	line = HessianLine{Units: N, Numbers: N * N,
		Formed:   micro(func() { _, steps = formed(1e-2) }),
		Operator: micro(func() { operator(1e-2, false) }),
		Abreast:  micro(func() { operator(1e-2, true) }),
	}
	line.Steps, line.Ratio = float64(steps)/float64(patches), line.Formed/line.Operator
	x, _ := formed(1e-10)
	y := operator(1e-10, false)
	for k := range patches {
		apart = max(apart, floats.Distance(x.RawRowView(k), y.RawRowView(k), 2)/floats.Norm(x.RawRowView(k), 2))
	}
	return line, apart
}

// gramOf returns W'βW (N×N).
func gramOf(m *s3c.Model) *mat.Dense {
	var G mat.Dense
	G.Mul(scaledBeta(m, m.W.T()), m.W) // (N×D)(D×N)
	return &G
}

// scaledBeta returns X (n×D) with each row multiplied elementwise by β.
func scaledBeta(m *s3c.Model, X mat.Matrix) *mat.Dense {
	var Y mat.Dense
	Y.Apply(func(_, d int, x float64) float64 { return m.Beta[min(d, len(m.Beta)-1)] * x }, X)
	return &Y
}

// conjugateGradients solves n symmetric linear systems at once. The matrix right holds the right side of system k in
// its row k, and row k of y becomes the solution of system k; y (n×N) must be 0 at the start. apply multiplies each row
// of p by the matrix of that row's system and stores the products in dst. A system is solved when the norm of its
// residual is at most tolerance times the norm of its right side. conjugateGradients returns the number of steps until
// all are solved, at most 10N.
func conjugateGradients(y, right *mat.Dense, tolerance float64, apply func(dst, p *mat.Dense)) (steps int) {
	n, N := y.Dims()
	residual, p, q := mat.DenseCopyOf(right), mat.DenseCopyOf(right), mat.NewDense(n, N, nil)
	rr, target := make([]float64, n), make([]float64, n)
	for k := range n {
		rr[k] = floats.Dot(residual.RawRowView(k), residual.RawRowView(k))
		target[k] = tolerance * tolerance * rr[k]
	}
	for ; steps < 10*N; steps++ {
		left := 0
		for k := range n {
			if rr[k] <= target[k] {
				clear(p.RawRowView(k)) // this row is solved and takes no further steps
				continue
			}
			left++
		}
		if left == 0 {
			break
		}
		apply(q, p)
		for k := range n {
			curvature := floats.Dot(p.RawRowView(k), q.RawRowView(k))
			if curvature == 0 {
				continue
			}
			a, r := rr[k]/curvature, residual.RawRowView(k)
			floats.AddScaled(y.RawRowView(k), a, p.RawRowView(k))
			floats.AddScaled(r, -a, q.RawRowView(k))
			old := rr[k]
			rr[k] = floats.Dot(r, r)
			floats.AddScaledTo(p.RawRowView(k), r, rr[k]/old, p.RawRowView(k))
		}
	}
	return steps
}
