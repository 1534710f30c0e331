package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Channels. An operation that does not block is done at once; otherwise the goroutine waits as in wait.go, and the
// call's frame shows where.

// An element is the memory from which a channel takes a value, or into which it puts one. If the value has the same
// form in memory as in its register, that register is the element. Otherwise the element is a cell, which each call of
// the function makes when the cell is first needed.
type element struct {
	*passage
	cell  uint16 // the register with the address of the cell
	where elementPlace
}

type elementPlace int

const (
	inCell elementPlace = iota
	inNumber
	inPointer
	nowhere // the values have no size
)

func placeOf(sh *shape) elementPlace {
	switch {
	case len(sh.leaves) == 0:
		return nowhere
	case len(sh.leaves) == 1 && sh.leaves[0].isP() && sh.plain():
		return inPointer
	case len(sh.leaves) == 1 && sh.size == 8:
		return inNumber
	}
	return inCell
}

// element returns the element for channel i of the given instruction. The registers in regs hold the value. element
// returns nil if values of the channel's element type cannot be in registers.
func (c *fastCompiler) element(in ssa.Instruction, i int, regs []uint16) *element {
	key := keyOf(channelsOf(in), i)
	sh := c.shapes.get(key.t)
	if sh == nil {
		return nil
	}
	return &element{newPassage(sh, 0, regs, c.rtype(key.t)), c.cells[key], placeOf(sh)}
}

// memory returns the address of the element.
func (e *element) memory(n *rc.N, p *rc.P) unsafe.Pointer {
	switch e.where {
	case inNumber:
		return unsafe.Pointer(&n[e.regs[0]])
	case inPointer:
		return unsafe.Pointer(&p[e.regs[0]])
	case nowhere:
		return unsafe.Pointer(n)
	}
	if p[e.cell] == nil {
		p[e.cell] = rt.New(e.word)
	}
	return p[e.cell]
}

// put returns the address from which a channel can take the value. If the element is a cell, put first copies the
// value from its registers to the cell.
func (e *element) put(n *rc.N, p *rc.P) unsafe.Pointer {
	at := e.memory(n, p)
	if e.where == inCell {
		e.store(at, n, p)
	}
	return at
}

// get moves a received value from the cell to the value's registers, and clears the cell, which would otherwise keep
// the value alive. If the element is not a cell, get does nothing.
func (e *element) get(n *rc.N, p *rc.P) {
	if e.where == inCell {
		e.load(p[e.cell], n, p)
		e.forget(p)
	}
}

// forget clears the cell, if there is one. Otherwise the cell would keep a sent value alive.
func (e *element) forget(p *rc.P) {
	if e.where == inCell && e.p > 0 {
		rt.Clear(e.word, p[e.cell])
	}
}

func (c *fastCompiler) send(in *ssa.Send) bool {
	if !c.has(in.Chan, in.X) {
		return false
	}
	e := c.element(in, 0, c.all(in.X))
	if e == nil {
		return false
	}
	ch, s := c.reg(in.Chan), c.session
	w := &waitReason{what: "chan send", pos: in.Pos(), elsewhere: !endless(in.Chan.Type())}
	c.help(func(n *rc.N, p *rc.P) (sent bool) {
		if p[ch] == nil {
			return false
		}
		defer func() {
			if !sent {
				_ = recover() // the site panics too, with a frame
			}
		}()
		if sent = rt.TrySend(p[ch], e.put(n, p)); sent {
			e.forget(p)
		}
		return sent
	}, c.ownSite(in, func(at here, n *rc.N, p *rc.P) bool {
		elem := e.put(n, p)
		if p[ch] == nil || !rt.TrySend(p[ch], elem) {
			at.frame()
			s.stop.selectOf(w, []rt.SelectCase{{Dir: rt.Send, Chan: p[ch], Elem: elem}, {}})
		}
		e.forget(p)
		return true
	}))
	return true
}

func (c *fastCompiler) receive(in *ssa.UnOp) bool {
	if !c.has(in, in.X) {
		return false
	}
	d := c.all(in)
	ok, regs := uint16(0), d
	if in.CommaOk {
		ok, regs = d[len(d)-1], d[:len(d)-1]
	}
	e := c.element(in, 0, regs)
	if e == nil {
		return false
	}
	ch, s, commaOk := c.reg(in.X), c.session, in.CommaOk
	w := &waitReason{what: "chan receive", pos: in.Pos(), elsewhere: !endless(in.X.Type())}
	take := func(n *rc.N, p *rc.P, received bool) {
		e.get(n, p)
		if commaOk {
			n[ok] = truth(received)
		}
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[ch] == nil {
			return false
		}
		done, received := rt.TryReceive(p[ch], e.memory(n, p))
		if done {
			take(n, p, received)
		}
		return done
	}, c.ownSite(in, func(at here, n *rc.N, p *rc.P) bool {
		elem := e.memory(n, p)
		at.frame()
		_, received := s.stop.selectOf(w, []rt.SelectCase{{Dir: rt.Receive, Chan: p[ch], Elem: elem}, {}})
		take(n, p, received)
		return true
	}))
	return true
}

// selectStatement compiles a select statement. It returns false if the interpreter must execute the statement.
func (c *fastCompiler) selectStatement(in *ssa.Select) bool {
	if !c.has(in) {
		return false
	}
	d := c.all(in)
	sh := c.shapes.get(in.Type())
	w := &waitReason{what: "select", pos: in.Pos()}
	elements := make([]*element, len(in.States))
	chans := make([]uint16, len(in.States))
	received := 2 // the results are the index, ok, and the received values
	for i, st := range in.States {
		w.elsewhere = w.elsewhere || !endless(st.Chan.Type())
		if !c.has(st.Chan) || st.Send != nil && !c.has(st.Send) {
			return false
		}
		chans[i] = c.reg(st.Chan)
		var regs []uint16
		if st.Dir == types.SendOnly {
			regs = c.all(st.Send)
		} else {
			regs = sh.partIn(received, d)
			received++
		}
		if elements[i] = c.element(in, i, regs); elements[i] == nil {
			return false
		}
	}
	results := newPassage(&shape{leaves: sh.leaves[2:]}, 0, d[2:], nil)
	states, blocking, s := in.States, in.Blocking, c.session
	c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(at here, n *rc.N, p *rc.P) bool {
		var room [6]rt.SelectCase
		cases := append(room[:0], make([]rt.SelectCase, len(states)+1)...)
		results.zero(n, p)
		for i, e := range elements {
			cases[i] = rt.SelectCase{Dir: rt.Receive, Chan: p[chans[i]]}
			if states[i].Dir == types.SendOnly {
				cases[i].Dir, cases[i].Elem = rt.Send, e.put(n, p)
			} else {
				cases[i].Elem = e.memory(n, p)
			}
		}
		chosen, ok := attemptSelect(cases)
		if chosen < 0 && blocking {
			at.frame()
			chosen, ok = s.stop.selectOf(w, cases)
		}
		n[d[0]], n[d[1]] = uint64(chosen), truth(ok)
		for i, e := range elements {
			if i == chosen && states[i].Dir != types.SendOnly {
				e.get(n, p)
			} else if states[i].Dir == types.SendOnly {
				e.forget(p)
			}
		}
		return true
	})})
	return true
}

// attemptSelect executes a select statement without waiting, and returns the index of the chosen case, or -1 if no
// case is ready. received is true if that case has received a value from an open channel. The last element of cases is
// not one of the statement's cases: it is room for a default case, which attemptSelect adds.
func attemptSelect(cases []rt.SelectCase) (chosen int, received bool) {
	last := len(cases) - 1
	if last != 1 {
		cases[last].Dir = rt.Default
		if chosen, received = rt.Select(cases); chosen == last {
			return -1, false
		}
		return chosen, received
	}
	done, only := false, &cases[0]
	switch {
	case only.Chan == nil:
	case only.Dir == rt.Send:
		done = rt.TrySend(only.Chan, only.Elem)
	default:
		done, received = rt.TryReceive(only.Chan, only.Elem)
	}
	if !done {
		return -1, false
	}
	return 0, received
}

func (c *fastCompiler) makeChan(in *ssa.MakeChan) bool {
	if !c.has(in, in.Size) || numberOf(in.Size.Type()) == reflect.Invalid {
		return false
	}
	t, d, size := rt.TypeWord(c.rtype(in.Type())), c.reg(in), c.reg(in.Size)
	signed := isSigned(numberOf(in.Size.Type()))
	c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(_ here, n *rc.N, p *rc.P) bool {
		size := int(n[size])
		if !signed && size < 0 {
			return false // the number is too large for an int, and the interpreter panics
		}
		p[d] = rt.MakeChan(t, size)
		return true
	})})
	return true
}

// chanBuiltin compiles close, len and cap of a channel.
func (c *fastCompiler) chanBuiltin(in *ssa.Call, name string) bool {
	ch := c.reg(in.Call.Args[0])
	if name == "close" {
		c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(_ here, _ *rc.N, p *rc.P) bool {
			rt.CloseChan(p[ch])
			return true
		})})
		return true
	}
	count := rt.LenChan
	if name == "cap" {
		count = rt.CapChan
	}
	d := c.reg(in)
	c.help(func(n *rc.N, p *rc.P) bool {
		n[d] = uint64(count(p[ch]))
		return true
	}, c.site(in))
	return true
}
