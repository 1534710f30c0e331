package ixengine

import (
	"go/types"
	"slices"

	"overcomplete/kernel/engine"
)

var _ engine.Tracer = (*Session)(nil)

// TypesOf returns the types of cells that occur in the type of a variable; see engine.Tracer.
func (s *Session) TypesOf(variable string) (names []string) {
	s.introspection.mu.Lock()
	v := s.env.vars[variable] // an env and its types are immutable
	s.introspection.mu.Unlock()
	if v == nil {
		return nil
	}
	walkNamed(v.typ, func(n *types.Named) {
		if name := n.Obj().Name(); isTopLevel(n) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	slices.Sort(names)
	return names
}
