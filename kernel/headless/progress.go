package headless

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"overcomplete/internal/terminal"
)

// A Board shows which cells are running: on a terminal one line that is
// rewritten, elsewhere, as in a log, a line for each cell. Several notebooks
// can share it, and what is written to it comes in whole lines between theirs.
type Board struct {
	w   io.Writer
	tty bool

	mu      sync.Mutex
	running []*ticker
	ticking bool
	overall func() string
	said    time.Time // when the text of overall was written last, where that stays
}

// sometimes is how often a log is told how far all is.
const sometimes = 30 * time.Second

// Overall has the board also say how far all notebooks are: on a terminal at the beginning of the
// line, elsewhere in a line of its own now and then. say must not use the board.
func (b *Board) Overall(say func() string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overall, b.said = say, time.Now()
}

// NewBoard makes a board that is shown on w.
func NewBoard(w io.Writer) *Board { return &Board{w: w, tty: terminal.Is(w)} }

// Write writes text that stays. It should end with a newline.
func (b *Board) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
	n, err := b.w.Write(text)
	b.show()
	return n, err
}

// To writes text that stays to w, which may be another way to the same terminal.
func (b *Board) To(w io.Writer, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
	io.WriteString(w, text)
	b.show()
}

// A ticker is one notebook on a board.
type ticker struct {
	board *Board
	name  string
	start time.Time
	cells int    // of the notebook
	at    int    // the cell that runs, from 1
	words string // of its source
}

func (b *Board) ticker(name string, start time.Time) *ticker {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &ticker{board: b, name: name, start: start}
	b.running = append(b.running, t)
	if (b.tty || b.overall != nil) && !b.ticking {
		b.ticking = true
		go b.tick()
	}
	return t
}

// Begin shows that something runs which is not a notebook, until end is called with a word on how it ended.
func (b *Board) Begin(name, words string) (end func(how string)) {
	t := b.ticker(name, time.Now())
	t.cell(1, 0, words)
	return t.finish
}

// tick keeps the times on the board going while anything runs.
func (b *Board) tick() {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for now := range every.C {
		b.mu.Lock()
		if len(b.running) == 0 {
			b.ticking = false
			b.mu.Unlock()
			return
		}
		b.beat(now)
		b.mu.Unlock()
	}
}

// beat brings what the board shows up to now; b.mu is held.
func (b *Board) beat(now time.Time) {
	b.wipe()
	b.show()
	if !b.tty && b.overall != nil && now.Sub(b.said) >= sometimes {
		b.said = now
		fmt.Fprintln(b.w, b.overall())
	}
}

// wipe takes the line away, show puts it there; b.mu is held.
func (b *Board) wipe() {
	if b.tty {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

func (b *Board) show() {
	if !b.tty {
		return
	}
	line := b.line()
	if b.overall != nil && line != "" {
		line = shorten(b.overall()+" | "+line, 120)
	}
	fmt.Fprint(b.w, line)
}

// line returns what runs: of one notebook the cell, of several how far they are.
func (b *Board) line() string {
	var parts []string
	for _, t := range b.running {
		if t.at > 0 {
			parts = append(parts, fmt.Sprintf("%s  %s  %d/%d", strings.TrimSuffix(t.name, ".ipynb"), clock(time.Since(t.start)), t.at, t.cells))
		}
	}
	if len(parts) == 1 {
		for _, t := range b.running {
			if t.at > 0 {
				return fmt.Sprintf("%s  %s  %s", t.name, clock(time.Since(t.start)), t.text())
			}
		}
	}
	return shorten(strings.Join(parts, " | "), 100)
}

func (t *ticker) text() string {
	if t.cells == 0 {
		return t.words
	}
	return fmt.Sprintf("cell %d of %d  %s", t.at, t.cells, t.words)
}

// cell says that cell i of n begins.
func (t *ticker) cell(i, n int, source string) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	t.at, t.cells, t.words = i, n, firstWords(source)
	if b.tty {
		b.wipe()
		b.show()
		return
	}
	fmt.Fprintf(b.w, "%s  %s  %s\n", t.name, clock(time.Since(t.start)), t.text())
}

// finish leaves a last line that stays.
func (t *ticker) finish(text string) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(x *ticker) bool { return x == t })
	b.wipe()
	fmt.Fprintf(b.w, "%s  %s  %s\n", t.name, clock(time.Since(t.start)), text)
	b.show()
}

// clock writes minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// firstWords returns the start of the first line that says something.
func firstWords(source string) string {
	const width = 44
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/"))
		if line == "" || line == "import (" {
			continue
		}
		return shorten(line, width)
	}
	return ""
}

// shorten cuts what is wider than width characters.
func shorten(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}
