package headless

import (
	"regexp"
	"strings"
	"sync"

	"overcomplete/internal/module"
)

// When the Go runtime crashes, it writes the reason first, then the stack of the crashing goroutine, then the
// stacks of all other goroutines.

// crashText is a writer that keeps the beginning of the text written to it.
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

// causeOf returns the reason why a process has ended, from the text that the process wrote. It returns "" if the text
// does not give the reason. The reason names the kernel or a cell only if the stack trace in the text shows that the
// fault is there.
func causeOf(text string) string {
	if strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory") {
		return "out of memory"
	}
	if strings.Contains(text, "stack overflow") || strings.Contains(text, "stack exceeds") {
		return "stack overflow"
	}
	what := fatalError(text)
	if strings.Contains(text, "maps.fatal(") {
		// The runtime writes its message directly to the file descriptor of standard error, which the kernel
		// has redirected.
		what = "two goroutines used a map at the same time"
	}
	function, forCell := crashedIn(text)
	switch {
	case what == "" || function == "":
		return what
	case isKernels(function) && forCell:
		return what + ", one of them in code of a cell"
	case isKernels(function):
		return "this is a fault of the kernel, not of the cell: " + what + " in " + function +
			"; please report it, with the cell and this text"
	}
	return what + ", in " + function
}

// fatalError returns the message with which Go's runtime ended the process: the rest of a line that begins with "fatal
// error: ". It returns "" if there is no such line.
func fatalError(text string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "fatal error: "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

var callInStack = regexp.MustCompile(`^(\S.*)\([^()]*\)$`)

// crashedIn returns the function in which a process crashed, judging from the text of the crash. This is the innermost
// function of the crashing goroutine, leaving out functions of the Go runtime and functions that access a cell's values
// (package reflect and the kernel's package rt). crashedIn returns "" if there is no such function. forCell reports
// whether the crash happened during an access to a cell's values.
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

// isKernels reports whether a function belongs to the kernel or the interpreter.
func isKernels(function string) bool {
	for _, prefix := range []string{module.Package("kernel"), "github.com/goplus/", "github.com/visualfc/", "github.com/tetratelabs/wazero", "golang.org/x/tools/", "go/types."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
