package bind

// moved has for import paths that packages had the ones that they have.
var moved = map[string]string{}

// Moved lets cells go on importing a package by a path that it had once. It is for init
// functions. It panics if cells can import something else by that path.
func Moved(from, to string) {
	if packages[from] != nil {
		panic("bind: " + from + " is a package, and cannot have moved")
	}
	moved[from] = to
}

// Current returns the import path of the package that a cell imports as path: path itself,
// or the one to which the package has moved.
func Current(path string) string {
	if to := moved[path]; to != "" {
		return to
	}
	return path
}
