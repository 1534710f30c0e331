package ixengine

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
)

// A debugger's expression is a program like that of a cell. The variables of the frame become package
// variables with names that no other code uses, at the addresses of the frame's variables. The type checker
// decides what the names mean: a first program has the expression in a block that declares the frame's names;
// then the identifiers that refer to them are renamed.

const evalName = "debugger"

// compiledExpr is an expression that is ready to run.
type compiledExpr struct {
	interp *ixgo.Interp
	types  []string // types of its values

	// mu is locked while the expression runs.
	mu     sync.Mutex
	values []any
	vars   []any // addresses of the program's own variables that are not bound to a frame's variables
	fault  *engine.Error
}

// A frameVar is a variable that an expression may mention.
type frameVar struct {
	name string
	typ  types.Type
	addr any // nil if the program has its own variable in place of the frame's
}

func localName(i int) string { return fmt.Sprintf("local__%d", i) }

// compile builds the given text, which may mention the variables in vars. The text must be an expression or, if isExpr
// is false, an expression or a simple statement.
func (s *Session) compile(vars []frameVar, text string, isExpr bool) (c *compiledExpr, fail *engine.Error) {
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	defer func() {
		s.localTypes = nil
		if p := recover(); p != nil {
			c, fail = nil, internalError(p, nil)
		}
	}()
	s.sources.set(evalName, text)
	tree, err := cellsyntax.ParseText(s.ctx.FileSet, evalName, magic.Read(text))
	if err != nil {
		return nil, s.syntaxError(err)
	}
	st, fail := s.simpleStatement(tree, isExpr)
	if fail != nil {
		return nil, fail
	}
	instrument(st)

	// Keep only the variables that the text may mention.
	refs := refsOf(st)
	vars = slices.Clone(vars)
	for i := range vars {
		if !refs[vars[i].name] {
			vars[i].name = ""
		}
	}
	p := &program{env: s.env.clone(), bound: map[string]any{}}
	p.oldVars, p.oldImports = map[string]*variable{}, map[string]string{}
	s.predeclare(p.env, nil, []ast.Stmt{st})
	locals := s.declareLocalTypes(p, vars)
	var block []ast.Stmt
	for _, l := range locals {
		if refs[l.Obj().Name()] {
			alias := &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{&ast.TypeSpec{Name: ident(l.Obj().Name()), Assign: 1, Type: ident(s.localTypes[l])}}}
			block = append(block, &ast.DeclStmt{Decl: alias})
		}
	}
	for i, v := range vars {
		if v.name == "" {
			continue
		}
		p.extra = append(p.extra, varDecl(localName(i), s.typeExpr(v.typ)))
		if v.addr != nil {
			p.bound[localName(i)] = v.addr
		}
		block = append(block, &ast.AssignStmt{Lhs: []ast.Expr{ident(v.name)}, Tok: token.DEFINE, Rhs: []ast.Expr{ident(localName(i))}})
	}
	p.body = []ast.Stmt{&ast.BlockStmt{List: append(block, st)}}
	expr, _ := st.(*ast.ExprStmt)
	checkedFirst, _, fail := s.checkProgram(p, func(f types.Error) bool {
		return expr != nil && within(f.Pos, expr.X) && strings.HasSuffix(f.Msg, "is not used")
	})
	if fail != nil {
		return nil, fail
	}
	s.renameLocals(st, checkedFirst, vars)

	c = &compiledExpr{}
	b := &builtCell{}
	p.body = []ast.Stmt{st}
	p.hostFuncs = map[string]any{"Result": func(values ...any) { c.values = b.worthShowing(values) }}
	if expr != nil {
		s.wrapResult(p, b, checkedFirst, expr.X)
	}
	check, r, fail := s.checkProgram(p, nil)
	if fail != nil {
		return nil, fail
	}
	pins := s.loader.snapshot()
	if hidden := s.instances(check); len(hidden) > 0 {
		p.extra = append(p.extra, hidden...)
		if check, r, fail = s.checkProgram(p, nil); fail != nil {
			s.loader.restore(pins)
			return nil, fail
		}
	}
	if fail := s.linkBound(b, p, check, r, vars); fail != nil {
		s.loader.restore(pins)
		return nil, fail
	}
	c.interp, c.types = b.interp, b.resultTypes
	c.vars = make([]any, len(vars))
	for i := range vars {
		c.vars[i], _ = b.interp.GetVarAddr(localName(i))
	}
	return c, nil
}

// simpleStatement returns the only statement of tree. If isExpr is true, the statement must be an expression;
// otherwise it may also be another simple statement that declares no variables. simpleStatement returns an error if
// tree holds anything else.
func (s *Session) simpleStatement(tree *cellsyntax.Tree, isExpr bool) (ast.Stmt, *engine.Error) {
	fault := func(text string) *engine.Error { return &engine.Error{Kind: engine.Syntax, Message: text} }
	if len(tree.Imports)+len(tree.Decls) > 0 {
		return nil, fault("a debugger takes an expression or a simple statement; declare in a cell")
	}
	if len(tree.Stmts) != 1 {
		return nil, fault("a debugger takes one expression or simple statement")
	}
	st := tree.Stmts[0]
	switch x := st.(type) {
	case *ast.ExprStmt:
		return st, nil
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE {
			return nil, fault("a variable can be declared only in a cell; assign with =")
		}
	case *ast.IncDecStmt, *ast.SendStmt:
	default:
		return nil, fault("a debugger takes an expression or a simple statement, such as x = 3 or s[0]++")
	}
	if isExpr {
		return nil, fault("this must be an expression")
	}
	return st, nil
}

// declareLocalTypes finds the types that are declared inside functions and occur in the types of vars. It declares
// these types in the program under other names, and returns them.
func (s *Session) declareLocalTypes(p *program, vars []frameVar) (locals []*types.Named) {
	s.localTypes = map[*types.Named]string{}
	var add func(t types.Type)
	add = func(t types.Type) {
		walkNamed(t, func(n *types.Named) {
			if !isMain(n.Obj()) || isTopLevel(n) || s.localTypes[n] != "" {
				return
			}
			s.localTypes[n] = fmt.Sprintf("localtype__%d", len(locals))
			locals = append(locals, n)
			add(n.Underlying())
		})
	}
	for _, v := range vars {
		if v.name != "" {
			add(v.typ)
		}
	}
	for _, n := range locals {
		text := s.typeExpr(n.Underlying())
		if st, ok := n.Underlying().(*types.Struct); ok { // so that its fields belong to the program
			text = s.spelt(st)
		}
		spec := &ast.TypeSpec{Name: ident(s.localTypes[n]), Type: text}
		p.extra = append(p.extra, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{spec}})
	}
	return locals
}

// renameLocals renames identifiers in st. Variables of the frame, and types that are declared in functions, get the
// names that the program uses for them.
func (s *Session) renameLocals(st ast.Stmt, c *checkedProgram, vars []frameVar) {
	localTypes := map[string]string{}
	for n, name := range s.localTypes {
		localTypes[n.Obj().Name()] = name
	}
	ast.Inspect(st, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := c.info.Uses[id]
		if o == nil || o.Pos().IsValid() || o.Pkg() != c.pkg || o.Parent() == nil || o.Parent() == c.pkg.Scope() {
			return true
		}
		if _, isType := o.(*types.TypeName); isType && localTypes[id.Name] != "" {
			id.Name = localTypes[id.Name]
			return true
		}
		for i, v := range vars {
			if v.name == id.Name {
				if _, isVar := o.(*types.Var); isVar {
					id.Name = localName(i)
					break
				}
			}
		}
		return true
	})
}

// linkBound links a program, and binds its variables to the given variables of a frame. Variables of the frame that
// have no address are not bound.
func (s *Session) linkBound(b *builtCell, p *program, c *checkedProgram, r reach, vars []frameVar) *engine.Error {
	if fail := s.link(b, p, c, r); fail != nil {
		return fail
	}
	// If a variable's type in the program differs from its type in the frame, read its memory as the
	// program's type.
	again := false
	for i, v := range vars {
		name := localName(i)
		if v.addr == nil || v.name == "" {
			continue
		}
		got, ok := b.interp.GetVarAddr(name)
		if !ok {
			continue
		}
		have, want := reflect.ValueOf(v.addr), reflect.TypeOf(got)
		if have.Type() == want {
			continue
		}
		if !sameLayout(want.Elem(), have.Type().Elem()) {
			return &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("%s has a type that was declared again since: %s", v.name, shortType(v.typ))}
		}
		p.bound[name] = reflect.NewAt(want.Elem(), have.UnsafePointer()).Interface()
		again = true
	}
	if again {
		return s.link(b, p, c, r)
	}
	return nil
}

// run executes c in the calling goroutine, in calls below root, and returns the values of the expression. The caller
// holds c.mu.
func (c *compiledExpr) run(root *frame) []any {
	c.values = nil
	setField(unsafe.Pointer(root), layout.interp, c.interp)
	callDiscardsResult(c.interp, root, c.interp.MainPkg().Func(cellFunc), nil, nil)
	return c.values
}

// runUnheld runs body, a function that executes code of cells, in a goroutine that the debugger does not stop.
func (s *Session) runUnheld(ctx context.Context, body func(root *frame)) *engine.Error {
	run := &cellRun{cell: evalName, crashes: make(chan crash, 1), evaluating: true}
	g := &goroutine{run: run, main: true, cell: evalName}
	s.stop.add(g, nil)
	done := s.start(g, nil, body)
	defer func() {
		s.stop.mu.Lock()
		run.ended = true
		stopped := run.why != ""
		s.stop.mu.Unlock()
		if stopped {
			s.stop.settle()
		}
	}()
	fail, _ := s.await(ctx, g, done, nil)
	return fail
}

// A heldRead is a request that reads the variables of stopped code. It ends before that code continues.
type heldRead struct {
	vars []frameVar // variables of its frame
	ctx  context.Context
	hold *hold // nil if execution is not stopped
	end  func()
}

// read begins a heldRead of the variables in the frame with the given id. If id is 0, there is no frame, and the
// heldRead has no variables. When the caller has finished reading, it must call the heldRead's end().
func (d *debugger) read(ctx context.Context, id engine.FrameID) (*heldRead, *engine.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &heldRead{ctx: ctx, hold: d.held, end: func() {}}
	if id != 0 {
		f, err := d.frame(id)
		if err != nil {
			return nil, &engine.Error{Kind: engine.Internal, Message: err.Error()}
		}
		r.vars = f.vars()
	}
	if r.hold != nil {
		held, cancel := context.WithCancel(ctx)
		unhook := context.AfterFunc(r.hold.ctx, cancel)
		done := d.reader(r.hold)
		r.ctx, r.end = held, func() {
			unhook()
			cancel()
			done()
		}
	}
	return r, nil
}

// run calls body, a function that reads variables of stopped code, as part of the request r. If the code continues,
// body is aborted, and the error says so.
func (d *debugger) run(r *heldRead, body func(root *frame)) *engine.Error {
	fail := d.s.runUnheld(r.ctx, body)
	if fail != nil && r.hold != nil && r.hold.released() {
		fail.Message = "the expression has not ended before its cell went on"
	}
	return fail
}

func (f *heldFrame) vars() (vars []frameVar) {
	for _, v := range f.site.vars {
		if x := v.value(f.fr); x.IsValid() {
			vars = append(vars, frameVar{v.name, v.typ, x.Addr().Interface()})
		}
	}
	return vars
}

// Eval evaluates an expression in a frame; see engine.Debug.
func (d *debugger) Eval(ctx context.Context, id engine.FrameID, text string) ([]engine.Value, error) {
	r, fail := d.read(ctx, id)
	if fail != nil {
		return nil, fail
	}
	defer r.end()
	c, fail := d.s.compile(r.vars, text, false)
	if fail != nil {
		return nil, fail
	}
	var values []any
	if fail := d.run(r, func(root *frame) { values = c.run(root) }); fail != nil {
		return nil, fail
	}
	return withTypes(values, c.types), nil
}

// Assign assigns the value of an expression to a variable; see engine.Debug.
func (d *debugger) Assign(ctx context.Context, id engine.FrameID, to reflect.Value, text string) error {
	wrong := func(format string, args ...any) error {
		return &engine.Error{Kind: engine.Type, Message: fmt.Sprintf(format, args...)}
	}
	if !to.IsValid() || !to.CanAddr() {
		return wrong("this value cannot be changed")
	}
	r, fail := d.read(ctx, id)
	if fail != nil {
		return fail
	}
	defer r.end()
	vars := r.vars
	if !to.CanInterface() {
		to = reflect.NewAt(to.Type(), to.Addr().UnsafePointer()).Elem()
	}
	typ, ok := d.s.typeOf(to.Type())
	if ok {
		// The value is converted as in an assignment.
		vars = append(slices.Clone(vars), frameVar{assigned, typ, to.Addr().Interface()})
		c, fail := d.s.compile(vars, assigned+" = "+text, false)
		if fail != nil {
			return fail
		}
		if fail := d.run(r, func(root *frame) { c.run(root) }); fail != nil {
			return fail
		}
		return nil
	}
	c, fail := d.s.compile(vars, text, true)
	if fail != nil {
		return fail
	}
	var values []any
	if fail := d.run(r, func(root *frame) { values = c.run(root) }); fail != nil {
		return fail
	}
	if len(values) != 1 {
		return wrong("%s has %d values", text, len(values))
	}
	v := reflect.ValueOf(values[0])
	switch {
	case !v.IsValid() && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Interface, reflect.Chan}, to.Kind()):
		to.SetZero()
	case v.IsValid() && v.Type().AssignableTo(to.Type()):
		to.Set(v)
	case v.IsValid() && v.Type().ConvertibleTo(to.Type()) && v.CanConvert(to.Type()) && (v.Kind() == reflect.String) == (to.Kind() == reflect.String):
		to.Set(v.Convert(to.Type()))
	default:
		return wrong("%s has type %s and cannot be assigned to a %v", text, c.types[0], to.Type())
	}
	return nil
}

// assigned is the name of the variable that Assign assigns to.
const assigned = "assigned__"

// typeOf returns the types.Type that corresponds to the runtime type rt, and whether it is known.
func (s *Session) typeOf(rt reflect.Type) (types.Type, bool) {
	switch rt.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.String:
		if rt.PkgPath() == "" {
			for _, t := range types.Typ {
				if t.Name() == rt.Name() {
					return t, true
				}
			}
		}
	case reflect.Slice:
		if rt.PkgPath() == "" {
			if e, ok := s.typeOf(rt.Elem()); ok {
				return types.NewSlice(e), true
			}
		}
	case reflect.Pointer:
		if rt.PkgPath() == "" {
			if e, ok := s.typeOf(rt.Elem()); ok {
				return types.NewPointer(e), true
			}
		}
	case reflect.Map:
		if rt.PkgPath() == "" {
			k, ok := s.typeOf(rt.Key())
			e, ok2 := s.typeOf(rt.Elem())
			if ok && ok2 {
				return types.NewMap(k, e), true
			}
		}
	case reflect.Interface:
		if rt.PkgPath() == "" && rt.NumMethod() == 0 {
			return types.Universe.Lookup("any").Type(), true
		}
	}
	return nil, false
}
