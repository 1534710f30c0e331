// Package symeig finds the largest eigenvalues of a symmetric matrix with their
// eigenvectors, to rounding error, with nearly all of its work in matrix
// products. C is d×d; eigenvalues come in descending order, eigenvectors are
// the ROWS of a k×d matrix, so that each lies in one piece of memory.
//
// # Which algorithm
//
//	Full   tridiagonal form, divide and conquer (Cuppen 1981; Gu and Eisenstat
//	       1995), back transformation of the k vectors requested. Its cost
//	       does not depend on the spectrum. The tridiagonal form is half
//	       matrix-vector products, which memory bandwidth limits.
//	Top    subspace iteration with a Chebyshev filter (Rutishauser 1970; Zhou,
//	       Saad, Tiago and Chelikowsky 2006), Rayleigh-Ritz, and locking of
//	       converged vectors. For positive semidefinite C and k much less than
//	       d. It stops when ‖Cv − θv‖ <= 1e-12 ‖C‖ for each of the k vectors, and
//	       falls back on Full where the spectrum is too flat.
//
// QR iteration on all vectors, which gonum's mat.EigenSym does, takes 3d³
// operations in plane rotations; at d = 1024 it is many times slower than either.
// Bisection with inverse iteration was rejected: the small eigenvalues of a
// covariance lie close together, and their vectors would have to be made
// orthogonal to each other in O(d³) vector operations.
package symeig
