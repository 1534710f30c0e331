package regcode

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	end := Op{Code: OpReturn}
	loop := []*Loop{{At: 1}}
	for want, c := range map[string]*Code{
		"no ops":               {},
		"registers":            {Ops: []Op{end}, NN: 1<<16 + 1},
		"constants":            {Ops: []Op{end}, NN: 3, AtConstN: 2, ConstN: []uint64{1, 2}},
		"unknown":              {Ops: []Op{{Code: opNative}, end}},
		"no register n3":       {Ops: []Op{{Code: OpAdd, D: 3}, end}, NN: 3},
		"no register n4":       {Ops: []Op{{Code: OpAdd, B: 4}, end}, NN: 3},
		"no register n5":       {Ops: []Op{{Code: OpCheck, C: 5}, end}, NN: 3},
		"no register p1":       {Ops: []Op{{Code: OpLoad8, A: 1}, end}, NN: 3, NP: 1},
		"no register p2":       {Ops: []Op{{Code: OpStoreP, D: 2}, end}, NP: 1},
		"sets the constant n2": {Ops: []Op{{Code: OpMove, D: 2}, end}, NN: 3, AtConstN: 2, ConstN: []uint64{1}},
		"jumps out":            {Ops: []Op{{Code: OpJump, To: 2}, end}},
		"jumps out of":         {Ops: []Op{{Code: OpIf, Or: -1}, end}, NN: 1},
		"behind":               {Ops: []Op{end, {Code: OpMove}}, NN: 1},
		"has no site":          {Ops: []Op{{Code: OpDo, To: -1}, end}},
		"0 of 0":               {Ops: []Op{{Code: OpHelp}, end}},
		"3 of 1":               {Ops: []Op{{Code: OpLoop, Or: 3}, end}, Loops: loop},
		"is at 1":              {Ops: []Op{{Code: OpLoop}, end}, Loops: loop},
		"negative size":        {Ops: []Op{{Code: OpElem, Imm: -8}, end}, NN: 1, NP: 1},
		"no integer":           {Ops: []Op{{Code: OpFloatInt}, end}, NN: 1},
		"no function":          {Ops: []Op{{Code: OpCallOf}, end}, Calls: []Call{{}}},
		"no register n7":       {Ops: []Op{{Code: OpCallOf}, end}, NN: 7, Calls: []Call{{Func: &Func{}, ResN: []uint16{0, 7}}}},
		"too few":              {Ops: []Op{{Code: OpCallOf}, end}, NN: 9, Calls: []Call{{Func: fib(t), ArgN: []uint16{0, 1, 2, 3, 4, 5}}}},
	} {
		if err := c.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	good := &Code{Ops: []Op{{Code: OpIf, To: 1, Or: 2}, {Code: OpLoop}, end}, NN: 1, Loops: loop}
	if err := good.Verify(); err != nil {
		t.Error(err)
	}
	panics := &Code{Ops: []Op{{Code: OpDo}}}
	if err := panics.Verify(); err != nil {
		t.Error(err)
	}
}

// FuzzVerified: code that passes Verify is harmless, and gives the same results with fused sequences and
// without. Pointers are nil and jumps go only forward, so the code ends.
func FuzzVerified(f *testing.F) {
	fewChunks(f, 1)
	f.Add([]byte("every op that there is"))
	seed := make([]byte, 0, int(opcodes)*opBytes)
	for code := range opcodes {
		seed = append(seed, byte(code), 0, 1, 2, 1, byte(code)+1, byte(code)+1, 3)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) { compareRandom(t, data) })
}

const opBytes = 8

// compareRandom decodes data as ops, and compares a run with fused sequences and a run without. It reports
// whether the ops could be run.
func compareRandom(t *testing.T, data []byte) bool {
	defer func() { fusing = true }()
	var seen [2]*randomRun
	for i := range seen {
		fusing = i == 0
		if seen[i] = runRandom(data); seen[i] == nil {
			return false
		}
	}
	if !reflect.DeepEqual(seen[0], seen[1]) {
		t.Errorf("%v: with sequences %v, without %v", data, seen[0], seen[1])
	}
	return true
}

// A randomRun is the result of running random code.
type randomRun struct {
	n     [4]uint64
	sites []int32
}

func runRandom(data []byte) (seen *randomRun) {
	c := &Code{NN: 4, NP: 3, ConstN: []uint64{1 << 63}, AtConstN: 3, Helpers: []Helper{func(n *N, p *P) bool { return n[0]&1 == 0 }},
		Math1: []func(float64) float64{func(x float64) float64 { return x + 1 }}, Math2: []func(x, y float64) float64{func(x, y float64) float64 { return x / y }}}
	self := &Func{Name: "random"}
	c.Calls = []Call{{Func: self, ArgN: []uint16{1, 2}, ArgP: []uint16{1}, ResN: []uint16{2}, ResP: []uint16{2}}}
	calls := 0
	for ; len(data) >= opBytes && len(c.Ops) < 200; data = data[opBytes:] {
		i := len(c.Ops)
		o := Op{Code: Opcode(data[0]), D: uint16(data[1]), A: uint16(data[2]), B: uint16(data[3]), C: uint16(data[4]),
			To: int32(int8(data[5])), Or: int32(int8(data[6])), Imm: int32(int8(data[7]))}
		if o.Code < opcodes && infos[o.Code].shape&(jumps|jumpsOr) != 0 && (int(o.To) <= i || int(o.Or) <= i && o.Code != OpJump) {
			return nil // the code may be endless
		}
		if o.Code >= OpAt8 && o.Code <= OpElem {
			return nil // the host guarantees lengths
		}
		if o.Code == OpLoop {
			c.Loops = append(c.Loops, &Loop{At: int32(i)})
		}
		if calls += int(truth(o.Code == OpCallOf)); calls > 1 {
			return nil // the code would recurse very often
		}
		c.Ops = append(c.Ops, o)
	}
	if c.Verify() != nil {
		return nil
	}
	self.Code.Store(c)
	defer func() {
		if x := recover(); x != nil && x != "enough" {
			panic(x)
		}
	}()
	seen = &randomRun{}
	m := Get(site(func(m *Machine, at int32) {
		seen.sites = append(seen.sites, m.Top().PC)
		if len(seen.sites) == 1000 || m.Full {
			panic("enough")
		}
	}))
	for _, c := range m.chunks {
		clear(c.n) // random code reads registers that it has not written
	}
	a := m.Push(self, c, nil)
	copy(a.N[:], []uint64{3, binary.LittleEndian.Uint64([]byte("numbers!")), 0, 1 << 63})
	m.Run()
	copy(seen.n[:], a.N[:])
	m.Pop()
	m.Put()
	return seen
}

// TestRandomOps runs random ops, chosen so that most pass Verify.
func TestRandomOps(t *testing.T) {
	fewChunks(t, 1)
	state := uint64(1)
	random := func(below int) byte {
		state = state*6364136223846793005 + 1442695040888963407
		return byte(state >> 33 % uint64(below))
	}
	passed := 0
	for range 4000 {
		length := 2 + int(random(12))
		loops := byte(0)
		var data []byte
		for i := range length {
			code := random(int(OpAt8))
			to := byte(i) + 1 + random(length-i)
			or := to
			if infos[code].shape&(jumps|jumpsOr) == 0 && Opcode(code) != OpElemOf {
				or = 0
			}
			if Opcode(code) == OpLoop {
				or = loops
				loops++
			}
			b := random(4)
			if Opcode(code) == OpFloatInt || Opcode(code) == OpFloat32Int {
				b = 2 + random(11)
			}
			d := random(3)
			if i == length-1 {
				code = byte(OpReturn)
			}
			data = append(data, code, d, random(3), b, random(4), to, or, random(100))
		}
		if compareRandom(t, data) {
			passed++
		}
	}
	if passed < 100 {
		t.Errorf("only %d of 4000 were run", passed)
	}
}
