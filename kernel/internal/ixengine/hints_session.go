package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
)

// Hints that depend on what earlier cells of the session did.

// failedHint returns the hint to run an earlier cell again. The hint is for a name that the earlier cell declares and
// that the session does not have, because that cell has failed or the variable was reset. It returns "" if no earlier
// cell declares name, or if the cause is an = that should be :=.
func (s *Session) failedHint(c *checkedProgram, name string, path []ast.Node) string {
	now := ""
	if len(path) > 0 {
		now = s.ctx.FileSet.Position(path[0].Pos()).Filename
	}
	cell, variable := s.sources.declaring(name, now)
	switch {
	case cell == "":
		return ""
	case variable && assignedTo(path):
		return "" // the fault is that := is missing
	case variable: // the cell ran, but %reset may have removed the variable
		return fmt.Sprintf("%s declares it, but has failed, or the variable was reset: run that cell again", cell)
	}
	if other := s.sources.needs(cell, now); other != "" {
		return fmt.Sprintf("%s should have declared it, but failed, because it needs %s of this cell: put both into one cell", cell, other)
	}
	return fmt.Sprintf("%s should have declared it, but failed: fix that cell and run it first", cell)
}

// needs returns a name that one cell mentions and another cell declares, other than as a variable. It returns "" if
// there is none.
func (s *sources) needs(cell, other string) (name string) {
	s.mu.Lock()
	texts := [2]string{s.text[cell], s.text[other]}
	s.mu.Unlock()
	tree, err := cellsyntax.Parse(token.NewFileSet(), cell, texts[0])
	declaring, otherErr := cellsyntax.Parse(token.NewFileSet(), other, texts[1])
	if err != nil || otherErr != nil {
		return ""
	}
	declared := declaredNames(declaring.Decls)
	for _, d := range tree.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && name == "" && slices.Contains(declared, id.Name) {
				name = id.Name
			}
			return name == ""
		})
	}
	return name
}

// assignedTo reports whether path[0], the innermost syntax node, stands on the left side of an assignment with =.
func assignedTo(path []ast.Node) bool {
	if len(path) < 2 {
		return false
	}
	as, ok := path[1].(*ast.AssignStmt)
	return ok && as.Tok == token.ASSIGN && slices.ContainsFunc(as.Lhs, func(e ast.Expr) bool { return ast.Node(e) == path[0] })
}

// declaring returns the name of the latest cell that declares the given name at its top level, and whether that cell
// declares it as a variable. The parameter but names a cell that is ignored. The result is "" if no other cell declares
// the given name.
func (s *sources) declaring(name, but string) (cell string, variable bool) {
	s.mu.Lock()
	texts := map[string]string{}
	for n, text := range s.text {
		if n != but && strings.Contains(text, name) {
			texts[n] = text
		}
	}
	s.mu.Unlock()
	latest := -1
	for n, text := range texts {
		// Code that the kernel runs between cells has a name without a number, unlike In[1].
		at, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(n, "In["), "]"))
		if err != nil || at <= latest {
			continue
		}
		tree, err := cellsyntax.Parse(token.NewFileSet(), n, text)
		if err != nil {
			continue
		}
		switch {
		case slices.Contains(declaredNames(tree.Decls), name):
			latest, cell, variable = at, n, false
		case slices.ContainsFunc(cellsyntax.Variables(tree.Stmts), func(id *ast.Ident) bool { return id.Name == name }):
			latest, cell, variable = at, n, true
		}
	}
	return cell, variable
}

// declaredNames returns the names of the declared functions, types and constants.
func declaredNames(decls []ast.Decl) (names []string) {
	for _, d := range decls {
		for _, name := range cellsyntax.Declared(d) {
			if !strings.Contains(name, ".") { // a dot marks a method
				names = append(names, name)
			}
		}
	}
	return names
}

// hintHidden returns the hint for a variable that hides a predeclared type or function, such as string or len.
func hintHidden(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	name := m[1]
	v := s.env.vars[name]
	switch {
	case types.Universe.Lookup(name) == nil:
		return ""
	case v == nil:
		return name + " is a variable of this cell: give the variable another name"
	}
	return fmt.Sprintf("%s has been a variable since %s; %%reset %s restores the name's original meaning", name, v.cell, name)
}

// noPackageHint returns the hint for name.member if name is not declared.
func (s *Session) noPackageHint(name, member string) string {
	if !ast.IsExported(member) || strings.ToLower(name) != name {
		return ""
	}
	if d := s.env.decls[member]; d != nil && d.isFunc() {
		return "call functions of cells without a package name: " + member + "(...)"
	}
	return s.otherPackage()
}

// selectorOf returns the selector x.Sel whose x is path[0], the innermost syntax node of the path. It returns nil if
// path[0] is not part of such a selector.
func selectorOf(path []ast.Node) *ast.SelectorExpr {
	if len(path) < 2 {
		return nil
	}
	if sel, ok := path[1].(*ast.SelectorExpr); ok && ast.Node(sel.X) == path[0] {
		return sel
	}
	return nil
}
