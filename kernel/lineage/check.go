package lineage

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A MissingName is a name that a cell uses although no cell above, and no earlier statement of the cell itself,
// declares the name.
type MissingName struct {
	Cell int // index in the list of cells
	Name string
	Line int // 1-based, in the cell
	// Below lists the cells below that declare the name. The cell itself is in the list if a later statement of
	// it declares the name.
	Below []int
}

// Check returns the names that a cell uses although no cell above, and no earlier statement of the cell itself,
// declares them. cells are the cells of a notebook in order; nil cells are ignored. predeclared holds names that the
// kernel provides to all cells. The result is sorted by cell, line and name.
func Check(cells []*Cell, predeclared ...string) []MissingName {
	known := map[string]bool{}
	for _, name := range predeclared {
		known[name] = true
	}
	dots := false
	var list []MissingName
	for i, c := range cells {
		if c == nil {
			continue
		}
		dots = dots || c.hasDot()
		uses := c.needs(known)
		names := slices.SortedFunc(maps.Keys(uses), func(a, b string) int {
			if uses[a] != uses[b] {
				return uses[a] - uses[b]
			}
			return strings.Compare(a, b)
		})
		for _, name := range names {
			if dots && ast.IsExported(name) {
				continue // the package imported with a dot may provide the name
			}
			list = append(list, MissingName{Cell: i, Name: name, Line: uses[name], Below: declaredBelow(cells, i, name)})
		}
		for _, name := range c.Declares() {
			known[name] = true
		}
	}
	return list
}

// needs returns the names that a cell uses but does not declare. It omits predeclared names and the names in the map
// knownNames. The values of the returned map are the lines on which the names are first used.
func (c *Cell) needs(knownNames map[string]bool) map[string]int {
	uses := map[string]int{}
	own := map[string]bool{}
	add := func(u Use) {
		for _, names := range []map[string]int{u.Reads, u.Assigns} {
			for name, line := range names {
				if knownNames[name] || own[name] || types.Universe.Lookup(name) != nil {
					continue
				}
				if old, ok := uses[name]; !ok || line < old {
					uses[name] = line
				}
			}
		}
	}
	for _, i := range c.Imports {
		for _, name := range i.Names() {
			own[name] = true
		}
	}
	for _, d := range c.Decls {
		for _, name := range d.Names {
			own[name] = true
		}
	}
	variables := map[string]int{}
	for _, v := range c.Variables {
		variables[v.Name] = v.Line
	}
	assigned := Use{Reads: c.Statements.Reads, Assigns: map[string]int{}}
	for name, line := range c.Statements.Assigns {
		if at, ok := variables[name]; !ok || line < at {
			assigned.Assigns[name] = line
		}
	}
	add(assigned)
	for name := range variables { // whenever a function runs, the cell's variables exist
		own[name] = true
	}
	for _, d := range c.Decls {
		add(d.Use)
	}
	return uses
}

func (c *Cell) hasDot() bool {
	return slices.ContainsFunc(c.Imports, func(i Import) bool { return i.Name == "." })
}

func declaredBelow(cells []*Cell, i int, name string) (below []int) {
	for k := i + 1; k < len(cells); k++ {
		if cells[k] != nil && slices.Contains(cells[k].Declares(), name) {
			below = append(below, k)
		}
	}
	// A later statement of the cell itself may declare the variable.
	if cells[i].declaresVariable(name) {
		below = append([]int{i}, below...)
	}
	return below
}
