package ixengine

import (
	"strings"
	"testing"
)

// TestLikeGo: regression tests for differences from compiled Go that were caused by the SSA builder, the
// interpreter or the session.
func TestLikeGo(t *testing.T) {
	const seq = "var out []any\nfunc seq(yield func(int) bool) { defer func() { out = append(out, \"end\") }(); for i := 1; i < 4; i++ { if !yield(i) { return } } }\n"
	for _, c := range []struct{ cell, want string }{
		{seq + "func f() { tries := 0\nretry:\n\tfor v := range seq { out = append(out, v); if v == 2 && tries < 2 { tries++; goto retry } } }\nf()\nout", "[1 2 end 1 2 end 1 2 3 end]"},
		{seq + "func f() { tries := 0\nretry:\n\tfor v := range seq { for range 2 { if v == 1 { continue retry }; out = append(out, v); if tries == 0 { tries++; goto retry }; break retry } } }\nf()\nout", "[2 end 2 end]"},
		{seq + "tries := 0\nretry:\n\tfor v := range seq { out = append(out, v); if v == 2 && tries < 2 { tries++; goto retry } }\nout", "[1 2 end 1 2 end 1 2 3 end]"},
		{seq + "func() { n := 0\nretry:\n\tfor v := range seq { out = append(out, v); func() { m := 0\nretry:\n\tfor range seq { if m++; m == 2 { goto retry } } }(); if n++; n == 1 { goto retry } } }()\nlen(out)", "14"},
		{"var order []string\nc, a, n := make(chan int, 1), make([]int, 2), 0\nc <- 7\nfunc ch() chan int { order = append(order, \"chan\"); n = 1; return c }\nfunc i() int { order = append(order, \"slot\"); return n }\nselect { case a[i()] = <-ch(): }\nselect { case c <- 8: }\nvar ok bool\nselect { case a[0], ok = <-c: }\n[]any{order, a, ok}", "[[chan slot] [8 7] true]"},
		{"type T struct{ a [3]int }\nfunc f(p *[4]int, q *T) (n int) { for i := range *p { n += i }; for range (*p) { n++ }; for range *&q.a { n++ }; return }\nf(nil, new(T))", "13"},
		{"type T struct{}\nfunc (T) _() int { return 1 }\nfunc (T) _() {}\nfunc (T) M() int { return 2 }\nT{}.M()", "2"},
		{"func f() (s string) { defer func() { s = recover().(error).Error() }(); var x any = 1; return x.(string) }\nf()", "interface conversion: interface {} is int, not string"},
		{"func f(n int) (s string) { defer func() { s = recover().(error).Error() }(); _ = make(chan int, n); return }\nf(-1)", "makechan: size out of range"},
		{"func f(g func([]int, uint64)) string { var s string; func() { defer func() { s = recover().(error).Error() }(); g(make([]int, 2, 3), 1<<64 - 1) }(); return s }\n[]string{f(func(a []int, n uint64) { _ = a[n] }), f(func(a []int, n uint64) { _ = a[n:] }), f(func(a []int, n uint64) { _ = a[:n] }), f(func(a []int, n uint64) { _ = a[:1:n] }), f(func(a []int, n uint64) { _ = a[:n:1] }), f(func(a []int, n uint64) { _ = \"ab\"[n:] })}", "[runtime error: index out of range [18446744073709551615] with length 2 runtime error: slice bounds out of range [18446744073709551615:2] runtime error: slice bounds out of range [:18446744073709551615] with capacity 3 runtime error: slice bounds out of range [::18446744073709551615] with capacity 3 runtime error: slice bounds out of range [:18446744073709551615:1] runtime error: slice bounds out of range [18446744073709551615:2]]"},
		{"type T []int\nfunc f(n uint64) (s string) { defer func() { s = recover().(error).Error() }(); _ = make(T, n); return }\nf(1<<59)", "runtime error: makeslice: len out of range"},
		{"type T []int\nfunc f(n uint64) (s string) { defer func() { s = recover().(error).Error() }(); _ = make(T, 0, n); return }\nf(1<<63)", "runtime error: makeslice: cap out of range"},
		{"import (\"log\"; \"bytes\")\nvar b bytes.Buffer\nl := log.New(&b, \"\", log.Lshortfile)\nfunc f() { l.Output(1, \"one\")\n\tl.Output(2, \"two\") }\nf()\nput := l.Output\nput(1, \"three\")\nb.String()", "c0:4: one\nc0:6: two\nc0:8: three\n"},
		{"import (\"log\"; \"bytes\")\nvar b bytes.Buffer\nl := log.New(&b, \"p \", log.Lshortfile)\nfunc f() { l.Println(\"one\", 2)\n\tl.Printf(\"%d\", 3) }\nf()\ng := l.Print\ng(\"four\")\nl.SetFlags(log.Lshortfile | log.Lmsgprefix)\nl.Print(\"five\")\nb.String()", "p c0:4: one 2\np c0:5: 3\np c0:8: four\nc0:10: p five\n"},
		{"import (\"log/slog\"; \"bytes\"; \"path\"; \"fmt\")\nvar b bytes.Buffer\nl := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{AddSource: true, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {\n\tif a.Key == \"time\" { return slog.Attr{} }\n\tif s, ok := a.Value.Any().(*slog.Source); ok { return slog.String(\"at\", fmt.Sprint(path.Base(s.File), \" \", s.Line, \" \", s.Function)) }\n\treturn a\n} }))\nfunc f() { l.Warn(\"one\", \"source\", 5) }\nf()\ng := l.Info\ng(\"two\")\nb.String()",
			"level=WARN at=\"c0 8 main.f\" msg=one source=5\nlevel=INFO at=\"c0 11 main.main\" msg=two\n"},
		{"import (\"log\"; \"log/slog\"; \"bytes\"; \"path\"; \"strconv\")\nvar b bytes.Buffer\nold, w, flags := slog.Default(), log.Writer(), log.Flags()\nslog.SetDefault(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{AddSource: true, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {\n\tif a.Key == \"time\" { return slog.Attr{} }\n\tif s, ok := a.Value.Any().(*slog.Source); ok { return slog.String(\"at\", path.Base(s.File) + strconv.Itoa(s.Line)) }\n\treturn a\n} })))\nlog.Print(\"through slog\")\nslog.SetDefault(old)\nlog.SetOutput(w)\nlog.SetFlags(flags)\nb.String()", "at=c09 msg=\"through slog\"\n"},
		{"import \"runtime\"\ntype l struct{}\nfunc (*l) At() int { _, _, line, _ := runtime.Caller(1); return line }\ntype w struct{ *l }\nvar i interface{ At() int } = w{&l{}}\n[]int{w{}.At(),\ni.At()}", "[6 7]"},
		{"import _ \"embed\"\n//go:embed x.txt\nvar text string", "go:embed does not work in cells: read the file with os.ReadFile, a folder with os.DirFS"},
		{"s := `\n//go:embed x.txt\n`\nlen(s)", "18"},
		{"import \"unsafe\"\ntype E struct { a int8; B int16 }\ntype S[K any] struct { A K; E; F E }\nfunc f[K any](d *S[K], v S[K]) []uintptr { return []uintptr{unsafe.Offsetof(d.B), unsafe.Offsetof(d.E), unsafe.Offsetof(v.E.B), unsafe.Offsetof(v.F), unsafe.Offsetof((d.F.a))} }\nfmt.Sprint(f(new(S[int64]), S[int64]{}), f(new(S[string]), S[string]{}))\nimport \"fmt\"", "[10 8 2 12 0] [18 16 2 20 0]"},
		{"const nil = 7", "nil cannot be declared at the top level of a cell; give it another name"},
		{"import \"math\"\nmin, x := -math.MaxFloat64, float32(-math.MaxFloat32)\nmin == -1.7976931348623157e308 && math.MaxFloat64-min > 0 && x < 0 && -math.Pi < 0", "true"},
		{"import \"fmt\"\ntype T struct{}\nfunc (*T) Error() string { return \"\" }\nfunc f(g func()) (s string) { defer func() { s = recover().(error).Error() }(); g(); return }\nvar e error; var x any; var st fmt.Stringer\n[]string{f(func() { _ = e.(*T) }), f(func() { _ = e.(fmt.Stringer) }), f(func() { panic(e.(error)) }), f(func() { _ = x.(error) }), f(func() { _ = x.(int) }), f(func() { _ = st.(any) }), f(func() { _ = e.Error }), f(func() { _ = st.String })}",
			"[interface conversion: error is nil, not *main.T interface conversion: interface is nil, not fmt.Stringer interface conversion: interface is nil, not error interface conversion: interface is nil, not error interface conversion: interface {} is nil, not int interface conversion: interface is nil, not interface {} runtime error: invalid memory address or nil pointer dereference runtime error: invalid memory address or nil pointer dereference]"},
		{"import \"encoding/json\"\ntype I = interface{ error }\nfunc f(g func()) (s string) { defer func() { s = recover().(error).Error() }(); g(); return }\nvar x any = 1\n[]string{f(func() { _ = x.(json.Marshaler) }), f(func() { _ = x.(I) })}", "[interface conversion: int is not json.Marshaler: missing method MarshalJSON interface conversion: int is not interface { Error() string }: missing method Error]"},
		{"func f(g func()) (s string) { defer func() { s = recover().(error).Error() }(); g(); return }\nfunc bad(yield func(int) bool) { yield(1); yield(2) }\nfunc mute(yield func(int) bool) { defer func() { recover() }(); yield(1) }\n[]string{f(func() { for range bad { break } }), f(func() { for range mute { panic(1) } })}", "[runtime error: range function continued iteration after loop exit runtime error: range function recovered a loop body panic and did not resume panicking]"},
		{"import (\"fmt\"; \"image\"; \"reflect\"; \"time\")\ntype M time.Time\ntype P struct { X, Y int }\ntype E struct{}\ntype H struct { x int }\np := P{1, 2}\nq := reflect.ValueOf(p).Convert(reflect.TypeFor[image.Point]())\nreflect.ValueOf(&p).Elem().Set(reflect.ValueOf(struct{ X, Y int }{3, 4}))\nconverts := func(from, to any) bool { return reflect.TypeOf(from).ConvertibleTo(reflect.TypeOf(to)) }\nfmt.Sprint(q, p, converts(E{}, struct{}{}), converts(H{}, struct{ x int }{}), converts(P{}, struct{ X int }{}), converts(time.Time{}, M{}), reflect.TypeOf(p).PkgPath())",
			"(1,2) {3 4} true true false truemain"},
		{"import (\"database/sql\"; \"fmt\")\nfunc prepare(tx *sql.Tx) { fmt.Println(tx.Prepare(\"x\")) }\nfunc show(c *sql.Conn, r *sql.Rows) { fmt.Println(c, r) }\nprepare != nil && show != nil", "true"},
		{"import \"errors\"\nfunc each[T any](xs []T, f func(T) error) error { var errs []error; for _, x := range xs { errs = append(errs, f(x)) }; return errors.Join(errs...) }\neach([]int{1, 2}, func(int) error { return errors.New(\"bad\") })", "bad\nbad"},
		{"import \"fmt\"\nfunc f[T any](T) string { var m map[string]error; var g func() (T, error); var s struct{ E error }; return fmt.Sprintf(\"%T %T %T\", m, g, s) }\nf(1)", "map[string]error func() (int, error) struct { E error }"},
		{"n := 0\nagain: m, k := n, n*2\nn++\nif n < 3 { goto again }\nL: M: var d = 5\nif d < 5 { goto L }\nif d < 4 { goto M }\n[]int{m, k, d}", "[2 4 5]"},
		{"\uFEFFpackage main\nfunc f() int { return 3 }\nf()", "3"},
		{"import \"testing\"\ntesting.Main(nil, nil, nil, nil)", "Panic: testing.Main would end the kernel; %%test runs the tests of cells"},
	} {
		sameFast(t, c.cell)
		if got := outcome(t, []string{c.cell}); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngives %s, not %s", c.cell, got, c.want)
		}
	}
}

// TestNilPointers: cells recover Go's own runtime errors for nil pointers.
func TestNilPointers(t *testing.T) {
	const want = "runtime error: invalid memory address or nil pointer dereference"
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `type pair struct{ a, b int }
type named interface{ name() int }
func message(f func()) (s string) {
	defer func() { s = recover().(error).Error() }()
	f()
	return
}
var number *int
var text *string
var both *pair
var list *[]int
var anything *any
var failure error
var thing named
var function func()`)
			for _, src := range []string{
				"*number = 2", "*number++", "x := *number; _ = x", "*text = \"a\"", "*both = pair{}", "both.b = 1", "x := both.a; _ = x",
				"*list = nil", "(*list)[0] = 1", "*anything = nil", "failure.Error()", "thing.name()", "function()",
			} {
				if got := run(t, s, "message(func() { "+src+" })")[0].Value; got != want {
					t.Errorf("%s: %v", src, got)
				}
			}
		})
	}
}

func TestMinMax(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import "math"
import "fmt"
type count uint16
func least(c int) int { return min(3, c) }
u, nan, zero, negative := uintptr(0), math.NaN(), 0.0, math.Copysign(0, -1)
single, text, named := float32(nan), "b", count(7)`)
			for _, c := range []struct{ src, want string }{
				{"fmt.Sprint(min(1, u), max(u, 9, 3), min(3, 4, u))", "0 9 0"},
				{"fmt.Sprint(min(1, nan), max(nan, 1), max(2, 1, nan), min(single, 1))", "NaN NaN NaN NaN"},
				{"fmt.Sprint(math.Signbit(min(zero, negative)), math.Signbit(min(negative, zero)), math.Signbit(max(negative, zero)), math.Signbit(max(zero, negative)))", "true true false false"},
				{"fmt.Sprint(max(text, \"a\"), min(text, \"a\", \"c\"), least(1), least(9))", "ba1 3"},
				{"fmt.Sprintf(\"%T %v\", min(named, 3), min(named, 3))", "main.count 3"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s is %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}

// TestPrinted: the builtin print does not call the methods of its arguments.
func TestPrinted(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			var out strings.Builder
			run(t, fresh(t, Options{Stdout: &out, Stderr: &out}), `type D int
func (D) String() string { return "day" }
type E string
func (E) Error() string { return "none" }
func f() {
	defer print(D(3))
	println(D(1), E("text"), true)
}
f()
for range 1 { defer println(D(5)) }`)
			if got := out.String(); got != "1 text true\n35\n" {
				t.Errorf("%q", got)
			}
		})
	}
}
