package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// patience is the number of consecutive batches after which a run ends if none of them lowers the least smoothed
// inertia.
const patience = 20

// minibatch runs algorithm 1 of D. Sculley, "Web-scale k-means clustering" (2010): a point x of the batch
// moves its center by μ ← μ + s (x − μ)/v, where s is the weight of x and v the weight of all points that the
// center has received, so μ is their mean. The labels of a batch are found before any center moves.
func minibatch(ctx context.Context, p *points, M *mat.Dense, opt Options, rng *rand.Rand) (*Model, error) {
	n, d := p.dims()
	b := opt.Batch
	r := &Model{Counts: make([]int, opt.K), Status: ended.IterationLimit}
	batch := &points{norm: make([]float64, b), mean: p.mean, workers: opt.Workers}
	if p.weights != nil {
		batch.weights = make([]float64, b)
	}
	if p.S == nil {
		batch.X = mat.NewDense(b, d, nil)
	}
	rows := make([]int, b) // of the batch
	labels, dist := make([]int, b), make([]float64, b)
	v := make([]float64, opt.K)
	before := mat.NewDense(opt.K, d, nil)
	// The inertia of a batch is noisy; smoothed over about half a pass it shows whether anything still
	// improves.
	alpha := math.Min(1, 2*float64(b)/float64(n+1))
	smooth, least, since := 0.0, math.Inf(1), 0
	for r.Iterations < opt.MaxIterations {
		for s := range b {
			i := rng.IntN(n)
			if rows[s] = i; p.S == nil {
				copy(batch.X.RawRowView(s), p.X.RawRowView(i))
			}
			batch.norm[s] = p.norm[i]
			if p.weights != nil {
				batch.weights[s] = p.weights[i]
			}
		}
		if p.S != nil {
			batch.S = p.S.Rows(rows)
		}
		inertia, _, err := batch.assign(ctx, M, labels, dist, nil)
		if err != nil {
			return nil, err
		}
		inertia *= float64(n) / float64(b)
		before.Copy(M)
		batch.gather(M, labels, v)
		r.Iterations++
		shift := squaredDistance(before.RawMatrix().Data, M.RawMatrix().Data)
		r.History = append(r.History, Step{Inertia: inertia, Shift: shift})
		progress.Report(opt.Recorder, progress.Event{What: "k-means", Step: r.Iterations, Total: opt.MaxIterations, Objective: inertia})
		if r.Iterations == 1 {
			smooth = inertia
		}
		smooth += alpha * (inertia - smooth)
		if since++; smooth < least {
			least, since = smooth, 0
		}
		// Require at least one pass, so that each point has had a chance to be drawn.
		if since >= patience && r.Iterations*b >= n {
			r.Status = ended.Settled
			break
		}
	}
	if err := r.finish(ctx, p, M); err != nil {
		return nil, err
	}
	return r, nil
}

// gather moves each center to the mean of all points that it has received so far, including those of this batch. Before
// the call, v[a] is the total weight of the points that center a received from earlier batches; gather adds the weights
// of this batch.
func (p *points) gather(M *mat.Dense, labels []int, v []float64) {
	if p.S == nil {
		_, d := p.X.Dims()
		for s, a := range labels {
			w := p.weight(s)
			v[a] += w
			row := blas64.Vector{N: d, Inc: 1, Data: M.RawRowView(a)}
			blas64.Scal(1-w/v[a], row)
			vector.Axpy(w/v[a], p.X.RawRowView(s), row.Data)
		}
		return
	}
	// Do this for all points of a center at once, in one pass over its coordinates.
	had := slices.Clone(v)
	for s, a := range labels {
		v[a] += p.weight(s)
	}
	for a, after := range v {
		if after > had[a] {
			floats.Scale(had[a]/after, M.RawRowView(a))
		}
	}
	for s, a := range labels {
		p.add(p.weight(s)/v[a], s, M.RawRowView(a))
	}
}
