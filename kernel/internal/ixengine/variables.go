package ixengine

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// A variable that is declared again with the same type gets a new value. If a goroutine of an earlier cell held a
// lock in the variable, or waited for it, the goroutine would then unlock an unlocked lock, or wait forever; if the
// lock belongs to compiled code, as in sync.Once, the process would end. So a variable with a lock in use is left
// to these goroutines, and the declaration makes another variable.

// lockInUse reports whether v contains a lock of package sync that goroutines of earlier cells may be using.
func (s *Session) lockInUse(v *variable) bool {
	if v.addr == nil || !s.stop.busy() && s.timers.Load() == 0 {
		return false
	}
	t := reflect.TypeOf(v.addr).Elem()
	return usesLock(t, reflect.ValueOf(v.addr).UnsafePointer())
}

// usesLock reports whether the value of type t at p contains a value of package sync that is not zero.
func usesLock(t reflect.Type, p unsafe.Pointer) bool {
	switch {
	case !hasLock(t):
		return false
	case t.PkgPath() == "sync":
		return !isZero(p, t.Size())
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if usesLock(t.Elem(), unsafe.Add(p, uintptr(i)*t.Elem().Size())) {
				return true
			}
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); usesLock(f.Type, unsafe.Add(p, f.Offset)) {
				return true
			}
		}
	}
	return false
}

// hasLock reports whether values of type t contain structs of package sync.
func hasLock(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasLock(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == "sync" {
			return true
		}
		for i := range t.NumField() {
			if hasLock(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// isZero reports whether the n bytes at p are zero. It is hidden from the race detector: goroutines may be using the
// bytes.
//
//go:norace
func isZero(p unsafe.Pointer, n uintptr) bool {
	for i := range n {
		if *(*byte)(unsafe.Add(p, i)) != 0 {
			return false
		}
	}
	return true
}

// Forget removes the named variables, functions and imports from the session, and types and constants that hide a name
// that Go predeclares. If one of the names belongs to none of these, Forget returns an error and changes nothing. Programs of earlier cells stay alive and share the variables' memory, so Forget
// also sets the variables to zero, to release their values, except variables with a lock that may be in use. An older
// function that mentions a removed variable does not compile until the name is declared again. Forget must not be
// called while a cell runs.
func (s *Session) Forget(names ...string) error {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	for _, name := range names {
		d := s.env.decls[name]
		switch {
		case s.env.vars[name] != nil, s.env.imports[name] != "":
		case d == nil:
			return fmt.Errorf("no variable %s", name)
		case !d.isFunc() && types.Universe.Lookup(name) == nil:
			return fmt.Errorf("%s is not a variable: it stays, and can be declared again", name)
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
