package regcode

import "fmt"

// An Opcode says what an op does. In the comments below, n and p are the registers, and D, A, B, C, To, Or and Imm are
// the fields of the Op.
type Opcode uint16

const (
	// Control flow.

	OpDo         Opcode = iota // run the site To
	OpJump                     // continue at To
	OpIf                       // continue at To if n[A] != 0, else at Or; the following ops test n[A] and n[B]
	OpIfEQ                     // compares bits
	OpIfLT                     // compares as signed integers
	OpIfLE                     //
	OpIfLTU                    // compares as unsigned integers
	OpIfLEU                    //
	OpIfFEQ                    // compares as float64
	OpIfFLT                    //
	OpIfFLE                    //
	OpLoop                     // Loops[Or] begins here
	OpReturn                   // the results are in the first registers of each file
	OpCallOf                   // make the call Calls[Or]; if this fails, the interpreter makes the call, at the site To
	OpCallFunc                 // make the call Calls[Or] of the func value p[A]; the site To is as for OpCallOf
	OpCallMethod               // make the call Calls[Or] on the interface whose two words are p[A] and p[B]; To means the same as in OpCallOf
	OpHelp                     // run the helper Helpers[Or]; if it fails, the site To

	// Moves.

	OpMove  // n[D] = n[A]
	OpMoveP // p[D] = p[A]

	// Comparisons: n[D] = 0 or 1. OpEQ to OpFLE are in the same order as OpIfEQ to OpIfFLE: other packages rely on it.

	OpEQ   // n[A] == n[B], compares bits
	OpLT   // compares as signed integers
	OpLE   //
	OpLTU  // compares as unsigned integers
	OpLEU  //
	OpFEQ  // compares as float64
	OpFLT  //
	OpFLE  //
	OpEQ32 // compares as float32
	OpLT32 //
	OpLE32 //
	OpEQP  // p[A] == p[B]
	OpNil  // p[A] == nil

	// Operations on 64-bit integers: n[D] is computed from n[A] and n[B]. For narrower types, a following op
	// truncates the result.

	OpAdd
	OpSub
	OpMul
	OpAnd
	OpOr
	OpXor
	OpAndNot
	OpShl  // shifts by n[B], which is unsigned or, if C is not 0, signed; fails if n[B] is negative. Shifts by 64 or more give 0
	OpShr  // signed; shifts by 64 or more give only sign bits
	OpShrU // unsigned
	OpDiv  // signed; OpDiv to OpRemU fail if n[B] is 0. The least integer divided by -1 gives the least integer
	OpDivU
	OpRem // the least integer modulo -1 is 0
	OpRemU
	OpAddI // n[D] = n[A] + Imm

	// Operations on floats: n[D] is computed from n[A] and n[B].

	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpAdd32
	OpSub32
	OpMul32
	OpDiv32

	// Unary operations: n[D] is computed from n[A].

	OpNot   // negation of a bool
	OpNeg   // negation of an integer
	OpCom   // bitwise complement ^
	OpFNeg  //
	OpNeg32 //
	OpInt8  // truncated to int8 and extended again; the following ops do this for their types
	OpInt16
	OpInt32
	OpUint8
	OpUint16
	OpUint32
	OpIntFloat // float64(int64)
	OpUintFloat
	OpIntFloat32
	OpUintFloat32
	OpFloatFloat32 // float32(float64)
	OpFloat32Float
	OpFloatInt   // from float64 to the integer type of reflect.Kind B, converted as by compiled Go on this processor
	OpFloat32Int // like OpFloatInt, from float32
	OpCall1      // n[D] = Math1[Or](n[A])
	OpCall2      // n[D] = Math2[Or](n[A], n[B])
	OpSqrt       // float64, like math.Sqrt; the following ops are exact too
	OpFAbs
	OpFFloor
	OpFCeil
	OpFTrunc
	OpFNearest // math.RoundToEven
	OpFMin     // the builtin min of float64, with Go's rules for NaN and zeros
	OpFMax

	// Memory. These ops fail if p[A] is nil. Imm is an offset in bytes.

	OpLoad8  // n[D] = *(p[A]+Imm), zero-extended; if C is not 0, the byte says whether to stop, and need not be loaded each time
	OpLoad16 //
	OpLoad32 //
	OpLoad64 // if C is not 0, the number is a length: it changes only where OpStoreP stores a pointer beside it
	OpLoadS8 // like OpLoad8, sign-extended
	OpLoadS16
	OpLoadS32
	OpLoadP   // p[D] = *(p[A]+Imm)
	OpStore8  // *(p[A]+Imm) = n[D]
	OpStore16 //
	OpStore32 //
	OpStore64 //
	OpStoreP  // *(p[A]+Imm) = p[D]
	OpField   // p[D] = p[A] + Imm

	// Elements: p[A] is the data and n[C] the length of a slice or string. These ops fail unless n[B] < n[C],
	// where both are unsigned.

	OpAt8  // n[D] = p[A][n[B]]
	OpAt16 //
	OpAt32 //
	OpAt64 //
	OpAtS8 //
	OpAtS16
	OpAtS32
	OpAtP   // p[D] = p[A][n[B]]
	OpSet8  // p[A][n[B]] = n[D]
	OpSet16 //
	OpSet32 //
	OpSet64 //
	OpSetP  // p[A][n[B]] = p[D]
	OpElem  // p[D] = p[A] + n[B]*Imm
	OpCheck // only checks n[B] < n[C]

	// An element of an array at p[A] with Or elements; this op also fails if p[A] is nil.
	OpElemOf // p[D] = p[A] + n[B]*Imm

	// Interfaces with methods: p[D] is the type in the itab p[A], at the offset Imm, or nil if p[A] is nil.
	// Itabs[Or] holds the itabs seen.
	OpTypeOf

	// Memory without pointers: copies n[C] elements of Imm bytes from p[B] to p[A], like the builtin copy. If n[C] is
	// 0, the pointers may be nil.
	OpCopy

	opcodes // the number of opcodes
)

// A shape is a set of flags that say which registers an op with a given opcode reads and sets, where execution
// continues after the op, and whether the op can fail.
type shape uint16

const (
	toN     shape = 1 << iota // sets n[D]
	toP                       // sets p[D]
	dN                        // reads n[D]
	dP                        // reads p[D]
	aN                        // reads n[A]; the constants below likewise
	aP                        //
	bN                        //
	bP                        //
	cN                        //
	jumps                     // execution continues only at To
	jumpsOr                   // execution continues at To or Or
	fails                     // To is a site
	ends                      // execution does not continue
)

const (
	oneN    = toN | aN
	twoN    = toN | aN | bN
	load    = toN | aP | fails
	store   = dN | aP | fails
	element = aP | bN | cN | fails
	ifTwo   = aN | bN | jumpsOr
)

type info struct {
	name  string
	shape shape
}

var infos = [opcodes]info{
	OpDo: {"Do", fails}, OpJump: {"Jump", jumps}, OpIf: {"If", aN | jumpsOr},
	OpIfEQ: {"IfEQ", ifTwo}, OpIfLT: {"IfLT", ifTwo}, OpIfLE: {"IfLE", ifTwo}, OpIfLTU: {"IfLTU", ifTwo}, OpIfLEU: {"IfLEU", ifTwo},
	OpIfFEQ: {"IfFEQ", ifTwo}, OpIfFLT: {"IfFLT", ifTwo}, OpIfFLE: {"IfFLE", ifTwo},
	OpLoop: {"Loop", 0}, OpReturn: {"Return", ends}, OpCallOf: {"CallOf", fails}, OpHelp: {"Help", fails},
	OpCallFunc: {"CallFunc", aP | fails}, OpCallMethod: {"CallMethod", aP | bP | fails},

	OpMove: {"Move", oneN}, OpMoveP: {"MoveP", toP | aP},

	OpEQ: {"EQ", twoN}, OpLT: {"LT", twoN}, OpLE: {"LE", twoN}, OpLTU: {"LTU", twoN}, OpLEU: {"LEU", twoN},
	OpFEQ: {"FEQ", twoN}, OpFLT: {"FLT", twoN}, OpFLE: {"FLE", twoN}, OpEQ32: {"EQ32", twoN}, OpLT32: {"LT32", twoN}, OpLE32: {"LE32", twoN},
	OpEQP: {"EQP", toN | aP | bP}, OpNil: {"Nil", toN | aP},

	OpAdd: {"Add", twoN}, OpSub: {"Sub", twoN}, OpMul: {"Mul", twoN}, OpAnd: {"And", twoN}, OpOr: {"Or", twoN}, OpXor: {"Xor", twoN}, OpAndNot: {"AndNot", twoN},
	OpShl: {"Shl", twoN | fails}, OpShr: {"Shr", twoN | fails}, OpShrU: {"ShrU", twoN | fails},
	OpDiv: {"Div", twoN | fails}, OpDivU: {"DivU", twoN | fails}, OpRem: {"Rem", twoN | fails}, OpRemU: {"RemU", twoN | fails},
	OpAddI: {"AddI", oneN},

	OpFAdd: {"FAdd", twoN}, OpFSub: {"FSub", twoN}, OpFMul: {"FMul", twoN}, OpFDiv: {"FDiv", twoN},
	OpAdd32: {"Add32", twoN}, OpSub32: {"Sub32", twoN}, OpMul32: {"Mul32", twoN}, OpDiv32: {"Div32", twoN},

	OpNot: {"Not", oneN}, OpNeg: {"Neg", oneN}, OpCom: {"Com", oneN}, OpFNeg: {"FNeg", oneN}, OpNeg32: {"Neg32", oneN},
	OpInt8: {"Int8", oneN}, OpInt16: {"Int16", oneN}, OpInt32: {"Int32", oneN}, OpUint8: {"Uint8", oneN}, OpUint16: {"Uint16", oneN}, OpUint32: {"Uint32", oneN},
	OpIntFloat: {"IntFloat", oneN}, OpUintFloat: {"UintFloat", oneN}, OpIntFloat32: {"IntFloat32", oneN}, OpUintFloat32: {"UintFloat32", oneN},
	OpFloatFloat32: {"FloatFloat32", oneN}, OpFloat32Float: {"Float32Float", oneN}, OpFloatInt: {"FloatInt", oneN}, OpFloat32Int: {"Float32Int", oneN},
	OpCall1: {"Call1", oneN}, OpCall2: {"Call2", twoN},
	OpSqrt: {"Sqrt", oneN}, OpFAbs: {"FAbs", oneN}, OpFFloor: {"FFloor", oneN}, OpFCeil: {"FCeil", oneN}, OpFTrunc: {"FTrunc", oneN}, OpFNearest: {"FNearest", oneN},
	OpFMin: {"FMin", twoN}, OpFMax: {"FMax", twoN},

	OpLoad8: {"Load8", load}, OpLoad16: {"Load16", load}, OpLoad32: {"Load32", load}, OpLoad64: {"Load64", load},
	OpLoadS8: {"LoadS8", load}, OpLoadS16: {"LoadS16", load}, OpLoadS32: {"LoadS32", load}, OpLoadP: {"LoadP", toP | aP | fails},
	OpStore8: {"Store8", store}, OpStore16: {"Store16", store}, OpStore32: {"Store32", store}, OpStore64: {"Store64", store},
	OpStoreP: {"StoreP", dP | aP | fails}, OpField: {"Field", toP | aP | fails},

	OpAt8: {"At8", toN | element}, OpAt16: {"At16", toN | element}, OpAt32: {"At32", toN | element}, OpAt64: {"At64", toN | element},
	OpAtS8: {"AtS8", toN | element}, OpAtS16: {"AtS16", toN | element}, OpAtS32: {"AtS32", toN | element}, OpAtP: {"AtP", toP | element},
	OpSet8: {"Set8", dN | element}, OpSet16: {"Set16", dN | element}, OpSet32: {"Set32", dN | element}, OpSet64: {"Set64", dN | element},
	OpSetP: {"SetP", dP | element}, OpElem: {"Elem", toP | element}, OpCheck: {"Check", bN | cN | fails}, OpElemOf: {"ElemOf", toP | aP | bN | fails},

	OpTypeOf: {"TypeOf", toP | aP}, OpCopy: {"Copy", aP | bP | cN},
}

func (c Opcode) String() string {
	if int(c) < len(infos) {
		return infos[c].name
	}
	return fmt.Sprintf("Opcode(%d)", uint16(c))
}

// String formats o on one line, for example "At64 n4 p0 n1 n2, else 7".
func (o Op) String() string {
	s := o.Code.String()
	if int(o.Code) >= len(infos) {
		return s
	}
	for _, f := range o.fields() {
		s += fmt.Sprintf(" %c%d", f.file, f.register)
	}
	switch shape := infos[o.Code].shape; {
	case o.Code.calls(), o.Code == OpHelp, o.Code == OpLoop, o.Code == OpCall1, o.Code == OpCall2:
		s += fmt.Sprintf(" #%d", o.Or)
	case o.Code == OpElemOf:
		s += fmt.Sprintf(" of %d * %d", o.Or, o.Imm)
	case shape&jumps != 0:
		s += fmt.Sprintf(" %d", o.To)
	case shape&jumpsOr != 0:
		s += fmt.Sprintf(" %d or %d", o.To, o.Or)
	case o.Imm != 0:
		s += fmt.Sprintf(" %+d", o.Imm)
	}
	if infos[o.Code].shape&fails != 0 {
		s += fmt.Sprintf(", else %d", o.To)
	}
	return s
}

// A field is a register that an op names.
type field struct {
	file     byte // 'n' or 'p'
	register uint16
	set      bool
}

// fields returns the registers among D, A, B and C that the opcode of o uses.
func (o Op) fields() (fs []field) {
	s := infos[o.Code].shape
	for _, f := range [...]struct {
		is shape
		field
	}{
		{toN, field{'n', o.D, true}}, {toP, field{'p', o.D, true}}, {dN, field{'n', o.D, false}}, {dP, field{'p', o.D, false}},
		{aN, field{'n', o.A, false}}, {aP, field{'p', o.A, false}}, {bN, field{'n', o.B, false}}, {bP, field{'p', o.B, false}}, {cN, field{'n', o.C, false}},
	} {
		if s&f.is != 0 {
			fs = append(fs, f.field)
		}
	}
	return fs
}
