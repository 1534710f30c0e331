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
// differ from the cell that declares the parameters and from one that sets them, and the id of
// the former.
func madeWith(nb *notebook.Notebook) (code, cell string) {
	changed := nb.Changed()
	if changed == nil {
		return "", ""
	}
	var said []string // by a cell
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

// madeBefore introduces those assignments below the parameters.
const madeBefore = "The outputs on this page were made with "
