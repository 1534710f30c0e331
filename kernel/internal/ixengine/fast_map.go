package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Maps. While there can be more than one goroutine, map operations run at sites, which detect concurrent use of
// a map; see maps.go.

// A mapType describes a map's type.
type mapType struct {
	word      rt.Type
	kind      rt.MapKind
	key, elem *passage // without registers; see passage.at
	cell      uint16   // the register with the address of a cell for keys, which Get and the like take by address
	// mayPanic is set if a key may be unhashable, because it contains an interface.
	mayPanic bool
}

func (c *fastCompiler) mapType(t types.Type) *mapType {
	m, ok := t.Underlying().(*types.Map)
	if !ok {
		return nil
	}
	key, elem := c.shapes.get(m.Key()), c.shapes.get(m.Elem())
	if key == nil || elem == nil {
		return nil
	}
	r := c.rtype(t)
	return &mapType{word: rt.TypeWord(r), kind: rt.MapKindOf(r), key: newPassage(key, 0, nil, r.Key()), elem: newPassage(elem, 0, nil, r.Elem()),
		cell: c.cells[cellKey{t: m.Key()}], mayPanic: key.hasInterface()}
}

// onMap emits an op for an instruction that uses a map of type t, which is in register m. The op calls do(n, p), which
// executes the instruction. If writes is true, the instruction changes the map. While other goroutines may run code of
// cells, the op's site makes that call instead, and also checks for concurrent use of the map.
func (c *fastCompiler) onMap(in ssa.Instruction, t *mapType, m uint16, writes bool, do func(n *rc.N, p *rc.P)) {
	s := c.session
	site := c.ownSite(in, func(_ here, n *rc.N, p *rc.P) bool {
		if p[m] != nil && !s.alone() {
			s.maps.enter(uintptr(p[m]), writes)
			defer s.maps.leave(uintptr(p[m]))
		}
		do(n, p)
		return true
	})
	if t.mayPanic {
		c.emit(rc.Op{Code: rc.OpDo, To: site})
		return
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[m] == nil && writes || !s.alone() {
			return false
		}
		do(n, p)
		return true
	}, site)
}

// withRegisters returns a copy of x with the given registers.
func (x *passage) withRegisters(regs []uint16) *passage {
	y := *x
	y.regs = regs
	return &y
}

// A finder returns the address of a key's element in a map, or nil if the map has no such element. A finder that is
// used for assignments inserts a missing element instead.
type finder func(m unsafe.Pointer, n *rc.N, p *rc.P) unsafe.Pointer

func (t *mapType) finder(key []uint16, adds bool) finder {
	w := t.word
	switch t.kind {
	case rt.Map64:
		if adds {
			return func(m unsafe.Pointer, n *rc.N, _ *rc.P) unsafe.Pointer { return rt.Assign64(w, m, n[key[0]]) }
		}
		return func(m unsafe.Pointer, n *rc.N, _ *rc.P) unsafe.Pointer { return rt.Get64(w, m, n[key[0]]) }
	case rt.Map32:
		if adds {
			return func(m unsafe.Pointer, n *rc.N, _ *rc.P) unsafe.Pointer { return rt.Assign32(w, m, uint32(n[key[0]])) }
		}
		return func(m unsafe.Pointer, n *rc.N, _ *rc.P) unsafe.Pointer { return rt.Get32(w, m, uint32(n[key[0]])) }
	case rt.MapPtr:
		if adds {
			return func(m unsafe.Pointer, _ *rc.N, p *rc.P) unsafe.Pointer { return rt.AssignPtr(w, m, p[key[0]]) }
		}
		return func(m unsafe.Pointer, _ *rc.N, p *rc.P) unsafe.Pointer { return rt.GetPtr(w, m, p[key[0]]) }
	case rt.MapString:
		if adds {
			return func(m unsafe.Pointer, n *rc.N, p *rc.P) unsafe.Pointer {
				return rt.AssignString(w, m, rt.String(p[key[0]], n[key[1]]))
			}
		}
		return func(m unsafe.Pointer, n *rc.N, p *rc.P) unsafe.Pointer {
			return rt.GetString(w, m, rt.String(p[key[0]], n[key[1]]))
		}
	}
	x := t.key.withRegisters(key)
	get := rt.Get
	if adds {
		get = rt.Assign
	}
	return func(m unsafe.Pointer, n *rc.N, p *rc.P) unsafe.Pointer { return get(w, m, t.keyAt(x, n, p)) }
}

// keyAt copies the key that x describes from its registers to the memory cell for keys, and returns the cell's
// address.
func (t *mapType) keyAt(x *passage, n *rc.N, p *rc.P) unsafe.Pointer {
	if p[t.cell] == nil {
		p[t.cell] = rt.New(x.word)
	}
	x.store(p[t.cell], n, p)
	return p[t.cell]
}

func (c *fastCompiler) lookup(b *ssa.BasicBlock, in *ssa.Lookup) bool {
	t := c.mapType(in.X.Type())
	if t == nil || !c.has(in, in.X, in.Index) {
		return false
	}
	if m := c.mapOpOf(b, in); m != nil && c.onElement(b, m, t) {
		return true
	}
	return c.lookUp(in, t)
}

func (c *fastCompiler) lookUp(in *ssa.Lookup, t *mapType) bool {
	m, d := c.reg(in.X), c.all(in)
	find := t.finder(c.all(in.Index), false)
	elem := t.elem.withRegisters(d[:len(t.elem.leaves)])
	commaOk, ok := in.CommaOk, uint16(0)
	if commaOk {
		ok = d[len(elem.leaves)]
	}
	number := elem.number()
	c.onMap(in, t, m, false, func(n *rc.N, p *rc.P) {
		e := find(p[m], n, p)
		if commaOk {
			n[ok] = truth(e != nil)
		}
		switch {
		case e == nil:
			elem.zero(n, p)
		case number != reflect.Invalid:
			n[elem.regs[0]] = rt.LoadNumber(e, number)
		default:
			elem.load(e, n, p)
		}
	})
	return true
}

// delete compiles the builtin delete.
func (c *fastCompiler) delete(in *ssa.Call) bool {
	args := in.Call.Args
	t := c.mapType(args[0].Type())
	if t == nil {
		return false
	}
	m, k := c.reg(args[0]), c.all(args[1])
	w := t.word
	x := t.key.withRegisters(k)
	c.onMap(in, t, m, true, func(n *rc.N, p *rc.P) {
		switch t.kind {
		case rt.Map64:
			rt.Delete64(w, p[m], n[k[0]])
		case rt.Map32:
			rt.Delete32(w, p[m], uint32(n[k[0]]))
		case rt.MapString:
			rt.DeleteString(w, p[m], rt.String(p[k[0]], n[k[1]]))
		default:
			rt.Delete(w, p[m], t.keyAt(x, n, p))
		}
	})
	return true
}

func (c *fastCompiler) mapUpdate(in *ssa.MapUpdate) bool {
	t := c.mapType(in.Map.Type())
	if t == nil || !c.has(in.Map, in.Key, in.Value) {
		return false
	}
	m := c.reg(in.Map)
	find := t.finder(c.all(in.Key), true)
	elem := t.elem.withRegisters(c.all(in.Value))
	number := elem.number()
	c.onMap(in, t, m, true, func(n *rc.N, p *rc.P) {
		e := find(p[m], n, p)
		if number != reflect.Invalid {
			rt.StoreNumber(e, n[elem.regs[0]], number)
		} else {
			elem.store(e, n, p)
		}
	})
	return true
}

// rangeRegisters assigns registers to the state of a range loop. For a map the state is the iterator, and whether it
// has begun; for a string it is the string's data and length, and the position.
func (c *fastCompiler) rangeRegisters(in *ssa.Range) {
	var regs []uint16
	if c.mapType(in.X.Type()) != nil {
		regs = []uint16{c.taken.p, c.taken.n}
		c.taken.p++
		c.taken.n++
	} else if isString(in.X.Type()) {
		regs = []uint16{c.taken.p, c.taken.n, c.taken.n + 1}
		c.taken.p++
		c.taken.n += 2
	}
	for _, r := range *in.Referrers() {
		next, ok := r.(*ssa.Next)
		if !ok || c.shapes.get(next.Type()) == nil {
			regs = nil
		}
	}
	c.ranges[in] = regs
}

func (c *fastCompiler) rangeOver(in *ssa.Range) bool {
	regs := c.ranges[in]
	if regs == nil || !c.has(in.X) {
		c.ranges[in] = nil
		return false
	}
	x := c.all(in.X)
	if isString(in.X.Type()) {
		c.moves([]move{{true, regs[0], x[0]}, {false, regs[1], x[1]}, {false, regs[2], c.number(0, reflect.Int)}})
		return true
	}
	t := c.mapType(in.X.Type())
	begin := func(n *rc.N, p *rc.P) {
		it := new(rt.MapIter)
		it.Init(t.word, p[x[0]])
		p[regs[0]], n[regs[1]] = unsafe.Pointer(it), 0
	}
	c.onMap(in, t, x[0], false, begin)
	return true
}

func (c *fastCompiler) next(in *ssa.Next) bool {
	over, ok := in.Iter.(*ssa.Range)
	if !ok || c.ranges[over] == nil {
		return false
	}
	regs, d := c.ranges[over], c.all(in)
	parts := c.shapes.get(in.Type()).parts
	key := d[1 : 1+len(parts[1].leaves)]
	elem := d[1+len(key):]
	if in.IsString {
		c.help(func(n *rc.N, p *rc.P) bool {
			at := n[regs[2]]
			if at >= n[regs[1]] {
				n[d[0]] = 0
				return true
			}
			r, next := rt.Rune(rt.String(p[regs[0]], n[regs[1]]), int(at))
			n[d[0]], n[regs[2]] = 1, uint64(next)
			if len(key) > 0 {
				n[key[0]] = at
			}
			if len(elem) > 0 {
				n[elem[0]] = uint64(int64(r))
			}
			return true
		}, c.ownSite(in, func(here, *rc.N, *rc.P) bool { return true }))
		return true
	}
	t := c.mapType(over.X.Type())
	k, e := t.key.withRegisters(key), t.elem.withRegisters(elem)
	step := func(n *rc.N, p *rc.P) {
		it := (*rt.MapIter)(p[regs[0]])
		if n[regs[1]] != 0 {
			it.Next()
		}
		n[regs[1]] = 1
		n[d[0]] = truth(it.Key != nil)
		if it.Key == nil {
			return
		}
		if len(key) > 0 {
			k.load(it.Key, n, p)
		}
		if len(elem) > 0 {
			e.load(it.Elem, n, p)
		}
	}
	c.onMap(in, t, c.reg(over.X), false, step)
	return true
}
