package randprog

import (
	"fmt"
	"strings"
)

// A statement is a kind of code that function bodies contain. A call to write(g) writes one or a few statements; if
// nothing in scope fits, it writes nothing and returns false. The weight says how often this kind is chosen.
type statement struct {
	weight int
	write  func(*gen) bool
}

// statements is set by init, because functions in the list use this variable.
var statements []statement

func init() {
	statements = []statement{
		{10, (*gen).declaration},
		{16, (*gen).assignment},
		{4, (*gen).swap},
		{3, (*gen).sliceAssignment},
		{7, (*gen).ifElse},
		{4, (*gen).switches},
		{14, (*gen).anyLoop},
		{6, (*gen).exits},
		{6, (*gen).impureCall},
		{5, (*gen).appends},
		{2, (*gen).copies},
		{4, (*gen).mapChanges},
		{4, (*gen).closureDeclaration},
		{4, (*gen).closureCall},
		{2, (*gen).returns},
		{4, (*gen).tries},
		{2, (*gen).defers},
		{5, (*gen).prints},
		{2, (*gen).bareBlock},
		{9, (*gen).idiom},
	}
}

// statements writes about n statements.
func (g *gen) statements(n int) {
	total := 0
	for _, s := range statements {
		total += s.weight
	}
	for range n {
		for range 4 {
			k := g.r.IntN(total)
			var s statement
			for _, s = range statements {
				if k -= s.weight; k < 0 {
					break
				}
			}
			g.newRisk()
			if g.spend(1) && s.write(g) {
				break
			}
		}
	}
	g.risk = 0
}

// newRisk decides whether the next statement may panic.
func (g *gen) newRisk() {
	g.risk = 0
	if g.body.pure < 0 && g.body.guarded && g.chance(1, 6) {
		g.risk = 1
	}
}

// block writes the statements of a block, without its braces.
func (g *gen) block(n int) {
	g.open()
	g.statements(n)
	g.close()
}

// size returns the number of statements for a block, which is smaller for deeper blocks.
func (g *gen) size() int { return 1 + g.r.IntN(max(1, 5-len(g.scopes)/2)) }

// declared writes a declaration of v with a value, and a use of v.
func (g *gen) declared(v *variable, value string) {
	if g.chance(1, 4) {
		g.line("var %s %s = %s", v.name, v.typ.name, value)
	} else {
		g.line("%s := %s", v.name, g.typed(v.typ, value))
	}
	g.line("_ = %s", v.name)
	g.declare(v)
}

// typed returns value with a conversion to t if := would infer another type.
func (g *gen) typed(t *goType, value string) string {
	if t.kind == iface {
		return t.name + "(" + value + ")"
	}
	return value
}

func (g *gen) declaration() bool {
	v := &variable{typ: g.pickType()}
	var value string
	switch v.typ.kind {
	case slice:
		v.min = g.r.IntN(6)
		if v.typ.elem.kind == slice {
			v.min++
		}
		if v.typ.elem.kind != slice && g.chance(1, 3) {
			v.grows = true
			value = g.newSlice(v.typ, v.min)
			break
		}
		value = g.sliceExpr(v.typ, v.min)
	case function:
		return false
	default:
		value = g.expr(v.typ, 3)
	}
	v.name = g.name()
	g.declared(v, value)
	return true
}

// clip writes code that keeps a string from growing without limit. The string is in a
// place with the type t and the text at. If t is not a string type, or if at contains [ or (, clip writes nothing.
func (g *gen) clip(t *goType, at string) {
	if t.kind == text && !strings.ContainsAny(at, "[(") {
		g.line("if len(%s) > 40 {\n%s = %s[len(%s)-40:]\n}", at, at, at, at)
	}
}

// pickAssignable returns a type for which there may be an assignable place.
func (g *gen) pickAssignable() *goType {
	if g.chance(1, 2) {
		var list []*goType
		for _, v := range g.visible() {
			switch v.typ.kind {
			case slice, function:
			case mapping:
				list = append(list, v.typ.elem)
			default:
				list = append(list, v.typ)
			}
		}
		if len(list) > 0 {
			return pick(g, list)
		}
	}
	if len(g.structs) > 0 && g.chance(1, 6) {
		return pick(g, g.structs)
	}
	return g.pickBasic()
}

func (g *gen) assignment() bool {
	t := g.pickAssignable()
	if t.kind == slice || t.kind == function || t.kind == mapping || t.kind == pointer && g.body.pure >= 0 {
		return false
	}
	at, p := g.target(t)
	if at == "" {
		return false
	}
	// A string at a place with an index or a call could grow to any length, and clipping it would evaluate
	// the place twice. So such a string is only set to a constant.
	if t.kind == text && strings.ContainsAny(at, "[(") {
		g.line("%s = %s", at, g.constant(t))
		return true
	}
	_ = p
	switch {
	case t.isNumber() && g.chance(1, 2):
		op := "+"
		if t.kind == integer {
			op = pick(g, []string{"+", "-", "*", "^", "|", "&", "&^", "<<", ">>"})
		} else {
			op = pick(g, []string{"+", "-"})
		}
		switch {
		case op == "<<" || op == ">>":
			g.line("%s %s= %s", at, op, g.count(t, 2))
		case t.kind == integer && g.chance(1, 6):
			g.line("%s%s", at, pick(g, []string{"++", "--"}))
		default:
			g.line("%s %s= %s", at, op, g.expr(t, 3))
		}
	case t.kind == text:
		g.line("%s = %s", at, g.expr(t, 2))
		g.clip(t, at)
	default:
		g.line("%s = %s", at, g.expr(t, 3))
	}
	return true
}

// swap writes an assignment to two or three places at once.
func (g *gen) swap() bool {
	t := g.pickNumber()
	if g.chance(1, 6) {
		t = g.pickAssignable()
	}
	if t.kind == slice || t.kind == function || t.kind == mapping || t.kind == text || t.kind == pointer && g.body.pure >= 0 {
		return false
	}
	n := 2 + g.r.IntN(2)
	var to, from []string
	roots := map[*variable]bool{}
	for range n {
		at, p := g.target(t)
		if at == "" || roots[p.root] {
			return false
		}
		roots[p.root] = true
		to = append(to, at)
	}
	for i := range n {
		if g.chance(1, 4) {
			from = append(from, g.expr(t, 2))
		} else {
			from = append(from, to[(i+1)%n])
		}
	}
	g.line("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
	return true
}

// sliceAssignment assigns another slice to a slice variable, or declares a variable for a part of a slice.
func (g *gen) sliceAssignment() bool {
	for _, v := range g.visible() {
		if v.typ.kind != slice || v.grows || v.fixed || !g.mayChange(v) || v.global || v.depth != g.body.depth || g.holds(v.name) || g.chance(1, 2) {
			continue
		}
		if s := g.sliceExpr(v.typ, v.min); s != v.name {
			g.line("%s = %s", v.name, s)
			return true
		}
	}
	// Or declare a new slice as a part of another slice.
	for _, v := range g.visible() {
		if v.typ.kind != slice || v.grows || v.min < 2 || g.body.pure >= 0 || !g.mayChange(v) || g.chance(1, 2) {
			continue
		}
		low := g.r.IntN(v.min)
		high := low + g.r.IntN(v.min-low+1)
		w := &variable{name: g.name(), typ: v.typ, min: high - low}
		if g.chance(1, 2) {
			g.declared(w, fmt.Sprintf("%s[%d:%d:%d]", v.name, low, high, high+g.r.IntN(v.min-high+1)))
		} else {
			g.declared(w, fmt.Sprintf("%s[%d:%d]", v.name, low, high))
		}
		return true
	}
	return false
}

func (g *gen) ifElse() bool {
	if g.chance(1, 4) {
		g.open()
		v := &variable{typ: g.pickNumber()}
		value := g.nonConst(v.typ, 2)
		v.name = g.name()
		g.declare(v)
		g.line("if %s := %s; %s {", v.name, value, g.boolExpr(2))
		g.line("_ = %s", v.name)
		g.block(g.size())
		if g.chance(1, 2) {
			g.line("} else {")
			g.block(g.size())
		}
		g.line("}")
		g.close()
		return true
	}
	g.line("if %s {", g.boolExpr(2))
	g.block(g.size())
	for g.chance(1, 4) {
		g.line("} else if %s {", g.boolExpr(2))
		g.block(g.size())
	}
	if g.chance(1, 2) {
		g.line("} else {")
		g.block(g.size())
	}
	g.line("}")
	return true
}

// switches writes a switch, sometimes with fallthrough.
func (g *gen) switches() bool {
	t := pick(g, []*goType{g.pickInteger(), g.pickInteger(), stringType})
	l := &loop{isSwitch: true}
	g.body.loops = append(g.body.loops, l)
	defer func() { g.body.loops = g.body.loops[:len(g.body.loops)-1] }()
	n := 1 + g.r.IntN(4)
	tagged := g.chance(2, 3)
	if tagged {
		g.line("switch %s {", g.nonConst(t, 2))
	} else {
		g.line("switch {")
	}
	used := map[string]bool{}
	deflt := g.r.IntN(2 * n)
	for i := range n {
		if i == deflt {
			g.line("default:")
		} else if tagged {
			var cases []string
			for range 1 + g.r.IntN(2) {
				c := g.constant(t)
				if t.kind == integer && g.chance(2, 3) {
					c = fmt.Sprint(g.r.IntN(6))
				}
				plain := strings.TrimSuffix(strings.TrimPrefix(c, t.name+"("), ")")
				if !used[plain] {
					used[plain] = true
					cases = append(cases, c)
				}
			}
			if len(cases) == 0 {
				cases = append(cases, g.nonConst(t, 1))
			}
			g.line("case %s:", strings.Join(cases, ", "))
		} else {
			g.line("case %s:", g.boolExpr(2))
		}
		g.block(g.size())
		if i < n-1 && g.chance(1, 6) {
			g.line("fallthrough")
		}
	}
	g.line("}")
	return true
}

func (g *gen) bareBlock() bool {
	g.line("{")
	g.block(g.size())
	g.line("}")
	return true
}

// exits writes a break or continue.
func (g *gen) exits() bool {
	loops := g.body.loops
	if len(loops) == 0 || loops[len(loops)-1].barred {
		return false
	}
	i := len(loops) - 1
	word := pick(g, []string{"break", "continue"})
	for g.chance(1, 3) && i > 0 && !loops[i-1].barred {
		i--
	}
	l := loops[i]
	if l.isSwitch {
		word = "break"
	}
	label := ""
	inner := i == len(loops)-1
	if word == "continue" {
		inner = true
		for _, k := range loops[i+1:] {
			inner = inner && k.isSwitch
		}
	}
	if !inner {
		if l.label == nil {
			return false
		}
		if *l.label == "" {
			g.labels++
			*l.label = fmt.Sprintf("out%d", g.labels)
		}
		label = " " + *l.label
	}
	g.line("if %s {", g.boolExpr(1))
	if g.chance(1, 3) {
		g.block(1)
	}
	g.line("%s%s\n}", word, label)
	return true
}

// returns writes an early return.
func (g *gen) returns() bool {
	if !g.body.returns {
		return false
	}
	g.line("if %s {", g.boolExpr(1))
	g.line("return %s\n}", g.results())
	return true
}

// results returns the operands of a return statement, or "" if it needs none.
func (g *gen) results() string {
	b := g.body
	if len(b.named) > 0 && g.namedVisible() && g.chance(1, 2) {
		return ""
	}
	var list []string
	for _, t := range b.results {
		if t.kind == slice {
			list = append(list, g.sliceExpr(t, rowLen))
		} else {
			list = append(list, g.expr(t, 2))
		}
	}
	return strings.Join(list, ", ")
}

// namedVisible reports whether no named result is shadowed. If one is shadowed, return statements need
// values.
func (g *gen) namedVisible() bool {
	for _, name := range g.body.named {
		for _, s := range g.scopes[g.body.scope+1:] {
			for _, v := range s {
				if v.name == name {
					return false
				}
			}
		}
	}
	return true
}

// impureCall writes a call to a function that may have side effects, as a separate statement.
func (g *gen) impureCall() bool {
	if g.body.pure >= 0 || len(g.funcs) == 0 {
		return false
	}
	f := pick(g, g.funcs)
	if f.pure && g.chance(1, 2) || len(f.results) == 0 && f.pure {
		return false
	}
	callee := f.name
	if f.recv != nil {
		on := f.recv
		if on.kind == pointer && g.chance(1, 2) {
			on = on.elem
		}
		at, _ := g.take(on, func(p place) bool { return p.addr || on.kind == pointer || f.recv.kind != pointer })
		if at == "" {
			return false
		}
		callee = at + "." + f.name
	}
	if f.panics && !g.body.guarded || !g.spend(f.cost) {
		return false
	}
	g.body.panics = g.body.panics || f.panics
	args := g.arguments(f, 2)
	if len(f.results) == 0 {
		if f.recv == nil && g.chance(1, 8) && g.body.defers {
			g.line("defer %s(%s)", callee, args)
		} else {
			g.line("%s(%s)", callee, args)
		}
		return true
	}
	if len(f.results) == 1 && f.recv == nil && f.results[0].isNumber() && g.chance(1, 3) {
		if at, p := g.target(f.results[0]); at != "" && at == p.root.name && !p.root.global && !p.root.shared && p.root.depth == g.body.depth && p.root.depth == 0 && !f.reaches() {
			g.line("%s += %s(%s)", at, callee, args)
			return true
		}
	}
	var names []string
	var vars []*variable
	for _, t := range f.results {
		v := &variable{name: g.name(), typ: t}
		for _, w := range vars {
			if w.name == v.name {
				g.names++
				v.name = fmt.Sprintf("z%d", g.names)
			}
		}
		if t.kind == slice {
			v.min = rowLen
		}
		names, vars = append(names, v.name), append(vars, v)
	}
	g.line("%s := %s(%s)", strings.Join(names, ", "), callee, args)
	for _, v := range vars {
		g.line("_ = %s", v.name)
		g.declare(v)
	}
	return true
}

// reaches reports whether f gets an argument through which it can change its caller's variables.
func (f *fn) reaches() bool {
	for _, p := range f.params {
		if !p.typ.isBasic() {
			return true
		}
	}
	return f.recv != nil
}
