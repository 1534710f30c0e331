package ixengine

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// In return v, json.Unmarshal(data, &v), Go's specification leaves open whether v is read before or after the call.
// Go's compiler always reads it after the call, and many programs rely on this. The SSA builder reads it before the
// call. So this file rewrites such statements before they are built:
//
//	t := json.Unmarshal(data, &v)
//	return v, t
//
// It follows the compiler (cmd/compile/internal/walk/order.go), which splits a statement in two. First it evaluates
// calls, receive operations, slice expressions, and some others (see order), one after the other, and keeps their
// results in temporaries. Then it evaluates everything else. A statement is rewritten only if a call might change
// something that stands before the call and that the builder would read too early.
//
// Two kinds of code are left as they are: the expressions of cases, and the variables of packages.

// A sequencer rewrites the statements of one function.
type sequencer struct {
	info    *types.Info
	shared  map[types.Object]bool // local variables that other functions, or pointers, can change
	results *types.Tuple
	before  []ast.Stmt // what is to be executed before the current statement
	isEarly bool       // the current statement reads something too early
	temps   int
	labels  map[ast.Stmt]bool // the loops and switches that have labels
	*rewriting
}

func (r *rewriting) onUndo(f func()) { *r = append(*r, f) }

// set assigns v to *p until the rewriting is undone.
func set[T any](q *sequencer, p *T, v T) {
	old := *p
	q.onUndo(func() { *p = old })
	*p = v
}

// A rewriting is a list of functions that undo changes to the syntax. Code is rewritten only while it is built,
// because later programs check its declarations again.
type rewriting []func()

func (r *rewriting) undo() {
	for _, f := range slices.Backward(*r) {
		f()
	}
}

// callsFirst rewrites the functions in type-checked files.
func (r *rewriting) callsFirst(info *types.Info, files ...*ast.File) {
	for _, f := range files {
		shared := sharedVariables(f, info)
		rewrite := func(body *ast.BlockStmt, t types.Type) {
			if sig, ok := t.(*types.Signature); ok && body != nil {
				q := &sequencer{info: info, shared: shared, results: sig.Results(), labels: map[ast.Stmt]bool{}, rewriting: r}
				q.block(body)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if o := info.Defs[n.Name]; o != nil {
					rewrite(n.Body, o.Type())
				}
			case *ast.FuncLit:
				rewrite(n.Body, info.TypeOf(n))
			}
			return true
		})
	}
}

// sharedVariables returns those variables of f's functions that a function literal mentions without declaring them, or
// whose address is taken.
func sharedVariables(f *ast.File, info *types.Info) map[types.Object]bool {
	shared := map[types.Object]bool{}
	var literals []*ast.FuncLit
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				shared[variableOf(n.X, info)] = true
			}
		case *ast.SliceExpr:
			shared[variableOf(n.X, info)] = true
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				shared[variableOf(n.X, info)] = true
			}
		}
		return true
	})
	for _, l := range literals {
		ast.Inspect(l, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := info.Uses[id].(*types.Var); ok && !(l.Pos() <= v.Pos() && v.Pos() < l.End()) {
					shared[v] = true
				}
			}
			return true
		})
	}
	return shared
}

// variableOf returns the variable to which x, the operand of an address operation, belongs: x is the variable itself or
// a part of it. If there is no such variable, variableOf returns nil.
func variableOf(x ast.Expr, info *types.Info) types.Object {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.Ident:
			return info.Uses[e]
		default:
			return nil
		}
	}
}

// list rewrites a list of statements.
func (q *sequencer) list(list []ast.Stmt) (out []ast.Stmt) {
	for _, st := range list {
		before, after := q.stmt(st)
		out = append(append(out, before...), after)
	}
	return out
}

// rewrite rewrites the list of statements of a node.
func (q *sequencer) rewrite(list *[]ast.Stmt) {
	if now := q.list(*list); !slices.Equal(now, *list) {
		set(q, list, now)
	}
}

// block rewrites a block, which may be nil.
func (q *sequencer) block(b *ast.BlockStmt) {
	if b != nil {
		q.rewrite(&b.List)
	}
}

// stmt rewrites a statement and returns what takes its place: statements to execute before it, and the statement
// itself.
func (q *sequencer) stmt(st ast.Stmt) (before []ast.Stmt, after ast.Stmt) {
	switch st := st.(type) {
	case *ast.BlockStmt:
		q.block(st)
	case *ast.LabeledStmt:
		return nil, q.labeled(st)
	case *ast.IfStmt:
		q.block(st.Body)
		if st.Else != nil {
			if inner, after := q.stmt(st.Else); len(inner) > 0 {
				set[ast.Stmt](q, &st.Else, blockOf(append(inner, after)))
			}
		}
		return q.header(st, &st.Init, &st.Cond), st
	case *ast.SwitchStmt:
		q.block(st.Body)
		return q.header(st, &st.Init, &st.Tag), st
	case *ast.TypeSwitchStmt:
		q.block(st.Body)
		return q.header(st, &st.Init, &assertedOf(st.Assign).X), st
	case *ast.SelectStmt:
		q.block(st.Body)
	case *ast.CaseClause:
		q.rewrite(&st.Body)
	case *ast.CommClause:
		q.rewrite(&st.Body)
	case *ast.RangeStmt:
		q.block(st.Body)
		return q.header(st, nil, &st.X), st
	case *ast.ForStmt:
		q.block(st.Body)
		if st.Init != nil && !q.labels[st] {
			var first ast.Stmt
			if before, first = q.stmt(st.Init); first != st.Init {
				set(q, &st.Init, first)
			}
		}
		if more := q.header(nil, nil, &st.Cond); len(more) > 0 {
			leave := &ast.IfStmt{If: st.Cond.Pos(), Cond: &ast.UnaryExpr{OpPos: st.Cond.Pos(), Op: token.NOT, X: st.Cond},
				Body: &ast.BlockStmt{List: []ast.Stmt{&ast.BranchStmt{TokPos: st.Cond.Pos(), Tok: token.BREAK}}}}
			q.typed(leave.Cond, types.Typ[types.Bool])
			set(q, &st.Cond, nil)
			set(q, &st.Body.List, append(append(more, leave), st.Body.List...))
		}
		return before, st
	case *ast.DeclStmt:
		return q.declaration(st)
	default:
		return q.simple(st)
	}
	return nil, st
}

// labeled rewrites a statement with a label. Code that must run before the statement is put after the label, so that a
// goto runs it too. A loop or a switch must stay directly after its label, so its header is left as it is.
func (q *sequencer) labeled(st *ast.LabeledStmt) *ast.LabeledStmt {
	if isLoopOrSwitch(st.Stmt) {
		q.labels[st.Stmt] = true
	}
	if before, after := q.stmt(st.Stmt); len(before) > 0 {
		set[ast.Stmt](q, &st.Stmt, blockOf(append(before, after)))
	}
	return st
}

// blockOf returns a block with the given statements.
func blockOf(list []ast.Stmt) *ast.BlockStmt {
	return &ast.BlockStmt{Lbrace: list[0].Pos(), List: list, Rbrace: list[len(list)-1].End()}
}

// assertedOf returns the x.(type) of a type switch.
func assertedOf(st ast.Stmt) *ast.TypeAssertExpr {
	var e ast.Expr
	switch st := st.(type) {
	case *ast.AssignStmt:
		e = st.Rhs[0]
	case *ast.ExprStmt:
		e = st.X
	}
	return ast.Unparen(e).(*ast.TypeAssertExpr)
}

// header rewrites the header of st: its first part (init) and an expression; either may be nil. If anything must be
// executed before st, the first part is moved before st too.
func (q *sequencer) header(st ast.Stmt, init *ast.Stmt, x *ast.Expr) (before []ast.Stmt) {
	if q.labels[st] {
		return nil
	}
	var first ast.Stmt
	if init != nil && *init != nil {
		before, first = q.stmt(*init)
	}
	q.isEarly = false
	if *x != nil {
		q.scan(*x, false)
	}
	if q.isEarly {
		q.order(x, nil)
	}
	own := q.take()
	switch {
	case first == nil:
		return own
	case len(before)+len(own) == 0:
		return nil
	}
	set(q, init, nil)
	return append(append(before, first), own...)
}

// take returns the statements that were collected, and forgets them.
func (q *sequencer) take() []ast.Stmt {
	b := q.before
	q.before = nil
	return b
}

// declaration rewrites a declaration of variables in a function. Each of its specs becomes a separate declaration.
func (q *sequencer) declaration(st *ast.DeclStmt) (before []ast.Stmt, after ast.Stmt) {
	d := st.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return nil, st
	}
	var all []ast.Stmt
	isRewritten := false
	for i, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		q.isEarly = false
		for p, k := false, 0; k < len(spec.Values); k++ {
			p = q.scan(spec.Values[k], p)
		}
		if q.isEarly {
			isRewritten = true
			for k, name := range spec.Names[:len(spec.Values)] {
				q.order(&spec.Values[k], q.info.TypeOf(name))
			}
		}
		one := *d
		one.Specs = d.Specs[i : i+1]
		all = append(append(all, q.take()...), &ast.DeclStmt{Decl: &one})
	}
	if !isRewritten {
		return nil, st
	}
	return all[:len(all)-1], all[len(all)-1]
}

// simple rewrites a statement that contains no other statements, apart from those of function literals.
func (q *sequencer) simple(st ast.Stmt) (before []ast.Stmt, after ast.Stmt) {
	q.isEarly = false
	switch st := st.(type) {
	case *ast.ExprStmt:
		if q.scan(st.X, false); q.isEarly {
			q.orderTop(&st.X)
		}
	case *ast.SendStmt:
		if q.scan(st.Value, q.scan(st.Chan, false)); q.isEarly {
			q.order(&st.Chan, nil)
			q.order(&st.Value, elementOf(q.info.TypeOf(st.Chan)))
		}
	case *ast.IncDecStmt:
		if q.scan(st.X, false); q.isEarly {
			q.orderTop(&st.X)
		}
	case *ast.GoStmt:
		if q.scanOperands(st.Call, false); q.isEarly {
			q.orderCall(st.Call)
		}
	case *ast.DeferStmt:
		if q.scanOperands(st.Call, false); q.isEarly {
			q.orderCall(st.Call)
		}
	case *ast.ReturnStmt:
		p := false
		for _, x := range st.Results {
			p = q.scan(x, p)
		}
		if !q.isEarly {
			break
		}
		for i := range st.Results {
			if len(st.Results) == 1 {
				q.orderTop(&st.Results[i])
			} else {
				q.order(&st.Results[i], q.results.At(i).Type())
			}
		}
	case *ast.AssignStmt:
		return q.assignment(st)
	}
	return q.take(), st
}

// assignment rewrites an assignment.
func (q *sequencer) assignment(st *ast.AssignStmt) (before []ast.Stmt, after ast.Stmt) {
	p, isPlain := false, true // isPlain: all operands on the left are names
	for _, l := range st.Lhs {
		if _, isName := ast.Unparen(l).(*ast.Ident); !isName {
			p, isPlain = q.scan(l, p), false
		}
	}
	for _, r := range st.Rhs {
		p = q.scan(r, p)
	}
	if !q.isEarly {
		return nil, st
	}
	for i, l := range st.Lhs {
		if _, isName := ast.Unparen(l).(*ast.Ident); !isName {
			q.orderTop(&st.Lhs[i])
		}
	}
	switch {
	case len(st.Lhs) == len(st.Rhs):
		for i := range st.Rhs {
			if isPlain && len(st.Rhs) == 1 && (st.Tok == token.ASSIGN || st.Tok == token.DEFINE) {
				q.orderTop(&st.Rhs[i])
			} else {
				q.order(&st.Rhs[i], q.info.TypeOf(st.Lhs[i]))
			}
		}
	default: // f(), x.(T), m[k] or <-c, with several results
		q.orderTop(&st.Rhs[0])
		if isPlain {
			break
		}
		t, ok := q.info.TypeOf(st.Rhs[0]).(*types.Tuple)
		if !ok || t.Len() != len(st.Lhs) {
			break
		}
		all := &ast.AssignStmt{TokPos: st.TokPos, Tok: token.DEFINE, Rhs: []ast.Expr{st.Rhs[0]}}
		var uses []ast.Expr
		for i := range st.Lhs {
			def, use := q.temp(st.TokPos, t.At(i).Type())
			all.Lhs, uses = append(all.Lhs, def), append(uses, use)
		}
		set(q, &st.Rhs, uses)
		q.before = append(q.before, all)
	}
	return q.take(), st
}

// temp returns the definition and a use of a new variable.
func (q *sequencer) temp(pos token.Pos, t types.Type) (def, use *ast.Ident) {
	q.temps++
	name := hostName + strconv.Itoa(q.temps)
	v := types.NewVar(pos, nil, name, types.Default(t))
	def, use = &ast.Ident{NamePos: pos, Name: name}, &ast.Ident{NamePos: pos, Name: name}
	q.info.Defs[def], q.info.Uses[use] = v, v
	q.onUndo(func() { delete(q.info.Defs, def) })
	q.typed(use, v.Type())
	return def, use
}

// again returns another use of the variable of a temporary.
func (q *sequencer) again(use *ast.Ident, pos token.Pos) *ast.Ident {
	id := &ast.Ident{NamePos: pos, Name: use.Name}
	q.info.Uses[id] = q.info.Uses[use]
	q.typed(id, q.info.TypeOf(use))
	return id
}

// typed records the type of a new expression.
func (q *sequencer) typed(e ast.Expr, t types.Type) {
	q.info.Types[e] = types.TypeAndValue{Type: t}
	q.onUndo(func() {
		delete(q.info.Types, e)
		if id, ok := e.(*ast.Ident); ok {
			delete(q.info.Uses, id)
		}
	})
}

// hoist evaluates *x before the current statement.
func (q *sequencer) hoist(x *ast.Expr) {
	e := *x
	def, use := q.temp(e.Pos(), q.info.TypeOf(e))
	q.before = append(q.before, &ast.AssignStmt{Lhs: []ast.Expr{def}, TokPos: e.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{e}})
	set[ast.Expr](q, x, use)
}

// isFixed reports whether e is a type, a constant or nil. None of these is evaluated.
func (q *sequencer) isFixed(e ast.Expr) bool {
	tv := q.info.Types[e]
	return tv.IsType() || tv.Value != nil || tv.IsNil() || tv.IsBuiltin()
}

// isConversion reports whether call is a conversion.
func (q *sequencer) isConversion(call *ast.CallExpr) bool { return q.info.Types[call.Fun].IsType() }

// changesNothing reports whether the called function is a builtin that only computes a value from its arguments.
func (q *sequencer) changesNothing(call *ast.CallExpr) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && q.info.Types[id].IsBuiltin() {
		return slices.Contains([]string{"cap", "complex", "imag", "len", "make", "max", "min", "new", "real"}, id.Name)
	}
	return false
}

// operands returns the operands of e, in the order of their evaluation. Bodies of function literals are not operands.
func (q *sequencer) operands(e ast.Expr) (list []*ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		list = []*ast.Expr{&e.X}
	case *ast.UnaryExpr:
		list = []*ast.Expr{&e.X}
	case *ast.BinaryExpr:
		list = []*ast.Expr{&e.X, &e.Y}
	case *ast.StarExpr:
		list = []*ast.Expr{&e.X}
	case *ast.SelectorExpr:
		if s := q.info.Selections[e]; s != nil && s.Kind() != types.MethodExpr {
			list = []*ast.Expr{&e.X}
		}
	case *ast.IndexExpr:
		if _, isFunc := q.info.TypeOf(e.X).(*types.Signature); !isFunc {
			list = []*ast.Expr{&e.X, &e.Index}
		}
	case *ast.SliceExpr:
		list = []*ast.Expr{&e.X}
		for _, x := range []*ast.Expr{&e.Low, &e.High, &e.Max} {
			if *x != nil {
				list = append(list, x)
			}
		}
	case *ast.TypeAssertExpr:
		list = []*ast.Expr{&e.X}
	case *ast.CallExpr:
		list = []*ast.Expr{&e.Fun}
		for i := range e.Args {
			list = append(list, &e.Args[i])
		}
	case *ast.CompositeLit:
		_, isMap := q.info.TypeOf(e).Underlying().(*types.Map)
		for i := range e.Elts {
			kv, ok := e.Elts[i].(*ast.KeyValueExpr)
			switch {
			case !ok:
				list = append(list, &e.Elts[i])
			case isMap:
				list = append(list, &kv.Key, &kv.Value)
			default:
				list = append(list, &kv.Value)
			}
		}
	}
	return slices.DeleteFunc(list, func(x *ast.Expr) bool { return q.isFixed(*x) })
}

// scan looks at e. If pending is set, something that a call could change is evaluated before e. scan sets isEarly if e
// has a call that could change something evaluated before that call. The result is the value of pending for whatever is
// evaluated after e.
func (q *sequencer) scan(e ast.Expr, pending bool) bool {
	if q.isFixed(e) {
		return pending
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if q.isConversion(e) {
			break
		}
		q.scanOperands(e, pending)
		q.isEarly = q.isEarly || pending && !q.changesNothing(e)
		return pending
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			q.scan(e.X, pending)
			q.isEarly = q.isEarly || pending
			return pending
		case token.AND:
			if _, isName := ast.Unparen(e.X).(*ast.Ident); isName {
				return pending
			}
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			q.scan(e.X, pending)
			q.scan(e.Y, pending)
			return pending
		}
	case *ast.SliceExpr:
		q.scanOperands(e, pending)
		return pending
	}
	return q.scanOperands(e, pending) || q.readsShared(e)
}

// scanOperands scans the operands of e, but not e.
func (q *sequencer) scanOperands(e ast.Expr, pending bool) bool {
	for _, x := range q.operands(e) {
		pending = q.scan(*x, pending)
	}
	return pending
}

// readsShared reports whether e itself reads memory that other functions can change. What its operands read does not
// count.
func (q *sequencer) readsShared(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := q.info.Uses[e].(*types.Var)
		return ok && (q.shared[v] || v.Pkg() != nil && v.Parent() == v.Pkg().Scope())
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := q.info.Selections[e]
		if s == nil {
			_, isVar := q.info.Uses[e.Sel].(*types.Var)
			return isVar
		}
		_, isPointer := q.info.TypeOf(e.X).Underlying().(*types.Pointer)
		return isPointer || s.Indirect()
	case *ast.IndexExpr:
		switch q.info.TypeOf(e.X).Underlying().(type) {
		case *types.Array, *types.Basic: // strings do not change
			return false
		}
		return true
	}
	return false
}

// elementOf returns the type of the elements of channels of type t, or nil.
func elementOf(t types.Type) types.Type {
	if c, ok := t.Underlying().(*types.Chan); ok {
		return c.Elem()
	}
	return nil
}

// orderTop orders an expression that is a statement of its own, or whose value the statement uses at once. The
// expression itself therefore stays in the statement.
func (q *sequencer) orderTop(x *ast.Expr) {
	switch e := ast.Unparen(*x).(type) {
	case *ast.CallExpr:
		q.orderCall(e)
	case *ast.IndexExpr:
		q.orderIndex(e)
	case *ast.TypeAssertExpr, *ast.SliceExpr, *ast.UnaryExpr:
		q.orderOperands(e)
	default:
		q.order(x, nil)
	}
}

// orderCall orders the operands of a call, but not the call.
func (q *sequencer) orderCall(call *ast.CallExpr) {
	q.order(&call.Fun, nil)
	sig, _ := q.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	for i := range call.Args {
		if inner, ok := ast.Unparen(call.Args[i]).(*ast.CallExpr); ok {
			if _, several := q.info.TypeOf(inner).(*types.Tuple); several { // f(g()): g's results are f's arguments
				q.orderCall(inner)
				continue
			}
		}
		var target types.Type
		if sig != nil && !q.isConversion(call) {
			target = parameter(sig, i, call.Ellipsis.IsValid())
		}
		q.order(&call.Args[i], target)
	}
}

// parameter returns the type of the parameter to which argument i is passed, or nil.
func parameter(sig *types.Signature, i int, isSpread bool) types.Type {
	n := sig.Params().Len()
	switch {
	case sig.Variadic() && i >= n-1 && !isSpread:
		if s, ok := sig.Params().At(n - 1).Type().Underlying().(*types.Slice); ok {
			return s.Elem()
		}
		return nil
	case i < n:
		return sig.Params().At(i).Type()
	}
	return nil
}

// order rewrites *x such that all calls in it, and everything else that Go's compiler evaluates together with calls,
// are executed before the current statement. The value of *x is used as a value of type target or, if target is nil, of
// its own type.
func (q *sequencer) order(x *ast.Expr, target types.Type) {
	if q.isFixed(*x) {
		return
	}
	switch e := (*x).(type) {
	case *ast.ParenExpr:
		q.order(&e.X, target)
		return
	case *ast.CallExpr:
		if q.isConversion(e) {
			q.order(&e.Args[0], q.info.TypeOf(e))
			if !isString(q.info.TypeOf(e.Args[0])) || !isSlice(q.info.TypeOf(e)) {
				break // the compiler makes bytes and runes of a string by a call
			}
		} else {
			q.orderCall(e)
		}
		q.hoist(x)
		return
	case *ast.UnaryExpr:
		q.order(&e.X, nil)
		if e.Op == token.ARROW {
			q.hoist(x)
			return
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			q.logical(x, e)
			return
		}
		for _, o := range q.operands(e) {
			q.order(o, nil)
			switch q.info.TypeOf(*o).Underlying().(type) {
			case *types.Struct, *types.Array: // the compiler compares values in memory
				q.place(o)
			}
		}
	case *ast.IndexExpr:
		if q.orderIndex(e); q.isText(e.Index) { // m[string(b)] does not copy b, so it comes before b can change
			q.hoist(x)
			return
		}
	case *ast.SliceExpr:
		q.orderOperands(e)
		q.hoist(x)
		return
	case *ast.TypeAssertExpr:
		q.order(&e.X, nil)
		if !isPointerShaped(q.info.TypeOf(e)) {
			q.hoist(x)
			return
		}
	case *ast.CompositeLit:
		if m, ok := q.info.TypeOf(e).Underlying().(*types.Map); ok {
			q.mapLiteral(x, e, m)
			return
		}
		q.elements(e)
	default:
		q.orderOperands(e)
	}
	if t := q.info.TypeOf(*x); target != nil && types.IsInterface(target) && !types.IsInterface(t) && !hasTypeParam(t) && convertsByAddress(t) {
		q.place(x)
	}
}

// orderOperands orders the operands of e, but not e.
func (q *sequencer) orderOperands(e ast.Expr) {
	for _, o := range q.operands(e) {
		q.order(o, nil)
	}
}

// elements orders the elements of a struct, an array or a slice.
func (q *sequencer) elements(e *ast.CompositeLit) {
	t := q.info.TypeOf(e)
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T left out
		t = p.Elem()
	}
	for i := range e.Elts {
		x, target := &e.Elts[i], types.Type(nil)
		kv, hasKey := e.Elts[i].(*ast.KeyValueExpr)
		if hasKey {
			x = &kv.Value
		}
		switch t := t.Underlying().(type) {
		case *types.Struct:
			if !hasKey {
				target = t.Field(i).Type()
			} else if id, ok := kv.Key.(*ast.Ident); ok {
				if f, ok := q.info.Uses[id].(*types.Var); ok {
					target = f.Type()
				}
			}
		case *types.Array:
			target = t.Elem()
		case *types.Slice:
			target = t.Elem()
		}
		q.order(x, target)
	}
}

// mapLiteral replaces a map with an empty one, to which the entries are then added one by one.
func (q *sequencer) mapLiteral(x *ast.Expr, e *ast.CompositeLit, m *types.Map) {
	entries := e.Elts
	set(q, &e.Elts, nil)
	q.hoist(x)
	made := (*x).(*ast.Ident)
	for _, entry := range entries {
		kv := entry.(*ast.KeyValueExpr)
		q.orderKey(&kv.Key, m)
		q.order(&kv.Value, m.Elem())
		place := &ast.IndexExpr{X: q.again(made, kv.Pos()), Lbrack: kv.Pos(), Index: kv.Key, Rbrack: kv.Colon}
		q.typed(place, m.Elem())
		q.before = append(q.before, &ast.AssignStmt{Lhs: []ast.Expr{place}, TokPos: kv.Colon, Tok: token.ASSIGN, Rhs: []ast.Expr{kv.Value}})
	}
}

// orderIndex orders the operands of an index expression.
func (q *sequencer) orderIndex(e *ast.IndexExpr) {
	if m, ok := q.info.TypeOf(e.X).Underlying().(*types.Map); ok {
		q.order(&e.X, nil)
		q.orderKey(&e.Index, m)
		return
	}
	q.orderOperands(e)
}

// isText reports whether e converts bytes to a string.
func (q *sequencer) isText(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && q.isConversion(call) && isString(q.info.TypeOf(call)) && isSlice(q.info.TypeOf(call.Args[0]))
}

// orderKey orders the key of a map. For most maps, the compiler passes the key by its address (mapfast in
// cmd/compile/internal/walk/walk.go).
func (q *sequencer) orderKey(key *ast.Expr, m *types.Map) {
	q.order(key, m.Key())
	if hasTypeParam(m) {
		return
	}
	if sizes.Sizeof(m.Elem()) <= 128 {
		switch k := m.Key().Underlying().(type) {
		case *types.Basic:
			if k.Info()&types.IsString != 0 || k.Info()&types.IsInteger != 0 && sizes.Sizeof(k) >= 4 || k.Kind() == types.UnsafePointer {
				return
			}
		case *types.Pointer, *types.Chan:
			return
		}
	}
	q.place(key)
}

// logical orders x && y and x || y: y is evaluated only if x does not decide the result.
func (q *sequencer) logical(x *ast.Expr, e *ast.BinaryExpr) {
	q.order(&e.X, nil)
	outer := q.take()
	q.order(&e.Y, nil)
	inner := q.take()
	q.before = outer
	if len(inner) == 0 {
		q.hoist(x)
		return
	}
	def, use := q.temp(e.Pos(), q.info.TypeOf(e))
	var cond ast.Expr = q.again(use, e.OpPos)
	if e.Op == token.LOR {
		cond = &ast.UnaryExpr{OpPos: e.OpPos, Op: token.NOT, X: cond}
		q.typed(cond, q.info.TypeOf(use))
	}
	inner = append(inner, &ast.AssignStmt{Lhs: []ast.Expr{q.again(use, e.OpPos)}, TokPos: e.OpPos, Tok: token.ASSIGN, Rhs: []ast.Expr{e.Y}})
	q.before = append(q.before,
		&ast.AssignStmt{Lhs: []ast.Expr{def}, TokPos: e.OpPos, Tok: token.DEFINE, Rhs: []ast.Expr{e.X}},
		&ast.IfStmt{If: e.OpPos, Cond: cond, Body: blockOf(inner)})
	set[ast.Expr](q, x, use)
}

func isSlice(t types.Type) bool { _, ok := t.Underlying().(*types.Slice); return ok }

// isPointerShaped reports whether an interface holds values of type t directly, without a pointer to them.
func isPointerShaped(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return t.Len() == 1 && isPointerShaped(t.Elem())
	case *types.Struct:
		return t.NumFields() == 1 && isPointerShaped(t.Field(0).Type())
	}
	return false
}

// place evaluates *x before the current statement if Go's compiler needs the address of the value and the value has
// none yet.
func (q *sequencer) place(x *ast.Expr) {
	if !q.info.Types[*x].Addressable() && q.scan(*x, false) {
		q.hoist(x)
	}
}

// convertsByAddress reports whether Go's compiler needs the address of a value of type t in order to convert it to an
// interface (dataWordFuncName in cmd/compile/internal/walk/convert.go).
func convertsByAddress(t types.Type) bool {
	switch size, align := sizes.Sizeof(t), sizes.Alignof(t); {
	case size == 2 && align == 2, size == 4 && align == 4 && isPointerFree(t),
		size == 8 && align == sizes.Alignof(types.Typ[types.Uint64]) && isPointerFree(t):
		return false
	}
	for {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&types.IsString == 0
		case *types.Slice:
			return false
		case *types.Array:
			if u.Len() == 1 {
				t = u.Elem()
				continue
			}
		case *types.Struct:
			if u.NumFields() == 1 {
				t = u.Field(0).Type()
				continue
			}
		}
		return true
	}
}
