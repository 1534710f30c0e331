package live

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/tablefile"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/selfsource"
)

// extracted returns a folder with a copy of this program's source.
func extracted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := selfsource.Extract(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLeaveOut(t *testing.T) {
	patience.SkipShort(t, "it reads all packages of the kernel for browsers")
	source := extracted(t)
	s := Set{Out: []string{"net/...", "crypto/tls"}}
	out, err := leaveOut(source, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"net", "net/http", "crypto/tls"} {
		if !slices.Contains(out, path) {
			t.Errorf("%q lacks %s", out, path)
		}
	}
	if slices.Contains(out, "crypto") || len(out) != len(slices.Compact(slices.Clone(out))) {
		t.Errorf("%q", out)
	}
	for name, want := range map[string][]string{"std": {"crypto", "fmt"}, "std_go127": {"crypto", "crypto/x509"}} {
		text := testfile.Read(t, filepath.Join(source, "kernel", "internal", "bindings", name+"_bind.go"))
		tables, err := tablefile.Split(text)
		if err != nil {
			t.Error(err)
		}
		var has []string
		for _, table := range tables {
			has = append(has, tablefile.Path(table))
		}
		for _, path := range want {
			if !slices.Contains(has, path) {
				t.Errorf("%s has the tables of %q, without %s", name, has, path)
			}
		}
		if slices.ContainsFunc(has, s.Leaves) {
			t.Errorf("%s has the tables of %q", name, has)
		}
	}
	text, err := os.ReadFile(filepath.Join(source, "kernel", "bind", "leftout_live.go"))
	if err != nil || !strings.Contains(string(text), `"net/http": true,`) {
		t.Errorf("%s %v", text, err)
	}
	if _, err := leaveOut(t.TempDir(), s); err == nil {
		t.Error("no error for a folder without tables")
	}
}

func TestDocument(t *testing.T) {
	patience.SkipShort(t, "it reads all packages of the kernel for browsers")
	s := Set{Out: []string{"net/..."}}
	for version, more := range map[string]bool{"go1.26.8": false, "go1.27.0": true} {
		if patience.LeftOut(version) {
			continue
		}
		source := extracted(t)
		if err := document(source, version, s); err != nil {
			t.Fatal(err)
		}
		names, _ := filepath.Glob(filepath.Join(source, "kernel", "internal", "apidoc", "*.zip"))
		if len(names) != 1 || filepath.Base(names[0]) != apidoc.ArchiveName(0) {
			t.Fatalf("%s: %q", version, names)
		}
		data := testfile.Read(t, names[0])
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if f.Method != zip.Store {
				t.Errorf("%s: %s is compressed", version, f.Name)
			}
		}
		members, err := apidoc.Members(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{apidoc.IndexFile, apidoc.DocsFile} {
			packages := map[string]json.RawMessage{}
			if err := json.Unmarshal(members[name], &packages); err != nil {
				t.Fatalf("%s: %s: %v", version, name, err)
			}
			for path, want := range map[string]bool{"fmt": true, "net/http": false, "net": false, "uuid": more} {
				if _, has := packages[path]; has != want {
					t.Errorf("%s: %s has %s: %v", version, name, path, has)
				}
			}
		}
		if len(members) != 3 {
			t.Errorf("%s: %d members", version, len(members))
		}
	}
}

func TestDamagedDocs(t *testing.T) {
	if _, err := docs([][]byte{[]byte("no archive")}, Set{}.Leaves); err == nil {
		t.Error("no error")
	}
}

func TestFontsOf(t *testing.T) {
	p := listedPackage{EmbedFiles: []string{"a.txt", "b.ttf"}}
	if p.hasFonts() {
		t.Error("the standard library's")
	}
	from := t.TempDir()
	for name, text := range map[string]string{"a/x.ttf": "no font", "a/x.go": "package a\n", "go.mod": "module m\n"} {
		file := filepath.Join(from, filepath.FromSlash(name))
		if os.MkdirAll(filepath.Dir(file), 0o755) != nil || os.WriteFile(file, []byte(text), 0o444) != nil {
			t.Fatal("cannot write")
		}
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := copyModule(to, from); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "a", "x.ttf")); err != nil || string(text) != "no font" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOneFace(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"XMono-Regular.ttf": "mono", "XMono-BoldItalic.ttf": "bold", "XSans-Bold.ttf": "sans"} {
		testfile.Write(t, filepath.Join(dir, name), text)
	}
	if err := oneFace(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"XMono-Regular.ttf": "mono", "XMono-BoldItalic.ttf": "mono", "XSans-Bold.ttf": "sans"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
