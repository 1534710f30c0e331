package cellsyntax

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"overcomplete/kernel/magic"
)

// A Tree is a parsed cell.
type Tree struct {
	Imports []*ast.ImportSpec
	Decls   []ast.Decl // const, type, func; in the order of the cell
	Stmts   []ast.Stmt // in the order of the cell
	// Silent is set if the cell ends with a semicolon, which suppresses the display of the last expression's
	// value.
	Silent bool
	// IsProgram is set if the cell begins with a package clause.
	IsProgram bool
}

// RunsMain reports whether the function main runs at the end of the cell. It does if the cell declares a function main
// and is a whole program, with a package clause or with nothing but declarations, unless a variable's value or a
// statement mentions main.
func (t *Tree) RunsMain() bool {
	isMain := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && id.Name == "main"
	}
	for _, st := range t.Stmts {
		switch st.(type) {
		case *ast.DeclStmt, *ast.EmptyStmt:
		default:
			if !t.IsProgram {
				return false
			}
		}
		for n := range ast.Preorder(st) {
			if isMain(n) {
				return false
			}
		}
	}
	return slices.ContainsFunc(t.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv == nil && isMain(f.Name)
	})
}

// byteOrderMark may be at the start of a Go file, and therefore of text copied from one.
const byteOrderMark = "\uFEFF"

// Parse parses src, the text of a cell, and adds its positions to fset. Positions are printed as name:line:column,
// counted in the cell. The error is a scanner.ErrorList with positions of this form.
func Parse(fset *token.FileSet, name, src string) (*Tree, error) {
	return ParseText(fset, name, magic.Read(src))
}

// ParseText is like Parse for a cell that magic.Read has already scanned.
func ParseText(fset *token.FileSet, name string, text *magic.Text) (*Tree, error) {
	src := text.Source
	if rest, ok := strings.CutPrefix(src, byteOrderMark); ok {
		src = strings.Repeat(" ", len(byteOrderMark)) + rest
	}
	if fault := command(name, src); fault != nil {
		return nil, scanner.ErrorList{fault}
	}
	if fault := unbalanced(name, text); fault != nil {
		return nil, scanner.ErrorList{fault}
	}
	chunks := split(text.Tokens)
	tree := &Tree{Silent: endsWithSemicolon(text.Tokens)}
	stmtText := []byte(src) // the source with its declarations blanked out
	for _, c := range chunks {
		if c.Kind != Stmt {
			blank(stmtText, c.Start, c.End)
		}
		if c.Kind == Package {
			tree.IsProgram = true
		}
	}

	// Imports must come first in a Go file, but not in a cell, so each declaration is parsed as a file of its
	// own.
	var faults scanner.ErrorList
	for _, c := range chunks {
		if c.Kind != Import && c.Kind != Decl {
			continue
		}
		f, err := parseDecl(fset, name, src, c)
		faults = appendFaults(faults, err)
		if err != nil {
			continue
		}
		if c.Kind == Import {
			tree.Imports = append(tree.Imports, f.Imports...)
			continue
		}
		tree.Decls = append(tree.Decls, f.Decls...)
	}
	head := "package main;func cell__(){" + lineDirective(name, 1, 1)
	f, err := parser.ParseFile(fset, "cell", head+string(stmtText)+"\n}", parser.SkipObjectResolution)
	faults = appendFaults(faults, err)
	if len(faults) > 0 {
		for _, f := range faults {
			withinCell(f, src)
			explain(f)
		}
		faults.Sort()
		return nil, faults
	}
	tree.Stmts = unlabeled(f.Decls[0].(*ast.FuncDecl).Body.List)
	for _, s := range tree.Stmts {
		faults = appendDeep(faults, fset, s)
	}
	for _, d := range tree.Decls {
		faults = appendDeep(faults, fset, d)
	}
	if len(faults) > 0 {
		faults.Sort()
		return nil, faults
	}
	return tree, nil
}

// unlabeled separates labels from the statements that declare variables, so that all of these are in the list itself.
func unlabeled(list []ast.Stmt) (out []ast.Stmt) {
	for _, st := range list {
		for l, ok := st.(*ast.LabeledStmt); ok && declares(l.Stmt); l, ok = st.(*ast.LabeledStmt) {
			out = append(out, &ast.LabeledStmt{Label: l.Label, Colon: l.Colon, Stmt: &ast.EmptyStmt{Semicolon: l.Colon, Implicit: true}})
			st = l.Stmt
		}
		out = append(out, st)
	}
	return out
}

func declares(st ast.Stmt) bool {
	if l, ok := st.(*ast.LabeledStmt); ok {
		return declares(l.Stmt)
	}
	return len(Variables([]ast.Stmt{st})) > 0
}

// parseDecl parses the declaration c of a cell as a file of its own. Usually it leaves out the surrounding text:
// parsing that text once for each declaration would take time proportional to the square of the number of declarations.
func parseDecl(fset *token.FileSet, name, src string, c Chunk) (*ast.File, error) {
	const head = "package main;"
	before := src[:c.Start]
	line, column := 1+strings.Count(before, "\n"), c.Start-strings.LastIndexByte(before, '\n')
	f, err := parser.ParseFile(fset, "cell", head+lineDirective(name, line, column)+src[c.Start:c.End], parser.SkipObjectResolution)
	if err == nil {
		return f, nil
	}
	// The position of an error may depend on the text that follows, so parse the declaration again with the
	// rest of the cell as blanks.
	one := []byte(src)
	blank(one, 0, c.Start)
	blank(one, c.End, len(src))
	return parser.ParseFile(fset, "cell", head+lineDirective(name, 1, 1)+string(one), parser.SkipObjectResolution)
}

// mostTypes is the largest allowed nesting depth of types. Code that examines types takes time proportional to
// the square of the depth, and cannot be interrupted.
const mostTypes = 500

// appendDeep returns the first error in faults. If faults is empty, it returns an error for the first type in root that
// is nested too deeply, if any.
func appendDeep(faults scanner.ErrorList, fset *token.FileSet, root ast.Node) scanner.ErrorList {
	var nested []bool // for each ancestor node, whether it is a type
	depth := 0
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			last := len(nested) - 1
			if nested[last] {
				depth--
			}
			nested = nested[:last]
			return true
		}
		is := false
		switch n.(type) {
		case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType, *ast.StarExpr, *ast.IndexExpr, *ast.IndexListExpr:
			is = true
			depth++
		}
		if depth > mostTypes {
			if is {
				depth--
			}
			faults = append(faults, &scanner.Error{Pos: fset.Position(n.Pos()), Msg: fmt.Sprintf("types are nested more than %d levels deep here: give names to some of them", mostTypes)})
			return false
		}
		nested = append(nested, is)
		return true
	})
	return faults[:min(len(faults), 1)]
}

func appendFaults(faults scanner.ErrorList, err error) scanner.ErrorList {
	if list, ok := err.(scanner.ErrorList); ok {
		// Later errors are mostly consequences of a parser's first error.
		return append(faults, list[0])
	}
	return faults
}

// command returns an error if src begins with a command (see package magic). It is called where commands are not
// allowed, for example inside another command. The parser would only report a missing statement.
func command(name, src string) *scanner.Error {
	text := strings.TrimLeft(src, " \t\r\n")
	if !strings.HasPrefix(text, "%") && !strings.HasPrefix(text, "$") {
		return nil
	}
	line := 1 + strings.Count(src[:len(src)-len(text)], "\n")
	first, _, _ := strings.Cut(text, "\n")
	return &scanner.Error{Pos: token.Position{Filename: name, Line: line, Column: 1},
		Msg: fmt.Sprintf("%q: a command is not allowed here; this must be Go", first)}
}

// withinCell corrects an error that the parser reports after the end of the cell, at the closing brace that was added
// for the parser. It moves the error to the end of the cell.
func withinCell(f *scanner.Error, src string) {
	lines := strings.Split(strings.TrimRight(src, " \t\r\n"), "\n")
	if f.Pos.Line <= len(lines) {
		return
	}
	f.Pos.Line = len(lines)
	f.Pos.Column = len(lines[len(lines)-1]) + 1
	f.Msg = strings.Replace(f.Msg, "found '}'", "found the end of the cell", 1)
}

// explain adds advice to an error if the parser's message does not help.
func explain(f *scanner.Error) {
	if f.Msg == "expected 1 expression" {
		f.Msg += "; a cell shows one expression, or one call with several results; use fmt.Println to show several values"
	}
}

// unbalanced returns an error for the first closing bracket that does not match the last open one. If there is no such
// bracket, it returns an error for the last bracket that stays open. It returns nil if all brackets match, or if the
// scanner has found an error. Without unbalanced, the parser would report the error in another place.
func unbalanced(name string, text *magic.Text) *scanner.Error {
	if text.Fault != nil {
		return nil // the parser reports it
	}
	at := func(t lexeme, format string, args ...any) *scanner.Error {
		before := text.Source[:t.Off]
		return &scanner.Error{
			Pos: token.Position{Filename: name, Line: 1 + strings.Count(before, "\n"), Column: t.Off - strings.LastIndexByte(before, '\n')},
			Msg: fmt.Sprintf(format, args...),
		}
	}
	var open []lexeme
	for _, t := range text.Tokens {
		switch t.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 {
				return at(t, "this %s closes nothing", t.Tok)
			}
			if last := open[len(open)-1]; closer(last.Tok) != t.Tok {
				return at(t, "this %s does not close the %s of line %d", t.Tok, last.Tok, at(last, "").Pos.Line)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return at(last, "this %s is never closed", last.Tok)
	}
	return nil
}

func endsWithSemicolon(toks []lexeme) bool {
	for i := len(toks) - 1; i >= 0; i-- {
		if toks[i].Tok == token.SEMICOLON && toks[i].Auto {
			continue
		}
		return toks[i].Tok == token.SEMICOLON
	}
	return false
}
