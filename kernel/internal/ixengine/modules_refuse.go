package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/goplus/ixgo"
	ixload "github.com/goplus/ixgo/load"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
)

// Code that the interpreter cannot run is refused before any of it runs: functions without a Go body, and
// access to other packages that bypasses the language (linkname). A wrong assumption about such code would
// end the process.

// refuse returns an error if a package contains something that the interpreter cannot run.
func (l *loadCall) refuse(m *sourcePackage, links []*ixload.LinkSym) *engine.Error {
	s := l.s
	why := func(pos token.Pos, format string, args ...any) *engine.Error {
		e := &engine.Error{Kind: engine.Type}
		s.addFault(e, s.ctx.FileSet.Position(pos), fmt.Sprintf(format, args...))
		return notFromSource(m.src, e)
	}
	linked := map[string]*ixload.LinkSym{}
	for _, link := range links {
		linked[link.Name] = link
	}
	for _, f := range m.files {
		for _, spec := range f.Imports {
			if spec.Path.Value == `"C"` {
				return why(spec.Pos(), "uses cgo")
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil || d.Recv != nil && linked[d.Name.Name] != nil {
					continue
				}
				name := d.Name.Name
				link := linked[name]
				switch {
				case link == nil:
					return why(d.Pos(), "uses assembly: %s.%s has no Go body", m.src.Name, name)
				case !l.has(link):
					return why(d.Pos(), "%s.%s is linked to %s.%s, which is not reachable from here", m.src.Name, name, link.Linkname.PkgPath, link.Linkname.Name)
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						if link := linked[id.Name]; link != nil && !l.has(link) {
							return why(id.Pos(), "variable %s.%s is linked to %s.%s, which is not reachable from here", m.src.Name, id.Name, link.Linkname.PkgPath, link.Linkname.Name)
						}
					}
				}
			}
		}
	}
	return nil
}

// has reports whether the target of a linkname directive exists.
func (l *loadCall) has(link *ixload.LinkSym) bool {
	path, name := link.Linkname.PkgPath, link.Linkname.Name
	if m := l.byPath[path]; m != nil {
		return m.declares(name)
	}
	if m := l.s.modules.byPath[path]; m != nil {
		return m.declares(name)
	}
	if _, ok := l.s.builtin[path+"."+name]; ok {
		return true
	}
	p, ok := ixgo.LookupPackage(path)
	if !ok {
		return false
	}
	if link.Kind == ast.Var {
		_, ok = p.Vars[name]
	} else {
		_, ok = p.Funcs[name]
	}
	return ok
}

// declares reports whether the package declares a function with a body, or a variable, under the given name. It ignores
// methods.
func (m *sourcePackage) declares(name string) bool {
	if strings.Contains(name, ".") {
		return false
	}
	o := m.pkg.Scope().Lookup(name)
	if o == nil {
		return false
	}
	for _, d := range m.decls[o] {
		if f, ok := d.(*ast.FuncDecl); ok {
			return f.Body != nil
		}
	}
	return true
}

// whyNotReplaceable returns the reason why a compiled package cannot be replaced by its source, or "" if it can.
func (s *Session) whyNotReplaceable(path string) string {
	if _, used := s.loader.LookupPackage(path); used {
		return "the session uses it already; restart the kernel"
	}
	for _, p := range bind.All() {
		for _, d := range p.Deps {
			if d.Path == path && p.Path != path && s.modules.byPath[p.Path] == nil {
				return "the compiled package " + p.Path + " uses it"
			}
		}
	}
	return ""
}
