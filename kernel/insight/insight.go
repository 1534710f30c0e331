package insight

import (
	"context"
	"go/token"
	"sync"
	"unicode/utf8"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/ui/display"
)

// An Insight answers for one session. Make one with New. Its methods may be
// called at any time, by several goroutines.
type Insight struct {
	mu      sync.Mutex
	session engine.Introspector // nil until there is one
	fset    *token.FileSet
	parsed  map[string]*sessionDecl // by source
	names   *engine.Names           // those that the fields below are of
	known   *sessionNames
}

// A Completion is what can stand at the cursor.
type Completion struct {
	Matches []string
	// Start and End delimit what a match replaces, in runes of the code.
	Start, End int
	// Types has for each match what it is: function, method, class (a type),
	// variable, field, constant, module (a package), keyword, magic, and outside of
	// Go path and environment.
	Types []string
}

// New makes an Insight that knows the packages which cells can import, and no
// session yet.
func New() *Insight {
	return &Insight{fset: token.NewFileSet(), parsed: map[string]*sessionDecl{}}
}

// Attach makes in answer for a session.
func (in *Insight) Attach(session engine.Session) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.session, _ = session.(engine.Introspector)
	in.names, in.known = nil, nil
}

// Warm reads what the first answer needs, so that it comes as fast as the others.
func (in *Insight) Warm() { apidoc.Types("fmt") }

// Complete returns what can stand at the cursor, which counts runes.
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
	list, prefix, start1, end1 := in.candidates(code, at)
	start, end = start1, end1
	for _, m := range rank(list, prefix) {
		c.Matches = append(c.Matches, m.text)
		c.Types = append(c.Types, m.kind)
	}
	return c, nil
}

// Inspect describes what is at the cursor, which counts runes: the identifier
// that it touches, or else the function in whose call it is. With detail 1
// that includes the source of what the session has declared.
func (in *Insight) Inspect(ctx context.Context, code string, cursor, detail int) (d display.Data, found bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked(r)
			d, found = display.Data{}, false
		}
	}()
	in.mu.Lock()
	defer in.mu.Unlock()
	text, ok := in.describe(code, offset(code, cursor), detail)
	if !ok {
		return display.Data{}, false, nil
	}
	return text.data(), true, nil
}

// panicked is told what an answer was lost to. Tests want to know.
var panicked = func(any) {}

// offset turns a number of runes into one of bytes.
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
