package ixengine

import (
	"go/constant"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// elemOf returns the type word and the size of the elements of slices of type t. ok is false for elements of size 0,
// or if their type contains a type parameter.
func (c *fastCompiler) elemOf(t types.Type) (word rt.Type, size uintptr, ok bool) {
	elem := t.Underlying().(*types.Slice).Elem()
	if hasTypeParam(elem) || sizeOf(elem) == 0 {
		return nil, 0, false
	}
	return rt.TypeWord(c.rtype(elem)), uintptr(sizeOf(elem)), true
}

// appendTo compiles a call of append with the elements of a slice or the bytes of a string. It returns false if the
// interpreter must execute the call.
func (c *fastCompiler) appendTo(in *ssa.Call) bool {
	args := in.Call.Args
	if len(args) != 2 || !c.has(in) {
		return false
	}
	elem, size, ok := c.elemOf(in.Type())
	if !ok {
		return false
	}
	if values := c.single[in]; values != nil {
		c.appendSingle(in, values, elem, size)
		return true
	}
	to, from, d := c.all(args[0]), c.all(args[1]), c.all(in)
	c.help(func(n *rc.N, p *rc.P) bool {
		length, capacity, more := int(n[to[1]]), int(n[to[2]]), int(n[from[1]])
		if length+more > capacity && grownBySite(length+more, size) {
			return false
		}
		data, capacity := rt.AppendSlice(elem, size, p[to[0]], length, capacity, p[from[0]], more)
		p[d[0]], n[d[1]], n[d[2]] = data, uint64(length+more), uint64(capacity)
		return true
	}, c.site(in))
	return true
}

// appendSingle compiles an append of elements that are passed one by one.
func (c *fastCompiler) appendSingle(in *ssa.Call, values []ssa.Value, elem rt.Type, size uintptr) {
	sh := c.shapes.get(values[0].Type())
	var elems []*passage
	for _, v := range values {
		elems = append(elems, newPassage(sh, 0, c.all(v), rt.TypeOf(elem)))
	}
	to, d := c.all(in.Call.Args[0]), c.all(in)
	set := func(n *rc.N, p *rc.P, data unsafe.Pointer, capacity int) {
		length := n[to[1]]
		end := unsafe.Add(data, uintptr(length)*size)
		for i, x := range elems {
			x.store(unsafe.Add(end, uintptr(i)*size), n, p)
		}
		p[d[0]], n[d[1]], n[d[2]] = data, length+uint64(len(elems)), uint64(capacity)
	}
	k := sh.number()
	isNumber := k != reflect.Invalid && len(elems) == 1
	if isNumber {
		v := elems[0].regs[0]
		set = func(n *rc.N, p *rc.P, data unsafe.Pointer, capacity int) {
			length := n[to[1]]
			rt.StoreNumber(unsafe.Add(data, uintptr(length)*size), n[v], k)
			p[d[0]], n[d[1]], n[d[2]] = data, length+1, uint64(capacity)
		}
	}
	s, more := c.session, len(elems)
	site := c.ownSite(in, func(_ here, n *rc.N, p *rc.P) bool {
		length, capacity := int(n[to[1]]), int(n[to[2]])
		s.memory.beforeAppend(int64(length+more), int64(capacity), int64(size))
		data, capacity := rt.Grow(elem, p[to[0]], length, capacity, more)
		set(n, p, data, capacity)
		return true
	})
	grow := func() {
		c.help(func(n *rc.N, p *rc.P) bool {
			data, length, capacity := p[to[0]], int(n[to[1]]), int(n[to[2]])
			if length+more > capacity {
				if grownBySite(length+more, size) {
					return false
				}
				data, capacity = rt.Grow(elem, data, length, capacity, more)
			}
			set(n, p, data, capacity)
			return true
		}, site)
	}
	if !isNumber {
		grow()
		return
	}
	// These ops can be native, unlike a helper.
	fits := c.emit(rc.Op{Code: rc.OpIfLT, A: to[1], B: to[2]})
	c.code.Ops[fits].To = c.emit(rc.Op{Code: narrow(rc.OpSet8, k), D: elems[0].regs[0], A: to[0], B: to[1], C: to[2], To: site})
	c.emit(rc.Op{Code: rc.OpMoveP, D: d[0], A: to[0]})
	c.emit(rc.Op{Code: rc.OpAddI, D: d[1], A: to[1], Imm: 1})
	c.emit(rc.Op{Code: rc.OpMove, D: d[2], A: to[2]})
	end := c.emit(rc.Op{Code: rc.OpJump})
	c.code.Ops[fits].Or = end + 1
	grow()
	c.code.Ops[end].To = int32(len(c.code.Ops))
}

// takeSingle reports whether the array a, in the block b, exists only to pass single elements to an append. If so, it
// records the elements in c.single, and no code is generated for the array.
func (c *fastCompiler) takeSingle(b *ssa.BasicBlock, a *ssa.Alloc) bool {
	array, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || array.Len() > mostLeaves || sizeOf(array.Elem()) == 0 {
		return false
	}
	if sh := c.shapes.get(array.Elem()); sh == nil || sh.hasBox() {
		return false
	}
	values := make([]ssa.Value, array.Len())
	parts := []ssa.Instruction{}
	var to *ssa.Call
	for _, r := range *a.Referrers() {
		if r.Block() != b {
			return false
		}
		switch r := r.(type) {
		case *ssa.IndexAddr:
			i, isConst := r.Index.(*ssa.Const)
			st := onlyStore(r)
			if !isConst || st == nil || st.Block() != b || !c.willHave(st.Val) {
				return false
			}
			k, _ := constant.Int64Val(i.Value)
			if values[k] != nil {
				return false
			}
			values[k] = st.Val
			parts = append(parts, r, st)
		case *ssa.Slice:
			if to = onlyAppend(r); to == nil || to.Block() != b || r.Low != nil || r.High != nil || r.Max != nil {
				return false
			}
			parts = append(parts, r)
		default:
			return false
		}
	}
	if to == nil || c.pinned[a] || c.pinned[to] || !c.willHave(to.Call.Args[0]) {
		return false
	}
	for _, v := range values {
		if v == nil {
			return false
		}
	}
	for _, in := range parts {
		if v, ok := in.(ssa.Value); ok && c.pinned[v] {
			return false
		}
		c.done[in] = true
	}
	c.single[to] = values
	return true
}

// onlyStore returns the store to the address v, if that is the only use of v.
func onlyStore(v *ssa.IndexAddr) *ssa.Store {
	if len(*v.Referrers()) != 1 {
		return nil
	}
	if st, ok := (*v.Referrers())[0].(*ssa.Store); ok && st.Addr == ssa.Value(v) && st.Val != ssa.Value(v) {
		return st
	}
	return nil
}

// onlyAppend returns the call that appends v, if that is the only use of v.
func onlyAppend(v *ssa.Slice) *ssa.Call {
	if len(*v.Referrers()) != 1 {
		return nil
	}
	call, ok := (*v.Referrers())[0].(*ssa.Call)
	if !ok {
		return nil
	}
	f, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || f.Name() != "append" || len(call.Call.Args) != 2 || call.Call.Args[1] != ssa.Value(v) || call.Call.Args[0] == ssa.Value(v) {
		return nil
	}
	return call
}

// grownBySite reports whether a slice of n elements of the given size is so large that register code must not make it.
// The interpreter then executes the instruction, and first checks whether there is enough memory.
func grownBySite(n int, size uintptr) bool {
	return uint64(n) > refuseFrom/uint64(size)/4 || breathing && n > 1<<12
}

// copyTo compiles a call of the builtin copy, for the elements of a slice or the bytes of a string. It returns false
// if the interpreter must execute the call.
func (c *fastCompiler) copyTo(in *ssa.Call) bool {
	args := in.Call.Args
	if !c.has(in) {
		return false
	}
	elem, size, ok := c.elemOf(args[0].Type())
	if !ok {
		return false
	}
	to, from, d := c.all(args[0]), c.all(args[1]), c.reg(in)
	if c.shapes.get(args[0].Type().Underlying().(*types.Slice).Elem()).number() != reflect.Invalid {
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: to[1]})
		shorter := c.emit(rc.Op{Code: rc.OpIfLE, A: to[1], B: from[1]})
		c.code.Ops[shorter].Or = shorter + 1
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: from[1]})
		c.code.Ops[shorter].To = c.emit(rc.Op{Code: rc.OpCopy, A: to[0], B: from[0], C: d, Imm: int32(size)})
		return true
	}
	c.help(func(n *rc.N, p *rc.P) bool {
		n[d] = uint64(rt.Copy(elem, p[to[0]], int(n[to[1]]), p[from[0]], int(n[from[1]])))
		return true
	}, c.site(in))
	return true
}

// makeSlice compiles a call of make for a slice type. If the slice is large, the interpreter executes the call.
func (c *fastCompiler) makeSlice(in *ssa.MakeSlice) bool {
	elem, size, ok := c.elemOf(in.Type())
	if !ok || !c.has(in, in.Len, in.Cap) || !isInteger(numberOf(in.Len.Type())) || !isInteger(numberOf(in.Cap.Type())) {
		return false
	}
	d, length, capacity := c.all(in), c.reg(in.Len), c.reg(in.Cap)
	c.help(func(n *rc.N, p *rc.P) bool {
		l, k := int(n[length]), int(n[capacity])
		if l < 0 || k < l || grownBySite(k, size) {
			return false
		}
		p[d[0]], n[d[1]], n[d[2]] = rt.NewArray(elem, l, k), uint64(l), uint64(k)
		return true
	}, c.site(in))
	return true
}

// makeMap compiles a call of make for a map type. If the requested size is large, the interpreter executes the call.
func (c *fastCompiler) makeMap(in *ssa.MakeMap) bool {
	if hasTypeParam(in.Type()) || !c.has(in) {
		return false
	}
	room := c.number(0, reflect.Int)
	if in.Reserve != nil {
		if !c.has(in.Reserve) || !isInteger(numberOf(in.Reserve.Type())) {
			return false
		}
		room = c.reg(in.Reserve)
	}
	word, d := rt.TypeWord(c.rtype(in.Type())), c.reg(in)
	const large = 1 << 16
	c.help(func(n *rc.N, p *rc.P) bool {
		if n[room] > large {
			return false
		}
		p[d] = rt.MakeMap(word, int(n[room]))
		return true
	}, c.site(in))
	return true
}

// clearAll compiles the builtin clear.
func (c *fastCompiler) clearAll(in *ssa.Call) bool {
	x := c.all(in.Call.Args[0])
	switch u := in.Call.Args[0].Type().Underlying().(type) {
	case *types.Slice:
		elem, _, ok := c.elemOf(u)
		if !ok {
			return false
		}
		c.help(func(n *rc.N, p *rc.P) bool {
			if n[x[1]] > 0 {
				rt.ClearArray(elem, p[x[0]], int(n[x[1]]))
			}
			return true
		}, c.site(in))
		return true
	case *types.Map:
		if hasTypeParam(u) {
			return false
		}
		word := rt.TypeWord(c.rtype(in.Call.Args[0].Type()))
		c.onMap(in, &mapType{}, x[0], true, func(_ *rc.N, p *rc.P) { rt.ClearMap(word, p[x[0]]) })
		return true
	}
	return false
}
