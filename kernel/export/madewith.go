package export

import (
	"maps"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// Without the note written by madeWith, a page could show outputs of one size below a cell that sets another
// size.

// madeWith returns the parameters that were changed when a notebook's outputs were made, as assignments in Go, and the
// id of the cell that declares the parameters. It omits parameters that an injected cell of the notebook already sets
// to these values. If no assignments remain, code is "".
func madeWith(nb *notebook.Notebook) (code, cell string) {
	changed := nb.Changed()
	if changed == nil {
		return "", ""
	}
	var said []string // assignments in injected cells
	for _, c := range nb.Cells {
		if c.Tagged("injected-parameters") {
			said = append(said, strings.Split(c.Source, "\n")...)
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(changed.Values)) {
		line := name + " = " + changed.Values[name]
		if !slices.ContainsFunc(said, func(s string) bool { s, _, _ = strings.Cut(s, " //"); return s == line }) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; "), changed.Cell
}

// madeBefore is the text before the assignments in the note below the parameters cell.
const madeBefore = "The outputs on this page were made with "
