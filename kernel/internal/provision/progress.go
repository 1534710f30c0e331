package provision

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A line is a progress line that also shows the elapsed time. Front ends show each text in place of the
// previous text.
type line struct {
	w            io.Writer
	now          func() time.Time
	every, quiet time.Duration

	mu      sync.Mutex
	text    string
	since   time.Time
	shown   int  // width of the text shown, 0 if there is none
	eager   bool // show the first text at once
	running chan struct{}
}

// line returns a line that shows nothing yet.
func (p *Provider) line() *line {
	w := p.opt.Stderr
	if !p.opt.Interactive {
		w = io.Discard
	}
	return &line{w: w, now: p.now, every: p.every, quiet: p.quiet}
}

// begin shows text at once and starts the clock.
func (l *line) begin(text string) {
	l.mu.Lock()
	l.eager, l.since = true, time.Time{}
	l.mu.Unlock()
	l.say(text)
}

// doing shows text if the operation takes long.
func (l *line) doing(text string) { l.say(text) }

// say replaces the text. If the line does not show anything yet, the text appears only after a while, unless begin()
// has been called.
func (l *line) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if l.since.IsZero() {
		l.since = l.now()
	}
	before := l.text
	l.text = text
	// If only a count in parentheses has changed, wait for the next second.
	if what, _, _ := strings.Cut(text, " ("); l.running == nil || !strings.HasPrefix(before, what) {
		if l.eager || l.shown > 0 {
			l.show()
		}
	}
	if l.running == nil {
		l.running = make(chan struct{})
		go l.tick(l.running)
	}
}

// tick shows the text once the operation has taken a while, and then updates the elapsed time. It returns after
// close(stop).
func (l *line) tick(stop chan struct{}) {
	first := time.NewTimer(l.quiet)
	defer first.Stop()
	every := time.NewTicker(l.every)
	defer every.Stop()
	for {
		select {
		case <-stop:
			return
		case <-first.C:
			l.mu.Lock()
			if l.running == stop && l.shown == 0 {
				l.show()
			}
			l.mu.Unlock()
		case <-every.C:
			l.mu.Lock()
			if l.running == stop && l.shown > 0 {
				l.show()
			}
			l.mu.Unlock()
		}
	}
}

// took returns the time since the line began, as text.
func (l *line) took() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return seconds(l.now().Sub(l.since))
}

// show shows the text with the time. The caller holds mu.
func (l *line) show() {
	l.put(fmt.Sprintf("%s ... %s", l.text, seconds(l.now().Sub(l.since).Round(time.Second))))
}

// put writes text over the previous text. The caller holds mu.
func (l *line) put(text string) {
	width := utf8.RuneCountInString(text)
	pad := strings.Repeat(" ", max(l.shown-width, 0))
	if l.shown > 0 {
		text = "\r" + text
	}
	io.WriteString(l.w, text+pad)
	l.shown = width
}

// end ends the line. Its last text stays.
func (l *line) end() { l.endWith("") }

// endWith ends the line. If text is not empty, it replaces the last text.
func (l *line) endWith(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running != nil {
		close(l.running)
		l.running = nil
	}
	if text != "" {
		l.put(text)
	}
	if l.shown > 0 {
		io.WriteString(l.w, "\n")
	}
	l.shown, l.eager, l.since = 0, false, time.Time{}
}

// seconds formats a duration with useful precision.
func seconds(d time.Duration) string {
	switch {
	case d < 10*time.Second && d >= 100*time.Millisecond && d%time.Second != 0:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
