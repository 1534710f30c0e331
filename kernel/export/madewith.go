package export

import (
	"maps"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// Without a word a page would show the outputs of one size below a cell that says another.

// madeWith returns the assignments with which the outputs of a notebook were made, where they
// are not those of the cell that declares the parameters, and that cell's id.
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

// madeBefore and the code that follows it are said below the parameters.
const madeBefore = "The outputs on this page were made with "
