package regcode

import (
	"testing"
	"unsafe"
)

// A site is a function that executes all sites, as a test's host.
type site func(m *Machine, site int32)

func (s site) Do(m *Machine, at int32) { s(m, at) }
func (s site) Left(a *Activation)      {}

// noSite returns a host for code with ops that do not fail.
func noSite(t testing.TB) Host {
	return site(func(m *Machine, at int32) { t.Fatalf("site %d of %s", at, m.Top().Func.Name) })
}

// function returns a function with the given code.
func function(t testing.TB, name string, code *Code) *Func {
	t.Helper()
	f := &Func{Name: name}
	f.Code.Store(code)
	return f
}

func verify(t testing.TB, code *Code) {
	t.Helper()
	if err := code.Verify(); err != nil {
		t.Fatal(err)
	}
}

// call calls f with the given numbers and pointers, and returns the first register of each file.
func call(h Host, f *Func, numbers []uint64, pointers ...unsafe.Pointer) (n uint64, p unsafe.Pointer) {
	m := Get(h)
	n, p = callOn(m, f, numbers, pointers...)
	m.Put()
	return n, p
}

// callOn is like call, but uses the machine m.
func callOn(m *Machine, f *Func, numbers []uint64, pointers ...unsafe.Pointer) (n uint64, p unsafe.Pointer) {
	a := m.Push(f, f.Code.Load(), nil)
	copy(a.N[:], numbers)
	copy(a.P[:], pointers)
	m.Run()
	n, p = a.N[0], a.P[0]
	m.Pop()
	return n, p
}
