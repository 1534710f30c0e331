package nmf

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
)

// A Sparse is an n×d matrix that stores only its nonzeros, row by row (CSR). It is the Matrix of package csr, which
// other algorithms also accept. It is an immutable mat.Matrix.
type Sparse = csr.Matrix

// NewSparse returns a Sparse made from compressed rows, which it copies, as csr.New does. Row i has the
// values val[ptr[i]:ptr[i+1]] in the columns col[ptr[i]:ptr[i+1]], ascending.
func NewSparse(n, d int, ptr, col []int, val []float64) (*Sparse, error) {
	return csr.New(n, d, ptr, col, val)
}

// FromTriplets returns a Sparse with val[p] at (row[p], col[p]), in any order, as csr.FromTriplets does.
// Values at the same position are added in the order given, so triplets with a 1 for each word of each
// document give a matrix of counts.
func FromTriplets(n, d int, row, col []int, val []float64) (*Sparse, error) {
	return csr.FromTriplets(n, d, row, col, val)
}

// Sparsify returns A as a Sparse, for instance the counts of package wordcount. It calls csr.Of and panics if
// A is empty.
func Sparsify(A mat.Matrix) *Sparse { return csr.Of(A) }

// rows holds the compressed rows of a Sparse.
type rows struct {
	n, d int
	ptr  []int
	col  []int32
	val  []float64
}

func rowsIn(s *Sparse) rows {
	n, d := s.Dims()
	ptr, col, val := s.Raw()
	return rows{n, d, ptr, col, val}
}

func (s *rows) sums() []float64 {
	v := make([]float64, s.n)
	for i := range v {
		v[i] = floats.Sum(s.val[s.ptr[i]:s.ptr[i+1]])
	}
	return v
}
