package lineage

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A Missing is a name that a cell uses and that no cell above it declares.
type Missing struct {
	Cell int // index in the list
	Name string
	Line int // 1-based, in the cell
	// Below are the cells that declare it further down; none if no cell does.
	Below []int
}

// Check returns what cells of a notebook, in its order, use without a declaration in
// the cell itself or above it. nil stands for a cell that does not count. predeclared are names that
// the kernel gives to all cells. The list is in the order of cells, lines and names.
func Check(cells []*Cell, predeclared ...string) []Missing {
	known := map[string]bool{}
	for _, name := range predeclared {
		known[name] = true
	}
	dots := false
	var list []Missing
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
				continue // the package may have it
			}
			list = append(list, Missing{Cell: i, Name: name, Line: uses[name], Below: declaredBelow(cells, i, name)})
		}
		for _, name := range c.Declares() {
			known[name] = true
		}
	}
	return list
}

// needs returns the names, with their lines, that a cell uses and that are neither known nor its own.
func (c *Cell) needs(known map[string]bool) map[string]int {
	uses := map[string]int{}
	own := map[string]bool{}
	add := func(u Use) {
		for _, names := range []map[string]int{u.Reads, u.Assigns} {
			for name, line := range names {
				if known[name] || own[name] || types.Universe.Lookup(name) != nil {
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
	for name := range variables { // a function runs when the cell's variables are there
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
	// A variable that a statement of the cell itself declares further down.
	if cells[i].declaresVariable(name) {
		below = append([]int{i}, below...)
	}
	return below
}
