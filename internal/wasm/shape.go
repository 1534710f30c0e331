package wasm

import "fmt"

// Instructions as methods of the type that they work on: F64x2.Add(x, y) is f64x2.add. For integer types,
// instructions without a sign in their names are the signed ones. If the type does not have the instruction,
// a mistake is recorded.

func (t Type) op(name string, operands ...Value) Value { return Op(t.String()+"."+name, operands...) }

// signed applies an instruction; for integer types it appends _s to the instruction's name.
func (t Type) signed(name string, operands ...Value) Value {
	if !t.Float() {
		name += "_s"
	}
	return t.op(name, operands...)
}

// Add and the methods below are arithmetic. Integer division traps if the divisor is 0.
func (t Type) Add(x, y Value) Value  { return t.op("add", x, y) }
func (t Type) Sub(x, y Value) Value  { return t.op("sub", x, y) }
func (t Type) Mul(x, y Value) Value  { return t.op("mul", x, y) }
func (t Type) Div(x, y Value) Value  { return t.signed("div", x, y) }
func (t Type) DivU(x, y Value) Value { return t.op("div_u", x, y) }
func (t Type) Rem(x, y Value) Value  { return t.op("rem_s", x, y) }
func (t Type) RemU(x, y Value) Value { return t.op("rem_u", x, y) }
func (t Type) Abs(x Value) Value     { return t.op("abs", x) }
func (t Type) Neg(x Value) Value     { return t.op("neg", x) }
func (t Type) Sqrt(x Value) Value    { return t.op("sqrt", x) }

// Min and Max return NaN if one operand is NaN. PMin is y < x ? y : x, and PMax is x < y ? y : x.
func (t Type) Min(x, y Value) Value  { return t.signed("min", x, y) }
func (t Type) Max(x, y Value) Value  { return t.signed("max", x, y) }
func (t Type) PMin(x, y Value) Value { return t.op("pmin", x, y) }
func (t Type) PMax(x, y Value) Value { return t.op("pmax", x, y) }

// And and the methods below operate on bits. Shl, ShrS and ShrU take the number of bits as a value of the type t, or
// as an i32 if t is a vector shape. And, Or, Xor and AndNot ignore the shape of vectors. AndNot, which only vectors
// have, is x and not y.
func (t Type) And(x, y Value) Value    { return t.Storage().op("and", x, y) }
func (t Type) Or(x, y Value) Value     { return t.Storage().op("or", x, y) }
func (t Type) Xor(x, y Value) Value    { return t.Storage().op("xor", x, y) }
func (t Type) AndNot(x, y Value) Value { return t.Storage().op("andnot", x, y) }
func (t Type) Shl(x, by Value) Value   { return t.op("shl", x, by) }
func (t Type) ShrS(x, by Value) Value  { return t.op("shr_s", x, by) }
func (t Type) ShrU(x, by Value) Value  { return t.op("shr_u", x, by) }

// Eq and the methods below compare. For numbers, the result is an i32, 1 or 0. For vectors, all bits of a lane are 1
// if the comparison holds in that lane, otherwise 0.
func (t Type) Eq(x, y Value) Value  { return t.op("eq", x, y) }
func (t Type) Ne(x, y Value) Value  { return t.op("ne", x, y) }
func (t Type) Lt(x, y Value) Value  { return t.signed("lt", x, y) }
func (t Type) Le(x, y Value) Value  { return t.signed("le", x, y) }
func (t Type) Gt(x, y Value) Value  { return t.signed("gt", x, y) }
func (t Type) Ge(x, y Value) Value  { return t.signed("ge", x, y) }
func (t Type) LtU(x, y Value) Value { return t.op("lt_u", x, y) }
func (t Type) LeU(x, y Value) Value { return t.op("le_u", x, y) }
func (t Type) GtU(x, y Value) Value { return t.op("gt_u", x, y) }
func (t Type) GeU(x, y Value) Value { return t.op("ge_u", x, y) }
func (t Type) Eqz(x Value) Value    { return t.op("eqz", x) }

// Choose takes the bits of x where mask has ones, and the bits of y elsewhere. It is for vectors.
func (t Type) Choose(mask, x, y Value) Value { return V128.op("bitselect", x, y, mask) }

// Bitmask returns an i32 with the top bit of each lane: bit i is that of lane i.
func (t Type) Bitmask(x Value) Value { return t.op("bitmask", x) }

// Splat puts a number into every lane.
func (t Type) Splat(x Value) Value { return t.op("splat", x) }

// Extract returns a lane. Lanes of I8x16 and I16x8 are zero-extended.
func (t Type) Extract(x Value, lane int) Value {
	name := t.String() + ".extract_lane"
	code := map[Type]byte{I8x16: 22, I16x8: 25, I32x4: 27, I64x2: 29, F32x4: 31, F64x2: 33}[t]
	if code == 0 {
		return value{err: mistake("%s: there is no such instruction", name)}
	}
	v := join(name, []Type{V128}, []Value{x})
	if v.err == nil && (lane < 0 || lane >= t.Lanes()) {
		v.err = mistake("%s: lane %d of %d", name, lane, t.Lanes())
	}
	v.t, v.code = t.Lane(), append(v.code, 0xfd, code, byte(lane))
	return v
}

// Shuffle returns a vector of selected lanes, which are numbered 0 to n−1 in x and n to 2n−1 in y, where n =
// t.Lanes().
func (t Type) Shuffle(x, y Value, lanes ...int) Value {
	name := t.String() + " shuffle"
	v := join(name, []Type{V128, V128}, []Value{x, y})
	n := t.Lanes()
	if v.err == nil && (n < 2 || len(lanes) != n) {
		v.err = mistake("%s: %d lanes of %d", name, len(lanes), n)
	}
	v.t, v.code = V128, append(v.code, 0xfd, 13)
	for _, l := range lanes {
		if v.err == nil && (l < 0 || l >= 2*n) {
			v.err = mistake("%s: lane %d of two times %d", name, l, n)
		}
		for b := range shapes[t].bytes {
			v.code = append(v.code, byte(l*shapes[t].bytes+b))
		}
	}
	return v
}

// Load reads a value from address + offset, at any alignment.
func (t Type) Load(address Value, offset int) Value {
	return LoadOp(t.Storage().String()+".load", address, offset)
}

// LoadSplat reads a number from address + offset into every lane.
func (t Type) LoadSplat(address Value, offset int) Value {
	return LoadOp(fmt.Sprintf("v128.load%d_splat", 8*shapes[t].bytes), address, offset)
}

// LoadLane returns the vector x with one lane replaced by the number at address + offset.
func (t Type) LoadLane(address Value, offset int, x Value, lane int) Value {
	name := fmt.Sprintf("v128.load%d_lane", 8*shapes[t].bytes)
	v := join(name, []Type{I32, V128}, []Value{address, x})
	if v.err == nil && (lane < 0 || lane >= t.Lanes() || t.Lanes() < 2 || offset < 0) {
		v.err = mistake("%s: lane %d of %s, offset %d", name, lane, t, offset)
	}
	a := accesses[name]
	v.t, v.code = V128, append(appendAccess(append(v.code, a.code...), a.size, offset), byte(lane))
	return v
}
