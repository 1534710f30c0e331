package csr

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A Matrix is an immutable n×d matrix that stores only its nonzeros, row by row. It implements mat.Matrix.
type Matrix struct {
	n, d int
	ptr  []int     // n+1: row i has elements ptr[i] to ptr[i+1]
	col  []int32   // columns, ascending within a row
	val  []float64 // nonzero values

	once sync.Once
	turn *Matrix // the transpose; nil until needed
}

// stored is what package gob stores of a Matrix.
type stored struct {
	N, D     int
	Ptr, Col []int
	Val      []float64
}

// GobEncode encodes the matrix for package gob.
func (s *Matrix) GobEncode() ([]byte, error) {
	m := stored{s.n, s.d, s.ptr, make([]int, len(s.col)), s.val}
	for p, j := range s.col {
		m.Col[p] = int(j)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(m)
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (s *Matrix) GobDecode(b []byte) error {
	var m stored
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&m)
	if err == nil {
		var M *Matrix
		if M, err = New(m.N, m.D, m.Ptr, m.Col, m.Val); err == nil {
			s.n, s.d, s.ptr, s.col, s.val = M.n, M.d, M.ptr, M.col, M.val
			return nil
		}
	}
	return fmt.Errorf("csr: Matrix.GobDecode: %w", err)
}

// New returns a Matrix with copies of the given compressed rows: row i has the values val[ptr[i]:ptr[i+1]] in
// the columns col[ptr[i]:ptr[i+1]], which must ascend. Inconsistent arguments are an error.
func New(n, d int, ptr, col []int, val []float64) (*Matrix, error) {
	if err := checkDims(n, d); err != nil {
		return nil, fmt.Errorf("csr: New: %w", err)
	}
	if len(ptr) != n+1 || ptr[0] != 0 || ptr[n] != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("csr: New: %d pointers, %d columns and %d values do not fit %d rows", len(ptr), len(col), len(val), n)
	}
	s := &Matrix{n: n, d: d, ptr: []int{0}}
	for i := range n {
		if ptr[i+1] < ptr[i] || ptr[i+1] > len(val) {
			return nil, fmt.Errorf("csr: New: row %d goes from %d to %d of %d values", i, ptr[i], ptr[i+1], len(val))
		}
		for p := ptr[i]; p < ptr[i+1]; p++ {
			if col[p] < 0 || col[p] >= d || p > ptr[i] && col[p] <= col[p-1] {
				return nil, fmt.Errorf("csr: New: column %d in row %d, must be ascending and below %d", col[p], i, d)
			}
			s.push(col[p], val[p])
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s, nil
}

// push appends an element to the last row, unless it is 0.
func (s *Matrix) push(j int, v float64) {
	if v != 0 {
		s.col, s.val = append(s.col, int32(j)), append(s.val, v)
	}
}

// FromTriplets returns a Matrix with val[p] at (row[p], col[p]). The triplets may be in any order. Values at the same
// position are added up in the order given. For example, triplets (document, word, 1), one for each occurrence of a
// word, give a matrix of word counts.
func FromTriplets(n, d int, row, col []int, val []float64) (*Matrix, error) {
	if err := checkDims(n, d); err != nil {
		return nil, fmt.Errorf("csr: FromTriplets: %w", err)
	}
	if len(row) != len(val) || len(col) != len(val) {
		return nil, fmt.Errorf("csr: FromTriplets: %d rows, %d columns and %d values", len(row), len(col), len(val))
	}
	start := make([]int, n+1)
	for p, i := range row {
		if i < 0 || i >= n || col[p] < 0 || col[p] >= d {
			return nil, fmt.Errorf("csr: FromTriplets: element %d is at (%d, %d) of a matrix %d×%d", p, i, col[p], n, d)
		}
		start[i+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	order := make([]int, len(row)) // sorted by row, otherwise in the order given
	next := slices.Clone(start)
	for p, i := range row {
		order[next[i]] = p
		next[i]++
	}
	s := &Matrix{n: n, d: d, ptr: []int{0}}
	for i := range n {
		places := order[start[i]:start[i+1]]
		slices.SortStableFunc(places, func(p, q int) int { return col[p] - col[q] })
		for a := 0; a < len(places); {
			j, sum := col[places[a]], 0.0
			for ; a < len(places) && col[places[a]] == j; a++ {
				sum += val[places[a]]
			}
			s.push(j, sum)
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s, nil
}

// Of returns A as a Matrix; it returns A itself if A is a *Matrix. It panics if A is nil or empty.
func Of(A mat.Matrix) *Matrix {
	S, ours := A.(*Matrix)
	if D, ok := A.(*mat.Dense); A == nil || ok && D == nil || ours && S == nil {
		panic("csr: Of: the matrix is nil")
	}
	if ours {
		return S
	}
	n, d := A.Dims()
	if err := checkDims(n, d); err != nil {
		panic("csr: Of: " + err.Error())
	}
	if nz, ok := A.(mat.NonZeroDoer); ok {
		var row, col []int
		var val []float64
		nz.DoNonZero(func(i, j int, v float64) { row, col, val = append(row, i), append(col, j), append(val, v) })
		s, err := FromTriplets(n, d, row, col, val)
		if err != nil {
			panic(err.Error())
		}
		return s
	}
	s := &Matrix{n: n, d: d, ptr: make([]int, 1, n+1)}
	D, dense := A.(*mat.Dense)
	row := make([]float64, d)
	for i := range n {
		if dense {
			row = D.RawRowView(i)
		} else {
			mat.Row(row, i, A)
		}
		for j, v := range row {
			s.push(j, v)
		}
		s.ptr = append(s.ptr, len(s.val))
	}
	return s
}

func checkDims(n, d int) error {
	if n < 1 || d < 1 || n > math.MaxInt32 || d > math.MaxInt32 {
		return fmt.Errorf("a %d×%d matrix is empty or too large", n, d)
	}
	return nil
}

// Dims returns n and d.
func (s *Matrix) Dims() (n, d int) { return s.n, s.d }

// NNZ returns the number of nonzeros.
func (s *Matrix) NNZ() int { return len(s.val) }

// At returns the element (i, j), found by binary search in row i.
func (s *Matrix) At(i, j int) float64 {
	if i < 0 || i >= s.n || j < 0 || j >= s.d {
		panic(fmt.Sprintf("csr: At: no element (%d, %d) in %d×%d", i, j, s.n, s.d))
	}
	from, to := s.ptr[i], s.ptr[i+1]
	if p, ok := slices.BinarySearch(s.col[from:to], int32(j)); ok {
		return s.val[from+p]
	}
	return 0
}

// T returns the transpose, as Transpose does.
func (s *Matrix) T() mat.Matrix { return s.Transpose() }

// Transpose returns the transpose (d×n). The transpose is computed once and cached.
func (s *Matrix) Transpose() *Matrix {
	s.once.Do(func() {
		t := &Matrix{n: s.d, d: s.n, ptr: make([]int, s.d+1), col: make([]int32, len(s.col)), val: make([]float64, len(s.val))}
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
		t.once.Do(func() { t.turn = s })
		s.turn = t
	})
	return s.turn
}

// Row returns copies of the columns and values of the nonzeros of row i.
func (s *Matrix) Row(i int) (columns []int, values []float64) {
	col, val := s.View(i)
	for _, j := range col {
		columns = append(columns, int(j))
	}
	return columns, append(values, val...)
}

// View returns the columns and values of the nonzeros of row i. The slices belong to the matrix and must not
// be modified.
func (s *Matrix) View(i int) (columns []int32, values []float64) {
	if i < 0 || i >= s.n {
		panic(fmt.Sprintf("csr: no row %d in %d×%d", i, s.n, s.d))
	}
	from, to := s.ptr[i], s.ptr[i+1]
	return s.col[from:to:to], s.val[from:to:to]
}

// Raw returns the compressed rows: row i has the values val[ptr[i]:ptr[i+1]] in the columns
// col[ptr[i]:ptr[i+1]]. The slices belong to the matrix and must not be modified.
func (s *Matrix) Raw() (ptr []int, col []int32, val []float64) { return s.ptr, s.col, s.val }

// Rows returns the given rows as a matrix, in the order given. It panics if idx is empty.
func (s *Matrix) Rows(idx []int) *Matrix {
	if len(idx) == 0 {
		panic("csr: Rows: no rows")
	}
	out := &Matrix{n: len(idx), d: s.d, ptr: make([]int, 1, len(idx)+1)}
	for _, i := range idx {
		col, val := s.View(i)
		out.col, out.val = append(out.col, col...), append(out.val, val...)
		out.ptr = append(out.ptr, len(out.val))
	}
	return out
}

// Columns returns the given columns as a matrix. The indices must ascend. It panics if idx is empty.
func (s *Matrix) Columns(idx []int) *Matrix {
	if len(idx) == 0 {
		panic("csr: Columns: no columns")
	}
	place := make([]int32, s.d)
	for j := range place {
		place[j] = -1
	}
	for q, j := range idx {
		if j < 0 || j >= s.d || q > 0 && j <= idx[q-1] {
			panic(fmt.Sprintf("csr: Columns: column %d of %d: columns must rise", j, s.d))
		}
		place[j] = int32(q)
	}
	out := &Matrix{n: s.n, d: len(idx), ptr: make([]int, 1, s.n+1)}
	for i := range s.n {
		for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
			if q := place[s.col[p]]; q >= 0 {
				out.col, out.val = append(out.col, q), append(out.val, s.val[p])
			}
		}
		out.ptr = append(out.ptr, len(out.val))
	}
	return out
}

// DoNonZero calls f for each nonzero, row by row. It implements gonum's mat.NonZeroDoer.
func (s *Matrix) DoNonZero(f func(i, j int, v float64)) {
	given.Args("csr: Matrix.DoNonZero", "f", f)
	for i := range s.n {
		s.DoRowNonZero(i, f)
	}
}

// DoRowNonZero calls f for each nonzero of row i. It implements gonum's mat.RowNonZeroDoer.
func (s *Matrix) DoRowNonZero(i int, f func(i, j int, v float64)) {
	given.Args("csr: Matrix.DoRowNonZero", "f", f)
	col, val := s.View(i)
	for p, j := range col {
		f(i, int(j), val[p])
	}
}

// Find returns the position of the first NaN or infinite element, or −1, −1 if all are finite.
func (s *Matrix) Find() (i, j int) {
	p := finite.Index(s.val)
	if p < 0 {
		return -1, -1
	}
	i, _ = slices.BinarySearchFunc(s.ptr[1:], p, func(end, p int) int { // the first row that ends after p
		if end <= p {
			return -1
		}
		return 1
	})
	return i, int(s.col[p])
}

// Dense returns a dense copy of the matrix, which takes 8nd bytes. It panics if that is more than the limit that
// package memory sets.
func (s *Matrix) Dense() *mat.Dense {
	if err := ram.Check(fmt.Sprintf("a dense copy of %d×%d numbers", s.n, s.d), 8*float64(s.n)*float64(s.d)); err != nil {
		panic("csr: Matrix.Dense: " + err.Error())
	}
	D := mat.NewDense(s.n, s.d, nil)
	for i := range s.n {
		row := D.RawRowView(i)
		for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
			row[s.col[p]] = s.val[p]
		}
	}
	return D
}

// Means returns the means of the d columns.
func (s *Matrix) Means() []float64 {
	m := make([]float64, s.d)
	for p, j := range s.col {
		m[j] += s.val[p]
	}
	floats.Scale(1/float64(s.n), m)
	return m
}

// Moments returns three statistics of the matrix, zeros included: the means x̄_j of the d columns; the sums of squared
// deviations of the d columns, Σ_i (x_ij − x̄_j)²; and the largest |x_ij − x̄_j| of all elements. For a column of
// equal numbers, the mean is exactly that number and the deviations are exactly 0.
func (s *Matrix) Moments() (means, squares []float64, farthest float64) {
	means, squares = s.Means(), make([]float64, s.d)
	zeros, rest := make([]float64, s.d), make([]float64, s.d)
	for j := range zeros {
		zeros[j] = float64(s.n)
	}
	for p, j := range s.col {
		zeros[j]--
		rest[j] += s.val[p] - means[j]
	}
	for j, z := range zeros {
		// Adding the mean of the remainders removes the rounding error of the sum.
		means[j] += (rest[j] - z*means[j]) / float64(s.n)
		if z > 0 {
			squares[j] = z * means[j] * means[j]
			farthest = max(farthest, math.Abs(means[j]))
		}
	}
	for p, j := range s.col {
		x := s.val[p] - means[j]
		squares[j] += x * x
		farthest = max(farthest, math.Abs(x))
	}
	return means, squares, farthest
}

// Mul returns the product (n×k) of the matrix and B (d×k).
func (s *Matrix) Mul(B mat.Matrix) *mat.Dense {
	D := given.Dense("csr: Matrix.Mul", "B", B)
	d, k := D.Dims()
	if d != s.d {
		panic(fmt.Sprintf("csr: Mul: %d×%d times %d×%d", s.n, s.d, d, k))
	}
	C := mat.NewDense(s.n, k, nil)
	const rows = 64 // per work item
	parallel.Do((s.n+rows-1)/rows, 0, func(b int) {
		for i := b * rows; i < min(s.n, (b+1)*rows); i++ {
			c := C.RawRowView(i)
			for p := s.ptr[i]; p < s.ptr[i+1]; p++ {
				floats.AddScaled(c, s.val[p], D.RawRowView(int(s.col[p])))
			}
		}
	})
	return C
}

// MulT returns the product (d×k) of the transpose of the matrix and B (n×k).
func (s *Matrix) MulT(B mat.Matrix) *mat.Dense {
	given.Args("csr: Matrix.MulT", "B", B)
	if n, k := B.Dims(); n != s.n {
		panic(fmt.Sprintf("csr: MulT: the transpose of %d×%d times %d×%d", s.n, s.d, n, k))
	}
	return s.Transpose().Mul(B)
}

// String returns the shape and the number of nonzeros.
func (s *Matrix) String() string {
	return fmt.Sprintf("sparse %d×%d, %d nonzeros", s.n, s.d, len(s.val))
}
