package randprog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// seeds is the number of variables G0, G1, ... Expressions start from these variables, so that the
// expressions are not constants.
const seeds = 6

// prelude contains declarations that all programs use. Clamp restricts floats to the range between its arguments low
// and high, so that they fit in an integer type. Bits distinguishes 0 from -0, but not different NaNs.
const prelude = `
func Try(label string, f func()) {
	defer func() {
		if e := recover(); e != nil {
			fmt.Println(label, "panics:", e)
		}
	}()
	f()
}

func Bits(x float64) uint64 {
	if x != x {
		return 0x7ff8000000000001
	}
	return math.Float64bits(x)
}

func Clamp(x, low, high float64) float64 {
	if x >= low && x <= high {
		return x
	}
	return high / 3
}
`

// program returns the source of a program.
func (g *gen) program() string {
	g.use("fmt")
	g.use("math")
	g.open()
	g.newOut()
	for i := range seeds {
		x := pick(g, []int{0, 1, -1, 2, 3, 7, 100, 255, -128, 1 << 31, 1<<63 - 1, -1 << 63, g.r.IntN(1000)})
		g.line("var G%d = %d", i, x)
		g.declare(&variable{name: fmt.Sprintf("G%d", i), typ: intType, global: true})
	}
	g.namedTypes()
	g.globals()
	g.end()
	for range 1 + g.r.IntN(3) {
		g.anyFunction()
	}
	for _, t := range g.structs {
		g.methodsOf(t)
	}
	g.iteratorFunction()
	for range 1 + g.r.IntN(2) {
		g.anyFunction()
	}
	g.run()
	decls := strings.Join(g.decls, "\n")
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(g.imports)) { // code that needed an import may have been dropped again
		if strings.Contains(prelude+decls, packageName(path)+".") {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	b.WriteString(")\n" + prelude + "\n" + decls)
	return b.String()
}

// end ends the current declaration and adds it to the program.
func (g *gen) end() {
	g.decls = append(g.decls, g.out.String())
	g.newOut()
}

func (g *gen) namedTypes() {
	if g.chance(1, 2) {
		t := *pick(g, integers)
		t.name = "N0"
		g.line("type N0 %s", t.basic)
		g.namedInts = append(g.namedInts, g.intern(&t))
	}
	for i := range 1 + g.r.IntN(3) {
		t := &goType{kind: structure, name: fmt.Sprintf("T%d", i)}
		g.line("type %s struct {", t.name)
		fields := 1 + g.r.IntN(4)
		embedded := -1 // index of the field before which another struct is embedded; -1 for none
		if i > 0 && g.chance(1, 2) {
			embedded = g.r.IntN(fields)
		}
		for j := range fields {
			if j == embedded {
				e := pick(g, g.structs)
				t.fields = append(t.fields, field{e.name, e, true})
				g.line("%s", e.name)
			}
			ft := g.pickElem()
			if g.chance(1, 5) {
				ft = g.arrayOf(2+g.r.IntN(4), g.pickNumber())
			}
			f := field{fmt.Sprintf("f%d%c", j, 'a'+i), ft, false}
			t.fields = append(t.fields, f)
			g.line("%s %s", f.name, ft.name)
		}
		g.line("}")
		g.structs = append(g.structs, g.intern(t))
	}
	i := g.intern(&goType{kind: iface, name: "I0"})
	g.line("type I0 interface{ pure(int) int }")
	g.ifaces = append(g.ifaces, i)
}

func (g *gen) globals() {
	g.body = &body{pure: 0, depth: 1} // code generated here reads no variables except the seeds
	for i := range 1 + g.r.IntN(4) {
		t := g.pickType()
		if t.kind == iface || t.kind == pointer {
			continue
		}
		v := &variable{name: fmt.Sprintf("G%d", seeds+i), typ: t, global: true}
		value := ""
		if t.kind == slice {
			v.min = rowLen
			value = g.newSlice(t, v.min+g.r.IntN(4))
		} else {
			value = g.expr(t, 0)
		}
		g.line("var %s %s = %s", v.name, t.name, value)
		g.declare(v)
	}
}

// newFunction writes f, a function or, if recv is not nil, a method. It generates the body, up to the return statement,
// by calling write(). The cost of the body is at most limit.
func (g *gen) newFunction(f *fn, recv *variable, limit int, write func()) {
	b := &body{fn: f, results: f.results, pure: -1, returns: true, defers: !f.pure, guarded: !f.pure, scope: len(g.scopes)}
	if f.pure {
		b.pure = 0
	}
	g.body, g.cost, g.times, g.limit, g.risk = b, 1, 1, limit, 0
	g.open()
	head := "func "
	if recv != nil {
		head += fmt.Sprintf("(%s %s) ", recv.name, recv.typ.name)
		g.declare(recv)
	}
	var params, results []string
	for _, p := range f.params {
		params = append(params, p.name+" "+p.typ.name)
		q := *p
		g.declare(&q)
	}
	named := len(f.results) > 0 && g.chance(1, 3)
	for i, t := range f.results {
		s := t.name
		if named {
			v := g.declare(&variable{name: fmt.Sprintf("r%d", i), typ: t, fixed: t.kind == slice, frozen: t.kind == slice || t.kind == mapping || t.kind == pointer})
			b.named = append(b.named, v.name)
			s = v.name + " " + s
		}
		results = append(results, s)
	}
	if named { // a named result may be a nil slice, for example, and must not be returned unchanged
		for _, t := range f.results {
			if !t.isBasic() {
				b.named = nil
			}
		}
	}
	g.line("%s%s(%s) (%s) {", head, f.name, strings.Join(params, ", "), strings.Join(results, ", "))
	write()
	g.risk = 0
	if len(f.results) > 0 {
		g.line("return %s", g.results())
	}
	g.close()
	g.line("}")
	f.cost, f.panics = g.cost, b.panics
	g.end()
}

func (g *gen) params(pure bool) []*variable {
	var list []*variable
	for range g.r.IntN(4) {
		g.names++
		t := g.pickBasic()
		if g.chance(1, 4) {
			t = g.pickType()
		}
		p := &variable{name: fmt.Sprintf("a%d", g.names), typ: t}
		switch t.kind {
		case slice:
			p.min = g.r.IntN(4)
			p.frozen = pure || g.chance(1, 2)
			if t.elem.kind == slice {
				p.min = 1
			}
		case mapping, pointer, iface:
			p.frozen = pure
		}
		list = append(list, p)
	}
	if g.chance(1, 8) {
		g.names++
		list = append(list, &variable{name: fmt.Sprintf("a%d", g.names), typ: g.funcOf(g.pickNumber(), g.pickNumber()), fixed: true, pure: true, cost: literalCost})
	}
	return list
}

func (g *gen) resultType(pure bool) *goType {
	t := g.pickBasic()
	if g.chance(1, 5) {
		t = g.pickType()
	}
	if t.kind == pointer || t.kind == iface || t.kind == mapping {
		t = intType
	}
	return t
}

// anyFunction writes the next of the functions F1, F2, ...
func (g *gen) anyFunction() {
	f := &fn{name: fmt.Sprintf("F%d", len(g.funcs)+1), pure: g.chance(3, 5)}
	f.params = g.params(f.pure)
	if f.pure || g.chance(3, 4) {
		f.results = append(f.results, g.resultType(f.pure))
		if g.chance(1, 6) {
			f.results = append(f.results, g.resultType(f.pure))
		}
	}
	if g.chance(1, 4) && len(f.results) > 0 {
		g.recursive(f)
	} else {
		limit := pick(g, []int{30, 100, 400, 1500})
		g.newFunction(f, nil, limit, func() { g.statements(1 + g.r.IntN(4)) })
	}
	g.funcs = append(g.funcs, f)
}

// recursive writes a function that calls itself to the depth given by its first parameter.
func (g *gen) recursive(f *fn) {
	n := &variable{name: "deep", typ: intType, fixed: true, bound: 3 + g.r.IntN(4)}
	f.params = append([]*variable{n}, f.params...)
	calls := 1 + g.r.IntN(2)
	if calls == 1 {
		n.bound *= 4
	}
	g.newFunction(f, nil, 25, func() {
		g.line("if deep <= 0 {")
		g.line("return %s\n}", g.results())
		g.statements(g.r.IntN(3))
		for range calls {
			args := []string{"deep-1"}
			if g.chance(1, 4) {
				args[0] = "deep-2"
			}
			for _, p := range f.params[1:] {
				args = append(args, g.argument(p, 2))
			}
			var names []string
			var vars []*variable
			for _, t := range f.results {
				g.names++
				v := &variable{name: fmt.Sprintf("v%d", g.names), typ: t}
				if t.kind == slice {
					v.min = rowLen
				}
				vars, names = append(vars, v), append(names, v.name)
			}
			g.line("%s := %s(%s)", strings.Join(names, ", "), f.name, strings.Join(args, ", "))
			for _, v := range vars {
				g.line("_ = %s", v.name)
				g.declare(v)
			}
		}
		g.statements(g.r.IntN(3))
	})
	total := 1
	if calls == 2 {
		total = 1 << n.bound
	} else {
		total = n.bound
	}
	f.cost *= total
}

// methodsOf writes methods of the struct t. The method pure is the only method of the interface I0; t declares it, or
// inherits it from an embedded struct. The method poke may change the struct. Sometimes there is also a method val,
// which only reads the struct.
func (g *gen) methodsOf(t *goType) {
	f := &fn{name: "pure", recv: t, pure: true, results: []*goType{intType}}
	g.names++
	f.params = []*variable{{name: fmt.Sprintf("a%d", g.names), typ: intType}}
	if e := g.embeddedPure(t); e != nil && g.chance(1, 2) {
		f.cost = e.cost // the method is promoted
	} else {
		g.newFunction(f, &variable{name: "me", typ: t}, 25, func() { g.statements(1 + g.r.IntN(2)) })
	}
	g.funcs = append(g.funcs, f)
	p := &fn{name: "poke", recv: g.pointerTo(t), params: g.params(false)}
	if g.chance(1, 2) {
		p.results = []*goType{g.pickNumber()}
	}
	g.newFunction(p, &variable{name: "me", typ: g.pointerTo(t), fixed: true}, 50, func() { g.statements(1 + g.r.IntN(4)) })
	g.funcs = append(g.funcs, p)
	if g.chance(1, 2) {
		v := &fn{name: "val", recv: t, pure: true, params: g.params(true), results: []*goType{g.pickNumber()}}
		g.newFunction(v, &variable{name: "me", typ: t}, 30, func() { g.statements(1 + g.r.IntN(3)) })
		g.funcs = append(g.funcs, v)
	}
}

// embeddedPure returns the method named pure of a struct that t embeds, or nil if t embeds no struct with such a
// method.
func (g *gen) embeddedPure(t *goType) *fn {
	for _, f := range t.fields {
		for _, m := range g.funcs {
			if f.embedded && m.recv == f.typ && m.name == "pure" {
				return m
			}
		}
	}
	return nil
}

// iteratorFunction writes a function that returns an iterator.
func (g *gen) iteratorFunction() {
	g.body = &body{pure: 0, depth: 1}
	g.open()
	g.declare(&variable{name: "i", typ: intType})
	step := g.expr(intType, 2)
	g.close()
	g.line("func I1(n int) func(func(int) bool) {")
	g.line("return func(yield func(int) bool) {")
	if g.chance(1, 3) {
		g.line("defer func() { G0 += n }()")
		g.iteratorChanges = true
	}
	g.line("for i := range n {\nif !yield(i + %s) {\nreturn\n}\n}\n}\n}", step)
	g.iterator = "I1"
	g.end()
}

// run writes the function Run, with which a program begins.
func (g *gen) run() {
	f := &fn{name: "Run"}
	g.body = &body{fn: f, pure: -1, scope: len(g.scopes)}
	g.cost, g.times, g.limit = 1, 1, 20000
	g.open()
	g.line("func Run() {")
	g.statements(5 + g.r.IntN(8))
	for _, v := range g.visible() {
		if v.typ.kind != function {
			g.print(g.shown(v.typ, v.name))
		}
	}
	if g.chance(1, 8) { // end with a panic that no function recovers
		g.body.guarded = true
		g.risk = 1
		t := g.pickNumber()
		g.print(g.shown(t, g.expr(t, 4)))
	}
	g.line("}")
	g.close()
	g.end()
}
