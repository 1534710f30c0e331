package gemm

import "gonum.org/v1/gonum/blas"

// leaf is the order of the triangles at which the recursions in this file end and gonum's code takes over.
// The rest of the matrix takes part only in matrix products.
const leaf = 8

// Dtrsm solves op(A) X = alpha B (Left) or X op(A) = alpha B (Right) for X, where A is triangular. X
// overwrites B, m×n.
func (f BLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	checkTriangle(s, ul, tA, d, m, n, lda, len(a), ldb, len(b))
	t := triangle[float64]{q, f.Implementation.Dtrsm, s, ul, tA, d, lda, ldb}
	t.solve(m, n, alpha, a, b)
}

// Strsm is Dtrsm for float32.
func (f BLAS) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	checkTriangle(s, ul, tA, d, m, n, lda, len(a), ldb, len(b))
	t := triangle[float32]{q, f.Implementation.Strsm, s, ul, tA, d, lda, ldb}
	t.solve(m, n, alpha, a, b)
}

// Dtrmm computes B = alpha op(A) B (Left) or B = alpha B op(A) (Right) for B
// m×n and A triangular.
func (f BLAS) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	checkTriangle(s, ul, tA, d, m, n, lda, len(a), ldb, len(b))
	t := triangle[float64]{q, f.Implementation.Dtrmm, s, ul, tA, d, lda, ldb}
	t.multiply(m, n, alpha, a, b)
}

// Strmm is Dtrmm for float32.
func (f BLAS) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	checkTriangle(s, ul, tA, d, m, n, lda, len(a), ldb, len(b))
	t := triangle[float32]{q, f.Implementation.Strmm, s, ul, tA, d, lda, ldb}
	t.multiply(m, n, alpha, a, b)
}

// checkTriangle checks the arguments of trsm and trmm. It assumes that m and n are nonzero.
func checkTriangle(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n, lda, lenA, ldb, lenB int) {
	checkSide(s)
	checkUplo(ul)
	isTransposed(tA)
	if d != blas.NonUnit && d != blas.Unit {
		panic(badDiag)
	}
	checkSizes(m, n, 0)
	k := order(s, m, n)
	checkStride(false, k, k, lda, badLdA)
	checkStride(false, m, n, ldb, badLdB)
	checkLength(false, k, k, lda, lenA, shortA)
	checkLength(false, m, n, ldb, lenB, shortB)
}

// A triangle holds the constants of the recursion of trsm or trmm.
type triangle[T number] struct {
	q *kernels[T]
	// small is gonum's routine.
	small    func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	side     blas.Side
	uplo     blas.Uplo
	trans    blas.Transpose
	diag     blas.Diag
	lda, ldb int
}

// split divides A into blocks, and reports whether op(A) is a lower triangle:
//
//	op(A) = | A1  0 |    or    | A1  O |
//	        | O  A2 |          | 0  A2 |
//
// The block 0 is zero, and the block O (the letter) is not. k1 is the order of A1, corner is the block O, and a2 is the
// part of A's slice that begins with A2.
func (t *triangle[T]) split(k int, a []T) (k1 int, lower bool, corner view[T], a2 []T) {
	// Split in half, with the first half a multiple of leaf.
	k1 = roundUp(k/2, leaf)
	trans := t.trans != blas.NoTrans
	lower = (t.uplo == blas.Lower) != trans
	// O is stored below the diagonal if A is a lower triangle.
	if t.uplo == blas.Lower {
		corner = viewOf(trans, a[k1*t.lda:], t.lda)
	} else {
		corner = viewOf(trans, a[k1:], t.lda)
	}
	return k1, lower, corner, a[k1*(t.lda+1):]
}

// add computes c = alpha x y + beta c, for c m×n.
func (t *triangle[T]) add(m, n, k int, alpha T, x, y view[T], beta T, c []T) {
	t.q.product(Workers(), m, n, k, alpha, x, y, beta, c, t.ldb)
}

// solve computes trsm by recursion: it solves the equations of one half of the triangle, and substitutes the solution
// into the equations of the other half.
func (t *triangle[T]) solve(m, n int, alpha T, a, b []T) {
	k := order(t.side, m, n)
	if k <= leaf {
		if t.side == blas.Right && t.trans == blas.NoTrans {
			t.substitute(m, n, alpha, a, b)
		} else {
			t.small(t.side, t.uplo, t.trans, t.diag, m, n, alpha, a, t.lda, b, t.ldb)
		}
		return
	}
	k1, lower, off, a2 := t.split(k, a)
	k2 := k - k1
	if t.side == blas.Left {
		b2 := b[k1*t.ldb:]
		x1, x2 := view[T]{b, t.ldb, 1}, view[T]{b2, t.ldb, 1}
		if lower {
			t.solve(k1, n, alpha, a, b)
			t.add(k2, n, k1, -1, off, x1, alpha, b2) // B2 = alpha B2 - O X1
			t.solve(k2, n, 1, a2, b2)
		} else {
			t.solve(k2, n, alpha, a2, b2)
			t.add(k1, n, k2, -1, off, x2, alpha, b) // B1 = alpha B1 - O X2
			t.solve(k1, n, 1, a, b)
		}
		return
	}
	b2 := b[k1:]
	x1, x2 := view[T]{b, t.ldb, 1}, view[T]{b2, t.ldb, 1}
	if lower {
		t.solve(m, k2, alpha, a2, b2)
		t.add(m, k1, k2, -1, x2, off, alpha, b) // B1 = alpha B1 - X2 O
		t.solve(m, k1, 1, a, b)
	} else {
		t.solve(m, k1, alpha, a, b)
		t.add(m, k2, k1, -1, x1, off, alpha, b2) // B2 = alpha B2 - X1 O
		t.solve(m, k2, 1, a2, b2)
	}
}

// substitute solves X A = alpha B for X, where A is a triangular matrix. The order of A is at most leaf. X
// overwrites B. substitute performs the same operations as gonum in the same order, so the
// results are the same to the last bit. It is faster, because gonum calls a function for each element of B.
func (t *triangle[T]) substitute(m, n int, alpha T, a, b []T) {
	for i := range m {
		r := b[i*t.ldb : i*t.ldb+n]
		if alpha != 1 {
			for j := range r {
				r[j] *= alpha
			}
		}
		for l := range n {
			k, from, to := l, l+1, n
			if t.uplo == blas.Lower {
				k = n - 1 - l
				from, to = 0, k
			}
			x := r[k]
			if x == 0 {
				continue
			}
			if t.diag == blas.NonUnit {
				x /= a[k*t.lda+k]
				r[k] = x
			}
			row, s := a[k*t.lda+from:k*t.lda+to], r[from:to]
			for j, v := range row {
				s[j] -= x * v
			}
		}
	}
}

// multiply computes trmm by recursion. One half of the result depends on both halves of B. The other half of the result
// depends only on the half of B that it overwrites. multiply computes the former first, because the result overwrites
// B.
func (t *triangle[T]) multiply(m, n int, alpha T, a, b []T) {
	k := order(t.side, m, n)
	if k <= leaf {
		t.small(t.side, t.uplo, t.trans, t.diag, m, n, alpha, a, t.lda, b, t.ldb)
		return
	}
	k1, lower, off, a2 := t.split(k, a)
	k2 := k - k1
	if t.side == blas.Left {
		b2 := b[k1*t.ldb:]
		x1, x2 := view[T]{b, t.ldb, 1}, view[T]{b2, t.ldb, 1}
		if lower {
			t.multiply(k2, n, alpha, a2, b2)
			t.add(k2, n, k1, alpha, off, x1, 1, b2) // B2 = alpha (A2 B2 + O B1)
			t.multiply(k1, n, alpha, a, b)
		} else {
			t.multiply(k1, n, alpha, a, b)
			t.add(k1, n, k2, alpha, off, x2, 1, b) // B1 = alpha (A1 B1 + O B2)
			t.multiply(k2, n, alpha, a2, b2)
		}
		return
	}
	b2 := b[k1:]
	x1, x2 := view[T]{b, t.ldb, 1}, view[T]{b2, t.ldb, 1}
	if lower {
		t.multiply(m, k1, alpha, a, b)
		t.add(m, k1, k2, alpha, x2, off, 1, b) // B1 = alpha (B1 A1 + B2 O)
		t.multiply(m, k2, alpha, a2, b2)
	} else {
		t.multiply(m, k2, alpha, a2, b2)
		t.add(m, k2, k1, alpha, x1, off, 1, b2) // B2 = alpha (B2 A2 + B1 O)
		t.multiply(m, k1, alpha, a, b)
	}
}
