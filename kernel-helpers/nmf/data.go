package nmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/vmath"
)

// data is A (n×d) in the form in which the solvers use it: they need only sums over A and products of A with factors.
// The rows of factors are padded (see factor).
type data interface {
	dims() (n, d int)
	nonzeros() int
	sum() float64
	squares() float64 // ‖A‖_F²
	// times computes C = A W, (n×d)(d×k); timesT computes C = A'U, (d×n)(n×k).
	times(W, C blas64.General)
	timesT(U, C blas64.General)
	// ratioTimes computes C = (A/UW') W. If the argument want is set, it also returns Σ A log(UW'). ratioTimesT
	// computes C = (A/UW')'U. Elements of UW' below tiny are replaced by tiny.
	ratioTimes(U, W, C blas64.General, want bool) (logs float64)
	ratioTimesT(U, W, C blas64.General)
	// entropy returns Σ A log A − A; margins returns the sums of rows and columns.
	entropy() float64
	margins() (rows, columns []float64)
	// endWith makes products end when ctx is done; their results are then unfinished. The method end returns this ctx.
	endWith(ctx context.Context)
	end() context.Context
}

// A limit holds a context. When the context is done, products stop and leave their results unfinished.
type limit struct{ ctx context.Context }

func (l *limit) endWith(ctx context.Context) { l.ctx = ctx }

func (l *limit) end() context.Context {
	if l.ctx == nil {
		return context.Background()
	}
	return l.ctx
}

// isOver reports whether the context is done.
func (l *limit) isOver() bool { return l.end().Err() != nil }

// tiny is the lower bound of UW' in a quotient.
const tiny = 1e-150

// prepare checks A and converts it to a value of type data. It converts a dense A with few nonzeros to a Sparse, unless
// keepDense is set. A *mat.Dense that stays dense is not copied.
func prepare(A mat.Matrix, keepDense bool) (data, error) {
	if isNil(A) {
		return nil, fmt.Errorf("nmf: A is nil")
	}
	n, d := A.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("nmf: A is empty, %d×%d", n, d)
	}
	bad := func(i, j int, v float64) error {
		return fmt.Errorf("nmf: A(%d, %d) is %v, must be nonnegative and finite", i, j, v)
	}
	s, ok := A.(*Sparse)
	if ok {
		for i := range n {
			columns, values := s.View(i)
			for p, v := range values {
				if !(v >= 0 && v <= math.MaxFloat64) {
					return nil, bad(i, int(columns[p]), v)
				}
			}
		}
	} else {
		D, ok := A.(*mat.Dense)
		if !ok {
			D = mat.DenseCopyOf(A)
		}
		filled := 0
		for i := range n {
			for j, v := range D.RawRowView(i) {
				if !(v >= 0 && v <= math.MaxFloat64) {
					return nil, bad(i, j, v)
				}
				if v != 0 {
					filled++
				}
			}
		}
		if keepDense || filled >= n*d/10 {
			return checkScale(&denseData{a: D.RawMatrix()})
		}
		s = Sparsify(D)
	}
	return checkScale(newSparseData(s))
}

// errZero is prepare's error for a matrix of zeros.
var errZero = errors.New("nmf: all elements of A are 0")

// isNil reports whether A is nil, or a nil pointer.
func isNil(A mat.Matrix) bool {
	switch A := A.(type) {
	case nil:
		return true
	case *mat.Dense:
		return A == nil
	case *Sparse:
		return A == nil
	}
	return false
}

func checkScale(a data) (data, error) {
	if s := a.squares(); s < 1e-280 || s > 1e280 {
		if a.sum() == 0 {
			return nil, errZero
		}
		return nil, fmt.Errorf("nmf: the sum of A's squares is %.3g: scale A", s)
	}
	return a, nil
}

// factor returns an r×k matrix of zeros. Each row is padded to a multiple of 8 numbers, that is, to whole cache lines.
func factor(r, k int) blas64.General {
	stride := (k + 7) / 8 * 8
	return blas64.General{Rows: r, Cols: k, Stride: stride, Data: make([]float64, r*stride)}
}

func rowsOf(M blas64.General, from, to int) blas64.General {
	return blas64.General{Rows: to - from, Cols: M.Cols, Stride: M.Stride, Data: M.Data[from*M.Stride : (to-1)*M.Stride+M.Cols]}
}

// denseData is a dense A, multiplied by gemm.
type denseData struct {
	limit
	a blas64.General
}

func (s *denseData) dims() (n, d int) { return s.a.Rows, s.a.Cols }
func (s *denseData) nonzeros() int    { return s.a.Rows * s.a.Cols }

func (s *denseData) row(i int) []float64 { return s.a.Data[i*s.a.Stride:][:s.a.Cols] }

func (s *denseData) sum() (v float64) {
	for i := range s.a.Rows {
		v += floats.Sum(s.row(i))
	}
	return v
}

func (s *denseData) squares() (v float64) {
	for i := range s.a.Rows {
		v += floats.Dot(s.row(i), s.row(i))
	}
	return v
}

// narrow is the number of columns of W up to which reading A takes longer than computing A W.
const narrow = 64

func (s *denseData) times(W, C blas64.General) {
	n, _ := s.dims()
	if W.Cols > narrow {
		s.rowsTimes(0, n, W, C)
		return
	}
	rowBlocks(n, func(from, to int) { s.rowsTimes(from, to, W, C) })
}

// rowsTimes computes the rows [from, to) of C = A W. If W is narrow, rowsTimes multiplies only a few rows at a time.
// gemm then reads these rows from left to right, and does not copy W.
func (s *denseData) rowsTimes(from, to int, W, C blas64.General) {
	some := to - from
	if W.Cols <= narrow {
		some = 12
	}
	for ; from < to && !s.isOver(); from += some {
		end := min(to, from+some)
		product.Gemm(s.end(), blas.NoTrans, blas.NoTrans, 1, rowsOf(s.a, from, end), W, 0, rowsOf(C, from, end))
	}
}

func (s *denseData) timesT(U, C blas64.General) {
	product.Gemm(s.end(), blas.Trans, blas.NoTrans, 1, s.a, U, 0, C)
}

// side is the side length of the square blocks in which UW' is computed and used. Blocks of this size stay in the L2
// cache.
const side = 256

func (s *denseData) ratioTimes(U, W, C blas64.General, want bool) float64 {
	n, d := s.dims()
	blocks := (n + side - 1) / side
	logs := make([]float64, blocks)
	parallel.Do(blocks, 0, func(b int) {
		from, to := b*side, min(n, (b+1)*side)
		Ub, Cb := rowsOf(U, from, to), rowsOf(C, from, to)
		buf := make([]float64, side*side)
		var lg []float64
		if want {
			lg = make([]float64, side)
		}
		for j := 0; j < d && !s.isOver(); j += side {
			R := s.ratio(buf, Ub, W, from, j, min(d, j+side), lg, &logs[b])
			beta := 1.0
			if j == 0 {
				beta = 0
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, R, rowsOf(W, j, j+R.Cols), beta, Cb)
		}
	})
	return floats.Sum(logs)
}

// ratio returns a block of A/UW', stored in buf. The block has the rows of Ub, which are rows i0, i0+1, ... of U, and
// the columns [from, to). If lg is not nil, it is workspace, and ratio adds Σ A log(UW') over the block to *logs.
func (s *denseData) ratio(buf []float64, Ub, W blas64.General, i0, from, to int, lg []float64, logs *float64) blas64.General {
	R := blas64.General{Rows: Ub.Rows, Cols: to - from, Stride: to - from, Data: buf[:Ub.Rows*(to-from)]}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Ub, rowsOf(W, from, to), 0, R)
	for i := range R.Rows {
		r, a := R.Data[i*R.Stride:][:R.Cols], s.row(i0 + i)[from:to]
		for j, v := range r {
			if v < tiny {
				r[j] = tiny
			}
		}
		if lg != nil {
			vmath.Log(lg[:len(r)], r)
			*logs += floats.Dot(lg[:len(r)], a)
		}
		floats.DivTo(r, a, r)
	}
	return R
}

func (s *denseData) ratioTimesT(U, W, C blas64.General) {
	n, d := s.dims()
	blocks := (d + side - 1) / side
	parallel.Do(blocks, 0, func(b int) {
		from, to := b*side, min(d, (b+1)*side)
		Cb := rowsOf(C, from, to)
		buf := make([]float64, side*side)
		for i := 0; i < n && !s.isOver(); i += side {
			Ub := rowsOf(U, i, min(n, i+side))
			R := s.ratio(buf, Ub, W, i, from, to, nil, nil)
			beta := 1.0
			if i == 0 {
				beta = 0
			}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, R, Ub, beta, Cb)
		}
	})
}

func (s *denseData) entropy() (v float64) {
	for i := 0; i < s.a.Rows && !s.isOver(); i++ {
		v += entropy(s.row(i))
	}
	return v
}

func (s *denseData) margins() (rows, columns []float64) {
	rows, columns = make([]float64, s.a.Rows), make([]float64, s.a.Cols)
	for i := 0; i < len(rows) && !s.isOver(); i++ {
		rows[i] = floats.Sum(s.row(i))
		floats.Add(columns, s.row(i))
	}
	return rows, columns
}

// entropy returns Σ a log a − a, with 0 log 0 = 0.
func entropy(a []float64) (v float64) {
	for _, x := range a {
		if x > 0 {
			v += x*math.Log(x) - x
		}
	}
	return v
}

// sparseData is a sparse A. It multiplies row by row, and stores the transpose for products with A'. It computes UW'
// only at the nonzeros.
type sparseData struct {
	rows, columns *gatherer
	whole         *Sparse
}

func newSparseData(s *Sparse) *sparseData {
	return &sparseData{rows: &gatherer{rows: rowsIn(s)}, columns: &gatherer{rows: rowsIn(s.Transpose())}, whole: s}
}

func (s *sparseData) endWith(ctx context.Context) {
	s.rows.endWith(ctx)
	s.columns.endWith(ctx)
}

func (s *sparseData) end() context.Context { return s.rows.end() }

func (s *sparseData) dims() (n, d int) { return s.rows.n, s.rows.d }
func (s *sparseData) nonzeros() int    { return len(s.rows.val) }
func (s *sparseData) sum() float64     { return floats.Sum(s.rows.val) }
func (s *sparseData) squares() float64 { return floats.Dot(s.rows.val, s.rows.val) }

func (s *sparseData) times(W, C blas64.General)  { s.rows.times(W, C) }
func (s *sparseData) timesT(U, C blas64.General) { s.columns.times(U, C) }

// The product of a row of A with W reads rows of W that are scattered over memory. Therefore W is divided into blocks
// of cacheBytes, which stay in the L2 cache, and a task goes through its rows of A once per block. A task has enough
// rows of A to use a row of W about 32 times (the constant reuse) before that row leaves the cache. Sums are in
// column order regardless of the blocks.
const (
	cacheBytes = 512 << 10
	reuse      = 32
)

// A gatherer holds the rows of a Sparse, cut into blocks of columns. The width of the blocks suits factors in which the
// distance between rows, in numbers, is the field stride.
type gatherer struct {
	rows
	limit
	stride int   // stride of the factors
	cuts   []int // cuts[b·n+i] is the index of the element where block b of row i begins; the last n cuts are the ends of the rows
}

// cut computes the cuts (a field) for factors with the given stride. If the context is done, it leaves the field empty.
func (s *gatherer) cut(stride int) {
	if s.stride == stride {
		return
	}
	s.stride = stride
	width := max(1, cacheBytes/(8*stride))
	s.cuts = slices.Clone(s.ptr[:s.n])
	for j := width; ; j += width {
		if s.isOver() {
			s.stride, s.cuts = 0, s.cuts[:0]
			return
		}
		before := s.cuts[len(s.cuts)-s.n:]
		for i, p := range before {
			q := s.ptr[i+1]
			if j < s.d {
				c, _ := slices.BinarySearch(s.col[p:q], int32(j))
				q = p + c
			}
			s.cuts = append(s.cuts, q)
		}
		if j >= s.d {
			return
		}
	}
}

// eachBlock calls f(task, i, p, q) for every row i and every block of columns in which this row has nonzeros. The
// nonzeros of the block are elements p to q−1. Tasks run in parallel; all calls for one row belong to the same task.
func (s *gatherer) eachBlock(stride int, f func(task, i, p, q int)) {
	s.cut(stride)
	tasks := s.tasks()
	parallel.Do(tasks, 0, func(c int) {
		from, to := s.n*c/tasks, s.n*(c+1)/tasks
		for b := s.n; b < len(s.cuts); b += s.n {
			for i := from; i < to && !s.isOver(); i++ {
				if p, q := s.cuts[b-s.n+i], s.cuts[b+i]; q > p {
					f(c, i, p, q)
				}
			}
		}
	})
}

// tasks returns the number of tasks. It does not depend on the number of processors.
func (s *gatherer) tasks() int { return min(s.n, 64, max(4, len(s.val)/(reuse*s.d))) }

func (s *gatherer) times(W, C blas64.General) {
	clear(C.Data)
	s.eachBlock(W.Stride, func(_, i, p, q int) {
		combine(C.Data[i*C.Stride:][:W.Cols], s.val[p:q], s.col[p:q], W)
	})
}

// ratioTimes computes C = (S/UW') W row by row, where S is the gatherer's matrix. If want is set, it also returns Σ S
// log(UW').
func (s *gatherer) ratioTimes(U, W, C blas64.General, want bool) float64 {
	clear(C.Data)
	longest := 0
	for i := range s.n {
		longest = max(longest, s.ptr[i+1]-s.ptr[i])
	}
	logs, bufs := make([]float64, s.tasks()), make([][]float64, s.tasks())
	s.eachBlock(W.Stride, func(c, i, p, q int) {
		if bufs[c] == nil {
			bufs[c] = make([]float64, 2*longest)
		}
		r, l := bufs[c][:q-p], bufs[c][longest:][:q-p]
		inner(r, U.Data[i*U.Stride:][:U.Cols], s.col[p:q], W)
		for j, v := range r {
			if v < tiny {
				r[j] = tiny
			}
		}
		if want {
			vmath.Log(l, r)
			logs[c] += floats.Dot(l, s.val[p:q])
		}
		floats.DivTo(r, s.val[p:q], r)
		combine(C.Data[i*C.Stride:][:W.Cols], r, s.col[p:q], W)
	})
	return floats.Sum(logs)
}

func (s *sparseData) ratioTimes(U, W, C blas64.General, want bool) float64 {
	return s.rows.ratioTimes(U, W, C, want)
}

func (s *sparseData) ratioTimesT(U, W, C blas64.General) { s.columns.ratioTimes(W, U, C, false) }

func (s *sparseData) entropy() float64 { return entropy(s.rows.val) }

func (s *sparseData) margins() (rows, columns []float64) { return s.rows.sums(), s.columns.sums() }
