// Package lapack makes the decompositions of gonum's matrices (mat.SVD, EigenSym, Eigen, QR, LQ, Cholesky, LU,
// inverses and solutions) about as fast as LAPACK with OpenBLAS, in Go. One line is enough:
//
//	lapack.Use()
//
// All other code stays as it is. The results satisfy the same equations to the same accuracy, but not with the
// same bits; and the signs of eigenvectors and singular vectors, which the equations leave open, may be other
// ones. So gemm.Use does not do this by itself.
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
//	Dpocon, Dgecon   condition numbers, which mat computes with each factorization; Dtrcon: of triangles
//
// Everything else is gonum's. gonum's own code is slow for three reasons: it applies rotations and
// transformations one by one where the algorithms above use matrix products; its panels are columns, which
// are not contiguous in row-major order; and Iparmq (0.17) always returns the number of shifts for the smallest
// matrices.
//
// # Files, in reading order
//
//	lapack.go        Use
//	householder.go   panels of reflectors, and their block form
//	qr.go            QR, LQ and their products
//	cholesky.go      Cholesky and inverses of triangles
//	lu.go            LU and inverses
//	condition.go     condition numbers
//	eigensym.go      symmetric eigenvectors
//	bidiagonal.go    divide and conquer for bidiagonal matrices; package internal/secular has its equation
//	svd.go           singular values
//	eigen.go         general eigenvalues
//	matrix.go        blocks of matrices
//
// # Speed
//
// # SPEED
//
// # Traps
//
// Use changes global state, as gemm.Use does. A matrix with NaN or Inf ends as with gonum. Matrices are copied
// once or twice, where gonum works in place: SVD of an m×n matrix takes up to about 6 min(m, n)² + mn numbers
// more. If an iteration does not converge, Factorize returns false as with gonum; this has never been seen.
package lapack
