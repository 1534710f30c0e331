package main

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/suite"
)

// A forecast estimates the remaining time of a run of several notebooks. It uses the times of their cells in
// earlier runs, or the notebooks' budgets, and the speed of this run so far.
type forecast struct {
	mu    sync.Mutex
	now   func() time.Time
	jobs  int
	books []*book
	// expected is the total expected time of all finished cells. Their actual total time is in the field called took.
	expected, took float64
}

// A book is one notebook of a forecast. All times are wall-clock seconds.
type book struct {
	path    string
	whole   float64            // expected time of the notebook, NaN if unknown
	cells   map[string]float64 // expected time by cell; nil if only the time of the whole notebook is known
	spent   float64            // expected time of the finished cells
	started time.Time          // zero: not started
	began   time.Time          // start of the running cell; zero: none is running
	cell    string
	done    bool
}

// trust is the running time, in seconds, after which the measured speed has the same weight as the
// expectation.
const trust = 10

// plan returns a forecast for a run of the notebooks with the given parameters, and the order in which the notebooks
// should run. Short notebooks come first, so that the user soon has something to read. Where no earlier run shows how
// long a notebook takes, plan uses the notebook's budget. To convert budgets to seconds, plan uses reference, which is
// the current processor time of the reference product, the unit of cost (see suite.Reference).
func plan(notebooks []string, set []headless.Assignment, exps *experiments, jobs int, budget *suite.Budget, size string, reference float64) (*forecast, []string, error) {
	f := &forecast{now: time.Now, jobs: max(1, jobs)}
	for _, n := range notebooks {
		path, err := filepath.Abs(n)
		if err != nil {
			return nil, nil, err
		}
		b := &book{path: path, whole: math.NaN()}
		if exps.knows(path) {
			e, err := exps.suite.Expect(path, set, exps.options(path))
			if err != nil {
				return nil, nil, err
			}
			switch multiple := budget.Multiple(size, suite.PaperOf(path)); {
			case e.Known || e.Run == 0 && e.Kept > 0:
				b.whole, b.cells = e.Seconds(), e.Cells
			case multiple > 0 && reference > 0:
				// With two or more processors, much of the work uses two at once, so the elapsed time is the
				// processor time divided by 1.4.
				b.whole = multiple * reference / math.Min(1.4, float64(runtime.NumCPU()))
			}
		}
		f.books = append(f.books, b)
	}
	slices.SortStableFunc(f.books, func(a, b *book) int {
		switch {
		case math.IsNaN(a.whole) && math.IsNaN(b.whole):
			return 0
		case math.IsNaN(b.whole) || a.whole < b.whole:
			return -1
		case math.IsNaN(a.whole) || b.whole < a.whole:
			return 1
		}
		return 0
	})
	var order []string
	for _, b := range f.books {
		order = append(order, b.path)
	}
	return f, order, nil
}

func (f *forecast) book(path string) *book {
	i := slices.IndexFunc(f.books, func(b *book) bool { return b.path == path })
	if i < 0 {
		return &book{} // not part of the forecast
	}
	return f.books[i]
}

// start records that the notebook at path has started. When the notebook has finished, the caller must call finish.
func (f *forecast) start(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book(path).started = f.now()
}

func (f *forecast) finish(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.book(path)
	f.noteEnd(b)
	b.done = true
}

// begin records that a cell of the notebook at path has started. When the cell has ended, the caller should call end.
// This is not necessary for a cell that has failed: it counts as ended when the next cell begins or the notebook
// finishes.
func (f *forecast) begin(path, cell string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.book(path)
	f.noteEnd(b)
	b.cell, b.began = cell, f.now()
}

func (f *forecast) end(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noteEnd(f.book(path))
}

func (f *forecast) noteEnd(b *book) {
	if b.began.IsZero() {
		return
	}
	if b.cells != nil {
		f.expected += b.cells[b.cell]
		f.took += f.now().Sub(b.began).Seconds()
		b.spent += b.cells[b.cell]
	}
	b.began = time.Time{}
}

// remaining estimates the remaining time of the run. known is false if nothing is known about one of the remaining
// notebooks. The caller must hold f.mu.
func (f *forecast) remaining() (seconds float64, known bool) {
	pace := (f.took + trust) / (f.expected + trust)
	for _, b := range f.books {
		if b.done {
			continue
		}
		if math.IsNaN(b.whole) {
			return 0, false
		}
		rest := b.whole
		switch {
		case b.started.IsZero():
		case b.cells == nil: // count the time since the start as done
			rest = math.Max(0, b.whole-f.now().Sub(b.started).Seconds()/pace)
		default:
			rest -= b.spent
			if !b.began.IsZero() {
				rest -= math.Min(b.cells[b.cell], f.now().Sub(b.began).Seconds()/pace)
			}
		}
		seconds += math.Max(0, rest)
	}
	return seconds * pace / float64(min(f.jobs, max(1, len(f.books)))), true
}

// String returns the progress of the run in words: how many notebooks are done, and the remaining time if it is known.
func (f *forecast) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := 0
	for _, b := range f.books {
		if b.done {
			done++
		}
	}
	s := fmt.Sprintf("%d of %d notebooks", done, len(f.books))
	if seconds, known := f.remaining(); known && done < len(f.books) {
		s += ", " + timeLeft(seconds)
	}
	return s
}

// timeLeft returns the remaining time in words, rounded to the accuracy of the estimate.
func timeLeft(seconds float64) string {
	switch {
	case seconds < 8:
		return "a few seconds left"
	case seconds < 100:
		return fmt.Sprintf("about %.0f s left", 10*math.Ceil(seconds/10))
	}
	return fmt.Sprintf("about %.0f min left", math.Ceil(seconds/60))
}

// watch returns a Memory that does what m does, and also tells the forecast when cells of the notebook at path begin
// and end.
func (f *forecast) watch(path string, m headless.Memory) headless.Memory {
	return &watchedMemory{Memory: m, f: f, path: path}
}

type watchedMemory struct {
	headless.Memory
	f    *forecast
	path string
}

func (w *watchedMemory) Recall(k headless.Kernel, c *notebook.Cell) headless.RecalledCell {
	past := w.Memory.Recall(k, c)
	if !past.Skip {
		w.f.begin(w.path, c.ID)
	}
	return past
}

func (w *watchedMemory) Keep(k headless.Kernel, c *notebook.Cell, took headless.Cost) {
	w.f.end(w.path)
	w.Memory.Keep(k, c, took)
}
