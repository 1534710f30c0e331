package tsne

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/ui/progress"
)

// A neighbor is the index of a point and its squared distance.
type neighbor struct {
	d2 float64
	j  int32
}

// spare is the number of candidates in excess of k that are taken from the float32 distances.
const spare = 24

// A matrix product computes rowBlock × colBlock numbers, which take 4 MB in float32.
const (
	rowBlock = 256
	colBlock = 4096
)

// nearest returns for every row of X its k nearest other rows, in ascending order of distance; ties are broken by
// index. Distances are Euclidean, in float64.
//
// All n² distances are computed, by matrix products:
//
//	‖a − b‖² = ‖a‖² − 2aᵀb + ‖b‖²
//
// In high dimensions no spatial tree is faster. The products are first computed in float32. From these, nearest takes k
// + spare candidates for each row (spare is a constant). It computes the distances of the candidates again as ‖a − b‖².
// If rounding might have excluded a nearer row, the search for that row is repeated with products in float64.
func nearest(ctx context.Context, X *mat.Dense, k int, opt *Options) ([][]neighbor, error) {
	n, d := X.Dims()
	s := &search{X: X, n: n, d: d, k: k, keep: min(k+spare, n-1), workers: opt.Workers}
	s.center(opt.Workers)

	found := make([][]neighbor, n)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	u := 0x1p-24
	// |fl(aᵀb) − aᵀb| <= (d+2)u ‖a‖‖b‖ to first order, including the rounding of a and b
	// themselves; the 8 covers the other operations and the higher-order terms.
	bound := func(i int) float64 {
		a := math.Sqrt(s.norm[i])
		return float64(d+8)*u*2*a*s.largest + 8*u*(s.norm[i]+s.largest*s.largest)
	}
	single := &scan[float32]{search: s, gemm: sgemm}
	failed, err := single.run(ctx, all, found, bound, opt.Recorder)
	if err != nil {
		return nil, err
	}
	if len(failed) > 0 {
		double := &scan[float64]{search: s, gemm: dgemm}
		if _, err := double.run(ctx, failed, found, nil, opt.Recorder); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// A search holds the data that the float32 scan and the float64 scan for neighbors share.
type search struct {
	X       *mat.Dense
	n, d    int
	k, keep int // numbers of neighbors and of candidates per point
	workers int
	mean    []float64 // d: the mean of all points; subtracting it before the products keeps more digits
	norm    []float64 // n, ‖x_i − mean‖²
	largest float64   // the largest ‖x_i − mean‖
}

func (s *search) center(workers int) {
	s.mean, s.norm = make([]float64, s.d), make([]float64, s.n)
	for i := range s.n {
		for j, x := range s.X.RawRowView(i) {
			s.mean[j] += x / float64(s.n)
		}
	}
	parallel.Do((s.n+rowBlock-1)/rowBlock, workers, func(b int) {
		for i := b * rowBlock; i < min(s.n, (b+1)*rowBlock); i++ {
			for j, x := range s.X.RawRowView(i) {
				s.norm[i] += (x - s.mean[j]) * (x - s.mean[j])
			}
		}
	})
	s.largest = math.Sqrt(slices.Max(s.norm))
}

type float interface{ float32 | float64 }

// sgemm computes C = ABᵀ for A m×k and B n×k, and dgemm does the same in float64. If ctx is done, C is unfinished.
func sgemm(ctx context.Context, m, n, k int, a, b, c []float32) {
	general := func(r, c int, x []float32) blas32.General {
		return blas32.General{Rows: r, Cols: c, Stride: c, Data: x}
	}
	product.Gemm32(ctx, blas.NoTrans, blas.Trans, 1, general(m, k, a), general(n, k, b), 0, general(m, n, c))
}

func dgemm(ctx context.Context, m, n, k int, a, b, c []float64) {
	general := func(r, c int, x []float64) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: c, Data: x}
	}
	product.Gemm(ctx, blas.NoTrans, blas.Trans, 1, general(m, k, a), general(n, k, b), 0, general(m, n, c))
}

// A scan is a search that computes its matrix products in one precision, float32 or float64.
type scan[T float] struct {
	*search
	gemm func(ctx context.Context, m, n, k int, a, b, c []T)
}

// run finds the neighbors of the points whose indices are in the slice named rows, and stores the neighbors in found.
// If bound is not nil, bound(i) is an upper bound on the rounding error of point i's squared distances, and run returns
// the indices of the points for which rounding could have hidden a neighbor.
func (p *scan[T]) run(ctx context.Context, rows []int, found [][]neighbor, bound func(i int) float64, rec progress.Recorder) (failed []int, err error) {
	A := make([]T, min(rowBlock, len(rows))*p.d) // rowBlock×d
	B := make([]T, p.n*p.d)                      // n×d
	C := make([]T, rowBlock*min(colBlock, p.n))  // rowBlock×colBlock
	norm := make([]T, p.n)                       // n
	parallel.Do((p.n+rowBlock-1)/rowBlock, p.workers, func(b int) {
		for i := b * rowBlock; i < min(p.n, (b+1)*rowBlock); i++ {
			p.row(B[i*p.d:(i+1)*p.d], i)
			norm[i] = T(p.norm[i])
		}
	})
	unsure := make([]bool, len(rows))
	heaps := make([]heap[T], rowBlock)
	for r0 := 0; r0 < len(rows); r0 += rowBlock {
		block := rows[r0:min(r0+rowBlock, len(rows))]
		for r, i := range block {
			copy(A[r*p.d:(r+1)*p.d], B[i*p.d:(i+1)*p.d])
			heaps[r].clear(p.keep)
		}
		for c0 := 0; c0 < p.n; c0 += colBlock {
			w := min(colBlock, p.n-c0)
			p.gemm(ctx, len(block), w, p.d, A, B[c0*p.d:(c0+w)*p.d], C)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			const strip = 16
			parallel.Do((len(block)+strip-1)/strip, p.workers, func(b int) {
				for r := b * strip; r < min(len(block), (b+1)*strip); r++ {
					heaps[r].offer(C[r*w:(r+1)*w], norm[c0:c0+w], c0, block[r])
				}
			})
		}
		parallel.Do(len(block), p.workers, func(r int) {
			i := block[r]
			found[i] = p.measure(i, &heaps[r])
			// The computed distance of a point that is not a candidate is at least edge.
			edge := float64(heaps[r].worst()) + p.norm[i]
			if bound != nil && p.keep < p.n-1 && found[i][p.k-1].d2 > edge-bound(i) {
				unsure[r0+r] = true
			}
		})
		progress.Report(rec, progress.Event{What: "nearest neighbors", Step: r0 + len(block), Total: len(rows), Objective: math.NaN()})
	}
	for r, bad := range unsure {
		if bad {
			failed = append(failed, rows[r])
		}
	}
	return failed, nil
}

// row stores x_i − mean in dst.
func (p *scan[T]) row(dst []T, i int) {
	for j, x := range p.X.RawRowView(i) {
		dst[j] = T(x - p.mean[j])
	}
}

// measure returns the k candidates in h that are nearest to point i, with distances computed from differences of
// coordinates.
func (p *scan[T]) measure(i int, h *heap[T]) []neighbor {
	list := make([]neighbor, len(h.j))
	a := p.X.RawRowView(i)
	for c, j := range h.j {
		list[c] = neighbor{squaredDistance(a, p.X.RawRowView(int(j))), j}
	}
	slices.SortFunc(list, func(a, b neighbor) int {
		switch {
		case a.d2 < b.d2:
			return -1
		case a.d2 > b.d2:
			return 1
		}
		return int(a.j - b.j)
	})
	return list[:p.k:p.k]
}

func squaredDistance(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	for ; len(a) >= 4; a, b = a[4:], b[4:] {
		b := b[:4]
		e0, e1, e2, e3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0, s1, s2, s3 = s0+e0*e0, s1+e1*e1, s2+e2*e2, s3+e3*e3
	}
	for j := range a {
		s0 += (a[j] - b[j]) * (a[j] - b[j])
	}
	return (s0 + s1) + (s2 + s3)
}

// A heap keeps the smallest of the numbers offered to it. Its capacity is in the field named size. The largest number
// that it keeps is on top.
type heap[T float] struct {
	v    []T
	j    []int32
	size int
}

func (h *heap[T]) clear(size int) { h.v, h.j, h.size = h.v[:0], h.j[:0], size }

// worst returns the largest number kept.
func (h *heap[T]) worst() T { return h.v[0] }

// offer offers the points b with indices c0, c0 + 1, ... to the heap of the point a, whose index is self. It does not
// offer a itself. ab holds the products aᵀb, and norm holds the squared norms ‖b‖². The key of b is ‖b‖² − 2aᵀb, which
// is ‖a − b‖² minus the constant ‖a‖².
func (h *heap[T]) offer(ab, norm []T, c0, self int) {
	ab = ab[:len(norm)]
	c := 0
	for ; len(h.v) < h.size && c < len(ab); c++ {
		if c0+c != self {
			h.v, h.j = append(h.v, norm[c]-2*ab[c]), append(h.j, int32(c0+c))
			h.siftUp(len(h.v) - 1)
		}
	}
	if len(h.v) < h.size {
		return
	}
	top := h.v[0]
	for ; c < len(ab); c++ {
		if v := norm[c] - 2*ab[c]; v < top && c0+c != self {
			h.replace(v, int32(c0+c))
			top = h.v[0]
		}
	}
}

func (h *heap[T]) siftUp(c int) {
	for c > 0 {
		p := (c - 1) / 2
		if h.v[p] >= h.v[c] {
			return
		}
		h.v[p], h.v[c], h.j[p], h.j[c] = h.v[c], h.v[p], h.j[c], h.j[p]
		c = p
	}
}

// replace replaces the largest number by a smaller number.
func (h *heap[T]) replace(v T, j int32) {
	p := 0
	for {
		c := 2*p + 1
		if c >= len(h.v) {
			break
		}
		if c+1 < len(h.v) && h.v[c+1] > h.v[c] {
			c++
		}
		if h.v[c] <= v {
			break
		}
		h.v[p], h.j[p] = h.v[c], h.j[c]
		p = c
	}
	h.v[p], h.j[p] = v, j
}
