package bind

import (
	"io/fs"
	"reflect"
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

// Name returns the name that a package has in Go source, given its import path: "rand" for "math/rand/v2". It returns
// "" if cells cannot import the package.
func Name(path string) string {
	if path == "unsafe" {
		return path
	}
	if p := Lookup(path); p != nil {
		return p.Name
	}
	return viaInterpreter[path]
}

// Paths returns the import paths of the packages with the given name, best guess first. An undefined name "mat" in a
// cell may refer to any package in the list.
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

// Describe adds package descriptions (types and doc comments) to completion and inspection. archives contains the
// archives that kernel/bind/gen writes next to the tables. Call Describe from init functions only.
func Describe(archives fs.FS) { apidoc.Add(archives) }

// LeaveOutPointers permanently removes the functions NewAt and SliceAt from the table of package reflect, because they
// make a value from any address. Call it before a session begins.
func LeaveOutPointers() {
	if p, ok := ixgo.LookupPackage("reflect"); ok {
		delete(p.Funcs, "NewAt")
		delete(p.Funcs, "SliceAt")
	}
}

// MethodCapacity returns how many entry points for methods of cell types the binary has, and how many are in use (see
// the package comment). If the interpreter ran out of entry points, it would end the process. So the engine rejects a
// cell that needs more than are left.
func MethodCapacity() (total, used int) {
	total, used, _ = ixgo.IcallStat()
	return total, used
}

// TypeNamed returns the type with the given name from the compiled package at path, or nil if there is none. It also
// returns nil for interfaces and generic types.
func TypeNamed(path, name string) reflect.Type {
	if p, ok := ixgo.LookupPackage(path); ok {
		return p.NamedTypes[name]
	}
	return nil
}

// leftOut has the packages that this program was built without, although similar programs have them: a kernel
// for the browser is smaller without net/http. The build adds a file that sets leftOut (kernel/live).
var leftOut map[string]bool

// LeftOut reports whether the package with the given path was deliberately left out of this program to make it
// smaller. For example, the kernel for the browser is built without net/http.
func LeftOut(path string) bool { return leftOut[path] }
