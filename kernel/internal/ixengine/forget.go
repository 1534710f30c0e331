package ixengine

import (
	"fmt"
	"reflect"
)

// Forget removes variables and clears them to release their values: the variables' memory is shared with
// programs of earlier cells, which stay alive. An older function that mentions a removed variable does not
// compile until the name is declared again. Forget must not be called while a cell runs.
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
