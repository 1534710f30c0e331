// Package nmfgrad differentiates a nonnegative matrix factorization, and nonnegative least squares, with respect to
// the data: implicitly, from the solution alone, whichever solver found it. Every function takes a point that solves
//
//	min ½‖A − UW'‖²   over U ≥ 0 (n×k), W ≥ 0 (d×k),   A n×d,
//
// with the multipliers Ū = (UW'−A)W and W̄ = (WU'−A')U.
//
//	p, err := nmfgrad.PointAt(A, U, W, &nmfgrad.Options{})   // checks that it is a solution
//	gA, rep, err := p.VJPProduct(ctx, G)               // G = ∂l/∂(UW'), gA = ∂l/∂A
//
//	p, err = nmfgrad.PointAt(A, U, W, &nmfgrad.Options{Gauge: nmfgrad.UnitW})
//	gA, rep, err = p.VJP(ctx, gU, gW)                  // any function of U and W
//	dU, dW, rep, err := p.JVP(ctx, dA)
//
//	r, err := nmfgrad.RowsAt(A, U, W, &nmfgrad.Options{}) // concepts fixed
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
//	point.go      PointAt: is it a solution, which entries are free, which degenerate
//	derive.go     VJP, JVP, Unique
//	fixed.go      RowsAt
//	tapeblock.go  operations on a tape
//	diagnose.go   the Jacobian of a small problem, and how solvers do on it
//	unroll.go     the other approach: reverse mode through all iterations
//	compare.go    what the two approaches cost
//
// Package nmfgradplot draws.
//
// # The KKT map, and why it cannot be inverted
//
// The usual account (M. Blondel et al., Efficient and modular implicit differentiation, NeurIPS 2022; T. Fel et al.,
// CRAFT, CVPR 2023, appendix C) stacks the KKT conditions of the two least-squares problems,
//
//	F((U, W, Ū, W̄), A) = ((UW'−A)W − Ū, (WU'−A')U − W̄, Ū∘U, W̄∘W) = 0,
//
// and concludes that ∂(U, W, Ū, W̄)/∂A = −(∂₁F)⁻¹∂₂F, to be computed by conjugate gradients. F is right; the
// conclusion is wrong for two reasons.
//
// First, there is no inverse. For every positive diagonal D, (UD, WD⁻¹) is a solution too. So at every solution J
// = ∂₁F has the k null directions
//
//	z_j = (u_j, −w_j, −ū_j, w̄_j) in column j, zero elsewhere,   J z_j = 0,
//
// and J' has as many null directions. "The derivative of U" is undefined until something fixes the scales.
//
// Second, conjugate gradients need a symmetric matrix that is positive definite, or semidefinite with the right-hand
// side in its range. J is neither symmetric nor definite. Run on J or J', the method finds a direction without
// positive curvature and stops, or fails to converge. DiagnoseAt shows all of this for a given problem: singular
// values, asymmetry, and how each solver of package implicit does.
//
// # The solution
//
// The support. Let 𝓕 be the free entries, those with u_ij > 0 or w_ij > 0. If the other entries have positive
// multipliers, they stay zero when A changes a little, and the multipliers of 𝓕 stay zero. F reduces to
//
//	H_𝓕𝓕 (dU, dW)_𝓕 = (dA W, dA'U)_𝓕,   H the Hessian of ½‖A − UW'‖²,
//	H (P, Q) = (P W'W + U Q'W + R Q,  Q U'U + W P'U + R'P),   R = UW' − A.
//
// H_𝓕𝓕 is symmetric, and positive semidefinite at a local minimum, with the null directions (u_j, −w_j). The
// right-hand side is orthogonal to these directions, and so is the gradient of every function that does not depend on
// D. So the system is consistent, and conjugate gradients are valid here. This is the fast path and the default: few
// unknowns and no multipliers. The preconditioner consists of a block for each row: (W'W)_SS for a row of U, and
// (U'U)_SS for a row of W, where S is the support of the row. Only a few vectors and R are stored.
//
// The gauge. A function of UW' has a unique derivative without any choice of scales. Any other function needs a Gauge,
// for instance unit columns of W. Now let z_j = (u_j, −w_j), and let a_j be the gradient of the quantity that the gauge
// fixes for component j. A solution dx of the system is projected along the z_j onto the gauge's tangent: for each j,
// z_j (a_j'dx)/(a_j'z_j) is subtracted. A gradient is projected by the transpose, before the solve. The result is
// exactly the derivative of normalized factors, and the projections cost almost nothing. (Adding the gauge to the
// system as equations gives the same result, as a test shows.) Without a gauge, VJP returns ErrGauge for a function
// that depends on D. A least-norm solution is also a choice: it has the gauge Balanced, which keeps ‖u_j‖² − ‖w_j‖².
//
// The full map. &Options{System: Full} solves all of F with LSMR, or with another solver of package implicit that
// tolerates singular matrices (CG on the normal equations, and usually GMRES). It gives the same gradients with
// several times as many unknowns and products. For a 6×5 matrix with 3 components, it has 66 unknowns and takes 898
// products; the support has 25 unknowns and takes 27 products. For a 300×200 matrix with 8 components, LSMR had not
// converged after 160000 products. Its residual was then 0.005, and the gradient was off by half. On the support, CG
// takes 40 products for this matrix, or 950 without the preconditioner (BenchmarkImplicit). The full map is
// provided for comparison.
//
// Every derivative comes with a Report: the linear solver's residual, and the residual of the system itself, computed
// at the end. An unsolved system is an error.
//
// # Traps
//
// Degenerate entries have value 0 and multiplier 0. Their derivatives on the two sides differ. PointAt lists these
// entries and returns an error unless Options.Degenerate chooses a side: with KeepZero the entry stays zero, with
// LetFree it becomes positive. With several degenerate entries, KeepZero and LetFree give two of many one-sided
// derivatives. If a row of A is zero (a sample without activation), the same row of U is degenerate. All zeros of an
// exact factorization A = UW' are degenerate, because R = 0. So data generated as UW' make a bad example unless noise
// is added.
//
// More freedom than scales. If the best matrix of rank k is itself nonnegative, which is common for k = 2 and for data
// with few zeros, the constraints do not bind. UW' is then the truncated singular value decomposition, and U and W can
// be mixed by any k×k matrix near I until an entry reaches zero, still with multiplier 0. Then functions of UW' have a
// derivative, but U and W have none in any gauge. Such a point has degenerate entries, and Unique returns false. If
// KeepZero and LetFree lead to the same gradient of a function of UW', that gradient is the derivative. JVP in a gauge
// calls Unique first, because a singular system with its right-hand side in the range would be solved without an
// error. VJP needs no such check: if a function has no derivative, the right-hand side is not in the range, and the
// solver reports an error.
//
// A small residual of the linear system does not mean a small error of the gradient: J of the full map is badly
// scaled, and so is H if two components are nearly equal. Do not loosen a solver's tolerance to get rid of an error.
//
// A gradient at a point that is not a solution is wrong in proportion to the residual of the KKT conditions, and to the
// inverse of the smallest singular value. PointAt measures this residual in units that do not depend on the units of A,
// and returns an error if the residual exceeds Options.Tolerance. Multiplicative updates converge slowly and only
// approach zeros. Near-zeros need not be rounded before PointAt is called. PointAt treats an entry as free if its value
// exceeds its multiplier, both in the units of the residual.
//
// Saddles are stationary as well. CG reports any negative curvature that it meets.
//
// The derivative follows one local minimum as it moves with A, not the best of several starts. Where a solver jumps to
// another minimum there is no derivative. To check by finite differences, start the solver from the solution.
//
// The objective at its minimum has the gradient −(UW' − A) in A (the envelope theorem): no gradient flows through U
// and W. VJPProduct returns zero for G = UW' − A.
//
// # Fixed concepts
//
// With W fixed (the coefficients of new activations in known concepts), each row of U is a separate problem. Its
// derivative solves a k×k system on its support, (W'W)_SS, by Cholesky, with one factor for all rows with the same
// support. The derivative is exact and needs neither a gauge nor iterations. W may have any sign.
//
// # Cost
//
// Unrolling T iterations keeps T+1 iterates, (T+1)(n+d)k numbers, and the backward pass takes two to five times as
// long as the iterations. The implicit gradient keeps R, both factors, their multipliers and a few vectors of the
// solver. It takes the products of one linear solve, regardless of T. Compare measures both, and their errors as a
// function of the number of iterations. For the updates HALS and Multiplicative alike, the error of the unrolled gradient was 2
// to 20 times that of the implicit gradient.
package nmfgrad
