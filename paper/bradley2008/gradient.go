package bradley2008

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Gradients checks the derivatives that back-propagation rests on, (9) and (21),
// against central differences of the coefficients that the paper's own solver
// finds. It returns the rows.
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
		{"softmax", "∂ŵ/∂B, KL loss and normalised exponential transfer", p, klcoding.Options{Lambda: 0.1, P: 0.2, Loss: klcoding.Softmax}, "(21), appendix C"},
	} {
		X := mat.NewDense(D, 1, c.x)
		fast := c.opt
		fast.Tolerance = 1e-12
		coder, err := klcoding.NewCoder(B, fast)
		lab.Check(err)
		r, err := coder.Code(context.Background(), X)
		lab.Check(err)
		slow := c.opt
		slow.Method, slow.Tolerance, slow.MaxSteps = klcoding.EGD, 1e-12, 1e6
		largest, off := 0.0, 0.0
		for j := range n { // l = ŵ_j for each j: a row of the Jacobian
			G := mat.NewDense(n, 1, nil)
			G.Set(j, 0, 1)
			g, err := coder.VJP(context.Background(), X, r.W, G)
			lab.Check(err)
			for k := range D {
				i := (j + k) % n // a sample of B's elements
				at := func(h float64) float64 {
					C := mat.DenseCopyOf(B)
					C.Set(k, i, C.At(k, i)+h)
					c, err := klcoding.NewCoder(C, slow)
					lab.Check(err)
					r, err := c.Code(context.Background(), X)
					lab.Check(err)
					return r.W.At(j, 0)
				}
				want := (at(w1) - at(-w1)) / (2 * w1)
				largest = math.Max(largest, math.Abs(want))
				off = math.Max(off, math.Abs(want-g.B.At(k, i)))
			}
		}
		l.Row(record.Row{ID: "gradient-" + c.id, What: c.what + ": largest difference from central differences of EGD's ŵ, relative to the largest derivative",
			Published: record.Text("∂ŵ/∂B by implicit differentiation", c.source), Measured: record.Number(off/largest, ""), Rule: record.AtMost(1e-5), Repeat: 1e-5,
			Data: record.Data{Name: fmt.Sprintf("a random B (%d×%d)", D, n), Generated: true}})
	}
	return l.tabulate("Derivatives", "gradient-")
}
