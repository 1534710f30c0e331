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
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// chunk is the number of rows of one matrix product if there are many centers. The product, chunk×k, should stay in
// the cache. piece is the number of rows that a goroutine takes at a time, and parts the number of partial sums. All
// are fixed, so sums do not depend on the number of goroutines.
const (
	chunk = 2048
	piece = 128
	parts = 16
)

// If there are few centers (k <= few and k·d <= small), memory speed is the limit. The number of rows of a
// product is then only piece, and the rows are added to the sums while they are in the cache. If d > wide, package gemm
// makes several passes over the rows. The number of rows of a product is then only strip, as many as gemm's innermost
// loop takes. With piece (128) rows the product would take twice as long, because each pass would have to wait for the
// rows.
const (
	few   = 32      // centers
	small = 1 << 15 // largest k·d for which the centers stay in the cache together with the rows
	wide  = 128
	strip = 12
)

// points holds the data minus their mean. Sparse data are kept as they are, with mean 0, because subtracting
// their mean would fill in the zeros.
type points struct {
	data     *mat.Dense  // n×d as given; nil if S is set, and in samples and mini-batches of the points
	X        *mat.Dense  // n×d, minus the mean; nil if S is set
	S        *csr.Matrix // n×d
	norm     []float64   // ‖x‖² (n)
	weights  []float64   // n, all positive; nil: 1
	mean     []float64   // d
	variance float64     // mean over the columns
	most     float64     // the largest |X_ij|
	workers  int
}

// weight returns the weight of x_i.
func (p *points) weight(i int) float64 {
	if p.weights == nil {
		return 1
	}
	return p.weights[i]
}

// total returns the sum of the weights.
func (p *points) total() float64 {
	if p.weights == nil {
		n, _ := p.dims()
		return float64(n)
	}
	return floats.Sum(p.weights)
}

// dims returns n and d.
func (p *points) dims() (n, d int) {
	if p.S != nil {
		return p.S.Dims()
	}
	return p.X.Dims()
}

func newPoints(ctx context.Context, data *mat.Dense, weights []float64, workers int) (*points, error) {
	n, d := data.Dims()
	p := &points{data: data, X: mat.NewDense(n, d, nil), norm: make([]float64, n), weights: weights, mean: make([]float64, d), workers: workers}
	total := p.total()
	for i := range n {
		if i%piece == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		vector.Axpy(p.weight(i)/total, data.RawRowView(i), p.mean)
	}
	most := make([]float64, (n+piece-1)/piece)
	err := parallel.DoContext(ctx, len(most), workers, func(b int) {
		for i := b * piece; i < min(n, (b+1)*piece); i++ {
			x := p.X.RawRowView(i)
			floats.SubTo(x, data.RawRowView(i), p.mean)
			p.norm[i] = vector.Dot(x, x)
			most[b] = max(most[b], largest(x))
		}
	})
	p.most = floats.Max(most)
	for i, v := range p.norm {
		p.variance += v / (total / p.weight(i) * float64(d))
	}
	return p, err
}

func newSparsePoints(S *csr.Matrix, weights []float64, workers int) *points {
	n, d := S.Dims()
	p := &points{S: S, norm: make([]float64, n), weights: weights, mean: make([]float64, d), workers: workers}
	for i := range p.norm {
		_, val := S.View(i)
		for _, v := range val {
			p.norm[i] += v * v
		}
	}
	return p
}

// sparseVariance returns the mean of the weighted variances of the columns, and the largest difference, in absolute
// value, between an element and the mean of its column.
func (p *points) sparseVariance() (variance, most float64) {
	n, d := p.dims()
	if p.weights == nil {
		_, squares, most := p.S.Moments()
		for _, v := range squares {
			variance += v / float64(n) / float64(d)
		}
		return variance, most
	}
	total := p.total()
	mean, zeros := make([]float64, d), make([]float64, d) // zeros: the share of weight where a column is 0
	floats.AddConst(1, zeros)
	each := func(f func(share float64, j int, x float64)) {
		for i, w := range p.weights {
			col, val := p.S.View(i)
			for q, j := range col {
				f(w/total, int(j), val[q])
			}
		}
	}
	each(func(share float64, j int, x float64) {
		mean[j] += share * x
		zeros[j] -= share
	})
	stored := make([]int, d)
	each(func(share float64, j int, x float64) {
		stored[j]++
		x -= mean[j]
		variance += share * x * x / float64(d)
		most = max(most, math.Abs(x))
	})
	for j, m := range mean {
		if stored[j] < n {
			variance += max(0, zeros[j]) * m * m / float64(d)
			most = max(most, math.Abs(m))
		}
	}
	return variance, most
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
	n, d := p.dims()
	rows := rng.Perm(n)[:m]
	s := &points{norm: subset.Values(p.norm, rows), mean: p.mean, variance: p.variance, workers: p.workers}
	if p.weights != nil {
		s.weights = subset.Values(p.weights, rows)
	}
	if p.S != nil {
		s.S = p.S.Rows(rows)
		return s
	}
	s.X = mat.NewDense(m, d, nil)
	for r, i := range rows {
		s.X.SetRow(r, p.X.RawRowView(i))
	}
	return s
}

// bounds returns the first row of part b, if the rows are divided into p.parts() parts; part b ends before row
// bounds(b+1).
func (p *points) bounds(b int) int {
	n, _ := p.dims()
	return b * n / p.parts()
}

// parts returns the number of parts into which the points are divided. Each part has its own sums of points (k×d).
// Sparse points form a single part. More parts would save little time, and the sums, which are dense, would take much
// memory.
func (p *points) parts() int {
	if p.S != nil {
		return 1
	}
	return parts
}

// products calls f(i, xm) for each row i of X, where xm holds the products x_i·μ_a with all k centers in M. If the
// function done is not nil, products also calls done(b, from, to) for the rows [from, to) of part b (see bounds), after
// f has been called for these rows. It makes one such call for each part, or several calls for successive pieces of a
// part, while their rows may still be in the cache.
//
// Several goroutines may call f at the same time, for different rows. They may also call done at the same time, for
// different parts. If ctx is done, products returns ctx's error.
func (p *points) products(ctx context.Context, M *mat.Dense, f func(i int, xm []float64), done func(b, from, to int)) error {
	n, d := p.dims()
	k, _ := M.Dims()
	var err error
	switch {
	case p.S != nil:
		T := mat.DenseCopyOf(M.T()) // d×k
		err = parallel.DoContext(ctx, (n+piece-1)/piece, p.workers, func(b int) {
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
	case k <= few && k*d <= small:
		// Each product is short, so each goroutine computes products of its own rows, and no product is divided.
		rows := piece
		if d > wide {
			rows = strip
		}
		tasks, first := (n+piece-1)/piece, func(b int) int { return min(n, b*piece) }
		if done != nil {
			tasks, first = parts, p.bounds
		}
		T := mat.DenseCopyOf(M.T()).RawMatrix() // d×k
		return parallel.DoContext(ctx, tasks, p.workers, func(b int) {
			G := mat.NewDense(rows, k, nil)
			for from := first(b); from < first(b+1) && ctx.Err() == nil; from += rows {
				to := min(from+rows, first(b+1))
				block := p.X.Slice(from, to, 0, d).(*mat.Dense).RawMatrix()
				g := G.RawMatrix()
				g.Rows = to - from
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, block, T, 0, g) // rows×d · d×k
				for i := from; i < to; i++ {
					f(i, G.RawRowView(i-from))
				}
				if done != nil {
					done(b, from, to)
				}
			}
		})
	default:
		G := mat.NewDense(min(n, chunk), k, nil)
		for from := 0; from < n && err == nil; from += chunk {
			rows := min(chunk, n-from)
			block := p.X.Slice(from, from+rows, 0, d).(*mat.Dense).RawMatrix()
			g := G.Slice(0, rows, 0, k).(*mat.Dense)
			if err = product.Gemm(ctx, blas.NoTrans, blas.Trans, 1, block, M.RawMatrix(), 0, g.RawMatrix()); err != nil { // rows×d · d×k
				break
			}
			err = parallel.DoContext(ctx, (rows+piece-1)/piece, p.workers, func(b int) {
				for r := b * piece; r < min(rows, (b+1)*piece); r++ {
					f(from+r, g.RawRowView(r))
				}
			})
		}
	}
	if err == nil && done != nil {
		err = parallel.DoContext(ctx, p.parts(), p.workers, func(b int) { done(b, p.bounds(b), p.bounds(b+1)) })
	}
	return err
}

// updateNearest stores min(D2_i, ‖x_i − μ_t‖²) in after[t][i], for each point i and each center μ_t in M.
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
	}, nil)
}

// assign performs the first half of a step: it sets labels to the indices of the nearest centers in M (k×d), and dist
// to the squared distances from these centers. It returns the inertia J and the number of labels that changed. It
// passes done, which may be nil, to the method products.
func (p *points) assign(ctx context.Context, M *mat.Dense, labels []int, dist []float64, done func(b, from, to int)) (inertia float64, moved int, err error) {
	c := p.centers(M)
	old := slices.Clone(labels)
	err = p.nearest(ctx, c, 0, false, func(i, a int) float64 { return p.squaredDistance(i, c, a) }, labels, dist, done)
	if err != nil {
		return 0, 0, err
	}
	squares := 0.0
	for i, v := range dist {
		inertia += p.weight(i) * v
		squares += p.weight(i) * p.norm[i]
		if labels[i] != old[i] {
			moved++
		}
	}
	if inertia < 1e-6*squares { // most digits have canceled
		inertia = p.differences(c, labels, dist)
	}
	return inertia, moved, nil
}

// nearest sets labels to the indices of the nearest of the centers c, and dist to the squared distances from these
// centers. Both are computed from the products x_i·μ_a. The function done, which may be nil, is passed to the method
// products.
//
// Rounding of the products may leave open which center is the nearest to point i. Then the choice depends on
// distance(i, a), the squared distance of point i from center a. If exact is true, the center with the least value
// wins; ties go to the first. If exact is false, the point keeps the center that the products gave, unless another one
// is nearer by more than a rounding error. (Integer data have many ties, and how a step breaks a tie does not matter.)
// distance(i, a) may use more exact centers than c; slack is a bound on the difference.
func (p *points) nearest(ctx context.Context, c *centers, slack float64, exact bool, distance func(i, a int) float64, labels []int, dist []float64, done func(b, from, to int)) error {
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
	}, done)
}

// differences sets dist[i] to the squared distance of point i from center labels[i], as a sum of squared differences.
// This avoids the cancellation that products cause. It returns J, the weighted sum of dist.
func (p *points) differences(c *centers, labels []int, dist []float64) float64 {
	parallel.Do((len(labels)+piece-1)/piece, p.workers, func(b int) {
		for i := b * piece; i < min(len(labels), (b+1)*piece); i++ {
			dist[i] = p.squaredDistance(i, c, labels[i])
		}
	})
	J := 0.0
	for i, v := range dist {
		J += p.weight(i) * v
	}
	return J
}

// assignExactly labels each point with the nearest of the centers C (k×d), and returns J as a sum of squared
// differences. M is C minus the mean of the data. Where rounding of M matters, assignExactly uses C and the data as
// given instead.
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
	if err := p.nearest(ctx, c, slack, true, distance, labels, dist, nil); err != nil {
		return 0, err
	}
	J := p.differences(c, labels, dist)
	if J > 0 && slack > 1e-12*math.Sqrt(J/p.total()) { // rounding of C and M matters
		J = 0
		for i, a := range labels {
			J += p.weight(i) * distance(i, a)
		}
	}
	return J, nil
}

// sums are the weighted sums of the points of each label, one matrix (k×d) for each part of the points.
type sums []*mat.Dense

func (p *points) newSums(k int) sums {
	_, d := p.dims()
	s := make(sums, p.parts())
	for b := range s {
		s[b] = mat.NewDense(k, d, nil)
	}
	return s
}

// add adds the points [from, to), which are in part b, to the sums of their labels. The first points of a part
// overwrite the part's old sums.
func (s sums) add(p *points, labels []int, b, from, to int) {
	if from == p.bounds(b) {
		s[b].Zero()
	}
	for i := from; i < to; i++ {
		p.add(p.weight(i), i, s[b].RawRowView(labels[i]))
	}
}

// means performs the second half of a step: it sets row a of M to the mean of the points with label a, and counts[a]
// to their number. A center without points stays where it is.
func (s sums) means(p *points, M *mat.Dense, labels, counts []int) {
	clear(counts)
	weight := make([]float64, len(counts))
	for i, a := range labels {
		counts[a]++
		weight[a] += p.weight(i)
	}
	for a, c := range counts {
		if c == 0 {
			continue
		}
		row := M.RawRowView(a)
		clear(row)
		for _, S := range s {
			vector.Axpy(1, S.RawRowView(a), row)
		}
		blas64.Scal(1/weight[a], blas64.Vector{N: len(row), Inc: 1, Data: row})
	}
}

// fill moves a point into each empty cluster. It takes the point that adds most to the inertia, among the points in
// clusters with at least two different points. It returns the number of clusters that it filled. Without rounding,
// filling a cluster lowers the inertia. So if the inertia is no lower than *least, its value at an earlier call, only
// rounding is left, and fill does nothing. Otherwise fill sets *least to the inertia.
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
		far, most := -1, 0.0
		for i, v := range dist {
			if v *= p.weight(i); v > most && counts[labels[i]] > 1 && varied[labels[i]] {
				far, most = i, v
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
	sums := p.newSums(opt.K)
	add := func(b, from, to int) { sums.add(p, r.Labels, b, from, to) }
	least := math.Inf(1)
	var limit float64
	if opt.Tolerance > 0 {
		limit = opt.Tolerance * p.variance
	}
	for r.Iterations < opt.MaxIterations {
		inertia, moved, err := p.assign(ctx, M, r.Labels, dist, add)
		if err != nil {
			return nil, err
		}
		filled := p.fill(M, r.Labels, dist, &least)
		if filled > 0 {
			r.Filled += filled
			parallel.Do(len(sums), p.workers, func(b int) { add(b, p.bounds(b), p.bounds(b+1)) })
		}
		before.Copy(M)
		sums.means(p, M, r.Labels, r.Counts)
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

// finish sets Centers, Labels, Counts and Inertia from the final centers M, from which the mean of the data has been
// subtracted.
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
