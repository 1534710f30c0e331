package insight

import (
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/lineage"
	"overcomplete/kernel/magic"
)

// A Fault is a mistake in the text of a cell that keeps the cell from compiling.
type Fault struct {
	Line    int    `json:"line"`           // from 1
	Column  int    `json:"column"`         // from 1, in runes
	End     int    `json:"end"`            // the column after the last one
	Message string `json:"message"`        // as the cell would show it
	Hint    string `json:"hint,omitempty"` // advice
}

// Check type-checks a cell against the session, without running it, and returns the cell's mistakes. others has the
// texts of the notebook's cells that have not run. A name that one of these cells declares is not reported as
// undefined.
//
// While a cell runs, Check cannot check, and busy is true. busy is also true before the call of Attach.
// Check ignores cells that are not Go code that the session compiles. It also ignores a cell that imports a package
// that the session can import only once the cell runs. For such cells it returns no mistakes, and busy is false.
func (in *Insight) Check(code string, others []string) (faults []Fault, busy bool) {
	in.mu.Lock()
	session := in.session
	if session == nil {
		in.mu.Unlock()
		return nil, true
	}
	in.current()
	src := in.withoutMagics(code)
	known := in.declaredIn(others)
	loads := in.loads(code)
	in.mu.Unlock()
	if loads || !isChecked(code) {
		return nil, false
	}
	fault, ok := session.Check(engine.Cell{Source: src, Whole: code})
	if !ok {
		return nil, true
	}
	if fault == nil || fault.Kind != engine.Syntax && fault.Kind != engine.Type {
		return nil, false
	}
	lines := strings.Split(code, "\n")
	for i, f := range fault.Frames {
		message := fault.Message
		if i < len(fault.Faults) {
			message = fault.Faults[i]
		}
		if m := undefined.FindStringSubmatch(message); m != nil && known[m[1]] {
			continue
		}
		one := Fault{Line: max(f.Line, 1), Message: message}
		if i < len(fault.Hints) {
			one.Hint = fault.Hints[i]
		}
		line := ""
		if one.Line <= len(lines) {
			line = lines[one.Line-1]
		}
		from := min(max(f.Col-1, 0), len(line))
		one.Column = utf8.RuneCountInString(line[:from]) + 1
		one.End = one.Column + utf8.RuneCountInString(firstToken(line[from:]))
		faults = append(faults, one)
	}
	return faults, false
}

var undefined = regexp.MustCompile(`^undefined: (\w+)$`)

// isChecked reports whether a cell is Go code that the session itself compiles. This excludes %%native cells, cells
// with a command that does not take Go, and cells that %fmt formats.
func isChecked(code string) bool {
	if c, ok := magic.Whole(code); ok {
		info, _ := magic.Find(c.Name)
		return info.Code && c.Name != "%%native"
	}
	return !magic.Formats(code)
}

// firstToken returns the token with which the given line begins, or else the line's first character.
func firstToken(line string) string {
	for _, t := range lex(line, false) {
		if t.off > 0 {
			break
		}
		if t.end > 0 && t.tok != token.SEMICOLON {
			return line[:t.end]
		}
	}
	_, n := utf8.DecodeRuneInString(line)
	return line[:n]
}

// loads reports whether a cell imports a package that is only loaded when the cell runs.
func (in *Insight) loads(code string) bool {
	for _, path := range in.read(code).imports {
		if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") && !in.session.Importable(path) {
			return true
		}
	}
	return false
}

// declaredIn returns the names that cells declare.
func (in *Insight) declaredIn(cells []string) map[string]bool {
	names := map[string]bool{}
	texts := map[string]*cellNames{}
	for _, text := range cells {
		c := in.read(text)
		texts[text] = c
		for _, name := range c.declared {
			names[name] = true
		}
	}
	in.texts = texts // forgets the texts of earlier calls
	return names
}

// cellNames holds the names that the text of a cell declares and imports.
type cellNames struct{ declared, imports []string }

// read returns the names that the text of a cell declares and imports. If the text does not parse, the result has at
// most the imports.
func (in *Insight) read(text string) *cellNames {
	if c := in.texts[text]; c != nil {
		return c
	}
	c := &cellNames{}
	cell, err := lineage.Read(text)
	if err != nil {
		c.imports = importsOf(text)
		return c
	}
	for _, d := range cell.Decls {
		c.declared = append(c.declared, d.Names...)
	}
	for _, v := range cell.Variables {
		c.declared = append(c.declared, v.Name)
	}
	for _, i := range cell.Imports {
		c.imports = append(c.imports, i.Path)
		c.declared = append(c.declared, i.Names()...)
	}
	return c
}

// importsOf returns the paths in a cell's import declarations, even if the rest of the cell does not parse.
func importsOf(text string) (paths []string) {
	for _, c := range cellsyntax.Split(text) {
		if c.Kind != cellsyntax.Import {
			continue
		}
		for _, t := range lex(text[c.Start:c.End], false) {
			if path, err := strconv.Unquote(t.lit); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
