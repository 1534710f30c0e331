package native

import (
	rc "overcomplete/kernel/internal/regcode"
)

// A set is a bit set of registers, N registers first.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// union adds the registers of o, and reports whether any were new.
func (s set) union(o set) (changed bool) {
	for i, w := range o {
		if w&^s[i] != 0 {
			s[i] |= w
			changed = true
		}
	}
	return changed
}

// live holds the live registers before each op. A register is live if it is read before it is written.
type live struct {
	code *rc.Code
	at   map[int32]set // live registers at the beginning of blocks
	all  map[int32]*block
}

// Code beyond these limits is not analyzed.
const (
	mostLive    = 4096 // maximum number of registers
	mostLiveOps = 20_000
)

// findLive finds the live registers of a code, or returns nil if they cannot be determined.
func findLive(c *rc.Code) *live {
	if c.Reads == nil || c.NN+c.NP > mostLive || len(c.Ops) > mostLiveOps {
		return nil
	}
	for i := range c.Ops {
		if _, ok := shapes[c.Ops[i].Code]; !ok && !readsKnown(c.Ops[i].Code) {
			return nil
		}
	}
	l := &live{c, map[int32]set{}, blocksFrom(c, 0, func(int32) bool { return true })}
	for at := range l.all {
		l.at[at] = l.none()
	}
	for changed := true; changed; {
		changed = false
		for at := range l.all {
			if l.at[at].union(l.before(at)) {
				changed = true
			}
		}
	}
	return l
}

func (l *live) none() set { return make(set, (l.code.NN+l.code.NP+63)/64) }

// readsKnown reports, for an op that cannot be emitted, whether it is known which registers the op reads.
func readsKnown(c rc.Opcode) bool {
	switch c {
	case rc.OpDo, rc.OpHelp, rc.OpStoreP, rc.OpSetP, rc.OpReturn, rc.OpCall1, rc.OpCall2:
		return true
	}
	return false
}

// before returns the registers that are live before an op.
func (l *live) before(at int32) set {
	s := l.none()
	b := l.blockOf(at)
	for _, n := range b.next {
		s.union(l.at[n])
	}
	for i := b.to - 1; i >= at; i-- {
		l.step(s, i)
	}
	return s
}

// blockOf returns the block that contains an op.
func (l *live) blockOf(at int32) *block {
	for from := at; ; from-- {
		if b, ok := l.all[from]; ok {
			return b
		}
	}
}

// step updates the set s from the registers live after op i to the registers live before it.
func (l *live) step(s set, i int32) {
	c := l.code
	op := &c.Ops[i]
	for _, w := range writes(c, op) {
		s.remove(l.bit(w.register))
	}
	switch op.Code {
	case rc.OpCall2:
		s.remove(l.bit(register{false, op.D}))
		s.add(l.bit(register{false, op.B}))
		s.add(l.bit(register{false, op.A}))
		return
	case rc.OpCall1:
		s.remove(l.bit(register{false, op.D}))
		s.add(l.bit(register{false, op.A}))
		return
	}
	for _, o := range reads(c, op) {
		s.add(l.bit(o.register))
	}
	addP := func(n uint16) { s.add(l.bit(register{true, n})) }
	addN := func(n uint16) { s.add(l.bit(register{false, n})) }
	switch op.Code {
	case rc.OpReturn:
		for n := range c.ResN {
			addN(uint16(n))
		}
		for n := range c.ResP {
			addP(uint16(n))
		}
		return
	case rc.OpStoreP:
		addP(op.D)
		addP(op.A)
	case rc.OpSetP:
		addP(op.D)
		addP(op.A)
		addN(op.B)
		addN(op.C)
	case rc.OpDo, rc.OpHelp:
	default:
		if !shapes[op.Code].fails {
			return
		}
	}
	n, p := c.Reads(op.To)
	for _, n := range n {
		addN(n)
	}
	for _, n := range p {
		addP(n)
	}
}

func (l *live) bit(o register) int {
	if o.pointer {
		return l.code.NN + int(o.number)
	}
	return int(o.number)
}
