package bind

import "strings"

var (
	moved   = map[string]string{} // from the old import paths of packages to the present ones
	renamed = map[string]string{} // from the old paths of modules to the present ones
)

// Moved makes a cell's import of the path from load the package at the path to, where
// the package is now. It is meant for init functions. It panics if from is the path of
// a package that cells can import.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is the path of a registered package, so it cannot have moved")
	}
	moved[from] = to
}

// Renamed makes a cell's import of a package of the module from load the package of the
// module to, which is what from is called now. It is meant for init functions.
func Renamed(from, to string) { renamed[from] = to }

// Current returns the import path of the package that a cell imports as path: path itself,
// or the path to which the package has moved.
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
