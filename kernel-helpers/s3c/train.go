package s3c

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A trainer holds the state of one run of Fit.
type trainer struct {
	opt    Options
	src    Source
	st     *State
	begun  time.Time
	clock  float64 // seconds spent in earlier runs
	x      []float32
	blocks []*block
	on     *deviceSystem // nil without Options.Device
}

// Fit trains a model by variational EM: for each batch of patches, it performs an E step and one step of gradient
// ascent. The error is nil if all steps were completed, or if the callback returned ErrStop. Otherwise the result holds
// the state after the last complete step; the result is nil if training could not start.
func Fit(ctx context.Context, src Source, opt *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	t, err := newTrainer(src, opt)
	if err != nil {
		return nil, err
	}
	status, err := t.run(ctx)
	if status == ended.Failed && ctx.Err() != nil {
		status = ended.Interrupted
	}
	t.st.second = t.seconds()
	r := &Result{Status: status, Model: t.st.Model.Clone(), State: t.st}
	if t.opt.Checkpoint != "" {
		err = errors.Join(err, t.st.Save(t.opt.Checkpoint))
	}
	return r, err
}

func newTrainer(src Source, opt *Options) (*trainer, error) {
	if src == nil {
		panic("s3c: Fit: no source")
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	d := src.Dim()
	if d <= 0 {
		panic(fmt.Sprintf("s3c: Fit: the patches of the source have %d numbers, need at least 1", d))
	}
	if o.Resume != nil {
		// The resumed state determines whether β is one number, and the options must agree with it.
		o.Diagonal = o.Diagonal || len(o.Resume.Model.Beta) > 1
	}
	o, err := o.complete(d)
	if err != nil {
		return nil, err
	}
	t := &trainer{opt: o, src: src, begun: time.Now(), x: make([]float32, o.Batch*d)}
	set, data := o.settings(d), src.Fingerprint()
	if r := o.Resume; r != nil {
		if r.set != set {
			return nil, fmt.Errorf("s3c: Fit: the state to resume has other settings; pass its Model as Init to continue with new ones\nstate: %s\nnow:   %s", r.set, set)
		}
		if r.data != data {
			return nil, errors.New("s3c: Fit: the state to resume was trained on another source; pass its Model as Init to continue with a new one")
		}
		if err := r.Model.Check(); err != nil {
			return nil, fmt.Errorf("s3c: Fit: the state to resume: %w", err)
		}
		if len(r.Use) != o.Units || len(r.History) != r.Step {
			return nil, errors.New("s3c: Fit: the state to resume is inconsistent; pass its Model as Init, or train again")
		}
		t.st = r.Clone()
		t.clock = r.second
		return t, nil
	}
	t.st = &State{set: set, data: data, Use: make([]float64, o.Units)}
	if o.Init != nil {
		t.st.Model = o.Init.Clone()
		return t, t.st.Model.normalize()
	}
	t.st.Model, err = t.initialModel()
	return t, err
}

// initialModel returns the model with which training starts. The columns of its W are the first nonzero patches of the
// source, scaled to norm 1.
func (t *trainer) initialModel() (*Model, error) {
	d, n := t.src.Dim(), t.opt.Units
	W := mat.NewDense(d, n, nil)
	patch := make([]float32, d)
	at := 0
	for i := range n {
		for tries := 0; ; tries++ {
			if tries == 1000 {
				return nil, errors.New("s3c: Fit: a thousand patches in a row are 0: set Init")
			}
			if err := t.fetch(patch, at, 1); err != nil {
				return nil, err
			}
			at++
			t.st.from = at
			var square float64
			for k, v := range patch {
				W.Set(k, i, float64(v))
				square += float64(v) * float64(v)
			}
			if square > 0 {
				break
			}
		}
	}
	m, err := NewModel(W, t.opt.Bias, t.opt.Alpha, t.opt.Beta)
	if err == nil && t.opt.Diagonal {
		m.Beta = constantSlice(d, t.opt.Beta)
	}
	return m, err
}

// fetch reads n patches into dst, starting at the patch with the given number. It returns an error if a patch has NaN
// or Inf.
func (t *trainer) fetch(dst []float32, first, n int) error {
	if err := t.src.Patches(dst, first, n); err != nil {
		return fmt.Errorf("s3c: Fit: patches %d to %d: %w", first, first+n-1, err)
	}
	d := t.src.Dim()
	if k := finite.Index(dst); k >= 0 {
		return fmt.Errorf("s3c: Fit: patch %d of the source is %v in place %d", first+k/d, dst[k], k%d)
	}
	return nil
}

func (t *trainer) seconds() float64 { return t.clock + time.Since(t.begun).Seconds() }

func (t *trainer) run(ctx context.Context) (ended.Status, error) {
	o, st := &t.opt, t.st
	for st.Step < o.Steps {
		if err := ctx.Err(); err != nil {
			return ended.Interrupted, fmt.Errorf("s3c: Fit: %w after %d of %d steps", err, st.Step, o.Steps)
		}
		if err := t.step(ctx); err != nil {
			return ended.Failed, fmt.Errorf("s3c: Fit: step %d: %w", st.Step+1, err)
		}
		progress.Report(o.Recorder, progress.Event{What: "s3c", Step: st.Step, Total: o.Steps, Objective: st.History[st.Step-1].Energy})
		if o.Checkpoint != "" && st.Step%o.CheckpointEvery == 0 && st.Step < o.Steps {
			if err := st.Save(o.Checkpoint); err != nil {
				return ended.Failed, err
			}
		}
		if o.Callback != nil {
			if err := o.Callback(st); errors.Is(err, ErrStop) {
				return ended.Stopped, nil
			} else if err != nil {
				return ended.Failed, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return ended.Interrupted, fmt.Errorf("s3c: Fit: %w after %d of %d steps", err, st.Step, o.Steps)
	}
	return ended.Done, nil
}

// step performs an E step for the next batch, and then an M step. It changes the state only at the end, when nothing
// can fail anymore.
func (t *trainer) step(ctx context.Context) error {
	o, st := &t.opt, t.st
	first := st.from + st.Step*o.Batch
	if err := t.fetch(t.x, first, o.Batch); err != nil {
		return err
	}
	s, energy, err := t.expect(ctx)
	if err != nil {
		return err
	}
	if energy*0 != 0 {
		return fmt.Errorf("the energy is %v: are the patches scaled?", energy)
	}
	m, err := st.Model.MStep(s, &o.MStep)
	if err != nil {
		return err
	}
	st.Model = m
	st.Step++
	st.second = t.seconds()
	r := Record{Step: st.Step, Patches: st.Step * o.Batch, Seconds: st.second, Energy: energy,
		Beta: mean(m.Beta), Alpha: mean(m.Alpha), Bias: mean(m.Bias)}
	weight := max(0.01, 1/float64(st.Step))
	for i, h := range s.H {
		h /= float64(o.Batch)
		r.H += h / float64(len(s.H))
		st.Use[i] += weight * (h - st.Use[i])
		if st.Use[i] > usedAbove {
			r.Used++
		}
	}
	st.History = append(st.History, r)
	return nil
}

// expect performs the E step. It returns the moments of the batch and its mean energy.
func (t *trainer) expect(ctx context.Context) (*Moments, float64, error) {
	m, n, d := t.st.Model, t.opt.Batch, t.src.Dim()
	if t.opt.Double {
		V := mat.NewDense(n, d, nil)
		for k := range n {
			for i, v := range t.x[k*d : (k+1)*d] {
				V.Set(k, i, float64(v))
			}
		}
		r, err := m.Infer(ctx, V, &InferOptions{Schedule: t.opt.Schedule})
		if err != nil {
			return nil, 0, err
		}
		s, err := m.moments(ctx, V, r.Q)
		return s, mean(r.Energy), err
	}
	y := newSystem(m, t.opt.Schedule)
	if t.opt.Device != nil {
		if t.on == nil {
			var err error
			if t.on, err = newDeviceSystem(y, t.opt.Device); err != nil {
				return nil, 0, err
			}
		}
		t.on.set(y)
		s, energy, err := t.on.moments(ctx, y, m, t.x, n)
		return s, energy / float64(n), err
	}
	// How a batch is divided into pieces depends only on the batch. The pieces are summed in order.
	pieces := (n + blockPatches - 1) / blockPatches
	for len(t.blocks) < pieces {
		b := &block{}
		if t.opt.Skip != nil {
			b.skip = &skipBuffers{opt: *t.opt.Skip}
		}
		t.blocks = append(t.blocks, b)
	}
	if t.opt.Skip != nil {
		if err := y.response(ctx); err != nil {
			return nil, 0, err
		}
	}
	variance := m.slabVariances()
	moments, energy := make([]*Moments, pieces), make([]float64, pieces)
	err := parallel.DoContext(ctx, pieces, t.opt.Workers, func(k int) {
		from, to := part(n, k, pieces), part(n, k+1, pieces)
		b := t.blocks[k]
		b.ctx = ctx
		b.load(y, t.x[from*d:to*d], to-from)
		b.infer()
		moments[k], energy[k] = b.moments(m, variance)
	})
	if err != nil {
		return nil, 0, err
	}
	for k := 1; k < pieces; k++ {
		moments[0].add(moments[k])
		energy[0] += energy[k]
	}
	return moments[0], energy[0] / float64(n), nil
}
