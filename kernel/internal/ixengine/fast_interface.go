package ixengine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// makeInterface compiles a conversion to an interface. A pointer is stored directly; other values are copied
// to the heap.
func (c *fastCompiler) makeInterface(in *ssa.MakeInterface) bool {
	if !c.has(in, in.X) {
		return false
	}
	d := c.all(in)
	x := newPassage(c.shapes.get(in.X.Type()), 0, c.all(in.X), c.rtype(in.X.Type()))
	if x.rtype == nil || x.isFace {
		return false
	}
	if slot, ok := c.index[in.X]; ok && isCompiledFunc(in.X) { // its type may have parts that are not identical with those made here
		x.word, _ = rt.Words(field[[]any](c.fn, layout.initial)[slot&0xffffff])
	}
	if x.isDirect {
		c.moves([]move{{true, d[0], c.pointer(x.word)}, {true, d[1], x.regs[0]}})
		return true
	}
	dt, dd := d[0], d[1]
	c.help(func(n *rc.N, p *rc.P) bool {
		p[dt], p[dd] = x.word, x.data(n, p)
		return true
	}, c.site(in))
	return true
}

func isCompiledFunc(v ssa.Value) bool {
	f, ok := v.(*ssa.Function)
	return ok && f.Blocks == nil
}

// assertInterface compiles a conversion of an interface to another interface type.
func (c *fastCompiler) assertInterface(in *ssa.TypeAssert) bool {
	to := c.rtype(in.AssertedType)
	if to == nil || !c.has(in, in.X) {
		return false
	}
	x, d, iface, isAny, commaOk := c.all(in.X), c.all(in), rt.TypeWord(to), to.NumMethod() == 0, in.CommaOk
	c.help(func(n *rc.N, p *rc.P) bool {
		t, data := p[x[0]], p[x[1]]
		has := t != nil
		if has && !isAny {
			_, has = rt.Itab(iface, t)
		}
		switch {
		case has:
			p[d[0]], p[d[1]] = t, data
		case commaOk:
			p[d[0]], p[d[1]] = nil, nil
		default:
			return false
		}
		if commaOk {
			n[d[2]] = truth(has)
		}
		return true
	}, c.site(in))
	return true
}

// typeAssert compiles an assertion of an interface to another type.
func (c *fastCompiler) typeAssert(in *ssa.TypeAssert) bool {
	if types.IsInterface(in.AssertedType) {
		return c.assertInterface(in)
	}
	if !c.has(in, in.X) {
		return false
	}
	sh := c.shapes.get(in.AssertedType)
	typ1 := c.rtype(in.AssertedType)
	if sh == nil || typ1 == nil {
		return false
	}
	from, d := c.all(in.X), c.all(in)
	typ, data, word := from[0], from[1], rt.TypeWord(typ1)
	x := newPassage(sh, 0, d[:len(sh.leaves)], typ1)
	ok := uint16(0)
	if in.CommaOk {
		ok = d[len(sh.leaves)]
	}
	commaOk := in.CommaOk
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[typ] != word {
			if !commaOk {
				return false
			}
			x.zero(n, p)
			n[ok] = 0
			return true
		}
		if x.isDirect || x.isBoxed() {
			p[x.regs[0]] = p[data]
		} else {
			x.load(p[data], n, p)
		}
		if commaOk {
			n[ok] = 1
		}
		return true
	}, c.site(in))
	return true
}
