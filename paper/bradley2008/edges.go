package bradley2008

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Table 2 chooses the weakest penalty of its grid. The following code continues beyond the grid, and reports how much
// would be gained. The table keeps the chosen value.

// weakerAlphas continue the list called alphas. They begin with its last element again, because training with
// weakerAlphas stops at a smaller gradient, α/10, than the training for the table, which stops at 1e-5.
var weakerAlphas = []float64{1e-6, 1e-7, 1e-8}

// weakerPenalties starts from the classifier that table 2 trains with the weakest of its penalties. It uses the KL
// codes of the first draw of n digits. It continues the training with each of weakerAlphas in turn. The result has a
// row for each of weakerAlphas. A row holds the training, validation and test error in percent, the number of steps of
// L-BFGS, and the largest element of the gradient.
func (t *table2) weakerPenalties(n int) *mat.Dense {
	d := t.Digits()
	return t.store.Matrix(keysOf(t.Lab).on("table2-weaker", n), func() *mat.Dense {
		f := t.KLFeatures()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, 0)
		W := f.Train.Slice(0, m, from, from+n)
		var last *classify.Maxent
		fit := func(alpha, tolerance float64, steps int) {
			c, err := classify.FitMaxent(t.Context(), W.T(), train.Y, &classify.MaxentOptions{Alpha: alpha, Classes: 10, Tolerance: tolerance, MaxIterations: steps, Start: last})
			lab.Check(ended.Accept(err)) // its gradient is kept
			last = c
		}
		for _, alpha := range alphas { // as in chooseMaxent
			fit(alpha, 1e-5, 400)
		}
		out := mat.NewDense(len(weakerAlphas), 5, nil)
		for i, alpha := range weakerAlphas {
			fit(alpha, alpha/10, 1000)
			out.SetRow(i, []float64{
				100 * classify.ErrorRate(last.Predict(W.T()), train.Y),
				100 * classify.ErrorRate(last.Predict(f.Validation.T()), d.Validation.Y),
				100 * classify.ErrorRate(last.Predict(f.Test.T()), d.Test.Y),
				float64(last.Iterations), last.Gradient,
			})
			t.say("KL, %d digits, alpha %v: training %.2f %%, validation %.2f %%, test %.2f %%, %d steps, gradient %.1e", n, alpha, out.At(i, 0), out.At(i, 1), out.At(i, 2), last.Iterations, last.Gradient)
		}
		return out
	})
}

// weakerRows adds, at full size only, a row for 20,000 and a row for 50,000 training digits. Each says by how much the
// validation error on KL codes falls if training continues with weakerAlphas. For these numbers of digits, table 2
// chooses the weakest of its penalties.
func (t *table2) weakerRows() {
	if !t.Full() {
		return
	}
	for _, n := range []int{20000, 50000} {
		m := t.weakerPenalties(n)
		have := t.maxentErrors("table2-kl", n, 0, t.KLFeatures)
		least := math.Inf(1)
		var seen []string
		for i, a := range weakerAlphas {
			least = min(least, m.At(i, 1))
			seen = append(seen, fmt.Sprintf("%v: %.2f, %.3f, %.2f (%.0f steps to a gradient of %.0e)", a, m.At(i, 1), m.At(i, 0), m.At(i, 2), m.At(i, 3), m.At(i, 4)))
		}
		t.Row(record.Row{ID: fmt.Sprintf("table2-own-weaker-%d", n), What: fmt.Sprintf("reduction of the validation error on KL codes by continued training with the smallest penalty of the grid, a tenth and a hundredth of it (best of the three), %d training digits, draw 0", n),
			Measured: record.Number(have[2]-least, "points"), Rule: record.Between(-0.15, 0.15), Repeat: 0.1, Data: t.Digits().Data, Figure: "table2",
			Reason: fmt.Sprintf("the table's classifier, α = %v: validation error %.2f %%, training error %.3f %%, test error %.2f %%; training continued from there (α: validation, training and test error in percent): %s", have[3], have[2], have[1], have[0], strings.Join(seen, "; "))})
	}
}
