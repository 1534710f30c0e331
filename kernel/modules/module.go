package modules

// A Module is a module in use.
type Module struct {
	Path, Version string
	Replace       string // the replacement, or ""
	Dir           string // folder of its source
	Local         bool   // its source is in a folder of the user, and may change
	Asked         string // the requested version, if another module has raised it
}

// Within reports whether a package can be part of the module.
func (m Module) Within(pkg string) bool { return within(pkg, m.Path) }

// String returns path and version in the form used in go.mod.
func (m Module) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + " " + m.Version
}

// A Lock fixes the versions of all modules.
type Lock struct {
	Mod string `json:"go.mod"`
	Sum string `json:"go.sum"`
}
