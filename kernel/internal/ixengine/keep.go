package ixengine

import (
	"maps"
	"slices"

	"overcomplete/kernel/engine"
)

// Uses tells what a cell uses; see engine.Keeper.
func (s *Session) Uses(cell engine.Cell) (u engine.Uses, err error) {
	defer catchOwn(&err)
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	c, fail := s.typeCheck(cell)
	if fail != nil {
		return u, fail
	}
	reads, imports := map[string]bool{}, map[string]bool{}
	for _, v := range c.reach.vars {
		if s.env.vars[v.name] == v {
			reads[v.name] = true
		} else {
			u.Declares = append(u.Declares, v.name)
		}
	}
	for name := range c.program.oldVars {
		reads[name] = true
	}
	for _, name := range c.reach.imports {
		imports[c.program.env.imports[name]] = true
	}
	for path := range c.program.env.dots {
		imports[path] = true
	}
	for _, d := range c.reach.decls {
		u.Code = append(u.Code, s.sourceOf(d))
	}
	slices.Sort(u.Declares)
	u.Imports, u.Reads = slices.Sorted(maps.Keys(imports)), slices.Sorted(maps.Keys(reads))
	return u, nil
}

// Declare declares a cell's names; see engine.Keeper.
func (s *Session) Declare(cell engine.Cell) (err error) {
	defer catchOwn(&err)
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	if _, fail := s.prepare(cell); fail != nil {
		return fail
	}
	return nil
}
