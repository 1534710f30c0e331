package stale

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"overcomplete/kernel/notebook"
)

// TestNotebooks: after one or more runs from top to bottom, the project's notebooks have no stale cells.
// Running a cell that only shows a value makes no cell stale.
func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("../../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		nb, err := notebook.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		tracker, n := &Tracker{}, 0
		run := func(c *notebook.Cell) {
			n++
			tracker.Ran(Run{ID: c.ID, Name: fmt.Sprintf("In[%d]", n), Source: c.Source, At: time.Now()}, fake{})
		}
		for range 2 {
			for _, c := range nb.Cells {
				if c.Type == notebook.Code {
					run(c)
				}
			}
			for _, c := range tracker.Stale() {
				t.Errorf("%s: %s is stale: %v", filepath.Base(file), c.Title(), c.Reasons)
			}
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Code || len(tracker.byID[c.ID].writes) > 0 {
				continue
			}
			run(c)
			for _, s := range tracker.Stale() {
				t.Errorf("%s: after %q alone %s is stale: %v", filepath.Base(file), c.Source, s.Title(), s.Reasons)
			}
		}
	}
}
