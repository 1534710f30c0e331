package selfsource

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/apidoc"
)

// TestComplete: the go command needs no files except the extracted files on each system, and none of the
// extracted files is a test. Normally it looks at one system only (see patience.LeftOut).
func TestComplete(t *testing.T) {
	patience.SkipShort(t, "it lists all packages, for each system")
	dir := t.TempDir()
	if err := Extract(dir); err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"linux/amd64", "linux/arm64", "windows/amd64", "darwin/arm64"} {
		if patience.LeftOut(system) {
			continue
		}
		goos, arch, _ := strings.Cut(system, "/")
		inRoot, inSource := listed(t, "../../..", goos, arch), listed(t, dir, goos, arch)
		for name := range inRoot {
			if !inSource[name] && name != Archive {
				t.Errorf("%s: %s is missing", system, name)
			}
		}
		if len(inRoot) < 500 {
			t.Errorf("%s: only %d files", system, len(inRoot))
		}
	}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(filepath.ToSlash(name), "/testdata/") {
			t.Errorf("%s is packed", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// listed returns the files of this module from which the command is built on a system, with the tag packed.
func listed(t *testing.T, root, goos, arch string) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-tags=packed", "-json=ImportPath,Dir,GoFiles,SFiles,HFiles,EmbedFiles,Module", "./cmd/overcomplete")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "GOWORK=off")
	if root != "../../.." {
		cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod")
	} else {
		// The archive is missing if it has not been packed yet; -e ignores this.
		cmd.Args = slices.Insert(cmd.Args, 2, "-e")
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	files := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                          string
			GoFiles, SFiles, HFiles, EmbedFiles []string
			Module                              *struct{ Path string }
		}
		if err := d.Decode(&p); err == io.EOF {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Path != module.Path {
			continue
		}
		folder, _ := module.Folder(p.ImportPath)
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
			files[folder+"/"+name] = true
		}
	}
}

// TestCarriedOn: a program built from the extracted source has the same source.
func TestCarriedOn(t *testing.T) {
	patience.SkipShort(t, "it builds a program of the source that is extracted")
	key, err := Key()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Extract(dir); err != nil {
		t.Fatal(err)
	}
	data := testfile.Read(t, filepath.Join(dir, filepath.FromSlash(Archive)))
	h, _, err := readHeader(data)
	if err != nil || h.Key != key {
		t.Errorf("its key is %s, %v, not %s", h.Key, err, key)
	}
	apidoc.Add(os.DirFS("../../../cmd/overcomplete/bindings")) // the command links these archives, but this test does not
	again, err := unpack(data)
	if err != nil || again.key() != key {
		t.Errorf("its content has key %s, %v, not %s", again.key(), err, key)
	}
	from, err := read(os.DirFS(dir))
	if err != nil || from.key() != key {
		t.Errorf("packed anew it has key %s, %v, not %s", from.key(), err, key)
	}
	if other, err := from.pack(h.Quality); err != nil || !bytes.Equal(other, data) {
		t.Errorf("packed anew it has other bytes: %v", err)
	}
	if text, err := GoMod(); err != nil || !bytes.Contains(text, []byte("module "+module.Path)) {
		t.Errorf("go.mod is %q, %v", text, err)
	}
}

// TestKey: names and contents determine the key.
func TestKey(t *testing.T) {
	keys := map[string]bool{}
	for _, x := range []tree{{}, {"a": []byte("b")}, {"a": []byte("c")}, {"c": []byte("b")}, {"a": nil, "b": nil}, {"a\" 0\n\"b": nil}} {
		keys[x.key()] = true
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 trees", len(keys))
	}
}

// TestCurrent: an archive is rewritten only if the source has changed.
func TestCurrent(t *testing.T) {
	root := small()
	data, same, err := Current(root, nil, Quick)
	if err != nil || same {
		t.Fatal(same, err)
	}
	if _, same, err := Current(root, data, Quick); err != nil || !same {
		t.Error(same, err)
	}
	// An archive of a release is good enough for any program, but not the other way round.
	if _, same, err := Current(root, data, Smallest); err != nil || same {
		t.Error(same, err)
	}
	best, _, err := Current(root, data, Smallest)
	if err != nil {
		t.Fatal(err)
	}
	for _, quality := range []int{Quick, Smallest} {
		if _, same, err := Current(root, best, quality); err != nil || !same {
			t.Error(quality, same, err)
		}
	}
	root["cmd/overcomplete/main.go"] = file("package main\n\nfunc main() { println() }\n")
	if _, same, err := Current(root, data, Quick); err != nil || same {
		t.Error(same, err)
	}
	if _, _, err := Current(fstest.MapFS{}, nil, Quick); err == nil {
		t.Error("no error without a source")
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// small returns the files of a small command.
func small() fstest.MapFS {
	return fstest.MapFS{
		"go.mod":                          file("module m\n"),
		"cmd/overcomplete/main.go":        file("package main\n\nimport (\n\t_ \"embed\"\n\t_ \"" + module.Package("a") + "\"\n)\n\n//go:embed all:tree \"quoted name\" *.txt\nvar _ int\n\nfunc main() {}\n"),
		"cmd/overcomplete/main_test.go":   file("package main\n\nimport _ \"" + module.Package("none") + "\"\n"),
		"cmd/overcomplete/gen.go":         file("//go:build ignore\n\npackage main\n\nimport _ \"" + module.Package("none") + "\"\n"),
		"cmd/overcomplete/w_windows.go":   file("package main\n\nimport _ \"" + module.Package("b") + "\"\n"),
		"cmd/overcomplete/tree/.hidden":   file(""),
		"cmd/overcomplete/tree/_x/y":      file(""),
		"cmd/overcomplete/quoted name":    file(""),
		"cmd/overcomplete/a.txt":          file(""),
		"cmd/overcomplete/README.md":      file(""),
		"cmd/overcomplete/other/other.go": file("package other\n"),
		"a/a.go":                          file("//go:build !ignore\n\npackage a\n\n//go:embed dir\nvar _ int\n"),
		"a/a_amd64.s":                     file(""),
		"a/a.h":                           file(""),
		"a/dir/x":                         file(""),
		"a/dir/.x":                        file(""),
		"a/dir/deep/_x/x":                 file(""),
		"a/testdata/x":                    file(""),
		"b/b.go":                          file("package b\n"),
		"kernel/bind/bind.go":             file("package bind\n"),
		"kernel/modules/modules.go":       file("package modules\n"),
		"cmd/overcomplete-live/main.go":   file("package main\n"),
		"cmd/overcomplete-gpu/main.go":    file("package main\n"),
		own + "/packed.go":                file("package selfsource\n\n//go:embed source.br\nvar _ int\n"),
	}
}

func TestCollect(t *testing.T) {
	got, err := Needed(small(), roots)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a/a.go", "a/a.h", "a/a_amd64.s", "a/dir/x", "b/b.go",
		"cmd/overcomplete-gpu/main.go", "cmd/overcomplete-live/main.go",
		"cmd/overcomplete/a.txt", "cmd/overcomplete/main.go", "cmd/overcomplete/quoted name",
		"cmd/overcomplete/tree/.hidden", "cmd/overcomplete/tree/_x/y", "cmd/overcomplete/w_windows.go",
		"go.mod", "kernel/bind/bind.go", "kernel/modules/modules.go",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	root := small()
	root["b/b.go"] = file("package b\n\nimport _ \"" + module.Package(own) + "\"\n")
	if got, err := Needed(root, roots); err != nil || slices.Contains(got, Archive) || !slices.Contains(got, own+"/packed.go") {
		t.Errorf("%q, %v", got, err)
	}
	root["b/b.go"] = file("package b\n\nimport _ \"" + module.Package("nowhere") + "\"\n")
	if _, err := Needed(root, roots); err == nil {
		t.Error("no error for a package that is not there")
	}
}

// TestChanged: the function changed finds a file that was written after the program.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, "a/b.go", []byte("x")); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "a", "b.go")
	x := tree{"a/b.go": nil}
	old := builtAt().Add(-time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if got := changed(dir, x); got != "" {
		t.Errorf("changed: %s", got)
	}
	late := builtAt().Add(time.Hour)
	if err := os.Chtimes(name, late, late); err != nil {
		t.Fatal(err)
	}
	if got := changed(dir, x); got != "a/b.go" {
		t.Errorf("changed: %q", got)
	}
	if got := changed(t.TempDir(), x); got != "a/b.go" {
		t.Errorf("changed: %q", got)
	}
}

func TestWriteOutside(t *testing.T) {
	for _, name := range []string{"../x", "/x", "a/../../x", ""} {
		if err := write(t.TempDir(), name, nil); err == nil {
			t.Errorf("wrote %q", name)
		}
	}
}

func TestDamagedArchive(t *testing.T) {
	data, err := tree{"a": []byte("some text")}.pack(Quick)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		if x, err := unpack(data[:i]); err == nil {
			t.Errorf("%d bytes of %d are %v", i, len(data), x)
		}
	}
	if _, err := unpack(append(slices.Clone(data), 0)); err == nil {
		t.Error("no error for an archive with more behind it")
	}
	if _, _, err := readHeader(nil); err == nil {
		t.Error("no error for no archive")
	}
}

// TestLeftOut: an archive of documentation that the program embeds is not packed a second time, and is present
// again after unpacking. If the program does not embed such an archive, unpacking fails, and the error names
// it.
func TestLeftOut(t *testing.T) {
	archives, err := apidocArchives()
	if err != nil || len(archives) == 0 {
		t.Fatal(len(archives), err)
	}
	whole := tree{"a.go": []byte("package a\n"), "z.go": []byte("package z\n")}
	for _, data := range archives {
		whole["m/api.zip"] = data
	}
	packed, err := whole.pack(Quick)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > len(whole["m/api.zip"])/10 {
		t.Errorf("%d bytes with an archive of %d", len(packed), len(whole["m/api.zip"]))
	}
	if again, err := unpack(packed); err != nil || again.key() != whole.key() {
		t.Errorf("unpacked it is different: %v", err)
	}
	whole["m/api.zip"] = []byte("nobody's")
	if packed, err = whole.pack(Quick); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(packed); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "m/api.zip") {
		t.Errorf("an archive that is not there: %v", err)
	}
}

// TestFolder: a program with the tag packed finds in its source the files that it would embed without the tag.
func TestFolder(t *testing.T) {
	root := os.DirFS("../../..")
	whole, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	for dir, subfolders := range map[string][]string{"kernel/live": {"assets"}, "kernel/live/jupyterlite": {"extension", "labextension", "pages"}} {
		files, err := fs.Sub(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		err = fs.WalkDir(whole.folder(dir, subfolders...), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found++
			want, err := fs.ReadFile(files, name)
			if !bytes.Equal(whole[dir+"/"+name], want) {
				t.Errorf("%s/%s is different", dir, name)
			}
			return err
		})
		if err != nil || found < 8 {
			t.Errorf("%s: %d files, %v", dir, found, err)
		}
		for _, sub := range subfolders {
			err := fs.WalkDir(files, sub, func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") && whole[dir+"/"+name] == nil {
					t.Errorf("%s/%s is missing", dir, name)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

func FuzzEmbeds(f *testing.F) {
	f.Add([]byte("//go:embed a b \"c d\" `e`\n"))
	f.Add([]byte("//go:embed \"a"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := embeds(text)
		if err == nil && len(list) > len(text) {
			t.Errorf("%d patterns in %d bytes", len(list), len(text))
		}
		ignored(text)
	})
}
