package classify

import "fmt"

// Status says how training ended.
type Status int

const (
	// Unknown is the zero Status: nothing has run.
	Unknown Status = iota
	// Converged means that the tolerance was met.
	Converged
	// StepLimit means that the steps (sweeps, epochs) ran out first.
	StepLimit
	// NoProgress means that rounding stopped the descent before the tolerance was
	// met. The model is as good as this arithmetic allows.
	NoProgress
	// EarlyStop means that the error on validation points stopped falling.
	EarlyStop
	// Stopped means that the context ended the training.
	Stopped
)

// String returns the name of the status.
func (s Status) String() string {
	names := [...]string{"Unknown", "Converged", "StepLimit", "NoProgress", "EarlyStop", "Stopped"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}
