package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// chunk is the number of rows of one matrix product; its result, chunk×k, should stay in the cache. parts is
// the number of partial sums. Both are fixed, so sums do not depend on the number of goroutines.
const (
	chunk = 2048
	piece = 128
	parts = 16
)

// points holds the data minus their mean. Sparse data are kept as they are, with mean 0, because subtracting
// their mean would fill in the zeros.
type points struct {
	X        *mat.Dense  // n×d, minus the mean; nil if S is set
	S        *csr.Matrix // n×d
	norm     []float64   // ‖x‖² (n)
	mean     []float64   // d
	variance float64     // mean over the columns
	workers  int
}

// dims returns n and d.
func (p *points) dims() (n, d int) {
	if p.S != nil {
		return p.S.Dims()
	}
	return p.X.Dims()
}

func newPoints(data *mat.Dense, workers int) *points {
	n, d := data.Dims()
	p := &points{X: mat.DenseCopyOf(data), norm: make([]float64, n), mean: make([]float64, d), workers: workers}
	for i := range n {
		vector.Axpy(1/float64(n), data.RawRowView(i), p.mean)
	}
	for i := range n {
		vector.Axpy(-1, p.mean, p.X.RawRowView(i))
	}
	p.norms()
	for _, v := range p.norm {
		p.variance += v / float64(n*d)
	}
	return p
}

func newSparsePoints(S *csr.Matrix, squares []float64, workers int) *points {
	n, d := S.Dims()
	p := &points{S: S, norm: make([]float64, n), mean: make([]float64, d), workers: workers}
	p.norms()
	for _, v := range squares {
		p.variance += v / float64(n) / float64(d)
	}
	return p
}

// row writes x_i to x (d).
func (p *points) row(i int, x []float64) {
	if p.S == nil {
		copy(x, p.X.RawRowView(i))
		return
	}
	clear(x)
	p.add(1, i, x)
}

// add adds a·x_i to y (d).
func (p *points) add(a float64, i int, y []float64) {
	if p.S == nil {
		vector.Axpy(a, p.X.RawRowView(i), y)
		return
	}
	col, val := p.S.View(i)
	for q, j := range col {
		y[j] += a * val[q]
	}
}

// squaredDistance returns ‖x_i − m‖², given norm = ‖m‖².
func (p *points) squaredDistance(i int, m []float64, norm float64) float64 {
	if p.S == nil {
		return squaredDistance(p.X.RawRowView(i), m)
	}
	s, rest := 0.0, norm // rest: the squares of m where x is 0
	col, val := p.S.View(i)
	for q, j := range col {
		d := val[q] - m[j]
		s += d * d
		rest -= m[j] * m[j]
	}
	return s + max(0, rest)
}

func (p *points) norms() {
	if p.S != nil {
		for i := range p.norm {
			_, val := p.S.View(i)
			for _, v := range val {
				p.norm[i] += v * v
			}
		}
		return
	}
	for i := range p.norm {
		p.norm[i] = vector.Dot(p.X.RawRowView(i), p.X.RawRowView(i))
	}
}

// subtractMean returns C (k×d) minus the mean of the data.
func (p *points) subtractMean(C mat.Matrix) *mat.Dense {
	M := mat.DenseCopyOf(C)
	k, _ := M.Dims()
	for a := range k {
		row := M.RawRowView(a)
		for j, m := range p.mean {
			row[j] -= m
		}
	}
	return M
}

// sample returns m of the points, drawn without replacement.
func (p *points) sample(rng *rand.Rand, m int) *points {
	if p.S != nil {
		n, _ := p.S.Dims()
		s := &points{S: p.S.Rows(rng.Perm(n)[:m]), norm: make([]float64, m), mean: p.mean, variance: p.variance, workers: p.workers}
		s.norms()
		return s
	}
	n, d := p.X.Dims()
	s := &points{X: mat.NewDense(m, d, nil), norm: make([]float64, m), mean: p.mean, variance: p.variance, workers: p.workers}
	for r, i := range rng.Perm(n)[:m] {
		s.X.SetRow(r, p.X.RawRowView(i))
		s.norm[r] = p.norm[i]
	}
	return s
}

// products calls f for each row i of X with the products x_i·μ_a, a = 1..k. f may be
// called by several goroutines at once, for different rows.
func (p *points) products(M *mat.Dense, f func(i int, xm []float64)) {
	n, d := p.dims()
	k, _ := M.Dims()
	if p.S != nil {
		T := mat.DenseCopyOf(M.T()) // d×k
		parallel.Do((n+piece-1)/piece, p.workers, func(b int) {
			xm := make([]float64, k)
			for i := b * piece; i < min(n, (b+1)*piece); i++ {
				clear(xm)
				col, val := p.S.View(i)
				for q, j := range col {
					vector.Axpy(val[q], T.RawRowView(int(j)), xm)
				}
				f(i, xm)
			}
		})
		return
	}
	G := mat.NewDense(min(n, chunk), k, nil)
	for from := 0; from < n; from += chunk {
		rows := min(chunk, n-from)
		block := p.X.Slice(from, from+rows, 0, d).(*mat.Dense).RawMatrix()
		g := G.Slice(0, rows, 0, k).(*mat.Dense)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, block, M.RawMatrix(), 0, g.RawMatrix()) // rows×d · d×k
		parallel.Do((rows+piece-1)/piece, p.workers, func(b int) {
			for r := b * piece; r < min(rows, (b+1)*piece); r++ {
				f(from+r, g.RawRowView(r))
			}
		})
	}
}

// updateNearest stores min(D2, ‖x − μ_t‖²) in after[t] (n) for each center t.
func (p *points) updateNearest(D2 []float64, M *mat.Dense, after [][]float64) {
	k, _ := M.Dims()
	norm := make([]float64, k)
	for t := range k {
		norm[t] = vector.Dot(M.RawRowView(t), M.RawRowView(t))
	}
	p.products(M, func(i int, xm []float64) {
		old := D2[i]
		for t, g := range xm {
			after[t][i] = min(old, max(0, p.norm[i]-2*g+norm[t]))
		}
	})
}

// assign performs the first half of a step: it sets labels to the nearest of the centers M (k×d) and dist to
// the squared distances to these centers. It returns J and the number of labels that changed.
func (p *points) assign(M *mat.Dense, labels []int, dist []float64) (inertia float64, moved int) {
	k, _ := M.Dims()
	half := make([]float64, k) // ½‖μ‖²
	for a := range k {
		half[a] = vector.Dot(M.RawRowView(a), M.RawRowView(a)) / 2
	}
	old := slices.Clone(labels)
	p.products(M, func(i int, xm []float64) {
		// argmin ‖x − μ‖² = argmin ½‖μ‖² − x·μ
		best, least := 0, math.Inf(1)
		for a, g := range xm {
			if v := half[a] - g; v < least {
				best, least = a, v
			}
		}
		labels[i] = best
		dist[i] = max(0, p.norm[i]+2*least)
	})
	for i, v := range dist {
		inertia += v
		if labels[i] != old[i] {
			moved++
		}
	}
	return inertia, moved
}

// assignExactly labels the points as assign does and returns J as a sum of squared
// differences, without the cancellation that products would cause.
func (p *points) assignExactly(M *mat.Dense, labels []int) float64 {
	dist := make([]float64, len(labels))
	p.assign(M, labels, dist)
	k, _ := M.Dims()
	norm := make([]float64, k)
	for a := range norm {
		norm[a] = vector.Dot(M.RawRowView(a), M.RawRowView(a))
	}
	parallel.Do((len(labels)+piece-1)/piece, p.workers, func(b int) {
		for i := b * piece; i < min(len(labels), (b+1)*piece); i++ {
			dist[i] = p.squaredDistance(i, M.RawRowView(labels[i]), norm[labels[i]])
		}
	})
	J := 0.0
	for _, v := range dist {
		J += v
	}
	return J
}

// updateMeans performs the second half of a step: it sets M to the mean of the points of each label, and
// counts to their number. A cluster without points keeps its center.
func (p *points) updateMeans(M *mat.Dense, labels, counts []int) {
	n, d := p.dims()
	k, _ := M.Dims()
	parts := parts
	if p.S != nil {
		parts = 1 // few numbers to add, and a sum may be large
	}
	sums := make([]*mat.Dense, parts)
	parallel.Do(parts, p.workers, func(b int) {
		S := mat.NewDense(k, d, nil)
		for i := b * n / parts; i < (b+1)*n/parts; i++ {
			p.add(1, i, S.RawRowView(labels[i]))
		}
		sums[b] = S
	})
	clear(counts)
	for _, a := range labels {
		counts[a]++
	}
	for a, c := range counts {
		if c == 0 {
			continue
		}
		row := M.RawRowView(a)
		clear(row)
		for _, S := range sums {
			vector.Axpy(1, S.RawRowView(a), row)
		}
		blas64.Scal(1/float64(c), blas64.Vector{N: len(row), Inc: 1, Data: row})
	}
}

// fill moves a point into each empty cluster: of the points in clusters with more than one point, the point
// that is farthest from its own center. It returns the number of clusters filled.
func (p *points) fill(labels []int, dist []float64, k int) int {
	counts := make([]int, k)
	for _, a := range labels {
		counts[a]++
	}
	filled := 0
	for a, c := range counts {
		if c > 0 {
			continue
		}
		far := -1
		for i, v := range dist {
			if v > 0 && counts[labels[i]] > 1 && (far < 0 || v > dist[far]) {
				far = i
			}
		}
		if far < 0 { // fewer distinct points than centers
			continue
		}
		counts[labels[far]]--
		labels[far], dist[far], counts[a] = a, 0, 1
		filled++
	}
	return filled
}

// lloyd runs Lloyd's algorithm from the centers M, which it changes.
func lloyd(ctx context.Context, p *points, M *mat.Dense, opt Options) (*Model, error) {
	n, _ := p.dims()
	r := &Model{Labels: make([]int, n), Counts: make([]int, opt.K), Status: ended.IterationLimit}
	for i := range r.Labels {
		r.Labels[i] = -1
	}
	dist := make([]float64, n)
	before := mat.DenseCopyOf(M)
	var limit float64
	if opt.Tolerance > 0 {
		limit = opt.Tolerance * p.variance
	}
	for r.Iterations < opt.MaxIterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		inertia, moved := p.assign(M, r.Labels, dist)
		filled := p.fill(r.Labels, dist, opt.K)
		r.Filled += filled
		before.Copy(M)
		p.updateMeans(M, r.Labels, r.Counts)
		shift := squaredDistance(before.RawMatrix().Data, M.RawMatrix().Data)
		r.History = append(r.History, Step{inertia, moved, shift})
		r.Iterations++
		progress.Report(opt.Recorder, progress.Event{What: "k-means", Step: r.Iterations, Total: opt.MaxIterations, Objective: inertia})
		if moved == 0 && filled == 0 {
			r.Status = ended.Converged
			break
		}
		if opt.Tolerance > 0 && shift <= limit {
			r.Status = ended.Settled
			break
		}
	}
	r.finish(p, M)
	return r, nil
}

// finish sets labels, counts and inertia for the final centers M.
func (r *Model) finish(p *points, M *mat.Dense) {
	n, _ := p.dims()
	if r.Labels == nil {
		r.Labels = make([]int, n)
	}
	r.Inertia = p.assignExactly(M, r.Labels)
	clear(r.Counts)
	for _, a := range r.Labels {
		r.Counts[a]++
	}
	k, _ := M.Dims()
	r.Centers = mat.DenseCopyOf(M)
	r.Centres = r.Centers
	for a := range k {
		row := r.Centers.RawRowView(a)
		for j, m := range p.mean {
			row[j] += m
		}
	}
}

// squaredDistance returns ‖x − y‖².
func squaredDistance(x, y []float64) float64 {
	s := 0.0
	for j, v := range x {
		d := v - y[j]
		s += d * d
	}
	return s
}
