package regcode

import (
	"math"
	"unsafe"
)

// Run executes the call that Push began until it returns. The results are then in the call's first registers.
//
//go:norace
func (m *Machine) Run() {
	a := m.Top()
	o := a.Code.program().op(a.PC)
	for {
		o = m.steps(o)
		a := m.Top()
		if o.Code == OpHelp { // the most frequent op that steps does not execute; it is never part of a sequence
			a.special = true
			if a.Code.Helpers[o.Or](a.N, a.P) {
				o = next(o)
			} else {
				o = m.site(o)
			}
			continue
		}
		if o.Code == OpDo {
			o = m.site(o)
			continue
		}
		if o.Code == opNative {
			o = m.native(a, o)
			continue
		}
		if o.Code == opNativeCall {
			o = m.nativeCall(a, o)
			continue
		}
		n := unsafe.Pointer(a.N)
		done := true
		switch code := a.Code.Ops[a.Code.run.Load().index(o)].Code; code { // o's opcode may be the opcode of a sequence, so look up the original
		case OpReturn:
			if len(m.Stack) == 1 {
				return
			}
			o = m.back()
			continue
		case OpLoop:
			m.countTurns(a.Code, o)
		case OpCallOf, OpCallFunc, OpCallMethod:
			if code != OpCallOf {
				m.ticks--
			}
			if m.ticks < 0 {
				m.countCall(a.Code, o)
				continue
			}
			if into := m.call(a, o, code); into != nil {
				o = into
				continue
			}
			done = false
		case OpCall1:
			*num(n, o.D) = bits(a.Code.Math1[o.Or](f64(*num(n, o.A))))
		case OpCall2:
			*num(n, o.D) = bits(a.Code.Math2[o.Or](f64(*num(n, o.A)), f64(*num(n, o.B))))
		case OpTypeOf:
			p := unsafe.Pointer(a.P)
			*ptr(p, o.D) = a.Code.Itabs[o.Or].TypeOf(*ptr(p, o.A), o.Imm)
		case OpCopy:
			p, size := unsafe.Pointer(a.P), int(*num(n, o.C))*int(o.Imm)
			if size > 0 {
				copy(unsafe.Slice((*byte)(*ptr(p, o.A)), size), unsafe.Slice((*byte)(*ptr(p, o.B)), size))
			}
		case OpFFloor:
			*num(n, o.D) = bits(math.Floor(f64(*num(n, o.A))))
		case OpFCeil:
			*num(n, o.D) = bits(math.Ceil(f64(*num(n, o.A))))
		case OpFTrunc:
			*num(n, o.D) = bits(math.Trunc(f64(*num(n, o.A))))
		case OpFNearest:
			*num(n, o.D) = bits(math.RoundToEven(f64(*num(n, o.A))))
		case OpFMin:
			*num(n, o.D) = bits(min(f64(*num(n, o.A)), f64(*num(n, o.B))))
		case OpFMax:
			*num(n, o.D) = bits(max(f64(*num(n, o.A)), f64(*num(n, o.B))))
		case OpFloatInt:
			*num(n, o.D) = floatInt(f64(*num(n, o.A)), o.B)
		case OpFloat32Int:
			*num(n, o.D) = floatInt(float64(f32(*num(n, o.A))), o.B)
		default:
			done = false
		}
		if done {
			o = next(o)
		} else {
			o = m.site(o)
		}
	}
}

func next(o *Op) *Op { return (*Op)(unsafe.Add(unsafe.Pointer(o), opSize)) }

// jump returns the op at a distance in bytes from o.
func jump(o *Op, distance int32) *Op { return (*Op)(unsafe.Add(unsafe.Pointer(o), distance)) }

// site makes the host execute op o, and returns the op where the machine continues.
func (m *Machine) site(o *Op) *Op {
	depth := len(m.Stack)
	a := m.Top()
	p := a.Code.program()
	a.PC = p.index(o) + 1
	a.special = true
	m.Host.Do(m, o.To)
	if len(m.Stack) != depth {
		panic("regcode: a site has left the machine with other calls than it had")
	}
	return p.op(m.Top().PC)
}

// back ends the top call, copies its results to the caller's registers, and returns the op at which the caller
// continues.
func (m *Machine) back() *Op {
	b := m.Top()
	a := &m.Stack[len(m.Stack)-2]
	o, k := b.ret, b.call
	n, q := unsafe.Pointer(a.N), unsafe.Pointer(a.P)
	for i, r := range k.ResN {
		*num(n, r) = b.N[i]
	}
	for i, r := range k.ResP {
		*ptr(q, r) = b.P[i]
	}
	if b.Frame != nil {
		m.Host.Left(b)
	}
	m.leave()
	return o
}
