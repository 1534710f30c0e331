package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/kernel/notebook"
)

// TestNumpy runs the cells of docs/numpy.ipynb, which must print what the notebook shows. If numpy is installed, it
// also runs the Python blocks above the cells. A block and its cell must print the same numbers.
func TestNumpy(t *testing.T) {
	patient.SkipShort(t, "it runs a notebook, and numpy")
	const name = "../../docs/numpy.ipynb"
	shown, err := notebook.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if code, out, errs := output(t, ".", "run", "--fresh", "--out", filepath.Join(dir, "numpy.ipynb"), name); code != 0 {
		t.Fatal(out, errs)
	}
	ran, err := notebook.Read(filepath.Join(dir, "numpy.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var python strings.Builder
	inGo := map[string]string{} // what cells print, by their ids
	block := regexp.MustCompile("(?s)```python\n(.*?)```")
	pieces := 0
	for i, c := range ran.Cells {
		if c.Type != notebook.Code {
			continue
		}
		inGo[c.ID] = textOf(c)
		if now, before := inGo[c.ID], textOf(shown.Cells[i]); now != before {
			t.Errorf("%s prints %q, the notebook shows %q", c.ID, now, before)
		}
		above := block.FindStringSubmatch(ran.Cells[i-1].Source)
		if above == nil {
			t.Errorf("above %s is no Python block", c.ID)
			continue
		}
		if c.ID == "plot" { // matplotlib may not be installed, and the block prints nothing
			if len(c.Outputs) != 1 {
				t.Error("there is no plot")
			}
			pieces++
			continue
		}
		if c.ID != "imports" {
			pieces++
		}
		fmt.Fprintf(&python, "print('cell %s')\n%s", c.ID, above[1])
	}
	if pieces != 20 {
		t.Errorf("there are %d pieces", pieces)
	}
	interpreter := pyenv.Python("numpy", pyenv.Peers, pyenv.Torch, pyenv.Jax)
	if interpreter == "" {
		t.Skip("the Python blocks are not run: no numpy here (go run ./internal/pyenv/make peers)")
	}
	out, err := exec.Command(interpreter, "-c", "import numpy; numpy.set_printoptions(precision=12)\n"+python.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, section := range strings.Split("\n"+string(out), "\ncell ")[1:] {
		id, printed, _ := strings.Cut(section, "\n")
		if id == "imports" {
			continue
		}
		if x, y := numbersOf(inGo[id]), numbersOf(printed); !sameNumbers(x, y) {
			t.Errorf("%s: Go prints %v, numpy %v", id, x, y)
		}
		delete(inGo, id)
	}
	if len(inGo) != 2 { // imports and plot
		t.Errorf("not compared: %q", inGo)
	}
}
