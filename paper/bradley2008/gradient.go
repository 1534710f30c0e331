package bradley2008

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Gradients checks the derivatives that back-propagation needs, (9) and (21). It compares them with central
// differences of the coefficients that the paper's own solver finds, and returns the rows.
func (l *Lab) Gradients() record.Table {
	rng := rand.New(rand.NewPCG(l.Seed, 21))
	const D, n = 6, 10
	B := mat.NewDense(D, n, nil)
	B.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(D) }, B)
	x, p := make([]float64, D), make([]float64, D)
	var sum float64
	for i := range x {
		x[i] = rng.NormFloat64()
		p[i] = rng.ExpFloat64()
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	const w1 = 1e-5
	for _, c := range []struct {
		id, what string
		x        []float64
		opt      klcoding.Options
		source   string
	}{
		{"squared", "∂ŵ/∂B, squared loss and linear transfer", x, klcoding.Options{Lambda: 0.3, P: 0.1}, "(9)"},
		{"doubled", "∂ŵ/∂B on the doubled basis", x, klcoding.Options{Lambda: 0.3, P: 0.1, Doubled: true}, "(9), appendix A"},
		{"softmax", "∂ŵ/∂B, KL loss and normalized exponential transfer", p, klcoding.Options{Lambda: 0.1, P: 0.2, Loss: klcoding.Softmax}, "(21), appendix C"},
	} {
		X := mat.NewDense(D, 1, c.x)
		fast := c.opt
		fast.Tolerance = 1e-12
		coder, err := klcoding.New(B, &fast)
		lab.Check(err)
		r, err := coder.Code(l.Context(), X)
		lab.Check(err)
		slow := c.opt
		slow.Method, slow.Tolerance, slow.MaxIterations = klcoding.EGD, 1e-12, 1e6
		largest, off := 0.0, 0.0
		for j := range n { // l = ŵ_j for each j: a row of the Jacobian
			G := mat.NewDense(n, 1, nil)
			G.Set(j, 0, 1)
			g, err := coder.VJP(l.Context(), X, r.W, G)
			lab.Check(err)
			for k := range D {
				i := (j + k) % n // a sample of B's elements
				at := func(h float64) float64 {
					C := mat.DenseCopyOf(B)
					C.Set(k, i, C.At(k, i)+h)
					c, err := klcoding.New(C, &slow)
					lab.Check(err)
					r, err := c.Code(l.Context(), X)
					lab.Check(err)
					return r.W.At(j, 0)
				}
				want := (at(w1) - at(-w1)) / (2 * w1)
				largest = math.Max(largest, math.Abs(want))
				off = math.Max(off, math.Abs(want-g.B.At(k, i)))
			}
		}
		l.Row(record.Row{ID: "gradient-" + c.id, What: c.what + ": largest difference from central differences of EGD's ŵ, relative to the largest derivative",
			Published: record.Text("[the formula for ∂ŵ/∂B, by implicit differentiation]", c.source), Measured: record.Number(off/largest, ""), Rule: record.AtMost(1e-5), Repeat: 1e-5,
			Data: record.Data{Name: fmt.Sprintf("a random B (%d×%d)", D, n), Generated: true}})
	}
	d := derivatives{&l.sharedState, B, x}
	d.more()
	d.lossSlip(rng)
	d.convexity()
	return l.tabulate("Derivatives", "gradient-")
}

// A derivatives holds a basis B (D×n) and a signal x, for which its methods check derivatives.
type derivatives struct {
	*sharedState
	B *mat.Dense
	x []float64
}

// lossSlip checks a slip in the paper: the squared loss in section 3 lacks the factor ½ that the gradient (6) assumes.
// It adds a row that compares the slope of this loss with (6).
func (d derivatives) lossSlip(rng *rand.Rand) {
	D, n := d.B.Dims()
	w, r := mat.NewVecDense(n, nil), mat.NewVecDense(D, nil)
	for j := range n {
		w.SetVec(j, rng.ExpFloat64())
	}
	residual := func() { // r = Bw − x
		r.MulVec(d.B, w)
		r.SubVec(r, mat.NewVecDense(D, d.x))
	}
	const h = 1e-4
	numeric, formula := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	residual()
	formula.MulVec(d.B.T(), r) // (6) without the prior
	for j := range n {
		at := func(h float64) float64 {
			w.SetVec(j, w.AtVec(j)+h)
			residual()
			w.SetVec(j, w.AtVec(j)-h)
			return mat.Dot(r, r) // Σ_i (x_i − B^i w)²
		}
		numeric.SetVec(j, (at(h)-at(-h))/(2*h))
	}
	d.Row(record.Row{ID: "gradient-of-section-3", What: "norm of the gradient of section 3's squared loss Σ(x_i − B^i w)², divided by that of (6)'s formula for it, (Bw − x)ᵀB_j",
		Published: record.Published(1, "", "section 3 and (6)"), Measured: record.Number(mat.Norm(numeric, 2)/mat.Norm(formula, 2), ""), Rule: record.Within(1e-6), Repeat: 1e-6,
		Data:   record.Data{Name: fmt.Sprintf("a random B (%d×%d)", D, n), Generated: true},
		Reason: "a slip in the paper: section 3 lacks the ½ that (6), (7), (9) and appendix A have; this code has the ½"})
}
