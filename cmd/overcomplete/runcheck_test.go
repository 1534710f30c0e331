package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// recordNotebooks writes notebooks, given their cells, and runs them in place, so that the outputs match the
// code.
func recordNotebooks(t *testing.T, list map[string][]string) (dir string) {
	t.Helper()
	dir = notebooks(t, list)
	for name := range list {
		if code, out, errs := output(t, dir, "run", "--inplace", name+".ipynb"); code != 0 {
			t.Fatal(out, errs)
		}
	}
	return dir
}

// edit changes a notebook.
func edit(t *testing.T, path string, change func(nb *notebook.Notebook)) {
	t.Helper()
	nb, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	change(nb)
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
}

func TestRunCheck(t *testing.T) {
	cells := []string{"//parameters\nn := 2", "import \"fmt\"\nfunc f(x float64) float64 { return x / 3 }", "fmt.Println(f(float64(n)))", "f(1)"}
	dir := recordNotebooks(t, map[string][]string{
		"good": cells, "changed": cells, "moved": cells, "hidden": cells, "fails": cells, "dies": cells, "order": {"import \"fmt\"", "for i := range 3 { fmt.Println(i) }"},
	})
	file := func(name string) string { return filepath.Join(dir, name+".ipynb") }
	edit(t, file("changed"), func(nb *notebook.Notebook) { nb.Cells[0].Source = "//parameters\nn := 3" })
	edit(t, file("moved"), func(nb *notebook.Notebook) { nb.Cells[1], nb.Cells[2] = nb.Cells[2], nb.Cells[1] })
	edit(t, file("hidden"), func(nb *notebook.Notebook) { nb.Cells = append(nb.Cells[:1:1], nb.Cells[2:]...) })
	edit(t, file("fails"), func(nb *notebook.Notebook) { nb.Cells[2].Source = "panic(\"boom\")" })
	edit(t, file("dies"), func(nb *notebook.Notebook) {
		nb.Cells[2].Source = "import \"os\"\np, _ := os.FindProcess(os.Getpid())\np.Kill()\nselect {}"
	})
	edit(t, file("order"), func(nb *notebook.Notebook) { nb.Cells[1].Source = "for i := range 3 { fmt.Println(2 - i) }" })
	testfile.Write(t, file("broken"), "{")
	for _, c := range []struct {
		args string
		code int
		want []string // parts of the output
	}{
		{"good.ipynb", 0, []string{"good.ipynb: a fresh run changes nothing\n"}},
		{"changed.ipynb", 1, []string{"cell 3 (", `a fresh run changes its output: line 1 is "1", but was "0.6666666666666666"`}},
		{"--set n=2 changed.ipynb", 0, nil},
		{"moved.ipynb", 1, []string{"cell 2 (", "line 1: f: declared only below, in cell 3 (", "line 1: fmt: declared only below", "the error TypeError: undefined: fmt instead of the text \"0.6666666666666666\""}},
		{"-n moved.ipynb", 1, []string{"f: declared only below"}},
		{"-n changed.ipynb", 0, []string{"changed.ipynb: every name is declared above where it is used; nothing was run\n"}},
		{"hidden.ipynb", 1, []string{"f: no cell declares it; was it declared in a cell that has been deleted?", "fmt: no cell declares it", "cell 3 ("}},
		{"fails.ipynb good.ipynb", 1, []string{"the error Panic: boom instead of the text", "good.ipynb: a fresh run changes nothing"}},
		{"dies.ipynb good.ipynb", 1, []string{"cell 3 (", "the error KernelDied", "dies.ipynb: cell 3 (In[3]): KernelDied", "good.ipynb: a fresh run changes nothing"}},
		{"order.ipynb", 0, []string{"come in a different order; this is not counted"}},
		{"broken.ipynb", 1, []string{"broken.ipynb:\n"}},
		{"none.ipynb", 1, []string{"no such file"}},
		{"--tolerance 1 changed.ipynb", 0, nil},
		{"--record good.ipynb", 2, []string{"--check runs whole notebooks"}},
		{"--out x good.ipynb", 2, nil},
		{"", 2, nil},
		{"--tolerance -1 good.ipynb", 2, []string{"--tolerance"}},
	} {
		before := filesIn(t, dir)
		code, out, errs := output(t, dir, append([]string{"run", "--check"}, strings.Fields(c.args)...)...)
		for _, w := range c.want {
			if !strings.Contains(out+errs, w) {
				t.Errorf("run --check %s does not say %q", c.args, w)
				code = -1
			}
		}
		if strings.Contains(out, "is gone\n") {
			t.Errorf("run --check %s says of a cell that did not run:\n%s", c.args, out)
		}
		if code != c.code {
			t.Errorf("run --check %s: status %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
		if after := filesIn(t, dir); after != before {
			t.Errorf("run --check %s has changed the folder:\n%s\nwas\n%s", c.args, after, before)
		}
	}
	if code, _, errs := output(t, dir, "run", "--json", "good.ipynb"); code != 2 || !strings.Contains(errs, "--json needs --check") {
		t.Errorf("%d %s", code, errs)
	}
}

// filesIn returns the names and texts of all files below a folder.
func filesIn(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			b.WriteString(path + "\n" + string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRunCheckJSON(t *testing.T) {
	dir := recordNotebooks(t, map[string][]string{"a": {"//parameters\nn := 2", "y := n * 2", "y"}})
	// If a run with another parameter was recorded, the check uses the same parameter.
	if code, out, errs := output(t, dir, "run", "--record", "--set", "n=4", "a.ipynb"); code != 0 {
		t.Fatal(out, errs)
	}
	check := func(want int) (c checkedNotebook) {
		t.Helper()
		code, out, errs := output(t, dir, "run", "--check", "--json", "a.ipynb")
		var all struct{ Notebooks []checkedNotebook }
		if err := json.Unmarshal([]byte(out), &all); err != nil || code != want || len(all.Notebooks) != 1 {
			t.Fatalf("%v, status %d\n%s%s", err, code, out, errs)
		}
		return all.Notebooks[0]
	}
	if c := check(0); !c.OK || c.Path != "a.ipynb" || c.Missing == nil || c.Changed == nil || c.Order == nil {
		t.Errorf("%+v", c)
	}
	edit(t, filepath.Join(dir, "a.ipynb"), func(nb *notebook.Notebook) {
		nb.Cells[1], nb.Cells[2] = nb.Cells[2], nb.Cells[1]
	})
	c := check(1)
	if c.OK || len(c.Missing) != 1 || len(c.Changed) != 1 {
		t.Fatalf("%+v", c)
	}
	if m := c.Missing[0]; m.Cell != 2 || m.Name != "y" || m.Line != 1 || len(m.Below) != 1 || m.Below[0].Cell != 3 || c.Changed[0].ID != m.ID {
		t.Errorf("%+v", c)
	}
}

// TestRunStale checks that a notebook without Jupyter identifies cells by their ids, so two cells that
// declare the same name are distinct.
func TestRunStale(t *testing.T) {
	dir := notebooks(t, map[string][]string{"a": {"x := 1", "x", "x := 2", "x * 2", "%stale"}})
	if code, out, errs := output(t, dir, "run", "--inplace", "a.ipynb"); code != 0 {
		t.Fatal(out, errs)
	}
	nb, err := notebook.Read(filepath.Join(dir, "a.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if c := nb.Cells[4]; len(c.Outputs) != 1 || c.Outputs[0].Text() != "no cell is stale\n" {
		t.Errorf("%v", c.Outputs)
	}
}
