package ixengine

import (
	"fmt"
	"reflect"
)

// Forget removes the named variables from the session. If one of the names does not belong to a variable, Forget
// returns an error and changes nothing. Programs of earlier cells stay alive and share the variables' memory, so Forget
// also sets the variables to zero, to release their values, except variables with a lock that may be in use. An older
// function that mentions a removed variable does not compile until the name is declared again. Forget must not be
// called while a cell runs.
func (s *Session) Forget(names ...string) error {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	for _, name := range names {
		if s.env.vars[name] == nil {
			return fmt.Errorf("no variable %s", name)
		}
	}
	next := s.env.clone()
	for _, name := range names {
		if v := next.vars[name]; v != nil && v.addr != nil && !s.lockInUse(v) {
			reflect.ValueOf(v.addr).Elem().SetZero()
		}
		next.forget(name)
	}
	s.setEnv(next)
	return nil
}
