package implicit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/internal/given"
)

// LSMR is the method of D. Fong and M. Saunders, "LSMR: An iterative algorithm for sparse least-squares problems" (SIAM
// J. Sci. Comput. 33, 2011), for any A. In exact arithmetic it is MINRES on A'A x = A'b. So ‖A'(b − Ax)‖ falls in every
// iteration, whereas with NormalCG it goes up and down; LSMR can therefore be stopped earlier. LSMR starts at 0, so it
// finds the least-squares solution of least norm. It returns the same errors as NormalCG. The zero value is ready to
// use.
type LSMR struct {
	Tolerance     float64 // bounds Report.Residual, or Report.Normal if LeastSquares is set; 0 means 1e-10
	MaxIterations int     // each iteration takes two products; 0 means 10 times the dimension of A, plus 10
	LeastSquares  bool    // accept a system that has no exact solution
}

// Solve implements Solver.
func (s *LSMR) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: LSMR.Solve", "a", a)
	n := size(a, b)
	rep := Report{Method: "LSMR"}
	tol, iterations, err := defaults(s.Tolerance, s.MaxIterations, n)
	if err != nil {
		return nil, rep, fmt.Errorf("LSMR: %w", err)
	}
	x, r, z := make([]float64, n), append([]float64(nil), b...), make([]float64, n)
	a.ApplyT(z, b)
	rep.Products++
	normB, scale := norm(b), norm(z)
	// The recurrences drift from the true residual. So the residual is recomputed at the end of a run, and
	// the next run solves for what remains. x stays in the row space of A.
	last := math.Inf(1)
	for {
		rep.Residual = residual(a, x, b, r)
		a.ApplyT(z, r)
		rep.Products += 2
		off := rep.Residual
		if scale != 0 { // also for NaN, which must not pass for a solution
			rep.Normal = norm(z) / scale
		}
		if s.LeastSquares {
			off = rep.Normal
		}
		if off <= tol {
			return x, rep, nil
		}
		if iterations <= 0 || !(off < last/2) {
			break
		}
		last = off
		k := lsmr(a, x, r, iterations, func(normR, normAr, normA float64) bool {
			if s.LeastSquares {
				return normAr <= tol/2*scale
			}
			// Also stop at a least-squares solution that does not solve the system.
			return normR <= tol/2*normB || normAr <= 1e-15*normA*normR
		})
		rep.Products += 2*k + 1
		iterations -= k
	}
	return nil, rep, fmt.Errorf("LSMR: residual %.3g, of the normal equations %.3g, tolerance %.3g: %w", rep.Residual, rep.Normal, tol, ErrResidual)
}

// lsmr adds to x the solution that LSMR finds for the right-hand side b. It ends after the given number of iterations,
// or earlier if stop(‖r‖, ‖A'r‖, ‖A‖) returns true, where r is the residual and the norms are estimates. It returns the
// number of iterations. Symbols are those of section 2.8 of Fong and Saunders, with λ = 0.
func lsmr(a Operator, x, b []float64, iterations int, stop func(normR, normAr, normA float64) bool) int {
	n := len(b)
	u, v, w := append([]float64(nil), b...), make([]float64, n), make([]float64, n)
	beta := normalize(u) // β u = b
	if !(beta > 0) {
		return 0
	}
	a.ApplyT(v, u)
	alpha := normalize(v) // α v = A'u
	if !(alpha > 0) {
		return 0
	}
	h, hbar := append([]float64(nil), v...), make([]float64, n)
	alphaBar, zetaBar, zeta := alpha, alpha*beta, 0.0
	rho, rhoBar, cBar, sBar := 1.0, 1.0, 1.0, 0.0
	// for the estimate of ‖r‖, section 5.1
	betaDD, betaD, rhoD, tauTilde, thetaTilde := beta, 0.0, 1.0, 0.0, 0.0
	normA := alpha // Frobenius norm of the part of A seen so far
	for k := 1; ; k++ {
		a.Apply(w, v) // Golub and Kahan: β u = A v − α u, α v = A'u − β v
		for i, t := range w {
			u[i] = t - alpha*u[i]
		}
		beta = normalize(u)
		normA = math.Hypot(normA, beta)
		a.ApplyT(w, u)
		for i, t := range w {
			v[i] = t - beta*v[i]
		}
		alpha = normalize(v)

		rhoOld := rho // first rotation
		c, s, d := rotation(alphaBar, beta)
		rho = d
		thetaNew := s * alpha
		alphaBar = c * alpha

		rhoBarOld, zetaOld := rhoBar, zeta // second rotation
		thetaBar := sBar * rho
		cBar, sBar, rhoBar = rotation(cBar*rho, thetaNew)
		zeta = cBar * zetaBar
		zetaBar *= -sBar
		if !(rho > 0 && rhoBar > 0) { // the space is exhausted, or a product is NaN
			return k
		}

		f := thetaBar / rhoOld * (rho / rhoBarOld) // products could overflow
		for i, t := range h {
			hbar[i] = t - f*hbar[i]
		}
		floats.AddScaled(x, zeta/rho/rhoBar, hbar)
		f = thetaNew / rho
		for i, t := range v {
			h[i] = t - f*h[i]
		}

		betaHat := c * betaDD
		betaDD *= -s
		thetaTildeOld := thetaTilde
		cTilde, sTilde, rhoTilde := rotation(rhoD, thetaBar)
		thetaTilde, rhoD = sTilde*rhoBar, cTilde*rhoBar
		betaD = -sTilde*betaD + cTilde*betaHat
		tauTilde = (zetaOld - thetaTildeOld*tauTilde) / rhoTilde
		tauD := (zeta - thetaTilde*tauTilde) / rhoD
		normR := math.Hypot(betaD-tauD, betaDD)
		normA = math.Hypot(normA, alpha)

		if k >= iterations || !(alpha > 0) || !(beta > 0) || stop(normR, math.Abs(zetaBar), normA) {
			return k
		}
	}
}

// normalize scales x to length 1 and returns its previous length. A zero vector stays zero.
func normalize(x []float64) float64 {
	d := norm(x)
	if d > 0 {
		floats.Scale(1/d, x)
	}
	return d
}

// rotation returns c, s and r with (c s; −s c)(a b)' = (r 0)'.
func rotation(a, b float64) (c, s, r float64) {
	if r = math.Hypot(a, b); r == 0 {
		return 1, 0, 0
	}
	return a / r, b / r, r
}
