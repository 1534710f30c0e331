package modules

// A Module is a module in use.
type Module struct {
	Path, Version string
	Replace       string // the replacement, "" if there is none
	Dir           string // of its source
	Local         bool   // its source is in a folder of the user's, and may change
	Asked         string // the requested version, if another module raised it
}

// Within reports whether a package can be part of the module.
func (m Module) Within(pkg string) bool { return within(pkg, m.Path) }

// String returns path and version, as in go.mod.
func (m Module) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + " " + m.Version
}

// A Lock fixes all versions.
type Lock struct {
	Mod string `json:"go.mod"`
	Sum string `json:"go.sum"`
}
