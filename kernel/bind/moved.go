package bind

import "strings"

var (
	moved   = map[string]string{} // old import path -> new one
	renamed = map[string]string{} // old module path -> new one
)

// Moved records that the package with the import path from has moved to the path to. Cells that import from
// then load the package at to. Moved is meant for init functions. It panics if from is the path of a package
// that cells can import.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is the path of a registered package, so it cannot have moved")
	}
	moved[from] = to
}

// Renamed records that the module from is now called to. Cells that import a package of from then load the same
// package of to. Renamed is meant for init functions.
func Renamed(from, to string) { renamed[from] = to }

// Current returns the current import path of the package that a cell imports as path, which may be an old path.
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
