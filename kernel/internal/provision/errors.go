package provision

import (
	"context"
	"errors"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/modules"
)

// message returns the text of an error in the form that the user sees, and advice, which may be empty.
func message(err error) (text, advice string) {
	var m *modules.Error
	var e *engine.Error
	switch {
	case errors.As(err, &m):
		text, advice = m.Text, m.Advice
		if said := strings.TrimSpace(m.Said); said != "" {
			text += "\n" + indent(said)
		}
	case errors.As(err, &e):
		text = e.Message
	default:
		text = err.Error()
	}
	return text, advice
}

// Explained returns an error whose text includes everything that the user should know about err, in one or
// more lines.
func Explained(err error) error { return explainedError{err} }

type explainedError struct{ error }

func (e explainedError) Error() string {
	text, advice := message(e.error)
	if advice != "" {
		text += "\n  hint: " + advice
	}
	return text
}

func (e explainedError) Unwrap() error { return e.error }

// maxSaid is the maximum number of lines of the go command's output that are shown.
const maxSaid = 12

func indent(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) > maxSaid {
		lines = append(lines[:maxSaid], "...")
	}
	return "    " + strings.Join(lines, "\n    ")
}

// importError returns an *engine.Error with the text of err and the position of the import that caused err. A
// *Replacement, or an error that already has positions, is returned as it is. If ctx is done, the error says that
// the cell was stopped.
func (p *Provider) importError(ctx context.Context, r Request, err error) error {
	var replaced *Replacement
	if errors.As(err, &replaced) {
		return replaced
	}
	if ctx.Err() != nil {
		return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	var e *engine.Error
	if errors.As(err, &e) && e.Kind != engine.Type {
		return e // the error already has positions
	}
	what := ""
	var m *modules.Error
	if errors.As(err, &m) {
		what = m.What
	}
	at := r.Needs.Imports[0]
	for _, i := range r.Needs.Imports {
		if !p.opt.Loader.Importable(i.Path) && (p.opt.Loader.Importable(at.Path) || matchScore(i.Path, what) > matchScore(at.Path, what)) {
			at = i
		}
	}
	text, advice := message(err)
	return &engine.Error{
		Kind: engine.Type, Message: text, Faults: []string{text}, Hints: []string{advice},
		Frames: []engine.Frame{{Cell: r.Cell.Name, Line: at.Line, Col: at.Col, Source: lineOf(r.Cell.Source, at.Line)}},
	}
}

// matchScore returns how well path, an import path, matches the parameter what, the field What of a *modules.Error: 2
// if they are equal, 1 if one is a folder above the other, otherwise 0.
func matchScore(path, what string) int {
	what, _, _ = strings.Cut(what, "@")
	switch {
	case what == "":
		return 0
	case path == what:
		return 2
	case strings.HasPrefix(path, what+"/") || strings.HasPrefix(what, path+"/"):
		return 1
	}
	return 0
}

// commandError returns an *engine.Error with the text of err and the position of the command c. If ctx is done, the
// error says that the cell was stopped.
func (p *Provider) commandError(ctx context.Context, cell engine.Cell, c *magic.Command, err error) error {
	if ctx.Err() != nil {
		return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	text, advice := message(err)
	e := &engine.Error{
		Kind: engine.Command, Message: text,
		Frames: []engine.Frame{{Cell: cell.Name, Line: c.Line, Col: c.Col, Source: lineOf(cell.Source, c.Line)}},
	}
	if advice != "" {
		e.Hints = []string{advice}
	}
	return e
}

func lineOf(source string, n int) string {
	lines := strings.Split(source, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n-1], "\r")
}
