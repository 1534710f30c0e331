package gemm

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"overcomplete/kernel-helpers/internal/parallel"
)

// Dgemv computes y = alpha op(A) x + beta y for A m×n.
func (f BLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || m*n < smallVector64 {
		f.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	gemv(q, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Sgemv is Dgemv for float32.
func (f BLAS) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || m*n < smallVector32 {
		f.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	gemv(q, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// gemv computes y = alpha op(A) x + beta y. It goes through A row by row. If A is not transposed, it computes the dot
// product of each row with x; otherwise, it adds multiples of the rows to y. If the vector that is as long as a row (x
// or y) has gaps, gemv works on a copy of it.
func gemv[T number](q *kernels[T], tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	trans := isTransposed(tA)
	checkSizes(m, n, 0)
	checkStride(false, m, n, lda, badLdA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	checkVector(lenX, incX, len(x), shortX)
	checkVector(lenY, incY, len(y), shortY)
	checkLength(false, m, n, lda, len(a), shortA)
	// row is the vector along the rows.
	w := q.workspace(n)
	defer q.release(w)
	row := w.x[:n]
	if !trans {
		if incX == 1 {
			row = x
		} else {
			gather(row, x, incX)
		}
		q.dotRows(m, n, alpha, a, lda, row, beta, y, incY)
		return
	}
	if incY == 1 {
		row = y[:n]
		scale(1, n, beta, row, n)
	} else {
		clear(row)
	}
	q.addRows(m, n, alpha, a, lda, x, incX, row)
	if incY != 1 {
		scatter(y, incY, row, beta)
	}
}

// addRows computes y += alpha Aᵀ x for A m×n; y has no gaps.
func (q *kernels[T]) addRows(m, n int, alpha T, a []T, lda int, x []T, incX int, y []T) {
	w := q.workspace(4)
	defer q.release(w)
	four, stride := w.x, lda*q.size()
	at := firstIndex(m, incX)
	for i := 0; i < m; {
		rows := 1
		if i+4 <= m {
			rows = 4
		}
		for r := range rows {
			four[r] = alpha * x[at]
			at += incX
		}
		if rows == 4 {
			q.axpys4(n, &four[0], &a[i*lda], stride, &y[0])
		} else {
			q.axpys1(n, &four[0], &a[i*lda], stride, &y[0])
		}
		i += rows
	}
}

// dotRows computes y = alpha A x + beta y for A m×n. x has no gaps, and the increment of y is inc.
func (q *kernels[T]) dotRows(m, n int, alpha T, a []T, lda int, x []T, beta T, y []T, inc int) {
	w := q.workspace(4)
	defer q.release(w)
	dot, stride := w.x, lda*q.size()
	at := firstIndex(m, inc)
	for i := 0; i < m; {
		rows := 1
		if i+4 <= m {
			rows = 4
			q.dots4(n, &a[i*lda], stride, &x[0], &dot[0])
		} else {
			q.dots1(n, &a[i*lda], stride, &x[0], &dot[0])
		}
		for r := range rows {
			v := alpha * dot[r]
			if beta != 0 {
				v += beta * y[at]
			}
			y[at] = v
			at += inc
		}
		i += rows
	}
}

// Dsymv computes y = alpha A x + beta y for A symmetric, n×n. It reads one triangle of A.
func (f BLAS) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	q := current.f64
	if q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || n*n < smallSymmetric {
		f.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symv(q, ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssymv is Dsymv for float32.
func (f BLAS) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	q := current.f32
	if q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || n*n < smallSymmetric {
		f.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	symv(q, ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// symv computes y = alpha A x + beta y for a symmetric A that is stored as one triangle. It reads each element of
// this triangle once, and uses it for both positions, (i, j) and (j, i). x and y may have gaps, as they do in gonum's
// tridiagonalization.
func symv[T number](q *kernels[T], ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	checkUplo(ul)
	checkSizes(0, n, 0)
	checkStride(false, n, n, lda, badLdA)
	checkLength(false, n, n, lda, len(a), shortA)
	checkVector(n, incX, len(x), shortX)
	checkVector(n, incY, len(y), shortY)
	parts := 1
	if n >= sharedSymmetric {
		parts = symmetricParts
	}
	w := q.workspace(n + parts*(n+cacheLine))
	defer q.release(w)
	// v is x without gaps. s is the sum A x; each part has its own s.
	v := w.x[:n]
	gather(v, x, incX)
	sum := func(p int) (s, rest []T) {
		s = w.x[n+p*(n+cacheLine):][:n+cacheLine]
		return s[:n], s[n:]
	}
	do := func(p int) {
		s, t := sum(p)
		clear(s)
		from, to := symmetricRows(ul == blas.Upper, n, p, parts)
		q.addSymmetric(ul == blas.Upper, from, to, n, a, lda, v, s, t)
	}
	parallel.Do(parts, Workers(), do)
	s, _ := sum(0)
	for p := 1; p < parts; p++ {
		more, _ := sum(p)
		for i, y := range more {
			s[i] += y
		}
	}
	if alpha != 1 {
		for i := range s {
			s[i] *= alpha
		}
	}
	scatter(y, incY, s, beta)
}

// A symv with at least sharedSymmetric rows is divided into symmetricParts parts for the goroutines. The
// number of parts is independent of the number of threads, so the result has the same bits for any number of
// threads.
const (
	sharedSymmetric = 512
	symmetricParts  = 4
)

// symmetricRows divides the rows of a triangle into the given number of parts, which have nearly the same number of
// elements. It returns the first row of part p, and the row after its last row.
func symmetricRows(upper bool, n, p, parts int) (from, to int) {
	begin := func(p int) int {
		if upper { // long rows first
			return n - int(float64(n)*math.Sqrt(float64(parts-p)/float64(parts)))
		}
		return int(float64(n) * math.Sqrt(float64(p)/float64(parts)))
	}
	return roundUp(begin(p), 4), min(n, roundUp(begin(p+1), 4))
}

// addSymmetric computes a part of y += A x, for a symmetric n×n matrix A that is stored as one triangle. It handles the
// elements of this triangle whose row i satisfies begin <= i < end. It adds their terms, and those of their mirror
// images in the other triangle. t is scratch memory for 4 numbers.
//
// If q.both4 is not nil, the rows are processed in groups of four. Within the 4×4 square on the diagonal, the rows are
// processed one by one; outside the square, all four rows are processed together.
func (q *kernels[T]) addSymmetric(upper bool, begin, end, n int, a []T, lda int, x, y, t []T) {
	stride := lda * q.size()
	for i := begin; i < end; {
		rows := 1
		if i+4 <= end && q.both4 != nil {
			rows = 4
		}
		for r := i; r < i+rows; r++ {
			row, sum := a[r*lda:r*lda+n], a[r*lda+r]*x[r]
			from, to := i, r
			if upper {
				from, to = r+1, i+rows
			}
			for j := from; j < to; j++ {
				sum += row[j] * x[j]
				y[j] += row[j] * x[r]
			}
			y[r] += sum
		}
		from, to := 0, i
		if upper {
			from, to = i+rows, n
		}
		if from < to {
			if rows == 4 {
				q.both4(to-from, &x[i], &a[i*lda+from], stride, &x[from], &y[from], &t[0])
			} else {
				q.both(to-from, &x[i], &a[i*lda+from], &x[from], &y[from], &t[0])
			}
			for r := range rows {
				y[i+r] += t[r]
			}
		}
		i += rows
	}
}

// Dger computes A += alpha x yᵀ for A m×n. gonum's Dger (0.17) reads outside x or y for negative increments;
// this method does not.
func (f BLAS) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	q := current.f64
	switch {
	case incX < 0 && incY != 0 || incY < 0 && incX != 0:
		gerSigned(m, n, alpha, x, incX, y, incY, a, lda, f.Implementation.Dger)
	case q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || m*n < smallVector64:
		f.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	default:
		ger(q, m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Sger is Dger for float32.
func (f BLAS) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	q := current.f32
	switch {
	case incX < 0 && incY != 0 || incY < 0 && incX != 0:
		gerSigned(m, n, alpha, x, incX, y, incY, a, lda, f.Implementation.Sger)
	case q == nil || !isPlain(alpha) || incX == 0 || incY == 0 || m*n < smallVector32:
		f.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	default:
		ger(q, m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// gerSigned computes A += alpha x yᵀ if an increment is negative. It copies x and y to vectors with increment 1 and
// passes the copies to the function plus, which is gonum's Dger or Sger.
func gerSigned[T number](m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int,
	plus func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)) {
	checkSizes(m, n, 0)
	checkStride(false, m, n, lda, badLdA)
	if m == 0 || n == 0 {
		return
	}
	checkVector(m, incX, len(x), shortX)
	checkVector(n, incY, len(y), shortY)
	checkLength(false, m, n, lda, len(a), shortA)
	v, w := make([]T, m), make([]T, n)
	gather(v, x, incX)
	gather(w, y, incY)
	plus(m, n, alpha, v, 1, w, 1, a, lda)
}

func ger[T number](q *kernels[T], m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	checkSizes(m, n, 0)
	checkStride(false, m, n, lda, badLdA)
	if m == 0 || n == 0 {
		return
	}
	checkVector(m, incX, len(x), shortX)
	checkVector(n, incY, len(y), shortY)
	checkLength(false, m, n, lda, len(a), shortA)
	w := q.workspace(n + 1)
	defer q.release(w)
	row, factor := w.x[1:n+1], w.x[:1]
	if incY == 1 {
		row = y
	} else {
		gather(row, y, incY)
	}
	for i, at := 0, firstIndex(m, incX); i < m; i, at = i+1, at+incX {
		factor[0] = alpha * x[at]
		q.axpys1(n, &factor[0], &row[0], 0, &a[i*lda])
	}
}

// gather copies x, a vector with increment inc, to the contiguous slice dst.
func gather[T number](dst, x []T, inc int) {
	at := firstIndex(len(dst), inc)
	for i := range dst {
		dst[i] = x[at]
		at += inc
	}
}

// scatter computes y = v + beta y, where y has the increment inc. If beta is 0, scatter does not read y.
func scatter[T number](y []T, inc int, v []T, beta T) {
	at := firstIndex(len(v), inc)
	for _, s := range v {
		if beta != 0 {
			s += beta * y[at]
		}
		y[at] = s
		at += inc
	}
}

// firstIndex returns the index of the first element of a vector of n elements with increment inc. It is 0 unless inc
// is negative; then the first element comes last in memory.
func firstIndex(n, inc int) int {
	if inc < 0 {
		return -(n - 1) * inc
	}
	return 0
}
