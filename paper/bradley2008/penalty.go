package bradley2008

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Background of table 2: training error against test error as the classifier's penalty varies,
// back-propagation with more and larger steps, and whether the residual error correlates with the
// gain by back-propagation.

// pathAlphas are the penalties of the path: the candidates, and stronger ones.
var pathAlphas = []float64{3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6}

// pathSizes returns the numbers of training digits with a path.
func (l *Lab) pathSizes() []int {
	if l.Full() {
		return []int{10000, 20000, 50000}
	}
	return nil
}

// penaltyPath trains maxent classifiers on KL codes of the first draw of n digits with each of
// pathAlphas. Each row holds training, validation and test error in percent.
func (l *Lab) penaltyPath(n int) *mat.Dense {
	d := l.Digits()
	return l.store.Matrix(l.pathKey(n), func() *mat.Dense {
		f := l.KLFeatures()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, 0)
		W := f.Train.Slice(0, m, from, from+n)
		out := mat.NewDense(len(pathAlphas), 3, nil)
		var last *classify.Maxent
		for i, alpha := range pathAlphas {
			c, err := classify.FitMaxent(l.Context(), W.T(), train.Y, &classify.MaxentOptions{Alpha: alpha, Classes: 10, Tolerance: 1e-5, MaxIterations: 400, Start: last})
			lab.Check(ended.Accept(err))
			last = c
			out.SetRow(i, []float64{
				100 * classify.ErrorRate(c.Predict(W.T()), train.Y),
				100 * classify.ErrorRate(c.Predict(f.Validation.T()), d.Validation.Y),
				100 * classify.ErrorRate(c.Predict(f.Test.T()), d.Test.Y),
			})
			l.say("KL, %d digits, alpha %v: training %.2f %%, validation %.2f %%, test %.2f %%", n, alpha, out.At(i, 0), out.At(i, 1), out.At(i, 2))
		}
		return out
	})
}

// pathAt returns the row of the path with the training error nearest to the given one.
func pathAt(path *mat.Dense, training float64) (i int) {
	for k := range pathAlphas {
		if math.Abs(path.At(k, 0)-training) < math.Abs(path.At(i, 0)-training) {
			i = k
		}
	}
	return i
}

// pathWords describes where the path has the paper's training error.
func (l *Lab) pathWords(n int, training float64) string {
	for _, have := range l.pathSizes() {
		if have == n {
			p := l.penaltyPath(n)
			i := pathAt(p, training)
			return fmt.Sprintf("; with α = %v the training error is %.2f %%, near the paper's, and the test error %.2f %%", pathAlphas[i], p.At(i, 0), p.At(i, 2))
		}
	}
	return ""
}

// pathRows adds rows about the test error at the paper's training error: is the paper's pair of
// numbers on the path?
func (l *Lab) pathRows() {
	for _, n := range l.pathSizes() {
		k := 0
		for Sizes[k] != n {
			k++
		}
		p := l.penaltyPath(n)
		i := pathAt(p, table2.Training[k])
		var seen []string
		for j, a := range pathAlphas {
			seen = append(seen, fmt.Sprintf("%v: %.2f, %.2f, %.2f", a, p.At(j, 0), p.At(j, 1), p.At(j, 2)))
		}
		l.Row(record.Row{ID: fmt.Sprintf("table2-own-path-%d", n), What: fmt.Sprintf("test error on KL codes with the penalty that leaves the paper's training error of %.2f %%, %d training digits, less the paper's test error", table2.Training[k], n),
			Measured: record.Number(p.At(i, 2)-table2.KL[k], "points"), Rule: record.Between(-errorTolerance(table2.KL[k]), errorTolerance(table2.KL[k])), Repeat: 0.3, Data: l.Digits().Data, Figure: "table2",
			Reason: "α: training, validation and test error in per cent: " + strings.Join(seen, "; ")})
	}
}

// longer lists schedules beyond the candidates of ScheduleTrials: larger steps, and more of them.
var longer = []struct {
	rate   float64
	epochs int
}{{0.01, 15}, {0.003, 30}}

// longerErrors returns, for each of longer, the validation and the test error, in percent, after
// back-propagation with draw 0 of 10,000 digits.
func (l *Lab) longerErrors() *mat.Dense {
	const n = 10000
	d, set := l.Digits(), l.Settings()
	return l.store.Matrix(l.longerKey(n), func() *mat.Dense {
		out := mat.NewDense(len(longer), 2, nil)
		train, _ := d.draw(n, 0)
		for i, v := range longer {
			out.SetRow(i, l.store.Numbers(l.longerTrialKey(n, v.rate, v.epochs), func() []float64 {
				s := l.schedule(n)
				s.Rate, s.Epochs = v.rate, v.epochs
				b := l.Specialise(l.longerBasisKey(n, s), l.Basis(), train, d.Validation.First(2000), Coding(set.KLLambda, set.P), s) // few digits choose the epoch, to save time
				e := func(p *Part) float64 { return b.error(CodeKL(l.Context(), b.B, p.X, set.KLLambda, set.P), p.Y) }
				return []float64{e(&d.Validation), e(&d.Test)}
			}))
		}
		return out
	})
}

// longerWords describes the results of longer.
func (l *Lab) longerWords() string {
	if !l.Full() {
		return ""
	}
	var out []string
	for i, v := range longer {
		m := l.longerErrors()
		out = append(out, fmt.Sprintf("rate %v and %d epochs make %.2f %% validation and %.2f %% test errors", v.rate, v.epochs, m.At(i, 0), m.At(i, 1)))
	}
	return "; with 10,000 digits, draw 0, " + strings.Join(out, ", ")
}

// longerRow adds a row about the gain by longer on the validation digits.
func (l *Lab) longerRow(t *Table2Result) {
	if !l.Full() {
		return
	}
	const n = 10000
	m := l.longerErrors()
	least := min(m.At(0, 0), m.At(1, 0))
	have := l.backpropDraw(n, 0)
	l.Row(record.Row{ID: "table2-own-longer-10000", What: "what larger steps or twice the epochs of back-propagation take from the validation error, 10,000 training digits, draw 0",
		Measured: record.Number(have[2]-least, "points"), Rule: record.Between(-0.2, 0.2), Repeat: 0.2, Data: l.Digits().Data, Figure: "table2",
		Reason: fmt.Sprintf("%.2f %% validation and %.2f %% test errors with the schedule of the table%s", have[2], have[0], l.longerWords())})
}

// table2Residual adds rows for the caption's statements about residual error.
func (l *Lab) table2Residual(t *Table2Result) {
	d := l.Digits()
	var training, gain, size []float64
	var seen []string
	for i, n := range t.Sizes {
		g := 100 * (1 - t.KLB[i].Test/t.KL[i].Test)
		training, gain, size = append(training, t.KL[i].Training), append(gain, g), append(size, float64(n))
		seen = append(seen, fmt.Sprintf("%d: %.3f %% of the training digits misclassified before, %.1f %% of the errors taken away", n, t.KL[i].Training, g))
	}
	for _, c := range []struct {
		id, what, quote string
		by              []float64
	}{
		{"residual", "the error on the training digits before back-propagation", "Larger training sets with higher residual error benefit more from back-propagation", training},
		{"larger", "the number of training digits", "Larger training sets with higher residual error benefit more from back-propagation", size},
	} {
		r := record.Row{ID: "table2-" + c.id, What: "correlation of ranks, over the columns, of what back-propagation gains and " + c.what,
			Published: record.Text(c.quote, "table 2, caption"), Data: d.Data, Figure: "table2", Rule: record.NoData("five columns of MNIST are measured at full size alone")}
		if len(t.Sizes) == len(Sizes) && !d.Data.Generated {
			// By chance, the correlation of five pairs exceeds 0.9 once in twenty times.
			r.Measured, r.Rule, r.Repeat = record.Number(stat.Correlation(ranks(c.by), ranks(gain), nil), ""), record.AtLeast(0.9).Partly(0.2), 0.4
			r.Reason = strings.Join(seen, "; ")
		}
		l.Row(r)
	}
}

// ranks returns the ranks of the elements of x in ascending order, from 1; equal ones share a mean
// rank.
func ranks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 0.5
		for _, w := range x {
			switch {
			case w < v:
				out[i]++
			case w == v:
				out[i] += 0.5
			}
		}
	}
	return out
}
