package ixengine

import (
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// TestTypedFields uses numbers in structs (through pointers, variables and slices) and bytes of strings. Normally
// it runs only a third of the cases (see patience.LeftOut).
func TestTypedFields(t *testing.T) {
	patience.SkipShort(t, "it runs loops over each type of number, at each level")
	const all = "type A struct {\n\tb bool; i8 int8; u8 uint8; i16 int16; u16 uint16; i32 int32; u32 uint32; i64 int64; u uint; f32 float32; f64 float64\n\ts string; n int\n}\n"
	const use = `for i := 0; i < 300; i++ {
	X.b = !X.b
	X.i8 += 7; X.u8 -= 9; X.i16 += 999; X.u16 *= 3; X.i32 -= 1 << 28; X.u32 += 1 << 30
	X.i64 = X.i64*3 + int64(X.i8); X.u ^= uint(X.i64) << 5; X.f32 += 0.1; X.f64 -= float64(X.f32) / 3
	X.n += int(X.i16) + int(X.u8) + int(X.i32) + int(X.u16) + int(X.u32)
	if X.b && X.n > X.i() { X.n = -X.n }
}
`
	const method = "func (a A) i() int { return int(a.i64) }\n"
	with := func(x, src string) string {
		out := ""
		for _, c := range src {
			if c == 'X' {
				out += x
			} else {
				out += string(c)
			}
		}
		return out
	}
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{all + method, "var v A\nv.s = \"kept\"", with("v", use), "v"}, ""},
		{[]string{all + method, "p := &A{s: \"kept\"}", with("p", use), "*p"}, ""},
		{[]string{all + method, "func f(p *A) A {\n" + with("p", use) + "return *p }\nf(&A{s: \"kept\"})"}, ""},
		{[]string{all + method, "func f(p A) A {\n" + with("p", use) + "return p }\nf(A{s: \"kept\"})"}, ""},
		{[]string{all + method, "as := make([]A, 7)\nfor k := range as {\n" + with("as[k]", use) + "}", "as"}, ""},
		{[]string{all + method, "func f(as []A) []A {\nfor k := range as {\n" + with("as[k]", use) + "}\nreturn as}\nf(make([]A, 7))"}, ""},
		{[]string{all + method, "var as [7]A\nfor k := range as {\n" + with("as[k]", use) + "}", "as"}, ""},
		{[]string{all + method, "func (p *A) run() {\n" + with("p", use) + "}\nv := A{n: 3}\nv.run()\nv"}, ""},
		{[]string{"type P struct{ x, y float64 }\nfunc (p *P) move(d float64) { p.x += d; p.y -= d }\nfunc (p P) norm() float64 { return p.x*p.x + p.y*p.y }\np := &P{1, 2}\nt := 0.0\nfor i := 0; i < 50; i++ { p.move(0.5); t += p.norm() }\n[]float64{t, p.x, p.y}"}, ""},
		// two pointers to one struct
		{[]string{"type P struct{ x, y int }\np := &P{1, 2}\nq := p\nfor i := 0; i < 20; i++ { p.x += q.y; q.y += p.x % 7; if i == 10 { p = &P{5, 6} } }\n[]int{p.x, p.y, q.x, q.y}"}, ""},
		{[]string{"type P struct{ x, y int }\nps := []P{{1, 2}, {3, 4}}\nfor i := 0; i < 20; i++ { ps[i%2].x += ps[(i+1)%2].y; if i == 10 { ps = append([]P{{9, 9}}, ps...) }; ps[len(ps)-1].y++ }\nps"}, ""},
		// failures, in program order
		{[]string{"type P struct{ x, y int }\nvar p *P\nz := 0\nfor i := 0; i < 3; i++ {\n\tp.x =\n\t\ti / z\n}"}, ""},
		{[]string{"type P struct{ x, y int }\nvar p *P\nz := 0\nfor i := 0; i < 3; i++ {\n\tz += i +\n\t\tp.y\n}"}, ""},
		{[]string{"type P struct{ x, y int }\nfunc f(p *P) (s int) {\n\tfor i := 0; i < 3; i++ {\n\t\ts += p.y\n\t}\n\treturn s\n}\nf(nil)"}, ""},
		{[]string{"type P struct{ x, y int }\nps := make([]P, 3)\nfor i := 0; i < 4; i++ {\n\tps[i].y =\n\t\ti / (3 - i)\n}", "ps"}, ""},
		{[]string{"type P struct{ x, y int }\nps := make([]P, 3)\nfor i := 2; ; i-- {\n\tps[i].y++\n}", "ps"}, ""},
		{[]string{"type P struct{ x, y int }\nvar ps *[]P\nfor i := 2; ; i-- {\n\t(*ps)[i].y++\n}"}, ""},
		{[]string{"type P struct{ x, y int }\nvar pp **P\nfor i := 2; ; i-- {\n\t(*pp).y++\n}"}, ""},
		{[]string{"type P struct{ x, y int }\nps := []*P{{1, 2}, nil}\nfor i := 0; ; i++ {\n\tps[i].y++\n}", "ps[0].y"}, "Panic"},
		// nested structs, empty structs, and named types
		{[]string{"type V struct{ x, y float64 }\ntype B struct{ pos, v V; m [3]int; e struct{} }\nbs := make([]B, 3)\nfor i := 0; i < 30; i++ { b := &bs[i%3]; b.v.x += 0.5; b.pos.x += b.v.x; bs[i%3].pos.y -= bs[(i+1)%3].v.x; b.m[i%3] += i }\nbs"}, ""},
		{[]string{"type N int\ntype P struct{ n N; k int }\np := P{}\nfor i := 0; i < 9; i++ { p.n += N(i); p.k += int(p.n) }\np"}, ""},
		{[]string{"type E struct{}\nes := make([]E, 3)\nk := 0\nfor i := range es { if es[i] == (E{}) { k++ } }\nk"}, "3"},
		{[]string{"type G[T any] struct{ v T; n int }\ng := G[float64]{}\nfor i := 0; i < 9; i++ { g.v += 0.5; g.n += i }\ng\n"}, ""},
		{[]string{"type P struct{ X int }\ntype Q struct{ *P; Y int }\nq := Q{&P{}, 1}\nfor i := 0; i < 9; i++ { q.X += q.Y; q.Y += i }\n[]int{q.X, q.Y}"}, ""},
		// bytes of strings
		{[]string{"s := \"h\u00e9llo, world\"\nn := 0\nfor i := 0; i < len(s); i++ { n = n*31 + int(s[i]); if s[i] == 'l' { n++ } }\nn"}, ""},
		{[]string{"func f(s string, m map[string]int) (n int) { for i := 0; i < len(s); i++ { n += int(s[i]) * i; if n%5 == 0 { s += \"x\" }; if i > 50 { return } }; return }\nf(\"abcdefgh\", nil)"}, ""},
		{[]string{"s := \"abc\"\nn := 0\nfor i := 0; ; i++ {\n\tn +=\n\t\tint(s[i])\n}", "n"}, ""},
		{[]string{"s := \"abc\"\nn := 0\nfor i := 2; ; i-- {\n\tif s[i] > 'b' {\n\t\tn++ }\n}", "n"}, ""},
		{[]string{"ss := []string{\"abc\", \"\", \"de\"}\nn := 0\nfor i := 0; i < 3; i++ { for j := 0; j < len(ss[i]); j++ { n = n*7 + int(ss[i][j]) } }\nn"}, ""},
		{[]string{"type S string\ns := S(\"abc\")\nn := 0\nfor i := 0; i < len(s); i++ { n = n*7 + int(s[i]) }\nn"}, ""},
		{[]string{"n := 0\nfor i := 0; i < 5; i++ { n = n*7 + int(\"hello\"[i]) }\nn"}, ""},
		{[]string{"s := \"aXbX\"\nfunc at(i int) byte { return s[i] }\nn := 0\nfor i := 0; i < 4; i++ { if at(i) == 'X' { n += i; s += \"X\" } }\n[]int{n, len(s)}", "at(9)"}, ""},
		{[]string{"import \"runtime\"\ntype P struct{ x int; next *P }\nvar head *P\nfor i := 0; i < 1000; i++ { head = &P{x: i, next: head}; if i%100 == 0 { runtime.GC() } }\nt := 0\nfor p := head; p != nil; p = p.next { t += p.x; p.x = -1 }\nt"}, "499500"},
	} {
		if patience.LeftOut(strings.Join(c.cells, "\n")) {
			continue
		}
		want := c.want
		if want == "Panic" {
			want = ""
		}
		compareTyped(t, c.cells, want)
	}
}
