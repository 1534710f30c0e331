package main

import (
	"fmt"
	"strings"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// A neon is the machine (see kernel.go) that emits arm64 instructions. It emits one function after another. A
// vector is a pair of registers, 32 bytes as with AVX2. Instructions for the two registers alternate, so that the
// processor need not wait for each result.
type neon struct {
	kernel
	*ng.Func
	shape ng.Shape
	table *table
	at    ng.X // address of the table
	held  int  // number of constants in registers
}

// A pair is a vector of two registers. For a constant, both are the same register.
type pair [2]ng.V

// A place is the offset of a constant in the table, in bytes.
type place int

// most is the maximum number of constants that a function holds in registers. Other constants are loaded for
// each vector.
const most = 14

// A table holds the constants of the file, 16 bytes each.
type table struct {
	places map[string]place
	words  []uint64
}

// An invertedMask is a mask that is 0 in the selected lanes. compare returns it for the predicate notLess.
type invertedMask pair

func (k *neon) pattern(name string, bits uint64) value {
	name = fmt.Sprintf("%s%d", name, 8*k.size())
	p, ok := k.table.places[name]
	if !ok {
		p = place(8 * len(k.table.words))
		bits = k.shape.Repeat(bits)
		k.table.words = append(k.table.words, bits, bits)
		k.table.places[name] = p
	}
	return p
}

func (k *neon) keep(m value) value {
	if k.held == most {
		return m
	}
	k.held++
	return k.reg(m)
}

// vec returns a new vector.
func (k *neon) vec() pair { return pair{k.V(), k.V()} }

func (k *neon) reg(a value) vector {
	p, ok := a.(place)
	if !ok {
		return a
	}
	v := k.V()
	k.Load(16, v, ng.At(k.at, int(p)))
	return pair{v, v}
}

func (k *neon) copy(a value) vector {
	d, from := k.vec(), k.reg(a).(pair)
	for i := range d {
		k.Copy(d[i], from[i])
	}
	return d
}

// applyPair emits the instruction f(d, a, b) twice, once for each register of the pairs a and b, and returns the new
// vector d.
func (k *neon) applyPair(f func(d, a, b ng.V), a, b value) vector {
	d, x, y := k.vec(), k.reg(a).(pair), k.reg(b).(pair)
	for i := range d {
		f(d[i], x[i], y[i])
	}
	return d
}

// shaped is like applyPair, for an instruction f that also takes the layout of the vector, k.shape.
func (k *neon) shaped(f func(s ng.Shape, d, a, b ng.V), a, b value) vector {
	return k.applyPair(func(d, x, y ng.V) { f(k.shape, d, x, y) }, a, b)
}

func (k *neon) add(a vector, b value) vector    { return k.shaped(k.FAdd, a, b) }
func (k *neon) sub(a vector, b value) vector    { return k.shaped(k.FSub, a, b) }
func (k *neon) mul(a vector, b value) vector    { return k.shaped(k.FMul, a, b) }
func (k *neon) div(a vector, b value) vector    { return k.shaped(k.FDiv, a, b) }
func (k *neon) min(a value, b vector) vector    { return k.shaped(k.FMin, a, b) }
func (k *neon) max(a value, b vector) vector    { return k.shaped(k.FMax, a, b) }
func (k *neon) and(a vector, b value) vector    { return k.applyPair(k.And, a, b) }
func (k *neon) or(a vector, b value) vector     { return k.applyPair(k.Or, a, b) }
func (k *neon) addInt(a vector, b value) vector { return k.shaped(k.IAdd, a, b) }
func (k *neon) subInt(a vector, b value) vector { return k.shaped(k.ISub, a, b) }

func (k *neon) addMul(c, a vector, b value) {
	x, y := a.(pair), k.reg(b).(pair)
	for i, d := range c.(pair) {
		k.FMla(k.shape, d, x[i], y[i])
	}
}

func (k *neon) subMul(c, a vector, b value) {
	x, y := a.(pair), k.reg(b).(pair)
	for i, d := range c.(pair) {
		k.FMls(k.shape, d, x[i], y[i])
	}
}

func (k *neon) horner(c []value, x vector) vector {
	p := k.reg(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		next := k.copy(c[i])
		k.addMul(next, p, x)
		p = next
	}
	return p
}

func (k *neon) shiftRight(a vector, n int) vector { return k.shift(k.ShiftRight, a, n) }
func (k *neon) shiftLeft(a vector, n int) vector  { return k.shift(k.ShiftLeft, a, n) }

func (k *neon) shift(f func(s ng.Shape, d, a ng.V, n int), a vector, n int) vector {
	d := k.vec()
	for i, v := range a.(pair) {
		f(k.shape, d[i], v, n)
	}
	return d
}

func (k *neon) compare(a vector, predicate int, b value) mask {
	switch predicate {
	case equal:
		return k.shaped(k.FEqual, a, b)
	case greaterEqual:
		return k.shaped(k.FGreaterEqual, a, b)
	case less:
		return k.shaped(k.FGreater, b, a)
	}
	return invertedMask(k.shaped(k.FGreater, b, a).(pair))
}

func (k *neon) negative(a vector) mask {
	d := k.vec()
	for i, v := range a.(pair) {
		k.Negative(k.shape, d[i], v)
	}
	return d
}

func (k *neon) choose(m mask, yes value, no vector) vector {
	x, y := k.reg(yes).(pair), k.reg(no).(pair)
	if f, ok := m.(invertedMask); ok {
		m, x, y = pair(f), y, x
	}
	d := k.copy(m).(pair)
	for i := range d {
		k.Select(d[i], x[i], y[i])
	}
	return d
}

func (k *neon) chooseOrZero(m mask, yes value) vector { return k.and(m, yes) }

func (k *neon) scaleBy(p, n vector) vector { return nil }

func (k *neon) ownLog(c logConstants, root float64) unary { return nil }

// begin opens a function, as avx.begin does.
func (k *neon) begin(file *ng.File, name, signature, doc string) {
	bits := fmt.Sprint(8 * k.size())
	name += bits + "NEON"
	k.Func = file.Func(name, strings.ReplaceAll(signature, "T", "float"+bits), doc)
	k.at, k.held = k.Address("constants"), 0
}
