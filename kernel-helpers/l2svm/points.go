package l2svm

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/parallel"
)

// Points are the rows of a matrix that need not be in memory, for instance a
// features.Matrix.
type Points interface {
	// Dims returns the number of points and the number of features.
	Dims() (n, d int)
	// Read stores the points [from, to) in dst ((to−from)×d). Several goroutines may
	// call it at once.
	Read(dst []float32, from, to int) error
}

// Dense returns the rows of a matrix as Points. M is not copied.
func Dense(M mat.Matrix) Points {
	if matrixIsNil(M) {
		panic("l2svm: Dense: the matrix is nil")
	}
	if S, ok := M.(*csr.Matrix); ok {
		return Sparse(S)
	}
	if n, d := M.Dims(); n == 0 || d == 0 {
		panic("l2svm: Dense: the matrix is empty")
	}
	return densePoints{M}
}

type densePoints struct{ mat.Matrix }

func (m densePoints) Read(dst []float32, from, to int) error {
	_, d := m.Dims()
	rows, fast := m.Matrix.(mat.RawRowViewer)
	for i := from; i < to; i++ {
		if fast {
			for j, v := range rows.RawRowView(i) {
				dst[(i-from)*d+j] = float32(v)
			}
			continue
		}
		for j := range d {
			dst[(i-from)*d+j] = float32(m.At(i, j))
		}
	}
	return nil
}

// Read64 is like Read, but in float64, for computations that need more than float32.
func (m densePoints) Read64(dst []float64, from, to int) error {
	_, d := m.Dims()
	for i := from; i < to; i++ {
		mat.Row(dst[(i-from)*d:(i-from+1)*d], i, m.Matrix)
	}
	return nil
}

// Single returns n points of d features, which are stored row by row in the slice data. The slice is not copied.
func Single(data []float32, n, d int) Points {
	if n <= 0 || d <= 0 || len(data) != n*d {
		panic(fmt.Sprintf("l2svm: Single: %d numbers are not %d×%d", len(data), n, d))
	}
	return &singlePoints{data, n, d}
}

type singlePoints struct {
	data []float32
	n, d int
}

func (s *singlePoints) Dims() (n, d int) { return s.n, s.d }

func (s *singlePoints) Read(dst []float32, from, to int) error {
	copy(dst, s.data[from*s.d:to*s.d])
	return nil
}

// Select returns the points with the given indices, in that order. idx is copied.
func Select(X Points, idx []int) Points {
	if X == nil {
		panic("l2svm: Select: X is nil")
	}
	n, _ := X.Dims()
	if len(idx) == 0 {
		panic("l2svm: Select: no points")
	}
	for k, i := range idx {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("l2svm: Select: element %d is %d, there are %d points", k, i, n))
		}
	}
	if s, ok := X.(*sparsePoints); ok {
		return &sparsePoints{s.Rows(idx)}
	}
	return &selection{X, append([]int(nil), idx...)}
}

type selection struct {
	X   Points
	idx []int
}

func (s *selection) Dims() (n, d int) {
	_, d = s.X.Dims()
	return len(s.idx), d
}

func (s *selection) Read(dst []float32, from, to int) error {
	return readSelected(s, dst, from, to, s.X.Read)
}

func (s *selection) Read64(dst []float64, from, to int) error {
	return readSelected(s, dst, from, to, func(dst []float64, from, to int) error { return read64(s.X, dst, from, to) })
}

// readSelected reads the points [from, to) of a selection. It reads points with consecutive indices together, in one
// call to the function read.
func readSelected[T float32 | float64](s *selection, dst []T, from, to int, read func(dst []T, from, to int) error) error {
	_, d := s.X.Dims()
	for from < to {
		end := from + 1
		for end < to && s.idx[end] == s.idx[end-1]+1 {
			end++
		}
		k := (end - from) * d
		if err := read(dst[:k], s.idx[from], s.idx[from]+end-from); err != nil {
			return err
		}
		dst, from = dst[k:], end
	}
	return nil
}

// Load returns the points of X as a copy in memory, in float32. Use it for a small selection that is read often.
// Sparse points are already in memory; Load returns them as they are.
func Load(X Points) (Points, error) {
	if X == nil {
		panic("l2svm: Load: X is nil")
	}
	if s, ok := X.(*sparsePoints); ok {
		return s, nil
	}
	n, d := X.Dims()
	if err := ram.Check(fmt.Sprintf("%d points of %d features", n, d), 4*float64(n)*float64(d)); err != nil {
		return nil, fmt.Errorf("l2svm: Load: %w", err)
	}
	data := make([]float32, n*d)
	if err := X.Read(data, 0, n); err != nil {
		return nil, fmt.Errorf("l2svm: Load: %w", err)
	}
	return Single(data, n, d), nil
}

// lanes is the number of partial sums over the points. It is fixed, so sums do not depend on the number of
// processors.
const lanes = 8

// blockRows returns the number of points decoded at a time: about 4 MB, which stay in the cache between decoding and
// product, but at least 16 points and at most 512.
func blockRows(d int) int { return max(16, min(512, (1<<20)/d)) }

// stream passes all points to f, block by block: X holds the points [from, to), row by row. The points are divided
// into a fixed number of ranges, called lanes. f gets the blocks of one lane in order; different lanes run
// concurrently.
func stream(ctx context.Context, P Points, f func(lane int, X []float32, from, to int)) error {
	n, d := P.Dims()
	rows := blockRows(d)
	return inLanes(n, func(lane, from, end int) error {
		w := borrow(rows * d)
		defer blocks.Put(w)
		X := w.x
		for from < end {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(end, from+rows)
			x := X[:(to-from)*d]
			if err := P.Read(x, from, to); err != nil {
				return err
			}
			f(lane, x, from, to)
			from = to
		}
		return nil
	})
}

// inLanes divides n points into a fixed number of ranges, called lanes, and calls f concurrently, once for each lane
// that has points, with its range [from, end).
func inLanes(n int, f func(lane, from, end int) error) error {
	var errs [lanes]error
	parallel.Do(lanes, 0, func(lane int) {
		if from, end := lane*n/lanes, (lane+1)*n/lanes; from < end {
			errs[lane] = f(lane, from, end)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// blocks keeps block buffers from pass to pass, because clearing new buffers took a tenth of the time.
var blocks = sync.Pool{New: func() any { return new(block) }}

type block struct{ x []float32 }

// borrow returns a buffer of n numbers, not cleared.
func borrow(n int) *block {
	w := blocks.Get().(*block)
	if len(w.x) < n {
		w.x = make([]float32, n)
	}
	return w
}
