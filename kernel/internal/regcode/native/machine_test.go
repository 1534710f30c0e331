package native

import (
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

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

func (f forced) CompileCall(c *rc.Code, at int32) (rc.Native, error) {
	return f.Compiler.CompileCall(c, at)
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
