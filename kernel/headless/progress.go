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

// A Board shows which cells are running. On a terminal it rewrites one line; elsewhere, for example in a log,
// it writes one line per cell. Several notebooks can share a Board. Text written to a Board appears in whole
// lines between the lines of the notebooks.
type Board struct {
	w   io.Writer
	tty bool

	mu      sync.Mutex
	running []*ticker
	ticking bool
	overall func() string
	said    time.Time // when the overall progress was last written to a log
}

// sometimes is the interval at which a log reports the overall progress.
const sometimes = 30 * time.Second

// Overall makes the board also show the progress of all notebooks, as the text that status() returns. On a terminal
// this text is at the beginning of the line. Elsewhere it is occasionally written as a separate line. While status
// runs, the board is locked, so status must not use it.
func (b *Board) Overall(status func() string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overall, b.said = status, time.Now()
}

// NewBoard returns a board that is shown on w.
func NewBoard(w io.Writer) *Board { return &Board{w: w, tty: terminal.Is(w)} }

// Write writes text that stays visible. The text should end with a newline.
func (b *Board) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
	n, err := b.w.Write(text)
	b.show()
	return n, err
}

// To writes the given text to w, which may be the board's terminal. The text stays visible.
func (b *Board) To(w io.Writer, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
	io.WriteString(w, text)
	b.show()
}

// A ticker shows the progress of one notebook on a board.
type ticker struct {
	board *Board
	name  string
	start time.Time
	cells int    // number of cells in the notebook
	at    int    // the running cell, from 1
	words string // start of the cell's source, or the state of its progress bar
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

// Begin shows a line for an activity other than the run of a notebook. The returned function replaces the line with
// the outcome.
func (b *Board) Begin(name, words string) (end func(how string)) {
	t := b.ticker(name, time.Now())
	t.cell(1, 0, words)
	return t.finish
}

// tick keeps the times on the board up to date while anything is running.
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

// beat updates the board. The caller holds b.mu.
func (b *Board) beat(now time.Time) {
	b.wipe()
	b.show()
	if !b.tty && b.overall != nil && now.Sub(b.said) >= sometimes {
		b.said = now
		fmt.Fprintln(b.w, b.overall())
	}
}

// wipe removes the board's line from the terminal. Calling show restores the line. The caller holds b.mu.
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

// line returns the text of the board's line: for a single notebook its running cell, for several notebooks the
// progress of each.
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

// cell shows that cell i of n starts.
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

// bar shows the state of the running cell's progress bar, if the board is on a terminal. If the text has several lines,
// bar shows only the last one, which describes the innermost work.
func (t *ticker) bar(text string) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.tty || text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	t.words = shorten(lines[len(lines)-1], 60)
	b.wipe()
	b.show()
}

// finish replaces the notebook's line with a permanent last line.
func (t *ticker) finish(text string) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(x *ticker) bool { return x == t })
	b.wipe()
	fmt.Fprintf(b.w, "%s  %s  %s\n", t.name, clock(time.Since(t.start)), text)
	b.show()
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// firstWords returns the start of the first line of a cell that is neither empty nor an import or %get line. If there
// is no such line, it returns the start of the first import or %get line.
func firstWords(source string) string {
	const width = 44
	head, block := "", false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/"))
		switch {
		case line == "", line == "import (":
			block = block || line != ""
			continue
		case block && strings.HasPrefix(line, ")"):
			block = false
			continue
		case block:
			line = "import " + line
		case !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "%get "):
			return shorten(line, width)
		}
		if head == "" {
			head = line
		}
	}
	return shorten(head, width)
}

// shorten cuts s to at most width characters.
func shorten(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}
