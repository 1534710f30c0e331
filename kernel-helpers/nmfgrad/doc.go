// Package nmfgrad differentiates a nonnegative matrix factorisation, and nonnegative
// least squares, with respect to the data: implicitly, from the solution alone,
// whatever solver found it. Every function is about a point that solves
//
//	min ½‖A − UW'‖²   over U ≥ 0 (n×k), W ≥ 0 (d×k),   A n×d,
//
// with the multipliers Ū = (UW'−A)W and W̄ = (WU'−A')U.
//
//	p, err := nmfgrad.At(A, U, W, nmfgrad.Options{})   // checks that it is a solution
//	gA, rep, err := p.VJPProduct(ctx, G)               // G = ∂l/∂(UW'), gA = ∂l/∂A
//
//	p, err = nmfgrad.At(A, U, W, nmfgrad.Options{Gauge: nmfgrad.UnitW})
//	gA, rep, err = p.VJP(ctx, gU, gW)                  // any function of U and W
//	dU, dW, rep, err := p.JVP(ctx, dA)
//
//	r, err := nmfgrad.FixedW(A, U, W, nmfgrad.Options{}) // concepts fixed
//	gA, gW, residual, err := r.VJP(gU)
//
// Block and RowsBlock do the same inside a network, as operations of package tape.
//
// # Files, in reading order
//
//	kkt.go        the KKT map F and its Jacobian; the null directions
//	gauge.go      what fixes the scales of the components
//	support.go    the Hessian on the free entries: the system that is solved
//	blocks.go     its preconditioner, and the solver of the rows with W fixed
//	point.go      At: is it a solution, which entries are free, which degenerate
//	derive.go     VJP, JVP, Unique
//	fixed.go      FixedW
//	tapeblock.go  operations on a tape
//	diagnose.go   the Jacobian of a small problem, and what solvers make of it
//	unroll.go     the other way: reverse mode through all iterations
//	compare.go    what both cost
//
// Package nmfgradplot draws.
//
// # The KKT map, and why it cannot be inverted
//
// The usual account (M. Blondel et al., Efficient and modular implicit
// differentiation, NeurIPS 2022; T. Fel et al., CRAFT, CVPR 2023, appendix C) stacks
// the KKT conditions of the two least-squares problems,
//
//	F((U, W, Ū, W̄), A) = ((UW'−A)W − Ū, (WU'−A')U − W̄, Ū∘U, W̄∘W) = 0,
//
// and goes on: ∂(U, W, Ū, W̄)/∂A = −(∂₁F)⁻¹∂₂F, by conjugate gradients. F is right; the
// rest is not, twice.
//
// There is no inverse. For every positive diagonal D, (UD, WD⁻¹) is a solution too. So
// J = ∂₁F has at every solution the k null directions
//
//	z_j = (u_j, −w_j, −ū_j, w̄_j) in column j, zero elsewhere,   J z_j = 0,
//
// and J' has as many. "The derivative of U" does not exist before something fixes
// the scales.
//
// Conjugate gradients need a symmetric matrix that is positive definite, or
// semidefinite with a right side in its range. J is neither symmetric nor definite.
// Run on J or J', the method finds a direction without positive curvature and stops,
// or fails to converge. Diagnose shows all of this for a problem in hand: singular
// values, asymmetry, and the solvers of package implicit side by side.
//
// # What is done instead
//
// On the support. Let 𝓕 be the free entries, those with u_ij > 0 or w_ij > 0. Where the
// others have positive multipliers they stay zero when A changes a little, and the
// multipliers of 𝓕 stay zero: F reduces to
//
//	H_𝓕𝓕 (dU, dW)_𝓕 = (dA W, dA'U)_𝓕,   H the Hessian of ½‖A − UW'‖²,
//	H (P, Q) = (P W'W + U Q'W + R Q,  Q U'U + W P'U + R'P),   R = UW' − A.
//
// It is symmetric and at a local minimum positive semidefinite, with the null
// directions (u_j, −w_j). The right side is orthogonal to them, and so is the gradient
// of every function that does not see D: the system is consistent, and here conjugate
// gradients are valid. This is the fast path, the default: few unknowns, no multipliers,
// the blocks (W'W)_SS and (U'U)_SS of each row as preconditioner. Nothing is stored but
// a few vectors and R.
//
// The gauge. A function of UW' has one derivative and needs no choice. Any other needs
// a Gauge: unit columns of W, say. Along z_j a solution of the system is moved onto the
// gauge's tangent, dx − z_j (a_j'dx)/(a_j'z_j), and a gradient by the transpose, before
// the solve: exactly the derivative of normalised factors, at no cost. (The same as
// the solve: exactly the derivative of normalised factors, at no cost. (Extra
// equations in the system do the same; a test compares.) Without a gauge, VJP refuses a
// gradient that depends on D: ErrGauge. A least-norm solution is also a choice: it has
// the gauge Balanced, which keeps ‖u_j‖² − ‖w_j‖².
//
// The full map. Options{System: Full} solves all of F with LSMR, or with another solver
// of package implicit that does not mind singular matrices (normal CG; GMRES mostly).
// It gives the same gradients, from several times as many unknowns and products: of a
// 6×5 matrix with 3 components 66 unknowns and 898 products instead of 25 and 27. With
// 300×200 and 8 components LSMR has not converged after 160000 products, where CG on
// the support takes 40, and 950 without its preconditioner (BenchmarkImplicit); with a
// residual of 0.005 its gradient was off by half. The full map serves for comparison.
//
// Every derivative comes with a Report: the linear solver's residual, and that of the
// system itself, calculated at the end. A system that was not solved is an error.
//
// # Traps
//
// from that on the other. Such entries are found and listed, and they are an error unless
// Options.Degenerate chooses a side: with KeepZero the entry stays zero, with LetFree it
// becomes positive. With several of them these are two of many one-sided derivatives.
// becomes positive. With several of them these are two of many one-sided derivatives.
// Rows of A that are zero (a sample without activation) have degenerate rows of U.
// All zeros of an exact factorisation A = UW' are degenerate, since R = 0: planted
// data without noise are a bad example.
//
// More freedom than scales. If the best matrix of rank k is itself nonnegative, which
// is common for k = 2 and for data with few zeros, the constraints do not bind: UW' is
// the truncated singular value decomposition, and U and W can be mixed by every k×k
// matrix near I, until an entry meets zero, with multiplier 0 all the same. Then
// shows in degenerate entries, and in Unique. If KeepZero and LetFree lead to the same
// gradient of a function of UW', it is the derivative. JVP in a gauge calls
// Unique first, since a singular system with a right side in its range would be solved
// without an error. VJP needs no such check, as its right side is not in the range.
// without a word; VJP finds out by itself, as its right side is not in the range.
//
// A small residual of the linear system is not a small error of the gradient: J of the
// full map is badly scaled, and H is where two components are nearly alike. Do not
// loosen a solver's tolerance to make an error go away.
// Not converged. A gradient at a point that is not a solution is wrong in proportion to
// the residual of the KKT conditions, and to the inverse of the smallest singular value.
// At measures the residual in units that do not depend on those of A, and refuses a point
// above Options.Tolerance. Multiplicative updates converge slowly and only approach zeros.
// Nothing needs to be rounded for At: an entry is free if its value exceeds
// its multiplier, both in those units.
// its multiplier, both in those units.
//
// Saddles are stationary as well. CG reports a negative curvature if it meets one.
// Local minima. The derivative is that of the solution as it moves with A, not of the
// best of several starts. Where a solver jumps to another minimum there is no derivative.
// To check by differences, start the solver from the solution.
// For a check by differences begin the solver from the solution.
//
// The objective at its minimum has the gradient −(UW' − A) in A (the envelope theorem):
// nothing flows through U and W. VJPProduct returns zero for G = UW' − A.
//
// # Fixed concepts
//
// With W fixed (the coefficients of new activations in known concepts), each row of U is
// a problem of its own, and its derivative a k×k system on its support: (W'W)_SS, by
// Cholesky, one factor for all rows with the same support. Exact, without gauge and
// without iterations. W may have any sign there.
//
// # Cost
//
// Unrolling T iterations keeps T+1 iterates, (T+1)(n+d)k numbers, and the walk back
// takes two to five times as long as the iterations. The implicit gradient keeps R, both
// factors and their multipliers, while it solves a few vectors of the solver, and takes
// the products of one linear solve, whatever T was. Compare measures both, and their
// errors against the iterations made: with both updates the unrolled gradient lagged
// behind, by a factor of 2 to 20.
package nmfgrad
