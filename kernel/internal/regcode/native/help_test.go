package native

import (
	"math"
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// An asm assembles register code with labels and named registers.
type asm struct {
	code   *rc.Code
	n, p   map[string]uint16
	consts map[string]uint64
	labels map[string]int32
	to, or map[int32]string
}

func newAsm() *asm {
	return &asm{&rc.Code{}, map[string]uint16{}, map[string]uint16{}, map[string]uint64{}, map[string]int32{}, map[int32]string{}, map[int32]string{}}
}

// numbers names the next N registers. The first ones are the parameters.
func (a *asm) numbers(names ...string) *asm {
	for _, s := range names {
		a.n[s] = uint16(len(a.n))
	}
	return a
}

// pointers names the next P registers.
func (a *asm) pointers(names ...string) *asm {
	for _, s := range names {
		a.p[s] = uint16(len(a.p))
	}
	return a
}

// constant names an N register and makes it a constant.
func (a *asm) constant(name string, v uint64) *asm { a.numbers(name); a.consts[name] = v; return a }

func (a *asm) real(name string, v float64) *asm { return a.constant(name, math.Float64bits(v)) }

// reg returns a register by its name; names of P registers begin with a *.
func (a *asm) reg(s string) uint16 {
	if s == "" {
		return 0
	}
	m := a.n
	if s[0] == '*' {
		m, s = a.p, s[1:]
	}
	if r, ok := m[s]; ok {
		return r
	}
	m[s] = uint16(len(m))
	return m[s]
}

// op appends an op with its registers D, A, B and C.
func (a *asm) op(c rc.Opcode, fields ...string) *rc.Op {
	f := [4]string{}
	copy(f[:], fields)
	a.code.Ops = append(a.code.Ops, rc.Op{Code: c, D: a.reg(f[0]), A: a.reg(f[1]), B: a.reg(f[2]), C: a.reg(f[3])})
	return &a.code.Ops[len(a.code.Ops)-1]
}

func (a *asm) add(d, x string, imm int) { a.op(rc.OpAddI, d, x).Imm = int32(imm) }

func (a *asm) label(s string) { a.labels[s] = int32(len(a.code.Ops)) }

func (a *asm) loop(s string) {
	a.label(s)
	a.op(rc.OpLoop).Or = int32(len(a.code.Loops))
	a.code.Loops = append(a.code.Loops, &rc.Loop{At: a.labels[s]})
}

func (a *asm) jump(to string) { a.op(rc.OpJump); a.to[int32(len(a.code.Ops))-1] = to }

// branch appends a branch. It continues at the label yes if its condition is true, else at the label no; the
// label "" means the next op.
func (a *asm) branch(c rc.Opcode, x, y, yes, no string) {
	a.op(c, "", x, y)
	i := int32(len(a.code.Ops)) - 1
	a.to[i], a.or[i] = yes, no
}

// done resolves the labels and returns the code.
func (a *asm) done() *rc.Code {
	at := func(i int32, s string) int32 {
		if s == "" {
			return i + 1
		}
		return a.labels[s]
	}
	for i, s := range a.to {
		a.code.Ops[i].To = at(i, s)
	}
	for i, s := range a.or {
		a.code.Ops[i].Or = at(i, s)
	}
	// Constants must be contiguous, so each N register gets a place among the constants. The place is unused
	// if the register is not a constant.
	a.code.NN, a.code.NP = 2*len(a.n), len(a.p)
	a.code.AtConstN = len(a.n)
	a.code.ConstN = make([]uint64, len(a.n))
	for s, v := range a.consts {
		a.code.ConstN[a.n[s]] = v
	}
	for i := range a.code.Ops {
		o := &a.code.Ops[i]
		for _, r := range reads(a.code, o) {
			if r.pointer {
				continue
			}
			for s := range a.consts {
				if a.n[s] == r.number {
					a.replace(o, r.number)
				}
			}
		}
	}
	return a.code
}

// replace makes op o read the constant that is named like the register n, in place of n.
func (a *asm) replace(o *rc.Op, n uint16) {
	s := shapes[o.Code]
	for _, f := range []struct {
		field *uint16
		class class
	}{{&o.A, s.a}, {&o.B, s.b}, {&o.C, s.c}} {
		if f.class != none && f.class != pointer && *f.field == n {
			*f.field = n + uint16(a.code.AtConstN)
		}
	}
	if s.stores && o.D == n {
		o.D = n + uint16(a.code.AtConstN)
	}
}

func slicePointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// hosted is a function that serves as a host: it executes sites.
type hosted func(m *rc.Machine, site int32)

func (h hosted) Do(m *rc.Machine, site int32) { h(m, site) }
func (h hosted) Left(*rc.Activation)          {}

// forced is a test's compiler. Its Compiler is nil if native code is not available.
type forced struct {
	*Compiler
	refused func(err error)
}

func (f forced) Compile(c *rc.Code, l *rc.Loop) (rc.Native, error) {
	run, err := f.Compiler.Compile(c, l)
	if err != nil && f.refused != nil {
		f.refused(err)
	}
	return run, err
}

// force makes all loops compile at once until the test ends.
func force(t testing.TB, refused func(err error)) {
	c := compiler(t)
	hot, old := rc.Hot, rc.NativeCompiler
	rc.Hot, rc.NativeCompiler = 0, forced{c, refused}
	t.Cleanup(func() { rc.Hot, rc.NativeCompiler = hot, old })
}

// do runs code on a machine and returns its first registers.
func do(h rc.Host, code *rc.Code, numbers []uint64, pointers []unsafe.Pointer, results int) []uint64 {
	f := &rc.Func{Name: "test"}
	f.Code.Store(code)
	m := rc.Get(h)
	a := m.Push(f, code, nil)
	copy(a.N[:], numbers)
	copy(a.P[:], pointers)
	m.Run()
	out := append([]uint64(nil), a.N[:results]...)
	m.Pop()
	m.Put()
	return out
}

// fresh copies code, so that a run with native code does not change the original.
func fresh(c *rc.Code) *rc.Code {
	d := &rc.Code{
		Ops: c.Ops, NN: c.NN, NP: c.NP, ConstN: c.ConstN, ConstP: c.ConstP, AtConstN: c.AtConstN, AtConstP: c.AtConstP,
		Calls: c.Calls, Helpers: c.Helpers, Math1: c.Math1, Math2: c.Math2, ParamsP: c.ParamsP,
	}
	for _, l := range c.Loops {
		d.Loops = append(d.Loops, &rc.Loop{At: l.At})
	}
	for range c.Itabs {
		d.Itabs = append(d.Itabs, new(rc.Itabs))
	}
	return d
}
