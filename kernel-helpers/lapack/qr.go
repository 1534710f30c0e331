package lapack

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// blockSize is the number of reflectors that are applied together to the rest of a matrix.
const blockSize = 32

// smallQR is the largest number of reflectors that is left to gonum, and smallElements the largest number of
// elements of a matrix whose factorization is left to gonum (BenchmarkGonum).
const (
	smallQR       = 12
	smallElements = 2000
)

// Dgeqrf computes A = QR for A m×n. It stores R in the upper triangle of A, the reflectors below the diagonal, and
// their factors τ_i in tau.
func (f implementation) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k <= smallQR || m*n <= smallElements || lwork < n || len(work) < lwork || !holds(m, n, a, lda) || len(tau) != k {
		f.Implementation.Dgeqrf(m, n, a, lda, tau, work, lwork)
		return
	}
	qr(matrix(m, n, a, lda), tau)
	work[0] = float64(n)
}

// qr is Dgeqrf without checks.
func qr(A blas64.General, tau []float64) {
	h := reflections.Get().(*reflection)
	defer reflections.Put(h)
	m, n := A.Rows, A.Cols
	k := min(m, n)
	for i := 0; i < k; i += blockSize {
		to := min(i+blockSize, k)
		panel := block(A, i, m, i, to)
		P := h.panel.matrix(panel.Cols, panel.Rows)
		transpose(P, panel)
		h.factor(P, tau[i:to])
		transpose(panel, P)
		h.left(blas.Trans, block(A, i, m, to, n), h.Y, h.T)
	}
}

// Dgelqf computes A = LQ for A m×n. It stores L in the lower triangle of A, the reflectors to the right of the
// diagonal, and their factors τ_i in tau.
func (f implementation) Dgelqf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	k := min(m, n)
	if k <= smallQR || m*n <= smallElements || lwork < m || len(work) < lwork || !holds(m, n, a, lda) || len(tau) < k {
		f.Implementation.Dgelqf(m, n, a, lda, tau, work, lwork)
		return
	}
	lq(matrix(m, n, a, lda), tau)
	work[0] = float64(m)
}

// lq is Dgelqf without checks.
func lq(A blas64.General, tau []float64) {
	h := reflections.Get().(*reflection)
	defer reflections.Put(h)
	m, n := A.Rows, A.Cols
	k := min(m, n)
	for i := 0; i < k; i += blockSize {
		to := min(i+blockSize, k)
		h.factor(block(A, i, to, i, n), tau[i:to])
		h.right(blas.NoTrans, block(A, to, m, i, n), h.Y, h.T)
	}
}

// Dorgqr overwrites A (m×n), which holds the k reflectors from Dgeqrf, with the first n columns of Q.
func (f implementation) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k <= smallQR || n > m || k > n || lwork < n || len(work) < lwork || !holds(m, n, a, lda) || len(tau) != k {
		f.Implementation.Dorgqr(m, n, k, a, lda, tau, work, lwork)
		return
	}
	orthogonalColumns(matrix(m, n, a, lda), tau)
	work[0] = float64(n)
}

// orthogonalColumns is Dorgqr without checks.
func orthogonalColumns(A blas64.General, tau []float64) {
	h := reflections.Get().(*reflection)
	defer reflections.Put(h)
	m, n, k := A.Rows, A.Cols, len(tau)
	unit(block(A, 0, m, k, n), k)
	for i := (k - 1) / blockSize * blockSize; i >= 0; i -= blockSize {
		to := min(i+blockSize, k)
		h.load(A, false, tau, i, to-i)
		unit(block(A, 0, m, i, to), i)
		h.left(blas.NoTrans, block(A, i, m, i, n), h.Y, h.T)
	}
}

// Dorglq overwrites A (m×n), which holds the k reflectors from Dgelqf, with the first m rows of Q.
func (f implementation) Dorglq(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if k <= smallQR || m > n || k > m || lwork < m || len(work) < lwork || !holds(m, n, a, lda) || len(tau) < k {
		f.Implementation.Dorglq(m, n, k, a, lda, tau, work, lwork)
		return
	}
	orthogonalRows(matrix(m, n, a, lda), tau[:k])
	work[0] = float64(m)
}

// orthogonalRows is Dorglq without checks.
func orthogonalRows(A blas64.General, tau []float64) {
	h := reflections.Get().(*reflection)
	defer reflections.Put(h)
	m, n, k := A.Rows, A.Cols, len(tau)
	unitRows(block(A, k, m, 0, n), k)
	for i := (k - 1) / blockSize * blockSize; i >= 0; i -= blockSize {
		to := min(i+blockSize, k)
		h.load(A, true, tau, i, to-i)
		unitRows(block(A, i, to, 0, n), i)
		h.right(blas.Trans, block(A, i, m, i, n), h.Y, h.T)
	}
}

// unit sets A to the columns j, j+1, … of the identity matrix.
func unit(A blas64.General, j int) {
	for i := range A.Rows {
		r := row(A, i)
		clear(r)
		if c := i - j; c >= 0 && c < len(r) {
			r[c] = 1
		}
	}
}

// unitRows sets A to the rows i, i+1, … of the identity matrix.
func unitRows(A blas64.General, i int) {
	for r := range A.Rows {
		clear(row(A, r))
		row(A, r)[i+r] = 1
	}
}

// Dormqr computes C ← op(Q) C (Left) or C ← C op(Q) (Right) for an m×n matrix C, where Q is the product
// of the k reflectors that Dgeqrf stored in the columns of A.
func (f implementation) Dormqr(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw := m, n
	if side == blas.Right {
		nq, nw = n, m
	}
	if k <= smallQR || nw <= 0 || !sideAndTrans(side, trans) || k > nq || lwork < nw || len(work) < lwork || !holds(nq, k, a, lda) || !holds(m, n, c, ldc) || len(tau) != k {
		f.Implementation.Dormqr(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	multiply(side, trans, matrix(nq, k, a, lda), false, tau, matrix(m, n, c, ldc))
	work[0] = float64(nw)
}

// Dormlq computes C ← op(Q) C (Left) or C ← C op(Q) (Right) for C m×n, where Q is the product of the k
// reflectors of Dgelqf in the rows of A.
func (f implementation) Dormlq(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	nq, nw := m, n
	if side == blas.Right {
		nq, nw = n, m
	}
	if k <= smallQR || nw <= 0 || !sideAndTrans(side, trans) || k > nq || lwork < nw || len(work) < lwork || !holds(k, nq, a, lda) || !holds(m, n, c, ldc) || len(tau) < k {
		f.Implementation.Dormlq(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork)
		return
	}
	// The Q of an LQ factorization is H_{k−1} … H_0, the transpose of H_0 … H_{k−1}.
	if trans == blas.NoTrans {
		trans = blas.Trans
	} else {
		trans = blas.NoTrans
	}
	multiply(side, trans, matrix(k, nq, a, lda), true, tau[:k], matrix(m, n, c, ldc))
	work[0] = float64(nw)
}

func sideAndTrans(side blas.Side, trans blas.Transpose) bool {
	return (side == blas.Left || side == blas.Right) && (trans == blas.NoTrans || trans == blas.Trans)
}

// multiply computes C ← op(H) C (Left) or C ← C op(H) (Right), where H = H_0 … H_{k−1} is the product of the
// reflectors in A: in its rows if byRows is set, otherwise in its columns.
func multiply(side blas.Side, trans blas.Transpose, A blas64.General, byRows bool, tau []float64, C blas64.General) {
	h := reflections.Get().(*reflection)
	defer reflections.Put(h)
	k := len(tau)
	first, last, step := 0, (k-1)/blockSize*blockSize, blockSize
	if (side == blas.Left) == (trans == blas.NoTrans) { // H_{k−1} comes first
		first, last, step = last, first, -step
	}
	for i := first; ; i += step {
		h.load(A, byRows, tau, i, min(blockSize, k-i))
		if side == blas.Left {
			h.left(trans, block(C, i, C.Rows, 0, C.Cols), h.Y, h.T)
		} else {
			h.right(trans, block(C, 0, C.Rows, i, C.Cols), h.Y, h.T)
		}
		if i == last {
			return
		}
	}
}
