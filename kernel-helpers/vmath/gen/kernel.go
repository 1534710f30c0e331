package main

import "math"

// A kernel provides the operations of a machine for one precision. Each algorithm is written once in terms of
// these operations, so all its versions do the same roundings in the same order.
type kernel struct {
	machine
	single bool // float32, otherwise float64
}

// A vector is one or more registers of a machine. A value is a vector or a constant in memory.
type (
	vector any
	value  any
)

// A mask selects lanes: a mask register with AVX-512, otherwise a vector.
type mask any

// A unary emits operations on the vector x and returns the resulting vector.
type unary = func(x vector) vector

// A machine emits the operations on vectors for one kind of processor. Operands have the order of the mathematical
// formula, so sub(a, b) is a − b. The methods for arithmetic return a new vector, except addMul and subMul, which
// change their first argument.
type machine interface {
	// pattern returns a constant in which every element has the bit pattern given by bits. The argument called name is
	// the constant's name in the listing. keep moves a constant into a register for the loop, if there are enough
	// registers.
	pattern(name string, bits uint64) value
	keep(m value) value

	copy(a value) vector
	reg(a value) vector // a itself if it is a vector
	add(a vector, b value) vector
	sub(a vector, b value) vector
	mul(a vector, b value) vector
	div(a vector, b value) vector
	min(a value, b vector) vector // a NaN in b survives
	max(a value, b vector) vector // a NaN in b survives
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
	negative(a vector) mask // the lanes with the sign bit set
	choose(m mask, yes value, no vector) vector
	chooseOrZero(m mask, yes value) vector // m must come from compare

	// scaleBy returns p 2^n, and ownLog returns a function that emits the logarithm. Both return nil if the
	// machine has no special instructions for them.
	scaleBy(p, n vector) vector
	ownLog(c logConstants, root float64) unary
}

// size returns the size of an element in bytes.
func (k kernel) size() int {
	if k.single {
		return 4
	}
	return 8
}

// group returns the number of elements in 64 bytes, which one pass of a loop processes.
func (k kernel) group() int { return 64 / k.size() }

// constant returns a constant with the number v in every element. name is its name in the assembly, as for pattern.
func (k kernel) constant(name string, v float64) value {
	if k.single {
		return k.pattern(name, uint64(math.Float32bits(float32(v))))
	}
	return k.pattern(name, math.Float64bits(v))
}

// constantVec is like constant, but moves the constant into a register if there are enough registers.
func (k kernel) constantVec(name string, v float64) value {
	return k.keep(k.constant(name, v))
}

// Quiet (non-signaling) comparison predicates, with the numbers that amd64 gives them.
const (
	equal        = 0x00
	notLess      = 0x15 // true for NaN
	less         = 0x11
	greaterEqual = 0x1d
)
