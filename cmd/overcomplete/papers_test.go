package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// The notebooks agree with the papers' declarations: their cells call each declared experiment under its
// name, in the same order, and no other experiment. The names are unique, and begin with the prefix used in
// the Makefile: the folder of lab.go, without the year.
func TestDeclared(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	seen, notebooks, packages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range declaredPapers() {
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		folder := filepath.Base(p.Package())
		if packages[folder] || notebooks[p.Notebook] {
			t.Errorf("%s or its notebook %s is there twice", folder, p.Notebook)
		}
		packages[folder], notebooks[p.Notebook] = true, true
		if _, err := os.Stat(filepath.Join(root, "paper", folder, "lab.go")); err != nil {
			t.Errorf("make does not know the experiments of %s: %v", folder, err)
		}
		var want []string
		for _, e := range p.Experiments {
			name := p.Target(e)
			if seen[name] {
				t.Errorf("there are two experiments %s", name)
			}
			seen[name] = true
			want = append(want, name)
		}
		cells, err := suite.TargetsOf(root, filepath.Join(root, "notebooks", p.Notebook+".ipynb"))
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, c := range cells {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the cells of %s.ipynb are\n%s, and %s declares\n%s", p.Notebook, strings.Join(got, " "), folder, strings.Join(want, " "))
		}
	}
	paths, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if cells, err := suite.TargetsOf(root, path); err != nil || len(cells) > 0 && !notebooks[suite.PaperOf(path)] {
			t.Errorf("%s has experiments that no paper in papers.go declares (%v)", filepath.Base(path), err)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "paper", "*", "experiments.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		folder := filepath.Base(filepath.Dir(f))
		if _, err := os.Stat(filepath.Join(filepath.Dir(f), "lab.go")); err == nil && !packages[folder] {
			t.Errorf("paper/%s/experiments.go is not in papers.go", folder)
		}
	}
	for _, x := range suite.Targets(root, declaredPapers()) {
		if x.Size == "" || x.Heading == "" {
			t.Errorf("%+v", x)
		}
	}
}

// Every experiment's cell shares its results with the run of the experiment without the notebook.
func TestViews(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	s := suite.OpenIn(root, t.TempDir(), declaredPapers()...)
	for _, p := range declaredPapers() {
		views, err := s.Views(filepath.Join(root, "notebooks", p.Notebook+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Experiments {
			if !slices.Contains(views, p.Target(e)) {
				t.Errorf("the cell of %s calls it in another way than %s is declared, or of another lab than %s.New(size, uint64(seed))", p.Target(e), e.Call(), filepath.Base(p.Package()))
			}
		}
	}
}

// Every solution in a notebook has its output. A run that leaves out solutions, such as the run for the
// record, would remove these outputs.
func TestSolutionsHaveOutputs(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			if c.Type == notebook.Code && c.Tagged("solution") && len(c.Outputs) == 0 {
				t.Errorf("%s: solution %s has no output", filepath.Base(path), c.ID)
			}
		}
	}
}
