package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Calls of compiled functions. Package rt passes the arguments from registers.

//go:linkname findExternFunc github.com/goplus/ixgo.findExternFunc
func findExternFunc(interp *ixgo.Interp, fn *ssa.Function) (ext reflect.Value, ok bool)

// calleeOf returns the callee and the type of f, a compiled function, for the given call of f. The callee's registers
// are not set yet. calleeOf returns nil if only the interpreter can make the call.
func (p *fastProgram) calleeOf(call *ssa.CallCommon, f *ssa.Function) (*rt.Callee, reflect.Type) {
	if f.Pkg == nil || f.Pkg.Pkg.Path() == hostPath || ofTesting(f.Pkg.Pkg) || isWaitGroupGo(f) {
		return nil, nil
	}
	ext, ok := findExternFunc(p.interp, f)
	if !ok || !p.isCallOf(call, ext.Type()) || p.passesBoxes(call) {
		return nil, nil
	}
	return rt.CalleeOf(ext), ext.Type()
}

// callCompiled compiles a call of f, which is a compiled function.
func (c *fastCompiler) callCompiled(in *ssa.Call, f *ssa.Function) bool {
	callee, _ := c.calleeOf(&in.Call, f)
	var k rc.Call
	if callee == nil || !c.passes(&k, in, nil) {
		return false
	}
	if c.matrixMethod(in, f) {
		return true
	}
	o, ok := c.outsideCall(in, &k)
	if !ok {
		return false
	}
	callee.ArgN, callee.ArgP, callee.ResN, callee.ResP = k.ArgN, k.ArgP, k.ResN, k.ResP
	o.isQuick = slices.Contains(plain, f.Pkg.Pkg.Path()) || slices.Contains(quick, f.Pkg.Pkg.Path()) || formatsInMemory(in, f) || isArithmetic(f)
	site := c.ownSite(in, func(at here, n *rc.N, p *rc.P) bool {
		if o.isDeferring(at) {
			return false
		}
		o.do(at, n, p, func() { callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p)) })
		return true
	})
	if onlyComputes(f) && !breathing {
		c.help(func(n *rc.N, p *rc.P) bool { return attempt(callee, n, p) }, site)
	} else {
		c.emit(rc.Op{Code: rc.OpDo, To: site})
	}
	return true
}

// passesBoxes reports whether an argument or result of a call has a boxed part, that is, a part for which a register
// holds only the address of a copy. Register code cannot call such a compiled function itself, because the function
// expects the part in another form.
func (p *fastProgram) passesBoxes(call *ssa.CallCommon) bool {
	hasBox := func(t types.Type) bool {
		sh := p.shapes.get(t)
		return sh == nil || sh.hasBox()
	}
	return hasBox(call.Signature().Results()) || slices.ContainsFunc(call.Args, func(v ssa.Value) bool { return hasBox(v.Type()) })
}

// An outsideCall makes a call of compiled code, and does what the session needs before and after it. For example, it
// stops the goroutine if the cell is to stop, and replaces contexts among the arguments.
type outsideCall struct {
	*fastProgram
	isQuick  bool // the function returns soon, so the call needs no frame that shows where the cell is
	deferred bool // the call was deferred, and is made even if the goroutine must stop
	handsOut bool
	ofModule bool // see callsModule
	contexts []contextPassage
}

// A contextPassage describes an argument that is a context, or options with a context, and that the session replaces.
// from describes the registers of the argument; to describes those of its replacement.
type contextPassage struct {
	contextArg
	from, to *passage
}

// outsideCall returns the outsideCall for the given call, whose registers are in k. For arguments that the session
// replaces, it changes the registers in k. It returns false if there are not enough temporary registers for the
// replacements.
func (c *fastCompiler) outsideCall(in *ssa.Call, k *rc.Call) (o *outsideCall, ok bool) {
	o = &outsideCall{fastProgram: c.fastProgram, handsOut: c.session.handsOut(&in.Call), ofModule: callsModule(&in.Call)}
	list := contextArgs(&in.Call, &registers{index: c.index, ok: true})
	if len(list) == 0 {
		return o, true
	}
	k.ArgN, k.ArgP = nil, nil
	var temps counter
	for i, v := range in.Call.Args {
		regs, sh := c.all(v), c.shapes.get(v.Type())
		for _, a := range list {
			if a.arg != i {
				continue
			}
			to := temps.take(sh)
			if max(temps.n, temps.p) > temporaries {
				return nil, false
			}
			for j, l := range sh.leaves {
				to[j] = c.temp(l.isP(), to[j])
			}
			t := c.rtype(v.Type())
			o.contexts = append(o.contexts, contextPassage{a, newPassage(sh, 0, regs, t), newPassage(sh, 0, to, t)})
			regs = to
		}
		k.ArgN, k.ArgP = sh.split(regs, k.ArgN, k.ArgP)
	}
	return o, true
}

// isDeferring reports whether the goroutine executes deferred calls in the interpreter. If so, the interpreter must
// make the call, because it also records the frame from which compiled code calls back into cells.
func (o *outsideCall) isDeferring(at here) bool {
	return deferring(o.interp) && field[uint64](unsafe.Pointer(at.frame()), layout.deferid) != 0
}

// do executes call(), which calls compiled code from the site loc. Before and after call(), do does what the session
// needs. n and p are the registers of the caller.
func (o *outsideCall) do(loc here, n *rc.N, p *rc.P, call func()) {
	s := o.session
	if !o.isQuick {
		loc.frame()
	} else if !o.deferred && s.stop.told.Load() != 0 { // not after the call: a lock must not be left locked before its unlock is deferred
		s.stop.poll(loc.frame())
	}
	if o.handsOut {
		s.handedOut.Store(true)
	}
	for _, c := range o.contexts {
		c.to.unbox(s.give(c.contextArg, c.from.box(n, p)), n, p)
	}
	if o.ofModule && s.tests.running.Load() {
		defer s.tests.calling(loc.frame())()
	}
	returned := false
	defer func() {
		if !returned {
			fr := loc.frame()
			s.crossings.back(fr)
			s.stop.callAborted(fr)
		}
	}()
	keepShallow()
	if stackUsed() > deepest {
		s.overflow(loc.frame())
	}
	call()
	returned = true
	breatheIfDue()
	if !o.isQuick && s.stop.told.Load() != 0 {
		s.stop.poll(loc.frame())
	}
}

// deferring reports whether some goroutine executes deferred calls of interp's program in the interpreter.
func deferring(interp *ixgo.Interp) bool {
	return atomic.LoadInt32(deferCount(interp)) != 0
}

// deferCount returns the address of the number of goroutines that execute deferred calls of interp's program.
func deferCount(interp *ixgo.Interp) *int32 {
	return (*int32)(unsafe.Add(unsafe.Pointer(interp), layout.deferCount))
}

// attempt calls a function that only computes (see the variable called plain), and reports whether the function has
// returned. It recovers a panic: as the function has had no effect, the caller can call it again, with a frame, and let
// that call panic.
func attempt(callee *rt.Callee, n *rc.N, p *rc.P) (done bool) {
	defer func() {
		if !done {
			_ = recover()
		}
	}()
	callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p))
	return true
}

// The list plain contains packages whose functions only compute unless they are passed functions or
// interfaces. The list plainTypes contains types in these packages whose methods only compute. A function
// that only computes calls no code of cells, does not wait, and has no effect before it panics.
var (
	plain      = []string{"bytes", "math", "math/bits", "math/cmplx", "strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8"}
	plainTypes = []string{"*bytes.Buffer", "*strings.Builder"}
)

// quick lists further packages whose functions return soon, or wait in such a way that an interrupt ends the wait.
var quick = []string{"errors", "math/rand", "math/rand/v2", "sync", "sync/atomic", "time"}

// isArithmetic reports whether f is a function of package math/big that returns soon, unless the numbers have millions of
// digits.
func isArithmetic(f *ssa.Function) bool {
	return f.Pkg.Pkg.Path() == "math/big" && slices.Contains([]string{"NewInt", "NewRat", "NewFloat", "Abs", "Add", "And", "AndNot", "Bit", "BitLen", "Cmp",
		"CmpAbs", "Div", "DivMod", "Float64", "Int64", "IsInt64", "IsUint64", "Lsh", "Mod", "Mul", "Neg", "Not", "Or", "Quo", "QuoRem", "Rem", "Rsh", "Set",
		"SetBit", "SetFrac", "SetFrac64", "SetInt", "SetInt64", "SetUint64", "Sign", "Sub", "TrailingZeroBits", "Uint64", "Xor"}, f.Name())
}

// formatsInMemory reports whether in, a call of f, formats values with package fmt and writes the text to memory. Such a
// call is quick: it waits for no reader and no writer.
func formatsInMemory(in *ssa.Call, f *ssa.Function) bool {
	if f.Pkg.Pkg.Path() != "fmt" {
		return false
	}
	switch f.Name() {
	case "Sprint", "Sprintf", "Sprintln", "Append", "Appendf", "Appendln", "Errorf":
		return true
	case "Fprint", "Fprintf", "Fprintln":
		w, ok := in.Call.Args[0].(*ssa.MakeInterface)
		return ok && slices.Contains(plainTypes, w.X.Type().String())
	}
	return false
}

// onlyComputes reports whether f only computes; see plain.
func onlyComputes(f *ssa.Function) bool {
	if !slices.Contains(plain, f.Pkg.Pkg.Path()) {
		return false
	}
	if r := f.Signature.Recv(); r != nil && !slices.Contains(plainTypes, r.Type().String()) {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(f.Signature.Params().Variables()), func(v *types.Var) bool {
		switch u := v.Type().Underlying().(type) {
		case *types.Basic:
			return false
		case *types.Slice:
			_, isBasic := u.Elem().Underlying().(*types.Basic)
			return !isBasic
		}
		return true
	})
}

// isCallOf reports whether the arguments and results of a call have exactly the types that the function type t gives
// them.
func (p *fastProgram) isCallOf(call *ssa.CallCommon, t reflect.Type) bool {
	results := call.Signature().Results()
	if t.NumIn() != len(call.Args) || t.NumOut() != results.Len() {
		return false
	}
	for i, v := range call.Args {
		if p.rtype(v.Type()) != t.In(i) {
			return false
		}
	}
	for i := range results.Len() {
		if p.rtype(results.At(i).Type()) != t.Out(i) {
			return false
		}
	}
	return true
}
