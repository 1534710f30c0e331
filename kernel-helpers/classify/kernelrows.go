package classify

import (
	"container/list"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// kernelRows computes rows of the matrix K_ij = k(x_i, x_j) and caches the most recently used rows. When a row is
// missing, one matrix product computes the missing row together with the rows of the points that violate the KKT
// conditions most. The product costs little more than a single row (a matrix-vector product, which is memory-bound),
// and the solver's next steps will most likely need the other rows.
//
// A solver may have several variables for each of the n points. Variable t then belongs to point t mod n, and a row has
// an element for each variable.
type kernelRows struct {
	X      *mat.Dense
	norm   []float64 // ‖x_i‖²
	kernel Kernel
	copies int
	diag   []float64 // K_ii, as rounded in the rows, for each variable
	bad    [2]int    // if isBad is set, a pair of points whose kernel is out of float32's range
	isBad  bool

	capacity int               // rows
	kept     map[int][]float32 // the cached rows, by row number
	place    map[int]*list.Element
	order    *list.List // row numbers, the most recently used first

	batch   *mat.Dense // the points of a batch
	buffer  []float64  // n×batch
	line    []float64  // n
	chosen  []int
	scores  []float64
	thresh  []float64
	pending []int
}

// batchRows is the largest number of rows computed at once. On MNIST, 32 was faster than 16 and 64.
const batchRows = 32

// newKernelRows returns the kernelRows of the points X for a solver that may have several variables for each point.
// copies is the number of variables per point. The cached rows take at most about the given number of bytes, but there
// is always room for two rows.
func newKernelRows(X *mat.Dense, kernel Kernel, copies, bytes int) *kernelRows {
	n, d := X.Dims()
	k := &kernelRows{
		X: X, norm: make([]float64, n), kernel: kernel, copies: copies, diag: make([]float64, n*copies),
		capacity: min(n, max(2, bytes/(4*n*copies))),
		kept:     map[int][]float32{}, place: map[int]*list.Element{}, order: list.New(),
	}
	for i := range n {
		x := X.RawRowView(i)
		k.norm[i] = floats.Dot(x, x)
		switch kernel := kernel.(type) {
		case RBF:
			k.diag[i] = 1
		case Linear:
			k.diag[i] = k.norm[i]
		default:
			k.diag[i] = kernel.Value(x, x)
		}
		for t := i; t < n*copies; t += n {
			k.diag[t] = k.rounded(i, i, k.diag[i])
		}
	}
	k.batch = mat.NewDense(batchRows, d, nil)
	k.buffer, k.line = make([]float64, n*batchRows), make([]float64, n)
	return k
}

// rounded returns v = k(x_i, x_j), rounded to float32 like the elements of the rows. If v is out of float32's range, it
// records i and j in k.bad, unless a pair is already there.
func (k *kernelRows) rounded(i, j int, v float64) float64 {
	r := float64(float32(v))
	if !finite.Is(r) && !k.isBad {
		k.bad, k.isBad = [2]int{i, j}, true
	}
	return r
}

// row returns the row of K for variable i. If the row is not cached, row computes it, together with rows that the
// solver s will probably need next. The result is still valid after one more call to row, but a second call may
// overwrite it.
func (k *kernelRows) row(i int, s *smo) []float32 {
	i %= len(k.norm)
	if r, ok := k.kept[i]; ok {
		k.order.MoveToFront(k.place[i])
		return r
	}
	// The batch must not evict more than a quarter of the cached rows.
	k.compute(k.candidateRows(i, s, min(batchRows, max(1, k.capacity/4))))
	k.order.MoveToFront(k.place[i])
	return k.kept[i]
}

// candidateRows returns the indices of the rows to compute: i and up to m−1 others that are not cached. The others
// belong to the points that violate the KKT conditions most.
func (k *kernelRows) candidateRows(i int, s *smo, m int) []int {
	k.chosen = append(k.chosen[:0], i)
	if m == 1 {
		return k.chosen
	}
	k.scores, k.pending = k.scores[:0], k.pending[:0]
	n := len(k.norm)
	for t := range n {
		if _, ok := k.kept[t]; ok || t == i {
			continue
		}
		score := math.Inf(-1)
		for u := t; u < len(s.g); u += n {
			g := s.g[u]
			lo, hi := s.bounds(u)
			if s.beta[u] < hi {
				score = math.Max(score, -g-s.bias)
			}
			if s.beta[u] > lo {
				score = math.Max(score, g+s.bias)
			}
		}
		k.scores, k.pending = append(k.scores, score), append(k.pending, t)
	}
	if len(k.pending) > m-1 {
		k.thresh = append(k.thresh[:0], k.scores...)
		slices.Sort(k.thresh)
		least := k.thresh[len(k.thresh)-(m-1)]
		for r, t := range k.pending {
			if k.scores[r] >= least && len(k.chosen) < m {
				k.chosen = append(k.chosen, t)
			}
		}
		return k.chosen
	}
	k.chosen = append(k.chosen, k.pending...)
	return k.chosen
}

// compute computes and caches the given rows. The first row becomes the most recently used.
func (k *kernelRows) compute(rows []int) {
	n, d := k.X.Dims()
	for b, i := range rows {
		copy(k.batch.RawRowView(b), k.X.RawRowView(i))
	}
	// The points are the left factor because the product does not pack its left factor.
	m := len(rows)
	B := k.batch.Slice(0, m, 0, d).(*mat.Dense).RawMatrix()
	C := blas64.General{Rows: n, Cols: m, Stride: m, Data: k.buffer[:n*m]}
	if ofProducts(k.kernel) {
		blas64.Gemm(noTrans, trans, 1, k.X.RawMatrix(), B, 0, C) // x_j'x_i: n×d times d×m
	}
	for b := m - 1; b >= 0; b-- {
		i, v := rows[b], k.line
		for j := range v {
			v[j] = C.Data[j*m+b]
		}
		kernelValues(k.kernel, v, k.X.RawRowView(i), k.X, k.norm[i], k.norm)
		v[i] = k.diag[i]
		var r []float32
		if k.order.Len() == k.capacity {
			last := k.order.Remove(k.order.Back()).(int)
			r = k.kept[last]
			delete(k.kept, last)
			delete(k.place, last)
		} else {
			r = make([]float32, n*k.copies)
		}
		for j, x := range v {
			r[j] = float32(k.rounded(i, j, x))
		}
		for c := n; c < len(r); c += n {
			copy(r[c:], r[:n])
		}
		k.kept[i] = r
		k.place[i] = k.order.PushFront(i)
	}
}
