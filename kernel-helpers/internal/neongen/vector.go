package neongen

import "fmt"

// A Shape says how a 128-bit vector is divided into lanes.
type Shape int

const (
	S4 Shape = iota // four float32 or int32
	D2              // two float64 or int64
)

// String returns the shape as it is written after a register in assembly.
func (s Shape) String() string { return [...]string{"4s", "2d"}[s] }

// Lanes returns the number of lanes; Size returns the bytes per lane.
func (s Shape) Lanes() int { return 4 >> s }
func (s Shape) Size() int  { return 4 << s }

// Shift returns log₂ of Size.
func (s Shape) Shift() int { return 2 + int(s) }

// Type returns the Go type of a floating-point lane.
func (s Shape) Type() string { return [...]string{"float32", "float64"}[s] }

func (s Shape) lane() string   { return [...]string{"s", "d"}[s] }
func (s Shape) double() uint32 { return uint32(s) }

// word appends an instruction that is written as machine code. encode(c) returns the machine code and its disassembly.
func (f *Func) word(encode func(c allocation) (bits uint32, text string), uses ...use) {
	f.code = append(f.code, instruction{uses: uses, text: func(c allocation) string {
		bits, text := encode(c)
		return fmt.Sprintf("WORD $%#08x // %s", bits, text)
	}})
}

// three appends an instruction with a result d and operands a and b. bits is the machine code with all
// register numbers 0.
func (f *Func) three(name string, bits uint32, shape string, d use, a, b V) {
	f.word(func(c allocation) (uint32, string) {
		rd, ra, rb := c.vector(V(d.id)), c.vector(a), c.vector(b)
		return bits | rb<<16 | ra<<5 | rd, fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s", name, rd, shape, ra, shape, rb, shape)
	}, readV(a), readV(b), d)
}

// floats is like f.three, but for floating-point instructions. Their machine code has one bit for the shape.
func (f *Func) floats(name string, bits uint32, s Shape, d use, a, b V) {
	f.three(name, bits|s.double()<<22, s.String(), d, a, b)
}

// FAdd, FSub, FMul, FDiv, FMax and FMin compute d = a op b. FMax and FMin return NaN if an operand is NaN.
func (f *Func) FAdd(s Shape, d, a, b V) { f.floats("fadd", 0x4e20d400, s, writeV(d), a, b) }
func (f *Func) FSub(s Shape, d, a, b V) { f.floats("fsub", 0x4ea0d400, s, writeV(d), a, b) }
func (f *Func) FMul(s Shape, d, a, b V) { f.floats("fmul", 0x6e20dc00, s, writeV(d), a, b) }
func (f *Func) FDiv(s Shape, d, a, b V) { f.floats("fdiv", 0x6e20fc00, s, writeV(d), a, b) }
func (f *Func) FMax(s Shape, d, a, b V) { f.floats("fmax", 0x4e20f400, s, writeV(d), a, b) }
func (f *Func) FMin(s Shape, d, a, b V) { f.floats("fmin", 0x4ea0f400, s, writeV(d), a, b) }

// FMla computes d += a b, and FMls computes d −= a b. Both round once.
func (f *Func) FMla(s Shape, d, a, b V) { f.floats("fmla", 0x4e20cc00, s, changeV(d), a, b) }
func (f *Func) FMls(s Shape, d, a, b V) { f.floats("fmls", 0x4ea0cc00, s, changeV(d), a, b) }

// FAddPairs adds pairs of adjacent lanes. The first half of d holds the sums of a, and the second half the sums of b.
func (f *Func) FAddPairs(s Shape, d, a, b V) { f.floats("faddp", 0x6e20d400, s, writeV(d), a, b) }

// FEqual, FGreater and FGreaterEqual compare a and b lane by lane. If the comparison holds, they set all bits of the
// lane in d to 1, otherwise to 0. Comparisons with NaN are false.
func (f *Func) FEqual(s Shape, d, a, b V)        { f.floats("fcmeq", 0x4e20e400, s, writeV(d), a, b) }
func (f *Func) FGreater(s Shape, d, a, b V)      { f.floats("fcmgt", 0x6ea0e400, s, writeV(d), a, b) }
func (f *Func) FGreaterEqual(s Shape, d, a, b V) { f.floats("fcmge", 0x6e20e400, s, writeV(d), a, b) }

// FMlaLane computes d += a b[lane], and FMlsLane computes d −= a b[lane]. Both round once. FMulLane computes d = a
// b[lane].
func (f *Func) FMlaLane(s Shape, d, a, b V, lane int) {
	f.byLane("fmla", 0x4f801000, s, changeV(d), a, b, lane)
}
func (f *Func) FMlsLane(s Shape, d, a, b V, lane int) {
	f.byLane("fmls", 0x4f805000, s, changeV(d), a, b, lane)
}
func (f *Func) FMulLane(s Shape, d, a, b V, lane int) {
	f.byLane("fmul", 0x4f809000, s, writeV(d), a, b, lane)
}

func (f *Func) byLane(name string, bits uint32, s Shape, d use, a, b V, lane int) {
	bits |= s.double() << 22
	if s == D2 {
		bits |= uint32(lane) << 11
	} else {
		bits |= uint32(lane&1)<<21 | uint32(lane>>1)<<11
	}
	f.word(func(c allocation) (uint32, string) {
		rd, ra, rb := c.vector(V(d.id)), c.vector(a), c.vector(b)
		return bits | rb<<16 | ra<<5 | rd, fmt.Sprintf("%s v%d.%s, v%d.%s, v%d.%s[%d]", name, rd, s, ra, s, rb, s.lane(), lane)
	}, readV(a), readV(b), d)
}

// The following operations are on bits and integers.

func (f *Func) And(d, a, b V) { f.three("and", 0x4e201c00, "16b", writeV(d), a, b) }

// Or computes d = a | b.
func (f *Func) Or(d, a, b V) { f.three("orr", 0x4ea01c00, "16b", writeV(d), a, b) }

// Clear computes d = a &^ b.
func (f *Func) Clear(d, a, b V) { f.three("bic", 0x4e601c00, "16b", writeV(d), a, b) }

// Select uses the old d as a bit mask: it sets d to a where the bits of the mask are 1, and to b where they are 0.
func (f *Func) Select(d, a, b V) { f.three("bsl", 0x6e601c00, "16b", changeV(d), a, b) }

// Insert copies a to d where the bits of mask are 1.
func (f *Func) Insert(d, a, mask V) { f.three("bit", 0x6ea01c00, "16b", changeV(d), a, mask) }

func (f *Func) IAdd(s Shape, d, a, b V) {
	f.three("add", 0x4ea08400|s.double()<<22, s.String(), writeV(d), a, b)
}
func (f *Func) ISub(s Shape, d, a, b V) {
	f.three("sub", 0x6ea08400|s.double()<<22, s.String(), writeV(d), a, b)
}

// Zip1 interleaves the lower lanes of a and b; Zip2 interleaves the upper lanes.
func (f *Func) Zip1(s Shape, d, a, b V) {
	f.three("zip1", 0x4e803800|s.double()<<22, s.String(), writeV(d), a, b)
}
func (f *Func) Zip2(s Shape, d, a, b V) {
	f.three("zip2", 0x4e807800|s.double()<<22, s.String(), writeV(d), a, b)
}

// two appends an instruction with a result d and one operand a. Its disassembly is
//
//	name d.to, a.of after
func (f *Func) two(bits uint32, name, to, of, after string, d use, a V) {
	f.word(func(c allocation) (uint32, string) {
		rd, ra := c.vector(V(d.id)), c.vector(a)
		return bits | ra<<5 | rd, fmt.Sprintf("%s v%d.%s, v%d.%s%s", name, rd, to, ra, of, after)
	}, readV(a), d)
}

// Copy sets d = a. It emits nothing if a is not used again, because d then gets the same register as a.
func (f *Func) Copy(d, a V) {
	f.word(func(c allocation) (uint32, string) {
		rd, ra := c.vector(d), c.vector(a)
		return 0x4ea01c00 | ra<<16 | ra<<5 | rd, fmt.Sprintf("mov v%d.16b, v%d.16b", rd, ra)
	}, readV(a), writeV(d))
	f.code[len(f.code)-1].copies = true
}

// Zero sets d = 0.
func (f *Func) Zero(d V) {
	f.word(func(c allocation) (uint32, string) {
		return 0x6f00e400 | c.vector(d), fmt.Sprintf("movi v%d.2d, #0x0", c.vector(d))
	}, writeV(d))
}

// FNeg computes d = −a, and FAbs d = |a|.
func (f *Func) FNeg(s Shape, d, a V) {
	f.two(0x6ea0f800|s.double()<<22, "fneg", s.String(), s.String(), "", writeV(d), a)
}
func (f *Func) FAbs(s Shape, d, a V) {
	f.two(0x4ea0f800|s.double()<<22, "fabs", s.String(), s.String(), "", writeV(d), a)
}

// Negative tests the sign bit of each lane of a. If the sign bit is set, Negative sets all bits of the same lane of d;
// otherwise it clears all of them.
func (f *Func) Negative(s Shape, d, a V) {
	f.two(0x4ea0a800|s.double()<<22, "cmlt", s.String(), s.String(), ", #0", writeV(d), a)
}

// ShiftRight and ShiftLeft shift the bits of each lane, filling with zeros.
func (f *Func) ShiftRight(s Shape, d, a V, n int) {
	f.two(0x6f000400|uint32(16*s.Size()-n)<<16, "ushr", s.String(), s.String(), fmt.Sprintf(", #%d", n), writeV(d), a)
}
func (f *Func) ShiftLeft(s Shape, d, a V, n int) {
	f.two(0x4f005400|uint32(8*s.Size()+n)<<16, "shl", s.String(), s.String(), fmt.Sprintf(", #%d", n), writeV(d), a)
}

// Widen converts the lower two float32 values of a to float64; WidenUpper converts the upper two.
func (f *Func) Widen(d, a V)      { f.two(0x0e617800, "fcvtl", "2d", "2s", "", writeV(d), a) }
func (f *Func) WidenUpper(d, a V) { f.two(0x4e617800, "fcvtl2", "2d", "4s", "", writeV(d), a) }

// WidenHalves converts the four float16 values in the lower half of a to float32.
func (f *Func) WidenHalves(d, a V) { f.two(0x0e217800, "fcvtl", "4s", "4h", "", writeV(d), a) }

// BytesToHalves zero-extends the 8-bit integers in the lower half of a to 16 bits. HalvesToInts zero-extends the
// 16-bit integers in the lower half of a to 32 bits, and UpperHalvesToInts those in the upper half.
func (f *Func) BytesToHalves(d, a V) { f.two(0x2f08a400, "uxtl", "8h", "8b", "", writeV(d), a) }
func (f *Func) HalvesToInts(d, a V)  { f.two(0x2f10a400, "uxtl", "4s", "4h", "", writeV(d), a) }
func (f *Func) UpperHalvesToInts(d, a V) {
	f.two(0x6f10a400, "uxtl2", "4s", "8h", "", writeV(d), a)
}

// IntsToFloats converts the four unsigned 32-bit integers of a to float32.
func (f *Func) IntsToFloats(d, a V) { f.two(0x6e21d800, "ucvtf", "4s", "4s", "", writeV(d), a) }

// Splat copies a lane of a to all lanes of d.
func (f *Func) Splat(s Shape, d, a V, lane int) {
	index := uint32(s.Size()) | uint32(lane)<<(s.double()+3)
	f.two(0x4e000400|index<<16, "dup", s.String(), s.lane(), fmt.Sprintf("[%d]", lane), writeV(d), a)
}

// Upper copies the upper half of a to both halves of d.
func (f *Func) Upper(d, a V) { f.Splat(D2, d, a, 1) }

// FAddAcross2 adds the two float64 values of a, and stores the sum in the first lane of d. The other lane becomes 0.
func (f *Func) FAddAcross2(d, a V) {
	f.word(func(c allocation) (uint32, string) {
		return 0x7e70d800 | c.vector(a)<<5 | c.vector(d), fmt.Sprintf("faddp d%d, v%d.2d", c.vector(d), c.vector(a))
	}, readV(a), writeV(d))
}

// FMaxAcross4 stores in the first lane of d the largest of the four float32 values of a, or NaN if any of them is NaN.
// AddAcross4 stores there the sum of the four 32-bit integers of a. The other lanes become 0.
func (f *Func) FMaxAcross4(d, a V) { f.across("fmaxv", 0x6e30f800, d, a) }
func (f *Func) AddAcross4(d, a V)  { f.across("addv", 0x4eb1b800, d, a) }

func (f *Func) across(name string, bits uint32, d, a V) {
	f.word(func(c allocation) (uint32, string) {
		return bits | c.vector(a)<<5 | c.vector(d), fmt.Sprintf("%s s%d, v%d.4s", name, c.vector(d), c.vector(a))
	}, readV(a), writeV(d))
}

// Sum adds the lanes of v pairwise into the first lane.
func (f *Func) Sum(s Shape, v V) {
	if s == S4 {
		f.FAddPairs(S4, v, v, v)
		f.FAddPairs(S4, v, v, v)
		return
	}
	f.FAddAcross2(v, v)
}

// ToX copies the first lane of a, 32 bits for S4 or 64 bits for D2, to the general register d. FromX copies as many
// bits from a general register to the first lane of a vector register, and clears the other lanes.
func (f *Func) ToX(s Shape, d X, a V) {
	f.word(func(c allocation) (uint32, string) {
		return 0x1e260000 | s.double()*0x80400000 | c.vector(a)<<5 | c.general(d), fmt.Sprintf("fmov %s%d, %s%d", [...]string{"w", "x"}[s], c.general(d), s.lane(), c.vector(a))
	}, readV(a), writeX(d))
}
func (f *Func) FromX(s Shape, d V, a X) {
	f.word(func(c allocation) (uint32, string) {
		return 0x1e270000 | s.double()*0x80400000 | c.general(a)<<5 | c.vector(d), fmt.Sprintf("fmov %s%d, %s%d", s.lane(), c.vector(d), [...]string{"w", "x"}[s], c.general(a))
	}, readX(a), writeV(d))
}

// The following operations compute only the first lane: a float32 for S4, a float64 for D2. The other lanes become 0.

func (f *Func) scalar(name string, bits uint32, s Shape, d use, a ...V) {
	bits |= s.double() << 22
	uses := []use{d}
	for _, v := range a {
		uses = append(uses, readV(v))
	}
	f.word(func(c allocation) (uint32, string) {
		text := fmt.Sprintf("%s %s%d", name, s.lane(), c.vector(V(d.id)))
		b := bits | c.vector(V(d.id))
		for i, v := range a {
			b |= c.vector(v) << [...]int{5, 16, 10}[i]
			text += fmt.Sprintf(", %s%d", s.lane(), c.vector(v))
		}
		return b, text
	}, uses...)
}

func (f *Func) Add1(s Shape, d, a, b V) { f.scalar("fadd", 0x1e202800, s, writeV(d), a, b) }
func (f *Func) Sub1(s Shape, d, a, b V) { f.scalar("fsub", 0x1e203800, s, writeV(d), a, b) }
func (f *Func) Mul1(s Shape, d, a, b V) { f.scalar("fmul", 0x1e200800, s, writeV(d), a, b) }
func (f *Func) Max1(s Shape, d, a, b V) { f.scalar("fmax", 0x1e204800, s, writeV(d), a, b) }
func (f *Func) Min1(s Shape, d, a, b V) { f.scalar("fmin", 0x1e205800, s, writeV(d), a, b) }
func (f *Func) Abs1(s Shape, d, a V)    { f.scalar("fabs", 0x1e20c000, s, writeV(d), a) }

// MulAdd1 computes d = c + a b, and MulSub1 computes d = c − a b, in the first lane; the other lanes become 0. Both
// round once.
func (f *Func) MulAdd1(s Shape, d, a, b, c V) { f.scalar("fmadd", 0x1f000000, s, writeV(d), a, b, c) }
func (f *Func) MulSub1(s Shape, d, a, b, c V) { f.scalar("fmsub", 0x1f008000, s, writeV(d), a, b, c) }
