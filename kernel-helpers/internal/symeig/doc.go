// Package symeig finds the largest eigenvalues of a symmetric matrix and their eigenvectors, up to rounding errors.
// Nearly all of its work is matrix products. C is d×d. Eigenvalues are in descending order; eigenvectors are the ROWS
// of a k×d matrix, so that each is contiguous in memory.
//
// # Which algorithm
//
//	Full   tridiagonal form, divide and conquer (Cuppen 1981; Gu and Eisenstat
//	       1995), back transformation of the k requested vectors; the last merge
//	       computes only these. The cost does not depend on the spectrum. Half
//	       of the work for the tridiagonal form is matrix-vector products,
//	       whose speed is limited by memory bandwidth.
//	Top    subspace iteration with a Chebyshev filter (Rutishauser 1970; Zhou,
//	       Saad, Tiago and Chelikowsky 2006), Rayleigh-Ritz, and locking of
//	       converged vectors. For positive semidefinite C and k much less than
//	       d. It stops when ‖Cv − θv‖ <= 1e-12 ‖C‖ for each of the k vectors. It
//	       falls back on Full if the spectrum is too flat, or if more
//	       than one in 20 of the vectors are requested.
//
// All vectors are rows: in the panels of the reduction, in the merges and in the result. So all memory access is along
// rows.
//
// # Files, in reading order
//
//	decompose.go     Full, Values, scaling; Decompose: Full for users' matrices; signs
//	reduce.go        the tridiagonal form, and the back transformation
//	divide.go        divide and conquer: the halves, deflation, the merge and its vectors; the buffers
//	internal/secular the roots of a merge
//	top.go, block.go Top, and its orthogonalization
//
// # Speed
//
// BenchmarkPeer compares Full with numpy.linalg.eigh (LAPACK's dsyevd in OpenBLAS), with the same instruction set and
// number of threads on both sides. The following ratios are of processor times, with one thread on a busy machine. For
// all vectors of a 1024×1024 matrix, Full is 1.3 (AVX-512) and 1.1 (AVX2) times as fast as eigh; for 100 of these
// vectors, 2.0 and 1.9 times. For all vectors of a 256×256 matrix it is 0.8 times as fast, because memory allocation
// and the leaves take a larger share of the time.
//
// gonum's mat.EigenSym uses QR iteration on all vectors, which takes 3d³ operations in plane rotations. At d = 1024 it
// is many times slower than Full or eigh. Bisection with inverse iteration was rejected: the small eigenvalues of a
// covariance lie close together, and their vectors would have to be made orthogonal to each other in O(d³) vector
// operations.
package symeig
