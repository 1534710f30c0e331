package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/built"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// A new paper compiles, and its test passes, without further changes.
func TestNewPaper(t *testing.T) {
	root := t.TempDir()
	p := paperPlan{Package: "zzz1999", Notebook: "the-last", Title: "The last of the papers"}
	files, err := p.files()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeNew(root, files); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(root, files); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("over what is there: %v", err)
	}
	nb, err := notebook.Read(filepath.Join(root, "notebooks", "the-last.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	targets, err := suite.TargetsOf(root, filepath.Join(root, "notebooks", "the-last.ipynb"))
	if err != nil || len(targets) != 1 || targets[0].Name != "zzz-table1" || len(nb.Cells) != 8 {
		t.Errorf("%+v, %v", targets, err)
	}
	project, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	list := filepath.Join(root, "papers.go")
	b, err := os.ReadFile(filepath.Join(project, papersFile))
	if err == nil {
		err = os.WriteFile(list, b, 0o666)
	}
	if err == nil {
		err = p.enlist(list)
	}
	if err != nil {
		t.Fatal(err)
	}
	if b, err = os.ReadFile(list); err != nil || !strings.Contains(string(b), "\t\"overcomplete/paper/zzz1999\"\n)") || !strings.Contains(string(b), "\t\tzzz1999.Experiments(),\n\t}\n") {
		t.Errorf("%s %v", b, err)
	}
	for file, row := range p.tableRows() {
		b := testfile.Read(t, filepath.Join(project, filepath.FromSlash(file)))
		path := filepath.Join(root, "table.md")
		testfile.Write(t, path, b)
		if err := addRow(path, row); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(path)
		if err != nil || len(after) != len(b)+len(row) {
			t.Fatal(err)
		}
		// The row is the last one of its table, and nothing else has changed.
		above, below, ok := strings.Cut(string(after), row)
		if last := above[strings.LastIndex(above[:len(above)-1], "\n")+1:]; !ok || !strings.HasPrefix(last, "| [") || !strings.HasPrefix(below, "\n") || above+below != string(b) {
			t.Errorf("%s: %q stands after %q and before %q", file, row, last, below[:min(80, len(below))])
		}
	}
	if testing.Short() {
		t.Skip("short: the new package is not compiled")
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path := range files {
		if strings.HasSuffix(path, ".go") {
			overlay.Replace[filepath.Join(project, path)] = filepath.Join(root, path)
		}
	}
	b, err = json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "overlay.json")
	testfile.Write(t, file, b)
	binary := filepath.Join(root, "zzz.test")
	args := append([]string{"test", "-c", "-vet=off"}, built.Flags()...) // vet would run in the folder, which exists only in the overlay
	build := exec.Command("go", append(args, "-o", binary, "-overlay", file, "./paper/zzz1999")...)
	build.Dir = project
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(binary)
	run.Dir = filepath.Join(root, "paper", "zzz1999") // the same working directory as in go test
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNewPaperNames(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	good := paperPlan{Package: "olshausen1996", Notebook: "sparse-coding", Title: "T"}
	if err := good.check(root); err != nil {
		t.Error(err)
	}
	for _, p := range []paperPlan{
		{"Olshausen", "x", "T"}, {"1996", "x", "T"}, {"a-b", "x", "T"}, {"func", "x", "T"}, {"record", "x", "T"}, {"internal", "x", "T"}, {"../x", "x", "T"},
		{"a", "A", "T"}, {"a", "run", "T"}, {"a", "../x", "T"}, {"a", "", "T"}, {"a", "x", ""},
	} {
		if err := p.check(root); err == nil {
			t.Errorf("%+v passes", p)
		}
	}
}
