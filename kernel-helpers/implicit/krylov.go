package implicit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/internal/given"
)

// CG is the method of conjugate gradients, for A symmetric and positive definite.
// It stops with an error at a direction of zero or negative curvature. The zero
// value is ready to use.
type CG struct {
	Tolerance     float64 // bounds Report.Residual; 0: 1e-10
	MaxIterations int     // 0: 10 S + 10
}

// Solve implements Solver.
func (s *CG) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: CG.Solve", "a", a)
	n := size(a, b)
	rep := Report{Method: "CG"}
	tol, iterations, err := defaults(s.Tolerance, s.MaxIterations, n)
	if err != nil {
		return nil, rep, fmt.Errorf("CG: %w", err)
	}
	x, r, p, q := make([]float64, n), append([]float64(nil), b...), append([]float64(nil), b...), make([]float64, n)
	target := tol * norm(b) / 2 // the updated residual drifts from the true one
	rr := floats.Dot(r, r)
	for k := 0; k < iterations && math.Sqrt(rr) > target; k++ {
		a.Apply(q, p)
		rep.Products++
		curvature := floats.Dot(p, q)
		if !(curvature > 0) {
			rep.Residual = residual(a, x, b, nil)
			rep.Products++
			return nil, rep, fmt.Errorf("CG: curvature %.3g in iteration %d, residual %.3g: the matrix is not positive definite", curvature, k, rep.Residual)
		}
		alpha := rr / curvature
		floats.AddScaled(x, alpha, p)
		floats.AddScaled(r, -alpha, q)
		old := rr
		rr = floats.Dot(r, r)
		for i, v := range r { // p = r + β p
			p[i] = v + rr/old*p[i]
		}
	}
	return check(a, x, b, tol, rep)
}

// NormalCG is the method of conjugate gradients on A'A x = A'b, for any A, in the form that Björck calls CGLS. It
// starts at 0, so it finds the least-squares solution of least norm. Solve returns an error if ‖b − Ax‖/‖b‖ stays
// above the tolerance. If LeastSquares is set, only ‖A'(b − Ax)‖/‖A'b‖ must meet the tolerance. The Report has both
// numbers. The zero value is ready to use.
type NormalCG struct {
	Tolerance     float64 // bounds Report.Residual, or Report.Normal if LeastSquares is set; 0 means 1e-10
	MaxIterations int     // 0: 10 S + 10
	LeastSquares  bool    // accept a system that has no exact solution
}

// Solve implements Solver.
func (s *NormalCG) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: NormalCG.Solve", "a", a)
	n := size(a, b)
	rep := Report{Method: "normal CG"}
	tol, iterations, err := defaults(s.Tolerance, s.MaxIterations, n)
	if err != nil {
		return nil, rep, fmt.Errorf("normal CG: %w", err)
	}
	x, r := make([]float64, n), append([]float64(nil), b...)
	z, q := make([]float64, n), make([]float64, n)
	a.ApplyT(z, r)
	rep.Products++
	p, scale := append([]float64(nil), z...), norm(z)
	zz := floats.Dot(z, z)
	for k := 0; k < iterations && zz > 0; k++ {
		if math.Sqrt(zz) <= tol/2*scale && (s.LeastSquares || norm(r) <= tol/2*norm(b)) {
			break
		}
		a.Apply(q, p)
		qq := floats.Dot(q, q)
		if !(qq > 0) {
			break
		}
		alpha := zz / qq
		floats.AddScaled(x, alpha, p)
		floats.AddScaled(r, -alpha, q)
		a.ApplyT(z, r)
		rep.Products += 2
		old := zz
		zz = floats.Dot(z, z)
		for i, v := range z {
			p[i] = v + zz/old*p[i]
		}
	}
	rep.Residual = residual(a, x, b, r)
	a.ApplyT(z, r)
	rep.Products += 2
	if scale != 0 { // also for NaN, which must not pass for a solution
		rep.Normal = norm(z) / scale
	}
	off := rep.Residual
	if s.LeastSquares {
		off = rep.Normal
	}
	if !(off <= tol) {
		return nil, rep, fmt.Errorf("normal CG: residual %.3g, of the normal equations %.3g, tolerance %.3g: %w", rep.Residual, rep.Normal, tol, ErrResidual)
	}
	return x, rep, nil
}

// GMRES is the generalized minimum residual method of Saad and Schultz (1986),
// for any invertible A, restarted after Restart steps. The zero value is ready to use.
type GMRES struct {
	Tolerance     float64 // bounds Report.Residual; 0: 1e-10
	MaxIterations int     // products with A; 0: 10 S + 10
	Restart       int     // 0: the smaller of S and 50
}

// Solve implements Solver.
func (s *GMRES) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: GMRES.Solve", "a", a)
	n := size(a, b)
	rep := Report{Method: "GMRES"}
	tol, iterations, err := defaults(s.Tolerance, s.MaxIterations, n)
	if err != nil {
		return nil, rep, fmt.Errorf("GMRES: %w", err)
	}
	if s.Restart < 0 {
		return nil, rep, fmt.Errorf("GMRES: Restart is %d, must be positive", s.Restart)
	}
	m := s.Restart
	if m == 0 {
		m = 50
	}
	m = min(m, n)
	x, r := make([]float64, n), make([]float64, n)
	v := make([][]float64, m+1) // Arnoldi's basis, m+1 vectors of n
	h := make([][]float64, m)   // column k of the triangle R: k+1 numbers
	cs, sn := make([]float64, m), make([]float64, m)
	last := math.Inf(1)
	for {
		off := residual(a, x, b, r)
		rep.Products++
		if off <= tol || rep.Products >= iterations || !(off < last) {
			break
		}
		last = off
		g := make([]float64, m+1)
		g[0] = norm(r)
		v[0] = scaled(r, 1/g[0])
		k := 0
		for k < m && rep.Products < iterations && math.Abs(g[k]) > tol/2*norm(b) {
			w := make([]float64, n)
			a.Apply(w, v[k])
			rep.Products++
			h[k] = make([]float64, k+1)
			for range 2 { // Gram–Schmidt twice is enough (Kahan)
				for i := range k + 1 {
					d := floats.Dot(w, v[i])
					h[k][i] += d
					floats.AddScaled(w, -d, v[i])
				}
			}
			below := norm(w)
			for i := range k { // the rotations so far
				t := cs[i]*h[k][i] + sn[i]*h[k][i+1]
				h[k][i+1] = cs[i]*h[k][i+1] - sn[i]*h[k][i]
				h[k][i] = t
			}
			d := math.Hypot(h[k][k], below)
			if !(d > 0) { // A is singular on this space
				break
			}
			cs[k], sn[k] = h[k][k]/d, below/d
			h[k][k] = d
			g[k+1] = -sn[k] * g[k]
			g[k] *= cs[k]
			k++
			if below == 0 {
				break
			}
			v[k] = scaled(w, 1/below)
		}
		y := make([]float64, k)
		for i := k - 1; i >= 0; i-- { // R y = g
			y[i] = g[i]
			for j := i + 1; j < k; j++ {
				y[i] -= h[j][i] * y[j]
			}
			y[i] /= h[i][i]
			floats.AddScaled(x, y[i], v[i])
		}
	}
	return check(a, x, b, tol, rep)
}

func defaults(tolerance float64, iterations, n int) (float64, int, error) {
	if err := refuse(tolerance); err != nil {
		return 0, 0, err
	}
	if iterations < 0 {
		return 0, 0, fmt.Errorf("MaxIterations is %d, must be positive", iterations)
	}
	if tolerance == 0 {
		tolerance = 1e-10
	}
	if iterations == 0 {
		iterations = 10*n + 10
	}
	return tolerance, iterations, nil
}

func norm(x []float64) float64 { return floats.Norm(x, 2) }

func scaled(x []float64, a float64) []float64 {
	y := append([]float64(nil), x...)
	floats.Scale(a, y)
	return y
}
