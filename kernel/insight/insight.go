package insight

import (
	"context"
	"go/token"
	"sync"
	"unicode/utf8"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/modcache"
	"overcomplete/ui/display"
)

// An Insight answers completion and inspection requests for one session. Its methods may be called at any time,
// by several goroutines.
type Insight struct {
	mu        sync.Mutex
	session   engine.Session // nil until Attach is called
	fset      *token.FileSet
	parsed    map[string]*sessionDecl // parsed declarations by source
	names     *engine.Names           // the session's names from which the field known was made
	known     *sessionNames
	lib       *library
	available *availableModules
	texts     map[string]*cellNames // names in other cells, by text, as of the last Check
}

// A Completion lists the completions at the cursor.
type Completion struct {
	Matches []string
	// Start and End delimit the text that a match replaces, in runes of the
	// code.
	Start, End int
	// Types has the kind of each match: function, method, class (a type), variable, field, constant, module (a
	// package), keyword, label or magic, and for text other than Go: path or environment.
	Types []string
}

// New returns an Insight without a session. It knows the packages that cells can import.
func New() *Insight {
	o := &availableModules{View: modcache.NewView(modcache.Open(""), nil)}
	return &Insight{fset: token.NewFileSet(), parsed: map[string]*sessionDecl{}, available: o, lib: newLibrary(nil, o)}
}

// Attach sets the session.
func (in *Insight) Attach(session engine.Session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.session = session
	in.names, in.known = nil, nil
}

// Warm preloads data, so that the first answer is as fast as later ones.
func (in *Insight) Warm() { apidoc.Types("fmt") }

// Complete returns the completions at the cursor, which is given as an offset in runes.
func (in *Insight) Complete(ctx context.Context, code string, cursor int) (c Completion, err error) {
	at := offset(code, cursor)
	start, end := at, at
	defer func() {
		if r := recover(); r != nil {
			panicked(r)
			c = Completion{}
		}
		if len(c.Matches) == 0 {
			start, end = at, at
		}
		c.Start, c.End = utf8.RuneCountInString(code[:start]), utf8.RuneCountInString(code[:end])
	}()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.current()
	in.lib.begin()
	list, prefix, start1, end1 := in.candidates(code, at)
	start, end = start1, end1
	for _, m := range rank(list, prefix) {
		c.Matches = append(c.Matches, m.text)
		c.Types = append(c.Types, m.kind)
	}
	return c, nil
}

// Inspect describes the identifier at the cursor, or if there is none, the function of the call around the cursor. The
// cursor is given as an offset in runes. If detail is 1, the description includes the source of session declarations,
// and the source of packages if it is on this machine.
func (in *Insight) Inspect(ctx context.Context, code string, cursor, detail int) (d display.Data, found bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked(r)
			d, found = display.Data{}, false
		}
	}()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.current()
	in.lib.begin()
	text, ok := in.describe(code, offset(code, cursor), detail)
	if !ok {
		return display.Data{}, false, nil
	}
	return text.data(in.lib), true, nil
}

// panicked is called with the value of a panic that led to an empty answer. Tests replace this function.
var panicked = func(any) {}

// offset converts an offset in code from runes to bytes.
func offset(code string, runes int) int {
	n := 0
	for i := range code {
		if n >= runes {
			return i
		}
		n++
	}
	return len(code)
}
