package main

import (
	"slices"
	"strings"
)

// The ops as Go code. $A to $D stand for N registers, @A to @D for P registers.

// ops holds all ops that the loop executes itself.
var ops = func() []op {
	list := slices.Concat(
		flow, moves, comparisons("", truth), integers, floats("F$", "f64", "bits"), floats("$32", "f32", "bits32"), conversions,
		loads, stores, elements, calls,
	)
	for i := range list {
		list[i].body, list[i].cond = registers(list[i].body), registers(list[i].cond)
	}
	return list
}()

func registers(s string) string {
	for _, f := range []string{"A", "B", "C", "D"} {
		s = strings.ReplaceAll(s, "$"+f, "*num(n, o."+f+")")
		s = strings.ReplaceAll(s, "@"+f, "*ptr(p, o."+f+")")
	}
	return s
}

var flow = append([]op{
	{name: "Jump", flow: true, body: "o = jump(o, o.To)\ncontinue"},
	{name: "If", cond: "$A != 0"},
	{name: "Loop", body: "if m.ticks--; m.ticks < 0 {\nreturn o\n}"},
}, comparisons("If", nil)...)

var moves = []op{
	{name: "Move", body: "$D = $A"},
	{name: "MoveP", body: "@D = @A"},
	{name: "EQP", body: "$D = truth(@A == @B)"},
	{name: "Nil", body: "$D = truth(@A == nil)"},
}

func truth(cond string) string { return "$D = truth(" + cond + ")" }

// comparisons returns an op for each kind of comparison. The names of the ops begin with prefix. body(cond) returns the
// Go code of an op for a condition. If body is nil, the ops are branches, and there are none for float32.
func comparisons(prefix string, body func(cond string) string) (list []op) {
	for _, c := range [][3]string{
		{"EQ", "==", ""}, {"LT", "<", "int64"}, {"LE", "<=", "int64"}, {"LTU", "<", ""}, {"LEU", "<=", ""},
		{"FEQ", "==", "f64"}, {"FLT", "<", "f64"}, {"FLE", "<=", "f64"}, {"EQ32", "==", "f32"}, {"LT32", "<", "f32"}, {"LE32", "<=", "f32"},
	} {
		cond := "$A " + c[1] + " $B"
		if c[2] != "" {
			cond = c[2] + "($A) " + c[1] + " " + c[2] + "($B)"
		}
		switch {
		case body != nil:
			list = append(list, op{name: prefix + c[0], body: body(cond)})
		case c[2] != "f32":
			list = append(list, op{name: prefix + c[0], cond: cond})
		}
	}
	return list
}

var integers = func() (list []op) {
	for _, c := range [][2]string{{"Add", "+"}, {"Sub", "-"}, {"Mul", "*"}, {"And", "&"}, {"Or", "|"}, {"Xor", "^"}, {"AndNot", "&^"}} {
		list = append(list, op{name: c[0], body: "$D = $A " + c[1] + " $B"})
	}
	for _, c := range [][2]string{{"Shl", "$A << by"}, {"Shr", "uint64(int64($A) >> by)"}, {"ShrU", "$A >> by"}} {
		list = append(list, op{name: c[0], body: "by := $B\nif o.C != 0 && int64(by) < 0 {\nreturn o\n}\n$D = " + c[1]})
	}
	for _, c := range [][2]string{{"Div", "uint64(int64($A) / int64(by))"}, {"DivU", "$A / by"}, {"Rem", "uint64(int64($A) % int64(by))"}, {"RemU", "$A % by"}} {
		list = append(list, op{name: c[0], body: "by := $B\nif by == 0 {\nreturn o\n}\n$D = " + c[1]})
	}
	return append(list, op{name: "AddI", body: "$D = $A + uint64(int64(o.Imm))"})
}()

// floats returns the four arithmetic ops of float64 or of float32. In name, $ stands for the operation. The parameters
// from and to are the names of the functions that convert a register to a float and back.
func floats(name, from, to string) (list []op) {
	for _, c := range [][2]string{{"Add", "+"}, {"Sub", "-"}, {"Mul", "*"}, {"Div", "/"}} {
		list = append(list, op{name: strings.ReplaceAll(name, "$", c[0]), body: "$D = " + to + "(" + from + "($A) " + c[1] + " " + from + "($B))"})
	}
	return list
}

var conversions = []op{
	{name: "Not", body: "$D = $A ^ 1"},
	{name: "Neg", body: "$D = -$A"},
	{name: "Com", body: "$D = ^$A"},
	{name: "FNeg", body: "$D = bits(-f64($A))"},
	{name: "Neg32", body: "$D = bits32(-f32($A))"},
	{name: "Int8", body: "$D = uint64(int8($A))"},
	{name: "Int16", body: "$D = uint64(int16($A))"},
	{name: "Int32", body: "$D = uint64(int32($A))"},
	{name: "Uint8", body: "$D = uint64(uint8($A))"},
	{name: "Uint16", body: "$D = uint64(uint16($A))"},
	{name: "Uint32", body: "$D = uint64(uint32($A))"},
	{name: "IntFloat", body: "$D = bits(float64(int64($A)))"},
	{name: "UintFloat", body: "$D = bits(float64($A))"},
	{name: "IntFloat32", body: "$D = bits32(float32(int64($A)))"},
	{name: "UintFloat32", body: "$D = bits32(float32($A))"},
	{name: "FloatFloat32", body: "$D = bits32(float32(f64($A)))"},
	{name: "Float32Float", body: "$D = bits(float64(f32($A)))"},
	{name: "opFloatInt64", body: "$D = uint64(int64(f64($A)))"},
	{name: "Sqrt", body: "$D = bits(math.Sqrt(f64($A)))"},
	{name: "FAbs", body: "$D = $A &^ (1 << 63)"},
}

const notNil = "x := @A\nif x == nil {\nreturn o\n}\n"

var widths = []struct{ name, typ string }{
	{"8", "uint8"}, {"16", "uint16"}, {"32", "uint32"}, {"64", "uint64"}, {"S8", "int8"}, {"S16", "int16"}, {"S32", "int32"},
}

var loads = func() (list []op) {
	for _, w := range widths {
		list = append(list, op{name: "Load" + w.name, body: notNil + "$D = uint64(*(*" + w.typ + ")(unsafe.Add(x, o.Imm)))"})
	}
	return append(list, op{name: "LoadP", body: notNil + "@D = *(*unsafe.Pointer)(unsafe.Add(x, o.Imm))"},
		op{name: "Field", body: notNil + "@D = unsafe.Add(x, o.Imm)"})
}()

var stores = func() (list []op) {
	for _, w := range widths[:4] {
		list = append(list, op{name: "Store" + w.name, body: notNil + "*(*" + w.typ + ")(unsafe.Add(x, o.Imm)) = " + w.typ + "($D)"})
	}
	return append(list, op{name: "StoreP", body: notNil + "*(*unsafe.Pointer)(unsafe.Add(x, o.Imm)) = @D"})
}()

const (
	inRange = "i := $B\nif i >= $C {\nreturn o\n}\n"
	pointer = "*(*unsafe.Pointer)(unsafe.Add(@A, uintptr(i)*ptrSize))"
)

var elements = func() (list []op) {
	for i, w := range widths {
		at := "*(*" + w.typ + ")(unsafe.Add(@A, uintptr(i)*unsafe.Sizeof(" + w.typ + "(0))))"
		list = append(list, op{name: "At" + w.name, body: inRange + "$D = uint64(" + at + ")"})
		if i < 4 {
			list = append(list, op{name: "Set" + w.name, body: inRange + at + " = " + w.typ + "($D)"})
		}
	}
	return append(list,
		op{name: "AtP", body: inRange + "@D = " + pointer},
		op{name: "SetP", body: inRange + pointer + " = @D"},
		op{name: "Elem", body: inRange + "@D = unsafe.Add(@A, uintptr(i)*uintptr(o.Imm))"},
		op{name: "Check", body: "if $B >= $C {\nreturn o\n}"},
		op{name: "ElemOf", body: "x, i := @A, $B\nif x == nil || i >= uint64(o.Or) {\nreturn o\n}\n@D = unsafe.Add(x, uintptr(i)*uintptr(o.Imm))"},
	)
}()

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
