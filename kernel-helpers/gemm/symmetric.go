package gemm

import "gonum.org/v1/gonum/blas"

// squareLeaf is the order of the diagonal squares of C at which the recursions in this file end. Such a
// square is computed as a whole, and half of the square is discarded.
const squareLeaf = 48

// Dsyrk computes one triangle of C = alpha op(A) op(A)ᵀ + beta C, where op(A) is n×k and C is n×n. The other triangle
// of C is not touched.
func (f BLAS) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || n == 0 || k == 0 {
		f.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	syrk(q, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyrk is Dsyrk for float32.
func (f BLAS) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || n == 0 || k == 0 {
		f.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	syrk(q, ul, tA, n, k, alpha, a, lda, beta, c, ldc)
}

func syrk[T number](q *kernels[T], ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	checkUplo(ul)
	trans := isTransposed(tA)
	checkSizes(0, n, k)
	checkStride(trans, n, k, lda, badLdA)
	checkStride(false, n, n, ldc, badLdC)
	checkLength(trans, n, k, lda, len(a), shortA)
	checkLength(false, n, n, ldc, len(c), shortC)
	x := viewOf(trans, a, lda)
	r := rank[T]{q: q, upper: ul == blas.Upper, k: k, alpha: alpha, beta: beta, ldc: ldc}
	r.update(n, x, x, c)
}

// Dsyr2k computes one triangle of C = alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C, where op(A) and op(B) are n×k
// and C is n×n. The other triangle of C is not touched.
func (f BLAS) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || n == 0 || k == 0 {
		f.Implementation.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	syr2k(q, ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyr2k is Dsyr2k for float32.
func (f BLAS) Ssyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || n == 0 || k == 0 {
		f.Implementation.Ssyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	syr2k(q, ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func syr2k[T number](q *kernels[T], ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	checkUplo(ul)
	trans := isTransposed(tA)
	checkSizes(0, n, k)
	checkStride(trans, n, k, lda, badLdA)
	checkStride(trans, n, k, ldb, badLdB)
	checkStride(false, n, n, ldc, badLdC)
	checkLength(trans, n, k, lda, len(a), shortA)
	checkLength(trans, n, k, ldb, len(b), shortB)
	checkLength(false, n, n, ldc, len(c), shortC)
	r := rank[T]{q: q, upper: ul == blas.Upper, twice: true, k: k, alpha: alpha, beta: beta, ldc: ldc}
	r.update(n, viewOf(trans, a, lda), viewOf(trans, b, ldb), c)
}

// A rank holds the constants of the recursion of syrk or syr2k. syrk computes C = alpha X Yᵀ + beta C with Y = X. For
// syr2k, the flag twice is true: Y is another matrix, and alpha Y Xᵀ is added, too.
type rank[T number] struct {
	q            *kernels[T]
	upper, twice bool
	k            int
	alpha, beta  T
	ldc          int
}

// update computes one triangle of C (n×n), for X and Y (n×k). A small triangle is computed by r.square. A larger one is
// computed in tiles if the instruction set has tiles. Otherwise it is divided into two smaller triangles on the
// diagonal and a rectangle.
func (r *rank[T]) update(n int, x, y view[T], c []T) {
	if n <= squareLeaf {
		r.square(n, x, y, c)
		return
	}
	if r.q.whole == nil {
		r.q.triangle(Workers(), r.upper, n, r.k, r.alpha, x, y.t(), r.beta, c, r.ldc)
		if r.twice {
			r.q.triangle(Workers(), r.upper, n, r.k, r.alpha, y, x.t(), 1, c, r.ldc)
		}
		return
	}
	n1 := roundUp(n/2, squareLeaf)
	n2 := n - n1
	x2, y2, c2 := x.rowsFrom(n1), y.rowsFrom(n1), c[n1*(r.ldc+1):]
	r.update(n1, x, y, c)
	r.update(n2, x2, y2, c2)
	if r.upper {
		r.rectangle(n1, n2, x, y, x2, y2, c[n1:])
	} else {
		r.rectangle(n2, n1, x2, y2, x, y, c[n1*r.ldc:])
	}
}

// rectangle computes C = alpha X1 Y2ᵀ + beta C, where C is m×n. If r.twice is set, it also adds alpha Y1 X2ᵀ.
func (r *rank[T]) rectangle(m, n int, x1, y1, x2, y2 view[T], c []T) {
	r.q.product(Workers(), m, n, r.k, r.alpha, x1, y2.t(), r.beta, c, r.ldc)
	if r.twice {
		r.q.product(Workers(), m, n, r.k, r.alpha, y1, x2.t(), 1, c, r.ldc)
	}
}

// square computes all n×n elements of a square on the diagonal of C, but stores only those of the triangle.
func (r *rank[T]) square(n int, x, y view[T], c []T) {
	w := r.q.workspace(n * n)
	defer r.q.release(w)
	s := w.x
	r.q.product(1, n, n, r.k, r.alpha, x, y.t(), 0, s, n)
	for i := range n {
		from, to := 0, i+1
		if r.upper {
			from, to = i, n
		}
		row := c[i*r.ldc : i*r.ldc+n]
		for j := from; j < to; j++ {
			v := s[i*n+j]
			if r.twice {
				v += s[j*n+i] // Y Xᵀ is the transpose of X Yᵀ
			}
			if r.beta != 0 {
				v += r.beta * row[j]
			}
			row[j] = v
		}
	}
}

// Dsymm computes C = alpha A B + beta C (Left) or C = alpha B A + beta C (Right) for C and B m×n and A
// symmetric. It reads one triangle of A.
func (f BLAS) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	symm(q, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm is Dsymm for float32.
func (f BLAS) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || m == 0 || n == 0 {
		f.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	symm(q, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// symm makes a full copy of A and computes the product with it.
func symm[T number](q *kernels[T], s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	checkSide(s)
	checkUplo(ul)
	checkSizes(m, n, 0)
	k := order(s, m, n)
	checkStride(false, k, k, lda, badLdA)
	checkStride(false, m, n, ldb, badLdB)
	checkStride(false, m, n, ldc, badLdC)
	checkLength(false, k, k, lda, len(a), shortA)
	checkLength(false, m, n, ldb, len(b), shortB)
	checkLength(false, m, n, ldc, len(c), shortC)

	w := q.workspace(k * k)
	defer q.release(w)
	fillSymmetric(k, ul == blas.Upper, a, lda, w.x)
	full, x := view[T]{w.x, k, 1}, view[T]{b, ldb, 1}
	if s == blas.Left {
		q.product(Workers(), m, n, m, alpha, full, x, beta, c, ldc)
	} else {
		q.product(Workers(), m, n, n, alpha, x, full, beta, c, ldc)
	}
}

// fillSymmetric stores all k×k elements of a symmetric matrix in the slice dst. The slice a holds only one triangle of
// the matrix: the upper one if upper is true. fillSymmetric works square by square, so that the elements that it
// accesses column by column stay in the cache.
func fillSymmetric[T number](k int, upper bool, a []T, lda int, dst []T) {
	const side = 16
	for i0 := 0; i0 < k; i0 += side {
		i1 := min(k, i0+side)
		for j0 := 0; j0 <= i0; j0 += side {
			for i := i0; i < i1; i++ {
				for j := j0; j < min(j0+side, i+1); j++ {
					v := a[i*lda+j]
					if upper {
						v = a[j*lda+i]
					}
					dst[i*k+j], dst[j*k+i] = v, v
				}
			}
		}
	}
}

// triangle computes one triangle of C = alpha A B + beta C, for C n×n. It is the upper triangle if upper is true, and
// the lower one otherwise. The diagonal belongs to both triangles. The elements of C outside the computed triangle are
// neither read nor written. Tiles on the diagonal compute some of these elements, but do not store them.
func (q *kernels[T]) triangle(threads int, upper bool, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int) {
	if beta != 0 && beta != 1 {
		// Scale C before computing the tiles. Scaling inside the tiles would round beta C in diagonal tiles
		// but not in other tiles, and the instruction set decides which elements belong to diagonal tiles.
		for i := range n {
			from, to := 0, i+1
			if upper {
				from, to = i, n
			}
			scale(1, to-from, beta, c[i*ldc+from:], to-from)
		}
		beta = 1
	}
	j := q.job()
	j.m, j.n, j.k, j.alpha, j.a, j.b, j.beta, j.c, j.ldc = n, n, k, alpha, a, b, beta, c, ldc
	j.packA, j.packB, j.part = true, true, lowerPart
	if upper {
		j.part = upperPart
	}
	j.run(max(1, min(threads, n*n/128*k/(worthThread/64))))
	q.giveBack(j)
}

// panels returns the panels of B that are needed for the rows r0 to r1−1 of C: the panels p where first <= p < end. It
// considers only panels where from <= p < until. Panels are counted from column n0, where the block of columns begins.
func (j *job[T]) panels(r0, r1, from, until, n0 int) (first, end int) {
	width := 2 * j.q.lanes
	switch j.part {
	case upperPart: // columns from r0 on
		from = max(from, (r0-n0)/width)
	case lowerPart: // columns before r1
		until = min(until, ceil(max(0, r1-n0), width))
	}
	return from, until
}

// crosses reports whether some elements of a tile are outside the calculated part of C. The tile has the rows r0 to
// r1−1 and the given number of columns, beginning with column j0.
func (j *job[T]) crosses(r0, r1, j0, cols int) bool {
	switch j.part {
	case upperPart:
		return j0 < r1-1
	case lowerPart:
		return j0+cols-1 > r0
	}
	return false
}

// addCorner copies the tile t, which crosses the diagonal, to its place in C. It copies only the elements inside the
// calculated part of C. If beta is 1, it adds them to C; if beta is 0, it overwrites C.
func (j *job[T]) addCorner(r0, r1, j0, cols int, beta T, t []T, width int) {
	for r := r0; r < r1; r++ {
		from, to := 0, cols
		if j.part == upperPart {
			from = max(0, r-j0)
		} else {
			to = min(cols, r-j0+1)
		}
		tile := t[(r-r0)*width:]
		for i := from; i < to; i++ {
			c := &j.c[r*j.ldc+j0+i]
			if beta == 0 {
				*c = tile[i]
			} else {
				*c += tile[i]
			}
		}
	}
}
