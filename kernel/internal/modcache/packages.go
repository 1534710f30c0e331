package modcache

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Packages returns the paths of the packages that others can import from a module whose
// source is in dir. keep says that the folder does not change, as those of a cache do not.
func (c *Cache) Packages(path, dir string, keep bool) []string {
	c.mu.Lock()
	list, ok := c.folders[dir]
	c.mu.Unlock()
	if !ok || !keep {
		list = packages(dir)
		if keep {
			c.mu.Lock()
			c.folders[dir] = list
			c.mu.Unlock()
		}
	}
	paths := make([]string, len(list))
	for i, rel := range list {
		paths[i] = strings.TrimSuffix(path+"/"+rel, "/")
	}
	return paths
}

// packages returns the folders below dir with packages that others can import, relative to
// dir, with slashes.
func packages(dir string) (list []string) {
	var walk func(rel string)
	walk = func(rel string) {
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rel)))
		if err != nil || len(list) >= mostPackages {
			return
		}
		importable := false
		for _, e := range entries {
			name := e.Name()
			switch {
			case e.IsDir():
			case name == "go.mod" && rel != "":
				return // another module
			case !importable && isSource(name):
				importable = importableFile(filepath.Join(dir, filepath.FromSlash(rel), name))
			}
		}
		if importable {
			list = append(list, rel)
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && !passedOver(name) {
				walk(strings.TrimPrefix(rel+"/"+name, "/"))
			}
		}
	}
	walk("")
	return list
}

// isSource reports whether a file's name is that of Go source which is not a test.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}

// passedOver reports whether the go command finds no packages in folders with this name, or
// others may not import them.
func passedOver(name string) bool {
	return name == "internal" || name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// importableFile reports whether a file belongs to a package that is not a program, nor
// documentation of one.
func importableFile(name string) bool {
	pkg := packageName(name)
	return pkg != "" && pkg != "main" && pkg != "documentation"
}

// packageName returns the name in a file's package clause, "" if it has none.
func packageName(file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// NameIn returns the name of the package whose source is in dir, "" if there is none.
func NameIn(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() && isSource(e.Name()) {
			if name := packageName(filepath.Join(dir, e.Name())); name != "" && name != "main" && name != "documentation" {
				return name
			}
		}
	}
	return ""
}
