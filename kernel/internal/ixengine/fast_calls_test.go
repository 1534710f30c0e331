package ixengine

import (
	"context"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestFastDynamicCalls makes calls of func values and of methods, and calls of func values by compiled code,
// in register code and in the interpreter alone.
func TestFastDynamicCalls(t *testing.T) {
	deep := "f(25000)" // deeper than one machine allows
	if breathing {
		deep = "f(9000)" // within the interpreter's limit
	}
	for name, cells := range map[string][]string{
		"closures": {"func f(g func(int) int, n int) int { s := 0; for i := 0; i < n; i++ { s += g(i) }; return s }\nk := 3\nf(func(i int) int { return i * k }, 10)",
			"f(func(i int) int { k++; return k }, 5)", "k"},
		"variables of iterations": {"var fs []func() int\nfor i := 0; i < 5; i++ { fs = append(fs, func() int { i += 10; return i }) }\nfor i := range 3 { fs = append(fs, func() int { return i }) }\nvar out []int\nfor range 2 { for _, f := range fs { out = append(out, f()) } }\nout"},
		"no wrapper": {"f := func(a int, b string, c [2]float64, d struct{ x, y int }) (int, string, [2]float64) { c[0] += float64(d.y); return a + d.x, b + \"!\", c }\nfunc g(n int) (out []any) { for i := range n { a, b, c := f(i, \"b\", [2]float64{1, 2}, struct{ x, y int }{3, 4}); out = append(out, a, b, c) }; return }\ng(4)", "g(2)",
			"import \"reflect\"\nreflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf(\"s\"), reflect.ValueOf([2]float64{5, 6}), reflect.ValueOf(struct{ x, y int }{7, 8})})[2].Interface()"},
		"results":   {"import \"errors\"\nf := func(i int) (int, error) { if i%2 == 0 { return i, nil }; return -1, errors.New(\"odd\") }\nvar out []any\nfunc() { for i := range 4 { x, err := f(i); out = append(out, x, err) } }()\nout"},
		"recursion": {"var fib func(int) int\nfib = func(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfib(15)", "fib(10)", "type node struct{ l, r *node; v int }\ntype walker interface{ walk(int) int }\nfunc (n *node) walk(d int) int { if n == nil { return d }; var a, b walker = n.l, n.r; return n.v + a.walk(d+1) + b.walk(d+1) }\nx := &node{&node{nil, nil, 1}, &node{nil, &node{nil, nil, 2}, 3}, 4}\nx.walk(0)"},
		"deep":      {"var f func(int) int\nf = func(n int) int { if n == 0 { return 0 }; return 1 + f(n-1) }\n" + deep},
		"methods": {"type T struct{ a, b int }\nfunc (t T) Sum(k int) int { return t.a + t.b + k }\nfunc (t *T) Inc() { t.a++ }\ntype I interface{ Sum(int) int }\nfunc all(is []I) (s int) { for _, i := range is { s += i.Sum(1) }; return }\nx := &T{1, 2}\nall([]I{T{3, 4}, x, T{5, 6}})",
			"x.Inc()\nall([]I{x, *x})", "type U struct{ T; c float64 }\ntype V struct{ *T }\ntype W struct{ I }\nall([]I{U{T{7, 8}, 1}, &U{}, x, V{x}, &V{x}, W{x}, &W{U{}}})"},
		"receivers": {"type M interface{ m() any }\ntype i8 int8\ntype s string\ntype fn func() int\ntype mp map[string]int\ntype e struct{}\ntype one struct{ p *int }\ntype big struct{ a, b, c string; d [3]float64; e error; f any }\ntype c complex128\ntype sl []int\nfunc (x i8) m() any { return x - 1 }\nfunc (x s) m() any { return x + \"s\" }\nfunc (x fn) m() any { return x() }\nfunc (x mp) m() any { return x[\"a\"] }\nfunc (x e) m() any { return x }\nfunc (x one) m() any { return *x.p }\nfunc (x big) m() any { return x }\nfunc (x c) m() any { return x * 2 }\nfunc (x sl) m() any { return x[1:] }\nk := 5\nfunc all(ms ...M) (out []any) { for range 2 { for _, x := range ms { out = append(out, x.m()) } }; return }\nimport \"io\"\nall(i8(-128), s(\"a\"), fn(func() int { return k }), mp{\"a\": 3}, e{}, one{&k}, big{a: \"a\", e: io.EOF, f: 2}, c(1i), sl{1, 2, 3})",
			"all(i8(1), s(\"b\"), e{}, big{b: \"b\", e: io.EOF})"},
		"method values": {"type T struct{ a, b int }\nfunc (t T) Get(k int) int { return t.a*10 + t.b + k }\nfunc (t *T) Add(k int) int { t.a += k; return t.a }\nx := T{1, 2}\nget, add := x.Get, x.Add\nvar out []any\nfunc() { for i := range 4 { out = append(out, get(i), add(i), T.Get(x, i), (*T).Add(&x, 1), (*T).Get(&x, i)) } }()\nout",
			"[]int{get(0), add(1), x.a}", "type G interface{ Get(int) int }\nvar g G = x\nh := g.Get\nx.a = 100\n[]int{h(1), g.Get(2), G.Get(g, 3)}", "var none G\nnone.Get"},
		"generic": {"type number interface{ ~int | ~float64 }\ntype stack[E number] struct{ xs []E }\nfunc (s *stack[E]) push(x E) { s.xs = append(s.xs, x) }\nfunc (s *stack[E]) sum() (t E) { for _, x := range s.xs { t += x }; return }\ntype summer[E number] interface{ push(E); sum() E }\nfunc fill[E number](s summer[E], n int) E { for i := range n { s.push(E(i)) }; return s.sum() }\n[]any{fill(&stack[int]{}, 5), fill(&stack[float64]{}, 5)}",
			"fill[int](&stack[int]{}, 7)", "func apply[E, F any](xs []E, f func(E) F) (ys []F) { for _, x := range xs { ys = append(ys, f(x)) }; return }\n[]any{apply([]int{1, 2}, func(x int) string { return string(rune('a' + x)) }), apply([]string{\"a\"}, func(s string) error { return nil })}"},
		"sort": {"import (\"sort\"; \"slices\")\nxs := []int{5, 2, 9, 1, 7, 7, 3}\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })\nxs",
			"slices.SortFunc(xs, func(a, b int) int { return b - a })\nxs", "type by []int\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i]%3 < b[j]%3 }\nfunc (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }\nsort.Stable(by(xs))\nxs"},
		"compiled callers": {"import (\"strings\"; \"slices\"; \"sync\"; \"gonum.org/v1/gonum/mat\"; \"gonum.org/v1/gonum/optimize\")\nk := 0\na := strings.Map(func(r rune) rune { k++; if r == 'b' { return -1 }; return r + 1 }, \"abcb\")\ni := slices.IndexFunc([]float64{1, 2, 3}, func(x float64) bool { return x > 1.5 })\nvar o sync.Once\no.Do(func() { k += 100 })\nm := mat.NewDense(2, 2, []float64{1, 2, 3, 4})\nm.Apply(func(i, j int, v float64) float64 { return v * float64(i+j) }, m)\nr, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return (x[0]-3)*(x[0]-3) }}, []float64{0}, nil, nil)\n[]any{a, i, k, m.RawMatrix().Data, r.X[0] > 2.99, err}"},
		"iterators": {"import (\"iter\"; \"slices\"; \"maps\")\nfunc upTo(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }\nfunc pairs(s string) iter.Seq2[int, rune] { return func(yield func(int, rune) bool) { for i, r := range s { if !yield(i, r) { return } } } }\nfunc f(n int) (out []any, err any) { defer func() { err = recover() }(); defer func() { out = append(out, \"deferred\") }(); outer: for i := range upTo(n) { if i == 2 { continue }; for j := range upTo(n) { if j > i { continue outer }; if i == 5 { break outer }; if i == 7 { return append(out, \"return\"), nil }; out = append(out, i*10+j) } }; for i, r := range pairs(\"aé\") { defer func() { out = append(out, i) }(); out = append(out, i, r) }; return }\nf(6)",
			"x, y := f(20)\n[]any{x, y}", "next, stop := iter.Pull(upTo(3))\na, _ := next()\nb, _ := next()\nstop()\n[]any{a, b, slices.Collect(upTo(4)), slices.Sorted(maps.Keys(map[int]bool{3: true, 1: true}))}",
			"func g() int { for i := range upTo(10) { if i == 4 { return i * i } }; return -1 }\ng() + g() + g()", "for i := range upTo(3) {\n\tpanic(i)\n}"},
		"conversions": {"type op func(float64, float64) float64\nfunc add(a, b float64) float64 { return a + b }\nfunc (o op) twice(x float64) float64 { return o(o(x, x), x) }\nops := map[string]op{\"+\": add, \"*\": func(a, b float64) float64 { return a * b }}\nvar any1 any = add\nf, ok := any1.(func(float64, float64) float64)\n[]any{ops[\"+\"].twice(3), ops[\"*\"].twice(3), ok, f(1, 2), ops[\"-\"] == nil, add != nil}",
			"func pick(b bool) op { if b { return add }; return nil }\n[]any{pick(true)(1, 2), pick(false) == nil}", "type h struct{ f func(int) int; g func() }\nx := h{f: func(i int) int { return -i }}\n[]any{x.f(3), x.g == nil, len([]func(){x.g, nil})}", "import \"fmt\"\nfmt.Sprintf(\"%T %T %T\", add, ops[\"+\"], x.f)", "any(add) == any(add)"},
		"names": {"import (\"reflect\"; \"runtime\")\nfunc named(x int) int { return x }\nfunc name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }\n[]string{name(named), name(func() {}), name(name)}"},
		"nil":   {"var f func(int) int\nfunc g() int {\n\treturn 1 +\n\t\tf(2)\n}\ng()", "type I interface{ m() int }\nvar i I\nfunc h() int {\n\treturn i.m()\n}\nh()", "type T struct{ x int }\nfunc (t T) m() int { return t.x }\nvar p *T\ni = p\nh()", "type U struct{ x int }\nfunc (t *U) m() int {\n\treturn t.x\n}\nvar q *U\ni = q\nh()", "h()"},
		"panics": {"import \"sort\"\nxs := []int{1, 2, 3}\nfunc less(i, j int) bool {\n\treturn xs[i+3] < xs[j]\n}\nfunc f() {\n\tsort.Slice(xs, less)\n}\nf()", "sort.Slice(xs, func(i, j int) bool {\n\tpanic(\"in less\")\n})", "func g() (err any) { defer func() { err = recover() }(); f(); return }\ng()",
			"func each(f func(int)) {\n\tfor i := range 3 {\n\t\tf(i)\n\t}\n}\neach(func(i int) {\n\tif i == 2 {\n\t\tsort.Slice(xs, func(a, b int) bool {\n\t\t\teach(func(k int) { xs[k] /= k })\n\t\t\treturn a < b\n\t\t})\n\t}\n})"},
		"panics through earlier cells": {"call := func(f func(int) int) int {\n\treturn f(1) +\n\t\tf(0)\n}", "k := 3\ninner := func(i int) int {\n\treturn k / i\n}", "func h() int {\n\treturn call(inner)\n}\nh()", "h()", "func safe(f func() int) (s string) { defer func() { if r := recover(); r != nil { s = r.(error).Error() } }(); f(); return \"fine\" }\n[]string{safe(h), safe(h), safe(func() int { return 1 })}",
			"type I interface{ m(I) int }\ntype T struct{ x []int }\nfunc (t *T) m(i I) int {\n\tif i == nil {\n\t\treturn t.x[3]\n\t}\n\treturn i.m(nil)\n}", "var i I = &T{}\nfunc k2() int {\n\treturn i.m(i)\n}\nk2()", "k2()"},
		"recover":        {"f := func() any { return recover() }\nfunc g() (out any) { defer func() { out = f() }(); panic(1) }\nfunc h() { defer f(); panic(2) }\nh()\n\"after\"", "g()", "func d(i int) { defer func() { if r := recover(); r != nil { s = append(s, r, i) } }(); if i%2 == 0 { panic(i) } }\nvar s []any\nfs := []func(int){d, func(i int) { d(i + 1) }}\nfor i := range 3 { for _, f := range fs { f(i) } }\ns"},
		"goroutines":     {"import \"sync\"\nvar mu sync.Mutex\nsum := 0\nadd := func(k int) { mu.Lock(); sum += k; mu.Unlock() }\nvar wg sync.WaitGroup\nfor g := range 8 { wg.Go(func() { for i := range 50 { add(i * g) } }) }\nfor g := range 8 { wg.Add(1); go func(f func(int)) { defer wg.Done(); for i := range 50 { f(g + i) } }(add) }\nwg.Wait()\nsum"},
		"declared again": {"func f(x int) int { return x + 1 }\ng := f\ntype T struct{ x int }\nfunc (t T) m() int { return f(t.x) }\ntype I interface{ m() int }\nvar i I = T{1}\nfunc all() (out []int) { for range 4 { out = append(out, g(1), i.m()) }; return }\nall()", "func f(x int) int { return x * 100 }\nall()", "h := func() int { return g(2) + i.m() }\nh() + h() + h() + h()", "func f(x int) int { return -x }\n[]int{h(), h()}", "all()", "func (t T) m() int { return 7 }\n[]int{h(), i.m()}"},
	} {
		t.Run(name, func(t *testing.T) { sameFast(t, cells...) })
	}
}

// BenchmarkDynamic measures, in ns per call, calls of functions that are known only at run time. It compares
// each with a loop that calls a function directly.
func BenchmarkDynamic(b *testing.B) {
	for _, l := range []struct {
		name, before, cell string
		n                  int
	}{
		{"direct", "func g(x int) int { return x + 1 }", "s := 0\nfor i := 0; i < 1000000; i++ { s = g(s) }", 1e6},
		{"closure", "", "k := 1\ng := func(x int) int { return x + k }\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s) } }()", 1e6},
		{"earlierClosure", "k := 1\ng := func(x int) int { return x + k }", "s := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s) } }()", 1e6},
		{"oddClosure", "", "g := func(x int, y float64, z string, w int) int { return x + w }\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = g(s, 1, \"\", 1) } }()", 1e6},
		{"method", "", "type I interface{ Get(int) int }\ntype T struct{ k int }\nfunc (t *T) Get(x int) int { return t.k + x }\nvar x I = &T{1}\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"earlierMethod", "type I interface{ Get(int) int }\ntype T struct{ k int }\nfunc (t *T) Get(x int) int { return t.k + x }\nvar x I = &T{1}", "s := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"valueMethod", "", "type I interface{ Get(int) int }\ntype T struct{ k, l int }\nfunc (t T) Get(x int) int { return t.k + x }\nvar x I = T{1, 2}\ns := 0\nfunc() { for i := 0; i < 1000000; i++ { s = x.Get(s) } }()", 1e6},
		{"makeClosure", "", "s := 0\nvar g func() int\nfunc() { for i := 0; i < 1000000; i++ { g = func() int { return i + s } } }()", 1e6},
		{"sortSlice", "import (\"sort\"; \"math/rand\")\nxs := make([]float64, 100000)\nr := rand.New(rand.NewSource(1))\nvar calls int", "for i := range xs { xs[i] = r.Float64() }\nsort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })", 1950000},
		{"slicesSort", "import (\"slices\"; \"math/rand\")\nxs := make([]float64, 100000)\nr := rand.New(rand.NewSource(1))", "for i := range xs { xs[i] = r.Float64() }\nslices.SortFunc(xs, func(a, b float64) int { if a < b { return -1 }; return 1 })", 1950000},
		{"rangeFunc", "func upTo(n int) func(yield func(int) bool) { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }", "s := 0\nfor x := range upTo(1000000) { s += x }\ns", 1e6},
		{"seq2", "import \"slices\"\nxs := make([]int, 1000000)", "s := 0\nfor i, x := range slices.All(xs) { s += x + i }\ns", 1e6},
	} {
		b.Run(l.name, func(b *testing.B) {
			s := fresh(b, Options{})
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
			b.ReportMetric(float64(processorTime()-from)/float64(b.N)/float64(l.n), "cpu-ns/call")
		})
	}
}

// TestFastDynamicStops: endless calls of func values, methods and callbacks end when the cell is stopped.
func TestFastDynamicStops(t *testing.T) {
	for name, src := range map[string]string{
		"closure":         "k := 0\nf := func() { k++ }\nfunc() { for { f() } }()",
		"closure itself":  "var f func()\nf = func() { for { } }\nfor range 5 { f() }",
		"method":          "type T struct{ k int }\nfunc (t *T) m() { t.k++ }\nvar i interface{ m() } = &T{}\nfunc g() { for { i.m() } }\ng()",
		"callback":        "import \"sort\"\nxs := make([]int, 10)\nfunc g() { for { sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) } }\ng()",
		"in a callback":   "import \"sort\"\nxs := make([]int, 10)\nsort.Slice(xs, func(i, j int) bool { for { } })",
		"iterator":        "func all(yield func(int) bool) { for i := 0; yield(i); i++ { } }\ns := 0\nfor i := range all { s += i }",
		"through methods": "type E interface{ V() int }\ntype L struct{}\ntype A struct{ a, b E }\nfunc (L) V() int { return 1 }\nfunc (a *A) V() int { return a.a.V() + a.b.V() }\nvar e E = L{}\nfor range 60 { e = &A{e, e} }\ne.V()",
		"recursion":       "var f func(int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)",
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t, Options{Grace: patience.Long})
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := s.Run(ctx, engine.Cell{Name: "cell", Source: src})
				done <- err
			}()
			select {
			case err := <-done:
				if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted && name != "recursion" {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(patience.Long):
				t.Fatal("it goes on")
			}
			if v := run(t, s, "1 + 1"); len(v) != 1 {
				t.Errorf("afterwards: %v", v)
			}
		})
	}
}

func TestFastCompiledCalls(t *testing.T) {
	sameFast(t, `import ("strings"; "strconv"; "bytes"; "errors"; "fmt"; "math/bits"; "unicode"; "math/rand"; "sort"; "bufio")
func f() (out []any) {
	var b strings.Builder
	for i := range 20 { b.WriteString(strconv.Itoa(i)); b.WriteByte(','); b.WriteRune('é') }
	n, err := b.WriteString("end")
	out = append(out, b.String(), b.Len(), n, err)
	for _, s := range []string{"12", "x", ""} { v, err := strconv.Atoi(s); out = append(out, v, err != nil, fmt.Sprint(err)) }
	v, err := strconv.ParseFloat("2.5e3", 64)
	before, after, ok := strings.Cut("a=b", "=")
	out = append(out, v, err, before, after, ok, strings.Fields(" a b "), strings.Repeat("ab", 3), strings.Contains("abc", "bc"))
	out = append(out, bytes.Equal([]byte("a"), []byte("a")), unicode.IsUpper('Ä'), unicode.ToLower('Ä'), strconv.FormatFloat(0.1, 'g', -1, 64))
	hi, lo := bits.Mul64(1<<63, 6)
	e := errors.New("e")
	w := fmt.Errorf("w: %w", e)
	out = append(out, hi, lo, errors.Is(w, e), errors.Is(w, nil), w.Error(), fmt.Sprintf("%d %v", 3, "x"))
	r := rand.New(rand.NewSource(1))
	xs := []int{3, 1, 2}
	sort.Ints(xs)
	out = append(out, r.Intn(100), r.Float64(), xs)
	sc := bufio.NewScanner(strings.NewReader("one\ntwo\n"))
	for sc.Scan() { out = append(out, sc.Text(), sc.Err()) }
	return
}
f()`, "f()")
	// Panics of compiled functions are reported at the call.
	sameFast(t, "import \"strings\"\nfunc f(n int) string {\n\ts := \"\"\n\tfor i := n; ; i-- { s += strings.Repeat(\"x\", i) }\n}\nf(2)")
	sameFast(t, `import "strings"
func f(n int) (s string, err any) { defer func() { err = recover() }(); return g(n), nil }
func g(n int) string { return strings.Repeat("x", n) + h(n) }
func h(n int) string { return strings.Repeat("y", n-1) }
f(0)`, "f(2)", "f(-1)")
	sameFast(t, "import \"strings\"\nvar b *strings.Builder\nfunc f() { b.WriteString(\"x\") }\nf()")
	// Compiled functions that call back into cells.
	sameFast(t, `import ("fmt"; "sort")
type p struct{ x int }
func (v p) String() string { if v.x < 0 { panic("negative") }; return fmt.Sprint("p", v.x) }
type list []p
func (l list) Len() int { return len(l) }
func (l list) Less(i, j int) bool { return l[i].x < l[j].x }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func f(x int) string { l := list{{3}, {x}, {2}}; sort.Sort(l); return fmt.Sprintln(l[0], l) }
f(1)`, "f(-1)")
}
