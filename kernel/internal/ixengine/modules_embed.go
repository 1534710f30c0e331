package ixengine

import (
	"go/ast"
	"go/build"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goplus/ixgo/load/embed"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
)

// embedded sets the variables of the go:embed directives in the files of the package src. The result is a further file
// of the package, which declares the embedded contents, or nil if there are no such directives.
func (s *Session) embedded(src engine.Source, files []*ast.File) (*ast.File, error) {
	at := map[string][]token.Position{}
	for _, f := range files {
		vars := s.variableLines(f)
		for _, group := range f.Comments {
			for _, c := range group.List {
				args, ok := strings.CutPrefix(c.Text, "//go:embed")
				if !ok || strings.TrimSpace(args) == "" || args[0] != ' ' && args[0] != '\t' {
					continue
				}
				pos := s.ctx.FileSet.Position(c.Pos())
				// The embedding library expects the directive on the line before the variable. Comments and
				// other directives may be between them.
				for _, line := range vars {
					if line > pos.Line {
						pos.Line = line - 1
						break
					}
				}
				for _, pattern := range embedPatterns(args) {
					at[pattern] = append(at[pattern], pos)
					pos.Offset++
				}
			}
		}
	}
	dir, err := filepath.Abs(src.Dir)
	if err != nil {
		return nil, err
	}
	return embed.Embed(&build.Package{Name: src.Name, Dir: dir, EmbedPatternPos: at}, s.ctx.FileSet, files, false, false)
}

// variableLines returns the lines that declare package variables, in order.
func (s *Session) variableLines(f *ast.File) (lines []int) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				lines = append(lines, s.ctx.FileSet.Position(spec.(*ast.ValueSpec).Names[0].Pos()).Line)
			}
		}
	}
	return lines
}

// embedPatterns splits the arguments of a go:embed directive; some of them may be quoted.
func embedPatterns(args string) (list []string) {
	for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
		pattern := args
		if quoted, err := strconv.QuotedPrefix(args); err == nil {
			args = args[len(quoted):]
			pattern, _ = strconv.Unquote(quoted)
		} else if i := strings.IndexAny(args, " \t"); i >= 0 {
			pattern, args = args[:i], args[i:]
		} else {
			args = ""
		}
		list = append(list, pattern)
	}
	return list
}

// embeds returns the error for a cell with a go:embed directive, or nil if the cell has no such directive. A
// kernel has no package files to embed, and the variable would be empty if the directive were ignored.
func (s *Session) embeds(name string, text *magic.Text) *engine.Error {
	for _, at := range embedLine.FindAllStringIndex(text.Source, -1) {
		if slices.ContainsFunc(text.Tokens, func(t magic.Token) bool { return t.Off <= at[0] && at[0] < t.End }) {
			continue // the text is in a string, not a directive
		}
		e := &engine.Error{Kind: engine.Type}
		line := 1 + strings.Count(text.Source[:at[0]], "\n")
		s.addFault(e, token.Position{Filename: name, Line: line, Column: 1}, "go:embed does not work in cells: read the file with os.ReadFile, a folder with os.DirFS")
		return e
	}
	return nil
}

var embedLine = regexp.MustCompile(`(?m)^//go:embed[ \t]`)
