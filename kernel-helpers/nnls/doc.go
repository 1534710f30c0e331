// Package nnls solves nonnegative least squares for one or many right-hand sides,
//
//	minimize ½‖A X − B‖_F²  over X >= 0      A m×k, B m×p, X k×p
//
// or the same problem in its normal form, with G = A'A (k×k) and C = A'B (k×p):
//
//	minimize ½ tr(X'G X) − tr(C'X)  over X >= 0
//
// A column of X depends only on the same column of B: these are p problems that share A.
//
//	r, err := nnls.Solve(ctx, A, B, nil)
//	fmt.Println(r.X, r.KKT)
//
// # When X is the solution
//
// X is the solution if and only if, with the gradient Z = G X − C (Karush, Kuhn and Tucker),
//
//	X >= 0,  Z >= 0,  X_ij Z_ij = 0
//
// Result.KKT measures how far X is from these conditions, for every method:
//
//	max_i |min(G_ii X_ij, Z_ij)|/√G_ii  /  max_i |C_ij|/√G_ii
//
// It is the largest such ratio over the columns j. (For a column with C_j = 0, the denominator is the largest of all
// columns.) Scaling A, B, or a column of either does not change Result.KKT. Z holds the multipliers of X >= 0, which
// implicit differentiation needs.
//
// KKT says how nearly the conditions hold, not how far the objective is above its minimum; that also depends on the
// size of the solution X*. Because the objective is convex, it exceeds the minimum by at most
//
//	Σ Z_ij (X_ij − X*_ij) <= Σ Z_ij X_ij − Σ min(0, Z_ij) X*_ij
//
// # Files, in reading order
//
//	nnls.go          Solve, SolveGram, Options, Result
//	scale.go         powers of two that keep A'A and A'B in range
//	kkt.go           the gradient and the residual
//	lawsonhanson.go  the active set method of Lawson and Hanson, the reference in the tests
//	pivoting.go      block principal pivoting
//	admm.go          ADMM: one k×k factorization for all right-hand sides
//	descent.go       coordinate descent
//	rows.go          Rows, for alternating methods (see package nmf)
//	sweep_*          one sweep of coordinate descent, 32 problems at a time
//
// # Which method
//
// BlockPivoting (the default) and LawsonHanson reach the exact solution in finitely many steps. Each step takes a
// Cholesky factorization per column. CoordinateDescent has cheap sweeps and is the fastest from a good start. ADMM
// needs the fewest iterations if A is well conditioned.
//
// # Traps
//
//   - All methods here use G. Its condition number is the square of A's: if columns are
//     linearly dependent to within 1e-7, G cannot tell them apart.
//   - If A has dependent columns, X is not unique, but A X is. LawsonHanson and
//     BlockPivoting find an X that uses only independent columns of A; the other methods
//     find the solution that their iterations lead to.
//   - A zero column of A leaves its row of X undetermined. That row is 0 here
//     (CoordinateDescent: the value in Start).
//   - ADMM's dual variable is −Z, not Z: see admm.go.
//   - The objective of SolveGram omits ½‖B‖_F², which G and C do not determine.
package nnls
