package lineage

import (
	"go/token"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// command adds a command's effects on variables.
func (c *Cell) command(m *magic.Command) {
	switch m.Name {
	case "%params":
		for _, word := range strings.Fields(m.Args) {
			if name, _, ok := strings.Cut(word, "="); ok && token.IsIdentifier(name) {
				c.assign(name, m.Line)
			}
		}
	case "%reset":
		for _, name := range strings.Fields(strings.ReplaceAll(m.Args, ",", " ")) {
			c.assign(name, m.Line)
		}
	}
}

func (c *Cell) assign(name string, line int) {
	if _, ok := c.Statements.Assigns[name]; !ok {
		c.Statements.Assigns[name] = line
	}
	c.Statements.Whole[name] = true
}

// addNative adds the functions of a cell that is compiled separately. Such a cell has no access to the session.
func (c *Cell) addNative(tree *cellsyntax.Tree, fset *token.FileSet) {
	whole := ""
	for _, d := range tree.Decls {
		whole += text(d) + "\n" // functions may call each other
	}
	for _, d := range tree.Decls {
		for _, name := range cellsyntax.Declared(d) {
			c.Decls = append(c.Decls, Decl{Kind: token.FUNC, Names: []string{name}, Line: fset.Position(d.Pos()).Line, Text: whole, Use: newUse()})
		}
	}
}
