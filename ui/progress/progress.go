// Package progress is the one way in which anything long says how far it is.
//
// A solver takes a Recorder in its options and calls Record now and then; what
// becomes of the events is not its business, and a nil Recorder costs nothing:
//
//	progress.Report(opt.Recorder, progress.Event{What: "learn A", Step: t, Total: n, Objective: f})
//
// Who runs the solver gives it a Bar, which is a bar in a notebook and a line in
// a terminal:
//
//	Options{Recorder: progress.Bar("learning")}
package progress

// An Event says how far something is.
type Event struct {
	What  string // what is being done, a few words
	Step  int    // steps done, from 0
	Total int    // steps in all, 0 if not known
	// Objective is the value being minimised or maximised, NaN if there is none. A Bar
	// shows it from the first that is not 0: who only counts steps may leave it out.
	Objective float64
}

// A Recorder is told of events. It may be called from one goroutine at a time
// only, and must return quickly.
type Recorder interface {
	Record(Event)
}

// Func makes a function a Recorder.
type Func func(Event)

// Record calls f.
func (f Func) Record(e Event) { f(e) }

// Report hands e to r unless r is nil.
func Report(r Recorder, e Event) {
	if r != nil {
		r.Record(e)
	}
}
