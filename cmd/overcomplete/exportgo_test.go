package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/kernel/notebook"
)

// TestExportGo tests the command; package goprogram tests the programs.
func TestExportGo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "my notes.ipynb")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("import \"fmt\"\n\nn := 3\nfmt.Println(n)"), notebook.NewCode("display.Markdown(\"*x*\")"), notebook.NewCode("x :=")}}
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	code, out, errs := output(t, dir, "export", "--go", "my notes.ipynb")
	if strings.Contains(errs, "does not contain its own source") {
		t.Skip("this test was built with -trimpath, and does not know its checkout")
	}
	if code != 0 || !strings.Contains(out, "written to my-notes") || !strings.Contains(errs, "my notes.ipynb: cell 3: left out: cell:1:5: expected operand") {
		t.Fatalf("exit status %d, %q, %q", code, out, errs)
	}
	broken := &notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("undefined + 1")}}
	if err := broken.Write(filepath.Join(dir, "broken.ipynb")); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := output(t, dir, "export", "--go", "broken.ipynb"); code != 1 || !strings.Contains(out, "written to broken") || !strings.Contains(errs, "cell 1: does not compile: undefined: undefined") {
		t.Errorf("what will not compile: exit status %d, %q, %q", code, out, errs)
	}
	program, err := os.ReadFile(filepath.Join(dir, "my-notes", "main.go"))
	if err != nil || !strings.Contains(string(program), "display.Display(display.Markdown") {
		t.Errorf("%v\n%s", err, program)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "my-notes", "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module my-notes\n") || !strings.Contains(string(mod), "\nreplace "+module.Path+" => ") {
		t.Errorf("%v\n%s", err, mod)
	}
	if hidden, _ := filepath.Glob(filepath.Join(dir, "my-notes", ".*")); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}

	// Exporting again is allowed, but overwriting other files is not.
	if code, _, errs := output(t, dir, "export", "--go", "my notes.ipynb"); code != 0 {
		t.Errorf("again: exit status %d, %s", code, errs)
	}
	own := filepath.Join(dir, "own")
	os.Mkdir(own, 0o755)
	os.WriteFile(filepath.Join(own, "main.go"), []byte("package main\n"), 0o600)
	if code, _, errs := output(t, dir, "export", "--go", "--out", "own", "my notes.ipynb"); code != 1 || !strings.Contains(errs, "main.go was not written by this command, and would be overwritten: use another --out") {
		t.Errorf("over a program: exit status %d, %s", code, errs)
	}
	os.Rename(filepath.Join(own, "main.go"), filepath.Join(own, "other.go"))
	os.WriteFile(filepath.Join(own, "go.mod"), []byte("module own\n"), 0o600)
	if code, _, errs := output(t, dir, "export", "--go", "--out", "own", "my notes.ipynb"); code != 1 || !strings.Contains(errs, "is already a module: use another --out, or --package NAME") {
		t.Errorf("into a module: exit status %d, %s", code, errs)
	}
	if code, _, errs := output(t, dir, "export", "--go", "--package", "notes", "--out", "own", "my notes.ipynb"); code != 0 {
		t.Errorf("a package: exit status %d, %s", code, errs)
	}
	if mod, err := os.ReadFile(filepath.Join(own, "go.mod")); err != nil || string(mod) != "module own\n" {
		t.Errorf("the module of the package's folder is now\n%s%v", mod, err)
	}
	// Outside a module a package has a go.mod, also when it is written again.
	for range 2 {
		if code, _, errs := output(t, dir, "export", "--go", "--package", "notes", "--out", "alone", "my notes.ipynb"); code != 0 {
			t.Errorf("a package of its own: exit status %d, %s", code, errs)
		}
		if mod, err := os.ReadFile(filepath.Join(dir, "alone", "go.mod")); err != nil || !strings.HasPrefix(string(mod), "module notes\n") || !strings.Contains(string(mod), "\nreplace "+module.Path+" => ") {
			t.Errorf("%v\n%s", err, mod)
		}
	}
	if text, err := os.ReadFile(filepath.Join(own, "notes.go")); err != nil || !strings.Contains(string(text), "\nfunc Run() {") {
		t.Errorf("a package: %v\n%s", err, text)
	}
	for _, args := range [][]string{
		{"--go", "--html", "my notes.ipynb"}, {"--package", "x", "my notes.ipynb"}, {"--go", "--package", "main", "my notes.ipynb"}, {"--go"},
	} {
		if code, _, _ := output(t, dir, append([]string{"export"}, args...)...); code != 2 {
			t.Errorf("%v: exit status %d, want 2", args, code)
		}
	}
}
