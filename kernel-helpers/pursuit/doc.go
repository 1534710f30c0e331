// Package pursuit finds sparse coefficients s of a signal x in a dictionary A: x is close or equal to A s, and s has
// few nonzeros. Throughout, A is m×n with one column (atom) per coefficient and n may exceed m; x has m entries; a
// batch X is m×p with one signal per column, and S is n×p.
//
// # What is minimized
//
//	LinearProgram          c'z                        with A z = b, z >= 0
//	BasisPursuit           sum_j w_j |s_j|            with A s = x (optionally s >= 0)
//	Lasso, FISTA           ½‖x − A s‖² + alpha ‖s‖₁   (optionally s >= 0)
//	GradientDescent        the same as Lasso, by a fixed number of steps of fixed length
//
// Lasso and FISTA solve the same convex problem by very different methods and stop at the same duality gap, so each
// checks the other. BasisPursuit is the limit alpha -> 0 of Lasso if A s = x has a solution.
//
// # Two packages for the lasso
//
// Package sparseapprox solves the same problem far faster for many atoms: prefer it. Lasso itself uses sparseapprox for
// signals that have not reached the gap after 300 sweeps. Lasso and FISTA remain for four reasons:
//
//   - Package lewicki shows how slow plain coordinate sweeps are, and how much a step along a
//     null vector of dependent columns helps. sparseapprox would not show this: with its
//     working set and linear solves, it is done after two or three sweeps.
//   - The coding costs in package lewicki are those of lasso solutions stopped after a few sweeps. The costs depend on
//     when the sweeps are stopped. With coefficients from sparseapprox, in runs of the default (lecture) size, the
//     overcomplete basis was 4 percentage points cheaper, and the verdicts of package lewicki on three statements
//     changed.
//   - Gaps are computed from A instead of A'A, so smaller gaps can be reached for a small alpha.
//     Package lewicki checks the limit alpha -> 0 at an alpha of 1e-6 and a relative gap of 1e-12;
//     sparseapprox stalled before it reached that gap.
//   - FISTA, and Lasso where 300 sweeps suffice, share no code with sparseapprox. The tests of sparseapprox compare
//     its results with those of FISTA and Lasso. All gaps are computed here.
//
// # Basis pursuit, four ways
//
// BasisPursuit writes s = u − v with u, v >= 0 and calls LinearProgram, a primal-dual interior-point method.
// BasisPursuitEnumerate tries all choices of m columns. It is exact and takes exponential time; tests compare the
// other methods with it.
// Sectors is exact and fast for m = 2: the plane is divided into at most n pairs of opposite sectors, and inside a
// sector the same two columns are active, so a signal costs n scalar products. BasisPursuitBatch takes Sectors when m
// = 2 (and all weights are positive) and the interior-point method otherwise.
//
// # Invariants
//
// No input is modified. Results do not depend on the number of goroutines. The Gap of a result is a proved bound: the
// objective exceeds the optimum by no more than Gap (for basis pursuit up to the feasibility tolerance).
//
// LinearProgram and Sectors scale the rows and columns of A, so their units do not matter. A solution may have both
// large and small coefficients: at a vertex each is accurate to 1e-9 relative to its own size. Units do matter to
// Lasso and FISTA, because their loss is a sum over the rows: if rows differ by a factor of more than about 1e7, A'A
// loses the small rows, and the error says that the gap was missed. It is an error if squares of A's columns or of
// the signals leave float64's range.
//
// # Traps
//
// For a small alpha the penalty is a tiny part of ½‖x‖², so a gap must be relative to the objective. If it were
// relative to ½‖x‖², coordinate descent from 0 would stop with too many nonzeros. To reach such a gap, Lasso removes
// dependent columns from the support and finishes with a linear solve. FISTA removes no columns, solves directly only
// when it runs out of steps, and may need far more iterations than Lasso.
//
// The L1 solution need not be unique: with parallel columns, with columns that lie on one face of the convex hull of
// all ±a_j, or with zero weights, a whole face of coefficients is optimal. An interior-point method then ends in the
// middle of the face, with more than m nonzeros. LinearProgram therefore moves on to a vertex (Basic reports whether
// it succeeded). Two methods may still stop at different vertices, so compare objectives, not coefficients. A zero
// column keeps coefficient 0. Columns inside the hull of the other columns are never active.
//
// With s >= 0 a signal outside the cone of the columns has no exact representation: the status is Infeasible, and the
// error is nil.
//
// The plain gradient method does not produce zeros: the subgradient of |s| at 0 is not a proximal step, so
// coefficients oscillate around 0 by about step·alpha. It is here for comparison, as the method of a blog post that
// package lewicki examines.
package pursuit
