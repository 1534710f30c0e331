package modules

import (
	"strings"

	"golang.org/x/mod/modfile"
)

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
