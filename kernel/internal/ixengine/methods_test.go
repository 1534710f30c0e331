package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/randprog"
)

// TestMethodsOfOtherCells calls interface methods of values with types from other cells, which the calling
// cells' interpreters do not know.
func TestMethodsOfOtherCells(t *testing.T) {
	s := fresh(t, Options{})
	for _, c := range []struct{ src, want string }{
		{`import ("fmt"; "io"; "strings"; "sync"; "time")
type T struct{ n int }
func (t T) String() string { return fmt.Sprint("T", t.n) }
func (t *T) Read(p []byte) (int, error) { t.n++; return t.n, io.EOF }
func (t T) Sum(first int, more ...int) (sum, count int) {
	for _, m := range more { first += m }
	return first + t.n, len(more)
}
type In struct{ T; k [3]int }
type F func() string
func (f F) String() string { return f() }
type summer interface{ Sum(int, ...int) (int, int) }
func show(x fmt.Stringer) string { return "show " + x.String() }
later := func(x fmt.Stringer) string { return "later " + x.String() }
var st fmt.Stringer = T{3}
var rd io.Reader = &T{5}
var in fmt.Stringer = In{T: T{7}}
var sm summer = T{1}
var none io.Reader = (*T)(nil)
""`, ""},
		{"st.String()", "T3"},
		{"n, err := rd.Read(nil)\nfmt.Sprint(n, err)", "6 EOF"},
		{"in.String()", "T7"},
		{"x, y := sm.Sum(1, 2, 3)\nfmt.Sprint(x, y)", "7 2"},
		{"x, y = sm.Sum(1)\nfmt.Sprint(x, y)", "2 0"},
		{"m := st.String\nm()", "T3"},
		{"fmt.Stringer.String(in)", "T7"},
		{"func() (s string) { defer func() { s += fmt.Sprint(rd) }(); defer rd.Read(nil); return \"\" }()", "T7"},
		{"func() string { var w sync.WaitGroup; for range 4 { w.Add(1); go func() { defer w.Done(); st.String() }() }; go sm.Sum(1); w.Wait(); return \"ended\" }()", "ended"},
		{"go rd.Read(nil)\nfor i := 0; i < 6000 && fmt.Sprint(rd) == \"T7\"; i++ { time.Sleep(10 * time.Millisecond) }\nfmt.Sprint(rd)", "T8"},
		// A value of a type declared later, in code of an earlier cell.
		{"type U int\nfunc (u U) String() string { return fmt.Sprint(\"U\", int(u)) }\nshow(U(1)) + later(U(2))", "show U1later U2"},
		{"list := []fmt.Stringer{T{1}, U(2), In{T: T{3}}, &T{4}, F(func() string { return \"f\" })}\nout := []string{}\nfor _, x := range list { out = append(out, x.String()) }\nstrings.Join(out, \" \")", "T1 U2 T3 T4 f"},
		{"out = out[:0]\nfor range 2 { for _, x := range list { out = append(out, x.String()) } }\nstrings.Join(out, \" \")", "T1 U2 T3 T4 f T1 U2 T3 T4 f"},
		{"struct{ fmt.Stringer }{st}.String()", "T3"},
		// The type is redeclared: values of the old type keep their methods.
		{"type T struct{ a, b string }\nfunc (t T) String() string { return t.a + t.b }\nst.String() + T{\"x\", \"y\"}.String()", "T3xy"},
		{"st.String() + in.String() + later(T{\"p\", \"q\"})", "T3T7later pq"},
	} {
		if got := run(t, s, c.src); got[0].Value != c.want {
			t.Errorf("%s\ngives %v, want %s", c.src, got[0].Value, c.want)
		}
	}
	// These errors must not be reported as bugs of the kernel.
	for src, want := range map[string]string{
		"none.Read(nil)":                       "nil pointer dereference",
		"var zero fmt.Stringer\nzero.String()": "nil pointer dereference",
		"F(nil).String()":                      "nil",
	} {
		if _, err := s.Run(t.Context(), engine.Cell{Name: "In[2]", Source: src}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	// A method that does not return is stopped with its cell.
	run(t, s, "type L struct{}\nfunc (L) String() string { for { } }\nvar endless fmt.Stringer = L{}\n0")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Run(ctx, engine.Cell{Name: "In[3]", Source: "endless.String()"})
	if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted {
		t.Error(err)
	}
}

// BenchmarkInvoke calls an interface method, of the cell's own type and of an earlier cell's type.
func BenchmarkInvoke(b *testing.B) {
	const loop = "func() (n int) { for i := 0; i < 10000; i++ { n += x.Len() }; return }()"
	const decl = "type T int\nfunc (T) Len() int { return 1 }\ntype lener interface{ Len() int }\nvar x lener = T(0)\n"
	for _, c := range []struct{ name, before, cell string }{{"own", "", decl + loop}, {"stranger", decl, loop}} {
		b.Run(c.name, func(b *testing.B) {
			s := fresh(b, Options{})
			if c.before != "" {
				run(b, s, c.before)
			}
			for b.Loop() {
				run(b, s, c.cell)
			}
		})
	}
}

// TestWaysToMethods invokes methods in every way, for types of every kind: as a call, as a deferred call, as
// a deferred call during a panic, as a call in a deferred call, and as a goroutine. The methods call recover.
// Normally the test takes only one kind of type (see patience.LeftOut).
func TestWaysToMethods(t *testing.T) {
	patience.SkipShort(t, "it runs programs again and again, at each level")
	if !alone(t) {
		return
	}
	var names, sources []string
	for _, k := range []struct{ name, decl, value string }{
		{"struct", "type T0 struct { a int; s string }", `T0{1, "s"}`},
		{"int", "type T0 int", "T0(3)"},
		{"generic", "type T1[A any] struct { v A }\ntype T0 = T1[int]", "T0{7}"},
	} {
		if patience.LeftOut("ways to " + k.name) {
			continue
		}
		src := waysTo(k.name, k.decl, k.value)
		names, sources = append(names, k.name), append(sources, src)
	}
	want := compiledOutput(t, names, sources)
	for i, src := range sources {
		t.Run(names[i], func(t *testing.T) {
			if d := differs(t, src, randprog.TwoCells, want[i]); d != nil {
				t.Errorf("%s: %s", d.level.Name, firstDifference(d.want, d.got))
			}
			const times = 4
			_, cells := randprog.Again(src, times)
			compareWarm(t, cells, strings.Repeat(want[i], times))
		})
	}
}

// waysTo returns a program that invokes the methods of a type T0 in all ways that TestWaysToMethods lists.
func waysTo(name, decl, value string) string {
	ofT, ofP := "(r T0)", "(r *T0)"
	if strings.Contains(decl, "T1[A any]") {
		ofT, ofP = "(r T1[A])", "(r *T1[A])"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `package main

import (
	"fmt"
	"reflect"
	"sync"
)

%s

func %s V(n int) string { return fmt.Sprint("V", n, recover()) }
func %s P(n int) string { return fmt.Sprint("P", n, recover()) }
func %s VV(n ...int)    { fmt.Println("VV", n, recover()) }
func %s PV(n ...int)    { fmt.Println("PV", n, recover()) }

type T2 struct { x int; T0 }
type T3 struct { *T0; x int }
type T4 struct { T2; y string }
type T5 struct { z, w int; *T3 }
type I1 interface { V(int) string; VV(...int) }
type I2 interface { I1; P(int) string; PV(...int) }
type T6 struct { q bool; I1 }
type T7 struct { *T8 }
type T8 struct { a, b string; I2 }
type T9 T2
type G1[E any] struct { e E; n int }
func (g G1[E]) VV(n ...int) { fmt.Println("G1", n, recover()) }
type G2[E I1] struct { I E }
func (g G2[E]) VV(n ...int) { defer g.I.VV(n...); g.I.VV(n...); fmt.Println("G2", recover()) }

func value() T0 { return %s }
func pointer() *T0 { v := value(); return &v }
func call1(f func(...int), n int) { defer f(n); panic(n) }
func call2[E I1](e E, n int)      { defer e.VV(n); panic(n) }
func call3[E interface{ *F; I2 }, F any](f F, n int) { defer E(&f).PV(n); defer f0(E(&f).P(n)); panic(n) }
func call4(n int) { var o interface{ Do(func()) } = new(sync.Once); defer o.Do(func() { fmt.Println("once", n, recover()) }); panic(n) }
func f0(s string) { fmt.Println("f0", s) }
func try(n int, f func()) {
	defer func() { fmt.Println("end", n, recover()) }()
	f()
}

var D1 I1 = value()
var D2 I2 = pointer()
var D3 = value().VV
var D4 = pointer().PV
var D5 = T0.VV
var D6 I1 = T6{true, T2{1, value()}}
`, decl, ofT, ofP, ofT, ofP, value)
	ways := []string{
		"value().VV(%d)", "pointer().VV(%d)", "pointer().PV(%d)",
		"T2{1, value()}.VV(%d)", "(&T2{1, value()}).VV(%d)", "(&T2{1, value()}).PV(%d)",
		"T3{pointer(), 1}.VV(%d)", "T3{pointer(), 1}.PV(%d)", "(&T3{pointer(), 1}).PV(%d)",
		"(&T4{T2{1, value()}, \"y\"}).VV(%d)", "(&T4{T2{1, value()}, \"y\"}).PV(%d)",
		"T5{1, 2, &T3{pointer(), 1}}.PV(%d)", "T5{1, 2, &T3{pointer(), 1}}.VV(%d)",
		"(&T9{1, value()}).PV(%d)",
		"I1(value()).VV(%d)", "I1(pointer()).VV(%d)", "I2(pointer()).PV(%d)",
		"I1(T2{1, value()}).VV(%d)", "I1(&T2{1, value()}).VV(%d)", "I2(&T2{1, value()}).PV(%d)", "I2(&T2{1, value()}).VV(%d)",
		"I2(T3{pointer(), 1}).PV(%d)", "I2(&T3{pointer(), 1}).PV(%d)", "I2(&T3{pointer(), 1}).VV(%d)",
		"I2(&T4{T2{1, value()}, \"y\"}).PV(%d)", "I2(T5{1, 2, &T3{pointer(), 1}}).PV(%d)",
		"T6{true, value()}.VV(%d)", "(&T6{true, pointer()}).VV(%d)", "I1(T6{true, T2{1, value()}}).VV(%d)", "I1(&T6{true, T2{1, value()}}).VV(%d)",
		"T7{&T8{\"a\", \"b\", pointer()}}.PV(%d)", "I2(T7{&T8{\"a\", \"b\", T3{pointer(), 2}}}).PV(%d)",
		"T0.VV(value(), %d)", "(*T0).VV(pointer(), %d)", "(*T0).PV(pointer(), %d)", "T2.VV(T2{1, value()}, %d)", "(*T2).PV(&T2{1, value()}, %d)",
		"T3.PV(T3{pointer(), 1}, %d)", "I1.VV(value(), %d)", "I2.PV(T3{pointer(), 1}, %d)", "T6.VV(T6{true, value()}, %d)",
		"G1[T0]{value(), 1}.VV(%d)", "(&G1[T0]{value(), 1}).VV(%d)", "interface{ VV(...int) }(G1[T0]{value(), 1}).VV(%d)", "struct{ G1[int] }{}.VV(%d)",
		"G2[T0]{value()}.VV(%d)", "G2[I1]{pointer()}.VV(%d)", "(&struct{ *G2[T3] }{&G2[T3]{T3{pointer(), 1}}}).VV(%d)",
		"call1(value().VV, %d)", "call1(pointer().PV, %d)", "call1(T2{1, value()}.VV, %d)", "call1(I2(T3{pointer(), 1}).PV, %d)", "call1(D1.VV, %d)",
		"call2(value(), %d)", "call2(pointer(), %d)", "call2[I1](T2{1, value()}, %d)", "call2(T6{true, value()}, %d)", "call3[*T0](value(), %d)", "call3[*T2](T2{1, value()}, %d)",
		"D1.VV(%d)", "D2.PV(%d)", "D2.VV(%d)", "D3(%d)", "D4(%d)", "D5(value(), %d)", "D6.VV(%d)",
		"reflect.ValueOf(value()).MethodByName(\"VV\").Call([]reflect.Value{reflect.ValueOf(%d)})",
		"reflect.ValueOf(D2).MethodByName(\"PV\").Call([]reflect.Value{reflect.ValueOf(%d)})",
		"reflect.ValueOf(pointer()).MethodByName(\"PV\").Interface().(func(...int))(%d)",
		"new(sync.Once).Do(func() { value().VV(%d) })", "call4(%d)",
		"f0(value().V(%d))", "f0(D2.P(%d))", "f0(I1(T2{1, value()}).V(%d))",
	}
	n := 0
	for i, w := range ways {
		fmt.Fprintf(&b, "func F%d() {\n", i)
		next := func() string { n++; return fmt.Sprintf(w, n) }
		fmt.Fprintf(&b, "\ttry(%d, func() { %s })\n", n, next())
		fmt.Fprintf(&b, "\ttry(%d, func() { defer %s })\n", n, next())
		fmt.Fprintf(&b, "\ttry(%d, func() { defer %s; panic(%d) })\n", n, next(), n)
		fmt.Fprintf(&b, "\ttry(%d, func() { defer func() { %s }(); panic(%d) })\n", n, next(), n)
		fmt.Fprintf(&b, "\ttry(%d, func() { defer func() { defer %s }(); panic(%d) })\n", n, next(), n)
		fmt.Fprintf(&b, "\ttry(%d, func() { for i := range 2 { if i == 1 { defer %s } }; panic(%d) })\n", n, next(), n)
		if !strings.Contains(w, "call") && !strings.Contains(w, "reflect") && !strings.Contains(w, "f0") && !strings.Contains(w, "Once") {
			fmt.Fprintf(&b, "\ttry(%d, func() { done := make(chan bool); go func() { defer close(done); defer %s; panic(%d) }(); <-done })\n", n, next(), n)
		}
		b.WriteString("}\n")
	}
	b.WriteString("func Run() {\n\tfmt.Println(\"" + name + "\")\n")
	for i := range ways {
		fmt.Fprintf(&b, "\tF%d()\n", i)
	}
	b.WriteString("\tdone := make(chan int, 100)\n")
	for i, w := range []string{"D2.P(%d)", "value().V(%d)", "I1(T2{1, value()}).V(%d)", "T3{pointer(), 1}.P(%d)"} {
		fmt.Fprintf(&b, "\tgo func() { done <- len("+w+") }()\n\tfmt.Println(<-done)\n", i)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestNewBodyAfterNewMethod: a new version of a method takes effect everywhere, also if the type has got other methods,
// and so has become another type, since the cell with the older version.
func TestNewBodyAfterNewMethod(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			for _, c := range []struct{ src, want string }{
				{`import ("fmt"; "sort"; "encoding/json")
type M int
type In struct{ m M }
type Out struct{ *In }
type L []int
""`, ""},
				{`func (m M) String() string { return "v1" }
func (in *In) Name() string { return "n1" }
func (l L) Len() int { return len(l) }
func (l L) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l L) Less(i, j int) bool { return l[i] < l[j] }
""`, ""},
				{`func (m M) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (in *In) Other() {}
func (l L) Other() {}
""`, ""},
				{`out := Out{&In{1}}
name := out.Name
later := func() string { return out.Name() + fmt.Sprint(out.m) }
sorted := func() string { l := L{1, 3, 2}; sort.Sort(l); return fmt.Sprint([]int(l)) }
coded := func() string { b, err := json.Marshal(M(1)); return fmt.Sprint(string(b), err) }
all := func() string { return fmt.Sprint(M(1), name(), later(), sorted(), coded()) }
all()`, "v1n1n1v1[1 2 3]1<nil>"},
				{`func (m M) String() string { return "v2" }
func (in *In) Name() string { return "n2" }
func (l L) Less(i, j int) bool { return l[i] > l[j] }
func (m M) MarshalJSON() ([]byte, error) { return []byte("2"), nil }
all()`, "v2n2n2v2[3 2 1]2<nil>"},
				{`func (m M) String() string { return "v3" }
fmt.Sprint(M(1), M(1).String(), []any{M(2)}) + all()`, "v3v3[v3]v3n2n2v3[3 2 1]2<nil>"},
				{`func (m M) Third() {}
func (in *In) Third() {}
""`, ""},
				// The functions that are left from before have values of the older type, with its methods.
				{`func (in *In) Name() string { return "n4" }
func (m M) String() string { return "v4" }
fmt.Sprint(M(1), M(1).String(), out.Name(), name(), later())`, "v4v4n4n2n2v3"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s\ngives %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}

// TestValuesAfterNewMethod: values in interfaces become values of a type's newer version when the type gets a method.
func TestValuesAfterNewMethod(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			run(t, s, `import ("container/list"; "errors"; "fmt"; "math")
type T struct { X int }
type P struct { next *P; v any }
type E struct { code int }
func (e *E) Error() string { return fmt.Sprint("E", e.code) }
type U struct { T; more []any }
type Box[V any] struct { v V }
type D int
var (
	one any = T{1}
	pointer any = &T{2}
	list_ any = []T{{3}}
	nested = []any{T{4}, []any{&T{5}, map[string]any{"a": T{6}}}}
	keys = map[any]string{T{7}: "seven", D(8): "eight", 9: "nine", math.NaN(): "?"}
	chain *P
	err error = &E{10}
	wrapped = fmt.Errorf("wrapped: %w", err)
	compiled = list.New()
	user any = U{T{11}, []any{T{12}}}
	box any = Box[T]{T{13}}
	fun any = func(t T) T { return t }
	channel = make(chan any, 1)
	local func() any
	isT func(any) bool
	makes func() any
	unnamed any = struct{ T T; n any }{T{14}, T{15}}
	number any = D(16)
)
for i := range 3 { chain = &P{chain, T{i}} }
compiled.PushBack(T{17})
channel <- T{18}
{ v := any(T{19}); local = func() any { return v } }
isT = func(v any) bool { _, ok := v.(T); return ok }
makes = func() any { return T{20} }
fmt.Sprint(one, pointer, err)`)
			// Another type in the program keeps its identity, so that only what must change does.
			run(t, s, `func (t T) String() string { return fmt.Sprintf("<%d>", t.X) }
func (d D) String() string { return fmt.Sprintf("D%d", int(d)) }
func (e *E) Is(target error) bool { return false }`)
			for _, c := range []struct{ src, want string }{
				{`_, a := one.(T); _, b := pointer.(*T); _, c := list_.([]T); fmt.Sprint(a, b, c)`, "true true true"},
				{`fmt.Sprint(one, pointer, list_, nested[0], nested[1].([]any)[1])`, "<1> <2> [<3>] <4> map[a:<6>]"},
				{`fmt.Sprint(keys[T{7}], keys[D(8)], keys[9], len(keys))`, "seveneightnine4"},
				{`fmt.Sprint(chain.v, chain.next.v, chain.next.next.v)`, "<2> <1> <0>"},
				{`var target *E; fmt.Sprint(errors.As(wrapped, &target), target, errors.Is(wrapped, err))`, "true E10 true"},
				{`fmt.Sprint(compiled.Front().Value, user.(U).more, user.(U).T, number)`, "<17> [<12>] <11> D16"},
				{`_, a := box.(Box[T]); _, b := fun.(func(T) T); _, c := unnamed.(struct{ T T; n any }); fmt.Sprint(a, b, c, fun.(func(T) T)(T{1}))`, "true true true <1>"},
				{`_, a := (<-channel).(T); _, b := local().(fmt.Stringer); _, c := makes().(T); fmt.Sprint(a, b, c)`, "true true true"},
				{`fmt.Sprint(isT(one), isT(T{1}), isT(makes()), isT(number), isT(nil), isT(&T{}))`, "true true true false false false"},
				{`kind := func(v any) string { switch v := v.(type) { case D: return "D"; case *T: return fmt.Sprint("*T", v.X); case fmt.Stringer: return "Stringer " + v.String(); case nil: return "nil" }; return "?" }
fmt.Sprint(kind(local()), kind(number), kind(pointer), kind(3), kind(nil))`, "Stringer <19>D*T2?nil"},
				{`func (t T) Third() int { return 3 }
fmt.Sprint(one.(interface{ Third() int }).Third(), makes().(interface{ Third() int }).Third(), local().(T), isT(T{1}), isT(one), keys[T{7}])`, "3 3 <19> true trueseven"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s\ngives %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}

// TestInterfacesAfterNewMethod: values of an interface type whose methods mention a type are kept when this type gets a
// method, also while a goroutine keeps them from changing their types.
func TestInterfacesAfterNewMethod(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	for _, level := range Levels {
		for _, busy := range []bool{false, true} {
			undo := level.Force()
			s := fresh(t, Options{})
			run(t, s, `import ("fmt"; "io")
type State interface { Next(m *Machine) State; Name() string }
type Machine struct { cur State; seen []State; n int }
type Idle struct{}
type Run int
func (Idle) Next(m *Machine) State { m.n++; return Run(m.n) }
func (Idle) Name() string { return "idle" }
func (r Run) Next(m *Machine) State { m.n++; if r > 2 { return Idle{} }; return r + 1 }
func (r Run) Name() string { return fmt.Sprint("run", int(r)) }
m := &Machine{cur: Idle{}}
func steps(m *Machine, n int) { for range n { m.cur = m.cur.Next(m); m.seen = append(m.seen, m.cur) } }
steps(m, 3)
byName := map[string]State{"idle": Idle{}, "run": Run(7)}
set := map[State]int{Idle{}: 1, Run(2): 2}
var any_ any = m.seen
older := func(s State) string { _, isRun := s.(Run); return fmt.Sprint(s.Name(), isRun) }
made := func() State { return Run(9) }
channel := make(chan State, 3)
channel <- Idle{}
r, w := io.Pipe()
stopped := make(chan bool)
go func() { defer close(stopped); io.ReadAll(r) }()
w.Write([]byte("x"))`)
			if !busy {
				run(t, s, "w.Close(); <-stopped")
			}
			run(t, s, `func (m *Machine) Len() int { return len(m.seen) }`)
			for _, c := range []struct{ src, want string }{
				{`fmt.Sprintln(m.cur.Name(), m.Len(), m.seen[0].Name(), m.seen[2] == m.cur)`, "run3 3 run1 true"},
				{`steps(m, 300); fmt.Sprintln(m.cur.Name(), m.Len(), older(m.cur), older(m.seen[0]))`, "run303 303 run303true run1true"},
				{`fmt.Sprintln(byName["idle"].Name(), byName["run"].Next(m).Name(), set[Idle{}], set[Run(2)], set[made()])`, "idle idle 1 2 0"},
				{`list, ok := any_.([]State); fmt.Sprintln(ok, len(list), older(list[1]))`, "true 3 run2true"},
				{`c := <-channel; _, ok := c.(Idle); channel <- made(); _, isRun := (<-channel).(Run); fmt.Sprintln(c.Name(), ok, isRun)`, "idle true true"},
				{`func kind(s State) string { switch s := s.(type) { case Run: return fmt.Sprint("R", int(s)); case Idle: return "I"; case nil: return "nil" }; return "?" }
fmt.Sprintln(kind(m.seen[0]), kind(made()), kind(byName["idle"]), kind(nil), kind(Run(4)))`, "R1 R9 I nil R4"},
				{`func (r Run) Later() int { return int(r) }
l, ok := m.seen[0].(interface{ Later() int }); fmt.Sprintln(ok && l.Later() == 1, m.seen[1].(Run).Later(), m.cur.Next(m).Name())`, "true 2 idle"},
			} {
				if busy && strings.Contains(c.src, "set[") {
					continue // the keys are still values of the older versions
				}
				if got := run(t, s, c.src)[0].Value; got != c.want+"\n" {
					t.Errorf("%s, busy %v: %s\ngives %v, want %s", level.Name, busy, c.src, got, c.want)
				}
			}
			undo()
		}
	}
}

// TestValuesInUse: while compiled code that a goroutine of a cell has called may use values, no value changes its type. It
// does later.
func TestValuesInUse(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("fmt"; "io")
type T struct{}
var v any = T{}
m := map[any]int{T{}: 1}
r, w := io.Pipe()
stopped := make(chan bool)
go func() { defer close(stopped); io.ReadAll(r) }()
w.Write([]byte("x")) // returns when the goroutine reads`)
	run(t, s, `func (T) String() string { return "new" }`)
	for _, c := range []struct{ src, want string }{
		{`_, ok := v.(T); fmt.Sprint(v, ok, v == any(T{}))`, "{} true true"},
		{`m[T{}] = 2; w.Close(); <-stopped; ""`, ""},
		{`fmt.Sprint(v, m)`, "new map[new:2]"},
	} {
		if strings.Contains(c.want, "new") && !patience.Wait(func() bool { return !s.stop.busy() }) {
			t.Fatal("the goroutine does not end")
		}
		if got := run(t, s, c.src)[0].Value; got != c.want {
			t.Errorf("%s gives %v, want %s", c.src, got, c.want)
		}
	}
}

// TestValuesWithGoroutines: values change their type while goroutines of cells wait or compute; values that come later
// from channels and closures change it before the next cell, and are equal to others at once.
func TestValuesWithGoroutines(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			defer s.StopGoroutines() // they would compute beside all later tests
			run(t, s, `import ("errors"; "fmt"; "log"; "reflect"; "sync"; "sync/atomic"; "time")
type T struct{ A int }
func (T) Write(p []byte) (int, error) { return len(p), nil }
type E struct{ c int }
func (e E) Error() string { return "e" }
type F struct{ F T }
type M struct{ T; B int }
type G[X any] struct{ V X }
type L []T
type N int
var m = map[any]int{T{1}: 1}
var x any = T{1}
var ErrA error = E{1}
find := func(n int) error { return E{n} }
errs := make(chan error, 1)
errs <- E{1}
var types = map[reflect.Type]string{reflect.TypeOf(T{}): "T"}
var value = reflect.ValueOf(T{18})
var sm sync.Map
sm.Store(T{3}, "v"); sm.Store("k", T{2})
logger := log.New(T{11}, "", 0)
var pointer atomic.Pointer[struct{ x any }]
pointer.Store(&struct{ x any }{T{12}})
composed := []any{F{T{7}}, M{T{5}, 1}, G[T]{T{8}}, L{{9}}, map[string]F{"a": {T{1}}}, struct{ T }{T{10}}, G[int]{6}, []N{1}}
done, count := make(chan bool), 0
go func() { <-done }()
go func() { for { count++; select { case <-done: return; default: } } }()
go func() { for { select { case <-done: return; case <-time.After(time.Millisecond): } } }()`)
			run(t, s, `func (t T) String() string { return fmt.Sprintf("T<%d>", t.A) }
func (e E) Code() int { return e.c }
func (g G[X]) M() {}
func (n N) String() string { return "N" }`)
			if !patience.Wait(func() bool { run(t, s, "0"); return s.loader.versions.carried }) { // on a busy machine not at once
				t.Fatal("the values are not carried over")
			}
			for _, c := range []struct{ src, want string }{
				{`fmt.Sprint(x == any(T{1}), m[T{1}], x, m)`, "true 1 T<1> map[T<1>:1]"},
				{`fmt.Sprint(composed...)`, "{T<7>} T<5> {T<8>} [T<9>] map[a:{T<1>}] T<10> {6} [N]"},
				{`e := <-errs
f := find(1)
which := ""
switch find(1) { case ErrA: which = "A" }
fmt.Sprint(e == ErrA, find(1) == any(E{1}), which, find(2) != ErrA, f == e)`, "true trueAtrue true"},
				{`var coded interface{ Code() int }
fmt.Sprint(errors.Is(e, ErrA), errors.Is(f, ErrA), errors.As(f, &coded), coded.Code())`, "true true true 1"},
				{`v, ok := sm.Load(T{3})
k, _ := sm.Load("k")
fmt.Sprint(types[reflect.TypeOf(T{})], value.Type() == reflect.TypeOf(T{}), value, v, ok, k)`, "Ttrue T<18>vtrue T<2>"},
				{`fmt.Sprint(logger.Writer(), pointer.Load().x, logger.Writer() == any(T{11}))`, "T<11> T<12> true"},
				{`close(done); ""`, ""},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s\ngives %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}
