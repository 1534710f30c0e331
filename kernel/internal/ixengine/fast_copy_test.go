package ixengine

import "testing"

func TestFastCopies(t *testing.T) {
	sameFast(t, `import "errors"
type cell struct{ n int8; e error; s string }
type big struct{ a [20]float64; e error; n int; cells [3]cell }
var table = [30]int{3: 7, 29: 1}
var cells [2]cell
func f(n int) (out []any) {
	var b, keep big
	s := 0
	for round := range 3 {
		table[round] = round
		for i, x := range table { table[(i+1)%30] = x + 1; s = s*3 + x }
		for _, x := range [4]int16{1, -2, int16(n)} { s += int(x) }
		for i, c := range cells { cells[1-i].n += c.n + 1; cells[0].e = errors.New("e"); if c.e != nil { s++ }; cells[i].s += c.s + "x"; out = append(out, c.s) }
	}
	all := []big{b}
	for i := range n { b.a[i%20] += float64(i); b.n++; b.e = errors.New("b"); b.cells[1].s = "y"; all = append(all, b); keep = all[i]; all[0] = keep; b.cells = keep.cells }
	p := &all[1]
	*p = b
	c := *p
	c.n = -1
	sum := 0.0
	for _, v := range all { for _, x := range v.a { sum += x }; sum += float64(v.n) }
	return append(out, s, table, cells[0].n, cells[1].s, len(all), keep.n, p.n, c.n, c.a[3], sum, b.cells[1].s)
}
f(5)`, "f(40)")
	sameFast(t, "var p *[30]int\nfunc f() (s int) {\n\tfor _, x := range *p { s += x }\n\treturn\n}\nf()")
	sameFast(t, "type b struct{ a [30]int }\nfunc f(p, q *b) {\n\t*p = *q\n}\nf(&b{}, &b{})", "f(nil, &b{})", "f(&b{}, nil)", "f(nil, nil)")
	sameFast(t, "type g struct{ a [3]int }\nfunc h() g { return g{} }\nvar v g\nfunc f(i int) int {\n\tw := v\n\treturn w.a[i] + h().a[i%3]\n}\nf(2)", "f(3)", "f(-1)")
	sameFast(t, "var a [40]string\nfunc get() [40]string { return a }\nfunc f(i int) string {\n\treturn get()[i] + a[i]\n}\nf(2)", "f(40)")
}
