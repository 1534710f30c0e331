package ixengine

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
)

// Packages that are run from source. Load type-checks these packages in the session's own universe, so types
// are identical in packages from source, compiled packages and cells. Load builds the packages once, and runs
// them in one interpreter that lives as long as the session: their variables are set once, their types are
// made once, and their goroutines continue. From then on cells use them as if they were compiled: functions,
// variables and types are values made by this interpreter. Only generic code cannot be made in advance. It is
// built anew for each program that mentions it, with only the needed parts of its package; see
// modules_generic.go.
//
// The code of the packages is instrumented like that of cells, so that it can be stopped. Its positions refer
// to its source files.
//
// The declarations of the packages are kept in the session's own tables, not in the interpreter's, which all
// sessions of the process share.

// A sourcePackage is a package that is run from source.
type sourcePackage struct {
	src   engine.Source
	pkg   *types.Package
	info  *types.Info
	files []*ast.File
	texts []string // names of its files in Session.sources
	sp    *ixgo.SourcePackage
	table *ixgo.Package // the members that cells use; nil until it is published

	decls map[types.Object][]ast.Decl // declarations of an object; for a type also its methods
	// mentioned caches the objects that declarations mention; see mentions.
	mentioned map[ast.Decl][]types.Object
	file      map[ast.Decl]*ast.File
	// local holds the types that the package's functions declare. A type declared in a generic function is a
	// different type in each instance of the function.
	local       []*types.Named
	perInstance map[*types.TypeName]bool
}

// modules holds the packages that a session runs from source.
type modules struct {
	// mu guards writes. Only Load and Unload write, and neither runs while a cell runs, so cells read without
	// mu.
	mu        sync.Mutex
	order     []*sourcePackage
	byPath    map[string]*sourcePackage
	byPackage map[*types.Package]*sourcePackage // includes unloaded packages, because old types need them
	any       atomic.Bool                       // there are packages from source; goroutines of earlier cells read this flag
}

// Loaded lists the packages that run from source; see engine.Loader.
func (s *Session) Loaded() []engine.Source {
	s.modules.mu.Lock()
	defer s.modules.mu.Unlock()
	var list []engine.Source
	for _, m := range s.modules.order {
		list = append(list, m.src)
	}
	return list
}

// Importable reports whether a cell can import a package; see engine.Loader.
func (s *Session) Importable(path string) bool {
	if s.opt.Current != nil {
		path = s.opt.Current(path)
	}
	if path == "unsafe" {
		return true
	}
	s.modules.mu.Lock()
	loaded := s.modules.byPath[path] != nil
	s.modules.mu.Unlock()
	if loaded {
		return true
	}
	_, ok := ixgo.LookupPackage(path)
	return ok
}

// Load makes packages importable; see engine.Loader.
func (s *Session) Load(ctx context.Context, list []engine.Source) (err error) {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	l := &loadCall{s: s, byPath: map[string]*sourcePackage{}}
	_, used, _ := ixgo.IcallStat()
	defer func() {
		if p := recover(); p != nil {
			l.undo()
			err = internalError(p, debug.Stack())
		}
	}()
	if fail := l.load(ctx, list); fail != nil {
		l.undo()
		if _, now, _ := ixgo.IcallStat(); now > used {
			fail.Message += fmt.Sprintf("; %d entry points for methods stay in use until the kernel is restarted", now-used)
		}
		return fail
	}
	return nil
}

// A loadCall is the state of one call of Load.
type loadCall struct {
	s      *Session
	mine   []*sourcePackage
	byPath map[string]*sourcePackage
	interp *ixgo.Interp             // nil until it is made
	pkg    *ssa.Package             // the main package, which imports the loaded packages
	linked map[string]reflect.Value // functions and variables that replace others, including the targets of linkname directives; see newInterp
	begun  bool                     // code of the packages has begun to run
	done   bool
}

func (l *loadCall) load(ctx context.Context, list []engine.Source) *engine.Error {
	for _, src := range list {
		if pass, fail := l.passOver(src); fail != nil {
			return fail
		} else if pass {
			continue
		}
		if ctx.Err() != nil {
			return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
		}
		m, fail := l.check(src)
		if m != nil {
			l.mine = append(l.mine, m)
		}
		if fail != nil {
			return fail
		}
		l.byPath[src.Path] = m
	}
	if len(l.mine) == 0 {
		return nil
	}
	if fail := l.build(ctx); fail != nil {
		return fail
	}
	if fail := l.init(ctx); fail != nil {
		return fail
	}
	l.publish()
	l.done = true
	return nil
}

// passOver reports whether src need not be loaded, because its package is already importable. It returns an error if
// src should replace a compiled package that cannot be replaced.
func (l *loadCall) passOver(src engine.Source) (bool, *engine.Error) {
	if l.byPath[src.Path] != nil || l.s.modules.byPath[src.Path] != nil {
		return true, nil
	}
	if _, compiled := ixgo.LookupPackage(src.Path); !compiled {
		return false, nil
	}
	if !src.Prefer {
		return true, nil
	}
	if why := l.s.whyNotReplaceable(src.Path); why != "" {
		return false, &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s cannot be run from source in this session: it is compiled in, and %s", src.Path, why)}
	}
	return false, nil
}

// init runs the packages' initialization like the code of a cell.
func (l *loadCall) init(ctx context.Context) *engine.Error {
	s := l.s
	// While the packages run, a debugger may stop and inspect them, and inspection builds programs.
	s.debug.building.Unlock()
	defer s.debug.building.Lock()
	before := s.stop.living()
	l.begun = true
	name := l.mine[len(l.mine)-1].src.Path
	fail := s.execute(ctx, name, l.interp, func(root *frame) {
		callDiscardsResult(l.interp, root, l.interp.MainPkg().Func("init"), nil, nil)
	})
	if fail == nil {
		return nil
	}
	s.stopSince(before)
	switch fail.Kind {
	case engine.Interrupted:
		fail.Message = fmt.Sprintf("the initialization of %s was stopped: it is not imported", name)
	case engine.Exit:
		fail.Message = fmt.Sprintf("the initialization of %s asked to exit with code %d: it is not imported", name, fail.ExitCode)
	default:
		fail.Message += fmt.Sprintf("; this was in the initialization of %s or of what it imports: it is not imported", name)
	}
	return fail
}

// undo restores the session to its previous state.
func (l *loadCall) undo() {
	s := l.s
	if l.done {
		return
	}
	if l.interp != nil && !l.begun {
		l.interp.UnsafeRelease() // no value has any of the interpreter's types
	}
	for _, m := range l.mine {
		for _, t := range m.local {
			delete(s.nested, t)
		}
		if l.begun {
			continue // goroutines that the package left running may still panic
		}
		s.sources.remove(m.texts...)
		for _, f := range m.files {
			if tf := s.ctx.FileSet.File(f.Package); tf != nil {
				s.ctx.FileSet.RemoveFile(tf)
			}
		}
	}
}

// publish makes the packages known to cells.
func (l *loadCall) publish() {
	s := l.s
	l.tables()
	s.modules.mu.Lock()
	defer s.modules.mu.Unlock()
	byPath, byPackage := map[string]*sourcePackage{}, map[*types.Package]*sourcePackage{}
	maps.Copy(byPath, s.modules.byPath)
	maps.Copy(byPackage, s.modules.byPackage)
	for _, m := range l.mine {
		byPath[m.src.Path], byPackage[m.pkg] = m, m
	}
	s.modules.byPath, s.modules.byPackage = byPath, byPackage
	s.modules.any.Store(true)
	s.modules.order = append(slices.Clone(s.modules.order), l.mine...)
	s.setBuiltin(func(table map[string]reflect.Value) {
		for _, m := range l.mine {
			for name, f := range m.table.Funcs {
				table[m.src.Path+"."+name] = f
			}
		}
	})
}

// setBuiltin changes the table of functions that programs call in place of others (s.builtin). It calls change(m),
// where m is a copy of the table. Programs built from now on use the copy.
func (s *Session) setBuiltin(change func(map[string]reflect.Value)) {
	table := maps.Clone(s.builtin)
	change(table)
	s.builtin = table
}

// fileName returns the name under which positions and messages mention a file of the package src.
func fileName(src engine.Source, file string) string {
	root := src.Module
	if root == "" {
		root = src.Path
	}
	if src.Version != "" {
		root += "@" + src.Version
	}
	rel := ""
	if len(src.Path) > len(src.Module) && src.Module != "" && src.Path[:len(src.Module)] == src.Module {
		rel = src.Path[len(src.Module):]
	}
	return path.Join(root, rel, file)
}

// living returns the goroutines that run code of cells.
func (s *stopper) living() map[*goroutine]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.all)
}

// stopSince ends all goroutines except those in before.
func (s *Session) stopSince(before map[*goroutine]bool) {
	s.stop.mu.Lock()
	var list []*goroutine
	for g := range s.stop.all {
		if !before[g] {
			s.stop.tell(g, interrupted)
			list = append(list, g)
		}
	}
	s.stop.raise(1)
	s.stop.mu.Unlock()
	for _, g := range list {
		left := newReprieve(firstMoment)
		waitEnd(g, &left)
	}
	s.stop.settle()
}

// moduleOf returns the package run from source to which o belongs, even if that package has been unloaded since. It
// returns nil if o belongs to another package.
func (s *Session) moduleOf(o types.Object) *sourcePackage {
	p := o.Pkg()
	if p == nil || len(s.modules.byPackage) == 0 {
		return nil
	}
	return s.modules.byPackage[p]
}

// isGeneric reports whether an object has type parameters.
func isGeneric(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return o.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		switch t := o.Type().(type) {
		case *types.Named:
			return t.TypeParams().Len() > 0
		case *types.Alias:
			return t.TypeParams().Len() > 0
		}
	}
	return false
}

// A moduleImports is the importer with which packages that are run from source are type-checked. It finds other
// packages that are run from source, and compiled packages.
type moduleImports struct {
	l     *loadCall
	paths map[string]string // see engine.Source.ImportMap
}

func (i moduleImports) Import(path string) (*types.Package, error) {
	if to := i.paths[path]; to != "" {
		path = to
	}
	switch {
	case path == "unsafe":
		return types.Unsafe, nil
	case i.l.byPath[path] != nil:
		return i.l.byPath[path].pkg, nil
	}
	s := i.l.s
	if m := s.modules.byPath[path]; m != nil {
		return m.pkg, nil
	}
	if path == hostPath {
		return s.host.pkg, nil
	}
	if _, ok := ixgo.LookupPackage(path); !ok {
		return nil, fmt.Errorf("package %s is neither built into this kernel nor run from source", path)
	}
	return s.ctx.Importer.Import(path)
}
