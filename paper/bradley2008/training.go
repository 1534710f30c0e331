package bradley2008

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
)

// draw returns subset r of n training digits, and the index of its first digit among all training digits. Subsets of
// the same size are disjoint. draw panics if there are not enough digits for the subset.
func (d *Digits) draw(n, r int) (part *Part, from int) {
	from = r * n
	if from+n > d.Train.N() {
		panic(fmt.Sprintf("bradley2008: no subset %d of %d digits in %d", r, n, d.Train.N()))
	}
	return &Part{X: d.Train.X.Slice(0, Dimensions, from, from+n).(*mat.Dense), Y: d.Train.Y[from : from+n]}, from
}

// A trainer trains the classifiers of tables 2 to 4 on subsets of the training digits.
type trainer struct{ *Lab }

// draws returns the number of subsets of n digits. One classifier is trained on each subset.
func (t trainer) draws(n int) int {
	switch {
	case n <= 1000: // back-propagation changes less there than the spread of a few draws
		return t.Pick(1, 2, 10)
	case n <= 2000:
		return t.Pick(1, 2, 3)
	case n <= 10000:
		return 2
	}
	return 1
}

// sizes returns the columns of table 2 that this run measures.
func (t trainer) sizes() []int {
	if t.Full() {
		return Sizes[:]
	}
	if t.Digits().Data.Generated {
		return []int{t.Pick(100, 300, 0), t.Pick(300, 2000, 0)}
	}
	return Sizes[:2]
}

// largest returns the last of sizes.
func (t trainer) largest() int { s := t.sizes(); return s[len(s)-1] }

// Errors are the errors of a maxent classifier on features, each averaged over
// the draws, in percent.
type Errors struct {
	Test, Spread float64 // Spread is the standard deviation over the draws.
	Training     float64
	Validation   float64
	Draws        int
	Each         []float64 // the test error of each draw
}

// maxentErrors trains on draw r of n digits, with the penalty that is best on the validation part. f() returns the
// features; the argument name identifies them in the store. The result is the test, training and validation errors, in
// percent, and alpha.
func (t trainer) maxentErrors(name string, n, r int, f func() *Features) []float64 {
	d := t.Digits()
	return t.store.Numbers(keysOf(t.Lab).errors(name, n, r), func() []float64 {
		f := f()
		m, _ := f.Train.Dims()
		train, from := d.draw(n, r)
		W := f.Train.Slice(0, m, from, from+n).(*mat.Dense)
		alpha, validation, c := chooseMaxent(t.Context(), W, train.Y, f.Validation, d.Validation.Y)
		out := []float64{
			100 * classify.ErrorRate(c.Predict(f.Test.T()), d.Test.Y),
			100 * classify.ErrorRate(c.Predict(W.T()), train.Y),
			100 * validation, alpha,
		}
		t.say("%s, %d digits, draw %d: test %.2f %%, training %.2f %%, validation %.2f %%, alpha %v", name, n, r, out[0], out[1], out[2], alpha)
		return out
	})
}

func average(rows [][]float64) Errors {
	column := func(k int) []float64 {
		out := make([]float64, len(rows))
		for i, r := range rows {
			out[i] = r[k]
		}
		return out
	}
	e := Errors{Training: stat.Mean(column(1), nil), Validation: stat.Mean(column(2), nil), Draws: len(rows), Each: column(0)}
	e.Test, e.Spread = stat.MeanStdDev(column(0), nil)
	if len(rows) == 1 {
		e.Spread = 0
	}
	return e
}

// below returns by how many points e is below f, and the standard error of this difference. With five or more draws,
// the standard error is computed from the differences between f and e on each draw. Otherwise it is computed as for
// two independent error rates, each on N test digits, and is larger.
func (e Errors) below(f Errors, N int) (points, error float64) {
	if n := len(e.Each); n >= 5 && n == len(f.Each) {
		d := make([]float64, n)
		for r := range d {
			d[r] = f.Each[r] - e.Each[r]
		}
		return stat.Mean(d, nil), stat.StdDev(d, nil) / math.Sqrt(float64(n))
	}
	variance := func(p float64) float64 { return p * (100 - p) / float64(N) }
	return f.Test - e.Test, math.Sqrt(variance(e.Test) + variance(f.Test))
}

// MaxentErrors returns the errors of a maxent classifier that is trained on n digits. f() returns the features; the
// argument name identifies them in the store.
func (l *Lab) MaxentErrors(name string, n int, f func() *Features) Errors {
	var rows [][]float64
	t := trainer{l}
	for r := range t.draws(n) {
		rows = append(rows, t.maxentErrors(name, n, r, f))
	}
	return average(rows)
}

// BackpropFeatures returns the KL codes on the basis that was trained on draw r
// of n digits. The field Train has only those n digits.
func (l *Lab) BackpropFeatures(n, r int) *Features {
	d, s := l.Digits(), l.Settings()
	name := fmt.Sprintf("KL after back-propagation, %d digits, draw %d", n, r)
	if f, ok := l.features[name]; ok {
		return f
	}
	B := l.SpecialisedOn(n, r).B
	train, _ := d.draw(n, r)
	code := func(X mat.Matrix) *mat.Dense { return CodeKL(l.Context(), B, X, s.KLLambda, s.P) }
	f := &Features{Name: name, Train: code(train.X), Validation: code(d.Validation.X), Test: code(d.Test.X)}
	if n == (trainer{l}).largest() { // only the largest is needed again
		l.features[name] = f
	}
	return f
}

// BackpropErrors returns the errors of the classifier that back-propagation on n digits trains together with the
// basis. Test, training and validation errors are each averaged over the draws. (In trials with 10,000 digits, a
// classifier retrained to its minimum on the same codes was worse on the validation digits.)
func (l *Lab) BackpropErrors(n int) Errors {
	var rows [][]float64
	t := scheduler{trainer{l}}
	for r := range t.draws(n) {
		rows = append(rows, t.backpropDraw(n, r))
	}
	return average(rows)
}

// backpropDraw returns the test, training and validation errors after back-propagation on draw r of
// n digits.
func (t scheduler) backpropDraw(n, r int) []float64 {
	d := t.Digits()
	return t.store.Numbers(keysOf(t.Lab).backpropErrors(n, r, t.schedule(n), len(t.penalties(n))), func() []float64 {
		h, f := t.SpecialisedOn(n, r), t.BackpropFeatures(n, r)
		train, _ := d.draw(n, r)
		out := []float64{h.error(f.Test, d.Test.Y), h.error(f.Train, train.Y), h.error(f.Validation, d.Validation.Y)}
		t.say("back-propagation, %d digits, draw %d: test %.2f %%, training %.2f %%, validation %.2f %%", n, r, out[0], out[1], out[2])
		return out
	})
}
