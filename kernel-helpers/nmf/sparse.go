package nmf

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Sparse is an n×d matrix that stores only its nonzeros, row by row (CSR). It is
// a mat.Matrix. It never changes.
type Sparse struct {
	n, d int
	ptr  []int     // n+1: row i has elements ptr[i] to ptr[i+1]
	col  []int32   // columns, ascending within a row
	val  []float64 // none is 0
}

// NewSparse makes a Sparse from compressed rows, which it copies: row i has the values
// val[ptr[i]:ptr[i+1]] in the columns col[ptr[i]:ptr[i+1]], ascending.
func NewSparse(n, d int, ptr, col []int, val []float64) (*Sparse, error) {
	if err := checkDims(n, d); err != nil {
		return nil, err
	}
	if len(ptr) != n+1 || ptr[0] != 0 || ptr[n] != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("nmf: NewSparse: %d pointers, %d columns and %d values do not fit %d rows", len(ptr), len(col), len(val), n)
	}
	s := &Sparse{n: n, d: d, ptr: []int{0}}
	for i := range n {
		if ptr[i+1] < ptr[i] || ptr[i+1] > len(val) {
			return nil, fmt.Errorf("nmf: NewSparse: row %d goes from %d to %d of %d values", i, ptr[i], ptr[i+1], len(val))
		}
		for p := ptr[i]; p < ptr[i+1]; p++ {
			if col[p] < 0 || col[p] >= d || p > ptr[i] && col[p] <= col[p-1] {
				return nil, fmt.Errorf("nmf: NewSparse: column %d in row %d, must be ascending and below %d", col[p], i, d)
			}
			if val[p] != 0 {
				s.col, s.val = append(s.col, int32(col[p])), append(s.val, val[p])
			}
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s, nil
}

// FromTriplets makes a Sparse with val[p] at (row[p], col[p]), in any order. Values at the
// same position are added up in the order given, so triplets with 1 for each word of each
// document make a matrix of counts.
func FromTriplets(n, d int, row, col []int, val []float64) (*Sparse, error) {
	if err := checkDims(n, d); err != nil {
		return nil, err
	}
	if len(row) != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("nmf: FromTriplets: %d rows, %d columns and %d values", len(row), len(col), len(val))
	}
	start := make([]int, n+1)
	for p, i := range row {
		if i < 0 || i >= n || col[p] < 0 || col[p] >= d {
			return nil, fmt.Errorf("nmf: FromTriplets: element %d is at (%d, %d) of a matrix %d×%d", p, i, col[p], n, d)
		}
		start[i+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	order := make([]int, len(row)) // by row, else as given
	next := slices.Clone(start)
	for p, i := range row {
		order[next[i]] = p
		next[i]++
	}
	s := &Sparse{n: n, d: d, ptr: []int{0}}
	for i := range n {
		places := order[start[i]:start[i+1]]
		slices.SortStableFunc(places, func(p, q int) int { return col[p] - col[q] })
		for a := 0; a < len(places); {
			j, sum := col[places[a]], 0.0
			for ; a < len(places) && col[places[a]] == j; a++ {
				sum += val[places[a]]
			}
			if sum != 0 {
				s.col, s.val = append(s.col, int32(j)), append(s.val, sum)
			}
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s, nil
}

// Sparsify returns the nonzeros of A as a Sparse, for instance of the counts of package
// wordcount. It panics if A is nil or empty.
func Sparsify(A mat.Matrix) *Sparse {
	if s, ok := A.(*Sparse); ok {
		return s
	}
	if isNil(A) {
		panic("nmf: Sparsify: A is nil")
	}
	n, d := A.Dims()
	if err := checkDims(n, d); err != nil {
		panic(err.Error())
	}
	s := &Sparse{n: n, d: d, ptr: make([]int, 1, n+1)}
	D, dense := A.(*mat.Dense)
	row := make([]float64, d)
	for i := range n {
		if dense {
			row = D.RawRowView(i)
		} else {
			mat.Row(row, i, A)
		}
		for j, v := range row {
			if v != 0 {
				s.col, s.val = append(s.col, int32(j)), append(s.val, v)
			}
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s
}

func checkDims(n, d int) error {
	if n < 1 || d < 1 || n > 1<<31-1 || d > 1<<31-1 {
		return fmt.Errorf("nmf: a %d×%d matrix is empty or too large", n, d)
	}
	return nil
}

// Dims returns n and d.
func (s *Sparse) Dims() (n, d int) { return s.n, s.d }

// NNZ returns the number of nonzeros.
func (s *Sparse) NNZ() int { return len(s.val) }

// At returns the element (i, j), which it finds by bisection of row i.
func (s *Sparse) At(i, j int) float64 {
	if i < 0 || i >= s.n || j < 0 || j >= s.d {
		panic(fmt.Sprintf("nmf: Sparse: no element (%d, %d) in %d×%d", i, j, s.n, s.d))
	}
	from, to := s.ptr[i], s.ptr[i+1]
	if p, ok := slices.BinarySearch(s.col[from:to], int32(j)); ok {
		return s.val[from+p]
	}
	return 0
}

// T returns the transpose, with copied elements.
func (s *Sparse) T() mat.Matrix { return s.transpose() }

func (s *Sparse) transpose() *Sparse {
	t := &Sparse{n: s.d, d: s.n, ptr: make([]int, s.d+1), col: make([]int32, len(s.col)), val: make([]float64, len(s.val))}
	for _, j := range s.col {
		t.ptr[j+1]++
	}
	for j := range s.d {
		t.ptr[j+1] += t.ptr[j]
	}
	next := slices.Clone(t.ptr)
	for i := range s.n {
		for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
			q := next[s.col[p]]
			next[s.col[p]]++
			t.col[q], t.val[q] = int32(i), s.val[p]
		}
	}
	return t
}

// Row returns copies of the columns and values of the nonzeros of row i.
func (s *Sparse) Row(i int) (columns []int, values []float64) {
	if i < 0 || i >= s.n {
		panic(fmt.Sprintf("nmf: Sparse: no row %d in %d×%d", i, s.n, s.d))
	}
	for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
		columns, values = append(columns, int(s.col[p])), append(values, s.val[p])
	}
	return columns, values
}

// Dense returns the matrix as a dense one, zeros included.
func (s *Sparse) Dense() *mat.Dense {
	D := mat.NewDense(s.n, s.d, nil)
	for i := range s.n {
		row := D.RawRowView(i)
		for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
			row[s.col[p]] = s.val[p]
		}
	}
	return D
}

// String returns the shape and the number of nonzeros.
func (s *Sparse) String() string {
	return fmt.Sprintf("sparse %d×%d, %d nonzeros", s.n, s.d, len(s.val))
}
