package ixengine

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"overcomplete/kernel/engine"
)

// introspection is the state that lets other goroutines ask what the session's names mean while cells run.
type introspection struct {
	// Run holds this lock from its beginning to its end. Peek locks it for reading.
	running sync.RWMutex

	// mu guards writes to Session.env. Only the goroutine of Run writes this field. Therefore that goroutine may read
	// the field without mu. Once an env is the session's, it is immutable. So are its declarations and, except for
	// their addresses, its variables.
	mu    sync.Mutex
	known *engine.Names // the names of the env in the next field, cached
	of    *env
}

// setEnv makes e the session's env.
func (s *Session) setEnv(e *env) {
	s.introspection.mu.Lock()
	defer s.introspection.mu.Unlock()
	s.env = e
}

// Names returns the meanings of the session's names; see engine.Introspector.
func (s *Session) Names() *engine.Names {
	s.introspection.mu.Lock()
	defer s.introspection.mu.Unlock()
	if s.introspection.of != s.env {
		s.introspection.known, s.introspection.of = s.names(s.env), s.env
	}
	return s.introspection.known
}

func (s *Session) names(e *env) *engine.Names {
	n := &engine.Names{Imports: maps.Clone(e.imports), Dots: slices.Sorted(maps.Keys(e.dots))}
	for name, path := range s.opt.Predeclared {
		if e.imports[name] == "" && e.decls[name] == nil && e.vars[name] == nil {
			n.Imports[name] = path
		}
	}
	for _, v := range e.vars {
		text, packages := typeSource(v.typ)
		n.Variables = append(n.Variables, engine.NamedVariable{
			Name: v.name, Type: text, Packages: packages, Cell: s.sources.cell(v.cell),
		})
	}
	slices.SortFunc(n.Variables, func(a, b engine.NamedVariable) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range e.declarations() {
		n.Decls = append(n.Decls, engine.Decl{Names: d.names, Source: d.text, Cell: s.sources.cell(d.cell)})
	}
	return n
}

// cell returns the cell with the given name.
func (s *sources) cell(name string) engine.Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return engine.Cell{Name: name, Source: s.text[name]}
}

// typeSource returns t as Go source, and the packages that this source mentions: the import path for each package
// name.
func typeSource(t types.Type) (text string, packages map[string]string) {
	packages = map[string]string{}
	text = types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		name := p.Name()
		for i := 2; packages[name] != "" && packages[name] != p.Path(); i++ {
			name = fmt.Sprintf("%s%d", p.Name(), i)
		}
		packages[name] = p.Path()
		return name
	})
	return text, packages
}

// Peek calls look(pointer) with a pointer to a variable; see engine.Introspector.
func (s *Session) Peek(name string, look func(pointer any)) bool {
	if !s.introspection.running.TryRLock() {
		return false
	}
	defer s.introspection.running.RUnlock()
	v := s.env.vars[name]
	if v == nil || v.addr == nil {
		return false
	}
	release, ok := s.stop.still()
	if !ok {
		return false
	}
	defer release()
	look(v.addr)
	return true
}

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
