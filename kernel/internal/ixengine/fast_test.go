package ixengine

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/regcode"
)

// sameFast checks that cells give the same results with the interpreter alone, with register code alone, and
// with native code for all loops and calls that can have it.
func sameFast(t *testing.T, cells ...string) {
	t.Helper()
	defer func() { fast = true }()
	fast = false
	alone := outcome(t, cells)
	fast = true
	if got := outcome(t, cells); got != alone {
		t.Errorf("%s\ngives %s\nthe interpreter alone %s", strings.Join(cells, "\n---\n"), got, alone)
	}
	defer func(hot int) { regcode.Hot = hot }(regcode.Hot)
	regcode.Hot = 0
	if got := outcome(t, cells); got != alone {
		t.Errorf("%s\nnatively gives %s\nthe interpreter alone %s", strings.Join(cells, "\n---\n"), got, alone)
	}
}

func TestFastMaps(t *testing.T) {
	sameFast(t, `type key struct{ a int; b string }
func f() (out []any) {
	m := map[string]int{}
	for i, w := range []string{"a", "b", "a", "c", "b", "a"} { m[w] += i; if v, ok := m["c"]; ok { out = append(out, v, len(m)) } }
	delete(m, "b")
	k := map[key]float64{}
	k[key{1, "x"}] = 2.5
	k[key{1, "x"}]++
	out = append(out, m["a"], m["b"], k[key{1, "x"}], k[key{2, "x"}], len(m), len(k))
	e := map[error][]int{}
	e[error(nil)] = nil
	out = append(out, len(e))
	u := map[uint8]int32{}
	for i := range 1000 { u[uint8(i)]-- }
	s := int32(0)
	for k, v := range u { s += int32(k) * v }
	for k := range u { if k > 3 { delete(u, k) } }
	out = append(out, s, len(u))
	for i, r := range "aé\xff世" { out = append(out, i, r) }
	for i := range "éa" { out = append(out, i) }
	var none map[int]string
	for range none { out = append(out, "never") }
	out = append(out, none[3])
	return
}
f()`, "f()")
	sameFast(t, "func g(m map[string]int) { m[\"a\"] = 1 }\ng(nil)")
	sameFast(t, "type bad struct{ f any }\nfunc g(m map[bad]int) int { return m[bad{func() {}}] }\ng(map[bad]int{})")
}

func TestFastMapUpdates(t *testing.T) {
	sameFast(t, `import "math"
func f() (out []any) {
	counts, sums, bits, nans := map[string]int{}, map[int]float64{}, map[uint8]uint16{}, map[float64]int{}
	for i, w := range []string{"a", "b", "a", "", "c", "a"} {
		counts[w]++
		counts["n"] -= i
		sums[i%2] += float64(i) / 3
		sums[-1] = 1 - sums[-1]
		sums[9] /= float64(i)
		bits[uint8(i*100)] |= 1 << i
		bits[3] += 40000
		bits[3] <<= 1
		nans[math.NaN()]++
		old := counts[w]
		counts[w] = old * 2
		counts[w] = counts["a"] + 1
		counts[w] %= 7
	}
	return append(out, counts, sums[0], sums[1], sums[-1], bits, len(nans))
}
f()`, "f()")
	sameFast(t, "func g(m map[string]int) int {\n\tfor i := 0; ; i++ {\n\t\tm[\"a\"]++\n\t}\n}\ng(nil)")
	sameFast(t, "m := map[int]int{}\nfunc g(n int) {\n\tm[n] /= n\n}\ng(2)\ng(0)", "m")
	// The same while other goroutines run.
	sameFast(t, "m := map[int]int{}\ndone, stop := make(chan bool), make(chan bool)\ngo func() { <-stop; close(done) }()\nfunc f() { for i := range 100 { m[i%7]++ } }\nf()\nclose(stop)\n<-done\nf()\nm")
}

func TestFastConstantText(t *testing.T) {
	sameFast(t, "func f(n int) (out []any) { for i := range n { s := \"\"; for j := range 9 { s += \"abcdefgh\"[(i+j)%8 : (i+j)%8+1] }; out = append(out, s, \"xyz\"[i%3], \"abc\"[i%4:], len(\"ab\"[:i%3])) }; return }\nf(8)", "f(1)")
	sameFast(t, "func f(n int) string { return \"abc\"[n:] }\nf(4)")
}

func TestFastConstantTextElement(t *testing.T) {
	sameFast(t, "func f(n int) byte {\n\treturn \"abc\"[n]\n}\nf(1)", "f(3)")
}

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

func TestFastAppend(t *testing.T) {
	sameFast(t, `import ("errors"; "fmt")
type point struct { x, y int16; name string; err error }
type node struct{ next *node }
func f() (out []any) {
	var ints []int
	var bytes []byte
	var texts []string
	var points []point
	var errs []error
	var anys []any
	var nodes []*node
	var singles []float32
	var funcs []func() int
	var empty []struct{}
	var flags []bool
	caps := 0
	for i := range 70 {
		ints = append(ints, i, -i, i*i)
		bytes = append(append(bytes, byte(i)), "xy"...)
		texts = append(texts, fmt.Sprint(i))
		points = append(points, point{int16(i), -1, "p", nil}, point{err: errors.New("e")})
		errs = append(errs, nil, points[i].err, points[len(points)-1].err)
		anys = append(anys, i, nil, errs[i], texts[0])
		nodes = append(nodes, &node{})
		nodes[i].next = nodes[i/2]
		singles = append(singles, float32(i)/3)
		funcs = append(funcs, func() int { return i })
		empty = append(empty, struct{}{})
		flags = append(flags, i > 3 && i%2 == 0)
		caps += cap(ints) + cap(bytes) + cap(texts) + cap(points) + cap(errs)
	}
	ints = append(ints, ints[0], ints[len(ints)-1])
	ints = append(ints[:5], ints[3:]...)
	a := append([]int(nil), 1)
	b := append(a[:0:0], a...)
	b[0] = 2
	shared := make([]int, 1, 4)
	c, d := append(shared, 5), append(shared, 6)
	e := append(a, 7)
	texts = append(texts, texts...)
	n := copy(texts[1:], texts)
	n += copy(bytes, "hello")
	n += copy(errs[2:], errs)
	for i, p := range nodes { if p.next != nodes[i/2] { out = append(out, "lost", i) } }
	return append(out, ints, string(bytes), texts, len(points), points[5].name, fmt.Sprint(points[7].err), fmt.Sprint(errs), anys[3], singles, funcs[5](), len(empty), flags, caps, a, b, c, d, e, n)
}
f()`, "f()")
	// Large slices grow at a site, where the memory is checked.
	sameFast(t, "func f() (int, float64) { xs := make([]float64, 9<<20); xs = append(xs, 1, 2); return len(xs), xs[9<<20+1] }\nn, x := f()\n[]any{n, x}")
}

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

// TestFastLocals checks cells with structs that are kept in registers.
func TestFastLocals(t *testing.T) {
	sameFast(t, `type in struct{ a int; b string; e error }
type out struct{ x float64; in in; y []int; z any }
func (o out) sum(k int) (s int) { for i := range k { o.in.a += i; o.y = o.y[1:]; s += o.in.a + len(o.y) + len(o.in.b) }; return }
func make1(k int) (r out) { var o out; o.in = in{a: k, b: "b"}; o.y = make([]int, 9); p := o; p.in.a++; o.z = p.in; return o }
func swap(n int) (all []any) { var x, y struct{ a, b int }; for i := range n { var z struct{ p *int; f float32 }; if i%2 == 0 { k := i; z.p = &k; z.f = 1.5 }; all = append(all, z.p == nil, z.f); x.a, y.b = y.b+i, x.a; x, y = y, x; x.b++ }; return append(all, x, y) }
o := make1(3)
[]any{o.sum(4), o.sum(2), o.in.a, o.z, swap(5), make1(1).sum(3)}`,
		"func pair(i int) (int, struct{ a, b any }) { return i, struct{ a, b any }{i, nil} }\nfunc g(n int) (r []any) { for i := range n { _, p := pair(i); p.b = p.a; p.a = nil; q := &p; r = append(r, p, *q) }; return }\ng(3)",
		"type big [20]int\ntype has struct{ b big; k int }\nfunc h() int { var x has; x.k = 3; x.b[2] = 4; y := x; y.b[2]++; return x.b[2] + y.b[2] + y.k }\nh()",
		"func d() (s struct{ a int }) { defer func() { recover(); s.a++ }(); s.a = 5; var p *int; s.a = *p; return }\nd()")
}

// TestFirstStoresFunction: the first instruction of a function may store another function. This instruction
// must run exactly once per call, however often the function is called before it gets register code.
func TestFirstStoresFunction(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "func one() int { return 1 }\nfunc two() int { return 2 }\ntype box struct{ f func() int }\nn := 0\nvar keep any\nm := map[string]func() int{}")
	for _, c := range []struct{ cell, value, want string }{
		{"f := func() int { return 1 }\nf = func() int { return 2 }", "f()", "2"},
		{"g := one\nn++\ng = two", "fmt.Sprint(g(), n)", "2 1"},
		{"h := func() int { return 1 }\nh = nil", "h == nil", "true"},
		{"i := one\nfunc() { i = two }()", "i()", "2"},
		{"b := &box{one}\nb.f = two", "b.f()", "2"},
		{"keep = one\nn++\nkeep = two", "fmt.Sprint(keep.(func() int)(), n)", "2 2"},
		{"m[\"a\"] = one\nm[\"a\"] = two\nm[\"b\"] = one\ndelete(m, \"b\")", "fmt.Sprint(m[\"a\"](), len(m))", "2 1"},
	} {
		run(t, s, c.cell)
		if got := fmt.Sprint(run(t, s, "import \"fmt\"\n"+c.value)[0].Value); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.cell, c.value, got, c.want)
		}
	}
	// Functions are called repeatedly, from the first call until they have code.
	run(t, s, "func set() { i = one; n++; i = two }\nn = 0")
	for k := range 6 {
		run(t, s, "set()")
		if got := fmt.Sprint(run(t, s, "fmt.Sprint(i(), n)")[0].Value); got != fmt.Sprint(2, " ", k+1) {
			t.Errorf("after %d calls: %s", k+1, got)
		}
	}
}

// cuts slices, appends and copies in loops. Its text is a cell of TestSlicing, which must give what it returns.
func cuts() (out []int, faults int) {
	s, text := make([]int, 3, 5), "αβ√x"
	for l := -1; l <= 6; l++ {
		for h := -1; h <= 6; h++ {
			for m := -1; m <= 6; m++ {
				if 0 <= l && l <= h && h <= m && m <= cap(s) {
					t, u := s[l:h:m], s[l:h]
					t = append(t, l)
					out = append(out, len(t), cap(u), len(u[:m-l]), s[:cap(s)][min(h, 4)])
				}
			}
			if 0 <= l && l <= h && h <= len(text) {
				out = append(out, len(text[l:h]), len(text[l:]), len(text[:h]))
				for _, b := range []byte(text[l:h]) {
					out = append(out, int(b))
				}
			}
			func() {
				defer func() {
					if recover() != nil {
						faults++
					}
				}()
				out = append(out, len(s[l:h:5]), len(text[l:h]))
			}()
		}
	}
	queue, stack, bytes := []int8{1}, []float32{}, []byte{}
	for i := 0; len(queue) > 0; i++ {
		x := queue[0]
		queue = queue[1:]
		if i < 300 {
			queue = append(queue, x+1, x*2)
		}
		stack = append(stack, float32(x)/4)
		bytes = append(append(bytes, byte(x)), byte(i))
		if len(bytes) > 40 {
			n := copy(bytes, bytes[10:])
			n += copy(bytes[5:20], bytes)
			bytes = bytes[:n-5]
		}
		for len(stack) > 8 {
			out = append(out, int(stack[len(stack)-1]), len(bytes), int(bytes[len(bytes)/2]))
			stack = stack[:len(stack)-3]
		}
	}
	return out, faults
}

// arrays uses small arrays and structs: with constant and other indices, by value, compared, and as keys.
func arrays() (out []any) {
	type point struct{ x, y int }
	type mixed struct {
		f    float64
		_    int
		p    *int
		u    uint8
		pair [2]float32
		ch   chan int
		c    complex64
		e    struct{}
		_    string
	}
	type named struct {
		s string
		v any
	}
	nan, n, ch := math.NaN(), 7, make(chan int)
	mixes := []mixed{{f: 1}, {f: nan}, {f: math.Copysign(0, -1)}, {}, {p: &n}, {p: new(int)}, {u: 255}, {pair: [2]float32{1, 2}}, {ch: ch}, {c: 1i}, {pair: [2]float32{1, float32(nan)}}, {e: struct{}{}}}
	points, names := map[point]int{}, []named{{"a", 1}, {"a", 1.0}, {"b", [2]int{1, 2}}, {"b", [2]int{1, 2}}}
	for round := range 60 {
		dirs := [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
		at, sum := point{round, -round}, 0
		for i, d := range dirs {
			next := point{at.x + d[0], at.y + d[1]}
			points[next]++
			if next == (point{0, 0}) || next != at && i == 3 {
				sum += points[next]
			}
			d[0], d[1] = d[1], d[0]*2
			sum += d[0]<<4 + d[1]
			dirs[i] = d
		}
		a := [6]int8{1, 2, 3, 4, 5, 6}
		b := a
		b[round%6] += int8(round)
		last := a
		a[5] = b[round%6]
		var zero [6]int8
		zero[round%5]++
		out = append(out, sum, a == b, b != last, a[round%6], zero, dirs[round%4], len(points))
		var grid, other [9][9]int16
		grid[round%9][3] = int16(round)
		for i, row := range grid {
			row[0]++
			other[i] = row
		}
		whole := grid
		whole[8][8] = 1
		out = append(out, whole == grid, other[round%9], grid[round%9])
		same := 0
		for _, x := range mixes {
			for _, y := range mixes {
				if x == y {
					same++
				}
				if x.pair != y.pair || x.c == y.c {
					same += 100
				}
			}
		}
		for i := range names {
			if names[i] == names[(i+1)%len(names)] {
				same += 10_000
			}
		}
		f := [3]float64{nan, 0, float64(round)}
		g := f
		var none, empty [0]int
		if f == g || none != empty {
			same++
		}
		swap := [3]*point{&at, nil, {1, 2}}
		swap[0], swap[1] = swap[1], swap[0]
		copied := swap
		copied[2] = &at
		if copied != swap && swap[1] == &at {
			same += swap[2].y + copied[1].x
		}
		out = append(out, same)
		func() {
			defer func() { out = append(out, fmt.Sprint(recover())) }()
			var nothing *[6]int8
			if round%7 == 0 {
				b = *nothing
			}
			i := round % 8
			b[i]++
			out = append(out, b[i])
		}()
	}
	return out
}

// TestSlicing and TestArrays: loops with slices and arrays give what compiled Go gives, at all levels.
func TestSlicing(t *testing.T) {
	out, faults := cuts()
	asCell(t, "cuts", fmt.Sprint(out, faults))
}

func TestArrays(t *testing.T) { asCell(t, "arrays", fmt.Sprint(arrays())) }

// asCell runs the function of this file with the given name in a cell. Its results must print as want.
func asCell(t *testing.T, name, want string) {
	t.Helper()
	text := testfile.Read(t, "fast_test.go")
	_, text, _ = bytes.Cut(text, []byte("\nfunc "+name+"() "))
	text, _, _ = bytes.Cut(text, []byte("\n}\n"))
	cell := "import (\"fmt\"; \"math\")\nfunc " + name + "() " + string(text) + "\n}\nfmt.Sprint(" + name + "())"
	for _, l := range append(Levels[:len(Levels):len(Levels)], warm) {
		undo := l.Force()
		s := fresh(t, Options{})
		for range 3 {
			if got := run(t, s, cell)[0].Value; got != want {
				t.Errorf("%s: %s", l.Name, firstDifference(want, got.(string)))
			}
		}
		undo()
	}
}
