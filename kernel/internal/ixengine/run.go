package ixengine

import (
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
)

// Run runs one cell; see engine.Session.
func (s *Session) Run(ctx context.Context, cell engine.Cell) (values []engine.Value, err error) {
	defer catchOwn(&err)
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	defer s.parking.Empty()
	b, fail := s.prepare(cell)
	if fail != nil {
		if above := s.above(cell, fail); above != nil {
			if err := s.runBuilt(ctx, above); err != nil {
				return nil, err
			}
			fail.Ran = true
		}
		return nil, fail
	}
	if fail := s.runBuilt(ctx, b); fail != nil {
		return nil, fail
	}
	return withTypes(b.worthShowing(s.results), b.resultTypes), nil
}

// prepare builds a cell. If the cell has a type error, the session still keeps the cell's imports: they have no effect
// by themselves, and without them every later cell that uses them would fail too.
func (s *Session) prepare(cell engine.Cell) (*builtCell, *engine.Error) {
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	b, fail := s.build(cell)
	if fail != nil && fail.Kind == engine.Type {
		if tree, err := s.parse(cell); err == nil {
			s.keepImports(tree.Imports)
		}
	}
	return b, fail
}

// keepImports adds imports to the session, except those that cannot be imported and those whose names have another
// meaning in the session.
func (s *Session) keepImports(specs []*ast.ImportSpec) {
	next := s.env.clone()
	for _, spec := range specs {
		with := s.env.clone()
		if s.addImport(with, spec) != nil {
			continue
		}
		for name, path := range with.imports {
			if s.env.vars[name] == nil && s.env.decls[name] == nil {
				next.imports[name] = path
			}
		}
	}
	s.setEnv(next)
}

// above builds the cell without its last statement, so that the code above a faulty last expression can run. It does so
// only if the last statement is an expression to show and all faults in fail are in this statement. Otherwise above
// returns nil. It also returns nil if nothing precedes the statement, if the preceding code does not build either, or
// if cell.Source is only a part of a cell with commands, because a command may wrap that part.
func (s *Session) above(cell engine.Cell, fail *engine.Error) *builtCell {
	if fail.Kind != engine.Type || len(fail.Frames) == 0 || cell.Whole != "" {
		return nil
	}
	tree, err := s.parse(cell)
	if err != nil || tree.Silent || len(tree.Stmts) == 0 || len(tree.Stmts) == 1 && len(tree.Decls) == 0 {
		return nil
	}
	last, isExpr := tree.Stmts[len(tree.Stmts)-1].(*ast.ExprStmt)
	if !isExpr {
		return nil
	}
	from, to := s.ctx.FileSet.Position(last.Pos()), s.ctx.FileSet.Position(last.End())
	for _, f := range fail.Frames {
		if f.Cell != from.Filename || f.Line < from.Line || f.Line == from.Line && f.Col < from.Column ||
			f.Line > to.Line || f.Line == to.Line && f.Col >= to.Column {
			return nil
		}
	}
	// Do not show the value of the statement that is now last: in the whole cell it is not the last expression.
	tree.Stmts, tree.Silent = tree.Stmts[:len(tree.Stmts)-1], true
	cell.Tree = tree
	b, fail := s.prepare(cell)
	if fail != nil {
		return nil
	}
	return b
}

// runBuilt runs the statements of a cell.
func (s *Session) runBuilt(ctx context.Context, b *builtCell) *engine.Error {
	fail := s.execute(ctx, b.name, b.interp, func(root *frame) {
		callDiscardsResult(b.interp, root, b.interp.MainPkg().Func(cellFunc), nil, nil)
	})
	if fail != nil {
		s.bringBack(b)
	}
	return fail
}

// A builtCell is a cell that is ready to run; its names are already in the session.
type builtCell struct {
	name        string // the cell's name in positions
	interp      *ixgo.Interp
	resultTypes []string // types of the last expression's values
	prints      bool     // the last expression is a call made for its output; see cellsyntax.Prints
	replaced    []replacement
}

// worthShowing returns the values of the cell's last expression that are shown. A call made for its output shows
// something only if it fails: its byte count and nil error would be noise.
func (b *builtCell) worthShowing(values []any) []any {
	if n := len(values); b.prints && n > 0 && values[n-1] == nil {
		return nil
	}
	return values
}

// withTypes pairs values with the names of their types. A value for which there is no name gets the type any.
func withTypes(values []any, names []string) (list []engine.Value) {
	for i, v := range values {
		typ := "any"
		if i < len(names) {
			typ = names[i]
		}
		list = append(list, engine.Value{Value: v, Type: typ})
	}
	return list
}

// notInCellName matches the characters that a line directive cannot contain.
var notInCellName = regexp.MustCompile(`[\n\r*/:]`)

// nameOf returns a cell's name as it appears in positions.
func nameOf(cell engine.Cell) string {
	if name := notInCellName.ReplaceAllString(cell.Name, "_"); name != "" {
		return name
	}
	return "cell"
}

// Parse parses a cell; see engine.Session.
func (s *Session) Parse(cell engine.Cell) (*cellsyntax.Tree, error) {
	s.introspection.running.Lock()
	defer s.introspection.running.Unlock()
	return s.parse(cell)
}

func (s *Session) parse(cell engine.Cell) (*cellsyntax.Tree, error) {
	return cellsyntax.ParseText(s.ctx.FileSet, nameOf(cell), cell.Read())
}

// A checkedCell is a cell that has been type-checked.
type checkedCell struct {
	*builtCell
	program *program // its env is the session's env after the cell
	checked *checkedProgram
	reach   reach
	changed []*decl // declarations that are new or have changed
}

// typeCheck type-checks a cell. It does not change the session's names.
func (s *Session) typeCheck(cell engine.Cell) (*checkedCell, *engine.Error) {
	name := nameOf(cell)
	s.sources.setPart(name, cell.Source, cell.All())
	tree := cell.Tree
	if tree == nil {
		var err error
		if tree, err = s.parse(cell); err != nil {
			return nil, s.syntaxError(err)
		}
	}
	if strings.Contains(cell.Source, "//go:embed") {
		if fail := s.embeds(name, cell.Read()); fail != nil {
			return nil, fail
		}
	}
	next := s.env.clone()
	for _, spec := range tree.Imports {
		if err := s.addImport(next, spec); err != nil {
			return nil, s.fault(spec.Path.Pos(), "%v", err)
		}
	}
	own := s.newDecls(next, name, tree.Decls)
	if fail := s.declaredTwice(own); fail != nil {
		return nil, fail
	}
	changed := next.declare(own)
	body := s.arrange(next, own, tree)
	forms, isFormed := s.inForm(next, cell.All(), own, body)
	if isFormed {
		body = (&former{s, cell.All()}).cell(body)
	}
	restartLoops(body...)
	for _, st := range body {
		instrument(st)
	}
	if slices.ContainsFunc(body, func(st ast.Stmt) bool { return defersInRange(st) }) {
		body = append([]ast.Stmt{emptyDefer(body[0].Pos())}, body...)
	}
	s.predeclare(next, own, body)

	b := &builtCell{name: name}
	p := &program{env: next, own: own, body: body, forms: forms}
	if len(body) > 0 {
		if fail := s.typeVariables(p, b, name, tree.Silent); fail != nil {
			return nil, fail
		}
	}
	hidden := b.markReplaced(p)
	stmts, zeros := assignments(p.body)
	p.body, p.extra = stmts, slices.Concat(hidden, zeros, newVersions(s, p.inDebugForm(changed)))
	c, r, fail := s.checkProgram(p, nil)
	if fail != nil {
		return nil, fail
	}
	if pos, text := s.memory.tooLargeType(s.ctx.FileSet, c.info); text != "" {
		return nil, s.fault(pos, "%s", text)
	}
	if pos, text := unnamedWithGenericMethod(c); text != "" {
		return nil, s.fault(pos, "%s", text)
	}
	return &checkedCell{b, p, c, r, changed}, nil
}

// build builds a cell and returns it with an interpreter that can run it. If build fails, the session is
// unchanged.
func (s *Session) build(cell engine.Cell) (*builtCell, *engine.Error) {
	checked, fail := s.typeCheck(cell)
	if fail != nil {
		return nil, fail
	}
	b, p, c, r, next, changed := checked.builtCell, checked.program, checked.checked, checked.reach, checked.program.env, checked.changed
	pins := s.loader.snapshot()
	defer func() {
		if s.env != next { // the cell failed: the types that it pinned do not belong in the session
			s.loader.restore(pins)
		}
	}()
	s.unpin(affectedTypes(s.env, next, changed))
	if c, r, fail = s.remake(p, pins, c, r); fail != nil {
		return nil, fail
	}
	if hidden := s.instances(c); len(hidden) > 0 {
		p.extra = append(p.extra, hidden...)
		if c, r, fail = s.checkProgram(p, nil); fail != nil {
			return nil, fail
		}
	}
	if fail := s.link(b, p, c, r); fail != nil {
		return nil, fail
	}
	s.setEnv(next)
	for _, d := range p.own {
		d.linked = s.lastID
	}
	s.loader.note(pins)
	s.carryOver()
	return b, nil
}

// declaredTwice returns an error if a cell declares a name twice. The session would not notice the duplicate,
// because the later declaration wins.
func (s *Session) declaredTwice(own []*decl) *engine.Error {
	seen := map[string]bool{}
	for _, d := range own {
		for _, name := range d.names {
			if name == "_" || name == "init" {
				continue
			}
			if name == "nil" { // instrumented code compares with nil
				return s.fault(d.node.Pos(), "nil cannot be declared at the top level of a cell; give it another name")
			}
			if seen[name] {
				return s.fault(d.node.Pos(), "%s is declared twice in this cell", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// predeclare imports the packages of Options.Predeclared whose names the cell uses, unless a name already has another
// meaning in e.
func (s *Session) predeclare(e *env, own []*decl, body []ast.Stmt) {
	for name, path := range s.opt.Predeclared {
		if e.imports[name] != "" || e.decls[name] != nil || e.vars[name] != nil {
			continue
		}
		used := false
		for _, d := range own {
			used = used || d.refs[name]
		}
		for _, st := range body {
			used = used || refsOf(st)[name]
		}
		if used {
			e.imports[name] = path
		}
	}
}

// typeVariables finds the types of the variables that the cell's statements declare, adds the variables to
// p's env, and turns the last expression into the cell's result. For this it type-checks a program without
// function bodies, because the bodies may mention the variables.
func (s *Session) typeVariables(p *program, b *builtCell, cell string, silent bool) *engine.Error {
	p.bodiless = true
	earlier := maps.Clone(p.env.vars)
	p.extra = arraysForConstants(p)
	var last ast.Expr
	if st, ok := p.body[len(p.body)-1].(*ast.ExprStmt); ok {
		last = st.X
	}
	c, _, fail := s.checkProgram(p, func(f types.Error) bool {
		// Do not report the value of the last expression as unused: it is the cell's result.
		return last != nil && within(f.Pos, last) && strings.HasSuffix(f.Msg, "is not used")
	})
	p.bodiless, p.extra, p.env.vars = false, nil, earlier
	if fail != nil {
		return fail
	}
	if last != nil && silent {
		p.body = dropValue(p.body, last)
	} else if last != nil {
		s.wrapResult(p, b, c, last)
	}
	ownNames := map[string]bool{}
	for _, d := range p.own {
		for _, n := range d.names {
			ownNames[n] = true
		}
	}
	fresh := map[string]*variable{}
	for _, id := range definitions(p.body, c) {
		t := c.info.Defs[id].Type()
		if ownNames[id.Name] {
			return s.fault(id.Pos(), "%s is declared twice in this cell", id.Name)
		}
		if id.Name == "main" || id.Name == "init" {
			return s.fault(id.Pos(), "cannot declare %s - must be func", id.Name) // as Go says
		}
		local := false
		walkNamed(t, func(n *types.Named) { local = local || isMain(n.Obj()) && !isTopLevel(n) })
		if local {
			return s.fault(id.Pos(), "%s has a type that is declared inside a function; declare the type at the top level of a cell", id.Name)
		}
		fresh[id.Name] = &variable{name: id.Name, typ: t, text: types.TypeString(t, nil), cell: cell}
	}
	for name, v := range fresh {
		if old := p.env.vars[name]; old != nil && old.text == v.text && !s.lockInUse(old) {
			v.addr, v.since = old.addr, old.since
		}
	}
	if fail := s.renameOld(p, c, fresh); fail != nil {
		return fail
	}
	for name, v := range fresh {
		mentioned := func(d *decl) bool { return d.refs[name] }
		if old := p.env.vars[name]; old != nil && old.addr != v.addr && !slices.ContainsFunc(p.own, mentioned) {
			b.replaced = append(b.replaced, replacement{old: old, now: v})
		}
		p.env.forget(name)
		p.env.vars[name] = v
	}
	return nil
}

// arraysForConstants returns package-level declarations of some variables of the cell: those that are mentioned in the
// cell's constants or in the array lengths of its types, such as the variable a in const n = len(a), and those that are
// mentioned in turn in the values of these variables. typeVariables needs the declarations because it makes the cell's
// variables local to the function cell__, where package-level constants and types cannot see them. Only the types of
// the variables matter. arraysForConstants also removes variables of earlier cells with the same names from p's env.
func arraysForConstants(p *program) (vars []ast.Decl) {
	mentioned, done := map[string]bool{}, map[string]bool{}
	for _, d := range p.own {
		switch d.tok {
		case token.CONST:
			maps.Copy(mentioned, d.refs)
		case token.TYPE:
			maps.Copy(mentioned, lengthRefs(d.node))
		}
	}
	if len(mentioned) == 0 {
		return nil
	}
	type declared struct {
		id         *ast.Ident
		typ, value ast.Expr // value only if typ is nil
	}
	var all []declared
	for _, st := range p.body {
		for _, spec := range varSpecs(st) {
			for i, id := range spec.Names {
				if spec.Type != nil {
					all = append(all, declared{id, spec.Type, nil})
				} else if len(spec.Values) == len(spec.Names) {
					all = append(all, declared{id, nil, spec.Values[i]})
				}
			}
		}
		if st, ok := st.(*ast.AssignStmt); ok && st.Tok == token.DEFINE && len(st.Lhs) == len(st.Rhs) {
			for i, e := range st.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					all = append(all, declared{id, nil, st.Rhs[i]})
				}
			}
		}
	}
	add := func(id *ast.Ident, typ, value ast.Expr) {
		if !mentioned[id.Name] || done[id.Name] || typ == nil && refsOf(value)[id.Name] {
			return
		}
		delete(p.env.vars, id.Name)
		done[id.Name] = true
		spec := &ast.ValueSpec{Names: []*ast.Ident{{Name: id.Name, NamePos: id.NamePos}}, Type: typ}
		if typ == nil {
			spec.Values = []ast.Expr{value}
			maps.Copy(mentioned, refsOf(value)) // as in a := [...]int{b}
		}
		vars = append(vars, varDeclOf(spec))
	}
	for before := -1; before < len(vars); {
		before = len(vars)
		for _, v := range all {
			add(v.id, v.typ, v.value)
		}
	}
	return vars
}

// lengthRefs returns every name that may occur in the length of an array type in n.
func lengthRefs(n ast.Node) map[string]bool {
	refs := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
			maps.Copy(refs, refsOf(a.Len))
		}
		return true
	})
	return refs
}

// renameOld preserves the previous meaning of names that the cell's statements use and redefine: in x :=
// fmt.Sprint(x), where x was an int, the second x becomes x__old, and in max := max(3, 4) the first max
// becomes max__new.
func (s *Session) renameOld(p *program, c *checkedProgram, fresh map[string]*variable) *engine.Error {
	p.oldVars, p.oldImports = map[string]*variable{}, map[string]string{}
	isSelected := map[*ast.Ident]bool{}
	for _, st := range p.body {
		ast.Inspect(st, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				isSelected[sel.Sel] = true
			}
			return true
		})
	}
	renamed := map[*variable]bool{}
	for id, obj := range c.info.Uses {
		v := fresh[id.Name]
		if v == nil || !slices.ContainsFunc(p.body, func(st ast.Stmt) bool { return within(id.Pos(), st) }) {
			continue
		}
		switch obj := obj.(type) {
		case *types.PkgName:
			p.oldImports[id.Name] = obj.Imported().Path()
			id.Name += oldSuffix
		case *types.Var:
			if obj.Parent() != c.pkg.Scope() {
				continue // the identifier refers to a local variable
			}
			old := p.env.vars[v.name]
			if old == nil || old.text == v.text && old.addr == v.addr {
				continue // an assignment to the same variable
			}
			p.oldVars[v.name] = old
			id.Name += oldSuffix
		default:
			if obj.Parent() == nil || isSelected[id] {
				continue // a field or a method, or a package's member
			}
			if obj.Parent() != c.pkg.Scope() && obj.Parent() != types.Universe && obj.Parent() != obj.Pkg().Scope() {
				continue // the identifier refers to a local variable
			}
			old := p.env.decls[v.name]
			ofCell := old != nil && !old.isFunc() || slices.ContainsFunc(p.own, func(d *decl) bool { return d.refs[v.name] })
			if _, isType := obj.(*types.TypeName); isType || ofCell {
				return s.fault(id.Pos(), "%s is used here and declared as a variable in the same cell; give the variable another name", id.Name)
			}
			if old != nil {
				p.kept = append(p.kept, old)
			}
			renamed[v] = true
		}
	}
	if len(renamed) == 0 {
		return nil
	}
	// A function or a builtin keeps its name in this program; the variable is renamed.
	p.renamed = map[*variable]bool{}
	isFresh := map[types.Object]*variable{}
	for _, id := range definitions(p.body, c) {
		if v := fresh[id.Name]; renamed[v] {
			p.renamed[v], isFresh[c.info.Defs[id]] = true, v
			id.Name += newSuffix
		}
	}
	for id, obj := range c.info.Uses {
		if isFresh[obj] != nil {
			id.Name += newSuffix
		}
	}
	return nil
}

// wrapResult turns the last expression e into oc__.Result(e), unless e has no value. It also
// records in b the types of the values, and whether e is a call made for its output.
func (s *Session) wrapResult(p *program, b *builtCell, c *checkedProgram, e ast.Expr) {
	tv := c.info.Types[e]
	if tv.IsVoid() || tv.Type == nil {
		return
	}
	b.prints = cellsyntax.Prints(c.info, e)
	switch t := tv.Type.(type) {
	case *types.Tuple:
		for v := range t.Variables() {
			b.resultTypes = append(b.resultTypes, shortType(v.Type()))
		}
	default:
		b.resultTypes = []string{shortType(types.Default(t))}
	}
	if text, ok := hugeConstant(tv); ok {
		e = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(text)}
		b.resultTypes = []string{"untyped int"}
	}
	p.body = slices.Clone(p.body)
	p.body[len(p.body)-1] = &ast.ExprStmt{X: &ast.CallExpr{Fun: hostSel("Result"), Args: []ast.Expr{e}}}
}

// hugeConstant returns the digits of tv if it is an untyped integer constant that does not fit an int, such as
// 1 << 100, and so cannot be passed as a value. Otherwise the second result is false.
func hugeConstant(tv types.TypeAndValue) (string, bool) {
	if t, ok := tv.Type.(*types.Basic); !ok || t.Kind() != types.UntypedInt || tv.Value == nil {
		return "", false
	}
	if _, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact {
		return "", false
	}
	return tv.Value.ExactString(), true
}

// dropValue turns a last expression that is not a statement into an assignment to _, for a cell that ends
// with a semicolon.
func dropValue(body []ast.Stmt, e ast.Expr) []ast.Stmt {
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return body
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return body
		}
	}
	body = slices.Clone(body)
	body[len(body)-1] = &ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, TokPos: e.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{e}}
	return body
}

// checkProgram type-checks p. It omits declarations of earlier cells that no longer type-check. They are an error only
// if the cell needs them. If accept is not nil, accept(fault) reports whether a fault is acceptable.
func (s *Session) checkProgram(p *program, accept func(types.Error) bool) (*checkedProgram, reach, *engine.Error) {
	isOwn := map[*decl]bool{}
	for _, d := range p.inDebugForm(p.own) {
		isOwn[d] = true
	}
	if p.omit == nil {
		p.omit, p.lost = map[*decl]bool{}, map[*variable]bool{}
	}
	broken := map[string]*engine.Error{}
	for {
		file, r := s.file(p)
		c := s.check(file)
		if accept != nil {
			c.faults = slices.DeleteFunc(c.faults, accept)
		}
		if len(c.faults) == 0 {
			return c, r, nil
		}
		for i, f := range c.faults {
			if p := s.ctx.FileSet.Position(f.Pos); len(s.modules.byPackage) > 0 {
				line, _ := s.sources.line(p.Filename, p.Line)
				c.faults[i].Msg += s.staleAdvice(r.vars, line)
			}
			if m := undefinedMember.FindStringSubmatch(f.Msg); m != nil {
				if text := genericMember(c, m[1], m[2]); text != "" {
					c.faults[i].Msg = text
				}
			}
			for _, v := range r.lost {
				if f.Msg == "undefined: "+v.name {
					c.faults[i].Msg = lostValue(v)
				}
			}
			if m := noMethod.FindStringSubmatch(f.Msg); m != nil && p.env.gone[m[1]+"."+m[2]] != nil {
				c.faults[i].Msg += fmt.Sprintf("; that of %s belonged to an older %s, declare it again", p.env.gone[m[1]+"."+m[2]].cell, m[1])
			}
		}
		omitted := false
		for _, f := range c.faults {
			if strings.HasPrefix(f.Msg, "\t") {
				continue // the continuation of another fault
			}
			if v := s.variableAt(r, f.Pos); v != nil && !p.lost[v] {
				p.lost[v], omitted = true, true
			}
			for _, d := range r.decls {
				if !isOwn[d] && within(f.Pos, d.node) && !p.omit[d] {
					p.omit[d], omitted = true, true
					for _, n := range d.names {
						broken[n] = s.typeError(c, []types.Error{f})
					}
				}
			}
		}
		if omitted {
			continue
		}
		for i, f := range c.faults {
			for name, why := range broken {
				method := name[strings.IndexByte(name, '.')+1:]
				if f.Msg == "undefined: "+name || strings.HasSuffix(f.Msg, "has no field or method "+method+")") {
					fr := why.Frames[0]
					again := "; declare it again"
					if strings.Contains(why.Message, makeAgain) {
						again = ""
					}
					c.faults[i].Msg = fmt.Sprintf("%s (%s) no longer compiles: line %d: %s%s", name, fr.Cell, fr.Line, why.Message, again)
				}
			}
		}
		return nil, r, s.typeError(c, c.faults)
	}
}

var noMethod = regexp.MustCompile(`\(type \*?(\w+)(?:\[.*\])? has no field or method (\w+)\)$`)

// newVersions returns declarations of hidden variables, one for each changed function that replaces an older version.
// The variable's value is the new function; linkHooks stores it in the older version's hook.
func newVersions(s *Session, changed []*decl) (vars []ast.Decl) {
	for _, d := range changed {
		if d.hook == "" || len(s.hooks[d.names[0]]) == 0 {
			continue
		}
		var f ast.Expr = ident(d.names[0])
		if d.isMethod() {
			fn := d.node.(*ast.FuncDecl)
			f = &ast.SelectorExpr{X: &ast.ParenExpr{X: fn.Recv.List[0].Type}, Sel: ident(fn.Name.Name)}
		}
		vars = append(vars, varInit(newVersionName(d), f))
	}
	return vars
}

func newVersionName(d *decl) string { return fmt.Sprintf("new__%d", d.id) }

// instances returns declarations of hidden variables, one for each instance of a generic type that the program makes
// and that has no runtime type yet. pinProgram learns the runtime type from the variable.
func (s *Session) instances(c *checkedProgram) (vars []ast.Decl) {
	seen := map[string]bool{}
	take := func(t types.Type) {
		walkNamed(t, func(n *types.Named) {
			key, ok := pinKey(n)
			if !ok || n.TypeArgs().Len() == 0 || seen[key] || s.loader.pinned(key) {
				return
			}
			seen[key] = true
			vars = append(vars, varDecl(fmt.Sprintf("inst__%d", len(vars)), &ast.StarExpr{X: s.typeExpr(n)}))
		})
	}
	for _, tv := range c.info.Types {
		if tv.Type != nil {
			take(tv.Type)
		}
	}
	for _, inst := range c.info.Instances {
		take(inst.Type)
	}
	return vars
}

// unpin makes the session forget the runtime types of the cell types named in hit, and of types that mention them,
// because these types have changed.
func (s *Session) unpin(hit map[string]bool) {
	for name := range hit {
		s.loader.unpin(regexp.MustCompile(`\bmain\.` + regexp.QuoteMeta(name) + `\b`))
	}
}

// link builds the program and joins it to the session: the program uses the session's variables, and the
// session learns the runtime types of the program's declarations.
func (s *Session) link(b *builtCell, p *program, c *checkedProgram, r reach) *engine.Error {
	internal := func(err error) *engine.Error {
		return &engine.Error{Kind: engine.Internal, Message: tidy(err.Error()), Hints: []string{reportFault}}
	}
	s.numberNested(c)
	if capacity, _, free := ixgo.IcallStat(); s.newMethods(c) > free {
		return &engine.Error{Kind: engine.Internal, Message: fmt.Sprintf(
			"this session has declared %d methods, counting each new version of a type, and has no room for more; restart the kernel", capacity-free)}
	}
	pkg, err := s.buildSSA(c)
	if err != nil {
		return internal(err)
	}
	bound := maps.Clone(s.builtin)
	bind := func(name string, addr any) {
		if addr != nil {
			bound["main."+name] = reflect.ValueOf(addr)
		}
	}
	// newInterp returns an interpreter with the bound variables of the session.
	newInterp := func() (*ixgo.Interp, error) {
		interp, err := s.newInterp(pkg, maps.Clone(bound))
		if err == nil {
			mendTypes(interp, s.loader)
		}
		return interp, err
	}
	for _, v := range r.vars {
		bind(p.nameOf(v), v.addr)
	}
	for name, v := range p.oldVars {
		bind(name+oldSuffix, v.addr)
	}
	for name, addr := range p.bound {
		bind(name, addr)
	}
	for name, f := range p.hostFuncs {
		bound[hostPath+"."+name] = reflect.ValueOf(f)
	}
	for _, d := range r.decls {
		for _, h := range s.hooks[d.names[0]] {
			if h.name == d.hook {
				bind(h.name, h.addr)
			}
		}
	}
	interp, err := newInterp()
	if err != nil && hideConstants(pkg) {
		interp, err = newInterp()
	}
	if err != nil {
		return internal(err)
	}
	s.pinProgram(interp, c)

	// A variable with a new type identity (because a method was added, say) keeps its memory if the layout is
	// the same. If the layout differs, the variable is lost.
	moved := map[*variable]bool{}
	addrs := map[*variable]any{}
	for _, v := range r.vars {
		addr, ok := interp.GetVarAddr(p.nameOf(v))
		if !ok {
			return internal(fmt.Errorf("variable %s got no address", v.name))
		}
		addrs[v] = addr
		if v.addr == nil || reflect.TypeOf(addr) == reflect.TypeOf(v.addr) {
			continue
		}
		to := reflect.TypeOf(addr).Elem()
		if sameLayout(to, reflect.TypeOf(v.addr).Elem()) {
			addrs[v] = reflect.NewAt(to, reflect.ValueOf(v.addr).UnsafePointer()).Interface()
			bind(p.nameOf(v), addrs[v])
			moved[v] = true
			continue
		}
		if s.env.vars[v.name] != v {
			continue // redeclared by this cell
		}
		delete(addrs, v)
		if pos, used := useOf(c, p, p.nameOf(v)); used {
			return s.fault(pos, "%s", lostValue(v))
		}
	}
	first := interp
	if len(moved) > 0 {
		if interp, err = newInterp(); err != nil {
			return internal(err)
		}
		for v, kept := range addrs {
			addrs[v], _ = interp.GetVarAddr(p.nameOf(v))
			if moved[v] && dataOf(addrs[v]) != dataOf(kept) {
				return internal(fmt.Errorf("variable %s would lose its value, because its type %s differs in each program", v.name, shortType(v.typ)))
			}
		}
	}
	for v, addr := range addrs {
		if v.addr != addr { // Peek may read it while an expression is built for a debugger
			s.lastID++
			v.addr, v.since = addr, s.lastID
		}
	}
	s.replace(interp)
	if first != interp {
		copyFunctions(interp, first)
	}
	if fail := s.runInit(interp); fail != nil {
		return fail
	}
	s.linkHooks(interp, r)
	b.interp = interp
	return nil
}

const makeAgain = "; make it again"

func lostValue(v *variable) string {
	return fmt.Sprintf("the value of %s was of an older type %s (%s) and is lost"+makeAgain+" (%[1]s := ...)", v.name, shortType(v.typ), v.cell)
}

// runInit initializes the program's package variables. This runs no code of cells.
func (s *Session) runInit(interp *ixgo.Interp) (fail *engine.Error) {
	root := new(frame)
	defer setLabel(label()) // a profile sets it if a package from source has variables
	defer func() {
		if p := recover(); p != nil {
			fail = s.panicked(p, root)
		}
	}()
	setField(unsafe.Pointer(root), layout.interp, interp)
	callDiscardsResult(interp, root, interp.MainPkg().Func("init"), nil, nil)
	return nil
}

// newMethods returns an upper bound for the number of methods of the program's new types, including promoted
// ones. For each method the interpreter needs an entry point that compiled code can call. A process has a
// limited number of entry points, and the interpreter would end the process if they ran out.
func (s *Session) newMethods(c *checkedProgram) int {
	n := 0
	scope := c.pkg.Scope()
	count := func(t types.Type) {
		if key, ok := pinKey(t); ok && !s.loader.pinned(key) && !types.IsInterface(t) {
			n += types.NewMethodSet(types.NewPointer(t)).Len()
		}
	}
	for _, o := range c.info.Defs { // types declared in functions, which may embed other types
		if t, ok := o.(*types.TypeName); ok && o.Parent() != scope && !t.IsAlias() && !types.IsInterface(t.Type()) && !hasTypeParam(t.Type()) {
			n += types.NewMethodSet(types.NewPointer(t.Type())).Len()
		}
	}
	structs := map[string]bool{}
	for _, tv := range c.info.Types { // unnamed types, which may embed other types
		if t, ok := tv.Type.(*types.Struct); ok && tv.IsType() && !structs[types.TypeString(t, nil)] {
			structs[types.TypeString(t, nil)] = true
			count(t)
		}
	}
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.TypeName:
			count(o.Type())
		case *types.Var: // hidden variables of instances of generic types
			walkNamed(o.Type(), func(t *types.Named) {
				if t.TypeArgs().Len() > 0 {
					count(t)
				}
			})
		}
	}
	return n
}

// useOf reports whether the program really uses the package variable with the given name, and returns the position of a
// use, if possible in the cell's own code. A program may include a variable without using it, because a local variable
// has the same name.
func useOf(c *checkedProgram, p *program, name string) (pos token.Pos, used bool) {
	obj := c.pkg.Scope().Lookup(name)
	var own []ast.Node
	for _, st := range p.body {
		own = append(own, st)
	}
	for _, d := range p.own {
		own = append(own, d.node)
	}
	best := false
	for id, o := range c.info.Uses {
		if o != obj {
			continue
		}
		used = true
		isOwn := slices.ContainsFunc(own, func(n ast.Node) bool { return within(id.Pos(), n) })
		if !pos.IsValid() || isOwn && !best || isOwn == best && id.Pos() < pos {
			pos, best = id.Pos(), isOwn
		}
	}
	return pos, used
}

// pinProgram records the runtime types of the program's declarations.
func (s *Session) pinProgram(interp *ixgo.Interp, c *checkedProgram) {
	scope := c.pkg.Scope()
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name).(type) {
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() == 0 {
				if rt, ok := interp.GetType(name); ok {
					s.loader.pinAll(n, rt)
				}
			}
		case *types.Var:
			if addr, ok := interp.GetVarAddr(name); ok {
				s.loader.pinAll(o.Type(), reflect.TypeOf(addr).Elem())
			}
		}
	}
	for _, o := range c.info.Defs {
		if t, ok := o.(*types.TypeName); ok && !t.IsAlias() {
			if n, ok := t.Type().(*types.Named); ok && isLocal(n) {
				if key, ok := pinKey(n); ok && !s.loader.pinned(key) {
					s.loader.pinAll(n, toType(interp, n))
				}
			}
		}
	}
	for _, n := range c.inner {
		if key, _ := pinKey(n); !s.loader.pinned(key) {
			s.loader.pinAll(n, toType(interp, n))
		}
	}
}

// linkHooks records the hooks of the program's functions (see hook), and points the hooks of older versions to the new
// functions if the signature is the same.
func (s *Session) linkHooks(interp *ixgo.Interp, r reach) {
	for _, d := range r.decls {
		if d.hook == "" {
			continue
		}
		name := d.names[0]
		if nv, ok := interp.GetVarAddr(newVersionName(d)); ok {
			for _, h := range s.hooks[name] {
				if h.name != d.hook && reflect.TypeOf(h.addr) == reflect.TypeOf(nv) {
					h.set(*hook{addr: nv}.word())
				}
			}
		}
		// The same version has another hook if its receiver, or a type in its signature, has become another type.
		addr, ok := interp.GetVarAddr(d.hook)
		if ok && !slices.Contains(s.hooks[name], hook{d.hook, addr}) {
			s.hooks[name] = append(s.hooks[name], hook{d.hook, addr})
		}
	}
}

// sameLayout reports whether memory of type a can be read as type b.
func sameLayout(a, b reflect.Type) bool {
	type pair struct{ a, b reflect.Type }
	seen := map[pair]bool{}
	var same func(a, b reflect.Type) bool
	same = func(a, b reflect.Type) bool {
		if a == b || seen[pair{a, b}] {
			return true
		}
		seen[pair{a, b}] = true
		if a.Kind() != b.Kind() || a.Size() != b.Size() {
			return false
		}
		switch a.Kind() {
		case reflect.Struct:
			if a.NumField() != b.NumField() {
				return false
			}
			for i := range a.NumField() {
				fa, fb := a.Field(i), b.Field(i)
				if fa.Name != fb.Name || fa.Offset != fb.Offset || !same(fa.Type, fb.Type) {
					return false
				}
			}
			return true
		case reflect.Pointer, reflect.Slice, reflect.Chan, reflect.Array:
			return same(a.Elem(), b.Elem())
		case reflect.Map:
			return same(a.Key(), b.Key()) && same(a.Elem(), b.Elem())
		case reflect.Func:
			if a.NumIn() != b.NumIn() || a.NumOut() != b.NumOut() || a.IsVariadic() != b.IsVariadic() {
				return false
			}
			for i := range a.NumIn() {
				if !same(a.In(i), b.In(i)) {
					return false
				}
			}
			for i := range a.NumOut() {
				if !same(a.Out(i), b.Out(i)) {
					return false
				}
			}
			return true
		case reflect.Interface: // carryOver replaces the itabs
			if a.NumMethod() != b.NumMethod() {
				return false
			}
			for i := range a.NumMethod() {
				ma, mb := a.Method(i), b.Method(i)
				if ma.Name != mb.Name || ma.PkgPath != mb.PkgPath || !same(ma.Type, mb.Type) {
					return false
				}
			}
			return true
		}
		return true // basic kinds
	}
	return same(a, b)
}

// Call calls f the way a cell is run; see engine.Session. It first waits until the running cell has ended.
func (s *Session) Call(ctx context.Context, f func()) error {
	s.introspection.running.Lock() // f may write to variables that Peek reads
	defer s.introspection.running.Unlock()
	if fail := s.execute(ctx, "callback", nil, func(*frame) { f() }); fail != nil {
		return fail
	}
	return nil
}

// execute calls body, which runs the cell's statements, in a new goroutine. It returns when body has returned. If ctx
// ends first, execute stops the run, and abandons it if it does not end in time.
func (s *Session) execute(ctx context.Context, cell string, interp *ixgo.Interp, body func(root *frame)) *engine.Error {
	s.running.Lock()
	defer s.running.Unlock()
	s.results = nil
	run := s.stop.begin(cell)
	g := &goroutine{run: run, main: true, cell: cell}
	g.source, _ = s.sources.line(cell, 1)
	s.stop.add(g, nil)
	done := s.start(g, interp, body)
	var crash *engine.Error
	defer func() {
		s.stop.end(run)
		if d := s.debug.now.Load(); d != nil {
			d.cellEnded(g)
		}
		select {
		case c := <-run.crashes: // the crash came too late to be this cell's error
			if crash == nil || crash.Message != c.err.Message {
				s.background(goroutineEnded, c.err)
			}
		default:
		}
		if !s.stop.stopping(run) {
			return
		}
		for end := time.Now().Add(linger); s.stop.told.Load() > 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		s.stop.settle()
	}()

	var fail *engine.Error
	fail, crash = s.await(ctx, g, done, s.lateCrash)
	return fail
}

// start calls body in a new goroutine, which g describes; g has already been added to the stopper. The returned
// channel receives the error of body, or nil.
func (s *Session) start(g *goroutine, interp *ixgo.Interp, body func(root *frame)) <-chan *engine.Error {
	result := make(chan *engine.Error, 1)
	ended := make(chan struct{})
	go s.watch(g.run, ended)
	if g.main {
		s.stop.others.Store(int32(runtime.NumGoroutine()) - s.stop.alive.Load() + 1) // g has not started
	}
	go func() {
		defer close(ended)
		var fail *engine.Error
		defer func() { result <- fail }() // runs even if runtime.Goexit ends the goroutine
		defer s.stop.leave(g)
		fail = s.runBody(g, interp, body)
	}()
	return result
}

// await waits until g has ended or is abandoned. It stops the run when ctx ends or a goroutine of the run panics. fail
// is the error of the run. crash is the first panic of a goroutine of the run, or nil. If g ends before
// such a panic is known and late is not nil, await calls late(run) to get a panic that was reported only afterward.
func (s *Session) await(ctx context.Context, g *goroutine, done <-chan *engine.Error, late func(*cellRun) *engine.Error) (fail, crash *engine.Error) {
	run := g.run
	var left reprieve
	var grace <-chan time.Time
	stopping := ctx.Done()
	for {
		select {
		case result := <-done:
			if crash == nil && late != nil {
				crash = late(run)
			}
			switch {
			case crash != nil:
				return crash, crash
			case g.overflowed != nil:
				return g.overflowed, nil
			}
			return s.explain(run, result), nil
		case <-stopping:
			stopping = nil
			s.stop.stop(run, interrupted)
			left = newReprieve(s.opt.Grace)
			grace = left.wait()
		case c := <-run.crashes:
			if crash == nil {
				crash = c.err
			}
			s.stop.stop(run, "a goroutine panicked")
			left = newReprieve(s.opt.Grace)
			grace = left.wait()
		case <-grace:
			if !left.over() {
				grace = left.wait()
				continue
			}
			if crash != nil {
				return crash, crash
			}
			return s.leftBehind(g), nil
		}
	}
}

// lateCrash returns the panic of another goroutine of the run, if it is reported only at the end of the cell or
// shortly afterward, and otherwise nil. This can happen if the cell has waited for the goroutine: a deferred wg.Done
// may let the cell end before the panic is reported.
func (s *Session) lateCrash(run *cellRun) *engine.Error {
	wait := time.Duration(0)
	s.stop.mu.Lock()
	elsewhere := run.deepElsewhere
	s.stop.mu.Unlock()
	switch {
	case elsewhere:
		wait = 3 * time.Second // the end of many calls takes long
	case s.stop.has(run):
		wait = 2 * time.Millisecond
	}
	select {
	case c := <-run.crashes:
		return c.err
	case <-time.After(wait):
	}
	select {
	case c := <-run.crashes:
		return c.err
	default:
		return nil
	}
}

// leftBehind returns the error for a stopped cell that does not end and is abandoned.
func (s *Session) leftBehind(g *goroutine) *engine.Error {
	e := &engine.Error{Kind: engine.Interrupted}
	work := compiledWork()[g.gid]
	if work.function == "" {
		e.Message = "the cell was asked to stop, has not ended yet and is left behind; all variables are kept"
		return e
	}
	// The goroutine is in compiled code: its frames do not change.
	e.Frames = s.liveFrames(g.root)
	e.Message = fmt.Sprintf("%s cannot be stopped and goes on until it returns; what it returns is dropped, "+
		"and the cell ends there (%%goroutines lists it); all variables are kept", work.function)
	return e
}
