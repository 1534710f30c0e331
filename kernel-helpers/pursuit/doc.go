// Package pursuit finds sparse coefficients s of a signal x in a dictionary A:
// x is close or equal to A s, with few nonzero s. Throughout, A is m×n with
// one column (atom) per coefficient and n may exceed m; x has m entries; a
// batch X is m×p with one signal per column, and S is n×p.
//
// # What is minimised
//
//	LinearProgram          c'z                        with A z = b, z >= 0
//	BasisPursuit           sum_j w_j |s_j|            with A s = x (optionally s >= 0)
//	Lasso, FISTA           ½‖x − A s‖² + alpha ‖s‖₁   (optionally s >= 0)
//	GradientDescent        the same as Lasso, by a fixed number of fixed steps
//
// Lasso and FISTA are very different methods for the same convex problem and stop at
// the same duality gap, so each checks the other. BasisPursuit is the limit
// alpha -> 0 of Lasso wherever A s = x has a solution.
//
// # Two packages for the lasso
//
// Package sparseapprox solves the same problem for many atoms far faster: use it.
// Lasso and FISTA stay here, for four reasons:
//
//   - Package lewicki shows how plain coordinate sweeps creep, and what the step along
//     a dependent direction does. sparseapprox, with its working set and linear
//     solves, is done after two or three sweeps.
//   - Lewicki's coding costs are those of lassos cut off after a few sweeps, and depend on
//     where they are cut off. With coefficients from sparseapprox the overcomplete
//     basis was 4 percentage points cheaper at lecture size, and three verdicts changed.
//   - Gaps are computed from A and not from A'A, and get smaller where alpha is small.
//     At an alpha of 1e-6 sparseapprox stalled before a relative gap of 1e-12, the gap
//     at which the limit alpha -> 0 is compared.
//   - The packages share no code: the tests of sparseapprox use this one as oracle.
//
// # Basis pursuit, four ways
//
// BasisPursuit writes s = u − v with u, v >= 0 and calls LinearProgram, a
// primal-dual interior-point method. BasisPursuitEnumerate tries all choices
// of m columns: exact, exponential, and kept as the oracle. Sectors is exact
// and fast for m = 2: the plane falls into at most n pairs of opposite
// sectors, and inside a sector the same two columns are active, so a signal
// costs n scalar products. BasisPursuitBatch takes Sectors when m = 2 and the
// interior-point method otherwise.
//
// # Invariants
//
// No input is modified. Results do not depend on the number of goroutines.
// A Result's Gap is a proved bound: the objective exceeds the optimum by no
// more than Gap (for basis pursuit up to the feasibility tolerance).
//
// The units of the rows and columns of A do not matter to LinearProgram and Sectors, which
// scale them. They do matter to Lasso and FISTA, whose loss adds up the rows: where rows
// differ by more than about 1e7, A'A has no digits left of the small ones, and the error
// then says that the gap was missed. Columns of A and signals whose squares leave
// float64's range are refused.
//
// # Traps
//
// For a small alpha the penalty is a tiny part of ½‖x‖², so a gap must be
// measured against the objective; measured against ½‖x‖², coordinate descent
// from 0 would stop with too many nonzeros. Lasso therefore also removes
// dependent columns from the support and finishes with a linear solve; FISTA
// does neither, and may need many iterations where Lasso needs few.
//
// The L1 solution need not be unique: with parallel columns, with columns
// that lie on one face of the convex hull of all ±a_j, or with zero weights,
// a whole face of coefficients is optimal. An interior-point method then ends
// in the middle of the face, which has more than m nonzeros; LinearProgram
// therefore walks to a vertex (Basic reports whether it got there), but two
// methods may still stop at different vertices: compare objectives, not
// coefficients. A column that is zero never helps and stays at coefficient 0.
// Columns inside the hull of the others are never active.
//
// With s >= 0 a signal outside the cone of the columns has no exact
// representation: the status is Infeasible, and that is an answer, not an
// error.
//
// The plain gradient method does not produce zeros: the subgradient of |s| at 0
// is not a proximal step, so coefficients oscillate around 0 by about
// step·alpha. It is the method of the text that this project reproduces,
// and it is here for comparison.
package pursuit
