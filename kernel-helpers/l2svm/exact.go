package l2svm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/ended"
)

// exactLimit is the largest n·d for which a model is certified, and if needed trained further, in float64.
// The limit only bounds the time.
const exactLimit = 1 << 24

// A reader64 can read its points in float64.
type reader64 interface {
	Read64(dst []float64, from, to int) error
}

// read64 stores the points [from, to) of X in dst. If X cannot be read in float64, read64 reads the points in float32,
// and converts them.
func read64(X Points, dst []float64, from, to int) error {
	if r, ok := X.(reader64); ok {
		return r.Read64(dst, from, to)
	}
	w := borrow(len(dst))
	defer blocks.Put(w)
	if err := X.Read(w.x[:len(dst)], from, to); err != nil {
		return err
	}
	for k := range dst {
		dst[k] = float64(w.x[k])
	}
	return nil
}

// stream64 is like stream, but in float64.
func stream64(ctx context.Context, P Points, f func(lane int, X []float64, from, to int)) error {
	n, d := P.Dims()
	rows := min(64, blockRows(d))
	return inLanes(n, func(lane, from, end int) error {
		buf := make([]float64, rows*d)
		for from < end {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(end, from+rows)
			x := buf[:(to-from)*d]
			if err := read64(P, x, from, to); err != nil {
				return err
			}
			f(lane, x, from, to)
			from = to
		}
		return nil
	})
}

// exactRows passes the standardized points to f in float64, block by block, as stream does.
func (a *design) exactRows(f func(lane int, x blas64.General, from, to int)) error {
	_, d := a.X.Dims()
	return stream64(a.ctx, a.X, func(lane int, x []float64, from, to int) {
		for i := range to - from {
			row := x[i*d : (i+1)*d]
			for j, v := range row {
				row[j] = (v - a.scale.Mean[j]) / a.scale.SD[j]
			}
		}
		f(lane, blas64.General{Rows: to - from, Cols: d, Stride: d, Data: x}, from, to)
	})
}

// timesExact is like times, but in float64.
func (a *design) timesExact(V, P [][]float64) error {
	_, d := a.X.Dims()
	Q := len(P)
	U := gather(P, d) // d×Q
	return a.exactRows(func(_ int, x blas64.General, from, to int) {
		out := blas64.General{Rows: x.Rows, Cols: Q, Stride: Q, Data: make([]float64, x.Rows*Q)}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, U, 0, out) // (n×d)(d×Q)
		for q := range Q {
			for i := range out.Rows {
				V[q][from+i] = out.Data[i*Q+q] + P[q][d]
			}
		}
	})
}

// transposedTimesExact is like transposedTimes, but in float64.
func (a *design) transposedTimesExact(G, R [][]float64) error {
	_, d := a.X.Dims()
	Q := len(R)
	var sums [lanes]blas64.General
	err := a.exactRows(func(lane int, x blas64.General, from, to int) {
		s := &sums[lane]
		if s.Data == nil {
			*s = blas64.General{Rows: d, Cols: Q, Stride: Q, Data: make([]float64, d*Q)}
		}
		r := blas64.General{Rows: x.Rows, Cols: Q, Stride: Q, Data: make([]float64, x.Rows*Q)}
		for q := range Q {
			for i, v := range R[q][from:to] {
				r.Data[i*Q+q] = v
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, x, r, 1, *s) // (d×n)(n×Q)
	})
	if err != nil {
		return err
	}
	for q, g := range G {
		clear(g)
		for _, s := range sums {
			if s.Data == nil {
				continue
			}
			for j := range d {
				g[j] += s.Data[j*Q+q]
			}
		}
		g[d] = floats.Sum(R[q])
	}
	return nil
}

// gather returns a d×Q matrix. Its column q holds the first d numbers of P[q].
func gather(P [][]float64, d int) blas64.General {
	Q := len(P)
	U := blas64.General{Rows: d, Cols: Q, Stride: Q, Data: make([]float64, d*Q)}
	for q, p := range P {
		for j, v := range p[:d] {
			U.Data[j*Q+q] = v
		}
	}
	return U
}

// certify computes f, its gradient and the gap of a model in float64. If the float32 weights are not close enough to
// the minimum, training continues in float64. It starts from these weights, or from (w, b) = 0 if f is lower there. If
// n·d is above exactLimit, or the stopping rule does not include the gap, the model keeps its float32 values.
func (t *task) certify(m *Model, list []*machine) error {
	n, d := t.X.Dims()
	if math.IsInf(t.opt.Gap, 1) || n > exactLimit/d {
		return nil
	}
	exact := t.design
	exact.exact = true
	s := solver{space: &primalSpace{exact}, tolerance: t.opt.Tolerance, gap: t.opt.Gap, steps: t.opt.MaxIterations, memory: t.opt.Memory}
	again := make([]*machine, t.K)
	for k := range again {
		again[k] = s.start(list[k].column)
		again[k].spent = list[k].steps
		copy(again[k].x, m.W.RawRowView(k))
		again[k].x[d] = m.B[k]
	}
	if err := s.rescore(again); err != nil {
		return err
	}
	for _, q := range again { // the float32 products of features with very large values may mean nothing
		clear(q.v)
		zero := q.loss(q.r, q.v)
		if f := q.loss(q.r, q.z) + s.space.dot(q.x, q.x)/2; !(f <= zero*(1+1e-9)) {
			clear(q.x)
			clear(q.z)
		}
	}
	if err := s.run(t.ctx, again); err != nil {
		return err
	}
	m.Status = ended.Unknown
	for k, q := range again {
		m.W.SetRow(k, q.x[:d])
		m.B[k] = q.x[d]
		m.Status = max(m.Status, q.status)
		m.Iterations[k] += q.steps
		m.Objective[k], m.Gradient[k], m.Gap[k] = q.f, q.relativeGradient(), q.gap
		if q.steps > 0 {
			m.History[k] = append(m.History[k], q.history[1:]...)
		}
	}
	return nil
}
