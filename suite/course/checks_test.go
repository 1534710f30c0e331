package course

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// TestChecks checks the saved outputs of cells that compare a lecture's own code with the library: the two
// must agree. Exercises are not included, because nobody has solved them yet.
func TestChecks(t *testing.T) {
	names, err := filepath.Glob(root + "/notebooks/*.ipynb")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	checks := 0
	for _, name := range names {
		nb, err := notebook.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			// agree is a lecture's function that calls check.Close.
			calls := strings.Count(c.Source, "check.Close(") + strings.Count(c.Source, "agree(")
			if strings.Contains(c.Source, "func agree(") {
				continue
			}
			if c.Type != notebook.Code || calls == 0 || c.Tagged("exercise") || c.Tagged("solution") {
				continue
			}
			checks += calls
			shown := fmt.Sprint(c.Outputs)
			if strings.Contains(shown, "✗") || !strings.Contains(shown, "✓ right") {
				t.Errorf("%s: %s does not agree with the library, or has no output", filepath.Base(name), c.ID)
			}
		}
	}
	if checks == 0 {
		t.Error("no lecture compares anything")
	}
}

// TestPredictions checks the questions that ask readers to predict a result: each lecture has four, each with one
// right answer and followed by a code cell.
func TestPredictions(t *testing.T) {
	for _, l := range Lectures {
		name := filepath.Join(root, "notebooks", l.Name+".ipynb")
		nb, err := notebook.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, c := range nb.Cells {
			if !strings.HasPrefix(c.Source, "**Predict.** ") {
				continue
			}
			n++
			options, right := strings.Count(c.Source, "<details><summary>"), strings.Count(c.Source, "\nRight: ")
			wrong, ends := strings.Count(c.Source, "\nWrong: "), strings.Count(c.Source, "\n</details>")
			if options < 2 || right != 1 || right+wrong != options || ends != options || i+1 == len(nb.Cells) || nb.Cells[i+1].Type != notebook.Code {
				t.Errorf("%s: %s has %d options, %d right ones and %d wrong ones, or stands before no code", filepath.Base(name), c.ID, options, right, wrong)
			}
		}
		if n < 4 {
			t.Errorf("%s asks %d times for a prediction, not 4 times", filepath.Base(name), n)
		}
	}
}
