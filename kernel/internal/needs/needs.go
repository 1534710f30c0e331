// Package needs determines which packages a cell imports and which modules it asks for, before any part of
// the cell runs.
package needs

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// An Import is an import in a cell.
type Import struct {
	Path      string
	Line, Col int // position of the path in the cell, counted from 1
}

// Needs lists what one cell needs before it runs: the packages that it imports, and the modules that its %get lines
// ask for.
type Needs struct {
	// Gets are the %get lines above all Go code of the cell. They are executed before anything else in the
	// cell, so that its imports use the pinned versions.
	Gets []*magic.Command
	// LaterGets are the other %get lines.
	LaterGets []*magic.Command
	// Imports are the imports of the cell's Go code, including code in commands such as %%time, but without the
	// packages in Source.
	Imports []Import
	// Native are the imports of a %%native cell, which the go command compiles.
	Native []Import
	// Source are the packages that the cell's %mod source lines name. These lines load the packages.
	Source []string
}

// None reports whether the cell needs nothing.
func (n Needs) None() bool {
	return len(n.Gets)+len(n.LaterGets)+len(n.Imports)+len(n.Native) == 0
}

const (
	get    = "%get"
	mod    = "%mod"
	native = "%%native"
)

// May reports whether a cell may need anything. It is much cheaper than Of, and returns false for nearly all
// cells.
func May(text *magic.Text) bool {
	return strings.Contains(text.Source, "import") || strings.Contains(text.Source, get) || strings.Contains(text.Source, mod)
}

// Of returns the needs of a cell. The function isVariable reports whether a name is a variable; see magic.Parse. A cell
// that cannot be split into pieces has no needs, because it does not run.
func Of(text *magic.Text, isVariable func(name string) bool) (n Needs) {
	if !May(text) {
		return n
	}
	pieces, fault := text.Pieces(isVariable)
	if fault != nil {
		return n
	}
	first := true
	for _, p := range pieces {
		if p.Command != nil && p.Command.Name == get {
			if first {
				n.Gets = append(n.Gets, p.Command)
			} else {
				n.LaterGets = append(n.LaterGets, p.Command)
			}
			continue
		}
		if p.Command != nil && p.Command.Name == mod {
			if words := strings.Fields(p.Command.Args); len(words) > 0 && words[0] == "source" {
				n.Source = append(n.Source, words[1:]...)
			}
			continue
		}
		first = first && blank(p.Go)
		to := &n.Imports
		if p.Command != nil && p.Command.Name == native {
			to = &n.Native
		}
		*to = append(*to, imports(p.Go)...)
	}
	n.Imports = slices.DeleteFunc(n.Imports, func(i Import) bool { return slices.Contains(n.Source, i.Path) })
	return n
}

// Whole reports whether all Go code of a cell parses and all its commands exist. If not, no part of the cell
// will run, so nothing has to be fetched for it.
func Whole(text *magic.Text, known func(name string) bool) bool {
	pieces, fault := text.Pieces(known)
	if fault != nil {
		return false
	}
	for _, p := range pieces {
		if p.Go == "" || p.Command != nil && p.Command.Name == native {
			continue
		}
		if _, err := cellsyntax.Parse(token.NewFileSet(), "cell", p.Go); err != nil {
			return false
		}
	}
	return true
}

// blank reports whether a piece of Go code contains nothing but comments.
func blank(src string) bool {
	if strings.TrimSpace(src) == "" {
		return true
	}
	for _, t := range magic.Read(src).Tokens {
		if t.Tok != token.SEMICOLON {
			return false
		}
	}
	return true
}

// imports returns the imports in a piece of Go code. It omits an import that does not parse.
func imports(src string) (list []Import) {
	if !strings.Contains(src, "import") {
		return nil
	}
	for _, c := range cellsyntax.Split(src) {
		if c.Kind != cellsyntax.Import {
			continue
		}
		fset := token.NewFileSet()
		const head = "package p;"
		f, err := parser.ParseFile(fset, "", head+src[c.Start:c.End], parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			at := c.Start + fset.Position(spec.Path.Pos()).Offset - len(head)
			before := src[:at]
			list = append(list, Import{
				Path: path,
				Line: 1 + strings.Count(before, "\n"), Col: at - strings.LastIndexByte(before, '\n'),
			})
		}
	}
	return list
}
