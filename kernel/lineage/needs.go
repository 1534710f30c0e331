package lineage

import "slices"

// Needs returns the sorted indices of the cells that have to run before cells[at] in a new session. Nil cells are left
// out. Let d be cells[at] or another needed cell. A cell above cells[at] is needed if one of the following holds:
//
//   - it is the last cell above d that declares a name that d uses but does not declare
//   - it assigns to such a name, below the name's declaration
//   - it declares a method of a type that d declares
//   - it is above d and imports a package as . or _
//
// Dependencies that the names do not show are not detected (see the section Traps in the documentation of this
// package). So if a cell fails after the needed cells have run, the caller should run all cells above it.
func Needs(cells []*Cell, at int) []int {
	needed := map[int]bool{at: true}
	for grew := true; grew; {
		grew = false
		add := func(i int) {
			if !needed[i] {
				needed[i], grew = true, true
			}
		}
		for j := at; j >= 0; j-- {
			if needed[j] && cells[j] != nil {
				addNeeds(cells, j, at, add)
			}
		}
	}
	delete(needed, at)
	list := []int{}
	for i := range at {
		if needed[i] {
			list = append(list, i)
		}
	}
	return list
}

// addNeeds calls add(i) for the index i of each cell above cells[at] that cells[j] needs directly. The index j must not
// exceed at.
func addNeeds(cells []*Cell, j, at int, add func(int)) {
	c := cells[j]
	for name := range c.needs(nil) {
		declared := -1
		for i := j - 1; i >= 0 && declared < 0; i-- {
			if cells[i] != nil && slices.Contains(cells[i].Declares(), name) {
				declared = i
				add(i)
			}
		}
		// A function of c may run later, with the variable's value at that time. So the loop goes up to at, not only up
		// to j.
		for i := declared + 1; i < at; i++ {
			if cells[i] == nil || i == j {
				continue
			}
			if _, ok := cells[i].Statements.Assigns[name]; ok {
				add(i)
			}
		}
	}
	for _, d := range c.Decls {
		if d.Type != "" {
			continue
		}
		for _, name := range d.Names {
			for i := range at {
				if cells[i] != nil && cells[i].methodsOf(name) {
					add(i)
				}
			}
		}
	}
	for i := range j {
		// Which names such an import provides is unknown.
		if cells[i] != nil && slices.ContainsFunc(cells[i].Imports, func(m Import) bool { return m.Name == "." || m.Name == "_" }) {
			add(i)
		}
	}
}

// methodsOf reports whether the cell declares a method of the type typ.
func (c *Cell) methodsOf(typ string) bool {
	return slices.ContainsFunc(c.Decls, func(d Decl) bool { return d.Type == typ })
}
