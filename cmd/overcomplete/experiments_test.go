package main

import (
	"path/filepath"
	"strings"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

// TestOnly checks the output of run for experiments that are requested by name.
func TestOnly(t *testing.T) {
	patient.SkipShort(t, "it runs experiments several times")
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	outside := filepath.Join(notebooks(t, map[string][]string{"lecture-pca": {"1 + 1"}}), "lecture-pca.ipynb")
	pca, icon := filepath.Join("notebooks", "lecture-pca.ipynb"), filepath.Join("notebooks", "i-con.ipynb")
	for _, c := range []struct {
		args    string
		code    int
		say, no string // texts that both outputs contain, and texts that neither contains
	}{
		{"--only lecturepca-dual", 0, "lecturepca-dual", "lecturepca-cost"},
		{"--only lecturepca-dual,,lecturepca-cost,lecturepca-dual --only lecturepca-dual", 0, "lecturepca-cost", "lecturepca-solvers"},
		{"--only lecturepca-dual " + pca, 0, "lecturepca-dual", "lecturepca-cost"},
		{"--fresh --only lecturepca-dual", 0, "requested (--fresh)", "lecturepca-cost"},
		{"--only lecturepca-dual " + pca + " " + icon, 1, "i-con.ipynb has none of the experiments lecturepca-dual: leave out the notebook", ""},
		{"--only lecturepca-nothing", 1, "lecturepca-dual", ""},
		{"--only nothing", 1, "lecturepca-…", ""},
		{"--only ,", 1, "needs the name of an experiment", ""},
		{"--only lecturepca-dual --record", 2, "must not replace the notebook", ""},
		{pca + " " + outside, 0, "this notebook is outside the project", ""},
		{"--size huge " + pca, 2, "smoke, lecture, medium or full", ""},
	} {
		code, out, errs := output(t, root, append([]string{"run", "-n"}, strings.Fields(c.args)...)...)
		all := out + errs
		if code != c.code || !strings.Contains(all, c.say) || c.no != "" && strings.Contains(all, c.no) {
			t.Errorf("%s: status %d\n%s", c.args, code, all)
		}
		if c.code == 0 && strings.Count(all, "lecturepca-dual ") > 1 {
			t.Errorf("%s: an experiment is there twice\n%s", c.args, all)
		}
	}
}

// A notebook has a memory only in the project that contains the code it runs.
func TestKnows(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p, err := openExperiments([]string{filepath.Join(root, "notebooks", "i-con.ipynb")}, suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(root, "notebooks", "i-con.ipynb"): true,
		filepath.Join(root, "i-con.ipynb"):              true,
		filepath.Join(t.TempDir(), "i-con.ipynb"):       false,
		filepath.Join(t.TempDir(), "none", "i.ipynb"):   false,
	} {
		if got := p.memory(path, func() float64 { return 0 }, nil) != nil; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestCheckSizes(t *testing.T) {
	code, _, errs := output(t, ".", "check", "--size", "smoke,huge")
	if code != 2 || !strings.Contains(errs, "huge") {
		t.Errorf("status %d: %s", code, errs)
	}
}
