package bradley2008

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Background of table 2: training error against test error as the classifier's penalty varies; back-propagation with
// larger steps or more epochs; and whether the residual error correlates with the gain from back-propagation.

// pathAlphas are the penalties of the path: the candidates of table 2, and stronger penalties.
var pathAlphas = []float64{3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6}

// pathSizes returns the numbers of training digits for which penaltyPath is computed. It returns nil below full size.
func (t *table2) pathSizes() []int {
	if t.Full() {
		return []int{10000, 20000, 50000}
	}
	return nil
}

// penaltyPath trains a maxent classifier with each penalty in pathAlphas, on the KL codes of draw 0 of n digits. It
// returns one row for each penalty: the training, validation and test error, in percent.
func (t *table2) penaltyPath(n int) *mat.Dense {
	d := t.Digits()
	return t.store.Matrix(keysOf(t.Lab).on("table2-path", n), func() *mat.Dense {
		f := t.KLFeatures()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, 0)
		W := f.Train.Slice(0, m, from, from+n)
		out := mat.NewDense(len(pathAlphas), 3, nil)
		var last *classify.Maxent
		for i, alpha := range pathAlphas {
			c, err := classify.FitMaxent(t.Context(), W.T(), train.Y, &classify.MaxentOptions{Alpha: alpha, Classes: 10, Tolerance: 1e-5, MaxIterations: 400, Start: last})
			lab.Check(ended.Accept(err))
			last = c
			out.SetRow(i, []float64{
				100 * classify.ErrorRate(c.Predict(W.T()), train.Y),
				100 * classify.ErrorRate(c.Predict(f.Validation.T()), d.Validation.Y),
				100 * classify.ErrorRate(c.Predict(f.Test.T()), d.Test.Y),
			})
			t.say("KL, %d digits, alpha %v: training %.2f %%, validation %.2f %%, test %.2f %%", n, alpha, out.At(i, 0), out.At(i, 1), out.At(i, 2))
		}
		return out
	})
}

// pathAt returns the index of the row of path whose training error is nearest to the given one.
func pathAt(path *mat.Dense, training float64) (i int) {
	for k := range pathAlphas {
		if math.Abs(path.At(k, 0)-training) < math.Abs(path.At(i, 0)-training) {
			i = k
		}
	}
	return i
}

// pathWords describes the row of penaltyPath(n) whose training error is nearest to the given one, which is the training
// error in the paper. It returns "" if n is not in pathSizes.
func (t *table2) pathWords(n int, training float64) string {
	if !slices.Contains(t.pathSizes(), n) {
		return ""
	}
	p := t.penaltyPath(n)
	i := pathAt(p, training)
	return fmt.Sprintf("; with α = %v the training error is %.2f %%, the closest to the paper's, and the test error is %.2f %%", pathAlphas[i], p.At(i, 0), p.At(i, 2))
}

// pathRows adds a row for each of pathSizes. The row asks whether some penalty gives both the training error and the
// test error of the paper. For this, pathRows takes the penalty whose training error is nearest to the paper's, and
// compares its test error with the paper's.
func (t *table2) pathRows() {
	for _, n := range t.pathSizes() {
		k := slices.Index(Sizes[:], n)
		p := t.penaltyPath(n)
		i := pathAt(p, published2.Training[k])
		var seen []string
		for j, a := range pathAlphas {
			seen = append(seen, fmt.Sprintf("%v: %.2f, %.2f, %.2f", a, p.At(j, 0), p.At(j, 1), p.At(j, 2)))
		}
		t.Row(record.Row{ID: fmt.Sprintf("table2-own-path-%d", n), What: fmt.Sprintf("test error on KL codes minus the paper's, with the one of %d penalties whose training error is closest to the paper's %.2f %%, %d training digits", len(pathAlphas), published2.Training[k], n),
			Measured: record.Number(p.At(i, 2)-published2.KL[k], "points"), Rule: record.Between(-errorTolerance(published2.KL[k]), errorTolerance(published2.KL[k])), Repeat: 0.3, Data: t.Digits().Data, Figure: "table2",
			Look:   lookAtDigits(n, "the penalty whose training error is nearest to the paper's"),
			Reason: "training, validation and test error in percent for each α: " + strings.Join(seen, "; ")})
	}
}

// lookAtDigits returns the record.Look of a classifier of KL codes that was trained on n digits and evaluated on the
// test digits. The argument chosen says how the classifier's penalty was chosen. The rows of pathRows list the test
// error at each penalty; all these errors were seen together, after table 2.
func lookAtDigits(n int, chosen string) record.Look {
	return record.Look{At: fmt.Sprintf("KL codes, %d training digits, the test digits", n), Recipe: chosen}
}

// longer lists schedules beyond the candidates of ScheduleTrials, with larger steps or more epochs.
var longer = []struct {
	rate   float64
	epochs int
}{{0.01, 15}, {0.003, 30}}

// longerErrors returns one row for each schedule in the list called longer: the validation and the test error, in
// percent, after back-propagation on draw 0 of 10,000 digits.
func (t *table2) longerErrors() *mat.Dense {
	const n = 10000
	d, set := t.Digits(), t.Settings()
	return t.store.Matrix(keysOf(t.Lab).longer(n), func() *mat.Dense {
		out := mat.NewDense(len(longer), 2, nil)
		train, _ := d.draw(n, 0)
		for i, v := range longer {
			out.SetRow(i, t.store.Numbers(keysOf(t.Lab).longerTrial(n, v.rate, v.epochs), func() []float64 {
				s := t.schedule(n)
				s.Rate, s.Epochs = v.rate, v.epochs
				b := t.Specialise(keysOf(t.Lab).longerBasis(n, s), t.Basis(), train, d.Validation.First(2000), Coding(set.KLLambda, set.P), s) // few digits choose the epoch, to save time
				e := func(p *Part) float64 { return b.error(CodeKL(t.Context(), b.B, p.X, set.KLLambda, set.P), p.Y) }
				return []float64{e(&d.Validation), e(&d.Test)}
			}))
		}
		return out
	})
}

// longerWords describes the results of longerErrors. Below full size it returns "".
func (t *table2) longerWords() string {
	if !t.Full() {
		return ""
	}
	var out []string
	for i, v := range longer {
		m := t.longerErrors()
		out = append(out, fmt.Sprintf("rate %v with %d epochs gives %.2f %% validation error and %.2f %% test error", v.rate, v.epochs, m.At(i, 0), m.At(i, 1)))
	}
	return "; on 10,000 digits, draw 0, " + strings.Join(out, ", ")
}

// longerRow adds a row that says by how much the better of the schedules in the list called longer reduces the
// validation error, compared with the schedule of table 2. Below full size it adds nothing.
func (t *table2) longerRow() {
	if !t.Full() {
		return
	}
	const n = 10000
	m := t.longerErrors()
	least := min(m.At(0, 0), m.At(1, 0))
	have := t.backpropDraw(n, 0)
	t.Row(record.Row{ID: "table2-own-longer-10000", What: "reduction of the validation error by the better of larger steps and twice the epochs in back-propagation, 10,000 training digits, draw 0",
		Measured: record.Number(have[2]-least, "points"), Rule: record.Between(-0.2, 0.2), Repeat: 0.2, Data: t.Digits().Data, Figure: "table2",
		Reason: fmt.Sprintf("%.2f %% validation error and %.2f %% test error with the schedule of the table%s", have[2], have[0], t.longerWords())})
}

// residual adds rows for a statement in the caption of table 2: larger training sets with higher residual error gain
// more from back-propagation. The residual error is the training error before back-propagation.
func (t *table2) residual() {
	d := t.Digits()
	var training, gain, size []float64
	var seen []string
	for i, n := range t.out.Sizes {
		g := 100 * (1 - t.out.KLB[i].Test/t.out.KL[i].Test)
		training, gain, size = append(training, t.out.KL[i].Training), append(gain, g), append(size, float64(n))
		seen = append(seen, fmt.Sprintf("%d digits: %.3f %% training error before back-propagation, %.1f %% of the test errors removed", n, t.out.KL[i].Training, g))
	}
	for _, c := range []struct {
		id, what, quote string
		by              []float64
	}{
		{"residual", "the training error before it", "Larger training sets with higher residual error benefit more from back-propagation", training},
		{"larger", "the number of training digits", "Larger training sets with higher residual error benefit more from back-propagation", size},
	} {
		r := record.Row{ID: "table2-" + c.id, What: "rank correlation, over the columns, between the relative reduction of the test error by back-propagation and " + c.what,
			Published: record.Text(c.quote, "table 2, caption"), Data: d.Data, Figure: "table2", Rule: record.NoData("all five columns are measured only at full size, on MNIST")}
		if len(t.out.Sizes) == len(Sizes) && !d.Data.Generated {
			// By chance, the rank correlation of five pairs is 0.9 or more one time in 24.
			r.Measured, r.Rule, r.Repeat = record.Number(stat.Correlation(ranks(c.by), ranks(gain), nil), ""), record.AtLeast(0.9).Partly(0.2), 0.4
			r.Reason = strings.Join(seen, "; ")
		}
		t.Row(r)
	}
}

// ranks returns the ranks of the elements of x in ascending order, from 1; equal elements share their mean
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
