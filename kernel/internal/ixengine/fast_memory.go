package ixengine

import (
	"go/types"
	"math"
	"reflect"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// widen returns the opcode that loads a value of kind k, a number or a pointer. The parameter first is the lowest
// opcode of the family of loads.
func widen(first rc.Opcode, k reflect.Kind) rc.Opcode {
	if k == reflect.Pointer {
		return first + 7
	}
	size := map[int]rc.Opcode{1: 0, 2: 1, 4: 2, 8: 3}[rt.BytesOf(k)]
	if isSigned(k) && rt.BytesOf(k) < 8 {
		return first + 4 + size
	}
	return first + size
}

// narrow returns the opcode that stores a value of kind k, a number or a pointer. The parameter first is the lowest
// opcode of the family of stores.
func narrow(first rc.Opcode, k reflect.Kind) rc.Opcode {
	if k == reflect.Pointer {
		return first + 4
	}
	return first + map[int]rc.Opcode{1: 0, 2: 1, 4: 2, 8: 3}[rt.BytesOf(k)]
}

// load compiles a load through a pointer.
func (c *fastCompiler) load(in *ssa.UnOp) bool {
	sh := c.shapes.get(in.Type())
	if sh == nil || !c.has(in.X) {
		return false
	}
	from, d := c.reg(in.X), c.all(in)
	if breathing && c.profile != nil && asksHere(in) { // such loops do not yield
		stop := &c.session.host.stop
		c.help(func(n *rc.N, _ *rc.P) bool {
			breatheNowAndThen()
			n[d[0]] = truth(*stop)
			return true
		}, c.site(in))
		return true
	}
	if raceEnabled && isHook(in.X) { // a plain load would suffice, but the race detector requires an atomic load
		c.help(func(_ *rc.N, p *rc.P) bool {
			p[d[0]] = atomic.LoadPointer((*unsafe.Pointer)(p[from]))
			return true
		}, c.site(in))
		return true
	}
	if sh.hasBox() {
		x := newPassage(sh, 0, d, c.rtype(in.Type()))
		c.help(func(n *rc.N, p *rc.P) bool {
			if p[from] == nil {
				return false
			}
			x.load(p[from], n, p)
			return true
		}, c.panicking(in))
		return true
	}
	site := c.panicking(in)
	if asksHere(in) {
		c.emit(rc.Op{Code: rc.OpLoad8, D: d[0], A: from, C: 1, To: site})
		return true
	}
	if len(sh.leaves) == 0 {
		c.help(func(_ *rc.N, p *rc.P) bool { return p[from] != nil }, site)
		return true
	}
	for _, l := range sh.leaves {
		if l.offset > math.MaxInt32 {
			return false
		}
	}
	c.loadLeaves(sh, d, from, site)
	return true
}

// loadLeaves emits the loads of all leaves of a value of shape sh, which has no boxed parts. from is the register with
// the value's address, and to lists the registers for the leaves.
func (c *fastCompiler) loadLeaves(sh *shape, to []uint16, from uint16, site int32) {
	for i, l := range sh.leaves {
		op := rc.Op{Code: widen(rc.OpLoad8, l.kind), D: to[i], A: from, Imm: int32(l.offset), To: site}
		if l.length {
			op.C = 1
		}
		if !l.itab {
			c.emit(op)
			continue
		}
		op.D = c.temp(true, 0)
		c.emit(op)
		c.emit(rc.Op{Code: rc.OpTypeOf, D: to[i], A: op.D, Or: int32(len(c.code.Itabs)), Imm: rt.ItabTypeAt})
		c.code.Itabs = append(c.code.Itabs, new(rc.Itabs))
	}
}

func (c *fastCompiler) store(in *ssa.Store) bool {
	sh := c.shapes.get(in.Val.Type())
	if sh == nil || !c.has(in.Addr, in.Val) {
		return false
	}
	if len(sh.leaves) == 0 {
		to := c.reg(in.Addr)
		c.help(func(_ *rc.N, p *rc.P) bool { return p[to] != nil }, c.panicking(in))
		return true
	}
	if !sh.plain() {
		x := newPassage(sh, 0, c.all(in.Val), c.rtype(in.Addr.Type()).Elem())
		to := c.reg(in.Addr)
		c.help(func(n *rc.N, p *rc.P) bool {
			if p[to] == nil {
				return false
			}
			x.store(p[to], n, p)
			return true
		}, c.panicking(in))
		return true
	}
	to, v := c.reg(in.Addr), c.all(in.Val)
	site := c.panicking(in)
	for i, l := range sh.leaves {
		c.emit(rc.Op{Code: narrow(rc.OpStore8, l.kind), D: v[i], A: to, Imm: int32(l.offset), To: site})
	}
	return true
}

// alloc compiles the creation of a variable. If the variable does not outlive the call, its memory is allocated once in
// each call, and is merely cleared when the instruction runs again.
func (c *fastCompiler) alloc(in *ssa.Alloc) bool {
	t := in.Type().Underlying().(*types.Pointer).Elem()
	if !c.has(in) || hasTypeParam(t) {
		return false
	}
	word := rt.TypeWord(c.rtype(t))
	d := c.reg(in)
	if a, ok := t.Underlying().(*types.Array); ok && in.Heap && sizeOf(t) > refuseFrom { // such as make with a constant
		s, size, typ := c.session, sizeOf(a.Elem()), "[]"+shortType(a.Elem())
		c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(_ here, _ *rc.N, p *rc.P) bool {
			s.memory.refuseMake(typ, a.Len(), size)
			p[d] = rt.New(word)
			return true
		})})
		return true
	}
	if in.Heap {
		c.help(func(n *rc.N, p *rc.P) bool {
			p[d] = rt.New(word)
			return true
		}, c.site(in))
		return true
	}
	memory := func(*rc.N) unsafe.Pointer { return rt.New(word) }
	if at, ok := c.scratch[in]; ok {
		memory = func(n *rc.N) unsafe.Pointer { return unsafe.Pointer(&n[at]) }
	}
	if c.shapes.get(t) != nil && storedNext(in.Block(), in) {
		c.ensure(d, memory, in)
		return true
	}
	if size := sizeOf(t); isPointerFree(t) && 0 < size && size <= int64(len(zeros)) {
		c.ensure(d, memory, in)
		c.emit(rc.Op{Code: rc.OpCopy, A: d, B: c.pointer(unsafe.Pointer(&zeros)), C: c.number(1, reflect.Int), Imm: int32(size)})
		return true
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[d] == nil {
			p[d] = rt.New(word)
		} else {
			rt.Clear(word, p[d])
		}
		return true
	}, c.site(in))
	return true
}

// zeros is zeroed memory that is copied to clear other memory.
var zeros [1 << 12]byte

// mostScratch is the size in bytes of the largest variable whose memory takeScratch reserves.
const mostScratch = 256

// takeScratch reserves number registers as the memory of a small variable without pointers, so that a call need not
// allocate memory for it. No op uses these registers. The address of the first of them is the address of the variable,
// which does not outlive the call.
func (c *fastCompiler) takeScratch(a *ssa.Alloc) {
	t := a.Type().Underlying().(*types.Pointer).Elem()
	if a.Heap || c.pinned[a] || hasTypeParam(t) || !isPointerFree(t) || sizeOf(t) == 0 || sizeOf(t) > mostScratch {
		return
	}
	c.scratch[a] = c.taken.n
	c.taken.n += uint16(sizeOf(t)+7) / 8
}

// ensure emits ops that call memory() and put its result, an address, into the register p, unless an earlier iteration
// of a loop has done so.
func (c *fastCompiler) ensure(p uint16, memory func(*rc.N) unsafe.Pointer, in ssa.Instruction) {
	isNew := c.temp(false, 0)
	c.emit(rc.Op{Code: rc.OpNil, D: isNew, A: p})
	branch := c.emit(rc.Op{Code: rc.OpIf, A: isNew})
	c.code.Ops[branch].To = branch + 1
	c.help(func(n *rc.N, regs *rc.P) bool {
		regs[p] = memory(n)
		return true
	}, c.site(in))
	c.code.Ops[branch].Or = int32(len(c.code.Ops))
}

// isPointerFree reports whether the garbage collector finds no pointers in values of type t.
func isPointerFree(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString == 0 && u.Kind() != types.UnsafePointer
	case *types.Array:
		return isPointerFree(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isPointerFree(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *fastCompiler) indexAddr(b *ssa.BasicBlock, in *ssa.IndexAddr) bool {
	if !c.has(in, in.X, in.Index) || !isInteger(numberOf(in.Index.Type())) {
		return false
	}
	size := sizeOf(in.Type().Underlying().(*types.Pointer).Elem())
	if size > math.MaxInt32 {
		return false
	}
	op := rc.Op{Code: rc.OpElem, D: c.reg(in), A: c.reg(in.X), B: c.reg(in.Index), Imm: int32(size), To: c.panicking(in)}
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		op.C = c.all(in.X)[1]
		if next := c.followingLoad(b, in); next != nil {
			l := c.shapes.get(next.Type()).leaves[0]
			op.Code, op.D, op.Imm = widen(rc.OpAt8, l.kind), c.reg(next), 0
			c.done[next] = true
		}
	case *types.Pointer:
		n := u.Elem().Underlying().(*types.Array).Len()
		if n > math.MaxInt32 {
			return false
		}
		op.Code, op.Or = rc.OpElemOf, int32(n)
	default:
		return false
	}
	c.emit(op)
	return true
}

// followingLoad returns the load of an element if the load directly follows the instruction that computes the
// element's address, and is the only use of the address.
func (c *fastCompiler) followingLoad(b *ssa.BasicBlock, in *ssa.IndexAddr) *ssa.UnOp {
	if len(*in.Referrers()) != 1 {
		return nil
	}
	load, ok := (*in.Referrers())[0].(*ssa.UnOp)
	if !ok || following(b, in) != ssa.Instruction(load) || c.pinned[load] {
		return nil
	}
	sh := c.shapes.get(load.Type())
	if sh == nil || len(sh.leaves) != 1 || !sh.plain() || sh.size != sizeOf(in.X.Type().Underlying().(*types.Slice).Elem()) {
		return nil
	}
	if l := sh.leaves[0]; l.kind != reflect.Pointer && int64(rt.BytesOf(l.kind)) != sh.size {
		return nil
	}
	return load
}

func (c *fastCompiler) fieldAddr(in *ssa.FieldAddr) bool {
	if !c.has(in, in.X) {
		return false
	}
	st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	at := offsetsIn(st)[in.Field]
	if at > math.MaxInt32 {
		return false
	}
	c.emit(rc.Op{Code: rc.OpField, D: c.reg(in), A: c.reg(in.X), Imm: int32(at), To: c.panicking(in)})
	return true
}

// index1 compiles an index expression on a string or on the value of an array.
func (c *fastCompiler) index1(in *ssa.Index) bool {
	if a, ok := in.X.Type().Underlying().(*types.Array); ok {
		return c.indexArray(in, a)
	}
	if !isString(in.X.Type()) || !c.has(in, in.X, in.Index) || !isInteger(numberOf(in.Index.Type())) {
		return false
	}
	x := c.all(in.X)
	c.emit(rc.Op{Code: rc.OpAt8, D: c.reg(in), A: x[0], B: c.reg(in.Index), C: x[1], To: c.panicking(in)})
	return true
}

// indexArray compiles an index expression on the value of an array.
func (c *fastCompiler) indexArray(in *ssa.Index, a *types.Array) bool {
	k := numberOf(in.Index.Type())
	sh := c.shapes.get(in.X.Type())
	if sh == nil || !c.has(in, in.X, in.Index) || !isInteger(k) {
		return false
	}
	x, d, index := c.all(in.X), c.all(in), c.reg(in.Index)
	length, site := uint64(a.Len()), c.panicking(in)
	if sh.isBoxed() {
		elem, size := newPassage(c.shapes.get(a.Elem()), 0, d, c.rtype(a.Elem())), uintptr(sizeOf(a.Elem()))
		c.help(func(n *rc.N, p *rc.P) bool {
			i := n[index]
			switch {
			case i >= length:
				return false
			case p[x[0]] == nil:
				elem.zero(n, p)
			default:
				elem.load(unsafe.Add(p[x[0]], uintptr(i)*size), n, p)
			}
			return true
		}, site)
		return true
	}
	elem := c.shapes.get(a.Elem())
	parts := make([][]uint16, length)
	for i := range parts {
		parts[i] = sh.partIn(i, x)
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		i := n[index]
		if i >= length {
			return false
		}
		for j, l := range elem.leaves {
			if l.isP() {
				p[d[j]] = p[parts[i][j]]
			} else {
				n[d[j]] = n[parts[i][j]]
			}
		}
		return true
	}, site)
	return true
}

// fieldOfBox compiles the selection of a field of a boxed struct.
func (c *fastCompiler) fieldOfBox(in *ssa.Field) bool {
	if !c.has(in, in.X) {
		return false
	}
	st := in.X.Type().Underlying().(*types.Struct)
	x, at := c.reg(in.X), offsetsIn(st)[in.Field]
	field := newPassage(c.shapes.get(in.Type()), 0, c.all(in), c.rtype(in.Type()))
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[x] == nil {
			field.zero(n, p)
		} else {
			field.load(unsafe.Add(p[x], at), n, p)
		}
		return true
	}, c.site(in))
	return true
}

// slice compiles the slicing of slices, strings and arrays.
func (c *fastCompiler) slice(in *ssa.Slice) bool {
	if !c.has(in, in.X) {
		return false
	}
	for _, v := range []ssa.Value{in.Low, in.High, in.Max} {
		if v != nil && (!c.has(v) || !isInteger(numberOf(v.Type()))) {
			return false
		}
	}
	x, d := c.all(in.X), c.all(in)
	var size int64
	var length, capacity uint16
	text, isArray := false, false
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		size, length, capacity = sizeOf(u.Elem()), x[1], x[2]
	case *types.Pointer:
		a := u.Elem().Underlying().(*types.Array)
		size = sizeOf(a.Elem())
		length = c.number(uint64(a.Len()), reflect.Int)
		capacity, isArray = length, true
	default:
		size, length, capacity, text = 1, x[1], x[1], true
	}
	zero := c.number(0, reflect.Int)
	low, high, top := zero, length, capacity
	if in.Low != nil {
		low = c.reg(in.Low)
	}
	if in.High != nil {
		high = c.reg(in.High)
	}
	if in.Max != nil {
		top = c.reg(in.Max)
	}
	data, dp, dn := x[0], d[0], d[1]
	if isArray || size == 0 || size > math.MaxInt32 {
		c.help(func(n *rc.N, p *rc.P) bool {
			l, h, t := n[low], n[high], n[top]
			if l > h || h > t || t > n[capacity] || isArray && p[data] == nil {
				return false
			}
			p[dp], n[dn], n[d[2]] = rt.Advance(p[data], uintptr(l)*uintptr(size), int(t-l)), h-l, t-l
			return true
		}, c.panicking(in))
		return true
	}
	// These ops can be native, unlike a helper.
	var fails []int32
	within := func(a, b uint16) {
		if a != b && a != zero {
			at := c.emit(rc.Op{Code: rc.OpIfLEU, A: a, B: b})
			c.code.Ops[at].To = at + 1
			fails = append(fails, at)
		}
	}
	within(low, high)
	within(high, top)
	within(top, capacity)
	less := func(d, a uint16) {
		if low == zero {
			c.emit(rc.Op{Code: rc.OpMove, D: d, A: a})
		} else {
			c.emit(rc.Op{Code: rc.OpSub, D: d, A: a, B: low})
		}
	}
	site, end := c.panicking(in), top
	if text {
		end = high
	}
	if low == zero {
		c.emit(rc.Op{Code: rc.OpMoveP, D: dp, A: data})
	} else {
		// No pointer may point past the end of the memory, where another object may lie.
		some := c.emit(rc.Op{Code: rc.OpIfLTU, A: low, B: end})
		c.code.Ops[some].To = c.emit(rc.Op{Code: rc.OpElem, D: dp, A: data, B: low, C: end, Imm: int32(size), To: site})
		skip := c.emit(rc.Op{Code: rc.OpJump})
		c.code.Ops[some].Or = c.emit(rc.Op{Code: rc.OpMoveP, D: dp, A: data})
		c.code.Ops[skip].To = int32(len(c.code.Ops))
	}
	less(dn, high)
	if !text {
		less(d[2], top)
	}
	if len(fails) > 0 {
		over := c.emit(rc.Op{Code: rc.OpJump})
		fail := c.emit(rc.Op{Code: rc.OpDo, To: site})
		for _, at := range fails {
			c.code.Ops[at].Or = fail
		}
		c.code.Ops[over].To = int32(len(c.code.Ops))
	}
	return true
}

// convertPointer compiles a conversion between two pointer types, or between a pointer and a uintptr.
func (c *fastCompiler) convertPointer(in *ssa.Convert) bool {
	x, d := c.reg(in.X), c.reg(in)
	from, to := isPointer(in.X.Type()), isPointer(in.Type())
	switch {
	case from && to:
		c.emit(rc.Op{Code: rc.OpMoveP, D: d, A: x})
	case from && numberOf(in.Type()) == reflect.Uintptr:
		c.help(func(n *rc.N, p *rc.P) bool { n[d] = uint64(uintptr(p[x])); return true }, c.site(in))
	case to && numberOf(in.X.Type()) == reflect.Uintptr:
		c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(at here, n *rc.N, p *rc.P) bool {
			at.frame() // for the traceback if the address is bad
			p[d] = *(*unsafe.Pointer)(unsafe.Pointer(&n[x]))
			return true
		})})
	default:
		return false
	}
	return true
}

// arrayOfSlice compiles a conversion of a slice to a pointer to an array.
func (c *fastCompiler) arrayOfSlice(in *ssa.SliceToArrayPointer) bool {
	if !c.has(in, in.X) {
		return false
	}
	x, d := c.all(in.X), c.reg(in)
	length := uint64(in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	c.help(func(n *rc.N, p *rc.P) bool {
		if n[x[1]] < length {
			return false
		}
		p[d] = p[x[0]]
		return true
	}, c.panicking(in))
	return true
}
