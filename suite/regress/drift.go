package regress

import (
	"fmt"
	"slices"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

// Drift returns one message for each code cell of a committed notebook that was changed or added after the notebook's
// last run. The outputs of such a cell do not come from its present code. Drift also reports a cell with the
// parameters of a single run (see headless.Injected). A later run of all the notebook's cells would use these
// parameters, too. Drift ignores cells with the tag solution or skip-execution.
func Drift(nb *notebook.Notebook) []string {
	ran := headless.Ran(nb)
	if ran == nil {
		return []string{"the notebook does not say which code made its outputs: it was never recorded"}
	}
	var bad []string
	for i, c := range nb.Cells {
		if c.Type != notebook.Code || c.Source == "" || slices.Contains(c.Tags(), "solution") || slices.Contains(c.Tags(), "skip-execution") {
			continue
		}
		if headless.Injected(c) {
			bad = append(bad, fmt.Sprintf("cell %d (%s) sets parameters for one run: remove the cell, or record the notebook again", i+1, c.ID))
			continue
		}
		switch sum, ok := ran[c.ID]; {
		case !ok:
			bad = append(bad, fmt.Sprintf("cell %d (%s) has not run", i+1, c.ID))
		case sum != headless.SourceSum(c.Source):
			bad = append(bad, fmt.Sprintf("cell %d (%s) was changed after it ran", i+1, c.ID))
		}
	}
	return bad
}
