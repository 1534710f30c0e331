package bind

// leftOut are the packages without which this program was built, though others like it have
// them: a kernel for the browser is smaller without net/http. The build adds a file that sets
// it (kernel/live).
var leftOut map[string]bool

// LeftOut reports whether this program was built without a package that others like it have.
func LeftOut(path string) bool { return leftOut[path] }
