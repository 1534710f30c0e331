package bind

// leftOut has the packages that this program was built without, although similar programs have them: a kernel
// for the browser is smaller without net/http. The build adds a file that sets leftOut (kernel/live).
var leftOut map[string]bool

// LeftOut reports whether this program was built without the package with the given path, although similar programs
// have it. For example, the kernel for the browser is built without net/http.
func LeftOut(path string) bool { return leftOut[path] }
