package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
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
	data     *mat.Dense  // n×d as given; nil if S is set, and in samples
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

func newPoints(ctx context.Context, data *mat.Dense, workers int) (*points, error) {
	n, d := data.Dims()
	p := &points{data: data, X: mat.DenseCopyOf(data), norm: make([]float64, n), mean: make([]float64, d), workers: workers}
	for _, pass := range []func(i int){
		func(i int) { vector.Axpy(1/float64(n), data.RawRowView(i), p.mean) },
		func(i int) { vector.Axpy(-1, p.mean, p.X.RawRowView(i)) },
	} {
		for i := range n {
			if i%piece == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			pass(i)
		}
	}
	p.norms()
	for _, v := range p.norm {
		p.variance += v / float64(n*d)
	}
	return p, ctx.Err()
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

// equal reports whether x_i and x_l are the same.
func (p *points) equal(i, l int) bool {
	if p.S == nil {
		return slices.Equal(p.X.RawRowView(i), p.X.RawRowView(l))
	}
	col, val := p.S.View(i)
	otherCol, otherVal := p.S.View(l)
	return slices.Equal(col, otherCol) && slices.Equal(val, otherVal)
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

// products calls f for each row i of X with the products x_i·μ_a, a = 1..k. f may be called by several
// goroutines at once, for different rows. If ctx ends, products returns its error.
func (p *points) products(ctx context.Context, M *mat.Dense, f func(i int, xm []float64)) error {
	n, d := p.dims()
	k, _ := M.Dims()
	if p.S != nil {
		T := mat.DenseCopyOf(M.T()) // d×k
		return parallel.DoContext(ctx, (n+piece-1)/piece, p.workers, func(b int) {
			xm := make([]float64, k)
			for i := b * piece; i < min(n, (b+1)*piece) && ctx.Err() == nil; i++ {
				clear(xm)
				col, val := p.S.View(i)
				for q, j := range col {
					vector.Axpy(val[q], T.RawRowView(int(j)), xm)
				}
				f(i, xm)
			}
		})
	}
	G := mat.NewDense(min(n, chunk), k, nil)
	for from := 0; from < n; from += chunk {
		rows := min(chunk, n-from)
		block := p.X.Slice(from, from+rows, 0, d).(*mat.Dense).RawMatrix()
		g := G.Slice(0, rows, 0, k).(*mat.Dense)
		if err := product.Gemm(ctx, blas.NoTrans, blas.Trans, 1, block, M.RawMatrix(), 0, g.RawMatrix()); err != nil { // rows×d · d×k
			return err
		}
		parallel.Do((rows+piece-1)/piece, p.workers, func(b int) {
			for r := b * piece; r < min(rows, (b+1)*piece); r++ {
				f(from+r, g.RawRowView(r))
			}
		})
	}
	return ctx.Err()
}

// updateNearest stores min(D2, ‖x − μ_t‖²) in after[t] (n) for each center t.
func (p *points) updateNearest(ctx context.Context, D2 []float64, M *mat.Dense, after [][]float64) error {
	c := p.centers(M)
	return p.products(ctx, M, func(i int, xm []float64) {
		old := D2[i]
		for t, g := range xm {
			v := p.norm[i] - 2*g + c.norm[t]
			if v < 0x1p-26*(p.norm[i]+c.norm[t]) { // most digits have canceled
				v = p.squaredDistance(i, c, t)
			}
			after[t][i] = min(old, max(0, v))
		}
	})
}

// assign performs the first half of a step: it sets labels to the nearest of the centers M (k×d) and dist to
// the squared distances to these centers. It returns J and the number of labels that changed.
func (p *points) assign(ctx context.Context, M *mat.Dense, labels []int, dist []float64) (inertia float64, moved int, err error) {
	c := p.centers(M)
	old := slices.Clone(labels)
	err = p.nearest(ctx, c, 0, false, func(i, a int) float64 { return p.squaredDistance(i, c, a) }, labels, dist)
	if err != nil {
		return 0, 0, err
	}
	squares := 0.0
	for i, v := range dist {
		inertia += v
		squares += p.norm[i]
		if labels[i] != old[i] {
			moved++
		}
	}
	if inertia < 1e-6*squares { // most digits have canceled
		inertia = p.differences(c, labels, dist)
	}
	return inertia, moved, nil
}

// nearest sets labels to the nearest of the centers c, and dist to the squared distances to these centers, both
// from products. If the distances of several centers differ by no more than the rounding of products, nearest
// calls distance(i, a), the squared distance of point i from center a, for each of these centers. With exact,
// the least distance counts, and the first of several least. Otherwise the choice of the products stands
// unless another center is nearer by more than a rounding error: integers have many ties, and how a tie is
// broken in a step does not matter. slack is the largest difference between a center of distance and of c.
func (p *points) nearest(ctx context.Context, c *centers, slack float64, exact bool, distance func(i, a int) float64, labels []int, dist []float64) error {
	_, d := p.dims()
	half := make([]float64, len(c.norm)) // ½‖μ‖²
	for a, v := range c.norm {
		half[a] = v / 2
	}
	// A sum of d products has an error of at most d roundings of ‖x‖‖μ‖. Rounding of x, of μ and of the other
	// operations adds a few.
	rounding := float64(d+8)*0x1p-52*c.most + slack
	return p.products(ctx, c.Dense, func(i int, xm []float64) {
		// argmin ‖x − μ‖² = argmin ½‖μ‖² − x·μ
		best, least, next := 0, math.Inf(1), math.Inf(1)
		for a, g := range xm {
			if v := half[a] - g; v < least {
				best, least, next = a, v, least
			} else if v < next {
				next = v
			}
		}
		labels[i] = best
		dist[i] = max(0, p.norm[i]+2*least)
		limit := least + rounding*(math.Sqrt(p.norm[i])+c.most)
		if !(next <= limit) {
			return
		}
		shortest := math.Inf(1)
		if !exact {
			shortest = (1 - 0x1p-30) * distance(i, best)
		}
		for a, g := range xm {
			if half[a]-g <= limit {
				if v := distance(i, a); v < shortest {
					labels[i], shortest = a, v
				}
			}
		}
	})
}

// differences sets dist to the squared distances of the points from the centers of their labels, computed from
// differences, without the cancellation that products cause. It returns their sum J.
func (p *points) differences(c *centers, labels []int, dist []float64) float64 {
	parallel.Do((len(labels)+piece-1)/piece, p.workers, func(b int) {
		for i := b * piece; i < min(len(labels), (b+1)*piece); i++ {
			dist[i] = p.squaredDistance(i, c, labels[i])
		}
	})
	J := 0.0
	for _, v := range dist {
		J += v
	}
	return J
}

// assignExactly labels all points with the nearest of the centers C (k×d) and returns J as a sum of squared
// differences. M is C minus the mean of the data. Where the digits of M do not suffice, the data and C decide.
func (p *points) assignExactly(ctx context.Context, M, C *mat.Dense, labels []int) (float64, error) {
	c := p.centers(M)
	slack, distance := 0.0, func(i, a int) float64 { return p.squaredDistance(i, c, a) }
	if p.S == nil {
		k, _ := C.Dims()
		for a := range k {
			slack = max(slack, 0x1p-52*floats.Norm(C.RawRowView(a), 2))
		}
		distance = func(i, a int) float64 { return squaredDistance(p.data.RawRowView(i), C.RawRowView(a)) }
	}
	dist := make([]float64, len(labels))
	if err := p.nearest(ctx, c, slack, true, distance, labels, dist); err != nil {
		return 0, err
	}
	J := p.differences(c, labels, dist)
	if J > 0 && slack > 1e-12*math.Sqrt(J/float64(len(dist))) { // rounding of C and M matters
		J = 0
		for i, a := range labels {
			J += distance(i, a)
		}
	}
	return J, nil
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

// fill moves a point into each empty cluster: of the points in clusters with at least two different points,
// the point that is farthest from its own center. It returns the number of clusters filled, and sets least to
// the inertia if there was one to fill. Without rounding, a filled cluster lowers the inertia. If the inertia
// is no lower than at the last time, only rounding is left, and fill does nothing.
func (p *points) fill(M *mat.Dense, labels []int, dist []float64, least *float64) int {
	k, _ := M.Dims()
	counts := make([]int, k)
	for _, a := range labels {
		counts[a]++
	}
	if !slices.Contains(counts, 0) {
		return 0
	}
	inertia := p.differences(p.centers(M), labels, dist)
	if !(inertia < *least) {
		return 0
	}
	*least = inertia
	// The center of equal points may differ from them by rounding.
	first, varied := make([]int, k), make([]bool, k)
	for a := range first {
		first[a] = -1
	}
	for i, a := range labels {
		if first[a] < 0 {
			first[a] = i
		} else if !varied[a] {
			varied[a] = !p.equal(i, first[a])
		}
	}
	filled := 0
	for a, c := range counts {
		if c > 0 {
			continue
		}
		far := -1
		for i, v := range dist {
			if v > 0 && counts[labels[i]] > 1 && varied[labels[i]] && (far < 0 || v > dist[far]) {
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
	least := math.Inf(1)
	var limit float64
	if opt.Tolerance > 0 {
		limit = opt.Tolerance * p.variance
	}
	for r.Iterations < opt.MaxIterations {
		inertia, moved, err := p.assign(ctx, M, r.Labels, dist)
		if err != nil {
			return nil, err
		}
		filled := p.fill(M, r.Labels, dist, &least)
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
	if err := r.finish(ctx, p, M); err != nil {
		return nil, err
	}
	return r, nil
}

// finish sets labels, counts and inertia for the final centers M.
func (r *Model) finish(ctx context.Context, p *points, M *mat.Dense) (err error) {
	n, _ := p.dims()
	if r.Labels == nil {
		r.Labels = make([]int, n)
	}
	r.Centers = mat.DenseCopyOf(M)
	r.Centres = r.Centers
	k, _ := M.Dims()
	for a := range k {
		row := r.Centers.RawRowView(a)
		for j, m := range p.mean {
			row[j] += m
		}
	}
	if r.Inertia, err = p.assignExactly(ctx, M, r.Centers, r.Labels); err != nil {
		return err
	}
	clear(r.Counts)
	for _, a := range r.Labels {
		r.Counts[a]++
	}
	return nil
}
