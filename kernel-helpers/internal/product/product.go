// Package product multiplies matrices for computations that stop when a context is done. It divides products that take
// long into parts, and checks the context between the parts.
//
// Each element of a product has the same bits as if the BLAS in use had computed the product in one call. So no result
// depends on how a product is divided.
package product

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// Mul stores AB in C, as C.Mul(A, B) does. If ctx is done, Mul returns ctx's error, and C is unfinished. To notice the
// end of ctx soon, Mul divides a long product into parts. It does so only for products of *mat.Dense and their
// transposes, and not for A'A and AA', because C.Mul computes these two differently.
func Mul(ctx context.Context, C *mat.Dense, A, B mat.Matrix) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, k := A.Dims()
	_, n := B.Dims()
	a, tA, ok := general(A)
	b, tB, okB := general(B)
	_, inOrder := blas64.Implementation().(gonum.Implementation)
	if !ok || !okB || &a.Data[0] == &b.Data[0] || !isLong(ctx, m, n, k, inOrder) {
		C.Mul(A, B)
		return ctx.Err()
	}
	if C.IsEmpty() {
		C.ReuseAs(m, n)
	}
	return Gemm(ctx, tA, tB, 1, a, b, 0, C.RawMatrix())
}

// general returns the matrix that stores the elements of M, and whether M is its transpose. ok is false unless M is a
// *mat.Dense or the transpose of one.
func general(M mat.Matrix) (g blas64.General, t blas.Transpose, ok bool) {
	t = blas.NoTrans
	if T, is := M.(mat.Transpose); is {
		M, t = T.Matrix, blas.Trans
	}
	D, ok := M.(*mat.Dense)
	if !ok {
		return g, t, false
	}
	return D.RawMatrix(), t, true
}

// Gemm computes C = α op(A) op(B) + βC, as blas64.Gemm does, where op transposes a matrix if tA or tB says so. If ctx
// is done, Gemm returns ctx's error, and C is unfinished.
func Gemm(ctx context.Context, tA, tB blas.Transpose, alpha float64, A, B blas64.General, beta float64, C blas64.General) error {
	k := A.Cols
	if tA != blas.NoTrans {
		k = A.Rows
	}
	_, inOrder := blas64.Implementation().(gonum.Implementation)
	return divide(ctx, C.Rows, C.Cols, k, inOrder, func(r, c, s span) {
		b := beta
		if s.from > 0 {
			b = 1
		}
		blas64.Gemm(tA, tB, alpha, part(A, tA, r, s), part(B, tB, s, c), b, part(C, blas.NoTrans, r, c))
	})
}

// Gemm32 is like Gemm, in float32.
func Gemm32(ctx context.Context, tA, tB blas.Transpose, alpha float32, A, B blas32.General, beta float32, C blas32.General) error {
	k := A.Cols
	if tA != blas.NoTrans {
		k = A.Rows
	}
	_, inOrder := blas32.Implementation().(gonum.Implementation)
	return divide(ctx, C.Rows, C.Cols, k, inOrder, func(r, c, s span) {
		b := beta
		if s.from > 0 {
			b = 1
		}
		blas32.Gemm(tA, tB, alpha, part32(A, tA, r, s), part32(B, tB, s, c), b, part32(C, blas.NoTrans, r, c))
	})
}

// A span is a range [from, to) of rows, columns or terms.
type span struct{ from, to int }

// part returns the part of M that holds the rows r and columns c of op(M), where op(M) is M, or its transpose if t
// says so. The result shares M's memory, and is not transposed.
func part(M blas64.General, t blas.Transpose, r, c span) blas64.General {
	if t != blas.NoTrans {
		r, c = c, r
	}
	first := r.from*M.Stride + c.from
	return blas64.General{Rows: r.to - r.from, Cols: c.to - c.from, Stride: M.Stride, Data: M.Data[first : (r.to-1)*M.Stride+c.to]}
}

func part32(M blas32.General, t blas.Transpose, r, c span) blas32.General {
	if t != blas.NoTrans {
		r, c = c, r
	}
	first := r.from*M.Stride + c.from
	return blas32.General{Rows: r.to - r.from, Cols: c.to - c.from, Stride: M.Stride, Data: M.Data[first : (r.to-1)*M.Stride+c.to]}
}

// long is the largest number of multiplications in a part if gonum's BLAS is in use; they take a fraction of a second.
// Tests change it.
var long = 1e8

// faster is the factor by which parts are larger if the BLAS in use is not gonum's, because other BLAS are faster.
const faster = 10

// gonum divides a product into square blocks, and sums the terms in groups. The constant square is the side length of a
// block, and also the number of terms in a group. If the number of blocks is below squares (the second constant), gonum
// sums all terms at once, which rounds differently.
const square, squares = 64, 4

// limit returns the largest number of multiplications in one part of a divided product. inOrder is as in divide.
func limit(inOrder bool) float64 {
	if inOrder {
		return long
	}
	return faster * long
}

// isLong reports whether a product of an m×k matrix and a k×n matrix is long enough to be divided. If ctx can never
// end, isLong returns false. inOrder is as in divide.
func isLong(ctx context.Context, m, n, k int, inOrder bool) bool {
	return ctx.Done() != nil && float64(m)*float64(n)*float64(k) > limit(inOrder)
}

// divide splits a product into parts if it is long, and calls do(r, c, s) for each part. The product has m×n elements,
// each of which is a sum of k terms; r, c and s are the rows, columns and terms of the part. inOrder says that the BLAS
// in use is gonum's, which adds groups of terms in ascending order. Only if inOrder is true does divide also split the
// sums; it then calls do for the parts of a sum in ascending order. If ctx is done, divide returns ctx's error.
func divide(ctx context.Context, m, n, k int, inOrder bool, do func(r, c, s span)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !isLong(ctx, m, n, k, inOrder) {
		do(span{0, m}, span{0, n}, span{0, k})
		return ctx.Err()
	}
	// Square parts use each number most often.
	multiple := func(x float64, least int) int { return max(least, int(x)/square*square) }
	whole := limit(inOrder) / float64(k)
	side := multiple(math.Sqrt(whole), squares/2*square)
	rows, columns := side, side
	switch {
	case m <= side:
		rows, columns = m, multiple(whole/float64(m), squares*square)
	case n <= side:
		rows, columns = multiple(whole/float64(n), squares*square), n
	}
	terms := k
	if inOrder {
		terms = multiple(long/(float64(rows)*float64(columns)), square)
	}
	for _, r := range spans(m, rows) {
		for _, c := range spans(n, columns) {
			for from := 0; from < k; from += terms {
				if err := ctx.Err(); err != nil {
					return err
				}
				do(r, c, span{from, min(k, from+terms)})
			}
		}
	}
	return ctx.Err()
}

// spans divides [0, n) into spans of the given length. The last span may be up to twice as long.
func spans(n, length int) []span {
	var s []span
	for from := 0; from < n; {
		to := from + length
		if n-to < length {
			to = n
		}
		s = append(s, span{from, to})
		from = to
	}
	return s
}
