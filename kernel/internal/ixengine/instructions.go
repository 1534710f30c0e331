package ixengine

import (
	"context"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// The interpreter makes a Go function from each SSA instruction. After a program is built, some of these
// functions are replaced here. Instructions that may block are made to end when the cell is stopped. Go statements
// register their goroutine with the session. Allocations that are far too large are refused. Calls of
// compiled code get a context, and a stopped goroutine does not continue after them.

type (
	frame       = ixgo.Frame
	instruction = func(*frame)
)

// replace replaces instructions of all functions of interp's program.
func (s *Session) replace(interp *ixgo.Interp) {
	funcs := field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(interp), layout.funcs)
	for f, fn := range funcs {
		addPositions(f)
		instrs := field[[]instruction](fn, layout.instrs)
		for i, in := range field[[]ssa.Instruction](fn, layout.ssaInstrs) {
			if f := s.replacement(interp, fn, in, instrs[i]); f != nil {
				instrs[i] = f
			}
		}
		s.debugInstructions(fn)
	}
	s.makeFast(interp, funcs)
	for _, fn := range funcs {
		s.watchCallbacks(field[[]instruction](fn, layout.instrs))
	}
	s.replaceForProfile(interp)
}

// registers finds the registers in which a frame holds the operands and results of instructions.
type registers struct {
	index map[ssa.Value]uint32
	ok    bool // false if a register was not found
}

func (r *registers) slotOf(v ssa.Value) int {
	i, ok := r.index[v]
	r.ok = r.ok && ok
	return int(i & 0xffffff)
}

// list returns the registers of the given arguments, in the form the interpreter's functions expect.
func (r *registers) list(values []ssa.Value) []register {
	list := make([]register, len(values))
	for i, v := range values {
		list[i] = register(r.slotOf(v))
	}
	return list
}

func stackOf(fr *frame) []any { return field[[]any](unsafe.Pointer(fr), layout.stack) }

// replacement returns the function that replaces old, the interpreter's function for the given instruction. It returns
// nil if old is correct.
func (s *Session) replacement(interp *ixgo.Interp, fn unsafe.Pointer, in ssa.Instruction, old instruction) instruction {
	r := &registers{index: field[map[ssa.Value]uint32](fn, layout.index), ok: true}
	var f instruction
	switch in := in.(type) {
	case *ssa.UnOp:
		switch {
		case in.Op == token.ARROW:
			f = s.receive(in, r)
		case in.Op == token.MUL && isHook(in.X):
			f = loadHook(interp, in, r)
		case breathing && asksHere(in):
			f = s.ask(in, r)
		}
	case *ssa.Phi:
		f = phis(in, r)
	case *ssa.ChangeType:
		if c, ok := in.X.(hiddenConst); ok {
			field[[]any](fn, layout.initial)[r.slotOf(c)] = constToValue(interp, c.Const)
		}
	case *ssa.BinOp:
		if in.Op == token.ADD && isString(in.Type()) {
			f = s.concat(in, r, old)
		}
		if c, ok := in.X.(hiddenConst); ok {
			field[[]any](fn, layout.initial)[r.slotOf(c)] = constToValue(interp, c.Const)
		}
		if (in.Op == token.EQL || in.Op == token.NEQ) && types.IsInterface(in.X.Type()) && types.IsInterface(in.Y.Type()) {
			f = s.compareVersions(in, r, old)
		}
	case *ssa.Store:
		if i, ok := in.Val.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
			old = s.storeVersion(in, r, old)
			f = old
		}
		if a := assign(in, r, old); a != nil {
			f = a
		}
	case *ssa.Send:
		f = s.send(in, r)
	case *ssa.Panic:
		f = raise(in.X, r)
		if e, ok := rangePanic(in); ok {
			f = func(*frame) { panic(e) }
		}
	case *ssa.Select:
		if in.Blocking {
			f = s.choose(in, r)
		}
	case *ssa.Go:
		f = s.goStatement(interp, in, r)
	case *ssa.Defer:
		f = dropWhenRun(in, r, s.deferred(interp, in, r, old))
	case *ssa.IndexAddr, *ssa.Index:
		f = asUnsigned(in, r, old)
	case *ssa.Slice:
		f = sliceArray(in, r, asUnsigned(in, r, old), old)
	case *ssa.TypeAssert:
		f = old
		if !in.CommaOk {
			f = assertType(interp, in, r, old)
		}
		f = s.assertVersion(interp, in, r, f)
	case *ssa.MakeChan:
		f = makeChannel(old)
	case *ssa.MakeSlice:
		f = s.makeSlice(in, r, old)
	case *ssa.MapUpdate:
		f = s.onMap(in.Map, true, r, setElement(in, r))
	case *ssa.Lookup:
		f = s.onMap(in.X, false, r, lookUp(in, r))
	case *ssa.Next:
		if loop, ok := in.Iter.(*ssa.Range); ok {
			f = s.onMap(loop.X, false, r, old)
		}
	case *ssa.Alloc:
		f = s.alloc(in, old)
	case *ssa.Call:
		f = s.call(interp, in, r, old)
	}
	if !r.ok {
		return nil
	}
	return f
}

// phis returns an instruction that executes all phis of a block at once, in place of the first of them. The
// interpreter executes them one by one, which is wrong after a, b = b, a in a loop.
func phis(in *ssa.Phi, r *registers) instruction {
	list := phisOf(in.Block())
	if in != list[0] || len(list) == 1 {
		return nil
	}
	to := make([]int, len(list))
	for i, p := range list {
		to[i] = r.slotOf(p)
	}
	preds := in.Block().Preds
	from := make([][]int, len(preds))
	for e := range preds {
		for _, p := range list {
			from[e] = append(from[e], r.slotOf(p.Edges[e]))
		}
	}
	return func(fr *frame) {
		stack, at := stackOf(fr), unsafe.Pointer(fr)
		pred := field[int](at, layout.pred)
		for e, b := range preds {
			if b.Index != pred {
				continue
			}
			var few [8]any
			values := few[:0]
			for _, k := range from[e] {
				values = append(values, stack[k])
			}
			for i, k := range to {
				stack[k] = values[i]
			}
			break
		}
		setField(at, layout.ipc, field[int](at, layout.ipc)+len(list)-1)
	}
}

func (s *Session) receive(in *ssa.UnOp, r *registers) instruction {
	result, from := r.slotOf(in), r.slotOf(in.X)
	w := &waitReason{what: "chan receive", pos: in.Pos(), elsewhere: !endless(in.X.Type())}
	return func(fr *frame) {
		stack := stackOf(fr)
		ch := reflect.ValueOf(stack[from])
		v, ok := ch.TryRecv()
		if !v.IsValid() { // a nil channel would block
			_, v, ok = s.stop.choose(w, []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: ch}})
		}
		if !ok {
			v = reflect.Zero(ch.Type().Elem())
		}
		if in.CommaOk {
			stack[result] = ixgo.Tuple{v.Interface(), ok}
		} else {
			stack[result] = v.Interface()
		}
	}
}

func (s *Session) send(in *ssa.Send, r *registers) instruction {
	to, what := r.slotOf(in.Chan), r.slotOf(in.X)
	w := &waitReason{what: "chan send", pos: in.Pos(), elsewhere: !endless(in.Chan.Type())}
	return func(fr *frame) {
		stack := stackOf(fr)
		ch := reflect.ValueOf(stack[to])
		v := valueAs(stack[what], ch.Type().Elem())
		if !ch.TrySend(v) {
			s.stop.choose(w, []reflect.SelectCase{{Dir: reflect.SelectSend, Chan: ch, Send: v}})
		}
	}
}

func (s *Session) choose(in *ssa.Select, r *registers) instruction {
	result := r.slotOf(in)
	chans, sends := make([]int, len(in.States)), make([]int, len(in.States))
	for i, st := range in.States {
		chans[i] = r.slotOf(st.Chan)
		if st.Send != nil {
			sends[i] = r.slotOf(st.Send)
		}
	}
	w := &waitReason{what: "select", pos: in.Pos()}
	for _, st := range in.States {
		w.elsewhere = w.elsewhere || !endless(st.Chan.Type())
	}
	return func(fr *frame) {
		stack := stackOf(fr)
		cases := make([]reflect.SelectCase, len(in.States), len(in.States)+1)
		for i, st := range in.States {
			ch := reflect.ValueOf(stack[chans[i]])
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: ch}
			if st.Dir == types.SendOnly {
				cases[i].Dir = reflect.SelectSend
				cases[i].Send = valueAs(stack[sends[i]], ch.Type().Elem())
			}
		}
		chosen, recv, ok := s.stop.choose(w, cases)
		t := ixgo.Tuple{chosen, ok}
		for i, st := range in.States {
			if st.Dir != types.RecvOnly {
				continue
			}
			if i == chosen && ok {
				t = append(t, recv.Interface())
			} else {
				t = append(t, reflect.Zero(cases[i].Chan.Type().Elem()).Interface())
			}
		}
		stack[result] = t
	}
}

func (s *Session) goStatement(interp *ixgo.Interp, in *ssa.Go, r *registers) instruction {
	value, args := register(r.slotOf(in.Call.Value)), r.list(in.Call.Args)
	var bindings []register
	if c, ok := in.Call.Value.(*ssa.MakeClosure); ok {
		bindings = r.list(c.Bindings)
	}
	contexts := contextArgs(&in.Call, r)
	handsOut := false
	if f, ok := in.Call.Value.(*ssa.Function); ok && f.Blocks == nil {
		handsOut = s.handsOut(&in.Call)
	}
	var resolve func(v any) *method
	if in.Call.IsInvoke() {
		resolve = resolver(interp, &in.Call)
	}
	prepare := func(fr *frame) (fn any, values []any) {
		if resolve != nil {
			stack := stackOf(fr)
			if m := resolve(stack[value]); m.of.IsValid() {
				values = append(values, stack[value])
				for _, a := range args {
					values = append(values, stack[a])
				}
				return m.of, values
			}
		}
		return prepareCall(interp, fr, &in.Call, value, args, bindings)
	}
	return func(fr *frame) {
		fn, args := prepare(fr)
		if b, ok := fn.(*ssa.Builtin); ok {
			if f := builtinFunc(b); f != nil {
				fn = f(new(frame))
			}
			switch b.Name() {
			case "panic":
				if args[0] == nil {
					args[0] = new(runtime.PanicNilError)
				}
			case "print", "println":
				for i, t := range basicTypes(interp, &in.Call) {
					args[i] = reflect.ValueOf(args[i]).Convert(t).Interface()
				}
			}
		}
		if isNilFunc(fn) {
			panic(ixgo.RuntimeError("go of nil func value"))
		}
		if handsOut {
			s.handedOut.Store(true)
		}
		g := s.newGoroutine(in.Pos())
		go s.runGoroutine(g, interp, func(root *frame) {
			for _, c := range contexts {
				i := c.arg + len(args) - len(in.Call.Args) // the receiver of an interface method comes first
				args[i] = s.give(c, args[i])
			}
			callDiscardsResult(interp, root, withFrame(fn, root), args, in.Call.Args)
		})
	}
}

func isNilFunc(f any) bool {
	v := reflect.ValueOf(f)
	return v.Kind() == reflect.Func && v.IsNil()
}

func (s *Session) makeSlice(in *ssa.MakeSlice, r *registers, old instruction) instruction {
	length, capacity := r.slotOf(in.Len), r.slotOf(in.Cap)
	elem := in.Type().Underlying().(*types.Slice).Elem()
	if hasTypeParam(elem) {
		return nil
	}
	size := max(1, sizeOf(elem))
	typ := shortType(in.Type())
	return func(fr *frame) {
		switch l, n := count(stackOf(fr)[length]), count(stackOf(fr)[capacity]); {
		case l > mostAddresses/size:
			panic(ixgo.RuntimeError("makeslice: len out of range"))
		case l > n && l > 0, n > mostAddresses/size:
			panic(ixgo.RuntimeError("makeslice: cap out of range"))
		case n > refuseFrom/size && sizeOf(elem) > 0:
			s.memory.refuseMake(typ, n, size)
		}
		old(fr)
	}
}

// mostAddresses is Go's own limit for an allocation, in bytes. No program can allocate more, however large the
// memory is.
const mostAddresses = 1 << 48

// count returns the value of an integer of any type.
func count(v any) int64 {
	n := reflect.ValueOf(v)
	if n.CanUint() {
		return int64(min(n.Uint(), math.MaxInt64))
	}
	return n.Int()
}

// makeChannel returns an instruction that executes old, which makes a channel, and raises Go's own error if its size is out
// of range.
func makeChannel(old instruction) instruction {
	return func(fr *frame) {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(ixgo.RuntimeError); ok {
					size := -1
					_ = make(chan struct{}, size)
				}
				panic(p)
			}
		}()
		old(fr)
	}
}

// alloc returns the instruction that allocates a large array and panics if there is not enough memory. A make with a
// constant size is such an allocation too. For all other allocations alloc returns nil.
func (s *Session) alloc(in *ssa.Alloc, old instruction) instruction {
	a, ok := in.Type().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || !in.Heap || a.Len() < 1<<20 || hasTypeParam(a) {
		return nil
	}
	size := sizeOf(a.Elem())
	if size == 0 || a.Len() <= refuseFrom/size {
		return nil
	}
	typ := "[]" + shortType(a.Elem())
	return func(fr *frame) {
		s.memory.refuseMake(typ, a.Len(), size)
		old(fr)
	}
}

// appendTo returns the instruction for append. If a slice that is already large must grow, the instruction panics if
// there is not enough memory.
func (s *Session) appendTo(in *ssa.Call, r *registers, old instruction) instruction {
	to, more, result := r.slotOf(in.Call.Args[0]), r.slotOf(in.Call.Args[1]), r.slotOf(in)
	return func(fr *frame) {
		stack := stackOf(fr)
		// Handle the usual types without reflection.
		switch xs := stack[to].(type) {
		case []int:
			if ys, ok := stack[more].([]int); ok && cap(xs) < 1<<20 {
				stack[result] = append(xs, ys...)
				return
			}
		case []float64:
			if ys, ok := stack[more].([]float64); ok && cap(xs) < 1<<20 {
				stack[result] = append(xs, ys...)
				return
			}
		case []string:
			if ys, ok := stack[more].([]string); ok && cap(xs) < 1<<20 {
				stack[result] = append(xs, ys...)
				return
			}
		}
		if xs := reflect.ValueOf(stack[to]); xs.Kind() == reflect.Slice && xs.Cap() >= 1<<20 {
			n := int64(xs.Len() + reflect.ValueOf(stack[more]).Len())
			s.memory.beforeAppend(n, int64(xs.Cap()), int64(xs.Type().Elem().Size()))
		}
		old(fr)
	}
}

// A contextArg is an argument that the session replaces in a call of a compiled function: a context.Context, an options
// struct (or a pointer to one) with a field Context of that type, or a test (see placedT).
type contextArg struct {
	arg, reg int
	isField  bool
	isTest   bool
}

func contextArgs(call *ssa.CallCommon, r *registers) (list []contextArg) {
	if f, ok := call.Value.(*ssa.Function); ok && f.Blocks != nil {
		return nil // calls of a cell's functions need no replacement
	}
	if _, ok := call.Value.(*ssa.Builtin); ok {
		return nil
	}
	params := call.Signature().Params()
	receiver := len(call.Args) - params.Len()
	for i := range params.Len() {
		a := contextArg{arg: receiver + i}
		switch t := params.At(i).Type(); {
		case isContext(t):
		case hasContext(t):
			a.isField = true
		case takesTest(t):
			a.isTest = true
		default:
			continue
		}
		a.reg = r.slotOf(call.Args[a.arg])
		list = append(list, a)
	}
	return list
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

// hasContext reports whether t is a struct of compiled code, or a pointer to one, with a field Context of type
// context.Context.
func hasContext(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || isMain(n.Obj()) {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Name() == "Context" && isContext(f.Type()) {
			return true
		}
	}
	return false
}

// give returns what a compiled function gets for one of its arguments, which is described by a, when the cell passes
// the given value. If the cell passes a context, the result is a context that ends when the cell must stop. If it
// passes an options struct, the result is a copy of the struct with such a context. If it passes a test, see placeTest.
func (s *Session) give(a contextArg, given any) any {
	switch {
	case a.isTest:
		return s.placeTest(given)
	case !a.isField:
		return s.stop.contextFor(given)
	}
	v := reflect.ValueOf(given)
	if !v.IsValid() {
		return given
	}
	// The function gets a copy: the cell's own struct must not change.
	t := v.Type()
	isPointer := t.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	c := reflect.New(t)
	switch {
	case !isPointer:
		c.Elem().Set(v)
	case !v.IsNil():
		c.Elem().Set(v.Elem())
	}
	f := c.Elem().FieldByName("Context")
	before := f.Interface()
	now := s.stop.contextFor(before)
	if now == before {
		return given
	}
	f.Set(reflect.ValueOf(now))
	if isPointer {
		return c.Interface()
	}
	return c.Elem().Interface()
}

func (s *Session) call(interp *ixgo.Interp, in *ssa.Call, r *registers, old instruction) instruction {
	if in.Call.IsInvoke() {
		old = s.callMethod(interp, in, r, old)
	}
	switch f := in.Call.Value.(type) {
	case *ssa.Builtin:
		if f.Name() == "append" && len(in.Call.Args) == 2 {
			return s.appendTo(in, r, old)
		}
		switch f.Name() {
		case "delete":
			return s.onMap(in.Call.Args[0], true, r, deleteKey(in, r))
		case "clear":
			return s.onMap(in.Call.Args[0], true, r, old)
		case "recover":
			return recovering(in, r)
		case "Offsetof":
			return s.offsetof(in, r)
		case "print", "println":
			return printed(interp, &in.Call, r, old)
		}
		if f.Name() == "min" || f.Name() == "max" {
			return minMax(in, r)
		}
		return nil
	case *ssa.MakeClosure:
		return nil
	case *ssa.Function:
		if f.Recover != nil {
			return callDeferring(interp, in, r)
		}
		if f.Blocks != nil || f.Pkg != nil && f.Pkg.Pkg.Path() == hostPath {
			return nil
		}
		if isWaitGroupGo(f) {
			return s.waitGroupGo(in, r)
		}
	}
	old = s.callTesting(&in.Call, r, s.callClosure(interp, in, r, old))
	if load, ok := in.Call.Value.(*ssa.UnOp); ok && isHook(load.X) {
		old = s.overHook(old)
	}
	if s.handsOut(&in.Call) {
		old = s.thenHandedOut(old)
	}
	if contexts := contextArgs(&in.Call, r); len(contexts) > 0 {
		old = s.withContexts(contexts, old)
	}
	if callsModule(&in.Call) {
		old = s.inTests(old)
	}
	return func(fr *frame) { s.outside(fr, old) }
}

// printed returns an instruction for a call of print or println for which the interpreter has old. For numbers, booleans
// and strings whose types have methods, old prints what String returns.
func printed(interp *ixgo.Interp, call *ssa.CallCommon, r *registers, old instruction) instruction {
	basic := basicTypes(interp, call)
	if len(basic) == 0 {
		return old
	}
	args := r.list(call.Args)
	return func(fr *frame) {
		stack := stackOf(fr)
		given := slices.Clone(stack)
		for i, t := range basic {
			stack[args[i]] = reflect.ValueOf(given[args[i]]).Convert(t).Interface()
		}
		old(fr)
		for i := range basic {
			stack[args[i]] = given[args[i]]
		}
	}
}

// basicTypes returns the basic types that underlie the types of call's arguments, by argument. It leaves out types
// without methods.
func basicTypes(interp *ixgo.Interp, call *ssa.CallCommon) map[int]reflect.Type {
	basic := map[int]reflect.Type{}
	for i, x := range call.Args {
		if b, ok := x.Type().Underlying().(*types.Basic); ok && types.NewMethodSet(x.Type()).Len() > 0 {
			basic[i] = toType(interp, b)
		}
	}
	return basic
}

// withContexts returns an instruction that makes the given call, but with other values for the arguments listed in
// contexts. In these values, the contexts end when the cell must stop.
func (s *Session) withContexts(contexts []contextArg, call instruction) instruction {
	return func(fr *frame) {
		stack := stackOf(fr)
		given := make([]any, len(contexts))
		for i, c := range contexts {
			given[i] = stack[c.reg]
			stack[c.reg] = s.give(c, given[i])
		}
		call(fr)
		for i, c := range contexts {
			stack[c.reg] = given[i]
		}
	}
}

// outside executes an instruction of the frame fr that calls compiled code. Before the call, it ends the goroutine if
// its stack is too deep. After the call, it ends the goroutine if the cell must stop.
func (s *Session) outside(fr *frame, call instruction) {
	returned := false
	defer func() {
		if !returned {
			s.crossings.back(fr)
			s.stop.callAborted(fr)
		}
	}()
	keepShallow()
	if stackUsed() > deepest {
		s.overflow(fr)
	}
	call(fr)
	returned = true
	breatheIfDue()
	if s.stop.told.Load() != 0 {
		s.stop.poll(fr)
	}
}

func isWaitGroupGo(f *ssa.Function) bool { return f.String() == "(*sync.WaitGroup).Go" }

// waitGroupGo implements wg.Go(f); the goroutine is treated like any other goroutine of the cell.
func (s *Session) waitGroupGo(in *ssa.Call, r *registers) instruction {
	if len(in.Call.Args) != 2 {
		return nil
	}
	group, what := r.slotOf(in.Call.Args[0]), r.slotOf(in.Call.Args[1])
	return func(fr *frame) {
		wg, isGroup := stackOf(fr)[group].(interface {
			Add(int)
			Done()
		})
		f, isFunc := stackOf(fr)[what].(func())
		if !isGroup || !isFunc {
			panic(fmt.Sprintf("sync: %T.Go(%T)", stackOf(fr)[group], stackOf(fr)[what]))
		}
		g := s.newGoroutine(in.Pos())
		interp := field[*ixgo.Interp](unsafe.Pointer(fr), layout.interp)
		wg.Add(1)
		go func() {
			defer s.done(g, wg.Done) // after a panic has been reported
			s.runGoroutine(g, interp, func(*frame) { f() })
		}()
	}
}

// done executes, for the goroutine g, the function passed as done, which is the Done method of a WaitGroup. That
// method panics if the group has been reset to zero because the cell that declares it was run again. The panic is
// reported as a panic of g.
func (s *Session) done(g *goroutine, done func()) {
	defer func() {
		if p := recover(); p != nil {
			s.tellEnd(g, s.panicked(p, g.root))
		}
	}()
	done()
}

var _ context.Context = (*cellContext)(nil)

// A hiddenConst is a constant that the interpreter treats as a variable. When the interpreter builds a program, it
// evaluates operations on constants and fails if one of them panics. But x := -1; 1 << x must panic at run time. When
// building, the interpreter also converts constants by reflection, which refuses to convert the zero value of a
// compiled struct to a type declared as that struct.
type hiddenConst struct{ *ssa.Const }

// hideConstants hides the constants in the operations that may fail for the reasons given at hiddenConst. It
// reports whether there are such constants.
func hideConstants(pkg *ssa.Package) (any bool) {
	for f := range ssautil.AllFunctions(pkg.Prog) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if op, ok := in.(*ssa.ChangeType); ok {
					if x, isConst := op.X.(*ssa.Const); isConst && x.Value == nil {
						op.X, any = hiddenConst{x}, true
					}
					continue
				}
				op, ok := in.(*ssa.BinOp)
				if !ok {
					continue
				}
				x, isConst := op.X.(*ssa.Const)
				y, both := op.Y.(*ssa.Const)
				if !isConst || !both || y.Value == nil {
					continue
				}
				bad := false
				switch op.Op {
				case token.SHL, token.SHR:
					bad = constant.Sign(y.Value) < 0
				case token.QUO, token.REM:
					bad = constant.Sign(y.Value) == 0
				}
				if bad {
					op.X, any = hiddenConst{x}, true
				}
			}
		}
	}
	return any
}
