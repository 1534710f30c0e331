package progress

import (
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"overcomplete/internal/terminal"
	"overcomplete/ui/display"
)

// Bar returns a Recorder that shows the progress of a computation:
//
//	r, err := nmf.Fit(ctx, X, nmf.Options{Recorder: progress.Bar("learning")})
//
// In a notebook the Recorder shows a bar with the rate, the remaining time and the objective. It draws the
// bar at most ten times a second; the last state is saved with the notebook. In a terminal the Recorder
// rewrites one line. If standard error is a file or a pipe, it writes a line every ten seconds. Each kind of
// event (Event.What) has its own line.
//
// Nothing is shown before the first event.
func Bar(what string) *Live { return &Live{title: what, out: os.Stderr, now: time.Now} }

// A Live is the Recorder that Bar returns. Several goroutines may use it. After one run it may be used for a
// second run, which it shows from the beginning.
type Live struct {
	title string
	out   io.Writer
	now   func() time.Time
	tty   *bool // whether output goes to a terminal; nil means not known yet

	mu    sync.Mutex
	id    string // display id in a notebook, "" before the first event
	rows  []*row
	last  time.Time // time of the last line in a terminal
	width int       // width of the terminal's current line
	on    string    // the row shown on that line
}

// maxRows limits the number of rows shown; rows of finished runs are removed first.
const maxRows = 8

// A row shows the progress of one kind of event, that is, of events with the same What.
type row struct {
	Event
	first  int // step of the first event
	begin  time.Time
	end    time.Time // of the latest event
	closed bool      // Done was called
	valued bool      // some Objective was a number other than 0
}

// Record shows an event.
func (b *Live) Record(e Event) {
	if id := b.record(e); id != "" {
		b.draw(id)
	}
}

// record stores an event and returns the id of the display to redraw, or "" if there is none. Without a kernel it
// writes the event's row to b.out. In a notebook the first event creates the display.
func (b *Live) record(e Event) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.row(e)
	if !display.Attached() {
		b.terminal(r)
		return ""
	}
	if b.id == "" {
		b.id = display.NewID()
		display.DisplayID(b.id, b.data())
		return ""
	}
	return b.id
}

// draw updates the display with the given id. If the update is delayed, it shows the state at the time when it is
// drawn.
func (b *Live) draw(id string) {
	display.UpdateSoon(id, func() display.Data {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.data()
	})
}

// Done ends the display, so that a run that converged early does not remain at "37 of 100". Calling Done is
// optional.
func (b *Live) Done() {
	b.mu.Lock()
	for _, r := range b.rows {
		r.closed = true
	}
	id := b.id
	if id == "" && b.width > 0 {
		b.endLine()
	}
	b.mu.Unlock()
	if id != "" {
		b.draw(id)
		display.Flush()
	}
}

// row stores e in the row for events of its kind, and returns that row. It adds a row if there is none. If e.Step is
// lower than the row's last step, or if the row is closed, a new run has begun, and a new row replaces the old one.
func (b *Live) row(e Event) *row {
	now := b.now()
	for i, r := range b.rows {
		if r.What != e.What {
			continue
		}
		if e.Step < r.Step || r.closed {
			b.rows[i] = &row{Event: e, first: e.Step, begin: now, end: now, valued: hasValue(e)}
		} else {
			r.Event, r.end, r.valued = e, now, r.valued || hasValue(e)
		}
		return b.rows[i]
	}
	if len(b.rows) == maxRows {
		drop := 0
		for i, r := range b.rows {
			if r.isFinished() {
				drop = i
				break
			}
		}
		b.rows = append(b.rows[:drop], b.rows[drop+1:]...)
	}
	r := &row{Event: e, first: e.Step, begin: now, end: now, valued: hasValue(e)}
	b.rows = append(b.rows, r)
	return r
}

// hasValue reports whether the event's objective is a number other than 0.
func hasValue(e Event) bool { return e.Objective != 0 && !math.IsNaN(e.Objective) }

func (r *row) isFinished() bool { return r.closed || r.Total > 0 && r.Step >= r.Total }

// name returns the title of the bar together with the row's description of the work.
func (b *Live) name(r *row) string {
	switch {
	case b.title == "" || b.title == r.What:
		return r.What
	case r.What == "":
		return b.title
	}
	return b.title + ": " + r.What
}

// numbers returns the row's steps, rate, time and objective as a short string.
func (r *row) numbers() string {
	var parts []string
	switch {
	case r.Total > 0 && r.Step >= r.Total:
		parts = append(parts, fmt.Sprintf("%d of %d", r.Step, r.Total))
	case r.Total > 0:
		parts = append(parts, fmt.Sprintf("%d of %d (%d %%)", r.Step, r.Total, int(100*r.done())))
	default:
		parts = append(parts, fmt.Sprint(r.Step))
	}
	took := r.end.Sub(r.begin)
	steps := r.Step - r.first
	if took > 0 && steps > 0 {
		parts = append(parts, rate(float64(steps)/took.Seconds()))
	}
	switch {
	case r.isFinished() && took > 0:
		parts = append(parts, "in "+duration(took))
	case r.Total > r.Step && steps > 0 && !r.closed:
		// The estimate uses the mean of all steps so far, because that does not fluctuate.
		left := time.Duration(float64(took) / float64(steps) * float64(r.Total-r.Step))
		parts = append(parts, duration(left)+" left")
	}
	if r.valued && !math.IsNaN(r.Objective) {
		parts = append(parts, fmt.Sprintf("objective %.6g", r.Objective))
	}
	return strings.Join(parts, ", ")
}

func (r *row) done() float64 {
	return math.Min(1, math.Max(0, float64(r.Step)/float64(r.Total)))
}

// rate formats a rate as steps per second, or as seconds per step if that is easier to read.
func rate(perSecond float64) string {
	if perSecond < 0.5 {
		return duration(time.Duration(float64(time.Second)/perSecond)) + " a step"
	}
	return number(perSecond) + "/s"
}

// duration formats d, rounded so that it is easy to read: to 10 ms for times below a second, to whole minutes for
// times of an hour or more.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// data returns the content that a notebook shows for the bar.
func (b *Live) data() display.Data {
	var page, text strings.Builder
	page.WriteString(`<div style="font-family:sans-serif;font-size:90%;line-height:1.5">`)
	for i, r := range b.rows {
		name, numbers := b.name(r), r.numbers()
		if i > 0 {
			text.WriteByte('\n')
		}
		if name != "" {
			text.WriteString(name + ": ")
		}
		text.WriteString(numbers)
		page.WriteString(`<div style="display:flex;flex-wrap:wrap;align-items:center;gap:0 10px">`)
		if name != "" {
			fmt.Fprintf(&page, `<span style="min-width:7em">%s</span>`, html.EscapeString(name))
		}
		if r.Total > 0 {
			colour := "#1f77b4"
			if r.Step >= r.Total {
				colour = "#2a9d5c"
			} else if r.closed {
				colour = "#8a8a8a"
			}
			fmt.Fprintf(&page, `<span role="progressbar" aria-valuemin="0" aria-valuemax="%d" aria-valuenow="%d" aria-label="%s" style="display:inline-block;width:16em;max-width:100%%;height:0.8em;background:rgba(128,128,128,0.25);border-radius:3px;overflow:hidden">`+
				`<span style="display:block;height:100%%;width:%.1f%%;background:%s"></span></span>`, r.Total, r.Step, html.EscapeString(name), 100*r.done(), colour)
		}
		fmt.Fprintf(&page, `<span style="font-variant-numeric:tabular-nums">%s</span></div>`, html.EscapeString(numbers))
	}
	page.WriteString(`</div>`)
	return display.Data{Data: map[string]any{display.MIMETypeHTML: page.String(), display.MIMETypeText: text.String()}}
}

// lineEvery and printEvery are the shortest times between two lines: lineEvery in a terminal, which overwrites its
// line, and printEvery in a file or a pipe.
const (
	lineEvery  = 100 * time.Millisecond
	printEvery = 10 * time.Second
)

// terminal writes r as one line, unless the previous line was written too recently. It overwrites the current line of
// a terminal, and adds a line to a file or a pipe.
func (b *Live) terminal(r *row) {
	if b.tty == nil {
		is := terminal.Is(b.out)
		b.tty = &is
	}
	now, whole := b.now(), r.Total > 0 && r.Step >= r.Total
	line := r.numbers()
	if name := b.name(r); name != "" {
		line = name + ": " + line
	}
	if !*b.tty {
		if whole || b.last.IsZero() && r.Step > r.first || now.Sub(b.last) >= printEvery {
			if b.last.IsZero() && !whole && now.Sub(r.begin) < printEvery {
				return // a row that ends early has only a single line, at its end
			}
			b.last = now
			fmt.Fprintf(b.out, "%s  %s\n", now.Format("15:04:05"), line)
		}
		return
	}
	if b.width > 0 && b.on != r.What {
		b.endLine() // the line for the other row keeps its last state
	} else if !whole && now.Sub(b.last) < lineEvery {
		return
	}
	b.last, b.on = now, r.What
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(b.out, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-width)))
	b.width = width
	if whole {
		b.endLine()
	}
}

func (b *Live) endLine() {
	fmt.Fprintln(b.out)
	b.width, b.on = 0, ""
}

// number formats v with three significant digits, or as a whole number if v is at least 1000.
func number(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
