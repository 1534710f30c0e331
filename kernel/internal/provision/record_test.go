package provision

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/modules"
)

// recorded returns a world with a record of the packages compiled for a notebook.
func recorded(t *testing.T) (w *world, file string) {
	w = newWorld(t)
	file = filepath.Join(t.TempDir(), "next", "notebook.json")
	w.options = func(o *Options) { o.Record = file }
	w.begin(nil)
	return w, file
}

// waiting returns the program with which the notebook would start next, or "".
func (w *world) waiting(file string) string {
	p := waiting(file, func([]byte) (Env, error) { return w, nil }, func(*modules.Program) error { return w.fails["check"] })
	if p == nil {
		return ""
	}
	return p.Path
}

// TestNextStart checks that the next start finds the program that was compiled for it in any of the ways, and
// continues with the program's versions.
func TestNextStart(t *testing.T) {
	for name, play := range map[string]func(w *world){
		"a": func(w *world) { w.cached = [][]string{{uuidIn}}; w.cells(uuid) },
		"b": func(w *world) { w.cells(uuid) },
		"c": func(w *world) { w.held = "the variable x"; w.cells(uuid) },
		"d": func(w *world) {
			w.held, w.fails["sources "+uuidIn] = "the variable x", unfit(uuidIn, "no")
			w.cells(uuid)
		},
		"c after b": func(w *world) {
			w.held, w.cached = "the variable x", [][]string{{uuidIn}}
			w.cells(lo, uuid)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, file := recorded(t)
			play(w)
			w.settle()
			program := w.waiting(file)
			if program != "program("+uuidIn+")" {
				t.Fatalf("waiting: %q", program)
			}
			w.held, w.fails = "", map[string]error{}
			w.begin(w.Known([]string{uuidIn}))
			w.out.Reset()
			w.cells("x := 1", uuid)
			if strings.Contains(w.out.String(), "compil") || strings.Contains(w.out.String(), "source") {
				t.Errorf("the next start shows\n%s", &w.out)
			}
			w.mod("")
			if !strings.Contains(w.out.String(), "[resume pins]") || !strings.Contains(w.out.String(), "compiled in") {
				t.Errorf("the versions are not those of the record:\n%s", &w.out)
			}
		})
	}
}

func TestRecordBroken(t *testing.T) {
	w, file := recorded(t)
	if got := w.waiting(file); got != "" {
		t.Errorf("without a record there is %s", got)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", "{}", "[]", `{"packages":[]}`, `{"packages":["never.compiled/x"]}`} {
		testfile.Write(t, file, text)
		if got := w.waiting(file); got != "" {
			t.Errorf("%s: %s", text, got)
		}
		w.cached = nil
		w.begin(nil)
		w.cells(uuid) // the error has no effect
	}
	if got := w.waiting(file); got == "" {
		t.Error("it is not written over")
	}
	w.fails["check"] = fmt.Errorf("no")
	if got := w.waiting(file); got != "" {
		t.Errorf("%s must not be run", got)
	}
	// If the record cannot be written, there is no record, and no operation fails.
	w.options = func(o *Options) { o.Record = filepath.Join(file, "below", "a", "file") }
	w.begin(nil)
	w.out.Reset()
	w.cells(color)
	if strings.Contains(w.out.String(), "Error") {
		t.Errorf("it shows\n%s", &w.out)
	}
}

// TestForget: forget keeps the most recently written records.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	for i := range maxRecords + 3 {
		name := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		testfile.Write(t, name, "")
		when := time.Now().Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	forget(dir)
	entries, _ := os.ReadDir(dir)
	if _, err := os.Stat(filepath.Join(dir, "2.json")); len(entries) != maxRecords || err == nil {
		t.Errorf("%d records, and the third: %v", len(entries), err)
	}
}

// TestTidyForgets: the record of a notebook that no longer uses other modules is removed.
func TestTidyForgets(t *testing.T) {
	w, file := recorded(t)
	w.cells(uuid)
	if err := w.provider.Tidy(context.Background()); err != nil || w.waiting(file) == "" {
		t.Errorf("tidy: %v, waiting: %q", err, w.waiting(file))
	}
	w.begin(w.program([]string{uuidIn}, true))
	if err := w.provider.Tidy(context.Background()); err != nil || w.waiting(file) != "" {
		t.Errorf("tidy: %v, waiting: %q", err, w.waiting(file))
	}
}
