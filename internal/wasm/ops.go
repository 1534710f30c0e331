package wasm

import (
	"encoding/binary"
	"strings"
)

// An operation is an instruction without immediate operands.
type operation struct {
	code   []byte
	params []Type
	result Type
}

// An access is a load or store instruction.
type access struct {
	code  []byte
	size  int  // in bytes
	t     Type // type of the value
	lane  bool // the instruction takes the number of a lane
	store bool
}

// A group lists instructions that have consecutive codes and the same signature.
type group struct {
	code      int // code of the first instruction; 0xfd00 + n (or 0xfc00 + n) means the prefix 0xfd (or 0xfc) and the code n
	signature string
	names     string // - marks an unused code
}

const (
	vector    = 0xfd00 // prefixes
	saturated = 0xfc00
)

var groups = []group{
	{0x45, "i32 i32", "i32.eqz"},
	{0x46, "i32 i32 i32", "i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u"},
	{0x50, "i64 i32", "i64.eqz"},
	{0x51, "i64 i64 i32", "i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u"},
	{0x5b, "f32 f32 i32", "f32.eq f32.ne f32.lt f32.gt f32.le f32.ge"},
	{0x61, "f64 f64 i32", "f64.eq f64.ne f64.lt f64.gt f64.le f64.ge"},
	{0x67, "i32 i32", "i32.clz i32.ctz i32.popcnt"},
	{0x6a, "i32 i32 i32", "i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr"},
	{0x79, "i64 i64", "i64.clz i64.ctz i64.popcnt"},
	{0x7c, "i64 i64 i64", "i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr"},
	{0x8b, "f32 f32", "f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt"},
	{0x92, "f32 f32 f32", "f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign"},
	{0x99, "f64 f64", "f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt"},
	{0xa0, "f64 f64 f64", "f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign"},
	{0xa7, "i64 i32", "i32.wrap_i64"},
	{0xa8, "f32 i32", "i32.trunc_f32_s i32.trunc_f32_u"},
	{0xaa, "f64 i32", "i32.trunc_f64_s i32.trunc_f64_u"},
	{0xac, "i32 i64", "i64.extend_i32_s i64.extend_i32_u"},
	{0xae, "f32 i64", "i64.trunc_f32_s i64.trunc_f32_u"},
	{0xb0, "f64 i64", "i64.trunc_f64_s i64.trunc_f64_u"},
	{0xb2, "i32 f32", "f32.convert_i32_s f32.convert_i32_u"},
	{0xb4, "i64 f32", "f32.convert_i64_s f32.convert_i64_u"},
	{0xb6, "f64 f32", "f32.demote_f64"},
	{0xb7, "i32 f64", "f64.convert_i32_s f64.convert_i32_u"},
	{0xb9, "i64 f64", "f64.convert_i64_s f64.convert_i64_u"},
	{0xbb, "f32 f64", "f64.promote_f32"},
	{0xbc, "f32 i32", "i32.reinterpret_f32"},
	{0xbd, "f64 i64", "i64.reinterpret_f64"},
	{0xbe, "i32 f32", "f32.reinterpret_i32"},
	{0xbf, "i64 f64", "f64.reinterpret_i64"},
	{0xc0, "i32 i32", "i32.extend8_s i32.extend16_s"},
	{0xc2, "i64 i64", "i64.extend8_s i64.extend16_s i64.extend32_s"},
	{saturated + 0, "f32 i32", "i32.trunc_sat_f32_s i32.trunc_sat_f32_u"},
	{saturated + 2, "f64 i32", "i32.trunc_sat_f64_s i32.trunc_sat_f64_u"},
	{saturated + 4, "f32 i64", "i64.trunc_sat_f32_s i64.trunc_sat_f32_u"},
	{saturated + 6, "f64 i64", "i64.trunc_sat_f64_s i64.trunc_sat_f64_u"},

	{vector + 14, "v128 v128 v128", "i8x16.swizzle"},
	{vector + 15, "i32 v128", "i8x16.splat i16x8.splat i32x4.splat"},
	{vector + 18, "i64 v128", "i64x2.splat"},
	{vector + 19, "f32 v128", "f32x4.splat"},
	{vector + 20, "f64 v128", "f64x2.splat"},
	{vector + 35, "v128 v128 v128", "i8x16.eq i8x16.ne i8x16.lt_s i8x16.lt_u i8x16.gt_s i8x16.gt_u i8x16.le_s i8x16.le_u i8x16.ge_s i8x16.ge_u"},
	{vector + 45, "v128 v128 v128", "i16x8.eq i16x8.ne i16x8.lt_s i16x8.lt_u i16x8.gt_s i16x8.gt_u i16x8.le_s i16x8.le_u i16x8.ge_s i16x8.ge_u"},
	{vector + 55, "v128 v128 v128", "i32x4.eq i32x4.ne i32x4.lt_s i32x4.lt_u i32x4.gt_s i32x4.gt_u i32x4.le_s i32x4.le_u i32x4.ge_s i32x4.ge_u"},
	{vector + 65, "v128 v128 v128", "f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge"},
	{vector + 71, "v128 v128 v128", "f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge"},
	{vector + 77, "v128 v128", "v128.not"},
	{vector + 78, "v128 v128 v128", "v128.and v128.andnot v128.or v128.xor"},
	{vector + 82, "v128 v128 v128 v128", "v128.bitselect"},
	{vector + 83, "v128 i32", "v128.any_true"},
	{vector + 94, "v128 v128", "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4 i8x16.abs i8x16.neg i8x16.popcnt"},
	{vector + 99, "v128 i32", "i8x16.all_true i8x16.bitmask"},
	{vector + 101, "v128 v128 v128", "i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u"},
	{vector + 103, "v128 v128", "f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest"},
	{vector + 107, "v128 i32 v128", "i8x16.shl i8x16.shr_s i8x16.shr_u"},
	{vector + 110, "v128 v128 v128", "i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u"},
	{vector + 116, "v128 v128", "f64x2.ceil f64x2.floor"},
	{vector + 118, "v128 v128 v128", "i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u"},
	{vector + 122, "v128 v128", "f64x2.trunc"},
	{vector + 123, "v128 v128 v128", "i8x16.avgr_u"},
	{vector + 124, "v128 v128", "i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u i16x8.abs i16x8.neg"},
	{vector + 130, "v128 v128 v128", "i16x8.q15mulr_sat_s"},
	{vector + 131, "v128 i32", "i16x8.all_true i16x8.bitmask"},
	{vector + 133, "v128 v128 v128", "i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u"},
	{vector + 135, "v128 v128", "i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u"},
	{vector + 139, "v128 i32 v128", "i16x8.shl i16x8.shr_s i16x8.shr_u"},
	{vector + 142, "v128 v128 v128", "i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u"},
	{vector + 148, "v128 v128", "f64x2.nearest"},
	{vector + 149, "v128 v128 v128", "i16x8.mul i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u - i16x8.avgr_u i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u"},
	{vector + 160, "v128 v128", "i32x4.abs i32x4.neg"},
	{vector + 163, "v128 i32", "i32x4.all_true i32x4.bitmask"},
	{vector + 167, "v128 v128", "i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u"},
	{vector + 171, "v128 i32 v128", "i32x4.shl i32x4.shr_s i32x4.shr_u"},
	{vector + 174, "v128 v128 v128", "i32x4.add - - i32x4.sub - - - i32x4.mul i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s - i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u"},
	{vector + 192, "v128 v128", "i64x2.abs i64x2.neg"},
	{vector + 195, "v128 i32", "i64x2.all_true i64x2.bitmask"},
	{vector + 199, "v128 v128", "i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u"},
	{vector + 203, "v128 i32 v128", "i64x2.shl i64x2.shr_s i64x2.shr_u"},
	{vector + 206, "v128 v128 v128", "i64x2.add - - i64x2.sub - - - i64x2.mul i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u"},
	{vector + 224, "v128 v128", "f32x4.abs f32x4.neg - f32x4.sqrt"},
	{vector + 228, "v128 v128 v128", "f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax"},
	{vector + 236, "v128 v128", "f64x2.abs f64x2.neg - f64x2.sqrt"},
	{vector + 240, "v128 v128 v128", "f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax"},
	{vector + 248, "v128 v128", "i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u"},
}

// memory lists the load and store instructions; all others are in the variable groups. Here the signature gives a
// type and a size for each instruction.
var memory = []group{
	{0x28, "i32 4 i64 8 f32 4 f64 8", "i32.load i64.load f32.load f64.load"},
	{0x2c, "i32 1 i32 1 i32 2 i32 2", "i32.load8_s i32.load8_u i32.load16_s i32.load16_u"},
	{0x30, "i64 1 i64 1 i64 2 i64 2 i64 4 i64 4", "i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u"},
	{0x36, "i32 4 i64 8 f32 4 f64 8", "i32.store i64.store f32.store f64.store"},
	{0x3a, "i32 1 i32 2 i64 1 i64 2 i64 4", "i32.store8 i32.store16 i64.store8 i64.store16 i64.store32"},
	{vector + 0, "v128 16 v128 8 v128 8 v128 8 v128 8 v128 8 v128 8", "v128.load v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u"},
	{vector + 7, "v128 1 v128 2 v128 4 v128 8 v128 16", "v128.load8_splat v128.load16_splat v128.load32_splat v128.load64_splat v128.store"},
	{vector + 84, "v128 1 v128 2 v128 4 v128 8", "v128.load8_lane v128.load16_lane v128.load32_lane v128.load64_lane"},
	{vector + 88, "v128 1 v128 2 v128 4 v128 8", "v128.store8_lane v128.store16_lane v128.store32_lane v128.store64_lane"},
	{vector + 92, "v128 4 v128 8", "v128.load32_zero v128.load64_zero"},
}

var (
	operations = map[string]operation{}
	accesses   = map[string]access{}
)

func init() {
	types := map[string]Type{}
	for t, s := range shapes {
		types[s.name] = Type(t)
	}
	for _, g := range groups {
		var signature []Type
		for s := range strings.FieldsSeq(g.signature) {
			signature = append(signature, types[s])
		}
		last := len(signature) - 1
		for i, name := range strings.Fields(g.names) {
			if name != "-" {
				operations[name] = operation{instruction(g.code + i), signature[:last:last], signature[last]}
			}
		}
	}
	for _, g := range memory {
		signature := strings.Fields(g.signature)
		for i, name := range strings.Fields(g.names) {
			size := map[string]int{"1": 1, "2": 2, "4": 4, "8": 8, "16": 16}[signature[2*i+1]]
			accesses[name] = access{instruction(g.code + i), size, types[signature[2*i]], strings.HasSuffix(name, "_lane"), strings.Contains(name, ".store")}
		}
	}
}

// instruction returns the encoding of an instruction, given its code as in group.code.
func instruction(code int) []byte {
	if code < 0x100 {
		return []byte{byte(code)}
	}
	return binary.AppendUvarint([]byte{byte(code >> 8)}, uint64(code&0xff))
}

// Op applies an instruction without immediate operands, given its name in the specification:
// Op("f64x2.convert_low_i32x4_s", x).
func Op(name string, operands ...Value) Value {
	o, ok := operations[name]
	if !ok {
		return value{err: mistake("%s: there is no such instruction, or not one without immediate operands", name)}
	}
	v := join(name, o.params, operands)
	v.t, v.code = o.result, append(v.code, o.code...)
	return v
}

// LoadOp reads from address + offset with the named instruction, such as v128.load32x2_u or i32.load8_u.
func LoadOp(name string, address Value, offset int) Value {
	a, ok := accesses[name]
	if !ok || a.lane || a.store {
		return value{err: mistake("%s: there is no such load", name)}
	}
	v := join(name, []Type{I32}, []Value{address})
	if v.err == nil && offset < 0 {
		v.err = mistake("%s: offset %d is negative", name, offset)
	}
	v.t, v.code = a.t, appendAccess(append(v.code, a.code...), a.size, offset)
	return v
}
