package randprog

import (
	"fmt"
	"regexp"
)

// Idioms are combinations of statements that chance alone seldom produces. Parts of an idiom are random.

var idioms = []func(*gen) bool{
	rotation, gotoLoop, matrix, sieve, buildText, countMap, sortBy, labelled, counters, fallible, aliases,
	typeSwitch, methodValue, localArray, table, pointers, callbacks, generic, producer, shadows, defersInLoop, namedMath, closuresInLoop, structCopies, earlyPanic, embeds,
}

func (g *gen) idiom() bool {
	if g.times > 60 {
		return false
	}
	outer, suffix := g.out, g.suffix
	inner := g.newOut()
	g.names++
	g.suffix = fmt.Sprint(g.names)
	g.open()
	ok := pick(g, idioms)(g)
	g.close()
	text := ownNames.ReplaceAllString(inner.String(), "${1}${2}"+g.suffix)
	g.out, g.suffix = outer, suffix
	if ok {
		g.line("%s", text)
	}
	return ok
}

// ownNames matches the names of an idiom's own variables, which get the idiom's number as a suffix.
var ownNames = regexp.MustCompile(`(^|[^.'"\w])([a-z]|got|at|text|has|parts|ok|copied|sum|total|next|cost|key|bytes|ps)\b`)

// idiomName returns the name that a variable of the idiom gets in the program: its name in the idiom's text, followed
// by the idiom's suffix.
func (g *gen) idiomName(name string) string { return name + g.suffix }

// fresh returns an unused name that begins with the given text.
func (g *gen) fresh(what string) string {
	g.names++
	return fmt.Sprintf("%s%d", what, g.names)
}

// rotation writes variables that exchange their values in each iteration.
func rotation(g *gen) bool {
	if !g.spend(30) {
		return false
	}
	t := g.pickBasic()
	a, b, c, i := g.fresh("a"), g.fresh("b"), g.fresh("c"), g.fresh("i")
	g.line("{")
	g.line("%s, %s, %s := %s, %s, %s", a, b, c, g.expr(t, 1), g.expr(t, 1), g.expr(t, 1))
	for _, n := range []string{a, b, c} {
		g.declare(&variable{name: n, typ: t})
	}
	g.line("for %s := 0; %s < %d; %s++ {\n_ = %s", i, i, 2+g.r.IntN(6), i, i)
	g.open()
	g.declare(&variable{name: i, typ: intType, fixed: true, bound: 8})
	if g.chance(1, 2) {
		g.line("if %s {", g.boolExpr(1))
		g.line("%s, %s = %s, %s", a, b, b, a)
		if g.chance(1, 2) {
			g.line("continue")
		}
		g.line("}")
	}
	if g.chance(1, 2) {
		g.line("%s, %s, %s = %s, %s, %s", a, b, c, b, c, a)
	} else {
		g.line("%s, %s, %s = %s, %s, %s", a, b, c, b, c, g.expr(t, 2))
	}
	g.close()
	g.line("}")
	g.keep(t, a)
	g.keep(t, b)
	g.line("}")
	return true
}

// keep makes a value visible outside of its block, by assigning it to a variable or printing it.
func (g *gen) keep(t *goType, value string) {
	if g.body.pure < 0 && g.times < 20 {
		g.print(g.shown(t, value))
		return
	}
	to, p := g.target(t)
	if to == "" || p.root.typ.kind == text {
		g.line("_ = %s", value)
		return
	}
	g.line("%s = %s", to, value)
	g.clip(t, to)
}

func gotoLoop(g *gen) bool {
	if !g.spend(30) {
		return false
	}
	g.labels++
	t := g.pickNumber()
	n, s := g.fresh("n"), g.fresh("s")
	g.line("{")
	g.line("%s, %s := 0, %s", n, s, g.expr(t, 1))
	g.declare(&variable{name: n, typ: intType, fixed: true})
	g.declare(&variable{name: s, typ: t})
	g.line("again%d:", g.labels)
	g.line("%s = %s", s, g.expr(t, 3))
	g.line("%s++", n)
	g.line("if %s < %d && %s {\ngoto again%d\n}", n, 2+g.r.IntN(8), g.boolExpr(1), g.labels)
	g.keep(t, s)
	g.line("}")
	return true
}

// matrix writes a multiplication of slices of slices.
func matrix(g *gen) bool {
	if !g.spend(200) {
		return false
	}
	t := g.pickNumber()
	a, b, c := g.fresh("a"), g.fresh("b"), g.fresh("c")
	n := 2 + g.r.IntN(3)
	g.line("{")
	g.line("%s, %s, %s := make([][]%s, %d), make([][]%s, %d), make([][]%s, %d)", a, b, c, t.name, n, t.name, n, t.name, n)
	g.line("for i := range %d {", n)
	g.line("%s[i], %s[i], %s[i] = make([]%s, %d), make([]%s, %d), make([]%s, %d)", a, b, c, t.name, n, t.name, n, t.name, n)
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: n})
	g.declare(&variable{name: g.idiomName("j"), typ: intType, fixed: true, bound: n})
	g.line("for j := range %d {\n%s[i][j] = %s\n%s[i][j] = %s\n}\n}", n, a, g.expr(t, 2), b, g.expr(t, 2))
	g.close()
	g.line("for i := 0; i < %d; i++ {\nfor j := 0; j < len(%s[i]); j++ {\nvar sum %s\nfor k := range %s {\nsum += %s\n}\n%s[i][j] = sum\n}\n}",
		n, a, t.name, b, g.product(t, a+"[i][k]", b+"[k][j]"), c)
	g.line("for i := range %s {\nfor _, x := range %s[i] {", c, c)
	g.keep(t, "x")
	g.line("}\n}\n}")
	return true
}

func sieve(g *gen) bool {
	n := 20 + g.r.IntN(80)
	if !g.spend(4 * n) {
		return false
	}
	s := g.fresh("sieve")
	count := g.fresh("count")
	g.line("%s, %s := make([]bool, %d), 0", s, count, n)
	g.line("for i := %d; i < len(%s); i++ {\nif %s[i] {\ncontinue\n}\n%s++\nfor j := i * %s; j < len(%s); j += i {\n%s[j] = true\n}\n}",
		2+g.r.IntN(2), s, s, count, pick(g, []string{"i", "2"}), s, s)
	g.keep(intType, count)
	g.line("_, _ = %s, %s", s, count)
	return true
}

// buildText writes code that builds a string and loops over its bytes.
func buildText(g *gen) bool {
	if !g.spend(80) {
		return false
	}
	s, h := g.fresh("text"), g.fresh("h")
	g.line("{")
	g.line("%s, %s := %s, %s(0)", s, h, g.expr(stringType, 0), "uint32")
	g.line("for i := 0; i < %d; i++ {", 1+g.r.IntN(12))
	g.line("_ = i")
	g.declare(&variable{name: s, typ: stringType, fixed: true})
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: 12})
	if g.chance(1, 2) {
		g.line("%s += string(rune('a' + (%s)&15))", s, g.nonConst(runeType, 2))
	} else {
		g.line("%s += %s", s, pick(g, []string{`"x"`, `"é"`, `"ab"`}))
	}
	g.close()
	g.line("}\nfor i := 0; i < len(%s); i++ {\n%s = %s*31 + uint32(%s[i])", s, h, h, s)
	g.line("if %s[i] == 'a' || %s[i] > 'w' {\n%s ^= %s\n}\n}", s, s, h, g.expr(g.byName["uint32"], 2))
	if g.chance(1, 2) {
		g.line("bytes := []byte(%s)", s)
		g.line("for i := range bytes {\nbytes[i] ^= uint8(i)\n}\n%s += uint32(len(bytes)) + uint32(bytes[len(bytes)-1])", h)
	}
	g.keep(g.byName["uint32"], h)
	g.line("}")
	return true
}

func countMap(g *gen) bool {
	if !g.spend(80) {
		return false
	}
	m := g.fresh("m")
	k := g.pickInteger()
	v := g.pickNumber()
	g.line("{")
	g.line("%s := map[%s]%s{}", m, k.name, v.name)
	g.line("for i := range %d {\n_ = i", 5+g.r.IntN(20))
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true})
	g.line("%s[%s&7] += %s\n}", m, g.nonConst(k, 2), g.expr(v, 2))
	g.close()
	g.line("var total %s", v.name)
	if v.kind == integer && g.chance(1, 2) {
		g.line("for k, v := range %s {\ntotal += v * %s(k)\n}", m, v.name)
	} else {
		g.line("for _, k := range %s.Sorted(%s.Keys(%s)) {\ntotal = total + %s[k]\nif len(%s) > 3 {\ndelete(%s, k)\n}\n}", g.use("slices"), g.use("maps"), m, m, m, m)
	}
	g.keep(v, "total")
	g.keep(intType, fmt.Sprintf("len(%s)", m))
	g.line("}")
	return true
}

// sortBy writes a call that sorts or searches a slice, with a comparison function written in the program.
func sortBy(g *gen) bool {
	if !g.spend(200) {
		return false
	}
	t := g.pickInteger()
	if len(g.structs) > 0 && g.chance(1, 3) {
		t = pick(g, g.structs)
	}
	xs := g.fresh("xs")
	g.line("{")
	g.line("%s := %s", xs, g.newSlice(g.sliceOf(t), 3+g.r.IntN(6)))
	key := func(x string) string {
		g.open()
		defer g.close()
		g.declare(&variable{name: x, typ: t, fixed: true, frozen: true})
		if t.kind == integer {
			return x
		}
		for _, f := range t.fields {
			if f.typ.kind == integer || f.typ.kind == text {
				return x + "." + f.name
			}
		}
		return x + ".pure(1)"
	}
	count := g.fresh("count")
	g.line("%s := 0", count)
	switch g.r.IntN(4) {
	case 0:
		g.line("%s.Slice(%s, func(i, j int) bool {\n%s++\nreturn %s < %s\n})", g.use("sort"), xs, count, key(xs+"[i]"), key(xs+"[j]"))
	case 1:
		g.line("%s.SliceStable(%s, func(i, j int) bool {\n%s++\nreturn %s > %s\n})", g.use("sort"), xs, count, key(xs+"[i]"), key(xs+"[j]"))
	case 2:
		g.line("%s.SortFunc(%s, func(x, y %s) int {\n%s++\nif %s < %s {\nreturn -1\n}\nif %s > %s {\nreturn 1\n}\nreturn 0\n})", g.use("slices"), xs, t.name, count, key("x"), key("y"), key("x"), key("y"))
	default:
		g.line("%s = %s.Search(len(%s), func(i int) bool { return %s > %s })", count, g.use("sort"), xs, key(xs+"[i]"), key(xs+"[0]"))
	}
	g.keep(intType, count)
	g.line("for i := range %s {", xs)
	g.keep(t, xs+"[i]")
	g.line("}\n}")
	return true
}

// labelled writes nested loops. In the inner loop, a labeled break or continue refers to the outer loop.
func labelled(g *gen) bool {
	if !g.spend(60) {
		return false
	}
	g.labels++
	n := g.labels
	t := g.pickInteger()
	s := g.fresh("s")
	g.line("{")
	g.line("%s := %s", s, g.expr(t, 1))
	g.line("far%d:\nfor i := 0; i < %d; i++ {\nfor j := range %d {\n_ = j\nswitch {", n, 2+g.r.IntN(5), 2+g.r.IntN(5))
	g.open()
	g.declare(&variable{name: s, typ: t})
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: 7})
	g.declare(&variable{name: g.idiomName("j"), typ: intType, fixed: true, bound: 7})
	g.line("case %s:\ncontinue far%d", g.boolExpr(1), n)
	g.line("case %s:\nbreak far%d", g.boolExpr(2), n)
	g.line("case %s:\nbreak", g.boolExpr(1))
	g.line("default:\n%s = %s", s, g.expr(t, 2))
	g.line("}\n%s = %s + %s(i)\n}\n}", s, s, t.name)
	g.close()
	g.keep(t, s)
	g.line("}")
	return true
}

// counters writes closures that share a variable.
func counters(g *gen) bool {
	if g.body.pure >= 0 || !g.spend(60) {
		return false
	}
	t := g.pickNumber()
	k, up, get := g.fresh("k"), g.fresh("up"), g.fresh("get")
	g.line("{")
	g.line("%s := %s", k, g.expr(t, 1))
	g.declare(&variable{name: k, typ: t})
	g.line("%s := func(d %s) { %s += d }\n%s := func() %s { return %s }", up, t.name, k, get, t.name, k)
	g.line("for i := range %d {\n%s(%s(i))", 2+g.r.IntN(6), up, t.name)
	g.line("if %s {\n%s = %s\n}\n}", g.boolExpr(1), k, g.expr(t, 2))
	g.line("got := %s()", get)
	g.keep(t, "got")
	g.line("}")
	return true
}

// closuresInLoop writes closures over the variables of a loop.
func closuresInLoop(g *gen) bool {
	if g.body.pure >= 0 || !g.spend(60) {
		return false
	}
	t := g.pickNumber()
	fs := g.fresh("fs")
	g.line("{")
	g.line("var %s []func() %s", fs, t.name)
	g.line("for i := 0; i < %d; i++ {", 2+g.r.IntN(4))
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true})
	g.line("x := %s", g.nonConst(t, 2))
	g.close()
	g.line("%s = append(%s, func() %s {\nx += %s(i)\ni += 2\nreturn x\n})", fs, fs, t.name, t.name)
	g.line("}")
	g.line("for n := range %d {\nfor _, f := range %s {\nx := f() + %s(n)", 1+g.r.IntN(3), fs, t.name)
	g.keep(t, "x")
	g.line("}\n}\n}")
	return true
}

// fallible writes a function that has a named result, panics and recovers.
func fallible(g *gen) bool {
	if g.body.pure >= 0 || g.body.depth > 1 || !g.spend(60) {
		return false
	}
	t := g.pickInteger()
	xs := g.fresh("xs")
	g.marks++
	how := pick(g, []string{
		"r = 100 / (r - r)", "r %= (r ^ r)", "r += " + xs + "[i*2]", xs + "[i] += r", "r += " + xs + "[len(" + xs + ")-i-1]",
		"var m map[int]int\nm[i] = 2", "var p *int\n*p = i", "var p *struct{ fa, fb int }\nr += T(p.fb)", "r += T(len(" + xs + "[i:2]))",
		"var f func()\nf()", "var x any = i\nr += T(len(x.(string)))", "var e error\nr += T(len(e.Error()))", "r = r << (i - 2)",
		"panic(fmt.Sprint(i))", "r += T(" + xs + "[:i][2])", "r += T(len(make([]int, 1-i)))", "r += T([3]int{}[i])", "r += T(\"abc\"[i*2])",
		"_ = [2]T(" + xs + "[:i])",
	})
	how = replaceType(how, t.name)
	if !t.signed && how == "r = r << (i - 2)" {
		how = "r <<= i - 2"
	}
	f := g.fresh("try")
	g.line("{")
	g.line("%s := func(n int) (r %s) {", f, t.name)
	g.line("%s := %s", xs, g.newSlice(g.sliceOf(t), 3))
	g.line("_ = %s", xs)
	g.line("defer func() {\nif e := recover(); e != nil {\nfmt.Println(\"f%d\", e)\nr++\n}\n}()", g.marks)
	g.line("for i := 0; i < n; i++ {")
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: 5})
	g.declare(&variable{name: g.idiomName("r"), typ: t})
	g.line("if %s {\nr += %s\n}", g.boolExpr(1), g.expr(t, 1))
	g.line("%s\n}\nreturn\n}", how)
	g.close()
	g.line("got := %s(%d)", f, 1+g.r.IntN(5))
	g.keep(t, "got")
	g.line("}")
	return true
}

// aliases writes slices of one array, calls to append that work in place, and overlapping copies.
func aliases(g *gen) bool {
	if !g.spend(40) {
		return false
	}
	t := g.pickBasic()
	a, b, c := g.fresh("a"), g.fresh("b"), g.fresh("c")
	n := 4 + g.r.IntN(4)
	g.line("{")
	g.line("%s := make([]%s, %d, %d)", a, t.name, n, n+3)
	g.line("for i := range %s {\n_ = i", a)
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: n})
	g.line("%s[i] = %s\n}", a, g.expr(t, 2))
	g.close()
	g.line("%s := append(%s[:%d], %s)", b, a, g.r.IntN(n), g.expr(t, 1))
	g.line("%s := append(%s, %s, %s)", c, a, g.expr(t, 1), g.expr(t, 1))
	g.line("%s = append(%s, %s)", a, a, g.expr(t, 2))
	g.line("copy(%s[1:], %s)", a, a)
	g.line("%s[0], %s[len(%s)-1] = %s[len(%s)-1], %s[0]", b, c, c, c, c, a)
	for _, s := range []string{a, b, c} {
		g.line("for _, x := range %s {", s)
		g.keep(t, "x")
		g.line("}")
	}
	g.line("}")
	return true
}

func typeSwitch(g *gen) bool {
	if !g.spend(30) {
		return false
	}
	t, u := g.pickBasic(), g.pickBasic()
	if t == u {
		return false
	}
	v := pick(g, []*goType{t, u, stringType})
	x := g.fresh("any")
	g.line("{")
	g.line("var %s any = %s", x, g.expr(v, 2))
	if g.chance(1, 3) && len(g.structs) > 0 {
		g.line("if %s {\n%s = %s\n}", g.boolExpr(1), x, g.aggregate(g.structs[0], 1))
	}
	g.line("switch y := %s.(type) {", x)
	for _, c := range []*goType{t, u} {
		g.line("case %s:", c.name)
		g.keep(c, "y")
	}
	g.line("default:\n_ = y\n}")
	g.line("z, ok := %s.(%s)", x, t.name)
	g.keep(t, "z")
	g.keep(boolType, "ok")
	g.line("if %s == any(%s) {", x, g.expr(v, 0))
	g.line("%s = nil\n}\n}", x)
	return true
}

// methodValue writes a method value, whose receiver must not be affected by later changes.
func methodValue(g *gen) bool {
	if g.body.pure >= 0 || len(g.structs) == 0 {
		return false
	}
	t := pick(g, g.structs)
	var pure *fn
	for _, f := range g.funcs {
		if f.recv == t && f.name == "pure" {
			pure = f
		}
	}
	if pure == nil || !g.spend(3*pure.cost+10) {
		return false
	}
	x, p, f, h := g.fresh("x"), g.fresh("p"), g.fresh("f"), g.fresh("h")
	g.line("{")
	g.line("%s := %s\n%s := &%s", x, g.composite(t, 2), p, x)
	g.declare(&variable{name: x, typ: t})
	g.line("%s, %s := %s.pure, %s.pure", f, h, x, p)
	g.open()
	for range 3 {
		g.assignment()
	}
	g.close()
	g.line("*%s = %s", p, g.aggregate(t, 1))
	g.line("var i I0 = %s", pick(g, []string{x, p}))
	g.line("a, b, c := %s(1), %s(2), i.pure(3)", f, h)
	g.keep(intType, "a + b*7 + c*31")
	g.line("_, _, _, _ = a, b, c, %s", p)
	g.line("}")
	return true
}

// localArray writes an array whose address is not taken, and a copy of the array.
func localArray(g *gen) bool {
	if !g.spend(60) {
		return false
	}
	t := g.pickNumber()
	n := 2 + g.r.IntN(7)
	a, b := g.fresh("a"), g.fresh("b")
	g.line("{")
	g.line("var %s [%d]%s", a, n, t.name)
	g.declare(&variable{name: a, typ: g.arrayOf(n, t)})
	g.line("for i := range %s {\n_ = i", a)
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: n})
	g.line("%s[i] = %s", a, g.expr(t, 3))
	g.close()
	g.line("if i > 0 {\n%s[i] += %s[i-1]\n}\n}", a, a)
	g.line("%s := %s", b, a)
	g.line("for i := len(%s) - 1; i > 0; i-- {\n%s[i], %s[i-1] = %s[i-1], %s[i]\n}", b, b, b, b, b)
	g.line("for i, x := range %s {\n%s[len(%s)-1-i] = x\nx += %s[i]", a, a, a, b)
	g.keep(t, "x")
	g.line("}\n}")
	return true
}

// table writes code that fills a table in which each element depends on earlier elements.
func table(g *gen) bool {
	t := g.pickInteger()
	n, m := 2+g.r.IntN(5), 2+g.r.IntN(5)
	if !g.spend(3 * n * m) {
		return false
	}
	d := g.fresh("d")
	g.line("{")
	g.line("%s := make([][]%s, %d)\nfor i := range %s {\n%s[i] = make([]%s, %d)\n}", d, t.name, n+1, d, d, t.name, m+1)
	g.line("for i := 1; i <= %d; i++ {\nfor j := 1; j <= %d; j++ {", n, m)
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true, bound: n + 1})
	g.declare(&variable{name: g.idiomName("j"), typ: intType, fixed: true, bound: m + 1})
	g.line("cost := %s", g.expr(t, 2))
	g.line("if %s {\ncost = 0\n}", g.boolExpr(1))
	g.line("%s[i][j] = min(%s[i-1][j]+1, %s[i][j-1]+1, %s[i-1][j-1]+cost)\n}\n}", d, d, d, d)
	g.close()
	g.keep(t, fmt.Sprintf("%s[%d][%d]", d, n, m))
	g.line("}")
	return true
}

// pointers writes pointers to a variable, an element and a field.
func pointers(g *gen) bool {
	if !g.spend(40) {
		return false
	}
	t := g.pickNumber()
	x, xs, s := g.fresh("x"), g.fresh("xs"), g.fresh("s")
	g.line("{")
	g.line("%s, %s := %s, %s", x, xs, g.expr(t, 1), g.newSlice(g.sliceOf(t), 3))
	g.line("%s := struct {\nfa [2]%s\nfb %s\n}{fb: %s}", s, t.name, t.name, g.expr(t, 1))
	g.line("ps := []*%s{&%s, &%s[1], &%s.fb, &%s.fa[1]}", t.name, x, xs, s, s)
	g.line("q := ps[0]\nfor i := range %d {", 3+g.r.IntN(9))
	g.declare(&variable{name: x, typ: t})
	g.line("*ps[i%%len(ps)] += %s", g.expr(t, 1))
	g.line("*q -= *ps[(i+1)&3]\nif i%%3 == 2 {\nq = ps[i&3]\n}\n}")
	g.line("copied := %s\n%s.fb = *q", s, s)
	g.keep(t, x)
	g.keep(t, xs+"[1]")
	g.keep(t, s+".fb")
	g.keep(t, "copied.fa[1]")
	g.keep(boolType, fmt.Sprintf("(copied == %s)", s))
	g.line("}")
	return true
}

// callbacks writes calls to compiled functions that call the program's own functions.
func callbacks(g *gen) bool {
	if !g.spend(60) {
		return false
	}
	xs := g.fresh("xs")
	t := g.pickInteger()
	g.line("{")
	g.line("%s := %s", xs, g.newSlice(g.sliceOf(t), 4))
	fn := func(param string, pt, result *goType) string {
		g.open()
		defer g.close()
		g.declare(&variable{name: g.idiomName(param), typ: pt})
		e := g.expr(result, 2)
		return fmt.Sprintf("func(%s %s) %s { return %s }", param, pt.name, result.name, e)
	}
	switch g.r.IntN(5) {
	case 0:
		g.line("at := %s.IndexFunc(%s, %s)", g.use("slices"), xs, fn("x", t, boolType))
		g.keep(intType, "at")
	case 1:
		g.line("text := %s.Map(func(r rune) rune { return 'a' + r&%d }, %s)", g.use("strings"), g.r.IntN(16), g.expr(stringType, 1))
		g.keep(stringType, "text")
	case 2:
		g.line("has := %s.ContainsFunc(%s, %s)", g.use("slices"), xs, fn("x", t, boolType))
		g.keep(boolType, "has")
	case 3:
		g.line("at := %s.Search(50, %s)", g.use("sort"), fn("x", intType, boolType))
		g.keep(intType, "at")
	default:
		g.line("parts := %s.FieldsFunc(%s, func(r rune) bool { return r%%%d == 1 })", g.use("strings"), g.expr(stringType, 1), 2+g.r.IntN(3))
		g.keep(intType, "len(parts)")
	}
	g.line("_ = %s\n}", xs)
	return true
}

// generic writes a generic function and uses it with two types.
func generic(g *gen) bool {
	if !g.spend(60) {
		return false
	}
	name := ""
	for _, d := range g.decls {
		if len(d) > 8 && d[:8] == "func M1[" {
			name = "M1"
		}
	}
	if name == "" {
		g.decls = append(g.decls, "func M1[K, V int | int8 | uint16 | float64](xs []K, f func(K) V) (sum V) {\nfor i, x := range xs {\nif y := f(x); y > sum || i%3 == 0 {\nsum += y\n}\n}\nreturn sum\n}\n")
	}
	types := []*goType{intType, float64Type, g.byName["int8"], g.byName["uint16"]}
	k, v := pick(g, types), pick(g, types)
	got := g.fresh("got")
	g.open()
	xs := g.newSlice(g.sliceOf(k), 4)
	g.declare(&variable{name: g.idiomName("x"), typ: k, fixed: true})
	e := g.fromTo(k, v)
	g.close()
	g.line("%s := M1(%s, func(x %s) %s { return %s })", got, xs, k.name, v.name, e)
	g.keep(v, got)
	return true
}

// fromTo returns an expression that begins with the variable x, of type k, and converts it to type v.
func (g *gen) fromTo(k, v *goType) string {
	if k.kind == floating && v.kind == integer {
		return fmt.Sprintf("%s(Clamp(x, 0, 100)) + %s", v.name, g.expr(v, 2))
	}
	return fmt.Sprintf("%s(x) - %s", v.name, g.expr(v, 2))
}

// producer writes a goroutine that sends numbers over a channel.
func producer(g *gen) bool {
	if g.body.pure >= 0 || g.times > 5 || !g.spend(60) {
		return false
	}
	t := g.pickNumber()
	c := g.fresh("c")
	g.line("{")
	g.line("%s := make(chan %s, %d)", c, t.name, g.r.IntN(3))
	g.line("go func() {\ndefer close(%s)\nfor i := range %d {\n%s <- %s(i*i)\n}\n}()", c, 1+g.r.IntN(9), c, t.name)
	g.line("var sum %s\nfor x := range %s {\nsum = sum*3 + x\n}", t.name, c)
	g.keep(t, "sum")
	g.line("}")
	return true
}

// shadows writes several variables with the same name.
func shadows(g *gen) bool {
	if !g.spend(20) {
		return false
	}
	t := g.pickNumber()
	g.line("{")
	g.line("x := %s", g.nonConst(t, 2))
	g.line("if x := %s; x > 2 {", g.nonConst(t, 2))
	g.open()
	g.declare(&variable{name: g.idiomName("x"), typ: t})
	g.line("x := x + %s\n{\nx, y := x-1, x\nx += y", g.expr(t, 1))
	g.keep(t, "x")
	g.line("}")
	g.keep(t, "x")
	g.line("}")
	g.close()
	g.keep(t, "x")
	g.line("}")
	return true
}

// defersInLoop writes defers in a loop; the deferred calls run in reverse order.
func defersInLoop(g *gen) bool {
	if g.body.pure >= 0 || g.body.depth > 1 || !g.spend(60) {
		return false
	}
	t := g.pickInteger()
	f := g.fresh("f")
	g.line("{")
	g.line("%s := func() (r %s) {", f, t.name)
	g.line("for i := range %d {\ndefer func(k int) {\nr = r*3 + %s(k) - %s(i)\n}(i * i)", 2+g.r.IntN(4), t.name, t.name)
	g.open()
	g.declare(&variable{name: g.idiomName("i"), typ: intType, fixed: true})
	g.declare(&variable{name: g.idiomName("r"), typ: t})
	cond, early := g.boolExpr(2), g.expr(t, 1)
	g.close()
	g.line("if %s {\nreturn %s\n}\n}\nreturn %s\n}", cond, early, g.expr(t, 2))
	g.line("got := %s()", f)
	g.keep(t, "got")
	g.line("}")
	return true
}

// namedMath writes an iteration with floats that ends when it has converged.
func namedMath(g *gen) bool {
	if !g.spend(100) {
		return false
	}
	x, y := g.fresh("x"), g.fresh("y")
	m := g.use("math")
	g.line("{")
	g.line("%s, %s := %s, 1.0", x, y, g.nonConst(float64Type, 2))
	g.line("for i := 0; i < %d; i++ {", 5+g.r.IntN(20))
	g.declare(&variable{name: x, typ: float64Type})
	g.declare(&variable{name: y, typ: float64Type})
	g.line("_ = %s\nnext := %s", x, pick(g, []string{
		fmt.Sprintf("(%s + %s/%s) / 2", y, x, y), fmt.Sprintf("%s.Sqrt(%s.Abs(%s)) + 1", m, m, y), fmt.Sprintf("%s - %s/3", y, g.nonConst(float64Type, 1)),
		fmt.Sprintf("%s.Floor(%s) - %s.Trunc(%s)", m, x, m, y), fmt.Sprintf("-%s", y), fmt.Sprintf("%s.Max(%s, %s)", m, x, y),
	}))
	g.line("if %s.Abs(next-%s) < 1e-9 || next != next {\nbreak\n}\n%s = next\n}", m, y, y)
	g.keep(float64Type, y)
	g.line("}")
	return true
}

// structCopies writes structs that are copied, and structs that are reached through pointers.
func structCopies(g *gen) bool {
	if len(g.structs) == 0 || !g.spend(60) {
		return false
	}
	t := pick(g, g.structs)
	x, xs := g.fresh("x"), g.fresh("xs")
	g.line("{")
	g.line("%s := %s", xs, g.newSlice(g.sliceOf(t), 3))
	g.line("%s := %s[1]\np := &%s[2]", x, xs, xs)
	g.declare(&variable{name: x, typ: t})
	g.declare(&variable{name: xs, typ: g.sliceOf(t), min: 3, fixed: true})
	for range 3 {
		g.assignment()
	}
	g.line("%s[0] = %s\n*p = %s[0]\n%s[1], %s = %s, %s[1]", xs, x, xs, xs, x, x, xs)
	g.line("m := map[int]%s{1: %s, 2: *p}\ny := m[1]\nm[1] = %s", t.name, x, g.composite(t, 1))
	g.line("a := [2]%s{y, m[2]}\nb := a\nb[0] = *p", t.name)
	for _, v := range []string{x, "y", "*p", "a[0]", "b[0]", "m[1]"} {
		g.keep(t, v)
	}
	g.line("_ = b\n_ = m\n}")
	return true
}

// earlyPanic writes an if statement that panics with a string or an error.
func earlyPanic(g *gen) bool {
	if !g.body.guarded || g.body.pure >= 0 || g.chance(1, 2) {
		return false
	}
	g.body.panics = true
	t := g.pickInteger()
	g.line("if %s {\npanic(%s)\n}", g.boolExpr(2), pick(g, []string{"\"stop\"", "fmt.Errorf(\"no %d\", " + g.expr(t, 1) + ")", "fmt.Sprint(" + g.expr(t, 2) + ")"}))
	return true
}

var typeName = regexp.MustCompile(`\bT\b`)

// replaceType replaces the identifier T in text with the given type name.
func replaceType(text, name string) string { return typeName.ReplaceAllString(text, name) }
