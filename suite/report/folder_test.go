package report

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/paper/record"
)

func TestReplace(t *testing.T) {
	root := madeUp(t)
	out := filepath.Join(root, "figures", "run", "site")
	write := func() error { _, err := Write(root, out, Options{NoNotebooks: true}); return err }
	for range 2 {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	// No file of the site is mistaken for results.
	for _, s := range record.ScoreboardIn(root).Scores {
		if s.Paper == "site" {
			t.Errorf("%+v", s)
		}
	}
	put(t, out, "stale.html", "")
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "stale.html")); err == nil {
		t.Error("a stale file is left")
	}
	alone := func() {
		t.Helper()
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	alone()

	// A killed run has left its folder, and another run is in progress.
	old, young := filepath.Join(filepath.Dir(out), ".site-new-1"), filepath.Join(filepath.Dir(out), ".site-new-2")
	put(t, old, "index.html", "")
	put(t, young, "index.html", "")
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old one is still there")
	}
	if err := os.RemoveAll(young); err != nil {
		t.Error("the young one is gone:", err)
	}
	alone()

	// A failure leaves the site unchanged.
	before := read(t, out)
	f, err := newFolder(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.replace(f.write("../outside", nil)); err == nil {
		t.Error("a file outside was written")
	}
	if after := read(t, out); len(after) != len(before) {
		t.Errorf("%d files, not %d", len(after), len(before))
	}
	alone()

	// A folder that is not a site is not touched.
	for _, other := range []string{root, filepath.Join(root, "figures", "alpha"), filepath.Join(root, "go.mod")} {
		if _, err := Write(root, other, Options{}); err == nil {
			t.Errorf("%s was replaced", other)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "figures", "alpha", "one.svg")); err != nil {
		t.Error(err)
	}
	// An empty folder is used, and a link to a site remains a link.
	empty := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(empty, link); err != nil {
		t.Skip(err)
	}
	for range 2 {
		if _, err := Write(root, link, Options{NoNotebooks: true}); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestSwapByTwo(t *testing.T) {
	for _, was := range []string{"", "old"} {
		dir := t.TempDir()
		made, final := filepath.Join(dir, "made"), filepath.Join(dir, "final")
		put(t, made, "x", "new")
		if was != "" {
			put(t, final, "x", was)
		}
		if err := swapByTwo(made, final); err != nil {
			t.Fatal(err)
		}
		if files := read(t, dir); len(files) != 1 || files["final/x"] != "new" {
			t.Errorf("%v", files)
		}
	}
	dir := t.TempDir()
	put(t, dir, "final/x", "old")
	if err := swapByTwo(filepath.Join(dir, "missing"), filepath.Join(dir, "final")); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Error(err)
	}
	if files := read(t, dir); files["final/x"] != "old" {
		t.Errorf("the old one is gone: %v", files)
	}
}

// TestAlwaysThere repeatedly reads a site while it is being replaced.
func TestAlwaysThere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("two steps are needed here")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "site")
	replace := func() {
		f, err := newFolder(out)
		if err == nil {
			err = f.replace(f.write("index.html", nil))
		}
		if err != nil {
			t.Error(err)
		}
	}
	replace()
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			replace()
		}
	}()
	missing, looked := 0, 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if _, err := os.Stat(filepath.Join(out, "index.html")); err != nil {
			missing++
		}
		looked++
	}
	if missing > 0 {
		t.Errorf("missing %d times of %d", missing, looked)
	}
}

// A notebook's page is reused from the old site if no input has changed. It equals a newly made page.
func TestKeptPages(t *testing.T) {
	root := madeUp(t)
	out := filepath.Join(t.TempDir(), "site")
	made := func() (fresh []string) {
		t.Helper()
		old := readKept(out)
		if _, err := Write(root, out, Options{}); err != nil {
			t.Fatal(err)
		}
		now := readKept(out)
		for name, k := range now {
			if old[name].From != k.From {
				fresh = append(fresh, name)
			}
		}
		_, want := writeSite(t, root)
		if got := read(t, out); !maps.Equal(got, want) {
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s is not as in a new site", name)
				}
			}
		}
		slices.Sort(fresh)
		return fresh
	}
	record, run := "notebook/alpha.html", "notebook/run/alpha.html"
	for _, c := range []struct {
		what string
		do   func()
		want []string
	}{
		{"the first time", func() {}, []string{record, run}},
		{"again", func() {}, nil},
		{"another run", func() { putNotebook(t, root, "notebooks/run/alpha.ipynb", text("# Alpha, run again")) }, []string{run}},
		{"another figure", func() {
			put(t, root, "figures/run/alpha/one.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path/></svg>")
		}, []string{record, run}},
		{"a source that is gone", func() { os.Remove(filepath.Join(root, "paper/alpha/alpha_test.go")) }, nil},
		{"a page that somebody has changed", func() { put(t, out, record, "mine") }, nil},
		{"a picture beside the notebook", func() { putNotebook(t, root, "notebooks/run/alpha.ipynb", text("![it](it.png)")) }, nil},
	} {
		c.do()
		if got := made(); !slices.Equal(got, c.want) {
			t.Errorf("%s: made %v, want %v", c.what, got, c.want)
		}
	}
	if _, kept := readKept(out)[run]; kept {
		t.Error("a page that may show a file is kept")
	}
}
