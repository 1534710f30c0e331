package reach

import (
	"flag"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/nested"
)

var update = flag.Bool("u", false, "write what testdata/archives.txtar should say")

// treeOf returns the module in an archive. If later is set, files named X.new replace X, and an empty X.new
// removes X.
func treeOf(a *txtar.Archive, later bool) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".new") {
			tree[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".new")
		switch {
		case !ok || !later:
		case len(f.Data) == 0:
			delete(tree, name)
		default:
			tree[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return tree
}

// Each archive in testdata/archives.txtar is a small module. Its comment has lines "reach ROOT...", each followed by the
// indented list of reached code, and lines "diff ROOT...", each followed by the changes when the files X.new
// replace X.
func TestArchives(t *testing.T) {
	file, err := nested.Read("testdata/archives.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range file.Archives() {
		t.Run(a.Name, func(t *testing.T) {
			var out strings.Builder
			asked := 0
			for line := range strings.Lines(string(a.Comment)) {
				if strings.HasPrefix(line, "\t") {
					continue
				}
				out.WriteString(line)
				words := strings.Fields(line)
				if len(words) < 2 || words[0] != "reach" && words[0] != "diff" {
					continue
				}
				asked++
				c, err := scan(treeOf(a.Archive, false))
				if err != nil {
					t.Fatal(err)
				}
				r, err := c.Reach(words[1:]...)
				if words[0] == "diff" && err == nil {
					var later *Result
					if c, err = scan(treeOf(a.Archive, true)); err != nil {
						t.Fatal(err)
					}
					if later, err = c.Reach(words[1:]...); err == nil {
						lines := append(Diff(r.Parts, later.Parts), DiffModules(r.Modules, later.Modules)...)
						if lines == nil {
							lines = []string{"nothing"}
						}
						for _, l := range lines {
							out.WriteString("\t" + l + "\n")
						}
					}
				} else if err == nil {
					for _, p := range r.Parts {
						out.WriteString("\t" + p.File + " " + p.Decl + "\n")
					}
					for _, m := range r.Modules {
						out.WriteString("\tmodule " + m + "\n")
					}
				}
				if err != nil {
					out.WriteString("\terror: " + err.Error() + "\n")
				}
			}
			if asked == 0 {
				t.Error("asks nothing")
			}
			if got := out.String(); got != string(a.Comment) {
				if *update {
					a.Comment = []byte(got)
					if err := file.Write(); err != nil {
						t.Fatal(err)
					}
					return
				}
				t.Errorf("got\n%s\nwant\n%s", got, a.Comment)
			}
		})
	}
}

// A directive must begin its line: a directive inside a comment or a string does not count.
func TestDirectives(t *testing.T) {
	src := []byte("// see //go:embed a\nvar line = regexp.MustCompile(`^//go:embed[ `)\nvar (\n\t//go:embed b.txt\n\tb string\n)\n//go:noinline\nfunc f() {}\n")
	if got := strings.Join(directives(src, 0, len(src)), "; "); got != "//go:embed b.txt; //go:noinline" {
		t.Errorf("directives: %s", got)
	}
}

// For any files, Scan and Reach return a result or an error, and a second call to Reach returns the same
// result.
func FuzzScan(f *testing.F) {
	file, err := nested.Read("testdata/archives.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range file.Archives() {
		f.Add(txtar.Format(&txtar.Archive{Files: a.Files}))
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		a := txtar.Parse(archive)
		for i, file := range a.Files {
			if !fs.ValidPath(file.Name) {
				a.Files[i].Name = "a/x.go"
			}
		}
		for _, later := range []bool{false, true} {
			c, err := scan(treeOf(a, later))
			if err != nil {
				continue
			}
			for path, fo := range c.folders {
				if _, err := c.Reach(path); err != nil {
					continue
				}
				for name := range fo.scope {
					r, err := c.Reach(path + "." + name)
					if err != nil {
						continue
					}
					again, err := c.Reach(path + "." + name)
					if err != nil || Diff(r.Parts, again.Parts) != nil || DiffModules(r.Modules, again.Modules) != nil {
						t.Fatalf("%s.%s: %v, %v", path, name, err, Diff(r.Parts, again.Parts))
					}
				}
			}
		}
	})
}

// TestMoved: a declaration in another file of its folder is the same code; in another folder, or changed, it is not.
func TestMoved(t *testing.T) {
	part := func(file, decl, hash string) Part { return Part{File: file, Decl: decl, Hash: hash} }
	for _, c := range []struct {
		name      string
		then, now []Part
		want      int // number of lines
	}{
		{"to another file", []Part{part("a/x.go", "f", "1")}, []Part{part("a/y.go", "f", "1")}, 0},
		{"and changed", []Part{part("a/x.go", "f", "1")}, []Part{part("a/y.go", "f", "2")}, 2},
		{"to another folder", []Part{part("a/x.go", "f", "1")}, []Part{part("b/x.go", "f", "1")}, 2},
		{"an init function", []Part{part("a/x.go", "init", "1")}, []Part{part("a/y.go", "init", "1")}, 2},
		{"a copy", []Part{part("a/x.go", "f", "1")}, []Part{part("a/x.go", "f", "1"), part("a/y.go", "f", "1")}, 1},
	} {
		if lines := Diff(c.then, c.now); len(lines) != c.want {
			t.Errorf("%s: %q", c.name, lines)
		}
	}
}
