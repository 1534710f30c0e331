// Package progress lets long computations report their progress.
//
// A solver takes a Recorder in its options and calls Record from time to time. The solver need not know what happens
// to the events, and a nil Recorder costs nothing:
//
//	progress.Report(opt.Recorder, progress.Event{What: "learn A", Step: t, Total: n, Objective: f})
//
// The solver's caller passes the Recorder that the function Bar returns. This Recorder shows a bar in a notebook and a
// line in a terminal:
//
//	Options{Recorder: progress.Bar("learning")}
package progress

// An Event reports progress.
type Event struct {
	What  string // description of the work, a few words
	Step  int    // number of completed steps, from 0
	Total int    // total number of steps, 0 if not known
	// Objective is the value being minimized or maximized, NaN if there is none. The Recorder that Bar returns
	// does not show the objective as long as it has always been 0. So a solver that only counts steps may omit it.
	Objective float64
}

// A Recorder receives events. Record must return quickly. Callers must not call Record from several goroutines at the
// same time.
type Recorder interface {
	Record(Event)
}

// Func is a function used as a Recorder.
type Func func(Event)

// Record calls f.
func (f Func) Record(e Event) { f(e) }

// End tells a Recorder that the work has ended, even if the last step was not reached. It calls the Recorder's method
// Done, or does nothing if there is no such method. The Recorder that Bar returns has one. r may be nil.
func End(r Recorder) {
	if d, ok := r.(interface{ Done() }); ok {
		d.Done()
	}
}

// Report calls r.Record with e unless r is nil.
func Report(r Recorder, e Event) {
	if r != nil {
		r.Record(e)
	}
}
