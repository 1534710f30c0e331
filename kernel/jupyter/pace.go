package jupyter

import (
	"strings"
	"time"
)

const (
	// minDelay is how long text waits for more text to share a message with, while little has
	// been printed or printing has paused; maxDelay is the longest that it ever waits.
	minDelay = 20 * time.Millisecond
	maxDelay = 200 * time.Millisecond
	// minText and maxText are the bytes from which waiting text is sent at once, after little
	// and after much of it. Servers pass on 3 MB in 3 s, and then drop whole messages
	// (iopub_data_rate_limit): with longer ones less of a text that is too fast would be seen.
	minText = 64 << 10
	maxText = 512 << 10
	// growth is how many times as long as what the page shows already the text of a message is.
	growth = 4
)

// A pace says when the text of a cell is sent. Front ends draw a stream anew at each of its
// messages, the whole of it in JupyterLab, so that many messages of a long text take the page
// longer than the cell took to print it. So what is waited for grows with what the page has to
// draw, and the number of messages of a text without a pause with the logarithm of its length. What is printed after a pause is shown after minDelay, as if it were the first.
//
// The zero value is a cell that has shown nothing.
type pace struct {
	drawn int       // bytes of the stream that the page is showing
	sent  time.Time // of the last message
}

// delay returns how long text that begins to wait at now may wait.
func (p *pace) delay(now time.Time) time.Duration {
	d := minDelay * time.Duration(growth*min(p.drawn, maxText)) / minText
	d = min(max(d, minDelay), maxDelay)
	if now.Sub(p.sent) > d { // also if nothing has been sent yet
		return minDelay
	}
	return d
}

// enough returns the bytes from which text does not wait.
func (p *pace) enough() int { return min(max(growth*p.drawn, minText), maxText) }

// wrote notes that the cell has written text.
func (p *pace) wrote(text string) {
	if i := strings.LastIndexByte(text, '\r'); i >= 0 && !strings.HasPrefix(text[i:], "\r\n") {
		return // a progress bar: it is drawn over the last one
	}
	p.drawn += len(text)
}

// flushed notes that the text that waited has been sent.
func (p *pace) flushed(now time.Time) { p.sent = now }

// restart notes that what is printed from here on is an output of its own.
func (p *pace) restart() { *p = pace{} }
