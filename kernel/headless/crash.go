package headless

import (
	"regexp"
	"strings"
	"sync"

	"overcomplete/internal/module"
)

// What the Go runtime writes when it ends a process: first what has happened, then the stack of the goroutine that
// it happened to, then those of all others.

// crashText keeps the beginning of what is written to it.
type crashText struct {
	mu   sync.Mutex
	text []byte
	cut  bool
}

const mostCrashText = 4000

func (c *crashText) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := mostCrashText - len(c.text)
	c.cut = c.cut || len(b) > room
	c.text = append(c.text, b[:min(len(b), room)]...)
	return len(b), nil
}

func (c *crashText) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := string(c.text)
	if c.cut {
		s = s[:strings.LastIndexByte(s, '\n')+1] + "...\n"
	}
	return s
}

// causeOf returns why a process has ended that wrote text, "" if the text does not tell. It says that the kernel is
// at fault where the stack shows that, and lays nothing to a cell that it does not show.
func causeOf(text string) string {
	if strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory") {
		return "out of memory"
	}
	if strings.Contains(text, "stack overflow") || strings.Contains(text, "stack exceeds") {
		return "stack overflow"
	}
	what := fatalError(text)
	if strings.Contains(text, "maps.fatal(") {
		// The runtime writes that line to standard error, where the kernel would have caught it.
		what = "two goroutines used a map at once"
	}
	function, forCell := crashedIn(text)
	switch {
	case what == "" || function == "":
		return what
	case isKernels(function) && forCell:
		return what + ", one of them in code of a cell"
	case isKernels(function):
		return "a fault of the kernel, not of the cell: " + what + " in " + function +
			"; please report it, with the cell and this text"
	}
	return what + ", in " + function
}

// fatalError returns what the runtime calls the error.
func fatalError(text string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "fatal error: "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

var callInStack = regexp.MustCompile(`^(\S.*)\([^()]*\)$`)

// crashedIn returns the function that was at work when the process ended, beside those of the runtime, and whether
// it was at work on a value of a cell: by reflection or by the kernel's own access to such values.
func crashedIn(text string) (function string, forCell bool) {
	_, stack, _ := strings.Cut(text, "[running")
	stack, _, _ = strings.Cut(stack, "\n\n")
	for line := range strings.Lines(stack) {
		m := callInStack.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.HasPrefix(line, "\t") {
			continue
		}
		name := m[1]
		switch {
		case name == "panic" || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/"):
		case strings.HasPrefix(name, "reflect."), strings.HasPrefix(name, module.Package("kernel/internal/rt.")):
			forCell = true
		default:
			return name, forCell
		}
	}
	return "", forCell
}

// isKernels reports whether a function is a part of what runs cells.
func isKernels(function string) bool {
	for _, prefix := range []string{module.Package("kernel"), "github.com/goplus/", "github.com/visualfc/", "github.com/tetratelabs/wazero", "golang.org/x/tools/", "go/types."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
