package wasm

// A Type is the type of a number, the type V128 of vectors, or the shape in which an instruction sees a vector, such
// as F64x2. A vector itself has no shape: every Value that is a vector has the type V128.
type Type byte

// The types of values, and the shapes of vectors.
const (
	None Type = iota // the type of a statement
	I32
	I64
	F32
	F64
	V128
	I8x16
	I16x8
	I32x4
	I64x2
	F32x4
	F64x2
)

// A shape holds the properties of a Type, such as its name, its lanes and its code.
type shape struct {
	name  string
	lanes int
	lane  Type // type of an extracted number: I32 for I8x16 and I16x8; None if there are no lanes
	bytes int  // bytes per lane
	code  byte // code in the binary format
}

var shapes = [...]shape{
	None:  {"nothing", 0, None, 0, 0x40},
	I32:   {"i32", 1, I32, 4, 0x7f},
	I64:   {"i64", 1, I64, 8, 0x7e},
	F32:   {"f32", 1, F32, 4, 0x7d},
	F64:   {"f64", 1, F64, 8, 0x7c},
	V128:  {"v128", 0, None, 16, 0x7b},
	I8x16: {"i8x16", 16, I32, 1, 0x7b},
	I16x8: {"i16x8", 8, I32, 2, 0x7b},
	I32x4: {"i32x4", 4, I32, 4, 0x7b},
	I64x2: {"i64x2", 2, I64, 8, 0x7b},
	F32x4: {"f32x4", 4, F32, 4, 0x7b},
	F64x2: {"f64x2", 2, F64, 8, 0x7b},
}

// String returns the name in the specification, such as i32 or f64x2.
func (t Type) String() string { return shapes[t].name }

// Storage returns the type that stores a value of the shape t: V128 for all vectors, otherwise t itself.
func (t Type) Storage() Type {
	if t > V128 {
		return V128
	}
	return t
}

// Lanes returns the number of numbers in a value: 1 for a number, 0 for a V128, which has no shape.
func (t Type) Lanes() int { return shapes[t].lanes }

// Lane returns the type of the numbers in a vector. For I8x16 and I16x8 it is I32, the type to which they are
// extracted.
func (t Type) Lane() Type { return shapes[t].lane }

// Size returns the length of a value in bytes.
func (t Type) Size() int { return shapes[t].bytes * max(1, shapes[t].lanes) }

// Float reports whether the type consists of floating-point numbers.
func (t Type) Float() bool { return t.Lane() == F32 || t.Lane() == F64 }
