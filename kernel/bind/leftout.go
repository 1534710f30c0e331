package bind

// leftOut has the packages that this program was built without, although similar programs have them: a kernel
// for the browser is smaller without net/http. The build adds a file that sets leftOut (kernel/live).
var leftOut map[string]bool

// LeftOut reports whether this program was built without a package that similar programs have.
func LeftOut(path string) bool { return leftOut[path] }
