package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overcomplete/data"
)

// Replayed events give the same results, with the times and the program of the first run.
func TestReplay(t *testing.T) {
	t.Setenv(data.Variable, "")
	dir := t.TempDir()
	var events []Event
	stop := Listen(func(e Event) {
		b, err := json.Marshal(e) // in the form in which events are stored
		if err != nil {
			t.Error(err)
		}
		var back Event
		if err := json.Unmarshal(b, &back); err != nil {
			t.Error(err)
		}
		events = append(events, back)
	})
	first := sample(t, dir, Lecture, 0.5)
	first.Sheet("table", Lay("A table", "", []string{"a", "b"}, []string{"line"}, [][]string{{first.Rows()[0].ID, ""}}, first.Rows()))
	if f, err := data.Open("mnist", ""); err == nil {
		f.Close()
	}
	if err := first.UseFile(filepath.Join(dir, "trained.mat")); err != nil {
		t.Fatal(err)
	}
	stop()
	want := first.Results()
	if n := len(events); events[n-1].Used == nil || events[n-1].Used.Name != "trained.mat" || events[n-1].Used.State != data.Absent ||
		events[n-2].Used == nil || events[n-2].Used.Name != "mnist" {
		t.Errorf("%+v", events)
	}
	kept := t.TempDir()
	if err := os.CopyFS(kept, os.DirFS(first.Dir())); err != nil {
		t.Fatal(err)
	}

	again, err := StartIn(t.TempDir(), "lewicki", Lecture, 7)
	if err != nil {
		t.Fatal(err)
	}
	made := Making{Started: "2026-01-02T03:04:05Z", Go: "go1", Arch: "x/y", CPUs: 2}
	for range 2 { // a cell can be run again
		if err := again.Replay(events, kept, made); err != nil {
			t.Fatal(err)
		}
	}
	got := again.Results()
	if len(got.Made) != 2 || got.Made[1] != made || got.Rows[0].Made != 1 {
		t.Errorf("made %+v, row %d", got.Made, got.Rows[0].Made)
	}
	if err := again.Finish(); err != nil {
		t.Fatal(err)
	}
	if !sameResults(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if s := got.Sheet(got.Sheets[0]); s.Cells[0][0].ID != first.Rows()[0].ID || s.Cells[0][1].ID != "" {
		t.Errorf("sheet %+v", s)
	}
	for _, f := range fileNames(want) {
		a, _ := os.ReadFile(filepath.Join(first.Dir(), f))
		b, err := os.ReadFile(filepath.Join(again.Dir(), f))
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := again.Replay(events, t.TempDir(), made); err == nil || !strings.Contains(err.Error(), "no figure") && !strings.Contains(err.Error(), "no such file") {
		t.Errorf("replay without the figures: %v", err)
	}
}

func TestUsedNow(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	u := Dependency{Kind: UsedFile, Name: "f"}
	states := map[string]bool{}
	for _, content := range []string{"", "a", "b"} {
		if content != "" {
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := u.Now(dir)
		if err != nil || states[s] {
			t.Errorf("%q: %q, %v", content, s, err)
		}
		states[s] = true
	}
}

// A relative path is resolved against the current working directory, which may change later.
func TestUseFileRelative(t *testing.T) {
	root := t.TempDir()
	r, err := StartIn(root, "toy", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(root, "sub")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "f"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(sub)
	var seen []Dependency
	stop := Listen(func(e Event) { seen = append(seen, *e.Used) })
	defer stop()
	if err := r.UseFile("f"); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || filepath.Base(seen[0].Name) != "f" || seen[0].State == data.Absent {
		t.Errorf("%+v", seen)
	}
	t.Chdir(root)
	if now, err := seen[0].Now(root); err != nil || now != seen[0].State {
		t.Errorf("%q, %v", now, err)
	}
}

func TestPaperFunc(t *testing.T) {
	for _, c := range []struct{ name, folder, decl string }{
		{"overcomplete/paper/bradley2008.(*Lab).Table2", "paper/bradley2008", "Lab.Table2"},
		{"overcomplete/paper/bradley2008.(*Lab).Table2.func1.2", "paper/bradley2008", "Lab.Table2"},
		{"overcomplete/paper/s3c2011.Toy.func3", "paper/s3c2011", "Toy"},
		{"overcomplete/paper/s3c2011.glob..func1", "paper/s3c2011", "glob"},
		{"overcomplete/paper/s3c2011.Setting.String", "paper/s3c2011", "Setting.String"},
		{"overcomplete/paper/lab.Lab.Row", "", ""},
		{"overcomplete/paper/record.(*Run).Add", "", ""},
		{"overcomplete/paper/internal/labtest.Smoke", "", ""},
		{"overcomplete/kernel.New", "", ""},
	} {
		folder, decl, ok := paperFunc(c.name)
		if folder != c.folder || decl != c.decl || ok != (c.folder != "") {
			t.Errorf("%s: %q, %q, %v", c.name, folder, decl, ok)
		}
	}
}

// A run of selected experiments may have no rows, but a whole run without rows is an error.
func TestFinishWithoutRows(t *testing.T) {
	r, err := StartIn(t.TempDir(), "lewicki", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("%v", err)
	}
	r.SetPart()
	if err := r.Finish(); err != nil {
		t.Error(err)
	}
}
