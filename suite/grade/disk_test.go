package grade

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// fills holds cells that write eight times the allowed amount, in ways that a search by file names does not find.
var fills = map[string]string{
	"removed": `import "os"
var open []*os.File
for i := 0; i < 16; i++ {
	f, err := os.Create("f")
	if err != nil { panic(err) }
	open = append(open, f)
	if err := os.Remove("f"); err != nil { panic(err) }
	if _, err := f.Write(make([]byte, 16<<20)); err != nil { panic(err) }
}`,
	"deep": `import ("fmt"; "os"; "strings")
for range 40 {
	name := strings.Repeat("d", 200)
	if err := os.Mkdir(name, 0o700); err != nil { panic(err) }
	if err := os.Chdir(name); err != nil { panic(err) }
}
for i := range 16 {
	if err := os.WriteFile(fmt.Sprint("f", i), make([]byte, 16<<20), 0o600); err != nil { panic(err) }
}
select { } // until somebody looks`,
	"locked": `import ("fmt"; "os")
if err := os.Mkdir("d", 0); err != nil { panic(err) }
for i := range 16 {
	if err := os.WriteFile(fmt.Sprint("d/f", i), make([]byte, 16<<20), 0o600); err != nil { panic(err) }
}
select { } // until somebody looks`,
}

// fill grades the named notebooks of fills, and returns the result for each.
func fill(t *testing.T, o Options, names ...string) map[string]string {
	t.Helper()
	folder, temp := t.TempDir(), t.TempDir()
	for _, name := range names {
		save(t, filepath.Join(folder, name+".ipynb"), []*notebook.Cell{notebook.NewCode(fills[name]), notebook.NewCode("x := 1")})
	}
	t.Setenv("TMPDIR", temp)
	list, err := Find(folder, "lecture-pca")
	if err != nil {
		t.Fatal(err)
	}
	o.Jobs = 1
	o.Left = func(folder string, err error) { t.Errorf("%s was left: %v", folder, err) }
	lines, err := Run(context.Background(), list, o)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, l := range lines {
		said[l.Student] = l.Text()
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return said
}

// However a notebook hides its files, it cannot write more than allowed, and all its files are removed.
func TestDisk(t *testing.T) {
	requireLimits(t)
	for name, text := range fill(t, options(), "removed", "deep", "locked") {
		if !strings.HasPrefix(text, "cell 1 failed: "+wroteTooMuch) || !strings.HasSuffix(text, "; cell 1 was then left out") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestDiskUnprivileged is like TestDisk for a grader who is not root, and so may not read a folder of mode 0.
func TestDiskUnprivileged(t *testing.T) { runUnprivileged(t, "TestDisk") }

// Without mounts, the folder is watched: a folder that cannot be examined counts as too large.
func TestDiskWatched(t *testing.T) {
	requireLimits(t)
	if len(enclosures) == 0 {
		t.Skip("this system has no namespaces")
	}
	all := enclosures
	enclosures = enclosures[len(enclosures)-1:]
	t.Cleanup(func() { enclosures = all })
	o := options()
	o.Unconfined = true
	for name, text := range fill(t, o, "deep", "locked") {
		if !strings.HasPrefix(text, "cell 1 ended the kernel: "+wroteTooMuch) || !strings.Contains(text, "not limited: files that are removed and stay open") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestDiskWatchedUnprivileged(t *testing.T) { runUnprivileged(t, "TestDiskWatched") }

// Files and folders that a notebook has locked are also removed.
func TestRemove(t *testing.T) {
	if os.Getuid() == 0 {
		runUnprivileged(t, "TestRemove")
		return
	}
	folder := filepath.Join(t.TempDir(), "f")
	if err := os.MkdirAll(filepath.Join(folder, "a", "b", "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "a", ""} {
		if err := os.Chmod(filepath.Join(folder, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := remove(folder); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(folder); err == nil {
		t.Error("it is there")
	}
}

// A graded notebook sees no files of the machine, so it has only the time zones embedded in the kernel.
func TestTimeZones(t *testing.T) {
	requireLimits(t)
	folder := t.TempDir()
	save(t, filepath.Join(folder, "a.ipynb"), []*notebook.Cell{notebook.NewCode(`import ("time"; _ "time/tzdata")
for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata"} {
	if _, err := time.LoadLocation(name); err != nil { panic(err) }
}`)})
	list, err := Find(folder, "lecture-pca")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Run(context.Background(), list, options())
	if err != nil {
		t.Fatal(err)
	}
	if text := lines[0].Text(); strings.Contains(text, "cell 1") {
		t.Error(text)
	}
}
