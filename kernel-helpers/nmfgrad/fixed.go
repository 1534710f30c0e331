package nmfgrad

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Rows holds the nonnegative least-squares problems min ½‖A − UW'‖², U ≥ 0, one for each row of A, at their solutions.
// Let a row a of A have the coefficients u, with the support S. When the row a changes by da, and W by dW, then u
// changes by du, which is zero outside S and satisfies
//
//	G_SS du_S = (da W)_S − (u dW'W + r dW)_S,   r = u W' − a,   G = W'W.       (3)
//
// Derivatives are exact up to rounding.
type Rows struct {
	U    *mat.Dense // n×k; entries that are zero up to rounding are 0
	Ubar *mat.Dense // (UW'−A)W, n×k
	// Residual, Border and Degenerate are as in Point, for U alone.
	Residual   float64
	Border     float64
	Degenerate []Entry

	w, r, g *mat.Dense // W d×k, R = UW'−A n×d, G = W'W k×k
	free    []bool
	b       *blocks
}

// RowsAt prepares derivatives of the coefficients U (n×k) of A (n×d) in the fixed concepts W (d×k), which may have any
// sign. It returns the errors of PointAt. It also returns an error if the columns of W that belong to the support of a
// row are linearly dependent, because U is then not unique. To fix U instead, pass A', W, U. The options Gauge, System
// and Solver are not used: there is no gauge, and the systems are solved directly.
func RowsAt(A, U, W mat.Matrix, options *Options) (*Rows, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	n, d, k := checkSizes("RowsAt", A, U, W)
	checkOptions("RowsAt", opt)
	a, err := copyOf("RowsAt", "A", A, n, d)
	if err != nil {
		return nil, err
	}
	u, err := copyOf("RowsAt", "U", U, n, k)
	if err != nil {
		return nil, err
	}
	w, err := copyOf("RowsAt", "W", W, d, k)
	if err != nil {
		return nil, err
	}
	for j, l := range lengths(w.T()) {
		if l == 0 {
			return nil, fmt.Errorf("nmfgrad: RowsAt: column %d of W is zero", j)
		}
	}
	var y mat.Dense
	y.Mul(u, w.T())
	y.Sub(&y, a)
	ubar := mat.NewDense(n, k, nil)
	ubar.Mul(&y, w)
	e := classify("U", u, ubar, lengths(w.T()), lengths(a))
	p := &Rows{U: u, Ubar: ubar, Residual: e.residual, w: w, free: e.free}
	if p.Border, err = judge("RowsAt", p.Residual, opt); err != nil {
		return nil, err
	}
	p.Degenerate = e.split(p.Border, opt.Degenerate)
	if len(p.Degenerate) > 0 && opt.Degenerate == Refuse {
		return nil, &DegenerateError{p.Degenerate}
	}
	e.clean()
	var r, g mat.Dense
	r.Mul(u, w.T())
	r.Sub(&r, a)
	ubar.Mul(&r, w)
	g.Mul(w.T(), w)
	p.r, p.g = &r, &g
	p.b = newBlocks(&g, p.free, false)
	if len(p.b.trouble) > 0 {
		return nil, fmt.Errorf("nmfgrad: RowsAt: row %d and %d more rows: the columns of W that each of them uses depend on each other, so U is not the only solution", p.b.trouble[0], len(p.b.trouble)-1)
	}
	return p, nil
}

// VJP carries gU = ∂l/∂U (n×k) back to ∂l/∂A (n×d) and ∂l/∂W (d×k):
//
//	∂l/∂A = V W',   ∂l/∂W = −(W V'U + R'V),   R = UW' − A.
//
// A row v of V (n×k) solves G_SS v_S = g_S and is zero outside S. Here g is the same row of gU, and S is the support
// of the same row of U. residual is the largest ‖g_S − G_SS v_S‖/‖g_S‖ over the rows.
func (p *Rows) VJP(gU mat.Matrix) (gA, gW *mat.Dense, residual float64, err error) {
	n, k := p.U.Dims()
	d, _ := p.w.Dims()
	if isNil(gU) {
		panic("nmfgrad: Rows.VJP: gU is nil")
	}
	v, err := copyOf("Rows.VJP", "gU", gU, n, k)
	if err != nil {
		return nil, nil, 0, err
	}
	residual = p.solve(v)
	gA, gW = mat.NewDense(n, d, nil), mat.NewDense(d, k, nil)
	gA.Mul(v, p.w.T()) // n×k · k×d
	var t, q mat.Dense
	t.Mul(v.T(), p.U) // k×k
	gW.Mul(p.w, &t)
	q.Mul(p.r.T(), v) // d×n · n×k
	gW.Add(gW, &q)
	gW.Scale(-1, gW)
	return gA, gW, residual, nil
}

// JVP returns the change dU (n×k) for changes dA (n×d) and dW (d×k), by (3). Either of dA and dW may be nil, which
// means zero. residual is as in VJP.
func (p *Rows) JVP(dA, dW mat.Matrix) (dU *mat.Dense, residual float64, err error) {
	n, k := p.U.Dims()
	d, _ := p.w.Dims()
	if isNil(dA) && isNil(dW) {
		panic("nmfgrad: Rows.JVP: both changes are nil")
	}
	da, err := copyOf("Rows.JVP", "dA", dA, n, d)
	if err != nil {
		return nil, 0, err
	}
	dw, err := copyOf("Rows.JVP", "dW", dW, d, k)
	if err != nil {
		return nil, 0, err
	}
	dU = mat.NewDense(n, k, nil)
	dU.Mul(da, p.w)
	var t, q mat.Dense
	t.Mul(dw.T(), p.w) // k×k
	q.Mul(p.U, &t)
	dU.Sub(dU, &q)
	q.Mul(p.r, dw) // n×d · d×k
	dU.Sub(dU, &q)
	return dU, p.solve(dU), nil
}

// solve replaces each row of v by G_SS⁻¹ v_S on its support and 0 elsewhere, and
// returns the largest relative residual of a row.
func (p *Rows) solve(v *mat.Dense) float64 {
	n, k := v.Dims()
	data := v.RawMatrix().Data
	x := make([]float64, p.b.from[n])
	var t int
	for i, f := range p.free {
		if f {
			x[t] = data[i]
			t++
		}
	}
	right := append([]float64(nil), x...)
	p.b.solveLower(x)
	p.b.solveUpper(x)
	t = 0
	for i, f := range p.free {
		data[i] = 0
		if f {
			data[i] = x[t]
			t++
		}
	}
	var back mat.Dense
	back.Mul(v, p.g)
	var most float64
	for i := range n {
		b := right[p.b.from[i]:p.b.from[i+1]]
		var off float64
		t := 0
		for j, f := range p.free[i*k : (i+1)*k] {
			if f {
				off = math.Hypot(off, back.At(i, j)-b[t])
				t++
			}
		}
		if size := floats.Norm(b, 2); size > 0 {
			most = max(most, off/size)
		}
	}
	return most
}
