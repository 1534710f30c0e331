// Package ended has the words for how a computation ended. Every Result and Model of the
// library that was found step by step has a field Status with one of them:
//
//	r, err := nmf.Fit(ctx, A, &nmf.Options{Components: 2})
//	if err == nil && r.Status == ended.IterationLimit {
//		// the factors are usable, and not the best of their kind
//	}
//
// Whether an error comes with a Status, and which Statuses are possible, is said where the
// computation is declared.
package ended

import "fmt"

// A Status says how a computation ended. They are in the order of how much is left to be
// desired, so that the max of several is the worst of them.
type Status int

const (
	// Unknown is the zero Status: nothing has run.
	Unknown Status = iota
	// Converged means that the tolerance was met, or that no step changes anything.
	Converged
	// Settled means that the last step moved next to nothing, which promises less than
	// Converged does.
	Settled
	// Reached means that the objective met the target that the caller set.
	Reached
	// Done means that all the steps, epochs or passes asked for were made, where that is
	// how the method ends.
	Done
	// LocalMinimum means that no small change lowers the objective; another point may be
	// better.
	LocalMinimum
	// Greedy means that a greedy search ended as asked; another choice may be better.
	Greedy
	// EarlyStop means that nothing better had come for as long as the options allow.
	EarlyStop
	// NoProgress means that rounding ended the progress before the tolerance was met: the
	// result is about as good as this arithmetic allows.
	NoProgress
	// IterationLimit means that MaxIterations ran out before the tolerance was met.
	IterationLimit
	// Stopped means that a function of the caller's ended it.
	Stopped
	// Interrupted means that the context ended it.
	Interrupted
	// Infeasible means that a certificate was found: no point meets the constraints.
	Infeasible
	// Unbounded means that a ray was found along which the objective falls for ever.
	Unbounded
	// Diverged means that numbers left the finite ones, or the range that the method
	// allows them.
	Diverged
	// Failed means that an error ended it, which comes with the Status.
	Failed
)

var names = [...]string{
	"unknown", "converged", "settled", "target reached", "done", "local minimum", "greedy", "early stop",
	"no progress", "iteration limit", "stopped", "interrupted", "infeasible", "unbounded", "diverged", "failed",
}

// String is the status in words, "iteration limit" for IterationLimit.
func (s Status) String() string {
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}
