// Package pca implements principal component analysis as a lecture teaches it: axes, scores, reconstruction, loss and
// explained variance. The methods use the covariance, the singular value decomposition, the Gram matrix of the
// points, random projections, or blocks of data.
//
// Shapes: X is n×d, one POINT PER ROW; X̄ is X minus its mean x̄; Q_k is d×k, one axis per COLUMN.
//
// # What is computed
//
//	Σ = X̄ᵀX̄ = QDQᵀ          d×d, axes and eigenvalues λ_1 >= λ_2 >= ..
//	X̄ = UΣVᵀ                V = Q, λ_i = s_i²
//	X̄_k = X̄Q_k = U_kΣ_k     n×k, the scores
//	X̄Q_kQ_kᵀ                n×d, the reconstruction
//
// Σ stands for the covariance in the first line, and for the diagonal matrix of the singular values s_i in the others.
//
// Of all planes of k dimensions through the mean, the plane of Q_k has the largest variance and the smallest loss
// ‖X̄QQᵀ − X̄‖_F, because variance and squared loss sum to a constant:
//
//	‖X̄‖_F² = Σ_{i<=k} λ_i + ‖X̄Q_kQ_kᵀ − X̄‖_F².
//
// # Three scalings
//
// Eigenvalues are those of X̄ᵀX̄, as in the lecture: no division. Model.Variances and whitening divide by n−1 for the
// sample variance (as in scikit-learn's explained_variance_). Probabilistic PCA divides by n, for maximum likelihood.
// The axes and all ratios are the same.
//
// # Files, in reading order
//
//	model.go          Fit, Model: scores, reconstruction, loss, share
//	eigen.go          by the covariance, and its dual by the Gram matrix
//	svd.go            full, thin, compact and truncated SVD; PCA by the SVD
//	randomised.go     Halko, Martinsson and Tropp
//	deviations.go     products with X̄ for EM: dense, or sparse without forming X̄; also randomised.go's products
//	                  for a matrix with few nonzeros
//	incremental.go    in blocks
//	whiten.go         sphering: PCA and ZCA
//	probabilistic.go  Tipping and Bishop: closed form and EM
//	regression.go     lines through points in the plane: the first axis and the two regressions
//	subspace.go       principal angles
//
// The eigensolvers are in package internal/symeig, the figures in pcaplot.
//
// # Which method
//
// All methods find the same axes if the variances are well separated. Forming X̄ᵀX̄ or X̄X̄ᵀ squares the condition
// number, so ByCovariance and ByDual decompose what belongs to singular values below 1e-4 s_1 once more, without the
// rest. ByRandom and Incremental are approximate: ByRandom mostly in the last axes, Incremental whenever the data have
// more dimensions than it keeps.
//
// # Sparse matrices
//
// For a *csr.Matrix (word counts, say) ByRandom works with the nonzeros and the mean separately, and never forms X̄.
// Auto chooses ByRandom if there are more than 64 axes and fewer than a tenth of the axes are requested. Transform and
// Loss of a Model do not form X̄ either. FitProbabilisticEM and the methods of Probabilistic use products with the
// nonzeros (deviations.go). Incremental uses the Gram matrix of a block's points. Everything else makes a dense copy.
//
// # Speed
//
// BenchmarkSklearn compares Fit with the method of scikit-learn's covariance_eigh (numpy 1.24, OpenBLAS 0.3.21), on
// 5,000 faces of 1,024 pixels, with one thread, both sides with AVX-512 or both with AVX2, on a busy machine. The
// speed of Fit relative to scikit-learn's, by wall-clock time and by processor time, was:
//
//	            AVX-512         AVX2
//	100 axes    1.2 and 1.35    1.3 and 1.35
//	all axes    0.9 and 1.04    1.02 and 0.99
//
// About a third of the time is spent on the product X̄ᵀX̄, where neither side is faster. For the eigenvectors alone
// (BenchmarkPeer of internal/symeig, processor times), numpy's eigh took 1.3 (AVX-512) and 1.1 (AVX2) times as long
// as symeig for all 1,024, and 2.0 and 1.9 times as long for 100 of them. For all 256 eigenvectors of a 256×256
// matrix, eigh took 0.8 times as long.
//
// # Invariants
//
// No input is modified. A fit has the same bits for the same seed and number of processors; with another number of
// processors it is the same up to rounding. Q_kᵀQ_k = I to 1e-12, even if the data have fewer than k dimensions; the
// axes with λ = 0 are then arbitrary.
//
// Scaling the data by a factor scales the results and changes neither the axes nor the steps of EM, as long as the
// squares of the data are normal numbers. Beyond about 1e±154 the functions that need squares return an error that
// says to scale X. Points that are all equal have a variance of exactly 0.
//
// # Errors and panics
//
// A function or method with an error result returns an error for any invalid argument: a k out of range ("k is 3, must
// be from 1 to 2"), a nil or empty matrix, a wrong shape, NaN and infinities. A function without an error result, such
// as Scores or PrincipalAngles, panics with a message that begins with "pca: ".
//
// # Traps
//
//   - Signs are arbitrary; here the largest loading of an axis is positive.
//   - Axes of equal variance may be rotated into each other: compare subspaces
//     (PrincipalAngles), not axes.
//   - Without centering, the first axis is roughly the direction of the mean.
//   - Loss is a norm, not a mean square; its square is the sum over all points.
package pca
