package bind

import "strings"

var (
	moved   = map[string]string{} // old import path -> new one
	renamed = map[string]string{} // old module path -> new one
)

// Moved records that the import path of a package has changed from oldPath to newPath. Cells that import oldPath then
// load the package at newPath. Moved is meant for init functions. It panics if cells can import a package at oldPath.
func Moved(oldPath, newPath string) {
	if packages[oldPath] != nil {
		panic("bind: " + oldPath + " is the path of a registered package, so it cannot have moved")
	}
	moved[oldPath] = newPath
}

// Renamed records that the path of a module has changed from oldPath to newPath. Cells that import a package of the old
// module then load the same package of the new module. Renamed is meant for init functions.
func Renamed(oldPath, newPath string) { renamed[oldPath] = newPath }

// Current returns the current import path of a package. path is the path that a cell imports, which may be an old path
// (see Moved and Renamed).
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
