package s3c

import (
	"errors"
	"fmt"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/ui/progress"
)

// ErrStop ends training without an error when a Callback returns it.
var ErrStop = errors.New("s3c: stop")

// Options are the options of Fit. In each field zero means the default, the value of the published CIFAR-10
// result.
type Options struct {
	// Units is N. 0: 1600, or as many as Init or Resume has.
	Units int
	// Batch is the number of patches per step. 0: 100.
	Batch int
	// Steps is the total number of steps, including those of Resume. 0: 8620.
	Steps int

	// Bias, Beta and Alpha are the initial values of b, β and α. 0: −4, 3, 1. μ starts at 0. W starts with
	// the first nonzero patches of the source, scaled to norm 1; the batches begin after them.
	Bias, Beta, Alpha float64
	// Diagonal makes β D numbers instead of a single number.
	Diagonal bool
	// Init, if not nil, is the model to start with instead. It is not modified.
	Init *Model
	// Resume continues from a State of the same source and options, with the same bits as an
	// uninterrupted run. Only Steps, and the fields that observe the run, may differ. The State is not
	// modified.
	Resume *State

	// Schedule is the schedule of the E step; empty: DefaultSchedule.
	Schedule Schedule
	// Skip makes the E step skip units that hardly matter; nil: none are skipped.
	Skip *SkipOptions
	// Double performs the E step in float64, by Infer. It is slow and intended for comparison.
	Double bool
	// Device performs the E step, dense, with its moments, and cannot be combined with Skip or Double; nil: the
	// processor, which always performs the M step. A card needs batches of thousands of patches to be fast. See "On a
	// device" in the package's comment.
	Device gpu.Device
	// MStep holds rates, penalties and bounds.
	MStep MStepOptions

	// Workers is the number of goroutines of the E step; 0: runtime.GOMAXPROCS(0).
	// Results do not depend on it.
	Workers int
	// Callback is called after every step with the state of the run. It may read and Save the state, but not
	// change or keep it; see State.Clone. If it returns an error, training ends and Fit returns the error.
	// After ErrStop training ends without an error.
	Callback func(*State) error
	// Checkpoint is a file to which the state is saved every CheckpointEvery steps and
	// when training ends. "": none.
	Checkpoint string
	// CheckpointEvery is the number of steps between checkpoints. 0: 100.
	CheckpointEvery int
	// Recorder receives an event after each step. May be nil.
	Recorder progress.Recorder
}

func (o Options) complete(d int) (Options, error) {
	given := 0
	switch {
	case o.Init != nil && o.Resume != nil:
		return o, errors.New("s3c: Fit: both Init and Resume are given")
	case o.Init != nil:
		if err := o.Init.Check(); err != nil {
			return o, fmt.Errorf("s3c: Fit: Init: %w", err)
		}
		D, n := o.Init.Dims()
		if D != d {
			panic(fmt.Sprintf("s3c: Fit: Init has W %d×%d and the patches have %d numbers", D, n, d))
		}
		o.Diagonal = len(o.Init.Beta) > 1
		given = n
	case o.Resume != nil:
		D, n := o.Resume.Model.Dims()
		if D != d {
			return o, fmt.Errorf("s3c: Fit: the state to resume has W %d×%d and the patches have %d numbers", D, n, d)
		}
		given = n
	}
	if o.Units == 0 {
		o.Units = 1600
		if given > 0 {
			o.Units = given
		}
	}
	if o.Units < 0 || given > 0 && o.Units != given {
		return o, fmt.Errorf("s3c: Fit: Units is %d, Init or Resume has %d", o.Units, given)
	}
	if o.Batch < 0 || o.Steps < 0 || o.CheckpointEvery < 0 {
		return o, fmt.Errorf("s3c: Fit: Batch %d, Steps %d and CheckpointEvery %d must not be negative", o.Batch, o.Steps, o.CheckpointEvery)
	}
	if o.Double && o.Skip != nil {
		return o, errors.New("s3c: Fit: Skip and Double exclude each other")
	}
	if o.Device != nil && (o.Skip != nil || o.Double) {
		return o, errors.New("s3c: Fit: Device excludes Skip and Double")
	}
	whole := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	number := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	whole(&o.Batch, 100)
	whole(&o.Steps, 8620)
	whole(&o.CheckpointEvery, 100)
	number(&o.Bias, -4)
	number(&o.Beta, 3)
	number(&o.Alpha, 1)
	if o.Bias-o.Bias != 0 || !(o.Beta > 0 && o.Alpha > 0) || o.Beta-o.Beta != 0 || o.Alpha-o.Alpha != 0 {
		return o, fmt.Errorf("s3c: Fit: cannot start with b %v, β %v, α %v: need finite numbers, β and α positive", o.Bias, o.Beta, o.Alpha)
	}
	var err error
	if o.Schedule, err = o.Schedule.check(); err != nil {
		return o, err
	}
	if o.MStep, err = o.MStep.complete(); err != nil {
		return o, err
	}
	if o.Skip != nil {
		skip, err := o.Skip.complete()
		if err != nil {
			return o, err
		}
		o.Skip = &skip
	}
	return o, nil
}

// settings returns the options that must not change when a run is resumed.
func (o *Options) settings(d int) string {
	skip := "no"
	if o.Skip != nil {
		skip = fmt.Sprintf("%+v", *o.Skip)
	}
	s := fmt.Sprintf("D=%d N=%d batch=%d diagonal=%t double=%t schedule=%+v skip=%s mstep=%+v",
		d, o.Units, o.Batch, o.Diagonal, o.Double, o.Schedule, skip, o.MStep)
	if o.Device != nil {
		s += " device=" + o.Device.Info().Name
	}
	return s
}
