package suite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lecturepca"
	"overcomplete/paper/record"
)

// source copies the project's source, so that the test can change the copy.
func source(t *testing.T) (root string) {
	t.Helper()
	from, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	root = t.TempDir()
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && rel != "." && (name[0] == '.' || name == "testdata" || rel == "figures" || rel == "bin" || rel == "dist"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(root, rel), 0o777)
		case strings.HasSuffix(name, "_test.go") || rel != "go.mod" && rel != "go.sum" && filepath.Dir(rel) == ".":
			return nil
		case strings.HasSuffix(name, ".npz"), strings.HasSuffix(name, ".mat"), strings.HasSuffix(name, ".zip"):
			return nil // large folders without code
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(root, rel), b, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// An experiment without its notebook gives the same results as the notebook's cell, and each of the
// two uses the other's measurements.
func TestDirect(t *testing.T) {
	patience.SkipShort(t, "it runs experiments in several ways")
	t.Setenv("OVERCOMPLETE_DATA", t.TempDir()) // generated pictures
	root, cache := source(t), t.TempDir()
	t.Chdir(root)
	paper := lecturepca.Experiments()
	suite := OpenIn(root, cache, paper)
	const target, cell = "lecturepca-identities", "lecturepca-forms"
	run := func(only string) (Outcome, string) {
		t.Helper()
		said := ""
		given, err := suite.RunDirect(context.Background(), Request{Paper: paper, Size: record.Smoke, Seed: 1,
			Only: []string{only}, Say: func(text string) { said += text }})
		if err != nil || len(given) != 1 || given[0].Target != only {
			t.Fatalf("%+v, %v", given, err)
		}
		return given[0], said
	}
	path := filepath.Join(root, "notebooks", paper.Notebook+".ipynb")
	step := func(name string) Step {
		t.Helper()
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := suite.Plan(nb, paper.Notebook, []headless.Assignment{{Name: "size", Text: record.Smoke}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range p.Steps {
			if st.Target == name {
				return st
			}
		}
		t.Fatalf("no step %s", name)
		return Step{}
	}

	first, said := run(target)
	if first.Kept || len(first.Rows) == 0 || len(first.Outputs) == 0 || !strings.Contains(said, "no result yet") {
		t.Errorf("%+v %s", first, said)
	}
	results := filepath.Join(root, "figures", "run", paper.Notebook, record.FileName)
	r, err := record.Read(results)
	if err != nil || len(r.Rows) != len(first.Rows) {
		t.Errorf("%v, %v", r, err)
	}
	if err := os.RemoveAll(filepath.Dir(results)); err != nil {
		t.Fatal(err)
	}
	second, said := run(target)
	if !second.Kept || len(second.Rows) != len(first.Rows) || !strings.Contains(said, "1 is kept") {
		t.Errorf("%+v %s", second, said)
	}
	if len(second.Outputs) != len(first.Outputs) {
		t.Error("other outputs are kept")
	}
	// Kept results of one experiment are included in the results when another experiment runs.
	if other, _ := run(cell); other.Kept {
		t.Errorf("%+v", other)
	}
	if r, err := record.Read(results); err != nil || len(r.Rows) <= len(first.Rows) {
		t.Errorf("%v, %v", r, err)
	}
	if times, err := OpenIn(root, cache).Times(paper.Notebook, record.Smoke); err != nil || times == nil || len(times.Cells) != 2 {
		t.Errorf("%+v, %v", times, err)
	}
	for _, name := range []string{target, cell} {
		if st := step(name); st.Action != Keep {
			t.Errorf("the notebook measures %s again: %s", name, st.Reason())
		}
	}
	if st := step("lecturepca-dual"); st.Action != Run {
		t.Error("what was never measured is kept")
	}

	// Changes to the kernel affect only results measured with the kernel.
	interpreter := filepath.Join(root, "kernel", "kernel.go")
	edit := func(file, old, new string) {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), old) {
			t.Fatal(file, err)
		}
		write(t, file, strings.Replace(string(b), old, new, 1))
		suite = OpenIn(root, cache, paper)
	}
	st := step(target)
	if st.inputs.Kernel == nil || len(st.inputs.Kernel.Files) < 20 || !strings.Contains(strings.Join(st.inputs.Kernel.Modules, " "), "ixgo v") {
		t.Errorf("%+v", st.inputs.Kernel)
	}
	measured := newEntry("by the notebook", st.inputs, nil, time.Now(), headless.Cost{}, 0, st.entry.Events)
	for _, e := range (store{cache}).entries(st.place) {
		if err := os.RemoveAll(e.folder); err != nil {
			t.Fatal(err)
		}
	}
	measured.Events = nil
	if err := (store{cache}).write(st.place, measured, &notebook.Cell{Type: notebook.Code, ID: "x"}, "", marks{}); err != nil {
		t.Fatal(err)
	}
	if g, _ := run(target); !g.Kept {
		t.Error("what the notebook measured is not used")
	}
	edit(interpreter, "func (k *Kernel) Execute(", "func init() { println() }\n\nfunc (k *Kernel) Execute(")
	for _, why := range []string{step(target).Reason(), func() string { g, said := run(target); _ = g; return said }()} {
		if !strings.Contains(why, "code changed: kernel/kernel.go") {
			t.Errorf("another kernel: %q", why)
		}
	}
	if g, said := run(cell); !g.Kept {
		t.Errorf("the kernel counts for what ran without it: %s", said)
	}
	// Changes to the experiment's own code affect both kinds of results.
	edit(filepath.Join(root, "paper", "lecturepca", "lab.go"), "return &Lab{Lab: base}, nil", "return &Lab{Lab: base, faces: nil}, nil")
	if g, said := run(cell); g.Kept || !strings.Contains(said, "code changed: paper/lecturepca/lab.go") {
		t.Errorf("the code changed: %s", said)
	}
}

func TestDirectStops(t *testing.T) {
	patience.SkipShort(t, "it runs experiments in several ways")
	t.Setenv("OVERCOMPLETE_DATA", t.TempDir())
	root, cache := source(t), t.TempDir()
	t.Chdir(root)
	paper := lecturepca.Experiments()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := Request{Paper: paper, Size: record.Smoke, Seed: 1, Only: []string{"lecturepca-identities", "lecturepca-dual"}}
	suite := OpenIn(root, cache, paper)
	if given, err := suite.RunDirect(ctx, d); !errors.Is(err, context.Canceled) || len(given) > 0 {
		t.Errorf("%+v, %v", given, err)
	}
	d.EachTimeout = time.Nanosecond
	if _, err := suite.RunDirect(context.Background(), d); err == nil || !strings.Contains(err.Error(), "lecturepca-identities: time-out") {
		t.Errorf("%v", err)
	}
	d.EachTimeout, d.Only = 0, []string{"lecturepca-none"}
	if _, err := suite.RunDirect(context.Background(), d); err == nil || !strings.Contains(err.Error(), `"lecturepca-none"`) {
		t.Errorf("%v", err)
	}
}

// Tables of importable packages are found by package.
func TestTables(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := scanTables(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"fmt", "gonum.org/v1/gonum/mat", reflect.TypeFor[lecturepca.Lab]().PkgPath()} {
		if len(tables[pkg]) == 0 {
			t.Errorf("there is no table of %s in %v", pkg, bindings)
		}
	}
}
