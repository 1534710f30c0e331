package neongen

import "fmt"

// A Mem is a memory operand: base + disp, or base + index.
type Mem struct {
	base, index X
	disp        int
	after       bool // post-increment: after the access, base becomes base + disp
}

// At returns the memory at base + disp bytes.
func At(base X, disp int) Mem { return Mem{base: base, disp: disp} }

// By returns the memory at base + index bytes.
func By(base, index X) Mem { return Mem{base: base, index: index} }

// Step returns the memory at the address in the register base. After the access, disp is added to the register.
func Step(base X, disp int) Mem { return Mem{base: base, disp: disp, after: true} }

func (m Mem) uses() []use {
	switch {
	case m.index != 0:
		return []use{readX(m.base), readX(m.index)}
	case m.after:
		return []use{{false, int(m.base), true, true}}
	}
	return []use{readX(m.base)}
}

func (m Mem) text(c allocation) string {
	switch b := c.general(m.base); {
	case m.index != 0:
		return fmt.Sprintf("[x%d, x%d]", b, c.general(m.index))
	case m.after:
		return fmt.Sprintf("[x%d], #%d", b, m.disp)
	case m.disp != 0:
		return fmt.Sprintf("[x%d, #%d]", b, m.disp)
	default:
		return fmt.Sprintf("[x%d]", b)
	}
}

// transfer holds the encodings of loads and stores of 4, 8 and 16 bytes.
var transfer = map[int]struct {
	name string
	bits uint32 // size and opc of a load or store
	pair uint32
}{4: {"s", 0x80000000, 0x00000000}, 8: {"d", 0xc0000000, 0x40000000}, 16: {"q", 0x00800000, 0x80000000}}

// access appends a load or a store of one register.
func (f *Func) access(name string, load uint32, bytes int, v use, m Mem) {
	t := transfer[bytes]
	if t.name == "" {
		panic("neongen: no registers of that many bytes")
	}
	bits := t.bits | 0x3c000000 | load<<22
	switch {
	case m.index != 0:
		bits |= 0x00206800
	case m.after:
		bits |= 0x00000400 | signed(f, m.disp, 9)<<12
	case m.disp%bytes != 0 || m.disp < 0 || m.disp/bytes >= 1<<12:
		panic(fmt.Sprintf("neongen: %s: no such offset, %d", f.name, m.disp))
	default:
		bits |= 0x01000000 | uint32(m.disp/bytes)<<10
	}
	f.word(func(c allocation) (uint32, string) {
		b := bits | c.general(m.base)<<5 | c.vector(V(v.id))
		if m.index != 0 {
			b |= c.general(m.index) << 16
		}
		return b, fmt.Sprintf("%s %s%d, %s", name, t.name, c.vector(V(v.id)), m.text(c))
	}, append(m.uses(), v)...)
}

// signed returns n as a signed integer with the given number of bits, for the encoding of an instruction. It panics if
// n does not fit.
func signed(f *Func, n, bits int) uint32 {
	if n < -1<<(bits-1) || n >= 1<<(bits-1) {
		panic(fmt.Sprintf("neongen: %s: no such offset, %d", f.name, n))
	}
	return uint32(n) & (1<<bits - 1)
}

// Load reads the given number of bytes (4, 8 or 16) into v and clears the other bytes of v. Store writes the first 4, 8
// or 16 bytes of v.
func (f *Func) Load(bytes int, v V, m Mem)  { f.access("ldr", 1, bytes, writeV(v), m) }
func (f *Func) Store(bytes int, v V, m Mem) { f.access("str", 0, bytes, readV(v), m) }

func (f *Func) pair(name string, load uint32, bytes int, v, w use, m Mem) {
	t := transfer[bytes]
	bits := t.pair&0x80000000 | t.pair&0x40000000 | 0x2c000000 | load<<22 | signed(f, m.disp/bytes, 7)<<15
	switch {
	case m.index != 0 || m.disp%bytes != 0:
		panic("neongen: " + f.name + ": a pair has an offset in whole registers")
	case m.after:
		bits |= 0x00800000
	default:
		bits |= 0x01000000
	}
	f.word(func(c allocation) (uint32, string) {
		a, b := c.vector(V(v.id)), c.vector(V(w.id))
		return bits | b<<10 | c.general(m.base)<<5 | a, fmt.Sprintf("%s %s%d, %s%d, %s", name, t.name, a, t.name, b, m.text(c))
	}, append(m.uses(), v, w)...)
}

// LoadPair reads the given number of bytes into v, and the same number, from the memory directly after them, into w.
// StorePair writes the two registers to adjacent memory.
func (f *Func) LoadPair(bytes int, v, w V, m Mem) {
	f.pair("ldp", 1, bytes, writeV(v), writeV(w), m)
}
func (f *Func) StorePair(bytes int, v, w V, m Mem) {
	f.pair("stp", 0, bytes, readV(v), readV(w), m)
}

// LoadAll fills all lanes of v with the number at the address base.
func (f *Func) LoadAll(s Shape, v V, base X) {
	bits := uint32(0x4d40c800) | s.double()<<10
	f.word(func(c allocation) (uint32, string) {
		return bits | c.general(base)<<5 | c.vector(v), fmt.Sprintf("ld1r {v%d.%s}, [x%d]", c.vector(v), s, c.general(base))
	}, readX(base), writeV(v))
}

// LoadLane reads one lane of v from the address base, and keeps the other lanes. StoreLane writes one lane of v there.
func (f *Func) LoadLane(s Shape, v V, lane int, base X) {
	f.lane("ld1", 0x0d400000, s, changeV(v), lane, base)
}
func (f *Func) StoreLane(s Shape, v V, lane int, base X) {
	f.lane("st1", 0x0d000000, s, readV(v), lane, base)
}

func (f *Func) lane(name string, bits uint32, s Shape, v use, lane int, base X) {
	if s == D2 {
		bits |= 0x8400 | uint32(lane)<<30
	} else {
		bits |= 0x8000 | uint32(lane>>1)<<30 | uint32(lane&1)<<12
	}
	f.word(func(c allocation) (uint32, string) {
		r := c.vector(V(v.id))
		return bits | c.general(base)<<5 | r, fmt.Sprintf("%s {v%d.%s}[%d], [x%d]", name, r, s.lane(), lane, c.general(base))
	}, readX(base), v)
}
