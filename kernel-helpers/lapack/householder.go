package lapack

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"overcomplete/kernel-helpers/internal/vector"
)

// A reflection is a product of k elementary reflectors H_i = I − τ_i v_i v_iᵀ of order n,
//
//	H_0 H_1 … H_{k−1} = I − YᵀTY.
//
// The rows of Y, k×n, are the vectors v_i, and T is upper triangular, k×k (Schreiber and Van Loan 1989). Vectors are
// stored as rows because rows are contiguous in memory; so QR works on transposed panels.
type reflection struct {
	Y, T blas64.General
	// W and V are workspace for the products; y and t hold the memory of Y and T.
	W, V buffer
	y, t buffer
	// panel is a transposed panel of the matrix.
	panel buffer
}

var reflections = sync.Pool{New: func() any { return new(reflection) }}

// A buffer is memory that is reused for one matrix after another.
type buffer []float64

// matrix returns an m×n matrix in the buffer, with arbitrary elements. It may share memory with matrices returned
// earlier.
func (b *buffer) matrix(m, n int) blas64.General {
	if len(*b) < m*n {
		*b = make([]float64, m*n)
	}
	return matrix(m, n, (*b)[:m*n], n)
}

// resize makes room for k reflectors of order n, and clears T.
func (h *reflection) resize(k, n int) {
	h.Y, h.T = h.y.matrix(k, n), h.t.matrix(k, k)
	clear(h.T.Data)
}

// leaf is the largest number of rows that the method factor processes one by one. It divides more rows into two halves.
const leaf = 8

// factor reduces A, k×n with k <= n, to lower triangular form: A H_0 … H_{k−1} = (L 0). It stores the reflectors in h,
// and their factors τ_i in tau. It overwrites A: up to column i, row i then holds row i of L, and after column i the
// elements of v_i. (Element i of v_i is 1, and is not stored in A.) The recursion is that of E. Elmroth and F. G.
// Gustavson, Applying recursion to serial and parallel QR factorization, IBM J. R&D 44 (2000).
func (h *reflection) factor(A blas64.General, tau []float64) {
	h.resize(A.Rows, A.Cols)
	h.recurse(A, tau, h.Y, h.T)
}

func (h *reflection) recurse(A blas64.General, tau []float64, Y, T blas64.General) {
	k, n := A.Rows, A.Cols
	if k <= leaf {
		for i := range k {
			r, y := row(A, i)[i:], row(Y, i)
			r[0], tau[i] = reflector(r[0], r[1:])
			clear(y[:i])
			y[i] = 1
			copy(y[i+1:], r[1:])
			if rest := block(A, i+1, k, i, n); tau[i] != 0 && rest.Rows > 0 {
				w := vector.Of(h.W.matrix(1, rest.Rows).Data)
				blas64.Gemv(blas.NoTrans, 1, rest, vector.Of(y[i:]), 0, w)
				blas64.Ger(-tau[i], w, vector.Of(y[i:]), rest)
			}
			// T(0..i, i) = −τ_i T(0..i, 0..i) Y(0..i) v_i
			T.Data[i*T.Stride+i] = tau[i]
			if i > 0 {
				w := h.W.matrix(1, i).Data
				blas64.Gemv(blas.NoTrans, -tau[i], block(Y, 0, i, i, n), vector.Of(y[i:]), 0, vector.Of(w))
				for j := range i {
					T.Data[j*T.Stride+i] = vector.DotInOrder(T.Data[j*T.Stride+j:j*T.Stride+i], w[j:])
				}
			}
		}
		return
	}
	m := k / 2
	Y1, T1 := block(Y, 0, m, 0, n), block(T, 0, m, 0, m)
	h.recurse(block(A, 0, m, 0, n), tau[:m], Y1, T1)
	h.right(blas.NoTrans, block(A, m, k, 0, n), Y1, T1)
	for i := m; i < k; i++ {
		clear(row(Y, i)[:m])
	}
	Y2, T2 := block(Y, m, k, m, n), block(T, m, k, m, k)
	h.recurse(block(A, m, k, m, n), tau[m:], Y2, T2)
	// T12 = −T1 (Y1 Y2ᵀ) T2
	G, GT := h.W.matrix(m, k-m), h.V.matrix(m, k-m)
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, block(Y1, 0, m, m, n), Y2, 0, G)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, G, T2, 0, GT)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, T1, GT, 0, block(T, 0, m, m, k))
}

// reflector returns β and τ, and sets x to v, such that (I − τ (1 v)ᵀ(1 v)) (α x)ᵀ = (β 0)ᵀ. gonum's Dlarfg
// does the same with a division for each element, to avoid overflow; this is rarely necessary.
func reflector(alpha float64, x []float64) (beta, tau float64) {
	const low, high = 1e-260, 1e260
	s := vector.Dot(x, x)
	if !(s > low && s < high && alpha*alpha < high) { // also for NaN, and for a vector of zeros
		var impl gonum.Implementation
		if len(x) == 0 {
			return alpha, 0
		}
		return impl.Dlarfg(len(x)+1, alpha, x, 1)
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+s), alpha)
	blas64.Scal(1/(alpha-beta), vector.Of(x))
	return beta, (beta - alpha) / beta
}

// load sets Y and T to the reflectors i to i+k−1 of a factorization that a and tau hold. If byRows is set, reflector j
// is in row j of a, otherwise in column j. The reflector consists of the elements after the diagonal; the others belong
// to the triangular factor.
func (h *reflection) load(a blas64.General, byRows bool, tau []float64, i, k int) {
	n := a.Rows - i
	if byRows {
		n = a.Cols - i
	}
	h.resize(k, n)
	if byRows {
		copyTo(h.Y, block(a, i, i+k, i, i+n))
	} else {
		transpose(h.Y, block(a, i, i+n, i, i+k))
	}
	for j := range k {
		y := row(h.Y, j)
		clear(y[:j])
		y[j] = 1
	}
	G := h.W.matrix(k, k)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, h.Y, h.Y, 0, G)
	for j, t := range tau[i : i+k] { // T(0..j, j) = −τ_j T(0..j, 0..j) Y(0..j) v_j
		T, g := h.T.Data, row(G, j)
		for i := range j {
			T[i*k+j] = -t * vector.DotInOrder(T[i*k+i:i*k+j], g[i:])
		}
		T[j*k+j] = t
	}
}

// left computes C ← (I − Yᵀ op(T) Y) C.
func (h *reflection) left(trans blas.Transpose, C, Y, T blas64.General) {
	if C.Cols == 0 {
		return
	}
	W, V := h.W.matrix(Y.Rows, C.Cols), h.V.matrix(Y.Rows, C.Cols)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Y, C, 0, W)
	blas64.Gemm(trans, blas.NoTrans, 1, T, W, 0, V)
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, Y, V, 1, C)
}

// right computes C ← C (I − Yᵀ op(T) Y).
func (h *reflection) right(trans blas.Transpose, C, Y, T blas64.General) {
	if C.Rows == 0 {
		return
	}
	W, V := h.W.matrix(C.Rows, Y.Rows), h.V.matrix(C.Rows, Y.Rows)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, C, Y, 0, W)
	blas64.Gemm(blas.NoTrans, trans, 1, W, T, 0, V)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, V, Y, 1, C)
}
