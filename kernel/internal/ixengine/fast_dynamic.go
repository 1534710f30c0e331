package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Calls of functions that are known only at run time: func values and interface methods.

// callValue compiles a call of a func value.
func (c *fastCompiler) callValue(in *ssa.Call) bool {
	k := rc.Call{Closure: c.fastProgram.closureFor, Layout: funcLayout}
	if !c.has(in.Call.Value) || !c.passes(&k, in, nil) {
		return false
	}
	c.emitCall(k, rc.Op{Code: rc.OpCallFunc, A: c.reg(in.Call.Value)}, in)
	return true
}

// funcLayout describes the func values that fastClosure.value makes with a wrapper.
var funcLayout = &rc.FuncLayout{
	Is:     func(code uint64) bool { return rt.IsWrapper(uintptr(code)) },
	Target: rt.TargetAt,
	Func:   int32(unsafe.Offsetof(fastClosure{}.Closure) + unsafe.Offsetof(rc.Closure{}.Func)),
	N:      int32(unsafe.Offsetof(fastClosure{}.Closure) + unsafe.Offsetof(rc.Closure{}.N)),
	P:      int32(unsafe.Offsetof(fastClosure{}.Closure) + unsafe.Offsetof(rc.Closure{}.P)),
}

// closureFor returns the closure that register code of p runs when it calls the func value fn, or nil if the
// interpreter must make the call.
func (p *fastProgram) closureFor(fn unsafe.Pointer) *rc.Closure {
	c := closureOf(fn)
	if c == nil || c.fn.session != p.session || !c.fn.ready() {
		return nil
	}
	return &c.Closure
}

// invoke compiles a call of an interface method.
func (c *fastCompiler) invoke(in *ssa.Call) bool {
	p, name := c.fastProgram, in.Call.Method.Id()
	k := rc.Call{Methods: &rc.Methods{Find: func(t unsafe.Pointer) *rc.Method { return p.method(t, name) }}}
	if !c.has(in.Call.Value) || !c.passes(&k, in, nil) {
		return false
	}
	value := c.all(in.Call.Value)
	op := rc.Op{Code: rc.OpCallMethod, A: value[0], B: value[1], Or: int32(len(c.code.Calls))}
	c.code.Calls = append(c.code.Calls, k)
	if outside := c.invokeOutside(in, k); outside != nil {
		op.To = c.ownSite(in, outside)
	} else {
		op.To = c.site(in)
	}
	c.emit(op)
	return true
}

// invokeOutside returns the function that makes a call of an interface method at its site. The call's registers are in
// k. The function makes the call if the dynamic type is a compiled type, and otherwise returns false. invokeOutside
// returns nil if only the interpreter can make the call.
func (c *fastCompiler) invokeOutside(in *ssa.Call, k rc.Call) ownSite {
	iface := c.rtype(in.Call.Value.Type())
	if iface == nil {
		return nil
	}
	i := slices.IndexFunc(slices.Collect(iface.Methods()), func(m reflect.Method) bool {
		return m.Name == in.Call.Method.Name() && (m.PkgPath == "" || m.PkgPath == in.Call.Method.Pkg().Path())
	})
	if i < 0 {
		return nil
	}
	m := rt.MethodOf(iface, i)
	if m == nil || c.passesBoxes(&in.Call) || !c.isCallOf(&in.Call, iface.Method(i).Type) {
		return nil
	}
	o, ok := c.outsideCall(in, &k)
	if !ok {
		return nil
	}
	value := c.all(in.Call.Value)
	m.ArgN, m.ArgP, m.ResN, m.ResP = k.ArgN, append([]uint16{value[1]}, k.ArgP...), k.ResN, k.ResP
	t := value[0]
	var last atomic.Pointer[outsideType]
	invoke := func(at here, n *rc.N, p *rc.P) bool {
		x := last.Load()
		if x == nil || x.t != p[t] {
			if p[t] == nil {
				return false
			}
			x = &outsideType{t: p[t], compiled: isCompiled(rt.TypeOf(p[t]))}
			last.Store(x)
		}
		if !x.compiled || o.isDeferring(at) {
			return false
		}
		o.do(at, n, p, func() { m.Call(p[t], (*rt.Numbers)(n), (*rt.Pointers)(p)) })
		return true
	}
	if !networkWaits[in.Call.Method.FullName()] {
		return invoke
	}
	return func(at here, n *rc.N, p *rc.P) bool {
		if p[t] != nil && isCompiled(rt.TypeOf(p[t])) {
			receiver := [2]unsafe.Pointer{p[t], p[value[1]]}
			defer o.session.awaitNetwork(*(*any)(unsafe.Pointer(&receiver)))()
		}
		return invoke(at, n, p)
	}
}

// An outsideType is a dynamic type, given by its type word, and the result of isCompiled for it.
type outsideType struct {
	t        rt.Type
	compiled bool
}

// isCompiled reports whether the methods of t are compiled functions that register code may call. It returns false for
// the types of package testing: the interpreter must call their methods, because it adds the positions in cells to
// what they log; see callTesting.
func isCompiled(t reflect.Type) bool {
	named := t
	if t.Kind() == reflect.Pointer {
		named = t.Elem()
	}
	return !madeWithMethods(t) && named.PkgPath() != "testing"
}

// method returns a type's method with the given id, for calls by register code of p. t is the type word. method returns
// nil if no program of the session has made the type, or if register code cannot call the method.
func (p *fastProgram) method(t unsafe.Pointer, id string) *rc.Method {
	p.methodsMu.Lock()
	defer p.methodsMu.Unlock()
	key := methodKey{t, id}
	f, known := p.methods[key]
	if !known {
		f.fn = p.findMethod(rt.TypeOf(t), id)
		p.methods[key] = f
	}
	if f.fn == nil || !f.fn.ready() {
		return nil
	}
	if f.method == nil {
		f.method = methodOf(t, f.fn)
		p.methods[key] = f
	}
	return f.method
}

// A fastMethod is a method of a type. Its field method, the form for register code, is set once the method
// has code.
type fastMethod struct {
	fn     *fastFunc
	method *rc.Method
}

// methodOf returns the regcode.Method for f, a method of type t.
func methodOf(t unsafe.Pointer, f *fastFunc) *rc.Method {
	m := &rc.Method{Type: t, Func: &f.Func}
	if rt.IsDirect(rt.TypeOf(t)) {
		m.NP = 1
		return m
	}
	sh := f.shapes.get(f.f.Params[0].Type())
	var regs counter
	x := newPassage(sh, 0, regs.take(sh), rt.TypeOf(t))
	m.NN, m.NP, m.Load = int(regs.n), int(regs.p), x.load
	if slices.ContainsFunc(sh.leaves, func(l leaf) bool { return l.isBox }) {
		return m
	}
	m.Fields = []rc.Field{}
	hasItabs := false
	for i, l := range sh.leaves {
		f := rc.Field{Code: widen(rc.OpLoad8, l.kind), Offset: int32(l.offset), Register: x.regs[i]}
		if l.itab {
			f.Itabs, f.TypeAt, hasItabs = new(rc.Itabs), rt.ItabTypeAt, true
		}
		m.Fields = append(m.Fields, f)
	}
	if hasItabs {
		m.Load = func(from unsafe.Pointer, n *rc.N, p *rc.P) {
			x.load(from, n, p)
			for _, f := range m.Fields {
				if f.Itabs != nil {
					f.Itabs.TypeOf(*(*unsafe.Pointer)(unsafe.Add(from, f.Offset)), f.TypeAt)
				}
			}
		}
	}
	return m
}

type methodKey struct {
	t  unsafe.Pointer
	id string
}

// findMethod returns the method of t with the given id, or nil if no program of the session has made the type t.
func (p *fastProgram) findMethod(t reflect.Type, id string) *fastFunc {
	for q := range p.session.fastPrograms.all() {
		for _, f := range own(q.interp, t) {
			if methodID(f) == id {
				return q.known[f]
			}
		}
	}
	return nil
}

// methodID returns an identifier that is unique among the methods of a type.
func methodID(f *ssa.Function) string {
	if o, ok := f.Object().(*types.Func); ok {
		return o.Id()
	}
	return f.Name()
}

// passes puts into k the registers of the call's arguments, of the captured values and of the results. It returns false
// if one of these values cannot be in registers.
func (c *fastCompiler) passes(k *rc.Call, in *ssa.Call, bindings []ssa.Value) bool {
	sh := c.shapes.get(in.Type())
	if sh == nil || !c.has(in) || !c.has(in.Call.Args...) || !c.has(bindings...) {
		return false
	}
	for _, v := range in.Call.Args {
		k.ArgN, k.ArgP = c.split(v, k.ArgN, k.ArgP)
	}
	for _, v := range bindings {
		k.ArgN, k.ArgP = c.split(v, k.ArgN, k.ArgP)
	}
	k.ResN, k.ResP = c.split(in, nil, nil)
	return true
}

func (c *fastCompiler) emitCall(k rc.Call, op rc.Op, in *ssa.Call) {
	c.code.Calls = append(c.code.Calls, k)
	op.Or, op.To = int32(len(c.code.Calls)-1), c.site(in)
	c.emit(op)
}
