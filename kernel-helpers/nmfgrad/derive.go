package nmfgrad

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
)

// A Report describes how a derivative was computed.
type Report struct {
	System   System
	Unknowns int
	// Solve is the linear solver's report, about the preconditioned system if there is a preconditioner.
	Solve implicit.Report
	// Residual is ‖g − Jx‖/‖g‖ for the system J x = g without a preconditioner, computed at the end.
	Residual float64
	// Seen measures how much a function depends on the scales of the components. In the direction (u_j, −w_j) of
	// columns of U and W, only the scale of component j changes. Seen is the largest absolute cosine, over all j,
	// between this direction and column j of the gradients (gU, gW). For a function of UW', Seen is only rounding
	// error. Only VJP computes it.
	Seen float64
}

// gaugeTolerance is far above the rounding of a back-propagated gradient, and far below the value of
// Report.Seen for a function that depends on the scales.
const gaugeTolerance = 1e-7

// VJP carries gU = ∂l/∂U (n×k) and gW = ∂l/∂W (d×k) of a scalar l back to ∂l/∂A (n×d). Either of gU and gW may be nil,
// which means zero. Let H be the Hessian on the support, and Π the projector onto the gauge's tangent (see the package
// comment). VJP solves H x = Π'(gU, gW) for the free entries. Then, with the parts x_U and x_W of x,
//
//	∂l/∂A = x_U W' + U x_W'.
//
// If Options.System is Full, VJP solves with the transposed Jacobian of the KKT map (see KKT) instead of H. Without a
// gauge in the options, l must not depend on the scales of the components; if it does, the error wraps ErrGauge.
func (p *Point) VJP(ctx context.Context, gU, gW mat.Matrix) (*mat.Dense, Report, error) {
	n, d, k := p.kkt.sizes()
	if isNil(gU) && isNil(gW) {
		panic("nmfgrad: VJP: both gradients are nil")
	}
	rep := Report{System: p.opt.System}
	gu, err := copyOf("VJP", "gU", gU, n, k)
	if err != nil {
		return nil, rep, err
	}
	gw, err := copyOf("VJP", "gW", gW, d, k)
	if err != nil {
		return nil, rep, err
	}
	proj := newProjector(p.U, p.W, p.opt.Gauge)
	rep.Seen = proj.largestCosine(gu, gw)
	if p.opt.Gauge == GaugeFree && rep.Seen > gaugeTolerance {
		return nil, rep, fmt.Errorf("nmfgrad: VJP: %.2g of the gradient: %w", rep.Seen, ErrGauge)
	}
	proj.projectGradient(gu, gw) // for a function that needs no gauge this removes only rounding
	return p.solveBack(ctx, rep, gu, gw, 0)
}

// solveBack returns ∂l/∂A for the gradient (gu, gw), and a copy of rep to which it adds the solver's report. The
// gradient must be orthogonal to the null directions. It counts as zero if its norm on the support is at most the given
// noise level.
func (p *Point) solveBack(ctx context.Context, rep Report, gu, gw *mat.Dense, noise float64) (*mat.Dense, Report, error) {
	n, d, k := p.kkt.sizes()
	out := mat.NewDense(n, d, nil)
	g := make([]float64, len(p.sup.index))
	p.sup.gather(g, gu, gw)
	if floats.Norm(g, 2) <= noise {
		rep.Unknowns = len(g)
		return out, rep, nil
	}
	if p.opt.System == Full {
		g := make([]float64, 2*(n+d)*k)
		a, b, _, _ := parts(g, n, d, k)
		a.Copy(gu)
		b.Copy(gw)
		x, err := p.solveFull(ctx, &rep, g, true)
		if err != nil {
			return nil, rep, p.unsolvedError(ctx, "VJP", err)
		}
		P, Q, _, _ := parts(x, n, d, k)
		outer(out, P, Q, p.U, p.W)
		return out, rep, nil
	}
	x, err := p.solve(ctx, p.opt.Solver, &rep, g)
	if err != nil {
		return nil, rep, p.unsolvedError(ctx, "VJP", err)
	}
	P, Q := p.sup.spread(x)
	outer(out, P, Q, p.U, p.W)
	return out, rep, nil
}

// unsolvedError adds fn, the name of the function, to a solver's error. The most common reason for such an error is
// that the derivative is not unique. If the options choose a gauge and Unique returns false, the error also wraps
// ErrNotUnique.
func (p *Point) unsolvedError(ctx context.Context, fn string, err error) error {
	if ctx == nil || ctx.Err() == nil {
		if ok, _ := p.Unique(ctx); !ok && p.opt.Gauge != GaugeFree {
			err = fmt.Errorf("%w: %w", ErrNotUnique, err)
		}
	}
	return fmt.Errorf("nmfgrad: %s: %w", fn, err)
}

// VJPProduct is like VJP, for a function of the product UW' alone. It takes G = ∂l/∂(UW') (n×d), which means gU = G W
// and gW = G'U. It needs no gauge. If the function is the objective itself, G = UW' − A, and at a solution gU and gW
// are only rounding error on the support. So VJPProduct treats gU and gW as zero if their norm on the support is at
// most 1e-14 ‖G‖(‖U‖ + ‖W‖).
func (p *Point) VJPProduct(ctx context.Context, G mat.Matrix) (*mat.Dense, Report, error) {
	n, d, _ := p.kkt.sizes()
	if isNil(G) {
		panic("nmfgrad: VJPProduct: the gradient is nil")
	}
	rep := Report{System: p.opt.System}
	g, err := copyOf("VJPProduct", "G", G, n, d)
	if err != nil {
		return nil, rep, err
	}
	var gu, gw mat.Dense
	ctx = orBackground(ctx)
	product.Mul(ctx, &gu, g, p.W)
	product.Mul(ctx, &gw, g.T(), p.U)
	if err := ctx.Err(); err != nil {
		return nil, rep, fmt.Errorf("nmfgrad: VJPProduct: %w", err)
	}
	return p.solveBack(ctx, rep, &gu, &gw, 1e-14*mat.Norm(g, 2)*(mat.Norm(p.U, 2)+mat.Norm(p.W, 2)))
}

// JVP returns the changes dU (n×k) and dW (d×k) for a change dA (n×d), in the gauge of the options. With a gauge, JVP
// first calls Unique, and the error of JVP may wrap ErrNotUnique.
func (p *Point) JVP(ctx context.Context, dA mat.Matrix) (dU, dW *mat.Dense, rep Report, err error) {
	n, d, k := p.kkt.sizes()
	rep.System = p.opt.System
	if isNil(dA) {
		panic("nmfgrad: JVP: dA is nil")
	}
	da, err := copyOf("JVP", "dA", dA, n, d)
	if err != nil {
		return nil, nil, rep, err
	}
	if p.opt.Gauge != GaugeFree {
		// Without this check, a system without a unique solution would be solved without an error.
		if ok, err := p.Unique(ctx); err != nil {
			return nil, nil, rep, fmt.Errorf("nmfgrad: JVP: %w", err)
		} else if !ok {
			return nil, nil, rep, fmt.Errorf("nmfgrad: JVP: %w", ErrNotUnique)
		}
	}
	v := da.RawMatrix().Data
	if p.opt.System == Full {
		b := make([]float64, 2*(n+d)*k)
		p.kkt.ArgsJVP(b, v)
		floats.Scale(-1, b)
		x, err := p.solveFull(ctx, &rep, b, false)
		if err != nil {
			return nil, nil, rep, p.unsolvedError(ctx, "JVP", err)
		}
		dU, dW, _, _ = parts(x, n, d, k)
	} else {
		b := make([]float64, len(p.sup.index))
		p.sup.ArgsJVP(b, v)
		floats.Scale(-1, b)
		x, err := p.solve(ctx, p.opt.Solver, &rep, b)
		if err != nil {
			return nil, nil, rep, p.unsolvedError(ctx, "JVP", err)
		}
		dU, dW = p.sup.spread(x)
	}
	newProjector(p.U, p.W, p.opt.Gauge).projectTangent(dU, dW)
	return dU, dW, rep, nil
}

// Unique reports whether the scales of the components are the only freedom at this point. If there is more
// freedom, U and W have no derivative in any gauge, while UW' may have one. Unique solves the system on the
// support for a random right-hand side orthogonal to the known null directions. If CG finds a solution, there
// are, with probability 1, no other null directions. If the condition number is too large for CG, the result
// is false. The result is cached.
func (p *Point) Unique(ctx context.Context) (bool, error) {
	p.once.Lock()
	defer p.once.Unlock()
	if p.once.known {
		return p.once.unique, nil
	}
	rng := rand.New(rand.NewPCG(1, 0x6e6d66))
	b := make([]float64, len(p.sup.index))
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	p.sup.project(b)
	ctx = orBackground(ctx)
	_, err := p.solve(ctx, &implicit.CG{}, &Report{}, b)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	p.once.known, p.once.unique = true, err == nil
	return p.once.unique, nil
}

// uniqueness caches the result of Unique.
type uniqueness struct {
	sync.Mutex
	known, unique bool
}

// solve solves ΠH_𝓕𝓕Π x = Πb; see preconditionedSystem.
func (p *Point) solve(ctx context.Context, solver implicit.Solver, rep *Report, b []float64) ([]float64, error) {
	ctx = orBackground(ctx)
	rep.Unknowns = len(b)
	if solver == nil {
		solver = &implicit.CG{}
	}
	c := append([]float64(nil), b...)
	p.sup.project(c)
	if p.sup.pre != nil {
		p.sup.pre.solveLower(c)
	}
	x, r, err := await(ctx, solver, preconditionedSystem{ctx, p.sup}, c)
	rep.Solve = r
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if p.sup.pre != nil {
		p.sup.pre.solveUpper(x)
	}
	p.sup.project(x)
	rep.Residual = relative(p.sup.SolJVP, x, b)
	return x, nil
}

// solveFull solves J x = b, or J'x = b if transposed is set, where J is the Jacobian of the KKT map at this point (see
// KKT). x holds all unknowns of the map.
func (p *Point) solveFull(ctx context.Context, rep *Report, b []float64, transposed bool) ([]float64, error) {
	ctx = orBackground(ctx)
	rep.Unknowns = len(b)
	solver := p.opt.Solver
	if solver == nil {
		solver = &implicit.LSMR{}
	}
	op := jacobian{ctx, p.kkt, transposed}
	x, r, err := await(ctx, solver, op, b)
	rep.Solve = r
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	rep.Residual = relative(op.Apply, x, b)
	return x, nil
}

// orBackground returns ctx, or a context that never ends if ctx is nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// await solves the linear system of the operator a and the right-hand side b. An iterative solver ends soon after the
// context is done, because the products of the operator are then NaN. A dense solver may run on after the context is
// done, but await does not wait for it.
func await(ctx context.Context, solver implicit.Solver, a implicit.Operator, b []float64) (x []float64, rep implicit.Report, err error) {
	operations := 0.0
	switch solver.(type) {
	case *implicit.LU, *implicit.Cholesky:
		operations = float64(len(b)) * float64(len(b)) * float64(len(b))
	default:
		return solver.Solve(a, b)
	}
	var found []float64
	var report implicit.Report
	var failure error
	own := slices.Clone(b)
	if err := parallel.Await(ctx, operations, func() { found, report, failure = solver.Solve(a, own) }); err != nil {
		return nil, rep, err
	}
	return found, report, failure
}

// A jacobian is the Jacobian J of the KKT map (see KKT), or J' if transposed is set, as an implicit.Operator. Its
// products are NaN once the context is done.
type jacobian struct {
	ctx        context.Context
	c          *KKT
	transposed bool
}

func (j jacobian) Dim() int {
	s, _ := j.c.Dims()
	return s
}

func (j jacobian) Apply(dst, v []float64) { j.product(dst, v, j.transposed) }

func (j jacobian) ApplyT(dst, v []float64) { j.product(dst, v, !j.transposed) }

func (j jacobian) product(dst, v []float64, transposed bool) {
	switch {
	case j.ctx.Err() != nil:
		for i := range dst {
			dst[i] = math.NaN()
		}
	case transposed:
		j.c.solVJP(j.ctx, dst, v)
	default:
		j.c.solJVP(j.ctx, dst, v)
	}
}

// relative returns ‖b − Jx‖/‖b‖, where apply(dst, v) stores Jv in dst.
func relative(apply func(dst, v []float64), x, b []float64) float64 {
	r := make([]float64, len(b))
	apply(r, x)
	floats.Sub(r, b)
	if size := floats.Norm(b, 2); size > 0 {
		return floats.Norm(r, 2) / size
	}
	return floats.Norm(r, 2)
}
