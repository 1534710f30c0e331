package randprog

import (
	"fmt"
	"strings"
)

// pads holds fields that precede an embedded field, so that its offset differs between types.
var pads = []string{"", "a bool", "a [3]int", "a string", "a, b any", "a []int"}

// embeds writes types that embed other types, and code that calls the promoted methods through interfaces and through
// package fmt.
func embeds(g *gen) bool {
	if g.body.pure >= 0 || g.times > 20 || !g.spend(60) {
		return false
	}
	g.declareEmbeds()
	t7 := func() string { return fmt.Sprintf("T7{%s, %s}", g.expr(intType, 2), g.constant(stringType)) }
	x, y, i := g.idiomName("x"), g.idiomName("y"), g.idiomName("i")
	g.line("var %s = T8{T7: %s}", x, t7())
	g.line("var %s = T9{T7: &%s}", y, t7())
	g.line("var %s I7 = %s", i, pick(g, []string{"&" + x, y, "&" + y, "&T6{T8: " + x + "}", "T5{I7: &" + x + "}", "&T5{I7: " + y + "}"}))
	for range 1 + g.r.IntN(3) {
		g.line("%s", pick(g, []string{
			fmt.Sprintf("%s.Add(%s)", i, g.expr(intType, 1)),
			fmt.Sprintf("%s.add(%s)", i, g.expr(intType, 1)),
			fmt.Sprintf("%s.Add(%s)", pick(g, []string{x, y}), g.expr(intType, 1)),
		}))
	}
	values := []string{x, "&" + x, y, "&" + y, i, i + ".short(2)", fmt.Sprintf("struct {\n%s\nT7\n}{T7: %s.T7}", pick(g, pads), x), "T6{T8: " + x + "}", "T4{T7: " + x + ".T7}"}
	g.r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	g.print(values[:4+g.r.IntN(5)]...)
	g.line("_, _, _ = %s, %s, %s", x, y, i)
	return true
}

// declareEmbeds declares the types and methods that embeds(g) needs, if they have not been declared yet.
func (g *gen) declareEmbeds() {
	const first = "type T7 struct"
	for _, d := range g.decls {
		if strings.HasPrefix(d, first) {
			return
		}
	}
	g.use("strconv")
	var b strings.Builder
	b.WriteString(first + ` {
	n int
	s string
}

func (me T7) String() string { return "<" + strconv.Itoa(me.n) + me.s + ">" }
func (me *T7) Add(n int) { me.n += n }
func (me *T7) add(n int) { me.n -= n }
func (me T7) short(n int) int { return me.n*n + len(me.s) }

type I7 interface {
	String() string
	Add(int)
	add(int)
	short(int) int
}
`)
	for _, t := range [][2]string{{"T8", "T7"}, {"T4", "T7"}, {"T9", "*T7"}, {"T6", "T8"}, {"T5", "I7"}} {
		fmt.Fprintf(&b, "\ntype %s struct {\n%s\n%s\n}\n", t[0], pick(g, pads), t[1])
	}
	g.decls = append(g.decls, b.String())
}
