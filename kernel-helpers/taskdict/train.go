package taskdict

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/adam"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/ui/progress"
)

// Options are the options of Fit. Coding must be given; in every other field zero means
// the default.
type Options struct {
	// Coding is the sparse approximation: λ, p, loss.
	Coding klcoding.Options
	// Parts passes w̃ = [ŵ⁻; ŵ⁺] to the head instead of ŵ. It needs Coding.Doubled.
	Parts bool

	Epochs int // passes over the signals; 0: 10
	Batch  int // signals per step; 0: 100
	Method Method
	Decay  Decay
	// Rate is the step size of B, whose columns have norm 1. HeadRate is the step size of θ. For each of them, 0 means
	// 1e-3 with Adam and 0.1 with SGD. If Rate is negative, B does not change; if HeadRate is negative, θ does not
	// change.
	Rate, HeadRate float64
	Seed           uint64 // determines the order of the signals
	// Near makes all steps of an epoch reuse the eigenvectors that the first step computes for B
	// (klcoding.Options.Near). Near helps with small batches, for which computing eigenvectors costs more
	// than coding. Codes are as accurate as without Near, but differ in their last bits.
	Near bool

	// Score evaluates B and the head after each epoch, on held-out data: lower is better. If Score is set, the result
	// is that of the epoch with the lowest score (epoch 0 is the start), and training ends after Patience epochs
	// without a lower score (0: never).
	Score    func(B *mat.Dense, head Head) (float64, error)
	Patience int
	// Each is called after each epoch, after Score; an error ends the training. May
	// be nil.
	Each func(Epoch) error
	// Checkpoint is a file to which the state is written after each epoch. If the file
	// exists at the start, Fit continues from it. "" means none.
	Checkpoint string
	// Recorder receives an event after each step. May be nil.
	Recorder progress.Recorder
}

// An Epoch is one entry of Result.History: the measurements after one pass over the signals.
type Epoch struct {
	Number int     // 0 is the start
	Loss   float64 // mean over the steps of the epoch; NaN at the start
	Score  float64 // NaN without Options.Score
	Steps  float64 // mean Newton steps per coding
}

// A Result holds what Fit found.
type Result struct {
	B       *mat.Dense // D×n, unit columns
	Theta   []float64  // the head's parameters for B; also in the head
	Best    int        // the epoch of B
	History []Epoch
	Status  ended.Status
}

// String returns a one-line summary.
func (r *Result) String() string {
	D, n := size.Of(r.B)
	return fmt.Sprintf("dictionary of %d atoms in %d dimensions, from epoch %d of %d (%v)", n, D, r.Best, len(r.History), r.Status)
}

// Fit trains B (D×n) and the head on the signals X (D×N). The head is trained in place; B and X are not
// modified. Fit returns an error if an element is NaN or infinite, an option is out of range, a coding
// fails, or ctx is done. In the last case it also returns the result so far.
func Fit(ctx context.Context, B, X mat.Matrix, head Head, options *Options) (*Result, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	given.Args("taskdict: Fit", "B", B, "X", X)
	if B == nil || X == nil || head == nil {
		panic("taskdict: Fit: B, X or head is nil")
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	d, n := B.Dims()
	dx, N := X.Dims()
	if dx != d || d == 0 || n == 0 || N == 0 {
		panic(fmt.Sprintf("taskdict: Fit: X is %d×%d, a signal per COLUMN, B is %d×%d%s", dx, N, d, n, transposeHint(dx, N, d)))
	}
	if n := head.Signals(); n != N {
		panic(fmt.Sprintf("taskdict: Fit: X has %d signals, the head has answers for %d signals", N, n))
	}
	for i := range d {
		for j := range N {
			if v := X.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("taskdict: Fit: X[%d,%d] is %v", i, j, v)
			}
		}
	}
	s := &state{
		B: mat.DenseCopyOf(B).RawMatrix().Data, D: d, Atoms: n, Signals: N,
		Theta: slices.Clone(head.Theta()),
		Basis: adam.New(d * n), Head: adam.New(len(head.Theta())),
		R: make([]float64, d*N), Options: opt.identity() + fingerprint(B, X, head),
	}
	if err := unitColumns(mat.NewDense(d, n, s.B)); err != nil {
		return nil, err
	}
	if opt.Checkpoint != "" {
		if err := s.resume(opt.Checkpoint); err != nil {
			return nil, err
		}
	}
	copy(head.Theta(), s.Theta)
	t := &trainer{ctx: ctx, opt: opt, head: head, state: s, X: X}
	err := t.run()
	copy(head.Theta(), s.BestTheta)
	r := &Result{B: mat.NewDense(d, n, slices.Clone(s.BestB)), Theta: slices.Clone(s.BestTheta),
		Best: s.Best, History: slices.Clone(s.History), Status: t.status}
	return r, err
}

func (o *Options) fill() error {
	def := func(x *int, v int) {
		if *x == 0 {
			*x = v
		}
	}
	def(&o.Epochs, 10)
	def(&o.Batch, 100)
	for name, r := range map[string]*float64{"Rate": &o.Rate, "HeadRate": &o.HeadRate} {
		if *r == 0 {
			*r = 1e-3
			if o.Method == SGD {
				*r = 0.1
			}
		}
		if math.IsNaN(*r) || math.IsInf(*r, 0) {
			return fmt.Errorf("taskdict: Fit: %s is %v, must be finite", name, *r)
		}
		*r = max(*r, 0)
	}
	if err := option.Check("taskdict: Fit", option.Count("Epochs", o.Epochs), option.Count("Batch", o.Batch), option.Count("Patience", o.Patience)); err != nil {
		return err
	}
	switch {
	case o.Parts && !o.Coding.Doubled:
		return errors.New("taskdict: Fit: Parts needs Coding.Doubled")
	case o.Method < Adam || o.Method > SGD || o.Decay < InverseRoot || o.Decay > Constant:
		return errors.New("taskdict: Fit: unknown Method or Decay")
	}
	return nil
}

// identity returns a string with the options that a checkpoint must match. For the data, see fingerprint.
func (o *Options) identity() string {
	c := o.Coding
	near := ""
	if o.Near {
		near = " near"
	}
	return fmt.Sprint(c.Lambda, c.P, c.PVec, c.Doubled, c.Loss, c.Method, c.Tolerance, o.Parts, o.Epochs,
		o.Batch, o.Method, o.Decay, o.Rate, o.HeadRate, o.Seed, o.Score != nil, c.Single, c.MaxIterations, c.Offset, c.Typical) + near
}

// fingerprint returns a checksum of the run's data: B, X and the initial parameters of the head. The labels are not
// included directly. But the initial parameters come from training on the labels, so other labels usually give another
// checksum.
func fingerprint(B, X mat.Matrix, head Head) string {
	h := crc64.New(crc64.MakeTable(crc64.ECMA))
	number := func(v float64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	for _, m := range []mat.Matrix{B, X} {
		r, c := m.Dims()
		for i := range r {
			for j := range c {
				number(m.At(i, j))
			}
		}
	}
	for _, v := range head.Theta() {
		number(v)
	}
	return fmt.Sprintf(" %016x", h.Sum64())
}

// A stopError wraps an error that the callback Options.Each has returned. Such an error ends training.
type stopError struct{ error }

// errEnough ends a run that needs no more epochs.
var errEnough = errors.New("enough")

type trainer struct {
	ctx    context.Context
	opt    Options
	head   Head
	X      mat.Matrix
	status ended.Status
	near   *klcoding.Coder // from the epoch's first step, with Options.Near
	*state
}

func (t *trainer) run() error {
	if t.BestB == nil {
		t.keep(math.NaN())
		if err := t.closeEpoch(Epoch{Loss: math.NaN(), Steps: math.NaN()}); err != nil {
			return t.endError(err)
		}
	}
	for t.Epoch < t.opt.Epochs {
		if t.opt.Patience > 0 && t.Epoch-t.Best >= t.opt.Patience {
			return t.endError(errEnough)
		}
		e, err := t.epoch()
		if err == nil {
			err = t.closeEpoch(e)
		}
		if err != nil {
			return t.endError(err)
		}
	}
	if err := t.ctx.Err(); err != nil {
		return t.endError(err)
	}
	t.status = ended.Done
	return nil
}

func (t *trainer) endError(err error) error {
	t.status = ended.Stopped
	var by stopError
	switch {
	case errors.Is(err, errEnough):
		t.status = ended.EarlyStop
		return nil
	case errors.As(err, &by):
		return by.error
	case t.ctx.Err() == nil:
		t.status = ended.Failed
	default:
		t.status = ended.Interrupted
	}
	return err
}

// epoch goes once through the signals, in a new random order.
func (t *trainer) epoch() (Epoch, error) {
	signals := t.Signals
	order := rand.New(rand.NewPCG(t.opt.Seed, uint64(t.Epoch))).Perm(signals)
	perEpoch := (signals + t.opt.Batch - 1) / t.opt.Batch
	e := Epoch{Number: t.Epoch + 1, Score: math.NaN()}
	t.near = nil
	for k := range perEpoch {
		batch := order[k*t.opt.Batch : min((k+1)*t.opt.Batch, signals)]
		l, steps, err := t.step(batch, t.Epoch*perEpoch+k, perEpoch)
		if err != nil {
			return e, err
		}
		e.Loss += l * float64(len(batch)) / float64(signals)
		e.Steps += steps * float64(len(batch)) / float64(signals)
		progress.Report(t.opt.Recorder, progress.Event{What: "train B", Step: t.Epoch*perEpoch + k + 1,
			Total: t.opt.Epochs * perEpoch, Objective: l})
	}
	t.Epoch++
	return e, nil
}

// step performs one step on one batch.
func (t *trainer) step(batch []int, number, perEpoch int) (loss, steps float64, err error) {
	B := mat.NewDense(t.D, t.Atoms, t.B)
	coding := t.opt.Coding
	if t.opt.Near {
		coding.Near = t.near
	}
	c, err := klcoding.New(B, &coding)
	if err != nil {
		return 0, 0, err
	}
	if t.near == nil {
		t.near = c
	}
	X := mat.NewDense(t.D, len(batch), nil)
	R := mat.NewDense(t.D, len(batch), nil)
	for k, i := range batch {
		for j := range t.D {
			X.Set(j, k, t.X.At(j, i))
			R.Set(j, k, t.R[i*t.D+j])
		}
	}
	r, err := c.CodeFrom(t.ctx, X, R) // warm start: B has changed little since the last epoch
	if err != nil {
		return 0, 0, err
	}
	for k, i := range batch {
		mat.Col(t.R[i*t.D:(i+1)*t.D], k, r.R)
		steps += float64(r.Iterations[k]) / float64(len(batch))
	}
	W := r.W
	if t.opt.Parts {
		W = c.Parts(r.W)
	}
	grad := make([]float64, len(t.Theta))
	loss, dW := t.head.Loss(W, batch, grad)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, 0, fmt.Errorf("taskdict: the loss is %v in step %d: try smaller rates", loss, number)
	}
	rate := t.opt.Decay.factor(number, perEpoch, perEpoch*t.opt.Epochs)
	if t.opt.Rate > 0 {
		if t.opt.Parts {
			dW = c.PartsVJP(r.W, dW)
		}
		g, err := c.VJP(t.ctx, X, r.W, dW)
		if err != nil {
			return 0, 0, err
		}
		t.opt.Method.step(t.B, g.B.RawMatrix().Data, t.Basis, t.opt.Rate*rate, number)
		if err := unitColumns(B); err != nil {
			return 0, 0, err
		}
	}
	t.opt.Method.step(t.head.Theta(), grad, t.Head, t.opt.HeadRate*rate, number)
	return loss, steps, nil
}

// closeEpoch computes the score, keeps the best epoch, writes the checkpoint and calls Each.
func (t *trainer) closeEpoch(e Epoch) error {
	e.Score = math.NaN()
	if t.opt.Score != nil {
		var err error
		if e.Score, err = t.opt.Score(mat.NewDense(t.D, t.Atoms, slices.Clone(t.B)), t.head); err != nil {
			return err
		}
		if math.IsNaN(e.Score) {
			return fmt.Errorf("taskdict: the score after epoch %d is NaN", e.Number)
		}
	}
	if !(e.Score >= t.BestScore) { // also without a score: the last epoch is the best
		t.keep(e.Score)
	}
	t.History = append(t.History, e)
	copy(t.Theta, t.head.Theta())
	if t.opt.Checkpoint != "" {
		if err := t.write(t.opt.Checkpoint); err != nil {
			return err
		}
	}
	if t.opt.Each != nil {
		if err := t.opt.Each(e); err != nil {
			return stopError{err}
		}
	}
	return nil
}

func (t *trainer) keep(score float64) {
	t.BestB, t.BestTheta = slices.Clone(t.B), slices.Clone(t.head.Theta())
	t.Best, t.BestScore = t.Epoch, score
}

// unitColumns scales the columns of B (D×n) to unit norm. A column of zeros is an error, unlike in
// ica.Normalize.
func unitColumns(B *mat.Dense) error {
	_, n := B.Dims()
	for j := range n {
		v := B.ColView(j)
		s := mat.Norm(v, 2)
		if !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("taskdict: column %d of B has norm %v", j, s)
		}
		v.(*mat.VecDense).ScaleVec(1/s, v)
	}
	return nil
}
