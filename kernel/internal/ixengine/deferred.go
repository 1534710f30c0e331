package ixengine

import (
	"go/constant"
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// Defer statements.

// dropWhenRun returns a replacement for an instruction that executes a defer statement. With it, a deferred call that
// is running is no longer in the list of deferred calls. The interpreter itself keeps the list as it is until all calls
// have run. If a call ended the goroutine, as (*testing.T).Fatal does, the list would then run again, from this call
// on, without end. So the replacement defers a second call, which runs before the statement's and drops both from the
// list.
func dropWhenRun(in *ssa.Defer, r *registers, statement instruction) instruction {
	list := deferredList(in, r)
	return func(fr *frame) {
		statement(fr)
		list := list(fr)
		call := *list
		made := reflect.New(deferLayout.typ).UnsafePointer()
		setField[any](made, deferLayout.fn, func() {
			*list = field[unsafe.Pointer](call, deferLayout.tail)
			forgetCallee(fr)
		})
		setField(made, deferLayout.tail, call)
		*list = made
	}
}

// forgetCallee is called when a deferred call of fr begins. If fr is panicking, the interpreter has already recorded
// the positions of the calls that the panic ended. It would record them again in the caller of fr if it still found
// them below fr.
func forgetCallee(fr *frame) { setField[*frame](unsafe.Pointer(fr), layout.callee, nil) }

// deferred returns a replacement for old, the interpreter's instruction for a defer statement. It returns old if that
// needs no replacement.
func (s *Session) deferred(interp *ixgo.Interp, in *ssa.Defer, r *registers, old instruction) instruction {
	list := deferredList(in, r) // when old has run, *list(fr) is the call that the statement has deferred
	switch f := in.Call.Value.(type) {
	case *ssa.MakeClosure:
		return old
	case *ssa.Function:
		if f.Blocks != nil {
			return old
		}
		callsBack := takesFunc(f.Signature)
		return func(fr *frame) {
			old(fr)
			call := *list(fr)
			setField(call, deferLayout.fn, withFrame(field[any](call, deferLayout.fn), fr))
			if callsBack {
				replaceDeferred(call, hidePanic(interp))
			}
		}
	case *ssa.Builtin:
		switch f.Name() {
		case "panic":
			return panicWithValue(in.Call.Args[0], r, old)
		case "print", "println":
			return printed(interp, &in.Call, r, old)
		}
		fn := builtinFunc(f)
		if fn == nil {
			return old
		}
		return func(fr *frame) {
			old(fr)
			setField(*list(fr), deferLayout.fn, fn(fr))
		}
	}
	value := r.slotOf(in.Call.Value)
	if in.Call.IsInvoke() {
		return func(fr *frame) {
			v := stackOf(fr)[value]
			s.introduce(interp, v)
			old(fr)
			by := hidePanic(interp)
			if madeWithMethods(reflect.TypeOf(v)) {
				by = s.handOverPanic(interp)
			}
			replaceDeferred(*list(fr), by)
		}
	}
	return func(fr *frame) {
		old(fr)
		f := stackOf(fr)[value]
		switch {
		case isNilFunc(f): // the deferred call panics, not the defer statement
			setField[any](*list(fr), deferLayout.fn, reflect.MakeFunc(reflect.TypeOf(f), func([]reflect.Value) []reflect.Value {
				panic(nilPointer)
			}))
		case !isOwn(interp, f):
			setField[any](*list(fr), deferLayout.fn, replaced(reflect.ValueOf(f), s.handOverPanic(interp)))
		}
	}
}

// callDeferring returns an instruction that makes the given call. The called function belongs to interp's program and
// has deferred calls. The interpreter's instruction for a recursive function was made before the interpreter knew of
// the deferred calls. With that instruction, a panic would not run them.
func callDeferring(interp *ixgo.Interp, in *ssa.Call, r *registers) instruction {
	args, result := r.list(in.Call.Args), register(r.index[in]&0xffffff) // the result is unused if there is none
	fn := field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(interp), layout.funcs)[in.Call.StaticCallee()]
	return func(fr *frame) { callFunctionByStackWithEnv(interp, fr, fn, result, args, nil) }
}

// takesFunc reports whether a compiled function with the signature sig may call functions that it is given: it has a
// func or interface parameter, or is a method of package reflect.
func takesFunc(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		switch p.Type().Underlying().(type) {
		case *types.Signature, *types.Interface:
			return true
		}
	}
	return sig.Recv() != nil && strings.HasPrefix(sig.Recv().Type().String(), "reflect.")
}

// replaceDeferred changes a deferred call so that it runs by(call), where call is a function that calls the deferred
// function. If the deferred function is declared in the program itself, replaceDeferred changes nothing.
func replaceDeferred(deferred unsafe.Pointer, by func(call func())) {
	if f, ok := field[any](deferred, deferLayout.fn).(reflect.Value); ok {
		setField[any](deferred, deferLayout.fn, replaced(f, by))
	}
}

// withFrame returns the function that a go or defer statement must call in place of fn. Some functions that replace
// compiled functions, for example the replacement of debug.PrintStack, take the calling frame as their first argument.
// In a plain call the interpreter passes that frame; in a go or defer statement the returned function passes fr. Any
// other fn is returned as it is.
func withFrame(fn any, fr *frame) any {
	f, ok := fn.(reflect.Value)
	if !ok || f.Kind() != reflect.Func || f.Type().NumIn() == 0 || f.Type().In(0) != reflect.TypeFor[*frame]() {
		return fn
	}
	t := f.Type()
	call := f.Call
	if t.IsVariadic() {
		call = f.CallSlice
	}
	in, out := slices.Collect(t.Ins()), slices.Collect(t.Outs())
	return reflect.MakeFunc(reflect.FuncOf(in[1:], out, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		return call(append([]reflect.Value{reflect.ValueOf(fr)}, args...))
	})
}

// replaced returns a function of the same type as f. The returned function runs by(call), where call is a function that
// calls f with the arguments of the returned function.
func replaced(f reflect.Value, by func(call func())) reflect.Value {
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) (results []reflect.Value) {
		by(func() { results = call(args) })
		return results
	})
}

// deferredList returns a function that finds the list to which a defer statement adds its call. The list is in the frame
// or, for a statement in the body of a loop over a function, in the frame of the enclosing function.
func deferredList(in *ssa.Defer, r *registers) func(fr *frame) *unsafe.Pointer {
	if in.DeferStack == nil {
		return func(fr *frame) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(fr), deferred)) }
	}
	list := r.slotOf(in.DeferStack)
	return func(fr *frame) *unsafe.Pointer { return (*unsafe.Pointer)(dataOf(stackOf(fr)[list])) }
}

// builtinFunc returns a function that, given a frame, returns the function to use in place of the builtin b in a defer
// or go statement. It returns nil if the interpreter handles b correctly.
func builtinFunc(b *ssa.Builtin) func(fr *frame) any {
	switch b.Name() {
	case "delete":
		return func(*frame) any { return deleteFrom }
	case "clear":
		return func(*frame) any { return func(x any) { reflect.ValueOf(x).Clear() } }
	case "recover":
		return func(fr *frame) any { return func() { recoverIn(fr) } }
	}
	return nil
}

// rangePanics maps the panics that the SSA builder puts into range-over-func loops to those that Go raises. The
// builder's panic values are not errors, and do not tell how the loop ended.
var rangePanics = map[string]ixgo.RuntimeError{
	"yield function called after range loop exit": "range function continued iteration after loop exit",
	"iterator call did not preserve panic":        "range function recovered a loop body panic and did not resume panicking",
}

// rangePanic reports whether the instruction is a panic that the SSA builder has added to a loop over a function. If
// so, e is the error with which compiled Go panics there.
func rangePanic(in *ssa.Panic) (e ixgo.RuntimeError, ok bool) {
	made, isMade := in.X.(*ssa.MakeInterface)
	if !isMade || in.Pos().IsValid() {
		return "", false
	}
	text, isConst := made.X.(*ssa.Const)
	if !isConst || text.Value == nil || text.Value.Kind() != constant.String {
		return "", false
	}
	e, ok = rangePanics[constant.StringVal(text.Value)]
	return e, ok
}

// raise returns a replacement for an instruction that panics with x. The interpreter's own instruction records the
// stack, which takes a thousand times as long as the panic; the engine finds the position in the frames instead, as for
// run-time errors.
func raise(x ssa.Value, r *registers) instruction {
	value := r.slotOf(x)
	return func(fr *frame) {
		p := stackOf(fr)[value]
		if p == nil {
			p = new(runtime.PanicNilError)
		}
		panic(p)
	}
}

// panicWithValue returns a replacement for an instruction that defers a panic with x. If the value of x at run time is
// nil, the deferred panic has a *runtime.PanicNilError as its value, as in Go.
func panicWithValue(x ssa.Value, r *registers, old instruction) instruction {
	value := r.slotOf(x)
	return func(fr *frame) {
		stack := stackOf(fr)
		if stack[value] == nil {
			stack[value] = new(runtime.PanicNilError)
			defer func() { stack[value] = nil }()
		}
		old(fr)
	}
}
