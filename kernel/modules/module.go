package modules

// A Module is a module in use.
type Module struct {
	Path, Version string
	Replace       string // what it is replaced by, "" if it is not
	Dir           string // of its source
	Local         bool   // its source is a folder of the user's, which may change
	Asked         string // the version that was asked for, if another module raised it
}

// Within reports whether a package can be part of the module.
func (m Module) Within(pkg string) bool { return within(pkg, m.Path) }

// String is the module as in go.mod: path and version.
func (m Module) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + " " + m.Version
}

// A Lock is what fixes all versions.
type Lock struct {
	Mod string `json:"go.mod"`
	Sum string `json:"go.sum"`
}
