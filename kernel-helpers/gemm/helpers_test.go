package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// use sets the instruction set and the number of threads for the rest of a test.
func use(tb testing.TB, set *isa, n int) {
	was, old := current, SetWorkers(n)
	current = set
	tb.Cleanup(func() { current = was; SetWorkers(old) })
}

// eachSet runs a test with every instruction set that has kernels and is supported by this machine. It skips
// the test if there is none.
func eachSet(t *testing.T, test func(t *testing.T, set *isa)) {
	sets := assembly()
	if len(sets) == 0 {
		t.Skip("no assembly here")
	}
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			use(t, set, 1)
			test(t, set)
		})
	}
}

func random[T number](rnd *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rnd.NormFloat64())
	}
	return x
}

// integers returns numbers small enough that their products, and sums of at most 2^17 products, are exact in
// float32. The order of summation then does not matter, and results can be compared for equality.
func integers[T number](rnd *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rnd.IntN(17) - 8)
	}
	return x
}

// A blasFor holds the BLAS routines for one type, so that tests are written once.
type blasFor[T number] struct {
	gemm  func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk  func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k func(ul blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm  func(s blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trsm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trmm  func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	gemv  func(tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger   func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	symv  func(ul blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
}

var (
	my   BLAS
	ref  gonum.Implementation
	my64 = blasFor[float64]{my.Dgemm, my.Dsyrk, my.Dsyr2k, my.Dsymm, my.Dtrsm, my.Dtrmm, my.Dgemv, my.Dger, my.Dsymv}
	my32 = blasFor[float32]{my.Sgemm, my.Ssyrk, my.Ssyr2k, my.Ssymm, my.Strsm, my.Strmm, my.Sgemv, my.Sger, my.Ssymv}
	// gonum's routines
	ref64 = blasFor[float64]{ref.Dgemm, ref.Dsyrk, ref.Dsyr2k, ref.Dsymm, ref.Dtrsm, ref.Dtrmm, ref.Dgemv, ref.Dger, ref.Dsymv}
	ref32 = blasFor[float32]{ref.Sgemm, ref.Ssyrk, ref.Ssyr2k, ref.Ssymm, ref.Strsm, ref.Strmm, ref.Sgemv, ref.Sger, ref.Ssymv}
)

// A region is a matrix in memory with a stride larger than its rows, with canaries before, after and between
// the rows.
type region[T number] struct {
	all        []T
	x          []T // passed to the function under test
	rows, cols int
	ld         int
}

const canary = -12345.5

// newRegion returns a region that holds values. If the canary is NaN, a routine that reads a gap gives a
// wrong result.
func newRegion[T number](rnd *rand.Rand, rows, cols int, fill T, values []T) region[T] {
	ld := cols + rnd.IntN(4)
	length := (rows-1)*ld + cols
	all := make([]T, length+64)
	for i := range all {
		all[i] = fill
	}
	r := region[T]{all, all[32 : 32+length : 32+length], rows, cols, ld}
	for i := range rows {
		copy(r.x[i*ld:i*ld+cols], values[i*cols:])
	}
	return r
}

// check fails the test if a canary has changed.
func (r region[T]) check(t *testing.T, fill T, what string) {
	t.Helper()
	for i, v := range r.all {
		p := i - 32
		if p >= 0 && p < len(r.x) && p%r.ld < r.cols {
			continue
		}
		if v != fill && (v == v || fill == fill) {
			t.Fatalf("%s: wrote outside the matrix, at %d of %d×%d, stride %d", what, p, r.rows, r.cols, r.ld)
		}
	}
}

// dims returns the numbers of rows and columns of X as stored, for op(X) of rows × cols.
func dims(t blas.Transpose, rows, cols int) (int, int) {
	if t == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

func nan[T number]() T { return T(math.NaN()) }

// typeName returns "float32" or "float64".
func typeName[T number]() string { return fmt.Sprintf("%T", *new(T)) }
