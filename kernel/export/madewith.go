package export

import (
	"maps"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// Without this note, a page could show the outputs of one size below a cell that sets
// another.

// madeWith returns the assignments with which the outputs of a notebook were made, if they
// differ from the cell that declares the parameters, and the id of that cell.
func madeWith(nb *notebook.Notebook) (code, cell string) {
	changed := nb.Changed()
	shown := func(c *notebook.Cell) bool { return c.Tagged("injected-parameters") }
	if changed == nil || slices.ContainsFunc(nb.Cells, shown) {
		return "", ""
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(changed.Values)) {
		lines = append(lines, name+" = "+changed.Values[name])
	}
	return strings.Join(lines, "; "), changed.Cell
}

// madeBefore introduces those assignments below the parameters.
const madeBefore = "The outputs on this page were made with "
