package modules

// inUse reports whether a process runs the program.
func inUse(path string) bool { return false }
