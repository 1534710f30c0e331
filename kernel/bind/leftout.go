package bind

// leftOut has the packages that this program was built without, although similar programs have them: a kernel
// for the browser is smaller without net/http. The build adds a file that sets leftOut (kernel/live).
var leftOut map[string]bool

// LeftOut reports whether the package with the given path was deliberately left out of this program to make it
// smaller. For example, the kernel for the browser is built without net/http.
func LeftOut(path string) bool { return leftOut[path] }
