package ixengine

import (
	"go/token"
	"go/types"
	"math"
	"reflect"
	"strings"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Comparisons of values that are not numbers.

func (c *fastCompiler) compareOthers(in *ssa.BinOp) bool {
	x, y, d := c.all(in.X), c.all(in.Y), c.reg(in)
	switch t := in.X.Type(); {
	case isString(t) && in.Op != token.EQL && in.Op != token.NEQ:
		c.order(in, x, y)
		return true
	case isNil(in.X):
		c.emit(rc.Op{Code: rc.OpNil, D: d, A: y[0]})
	case isNil(in.Y):
		c.emit(rc.Op{Code: rc.OpNil, D: d, A: x[0]})
	case isPointer(t):
		c.emit(rc.Op{Code: rc.OpEQP, D: d, A: x[0], B: y[0]})
	default:
		sh := c.shapes.get(t)
		if codes, ok := equalOps(sh, nil); ok && types.Identical(t, in.Y.Type()) && len(codes) <= mostCompared {
			c.equalLeaves(codes, d, x, y)
			break
		}
		same := c.equality(sh, x, y)
		if same == nil || c.shapes.get(in.Y.Type()) == nil || !types.Identical(t.Underlying(), in.Y.Type().Underlying()) {
			return false
		}
		not := in.Op == token.NEQ
		c.help(func(n *rc.N, p *rc.P) bool {
			is, ok := same(n, p)
			n[d] = truth(is != not)
			return ok
		}, c.site(in))
		return true
	}
	if in.Op == token.NEQ {
		c.emit(rc.Op{Code: rc.OpNot, D: d, A: d})
	}
	return true
}

// mostCompared is the maximum number of leaves of values that are compared by ops.
const mostCompared = 8

// equalOps appends to codes, for each leaf of a value of shape sh, the opcode that compares it. For the leaves of
// fields named _, it appends the constant named ignored. equalOps returns false if some part is neither a number nor a
// pointer.
func equalOps(sh *shape, codes []rc.Opcode) (_ []rc.Opcode, ok bool) {
	if sh == nil || sh.typ == nil || sh.isBoxed() {
		return nil, false
	}
	switch u := sh.typ.Underlying().(type) {
	case *types.Struct, *types.Array:
		st, _ := u.(*types.Struct)
		for k, part := range sh.parts {
			if st != nil && st.Field(k).Name() == "_" {
				for range part.leaves {
					codes = append(codes, ignored)
				}
			} else if codes, ok = equalOps(part, codes); !ok {
				return nil, false
			}
		}
		return codes, true
	case *types.Basic:
		if u.Kind() == types.String {
			return nil, false
		}
	}
	for _, l := range sh.leaves {
		switch {
		case isPointer(sh.typ):
			codes = append(codes, rc.OpEQP)
		case l.isP():
			return nil, false
		case l.kind == reflect.Float64:
			codes = append(codes, rc.OpFEQ)
		case l.kind == reflect.Float32:
			codes = append(codes, rc.OpEQ32)
		default:
			codes = append(codes, rc.OpEQ)
		}
	}
	return codes, true
}

// ignored stands for the comparison of a leaf that does not count.
const ignored = rc.OpDo

// equalLeaves emits ops that set d to whether the leaves in the registers x and y are equal.
func (c *fastCompiler) equalLeaves(codes []rc.Opcode, d uint16, x, y []uint16) {
	to := d
	for i, code := range codes {
		if code == ignored {
			continue
		}
		c.emit(rc.Op{Code: code, D: to, A: x[i], B: y[i]})
		if to != d {
			c.emit(rc.Op{Code: rc.OpAnd, D: d, A: d, B: to})
		}
		to = c.temp(false, 0)
	}
	if to == d { // there is nothing to compare
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: c.number(1, reflect.Bool)})
	}
}

func isNil(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.IsNil()
}

// isPointer reports whether t is a pointer type, a channel type or unsafe.Pointer. A value of such a type is a single
// pointer, and == compares the pointers.
func isPointer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// order compiles an ordered comparison of strings.
func (c *fastCompiler) order(in *ssa.BinOp, x, y []uint16) {
	d := c.reg(in)
	compare := func(n *rc.N, p *rc.P) int {
		return strings.Compare(rt.String(p[x[0]], n[x[1]]), rt.String(p[y[0]], n[y[1]]))
	}
	var h rc.Helper
	switch in.Op {
	case token.LSS:
		h = func(n *rc.N, p *rc.P) bool { n[d] = truth(compare(n, p) < 0); return true }
	case token.LEQ:
		h = func(n *rc.N, p *rc.P) bool { n[d] = truth(compare(n, p) <= 0); return true }
	case token.GTR:
		h = func(n *rc.N, p *rc.P) bool { n[d] = truth(compare(n, p) > 0); return true }
	default:
		h = func(n *rc.N, p *rc.P) bool { n[d] = truth(compare(n, p) >= 0); return true }
	}
	c.help(h, c.site(in))
}

// An equal is a function that reports whether two values in registers are equal; ok is false if the
// comparison panics.
type equal func(n *rc.N, p *rc.P) (is, ok bool)

// equality returns a comparison of two values of shape sh, which are in the registers x and y. It returns nil if
// register code cannot compare such values.
func (c *fastCompiler) equality(sh *shape, x, y []uint16) equal {
	if sh == nil || sh.typ == nil {
		return nil
	}
	if sh.isBoxed() {
		return equalBoxes(rt.TypeWord(c.rtype(sh.typ)), x[0], y[0])
	}
	switch u := sh.typ.Underlying().(type) {
	case *types.Interface:
		versions := &c.session.loader.versions
		return func(_ *rc.N, p *rc.P) (is, ok bool) {
			t := p[y[0]]
			if versions.some != 0 && versions.same(p[x[0]], t) {
				t = p[x[0]]
			}
			return sameInterfaces(p[x[0]], p[x[1]], t, p[y[1]])
		}
	case *types.Basic:
		if u.Kind() == types.String {
			return func(n *rc.N, p *rc.P) (is, ok bool) {
				return n[x[1]] == n[y[1]] && rt.String(p[x[0]], n[x[1]]) == rt.String(p[y[0]], n[y[1]]), true
			}
		}
	case *types.Struct:
		return c.equalParts(sh, x, y, func(k int) bool { return u.Field(k).Name() != "_" })
	case *types.Array:
		return c.equalParts(sh, x, y, func(int) bool { return true })
	}
	if isPointer(sh.typ) {
		return func(_ *rc.N, p *rc.P) (is, ok bool) { return p[x[0]] == p[y[0]], true }
	}
	var leaves []equal
	for i, l := range sh.leaves {
		if l.isP() {
			return nil
		}
		leaves = append(leaves, equalNumbers(l.kind, x[i], y[i]))
	}
	return all(leaves)
}

// equalParts returns a comparison of the parts k of x and y for which counts(k) is true.
func (c *fastCompiler) equalParts(sh *shape, x, y []uint16, counts func(k int) bool) equal {
	var parts []equal
	for k, part := range sh.parts {
		if !counts(k) {
			continue
		}
		same := c.equality(part, sh.partIn(k, x), sh.partIn(k, y))
		if same == nil {
			return nil
		}
		parts = append(parts, same)
	}
	return all(parts)
}

// all combines the given comparisons into one that executes them one after the other, until one of them finds a
// difference or panics.
func all(parts []equal) equal {
	if len(parts) == 1 {
		return parts[0]
	}
	return func(n *rc.N, p *rc.P) (is, ok bool) {
		for _, same := range parts {
			if is, ok := same(n, p); !is || !ok {
				return false, ok
			}
		}
		return true, true
	}
}

// equalBoxes returns a comparison of two boxed values of type t. The registers x and y hold the addresses of the
// values, or nil for zero values.
func equalBoxes(t rt.Type, x, y uint16) equal {
	at := func(box rt.Type) rt.Type {
		if box == nil {
			return rt.New(t)
		}
		return box
	}
	return func(_ *rc.N, p *rc.P) (is, ok bool) { return sameInterfaces(t, at(p[x]), t, at(p[y])) }
}

func equalNumbers(k reflect.Kind, x, y uint16) equal {
	switch k {
	case reflect.Float64:
		return func(n *rc.N, _ *rc.P) (is, ok bool) {
			return math.Float64frombits(n[x]) == math.Float64frombits(n[y]), true
		}
	case reflect.Float32:
		return func(n *rc.N, _ *rc.P) (is, ok bool) {
			return math.Float32frombits(uint32(n[x])) == math.Float32frombits(uint32(n[y])), true
		}
	}
	return func(n *rc.N, _ *rc.P) (is, ok bool) { return n[x] == n[y], true }
}

// sameInterfaces reports whether two interfaces, each given by its type word and data word, are equal. ok is false if
// the comparison panics.
func sameInterfaces(aType, aData, bType, bData rt.Type) (is, ok bool) {
	if aType != bType || aType == nil {
		return aType == bType, true
	}
	defer func() {
		if !ok {
			_ = recover()
		}
	}()
	return rt.Equal(aType, aData, bType, bData), true
}
