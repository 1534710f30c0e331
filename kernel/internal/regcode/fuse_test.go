package regcode

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// sequenceCode makes code of a sequence with random registers. All pointers are to arrays of words. Words
// with odd indices are again pointers to such arrays; the other words are small numbers. n0 to n3 are indices
// and lengths; no op sets them.
func sequenceCode(r *rand.Rand, sequence []Opcode) *Code {
	c := &Code{NN: 8, NP: 4}
	at := make([]int32, len(sequence)+1) // positions of the ops; branches may skip ops in between
	for i, code := range sequence {
		at[i+1] = at[i] + 1
		if s := infos[code&^branchFalse].shape; s&(jumps|jumpsOr) != 0 {
			at[i+1] += int32(r.IntN(2))
		}
	}
	end := at[len(sequence)]
	for i, code := range sequence {
		for len(c.Ops) < int(at[i]) {
			c.Ops = append(c.Ops, Op{Code: OpDo})
		}
		next := at[i+1]
		o := Op{Code: code &^ branchFalse, D: uint16(4 + r.IntN(4)), A: uint16(r.IntN(8)), B: uint16(r.IntN(8)), To: next, Or: end + 1}
		s := infos[o.Code].shape
		if s&(toP|dP) != 0 {
			o.D = uint16(r.IntN(4))
		}
		if s&aP != 0 {
			o.A = uint16(r.IntN(4))
		}
		if s&cN != 0 {
			o.B, o.C = uint16(r.IntN(2)), uint16(2+r.IntN(2))
		}
		if code&branchFalse != 0 {
			o.To, o.Or = o.Or, o.To
		}
		if s&(jumps|jumpsOr) != 0 && next == end && r.IntN(2) == 0 {
			o.To, o.Or = end+1, end
		}
		switch o.Code {
		case OpLoop:
			o.Or = int32(len(c.Loops))
			c.Loops = append(c.Loops, &Loop{At: int32(i)})
		case OpLoadP, OpStoreP:
			o.Imm = 8
		case OpAddI:
			o.Imm = int32(r.IntN(9) - 4)
		default:
			o.Imm = int32(16 * r.IntN(3))
		}
		c.Ops = append(c.Ops, o)
	}
	for len(c.Ops) < int(end) {
		c.Ops = append(c.Ops, Op{Code: OpDo})
	}
	c.Ops = append(c.Ops, Op{Code: OpReturn}, Op{Code: OpAddI, D: 4, A: 4, Imm: 1000}, Op{Code: OpReturn})
	return c
}

// outcome is the complete state after code has run.
type outcome struct {
	n      [8]uint64
	p      [4]unsafe.Pointer
	memory [64]uintptr
	sites  []int32
}

func runSequence(c *Code, seed uint64) (out outcome) {
	r := rand.New(rand.NewPCG(seed, 1))
	memory := &sequenceMemory
	clear(memory[:])
	numbers := (*[64]uintptr)(unsafe.Pointer(memory))
	for i := range memory {
		if i%2 == 1 {
			memory[i] = unsafe.Pointer(&memory[r.IntN(4)*2])
		} else {
			numbers[i] = uintptr(r.IntN(10))
		}
	}
	m := Get(site(func(m *Machine, at int32) { out.sites = append(out.sites, m.Top().PC) }))
	elements := slices.ContainsFunc(c.Ops, func(o Op) bool { return infos[o.Code].shape&cN != 0 })
	m.ticks = 1
	a := m.Push(&Func{}, c, nil)
	for i := range out.n {
		a.N[i] = uint64(r.IntN(9))
		if i > 3 && r.IntN(2) == 0 {
			a.N[i] = bits(r.NormFloat64())
		}
	}
	for i := range out.p {
		if elements || r.IntN(12) > 0 { // a nil slice has no elements
			a.P[i] = unsafe.Pointer(&memory[2*r.IntN(4)])
		}
	}
	m.Run()
	copy(out.n[:], a.N[:])
	copy(out.p[:], a.P[:])
	out.memory = *numbers
	m.Pop()
	m.Put()
	return out
}

var sequenceMemory [64]unsafe.Pointer

// TestSequences: an opcode that executes several ops has the same effect as these ops one by one.
func TestSequences(t *testing.T) {
	defer func() { fusing = true }()
	r := rand.New(rand.NewPCG(1, 2))
	for i, s := range sequences {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			for range 300 {
				fused := sequenceCode(r, s)
				verify(t, fused)
				single := &Code{Ops: slices.Clone(fused.Ops), NN: fused.NN, NP: fused.NP, Loops: fused.Loops}
				seed := r.Uint64()
				fusing = true
				got := runSequence(fused, seed)
				fusing = false
				if want := runSequence(single, seed); !reflect.DeepEqual(got, want) {
					t.Fatalf("%v:\n%v\n%v", fused.Ops, got, want)
				}
				if code := fused.run.Load().ops[0].Code; code != opSequences+Opcode(i) && !longer(s, code) {
					t.Fatalf("%v began with opcode %d", fused.Ops, code)
				}
			}
		})
	}
}

// longer reports whether code executes s and further ops after it.
func longer(s []Opcode, code Opcode) bool {
	return code >= opSequences && len(sequences[code-opSequences]) > len(s)
}

// TestLoopsComeFirst: a sequence with a loop or a call after its first op would skip the native code of the
// loop or call.
func TestLoopsComeFirst(t *testing.T) {
	for _, s := range sequences {
		if slices.Contains(s[1:], OpLoop) || slices.Contains(s, OpCallOf) {
			t.Errorf("%v", s)
		}
	}
}
