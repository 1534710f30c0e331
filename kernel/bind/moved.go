package bind

import "strings"

var (
	moved   = map[string]string{} // old import path -> current one
	renamed = map[string]string{} // old module path -> current one
)

// Moved makes cells that import the old path from load the package at to. It is meant for init functions. It
// panics if from is the path of a package that cells can import.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is the path of a registered package, so it cannot have moved")
	}
	moved[from] = to
}

// Renamed makes cells that import a package of the module from load the package of the module to, the new name
// of from. It is meant for init functions.
func Renamed(from, to string) { renamed[from] = to }

// Current returns the current import path of the package that a cell imports as path.
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
