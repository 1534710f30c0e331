package grade

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"ada": "ada", "": "", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", " =1": "' =1",
		"\t=1": "'=1", "a\r\n=1": "a =1", "＝1": "'＝1", "pca-1: no": "pca-1: no",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// If a sheet cannot be written, the old sheet remains, and no other file is left behind.
func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "grades.csv")
	lines := []Line{{Student: `a"b,c`, Points: 1.5, Of: 10, Reasons: []string{"=x", "y"}, Free: []string{"the network"}}}
	if err := Write(path, lines); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "student,points,out of,reasons\n\"a\"\"b,c\",1.5,10,'=x; y; not limited: the network\n"; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if err := Write(filepath.Join(folder, "none", "grades.csv"), lines); err == nil {
		t.Error("written to no folder")
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Error(left)
	}
}

func TestFind(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b.ipynb", "a/x.ipynb", "two/x.ipynb", "two/y.ipynb", "of/lecture-pca.ipynb", "of/y.ipynb", "none/readme.txt", "__MACOSX/x.ipynb", ".hidden/x.ipynb", "readme.txt"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	linked := true
	for name, to := range map[string]string{"link.ipynb": "/etc/passwd", "linkedfolder": "a", "nowhere": "none such", "plain": "readme.txt", "in/x.ipynb": "../a/x.ipynb"} {
		linked = os.Symlink(to, filepath.Join(folder, name)) == nil && linked
	}
	list, err := Find(folder, "lecture-pca")
	if err != nil {
		t.Fatal(err)
	}
	got, faults := map[string]string{}, map[string]string{}
	for _, s := range list {
		faults[s.Student] = s.Fault
		rel := ""
		if s.Notebook != "" {
			rel, _ = filepath.Rel(folder, s.Notebook)
		} else if s.Fault == "" {
			t.Errorf("%s has neither a notebook nor a fault", s.Student)
		}
		got[s.Student] = filepath.ToSlash(rel)
	}
	want := map[string]string{"a": "a/x.ipynb", "b": "b.ipynb", "of": "of/lecture-pca.ipynb", "two": "", "none": "", "in": ""}
	if linked {
		want["link"], want["linkedfolder"], want["nowhere"] = "", "", ""
		for name, fault := range map[string]string{
			"link":         "it is a link, not a regular file: nothing was run",
			"linkedfolder": "it is a link, not a regular folder: nothing was run",
			"nowhere":      "it is a link, not a regular folder: nothing was run",
			"in":           "its notebook: it is a link, not a regular file: nothing was run",
		} {
			if faults[name] != fault {
				t.Errorf("%s: %s, want %s", name, faults[name], fault)
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for name, path := range want {
		if p, ok := got[name]; !ok || p != path {
			t.Errorf("%s: %q, want %q", name, p, path)
		}
	}
	if which, err := FindNotebook(folder); err != nil || which != "lecture-pca" {
		t.Error(which, err)
	}
	if _, err := FindNotebook(t.TempDir()); err == nil {
		t.Error("an empty folder has exercises")
	}
	if _, err := Find(t.TempDir(), "lecture-pca"); err == nil {
		t.Error("an empty folder has submissions")
	}
}

// A student's folder is copied without following links. If it is too large, it is not copied at all.
func TestCopyFolder(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	if err := os.WriteFile(filepath.Join(from, "f"), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "link")); err != nil {
		t.Skip(err)
	}
	page := int64(os.Getpagesize())
	if err := copyFolder(from, to, 2*page); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(to, "link")); err == nil {
		t.Error("a link was followed")
	}
	if _, err := os.Stat(filepath.Join(to, "f")); err != nil {
		t.Error(err)
	}
	if err := copyFolder(from, to+"2", 2*page-1); err == nil {
		t.Error("a page fits into half of less than two")
	}
}
