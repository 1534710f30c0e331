package ixengine

import (
	"go/token"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// m[k]++ and the like look up the element once, as in compiled Go.

// A mapOp is a sequence of instructions such as m[k] += x: the lookup of a number in a map, an operation on the
// number, and the update of the same element.
type mapOp struct {
	lookup *ssa.Lookup
	op     *ssa.BinOp
	update *ssa.MapUpdate
}

// mapOpOf returns the mapOp that begins with the given lookup. It returns nil if no mapOp begins there, or if
// other code also uses the looked-up value.
func (c *fastCompiler) mapOpOf(b *ssa.BasicBlock, in *ssa.Lookup) *mapOp {
	list := slices.DeleteFunc(slices.Clone(b.Instrs[slices.Index(b.Instrs, ssa.Instruction(in)):]), func(in ssa.Instruction) bool {
		_, is := in.(*ssa.DebugRef)
		return is
	})
	if in.CommaOk || len(list) < 3 || numberOf(in.Type()) == reflect.Invalid {
		return nil
	}
	op, isOp := list[1].(*ssa.BinOp)
	update, isUpdate := list[2].(*ssa.MapUpdate)
	if !isOp || !isUpdate || len(*in.Referrers()) != 1 || len(*op.Referrers()) != 1 || c.pinned[in] || c.pinned[op] {
		return nil
	}
	if op.X != ssa.Value(in) || op.Y == ssa.Value(in) || update.Map != in.X || update.Key != in.Index || update.Value != ssa.Value(op) {
		return nil
	}
	return &mapOp{in, op, update}
}

// onElement emits the ops of a mapOp if a helper, a Go function that an op calls, can perform the whole mapOp. The ops
// of the individual instructions follow the helper; they run if the map is nil or if other goroutines may use it.
func (c *fastCompiler) onElement(b *ssa.BasicBlock, m *mapOp, t *mapType) bool {
	in := m.lookup
	if t.mayPanic || !c.has(in.X, in.Index, m.op.Y, m.op) {
		return false
	}
	apply := applying(m.op.Op, numberOf(in.Type()), c.reg(m.op.Y))
	if apply == nil {
		return false
	}
	table, find, done := c.reg(in.X), t.finder(c.all(in.Index), true), c.temp(false, 0)
	s := c.session
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[table] == nil || !s.alone() {
			n[done] = 0
			return true
		}
		apply(find(p[table], n, p), n)
		n[done] = 1
		return true
	}, c.site(in))
	c.unlessDone(done, func() {
		c.lookUp(in, t)
		c.instr(b, m.op)
		c.mapUpdate(m.update)
	})
	c.done[m.op], c.done[m.update] = true, true
	return true
}

// applying returns a function that performs *e op= n[y]. Its parameter e is the address of a number of kind k in a
// map, and n holds the number registers. applying returns nil for operations that may panic or are rare.
func applying(op token.Token, k reflect.Kind, y uint16) func(e unsafe.Pointer, n *rc.N) {
	switch {
	case op == token.ADD && rt.BytesOf(k) == 8 && isInteger(k):
		return func(e unsafe.Pointer, n *rc.N) { *(*uint64)(e) += n[y] }
	case op == token.SUB && rt.BytesOf(k) == 8 && isInteger(k):
		return func(e unsafe.Pointer, n *rc.N) { *(*uint64)(e) -= n[y] }
	case op == token.ADD && isInteger(k):
		return func(e unsafe.Pointer, n *rc.N) { rt.StoreNumber(e, rt.LoadNumber(e, k)+n[y], k) }
	case op == token.SUB && isInteger(k):
		return func(e unsafe.Pointer, n *rc.N) { rt.StoreNumber(e, rt.LoadNumber(e, k)-n[y], k) }
	case op == token.OR:
		return func(e unsafe.Pointer, n *rc.N) { rt.StoreNumber(e, rt.LoadNumber(e, k)|n[y], k) }
	case op == token.ADD && k == reflect.Float64:
		return func(e unsafe.Pointer, n *rc.N) { *(*float64)(e) += math.Float64frombits(n[y]) }
	case op == token.SUB && k == reflect.Float64:
		return func(e unsafe.Pointer, n *rc.N) { *(*float64)(e) -= math.Float64frombits(n[y]) }
	case op == token.MUL && k == reflect.Float64:
		return func(e unsafe.Pointer, n *rc.N) { *(*float64)(e) *= math.Float64frombits(n[y]) }
	}
	return nil
}
