package regcode

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

	// Comparisons: n[D] = 0 or 1.

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
	OpLoad64 // if C is not 0, the number, such as the length of a slice, changes only together with a pointer
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

	opcodes // the number of opcodes
)
