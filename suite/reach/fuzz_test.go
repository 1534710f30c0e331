package reach

import (
	"io/fs"
	"testing"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/nested"
)

// For any files, Scan and Reach return a result or an error, and a second call of Reach returns the same
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
