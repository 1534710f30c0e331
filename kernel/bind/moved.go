package bind

import "strings"

var (
	moved   = map[string]string{} // new import paths of packages, by the old ones
	renamed = map[string]string{} // new paths of modules, by the old ones
)

// Moved lets cells go on importing a package by a path that it had once. It is for init
// functions. It panics if cells can import something else by that path.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is a package, and cannot have moved")
	}
	moved[from] = to
}

// Renamed lets cells go on importing the packages of a module by the path that the module
// had once. It is for init functions.
func Renamed(from, to string) { renamed[from] = to }

// Current returns the import path of the package that a cell imports as path: path itself,
// or the one to which the package has moved.
func Current(path string) string {
	if packages[path] != nil {
		return path
	}
	for from, to := range renamed {
		if rest, ok := strings.CutPrefix(path, from+"/"); ok {
			path = to + "/" + rest
			break
		}
	}
	if to := moved[path]; to != "" {
		return to
	}
	return path
}
