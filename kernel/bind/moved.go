package bind

// moved maps the old import paths of packages to their present ones.
var moved = map[string]string{}

// Moved makes a cell's import of the path from load the package at the path to, where
// the package is now. It is meant for init functions. It panics if from is the path of
// a package that cells can import.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is the path of a registered package, so it cannot have moved")
	}
	moved[from] = to
}

// Current returns the import path of the package that a cell imports as path: path itself,
// or the path to which the package has moved.
func Current(path string) string {
	if to := moved[path]; to != "" {
		return to
	}
	return path
}
