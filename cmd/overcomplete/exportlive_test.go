package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// TestMeasuresTime checks that the cells that are marked as measuring time are exactly the cells with claims
// or figures about times.
func TestMeasuresTime(t *testing.T) {
	root, err := record.Root()
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`\blab\.(\w+)\(`)
	for _, p := range declaredPapers() {
		res, err := record.Read(filepath.Join(root, "figures", p.Notebook, record.FileName))
		if err != nil {
			t.Fatal(err)
		}
		timed := map[string]bool{}
		method := func(o record.Origin) string { return o.Experiment[strings.LastIndexByte(o.Experiment, '.')+1:] }
		for _, r := range res.Rows {
			if r.Data.Timed() {
				timed[method(r.Origin)] = true
			}
		}
		for _, f := range res.Figures {
			if f.Timed {
				timed[method(f.Origin)] = true
			}
		}
		nb, err := notebook.Read(filepath.Join(root, "notebooks", p.Notebook+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Code || c.Tagged("solution") {
				continue
			}
			calls := call.FindAllStringSubmatch(c.Source, -1)
			measures := slices.ContainsFunc(calls, func(m []string) bool { return timed[m[1]] })
			if measures != c.Tagged("measures-time") {
				t.Errorf("%s, cell %s: it measures time: %v; its tags: %q", p.Notebook, c.ID, measures, c.Tags())
			}
		}
	}
}

func TestExportLiveUsage(t *testing.T) {
	book := filepath.Join("..", "..", "notebooks", "lecture-pca.ipynb")
	for _, args := range [][]string{{"--live", book}, {"--live", "--html", "--out", t.TempDir(), book}, {"--set", "full", book}, {"--fast", book}, {"--live", "--hide-code", "--out", t.TempDir(), book}} {
		if code := runExport(args); code != 2 {
			t.Errorf("%q: exit status %d", args, code)
		}
	}
	if code := runExport([]string{"--live", "--set", "small", "--out", t.TempDir(), book}); code != 1 {
		t.Errorf("a set that there is not: exit status %d", code)
	}
}

func TestReleaseVersion(t *testing.T) {
	for v, want := range map[string]bool{"v0.2.0": true, "v0.2.0-rc.1": true, "v0.0.0-20261123004452-cae253712345": false, "v0.2.0+dirty": false} {
		if pseudo.MatchString(v) == want {
			t.Errorf("%s is a release: %v", v, !want)
		}
	}
}

// TestOwnSite checks that a folder with other content is not changed.
func TestOwnSite(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	for range 2 { // a new site, and then the same site again
		if err := ownSite(site); err != nil {
			t.Fatal(err)
		}
	}
	other := t.TempDir()
	if err := notebook.WriteFile(filepath.Join(other, "mine"), nil); err != nil {
		t.Fatal(err)
	}
	if err := ownSite(other); err == nil {
		t.Error("it was taken")
	}
}
