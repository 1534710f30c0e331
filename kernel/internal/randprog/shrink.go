package randprog

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Shrink returns a smaller program that still fails. fails(p) reports whether a program p fails; fails(src) must be
// true. Shrink removes declarations and statements, many at once and then one by one, and replaces statements and
// expressions with parts of them. It tries only programs that type-check. It ends when no smaller program fails, or
// after the given number of tries.
func (c *Checker) Shrink(src string, tries int, fails func(string) bool) string {
	for {
		smaller := c.round(src, &tries, fails)
		if smaller == src || tries <= 0 {
			return smaller
		}
		src = smaller
	}
}

// round tries each change to src once, and keeps the changes after which the program still fails. It returns the
// changed program. It subtracts 1 from *tries for each call to fails.
func (c *Checker) round(src string, tries *int, fails func(string) bool) string {
	try := func(text *string) bool {
		*text = imported(*text)
		if *tries <= 0 || len(*text) >= len(src) || c.Check(*text) != nil {
			return false
		}
		*tries--
		return fails(*text)
	}
	for chunk := 16; chunk >= 1; chunk /= 2 {
		for i := 0; ; i++ {
			text, ok := without(src, i, chunk)
			if !ok {
				break
			}
			if try(&text) {
				src = text
				i-- // the next declaration or statement has moved here
			}
		}
	}
	for i := 0; *tries > 0; i++ {
		choices, ok := c.simpler(src, i)
		if !ok {
			break
		}
		for _, text := range choices {
			if try(&text) {
				src = text
				i--
				break
			}
		}
	}
	return src
}

// imported returns src without unused imports.
func imported(src string) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil || len(f.Decls) == 0 {
		return src
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	d, ok := f.Decls[0].(*ast.GenDecl)
	if !ok || d.Tok != token.IMPORT {
		return src
	}
	n := len(d.Specs)
	d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
		return !used[packageName(strings.Trim(s.(*ast.ImportSpec).Path.Value, `"`))]
	})
	switch {
	case len(d.Specs) == n:
		return src
	case len(d.Specs) == 0:
		f.Decls = f.Decls[1:]
	}
	return printed(fset, f)
}

// lists returns all lists of statements in f.
func lists(f *ast.File) []*[]ast.Stmt {
	var all []*[]ast.Stmt
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			all = append(all, &n.List)
		case *ast.CaseClause:
			all = append(all, &n.Body)
		}
		return true
	})
	return all
}

// without removes some consecutive declarations or statements from src, and returns the rest.
// Their number is chunk, and the index i selects their place. The second result is false if i is too large.
func without(src string, i, chunk int) (string, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	if n := possibilities(len(f.Decls), chunk); i < n {
		from := i
		f.Decls = append(f.Decls[:from:from], f.Decls[min(from+chunk, len(f.Decls)):]...)
		return printed(fset, f), true
	} else {
		i -= n
	}
	for _, l := range lists(f) {
		n := possibilities(len(*l), chunk)
		if i < n {
			*l = append((*l)[:i:i], (*l)[min(i+chunk, len(*l)):]...)
			return printed(fset, f), true
		}
		i -= n
	}
	return "", false
}

// possibilities returns the number of ways to remove the given number of consecutive elements out of n.
func possibilities(n, chunk int) int { return max(0, n-chunk+1) }

// simpler returns the programs in which the i-th expression or statement of src is replaced by a part of it, or by a
// constant such as 0 or false. The second result is false if there is no i-th expression or statement.
func (c *Checker) simpler(src string, i int) ([]string, bool) {
	f, info, err := c.check(src)
	if err != nil {
		return nil, false
	}
	at := func(p token.Pos) int { return c.fset.Position(p).Offset }
	var found ast.Node
	k := 0
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case ast.Expr, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.BlockStmt, *ast.CaseClause:
			if k == i {
				found = n
			}
			k++
		}
		return found == nil
	})
	if found == nil {
		return nil, false
	}
	text := func(n ast.Node) string { return src[at(n.Pos()):at(n.End())] }
	var choices []string
	put := func(s string) { choices = append(choices, src[:at(found.Pos())]+s+src[at(found.End()):]) }
	switch n := found.(type) {
	case *ast.IfStmt:
		put(text(n.Body))
		if n.Else != nil {
			put(text(n.Else))
			choices = append(choices, src[:at(n.Body.End())]+src[at(n.End()):])
		}
	case *ast.ForStmt:
		put(text(n.Body))
	case *ast.RangeStmt:
		put(text(n.Body))
	case *ast.BlockStmt:
		if len(n.List) > 0 {
			put(src[at(n.Lbrace)+1 : at(n.Rbrace)])
		}
	case *ast.CaseClause:
		put("")
	case ast.Expr:
		t, ok := info.Types[n]
		if !ok || !t.IsValue() {
			break
		}
		for _, s := range []string{"0", "1", "false", `""`, "nil"} {
			if fits(s, t.Type) && text(n) != s {
				put(s)
			}
		}
		ast.Inspect(n, func(m ast.Node) bool { // a part of the node with the same type
			if e, ok := m.(ast.Expr); ok && e != n {
				if u, ok := info.Types[e]; ok && u.IsValue() && types.Identical(u.Type, t.Type) {
					put(text(e))
					return false
				}
			}
			return true
		})
	}
	return choices, true
}

// fits reports whether the constant s can replace a value of type t.
func fits(s string, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return false
	case s == "0" || s == "1":
		return b.Info()&types.IsNumeric != 0
	case s == "false":
		return b.Info()&types.IsBoolean != 0
	}
	return s == `""` && b.Info()&types.IsString != 0
}

func printed(fset *token.FileSet, f *ast.File) string {
	var b bytes.Buffer
	if format.Node(&b, fset, f) != nil {
		return ""
	}
	return b.String()
}
