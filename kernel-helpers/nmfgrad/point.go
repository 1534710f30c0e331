package nmfgrad

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/implicit"
)

// A System selects the equations that are solved.
type System int

const (
	// Support is the Hessian of ½‖A − UW'‖² on the free entries, symmetric and
	// positive semidefinite at a local minimum: the fast path.
	Support System = iota
	// Full is all of (1). Its 2(n+d)k unknowns include the multipliers.
	Full
)

func (s System) String() string {
	if s == Full {
		return "full KKT map"
	}
	return "support"
}

// A Policy specifies how degenerate entries are handled.
type Policy int

const (
	// Refuse makes degenerate entries an error, a *DegenerateError.
	Refuse Policy = iota
	// KeepZero takes the derivative on the side where degenerate entries stay zero.
	KeepZero
	// LetFree takes the derivative on the side where degenerate entries become positive.
	LetFree
)

// Options are the options of PointAt and RowsAt. The zero value is ready to use.
type Options struct {
	// Gauge fixes the scales of the components. The zero value accepts only functions that do not depend on
	// them. RowsAt does not use it.
	Gauge Gauge
	// System selects the equations that PointAt solves.
	System System
	// Solver is the linear solver of PointAt. nil means CG for the support, and LSMR for the full system. A solver with
	// state must not be shared by Points that are used concurrently.
	Solver implicit.Solver
	// Plain disables the preconditioner of the support's system (the diagonal blocks of the Hessian), for
	// comparison.
	Plain bool
	// Tolerance is the largest accepted KKT residual; see Point.Residual. 0 means 1e-6.
	Tolerance float64
	// Border is the limit for degenerate entries: both their value and their multiplier are at most Border, in the
	// units of Point.Residual. 0 means ten times the residual, but at least 1e-8.
	Border float64
	// Degenerate specifies how degenerate entries are handled.
	Degenerate Policy
}

// An Entry is one element of U or W.
type Entry struct {
	Factor     string // "U" or "W"
	Row, Col   int
	Value      float64
	Multiplier float64 // the entry of Ū or W̄
}

func (e Entry) String() string {
	return fmt.Sprintf("%s[%d,%d]", e.Factor, e.Row, e.Col)
}

// A DegenerateError reports entries that are zero with a multiplier of zero: the derivatives on the two sides
// differ.
type DegenerateError struct{ Entries []Entry }

func (e *DegenerateError) Error() string {
	return fmt.Sprintf("nmfgrad: degenerate entries (value and multiplier 0): %d, the first is %v; there is no derivative there", len(e.Entries), e.Entries[0])
}

// ErrNotSolution means that the point does not satisfy the KKT conditions; the errors of PointAt and RowsAt wrap it.
var ErrNotSolution = errors.New("not a solution")

// ErrGauge means that the function depends on the scales of the components and no gauge was chosen; the error of VJP
// wraps it.
var ErrGauge = errors.New("the function depends on the scales of the components: choose a Gauge")

// ErrNotUnique means that the factorization has more freedom than the scales of its components; the errors of JVP and
// VJP in a gauge wrap it.
var ErrNotUnique = errors.New("the factors are not unique even in a gauge, only functions of UW' have a derivative")

// A Point is a factorization at which derivatives are taken. Its methods do not change it and may be called
// concurrently.
type Point struct {
	U, W       *mat.Dense // n×k, d×k; entries that are zero up to rounding are 0
	Ubar, Wbar *mat.Dense // their multipliers, n×k, d×k
	// Residual is max |min(u, m)| over the entries of both factors, with u = U_ij‖w_j‖/‖a_i‖ and m =
	// Ū_ij/(‖w_j‖‖a_i‖) (a_i row i of A, w_j column j of W), and likewise for W with the columns of A.
	// Residual is 0 at a solution and does not depend on the units of A or the scales of the components.
	Residual float64
	// Border is the limit that was used to find degenerate entries; see Options.Border.
	Border float64
	// Degenerate holds the degenerate entries of U, row by row, then those of W.
	Degenerate []Entry

	opt  Options
	kkt  *KKT
	sup  *support
	once *uniqueness
}

// PointAt checks that U (n×k) and W (d×k) are a stationary point of
//
//	min ½‖A − UW'‖²   over U ≥ 0, W ≥ 0
//
// for A (n×d), and prepares derivatives there. It returns an error for NaN and Inf, for a negative entry or
// KKT conditions that do not hold within Options.Tolerance (ErrNotSolution), for a component that is zero, and for degenerate entries
// (*DegenerateError, unless Options.Degenerate allows them). PointAt does not distinguish minima from saddles; CG
// does, when it solves.
func PointAt(A, U, W mat.Matrix, options *Options) (*Point, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	n, d, k := checkSizes("PointAt", A, U, W)
	checkOptions("PointAt", opt)
	a, err := copyOf("PointAt", "A", A, n, d)
	if err != nil {
		return nil, err
	}
	u, err := copyOf("PointAt", "U", U, n, k)
	if err != nil {
		return nil, err
	}
	w, err := copyOf("PointAt", "W", W, d, k)
	if err != nil {
		return nil, err
	}
	rows, cols := lengths(a), lengths(a.T())
	c := newKKT(a, u, w)
	onU := classify("U", c.U, c.Ubar, lengths(w.T()), rows)
	onW := classify("W", c.W, c.Wbar, lengths(u.T()), cols)
	p := &Point{Residual: max(onU.residual, onW.residual), opt: opt, once: new(uniqueness)}
	if p.Border, err = judge("PointAt", p.Residual, opt); err != nil {
		return nil, err
	}
	for j := range k {
		if floats.Norm(mat.Col(nil, j, u), 2) == 0 || floats.Norm(mat.Col(nil, j, w), 2) == 0 {
			return nil, fmt.Errorf("nmfgrad: PointAt: component %d is zero; leave it out", j)
		}
	}
	p.Degenerate = append(onU.split(p.Border, opt.Degenerate), onW.split(p.Border, opt.Degenerate)...)
	if len(p.Degenerate) > 0 && opt.Degenerate == Refuse {
		return nil, &DegenerateError{p.Degenerate}
	}
	onU.clean()
	onW.clean()
	// Setting entries to zero changes R, in proportion to the residual.
	a, err = copyOf("PointAt", "A", A, n, d)
	if err != nil {
		return nil, err
	}
	c = newKKT(a, u, w)
	p.kkt, p.U, p.W, p.Ubar, p.Wbar = c, c.U, c.W, c.Ubar, c.Wbar
	if len(p.Degenerate) > 0 {
		c.decide(onU.free, onW.free, p.Degenerate)
	}
	p.sup = newSupport(c, onU.free, onW.free, !opt.Plain)
	return p, nil
}

// Free returns the number of entries of both factors that may move; the other entries are held at zero by
// their multipliers.
func (p *Point) Free() int { return len(p.sup.index) }

// KKT returns the full map (1), linearized at this point.
func (p *Point) KKT() *KKT { return p.kkt }

// Condition returns the system on the support, without a preconditioner, for use with package implicit. Its
// unknowns are the free entries of U, row by row, then those of W.
func (p *Point) Condition() implicit.Condition { return p.sup }

func checkOptions(fn string, opt Options) {
	if opt.Gauge < GaugeFree || opt.Gauge > Balanced || opt.System < Support || opt.System > Full || opt.Degenerate < Refuse || opt.Degenerate > LetFree {
		panic(fmt.Sprintf("nmfgrad: %s: unknown Gauge, System or Policy in the options", fn))
	}
	if !(opt.Tolerance >= 0) || !(opt.Border >= 0) {
		panic(fmt.Sprintf("nmfgrad: %s: Tolerance %v, Border %v: must not be negative", fn, opt.Tolerance, opt.Border))
	}
}

// judge returns the border: values and multipliers up to it count as 0 (see Options.Border). If the residual exceeds
// the tolerance, the point is not a solution, and judge returns an error.
func judge(fn string, residual float64, opt Options) (float64, error) {
	tol := opt.Tolerance
	if tol == 0 {
		tol = 1e-6
	}
	if !(residual <= tol) {
		return 0, fmt.Errorf("nmfgrad: %s: KKT residual %.3g is above the tolerance %.3g: %w", fn, residual, tol, ErrNotSolution)
	}
	if opt.Border > 0 {
		return opt.Border, nil
	}
	return max(10*residual, 1e-8), nil
}

// entries holds the entries of one factor. u and m are the values and multipliers, rescaled so that scaling a row of A
// or a component does not change them.
type entries struct {
	name     string
	x, xbar  *mat.Dense
	u, m     []float64
	free     []bool
	residual float64
}

// classify rescales the values x and multipliers xbar of one factor, and marks an entry as free if its rescaled value
// is larger than its rescaled multiplier. At a solution one of the two is zero, so no threshold is needed. The slice
// column holds the norms of the other factor's columns. The slice row holds the norms of A's rows if the factor is U,
// or of A's columns if it is W.
func classify(name string, x, xbar *mat.Dense, column, row []float64) *entries {
	n, k := x.Dims()
	e := &entries{name: name, x: x, xbar: xbar, u: make([]float64, n*k), m: make([]float64, n*k), free: make([]bool, n*k)}
	top := floats.Max(row)
	for i := range n {
		for j := range k {
			r := row[i]
			if r == 0 {
				r = top
			}
			if r == 0 {
				r = 1 // A = 0
			}
			var m float64
			if column[j] > 0 {
				m = xbar.At(i, j) / (column[j] * r)
			}
			u := x.At(i, j) * column[j] / r
			t := i*k + j
			e.u[t], e.m[t], e.free[t] = u, m, u > m
			e.residual = max(e.residual, math.Abs(min(u, m)))
		}
	}
	return e
}

// split returns the degenerate entries, whose rescaled value and multiplier both do not exceed the border. It marks
// each of them as free or not free, as the policy demands.
func (e *entries) split(border float64, policy Policy) (list []Entry) {
	_, k := e.x.Dims()
	for t, u := range e.u {
		if max(math.Abs(u), math.Abs(e.m[t])) <= border {
			i, j := t/k, t%k
			list = append(list, Entry{e.name, i, j, e.x.At(i, j), e.xbar.At(i, j)})
			e.free[t] = policy == LetFree
		}
	}
	return list
}

// clean sets entries that are held at zero to exactly 0.
func (e *entries) clean() {
	for t, f := range e.free {
		if !f {
			e.x.RawMatrix().Data[t] = 0
		}
	}
}

// decide chooses a side at the degenerate entries in the given list. There the complementarity condition says only 0∘dŪ
// + 0∘dU = 0. decide replaces it by dŪ = 0 if the entry is marked as free in freeU or freeW, and by dU = 0 otherwise.
func (c *KKT) decide(freeU, freeW []bool, list []Entry) {
	c.onUbar, c.onU = mat.DenseCopyOf(c.U), mat.DenseCopyOf(c.Ubar)
	c.onWbar, c.onW = mat.DenseCopyOf(c.W), mat.DenseCopyOf(c.Wbar)
	_, _, k := c.sizes()
	for _, e := range list {
		onUbar, onU, free := c.onUbar, c.onU, freeU
		if e.Factor == "W" {
			onUbar, onU, free = c.onWbar, c.onW, freeW
		}
		var f float64
		if free[e.Row*k+e.Col] {
			f = 1
		}
		onUbar.Set(e.Row, e.Col, f)
		onU.Set(e.Row, e.Col, 1-f)
	}
}

// lengths returns the Euclidean norms of the rows.
func lengths(m mat.Matrix) []float64 {
	r, c := m.Dims()
	out, row := make([]float64, r), make([]float64, c)
	for i := range out {
		out[i] = floats.Norm(mat.Row(row, i, m), 2)
	}
	return out
}
