package bind

// ViaInterpreter tells packages that the interpreter's module has.
func ViaInterpreter(path string) bool { return viaInterpreter[path] != "" }
