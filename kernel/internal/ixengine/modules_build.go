package ixengine

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
)

// build makes one program from the packages, and makes an interpreter that is ready to run that program.
func (l *loadCall) build(ctx context.Context) *engine.Error {
	s := l.s
	c, fail := l.main()
	if fail != nil {
		return fail
	}
	source := *s.source
	for _, m := range l.mine {
		source[m.src.Path] = m.sp
		for _, f := range m.files {
			s.mend(f, m.info)
		}
	}
	defer func() {
		for _, m := range l.mine {
			delete(source, m.src.Path)
		}
	}()
	pkg, err := s.buildMentioned(c)
	if err != nil {
		return l.refusal(err)
	}
	l.keepMethods(pkg.Prog)
	for _, m := range l.mine {
		if slices.ContainsFunc(m.files, hasGenericMethod) {
			hideGenericMethodsOf(pkg.Prog, m.pkg, m.info)
		}
	}
	l.pkg = pkg
	if ctx.Err() != nil {
		return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	if fail := l.newInterp(); fail != nil {
		return fail
	}
	if fail := l.layouts(); fail != nil {
		return fail
	}
	s.building = true // see handsOut
	defer func() { s.building = false }()
	s.replace(l.interp)
	return nil
}

// keepMethods makes the interpreter create the methods of all types of the packages, because cells and
// generic code built for cells may call any of these methods.
func (l *loadCall) keepMethods(prog *ssa.Program) {
	keep := keeper(prog)
	instance := func(t types.Type) {
		walkNamed(t, func(n *types.Named) {
			if n.TypeArgs().Len() > 0 && (l.packageOf(n) != nil || l.s.moduleOf(n.Obj()) != nil) {
				keep(n)
			}
		})
	}
	for _, m := range l.mine {
		for _, o := range m.info.Defs {
			if o, ok := o.(*types.TypeName); ok && !isGeneric(o) && !o.IsAlias() && !m.perInstance[o] {
				keep(o.Type())
			}
		}
		for _, tv := range m.info.Types {
			if tv.Type != nil {
				instance(tv.Type)
			}
		}
		for _, inst := range m.info.Instances {
			instance(inst.Type)
		}
	}
}

// main returns a program that imports the packages and does nothing else.
func (l *loadCall) main() (*checkedProgram, *engine.Error) {
	text := "package main\n"
	for _, m := range l.mine {
		text += fmt.Sprintf("import _ %q\n", m.src.Path)
	}
	fset := l.s.ctx.FileSet
	file, err := parser.ParseFile(fset, "modules", text+"func main() {}\n", 0)
	if err != nil {
		return nil, l.refusal(err)
	}
	c := &checkedProgram{file: file, pkg: types.NewPackage("main", "main"), info: newInfo()}
	conf := types.Config{Importer: moduleImports{l, nil}, Sizes: sizes}
	if err := types.NewChecker(&conf, fset, c.pkg, c.info).Files([]*ast.File{file}); err != nil {
		return nil, l.refusal(err)
	}
	return c, nil
}

// refusal returns the error for packages that the interpreter does not accept.
func (l *loadCall) refusal(err error) *engine.Error {
	text := strings.TrimPrefix(tidy(err.Error()), "building the cell: ")
	return &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s cannot be run from source: %s", l.mine[len(l.mine)-1].src.Path, text)}
}

// newInterp makes the interpreter.
func (l *loadCall) newInterp() (fail *engine.Error) {
	s := l.s
	checker := s.ctx.MethodChecker
	defer func() {
		s.ctx.MethodChecker = checker
		if p := recover(); p != nil {
			fail = l.refusal(fmt.Errorf("%v", p))
		}
	}()
	full := s.watchMethods()
	try := func() error {
		table := maps.Clone(s.builtin)
		interp, err := s.newInterp(l.pkg, table)
		if err == nil && full() {
			capacity, _, free := ixgo.IcallStat()
			err = fmt.Errorf("the methods of its types need more than the %d entry points that are free, of %d; restart the kernel, which then compiles it in", free+interp.IcallAlloc(), capacity)
		}
		if err != nil && interp != nil {
			interp.UnsafeRelease()
			return err
		}
		mendTypes(interp, s.loader)
		l.interp = interp
		l.linked = table
		return err
	}
	err := try()
	if err != nil && !full() && hideConstants(l.pkg) {
		err = try()
	}
	if err != nil {
		return l.refusal(err)
	}
	return nil
}

// watchMethods lets types have methods only while entry points for methods are left, because the interpreter ends the
// process when they run out. The returned function reports whether none are left.
func (s *Session) watchMethods() (full func() bool) {
	checker := s.ctx.MethodChecker
	ended := false
	s.ctx.MethodChecker = func(ctx *ixgo.Context, prog *ssa.Program) func(reflect.Type, reflectx.Method) bool {
		check := checker(ctx, prog)
		return func(t reflect.Type, m reflectx.Method) bool {
			if !check(t, m) {
				return false
			}
			if _, _, free := ixgo.IcallStat(); free < 2 { // one entry point for the method, and one for the pointer receiver
				ended = true
				return false
			}
			return true
		}
	}
	return func() bool { return ended }
}

// layouts returns an error if a struct type of the packages has a size at run time that differs from the type
// checker's result. This can happen to a type declared with a compiled package's struct as its underlying type: the
// type checker knows compiled types from reflection, which does not give all details of instances of generic types.
func (l *loadCall) layouts() *engine.Error {
	for _, m := range l.mine {
		scope := m.pkg.Scope()
		for _, name := range scope.Names() {
			o, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || o.IsAlias() || isGeneric(o) {
				continue
			}
			rt := toType(l.interp, o.Type())
			if size := sizes.Sizeof(o.Type()); rt.Kind() == reflect.Struct && size != int64(rt.Size()) {
				e := &engine.Error{Kind: engine.Type}
				l.s.addFault(e, l.s.ctx.FileSet.Position(o.Pos()), fmt.Sprintf("the memory of type %s.%s is not known: it has %d bytes here and %d for the type checker", m.src.Name, name, rt.Size(), size))
				return notFromSource(m.src, e)
			}
		}
	}
	return nil
}

// packageOf returns the package of l that declares a type.
func (l *loadCall) packageOf(n *types.Named) *sourcePackage {
	if p := n.Obj().Pkg(); p != nil {
		if m := l.byPath[p.Path()]; m != nil && m.pkg == p {
			return m
		}
	}
	return nil
}
