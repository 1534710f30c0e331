package ixengine

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Before code is built, this file rewrites the parts that the SSA builder (golang.org/x/tools/go/ssa v0.49.0)
// would translate wrongly.

// againSuffix is the suffix of the labels by which goto statements reach loops.
const againSuffix = "__again"

// restartLoops puts each range loop that is the target of a goto into a block. A second label, before the block, is for
// the goto:
//
//	L__again: { L: for range f { ... continue L ... goto L__again ... } }
//
// If the loop ranges over a function, the builder mistakes goto L for continue L (golang/go#80860). The
// statements in list are the body of one function; function literals in it have labels of their own.
func restartLoops(list ...ast.Stmt) {
	gotos, others := map[string][]*ast.Ident{}, map[string]bool{}
	var loops []*ast.LabeledStmt
	for _, st := range list {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				if n.Label != nil && n.Tok == token.GOTO {
					gotos[n.Label.Name] = append(gotos[n.Label.Name], n.Label)
				} else if n.Label != nil {
					others[n.Label.Name] = true
				}
			case *ast.LabeledStmt:
				if _, ok := n.Stmt.(*ast.RangeStmt); ok {
					loops = append(loops, n)
				}
			}
			return true
		})
	}
	for _, l := range loops {
		name := l.Label.Name
		if len(gotos[name]) == 0 {
			continue
		}
		if others[name] {
			inner := *l
			inner.Label = &ast.Ident{NamePos: l.Label.NamePos, Name: name}
			l.Stmt = &inner
		}
		l.Label.Name += againSuffix
		l.Stmt = &ast.BlockStmt{Lbrace: l.Colon, List: []ast.Stmt{stopCheck(l.Label.NamePos), l.Stmt}, Rbrace: l.End()}
		for _, id := range gotos[name] {
			id.Name += againSuffix
		}
	}
}

// receiveFirst rewrites the only case of a select if it assigns the received value to something other than a plain
// variable. It turns
//
//	case a[i()] = <-c():
//
// into
//
//	case v := <-c():
//		a[i()] = v
//
// because the builder would evaluate a[i()] before c() (golang/go#80863).
func receiveFirst(s *ast.SelectStmt) {
	if len(s.Body.List) != 1 {
		return
	}
	clause := s.Body.List[0].(*ast.CommClause)
	a, ok := clause.Comm.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN {
		return
	}
	plain := true
	received, assign := *a, *a
	received.Tok, received.Lhs, assign.Rhs = token.DEFINE, nil, nil
	for i, l := range a.Lhs {
		_, isName := ast.Unparen(l).(*ast.Ident)
		plain = plain && isName
		name := "received__" + strconv.Itoa(i)
		received.Lhs, assign.Rhs = append(received.Lhs, ident(name)), append(assign.Rhs, ident(name))
	}
	if plain {
		return
	}
	clause.Comm = &received
	clause.Body = append([]ast.Stmt{&assign}, clause.Body...)
}

// mend makes the changes to a type-checked file that depend on types. It calls makeFails, and does the following:
//
//   - for i := range *p, with a pointer p to an array, becomes for i := range p. Such a loop needs only the array's length, so Go does not evaluate *p, and p may be nil.
//   - For unsafe.Offsetof(x.f) in generic code, which has no constant value, mend records how many fields lead from x to f: 1 if f is a field of x's struct itself, 2 if f is promoted from an embedded field of that struct, and so on.
func (s *Session) mend(f *ast.File, info *types.Info) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			star, ok := ast.Unparen(n.X).(*ast.StarExpr)
			if t := info.TypeOf(n.X); ok && n.Value == nil && t != nil && !callsOrReceives(star) {
				if _, isArray := t.Underlying().(*types.Array); isArray {
					n.X = star.X
				}
			}
		case *ast.CallExpr:
			makeFails(n, info)
			fun, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || fun.Sel.Name != "Offsetof" || len(n.Args) != 1 || info.Types[n].Value != nil {
				break
			}
			if x, ok := ast.Unparen(n.Args[0]).(*ast.SelectorExpr); ok && info.Selections[x] != nil {
				s.selectors[n.Lparen] = len(info.Selections[x].Index())
			}
		}
		return true
	})
}

// makeFails checks whether the slice that make([]T, n) makes with a constant n would be larger than the address space.
// If so, it turns n into - -n, and makes info say that this is not constant. The builder makes a slice of constant size
// from an array, and the type of this array cannot exist.
func makeFails(call *ast.CallExpr, info *types.Info) {
	tv := info.Types[call.Fun]
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || id.Name != "make" || !tv.IsBuiltin() || len(call.Args) < 2 {
		return
	}
	t, ok := info.TypeOf(call).Underlying().(*types.Slice)
	last := len(call.Args) - 1
	size := info.Types[call.Args[last]]
	if !ok || size.Value == nil || hasTypeParam(t) {
		return
	}
	n, _ := constant.Int64Val(constant.ToInt(size.Value))
	if elem := sizeOf(t.Elem()); elem == 0 || n <= addressSpace/elem {
		return
	}
	minus := func(x ast.Expr) *ast.UnaryExpr { return &ast.UnaryExpr{OpPos: x.Pos(), Op: token.SUB, X: x} }
	outer, again := call.Args[last].(*ast.UnaryExpr) // an earlier program has this declaration too
	if again = again && outer.Op == token.SUB; again {
		_, again = outer.X.(*ast.UnaryExpr)
	}
	if !again {
		outer = minus(minus(call.Args[last]))
		call.Args[last] = outer
	}
	size.Type, size.Value = types.Typ[types.Int], constant.MakeInt64(-n)
	info.Types[outer.X] = size
	size.Value = nil
	info.Types[outer] = size
}

// addressSpace is the number of bytes that a program can address on the machines for which Go has the most.
const addressSpace = 1 << 48

// addPositions gives source positions to instructions of f that the builder has left without one and that may panic
// or call an iterator. Otherwise tracebacks would leave out the calls that execute them.
func addPositions(f *ssa.Function) {
	for _, b := range f.Blocks {
		var next token.Pos // that of the instruction for which the value is computed
		for _, in := range slices.Backward(b.Instrs) {
			if p := in.Pos(); p.IsValid() {
				next = p
				continue
			}
			switch in := in.(type) {
			case *ssa.Call: // of an iterator
				if len(in.Call.Args) == 0 {
					break
				}
				if yield, ok := in.Call.Args[0].(*ssa.MakeClosure); ok {
					setField(unsafe.Pointer(in), unsafe.Offsetof(in.Call)+layout.callPosition, yield.Fn.Pos())
				}
			case *ssa.UnOp, *ssa.SliceToArrayPointer, *ssa.Convert:
				setField(reflect.ValueOf(in).UnsafePointer(), layout.position, next)
			}
		}
	}
}

// offsetof implements unsafe.Offsetof in generic code.
func (s *Session) offsetof(in *ssa.Call, r *registers) instruction {
	v := in.Call.Args[0]
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	var sum int64
	fields := s.selectors[in.Pos()]
	for range fields {
		var t types.Type
		field := 0
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v, t, field = x.X, x.X.Type().Underlying().(*types.Pointer).Elem(), x.Field
		case *ssa.Field:
			v, t, field = x.X, x.X.Type(), x.Field
		default:
			return nil
		}
		sum += offsetsIn(t.Underlying().(*types.Struct))[field]
	}
	if fields == 0 {
		return nil
	}
	result, offset := r.slotOf(in), any(uintptr(sum))
	return func(fr *frame) { stackOf(fr)[result] = offset }
}

func callsOrReceives(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}
