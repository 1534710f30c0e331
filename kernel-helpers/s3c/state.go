package s3c

import (
	"fmt"
	"slices"

	"overcomplete/kernel-helpers/ended"
)

// A Record is one step of the history. Energy and H are computed from the step's batch and the model before the step.
type Record struct {
	Step int
	// Patches is the number of patches so far.
	Patches int
	// Seconds is the training time so far, including earlier runs. If a run is repeated, only this field differs.
	Seconds float64
	// Energy is the mean energy of a patch after the E step.
	Energy float64
	// H is the mean of ĥ.
	H float64
	// Beta, Alpha and Bias are the means of the model's β, α and b after the step.
	Beta, Alpha, Bias float64
	// Used is the number of units in use; see State.Use.
	Used int
}

// usedAbove is the mean ĥ above which a unit counts as used. A unit with this mean is used once in 1000 patches.
const usedAbove = 1e-3

// A State is everything that Fit needs to continue a run, except the patches.
type State struct {
	Model *Model
	// Step is the number of steps done.
	Step int
	// History holds a record for each step.
	History []Record
	// Use holds an exponentially weighted mean of ĥ for each of the N units: with each later batch, the weight of a
	// batch falls by 1%.
	Use []float64

	set    string // the options; a resumed run must have the same options
	data   uint64 // the source's fingerprint
	from   int    // number of the first patch of the first batch; earlier patches became columns of W
	second float64
}

// String returns a one-line summary.
func (s *State) String() string { return fmt.Sprintf("state of S3C after %d steps", s.Step) }

// Energy returns the mean energy over the last tenth of the history, or the mean energy of the last step if
// there are fewer than 20 steps.
func (s *State) Energy() float64 {
	n := len(s.History)
	if n == 0 {
		panic("s3c: Energy: the state has no steps")
	}
	var sum float64
	from := n - max(1, n/10)
	for _, r := range s.History[from:] {
		sum += r.Energy
	}
	return sum / float64(n-from)
}

// Clone returns a copy of the state.
func (s *State) Clone() *State {
	c := *s
	c.Model = s.Model.Clone()
	c.History, c.Use = slices.Clone(s.History), slices.Clone(s.Use)
	return &c
}

// A Result holds what Fit found.
type Result struct {
	Status ended.Status
	Model  *Model
	// State holds the history. Pass it as Options.Resume to continue training.
	State *State
}

// String returns a summary in one line.
func (r *Result) String() string {
	d, n := r.Model.Dims()
	s := r.State
	if s.Step == 0 {
		return fmt.Sprintf("%v: W %d×%d, no step done", r.Status, d, n)
	}
	l := s.History[len(s.History)-1]
	return fmt.Sprintf("%v: W %d×%d after %d steps, %d patches, %.3g s: energy %.5g, mean ĥ %.3g, β %.4g, mean α %.4g, %d units used",
		r.Status, d, n, s.Step, l.Patches, s.second, s.Energy(), l.H, l.Beta, l.Alpha, l.Used)
}
