package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size limits of a page and of slides, in bytes: a page must be small enough to mail, and must open at
// once.
const (
	largestPage   = 4_000_000
	largestSlides = 4_000_000
)

// TestPageSizes exports each notebook of the project as a page and as slides, and checks their
// sizes.
func TestPageSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it exports all notebooks")
	}
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	dir := t.TempDir()
	for _, path := range list {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		for flag, most := range map[string]int64{"--html": largestPage, "--slides": largestSlides} {
			to := filepath.Join(dir, name+flag+".html")
			if code, _, errs := output(t, dir, "export", flag, "--out", to, abs); code != 0 {
				t.Fatal(errs)
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > most {
				t.Errorf("%s %s: %d bytes, of which there may be %d", name, flag, info.Size(), most)
			}
		}
	}
}
