package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
)

func TestTargets(t *testing.T) {
	if n := len(allTargets()); n != 6 {
		t.Errorf("%d targets", n)
	}
	for _, name := range allTargets() {
		got, err := parseTarget(" " + name)
		if err != nil || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		windows := strings.HasPrefix(name, "windows")
		if windows != (got.suffix() == ".zip") || windows != (got.program() == "overcomplete.exe") {
			t.Errorf("%s: %s with %s", name, got.suffix(), got.program())
		}
	}
	if _, err := parseTarget("plan9/amd64"); err == nil || !strings.Contains(err.Error(), "windows/arm64") {
		t.Errorf("%v", err)
	}
}

func TestStamp(t *testing.T) {
	for _, c := range []struct{ epoch, committed, want string }{
		{"86400", "2020-01-01T00:00:00Z", "1970-01-02T00:00:00Z"},
		{"", "2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z"},
		{"", "", "1980-01-01T00:00:00Z"},
	} {
		got, err := stamp(c.epoch, c.committed)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	for _, c := range [][2]string{{"today", ""}, {"", "today"}} {
		if _, err := stamp(c[0], c[1]); err == nil {
			t.Errorf("%q is a time", c)
		}
	}
}

func TestChecksums(t *testing.T) {
	got := checksums(map[string]string{"b.zip": strings.Repeat("0", 64), "a.zip": strings.Repeat("f", 64)})
	want := strings.Repeat("f", 64) + "  a.zip\n" + strings.Repeat("0", 64) + "  b.zip\n"
	if got != want {
		t.Errorf("%q", got)
	}
}

// An archive contains the given files with the given time, and its bytes are reproducible. If an archive
// cannot be finished, no file remains.
func TestArchive(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
	files := []entry{{name: "README.md", data: []byte("read\n")}, {name: "a/b.bin", data: big}, {name: "overcomplete", data: []byte("run"), executable: true}}
	for _, name := range []string{"x.tar.gz", "x.zip"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			var twice [2][]byte
			for i := range twice {
				if err := writeArchive(path, "top", files, at); err != nil {
					t.Fatal(err)
				}
				twice[i] = testfile.Read(t, path)
			}
			if !bytes.Equal(twice[0], twice[1]) {
				t.Error("other bytes the second time")
			}
			got := read(t, path)
			if len(got) != len(files) {
				t.Errorf("%d files", len(got))
			}
			for i, e := range files {
				g := got[i]
				if g.name != "top/"+e.name || !bytes.Equal(g.data, e.data) || g.executable != e.executable || !g.at.Equal(at) {
					t.Errorf("%s (%d bytes, executable %v, %v) instead of %s", g.name, len(g.data), g.executable, g.at, e.name)
				}
			}
			missing := filepath.Join(dir, "missing-"+name)
			if err := writeArchive(missing, "top", []entry{{name: "a", path: filepath.Join(dir, "no such file")}}, at); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a missing file: %v", err)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

type unpackedFile struct {
	name       string
	data       []byte
	executable bool
	at         time.Time
}

// read returns the entries of an archive, in order.
func read(t *testing.T, path string) []unpackedFile {
	t.Helper()
	var list []unpackedFile
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, unpackedFile{f.Name, data, f.Mode()&0o100 != 0, f.Modified})
		}
		return list
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, unpackedFile{h.Name, data, h.Mode&0o100 != 0, h.ModTime})
	}
}

// An archive contains the tracked files, but no untracked files and nothing that only a repository needs.
func TestTracked(t *testing.T) {
	dir := repository(t, map[string]string{"README.md": "", "a/ü b.txt": "x", ".github/workflows/ci.yml": "", ".gitignore": ""})
	testfile.Write(t, filepath.Join(dir, "secret"), "")
	list, err := trackedFiles(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.name)
		if _, err := e.content(); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(names, []string{"README.md", "a/ü b.txt"}) {
		t.Errorf("%q", names)
	}
	if err := os.Symlink("README.md", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	git(t, dir, "add", "link")
	if _, err := trackedFiles(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "link is not a regular file") {
		t.Errorf("a link: %v", err)
	}
	if _, err := trackedFiles(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "only in a clone") {
		t.Errorf("no repository: %v", err)
	}
}

// repository makes a git repository with files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	testfile.WriteAll(t, dir, files)
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// The notices contain the complete license of every module in the program.
func TestNotices(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	ctx, root := context.Background(), filepath.Join("..", "..")
	here := target{"linux", "amd64"}
	b, err := notices(ctx, root, here)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	modules, err := linkedModules(ctx, root, here)
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 15 {
		t.Errorf("only %d modules", len(modules))
	}
	for _, m := range modules {
		if !strings.Contains(text, "\n"+m.path+" "+m.version+": ") {
			t.Errorf("%s is not in the notices", m.path)
		}
	}
	for what, part := range map[string]string{
		"Go's licence":             "Copyright 2009 The Go Authors.",
		"Go's version":             "the Go standard library and runtime go1.",
		"a licence's last words":   "OUT OF THE USE\nOF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.",
		"the terms of other parts": "gonum.org/v1/gonum v0.17.0: THIRD_PARTY_LICENSES/Cephes-LICENSE",
		"the terms of a font":      "SIL OPEN FONT LICENSE",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s: %q", what, part)
		}
	}
	for _, not := range []string{"copyright.go", filepath.Dir(modules[0].dir), "\r"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in the notices", not)
		}
	}
	if again, err := notices(ctx, root, here); err != nil || !bytes.Equal(again, b) {
		t.Error("other bytes the second time")
	}
}

// The license of a package below a module's root is found. The licenses of neighboring packages are not
// required. A module without a license is an error.
func TestLicences(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE.md", "license.go", "a/COPYING", "a/b/b.go", "c/LICENSE", "licenses/ftl.txt", "AUTHORS"} {
		testfile.Write(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	m := linkedModule{path: "m", dir: dir, packages: map[string]bool{filepath.Join(dir, "a", "b"): true}}
	got, err := m.licences()
	if err != nil || !slices.Equal(got, []string{"AUTHORS", "LICENSE.md", "a/COPYING", "licenses/ftl.txt"}) {
		t.Errorf("%q, %v", got, err)
	}
	m.dir = filepath.Join(dir, "a", "b")
	if _, err := m.licences(); err == nil || !strings.Contains(err.Error(), "no license") {
		t.Errorf("%v", err)
	}
}
