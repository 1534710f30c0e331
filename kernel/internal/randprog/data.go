package randprog

import "fmt"

// Slices. The capacity after append depends on the implementation, so programs must not reveal it: a slice
// that append may have moved (variable.grows) is not aliased. Slices of known capacity are aliased, and the
// aliases see an append in place.

func (g *gen) appends() bool {
	for _, v := range g.visible() {
		if v.typ.kind != slice || v.typ.elem.kind == slice || !g.mayChange(v) || g.chance(1, 2) {
			continue
		}
		if v.grows {
			if g.times > 200 {
				continue
			}
			switch {
			case g.chance(1, 8):
				g.line("%s = append(%s, %s, %s)", v.name, v.name, g.expr(v.typ.elem, 2), g.expr(v.typ.elem, 1))
			case g.chance(1, 8):
				g.line("if len(%s) < 40 {\n%s = append(%s, %s...)\n}", v.name, v.name, v.name, v.name)
			default:
				g.line("%s = append(%s, %s)", v.name, v.name, g.expr(v.typ.elem, 3))
			}
			return true
		}
		if g.body.pure >= 0 && v.depth < g.body.pure {
			continue
		}
		w := &variable{typ: v.typ, grows: true}
		from := v.name
		if v.min > 0 && g.chance(1, 2) {
			w.min = g.r.IntN(v.min + 1)
			from = fmt.Sprintf("%s[:%d]", v.name, w.min)
		} else {
			w.min = v.min
		}
		w.min++
		value := fmt.Sprintf("append(%s, %s)", from, g.expr(v.typ.elem, 2))
		w.name = g.name()
		g.declared(w, value)
		return true
	}
	return false
}

// copies writes a copy between slices, which may overlap.
func (g *gen) copies() bool {
	var to, from *variable
	for _, v := range g.visible() {
		if v.typ.kind != slice || v.typ.elem.kind == slice {
			continue
		}
		if from == nil || from.typ == v.typ && g.chance(1, 3) {
			from = v
		}
		if from.typ == v.typ && g.mayChange(v) && (to == nil || g.chance(1, 2)) {
			to = v
		}
	}
	if to == nil {
		return false
	}
	switch {
	case from.typ.elem == byteType && g.chance(1, 2):
		g.line("copy(%s, %s)", to.name, g.expr(stringType, 1))
	case to.min > 0 && g.chance(1, 2):
		g.line("copy(%s[%d:], %s)", to.name, g.r.IntN(to.min+1), from.name)
	case g.chance(1, 4) && to.typ.elem.isBasic():
		g.line("clear(%s)", to.name)
	default:
		name := g.name()
		g.declared(&variable{name: name, typ: intType}, fmt.Sprintf("copy(%s, %s[min(len(%s), %d):])", to.name, from.name, from.name, g.r.IntN(4)))
	}
	return true
}

// mapChanges writes a change to a map or a lookup in a map.
func (g *gen) mapChanges() bool {
	var m *variable
	for _, v := range g.visible() {
		if v.typ.kind == mapping && g.mayChange(v) && (m == nil || g.chance(1, 2)) {
			m = v
		}
	}
	if m == nil {
		return false
	}
	key, elem := m.typ.key, m.typ.elem
	switch g.r.IntN(6) {
	case 0:
		g.line("delete(%s, %s)", m.name, g.expr(key, 1))
	case 1:
		v, ok := &variable{name: g.name(), typ: elem}, &variable{name: g.name(), typ: boolType}
		if v.name == ok.name {
			return false
		}
		g.line("%s, %s := %s[%s]", v.name, ok.name, m.name, g.expr(key, 2))
		g.line("_, _ = %s, %s", v.name, ok.name)
		g.declare(v)
		g.declare(ok)
	case 2:
		if elem.kind == integer || elem.kind == floating {
			g.line("%s[%s] += %s", m.name, g.expr(key, 2), g.expr(elem, 2))
			return true
		}
		fallthrough
	case 3:
		if g.mayPanic() {
			name := g.name()
			g.line("var %s %s", name, m.typ.name)
			g.line("if %s {\n%s = %s\n}", g.boolExpr(1), name, m.name)
			g.line("%s[%s] = %s", name, g.expr(key, 0), g.expr(elem, 0))
			return true
		}
		fallthrough
	default:
		g.line("%s[%s] = %s", m.name, g.expr(key, 2), g.expr(elem, 2))
	}
	return true
}
