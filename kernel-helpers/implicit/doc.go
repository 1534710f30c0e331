// Package implicit differentiates the solution s of F(s, θ) = 0 with respect to θ, however s was found. A Condition
// describes how F reacts to small changes in s and θ, and a Solver, which the caller supplies, solves a linear system.
// The derivatives are
//
//	JVP   ds = −J_s⁻¹ (J_θ dθ)          the change of s for a change dθ
//	VJP   dl/dθ = −J_θ' u,  J_s' u = dl/ds   the gradient of a scalar l(s)
//
// with J_s = ∂F/∂s (S×S) and J_θ = ∂F/∂θ (S×T). Only products of vectors with J_s, J_θ and their transposes are
// needed. The design, in which F describes the solution and any solver may find it, comes from M. Blondel et al.,
// Efficient and modular implicit differentiation (NeurIPS 2022).
//
//	g, rep, err := implicit.VJP(cond, gs, &implicit.CG{})
//
// # Files, in reading order
//
//	implicit.go   Condition, VJP, JVP
//	solver.go     Solver, Report, and the dense solvers
//	krylov.go     CG, NormalCG, GMRES
//	lsmr.go       LSMR
//
// # Which solver
//
//	Cholesky   J_s symmetric positive definite, S up to a thousand or so
//	LU         any invertible J_s of that size
//	CG         J_s symmetric positive definite, any size: Hessians of convex problems
//	GMRES      any invertible J_s, any size
//	NormalCG   any J_s, even singular or ill-posed: the least-squares solution
//	           of least norm; the condition number enters squared
//	LSMR       NormalCG's solution; the residual of the normal equations falls in
//	           every iteration, so it can be stopped early with less error
//
// CG does not detect an asymmetric matrix. But like all solvers here it recomputes the residual at the end, and returns
// an error if the solution is wrong.
//
// # Traps
//
// s must solve F = 0. Otherwise the formulas are wrong by an amount proportional to ‖F‖.
//
// F must be differentiable at s. With an L1 penalty, F is not differentiable with respect to the zeros of s: leave the
// zeros out of F, as the package's Example does. If F has all coefficients of a lasso with the matrix A, the smooth
// part of F has the Jacobian J_s = A'A. This Jacobian is singular if A is overcomplete, and a solver's answer is then
// unrelated to the derivative. An empty support is a Condition with no unknowns: VJP and JVP return its derivative, 0.
//
// A solution that is not unique (scales of a factorization, signs) makes J_s singular. NormalCG and LSMR then return
// the derivative of least norm. Functions that do not depend on the ambiguity have a unique derivative all the same.
package implicit
