package reach

import (
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// For any files, Scan and Reach return a result or an error, and Reach returns the same again.
func FuzzScan(f *testing.F) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatal(len(names), err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		a.Comment = nil
		f.Add(txtar.Format(a))
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
