package randprog

import "fmt"

// A place is an expression that can be read and perhaps assigned to: a variable, a field, an element, or the target of
// a pointer.
type place struct {
	text   func() string // makes the text; indices are chosen at each call
	root   *variable
	assign bool // the place can be assigned to
	addr   bool // the place's address can be taken
	index  bool // the text contains an index
}

// places returns the visible places of type t.
func (g *gen) places(t *goType) []place {
	var list []place
	for _, v := range g.visible() {
		name := v.name
		mine := g.mayChange(v)
		g.walk(&list, t, v.typ, place{
			text: func() string { return name }, root: v,
			assign: !v.fixed && mine,
			addr:   !v.fixed && mine && !v.global,
		}, 0)
	}
	return list
}

// walk finds the places of type t within the place p, and appends them to *list. The parameter in is the type of p.
func (g *gen) walk(list *[]place, t, in *goType, p place, depth int) {
	if in == t {
		*list = append(*list, p)
	}
	if depth == 3 || in.isBasic() {
		return
	}
	base := p.text
	changes := g.mayChange(p.root)
	sub := p
	switch in.kind {
	case structure:
		for _, f := range in.fields {
			sub.text = func() string { return base() + "." + f.name }
			g.walk(list, t, f.typ, sub, depth+1)
		}
	case array:
		sub.index = true
		sub.text = func() string { return base() + "[" + g.index(in.n) + "]" }
		g.walk(list, t, in.elem, sub, depth+1)
	case slice:
		sub.index = true
		least := p.root.min
		if depth > 0 {
			least = rowLen
		}
		root := p.root
		sub.assign, sub.addr = changes, changes && !root.grows
		if depth == 0 && g.counter(root) != "" {
			sub.text = func() string { return base() + "[" + g.counter(root) + "]" }
			g.walk(list, t, in.elem, sub, depth+1)
		}
		if least > 0 {
			sub.text = func() string {
				s := base()
				if g.chance(1, 3) {
					return fmt.Sprintf("%s[uint(%s)%%uint(len(%s))]", s, g.nonConst(g.pickInteger(), 1), s)
				}
				return s + "[" + g.index(least) + "]"
			}
			g.walk(list, t, in.elem, sub, depth+1)
		}
	case pointer:
		changes = changes && g.body.pure < 0 // the pointer's target is unknown
		sub.assign, sub.addr = changes, changes
		sub.text = base
		if in.elem.kind != structure || t == in.elem {
			sub.text = func() string { return "(*" + base() + ")" }
		}
		g.walk(list, t, in.elem, sub, depth+1)
	case mapping:
		sub.index = true
		sub.addr, sub.assign = false, changes && in.elem == t
		sub.text = func() string { return base() + "[" + g.expr(in.key, 1) + "]" }
		g.walk(list, t, in.elem, sub, depth+1)
	}
}

// mayChange reports whether code here may change v and its contents.
func (g *gen) mayChange(v *variable) bool {
	return !v.frozen && (g.body.pure < 0 || !v.global && v.depth >= g.body.pure)
}

// counter returns the name of a loop variable that is always a valid index of v, or "" if there is none.
func (g *gen) counter(v *variable) string {
	for _, w := range g.visible() {
		if w.below == v.name {
			return w.name
		}
	}
	return ""
}

// index returns an index expression for a sequence of n elements. The index is out of range only if the statement may
// panic.
func (g *gen) index(n int) string {
	if g.chance(1, 2) {
		var counters []string
		for _, v := range g.visible() {
			if v.bound > 0 && v.bound <= n {
				counters = append(counters, v.name)
			}
		}
		if len(counters) > 0 {
			return pick(g, counters)
		}
	}
	switch {
	case g.mayPanic():
		return g.nonConst(intType, 1)
	case n&(n-1) == 0 && g.chance(1, 3):
		return fmt.Sprintf("%s&%d", g.nonConst(g.pickInteger(), 1), n-1)
	case g.chance(1, 3):
		return fmt.Sprintf("%s%%%d", g.nonConst(pick(g, []*goType{uintType, byteType, uint64Type}), 1), n)
	}
	return fmt.Sprint(g.r.IntN(n))
}

// take chooses a place of type t that the function ok accepts. If ok is nil, it chooses among all places of type t.
// Places in variables of inner scopes are chosen most often. take returns the place's text and the place; the text is
// "" if there is no such place.
func (g *gen) take(t *goType, ok func(place) bool) (string, place) {
	var list []place
	for _, p := range g.places(t) {
		if (ok == nil || ok(p)) && (g.indices < 2 || !p.index) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return "", place{}
	}
	i := g.r.IntN(len(list))
	if g.chance(1, 2) {
		i = g.r.IntN(i + 1)
	}
	if list[i].index {
		g.indices++
		defer func() { g.indices-- }()
	}
	return list[i].text(), list[i]
}

// read returns a place of type t to read, or "" if there is no such place.
func (g *gen) read(t *goType) string {
	s, _ := g.take(t, nil)
	return s
}

// target returns the text of a place of type t to assign to, and the place. The text is "" if there is no such place.
// The type t must not be a function type. It must not be a slice type either, because assignments to slices must
// respect their known minimum lengths (see sliceAssignment).
func (g *gen) target(t *goType) (string, place) {
	return g.take(t, func(p place) bool { return p.assign })
}
