package ixengine

import (
	"fmt"
	"reflect"
)

// Forget removes variables, and lets go what they hold: the memory of a
// variable belongs also to programs of earlier cells, which stay alive. An older
// function that mentions one no longer compiles, until the name is declared
// again. It must not be called while a cell runs.
func (s *Session) Forget(names ...string) error {
	s.looking.running.Lock()
	defer s.looking.running.Unlock()
	for _, name := range names {
		if s.env.vars[name] == nil {
			return fmt.Errorf("no variable %s", name)
		}
	}
	next := s.env.clone()
	for _, name := range names {
		if v := next.vars[name]; v != nil && v.addr != nil {
			reflect.ValueOf(v.addr).Elem().SetZero()
		}
		next.forget(name)
	}
	s.setEnv(next)
	return nil
}
