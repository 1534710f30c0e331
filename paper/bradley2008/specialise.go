package bradley2008

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/paper/lab"
)

// A Schedule sets how B and a maxent classifier are trained together (section 5).
type Schedule struct {
	Epochs int
	Rate   float64 // Adam's step size, for B and for the classifier, decaying to zero
	Alpha  float64 // the classifier's penalty
}

// A BackpropResult is the result of back-propagation: a basis, and the classifier that
// was trained with it.
type BackpropResult struct {
	B    *mat.Dense // D×n
	Head *classify.Maxent
	Key  lab.Key
}

// Specialise trains B on labeled signals by back-propagation. It returns the result of the epoch in which the
// classifier's error on the validation signals is least. The store keeps this result under the given key.
func (l *Lab) Specialise(key lab.Key, B *mat.Dense, train, validation *Part, coding klcoding.Options, s Schedule) *BackpropResult {
	checkpoint := ""
	if l.store.Folder != "" {
		lab.Check(os.MkdirAll(l.store.Folder, 0o777))
		checkpoint = filepath.Join(l.store.Folder, key.Name()+".checkpoint")
	}
	run := specialiser{&l.sharedState, B, train, validation, coding, s, checkpoint, key.Name()}
	var basis *mat.Dense
	head := l.store.Matrix(headKey(key), func() *mat.Dense { // K×m, and b
		r, h := run.train()
		basis = r.B
		k, m := h.W.Dims()
		out := mat.NewDense(k, m+1, nil)
		out.Slice(0, k, 0, m).(*mat.Dense).Copy(h.W)
		out.SetCol(m, h.B)
		return lab.Single(out)
	})
	basis = l.store.Matrix(key, func() *mat.Dense {
		if basis == nil { // the run was stopped before the head was stored
			r, _ := run.train()
			basis = r.B
		}
		return lab.Single(basis)
	})
	if checkpoint != "" {
		_ = os.Remove(checkpoint) // basis and head are in the store now
	}
	k, m := head.Dims()
	m--
	return &BackpropResult{B: basis, Key: key, Head: &classify.Maxent{W: mat.DenseCopyOf(head.Slice(0, k, 0, m)), B: mat.Col(nil, m, head)}}
}

// A specialiser trains a basis and a classifier together, and writes its state to the file checkpoint.
type specialiser struct {
	*sharedState
	B                  *mat.Dense // at the start
	digits, validation *Part
	coding             klcoding.Options
	schedule           Schedule
	checkpoint, name   string
}

func (t specialiser) train() (*taskdict.Result, *classify.Maxent) {
	W, err := taskdict.CodeSignals(t.Context(), t.B, t.digits.X, true, &t.coding)
	lab.Check(err)
	start, err := classify.FitMaxent(t.Context(), W.T(), t.digits.Y, &classify.MaxentOptions{Alpha: t.schedule.Alpha, Classes: slices.Max(t.digits.Y) + 1, Tolerance: 1e-5, MaxIterations: 400})
	lab.Check(ended.Accept(err)) // the starting point of training
	defer gemm.Serial()()        // the signals run in parallel
	head := taskdict.NewMaxent(t.digits.Y, start, t.schedule.Alpha)
	var warm *mat.Dense // the residuals of the last epoch, a warm start
	score := func(B *mat.Dense, _ taskdict.Head) (float64, error) {
		c, err := klcoding.New(B, &t.coding)
		if err != nil {
			return 0, err
		}
		r, err := c.CodeFrom(t.Context(), t.validation.X, warm)
		if err != nil {
			return 0, err
		}
		warm = r.R
		return classify.ErrorRate(head.Model().Predict(c.Parts(r.W).T()), t.validation.Y), nil
	}
	r, err := taskdict.Fit(t.Context(), t.B, t.digits.X, head, &taskdict.Options{
		Coding: t.coding, Parts: true, Epochs: t.schedule.Epochs, Batch: min(100, 1+len(t.digits.Y)/50), Decay: taskdict.ToZero,
		Rate: t.schedule.Rate, HeadRate: t.schedule.Rate, Seed: t.Seed, Near: !t.Full(), Checkpoint: t.checkpoint, Recorder: t.recorder(), Score: score,
		Each: func(e taskdict.Epoch) error {
			t.say("%s: epoch %d, loss %.4f, validation error %.2f %%, %.1f steps", t.name, e.Number, e.Loss, 100*e.Score, e.Steps)
			return nil
		},
	})
	lab.Check(err)
	return r, head.Model()
}

// error returns the classifier's error on the codes W, in percent.
func (s *BackpropResult) error(W *mat.Dense, y []int) float64 {
	return 100 * classify.ErrorRate(s.Head.Predict(W.T()), y)
}

// A scheduler chooses the Schedule for training B by back-propagation.
type scheduler struct{ trainer }

// schedule returns the schedule for n training digits. Its step size and penalty are those with the least error in
// ScheduleTrials; beyond 10,000 digits they are those for 10,000. The number of epochs differs from that of the
// trials. For generated digits step size and penalty are fixed.
func (t scheduler) schedule(n int) Schedule {
	s := Schedule{Rate: 1e-3, Alpha: 1e-5}
	if !t.Digits().Data.Generated {
		lowest := 200.
		for _, trial := range t.ScheduleTrials(min(n, 10000)) {
			if trial.Error < lowest {
				lowest, s = trial.Error, trial.Schedule
			}
		}
	}
	s.Epochs = t.Pick(4, 10, 15)
	switch {
	case n > 10000:
		s.Epochs = 10 // with more steps per epoch
	case t.Digits().Data.Generated:
		s.Epochs = t.Pick(4, 8, 0) // nothing published is judged on generated digits
	}
	return s
}

// rates are the step sizes of Adam to try. (Those of the paper's SGD are not stated; plain SGD was
// tried by hand and was no better at 10,000 digits.)
var rates = []float64{1e-4, 3e-4, 1e-3, 3e-3}

// A ScheduleTrial holds a schedule of a few epochs, and the validation error, in percent, after training with it.
type ScheduleTrial struct {
	Schedule
	Error float64
}

// ScheduleTrials trains on the first n training digits once with each step size in the list called rates. The penalty
// is the best one for the codes on the initial basis. As with Search, only a run at full size makes the trials; smaller
// sizes read their stored results.
func (l *Lab) ScheduleTrials(n int) []ScheduleTrial {
	found := l.store.Matrix(keysOf(l).schedules(n), func() *mat.Dense {
		if !l.Full() {
			panic(fmt.Errorf("bradley2008: the trials with %d digits are not among the trained bases: run the full size first", n))
		}
		m := mat.NewDense(len(rates), 2, nil)
		for i, rate := range rates {
			m.SetRow(i, scheduler{trainer{l}}.try(n, rate))
		}
		return m
	})
	var out []ScheduleTrial
	for i, rate := range rates {
		out = append(out, ScheduleTrial{Schedule{Epochs: 5, Rate: rate, Alpha: found.At(i, 1)}, found.At(i, 0)})
	}
	return out
}

// try runs one trial and returns the validation error in percent, and alpha.
func (t scheduler) try(n int, rate float64) []float64 {
	key := keysOf(t.Lab).on("schedule", n).With("rate", rate)
	return t.store.Numbers(key, func() []float64 {
		d, set := t.Digits(), t.Settings()
		train, _ := d.draw(n, 0)
		s := Schedule{Epochs: 5, Rate: rate, Alpha: t.maxentErrors("table2-kl", n, 0, t.KLFeatures)[3]}
		r := t.Specialise(keysOf(t.Lab).on("schedule-basis", n).With("rate", rate), t.Basis(), train, &d.Validation, Coding(set.KLLambda, set.P), s)
		e := r.error(CodeKL(t.Context(), r.B, d.Validation.X, set.KLLambda, set.P), d.Validation.Y)
		t.say("%s: validation error %.2f %%", key.Name(), e)
		return []float64{e, s.Alpha}
	})
}

// String returns the schedule's numbers, joined by hyphens.
func (s Schedule) String() string { return s.settings().Name() }

// penalties returns the penalties to try for the classifier when B is trained on n digits. With the best penalty for
// the codes on the initial basis, the classifier makes no errors on a small training set, which leaves a small gradient
// for B. A stronger penalty preserves more of the gradient.
func (t scheduler) penalties(n int) []float64 {
	a := t.schedule(n).Alpha
	switch {
	case n >= 10000:
		return []float64{a}
	case t.Digits().Data.Generated:
		return []float64{short(10 * a)} // generated digits are easy, and are separated without error
	}
	return []float64{a, short(3 * a), short(10 * a)}
}

// SpecialisedOn returns the basis after back-propagation on draw r of n training
// digits, with the penalty that gives the fewest errors on the validation digits.
func (l *Lab) SpecialisedOn(n, r int) *BackpropResult {
	d, s := l.Digits(), l.Settings()
	train, _ := d.draw(n, r)
	validation := d.Validation.First(l.Pick(200, 1000, 10000))
	var best *BackpropResult
	least := 200.
	by := scheduler{trainer{l}}
	for _, alpha := range by.penalties(n) {
		schedule := by.schedule(n)
		schedule.Alpha = alpha
		key := keysOf(l).backprop(n, r, schedule)
		b := l.Specialise(key, l.Basis(), train, validation, Coding(s.KLLambda, s.P), schedule)
		e := l.store.Numbers(validationKey(key), func() []float64 {
			return []float64{b.error(CodeKL(l.Context(), b.B, validation.X, s.KLLambda, s.P), validation.Y)}
		})[0]
		if e < least {
			best, least = b, e
		}
	}
	return best
}
