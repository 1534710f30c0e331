package l2svm

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// design is X̂ (n×d), the standardized points. Only products with it are formed; the standardization is
// applied to the vectors:
//
//	X̂p = X(p/σ) − 1 μ'(p/σ),    X̂'r = (X'r − μ 1'r)/σ
//
// Products are in float32; sums over more than a few hundred points are in float64. The products of exact.go
// and sparse.go are in float64 throughout.
type design struct {
	ctx   context.Context
	X     Points
	scale *Scale
	exact bool // in float64
	// device computes the products that are not exact; nil means the processor.
	device *devicePoints
}

// newDesign returns the points X, standardized by s.
func newDesign(ctx context.Context, X Points, s *Scale) design {
	X, s = s.centered(X)
	return design{ctx: orBackground(ctx), X: X, scale: s}
}

// times stores V_q = X̂P_q + b_q for each q. P_q holds d numbers, followed by b_q; V_q holds n numbers.
func (a *design) times(V, P [][]float64) error {
	if s, ok := a.X.(*sparsePoints); ok {
		return a.timesSparse(s.Matrix, V, P)
	}
	if a.exact {
		return a.timesExact(V, P)
	}
	_, d := a.X.Dims()
	Q := len(P)
	U := make([]float32, d*Q) // d×Q
	shift := make([]float64, Q)
	for q, p := range P {
		shift[q] = p[d]
		for j := range d {
			u := p[j] / a.scale.SD[j]
			U[j*Q+q] = float32(u)
			shift[q] -= a.scale.Mean[j] * u
		}
	}
	if a.device != nil {
		err := a.device.times(a.ctx, V, U)
		for q, b := range shift {
			floats.AddConst(b, V[q])
		}
		return err
	}
	return stream(a.ctx, a.X, func(_ int, x []float32, from, to int) {
		n := to - from
		w := borrow(n * Q)
		defer blocks.Put(w)
		out := w.x[:n*Q]
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(x, n, d), general(U, d, Q), 0, general(out, n, Q)) // (n×d)(d×Q)
		for q := range Q {
			v := V[q][from:to]
			for i := range v {
				v[i] = float64(out[i*Q+q]) + shift[q]
			}
		}
	})
}

// flush is the number of points that are summed in float32 before their sum is added in float64.
const flush = 512

// transposedTimes stores G_q = (X̂'R_q, 1'R_q) for each q. R_q holds n numbers, G_q holds d + 1.
func (a *design) transposedTimes(G, R [][]float64) error {
	if s, ok := a.X.(*sparsePoints); ok {
		return a.transposedTimesSparse(s.Matrix, G, R)
	}
	if a.exact {
		return a.transposedTimesExact(G, R)
	}
	_, d := a.X.Dims()
	Q := len(R)
	var sum []float64 // X'R (d×Q)
	var err error
	if a.device != nil {
		sum, err = a.device.transposedTimes(a.ctx, R)
	} else {
		sum, err = a.sums(R)
	}
	if err != nil {
		return err
	}
	for q := range Q {
		g := G[q]
		var total float64 // 1'R_q
		for _, v := range R[q] {
			total += v
		}
		g[d] = total
		for j := range d {
			g[j] = (sum[j*Q+q] - a.scale.Mean[j]*total) / a.scale.SD[j]
		}
	}
	return nil
}

// sums returns X'R (d×Q), where column q of R is R_q with n numbers.
func (a *design) sums(R [][]float64) ([]float64, error) {
	_, d := a.X.Dims()
	Q := len(R)
	type part struct {
		sum      []float64 // d×Q
		block, r []float32 // d×Q, rows×Q
		held     int       // points in block
	}
	parts := make([]part, lanes)
	var held [lanes][2]*block // buffers of the parts
	defer func() {
		for _, h := range held {
			if h[0] != nil {
				blocks.Put(h[0])
				blocks.Put(h[1])
			}
		}
	}()
	empty := func(p *part) {
		for k, v := range p.block {
			p.sum[k] += float64(v)
		}
		p.held = 0
	}
	err := stream(a.ctx, a.X, func(lane int, x []float32, from, to int) {
		p := &parts[lane]
		n := to - from
		if p.sum == nil {
			h := &held[lane]
			h[0], h[1] = borrow(d*Q), borrow(blockRows(d)*Q)
			p.sum, p.block, p.r = make([]float64, d*Q), h[0].x[:d*Q], h[1].x
		}
		for q := range Q {
			for i, v := range R[q][from:to] {
				p.r[i*Q+q] = float32(v)
			}
		}
		var beta float32
		if p.held > 0 {
			beta = 1
		}
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, general(x, n, d), general(p.r[:n*Q], n, Q), beta, general(p.block, d, Q)) // (d×n)(n×Q)
		if p.held += n; p.held >= flush {
			empty(p)
		}
	})
	if err != nil {
		return nil, err
	}
	sum := make([]float64, d*Q)
	for lane := range parts {
		p := &parts[lane]
		if p.sum == nil {
			continue
		}
		if p.held > 0 {
			empty(p)
		}
		floats.Add(sum, p.sum)
	}
	return sum, nil
}

func general(x []float32, rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: x}
}
