package ixengine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/engine"
)

const unexportedMethods = `import ("fmt"; "reflect")
type getter interface { get() string }
type T struct{ s string }
func (t T) get() string { return "t" + t.s }
func (t T) String() string { return "T" + t.s }
type (
	Before struct { n int; T }
	Longer struct { n [3]string; T }
	Pointer struct { n [3]string; *T }
	Deep struct { s string; Longer }
	Holds struct { n int; getter }
	Other struct { n [3]string; getter }
	Generic[X any] struct { n X; T }
)
type N int
func (n N) get() string { return fmt.Sprint("n", int(n)) }
type M map[string]int
func (m M) get() string { return fmt.Sprint("m", len(m)) }
type G[X any] struct { x X }
func (g G[X]) get() string { return fmt.Sprint("g", g.x) }
type P struct{ n int }
func (p *P) Up() int { p.n++; return p.n }
func (p *P) up() int { p.n++; return p.n }
func (p P) Val() int { return p.n }
func (p P) val() int { return p.n }
func (p P) sum(more ...int) int { for _, n := range more { p.n += n }; return p.n }
type counter interface { Up() int; up() int; Val() int; val() int; sum(...int) int }
type HoldsP struct { s string; P }
type HoldsPointer struct { s [2]string; *P }
type HoldsCounter struct { s string; counter }
`

// TestUnexportedMethods calls unexported methods in later cells; their interpreters find the methods in the
// tables of the types.
func TestUnexportedMethods(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, unexportedMethods+"none := (*T)(nil)")
	for src, want := range map[string]string{
		`T{"x"}`: "tx", `&T{"x"}`: "tx",
		`Before{1, T{"x"}}`: "tx", `&Before{1, T{"x"}}`: "tx",
		`Longer{T: T{"x"}}`: "tx", `&Longer{T: T{"x"}}`: "tx",
		`Pointer{T: &T{"x"}}`: "tx", `&Pointer{T: &T{"x"}}`: "tx",
		`Deep{Longer: Longer{T: T{"x"}}}`: "tx", `&Deep{Longer: Longer{T: T{"x"}}}`: "tx",
		`Holds{1, T{"x"}}`: "tx", `&Holds{1, &T{"x"}}`: "tx",
		`Other{getter: Holds{1, N(2)}}`: "n2", `&Other{getter: &Before{1, T{"x"}}}`: "tx",
		`Generic[string]{"a", T{"x"}}`: "tx", `&Generic[int]{1, T{"x"}}`: "tx",
		`N(3)`: "n3", `new(N)`: "n0", `M{"a": 1}`: "m1", `&M{}`: "m0",
		`G[int]{5}`: "g5", `&G[T]{T{"x"}}`: "gTx",
		`struct{ n int; T }{1, T{"x"}}`: "tx", `&struct{ n string; T }{"", T{"x"}}`: "tx",
	} {
		run(t, s, "var i getter = "+src)
		for _, call := range []string{
			"i.get()",
			"func() string { f := i.get; return f() }()",
			"getter.get(i)",
			"func() (s string) { defer func() { s = i.get() }(); defer i.get(); return }()",
			"func() string { c := make(chan getter, 1); c <- i; return (<-c).get() }()",
			"func() string { return map[int]getter{1: i}[1].get() }()",
			"func() string { c := make(chan string); go func() { c <- i.get() }(); go i.get(); return <-c }()",
		} {
			if got := run(t, s, call)[0].Value; got != want {
				t.Errorf("%s of %s gives %v, want %s", call, src, got, want)
			}
		}
	}
	for _, src := range []string{"&P{1}", "&HoldsP{P: P{1}}", "HoldsPointer{P: &P{1}}", "&HoldsPointer{P: &P{1}}", "HoldsCounter{counter: &P{1}}", "&HoldsCounter{counter: &HoldsP{P: P{1}}}"} {
		run(t, s, "var c counter = "+src)
		if got := fmt.Sprint(run(t, s, "[]int{c.up(), c.val(), c.Up(), c.Val(), c.sum(), c.sum(1, 2), c.sum([]int{3}...)}")[0].Value); got != "[2 2 3 3 3 6 6]" {
			t.Errorf("methods of %s give %s", src, got)
		}
	}
	for _, c := range [][3]string{
		{"i = none", "i.get()", "value method T.get called using nil *T pointer"},
		{"c = (*HoldsP)(nil)", "c.val()", "nil pointer dereference"},
		{"c = HoldsCounter{}", "c.up()", "nil pointer dereference"},
		{"c = (*HoldsCounter)(nil)", "c.up()", "nil pointer dereference"},
	} {
		run(t, s, c[0])
		_, err := s.Run(t.Context(), engine.Cell{Name: "c", Source: c[1]})
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s\n%s\ngives %v", c[0], c[1], err)
		}
	}
	for _, c := range [][2]string{
		{`reflect.TypeOf(&P{}).NumMethod()`, "2"},
		{`reflect.TypeFor[HoldsP]().NumMethod()`, "1"},
		{`reflect.ValueOf(&HoldsP{P: P{4}}).MethodByName("Val").Call(nil)[0].Int()`, "4"},
		{`fmt.Sprintf("%T %v %+v", &Longer{}, Holds{1, N(2)}, P{1})`, "*main.Longer {1 2} {n:1}"},
		// The type is redeclared: values of the old type keep their methods.
		{"old := getter(&T{\"x\"})\n0", "0"},
		{"type T struct{ a, b string }\nfunc (t T) get() string { return t.a + t.b }\n0", "0"},
		{`old.get() + getter(&T{"y", "z"}).get()`, "txyz"},
	} {
		if got := fmt.Sprint(run(t, s, c[0])[0].Value); got != c[1] {
			t.Errorf("%s gives %s, want %s", c[0], got, c[1])
		}
	}
}

// TestPromotedMethods: types that embed the same type at different offsets have separate functions for the
// promoted methods.
func TestPromotedMethods(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, unexportedMethods)
	for _, c := range [][2]string{
		{`fmt.Sprint(Before{1, T{"a"}}, Longer{T: T{"b"}}, Pointer{T: &T{"c"}}, Deep{Longer: Longer{T: T{"d"}}}, Generic[string]{"", T{"e"}}, Generic[bool]{true, T{"f"}})`, "Ta Tb Tc Td Te Tf"},
		{`fmt.Sprint(&Before{1, T{"a"}}, &Longer{T: T{"b"}}, &Pointer{T: &T{"c"}}, &Deep{Longer: Longer{T: T{"d"}}})`, "Ta Tb Tc Td"},
		{`fmt.Sprint(struct{ a [9]int; T }{T: T{"a"}}, struct{ a bool; T }{T: T{"b"}}, &struct{ a, b any; T }{T: T{"c"}})`, "Ta Tb Tc"},
		// A later cell that uses the layouts in another order.
		{"type Short struct { T }\ntype Long struct { a, b, c, d string; T }\nfmt.Sprint(Long{T: T{\"a\"}}, Short{T{\"b\"}}, &Long{T: T{\"c\"}})", "Ta Tb Tc"},
		{`reflect.ValueOf(Long{T: T{"a"}}).MethodByName("String").Call(nil)[0].String()`, "Ta"},
		{"type A struct { P }\ntype B struct { s string; P }\n0", "0"},
		{"func() []int { a, b := &A{}, &B{s: \"x\"}; return []int{a.Up(), reflect.ValueOf(b).MethodByName(\"Up\").Interface().(func() int)(), b.n, len(b.s)} }()", "[1 1 1 1]"},
	} {
		if got := fmt.Sprint(run(t, s, c[0])[0].Value); got != c[1] {
			t.Errorf("%s gives %s, want %s", c[0], got, c[1])
		}
	}
}

// TestPromotedEntries: unnamed types are made anew in each program, but need no new entry points for methods.
func TestPromotedEntries(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("sync"; "time")
var a struct { sync.Mutex; n int }
var b struct { sync.Mutex; s string; time.Time }
var c struct { s string; time.Time }`)
	use := func() int {
		run(t, s, "a.Lock()\na.n++\na.Unlock()\nb.Lock()\nb.Unlock()\n_ = b.Unix()\n_ = c.Unix()")
		_, used, _ := ixgo.IcallStat()
		return used
	}
	before := use()
	for range 3 {
		if now := use(); now != before {
			t.Fatalf("%d entry points are used, and after the same cell again %d", before, now)
		}
	}
}

// TestMethodsOfWords: compiled code calls methods of values that are pointers in memory: a struct of one map, an
// array of one pointer. Such calls once ended the process.
func TestMethodsOfWords(t *testing.T) {
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			run(t, s, `import "fmt"
type ofMap struct{ m map[string]int }
func (x ofMap) String() string { return fmt.Sprint("map ", x.m["a"]) }
type ofArray [1]*int
func (x ofArray) String() string { return fmt.Sprint("array ", *x[0]) }
type nested struct{ in struct{ p *int } }
func (x nested) String() string { return fmt.Sprint("nested ", *x.in.p) }
type ofFunc struct{ f func() int }
func (x ofFunc) String() string { return fmt.Sprint("func ", x.f()) }
type ofChan struct{ c chan int }
func (x *ofChan) Set(n int) { x.c <- n }
func (x ofChan) String() string { return fmt.Sprint("chan ", cap(x.c)) }
type embeds struct{ ofMap }
type twice struct{ embeds }
type wider struct { n int; ofMap }
k := 7
m := ofMap{map[string]int{"a": 3}}`)
			for src, want := range map[string]string{
				"m": "map 3", "ofArray{&k}": "array 7", "nested{struct{ p *int }{&k}}": "nested 7",
				"ofFunc{func() int { return k }}": "func 7", "ofChan{make(chan int, 2)}": "chan 2",
				"embeds{m}": "map 3", "twice{embeds{m}}": "map 3", "wider{1, m}": "map 3",
				"struct{ twice }{twice{embeds{m}}}": "map 3", "struct{ ofMap }{m}": "map 3",
			} {
				for range 4 { // each program makes unnamed types anew
					if got := run(t, s, "v := "+src+"\nfmt.Sprint(v, \" \", &v, \" \", []any{v})")[0].Value; got != want+" "+want+" ["+want+"]" {
						t.Errorf("%s: %q", src, got)
					}
				}
			}
		})
	}
}

// TestMethodsByReflection has compiled code, here package net/rpc, take methods from reflect.Type and call them.
func TestMethodsByReflection(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("on this processor there are no code addresses for the methods of cells, so such a call fails")
	}
	s := fresh(t, Options{})
	run(t, s, `import ("errors"; "fmt"; "net"; "net/rpc")
type Pair struct{ A, B int }
type Value struct { name string; by [5]int }
func (v Value) Times(p Pair, r *int) error { *r = p.A * p.B * v.by[4]; return v.check() }
func (v Value) check() error { if v.name == "" { return errors.New("no name") }; return nil }
type Pointer struct { pad [3]int; more int }
func (p *Pointer) Plus(q *Pair, r *int) error { *r = q.A + q.B + p.more; return nil }
type Both struct { x int; Pointer; Value }
type Func func(int) int
func (f Func) Of(p Pair, r *int) error { *r = f(p.A); return nil }
func ask(x any, method string) string {
	server := rpc.NewServer()
	if err := server.RegisterName("S", x); err != nil { return err.Error() }
	here, there := net.Pipe()
	go server.ServeConn(there)
	client := rpc.NewClient(here)
	defer client.Close()
	var r int
	err := client.Call("S." + method, Pair{3, 4}, &r)
	return fmt.Sprintln(r, err)
}
v := Value{"v", [5]int{4: 2}}`)
	for call, want := range map[string]string{
		`ask(v, "Times")`:                                                    "24 <nil>\n",
		`ask(&v, "Times")`:                                                   "24 <nil>\n",
		`ask(&Value{}, "Times")`:                                             "0 no name\n",
		`ask(&Pointer{more: 5}, "Plus")`:                                     "12 <nil>\n",
		`ask(&Both{Pointer: Pointer{more: 7}}, "Plus")`:                      "14 <nil>\n",
		`ask(Both{Value: v}, "Times")`:                                       "24 <nil>\n",
		`ask(&Both{Value: v}, "Times")`:                                      "24 <nil>\n",
		`ask(struct{ *Pointer }{&Pointer{more: 9}}, "Plus")`:                 "16 <nil>\n",
		`ask(Func(func(x int) int { return 10 * x }), "Of")`:                 "30 <nil>\n",
		`ask(struct { n string; Value }{"", v}, "Times")`:                    "24 <nil>\n",
		`ask(&struct { n [3]string; Value }{Value: v}, "Times")`:             "24 <nil>\n",
		`ask(struct { n [3]string; *Both }{Both: &Both{Value: v}}, "Times")`: "24 <nil>\n",
	} {
		if got := run(t, s, call)[0].Value; got != want {
			t.Errorf("%s returns %v, want %s", call, got, want)
		}
	}
	run(t, s, "func (f Func) Of(p Pair, r *int) error { *r = -f(p.A); return nil }")
	if got := run(t, s, `ask(Func(func(x int) int { return 10 * x }), "Of")`)[0].Value; got != "-30 <nil>\n" {
		t.Errorf("the method that was declared again returns %v", got)
	}
}

// TestPromotedThroughPointer has compiled code call a method with a value receiver that is promoted from a value
// behind a pointer. Types of the same layout, named or not, come in several cells.
func TestPromotedThroughPointer(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "fmt"
type V struct{ s string }
func (v V) String() string { return v.s }
type B struct { x int; V }
type C struct { n [3]string; *B }
type D struct { n [3]string; B }
type E struct { m []int; C }
type F struct { m string; *E }
b := &B{V: V{"v"}}
c := C{B: b}`)
	for _, src := range []string{
		"c", "&c", "D{B: *b}", "&D{B: *b}", "E{C: c}", "F{E: &E{C: c}}", "&F{E: &E{C: c}}",
		"struct { n [3]string; *B }{B: b}", "struct { n [3]string; B }{B: *b}", "struct { n [4]string; *B }{B: b}",
		"struct{ C }{c}", "struct{ *C }{&c}", "struct { p *int; F }{F: F{E: &E{C: c}}}",
	} {
		for range 2 {
			if got := run(t, s, "fmt.Sprint("+src+")")[0].Value; got != "v" {
				t.Errorf("%s is shown as %v, want v", src, got)
			}
		}
	}
}

// TestMethodsUseVariables has compiled code call, through reflection, a method of a type that a cell declares. The same
// cell adds a method to the type of an earlier variable, so its program is made twice.
func TestMethodsUseVariables(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "type Big struct{ n int }\nvar global = &Big{1}")
	run(t, s, `import ("fmt"; "math/rand"; "reflect"; "testing/quick")
func (b *Big) up() *Big { b.n++; return b }
type number string
var digits = [...]byte{'5', '5'}
func (number) Generate(r *rand.Rand, size int) reflect.Value {
	return reflect.ValueOf(number(fmt.Sprintf("%c%d", digits[r.Intn(2)], global.n)))
}
func made() string {
	seen := map[number]bool{}
	if err := quick.Check(func(n number) bool { seen[n] = true; return true }, nil); err != nil { return err.Error() }
	return fmt.Sprint(seen)
}
here := made()`)
	for _, c := range []struct{ src, want string }{
		{"here", "map[51:true]"},
		{"made()", "map[51:true]"},
		{"global.up()\ndigits = [...]byte{'7', '7'}\nmade()", "map[72:true]"},
		{"func (b *Big) down() { b.n-- }\nglobal.down()\nmade()", "map[71:true]"},
		{"func (number) Generate(r *rand.Rand, size int) reflect.Value { return reflect.ValueOf(number(\"new\")) }\nmade()", "map[new:true]"},
	} {
		if got := run(t, s, c.src)[0].Value; got != c.want {
			t.Errorf("%s gives %v, want %s", c.src, got, c.want)
		}
	}
}

// TestAddedMethods: compiled code calls the methods of a generic type that source adds to a compiled package, as the
// tables of modules do.
func TestAddedMethods(t *testing.T) {
	ixgo.RegisterPatch("sort", `package sort

import (
	"fmt"
	"sort"
)

func ByText[T fmt.Stringer](x []T) { sort.Sort(texts[T](x)) }

func ByTextPointer[T fmt.Stringer](x []T) { sort.Sort(&list[T]{texts: x}) }

type texts[T fmt.Stringer] []T

func (t texts[T]) Len() int { return len(t) }

func (t texts[T]) Less(i, j int) bool { return t[i].String() < t[j].String() }

func (t texts[T]) Swap(i, j int) { t[i], t[j] = t[j], t[i] }

type list[T fmt.Stringer] struct {
	texts[T]
	swaps int
}

func (l *list[T]) Swap(i, j int) { l.swaps++; l.texts.Swap(i, j) }
`)
	cells := []string{
		"import \"sort\"\ntype word struct{ s string }\nfunc (w word) String() string { return w.s }\nx := []word{{\"b\"}, {\"a\"}}",
		"sort.ByText(x)\nx",
		"x[0].s = \"z\"\nsort.ByTextPointer(x)\nx",
	}
	for _, l := range append(Levels[:len(Levels):len(Levels)], warm) {
		undo := l.Force()
		if got := outcome(t, cells); got != "[a b]\n[b z]" {
			t.Errorf("%s: %s", l.Name, got)
		}
		undo()
	}
}
