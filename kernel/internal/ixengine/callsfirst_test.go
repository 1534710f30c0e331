//go:build !js

package ixengine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/internal/randprog"
)

// TestCallsFirst compares random statements with compiled Go. Their calls change what the statements also read
// otherwise, so the values depend on the order of evaluation, of which Go's specification leaves a part open.
func TestCallsFirst(t *testing.T) {
	patience.SkipShort(t, "it compiles random statements")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: there is nothing to compare statements with")
	}
	const each = 60
	var names, sources []string
	for seed := range patience.Rounds(60) {
		names = append(names, fmt.Sprint("seed ", seed))
		sources = append(sources, randomOrder(uint64(seed), each))
	}
	want := compiledMains(t, names, sources)
	for i, src := range sources {
		var out bytes.Buffer
		session := fresh(t, Options{Stdout: &out, Stderr: &out})
		for _, cell := range randprog.Cells(strings.Replace(src, "\nfunc main() {", "\nfunc Run() {", 1), randprog.Layouts[i%2]) {
			run(t, session, cell)
		}
		got := out.String()
		if got != want[i] {
			at := firstDifference(want[i], got)
			t.Errorf("%s: %s\n%s", names[i], at, statementOf(src, at))
		}
	}
}

// statementOf returns the function in src that the difference at names.
func statementOf(src, at string) string {
	i := strings.Index(at, "f")
	if i < 0 {
		return ""
	}
	name, _, _ := strings.Cut(at[i:], ":")
	_, text, _ := strings.Cut(src, "\nfunc "+name+"(")
	text, _, _ = strings.Cut(text, "\n}\n")
	return text
}

// orderStart is the beginning of each program: what statements read, and functions that change it.
const orderStart = `package main

import "fmt"

type T struct {
	X, Y int
	S    string
}

var a, s, t, r, l, m, e, p, ch, n = 0, "", T{}, [2]int{}, []int(nil), map[string]int(nil), any(nil), (*T)(nil), chan int(nil), 0

func reset() {
	a, s, t, r, l, m, e, p, ch, n = 1, "s", T{2, 3, "t"}, [2]int{4, 5}, []int{6, 7}, map[string]int{"s": 8}, 9, &T{10, 11, "p"}, make(chan int, 1000), 0
	for i := range 100 {
		ch <- i
	}
}

func try(f func()) {
	defer func() {
		if x := recover(); x != nil {
			fmt.Println(x)
			show("recovered")
		}
	}()
	reset()
	f()
}

func show(name string, x ...any) {
	fmt.Println(name+":", fmt.Sprint(x...), a, s, t, r, l, m, e, *p, len(ch), n)
}

func change() int {
	n++
	a += n
	t.X, t.S = t.X+n, t.S+"c"
	r[n%2] += n
	if n%3 == 0 {
		l = []int{n, 2 * n}
	}
	l[n%2] += n
	m[s] += n
	if len(s) < 20 {
		s += "x"
	}
	if n%3 == 1 {
		p = &T{n, n, "q"}
	}
	p.Y += n
	if n%2 == 0 {
		e = n
	} else {
		e = any(n + 100)
	}
	ch <- n
	return n
}

func fi() int                  { return change() }
func fb() bool                 { return change()%2 == 0 }
func fs() string               { return fmt.Sprint("f", change()) }
func ft() T                    { return T{change(), n, s} }
func fp() *T                   { change(); return p }
func fl() []int                { change(); return l }
func fm() map[string]int       { change(); return m }
func fe() any                  { return change() }
func two() (int, string)       { return change(), s }
func of(x int, y string, z any) int { fmt.Println("of", x, y, z); change(); return x + len(y) }
func many(x ...any) string     { change(); return fmt.Sprint(x...) }
func (t T) get(x int) int      { change(); return t.X + x }
func (t *T) put(x int) int     { t.Y += x; return change() }
func set(p *int) int           { *p += 50; return change() }
func setT(p *T) error          { p.X += 50; change(); return nil }
`

// randomOrder returns a program with the given number of functions, each of which has a few random statements.
func randomOrder(seed uint64, functions int) string {
	g := &orderGen{rand.New(rand.NewPCG(seed, 1))}
	var b, run strings.Builder
	b.WriteString(orderStart)
	for i := range functions {
		name := fmt.Sprint("f", i)
		fmt.Fprintf(&run, "\ttry(%s)\n", name)
		fmt.Fprintf(&b, "\nfunc %s() {\n", name)
		fmt.Fprintf(&b, "\tv, w, u := 1, \"w\", T{1, 2, \"u\"}\n\tup := func() int { v += 3; w += \"y\"; u.X += 5; return change() }\n\t_ = up\n")
		for range 1 + g.IntN(3) {
			fmt.Fprintf(&b, "\t{\n%s\t}\n", g.stmt(name, 2))
		}
		fmt.Fprintf(&b, "\tshow(%q, v, w, u)\n}\n", name)
	}
	fmt.Fprintf(&b, "\nfunc main() {\n%s}\n", run.String())
	return b.String()
}

type orderGen struct{ *rand.Rand }

func (g *orderGen) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *orderGen) stmt(name string, d int) string {
	i, s, b, x, t := g.int, g.string, g.bool, g.any, g.T
	show := func(x string) string { return fmt.Sprintf("\tshow(%q, %s)\n", name, x) }
	switch g.IntN(26) {
	case 0:
		return fmt.Sprintf("\t{\n\tx, y, z := %s, %s, %s\n%s\t}\n", i(d), s(d), x(d), show("x, y, z"))
	case 1:
		return fmt.Sprintf("\tx, y, z := func() (int, any, string) { return %s, %s, %s }()\n%s\t_ = x\n", i(d), x(d), s(d), "\tshow(\""+name+"\", x, y, z)\n")
	case 2:
		return fmt.Sprintf("\tfunc() { x, err := func() (x T, err error) { return x, setT(&x) }()\n%s\t}()\n", show("x, err"))
	case 3:
		return fmt.Sprintf("\ta, v = %s, %s\n", i(d), i(d))
	case 4:
		return fmt.Sprintf("\tl[%s&1] = %s\n", i(1), i(d))
	case 5:
		return fmt.Sprintf("\tm[%s], r[%s&1] = %s, %s\n", s(1), i(1), i(d), i(d))
	case 6:
		return fmt.Sprintf("\tp.X, t.Y, u.X = %s, %s, %s\n", i(d), i(1), i(1))
	case 7:
		return fmt.Sprintf("\tp.X %s %s\n", g.pick("+=", "-=", "="), i(d))
	case 8:
		return fmt.Sprintf("\tl[%s&1] += %s\n", i(1), i(d))
	case 9:
		return fmt.Sprintf("\tm[%s] += %s\n", s(1), i(d))
	case 10:
		return show(fmt.Sprintf("[]int{%s, %s, %s}", i(1), i(d), i(1)))
	case 11:
		return show(fmt.Sprintf("map[string]int{%s + \"1\": %s, %s + \"2\": %s}", s(1), i(1), s(d), i(d)))
	case 12:
		return show(fmt.Sprintf("T{%s, %s, %s}, &T{X: %s, S: %s} == nil", i(d), i(1), s(d), i(1), s(1)))
	case 13:
		return show(fmt.Sprintf("[]T{%s, {%s, %s, %s}, %s}", t(d), i(1), i(1), s(1), t(1)))
	case 14:
		return fmt.Sprintf("\tif x, y := %s, %s; %s {\n%s\t} else if z := %s; %s {\n%s\t} else {\n%s\t}\n", i(1), s(1), b(d), show("x, y"), x(1), b(1), show("z"), show("x"))
	case 15:
		return fmt.Sprintf("\tfor k := %s & 1; k < 4 && %s; k++ {\n%s\t}\n", i(1), b(d), show("k"))
	case 16:
		return fmt.Sprintf("\tswitch x := %s; %s {\n\tcase 1, 2:\n%s\tdefault:\n%s\t}\n", i(1), i(d), show("x, 1"), show("x"))
	case 17:
		return fmt.Sprintf("\tswitch x := (%s).(type) {\n\tcase int:\n%s\tdefault:\n%s\t}\n", x(d), show("x, 1"), show("x"))
	case 18:
		return fmt.Sprintf("\tfor k, x := range []any{%s, %s} {\n%s\t}\n", x(1), x(d), show("k, x"))
	case 19:
		return fmt.Sprintf("\tfunc() {\n\tdefer of(%s, %s, %s)\n\t}()\n", i(d), s(1), x(1))
	case 20:
		return fmt.Sprintf("\tl = append(l[:2:2], %s, %s)\n", i(1), i(d))
	case 21:
		return fmt.Sprintf("\tch <- %s\n", i(d))
	case 22:
		return fmt.Sprintf("\tl[%s&1], t.S = two()\n", i(1))
	case 23:
		return fmt.Sprintf("\tvar x, y any = %s, %s\n%s", x(d), x(d), "\tshow(\""+name+"\", x, y)\n\t_, _ = x, y\n")
	case 24:
		return fmt.Sprintf("\tfunc() int { return %s }()\n", i(d))
	}
	return show(fmt.Sprintf("%s, %s, %s, %s", i(d), x(d), b(1), t(1)))
}

func (g *orderGen) int(d int) string {
	i, s, b, x, t := g.int, g.string, g.bool, g.any, g.T
	if d <= 0 {
		return g.pick("a", "v", "t.X", "p.X", "r[0]", "r[1]", "l[0]", "l[1]", "m[s]", "u.X", "len(s)", "fi()", "up()", "3")
	}
	d--
	switch g.IntN(22) {
	case 0, 1:
		return "fi()"
	case 2:
		return "up()"
	case 3:
		return fmt.Sprintf("(%s + %s)", i(d), i(d))
	case 4:
		return fmt.Sprintf("(%s*2 - %s)", i(d), i(d))
	case 5:
		return fmt.Sprintf("-(%s)", i(d))
	case 6:
		return fmt.Sprintf("of(%s, %s, %s)", i(d), s(d), x(d))
	case 7:
		return fmt.Sprintf("min(%s, %s, %s)", i(d), i(d), i(d))
	case 8:
		return g.pick("ft().X", "fp().Y", "fl()[0]", "fm()[s]", "fe().(int)", "e.(int)", "<-ch", "len(fl())", "len(l)", "cap(ch)")
	case 9:
		return fmt.Sprintf("l[%s&1]", i(d))
	case 10:
		return fmt.Sprintf("l[%s&1:][0]", i(d))
	case 11:
		return fmt.Sprintf("t.get(%s)", i(d))
	case 12:
		return fmt.Sprintf("p.put(%s)", i(d))
	case 13:
		return g.pick("set(&v)", "set(&a)", "set(&u.X)", "set(&l[0])", "set(&p.Y)", "set(&r[1])")
	case 14:
		return fmt.Sprintf("m[%s]", s(d))
	case 15:
		return fmt.Sprintf("int(int32(%s) + int32(%s))", i(d), i(d))
	case 16:
		return fmt.Sprintf("func(x int) int { return x + %s }(%s)", i(d), i(d))
	case 17:
		return fmt.Sprintf("(%s).X", t(d))
	case 18:
		return fmt.Sprintf("len(%s)", s(d))
	case 19:
		return fmt.Sprintf("map[bool]int{true: %s, false: %s}[%s]", i(d), i(d), b(d))
	case 20:
		return fmt.Sprintf("[]int{%s, %s}[%s&1]", i(d), i(d), i(d))
	}
	return i(0)
}

func (g *orderGen) string(d int) string {
	i, s, x := g.int, g.string, g.any
	if d <= 0 {
		return g.pick("s", "w", "t.S", "p.S", "u.S", `"k"`, "fs()")
	}
	d--
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s + %s)", s(d), s(d))
	case 1:
		return fmt.Sprintf("string([]byte(%s))", s(d))
	case 2:
		return fmt.Sprintf("many(%s, %s)", x(d), x(d))
	case 3:
		return fmt.Sprintf("fmt.Sprint(%s, %s)", x(d), i(d))
	case 4:
		return "ft().S"
	case 5:
		return fmt.Sprintf("(%s + \"-\" + %s + %s)[1:]", s(d), s(d), s(d))
	}
	return s(0)
}

func (g *orderGen) bool(d int) string {
	i, s, b, x, t := g.int, g.string, g.bool, g.any, g.T
	if d <= 0 {
		return g.pick("fb()", "a > 2", "v < 5", "len(l) == 2", "s == w")
	}
	d--
	switch g.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("(%s && %s)", b(d), b(d))
	case 2:
		return fmt.Sprintf("(%s || %s)", b(d), b(d))
	case 3:
		return fmt.Sprintf("(%s == %s)", t(d), t(d))
	case 4:
		return fmt.Sprintf("(%s < %s)", s(d), s(d))
	case 5:
		return fmt.Sprintf("(%s == %s)", x(d), x(d))
	case 6:
		return fmt.Sprintf("!(%s)", b(d))
	}
	return fmt.Sprintf("(%s %s %s)", i(d), g.pick("<", "==", "!=", ">="), i(d))
}

func (g *orderGen) any(d int) string {
	i, s, b, t := g.int, g.string, g.bool, g.T
	if d <= 0 {
		return g.pick("any(a)", "any(s)", "any(t)", "e", "any(r)", "any(*p)", "fe()", "any(v)", "any(u)")
	}
	d--
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("any(%s)", i(d))
	case 1:
		return fmt.Sprintf("any(%s)", s(d))
	case 2:
		return fmt.Sprintf("any(%s)", b(d))
	case 3:
		return fmt.Sprintf("any(%s)", t(d))
	}
	return g.any(0)
}

func (g *orderGen) T(d int) string {
	if d <= 0 {
		return g.pick("t", "*p", "u", "ft()", "*fp()")
	}
	d--
	if g.IntN(2) == 0 {
		return fmt.Sprintf("T{%s, %s, %s}", g.int(d), g.int(d), g.string(d))
	}
	return g.T(0)
}
