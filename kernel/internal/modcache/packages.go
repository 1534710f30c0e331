package modcache

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Package is a package of a module.
type Package struct{ Path, Name string }

// Packages returns the importable packages of a module; path is the module's path, and dir is the folder of its source.
// If fixed is true, the content of dir never changes, as in the module cache; an earlier result is then used again,
// however old it is.
func (c *Cache) Packages(path, dir string, fixed bool) []Package {
	c.mu.Lock()
	f, ok := c.folders[dir]
	c.mu.Unlock()
	if !ok || !fixed && time.Since(f.read) > freshFolder {
		f = folder{packages(dir), time.Now()}
		c.mu.Lock()
		c.folders[dir] = f
		c.mu.Unlock()
	}
	all := make([]Package, len(f.packages))
	for i, p := range f.packages {
		all[i] = Package{strings.TrimSuffix(path+"/"+p.Path, "/"), p.Name}
	}
	return all
}

// packages returns the importable packages in dir and the folders below it. The Path of each package is its folder
// relative to dir, with slashes; it is "" for dir itself.
func packages(dir string) (list []Package) {
	left := mostFolders
	var walk func(rel string)
	walk = func(rel string) {
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rel)))
		if left--; err != nil || left < 0 || len(list) >= mostPackages {
			return
		}
		pkg := ""
		for _, e := range entries {
			name := e.Name()
			switch {
			case e.IsDir():
			case name == "go.mod" && rel != "":
				return // a nested module
			case pkg == "" && isSource(name):
				pkg = packageName(filepath.Join(dir, filepath.FromSlash(rel), name))
			}
		}
		if pkg != "" {
			list = append(list, Package{rel, pkg})
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

// isSource reports whether name is the name of a Go source file other than a test.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}

// passedOver reports whether a folder with this name is skipped. The go command finds no packages in testdata and in
// folders whose names begin with _ or a dot; other modules cannot import packages from internal and vendor; and
// node_modules holds packages of other languages.
func passedOver(name string) bool {
	return name == "internal" || name == "testdata" || name == "vendor" || name == "node_modules" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// packageName returns the name in a file's package clause. It returns "" if there is no such clause, or if the name is
// main or documentation.
func packageName(file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil || f.Name.Name == "main" || f.Name.Name == "documentation" {
		return ""
	}
	return f.Name.Name
}
