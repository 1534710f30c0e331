package nmfgrad

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/product"
)

// A KKT is the map F of the KKT conditions, which is zero at every solution,
//
//	F((U, W, Ū, W̄), A) = ((UW'−A)W − Ū, (WU'−A')U − W̄, Ū∘U, W̄∘W),        (1)
//
// linearized at U (n×k), W (d×k), Ū (n×k), W̄ (d×k). It is an implicit.Condition with S = 2(n+d)k unknowns, the four
// matrices concatenated row by row, and T = nd parameters, A row by row. Its Jacobian is singular at every solution:
// see NullDirections.
type KKT struct {
	U, W       *mat.Dense
	Ubar, Wbar *mat.Dense
	R          *mat.Dense // UW' − A, n×d

	// The third equation's differential is dŪ∘onUbar + onU∘dU. onUbar is U and onU is Ū, except at degenerate entries,
	// where both are set by the method decide. onWbar and onW play the same roles in the fourth equation.
	onUbar, onU, onWbar, onW *mat.Dense
}

// NewKKT linearizes F at U and W with the multipliers Ū = (UW'−A)W and
// W̄ = (WU'−A')U. NewKKT does not check that U and W are a solution.
func NewKKT(A, U, W mat.Matrix) (*KKT, error) {
	n, d, k := checkSizes("NewKKT", A, U, W)
	u, err := copyOf("NewKKT", "U", U, n, k)
	if err != nil {
		return nil, err
	}
	w, err := copyOf("NewKKT", "W", W, d, k)
	if err != nil {
		return nil, err
	}
	a, err := copyOf("NewKKT", "A", A, n, d)
	if err != nil {
		return nil, err
	}
	return newKKT(a, u, w), nil
}

// newKKT does what NewKKT does, but keeps u and w without copying them, and overwrites a with R.
func newKKT(a, u, w *mat.Dense) *KKT {
	var ubar, wbar, y mat.Dense
	y.Mul(u, w.T())    // n×k · k×d
	a.Sub(&y, a)       // R
	ubar.Mul(a, w)     // n×d · d×k
	wbar.Mul(a.T(), u) // d×n · n×k
	return &KKT{
		U: u, W: w, Ubar: &ubar, Wbar: &wbar, R: a,
		onUbar: u, onU: &ubar, onWbar: w, onW: &wbar,
	}
}

// Map evaluates F at any point, for checks. It returns the four parts concatenated row by row.
func Map(A, U, W, Ubar, Wbar mat.Matrix) []float64 {
	n, d, k := checkSizes("Map", A, U, W)
	if isNil(Ubar) || isNil(Wbar) {
		panic("nmfgrad: Map: a matrix is nil")
	}
	if r, c := Ubar.Dims(); r != n || c != k {
		panic(fmt.Sprintf("nmfgrad: Map: Ubar is %d×%d, must be %d×%d", r, c, n, k))
	}
	if r, c := Wbar.Dims(); r != d || c != k {
		panic(fmt.Sprintf("nmfgrad: Map: Wbar is %d×%d, must be %d×%d", r, c, d, k))
	}
	out := make([]float64, 2*(n+d)*k)
	f1, f2, f3, f4 := parts(out, n, d, k)
	var r mat.Dense
	r.Mul(U, W.T())
	r.Sub(&r, A)
	f1.Mul(&r, W)
	f1.Sub(f1, Ubar)
	f2.Mul(r.T(), U)
	f2.Sub(f2, Wbar)
	f3.MulElem(Ubar, U)
	f4.MulElem(Wbar, W)
	return out
}

// parts returns the four matrices in x, without copying.
func parts(x []float64, n, d, k int) (u, w, ubar, wbar *mat.Dense) {
	p, q := n*k, d*k
	return mat.NewDense(n, k, x[:p]), mat.NewDense(d, k, x[p:p+q]),
		mat.NewDense(n, k, x[p+q:2*p+q]), mat.NewDense(d, k, x[2*p+q:])
}

func (c *KKT) sizes() (n, d, k int) {
	n, k = c.U.Dims()
	d, _ = c.W.Dims()
	return n, d, k
}

// Dims implements implicit.Condition.
func (c *KKT) Dims() (sol, args int) {
	n, d, k := c.sizes()
	return 2 * (n + d) * k, n * d
}

// check panics if dst or v has a wrong length. If dstIsSol is set, dst must have one element for each unknown;
// otherwise it must have one for each parameter. The same holds for vIsSol and v.
func (c *KKT) check(where string, dst, v []float64, dstIsSol, vIsSol bool) {
	sol, args := c.Dims()
	length := map[bool]int{true: sol, false: args}
	if len(dst) != length[dstIsSol] || len(v) != length[vIsSol] {
		panic(fmt.Sprintf("nmfgrad: KKT.%s: dst has %d elements and v %d, must be %d and %d", where, len(dst), len(v), length[dstIsSol], length[vIsSol]))
	}
}

// SolJVP implements implicit.Condition: it multiplies v = (dU, dW, dŪ, dW̄) by the Jacobian. The four parts of the
// product are
//
//	dF1 = (dU W' + U dW') W + R dW − dŪ       n×k
//	dF2 = (W dU' + dW U') U + R'dU − dW̄       d×k
//	dF3 = dŪ∘U + Ū∘dU,   dF4 = dW̄∘W + W̄∘dW
func (c *KKT) SolJVP(dst, v []float64) { c.solJVP(context.Background(), dst, v) }

// solJVP is like SolJVP, but gives up when ctx is done, with dst unfinished. solVJP does the same for SolVJP.
func (c *KKT) solJVP(ctx context.Context, dst, v []float64) {
	c.check("SolJVP", dst, v, true, true)
	n, d, k := c.sizes()
	du, dw, dubar, dwbar := parts(v, n, d, k)
	f1, f2, f3, f4 := parts(dst, n, d, k)
	hessian(ctx, f1, f2, c.U, c.W, c.R, du, dw)
	f1.Sub(f1, dubar)
	f2.Sub(f2, dwbar)
	couple(f3, dubar, c.onUbar, du, c.onU)
	couple(f4, dwbar, c.onWbar, dw, c.onW)
}

// SolVJP implements implicit.Condition: it multiplies v = (P, Q, S, T) by the transpose of the Jacobian. With the
// Hessian H of ½‖A − UW'‖², the four parts of the product are
//
//	U: H(P,Q)_U + Ū∘S,  W: H(P,Q)_W + W̄∘T,  Ū: −P + U∘S,  W̄: −Q + W∘T
//
// The upper left block of the Jacobian is H, which is symmetric; the Jacobian as a whole is not.
func (c *KKT) SolVJP(dst, v []float64) { c.solVJP(context.Background(), dst, v) }

func (c *KKT) solVJP(ctx context.Context, dst, v []float64) {
	c.check("SolVJP", dst, v, true, true)
	n, d, k := c.sizes()
	p, q, s, t := parts(v, n, d, k)
	gu, gw, gubar, gwbar := parts(dst, n, d, k)
	hessian(ctx, gu, gw, c.U, c.W, c.R, p, q)
	addElem(gu, c.onU, s)
	addElem(gw, c.onW, t)
	gubar.MulElem(c.onUbar, s)
	gubar.Sub(gubar, p)
	gwbar.MulElem(c.onWbar, t)
	gwbar.Sub(gwbar, q)
}

// ArgsJVP implements implicit.Condition. For v = dA, the four parts of the product are −dA W, −dA'U, 0 and 0.
func (c *KKT) ArgsJVP(dst, v []float64) {
	c.check("ArgsJVP", dst, v, true, false)
	n, d, k := c.sizes()
	clear(dst)
	f1, f2, _, _ := parts(dst, n, d, k)
	da := mat.NewDense(n, d, v)
	f1.Mul(da, c.W)
	f1.Scale(-1, f1)
	f2.Mul(da.T(), c.U)
	f2.Scale(-1, f2)
}

// ArgsVJP implements implicit.Condition. For v = (P, Q, S, T), in the shapes of U, W, Ū and W̄, the product is −(P W'
// + U Q').
func (c *KKT) ArgsVJP(dst, v []float64) {
	c.check("ArgsVJP", dst, v, false, true)
	n, d, k := c.sizes()
	p, q, _, _ := parts(v, n, d, k)
	outer(mat.NewDense(n, d, dst), p, q, c.U, c.W)
	for i, x := range dst {
		dst[i] = -x
	}
}

// NullDirections returns the k directions z_j = (U_j, −W_j, −Ū_j, W̄_j), zero outside column j. (UD, WD⁻¹) moves along
// them when the positive diagonal matrix D changes. At a solution J z_j = 0, because no equation of (1) depends on the
// scales of the components.
func (c *KKT) NullDirections() [][]float64 {
	n, d, k := c.sizes()
	out := make([][]float64, k)
	for j := range out {
		out[j] = make([]float64, 2*(n+d)*k)
		zu, zw, zubar, zwbar := parts(out[j], n, d, k)
		for i := range n {
			zu.Set(i, j, c.U.At(i, j))
			zubar.Set(i, j, -c.Ubar.At(i, j))
		}
		for i := range d {
			zw.Set(i, j, -c.W.At(i, j))
			zwbar.Set(i, j, c.Wbar.At(i, j))
		}
	}
	return out
}

// Jacobian returns J = ∂F/∂(U, W, Ū, W̄) as a matrix, S×S: 8S² bytes. Use it for small problems. It panics if the
// matrix exceeds the limit of package memory.
func (c *KKT) Jacobian() *mat.Dense {
	s, _ := c.Dims()
	return matrixOf(s, c.SolJVP)
}

// matrixOf returns the s×s matrix of the linear map apply.
func matrixOf(s int, apply func(dst, v []float64)) *mat.Dense {
	if err := ram.Check(fmt.Sprintf("the Jacobian of %d unknowns", s), 8*float64(s)*float64(s)); err != nil {
		panic("nmfgrad: Jacobian: " + err.Error())
	}
	m, e, col := mat.NewDense(s, s, nil), make([]float64, s), make([]float64, s)
	for j := range s {
		e[j] = 1
		apply(col, e)
		e[j] = 0
		m.SetCol(j, col)
	}
	return m
}

// hessian multiplies (P, Q) by the Hessian of ½‖A − UW'‖², where P and Q are the arguments p and q, and R = UW' − A:
//
//	hu = P W'W + U Q'W + R Q     n×k
//	hw = Q U'U + W P'U + R'P     d×k
//
// When ctx is done, hu and hw are unfinished.
func hessian(ctx context.Context, hu, hw, U, W, R, p, q *mat.Dense) {
	n, k := U.Dims()
	d, _ := W.Dims()
	g, t, h := mat.NewDense(k, k, nil), mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	mul := func(dst *mat.Dense, a, b mat.Matrix) { product.Mul(ctx, dst, a, b) }
	mul(g, W.T(), W)
	mul(hu, p, g)
	mul(g, q.T(), W)
	mul(t, U, g)
	hu.Add(hu, t)
	mul(t, R, q)
	hu.Add(hu, t)

	mul(g, U.T(), U)
	mul(hw, q, g)
	mul(g, p.T(), U)
	mul(h, W, g)
	hw.Add(hw, h)
	mul(h, R.T(), p)
	hw.Add(hw, h)
}

// outer computes dst = P W' + U Q', n×d.
func outer(dst, p, q, U, W *mat.Dense) {
	var t mat.Dense
	dst.Mul(p, W.T())
	t.Mul(U, q.T())
	dst.Add(dst, &t)
}

// couple computes dst = a∘b + c∘e.
func couple(dst, a, b, c, e *mat.Dense) {
	dst.MulElem(a, b)
	addElem(dst, c, e)
}

// addElem adds a∘b to dst.
func addElem(dst, a, b *mat.Dense) {
	x, y, z := dst.RawMatrix().Data, a.RawMatrix().Data, b.RawMatrix().Data
	for i, v := range y {
		x[i] += v * z[i]
	}
}
