package progress

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/ui/display"
)

// A clock advances only when the test advances it.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func live(title string, tty bool) (*Live, *clock, *strings.Builder) {
	c := &clock{time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)}
	var out strings.Builder
	return &Live{title: title, out: &out, now: c.now, tty: &tty}, c, &out
}

// TestObjective checks that an unset objective is not shown, but an objective that reaches 0 is.
func TestObjective(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 0, 0}, "3 of 3"}, {[]float64{math.NaN(), math.NaN(), math.NaN()}, "3 of 3"},
		{[]float64{2, 1, 0}, "3 of 3, objective 0"}, {[]float64{0, 0, 4}, "3 of 3, objective 4"}, {[]float64{1, 1, math.NaN()}, "3 of 3"},
	} {
		b, _, _ := live("", true)
		for i, v := range c.values {
			b.Record(Event{Step: i + 1, Total: 3, Objective: v})
		}
		if got := b.rows[0].numbers(); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
	// A second run gets another row.
	b, _, _ := live("", true)
	b.Record(Event{Step: 3, Total: 3, Objective: 5})
	b.Record(Event{Step: 0, Total: 3})
	if got := b.rows[0].numbers(); got != "0 of 3 (0 %)" {
		t.Errorf("a second run: %q", got)
	}
}

func TestTerminal(t *testing.T) {
	b, c, out := live("fit", true)
	for i := range 101 {
		b.Record(Event{What: "A", Step: i, Total: 100, Objective: 1 / float64(i+1)})
		c.t = c.t.Add(50 * time.Millisecond)
	}
	lines := strings.Split(out.String(), "\r")
	if len(lines) != 52 { // the first event, then one every two seconds, including the last
		t.Errorf("%d updates", len(lines)-1)
	}
	if got, want := strings.TrimRight(lines[11], " "), "fit: A: 20 of 100 (20 %), 20/s, 4s left, objective 0.047619"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := strings.TrimSpace(lines[len(lines)-1]), "fit: A: 100 of 100, 20/s, in 5s, objective 0.00990099"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !strings.HasSuffix(out.String(), "\n") {
		t.Error("the last line is not ended")
	}
	longest := 0
	for _, l := range lines[1:] { // no rest of a longer line may remain
		l = strings.TrimSuffix(l, "\n")
		if len(l) < longest {
			t.Errorf("%q does not cover the line before", l)
		}
		longest = len(strings.TrimRight(l, " "))
	}
	b.Done()
	if strings.HasSuffix(out.String(), "\n\n") {
		t.Error("a line was ended twice")
	}

	b, _, out = live("", true)
	b.Record(Event{What: "a", Step: 1, Objective: math.NaN()})
	b.Record(Event{What: "b", Step: 1, Objective: math.NaN()})
	b.Done()
	if got := out.String(); got != "\ra: 1\n\rb: 1\n" {
		t.Errorf("two kinds: %q", got)
	}
}

func TestFile(t *testing.T) {
	b, c, out := live("", false)
	for i := range 61 {
		b.Record(Event{What: "A", Step: i, Total: 60, Objective: math.NaN()})
		c.t = c.t.Add(time.Second)
	}
	want := "03:04:10  A: 10 of 60 (16 %), 1/s, 50s left\n"
	if got := out.String(); strings.Count(got, "\n") != 6 || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "A: 60 of 60, 1/s, in 1m0s\n") {
		t.Errorf("%s", got)
	}
	b, c, out = live("", false)
	for i := range 11 {
		b.Record(Event{What: "quick", Step: i, Total: 10, Objective: math.NaN()})
		c.t = c.t.Add(time.Millisecond)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 {
		t.Errorf("%s", got)
	}
}

// TestNotebook checks that there is one display with few updates, and that its last state shows the
// last event.
func TestNotebook(t *testing.T) {
	var mu sync.Mutex
	var events []display.Event
	old := display.SetPublisher(func(e display.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	defer func() { display.SetPublisher(old) }()
	b := Bar("learning")
	begin := time.Now()
	var r Recorder = b
	for i := range 20001 {
		Report(r, Event{What: "A <step>", Step: i, Total: 20000, Objective: float64(i)})
	}
	display.Flush() // as the kernel does at the end of the cell
	mu.Lock()
	defer mu.Unlock()
	if most := 4 + int(time.Since(begin)/(100*time.Millisecond)); len(events) > most {
		t.Errorf("%d messages, more than %d", len(events), most)
	}
	id := events[0].Data.Transient["display_id"]
	for i, e := range events {
		if e.Update != (i > 0) || e.Data.Transient["display_id"] != id {
			t.Errorf("message %d: %+v", i, e)
		}
	}
	d := events[len(events)-1].Data.Data
	text, html := d[display.MIMETypeText].(string), d[display.MIMETypeHTML].(string)
	if !strings.HasPrefix(text, "learning: A <step>: 20000 of 20000, ") || !strings.HasSuffix(text, "objective 20000") {
		t.Errorf("final text %q", text)
	}
	if !strings.Contains(html, "width:100.0%") || strings.Contains(html, "<step>") || strings.Contains(html, "<script") {
		t.Errorf("final page %s", html)
	}
}

func TestRows(t *testing.T) {
	b, c, _ := live("", false)
	add := func(what string, step, total int) string {
		c.t = c.t.Add(time.Second)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.row(Event{What: what, Step: step, Total: total, Objective: math.NaN()})
		return b.data().Data[display.MIMETypeText].(string)
	}
	add("a", 0, 2)
	add("a", 2, 2)
	if got, want := add("b", 0, 0), "a: 2 of 2, 2/s, in 1s\nb: 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := add("a", 1, 2), "a: 1 of 2 (50 %)\nb: 0"; got != want { // a second run
		t.Errorf("got %q, want %q", got, want)
	}
	add("a", 2, 2)
	for i := range 20 {
		add(fmt.Sprint("k", i), 1, 1)
	}
	if n := len(b.rows); n != maxRows {
		t.Errorf("%d rows", n)
	}
	b.Done()
	add("k19", 5, 10)
	if got := b.rows[len(b.rows)-1].first; got != 5 {
		t.Errorf("after Done a run goes on from %d", got)
	}
}

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{12345 * time.Microsecond: "10ms", 1234 * time.Millisecond: "1.2s", 83*time.Second + 400*time.Millisecond: "1m23s", 3*time.Hour + 25*time.Minute: "3h25m"} {
		if got := duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for r, want := range map[float64]string{1234.4: "1234/s", 12.34: "12.3/s", 0.1: "10s a step"} {
		if got := rate(r); got != want {
			t.Errorf("%v: %q, want %q", r, got, want)
		}
	}
}

func ExampleBar() {
	b := Bar("learning") // for the Recorder of a solver's options
	defer b.Done()
	for step := range 3 {
		Report(b, Event{Step: step, Total: 1000, Objective: 1})
	}
	// Output:
}

// A bar that ends early says how long the work took, and not how much time is left.
func TestEnd(t *testing.T) {
	b, c, _ := live("", true)
	b.Record(Event{Step: 0, Total: 10})
	c.t = c.t.Add(4 * time.Second)
	b.Record(Event{Step: 4, Total: 10})
	if got := b.rows[0].numbers(); got != "4 of 10 (40 %), 1/s, 6s left" {
		t.Error(got)
	}
	End(b)
	if got := b.rows[0].numbers(); got != "4 of 10 (40 %), 1/s, in 4s" {
		t.Error(got)
	}
	End(nil)
	End(Func(func(Event) {}))
}
