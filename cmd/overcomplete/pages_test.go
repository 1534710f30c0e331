package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var updatePages = flag.Bool("update-pages", false, "write the sizes of exported pages to docs/teach.md")

// What a page and slides may have, in bytes: a page goes by mail, and opens at once.
const (
	largestPage   = 4_000_000
	largestSlides = 4_000_000
)

// TestPageSizes exports each notebook of the project as a page and as slides, holds them to their limits, and compares their sizes with
// the table in docs/teach.md, to a tenth.
func TestPageSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("it exports all notebooks")
	}
	const readme = "../../docs/teach.md"
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("| notebook | page, MB | slides, MB |\n|---|---|---|\n")
	for _, path := range list {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "| %s |", name)
		for _, form := range []struct {
			flag string
			most int64
		}{{"--html", largestPage}, {"--slides", largestSlides}} {
			to := filepath.Join(dir, name+form.flag+".html")
			if code, _, errs := output(t, dir, "export", form.flag, "--out", to, abs); code != 0 {
				t.Fatal(errs)
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > form.most {
				t.Errorf("%s %s: %d bytes, of which there may be %d", name, form.flag, info.Size(), form.most)
			}
			fmt.Fprintf(&table, " %.1f |", float64(info.Size())/1e6)
		}
		table.WriteByte('\n')
	}
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- pages -->\n", "<!-- /pages -->\n"
	head, rest, ok1 := strings.Cut(string(b), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the sizes of pages", readme)
	}
	if *updatePages {
		if err := os.WriteFile(readme, []byte(head+begin+table.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	number := regexp.MustCompile(`\d+\.\d+`)
	is, was := number.FindAllString(table.String(), -1), number.FindAllString(old, -1)
	same := len(is) == len(was) && number.ReplaceAllString(table.String(), "") == number.ReplaceAllString(old, "")
	for i := 0; same && i < len(is); i++ {
		x, err1 := strconv.ParseFloat(is[i], 64)
		y, err2 := strconv.ParseFloat(was[i], 64)
		same = err1 == nil && err2 == nil && math.Abs(x-y) <= .1*y+.051
	}
	if !same {
		t.Errorf("docs/teach.md has other sizes of pages (-update-pages writes them):\n%s", table.String())
	}
}
