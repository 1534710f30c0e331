package randprog

import (
	"fmt"
	"strings"
)

// aggregate returns an expression for an array or struct of type t.
func (g *gen) aggregate(t *goType, d int) string {
	if g.chance(2, 3) || d < -2 {
		if s := g.read(t); s != "" {
			return s
		}
	}
	if d > 0 && g.chance(1, 3) {
		if s := g.pureCall(t, d); s != "" {
			return s
		}
	}
	return g.composite(t, d)
}

// composite returns a literal of an array or struct.
func (g *gen) composite(t *goType, d int) string {
	var parts []string
	if t.kind == array {
		for range g.r.IntN(t.n + 1) {
			parts = append(parts, g.expr(t.elem, d-1))
		}
		return t.name + "{" + strings.Join(parts, ", ") + "}"
	}
	for _, f := range t.fields {
		if g.chance(3, 4) {
			parts = append(parts, f.name+": "+g.expr(f.typ, d-1))
		}
	}
	return t.name + "{" + strings.Join(parts, ", ") + "}"
}

// sliceExpr returns an expression for a slice of type t. least is the minimum length of the slice.
func (g *gen) sliceExpr(t *goType, least int) string {
	if g.body.pure < 0 || least == 0 { // new slices may be changed, frozen slices may not
		var names []string
		for _, v := range g.visible() {
			if v.typ == t && v.min >= least && !v.grows && g.mayChange(v) {
				names = append(names, v.name)
			}
		}
		if len(names) > 0 && g.body.pure < 0 && g.chance(1, 2) {
			return pick(g, names)
		}
	}
	return g.newSlice(t, least+g.r.IntN(4))
}

// newSlice returns an expression that makes a slice of n elements.
func (g *gen) newSlice(t *goType, n int) string {
	if t.elem.kind != slice && g.chance(1, 4) {
		if g.chance(1, 2) {
			return fmt.Sprintf("make(%s, %d, %d)", t.name, n, n+g.r.IntN(4))
		}
		return fmt.Sprintf("make(%s, %d)", t.name, n)
	}
	var parts []string
	for range n {
		if t.elem.kind == slice {
			parts = append(parts, g.newSlice(t.elem, rowLen+g.r.IntN(2)))
		} else {
			parts = append(parts, g.expr(t.elem, 0))
		}
	}
	return t.name + "{" + strings.Join(parts, ", ") + "}"
}

// pointerExpr returns an expression for a pointer that is not nil.
func (g *gen) pointerExpr(t *goType, d int) string {
	if g.chance(1, 2) {
		if s := g.read(t); s != "" {
			return s
		}
	}
	if g.body.pure < 0 && g.chance(1, 2) {
		s, p := g.take(t.elem, func(p place) bool { return p.addr })
		if s != "" {
			p.root.shared = true
			return "&" + s
		}
	}
	if t.elem.kind == structure {
		return "&" + g.composite(t.elem, d)
	}
	return fmt.Sprintf("new(%s)", t.elem.name)
}

func (g *gen) mapExpr(t *goType, d int) string {
	if g.body.pure < 0 && g.chance(1, 3) {
		if s, _ := g.take(t, func(p place) bool { return g.mayChange(p.root) }); s != "" {
			return s
		}
	}
	if g.chance(1, 3) {
		return "make(" + t.name + ")"
	}
	key := "" // at most one entry, because the compiler rejects equal constant keys
	if g.chance(2, 3) {
		key = g.expr(t.key, d-1) + ": " + g.expr(t.elem, d-1)
	}
	return t.name + "{" + key + "}"
}

// ifaceExpr returns an expression for a value of the interface type t, or for a value that implements t.
func (g *gen) ifaceExpr(t *goType, d int) string {
	if g.chance(1, 3) {
		if s := g.read(t); s != "" {
			return s
		}
	}
	s := pick(g, g.structs)
	if g.body.pure < 0 && g.chance(1, 2) {
		return g.pointerExpr(g.pointerTo(s), d)
	}
	return g.aggregate(s, d)
}

// argument returns an expression to pass for the parameter p.
func (g *gen) argument(p *variable, d int) string {
	switch p.typ.kind {
	case slice:
		if p.frozen { // the function only reads the slice
			var names []string
			for _, v := range g.visible() {
				if v.typ == p.typ && v.min >= p.min {
					names = append(names, v.name)
				}
			}
			if len(names) > 0 && g.chance(3, 4) {
				return pick(g, names)
			}
			return g.newSlice(p.typ, p.min+g.r.IntN(3))
		}
		return g.sliceExpr(p.typ, p.min)
	case function:
		return g.literal(p.typ, true)
	}
	return g.expr(p.typ, d)
}

func (g *gen) arguments(f *fn, d int) string {
	var args []string
	for _, p := range f.params {
		if p.bound > 0 { // the parameter bounds a recursion's depth
			args = append(args, fmt.Sprint(g.r.IntN(p.bound)))
			continue
		}
		args = append(args, g.argument(p, d))
	}
	return strings.Join(args, ", ")
}

// pureCall returns a call to a function that has no side effects and returns a value of type t, or "" if there is no
// such function or the call would take too long.
func (g *gen) pureCall(t *goType, d int) string {
	var calls []func() string
	for _, f := range g.funcs {
		if !f.pure || len(f.results) != 1 || f.results[0] != t {
			continue
		}
		if f.recv == nil {
			calls = append(calls, func() string {
				if !g.spend(f.cost) {
					return ""
				}
				return f.name + "(" + g.arguments(f, d-2) + ")"
			})
			continue
		}
		calls = append(calls, func() string { return g.methodCall(f, d) })
	}
	for _, v := range g.visible() {
		if v.typ.kind == function && v.pure && v.typ.result == t {
			calls = append(calls, func() string {
				if !g.spend(v.cost) {
					return ""
				}
				var args []string
				for _, p := range v.typ.params {
					args = append(args, g.expr(p, d-2))
				}
				return v.name + "(" + strings.Join(args, ", ") + ")"
			})
		}
	}
	if len(calls) == 0 {
		return ""
	}
	return pick(g, calls)()
}

// methodCall returns a call to f, a method without side effects, or "" if there is no receiver or the call would take
// too long.
func (g *gen) methodCall(f *fn, d int) string {
	on := f.recv
	if g.chance(1, 4) && len(g.ifaces) > 0 && f.name == "pure" {
		on = g.ifaces[0]
	}
	recv := g.read(on)
	if recv == "" || !g.spend(f.cost) {
		return ""
	}
	if on == f.recv && g.chance(1, 8) { // write it as a method expression or a method value
		if g.chance(1, 2) {
			return fmt.Sprintf("%s.%s(%s)", on.name, f.name, strings.TrimSuffix(recv+", "+g.arguments(f, d-2), ", "))
		}
		return fmt.Sprintf("(%s.%s)(%s)", recv, f.name, g.arguments(f, d-2))
	}
	return fmt.Sprintf("%s.%s(%s)", recv, f.name, g.arguments(f, d-2))
}
