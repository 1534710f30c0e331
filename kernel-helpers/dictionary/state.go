package dictionary

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Record is an element of State.Steps or State.Passes: the progress of learning at the end of one step or pass.
type Record struct {
	// Step is the number of steps done.
	Step int
	// Signals is the number of signals coded so far.
	Signals int
	// Seconds is the time that learning has taken so far, including runs before a resume. When a run is
	// repeated, only Seconds differs.
	Seconds float64
	// Objective is the mean of (2) over the signals of the step or pass. For each signal, B is the basis as it was
	// before the signal's step. (2) is in the package comment.
	Objective float64
}

// A State holds everything that Fit needs to continue a run, except the signals and the coder.
type State struct {
	B *mat.Dense // D×n
	// Step and Pass are the numbers of completed steps and passes.
	Step, Pass int
	// Steps has one record for each step. Passes has one record for each pass.
	Steps, Passes []Record
	// Replaced is the number of dead atoms that were replaced. Missed is the number of times that a signal
	// missed the coder's tolerance.
	Replaced, Missed int

	set    string // describes the options and the coder, which must be the same in a resumed run
	data   uint64 // fingerprint of the signals
	at     int    // signals of this pass done so far
	sum    float64
	coded  int     // signals coded so far
	second float64 // time so far

	use     []float64 // n: Σ|w_j| over the current pass
	lastUse []float64 // n: mean of |w_j| over the last complete pass
	window  []float64 // n: Σw_j² since the last search for dead atoms
	since   int       // signals since the last search for dead atoms

	unit   float64   // SGD: the unit of the step, see the package comment
	a      []float64 // Online: A (n×n)
	ct     []float64 // Online: the transpose of Mairal's B (n×D)
	lambda []float64 // LagrangeDual: the multipliers (n)
	warm   []cell    // the warm starts of the N signals, if Options.Warm is set
}

// A cell holds the nonzero elements of a vector; size is the length of this vector.
type cell struct {
	size int
	at   []uint32
	v    []float64
}

// Objective returns the mean objective of the last complete pass, or of the last step if no pass is complete.
// It panics before the first step.
func (s *State) Objective() float64 {
	switch {
	case len(s.Passes) > 0:
		return s.Passes[len(s.Passes)-1].Objective
	case len(s.Steps) > 0:
		return s.Steps[len(s.Steps)-1].Objective
	}
	panic("dictionary: Objective: no step is done yet")
}

// PassDone reports whether the last step was the last of a pass.
func (s *State) PassDone() bool { return s.Step > 0 && s.at == 0 }

// Clone returns a copy of the state.
func (s *State) Clone() *State {
	c := *s
	c.B = mat.DenseCopyOf(s.B)
	c.Steps, c.Passes = slices.Clone(s.Steps), slices.Clone(s.Passes)
	c.use, c.lastUse, c.window = slices.Clone(s.use), slices.Clone(s.lastUse), slices.Clone(s.window)
	c.a, c.ct, c.lambda = slices.Clone(s.a), slices.Clone(s.ct), slices.Clone(s.lambda)
	c.warm = slices.Clone(s.warm) // the cells themselves never change
	return &c
}

// settings describes the options that a resumed run must share with the original run.
func (o *Options) settings(d, N int) string {
	return fmt.Sprintf("%v D=%d n=%d N=%d batch=%d rate=%v forget=%v unit=%t nonnegative=%t seed=%d warm=%t dead=%d; %s",
		o.Method, d, o.Atoms, N, o.Batch, o.Rate, o.Forget, o.Unit, o.NonNegative, o.Seed, o.Warm, o.DeadAfter, o.Coder)
}

// fits reports whether the state has everything that a run with these options needs.
func (s *State) fits(o *Options, d, N int) bool {
	n := o.Atoms
	if len(s.use) != n || len(s.window) != n || s.at%o.Batch != 0 || s.at >= N {
		return false
	}
	if o.Method == Online && (len(s.a) != n*n || len(s.ct) != n*d) {
		return false
	}
	if o.Warm && len(s.warm) != N {
		return false
	}
	return len(s.lambda) == 0 || len(s.lambda) == n
}

// warmStart returns the warm starts for the m signals from..to-1 of the pass, one per column (k×m), or nil if there
// are none. k is the length of the longest warm start.
func (l *learner) warmStart(from, to int) *mat.Dense {
	if !l.opt.Warm {
		return nil
	}
	k := 0
	for i := from; i < to; i++ {
		k = max(k, l.st.warm[l.signal(i)].size)
	}
	if k == 0 {
		return nil
	}
	m := to - from
	w := make([]float64, k*m)
	for i := range m {
		c := l.st.warm[l.signal(from+i)]
		for e, j := range c.at {
			w[int(j)*m+i] = c.v[e]
		}
	}
	return mat.NewDense(k, m, w)
}

// keep stores the columns of warm, which is the field Warm of the Codes that the coder returned. The columns are used
// the next time the same signals are coded. from is the position of the first of these signals in the pass.
func (l *learner) keep(warm *mat.Dense, from int) {
	if !l.opt.Warm || warm == nil {
		return
	}
	k, m := warm.Dims()
	cells := make([]cell, m)
	for j := range k {
		for i, v := range warm.RawRowView(j) {
			if v != 0 {
				cells[i].at = append(cells[i].at, uint32(j))
				cells[i].v = append(cells[i].v, v)
			}
		}
	}
	for i, c := range cells {
		c.size = k
		l.st.warm[l.signal(from+i)] = c
	}
}
