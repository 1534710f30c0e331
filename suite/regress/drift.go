package regress

import (
	"fmt"
	"slices"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

// Drift says which cells of a notebook that is under version control were changed, or
// added, after it was run: its outputs are then those of other code. A cell that sets
// parameters for one run is at fault too: whoever runs all cells would get that run's size.
func Drift(nb *notebook.Notebook) []string {
	ran := headless.Ran(nb)
	if ran == nil {
		return []string{"it does not say which code gave its outputs: it was never recorded"}
	}
	var bad []string
	for i, c := range nb.Cells {
		if c.Type != notebook.Code || c.Source == "" || slices.Contains(c.Tags(), "solution") || slices.Contains(c.Tags(), "skip-execution") {
			continue
		}
		if headless.Injected(c) {
			bad = append(bad, fmt.Sprintf("cell %d (%s) sets parameters for one run: take it out, or record the notebook again", i+1, c.ID))
			continue
		}
		switch sum, ok := ran[c.ID]; {
		case !ok:
			bad = append(bad, fmt.Sprintf("cell %d (%s) has not been run", i+1, c.ID))
		case sum != headless.SourceSum(c.Source):
			bad = append(bad, fmt.Sprintf("cell %d (%s) was changed after it was run", i+1, c.ID))
		}
	}
	return bad
}
