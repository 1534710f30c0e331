package ixengine

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
)

// This file decides which functions run in debug form: functions with a breakpoint; their possible callers,
// so that each frame of the stack has its variables; functions that a step may enter; and all functions while
// the debugger stops at panics. Programs built in the meantime contain the debug forms in place of the
// functions. Code built before calls the debug forms through the hooks, as it calls any newer version of a
// function.

// An armedFunc is a function whose hooks point to its debug form. Code that was built earlier then calls the debug
// form, in which execution can stop at statements.
type armedFunc struct {
	of, form *decl
	before   map[string]unsafe.Pointer // previous values of the hooks, by name
}

// shortName returns the name by which code mentions a function or a method: without the receiver's type.
func shortName(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// A concern says which functions, and the statements of which cells, must be in debug form.
type concern struct {
	all   bool
	names map[string]bool // names of functions, as in decl.names
	cells map[string]bool // sources with breakpoints in the cell's own statements
}

// concern returns what must be in debug form in a session with the env e.
func (d *debugger) concern(e *env) concern {
	c := concern{names: map[string]bool{}, cells: map[string]bool{}}
	d.mu.Lock()
	c.all = d.filter != engine.NoPanics
	for name := range d.stepIn {
		c.names[name] = true
	}
	for source, list := range d.points {
		for _, b := range list {
			if b.fn == "" {
				c.cells[source] = true
			} else if f := e.decls[b.fn]; f != nil && f.source == source {
				c.names[b.fn] = true
			}
		}
	}
	d.mu.Unlock()
	mentions := map[string]bool{}
	for name := range c.names {
		mentions[shortName(name)] = true
	}
	for again := c.all || len(c.names) > 0; again; {
		again = false
		for name, f := range e.decls {
			if f.node == nil || c.names[name] || !isFormable(f) {
				continue
			}
			if c.all || anyOf(f.refs, mentions) {
				c.names[name] = true
				mentions[shortName(name)] = true
				again = true
			}
		}
	}
	return c
}

func isFormable(f *decl) bool {
	fn, ok := f.node.(*ast.FuncDecl)
	return ok && fn.Body != nil
}

func anyOf(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// inForm returns the functions that must be in debug form, with their debug forms. These are functions of e, and init
// functions of the cell that is being built, whose declarations are in own. isFormed reports whether the cell's
// statements, which are in body, must be in debug form; the cell's text is source. The caller holds the mutex called
// building.
func (s *Session) inForm(e *env, source string, own []*decl, body []ast.Stmt) (forms map[*decl]*decl, isFormed bool) {
	d := s.debug.now.Load()
	if d == nil {
		return nil, false
	}
	c := d.concern(e)
	if !c.all && len(c.names) == 0 && len(c.cells) == 0 {
		return nil, false
	}
	forms = s.formsOf(e, c.names)
	for _, f := range own { // init functions are not in e
		if f.isInit() && (c.all || anyOf(f.refs, shortNames(c.names))) {
			if form := s.form(f); form != nil {
				forms[f] = form
			}
		}
	}
	isFormed = c.all || c.cells[source]
	short := shortNames(c.names)
	for _, st := range body {
		isFormed = isFormed || anyOf(refsOf(st), short)
	}
	return forms, isFormed
}

func shortNames(names map[string]bool) map[string]bool {
	short := map[string]bool{}
	for name := range names {
		short[shortName(name)] = true
	}
	return short
}

func (s *Session) formsOf(e *env, names map[string]bool) map[*decl]*decl {
	forms := map[*decl]*decl{}
	for name := range names {
		if f := e.decls[name]; f != nil && isFormable(f) {
			if form := s.form(f); form != nil {
				forms[f] = form
			}
		}
	}
	return forms
}

// form returns the debug form of a function, or nil if it has none.
func (s *Session) form(f *decl) *decl {
	if form, ok := s.debug.forms[f]; ok {
		return form
	}
	if s.debug.forms == nil {
		s.debug.forms = map[*decl]*decl{}
	}
	s.debug.forms[f] = nil
	tree, err := cellsyntax.ParseText(s.ctx.FileSet, f.cell, magic.Read(magic.Blank(f.source, nil)))
	if err != nil {
		return nil
	}
	for _, n := range tree.Decls {
		fn, ok := n.(*ast.FuncDecl)
		if !ok || funcKey(fn) != f.names[0] || s.ctx.FileSet.Position(fn.Pos()).Line != s.ctx.FileSet.Position(f.node.Pos()).Line {
			continue
		}
		form := *f
		s.lastID++
		form.id = s.lastID
		if f.isInit() {
			fn.Name = f.initName()
		}
		(&former{s, f.source}).function(fn)
		instrument(fn)
		form.node, form.hook, form.hookDecl = fn, "", nil
		form.refs = maps.Clone(f.refs)
		form.refs[hostName] = true
		if canHook(fn) {
			form.hook = fmt.Sprintf("hook__%d", form.id)
			form.hookDecl = addHook(fn, form.hook)
		}
		s.debug.forms[f] = &form
		return &form
	}
	return nil
}

// rearm makes code that is already built call the debug forms of exactly those functions that d now needs in
// debug form. It returns error messages, keyed by source.
func (s *Session) rearm(d *debugger) map[string]string {
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	if s.debug.now.Load() != d {
		return nil
	}
	if s.debug.armed == nil {
		s.debug.armed = map[string]*armedFunc{}
	}
	names := map[string]bool{}
	d.mu.Lock()
	isDetached := d.detached
	d.mu.Unlock()
	if !isDetached {
		names = d.concern(s.env).names
	}
	if len(names) == 0 {
		s.unform()
		return nil
	}
	for name, a := range s.debug.armed {
		now := s.env.decls[name]
		if now == nil || now.id != a.of.id { // a newer version has replaced the function and its hooks
			delete(s.debug.armed, name)
		} else if now != a.of || !names[name] { // the cell has run again, perhaps at other positions
			s.disarm(a)
			delete(s.debug.armed, name)
		}
	}
	var list []*decl
	for name := range names {
		f := s.env.decls[name]
		// A function that is in no program yet needs no hook.
		if f == nil || s.debug.armed[name] != nil || !isFormable(f) || f.hook == "" || !s.linked(f) {
			continue
		}
		if s.form(f) != nil {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *decl) int { return a.id - b.id })
	faults := map[string]string{}
	if s.armAll(list) != nil && len(list) > 1 {
		for _, f := range list {
			if fail := s.armAll([]*decl{f}); fail != nil {
				faults[f.source] = "the function cannot be built for debugging: " + fail.Message
			}
		}
	}
	return faults
}

// linked reports whether a program that has been built contains a version of f with a hook. The debug form of f does
// not count.
func (s *Session) linked(f *decl) bool {
	form := s.debug.forms[f]
	return slices.ContainsFunc(s.hooks[f.names[0]], func(h hook) bool { return form == nil || h.name != form.hook })
}

// armAll builds the debug forms of the functions in list, and points the hooks of all versions of these functions to
// the debug forms.
func (s *Session) armAll(list []*decl) *engine.Error {
	forms := s.formsOf(s.env, s.debugNames())
	var own []*decl
	armed := map[string]*armedFunc{}
	for _, f := range list {
		form := s.form(f)
		forms[f] = form
		own = append(own, form)
		a := &armedFunc{of: f, form: form, before: map[string]unsafe.Pointer{}}
		for _, h := range s.hooks[f.names[0]] {
			if h.name != form.hook {
				a.before[h.name] = *h.word()
			}
		}
		armed[f.names[0]] = a
	}
	if fail := s.linkFunctions(&program{env: s.env, own: own, forms: forms, extra: newVersions(s, own)}); fail != nil {
		return fail
	}
	maps.Copy(s.debug.armed, armed)
	return nil
}

// linkFunctions builds p, a program of functions. It points the hooks of all other versions of these functions to the
// versions in p.
func (s *Session) linkFunctions(p *program) (fail *engine.Error) {
	hidden := s.hidden
	defer func() {
		s.hidden = hidden
		if p := recover(); p != nil {
			fail = internalError(p, nil)
		}
	}()
	c, r, fail := s.checkProgram(p, nil)
	if fail != nil {
		return fail
	}
	pins := s.loader.snapshot()
	if hidden := s.instances(c); len(hidden) > 0 {
		p.extra = append(p.extra, hidden...)
		if c, r, fail = s.checkProgram(p, nil); fail != nil {
			s.loader.restore(pins)
			return fail
		}
	}
	if fail := s.link(&builtCell{}, p, c, r); fail != nil {
		s.loader.restore(pins)
		return fail
	}
	return nil
}

// unform undoes all debug forms: code calls the plain forms of functions again, even if it was built in debug form.
func (s *Session) unform() {
	for _, a := range s.debug.armed {
		s.disarm(a)
	}
	var list []*decl
	for f, form := range s.debug.forms {
		name := f.names[0]
		if form == nil || f.hook == "" || s.env.decls[name] != f {
			continue
		}
		if slices.ContainsFunc(s.hooks[name], func(h hook) bool { return h.name == form.hook }) {
			list = append(list, f)
		}
	}
	clear(s.debug.armed)
	s.debug.forms = nil
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b *decl) int { return a.id - b.id })
	// If one function no longer compiles, leave the other functions in debug form too; they still work
	// correctly.
	if s.linkFunctions(&program{env: s.env, own: list, extra: newVersions(s, list)}) != nil {
		return
	}
	for _, f := range list {
		for _, h := range s.hooks[f.names[0]] {
			if h.name == f.hook {
				h.set(nil)
			}
		}
	}
}

// debugNames returns the names of the armed functions.
func (s *Session) debugNames() map[string]bool {
	names := map[string]bool{}
	for name := range s.debug.armed {
		names[name] = true
	}
	return names
}

// disarm sets the hooks of the armed function a back to their previous values.
func (s *Session) disarm(a *armedFunc) {
	for _, h := range s.hooks[a.of.names[0]] {
		if f, ok := a.before[h.name]; ok {
			h.set(f)
		}
	}
}

// intoCalls puts into debug form the functions that a step of t may enter. These are all functions that are mentioned
// by the function of t's innermost frame, or by the caller of that function. The caller matters because the step may
// return to it.
func (d *debugger) intoCalls(t *thread) {
	refs := map[string]bool{}
	calls := d.s.calls(t)
	for _, fr := range calls[:min(2, len(calls))] { // the statement may return to its caller
		if fn := functionOfFrame(fr); fn != nil {
			mentioned(fn, refs)
		}
	}
	s := d.s
	s.introspection.mu.Lock()
	e := s.env
	s.introspection.mu.Unlock()
	d.mu.Lock()
	for name, f := range e.decls {
		if isFormable(f) && refs[shortName(name)] {
			d.stepIn[name] = true
		}
	}
	d.mu.Unlock()
	s.rearm(d)
}

// mentioned finds the names of the functions and methods that fn mentions, and adds them to names. It may add names of
// other things too.
func mentioned(fn *ssa.Function, names map[string]bool) {
	if node := fn.Syntax(); node != nil {
		for name := range refsOf(node) {
			names[name] = true
		}
		return
	}
	var ops [8]*ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
				names[call.Common().Method.Name()] = true
			}
			for _, op := range in.Operands(ops[:0]) {
				if f, ok := (*op).(*ssa.Function); ok {
					names[f.Name()] = true
				}
			}
		}
	}
}
