package randprog

import (
	"fmt"
	"strings"
)

// literalCost is the maximum cost of calling a function literal.
const literalCost = 40

// newOut makes g write to a new, empty buffer, g.out, and returns the buffer.
func (g *gen) newOut() *strings.Builder {
	g.out = &strings.Builder{}
	return g.out
}

// inside generates the body b of a function literal by calling write(). It returns the text of the body and the cost of
// a call, which is at most limit.
func (g *gen) inside(b *body, limit int, write func()) (string, int) {
	outer, out, cost, times, most, risk := g.body, g.out, g.cost, g.times, g.limit, g.risk
	b.depth, b.scope, b.pure = outer.depth+1, len(g.scopes), max(b.pure, outer.pure)
	g.body, g.cost, g.times, g.limit, g.risk = b, 1, 1, limit, 0
	inner := g.newOut()
	g.open()
	write()
	g.close()
	spent := g.cost
	g.body, g.out, g.cost, g.times, g.limit, g.risk = outer, out, cost, times, most, risk
	return inner.String(), spent
}

// literal returns a function literal of type t. If pure is set, calling it has no side effects.
func (g *gen) literal(t *goType, pure bool) string {
	s, _ := g.literalAndCost(t, pure)
	return s
}

func (g *gen) literalAndCost(t *goType, pure bool) (string, int) {
	b := &body{pure: -1, returns: true, defers: !pure && g.body.pure < 0}
	if pure {
		b.pure = g.body.depth + 1
	}
	if t.result != nil {
		b.results = []*goType{t.result}
	}
	var params []string
	inner, cost := g.inside(b, literalCost, func() {
		for _, p := range t.params {
			g.names++
			v := &variable{name: fmt.Sprintf("p%d", g.names), typ: p}
			params = append(params, v.name+" "+p.name)
			g.declare(v)
		}
		g.statements(g.r.IntN(3))
		if t.result != nil {
			g.risk = 0
			g.line("return %s", g.results())
		}
	})
	result := ""
	if t.result != nil {
		result = " " + t.result.name
	}
	return fmt.Sprintf("func(%s)%s {\n%s}", strings.Join(params, ", "), result, inner), cost
}

func (g *gen) closureDeclaration() bool {
	if g.body.depth > 1 {
		return false
	}
	pure := g.chance(1, 2)
	var params []*goType
	for range g.r.IntN(3) {
		params = append(params, g.pickBasic())
	}
	var result *goType
	if pure || g.chance(1, 2) {
		result = g.pickBasic()
	}
	t := g.funcOf(result, params...)
	text, cost := g.literalAndCost(t, pure)
	v := &variable{name: g.name(), typ: t, fixed: true, pure: pure, cost: cost}
	g.declared(v, text)
	return true
}

func (g *gen) closureCall() bool {
	var list []*variable
	for _, v := range g.visible() {
		if v.typ.kind == function && !v.pure && (g.body.pure < 0 || v.depth >= g.body.pure) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return false
	}
	f := pick(g, list)
	if !g.spend(f.cost) {
		return false
	}
	var args []string
	for _, p := range f.typ.params {
		args = append(args, g.expr(p, 2))
	}
	call := fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	if f.typ.result == nil {
		g.line("%s", call)
		return true
	}
	v := &variable{name: g.name(), typ: f.typ.result}
	g.declared(v, call)
	return true
}

// tries writes statements that may panic, and code that prints the panic.
func (g *gen) tries() bool {
	if g.body.pure >= 0 || g.body.depth > 1 || g.times > 60 {
		return false
	}
	g.marks++
	b := &body{pure: -1, returns: true, defers: true, guarded: true}
	text, cost := g.inside(b, max(10, (g.limit-g.cost)/g.times/2), func() { g.statements(2 + g.r.IntN(4)) })
	if !g.spend(cost + 5) {
		return false
	}
	g.line("Try(\"t%d\", func() {\n%s})", g.marks, text)
	return true
}

// defers writes a deferred function literal, which may recover from a panic and change variables and
// named results.
func (g *gen) defers() bool {
	if !g.body.defers || g.body.pure >= 0 || g.times > 20 {
		return false
	}
	b := &body{pure: -1, returns: true}
	text, cost := g.inside(b, literalCost, func() {
		if g.body.guarded || g.chance(1, 4) {
			g.marks++
			g.line("if e := recover(); e != nil {\nfmt.Println(\"r%d\", e)\n}", g.marks)
		}
		g.statements(1 + g.r.IntN(2))
	})
	if !g.spend(cost) {
		return false
	}
	g.line("defer func() {\n%s}()", text)
	return true
}

// prints writes statements that print some values.
func (g *gen) prints() bool {
	if g.body.pure >= 0 || g.times > 20 || !g.spend(3) {
		return false
	}
	list := g.visible()
	if len(list) == 0 {
		return false
	}
	var parts []string
	for range 1 + g.r.IntN(3) {
		v := pick(g, list)
		if v.typ.kind == function {
			continue
		}
		parts = append(parts, g.shown(v.typ, v.name))
	}
	if g.chance(1, 4) {
		t := g.pickBasic()
		parts = append(parts, g.shown(t, g.expr(t, 3)))
	}
	g.print(parts...)
	return true
}

func (g *gen) print(parts ...string) {
	g.marks++
	call := fmt.Sprintf("fmt.Println(%s)", strings.Join(append([]string{fmt.Sprintf(`"p%d"`, g.marks)}, parts...), ", "))
	if g.body.defers && g.chance(1, 12) {
		call = "defer " + call
	}
	g.line("%s", call)
}

// shown returns the expression to print for value, an expression of type t. A string is quoted. Any other value is
// printed as it is if fmt shows it exactly, or else as a hash.
func (g *gen) shown(t *goType, value string) string {
	switch {
	case t.kind == text:
		return fmt.Sprintf("%s.Quote(%s)", g.use("strconv"), value)
	case t.plain():
		return value
	}
	return g.hash(t, value)
}

// hash returns a uint64 expression that hashes value, an expression of type t. Different values nearly always have
// different hashes.
func (g *gen) hash(t *goType, value string) string {
	switch t.kind {
	case integer:
		return "uint64(" + value + ")"
	case floating:
		return "Bits(float64(" + value + "))"
	case complexes:
		return fmt.Sprintf("(Bits(real(%s))*31 + Bits(imag(%s)))", value, value)
	}
	if g.dumps[t] == "" {
		g.dumps[t] = fmt.Sprintf("D%d", len(g.dumps)+1)
		g.writeHash(t, g.dumps[t])
	}
	return g.dumps[t] + "(" + value + ")"
}

// writeHash declares the function that hash calls for values of type t.
func (g *gen) writeHash(t *goType, name string) {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(x %s) uint64 {\nh := uint64(17)\n", name, t.name)
	switch t.kind {
	case boolean:
		b.WriteString("if x {\nh = 3\n}\n")
	case text:
		b.WriteString("for i := 0; i < len(x); i++ {\nh = h*31 + uint64(x[i])\n}\n")
	case structure:
		for _, f := range t.fields {
			fmt.Fprintf(&b, "h = h*31 + %s\n", g.hash(f.typ, "x."+f.name))
		}
	case slice, array:
		fmt.Fprintf(&b, "for _, v := range x {\nh = h*31 + %s\n}\n", g.hash(t.elem, "v"))
	case pointer:
		fmt.Fprintf(&b, "if x == nil {\nreturn 1\n}\nh += %s\n", g.hash(t.elem, "*x"))
	case mapping: // the order does not matter, because the sum does not depend on it
		fmt.Fprintf(&b, "for k, v := range x {\nh += (%s*31 ^ %s) * 0x9e3779b97f4a7c15\n}\n", g.hash(t.key, "k"), g.hash(t.elem, "v"))
	case iface:
		b.WriteString("switch y := x.(type) {\n")
		for _, s := range g.structs {
			fmt.Fprintf(&b, "case %s:\nh = %s\ncase *%s:\nh = %s + 1\n", s.name, g.hash(s, "y"), s.name, g.hash(s, "*y"))
		}
		b.WriteString("}\n")
	}
	b.WriteString("return h\n}\n")
	g.decls = append(g.decls, b.String())
}
