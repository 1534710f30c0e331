package bind

import (
	"io/fs"
	"slices"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/internal/apidoc"
)

// Packages returns the import paths that cells may import, sorted.
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

// Name returns the package name in Go source for an import path ("rand" for "math/rand/v2"), and "" if cells
// cannot import the package.
func Name(path string) string {
	if path == "unsafe" {
		return path
	}
	if p := Lookup(path); p != nil {
		return p.Name
	}
	return viaInterpreter[path]
}

// Paths returns the import paths of the packages called name, best guess first.
// An undefined "mat" in a cell may have meant any of them.
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

// Describe adds package descriptions to completion and inspection. kernel/bind/gen writes such archives next to
// the tables. Describe is meant for init functions.
func Describe(archives fs.FS) { apidoc.Add(archives) }

// LeaveOutPointers permanently removes reflect.NewAt and SliceAt, which make a value from any address. Call it
// before a session begins.
func LeaveOutPointers() {
	if p, ok := ixgo.LookupPackage("reflect"); ok {
		delete(p.Funcs, "NewAt")
		delete(p.Funcs, "SliceAt")
	}
}

// MethodCapacity returns how many entry points for methods of cells the binary has, and how many are in use.
// The interpreter ends the process when they run out, so the engine checks before it declares types with
// methods.
func MethodCapacity() (total, used int) {
	total, used, _ = ixgo.IcallStat()
	return total, used
}
