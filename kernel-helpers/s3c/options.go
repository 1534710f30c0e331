package s3c

import (
	"errors"
	"fmt"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/ui/progress"
)

// ErrStop ends training without an error when a Callback returns it.
var ErrStop = errors.New("s3c: stop")

// Options are the options of Fit. In each field, zero means the default, which is the value of the published CIFAR-10
// result.
type Options struct {
	// Units is N. 0 means the number of units of Init or Resume, or 1600 without them.
	Units int
	// Batch is the number of patches per step. 0 means 100.
	Batch int
	// Steps is the total number of steps, including those that Resume has already made. 0 means 8620.
	Steps int

	// Bias, Beta and Alpha are the initial values of b, β and α. 0 means −4, 3 and 1. μ starts at 0. W starts with the
	// first nonzero patches of the source, scaled to norm 1; the batches begin after these patches.
	Bias, Beta, Alpha float64
	// Diagonal gives β a separate number for each of the D dimensions, instead of a single number.
	Diagonal bool
	// Init, if not nil, is the model with which training starts. It is not modified.
	Init *Model
	// Resume, if not nil, is the State from which training continues. The result has the same bits as that of an
	// uninterrupted run. Source and options must be the same; only Steps, and fields that do not affect the result, may
	// differ. The State is not modified.
	Resume *State

	// Schedule is the schedule of the E step. If it is empty, DefaultSchedule is used.
	Schedule Schedule
	// Skip makes the E step skip units that hardly matter. nil means that no unit is skipped.
	Skip *SkipOptions
	// Double performs the E step in float64, by Infer. It is slow and intended for comparison.
	Double bool
	// Device performs the E step and computes the moments. It cannot be combined with Skip or Double. nil means the
	// processor, which always performs the M step. A graphics card needs batches of thousands of patches to be fast.
	// See "On a device" in the package's comment.
	Device gpu.Device
	// MStep holds the rates, penalties and ranges of the M step.
	MStep MStepOptions

	// Workers is the number of goroutines of the E step. 0 means runtime.GOMAXPROCS(0). Results do not depend on
	// Workers.
	Workers int
	// Callback is called after every step with the state of the run. Callback may read and Save the state, but must not
	// change it, or keep it (see State.Clone). If Callback returns an error, training ends and Fit returns this error;
	// but if it returns ErrStop, training ends without an error.
	Callback func(*State) error
	// Checkpoint is a file to which the state is saved every CheckpointEvery steps and when training ends. "" means no
	// file.
	Checkpoint string
	// CheckpointEvery is the number of steps between checkpoints. 0 means 100.
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

// settings returns a string with d, the dimension of a patch, and with all options that must not change when a run is
// resumed.
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
