// Package progress is how long computations report their progress.
//
// A solver takes a Recorder in its options and calls Record now and then. What
// happens to the events is not its concern, and a nil Recorder costs nothing:
//
//	progress.Report(opt.Recorder, progress.Event{What: "learn A", Step: t, Total: n, Objective: f})
//
// The caller of the solver passes it a Bar, which is a bar in a notebook and a line in
// a terminal:
//
//	Options{Recorder: progress.Bar("learning")}
package progress

// An Event is a report of progress.
type Event struct {
	What  string // what is being done, a few words
	Step  int    // steps done, from 0
	Total int    // total number of steps, 0 if not known
	// Objective is the value being minimized or maximized, NaN if there is none. A Bar
	// shows it from the first value that is not 0, so a solver that only counts steps may
	// leave it out.
	Objective float64
}

// A Recorder receives events. Record must not be called from several goroutines at a
// time, and must return quickly.
type Recorder interface {
	Record(Event)
}

// Func is a function used as a Recorder.
type Func func(Event)

// Record calls f.
func (f Func) Record(e Event) { f(e) }

// Report calls r.Record with e unless r is nil.
func Report(r Recorder, e Event) {
	if r != nil {
		r.Record(e)
	}
}
