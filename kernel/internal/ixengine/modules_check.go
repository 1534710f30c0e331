package ixengine

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goplus/ixgo"
	ixload "github.com/goplus/ixgo/load"

	"overcomplete/kernel/engine"
)

// check parses, instruments and type-checks a package. If check returns a package together with an error, the caller
// must add the package to l.mine, so that undo() removes its traces.
func (l *loadCall) check(src engine.Source) (*sourcePackage, *engine.Error) {
	s := l.s
	m := &sourcePackage{src: src, pkg: types.NewPackage(src.Path, src.Name), decls: map[types.Object][]ast.Decl{}, file: map[ast.Decl]*ast.File{}}
	for _, name := range src.Files {
		text, err := os.ReadFile(filepath.Join(src.Dir, name))
		if err != nil {
			return m, &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s cannot be run from source: %v", src.Path, err)}
		}
		place := fileName(src, name)
		s.sources.set(place, string(text))
		m.texts = append(m.texts, place)
		file, err := parser.ParseFile(s.ctx.FileSet, place, text, parser.ParseComments)
		if file != nil {
			m.files = append(m.files, file)
		}
		if list, ok := err.(scanner.ErrorList); ok {
			e := &engine.Error{Kind: engine.Type}
			for _, f := range list[:min(len(list), mostFaults)] {
				s.addFault(e, f.Pos, f.Msg)
			}
			return m, notCompiling(src, e)
		}
	}
	var err error
	links, err := ixload.ParseLinkname(s.ctx.FileSet, src.Path, m.files)
	if err != nil {
		return m, &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s cannot be run from source: %v", src.Path, err)}
	}
	if fail := l.refuse(m, links); fail != nil {
		return m, fail
	}
	if src.Embeds {
		file, err := s.embedded(src, m.files)
		if err != nil {
			return m, &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s cannot be run from source: %v", src.Path, err)}
		}
		if file != nil {
			m.files = append(m.files, file)
		}
	}
	for _, f := range m.files {
		for _, d := range f.Decls {
			instrument(d)
		}
		f.Decls = append([]ast.Decl{importHost(f)}, f.Decls...)
	}
	if faults := l.typeCheck(m); len(faults) > 0 {
		e := &engine.Error{Kind: engine.Type}
		for _, f := range faults {
			if strings.HasPrefix(f.Msg, "\t") && len(e.Faults) > 0 {
				s.continueFault(e, f)
			} else if len(e.Faults) < mostFaults {
				s.addFault(e, s.ctx.FileSet.Position(f.Pos), f.Msg)
			}
		}
		return m, notCompiling(src, e)
	}
	if pos, text := s.memory.tooLargeType(s.ctx.FileSet, m.info); text != "" {
		e := &engine.Error{Kind: engine.Type}
		s.addFault(e, s.ctx.FileSet.Position(pos), text)
		return m, notFromSource(src, e)
	}
	m.sp = &ixgo.SourcePackage{Context: s.ctx, Package: m.pkg, Info: m.info, Files: m.files, Links: links, Dir: src.Dir}
	m.findLocal()
	for i, t := range m.local {
		s.nested[t] = i + 1
	}
	m.index()
	return m, nil
}

const mostFaults = 10

// notCompiling completes e, which holds faults found by the parser or the type checker, and returns it. For a module,
// the message says that the package cannot be run from source: the code has compiled elsewhere, so the interpreter
// lacks a feature. For the user's own package, it says that the package does not compile, because the cause is more
// often a mistake.
func notCompiling(src engine.Source, e *engine.Error) *engine.Error {
	e = notFromSource(src, e)
	if src.Version == "" {
		e.Message = strings.Replace(e.Message, " cannot be run from source", " does not compile", 1)
	}
	return e
}

// notFromSource gives e the message that the package src cannot be run from source, followed by e's first fault, if it
// has one. It returns e.
func notFromSource(src engine.Source, e *engine.Error) *engine.Error {
	e.Message = fmt.Sprintf("%s cannot be run from source", src.Path)
	if len(e.Faults) > 0 {
		at := e.Frames[0]
		e.Message += fmt.Sprintf(": %s line %d: %s", path.Base(at.Cell), at.Line, e.Faults[0])
		e.Hints[0] = "so " + src.Path + " cannot be run from source"
	}
	return e
}

// importHost returns an import of the host package, which instrumented code uses, and adds it to the file's
// imports.
func importHost(f *ast.File) ast.Decl {
	spec := &ast.ImportSpec{Name: ident(hostName), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(hostPath)}}
	f.Imports = append([]*ast.ImportSpec{spec}, f.Imports...)
	return &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}
}

// typeCheck type-checks m, fills m.info, and returns the faults. It leaves out faults caused only by the
// instrumentation or by a missing function body.
func (l *loadCall) typeCheck(m *sourcePackage) (faults []types.Error) {
	m.info = newInfo()
	m.info.FileVersions = map[*ast.File]string{}
	conf := types.Config{
		Importer:  moduleImports{l, m.src.ImportMap},
		Sizes:     sizes,
		GoVersion: m.src.GoVersion,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok {
				e = types.Error{Fset: l.s.ctx.FileSet, Msg: err.Error()}
			}
			if strings.HasSuffix(e.Msg, "missing function body") || e.Soft && strings.Contains(e.Msg, strconv.Quote(hostPath)) {
				return
			}
			faults = append(faults, e)
		},
	}
	_ = types.NewChecker(&conf, l.s.ctx.FileSet, m.pkg, m.info).Files(m.files)
	return faults
}

// findLocal finds the types that functions of the package declare, in source order.
func (m *sourcePackage) findLocal() {
	m.local = localTypes(m.info)
	m.perInstance = map[*types.TypeName]bool{}
	for _, f := range m.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && m.isGenericFunc(fn) {
				for _, t := range m.local {
					if within(t.Obj().Pos(), fn) {
						m.perInstance[t.Obj()] = true
					}
				}
			}
		}
	}
}

// isGenericFunc reports whether a function, or the type of its receiver, has type parameters.
func (m *sourcePackage) isGenericFunc(d *ast.FuncDecl) bool {
	f, ok := m.info.Defs[d.Name].(*types.Func)
	return ok && (f.Signature().TypeParams().Len() > 0 || f.Signature().RecvTypeParams().Len() > 0)
}

// index fills the fields decls and file.
func (m *sourcePackage) index() {
	add := func(o types.Object, d ast.Decl) {
		if o != nil {
			m.decls[o] = append(m.decls[o], d)
		}
	}
	for _, f := range m.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				m.file[d] = f
				o, _ := m.info.Defs[d.Name].(*types.Func)
				if o == nil {
					continue
				}
				add(o, d)
				if recv := o.Signature().Recv(); recv != nil {
					t := recv.Type()
					if p, ok := t.(*types.Pointer); ok {
						t = p.Elem()
					}
					if n, ok := types.Unalias(t).(*types.Named); ok {
						add(n.Origin().Obj(), d)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					one := &ast.GenDecl{Tok: d.Tok, TokPos: d.TokPos, Specs: []ast.Spec{spec}}
					m.file[one] = f
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(m.info.Defs[spec.Name], one)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							add(m.info.Defs[id], one)
						}
					}
				}
			}
		}
	}
}
