package nnls

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/ui/progress"
)

// A Method is an algorithm for Solve and SolveGram.
type Method int

const (
	// BlockPivoting exchanges many variables at once between the set of zeros and the rest. If it does not
	// end for a column, LawsonHanson solves that column.
	BlockPivoting Method = iota
	// LawsonHanson is the active set method, one variable at a time.
	LawsonHanson
	// ADMM is the alternating direction method of multipliers.
	ADMM
	// CoordinateDescent minimizes over one element at a time.
	CoordinateDescent
)

// String returns the name of the method.
func (m Method) String() string {
	names := [...]string{"BlockPivoting", "LawsonHanson", "ADMM", "CoordinateDescent"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

// Options are the options of Solve and SolveGram. The zero value and nil are ready to use.
type Options struct {
	Method Method
	// Tolerance is the KKT residual at which ADMM and CoordinateDescent end. 0 means 1e-10.
	Tolerance float64
	// MaxIterations is the maximum number of iterations of ADMM or sweeps of CoordinateDescent. 0 means 10000. The
	// other methods have their own limits, which they do not reach.
	MaxIterations int
	// Rho is ADMM's ρ. 0 means trace(A'A)/k. If the sizes of A's columns differ by more than a factor of about 8, the
	// columns are first scaled to about the same size.
	Rho float64
	// Start is the first X (k×p, >= 0) of ADMM and CoordinateDescent. nil means 0. It is not modified.
	Start mat.Matrix
	// Recorder receives events during the solve. May be nil.
	Recorder progress.Recorder
}

// A Record is one entry of Result.History.
type Record struct {
	Iteration int
	KKT       float64
	Primal    float64 // ADMM: ‖X̃ − X‖/‖X‖
	Dual      float64 // ADMM: ‖X − X before‖/‖dual/ρ‖
}

// A Result holds the solution and how it was found.
type Result struct {
	X        *mat.Dense // k×p
	Gradient *mat.Dense // k×p: Z = A'(A X − B), the multipliers of X >= 0
	// Objective is ½‖A X − B‖_F²; SolveGram cannot include the constant ½‖B‖_F².
	Objective float64
	KKT       float64 // see the package comment
	// Primal and Dual are ADMM's final residuals, the largest over blocks of columns.
	Primal, Dual float64
	// Status is Converged if KKT is at most Options.Tolerance. For BlockPivoting and LawsonHanson, the limit is at
	// least 1e-7. If these methods end with KKT above this limit, Status is NoProgress: columns of A are then so nearly
	// dependent that rounding in A'A determines X.
	Status ended.Status
	// Iterations is the number of iterations or sweeps; for BlockPivoting and LawsonHanson
	// it is the total number of factorizations.
	Iterations int
	// Fallback is the number of columns for which BlockPivoting fell back to LawsonHanson.
	Fallback int
	Method   Method
	History  []Record // of ADMM and CoordinateDescent
}

// String returns a one-line summary.
func (r *Result) String() string {
	k, p := size.Of(r.X)
	return fmt.Sprintf("X is %d×%d: objective %.4g, KKT residual %.2g after %d iterations (%v, %v)", k, p, r.Objective, r.KKT, r.Iterations, r.Method, r.Status)
}

// Solve minimizes ½‖A X − B‖_F² over X >= 0 (k×p), with A m×k and B m×p (a mat.Vector for one right-hand side). The
// scales of A, of B and of their columns do not matter.
//
// Solve returns an error that names the element if A or B has NaN or Inf, or if X or its gradient is beyond the range
// of float64. It also returns an error for an invalid option. It panics if the shapes do not match.
//
// Two errors come with the Result computed so far. If the tolerance is not met, the error wraps
// ended.ErrNotConverged. If ctx is done, the error wraps that of ctx; the objective, the gradient and the KKT residual
// are then NaN where they would take a long time to compute. If ctx is done before there is an X, the Result is nil.
// Even if the Result has not converged, no column of X has a larger objective than a column of zeros, unless the
// gradient is NaN.
func Solve(ctx context.Context, A, B mat.Matrix, opt *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	a, err := finiteCopy("Solve", "A", A)
	if err != nil {
		return nil, err
	}
	b, err := finiteCopy("Solve", "B", B)
	if err != nil {
		return nil, err
	}
	m, k, mb, p := a.Rows, a.Cols, b.Rows, b.Cols
	if m != mb {
		panic(fmt.Sprintf("nnls: Solve: A is %d×%d, B is %d×%d", m, k, mb, p))
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	// G, and a factor for each goroutine.
	if err := ram.Check(fmt.Sprintf("A'A for %d columns, and its factors,", k), 8*float64(1+runtime.GOMAXPROCS(0))*float64(k)*float64(k)); err != nil {
		return nil, fmt.Errorf("nnls: Solve: %w", err)
	}
	s := scale{columnExponents(a), columnExponents(b)}
	s.makeUniform(o)
	s.apply(a, s.a)
	s.apply(b, s.b)
	G := general(k, k) // A'A
	setup := parallel.Grace(ctx, float64(m)*float64(k)*float64(k+p))
	if err := product.Gemm(setup, blas.Trans, blas.NoTrans, 1, a, a, 0, G); err != nil {
		return nil, fmt.Errorf("nnls: Solve: %w", err)
	}
	C := general(p, k) // B'A, (p×m)(m×k): one problem per row
	if err := product.Gemm(setup, blas.Trans, blas.NoTrans, 1, b, a, 0, C); err != nil {
		return nil, fmt.Errorf("nnls: Solve: %w", err)
	}
	r, err := solve(ctx, G, C, s, o)
	if r != nil {
		// Compute ½‖A X − B‖² directly: if it is small, the normal form loses digits.
		var R mat.Dense
		if stop := product.Mul(parallel.Grace(ctx, float64(m)*float64(k)*float64(p)), &R, A, r.X); stop != nil { // (m×k)(k×p)
			r.Objective = math.NaN()
			if err == nil {
				err = fmt.Errorf("nnls: Solve: %w", stop)
			}
			return r, err
		}
		R.Sub(&R, B)
		n := mat.Norm(&R, 2)
		r.Objective = n * n / 2
	}
	return r, err
}

// SolveGram minimizes ½ tr(X'G X) − tr(C'X) over X >= 0, with G = A'A (k×k) symmetric and positive semidefinite and C
// = A'B (k×p). It returns errors and panics as Solve does. It also returns an error if it detects that G is not
// symmetric or not positive semidefinite, or that C is not A'B.
func SolveGram(ctx context.Context, G, C mat.Matrix, opt *Options) (*Result, error) {
	g, err := finiteCopy("SolveGram", "G", G)
	if err != nil {
		return nil, err
	}
	if _, err = finiteCopy("SolveGram", "C", C); err != nil {
		return nil, err
	}
	kc, p := C.Dims()
	k, k2 := g.Rows, g.Cols
	if k != k2 || k != kc {
		panic(fmt.Sprintf("nnls: SolveGram: G is %d×%d, C is %d×%d", k, k2, kc, p))
	}
	for i := range k {
		if g.Data[i*k+i] < 0 {
			return nil, fmt.Errorf("nnls: SolveGram: G(%d, %d) is %v: G is not positive semidefinite", i, i, g.Data[i*k+i])
		}
		for j := range i {
			if x, y := g.Data[i*k+j], g.Data[j*k+i]; math.Abs(x-y) > 1e-9*math.Sqrt(g.Data[i*k+i]*g.Data[j*k+j]) {
				return nil, fmt.Errorf("nnls: SolveGram: G is not symmetric: it has %v at (%d, %d) and %v at the transposed place", x, i, j, y)
			}
		}
	}
	c := mat.DenseCopyOf(C.T()).RawMatrix() // p×k
	var o Options
	if opt != nil {
		o = *opt
	}
	norms := make([]float64, k) // ‖a_i‖² = G_ii
	for i := range norms {
		norms[i] = math.Sqrt(g.Data[i*k+i])
	}
	s := scale{a: exponents(norms)}
	s.makeUniform(o)
	for i := range k {
		for j := range k {
			g.Data[i*k+j] = math.Ldexp(g.Data[i*k+j], -s.a[i]-s.a[j])
		}
	}
	s.apply(c, s.a)
	s.b = rowExponents(c)
	s.makeUniform(o)
	for j := range p {
		for i := range k {
			c.Data[j*k+i] = math.Ldexp(c.Data[j*k+i], -s.b[j])
		}
	}
	return solve(ctx, g, c, s, o)
}

// solve solves the scaled problem for Solve and SolveGram: G is A'A (k×k) and C is (A'B)' (p×k), for A and B divided
// by the powers of two in s. The Result is in the units of the unscaled problem.
func solve(ctx context.Context, G, C blas64.General, s scale, o Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	k, p := C.Cols, C.Rows
	if err := o.complete(); err != nil {
		return nil, err
	}
	if o.Method == ADMM {
		o.Rho = math.Ldexp(o.Rho, -2*s.a[0]) // in the units of G
	}
	if finite.Index(G.Data) >= 0 || finite.Index(C.Data) >= 0 { // only in SolveGram, if G and C are not A'A and A'B for any A and B: those would not overflow
		return nil, fmt.Errorf("nnls: SolveGram: G is not positive semidefinite, or C is not A'B: scaled to G_ii = 1 they overflow")
	}
	X := general(p, k)
	if o.Start != nil {
		if r, c := o.Start.Dims(); r != k || c != p {
			panic(fmt.Sprintf("nnls: Start is %d×%d, must be %d×%d", r, c, k, p))
		}
		for j := range p {
			for i := range k {
				x := o.Start.At(i, j)
				if !(x >= 0) || math.IsInf(x, 0) {
					return nil, fmt.Errorf("nnls: Start(%d, %d) is %v, must be nonnegative and finite", i, j, x)
				}
				X.Data[j*k+i] = math.Ldexp(x, s.a[i]-s.b[j])
			}
		}
	}
	r := &Result{Method: o.Method}
	var err error
	switch o.Method {
	case ADMM, CoordinateDescent:
		err = r.iterate(ctx, G, C, X, &o)
	default:
		err = r.searchSets(ctx, G, C, X, &o)
	}
	Z := general(p, k)
	if err == nil && ctx.Err() != nil {
		r.Status, err = ended.Interrupted, fmt.Errorf("nnls: %w", ctx.Err())
	}
	grace := parallel.Grace(ctx, float64(p)*float64(k)*float64(k))
	unknown := gradient(grace, G, C, X, Z)
	if unknown == nil && r.Status != ended.Converged && noWorseThanZero(C, X, Z) {
		unknown = gradient(grace, G, C, X, Z)
	}
	if unknown == nil {
		r.KKT = residual(G, C, X, Z)
	} else {
		if err == nil {
			r.Status, err = ended.Interrupted, fmt.Errorf("nnls: %w", ctx.Err())
		}
		r.KKT = math.NaN()
		for i := range Z.Data {
			Z.Data[i] = math.NaN()
		}
	}
	if r.Status == ended.Converged && r.KKT > max(o.Tolerance, 1e-7) {
		// A set of zeros was found, but columns are so nearly dependent that rounding in G determines the
		// values.
		r.Status = ended.NoProgress
	}
	var quad, lin float64 // ½ tr(X'GX) − tr(C'X) = ½ tr(X'(Z − C))
	for j := range p {
		for i := range k {
			at := j*k + i
			x := math.Ldexp(X.Data[at], s.b[j])
			quad += x * math.Ldexp(Z.Data[at], s.b[j])
			lin += x * math.Ldexp(C.Data[at], s.b[j])
			X.Data[at] = math.Ldexp(X.Data[at], s.b[j]-s.a[i])
			Z.Data[at] = math.Ldexp(Z.Data[at], s.b[j]+s.a[i])
		}
	}
	if err == nil && r.Status != ended.Converged {
		err = fmt.Errorf("nnls: %w: %v after %d iterations with a KKT residual of %.2g", ended.ErrNotConverged, r.Status, r.Iterations, r.KKT)
	}
	if at := finite.Index(X.Data); at >= 0 {
		return nil, fmt.Errorf("nnls: X(%d, %d) is beyond the range of float64: scale A or B", at%k, at/k)
	}
	if at := finite.Index(Z.Data); at >= 0 && !math.IsNaN(r.KKT) {
		return nil, fmt.Errorf("nnls: the gradient at (%d, %d) is beyond the range of float64: scale A or B", at%k, at/k)
	}
	r.Objective = (quad - lin) / 2
	r.X = mat.DenseCopyOf(mat.NewDense(p, k, X.Data).T())
	r.Gradient = mat.DenseCopyOf(mat.NewDense(p, k, Z.Data).T())
	return r, err
}

// noWorseThanZero sets to 0 each solution X_j whose objective ½X_j'(Z_j − C_j) is positive, because X_j = 0 has the
// objective 0. It reports whether it changed any. ADMM may stop at such an X_j: until it converges, its nonnegative
// copy need not fit the data.
func noWorseThanZero(C, X, Z blas64.General) (some bool) {
	for j := range X.Rows {
		f, x := 0.0, X.Data[j*X.Stride:][:X.Cols]
		for i, v := range x {
			f += v * (Z.Data[j*Z.Stride+i] - C.Data[j*C.Stride+i])
		}
		if f > 0 {
			clear(x)
			some = true
		}
	}
	return some
}

// searchSets solves each row by BlockPivoting or LawsonHanson, which search for the set of positive variables.
func (r *Result) searchSets(ctx context.Context, G, C, X blas64.General, o *Options) error {
	const block = 16
	p, k := C.Rows, C.Cols
	blocks := (p + block - 1) / block
	steps, fallback, limit := make([]int, blocks), make([]int, blocks), make([]bool, blocks)
	parallel.Do(blocks, 0, func(b int) {
		s := newSet(ctx, G)
		for i := b * block; i < min(p, (b+1)*block) && ctx.Err() == nil; i++ {
			c, x := C.Data[i*k:(i+1)*k], X.Data[i*k:(i+1)*k]
			if o.Method == BlockPivoting {
				if s.pivot(c, x) {
					continue
				}
				if ctx.Err() != nil {
					break
				}
				fallback[b]++
			}
			if !s.lawsonHanson(c, x) && ctx.Err() == nil {
				limit[b] = true
			}
		}
		steps[b] = s.steps
	})
	r.Status = ended.Converged
	for b := range blocks {
		r.Iterations += steps[b]
		r.Fallback += fallback[b]
		if limit[b] {
			r.Status = ended.IterationLimit
		}
	}
	if err := ctx.Err(); err != nil {
		r.Status = ended.Interrupted
		return fmt.Errorf("nnls: %w", err)
	}
	return nil
}

// iterate runs ADMM or coordinate descent, and checks the KKT residual after every ten iterations.
func (r *Result) iterate(ctx context.Context, G, C, X blas64.General, o *Options) error {
	p, k := C.Rows, C.Cols
	rows := Rows{G: dense(G), C: dense(C), U: dense(X), Dual: mat.NewDense(p, k, nil), Rho: o.Rho}
	Z := general(p, k)
	r.Status = ended.IterationLimit
	for t := 0; t < o.MaxIterations; {
		if err := ctx.Err(); err != nil {
			r.Status = ended.Interrupted
			return fmt.Errorf("nnls: %w after %d iterations", err, t)
		}
		n := min(10, o.MaxIterations-t)
		if o.Method == ADMM {
			rep := rows.admm(ctx, n, 0)
			r.Primal, r.Dual = rep.Primal, rep.Dual
		} else {
			rows.coordinateDescent(ctx, n, nil)
		}
		if gradient(ctx, G, C, X, Z) != nil {
			continue // ctx is done
		}
		t += n
		kkt := residual(G, C, X, Z)
		r.Iterations = t
		r.History = append(r.History, Record{Iteration: t, KKT: kkt, Primal: r.Primal, Dual: r.Dual})
		progress.Report(o.Recorder, progress.Event{What: "nonnegative least squares", Step: t, Total: o.MaxIterations, Objective: kkt})
		if kkt <= o.Tolerance {
			r.Status = ended.Converged
			break
		}
	}
	return nil
}

// complete checks the options and fills in the defaults.
func (o *Options) complete() error {
	if o.Method < BlockPivoting || o.Method > CoordinateDescent {
		return fmt.Errorf("nnls: unknown method %v", o.Method)
	}
	switch {
	case !(o.Tolerance >= 0):
		return fmt.Errorf("nnls: Tolerance is %v, must be 0 or positive", o.Tolerance)
	case o.MaxIterations < 0:
		return fmt.Errorf("nnls: MaxIterations is %d, must be 0 or positive", o.MaxIterations)
	case !(o.Rho >= 0) || math.IsInf(o.Rho, 0):
		return fmt.Errorf("nnls: Rho is %v, must be 0 or positive and finite", o.Rho)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10000
	}
	return nil
}

// finiteCopy returns a copy of M, or an error if M has NaN or Inf. It panics if M is nil or empty.
func finiteCopy(fn, name string, M mat.Matrix) (blas64.General, error) {
	if D, ok := M.(*mat.Dense); M == nil || ok && D == nil {
		panic(fmt.Sprintf("nnls: %s: %s is nil", fn, name))
	}
	r, c := M.Dims()
	if r == 0 || c == 0 {
		panic(fmt.Sprintf("nnls: %s: %s is empty", fn, name))
	}
	D := mat.DenseCopyOf(M).RawMatrix()
	if i := finite.Index(D.Data); i >= 0 {
		return D, fmt.Errorf("nnls: %s: %s(%d, %d) is %v", fn, name, i/c, i%c, D.Data[i])
	}
	return D, nil
}

func general(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
}

// dense returns M as a *mat.Dense that shares its memory.
func dense(M blas64.General) *mat.Dense { return mat.NewDense(M.Rows, M.Cols, M.Data) }
