package nmfgrad

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/product"
)

// An Update is the kind of iteration that Unroll repeats: HALS or Multiplicative.
type Update int

const (
	// HALS is the iteration of A. Cichocki and A.-H. Phan (2009): each column in turn is set to its
	// minimizer, u_j ← max(0, (c_j − Σ_{l≠j} u_l g_lj)/g_jj) with C = AW and G = W'W, then W likewise.
	HALS Update = iota
	// Multiplicative is the iteration of D. Lee and H. S. Seung (2001):
	// U ← U ∘ (AW) / (U W'W), then W likewise. A must not be negative.
	Multiplicative
)

func (u Update) String() string {
	if u == Multiplicative {
		return "multiplicative"
	}
	return "HALS"
}

// An UnrolledSolver holds all iterates of T iterations, so that VJP can differentiate through the solver itself, in
// reverse mode. Implicit differentiation is compared with this approach.
type UnrolledSolver struct {
	Update Update
	a      *mat.Dense
	u, w   []*mat.Dense // T+1 each
}

// Unroll runs T iterations on A (n×d) from U0 (n×k) and W0 (d×k), which must be nonnegative, and keeps all iterates.
// It returns an error if a component becomes zero, if an entry of U0 or W0 (or of A, for multiplicative updates) is
// negative, if an argument is not finite, if the iterates would take too much memory, or if ctx is done.
func Unroll(ctx context.Context, A, U0, W0 mat.Matrix, T int, update Update) (*UnrolledSolver, error) {
	n, d, k := checkSizes("Unroll", A, U0, W0)
	if T < 0 || update < HALS || update > Multiplicative {
		panic(fmt.Sprintf("nmfgrad: Unroll: %d iterations of Update %d", T, int(update)))
	}
	if err := ram.Check(fmt.Sprintf("%d iterates of %d numbers", T+1, (n+d)*k), 8*float64(T+1)*float64(n+d)*float64(k)); err != nil {
		return nil, fmt.Errorf("nmfgrad: Unroll: %w", err)
	}
	a, err := copyOf("Unroll", "A", A, n, d)
	if err != nil {
		return nil, err
	}
	u, err := copyOf("Unroll", "U0", U0, n, k)
	if err != nil {
		return nil, err
	}
	w, err := copyOf("Unroll", "W0", W0, d, k)
	if err != nil {
		return nil, err
	}
	for _, m := range []*mat.Dense{u, w, a} {
		if mat.Min(m) < 0 && (m != a || update == Multiplicative) {
			return nil, fmt.Errorf("nmfgrad: Unroll: a negative entry, %v, in the start or in A", mat.Min(m))
		}
	}
	ctx = orBackground(ctx)
	r := &UnrolledSolver{Update: update, a: a, u: []*mat.Dense{u}, w: []*mat.Dense{w}}
	for t := range T {
		var j int
		if u, j = r.halfStep(ctx, a, u, w); j < 0 && ctx.Err() == nil {
			w, j = r.halfStep(ctx, a.T(), w, u)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j >= 0 {
			return nil, fmt.Errorf("nmfgrad: Unroll: component %d is zero after %d iterations", j, t)
		}
		r.u, r.w = append(r.u, u), append(r.w, w)
	}
	return r, nil
}

// U returns a copy of U after the last iteration.
func (r *UnrolledSolver) U() *mat.Dense { return mat.DenseCopyOf(r.u[len(r.u)-1]) }

// W returns a copy of W after the last iteration.
func (r *UnrolledSolver) W() *mat.Dense { return mat.DenseCopyOf(r.w[len(r.w)-1]) }

// Floats returns how many numbers are kept for the backward pass: those of A and of T+1 pairs (U, W).
func (r *UnrolledSolver) Floats() int {
	n, d := r.a.Dims()
	_, k := r.u[0].Dims()
	return n*d + len(r.u)*(n+d)*k
}

// VJP carries gU = ∂l/∂U and gW = ∂l/∂W of the last iterate (one of gU and gW may be nil) back through all iterations,
// and returns ∂l/∂A (n×d). U0 and W0 count as constants. The result is the exact gradient of the T iterations. It needs
// no gauge, because the iterations determine the scales of the components.
func (r *UnrolledSolver) VJP(ctx context.Context, gU, gW mat.Matrix) (*mat.Dense, error) {
	n, d := r.a.Dims()
	_, k := r.u[0].Dims()
	gu, err := copyOf("Unrolled.VJP", "gU", gU, n, k)
	if err != nil {
		return nil, err
	}
	gw, err := copyOf("Unrolled.VJP", "gW", gW, d, k)
	if err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	ga := mat.NewDense(n, d, nil)
	y := mat.NewDense(n, d, nil)
	for t := len(r.u) - 1; t > 0; t-- {
		// Backwards: from w_t to w_{t−1} and u_t, with A'; then from u_t to u_{t−1} and w_{t−1}, with A.
		gOld, gc, other := r.halfStepBack(ctx, r.a.T(), r.w[t-1], r.w[t], r.u[t], gw)
		gw = gOld
		product.Mul(ctx, y, r.u[t], gc.T()) // C = A'U: Ā += U C̄'
		ga.Add(ga, y)
		gu.Add(gu, other)

		gOld, gc, other = r.halfStepBack(ctx, r.a, r.u[t-1], r.u[t], r.w[t-1], gu)
		gu = gOld
		product.Mul(ctx, y, gc, r.w[t-1].T()) // C = AW: Ā += C̄ W'
		ga.Add(ga, y)
		gw.Add(gw, other)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return ga, nil
}

// halfStep returns newX, the result of one update of x in X ≈ x y', with y fixed. The update uses C = Xy and G = y'y.
// If a component of y is zero, newX is nil, and the result zero is the component's index. Otherwise it is −1. If ctx is
// done, newX is unfinished or nil.
func (r *UnrolledSolver) halfStep(ctx context.Context, X mat.Matrix, x, y *mat.Dense) (newX *mat.Dense, zero int) {
	n, k := x.Dims()
	c, g := mat.NewDense(n, k, nil), mat.NewDense(k, k, nil)
	if product.Mul(ctx, c, X, y) != nil || product.Mul(ctx, g, y.T(), y) != nil {
		return nil, -1
	}
	for j := range k {
		if !(g.At(j, j) > 0) {
			return nil, j
		}
	}
	newX = mat.DenseCopyOf(x)
	if r.Update == Multiplicative {
		den := mat.NewDense(n, k, nil)
		product.Mul(ctx, den, x, g)
		newX.Apply(func(i, j int, v float64) float64 {
			if v == 0 {
				return 0 // otherwise a zero denominator would give 0/0
			}
			return v * c.At(i, j) / den.At(i, j)
		}, x)
		return newX, -1
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		row, ci := newX.RawRowView(i), c.RawRowView(i)
		for j := range k {
			v, gj := ci[j], g.RawRowView(j)
			for l, u := range row {
				if l != j {
					v -= u * gj[l]
				}
			}
			row[j] = max(0, v/gj[j])
		}
	}
	return newX, -1
}

// halfStepBack is the backward pass of halfStep, which returned next for X, x and y. Given gnext = ∂l/∂next, it returns
// gx = ∂l/∂x, gc = ∂l/∂C for C = Xy, and gy = ∂l/∂y. If ctx is done, the results are unfinished.
func (r *UnrolledSolver) halfStepBack(ctx context.Context, X mat.Matrix, x, next, y, gnext *mat.Dense) (gx, gc, gy *mat.Dense) {
	n, k := x.Dims()
	g := mat.NewDense(k, k, nil)
	product.Mul(ctx, g, y.T(), y)
	gx, gc = mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	gg := mat.NewDense(k, k, nil)
	if r.Update == Multiplicative {
		c, den := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
		product.Mul(ctx, c, X, y)
		product.Mul(ctx, den, x, g)
		gden := mat.NewDense(n, k, nil)
		for i := range n {
			for j := range k {
				v, b := x.At(i, j), gnext.At(i, j)
				if v == 0 {
					if q := den.At(i, j); q > 0 {
						gx.Set(i, j, b*c.At(i, j)/q)
					}
					continue
				}
				q := den.At(i, j)
				gx.Set(i, j, b*c.At(i, j)/q)
				gc.Set(i, j, b*v/q)
				gden.Set(i, j, -b*next.At(i, j)/q)
			}
		}
		t := mat.NewDense(n, k, nil)
		product.Mul(ctx, t, gden, g) // G is symmetric
		gx.Add(gx, t)
		product.Mul(ctx, gg, x.T(), gden)
	} else {
		row, bar := make([]float64, k), make([]float64, k)
		for i := 0; i < n && ctx.Err() == nil; i++ {
			// row holds the values at the update of column j: new ones before j, old ones after it.
			copy(row, next.RawRowView(i))
			copy(bar, gnext.RawRowView(i))
			for j := k - 1; j >= 0; j-- {
				b := bar[j]
				bar[j], row[j] = 0, x.At(i, j) // the old value is not used
				v := next.At(i, j)
				if b == 0 || v <= 0 {
					continue
				}
				t := b / g.At(j, j)
				gc.Set(i, j, t)
				for l := range k {
					if l == j {
						gg.Set(j, j, gg.At(j, j)-t*v)
						continue
					}
					bar[l] -= t * g.At(l, j)
					gg.Set(l, j, gg.At(l, j)-t*row[l])
				}
			}
			copy(gx.RawRowView(i), bar)
		}
	}
	gy = mat.NewDense(y.RawMatrix().Rows, k, nil)
	product.Mul(ctx, gy, X.T(), gc) // C = Xy
	var s, t mat.Dense
	s.Add(gg, gg.T()) // G = y'y
	t.Mul(y, &s)
	gy.Add(gy, &t)
	return gx, gc, gy
}
