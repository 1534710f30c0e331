package headless

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A ticker shows on a terminal which cell is running: one line that is
// rewritten on a terminal, and a line for each cell elsewhere, as in a log.
type ticker struct {
	w     io.Writer
	tty   bool
	name  string
	start time.Time

	mu   sync.Mutex
	line string // what is running, "" for nothing
	done chan struct{}
}

func newTicker(w io.Writer, name string, start time.Time) *ticker {
	t := &ticker{w: w, name: name, start: start, tty: IsTerminal(w), done: make(chan struct{})}
	if t.tty {
		go t.tick()
	}
	return t
}

// IsTerminal tells whether w is a terminal rather than a file or a pipe.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || f == nil || f.Name() == os.DevNull || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (t *ticker) tick() {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-every.C:
			t.mu.Lock()
			t.rewrite()
			t.mu.Unlock()
		}
	}
}

// rewrite puts the line in place of the one before it; t.mu is held.
func (t *ticker) rewrite() {
	if t.line != "" {
		fmt.Fprintf(t.w, "\r\x1b[K%s  %s  %s", t.name, clock(time.Since(t.start)), t.line)
	}
}

// cell says that cell i of n begins.
func (t *ticker) cell(i, n int, source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = fmt.Sprintf("cell %d of %d  %s", i, n, firstWords(source))
	if t.tty {
		t.rewrite()
	} else {
		fmt.Fprintf(t.w, "%s  %s  %s\n", t.name, clock(time.Since(t.start)), t.line)
	}
}

// finish leaves a last line that stays.
func (t *ticker) finish(text string) {
	close(t.done)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line = ""
	if t.tty {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
	fmt.Fprintf(t.w, "%s  %s  %s\n", t.name, clock(time.Since(t.start)), text)
}

// clock writes minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// firstWords is the start of the first line that says something.
func firstWords(source string) string {
	const width = 44
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/"))
		if line == "" || line == "import (" {
			continue
		}
		if r := []rune(line); len(r) > width {
			line = string(r[:width-1]) + "…"
		}
		return line
	}
	return ""
}
