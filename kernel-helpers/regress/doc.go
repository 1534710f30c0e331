// Package regress implements the linear regressions used as baselines in D. Bradley and J. Bagnell,
// Differentiable Sparse Coding (NIPS 2008), table 6. The package fits ridge and lasso models, and computes their
// predictive R² by cross-validation.
//
//	cv, err := regress.RidgeCV(ctx, X, ratings, nil)
//	fmt.Println(cv.PR2)
//
// Points are ROWS of X (n×d). Sparse coding keeps signals as COLUMNS: pass W.T(). X may be a csr.Matrix; only
// FitLeastSquares makes it dense.
//
// # What is minimized
//
//	FitRidge   ½ Σ (y_i − w'x_i − b)² + (α/2) ‖w‖²
//	FitLasso   1/(2n) Σ (y_i − w'x_i − b)² + α ‖w‖₁,  or with LassoOptions.L1Ratio = ρ
//	             1/(2n) Σ (y_i − w'x_i − b)² + αρ ‖w‖₁ + ½α(1−ρ) ‖w‖²
//
// b is not penalized. With SampleWeights s, each square counts s_i times, and the lasso divides by Σs instead of n. So
// in every method, a weight of 2 is like two copies of the point. FitRidgeTargets fits several targets, and
// FitLeastSquares, which has no penalty, returns the solution with the smallest norm. α is defined as in
// scikit-learn: the squares are a sum in ridge and a mean in the lasso. Therefore a suitable α for ridge grows with
// the number of points, and one for the lasso does not.
//
// # Files, in reading order
//
//	linear.go    the model, predictive R²
//	ridge.go     closed form, and a path by one spectral decomposition
//	targets.go   several targets; least squares of least norm
//	weighted.go  weights of points
//	exact.go     the closed form with twice as many digits, for nearly dependent columns
//	lasso.go     coordinate descent with a duality gap
//	gram.go      the same on X̃'X̃, for many more points than features
//	anderson.go  extrapolation, which speeds up the descent
//	path.go      follows the path of the lasso's solutions if descent is slow
//	columns.go   centered columns that stay compressed
//	cross.go     k folds, the choice of α
//
// # Speed
//
// These times were measured by go test -bench. For a path of 20 lassos on the counts of 5,000 words in 5,006 movie
// reviews, the package took a ninth of the time of scikit-learn 1.2.1, on two shared cores. scikit-learn had the counts
// as a sparse matrix, and the objectives were the same (to 1e-6).
//
// On 500×1000 normally distributed numbers, where 50 features affect y, FitLasso was 1.1 to 1.4 times as fast as
// scikit-learn 1.9.1 (which screens features), in processor time on one thread and with the same bound on the gap
// (BenchmarkLassoDense).
//
// If X is dense and has many more points than features, paths and cross-validation of the lasso descend on X̃'X̃, as
// scikit-learn does. In processor time on one thread with AVX2, with the same bounds on the gap, a path of 50 lassos was
// 2.2, 1.3 and 1.2 times as fast as scikit-learn 1.9.1 for 20,000×50, 100,000×30 and 5,000×200 numbers. LassoCV with 5
// folds was 2.4, 1.9 and 1.9 times as fast, and with three L1Ratios 2.5, 2.2 and 1.9 times (BenchmarkLassoTall). The
// objectives were the same to 1e-7.
//
// # Invariants
//
// No input is modified. The residuals of the training points, multiplied by the points' weights, sum to 0 up to
// rounding, unless LeastSquaresOptions.NoIntercept is set. The objective of a Lasso with status Converged is within
// Gap of the minimum. The same seed gives the same folds.
//
// # Traps
//
//   - CV.PR2 without Nested is the best of several out-of-fold values, so it is a little too high. The bias grows with
//     the number of alphas and falls with the number of points. Papers mostly report that value. With Nested, each α is
//     chosen without the points that it is tested on.
//   - Penalties depend on units: standardize features of different kinds.
//   - The lasso makes a copy of X, in which columns with few nonzeros are compressed. If it descends on X̃'X̃ (d×d), it
//     makes this copy only if X̃'X̃ has too few digits, mostly because columns nearly depend on each other. In LassoCV
//     each fold has a matrix like X̃'X̃, if all of them together are no larger than X.
//   - Ridge makes a dense centered copy of X. If X is a csr.Matrix, however, ridge computes X'X without centering, and
//     then subtracts n mm', where m holds the means of the columns.
//   - Ridge takes tens of times as long if columns nearly depend on each other, or if X is
//     a csr.Matrix whose means are large compared with the deviations: float64 then has
//     too few digits.
//   - A fold's α suits the number of points in that fold's training set. The best α for ridge grows with the number of
//     points, so the Model on all points is penalized a little less than it should be.
//   - For ridge on thousands of features call gemm.Use() in the program.
package regress
