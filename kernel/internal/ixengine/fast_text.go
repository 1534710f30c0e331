package ixengine

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// convertText compiles conversions between strings and slices of bytes or runes, from integers to strings, and between
// string types.
func (c *fastCompiler) convertText(in *ssa.Convert) bool {
	to, from := in.Type(), in.X.Type()
	x, d := c.all(in.X), c.all(in)
	text := func(n *rc.N, p *rc.P, s string) bool {
		p[d[0]], n[d[1]] = rt.StringLeaves(s)
		return true
	}
	slice := func(n *rc.N, p *rc.P, data unsafe.Pointer, length, capacity int) bool {
		p[d[0]], n[d[1]], n[d[2]] = data, uint64(length), uint64(capacity)
		return true
	}
	var h rc.Helper
	switch {
	case isString(to) && isInteger(numberOf(from)):
		signed := isSigned(numberOf(from))
		h = func(n *rc.N, p *rc.P) bool {
			v := int64(n[x[0]])
			if !signed && v < 0 {
				v = -1 // an unsigned number that is too large is not a rune, like -1
			}
			return text(n, p, rt.StringOfRune(v))
		}
	case isString(to) && elemKind(from) == reflect.Uint8:
		h = func(n *rc.N, p *rc.P) bool { return text(n, p, rt.StringOfBytes(p[x[0]], int(n[x[1]]))) }
	case isString(to) && elemKind(from) == reflect.Int32:
		h = func(n *rc.N, p *rc.P) bool { return text(n, p, rt.StringOfRunes(p[x[0]], int(n[x[1]]))) }
	case isString(from) && elemKind(to) == reflect.Uint8:
		h = func(n *rc.N, p *rc.P) bool {
			data, length, capacity := rt.BytesOfString(rt.String(p[x[0]], n[x[1]]))
			return slice(n, p, data, length, capacity)
		}
	case isString(from) && elemKind(to) == reflect.Int32:
		h = func(n *rc.N, p *rc.P) bool {
			data, length, capacity := rt.RunesOfString(rt.String(p[x[0]], n[x[1]]))
			return slice(n, p, data, length, capacity)
		}
	case isString(to) && isString(from):
		c.moves(c.moveTo(c.shapes.get(to), d, x))
		return true
	default:
		return false
	}
	c.help(h, c.site(in))
	return true
}

// elemKind returns the kind of the elements of slices of type t, if they are numbers.
func elemKind(t types.Type) reflect.Kind {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return numberOf(s.Elem())
	}
	return reflect.Invalid
}
