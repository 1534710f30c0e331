package ixengine

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"time"

	"overcomplete/kernel/engine"
)

// checkedProgram is a type-checked program.
type checkedProgram struct {
	file   *ast.File
	pkg    *types.Package
	info   *types.Info
	faults []types.Error
	inner  []*types.Named // instances of generic types that occur only in instances of generic code
}

// check type-checks file as package main, and returns the program with its faults. Unused variables and imports, which
// Go forbids, are not faults, because a notebook may have them. An unused label is a fault, because such a label is
// usually a keyword of another language, for example try:.
func (s *Session) check(file *ast.File) *checkedProgram {
	c := &checkedProgram{file: file, pkg: types.NewPackage("main", "main"), info: newInfo()}
	conf := &types.Config{
		Importer: s.importer,
		Sizes:    sizes,
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || e.Soft && (strings.Contains(e.Msg, "declared and not used") && !strings.HasPrefix(e.Msg, "label ") || strings.Contains(e.Msg, "imported and not used") ||
				strings.Contains(e.Msg, "imported as") && strings.Contains(e.Msg, "not used") || strings.HasSuffix(e.Msg, "missing function body")) {
				return
			}
			c.faults = append(c.faults, e)
		},
	}
	s.mention(file)
	types.NewChecker(conf, s.ctx.FileSet, c.pkg, c.info).Files([]*ast.File{file})
	s.wholeImports(c)
	return c
}

func newInfo() *types.Info {
	return &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Scopes:     map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
	}
}

// numberNested numbers the types that c declares in functions, in source order. The interpreter needs these numbers;
// see newInterp.
func (s *Session) numberNested(c *checkedProgram) {
	maps.DeleteFunc(s.nested, func(t *types.Named, _ int) bool { return isMain(t.Obj()) })
	for i, t := range localTypes(c.info) {
		s.nested[t] = i + 1
	}
}

// localTypes returns the types declared in functions, in source order.
func localTypes(info *types.Info) (list []*types.Named) {
	for n, scope := range info.Scopes {
		switch n.(type) {
		case *ast.BlockStmt, *ast.FuncType, *ast.CaseClause, *ast.CommClause:
			for _, name := range scope.Names() {
				if o, ok := scope.Lookup(name).(*types.TypeName); ok && !o.IsAlias() {
					if t, ok := o.Type().(*types.Named); ok { // false for a type parameter
						list = append(list, t)
					}
				}
			}
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Obj().Pos() < list[j].Obj().Pos() })
	return list
}

// within reports whether pos lies in n.
func within(pos token.Pos, n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }

// syntaxError converts the parser's errors to an error for the user.
func (s *Session) syntaxError(err error) *engine.Error {
	e := &engine.Error{Kind: engine.Syntax, Message: err.Error()}
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return e
	}
	for _, f := range list {
		s.addFault(e, f.Pos, f.Msg)
		e.Hints[len(e.Hints)-1] = s.syntaxHint(f)
	}
	return e
}

// typeError converts faults, the type checker's errors, to one error for the user. The program c in which they were
// found may be nil.
func (s *Session) typeError(c *checkedProgram, faults []types.Error) *engine.Error {
	e := &engine.Error{Kind: engine.Type}
	const enough = 10
	var last token.Pos
	for _, f := range faults {
		if strings.HasPrefix(f.Msg, "\t") && len(e.Faults) > 0 {
			s.continueFault(e, f)
			continue
		}
		if !f.Pos.IsValid() { // the error is in a declaration added by the session
			e.Message = tidy(f.Msg)
			continue
		}
		if len(e.Faults) == enough {
			break
		}
		if f.Pos == last {
			continue // a consequence of another error, for example for the second result of a call
		}
		last = f.Pos
		s.addFault(e, s.ctx.FileSet.Position(f.Pos), f.Msg)
		e.Hints[len(e.Hints)-1] = tidy(s.hint(c, f))
	}
	switch {
	case len(e.Faults) > 0:
		e.Message = e.Faults[0]
	case e.Message == "":
		e.Message = "the cell does not type-check"
	}
	return e
}

// fault returns an error like those of the type checker, for a mistake at pos that the session itself has found.
func (s *Session) fault(pos token.Pos, format string, args ...any) *engine.Error {
	return s.typeError(nil, []types.Error{{Fset: s.ctx.FileSet, Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

func (s *Session) addFault(e *engine.Error, p token.Position, msg string) {
	msg = tidy(msg)
	if len(e.Faults) == 0 {
		e.Message = msg
	}
	e.Faults = append(e.Faults, msg)
	e.Hints = append(e.Hints, "")
	line, _ := s.sources.line(p.Filename, p.Line)
	e.Frames = append(e.Frames, engine.Frame{Cell: p.Filename, Line: p.Line, Col: p.Column, Source: line})
}

// continueFault adds to e's last fault the text of f. Package go/types continues a message in a second error, which
// begins with a tab and has a position of its own.
func (s *Session) continueFault(e *engine.Error, f types.Error) {
	last := len(e.Faults) - 1
	e.Faults[last] += ";" + strings.Replace(f.Msg, "\t", " ", 1)
	switch p := s.ctx.FileSet.Position(f.Pos); {
	case p.Filename != e.Frames[last].Cell:
		e.Faults[last] += fmt.Sprintf(" in %s, line %d", p.Filename, p.Line)
	case p.Line != e.Frames[last].Line:
		e.Faults[last] += fmt.Sprintf(" in line %d", p.Line)
	}
}

// tidy removes from a message those parts of names, such as the prefix main., that exist only in the program composed
// for a cell.
func tidy(msg string) string {
	msg = strings.NewReplacer(oldSuffix, "", newSuffix, "", againSuffix, "", dotted, "").Replace(msg)
	msg = strings.ReplaceAll(msg, hostName+".", "")
	return strings.ReplaceAll(msg, "main.", "")
}

// vetted is the name of cells that are checked and not run.
const vetted = "(check)"

// Check checks a cell without running it; see engine.Checker. It waits for queries and for other checks, but not for a
// cell.
func (s *Session) Check(cell engine.Cell) (fault *engine.Error, ok bool) {
	for begin := time.Now(); !s.introspection.running.TryLock(); time.Sleep(time.Millisecond) {
		if s.stop.inCell() || time.Since(begin) > time.Second {
			return nil, false
		}
	}
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	base, lastID := s.ctx.FileSet.Base(), s.lastID
	defer func() {
		if p := recover(); p != nil {
			fault, ok = internalError(p, debug.Stack()), true
		}
		s.lastID = lastID
		s.sources.remove(vetted)
		var files []*token.File
		s.ctx.FileSet.Iterate(func(f *token.File) bool {
			if f.Base() >= base {
				files = append(files, f)
			}
			return true
		})
		for _, f := range files {
			s.ctx.FileSet.RemoveFile(f)
		}
	}()
	cell.Name = vetted
	_, fault = s.typeCheck(cell)
	return fault, true
}

// Uses tells what a cell uses; see engine.Keeper.
func (s *Session) Uses(cell engine.Cell) (u engine.Uses, err error) {
	defer catchOwn(&err)
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	c, fail := s.typeCheck(cell)
	if fail != nil {
		return u, fail
	}
	reads, imports := map[string]bool{}, map[string]bool{}
	for _, v := range c.reach.vars {
		if s.env.vars[v.name] == v {
			reads[v.name] = true
		} else {
			u.Declares = append(u.Declares, v.name)
		}
	}
	for name := range c.program.oldVars {
		reads[name] = true
	}
	for _, name := range c.reach.imports {
		imports[c.program.env.imports[name]] = true
	}
	for path := range c.program.env.dots {
		imports[path] = true
	}
	for _, d := range c.reach.decls {
		u.Code = append(u.Code, s.sourceOf(d))
	}
	slices.Sort(u.Declares)
	u.Imports, u.Reads = slices.Sorted(maps.Keys(imports)), slices.Sorted(maps.Keys(reads))
	return u, nil
}

// Declare declares a cell's names; see engine.Keeper.
func (s *Session) Declare(cell engine.Cell) (err error) {
	defer catchOwn(&err)
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	if _, fail := s.prepare(cell); fail != nil {
		return fail
	}
	return nil
}
