package suite

import (
	"path/filepath"
	"testing"
)

// TestNoteRun: the run of a notebook without experiments, of which nothing has been kept before, is noted too.
func TestNoteRun(t *testing.T) {
	root, cache := project(t), t.TempDir()
	path := filepath.Join(root, "docs", "plain.ipynb")
	nb := book("x := 1")
	write(t, path, "")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	s := openToy(root, cache)
	if _, ok := s.Unchanged(path, nil, Options{}); ok {
		t.Error("unchanged before the first run")
	}
	m := s.Memory(path, Options{}, func(string) {})
	if err := m.Begin(nb, nil); err != nil {
		t.Fatal(err)
	}
	if err := m.NoteRun(path, path, nil); err != nil {
		t.Fatal(err)
	}
	m.End()
	if _, ok := s.Unchanged(path, nil, Options{}); !ok {
		t.Error("not unchanged after a run")
	}
}
