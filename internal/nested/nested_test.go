package nested

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

func TestReadWrite(t *testing.T) {
	const text = "About all.\n\n-- b --\nThe first.\n\n-- b/go.mod --\nmodule b\n-- b/sub/x.go --\npackage sub\n-- a/y.txt --\n"
	path := filepath.Join(t.TempDir(), "x.txtar")
	testfile.Write(t, path, text)
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if list := f.Archives(); len(list) != 2 || list[0].Name != "b" || string(list[0].Comment) != "The first.\n\n" ||
		len(list[0].Files) != 2 || list[0].Files[1].Name != "sub/x.go" || list[1].Name != "a" || f.Archive("c") != nil {
		t.Errorf("%+v", list)
	}
	if err := f.Write(); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != text {
		t.Errorf("%v\n%s", err, again)
	}
	f.Archive("a").Files[0].Data = []byte("new\n")
	if err := f.Write(); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != text+"new\n" {
		t.Errorf("%v\n%s", err, again)
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{"-- a --\n-- a --\n", "-- a/b --\n-- a --\n", "-- /b --\n", "-- a/ --\n"} {
		path := filepath.Join(t.TempDir(), "x.txtar")
		testfile.Write(t, path, text)
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "is no name") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read("missing.txtar"); err == nil {
		t.Error("no error for a missing file")
	}
}
