// Package regress has the linear regressions of the baselines in D. Bradley and
// J. Bagnell, Differentiable Sparse Coding (NIPS 2008), table 6: ridge, lasso, and
// the predictive R² by cross-validation.
//
//	cv, err := regress.RidgeCV(ctx, X, ratings, nil)
//	fmt.Println(cv.PR2)
//
// Points are ROWS of X (n×d). Sparse coding keeps signals as COLUMNS: pass W.T().
//
// # What is minimised
//
//	TrainRidge   ½ Σ (y_i − w'x_i − b)² + (α/2) ‖w‖²
//	TrainLasso   1/(2n) Σ (y_i − w'x_i − b)² + α ‖w‖₁
//
// with b free. Both α mean what they mean in scikit-learn, so that the squares are
// a sum in one and a mean in the other: a ridge α grows with the number of points,
// a lasso α does not.
//
// # Files, in reading order
//
//	linear.go    the model, predictive R²
//	ridge.go     closed form, and a path from one spectral decomposition
//	lasso.go     coordinate descent with a duality gap
//	columns.go   centred columns that stay compressed
//	cross.go     k folds, the choice of α
//
// # Speed
//
// Measured by go test -bench on the 5,006 movie reviews, 5,000 words, two shared
// cores: a path of 20 lassos took a ninth of the time of scikit-learn 1.2.1 on the
// same counts as a sparse matrix, with the same objectives (to 1e-6).
//
// # Invariants
//
// No input is modified. Residuals on the training points sum to 0. A Lasso with
// status Converged is within Gap of the minimum. The same seed gives the same
// folds.
//
// # Traps
//
//   - CV.PR2 without Nested is the best of several out-of-fold values: a little
//     too good, the more so the more alphas and the fewer points. That is what is
//     mostly reported; with Nested each α is chosen without a look at the points
//     that it is tested on.
//   - Penalties see units: standardise features of different kinds.
//   - Columns with few nonzeros are compressed for the lasso; ridge makes a dense
//     centred copy of X.
//   - A fold's α is for the fewer points of that fold's training set; for ridge,
//     whose α grows with n, the Model on all points is then penalised a little
//     less than it might be.
//   - Ridge on thousands of features wants gemm.Use() in the program.
package regress
