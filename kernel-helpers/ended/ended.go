// Package ended names the ways in which a computation can end. In the library, every Result and Model of an iterative
// method has a field Status, which says how the computation ended. A method that missed its tolerance also returns an
// error, together with a complete and usable result:
//
//	r, err := pursuit.Lasso(ctx, A, X, 0.1, &pursuit.LassoOptions{MaxIterations: 100})
//	if err = ended.Accept(err); err != nil { // a hundred sweeps will do
//		return err
//	}
//
// If Lasso used up the hundred sweeps, r.Status is ended.IterationLimit. docs/library.md has a table of all statuses.
//
// The documentation of each computation says which Statuses are possible, and which of these come with an error.
package ended

import (
	"errors"
	"fmt"
)

// ErrNotConverged means that a method ended before its tolerance was met: MaxIterations was reached (IterationLimit),
// or rounding prevented further progress (NoProgress). The error of the method wraps ErrNotConverged. The result is
// still returned and usable.
var ErrNotConverged = errors.New("not converged")

// Accept returns nil if err wraps ErrNotConverged, and err otherwise. Use Accept if a result that missed its
// tolerance is good enough.
func Accept(err error) error {
	if errors.Is(err, ErrNotConverged) {
		return nil
	}
	return err
}

// Missed returns nil if each of several computations met its tolerance. Otherwise it returns an error that wraps
// ErrNotConverged, says how many missed their tolerance, and names the worst status. For example, with op = "l2svm:
// Train" and noun = "models", the error text is "l2svm: Train: not converged: 3 of 10 models, iteration limit".
func Missed(op, noun string, each []Status) error {
	count, worst := 0, Unknown
	for _, s := range each {
		if s == IterationLimit || s == NoProgress {
			count, worst = count+1, max(worst, s)
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: %d of %d %s, %v", op, ErrNotConverged, count, len(each), noun, worst)
}

// A Status says how a computation ended. The values are ordered from the most to the least satisfactory, so
// the maximum of several is the worst.
type Status int

const (
	// Unknown is the zero Status: nothing has run.
	Unknown Status = iota
	// Converged means that the tolerance was met, or that a further step would not change the result.
	Converged
	// Settled means that the last step moved almost nothing. It is a weaker claim than
	// Converged.
	Settled
	// Reached means that the objective met the target that the caller set.
	Reached
	// Done means that all requested steps, epochs or passes were completed, for methods that end that way.
	Done
	// LocalMinimum means that no small change lowers the objective. A distant point may have a lower
	// objective.
	LocalMinimum
	// Greedy means that a greedy search completed as requested. The result may not be optimal.
	Greedy
	// EarlyStop means that there was no improvement for the number of steps that the options allow.
	EarlyStop
	// NoProgress means that rounding prevented progress before the tolerance was met: the result is about as
	// accurate as the floating-point arithmetic allows.
	NoProgress
	// IterationLimit means that MaxIterations was reached before the tolerance was met.
	IterationLimit
	// Stopped means that the caller's callback ended the computation.
	Stopped
	// Interrupted means that the context ended the computation.
	Interrupted
	// Infeasible means that no point meets the constraints: a certificate of this was found.
	Infeasible
	// Unbounded means that a ray was found along which the objective decreases without bound.
	Unbounded
	// Diverged means that numbers became infinite or NaN, or left the range that the
	// method allows.
	Diverged
	// Failed means that an error ended the computation. The error is returned together with the Status.
	Failed
)

var names = [...]string{
	"unknown", "converged", "settled", "target reached", "done", "local minimum", "greedy", "early stop",
	"no progress", "iteration limit", "stopped", "interrupted", "infeasible", "unbounded", "diverged", "failed",
}

// String returns the status in words: "iteration limit" for IterationLimit.
func (s Status) String() string {
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}
