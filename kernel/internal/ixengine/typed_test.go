package ixengine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// BenchmarkLoops measures CPU time of loops: ns per iteration or call. If OVERCOMPLETE_UNTYPED is set, it
// runs the interpreter alone.
func BenchmarkLoops(b *testing.B) {
	fast = os.Getenv("OVERCOMPLETE_UNTYPED") == ""
	defer func() { fast = true }()
	for _, l := range []struct {
		name, before, cell string
		n                  int
	}{
		{"simple", "", "s := 0\nfor i := 0; i < 1e6; i++ { s += i }", 1e6},
		{"simpleInFunc", "func f() int { s := 0; for i := 0; i < 1e6; i++ { s += i }; return s }", "f()", 1e6},
		{"float", "", "s := 0.0\nfor i := 0; i < 1000000; i++ { s += float64(i) * 0.5 }", 1e6},
		{"nestedSlice", "a := make([]float64, 1000)", "t := 0.0\nfor j := 0; j < 1000; j++ { for i := 0; i < len(a); i++ { a[i] += float64(i*j); t += a[i] } }", 1e6},
		{"append", "", "var xs []int\nfor i := 0; i < 100000; i++ { xs = append(xs, i) }", 1e5},
		{"fields", "type P struct{ x, y float64 }\nps := make([]P, 1000)", "for j := 0; j < 100; j++ { for i := range ps { ps[i].x += 1; ps[i].y += ps[i].x } }", 1e5},
		{"bytes", "s := \"\"\nfor i := 0; i < 1000; i++ { s += \"ab\" }", "n := 0\nfor j := 0; j < 50; j++ { for i := 0; i < len(s); i++ { if s[i] == 'a' { n++ } } }", 1e5},
		{"call", "func g(x int) int { return x + 1 }", "s := 0\nfor i := 0; i < 100000; i++ { s = g(s) }", 1e5},
		{"fib20", "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(20)", 21891},
		{"string", "", "t := \"\"\nfor i := 0; i < 3000; i++ { t += \"x\" }", 3000},
	} {
		b.Run(l.name, func(b *testing.B) {
			s, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			do := func(src string) {
				if _, err := s.Run(context.Background(), engine.Cell{Name: "bench", Source: src}); err != nil {
					b.Fatal(err)
				}
			}
			if l.before != "" {
				do(l.before)
			}
			from := processorTime()
			for b.Loop() {
				do(l.cell)
			}
			b.ReportMetric(float64(processorTime()-from)/float64(b.N)/float64(l.n), "cpu-ns/iter")
		})
	}
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// integerOps returns the results of integerCell.
func integerOps[T integer](xs, ys []T, ns []uint8) (out []T, is []bool, floats []float64, singles []float32) {
	for i := range xs {
		x, y, n := xs[i], ys[i], ns[i]
		d := y
		if d == 0 {
			d = 1
		}
		out = append(out, x+y, x-y, x*y, x/d, x%d, x&y, x|y, x^y, x&^y, x<<n, x>>n, -x, ^x, x+3, 7-x,
			T(int8(x)), T(uint8(x)), T(int16(x)), T(uint16(x)), T(int32(x)), T(uint32(x)), T(int64(x)), T(uint64(x)))
		is = append(is, x == y, x != y, x < y, x <= y, x > y, x >= y)
		floats = append(floats, float64(x), float64(y))
		singles = append(singles, float32(x), float32(y))
	}
	return
}

const integerCell = `
out := make([]T, 23*len(xs))
is := make([]bool, 6*len(xs))
floats := make([]float64, 2*len(xs))
singles := make([]float32, 2*len(xs))
func all() {
	for i := 0; i < len(xs); i++ {
		x, y, n := xs[i], ys[i], ns[i]
		d := y
		if d == 0 {
			d = 1
		}
		k := 23*i
		out[k], out[k+1], out[k+2], out[k+3], out[k+4] = x+y, x-y, x*y, x/d, x%d
		out[k+5], out[k+6], out[k+7], out[k+8] = x&y, x|y, x^y, x&^y
		out[k+9], out[k+10], out[k+11], out[k+12], out[k+13], out[k+14] = x<<n, x>>n, -x, ^x, x+3, 7-x
		out[k+15], out[k+16], out[k+17], out[k+18] = T(int8(x)), T(uint8(x)), T(int16(x)), T(uint16(x))
		out[k+19], out[k+20], out[k+21], out[k+22] = T(int32(x)), T(uint32(x)), T(int64(x)), T(uint64(x))
		is[6*i], is[6*i+1], is[6*i+2] = x == y, x != y, x < y
		is[6*i+3], is[6*i+4] = x <= y, x > y
		if x >= y { is[6*i+5] = true }
		floats[2*i], floats[2*i+1] = float64(x), float64(y)
		singles[2*i], singles[2*i+1] = float32(x), float32(y)
	}
}
all()
`

func testIntegers[T integer](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 2, math.MinInt8, math.MaxInt8, math.MinInt16, math.MinInt32, math.MaxInt32, math.MinInt64, math.MaxInt64}
	var xs, ys []T
	var ns []uint8
	for _, x := range edges {
		for _, y := range edges {
			xs, ys, ns = append(xs, T(x)), append(ys, T(y)), append(ns, uint8(rng.IntN(70)))
		}
	}
	for range 200 {
		xs, ys, ns = append(xs, T(rng.Uint64())), append(ys, T(rng.Uint64()>>rng.IntN(64))), append(ns, uint8(rng.IntN(70)))
	}
	name := reflect.TypeFor[T]().String()
	s := fresh(t, Options{})
	run(t, s, fmt.Sprintf("xs := %#v\nys := %#v\nns := %#v", xs, ys, ns))
	run(t, s, strings.ReplaceAll(strings.ReplaceAll(integerCell, "T(", name+"("), "[]T", "[]"+name))
	out, is, floats, singles := integerOps(xs, ys, ns)
	for _, c := range []struct {
		name string
		want any
	}{{"out", out}, {"is", is}, {"floats", floats}, {"singles", singles}} {
		if got := run(t, s, c.name)[0].Value; !reflect.DeepEqual(got, c.want) {
			g, w := reflect.ValueOf(got), reflect.ValueOf(c.want)
			for i := range w.Len() {
				if g.Index(i).Interface() != w.Index(i).Interface() {
					n := w.Len() / len(xs)
					t.Fatalf("%s: %s %d of x=%v y=%v n=%v: %v, want %v", name, c.name, i%n, xs[i/n], ys[i/n], ns[i/n], g.Index(i), w.Index(i))
				}
			}
			t.Fatalf("%s: %T, want %T", c.name, got, c.want)
		}
	}
}

// floatOps returns the results of floatCell.
func floatOps[T float32 | float64](xs, ys []T) (out []T, is []bool, ints []int64) {
	for i := range xs {
		x, y := xs[i], ys[i]
		out = append(out, x+y, x-y, x*y, x/y, -x, T(float32(x)), T(float64(y)))
		is = append(is, x == y, x != y, x < y, x <= y, x > y, x >= y)
		z := x
		if !(z > -100 && z < 100) {
			z = 5.75
		}
		w := z
		if w < 0 {
			w = -w
		}
		ints = append(ints, int64(int8(z)), int64(int16(z)), int64(int32(z)), int64(z), int64(int(z)), int64(uint8(w)), int64(uint16(w)), int64(uint32(w)), int64(uint64(w)))
	}
	return
}

const floatCell = `
out := make([]T, 7*len(xs))
is := make([]bool, 6*len(xs))
ints := make([]int64, 9*len(xs))
func all() {
	for i := 0; i < len(xs); i++ {
		x, y := xs[i], ys[i]
		o := 7*i
		out[o], out[o+1], out[o+2], out[o+3], out[o+4], out[o+5], out[o+6] = x+y, x-y, x*y, x/y, -x, T(float32(x)), T(float64(y))
		if x == y { is[6*i] = true }
		if x != y { is[6*i+1] = true }
		if x < y { is[6*i+2] = true }
		is[6*i+3], is[6*i+4] = x <= y, x > y
		if x >= y { is[6*i+5] = true }
		z := x
		if !(z > -100 && z < 100) { z = 5.75 }
		w := z
		if w < 0 { w = -w }
		k := 9*i
		ints[k], ints[k+1], ints[k+2], ints[k+3], ints[k+4] = int64(int8(z)), int64(int16(z)), int64(int32(z)), int64(z), int64(int(z))
		ints[k+5], ints[k+6], ints[k+7], ints[k+8] = int64(uint8(w)), int64(uint16(w)), int64(uint32(w)), int64(uint64(w))
	}
}
all()
`

func testFloats[T float32 | float64](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	edges := []T{0, T(math.Copysign(0, -1)), 1, -1.5, T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN()), 1e-40, 3e38}
	var xs, ys []T
	for _, x := range edges {
		for _, y := range edges {
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	for range 200 {
		xs, ys = append(xs, T(rng.NormFloat64()*50)), append(ys, T(rng.NormFloat64()))
	}
	name := reflect.TypeFor[T]().String()
	s := fresh(t, Options{})
	lit := func(x T) string {
		switch f := float64(x); {
		case f != f:
			return "zero/zero"
		case math.IsInf(f, 0):
			return fmt.Sprintf("%v/zero", math.Copysign(1, f))
		case f == 0 && math.Signbit(f):
			return "-zero"
		}
		return fmt.Sprintf("T(%v)", x)
	}
	src := "zero := T(0)\nxs, ys := []T{}, []T{}\n"
	for i := range xs {
		src += fmt.Sprintf("xs, ys = append(xs, %s), append(ys, %s)\n", lit(xs[i]), lit(ys[i]))
	}
	named := func(src string) string {
		return strings.ReplaceAll(strings.ReplaceAll(src, "T(", name+"("), "[]T", "[]"+name)
	}
	run(t, s, named(src))
	run(t, s, named(floatCell))
	out, is, ints := floatOps(xs, ys)
	for _, c := range []struct {
		name string
		want any
	}{{"xs", xs}, {"ys", ys}, {"out", out}, {"is", is}, {"ints", ints}} {
		g, w := reflect.ValueOf(run(t, s, c.name)[0].Value), reflect.ValueOf(c.want)
		for i := range w.Len() {
			n := w.Len() / len(xs)
			g, w := fmt.Sprint(g.Index(i)), fmt.Sprint(w.Index(i)) // all NaNs count as equal
			if g != w {
				t.Fatalf("%s: %s %d of x=%v y=%v: %s, want %s", name, c.name, i%n, xs[i/n], ys[i/n], g, w)
			}
		}
	}
}

// TestTypedOperations compares register code with compiled Go.
func TestTypedOperations(t *testing.T) {
	t.Run("int", testIntegers[int])
	t.Run("int8", testIntegers[int8])
	t.Run("int16", testIntegers[int16])
	t.Run("int32", testIntegers[int32])
	t.Run("int64", testIntegers[int64])
	t.Run("uint", testIntegers[uint])
	t.Run("uint8", testIntegers[uint8])
	t.Run("uint16", testIntegers[uint16])
	t.Run("uint32", testIntegers[uint32])
	t.Run("uint64", testIntegers[uint64])
	t.Run("uintptr", testIntegers[uintptr])
	t.Run("float32", testFloats[float32])
	t.Run("float64", testFloats[float64])
}

// TestTypedPrograms compares register code with the interpreter alone: the results of programs, or the error
// and its line.
func TestTypedPrograms(t *testing.T) {
	defer func() { fast = true }()
	for _, c := range []struct{ src, want string }{
		{"a, b := 0, 1\nfor i := 0; i < 30; i++ { a, b = b, a+b }\n[]int{a, b}", "[832040 1346269]"},
		{"func f() (s int) { x, y := 1, 2; for i := 0; i < 10; i++ { if i%3 == 0 { continue }; if i == 8 { break }; s += x*i - y; x += 2 }; return }\nf()", ""},
		{"n := 5\nfunc f() int { return 100 / n }\nt := 0\nfor n = 5; ; n-- {\n\tt += 100 %\n\t\tn\n}", ""},
		{"xs := []int{1, 2, 3}\ns := 0\nfor i := 0; i < 10; i++ {\n\ts += i\n\ts += xs[i]\n}", ""},
		{"xs := []int{1, 2, 3}\nfor i := 2; i < 10; i-- {\n\txs[i] = i\n}", ""},
		{"func f(xs []float64) float64 {\n\ts := 0.0\n\tfor i := 0; i <= len(xs); i++ {\n\t\ts += xs[i]\n\t}\n\treturn s\n}\nf([]float64{1, 2})", ""},
		{"func f(xs []int) { for i := range 3 {\n\txs[i]++ } }\nf(nil)", ""},
		{"var p *int\nfor i := 0; i < 3; i++ {\n\t*p += i\n}", ""},
		{"var p *[]int\nfor i := 0; i < 3; i++ {\n\t(*p)[i] += i\n}", ""},
		{"func sh(n int) int { s := 1; for ; n > -3; n-- {\n\ts += 1 << n }; return s }\nsh(4)", ""},
		{"func f() (r int, err error) {\n\tdefer func() { if e := recover(); e != nil { r = -r } }()\n\tfor i := 3; ; i-- { r += 12 / i }\n}\nr, _ := f()\nr", "-22"},
		{"fs := []func() int{}\nfor i := 0; i < 3; i++ { j := i * i; fs = append(fs, func() int { j += i; return j }) }\n[]int{fs[0](), fs[1](), fs[2](), fs[2]()}", "[0 2 6 8]"},
		{"c := make(chan int)\nfor g := range 4 { go func() { s := 0; for i := 0; i < 1000; i++ { s += i * g }; c <- s }() }\n<-c + <-c + <-c + <-c", "2997000"},
		{"func f() []string { a, b, c := \"a\", \"b\", \"c\"; for i := 0; i < 4; i++ { a, b, c = b, c, a }; return []string{a, b, c} }\nf()", "[b c a]"},
		{"func f() []int { a, b, c := 1, 2, 3; for i := 0; i < 4; i++ { a, b, c = b, c, a }; return []int{a, b, c} }\nf()", "[2 3 1]"},
		{"type T int\nvar t T\nfor i := T(0); i < 100; i++ { t += i*i }\nt", ""},
		{"func gen[N int | float64](n N) N { var s N; for i := N(0); i < n; i++ { s += i * i / 2 }; return s }\n[]any{gen(9), gen(9.5)}", ""},
		{"m := map[int]int{}\nfor i := 0; i < 50; i++ { m[i%7] += i }\nm", ""},
		{"s := 0\nfor i, r := range \"a\u00e9z\" { s = s*31 + i*int(r) }\ns", ""},
		{"s := 0\nfor i := range 10 { for j := range 10 { switch { case i == j: continue; case i*j%5 == 3: s += 100 }; s ^= i << j } }\ns", ""},
		{"i, s := 0, uint8(250)\nloop: s += 7\ni++\nif i < 100 { goto loop }\ns", ""},
		{"func f(n int) (a int, b float64, ok bool) { for a = 0; a < n; a++ { b += float64(a) / 3; ok = b > 2 }; return }\na, b, ok := f(7)\n[]any{a, b, ok}", ""},
		{"xs := []int{5, 3, 9, 1, 7}\nfor i := range xs { for j := i; j > 0 && xs[j-1] > xs[j]; j-- { xs[j-1], xs[j] = xs[j], xs[j-1] } }\nxs", "[1 3 5 7 9]"},
		{"grid := [][]float64{{1, 2}, {3, 4}}\nt := 0.0\nfor i := range grid { for j := range grid[i] { grid[i][j] *= 2; t += grid[i][j] } }\nt", "20"},
		{"s := 0\nxs := []int{}\nfor i := 0; i < 20; i++ { xs = append(xs, i); s += xs[len(xs)-1] + len(xs) }\ns", "400"},
		{"var a [5]int\nfor i := range a { a[i] = i * i }\na", "[0 1 4 9 16]"},
		{"type P struct{ X, Y float64; n uint16 }\np := P{}\nfor i := 0; i < 9; i++ { p.X += 0.5; p.Y -= p.X; p.n -= 9000 }\np", ""},
		{"var x any\nfor i := 0; i < 3; i++ { x = i * 2 }\nx", "4"},
	} {
		var results [2]string
		for i, with := range []bool{false, true} {
			fast = with
			s := fresh(t, Options{})
			shows, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: c.src})
			switch e := err.(type) {
			case nil:
				if len(shows) > 0 {
					results[i] = fmt.Sprint(shows[0].Value)
				}
			case *engine.Error:
				results[i] = strings.Join(e.Traceback(), "\n")
			default:
				results[i] = e.Error()
			}
		}
		if results[0] != results[1] || c.want != "" && c.want != results[1] {
			t.Errorf("%s\ngives %s\nthe interpreter alone %s\nwant %s", c.src, results[1], results[0], c.want)
		}
	}
}

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
