package bind

import (
	"io/fs"
	"slices"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/internal/apidoc"
)

// Packages returns the import paths that cells may use, sorted.
func Packages() []string {
	paths := []string{"unsafe"}
	for path := range viaInterpreter {
		paths = append(paths, path)
	}
	for _, p := range All() {
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	return paths
}

// Name returns the name that the package with the given import path has in Go
// source ("rand" for "math/rand/v2"), and "" if cells cannot import it.
func Name(path string) string {
	if path == "unsafe" {
		return path
	}
	if p := Lookup(path); p != nil {
		return p.Name
	}
	return viaInterpreter[path]
}

// Paths returns the import paths of the packages called name, best guess
// first: what an undefined "mat" in a cell may have meant.
func Paths(name string) []string {
	var paths []string
	for _, p := range Packages() {
		if Name(p) == name {
			paths = append(paths, p)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return apidoc.Rank(a) - apidoc.Rank(b) })
	return paths
}

// Describe makes known to completion and inspection what an archive says of packages, as
// kernel/bind/gen writes it beside their tables. It is for init functions.
func Describe(archives fs.FS) { apidoc.Add(archives) }

// MethodCapacity tells how many entry points for methods of cells the binary
// has, and how many are in use. The interpreter ends the process when they run
// out; the engine looks before it declares types with methods.
func MethodCapacity() (total, used int) {
	total, used, _ = ixgo.IcallStat()
	return total, used
}
