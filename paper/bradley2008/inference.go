package bradley2008

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// An inference checks what the paper says about EGD.
type inference struct{ *Lab }

// Inference shows that the paper's exponentiated gradient descent, (5) and (6), and Newton's method
// on the dual converge to the same ŵ of one digit.
func (l *Lab) Inference() *figure.Figure {
	d, B, s := l.Digits(), l.Basis(), l.Settings()
	f := figure.New("From the cold start to ŵ", "accepted steps", "largest gradient").LogX().LogY()
	x := mat.Col(nil, 0, d.Test.X)
	var ends []*mat.Dense
	var steps []int
	for i, method := range []klcoding.Method{klcoding.EGD, klcoding.Newton} {
		o := Coding(s.KLLambda, s.P)
		o.Method, o.Tolerance = method, 1e-9
		c, err := klcoding.New(B, &o)
		lab.Check(err)
		t, err := c.Trace(l.Context(), x)
		lab.Check(err)
		at := make([]float64, len(t.Gradient))
		g := make([]float64, len(t.Gradient))
		for k := range at {
			at[k], g[k] = float64(k+1), math.Max(t.Gradient[k], 1e-16)
		}
		f.Use(i).Lines([]string{"exponentiated gradient descent", "Newton on the dual"}[i], at, g)
		_, last := t.W.Dims()
		ends, steps = append(ends, mat.DenseCopyOf(t.W.ColView(last-1))), append(steps, last-1)
	}
	var diff mat.Dense
	diff.Sub(ends[0], ends[1])
	apart := mat.Norm(&diff, 1) / mat.Norm(ends[1], 1)
	l.Row(record.Row{ID: "own-inference", What: "EGD as in section 4 and Newton on the dual end at the same ŵ: ‖difference‖₁/‖ŵ‖₁",
		Measured: record.Number(apart, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: d.Data, Figure: "inference",
		Reason: fmt.Sprintf("%d and %d steps to the same gradient", steps[0], steps[1])})
	inference{l}.calibration()
	inference{l}.priorVector()
	inference{l}.selection()
	l.Save("inference", fmt.Sprintf("The largest element of the gradient (6), in absolute value. One digit, λ = %v, p = %v, %d atoms and their negatives. Step 1 is the start, w = p. Data: %v.", s.KLLambda, s.P, s.Atoms, d.Data),
		f)
	return f
}
