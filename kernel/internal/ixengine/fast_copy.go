package ixengine

import (
	"go/token"
	"go/types"
	"math"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Values that stay in memory: large values that are only copied, and arrays that are only indexed, as in a
// loop over an array.

// takeCopy reports whether v is an array that is loaded from memory and used only in index expressions. If so,
// takeCopy assigns a register to the address of a copy of the array.
func (c *fastCompiler) takeCopy(v ssa.Value) bool {
	in, ok := v.(*ssa.UnOp)
	if !ok || in.Op != token.MUL || c.pinned[in] || len(*in.Referrers()) == 0 {
		return false
	}
	array, ok := in.Type().Underlying().(*types.Array)
	if !ok || hasTypeParam(array) || sizeOf(array) == 0 || array.Len() > math.MaxInt32 || sizeOf(array.Elem()) > math.MaxInt32 {
		return false
	}
	if sh := c.shapes.get(array.Elem()); sh == nil || len(sh.leaves) == 0 {
		return false
	}
	if _, known := c.index[in]; !known {
		return false
	}
	for _, r := range *in.Referrers() {
		if at, ok := r.(*ssa.Index); !ok || at.X != v || c.pinned[at] || !isInteger(numberOf(at.Index.Type())) || !c.willHave(at.Index) {
			return false
		}
	}
	c.copies[in] = c.taken.p
	c.taken.p++
	return true
}

func (c *fastCompiler) isCopy(in *ssa.UnOp) bool {
	_, ok := c.copies[in]
	return ok && c.has(in.X)
}

// copyArray compiles the load of an array for which takeCopy has returned true. The code copies the array to memory of
// its own, and keeps the address of this copy in the given register.
func (c *fastCompiler) copyArray(in *ssa.UnOp, to uint16) {
	word, from := rt.TypeWord(c.rtype(in.Type())), c.reg(in.X)
	if isPointerFree(in.Type()) && sizeOf(in.Type()) <= math.MaxInt32 {
		c.emit(rc.Op{Code: rc.OpLoad8, D: c.temp(false, 0), A: from, To: c.panicking(in)}) // panics if the address is nil
		c.ensure(to, func(*rc.N) unsafe.Pointer { return rt.New(word) }, in)
		c.emit(rc.Op{Code: rc.OpCopy, A: to, B: from, C: c.number(1, reflect.Int), Imm: int32(sizeOf(in.Type()))})
		return
	}
	c.help(func(_ *rc.N, p *rc.P) bool {
		if p[from] == nil {
			return false
		}
		if p[to] == nil {
			p[to] = rt.New(word)
		}
		rt.Move(word, p[to], p[from])
		return true
	}, c.panicking(in))
}

// elementOfCopy compiles an index expression on an array for which takeCopy has returned true. array is the register
// with the address of the copy.
func (c *fastCompiler) elementOfCopy(in *ssa.Index, array uint16) {
	t := in.X.Type()
	typ, slot := c.rtype(t), c.index[in.X]&0xffffff
	// If the index is out of range, the interpreter panics, with the array in the frame.
	site := c.ownSite(in, func(at here, _ *rc.N, p *rc.P) bool {
		stackOf(at.frame())[slot] = reflect.NewAt(typ, p[array]).Elem().Interface()
		return false
	})
	c.sites[site].panics = true
	elem := c.shapes.get(in.Type())
	at := c.temp(true, 0)
	c.emit(rc.Op{Code: rc.OpElemOf, D: at, A: array, B: c.reg(in.Index), Or: int32(t.Underlying().(*types.Array).Len()), Imm: int32(elem.size), To: site})
	d := c.all(in)
	if elem.plain() {
		for i, l := range elem.leaves {
			c.emit(rc.Op{Code: widen(rc.OpLoad8, l.kind), D: d[i], A: at, Imm: int32(l.offset), To: site})
		}
		return
	}
	x := newPassage(elem, 0, d, c.rtype(in.Type()))
	c.help(func(n *rc.N, p *rc.P) bool {
		x.load(p[at], n, p)
		return true
	}, site)
}

// copyValue compiles a load and the store that follows it as one copy from memory to memory. It does so only if the
// loaded value is boxed and is used by nothing but that store. It reports whether it has emitted ops.
func (c *fastCompiler) copyValue(b *ssa.BasicBlock, in *ssa.UnOp) bool {
	st, ok := following(b, in).(*ssa.Store)
	sh := c.shapes.get(in.Type())
	if in.Op != token.MUL || sh == nil || !sh.isBoxed() || !ok || st.Val != ssa.Value(in) ||
		len(*in.Referrers()) != 1 || c.pinned[in] || !c.has(in.X, st.Addr) {
		return false
	}
	word, from, to, done := rt.TypeWord(c.rtype(in.Type())), c.reg(in.X), c.reg(st.Addr), c.temp(false, 0)
	if size := sizeOf(in.Type()); isPointerFree(in.Type()) && size <= math.MaxInt32 {
		other := c.temp(false, 1)
		c.emit(rc.Op{Code: rc.OpNil, D: done, A: from})
		c.emit(rc.Op{Code: rc.OpNil, D: other, A: to})
		c.emit(rc.Op{Code: rc.OpOr, D: done, A: done, B: other})
		c.emit(rc.Op{Code: rc.OpNot, D: done, A: done})
		branch := c.emit(rc.Op{Code: rc.OpIf, A: done})
		c.code.Ops[branch].To = c.emit(rc.Op{Code: rc.OpCopy, A: to, B: from, C: c.number(1, reflect.Int), Imm: int32(size)})
		c.code.Ops[branch].Or = int32(len(c.code.Ops))
	} else {
		c.help(func(n *rc.N, p *rc.P) bool {
			if p[from] == nil || p[to] == nil {
				n[done] = 0
				return true
			}
			rt.Move(word, p[to], p[from])
			n[done] = 1
			return true
		}, c.site(in))
	}
	c.unlessDone(done, func() {
		c.load(in)
		c.store(st)
	})
	c.done[st] = true
	return true
}

// unlessDone calls ops(), which emits ops. They run only if the value in the register done is 0.
func (c *fastCompiler) unlessDone(done uint16, ops func()) {
	branch := c.emit(rc.Op{Code: rc.OpIf, A: done})
	c.code.Ops[branch].Or = branch + 1
	ops()
	c.code.Ops[branch].To = int32(len(c.code.Ops))
}
