package builtin

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
)

// format gofmts the code below the cell's %fmt line and replaces the text of the cell with the result, or prints the
// result if the front end cannot replace the text. The cell is not run.
func (r *Runner) format(cell engine.Cell) error {
	src := cell.Source
	start := len(src) - len(strings.TrimLeft(src, " \t\r\n"))
	end := len(src)
	if i := strings.IndexByte(src[start:], '\n'); i >= 0 {
		end = start + i
	}
	at := token.Position{Line: 1 + strings.Count(src[:start], "\n"), Column: start - strings.LastIndexByte(src[:start], '\n')}
	switch {
	case strings.TrimSpace(src[start:end]) != magic.Fmt:
		info, _ := magic.Find(magic.Fmt)
		return syntaxError(cell, []*scanner.Error{{Pos: at, Msg: fmt.Sprintf("usage: %s, with nothing else on the line", info.Usage)}})
	case strings.TrimSpace(src[end:]) == "":
		return syntaxError(cell, []*scanner.Error{{Pos: at, Msg: magic.Fmt + " must stand above the code to format"}})
	}
	// A blank line replaces the command, so that positions in messages are positions in the cell.
	out, err := cellsyntax.Format(strings.Repeat("\n", at.Line-1) + src[end:])
	var list scanner.ErrorList
	var fault *magic.Error
	switch {
	case errors.As(err, &list):
		return syntaxError(cell, list)
	case errors.As(err, &fault):
		return syntaxError(cell, []*scanner.Error{{Pos: token.Position{Line: fault.Line, Column: fault.Col}, Msg: fault.Msg}})
	case err != nil:
		return err
	}
	if r.Rewrite == nil || !r.Rewrite(out) {
		fmt.Fprintln(r.Stdout, out)
	}
	return nil
}
