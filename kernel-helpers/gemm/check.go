package gemm

import "gonum.org/v1/gonum/blas"

// These are gonum's messages, word for word; gonum does not export them.
const (
	mLT0 = "blas: m < 0"
	nLT0 = "blas: n < 0"
	kLT0 = "blas: k < 0"

	badUplo      = "blas: illegal triangle"
	badTranspose = "blas: illegal transpose"
	badDiag      = "blas: illegal diagonal"
	badSide      = "blas: illegal side"

	badLdA = "blas: bad leading dimension of A"
	badLdB = "blas: bad leading dimension of B"
	badLdC = "blas: bad leading dimension of C"

	shortX = "blas: insufficient length of x"
	shortY = "blas: insufficient length of y"
	shortA = "blas: insufficient length of a"
	shortB = "blas: insufficient length of b"
	shortC = "blas: insufficient length of c"
)

// isTransposed reports whether t means a transpose. It panics if t is invalid.
func isTransposed(t blas.Transpose) bool {
	switch t {
	case blas.NoTrans:
		return false
	case blas.Trans, blas.ConjTrans:
		return true
	}
	panic(badTranspose)
}

func checkSizes(m, n, k int) {
	switch {
	case m < 0:
		panic(mLT0)
	case n < 0:
		panic(nLT0)
	case k < 0:
		panic(kLT0)
	}
}

// checkStride panics with the given message if the stride ld is too small for a matrix that is stored as rows × cols,
// or as cols × rows if trans is set.
func checkStride(trans bool, rows, cols, ld int, message string) {
	if trans {
		cols = rows
	}
	if ld < max(1, cols) {
		panic(message)
	}
}

// checkLength panics with the given message if a slice of the given length is too short for a matrix with the stride
// ld. The matrix is stored as rows × cols, or as cols × rows if trans is set.
func checkLength(trans bool, rows, cols, ld, length int, message string) {
	if trans {
		rows, cols = cols, rows
	}
	if length < (rows-1)*ld+cols {
		panic(message)
	}
}

func checkSide(s blas.Side) {
	if s != blas.Left && s != blas.Right {
		panic(badSide)
	}
}

func checkUplo(ul blas.Uplo) {
	if ul != blas.Lower && ul != blas.Upper {
		panic(badUplo)
	}
}

// order returns the order of the square matrix that multiplies an m×n matrix from side s.
func order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// checkVector panics with the given message if a slice of the given length is too short for n elements with increment
// inc.
func checkVector(n, inc, length int, message string) {
	if length <= (n-1)*max(inc, -inc) {
		panic(message)
	}
}
