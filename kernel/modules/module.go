package modules

import (
	"strings"

	"golang.org/x/mod/modfile"
)

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

// Of returns the module of a package, in the version given by the lock. The result ok is false if the lock is nil or
// has no such module.
func (l *Lock) Of(pkg string) (m Module, ok bool) {
	if l == nil {
		return m, false
	}
	f, err := modfile.ParseLax("go.mod", []byte(l.Mod), nil)
	if err != nil {
		return m, false
	}
	for _, r := range f.Require {
		if (pkg == r.Mod.Path || strings.HasPrefix(pkg, r.Mod.Path+"/")) && len(r.Mod.Path) > len(m.Path) {
			m, ok = Module{Path: r.Mod.Path, Version: r.Mod.Version}, true
		}
	}
	return m, ok
}
