package main

import "math"

// A kernel is what the algorithms are written in: the operations of a machine for one
// precision. So each algorithm is written once, and all its versions take the same
// roundings in the same order.
type kernel struct {
	machine
	single bool // float32, else float64
}

// A vector is registers of a machine, a value that or a constant in memory.
type (
	vector any
	value  any
)

// A mask tells lanes apart: a mask register with AVX-512, else a vector.
type mask any

// A unary emits the work on one vector.
type unary = func(x vector) vector

// A machine emits the operations. Operands are in the order of the formula. Every method
// gives a new vector, but for addMul and subMul.
type machine interface {
	// pattern is a constant with these bits in every element, which has the name in the
	// listing. keep moves it into a register for the time of the loop, if there are enough.
	pattern(name string, bits uint64) value
	keep(m value) value

	copy(a value) vector
	reg(a value) vector // a itself if it is a vector
	add(a vector, b value) vector
	sub(a vector, b value) vector
	mul(a vector, b value) vector
	div(a vector, b value) vector
	min(a value, b vector) vector // a NaN in b survives
	max(a value, b vector) vector // likewise
	addMul(c, a vector, b value)  // changes c to c + a b, rounded once
	subMul(c, a vector, b value)  // changes c to c − a b, rounded once
	horner(c []value, x vector) vector

	and(a vector, b value) vector
	or(a vector, b value) vector
	addInt(a vector, b value) vector
	subInt(a vector, b value) vector
	shiftRight(a vector, n int) vector
	shiftLeft(a vector, n int) vector

	compare(a vector, predicate int, b value) mask
	negative(a vector) mask // the lanes of which the sign bit is set
	choose(m mask, yes value, no vector) vector
	chooseOrZero(m mask, yes value) vector // m is from compare

	// scaleBy is p 2^n, and ownLog the logarithm of a number, nil if the machine has
	// nothing of its own for them.
	scaleBy(p, n vector) vector
	ownLog(c logConstants, root float64) unary
}

// size is the bytes of an element.
func (k kernel) size() int {
	if k.single {
		return 4
	}
	return 8
}

// group is the elements in 64 bytes: what a pass of a loop takes.
func (k kernel) group() int { return 64 / k.size() }

// constant is pattern for a number.
func (k kernel) constant(name string, v float64) value {
	if k.single {
		return k.pattern(name, uint64(math.Float32bits(float32(v))))
	}
	return k.pattern(name, math.Float64bits(v))
}

// constantVec is keep(constant(name, v)).
func (k kernel) constantVec(name string, v float64) value {
	return k.keep(k.constant(name, v))
}

// Comparisons that do not signal, by their numbers on amd64.
const (
	equal        = 0x00
	notLess      = 0x15 // true for NaN
	less         = 0x11
	greaterEqual = 0x1d
)
