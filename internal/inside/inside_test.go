package inside

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// folders makes a folder with files and links, and another folder outside it.
func folders(t *testing.T) (folder, elsewhere string) {
	t.Helper()
	top := t.TempDir()
	folder, elsewhere = filepath.Join(top, "folder"), filepath.Join(top, "folder2")
	for _, dir := range []string{filepath.Join(folder, "sub", "deep"), elsewhere} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(folder, "own"), filepath.Join(elsewhere, "secret")} {
		testfile.Write(t, file, "content")
	}
	for name, to := range map[string]string{
		"out":            "../folder2/secret",
		"out-absolute":   filepath.Join(elsewhere, "secret"),
		"out-folder":     "../folder2",
		"out-by-two":     "sub/back",
		"sub/back":       "../out",
		"dangling":       "../folder2/none",
		"loop":           "loop",
		"in":             "own",
		"in-folder":      "sub",
		"sub/deep/round": "../../../folder/own",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			if runtime.GOOS == "windows" {
				t.Skip("links need a right there:", err)
			}
			t.Fatal(err)
		}
	}
	return folder, elsewhere
}

func TestCheck(t *testing.T) {
	folder, _ := folders(t)
	for name, refused := range map[string]string{
		"own": "", "new": "", "new/file": "", "in": "", "in-folder/new": "", "sub/deep/round": "", ".": "",
		"in-folder/back": "is a link to",
		"out":            "is a link to", "out-absolute": "is a link to", "out-folder": "is a link to", "out-folder/new": "is a link to", "out-folder/secret": "is a link to",
		"out-by-two": "is a link to", "dangling": "what is not there", "loop": "what is not there",
		"../folder2/secret": "is not in the folder", "..": "is not in the folder",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		err := Check(folder, path)
		if (err == nil) != (refused == "") || err != nil && !strings.Contains(err.Error(), refused) {
			t.Errorf("%s: %v, want %q", name, err, refused)
		}
		var link *LinkError
		if strings.Contains(refused, "link") && !errors.As(err, &link) {
			t.Errorf("%s: %v is no LinkError", name, err)
		}
	}
	// The name of the folder itself may be a link, which is followed.
	named := filepath.Join(filepath.Dir(folder), "named")
	if err := os.Symlink(folder, named); err != nil {
		t.Fatal(err)
	}
	for name, good := range map[string]bool{"own": true, "in": true, "new/file": true, "out": false} {
		if err := Check(named, filepath.Join(named, name)); (err == nil) != good {
			t.Errorf("by a link: %s: %v", name, err)
		}
	}
	if err := Check(filepath.Join(folder, "none", "yet"), filepath.Join(folder, "none", "yet", "file")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestReadFile(t *testing.T) {
	folder, _ := folders(t)
	for name, want := range map[string]bool{"own": true, "in": true, "out": false, "out-folder/secret": false, "sub": false, "none": false} {
		b, err := ReadFile(folder, filepath.Join(folder, filepath.FromSlash(name)), 100)
		if (err == nil) != want || want && string(b) != "content" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := ReadFile(folder, filepath.Join(folder, "own"), 3); err == nil {
		t.Error("a file larger than it may be was read")
	}
}

func TestMkdirAll(t *testing.T) {
	folder, elsewhere := folders(t)
	if err := MkdirAll(folder, filepath.Join(folder, "a", "b"), 0o755); err != nil {
		t.Error(err)
	}
	if err := MkdirAll(folder, filepath.Join(folder, "out-folder", "b"), 0o755); err == nil {
		t.Error("a folder was made elsewhere")
	}
	if list, _ := os.ReadDir(elsewhere); len(list) != 1 {
		t.Errorf("elsewhere has %v", list)
	}
}
