package klcoding

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// crowd processes all N signals. Each goroutine holds many signals, each in a lane, and computes their products with B
// together (see lane.go). begin(k, l, i, u) sets up lane l for signal i and stores in u (n) the first vector to be
// multiplied by B. finish(k, l) collects the result of lane l when it is done.
func (c *Coder) crowd(ctx context.Context, what string, N int, begin func(k *work, l *lane, i int, u []float64), finish func(k *work, l *lane) error) error {
	workers := c.workers()
	most := min(lanes, (N+workers-1)/workers)
	return c.share(ctx, what, N, 1, func(k *work, q *queue) {
		// Use at least two rows, because a product with one row sums in a different order.
		r := newRound(c, max(2, most))
		u := r.u
		var busy, spare []*lane
		for {
			for len(busy) < most {
				i, end := q.take(1)
				if i == end {
					break
				}
				if len(spare) == 0 {
					spare = append(spare, newLane(c, c.opt.Single))
				}
				l := spare[len(spare)-1]
				spare = spare[:len(spare)-1]
				l.signal = i
				begin(k, l, i, u.Data[len(busy)*c.n:(len(busy)+1)*c.n])
				busy = append(busy, l)
			}
			if len(busy) == 0 {
				return
			}
			m := max(2, len(busy))
			clear(u.Data[len(busy)*c.n : m*c.n])
			r.do(busy, m)
			for i := len(busy) - 1; i >= 0; i-- {
				l := busy[i]
				if !l.done {
					continue
				}
				end := len(busy) - 1
				copy(u.Data[i*c.n:(i+1)*c.n], u.Data[end*c.n:(end+1)*c.n])
				busy[i] = busy[end]
				busy = busy[:end]
				spare = append(spare, l)
				q.note(1, finish(k, l))
			}
			if !q.note(0, q.ctx.Err()) {
				return
			}
		}
	})
}

// A round holds the matrices of the two products, with B and with B', that all lanes share. Each lane has one row of
// each matrix (see lane.go).
type round struct {
	c             *Coder
	u, z, g       blas64.General // m×n, m×D, m×n
	u32, z32, g32 blas32.General
}

func newRound(c *Coder, m int) *round {
	r := &round{c: c}
	r.u = blas64.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float64, m*c.n)}
	r.g = blas64.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float64, m*c.n)}
	if !c.opt.Single {
		r.z = blas64.General{Rows: m, Cols: c.d, Stride: c.d, Data: make([]float64, m*c.d)}
		return r
	}
	r.u32 = blas32.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float32, m*c.n)}
	r.z32 = blas32.General{Rows: m, Cols: c.d, Stride: c.d, Data: make([]float32, m*c.d)}
	r.g32 = blas32.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float32, m*c.n)}
	return r
}

// do performs one round for the busy lanes: it computes both products, with m rows each, and lets each lane compute
// its next row of u.
func (r *round) do(busy []*lane, m int) {
	n, d := r.c.n, r.c.d
	if r.c.opt.Single {
		r.u32.Rows, r.z32.Rows, r.g32.Rows = m, m, m
		narrow(r.u32.Data[:m*n], r.u.Data[:m*n])
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, r.u32, r.c.single, 0, r.z32)
		for i, l := range busy {
			l.forward32(r.z32.Data[i*d : (i+1)*d])
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, r.z32, r.c.single, 0, r.g32)
		widen(r.g.Data[:m*n], r.g32.Data[:m*n])
	} else {
		r.u.Rows, r.z.Rows, r.g.Rows = m, m, m
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.u, r.c.bt, 0, r.z)
		for i, l := range busy {
			l.forward(r.z.Data[i*d : (i+1)*d])
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.z, r.c.bt, 0, r.g)
	}
	for i, l := range busy {
		l.backward(r.g.Data[i*n:(i+1)*n], r.u.Data[i*n:(i+1)*n])
	}
}

// narrow converts src to float32. It stores the result in dst or, if dst is nil, in new memory. It returns the result.
func narrow(dst []float32, src []float64) []float32 {
	if dst == nil {
		dst = make([]float32, len(src))
	}
	for i, v := range src {
		dst[i] = float32(v)
	}
	return dst
}

// widen converts src to float64, and stores the result in dst.
func widen(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}
