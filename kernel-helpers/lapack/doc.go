// Package lapack makes the decompositions of gonum's matrices (mat.SVD, EigenSym, Eigen, QR, LQ, Cholesky, LU,
// inverses and solutions) about as fast as LAPACK with OpenBLAS, in Go. One line is enough:
//
//	lapack.Use()
//
// All other code stays as it is. The results satisfy the same equations to the same accuracy, but not with the same
// bits; and the signs of eigenvectors and singular vectors, which the equations leave open, may differ. So gemm.Use
// does not call lapack.Use.
//
// # What is faster
//
//	Dgesvd           singular values and vectors: QR first for tall matrices, bidiagonal form, divide and
//	                 conquer (Gu and Eisenstat 1995). A'A is never formed: small singular values are as accurate
//	                 as gonum's, relative to the largest
//	Dsyev            eigenvectors of symmetric matrices: divide and conquer (package internal/symeig)
//	Dgeev            eigenvalues and eigenvectors of general matrices: QR iteration with many shifts at a time
//	                 (Braman, Byers and Mathias 2002), eigenvectors of the Schur form in blocks
//	Dgeqrf, Dgelqf   QR and LQ, with recursive panels (Elmroth and Gustavson 2000); Dorgqr, Dorglq, Dormqr,
//	                 Dormlq: the products with Q
//	Dpotrf, Dgetrf   Cholesky and LU, by recursion; Dpotri, Dgetri, Dtrtri: inverses
//	Dpocon, Dgecon   condition numbers, which mat computes with each factorization; Dtrcon: those of triangular matrices
//
// Everything else is gonum's. gonum's own code is slow for three reasons: it applies rotations and transformations one
// by one where the algorithms above use matrix products; its panels are columns, which are not contiguous in row-major
// order; and Iparmq (0.17) returns, for matrices of every size, the number of shifts meant for the smallest.
//
// # Files, in reading order
//
//	lapack.go        Use
//	householder.go   panels of reflectors, and their block form
//	qr.go            QR, LQ and their products
//	cholesky.go      Cholesky and inverses of triangular matrices
//	lu.go            LU and inverses
//	condition.go     condition numbers
//	eigensym.go      symmetric eigenvectors
//	bidiagonal.go    divide and conquer for bidiagonal matrices; package internal/secular solves its equation
//	svd.go           singular values
//	eigen.go         general eigenvalues
//	matrix.go        blocks of matrices
//
// # Speed
//
// BenchmarkPeer compares this package with numpy 2.4 and scipy 1.17 (with OpenBLAS 0.3.30) on Gaussian n×n matrices,
// with the same instruction set on both sides. On a busy shared machine (Intel, family 6, model 167), one thread, these
// were the ratios of processor times, LAPACK's divided by this package's (above 1: faster than LAPACK):
//
//	               AVX2                      AVX-512
//	n              200     400     1000      200     400     1000
//	EigenSym       0.59    0.79    0.93      0.57    0.81    0.94
//	SVD            0.75    0.98    0.93      0.74    1.00    1.00
//	Eigen          0.68    0.70    0.72      0.65    0.74    0.77
//	QR             1.28    1.05    0.84      1.37    1.23    0.87
//	Cholesky       0.83    0.98    0.91      0.88    1.06    1.33
//	LU             0.80    0.80    0.86      0.76    0.76    0.92
//	Inverse        0.80    1.04    1.11      1.23    1.39    1.42
//	Solve, n RHS   0.95    1.01    0.93      1.26    1.47    1.35
//
// From one run to another, the ratios varied by a tenth. Those of Cholesky, LU, QR and Inverse include the condition
// number, which mat always estimates and numpy does not. Tall and wide matrices have the same ratios as square ones, or
// better ones. BenchmarkGonum compares this package with gonum's own code after gemm.Use: for n = 400 this package is
// 4.7 times as fast for EigenSym and SVD, 3.4 times for Eigen, and 1.1 to 1.6 times for the others. Up to about n = 70
// it is no faster than gonum's code. Sizes at which gonum's code is faster are left to gonum.
//
// # Traps
//
// Use changes global state, as gemm.Use does. A matrix with NaN or Inf has the same effect as with gonum. Matrices
// are copied once or twice, where gonum works in place: SVD of an m×n matrix takes up to about 6 min(m, n)² + mn
// numbers more. If an iteration does not converge, Factorize returns false as with gonum; this has never been
// seen.
package lapack
