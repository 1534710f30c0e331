package native

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// A callable is a function that random programs call: directly, as a func value that has captured values, or as a
// method of an interface whose receiver is a pointer or consists of fields of a node.
type callable struct {
	*maker
	kind callKind
	f    rc.Func
	code *rc.Code
	// value and other are func values, typ and noType are types. The host does not know other and noType.
	value, other *funcValue
	typ, noType  *uint64
	itab, noItab *[2]unsafe.Pointer
	data         *node // receiver
}

type callKind int

const (
	direct callKind = iota
	closure
	pointerMethod
	fieldsMethod
	callKinds
)

// A funcValue has the form of the engine's func values.
type funcValue struct {
	word   uint64
	target *struct {
		some [3]uint64
		rc.Closure
	}
}

const (
	goodWord  = 0x1234567890
	otherWord = 0x1234567891
)

var funcLayout = &rc.FuncLayout{
	Is:     func(word uint64) bool { return word == goodWord },
	Target: int32(unsafe.Offsetof(funcValue{}.target)),
	Func:   24 + int32(unsafe.Offsetof(rc.Closure{}.Func)),
	N:      24 + int32(unsafe.Offsetof(rc.Closure{}.N)),
	P:      24 + int32(unsafe.Offsetof(rc.Closure{}.P)),
}

// callables makes functions. Each may call the earlier ones.
func callables(r *rand.Rand, sites *[]func(*rc.Machine, func(...any))) (list []*callable) {
	for range 5 {
		f := &callable{maker: newMaker(r), kind: callKind(r.IntN(int(callKinds)))}
		f.sites, f.fn, f.callees = sites, f, list
		f.typ, f.noType = new(uint64), new(uint64)
		f.itab, f.noItab = &[2]unsafe.Pointer{nil, unsafe.Pointer(f.typ)}, &[2]unsafe.Pointer{nil, unsafe.Pointer(f.noType)}
		f.value, f.other = &funcValue{word: goodWord}, &funcValue{word: otherWord}
		f.data = new(node)
		f.make()
		list = append(list, f)
	}
	return list
}

// words returns the constants that calls of f need.
func (f *callable) words() []unsafe.Pointer {
	return []unsafe.Pointer{unsafe.Pointer(f.value), unsafe.Pointer(f.other), unsafe.Pointer(f.typ), unsafe.Pointer(f.noType),
		unsafe.Pointer(f.itab), unsafe.Pointer(f.noItab), unsafe.Pointer(f.data)}
}

// make makes the function's code.
func (f *callable) make() {
	k := f.maker
	switch f.kind {
	case pointerMethod:
		k.nodes = append(k.nodes, k.p())
	case fieldsMethod:
		k.made(whole)
		k.made(double)
		k.nodes = append(k.nodes, k.p())
	}
	k.parameters()
	if f.kind == closure {
		k.made(double)
		k.made(whole)
		k.nodes = append(k.nodes, k.p())
	}
	k.code.ParamsP = k.code.NP
	k.constants()
	k.statements(3)
	d, n, p := k.number(double), k.number(whole), k.nodes[k.r.IntN(len(k.nodes))]
	k.op(rc.Op{Code: rc.OpMove, D: 0, A: d})
	k.op(rc.Op{Code: rc.OpMove, D: 1, A: n})
	k.op(rc.Op{Code: rc.OpMoveP, D: 0, A: p})
	k.op(rc.Op{Code: rc.OpReturn})
	f.code = k.code
}

// reset gives the function and its func values their initial state.
func (f *callable) reset() {
	f.f.Name = "callable"
	f.f.Code.Store(fresh(f.code))
	*f.data = node{i: 5, f: 0.5, next: &node{i: 6, f: 1.25}}
	for _, v := range []*funcValue{f.value, f.other} {
		v.target = &struct {
			some [3]uint64
			rc.Closure
		}{Closure: rc.Closure{Func: &f.f, N: []uint64{math.Float64bits(2.5), 4}, P: []unsafe.Pointer{unsafe.Pointer(f.data)}}}
	}
}

// call appends a call of f with random arguments.
func (k *maker) call(f *callable) {
	c := rc.Call{}
	for _, l := range elements {
		var same []list
		for _, o := range k.lists {
			if o.at == l.at && o.class == l.class {
				same = append(same, o)
			}
		}
		o := same[k.r.IntN(len(same))]
		c.ArgP, c.ArgN = append(c.ArgP, o.p), append(c.ArgN, o.n)
	}
	c.ArgP, c.ArgN = append(c.ArgP, k.rows[0].p), append(c.ArgN, k.rows[0].n)
	c.ArgP = append(c.ArgP, k.nodes[k.r.IntN(len(k.nodes))], k.arrays[k.r.IntN(len(k.arrays))])
	op := rc.Op{Or: int32(len(k.code.Calls))}
	switch f.kind {
	case direct:
		op.Code, c.Func = rc.OpCallOf, &f.f
	case closure:
		op.Code, c.Layout = rc.OpCallFunc, funcLayout
		c.Closure = func(fn unsafe.Pointer) *rc.Closure {
			if fn == nil || f.f.Code.Load() == nil {
				return nil
			}
			return &(*funcValue)(fn).target.Closure
		}
		op.A = k.choose(unsafe.Pointer(f.value), unsafe.Pointer(f.other))
	default:
		op.Code = rc.OpCallMethod
		c.Methods = &rc.Methods{Find: f.method}
		if op.B = k.constantP(unsafe.Pointer(f.data)); f.kind == pointerMethod {
			op.B = k.nodes[k.r.IntN(len(k.nodes))]
		}
		if k.r.IntN(2) == 0 {
			op.A = k.choose(unsafe.Pointer(f.typ), unsafe.Pointer(f.noType))
			break
		}
		itab := k.choose(unsafe.Pointer(f.itab), unsafe.Pointer(f.noItab))
		op.A = k.p()
		k.code.Itabs = append(k.code.Itabs, new(rc.Itabs))
		k.op(rc.Op{Code: rc.OpTypeOf, D: op.A, A: itab, Or: int32(len(k.code.Itabs) - 1), Imm: 8})
	}
	d, n, p := k.n(), k.n(), k.p()
	c.ResN, c.ResP = []uint16{d, n}, []uint16{p}
	k.code.Calls = append(k.code.Calls, c)
	k.fails(op)
	k.numbers[double], k.numbers[whole], k.nodes = append(k.numbers[double], d), append(k.numbers[whole], n), append(k.nodes, p)
}

// choose returns a register that holds mostly a, and sometimes b or nil.
func (k *maker) choose(a, b unsafe.Pointer) uint16 {
	if k.r.IntN(3) == 0 {
		return k.constantP(a)
	}
	d := k.p()
	other := b
	if k.r.IntN(3) == 0 {
		other = nil
	}
	k.op(rc.Op{Code: rc.OpMoveP, D: d, A: k.constantP(a)})
	branch := k.op(rc.Op{Code: rc.OpIfLT, A: k.number(whole), B: k.number(whole)})
	k.code.Ops[branch].To, k.code.Ops[branch].Or = k.here(), k.here()+1
	k.op(rc.Op{Code: rc.OpMoveP, D: d, A: k.constantP(other)})
	return d
}

// method is the host's search for the method of a type.
func (f *callable) method(t unsafe.Pointer) *rc.Method {
	switch {
	case t != unsafe.Pointer(f.typ):
		return nil
	case f.kind == pointerMethod:
		return &rc.Method{Type: t, Func: &f.f, NP: 1}
	}
	return &rc.Method{Type: t, Func: &f.f, NN: 2, NP: 1,
		Load: func(from unsafe.Pointer, n *rc.N, p *rc.P) {
			d := (*node)(from)
			n[0], n[1], p[0] = uint64(d.i), math.Float64bits(d.f), unsafe.Pointer(d.next)
		},
		Fields: []rc.Field{
			{Code: rc.OpLoad64, Offset: int32(unsafe.Offsetof(node{}.i)), Register: 0},
			{Code: rc.OpLoad64, Offset: int32(unsafe.Offsetof(node{}.f)), Register: 1},
			{Code: rc.OpLoadP, Offset: int32(unsafe.Offsetof(node{}.next)), Register: 0},
		},
	}
}

// TestInlinedReturns: the moves before a return set registers that later moves read, and a branch leads between
// them.
func TestInlinedReturns(t *testing.T) {
	parts := func(ops ...rc.Op) *rc.Func {
		f := &rc.Func{Name: "f"}
		f.Code.Store(&rc.Code{Ops: append(ops, rc.Op{Code: rc.OpReturn}), NN: 5, NP: 3, ParamsP: 2, AtConstN: 4, ConstN: []uint64{100}})
		return f
	}
	for _, test := range []struct {
		name string
		f    *rc.Func
	}{
		{"exchanged", parts(rc.Op{Code: rc.OpMove, D: 2, A: 0}, rc.Op{Code: rc.OpMove, D: 0, A: 1}, rc.Op{Code: rc.OpMoveP, D: 2, A: 0},
			rc.Op{Code: rc.OpMoveP, D: 0, A: 1}, rc.Op{Code: rc.OpMoveP, D: 1, A: 2}, rc.Op{Code: rc.OpMove, D: 1, A: 2})},
		{"a branch between", parts(rc.Op{Code: rc.OpIfLT, A: 0, B: 1, To: 1, Or: 2}, rc.Op{Code: rc.OpMove, D: 0, A: 4}, rc.Op{Code: rc.OpMove, D: 1, A: 0})},
		{"nothing is moved", parts(rc.Op{Code: rc.OpAddI, D: 1, A: 1, Imm: 1})},
		{"a pointer that is not set", parts(rc.Op{Code: rc.OpNil, D: 2, A: 2}, rc.Op{Code: rc.OpMoveP, D: 2, A: 0}, rc.Op{Code: rc.OpAdd, D: 1, A: 1, B: 2})},
	} {
		// The loop calls f(a, b, p, q) and exchanges the results.
		call := rc.Call{Func: test.f, ArgN: []uint16{1, 2}, ArgP: []uint16{0, 1}, ResN: []uint16{4, 5}, ResP: []uint16{2, 3}}
		code := &rc.Code{
			NN: 9, NP: 4, AtConstN: 8, ConstN: []uint64{0}, Calls: []rc.Call{call}, Loops: []*rc.Loop{{At: 1}},
			Ops: []rc.Op{
				0:  {Code: rc.OpMove, D: 3, A: 8},
				1:  {Code: rc.OpLoop},
				2:  {Code: rc.OpIfLT, A: 3, B: 0, To: 3, Or: 12},
				3:  {Code: rc.OpCallOf},
				4:  {Code: rc.OpEQP, D: 7, A: 2, B: 1},
				5:  {Code: rc.OpAdd, D: 1, A: 5, B: 7},
				6:  {Code: rc.OpAddI, D: 2, A: 4, Imm: -3},
				7:  {Code: rc.OpMoveP, D: 0, A: 3},
				8:  {Code: rc.OpMoveP, D: 1, A: 2},
				9:  {Code: rc.OpAddI, D: 6, A: 3, Imm: 1},
				10: {Code: rc.OpMove, D: 3, A: 6},
				11: {Code: rc.OpJump, To: 1},
				12: {Code: rc.OpReturn},
			},
		}
		if err := code.Verify(); err != nil {
			t.Fatal(err)
		}
		result := func(hot int) []uint64 {
			force(t, func(err error) { t.Error(err) })
			rc.Hot = hot
			return do(nil, fresh(code), []uint64{1000, 7, 9}, []unsafe.Pointer{unsafe.Pointer(new(int)), unsafe.Pointer(new(int))}, 7)
		}
		if in := inline(code); in == nil || len(in.calls) != 2 {
			t.Errorf("%s: not inlined", test.name)
		}
		if got, want := result(0), result(-1); !slices.Equal(got[:3], want[:3]) {
			t.Errorf("%s: %v, want %v", test.name, got, want)
		}
	}
}
