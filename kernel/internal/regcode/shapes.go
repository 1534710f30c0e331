package regcode

import "fmt"

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

	OpTypeOf: {"TypeOf", toP | aP},
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

// fields returns those of the registers D, A, B and C that the opcode of o uses.
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
