package ixengine

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
)

// Structs that are accessed only by loads and stores of one function are kept in registers, field by field.
// Receivers of methods, other parameters, and most variables are such structs. In SSA form a struct is in
// memory as soon as code selects one of its fields. The same holds for small arrays whose indices are all constant, as
// in x+d[0], y+d[1]. The results of a function that defers are in memory too; they are also kept in registers.

// A local is a variable in registers, or a field or element of such a variable.
type local struct {
	*shape
	regs []uint16
}

// isLocal reports whether the variable a can be in registers. The variable may even be a result that the recover block
// uses: the interpreter runs that block and reads the result from memory, to which handOver has copied it.
func (c *fastCompiler) isLocal(a *ssa.Alloc) bool {
	t := a.Type().Underlying().(*types.Pointer).Elem()
	if !isComposed(t) && !c.pinned[a] || a.Heap || c.f.Recover != nil && c.defers == nil {
		return false
	}
	sh := c.shapes.get(t)
	return sh != nil && len(sh.leaves) > 0 && !sh.hasBox() && c.onlyMoved(a)
}

// isComposed reports whether t is a struct or an array.
func isComposed(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// onlyMoved reports whether the address v is used only to load and store the value at v, or the value's fields or
// elements.
func (c *fastCompiler) onlyMoved(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if r.Addr != v || r.Val == v || !c.willHave(r.Val) {
				return false
			}
		case *ssa.UnOp:
			if r.Op != token.MUL || isIndexed(r) {
				return false
			}
		case *ssa.FieldAddr:
			if !c.onlyMoved(r) {
				return false
			}
		case *ssa.IndexAddr:
			if _, ok := elementAt(r); !ok || !c.onlyMoved(r) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isIndexed reports whether v is an array that is used in index expressions; see takeCopy.
func isIndexed(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		at, ok := r.(*ssa.Index)
		return ok && at.X == v
	})
}

// elementAt returns the index of an element of an array if it is constant and in range.
func elementAt(in *ssa.IndexAddr) (i int, ok bool) {
	p, isPointer := in.X.Type().Underlying().(*types.Pointer)
	k, isConst := in.Index.(*ssa.Const)
	if !isPointer || !isConst || k.Value == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(k.Value))
	return int(n), exact && 0 <= n && n < p.Elem().Underlying().(*types.Array).Len()
}

// willHave reports whether v, which has a shape, will be in registers.
func (c *fastCompiler) willHave(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		return c.shapes.get(v.Tuple.Type()) != nil
	case *ssa.Field:
		return c.shapes.get(v.X.Type()) != nil && c.willHave(v.X)
	case *ssa.ChangeType:
		return c.willHave(v.X)
	case *ssa.ChangeInterface:
		return c.willHave(v.X)
	}
	return true
}

// takeLocal assigns registers to the variable at the address v. It reports whether v is the address of a variable in
// registers, or of a field or element of one.
func (c *fastCompiler) takeLocal(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return c.takeLocal(v.X)
	case *ssa.IndexAddr:
		_, ok := elementAt(v)
		return ok && c.takeLocal(v.X)
	case *ssa.Alloc:
		if l, known := c.locals[v]; known {
			return l != nil
		}
		c.locals[v] = nil
		if !c.isLocal(v) {
			return false
		}
		sh := c.shapes.get(v.Type().Underlying().(*types.Pointer).Elem())
		c.locals[v] = &local{sh, c.registersFor(sh)}
		return true
	}
	return false
}

// localAt returns the variable, field or element at the address v, if it is in registers.
func (c *fastCompiler) localAt(v ssa.Value) *local {
	switch v := v.(type) {
	case *ssa.Alloc:
		return c.locals[v]
	case *ssa.FieldAddr:
		l := c.localAt(v.X)
		if l == nil {
			return nil
		}
		return &local{l.parts[v.Field], l.partIn(v.Field, l.regs)}
	case *ssa.IndexAddr:
		i, ok := elementAt(v)
		if !ok {
			return nil
		}
		l := c.localAt(v.X)
		if l == nil {
			return nil
		}
		return &local{l.parts[i], l.partIn(i, l.regs)}
	}
	return nil
}

// onLocal emits the ops of an instruction that operates on a variable in registers. It returns false for other
// instructions.
func (c *fastCompiler) onLocal(b *ssa.BasicBlock, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Alloc:
		l := c.localAt(in)
		if l == nil {
			return false
		}
		if !storedNext(b, in) {
			c.clear(l)
		}
		return true
	case *ssa.FieldAddr:
		return c.localAt(in) != nil
	case *ssa.IndexAddr:
		return c.localAt(in) != nil
	case *ssa.UnOp:
		l := c.localAt(in.X)
		if l == nil {
			return false
		}
		c.moves(c.moveTo(l.shape, c.all(in), l.regs))
		return true
	case *ssa.Store:
		if isBlank(in.Addr) {
			return true
		}
		l := c.localAt(in.Addr)
		if l == nil {
			return false
		}
		c.moves(c.moveTo(l.shape, l.regs, c.all(in.Val)))
		return true
	}
	return false
}

// isBlank reports whether addr is the address of a field _, to which Go stores nothing.
func isBlank(addr ssa.Value) bool {
	f, ok := addr.(*ssa.FieldAddr)
	return ok && f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(f.Field).Name() == "_"
}

// clear emits ops that set the registers of l to zero.
func (c *fastCompiler) clear(l *local) {
	for i, leaf := range l.leaves {
		if leaf.isP() {
			c.emit(regcode.Op{Code: regcode.OpMoveP, D: l.regs[i], A: c.pointer(nil)})
		} else {
			c.emit(regcode.Op{Code: regcode.OpMove, D: l.regs[i], A: c.number(0, leaf.kind)})
		}
	}
}

// storedNext reports whether, in block b, the instruction directly after the Alloc a is a store to the whole variable.
func storedNext(b *ssa.BasicBlock, a *ssa.Alloc) bool {
	st, ok := following(b, a).(*ssa.Store)
	return ok && st.Addr == ssa.Value(a)
}

// following returns the instruction of block b that follows the given instruction, or nil if that is the
// last.
func following(b *ssa.BasicBlock, in ssa.Instruction) ssa.Instruction {
	if i := slices.Index(b.Instrs, in); i+1 < len(b.Instrs) {
		return b.Instrs[i+1]
	}
	return nil
}
