package native

import rc "overcomplete/kernel/internal/regcode"

// A class is the type that a register has in the module, or that an op uses for a register.
type class uint8

const (
	none class = iota
	whole
	double
	single
	bits64 // whole or double: the register is only moved, loaded or stored
	bits32 // whole or single
	pointer
)

// A shape describes which of the fields D, A, B and C an op uses, and how. An op writes register D unless it
// changes memory.
type shape struct {
	d, a, b, c class
	stores     bool // the op changes memory, and reads register D if it has one
	fails      bool // the op may fail, so the machine may have to execute it
}

// shapes holds the shapes of ops that can be emitted, and of calls.
var shapes = makeShapes()

func makeShapes() map[rc.Opcode]shape {
	shapes := map[rc.Opcode]shape{}
	set := func(s shape, codes ...rc.Opcode) {
		for _, c := range codes {
			shapes[c] = s
		}
	}
	set(shape{d: bits64, a: bits64}, rc.OpMove)
	set(shape{d: pointer, a: pointer}, rc.OpMoveP)
	set(shape{d: whole, a: whole, b: whole}, rc.OpEQ, rc.OpLT, rc.OpLE, rc.OpLTU, rc.OpLEU,
		rc.OpAdd, rc.OpSub, rc.OpMul, rc.OpAnd, rc.OpOr, rc.OpXor, rc.OpAndNot)
	set(shape{d: whole, a: whole, b: whole, fails: true}, rc.OpShl, rc.OpShr, rc.OpShrU, rc.OpDiv, rc.OpDivU, rc.OpRem, rc.OpRemU)
	set(shape{d: whole, a: double, b: double}, rc.OpFEQ, rc.OpFLT, rc.OpFLE)
	set(shape{d: whole, a: single, b: single}, rc.OpEQ32, rc.OpLT32, rc.OpLE32)
	set(shape{d: whole, a: pointer, b: pointer}, rc.OpEQP)
	set(shape{d: whole, a: pointer}, rc.OpNil)
	set(shape{d: double, a: double, b: double}, rc.OpFAdd, rc.OpFSub, rc.OpFMul, rc.OpFDiv, rc.OpFMin, rc.OpFMax)
	set(shape{d: single, a: single, b: single}, rc.OpAdd32, rc.OpSub32, rc.OpMul32, rc.OpDiv32)
	set(shape{d: whole, a: whole}, rc.OpAddI, rc.OpNot, rc.OpNeg, rc.OpCom, rc.OpInt8, rc.OpInt16, rc.OpInt32, rc.OpUint8, rc.OpUint16, rc.OpUint32)
	set(shape{d: double, a: double}, rc.OpFNeg, rc.OpSqrt, rc.OpFAbs, rc.OpFFloor, rc.OpFCeil, rc.OpFTrunc, rc.OpFNearest)
	set(shape{d: single, a: single}, rc.OpNeg32)
	set(shape{d: double, a: whole}, rc.OpIntFloat, rc.OpUintFloat)
	set(shape{d: single, a: whole}, rc.OpIntFloat32, rc.OpUintFloat32)
	set(shape{d: single, a: double}, rc.OpFloatFloat32)
	set(shape{d: double, a: single}, rc.OpFloat32Float)
	set(shape{d: whole, a: double, fails: true}, rc.OpFloatInt)
	set(shape{d: whole, a: single, fails: true}, rc.OpFloat32Int)

	set(shape{d: whole, a: pointer, fails: true}, rc.OpLoad8, rc.OpLoad16, rc.OpLoadS8, rc.OpLoadS16, rc.OpLoadS32)
	set(shape{d: bits32, a: pointer, fails: true}, rc.OpLoad32)
	set(shape{d: bits64, a: pointer, fails: true}, rc.OpLoad64)
	set(shape{d: pointer, a: pointer, fails: true}, rc.OpLoadP, rc.OpField)
	set(shape{d: whole, a: pointer, stores: true, fails: true}, rc.OpStore8, rc.OpStore16)
	set(shape{d: bits32, a: pointer, stores: true, fails: true}, rc.OpStore32)
	set(shape{d: bits64, a: pointer, stores: true, fails: true}, rc.OpStore64)
	set(shape{d: pointer, a: pointer, stores: true, fails: true}, rc.OpStoreP) // fails if the pointer would change

	set(shape{d: whole, a: pointer, b: whole, c: whole, fails: true}, rc.OpAt8, rc.OpAt16, rc.OpAtS8, rc.OpAtS16, rc.OpAtS32)
	set(shape{d: bits32, a: pointer, b: whole, c: whole, fails: true}, rc.OpAt32)
	set(shape{d: bits64, a: pointer, b: whole, c: whole, fails: true}, rc.OpAt64)
	set(shape{d: pointer, a: pointer, b: whole, c: whole, fails: true}, rc.OpAtP, rc.OpElem)
	set(shape{d: whole, a: pointer, b: whole, c: whole, stores: true, fails: true}, rc.OpSet8, rc.OpSet16)
	set(shape{d: bits32, a: pointer, b: whole, c: whole, stores: true, fails: true}, rc.OpSet32)
	set(shape{d: bits64, a: pointer, b: whole, c: whole, stores: true, fails: true}, rc.OpSet64)
	set(shape{b: whole, c: whole, fails: true}, rc.OpCheck)
	set(shape{d: pointer, a: pointer, b: whole, fails: true}, rc.OpElemOf)

	set(shape{d: pointer, a: pointer, fails: true}, rc.OpTypeOf)
	set(shape{a: pointer, b: pointer, c: whole, stores: true, fails: true}, rc.OpCopy)

	// The machine executes OpCall1 and OpCall2, because a call of a Go function takes several times as
	// long from a module.

	// A call's registers are in its Call.
	set(shape{fails: true}, rc.OpCallOf)
	set(shape{a: pointer, fails: true}, rc.OpCallFunc)
	set(shape{a: pointer, b: pointer, fails: true}, rc.OpCallMethod)

	// Ops that branch write nothing.
	set(shape{}, rc.OpJump, rc.OpLoop)
	set(shape{a: whole}, rc.OpIf)
	set(shape{a: whole, b: whole}, rc.OpIfEQ, rc.OpIfLT, rc.OpIfLE, rc.OpIfLTU, rc.OpIfLEU)
	set(shape{a: double, b: double}, rc.OpIfFEQ, rc.OpIfFLT, rc.OpIfFLE)
	return shapes
}

// branches reports whether the op continues at To or Or.
func branches(c rc.Opcode) bool { return c >= rc.OpIf && c <= rc.OpIfFLE }

// compares reports whether the op compares numbers and sets n[D] to the result.
func compares(c rc.Opcode) bool { return c >= rc.OpEQ && c <= rc.OpLE32 }

// isMove reports whether the op moves a register.
func isMove(c rc.Opcode) bool { return c == rc.OpMove || c == rc.OpMoveP }

// isCall reports whether the op makes a call.
func isCall(c rc.Opcode) bool { return c >= rc.OpCallOf && c <= rc.OpCallMethod }

// follows reports whether the op dereferences the pointer p[A] or adds to it.
func follows(c rc.Opcode) bool { return c >= rc.OpLoad8 && c <= rc.OpElem || c == rc.OpElemOf }

// indexes reports whether the op compares the index n[B] with the length n[C].
func indexes(c rc.Opcode) bool { return c >= rc.OpAt8 && c <= rc.OpCheck }

// A register is a register of N or P.
type register struct {
	pointer bool
	number  uint16
}

// An operand is a register and the class in which an op uses it.
type operand struct {
	register
	class class
}

func operandOf(number uint16, c class) operand {
	return operand{register{c == pointer, number}, c}
}

// writes returns the registers that an op of c writes.
func writes(c *rc.Code, op *rc.Op) []operand {
	s := shapes[op.Code]
	if isCall(op.Code) {
		k := &c.Calls[op.Or]
		return callOperands(k.ResN, k.ResP)
	}
	if s.d == none || s.stores {
		return nil
	}
	return []operand{operandOf(op.D, s.d)}
}

// reads returns the registers that an op of c reads.
func reads(c *rc.Code, op *rc.Op) []operand {
	s := shapes[op.Code]
	var list []operand
	if isCall(op.Code) {
		k := &c.Calls[op.Or]
		list = callOperands(k.ArgN, k.ArgP)
	}
	add := func(number uint16, c class) {
		if c != none {
			list = append(list, operandOf(number, c))
		}
	}
	add(op.A, s.a)
	add(op.B, s.b)
	add(op.C, s.c)
	if s.stores {
		add(op.D, s.d)
	}
	return list
}

// callOperands returns the registers of a call as operands.
func callOperands(n, p []uint16) []operand {
	var list []operand
	for _, r := range n {
		list = append(list, operandOf(r, bits64))
	}
	for _, r := range p {
		list = append(list, operandOf(r, pointer))
	}
	return list
}

// unset returns the P registers that an op may read before any op has set them. It leaves out constants, and the
// registers that a call receives, which are those with numbers less than received.
func unset(c *rc.Code, received int) []uint16 {
	all := blocksFrom(c, 0, func(int32) bool { return true })
	read := map[int32]map[uint16]bool{} // for the first op of each block: the registers that are read before they are set, from there on
	for changed := true; changed; {
		changed = false
		for at, b := range all {
			now := map[uint16]bool{}
			for _, next := range b.next {
				for r := range read[next] {
					now[r] = true
				}
			}
			for i := b.to - 1; i >= b.from; i-- {
				for _, w := range writes(c, &c.Ops[i]) {
					if w.pointer {
						delete(now, w.number)
					}
				}
				for _, r := range reads(c, &c.Ops[i]) {
					if r.pointer && int(r.number) >= received && !isConstP(c, r.number) {
						now[r.number] = true
					}
				}
			}
			if len(now) != len(read[at]) {
				read[at], changed = now, true
			}
		}
	}
	var list []uint16
	for r := range uint16(c.NP) {
		if read[0][r] {
			list = append(list, r)
		}
	}
	return list
}
