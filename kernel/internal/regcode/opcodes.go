package regcode

// An Opcode is the operation of an op. n and p are the registers; D, A, B, C, To, Or and Imm are the op's
// fields.
type Opcode uint16

const (
	// Control flow.

	OpDo         Opcode = iota // the site To
	OpJump                     // continue at To
	OpIf                       // continue at To if n[A] != 0, else at Or; the next ones do the same for n[A] and n[B]
	OpIfEQ                     // equal bits
	OpIfLT                     // signed
	OpIfLE                     //
	OpIfLTU                    // unsigned
	OpIfLEU                    //
	OpIfFEQ                    // float64
	OpIfFLT                    //
	OpIfFLE                    //
	OpLoop                     // Loops[Or] begins here
	OpReturn                   // the results are in the first registers of each file
	OpCallOf                   // Calls[Or]; the site To does the call in the interpreter
	OpCallFunc                 // Calls[Or] of the func value p[A]; the site To, as for OpCallOf
	OpCallMethod               // Calls[Or] of the value whose words are p[A] and p[B]; the site To, as for OpCallOf
	OpHelp                     // Helpers[Or]; the site To

	// Moves.

	OpMove  // n[D] = n[A]
	OpMoveP // p[D] = p[A]

	// Comparisons: n[D] = 0 or 1.

	OpEQ   // n[A] == n[B], bits
	OpLT   // signed
	OpLE   //
	OpLTU  // unsigned
	OpLEU  //
	OpFEQ  // float64
	OpFLT  //
	OpFLE  //
	OpEQ32 // float32
	OpLT32 //
	OpLE32 //
	OpEQP  // p[A] == p[B]
	OpNil  // p[A] == nil

	// 64-bit integers: n[D] from n[A] and n[B]. The next op truncates results of narrower types.

	OpAdd
	OpSub
	OpMul
	OpAnd
	OpOr
	OpXor
	OpAndNot
	OpShl  // by n[B], which is unsigned or, if C is not 0, signed: fails if n[B] is negative. 64 and more give 0
	OpShr  // signed: 64 and more give the sign
	OpShrU // unsigned
	OpDiv  // signed; OpDiv to OpRemU fail if n[B] is 0. The least number divided by -1 is itself
	OpDivU
	OpRem // the least number modulo -1 is 0
	OpRemU
	OpAddI // n[D] = n[A] + Imm

	// Floats.

	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpAdd32
	OpSub32
	OpMul32
	OpDiv32

	// n[D] from n[A].

	OpNot   // of a bool
	OpNeg   // integer
	OpCom   // ^
	OpFNeg  //
	OpNeg32 //
	OpInt8  // truncated to the type and extended again
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
	OpFloatInt   // from float64 to the integer type of reflect.Kind B, converted as by compiled Go on this machine
	OpFloat32Int // from float32
	OpCall1      // n[D] = Math1[Or](n[A])
	OpCall2      // n[D] = Math2[Or](n[A], n[B])
	OpSqrt       // float64, as math.Sqrt; the next ones are exact too
	OpFAbs
	OpFFloor
	OpFCeil
	OpFTrunc
	OpFNearest // math.RoundToEven
	OpFMin     // the builtin min of float64, with Go's rules for NaN and zeros
	OpFMax

	// Memory. These ops fail if p[A] is nil. Imm is an offset in bytes.

	OpLoad8  // n[D] = *(p[A]+Imm), zero-extended
	OpLoad16 //
	OpLoad32 //
	OpLoad64 //
	OpLoadS8 // sign-extended
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
	// compared unsigned.

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
	OpCheck // only check n[B] < n[C]

	// Elements of an array of Or elements at p[A]; this op also fails if p[A] is nil.
	OpElemOf // p[D] = p[A] + n[B]*Imm

	opcodes // the number of opcodes
)
