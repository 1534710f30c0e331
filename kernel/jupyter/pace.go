package jupyter

import (
	"strings"
	"time"
)

const (
	// minDelay is how long text waits if little has been printed, or after a pause, so that more text can share its
	// message. maxDelay is the longest wait.
	minDelay = 20 * time.Millisecond
	maxDelay = 200 * time.Millisecond
	// Waiting text is sent at once when it reaches minText bytes, or maxText bytes if much text has already been
	// printed. Jupyter servers pass on 3 MB in 3 s, and then drop whole messages (iopub_data_rate_limit). With longer
	// messages more text of a cell that prints fast would be lost.
	minText = 64 << 10
	maxText = 512 << 10
	// growth is the length of a message relative to the text that the page already shows.
	growth = 4
)

// A pace decides when the printed text of a cell is sent. JupyterLab redraws a whole stream of text with each message.
// If a long text came in many messages, drawing it would take longer than printing it. So as the page fills, new text
// waits longer (up to maxDelay) and is sent in larger messages (up to maxText). Text after a pause is sent after
// minDelay, like the first text.
//
// The zero value is for a cell that has shown nothing.
type pace struct {
	drawn int       // bytes of the stream that are on the page
	sent  time.Time // time of the last message
}

// delay returns how long text may wait if it starts waiting at the given time.
func (p *pace) delay(now time.Time) time.Duration {
	d := minDelay * time.Duration(growth*min(p.drawn, maxText)) / minText
	d = min(max(d, minDelay), maxDelay)
	if now.Sub(p.sent) > d { // true also if nothing has been sent yet
		return minDelay
	}
	return d
}

// enough returns the number of waiting bytes at which the text is sent without further delay.
func (p *pace) enough() int { return min(max(growth*p.drawn, minText), maxText) }

// wrote records that the cell has written text.
func (p *pace) wrote(text string) {
	if i := strings.LastIndexByte(text, '\r'); i >= 0 && !strings.HasPrefix(text[i:], "\r\n") {
		return // a line that overwrites the previous one, such as a progress bar, does not make the text longer
	}
	p.drawn += len(text)
}

// flushed records that the waiting text has been sent.
func (p *pace) flushed(now time.Time) { p.sent = now }

// restart records that the following text starts a new output.
func (p *pace) restart() { *p = pace{} }
