package main

// calls holds the simplest cases of calls and returns. Machine.call and Machine.back handle all others.
var calls = []op{
	{name: "CallOf", flow: true, body: `b := &m.Stack[len(m.Stack)-1]
k := &b.Code.Calls[o.Or]
code := k.Func.Code.Load()
if m.ticks--; m.ticks < 0 || code == nil {
	return o
}
if len(m.Stack) == cap(m.Stack) || code.run.Load() == nil {
	return o
}
n, p = unsafe.Add(unsafe.Pointer(b.N), b.Code.NN*8), unsafe.Add(unsafe.Pointer(b.P), uintptr(b.Code.NP)*ptrSize)
if uintptr(n)+uintptr(code.NN)*8 >= m.endN || uintptr(p)+uintptr(code.NP)*ptrSize >= m.endP {
	return o
}
b.PC = o.Imm
m.Stack = m.Stack[:len(m.Stack)+1]
a := &m.Stack[len(m.Stack)-1]
a.chunk = b.chunk
a.Func, a.Code, a.N, a.P, a.call, a.ret = k.Func, code, registersN(n), registersP(p), k, next(o)
for i, r := range k.ArgN {
	*num(n, uint16(i)) = *num(unsafe.Pointer(b.N), r)
}
for i, r := range k.ArgP {
	*ptr(p, uint16(i)) = *ptr(unsafe.Pointer(b.P), r)
}
for i, c := range code.ConstN {
	*num(n, uint16(code.AtConstN+i)) = c
}
for i, c := range code.ConstP {
	*ptr(p, uint16(code.AtConstP+i)) = c
}
o = code.run.Load().op(0)
continue`},
	{name: "Return", flow: true, body: `b := &m.Stack[len(m.Stack)-1]
if b.special || b.Frame != nil {
	return o
}
o = b.ret
k := b.call
a := &m.Stack[len(m.Stack)-2]
n, p = unsafe.Pointer(a.N), unsafe.Pointer(a.P)
for i, r := range k.ResN {
	*num(n, r) = *num(unsafe.Pointer(b.N), uint16(i))
}
for i, r := range k.ResP {
	*ptr(p, r) = *ptr(unsafe.Pointer(b.P), uint16(i))
}
for i := range max(b.Code.run.Load().setP, len(k.ArgP)) {
	*ptr(unsafe.Pointer(b.P), uint16(i)) = nil
}
for i := range b.Code.ConstP {
	*ptr(unsafe.Pointer(b.P), uint16(b.Code.AtConstP+i)) = nil
}
m.Stack = m.Stack[:len(m.Stack)-1]
continue`},
}
