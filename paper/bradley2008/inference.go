package bradley2008

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/reviews"
	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// An inference checks what the paper says about exponentiated gradient descent (EGD), by which the paper computes
// codes.
type inference struct{ *Lab }

// Inference computes the code of one digit by the paper's exponentiated gradient descent, (5) and (6), and by Newton's
// method on the dual. It shows that both converge to the same code ŵ. It also adds the rows about the paper's other
// statements on inference.
func (l *Lab) Inference() *figure.Figure {
	d, B, s := l.Digits(), l.Basis(), l.Settings()
	f := figure.New("Convergence to ŵ from w̃ = p", "accepted step", "largest |gradient|").LogX().LogY()
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
		f.Use(i).Lines([]string{"exponentiated gradient descent", "Newton's method on the dual"}[i], at, g)
		_, last := t.W.Dims()
		ends, steps = append(ends, mat.DenseCopyOf(t.W.ColView(last-1))), append(steps, last-1)
	}
	var diff mat.Dense
	diff.Sub(ends[0], ends[1])
	apart := mat.Norm(&diff, 1) / mat.Norm(ends[1], 1)
	l.Row(record.Row{ID: "own-inference", What: "EGD as in section 4 and Newton's method on the dual converge to the same ŵ: ‖difference‖₁/‖ŵ‖₁",
		Measured: record.Number(apart, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: d.Data, Figure: "inference",
		Reason: fmt.Sprintf("%d and %d steps to the same gradient tolerance", steps[0], steps[1])})
	inference{l}.efficient()
	inference{l}.reviewsRow()
	inference{l}.calibration()
	inference{l}.priorVector()
	inference{l}.selection()
	l.Save("inference", fmt.Sprintf("Largest absolute element of the gradient (6). One test digit, λ = %v, p = %v, %d atoms and their negatives. Step 1 is the start, w̃ = p. Data: %v.", s.KLLambda, s.P, s.Atoms, d.Data),
		f)
	return f
}

// efficient adds a row about the cost of EGD. It measures the processor time that EGD needs to code digits to a given
// tolerance of the gradient, and compares it with the time for Newton's method on the dual, a method that is not in
// the paper. The runs of the two methods alternate.
func (t inference) efficient() {
	d, s := t.Digits(), t.Settings()
	X := d.Test.First(t.Pick(5, 20, 50)).X
	spent := func(method klcoding.Method) float64 {
		o := Coding(s.KLLambda, s.P)
		o.Method, o.Tolerance = method, 1e-6
		c, err := klcoding.New(t.Basis(), &o)
		lab.Check(err)
		begin := cputime.Used()
		_, err = c.Code(t.Context(), X)
		lab.Check(err)
		return (cputime.Used() - begin).Seconds()
	}
	var ratios []float64
	for range 5 {
		egd := spent(klcoding.EGD)
		ratios = append(ratios, egd/max(spent(klcoding.Newton), 1e-6))
	}
	slices.Sort(ratios)
	t.Claim(record.Row{ID: "egd-efficient", What: "coding test digits to a gradient of 1e-6·(λ + ‖x‖ + p): processor time of EGD divided by that of Newton's method on the dual",
		Published: record.Text("EGD … particularly efficient", "section 4"),
		Measured:  record.Number(ratios[2], "times"), Rule: record.AtMost(1).Partly(1), Repeat: 100, Data: record.Times(d.Data),
		Reason: fmt.Sprintf("median of five ratios, range %.2g to %.2g, with the two methods run alternately. The paper compares EGD with no other solver of its KL problem. The dual, with one unknown per signal dimension, is not in the paper", ratios[0], ratios[4])})
}

// reviewsRow adds a row about the number of reviews in the data.
func (t inference) reviewsRow() {
	row := record.Row{ID: "reviews-count", What: "movie reviews with a rating in the data set",
		Published: record.Published(5006, "reviews", "section 6: 5006 reviews"), Rule: record.NoData("the reviews are not read at smoke size, or are not on this machine")}
	if t.Size != record.Smoke {
		switch r, err := reviews.Load(); {
		case err == nil:
			row.Measured, row.Rule, row.Data = record.Number(float64(r.Len()), "reviews"), record.Within(0), record.Real("movie reviews")
		case !errors.Is(err, data.ErrAbsent):
			lab.Check(err)
		}
	}
	t.Row(row)
}
