package lineage

import (
	"go/token"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// command records that the command m assigns to the variables it names, if m is %params or %reset.
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

// addNative adds the functions of a %%native cell. The cell is compiled separately and has no access to the session,
// so its functions use no names of other cells.
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
