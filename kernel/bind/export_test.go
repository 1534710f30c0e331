package bind

// ViaInterpreter reports whether the interpreter's module provides the package at path.
func ViaInterpreter(path string) bool { return viaInterpreter[path] != "" }
