package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Maps. While there can be more than one goroutine, map operations run at sites, because the interpreter's
// instructions detect concurrent use of a map; see mapraces.go.

// A mapType describes a map's type.
type mapType struct {
	word      rt.Type
	kind      rt.MapKind
	key, elem *passage // without registers; see passage.at
}

func (c *fastCompiler) mapType(t types.Type) *mapType {
	m, ok := t.Underlying().(*types.Map)
	if !ok {
		return nil
	}
	key, elem := c.shapes.get(m.Key()), c.shapes.get(m.Elem())
	if key == nil || elem == nil || key.hasInterface() {
		return nil // an interface may hold an unhashable value, which panics
	}
	r := c.rtype(t)
	return &mapType{word: rt.TypeWord(r), kind: rt.MapKindOf(r), key: newPassage(key, 0, nil, r.Key()), elem: newPassage(elem, 0, nil, r.Elem())}
}

// withRegisters returns a copy of x with the given registers.
func (x *passage) withRegisters(regs []uint16) *passage {
	y := *x
	y.regs = regs
	return &y
}

// A finder returns the address of a key's element in a map, or nil if the map has no such element. A finder
// made with adds set inserts a missing element.
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
	typ := rt.TypeWord(x.rtype)
	get := rt.Get
	if adds {
		get = rt.Assign
	}
	return func(m unsafe.Pointer, n *rc.N, p *rc.P) unsafe.Pointer {
		key := rt.New(typ)
		x.store(key, n, p)
		return get(w, m, key)
	}
}

func (c *fastCompiler) lookup(b *ssa.BasicBlock, in *ssa.Lookup) bool {
	t := c.mapType(in.X.Type())
	if t == nil || !c.has(in, in.X, in.Index) {
		return false
	}
	if m := c.mapOpOf(b, in); m != nil && c.onElement(b, m, t) {
		return true
	}
	m, d := c.reg(in.X), c.all(in)
	find := t.finder(c.all(in.Index), false)
	elem := t.elem.withRegisters(d[:len(t.elem.leaves)])
	commaOk, ok := in.CommaOk, uint16(0)
	if commaOk {
		ok = d[len(elem.leaves)]
	}
	s := c.session
	number := elem.number()
	c.help(func(n *rc.N, p *rc.P) bool {
		if !s.alone() {
			return false
		}
		e := find(p[m], n, p)
		if commaOk {
			n[ok] = truth(e != nil)
		}
		switch {
		case e == nil:
			elem.zero(n, p)
		case number != reflect.Invalid:
			n[elem.regs[0]] = loadNumber(e, number)
		default:
			elem.load(e, n, p)
		}
		return true
	}, c.site(in))
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
	s := c.session
	w := t.word
	x := t.key.withRegisters(k)
	typ := rt.TypeWord(x.rtype)
	c.help(func(n *rc.N, p *rc.P) bool {
		if !s.alone() {
			return false
		}
		switch t.kind {
		case rt.Map64:
			rt.Delete64(w, p[m], n[k[0]])
		case rt.Map32:
			rt.Delete32(w, p[m], uint32(n[k[0]]))
		case rt.MapString:
			rt.DeleteString(w, p[m], rt.String(p[k[0]], n[k[1]]))
		default:
			key := rt.New(typ)
			x.store(key, n, p)
			rt.Delete(w, p[m], key)
		}
		return true
	}, c.site(in))
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
	s := c.session
	number := elem.number()
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[m] == nil || !s.alone() {
			return false
		}
		e := find(p[m], n, p)
		if number != reflect.Invalid {
			storeNumber(e, n[elem.regs[0]], number)
		} else {
			elem.store(e, n, p)
		}
		return true
	}, c.site(in))
	return true
}

// rangeRegisters assigns registers to the state of a loop. For a map the state is the iterator; for a string
// it is the string's data and length, and the position.
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
	s := c.session
	begin := func(n *rc.N, p *rc.P) {
		it := new(rt.MapIter)
		it.Init(t.word, p[x[0]])
		p[regs[0]], n[regs[1]] = unsafe.Pointer(it), 0
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		if !s.alone() {
			return false
		}
		begin(n, p)
		return true
	}, c.ownSite(in, func(_ *frame, n *rc.N, p *rc.P) bool {
		s.reading(p[x[0]], func() { begin(n, p) })
		return true
	}))
	return true
}

// reading runs the function use, which reads the map m, and records the read for mapraces.go.
func (s *Session) reading(m unsafe.Pointer, use func()) {
	if m != nil {
		s.maps.enter(uintptr(m), false)
		defer s.maps.leave(uintptr(m))
	}
	use()
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
		}, c.ownSite(in, func(*frame, *rc.N, *rc.P) bool { return true }))
		return true
	}
	t := c.mapType(over.X.Type())
	k, e := t.key.withRegisters(key), t.elem.withRegisters(elem)
	m := c.reg(over.X)
	s := c.session
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
	c.help(func(n *rc.N, p *rc.P) bool {
		if !s.alone() {
			return false
		}
		step(n, p)
		return true
	}, c.ownSite(in, func(_ *frame, n *rc.N, p *rc.P) bool {
		s.reading(p[m], func() { step(n, p) })
		return true
	}))
	return true
}
