package data

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWatch(t *testing.T) {
	t.Setenv(Variable, "")
	var seen []string
	stop := Watch(func(set, file string) { seen = append(seen, set+"/"+file) })
	s, err := Find("mnist")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f, err := Open("mnist", ""); err == nil {
			f.Close()
			t.Fatal("there is data where there is none")
		}
		stop()
	}
	if want := []string{"mnist/" + s.Files[0].Name}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
}

func TestState(t *testing.T) {
	t.Setenv(Variable, "")
	for _, s := range Sets() {
		for _, f := range s.Files {
			if got, err := State(s.Name, f.Name); err != nil || got != Absent {
				t.Errorf("%s, %s: %q, %v", s.Name, f.Name, got, err)
			}
		}
	}
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	states := map[string]string{}
	for _, s := range Sets() {
		for _, f := range s.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := State(s.Name, f.Name)
			if err != nil || got == Absent || strings.Contains(got, dir) {
				t.Errorf("%s, %s: %q, %v", s.Name, f.Name, got, err)
			}
			if before, ok := states[got]; ok && !strings.Contains(got, "bytes") {
				t.Errorf("%s and %s: %q", before, f.Name, got)
			}
			states[got] = f.Name
		}
	}
	if _, err := State("no such set", ""); err == nil {
		t.Error("no error")
	}
}
