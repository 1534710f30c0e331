package dictionary

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/ui/progress"
)

// A Method is the rule that updates B from the codes W of a batch.
type Method int

const (
	// Online is online dictionary learning with mini-batches (Mairal, Bach, Ponce
	// and Sapiro 2010). It needs the squared loss.
	Online Method = iota
	// SGD is stochastic gradient descent on (7), as in Bradley and Bagnell (2008),
	// for any loss.
	SGD
	// LagrangeDual alternates between coding all signals and computing the exact best B with ‖B_j‖ <= 1 (Lee, Battle,
	// Raina and Ng 2007). It needs the squared loss.
	LagrangeDual
	// MOD alternates between coding all signals and computing the least-squares B, scaled to unit columns (Engan, Aase
	// and Husøy 1999). It needs the squared loss.
	MOD
)

// String returns the method's name.
func (m Method) String() string {
	names := [...]string{"Online", "SGD", "LagrangeDual", "MOD"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

// isBatched reports whether B changes after every mini-batch.
func (m Method) isBatched() bool { return m == Online || m == SGD }

// A Start selects the first B if neither Options.Init nor Options.Resume is given.
type Start int

const (
	// Signals takes distinct random columns of X, scaled to norm 1.
	Signals Start = iota
	// Gaussian takes random directions.
	Gaussian
)

// String returns the start's name.
func (s Start) String() string {
	switch s {
	case Signals:
		return "Signals"
	case Gaussian:
		return "Gaussian"
	}
	return fmt.Sprintf("Start(%d)", int(s))
}

// ErrStop is returned by a Callback to end learning without an error.
var ErrStop = errors.New("dictionary: stop")

// Options configures Fit. Coder and at least one of the fields Atoms, Init and Resume are required. The zero value of
// any other field means its default.
type Options struct {
	// Coder finds W: SparseCoder, KLCoder, or your own.
	Coder Coder
	// Atoms is n, the number of columns of B. 0 means the number of columns of Init or Resume.
	Atoms  int
	Method Method
	// Batch is the number of signals per step. 0 means 256 for Online and 128 for SGD, or a tenth of the signals if
	// that is less. LagrangeDual and MOD use all signals.
	Batch int
	// Passes is the number of times that all signals are coded. 0 means 10.
	Passes int

	// Rate is the size of the first SGD step, in a unit derived from the data and the codes (see the package comment).
	// 0 means 5.
	Rate float64
	// Forget is Mairal's ρ: the contribution of step t' to the accumulators of Online has the weight (t'/t)^ρ
	// at step t. 0 means ρ = 10. Negative means ρ = 0: nothing is forgotten. For short runs ρ = 1 is better;
	// see the package comment.
	Forget float64

	// Unit gives the columns of Online and LagrangeDual a norm of exactly 1. Without Unit the norm is at most
	// 1, as in the papers. The other methods always make the norm exactly 1.
	Unit bool
	// NonNegative keeps every element of B at 0 or above. It is not available for
	// LagrangeDual and MOD.
	NonNegative bool

	// Start selects the first B if Init is nil.
	Start Start
	// Init is the first B (D×n), such as the B of another Result. Its
	// columns are scaled to norm 1 and must not be 0. Init is not modified.
	Init mat.Matrix
	// Resume continues a run from its State, with the same data and options. The result has the same bits as
	// that of an uninterrupted run. Only Passes, Tolerance, Callback, Checkpoint and Recorder may differ. The
	// State is not modified.
	Resume *State
	// Seed determines the first B and the order of the signals.
	Seed uint64

	// If Warm is set, the coding of each signal starts from the signal's Codes.Warm of the previous pass. This
	// needs memory for all nonzero coefficients (for KL, for all residuals).
	Warm bool
	// DeadAfter is the number of signals after which an unused atom is replaced by a badly coded signal. 0 means 10n,
	// but at most one pass. Negative: atoms are never replaced.
	DeadAfter int
	// Learning ends after a pass that lowers the mean objective by no more than Tolerance times its value in the
	// previous pass. 0 means that all passes are completed.
	Tolerance float64

	// Callback is called after every step with the state of the run, which it may read and Save, but not change or keep;
	// see State.Clone. If it returns an error, learning ends and Fit returns that error; ErrStop ends learning without an
	// error.
	Callback func(*State) error
	// Checkpoint names a file to which Fit saves the state after every pass, and when learning ends early. "" means no
	// file.
	Checkpoint string
	// Recorder receives an event after each step. It may be nil.
	Recorder progress.Recorder
}

// complete checks the options for N signals and n atoms and fills in the defaults.
func (o Options) complete(N, n int) (Options, error) {
	if o.Method < Online || o.Method > MOD {
		return o, fmt.Errorf("dictionary: Fit: unknown method %v", o.Method)
	}
	if o.Start != Signals && o.Start != Gaussian {
		return o, fmt.Errorf("dictionary: Fit: unknown start %v", o.Start)
	}
	if o.Method != SGD && !o.Coder.Squared() {
		return o, fmt.Errorf("dictionary: Fit: %v needs a coder with the squared loss; SGD takes any", o.Method)
	}
	if o.NonNegative && !o.Method.isBatched() {
		return o, fmt.Errorf("dictionary: Fit: %v cannot keep B non-negative; Online and SGD can", o.Method)
	}
	if o.Batch < 0 {
		return o, fmt.Errorf("dictionary: Fit: Batch is %d, must not be negative", o.Batch)
	}
	if o.Passes < 0 {
		return o, fmt.Errorf("dictionary: Fit: Passes is %d, must not be negative", o.Passes)
	}
	if !(o.Rate >= 0) || o.Rate-o.Rate != 0 {
		return o, fmt.Errorf("dictionary: Fit: Rate is %v, must be positive and finite", o.Rate)
	}
	if o.Forget-o.Forget != 0 {
		return o, fmt.Errorf("dictionary: Fit: Forget is %v, must be a finite number", o.Forget)
	}
	if !(o.Tolerance >= 0) {
		return o, fmt.Errorf("dictionary: Fit: Tolerance is %v, must be 0 or more", o.Tolerance)
	}
	o.Atoms = n
	if o.Batch == 0 {
		o.Batch = 256
		if o.Method == SGD {
			o.Batch = 128
		}
		o.Batch = min(o.Batch, max(1, N/10))
	}
	o.Batch = min(o.Batch, N)
	if o.Passes == 0 {
		o.Passes = 10
	}
	if o.Rate == 0 {
		o.Rate = 5
	}
	if o.Forget == 0 {
		o.Forget = 10
	}
	o.Forget = max(o.Forget, 0)
	if o.DeadAfter == 0 {
		o.DeadAfter = min(10*n, N)
	}
	if !o.Method.isBatched() {
		o.Batch = N
	}
	return o, nil
}
