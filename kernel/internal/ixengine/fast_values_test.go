package ixengine

import "testing"

func TestFastMake(t *testing.T) {
	sameFast(t, `import "fmt"
type p struct{ a int; b string; e error }
func f(n int) (out []any) {
	a, b, c := make([]int, n), make([]string, n, 2*n), make([]p, uint8(n))
	d, e, g := make(map[string]int), make(map[int]string, n), make(map[p]bool, int8(n))
	a[n-1], b[0], c[1].b = 1, "x", "y"
	d["a"], e[2], g[p{1, "b", nil}] = 1, "2", true
	out = append(out, a, b, cap(b), c, d, e, len(g))
	clear(a)
	clear(b[:1])
	clear(c)
	clear(d)
	clear(g)
	var none map[int]int
	clear(none)
	return append(out, a, b, c, d, len(g), fmt.Sprint(e), make([]struct{}, n), len(make([]float64, 1<<17)))
}
f(3)`, "f(20)")
	sameFast(t, "func f(n int) int { return len(make([]int, n)) }\nf(2)", "f(-1)")
	sameFast(t, "func f(n, m int) int { return cap(make([]int, n, m)) }\nf(2, 3)", "f(3, 2)")
	sameFast(t, "func f(n int) int { return len(make(map[int]int, n)) }\nf(1 << 17)", "f(-1)")
}

func TestFastInterfaces(t *testing.T) {
	sameFast(t, `import ("errors"; "fmt"; "io"; "time")
type shape interface{ area() float64 }
type square struct{ s float64 }
func (q square) area() float64 { return q.s * q.s }
func (q *square) Error() string { return fmt.Sprint("square ", q.s) }
type box struct{ shape; name string; errs [2]error; any any }
var global error
var shapes [3]shape
func f(x any) (out []any) {
	s, ok := x.(shape)
	e, isError := x.(error)
	st, isStringer := x.(fmt.Stringer)
	a, isAny := x.(any)
	out = append(out, s != nil, ok, e != nil, isError, st == nil, isStringer, a, isAny)
	if ok { out = append(out, s.area()) }
	switch v := x.(type) {
	case shape: out = append(out, "shape", v.area())
	case error: out = append(out, "error", v.Error())
	case fmt.Stringer: out = append(out, "stringer", v.String())
	case nil: out = append(out, "nil")
	}
	global = e
	shapes[1] = s
	b := &box{s, "b", [2]error{e, io.EOF}, x}
	c := *b
	b.errs[0] = errors.New("new")
	m := map[string]box{"c": c, "b": *b}
	list := []error{e, nil}
	list[1] = global
	out = append(out, global == e, shapes[1] == s, c.errs[1] == io.EOF, m["b"].errs[0], m["c"].errs[0] == e, list[0] == list[1], c == *b, c == c)
	return
}
f(square{2})`, "f(&square{3})", "f(time.Second)", "f(nil)", "f(3)", "f(errors.New(\"e\"))")
	sameFast(t, "import \"fmt\"\nfunc f(x any) fmt.Stringer {\n\treturn x.(fmt.Stringer)\n}\nf(1)", "f(nil)")
	sameFast(t, "func f(p *error, e error) { *p = e }\nf(nil, nil)")
}

func TestFastEquality(t *testing.T) {
	sameFast(t, `import "math"
type p struct{ a int8; f float64; s string; _ int; e any; c complex64; q *int; arr [2]float32 }
func f() (out []any) {
	nan, x := math.NaN(), 1
	list := []p{{}, {a: 1}, {f: nan}, {f: math.Copysign(0, -1)}, {s: "a"}, {s: "b"}, {e: 1}, {e: int8(1)}, {e: "a"}, {c: 1i}, {q: &x}, {q: new(int)}, {arr: [2]float32{0, 2}}, {e: [1]any{2}}}
	for i, v := range list { for j, w := range list { if v == w { out = append(out, i, j) }; if v.e != w.e { out = append(out, -i, j) }; if v.arr == w.arr && v.c != w.c { out = append(out, i*j) } } }
	ch, dh := make(chan int), make(chan int)
	var e, g any
	out = append(out, ch == dh, ch == ch, e == g, e != nil, any(ch) == any(ch), struct{}{} == struct{}{}, [0]int{} == [0]int{})
	for _, s := range []string{"", "a", "ab", "b"} { out = append(out, s == "a", s != "a", s < "ab", s <= "ab", s > "ab", s >= "ab") }
	return
}
f()`, "f()")
	sameFast(t, "type p struct{ a int; f any }\nfunc f(x, y p) bool {\n\treturn x == y\n}\nf(p{1, 2}, p{1, 2})", "f(p{1, []int{}}, p{2, []int{}})", "f(p{1, []int{}}, p{1, []int{}})")
	sameFast(t, "func f(x, y any) bool {\n\treturn x == y\n}\nf(1, 1)", "f(func() {}, func() {})", "f(func() {}, 1)")
}

func TestFastTextAndComplex(t *testing.T) {
	sameFast(t, `import "math"
type text string
type letters []rune
type point struct{ x, y int }
type other struct{ x, y int }
func f(s string, n int) (out []any) {
	b, r := []byte(s), letters(s)
	if n < len(b) { b[n] = 'X' }
	t := text(b)
	out = append(out, t, string(r), string(t)+s, string(rune(n)), string(byte(n)), len(r), cap([]byte(nil)), string([]byte(nil)), []byte(text(s)), string(b[:n%3]))
	u := uint64(n) << 62
	out = append(out, string(rune(u>>40)), other(point{n, 2}))
	return
}
f("aé世\xff", 2)`, "f(\"\", 300)", "f(\"x\", -1)", `
func c(n int) (out []any) {
	values := []float64{0, 1, -2.5, math.Inf(1), math.NaN(), 1e308}
	for i := range values { for j := range values {
		x, y := complex(values[i], values[j]), complex(values[j], float64(n))
		v, w := complex64(x), complex64(y)
		q := []any{x + y, x - y, x * y, x / y, -x, real(x), imag(y), x == y, x != x}
		for _, z := range q { out = append(out, z) }
		out = append(out, v+w, v-w, v*w, v/w, -v, real(v), imag(w), v == w, v != v, complex(real(v), imag(w)))
	} }
	return
}
c(0)`, "c(2)")
}
