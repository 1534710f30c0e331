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

// Packages returns the packages that others can import from a module with its source in dir. keep is set if
// the folder does not change, as in a cache.
func (c *Cache) Packages(path, dir string, keep bool) []Package {
	c.mu.Lock()
	f, ok := c.folders[dir]
	c.mu.Unlock()
	if !ok || !keep && time.Since(f.read) > freshFolder {
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

// packages returns the packages below dir that others can import. Their paths are those of their folders,
// relative to dir, with slashes.
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
				return // another module
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

// isSource reports whether a file name is that of Go source other than a test.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}

// passedOver reports whether folders with this name are skipped: the go command finds no packages in them,
// others may not import those packages, or the name is one under which other languages keep theirs.
func passedOver(name string) bool {
	return name == "internal" || name == "testdata" || name == "vendor" || name == "node_modules" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// packageName returns the name in a file's package clause, or "" if it has none or it is that of a program or
// of documentation.
func packageName(file string) string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil || f.Name.Name == "main" || f.Name.Name == "documentation" {
		return ""
	}
	return f.Name.Name
}
