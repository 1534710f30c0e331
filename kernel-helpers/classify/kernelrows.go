package classify

import (
	"container/list"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/vmath"
)

// kernelRows computes rows of the matrix K_ij = exp(−γ‖x_i − x_j‖²) and caches the most recently used rows.
// When a row is missing, one matrix product computes the missing row together with the rows of the points
// that violate the KKT conditions most. The product costs little more than a single row (a matrix-vector
// product, which is bound by memory), and the next steps most likely ask for the extra rows.
type kernelRows struct {
	X     *mat.Dense
	norm  []float64 // ‖x_i‖²
	gamma float64

	capacity int               // rows
	kept     map[int][]float32 // cached rows by row number
	place    map[int]*list.Element
	order    *list.List // row numbers, the most recently used first

	batch   *mat.Dense // gathered points
	buffer  []float64  // n×batch
	line    []float64  // n
	chosen  []int
	scores  []float64
	thresh  []float64
	pending []int
}

// batchRows is the largest number of rows computed at once. On MNIST 32 was faster than 16 and 64.
const batchRows = 32

func newKernelRows(X *mat.Dense, gamma float64, bytes int) *kernelRows {
	n, d := X.Dims()
	k := &kernelRows{
		X: X, norm: make([]float64, n), gamma: gamma,
		capacity: min(n, max(2, bytes/(4*n))),
		kept:     map[int][]float32{}, place: map[int]*list.Element{}, order: list.New(),
	}
	for i := range n {
		x := X.RawRowView(i)
		k.norm[i] = floats.Dot(x, x)
	}
	k.batch = mat.NewDense(batchRows, d, nil)
	k.buffer, k.line = make([]float64, n*batchRows), make([]float64, n)
	return k
}

// row returns row i of K. The row is valid until the call after the next.
func (k *kernelRows) row(i int, s *smo) []float32 {
	if r, ok := k.kept[i]; ok {
		k.order.MoveToFront(k.place[i])
		return r
	}
	// The batch must not evict more than a quarter of the cached rows.
	k.compute(k.candidateRows(i, s, min(batchRows, max(1, k.capacity/4))))
	k.order.MoveToFront(k.place[i])
	return k.kept[i]
}

// candidateRows returns row i and up to m−1 other rows that are not cached: the rows of the points with the
// largest violation, among the points whose β can still move down the gradient.
func (k *kernelRows) candidateRows(i int, s *smo, m int) []int {
	k.chosen = append(k.chosen[:0], i)
	if m == 1 {
		return k.chosen
	}
	k.scores, k.pending = k.scores[:0], k.pending[:0]
	for t, g := range s.g {
		if _, ok := k.kept[t]; ok || t == i {
			continue
		}
		lo, hi := s.bounds(t)
		score := math.Inf(-1)
		if s.beta[t] < hi {
			score = -g - s.bias
		}
		if s.beta[t] > lo {
			score = math.Max(score, g+s.bias)
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

// compute computes and caches the given rows. The first becomes the most recently used.
func (k *kernelRows) compute(rows []int) {
	n, d := k.X.Dims()
	for b, i := range rows {
		copy(k.batch.RawRowView(b), k.X.RawRowView(i))
	}
	// The points are the left factor because the product does not pack its left factor.
	m := len(rows)
	B := k.batch.Slice(0, m, 0, d).(*mat.Dense).RawMatrix()
	C := blas64.General{Rows: n, Cols: m, Stride: m, Data: k.buffer[:n*m]}
	blas64.Gemm(noTrans, trans, 1, k.X.RawMatrix(), B, 0, C) // x_j'x_i: n×d times d×m
	for b := m - 1; b >= 0; b-- {
		i, v := rows[b], k.line
		for j := range v {
			v[j] = C.Data[j*m+b]
		}
		gaussianKernel(v, k.X.RawRowView(i), k.X, k.norm[i], k.norm, k.gamma)
		v[i] = 1
		var r []float32
		if k.order.Len() == k.capacity {
			last := k.order.Remove(k.order.Back()).(int)
			r = k.kept[last]
			delete(k.kept, last)
			delete(k.place, last)
		} else {
			r = make([]float32, n)
		}
		for j, x := range v {
			r[j] = float32(x)
		}
		k.kept[i] = r
		k.place[i] = k.order.PushFront(i)
	}
}

// gaussianKernel replaces the inner products x'x_j in v by exp(−γ‖x − x_j‖²), for the rows x_j of X. xx is ‖x‖²,
// and norm holds all ‖x_j‖².
func gaussianKernel(v, x []float64, X *mat.Dense, xx float64, norm []float64, gamma float64) {
	for j, p := range v {
		size := xx + norm[j]
		d := math.Max(0, size-2*p)
		// If rounding leaves too few digits, and the kernel is not 0 in any case, differences have them.
		if far := gamma * size; far > manyDigits && gamma*d-1e-14*far < 800 {
			d = 0
			for k, b := range X.RawRowView(j) {
				d += (x[k] - b) * (x[k] - b)
			}
		}
		v[j] = -gamma * d
	}
	vmath.Exp(v, v)
}

// manyDigits is the γ(‖x‖² + ‖z‖²) above which the rounding of ‖x‖² − 2x'z + ‖z‖² changes the kernel by more than
// about 1e-8.
const manyDigits = 1e8
