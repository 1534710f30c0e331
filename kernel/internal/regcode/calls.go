package regcode

import (
	"cmp"
	"sync/atomic"
	"unsafe"
)

// A Closure is a function together with its captured values, split into their leaves: the numbers and pointers that
// occupy one register each. The function receives these leaves after its arguments.
type Closure struct {
	Func *Func
	N    []uint64
	P    []unsafe.Pointer
}

// A Method says how to call a method of a concrete type through an interface: which function to call, and how to load
// the receiver into registers.
type Method struct {
	Type unsafe.Pointer // the type word of the receiver's type
	Func *Func
	// Load loads the receiver's leaves into the first registers of n and p. Its first argument is the receiver's
	// address. If Load is nil, the receiver is the data word of the interface itself.
	Load func(from unsafe.Pointer, n *N, p *P)
	// Fields describes the loads that Load makes, for native code. If Fields is nil, only Load itself can load
	// the receiver.
	Fields []Field
	// NN and NP are the numbers of leaves of the receiver.
	NN, NP int
}

// A Field describes how one leaf of a receiver, the part that goes into one register, is loaded from memory: the op
// that loads it, its offset and its register. If Itabs is not nil, the op loads an itab, and an OpTypeOf with these Itabs
// and the Imm TypeAt follows.
type Field struct {
	Code     Opcode
	Offset   int32
	Register uint16
	Itabs    *Itabs
	TypeAt   int32
}

// A FuncLayout describes how native code finds a Closure in a func value. The function Is reports whether a func value
// that begins with the given word has this layout. The other fields are offsets. At the offset Target, a func value
// holds the address of an object. This object holds the fields Func, N and P of a Closure, at the offsets of the same
// names.
type FuncLayout struct {
	Is                 func(word uint64) bool
	Target, Func, N, P int32
}

// Methods finds the methods that one call through an interface may invoke, and caches some of them.
type Methods struct {
	// Find returns the method of type t. If it returns nil, the interpreter makes the call, and the next call
	// asks Find again.
	Find func(t unsafe.Pointer) *Method

	found [mostCallees + 1]atomic.Pointer[Method]
}

// lookup returns the method of type t, from the cache or from Find.
func (s *Methods) lookup(t unsafe.Pointer) *Method {
	for i := range s.found {
		m := s.found[i].Load()
		if m == nil {
			break
		}
		if m.Type == t {
			return m
		}
	}
	return s.find(t)
}

// find asks Find for the method of type t, and caches the method. If the cache is full, the method replaces
// the last entry.
func (s *Methods) find(t unsafe.Pointer) *Method {
	m := s.Find(t)
	if m == nil {
		return nil
	}
	for i := range s.found {
		if s.found[i].CompareAndSwap(nil, m) {
			return m
		}
	}
	s.found[len(s.found)-1].Store(m)
	return m
}

// Itabs holds the first itabs that an op has seen, with their types. (An itab is Go's method table of a type for an
// interface.) Native code needs Itabs because it can read only Go's heap, and the itabs are not there.
type Itabs [mostCallees + 1]atomic.Pointer[Itab]

// An Itab holds the address of an itab and the type that the itab contains.
type Itab struct{ Itab, Type unsafe.Pointer }

// TypeOf returns the type that itab holds at the given offset, and records the itab if there is room. If itab is nil,
// TypeOf returns nil.
func (s *Itabs) TypeOf(itab unsafe.Pointer, offset int32) unsafe.Pointer {
	if itab == nil {
		return nil
	}
	t := *(*unsafe.Pointer)(unsafe.Add(itab, offset))
	for i := range s {
		x := s[i].Load()
		if x == nil && !s[i].CompareAndSwap(nil, &Itab{itab, t}) {
			x = s[i].Load()
		}
		if x == nil || x.Itab == itab {
			break
		}
	}
	return t
}

// Seen returns the itabs that the op has seen, or nil if there are more than native code can distinguish.
func (s *Itabs) Seen() []*Itab { return ifFew((*[mostCallees + 1]atomic.Pointer[Itab])(s)) }

// ifFew returns the entries of *from that are set, or nil if all entries are set.
func ifFew[T any](from *[mostCallees + 1]atomic.Pointer[T]) (list []*T) {
	for i := range from {
		if x := from[i].Load(); x != nil {
			list = append(list, x)
		}
	}
	if len(list) == len(from) {
		return nil
	}
	return list
}

// calls reports whether c is one of the opcodes that begin calls.
func (c Opcode) calls() bool { return c == OpCallOf || c == OpCallFunc || c == OpCallMethod }

// call begins the call at op o if Machine.steps could not begin it. code is the op's own opcode. call returns the op where
// the machine continues, or nil if the interpreter must make the call.
func (m *Machine) call(a *Activation, o *Op, code Opcode) *Op {
	if len(m.Stack) >= MaxDepth || a.chunk >= cmp.Or(a.Code.Most, MostChunks) {
		m.Full = true
		return nil
	}
	k := &a.Code.Calls[o.Or]
	switch code {
	case OpCallFunc:
		c := k.Closure(a.P[o.A])
		if c == nil {
			return nil
		}
		if h := &a.Code.program().calls[o.Or]; !h.hasSeen(c.Func) {
			h.see(*(*uint64)(a.P[o.A]), c)
		}
		b, first := m.begin(a, o, k, c.Func, 0, 0)
		if b != nil {
			copy(b.N[len(k.ArgN):], c.N)
			copy(b.P[len(k.ArgP):], c.P)
		}
		return first
	case OpCallMethod:
		t, data := a.P[o.A], a.P[o.B]
		if t == nil {
			return nil
		}
		f := k.Methods.lookup(t)
		if f == nil {
			return nil
		}
		b, first := m.begin(a, o, k, f.Func, f.NN, f.NP)
		switch {
		case b == nil:
		case f.Load == nil:
			b.P[0] = data
		default:
			f.Load(data, b.N, b.P)
		}
		return first
	}
	_, first := m.begin(a, o, k, k.Func, 0, 0)
	return first
}

// begin starts the call of f at op o. It returns the call and its first op, or nil if f has no code yet. The arguments
// go into the callee's registers: numbers into b.N from index atN on, pointers into b.P from index atP on.
func (m *Machine) begin(a *Activation, o *Op, k *Call, f *Func, atN, atP int) (b *Activation, first *Op) {
	code := f.Code.Load()
	if code == nil {
		return nil, nil
	}
	first = code.program().op(0)
	a.PC = o.Imm
	n, p := unsafe.Pointer(a.N), unsafe.Pointer(a.P)
	b = m.enter(f, code)
	b.call, b.ret = k, next(o)
	for i, r := range k.ArgN {
		b.N[atN+i] = *num(n, r)
	}
	for i, r := range k.ArgP {
		b.P[atP+i] = *ptr(p, r)
	}
	return b, first
}
