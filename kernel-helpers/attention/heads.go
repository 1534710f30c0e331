package attention

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/kernel-helpers/vmath"
)

// attendHeads computes multi-head attention on a tape, for a batch of B sequences of length n stacked as rows. The
// parameters q, k and v are (B·n)×d, and head i uses the d/heads columns that begin at column i·d/heads. attendHeads
// returns the concatenated outputs, (B·n)×d, and the weights; the matrix with index b·heads+i (n×n) is for sequence b
// and head i. If opt.Causal is not set, k and v may come from other sequences, of length m: k and v are then (B·m)×d,
// and the weight matrices are n×m. mask (n×m) and hidden (m elements per sequence) are used in place of opt.Mask and
// opt.Hidden, which are ignored. Either of mask and hidden may be nil.
//
// attendHeads replaces a chain of operations of package tape, which would make hundreds of small matrices. A test
// compares it with this chain: slicing a head, product, softmax, product, concatenating. In the backward pass, let s =
// 1/√(d/heads) if opt.Scaled is set, and s = 1 otherwise. The gradients, marked by a bar, are
//
//	v̄_t = Σ_l α_{l,t} ā_l    ᾱ_{l,t} = ā_l · v_t    ē_{l,t} = α_{l,t} (ᾱ_{l,t} − Σ_t' α_{l,t'} ᾱ_{l,t'})
//	q̄_l = s Σ_t ē_{l,t} k_t    k̄_t = s Σ_l ē_{l,t} q_l
func attendHeads(t *tape.Tape, q, k, v *tape.Value, n, heads int, opt Options, mask *mat.Dense, hidden [][]bool) (*tape.Value, []*mat.Dense) {
	rows, d := q.Dims()
	if d%heads != 0 || rows%n != 0 {
		panic(fmt.Sprintf("attention: %d rows of width %d for %d heads and sequences of %d", rows, d, heads, n))
	}
	m := n
	if keys, _ := k.Dims(); keys != rows {
		if m = keys / (rows / n); opt.Causal || keys != m*(rows/n) {
			panic(fmt.Sprintf("attention: %d keys for %d queries, sequences of %d", keys, rows, n))
		}
	}
	dk := d / heads
	scale := 1.0
	if opt.Scaled {
		scale = 1 / math.Sqrt(float64(dk))
	}
	// seen returns the number of positions that position l sees: those with t < seen(l).
	seen := func(l int) int {
		if opt.Causal {
			return l + 1
		}
		return m
	}
	hides := hiding(mask, hidden)
	// part returns the columns of head i in row r of x.
	part := func(x *mat.Dense, r, i int) []float64 { return x.RawRowView(r)[i*dk : (i+1)*dk] }

	if n*m*dk >= worthProducts {
		return attendByProducts(t, q, k, v, n, m, heads, scale, seen, hides)
	}
	a := t.Matrix(rows, d)
	alpha := make([]*mat.Dense, rows/n*heads)
	for c := range alpha {
		b, i := c/heads, c%heads
		w := t.Matrix(n, m)
		alpha[c] = w
		for l := range n {
			e := w.RawRowView(l)[:seen(l)] // the other weights stay 0: exp(−∞)
			ql := part(q.X, b*n+l, i)
			for t := range e {
				if hides != nil && hides(b, l, t) {
					e[t] = math.Inf(-1)
					continue
				}
				e[t] = scale * vector.DotInOrder(ql, part(k.X, b*m+t, i))
			}
			if !tape.SoftmaxRow(e) {
				clear(e) // all keys are masked
			}
			al := part(a, b*n+l, i)
			for t, w := range e {
				if hides != nil && w == 0 {
					continue
				}
				axpy(al, w, part(v.X, b*m+t, i))
			}
		}
	}
	out := t.Op(a, func(g *mat.Dense) {
		dq, dkeys, dv := q.Accumulate(), k.Accumulate(), v.Accumulate()
		de := make([]float64, m)
		for c, w := range alpha {
			b, i := c/heads, c%heads
			for l := range n {
				wl := w.RawRowView(l)[:seen(l)]
				gl := part(g, b*n+l, i)
				mean := 0.0
				for t, x := range wl {
					if hides != nil && x == 0 {
						continue
					}
					de[t] = vector.DotInOrder(gl, part(v.X, b*m+t, i))
					mean += x * de[t]
				}
				ql := part(q.X, b*n+l, i)
				for t, x := range wl {
					if hides != nil && x == 0 {
						continue
					}
					e := scale * x * (de[t] - mean)
					if dv != nil {
						axpy(part(dv, b*m+t, i), x, gl)
					}
					if dq != nil {
						axpy(part(dq, b*n+l, i), e, part(k.X, b*m+t, i))
					}
					if dkeys != nil {
						axpy(part(dkeys, b*m+t, i), e, ql)
					}
				}
			}
		}
	}, q, k, v)
	return out, alpha
}

// worthProducts is the smallest number of multiplications for which attendByProducts is faster. It counts the
// multiplications in the products q_l · k_t of all positions of a head. Tests change it.
var worthProducts = 1 << 14

// attendByProducts does what attendHeads does, but uses one matrix product for all positions of a head, including
// hidden ones. It processes sequences in parallel. Query l sees only the keys t < seen(l). If hides is not nil, query
// l of sequence b does not see the keys t for which hides(b, l, t) is true.
func attendByProducts(t *tape.Tape, q, k, v *tape.Value, n, m, heads int, scale float64, seen func(l int) int, hides func(b, l, t int) bool) (*tape.Value, []*mat.Dense) {
	rows, d := q.Dims()
	B, dk := rows/n, d/heads
	// head returns the part of x that belongs to head i of sequence b. All sequences have the given length.
	head := func(x *mat.Dense, b, length, i int) blas64.General {
		return x.Slice(b*length, (b+1)*length, i*dk, (i+1)*dk).(*mat.Dense).RawMatrix()
	}
	a := t.Matrix(rows, d)
	alpha := make([]*mat.Dense, B*heads)
	for c := range alpha {
		alpha[c] = t.Matrix(n, m)
	}
	parallel.Do(B, 0, func(b int) {
		for i := range heads {
			w := alpha[b*heads+i]
			blas64.Gemm(blas.NoTrans, blas.Trans, scale, head(q.X, b, n, i), head(k.X, b, m, i), 0, w.RawMatrix()) // n×dk · dk×m
			for l := range n {
				e := w.RawRowView(l)
				clear(e[seen(l):])
				e = e[:seen(l)]
				if hides != nil {
					for t := range e {
						if hides(b, l, t) {
							e[t] = math.Inf(-1)
						}
					}
					if floats.Max(e) == math.Inf(-1) {
						clear(e) // all keys are masked
						continue
					}
				}
				vmath.Softmax(e, e)
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w.RawMatrix(), head(v.X, b, m, i), 0, head(a, b, n, i)) // n×m · m×dk
		}
	})
	out := t.Op(a, func(g *mat.Dense) {
		dq, dkeys, dv := q.Accumulate(), k.Accumulate(), v.Accumulate()
		room := t.Matrix(rows, m)
		parallel.Do(B, 0, func(b int) {
			de := room.Slice(b*n, (b+1)*n, 0, m).(*mat.Dense)
			for i := range heads {
				w, gi := alpha[b*heads+i], head(g, b, n, i)
				blas64.Gemm(blas.NoTrans, blas.Trans, 1, gi, head(v.X, b, m, i), 0, de.RawMatrix()) // ᾱ: n×dk · dk×m
				for l := range n {
					wl, el := w.RawRowView(l), de.RawRowView(l)
					mean := floats.Dot(wl, el)
					for t, x := range wl {
						el[t] = scale * x * (el[t] - mean)
					}
				}
				if dv != nil {
					blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.RawMatrix(), gi, 1, head(dv, b, m, i)) // m×n · n×dk
				}
				if dq != nil {
					blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, de.RawMatrix(), head(k.X, b, m, i), 1, head(dq, b, n, i)) // n×m · m×dk
				}
				if dkeys != nil {
					blas64.Gemm(blas.Trans, blas.NoTrans, 1, de.RawMatrix(), head(q.X, b, n, i), 1, head(dkeys, b, m, i)) // m×n · n×dk
				}
			}
		})
	}, q, k, v)
	return out, alpha
}

func axpy(dst []float64, a float64, x []float64) {
	for j, v := range x {
		dst[j] += a * v
	}
}
