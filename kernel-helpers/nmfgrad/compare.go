package nmfgrad

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A Cost compares two ways to compute a gradient after a number of iterations. The unrolled gradient is propagated
// back through the iterations. The implicit gradient is computed from the last iterate alone.
type Cost struct {
	Iterations int
	KKT        float64 // residual of the last iterate, see Point.Residual
	Solve      float64 // seconds of the iterations themselves
	// Unrolled and Implicit are the times of the backward pass in seconds, the least of three runs.
	Unrolled, Implicit float64
	// UnrolledFloats and ImplicitFloats count the numbers kept for the backward pass. The first is
	// UnrolledSolver.Floats; the second counts A, U, W, R and the multipliers.
	UnrolledFloats, ImplicitFloats int
	// UnrolledBytes and ImplicitBytes are the heap bytes kept for the backward pass, measured after garbage
	// collection.
	UnrolledBytes, ImplicitBytes int
	// UnrolledError and ImplicitError are ‖g − g*‖/‖g*‖ with g* the gradient at the solution; NaN if PointAt or
	// the linear solver failed at the iterate.
	UnrolledError, ImplicitError float64
	Products                     int // of the linear solver
}

// A Comparison holds the costs at increasing numbers of iterations.
type Comparison struct {
	Update  Update
	N, D, K int
	Costs   []Cost
}

// Compare differentiates l = ⟨G, UW'⟩ for a constant G (n×d) with respect to A. It does so in two ways, by unrolling
// and by implicit differentiation, after each of the given numbers of iterations from U0 and W0. Errors are relative to
// a reference, the implicit gradient at a more exact solution. To find this solution, HALS continues after the largest
// number of iterations, until the KKT residual is at most 1e-11. Times and bytes are measured, so nothing else should
// run during Compare.
func Compare(ctx context.Context, A, U0, W0, G mat.Matrix, iterations []int, update Update) (*Comparison, error) {
	n, d, k := checkSizes("Compare", A, U0, W0)
	if len(iterations) == 0 || slices.Min(iterations) < 1 || isNil(G) {
		panic("nmfgrad: Compare: G is nil, or iterations is empty or has a number below 1")
	}
	g, err := copyOf("Compare", "G", G, n, d)
	if err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	if A, err = copyOf("Compare", "A", A, n, d); err != nil {
		return nil, err
	}
	want, err := reference(ctx, A, U0, W0, g, slices.Max(iterations), update)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Update: update, N: n, D: d, K: k}
	for _, T := range iterations {
		one, err := measure(ctx, A, U0, W0, g, want, T, update)
		if err != nil {
			return nil, err
		}
		c.Costs = append(c.Costs, *one)
	}
	return c, nil
}

// reference performs T iterations from U0 and W0, then iterations of HALS until the KKT residual is at most 1e-11. It
// returns the implicit gradient there.
func reference(ctx context.Context, A, U0, W0 mat.Matrix, g *mat.Dense, T int, update Update) (*mat.Dense, error) {
	r, err := Unroll(ctx, A, U0, W0, T, update)
	if err != nil {
		return nil, err
	}
	u, w := r.U(), r.W()
	for range 2000 {
		p, err := awaitPoint(ctx, A, u, w, &Options{Tolerance: 1e-11})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			// A tighter tolerance than for the gradients that are compared with the result.
			p.opt.Solver = &implicit.CG{Tolerance: 1e-12}
			want, _, err := p.VJPProduct(ctx, g)
			return want, err
		}
		// A block at a time, to limit the iterates kept.
		if r, err = Unroll(ctx, A, u, w, 50, HALS); err != nil {
			return nil, err
		}
		u, w = r.U(), r.W()
	}
	_, err = PointAt(A, u, w, &Options{Tolerance: 1e-11})
	return nil, fmt.Errorf("no solution to compare with after 100000 more iterations: %w", err)
}

func measure(ctx context.Context, A, U0, W0 mat.Matrix, g, want *mat.Dense, T int, update Update) (*Cost, error) {
	c := &Cost{Iterations: T, Solve: math.Inf(1), Unrolled: math.Inf(1), Implicit: math.Inf(1), UnrolledError: math.NaN(), ImplicitError: math.NaN()}
	var r *UnrolledSolver
	var u, w *mat.Dense
	for range 3 {
		r = nil
		before := heap()
		start := time.Now()
		var err error
		if r, err = Unroll(ctx, A, U0, W0, T, update); err != nil {
			return nil, err
		}
		c.Solve = min(c.Solve, time.Since(start).Seconds())
		c.UnrolledBytes = heap() - before
		c.UnrolledFloats = r.Floats()
		u, w = r.U(), r.W()
		var gu, gw mat.Dense
		gu.Mul(g, w)
		gw.Mul(g.T(), u)
		start = time.Now()
		got, err := r.VJP(ctx, &gu, &gw)
		if err != nil {
			return nil, err
		}
		c.Unrolled = min(c.Unrolled, time.Since(start).Seconds())
		c.UnrolledError = distance(got, want)
	}
	r = nil
	for range 3 {
		before := heap()
		start := time.Now()
		// Accept any iterate, to measure the error of early iterates.
		p, err := awaitPoint(ctx, A, u, w, &Options{Tolerance: math.Inf(1), Border: 1e-12, Degenerate: KeepZero})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			break
		}
		took := time.Since(start)
		c.KKT = p.Residual
		c.ImplicitBytes = heap() - before
		n, d, k := p.kkt.sizes()
		c.ImplicitFloats = n*d + 2*(n+d)*k
		start = time.Now()
		got, rep, err := p.VJPProduct(ctx, g)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			c.Implicit = math.NaN()
			break
		}
		c.Implicit = min(c.Implicit, (took + time.Since(start)).Seconds())
		c.ImplicitError, c.Products = distance(got, want), rep.Solve.Products
		runtime.KeepAlive(p)
	}
	return c, nil
}

// awaitPoint returns the result of PointAt, or the error of ctx if ctx is done first. PointAt may then still be
// running, so A, U and W must not change.
func awaitPoint(ctx context.Context, A mat.Matrix, U, W *mat.Dense, options *Options) (*Point, error) {
	n, d, k := checkSizes("Compare", A, U, W)
	var p *Point
	var failure error
	err := parallel.Await(ctx, float64(k)*float64(n)*float64(d)+float64(n+d)*float64(k)*float64(k)*float64(k), func() {
		p, failure = PointAt(A, U, W, options)
	})
	if err != nil {
		return nil, err
	}
	return p, failure
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func distance(a, b *mat.Dense) float64 {
	var x mat.Dense
	x.Sub(a, b)
	return mat.Norm(&x, 2) / mat.Norm(b, 2)
}
