package ixengine

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

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
