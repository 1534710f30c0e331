package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"overcomplete/kernel/cellsyntax"
	"reflect"
	"slices"
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

// A replacement is a variable of a cell that takes the name of an earlier variable with another type.
type replacement struct {
	old, now *variable
	// reached points to whether the statement that declares the variable has run.
	reached *bool
}

// markReplaced adds a statement after each statement of p that replaces variables. It notes that the replacement was
// reached. The result holds the declarations of the hidden variables for the notes.
func (b *builtCell) markReplaced(p *program) (hidden []ast.Decl) {
	if len(b.replaced) == 0 {
		return nil
	}
	var list, body []ast.Stmt
	for _, st := range p.body {
		specs := varSpecs(st)
		if specs == nil {
			list = append(list, st)
		}
		for _, spec := range specs {
			list = append(list, varStmt(spec))
		}
	}
	for _, st := range list {
		body = append(body, st)
		var reached *bool
		for i := range b.replaced {
			r := &b.replaced[i]
			if r.reached != nil || !slices.ContainsFunc(cellsyntax.Variables([]ast.Stmt{st}), func(id *ast.Ident) bool { return id.Name == p.nameOf(r.now) }) {
				continue
			}
			if reached == nil {
				reached = new(bool)
			}
			r.reached = reached
		}
		if reached == nil {
			continue
		}
		name := fmt.Sprintf("reached__%d", len(hidden))
		compare := func(op token.Token) ast.Expr { // true and false may be other things in the session
			return &ast.BinaryExpr{X: &ast.BasicLit{Kind: token.INT, Value: "0"}, Op: op, Y: &ast.BasicLit{Kind: token.INT, Value: "0"}}
		}
		hidden = append(hidden, varInit(name, compare(token.NEQ)))
		if p.bound == nil {
			p.bound = map[string]any{}
		}
		p.bound[name] = reached
		body = append(body, &ast.AssignStmt{Lhs: []ast.Expr{ident(name)}, TokPos: st.End(), Tok: token.ASSIGN, Rhs: []ast.Expr{compare(token.EQL)}})
	}
	p.body = body
	return hidden
}

// bringBack gives their names back to the variables that b, a failed cell, has replaced without reaching the statements
// that declare the new ones.
func (s *Session) bringBack(b *builtCell) {
	next := s.env.clone()
	for _, r := range b.replaced {
		if r.reached != nil && !*r.reached && next.vars[r.now.name] == r.now {
			next.vars[r.now.name] = r.old
		}
	}
	if len(b.replaced) > 0 {
		s.setEnv(next)
	}
}
