package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

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

// assertInterface compiles a type assertion to an interface type.
func (c *fastCompiler) assertInterface(in *ssa.TypeAssert) bool {
	to := c.rtype(in.AssertedType)
	if to == nil || !c.has(in, in.X) {
		return false
	}
	x, d, iface, isAny, commaOk := c.all(in.X), c.all(in), rt.TypeWord(to), to.NumMethod() == 0, in.CommaOk
	versions := &c.session.loader.versions
	c.help(func(n *rc.N, p *rc.P) bool {
		t, data := p[x[0]], p[x[1]]
		has := t != nil
		if has && !isAny {
			if _, has = rt.Itab(iface, t); !has && versions.some != 0 {
				t, has = versions.implementing(iface, t)
			}
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

// typeAssert compiles a type assertion.
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
	if !sh.hasBox() && len(sh.leaves) <= mostAsserted {
		c.assertInline(in, x, typ, data, ok)
		return true
	}
	versions := &c.session.loader.versions
	c.help(func(n *rc.N, p *rc.P) bool {
		if p[typ] != word && (versions.some == 0 || !versions.same(p[typ], word)) {
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

// mayHaveVersions reports whether a later cell may make another runtime type for t; see versions.
func mayHaveVersions(t types.Type) (may bool) {
	walkNamed(t, func(n *types.Named) { may = may || isMain(n.Obj()) })
	return may
}

// mostAsserted is the maximum number of leaves of a value that an assertion loads with ops.
const mostAsserted = 6

// assertInline emits ops for the given type assertion. The interface is in two registers (typ and data), and x
// describes the asserted type and the registers for the value. If in has the form v, ok := i.(T), the parameter ok is
// the register for the second result.
func (c *fastCompiler) assertInline(in *ssa.TypeAssert, x *passage, typ, data, ok uint16) {
	site := c.site(in)
	is := c.temp(false, 0)
	c.emit(rc.Op{Code: rc.OpEQP, D: is, A: typ, B: c.pointer(x.word)})
	branches := []int32{c.emit(rc.Op{Code: rc.OpIf, A: is})}
	fails := branches
	if mayHaveVersions(in.AssertedType) {
		v, other := &c.session.loader.versions, int32(len(c.code.Ops))
		c.emit(rc.Op{Code: rc.OpLoad8, D: is, A: c.pointer(unsafe.Pointer(&v.some)), To: site})
		some := c.emit(rc.Op{Code: rc.OpIf, A: is})
		c.code.Ops[some].To = some + 1
		c.help(func(n *rc.N, p *rc.P) bool {
			n[is] = truth(v.same(p[typ], x.word))
			return true
		}, site)
		same := c.emit(rc.Op{Code: rc.OpIf, A: is})
		c.code.Ops[branches[0]].Or = other
		branches, fails = append(branches, same), []int32{some, same}
	}
	for _, b := range branches {
		c.code.Ops[b].To = int32(len(c.code.Ops))
	}
	result := func(is uint64) {
		if in.CommaOk {
			c.emit(rc.Op{Code: rc.OpMove, D: ok, A: c.number(is, reflect.Bool)})
		}
	}
	if x.isDirect {
		c.emit(rc.Op{Code: rc.OpMoveP, D: x.regs[0], A: data})
	} else {
		c.loadLeaves(x.shape, x.regs, data, site)
	}
	result(1)
	end := c.emit(rc.Op{Code: rc.OpJump})
	for _, b := range fails {
		c.code.Ops[b].Or = int32(len(c.code.Ops))
	}
	if in.CommaOk {
		c.clear(&local{x.shape, x.regs})
		result(0)
	} else {
		c.emit(rc.Op{Code: rc.OpDo, To: site})
	}
	c.code.Ops[end].To = int32(len(c.code.Ops))
}
