package ixengine

import (
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"slices"
)

// Unload removes packages, and the packages that import them, so that they can be loaded anew; see engine.Loader. The
// old packages live as long as something in the session refers to them. After that the garbage collector frees their
// interpreter, except for the entry points of their types' methods.
func (s *Session) Unload(paths []string) {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	gone := map[*types.Package]bool{}
	byPath := maps.Clone(s.modules.byPath)
	var order, removed []*sourcePackage
	for _, m := range s.modules.order {
		if slices.Contains(paths, m.src.Path) || slices.ContainsFunc(m.pkg.Imports(), func(p *types.Package) bool { return gone[p] }) {
			gone[m.pkg] = true
			removed = append(removed, m)
			delete(byPath, m.src.Path)
		} else {
			order = append(order, m)
		}
	}
	if len(removed) == 0 {
		return
	}
	s.setBuiltin(func(table map[string]reflect.Value) {
		for _, m := range removed {
			for name := range m.table.Funcs {
				delete(table, m.src.Path+"."+name)
			}
		}
	})
	for _, m := range removed {
		s.loader.unpin(regexp.MustCompile(`(?:^|[^\w/.~-])` + regexp.QuoteMeta(m.src.Path) + `\.`))
	}
	s.unpin(s.env.typesMentioning(s.namesOf(removed)))
	s.modules.mu.Lock()
	defer s.modules.mu.Unlock()
	s.modules.byPath, s.modules.order = byPath, order
}

// namesOf returns the names by which cells can mention the packages.
func (s *Session) namesOf(list []*sourcePackage) map[string]bool {
	names := map[string]bool{}
	for _, m := range list {
		for name, path := range s.env.imports {
			if path == m.src.Path {
				names[name] = true
			}
		}
		if s.env.dots[m.src.Path] {
			for _, name := range m.pkg.Scope().Names() {
				names[name] = true
			}
		}
	}
	return names
}

// isStale reports whether a type belongs to a package that has since been unloaded.
func (s *Session) isStale(t types.Type) bool {
	stale := false
	walkNamed(t, func(n *types.Named) {
		if m := s.moduleOf(n.Obj()); m != nil && s.modules.byPath[m.src.Path] != m {
			stale = true
		}
	})
	return stale
}

// staleAdvice returns advice for a fault in a line of code. It returns "" unless the line mentions a variable in vars
// whose type belongs to an unloaded package. The checker's message alone does not help, because it uses the same name
// for the old and the new type.
func (s *Session) staleAdvice(vars []*variable, line string) string {
	if len(s.modules.byPackage) == len(s.modules.byPath) {
		return ""
	}
	for _, v := range vars {
		if s.isStale(v.typ) && regexp.MustCompile(`\b`+regexp.QuoteMeta(v.name)+`\b`).MatchString(line) {
			return "; " + v.name + " is of a type from before its package was loaded again" + makeAgain
		}
	}
	return ""
}
