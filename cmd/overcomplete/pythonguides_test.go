package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestTenTasks runs the Go blocks of docs/ten-tasks.md in cells and, if scikit-learn is installed, the Python blocks.
// The blocks of a task must print the same numbers.
func TestTenTasks(t *testing.T) {
	patient.SkipShort(t, "it runs a notebook, and scikit-learn")
	text := testfile.Read(t, "../../docs/ten-tasks.md")
	nb := &notebook.Notebook{Metadata: goMetadata()}
	python := ""
	var names []string // of the cells
	for number, section := range strings.Split(string(text), "\n## ") {
		for _, block := range regexp.MustCompile("(?s)```(python|go)\n(.*?)```").FindAllStringSubmatch(section, -1) {
			if block[1] == "python" {
				python += fmt.Sprintf("print('task %d')\n%s", number, block[2])
				continue
			}
			head, _, _ := strings.Cut(block[2], "\n")
			names = append(names, fmt.Sprintf("task %d, %s", number, strings.TrimPrefix(head, "// ")))
			nb.Cells = append(nb.Cells, notebook.NewCode(block[2]))
		}
	}
	if len(names) != 1+3+10 {
		t.Fatalf("the text has other blocks: %q", names)
	}
	dir := t.TempDir()
	if err := nb.Write(filepath.Join(dir, "tasks.ipynb")); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := output(t, dir, "run", "--inplace", "tasks.ipynb"); code != 0 {
		t.Fatal(out, errs)
	}
	ran, err := notebook.Read(filepath.Join(dir, "tasks.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string][]float64{} // by the name of the cell
	for i, c := range ran.Cells {
		for _, o := range c.Outputs {
			printed[names[i]] = append(printed[names[i]], numbersOf(o.Text())...)
		}
	}
	same := func(a, b string) {
		t.Helper()
		if x, y := printed[a], printed[b]; !sameNumbers(x, y) {
			t.Errorf("%s prints %v, %s %v", a, x, b, y)
		}
	}
	for _, task := range []int{1, 2, 5} {
		same(fmt.Sprintf("task %d, gonum", task), fmt.Sprintf("task %d, here", task))
	}
	interpreter := pyenv.Python("sklearn", pyenv.Peers)
	if interpreter == "" {
		t.Skip("the Python blocks are not run: no scikit-learn here (go run ./internal/pyenv/make peers)")
	}
	cmd := exec.Command(interpreter, "-W", "ignore", "-c", "import numpy; numpy.set_printoptions(precision=12)\n"+python)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, section := range strings.Split(string(out), "task ")[1:] {
		number, lines, _ := strings.Cut(section, "\n")
		name := "task " + number
		if printed[name] = numbersOf(lines); number != "0" {
			same(name, name+", here")
		}
	}
}

// sameNumbers reports whether two programs have printed the same numbers, and at least one.
func sameNumbers(x, y []float64) bool {
	return len(x) > 0 && slices.EqualFunc(x, y, func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*(1+math.Abs(x)) })
}

var decimal = regexp.MustCompile(`-?\d+(?:\.\d*)?(?:e[-+]?\d+)?`)

// numbersOf returns the numbers in a string.
func numbersOf(text string) (list []float64) {
	for _, s := range decimal.FindAllString(text, -1) {
		x, err := strconv.ParseFloat(s, 64)
		if err == nil {
			list = append(list, x)
		}
	}
	return list
}

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
