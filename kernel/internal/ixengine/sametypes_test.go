package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestSameTypes: an unnamed struct with promoted methods is one type in all cells, alone and within other types.
func TestSameTypes(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import ("fmt"; "bytes")
type T struct{ N int }
func (t T) String() string { return fmt.Sprint("T", t.N) }
type key struct{ In struct{ T } }
type named struct{ L []struct{ T } }
var x any = struct{ T }{T{1}}
var l any = []struct{ *T }{{&T{2}}}
var v = struct{ T; A struct{ T } }{}
var b any = &struct{ *bytes.Buffer }{new(bytes.Buffer)}
var f any = func(s struct{ T }) string { return s.String() }
m := map[any]int{struct{ T }{T{1}}: 7, key{}: 8}`)
			for _, c := range []struct{ src, want string }{
				{`y, ok := x.(struct{ T })
fmt.Sprint(y, ok)`, "T1 true"},
				{`z, ok2 := l.([]struct{ *T })
fmt.Sprint(z[0], ok2)`, "T2 true"},
				{`fmt.Sprint(m[struct{ T }{T{1}}], m[key{}], m[v.A])`, "7 8 0"},
				{`_, ok3 := b.(*struct{ *bytes.Buffer })
fmt.Sprint(ok3)`, "true"},
				{`fmt.Sprint(f.(func(struct{ T }) string)(struct{ T }{T{5}}))`, "T5"},
				{`func kind(x any) string { switch x.(type) { case struct{ T }: return "T" }; return "other" }
kind(x) + kind(v)`, "Tother"},
				{`v.A.N = 3
var w any = v
fmt.Sprint(v.A, w == any(v))`, "T3 true"},
				{`fmt.Sprint(w.(struct{ T; A struct{ T } }).A)`, "T3"},
				{`type later struct{ S struct{ T } }
var a any = later{}.S
var n any = named{}.L
fmt.Sprint(a.(struct{ T }), n == nil)`, "T0 false"},
				{`_, ok5 := n.([]struct{ T })
fmt.Sprint(kind(a), ok5)`, "Ttrue"},
				// A new version of T makes another type.
				{`type T struct{ N, M int }
func (t T) String() string { return "new" }
_, ok4 := x.(struct{ T })
fmt.Sprint(ok4, struct{ T }{})`, "false new"},
				{`var x2 any = struct{ T }{}
1`, ""},
				{`fmt.Sprint(x2.(struct{ T }))`, "new"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want && c.want != "" {
					t.Errorf("%s is %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}

// TestEmbeddedInVariables declares variables whose types, unnamed structs, embed a type of a package or an alias, and
// mention a type of a cell. The field that embeds has the name that the cell gave it, in later cells too.
func TestEmbeddedInVariables(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("bytes"; "context"; "fmt"; "io"; "sync"; "sync/atomic")
type T struct{ x int }
type A = T
type G[X any] struct{ v X }
var (
	locked struct { sync.RWMutex; m map[string]T }
	both   struct { *bytes.Buffer; context.Context; m []T }
	atom   struct { atomic.Pointer[T]; n int }
	alias  struct { A; n int }
	toA    struct { *A; io.Reader }
	gen    struct { G[T]; sync.Locker }
	plain  struct { G[int]; T }
	inMap  = map[string]struct { T; n int }{}
	list   []struct { *T; N int }
	nested struct { in struct { T; n int }; k int }
	to     *struct { T; N int }
	make_  func() struct { T; s string }
	queue  = make(chan struct { T; b bool }, 1)
)`)
	run(t, s, `locked.Lock()
locked.m = map[string]T{"a": {1}}
locked.Unlock()
both.Buffer = bytes.NewBufferString("text")
both.m = append(both.m, T{2})
atom.Store(&T{3})
alias.x, toA.A, gen.v.x, plain.v = 4, &A{5}, 6, 7
inMap["k"] = struct { T; n int }{T{8}, 1}
list = append(list, struct { *T; N int }{&T{9}, 1})
nested.in.x = 10
to = &struct { T; N int }{T{11}, 1}
make_ = func() struct { T; s string } { return struct { T; s string }{T{12}, "s"} }
queue <- struct { T; b bool }{T{13}, true}`)
	const src = `fmt.Sprint(locked.m, both.String() + " ", both.m, atom.Load().x, alias.A, toA.A.x, gen.G, plain.T, toA.Reader == nil, gen.Locker == nil, inMap, list[0].x, nested, *to, make_(), len(queue))`
	for range 2 {
		if got, want := run(t, s, src)[0].Value, "map[a:{1}]text [{2}] 3 {4} 5 {{6}} {0} true true map[k:{{8} 1}] 9 {{{10} 0} 0} {{11} 1} {{12} s} 1"; got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// TestUnnamedInterface: a variable of an unnamed interface type keeps its value, type and address across cells.
func TestUnnamedInterface(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "type L []int\nfunc (l L) Len() int { return len(l) }\nfunc (l L) First() (int, error) { return l[0], nil }\nvar x interface{ Len() int; First() (int, error) } = L{4, 5}\nlen1 := func() int { return x.Len() }\nvar none interface{ Len() int }")
	for range 3 {
		if got := shown(t, s, "first, _ := x.First()\nfmt.Sprint(x.Len(), first, x, len1(), none == nil)"); got != "2 4 [4 5] 2 true" {
			t.Error(got)
		}
	}
	run(t, s, "x = L{7}\ny := x\nnone = x")
	if got := shown(t, s, "l, ok := y.(L)\nfmt.Sprint(len1(), none.Len(), y, l, ok)"); got != "1 1 [7] [7] true" {
		t.Error(got)
	}
	if got := run(t, s, "x")[0].Type; got != "interface{First() (int, error); Len() int}" {
		t.Error(got)
	}
	for _, v := range s.Vars() {
		if strings.Contains(v.Type, "oc__") {
			t.Errorf("%s is a %s", v.Name, v.Type)
		}
	}
	run(t, s, "type K int\nfunc (k K) Len() int { return int(k) }\nfunc (k K) First() (int, error) { return 1, nil }\nx = K(3)\nfunc f(i interface{ Len() int }) int { return i.Len() }")
	if got := shown(t, s, "fmt.Sprint(f(x), len1(), f(none))"); got != "3 3 1" {
		t.Error(got)
	}
}

// TestUnnamedInterfaces: an unnamed interface is one type in all cells, within other types and with types of cells in
// its methods too.
func TestUnnamedInterfaces(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import ("fmt"; "io"; "strings")
type Shape = interface{ Area() float64 }
type Sq struct{ s float64 }
func (q Sq) Area() float64 { return q.s * q.s }
func (q Sq) Twice() Sq { return Sq{2 * q.s} }
func (q Sq) same(r Sq) bool { return q == r }`)
			run(t, s, `shapes := []Shape{Sq{1}}
byName := map[string]interface{ Twice() Sq }{"a": Sq{2}}
hidden := make(chan interface{ same(Sq) bool }, 1)
type holder struct { r interface{ io.Reader; Len() int } }
h := holder{strings.NewReader("abc")}
var boxed any = []Shape{Sq{5}}
var maker func() interface{ Area() float64 }`)
			for _, c := range []struct{ src, want string }{
				{`func total(xs []interface{ Area() float64 }) (t float64) { for _, x := range xs { t += x.Area() }; return }
shapes = append(shapes, Sq{3})
fmt.Sprint(total(shapes))`, "10"},
				{`var one Shape = Sq{2}
shapes = append(shapes, one)
fmt.Sprint(total(shapes))`, "14"},
				{`byName["b"] = byName["a"].Twice()
fmt.Sprint(byName["b"].(Shape).Area(), len(byName))`, "16 2"},
				{`hidden <- Sq{1}
fmt.Sprint((<-hidden).same(Sq{1}))`, "true"},
				{`rest := interface{ Len() int; Read([]byte) (int, error) }(h.r)
h.r = rest
fmt.Sprint(h.r.Len())`, "3"},
				{`unboxed, ok := boxed.([]interface{ Area() float64 })
fmt.Sprint(ok, total(unboxed))`, "true 25"},
				{`maker = func() Shape { return shapes[1] }
fmt.Sprint(maker().Area())`, "9"},
				{`fmt.Sprint(maker().Area(), one.Area(), h.r.Len())`, "9 4 3"},
				// A new version of Sq makes another type of the interface with Twice.
				{`type Sq struct{ s, t float64 }
func (q Sq) Twice() Sq { return Sq{2 * q.s, 1} }
byNew := map[string]interface{ Twice() Sq }{"c": Sq{4, 0}}
fmt.Sprint(byNew["c"].Twice())`, "{8 1}"},
				{`byNew["d"] = byNew["c"].Twice()
fmt.Sprint(len(byNew), byNew["d"].Twice())`, "2 {16 1}"},
			} {
				if got := fmt.Sprint(run(t, s, c.src)[0].Value); got != c.want {
					t.Errorf("%s is %s, want %s", c.src, got, c.want)
				}
			}
		})
	}
}

// TestInnerInstances: a type that is mentioned only by instances of generic code is the same in all cells.
func TestInnerInstances(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "fmt"
type entry[K comparable, V any] struct { key K; value V }
func (e *entry[K, V]) String() string { return fmt.Sprint("entry ", e.key) }
type cache[K comparable, V any] struct { last any }
func (c *cache[K, V]) put(k K, v V) { c.last = &entry[K, V]{k, v} }
func (c *cache[K, V]) get() V { return c.last.(*entry[K, V]).value }
type point struct{ x, y int }
func (p point) String() string { return fmt.Sprint(p.x, "|", p.y) }
func hold[T any](v T) any { type held struct { v T }; return []any{entry[string, T]{value: v}, held{v}} }
func held[T any](x any) T { return x.([]any)[0].(entry[string, T]).value }`)
	run(t, s, "c := &cache[point, string]{}\nh := hold(point{5, 6})")
	run(t, s, `c.put(point{1, 2}, "a")`)
	for src, want := range map[string]string{
		"c.get()": "a", "c.last.(*entry[point, string]).value": "a", "c.last.(fmt.Stringer).String()": "entry 1|2", "held[point](h).String()": "5|6",
	} {
		if got := run(t, s, src)[0].Value; got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
}

// TestAddedTypesLater: types that source patches add to compiled packages keep their names in later cells
// that do not import the package.
func TestAddedTypesLater(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import (\"fmt\"; \"iter\"; \"slices\")\ntype C int\nvar seq iter.Seq[C] = slices.Values([]C{1, 2})\n_ = fmt.Sprint")
	for _, c := range []struct{ src, want string }{
		{"n := C(0)\nfor v := range seq { n += v }\nn", "3"},
		{"fmt.Sprintf(\"%T\", seq)", "iter.Seq[main.C]"},
	} {
		v, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: c.src})
		if err != nil || len(v) != 1 || fmt.Sprint(v[0].Value) != c.want {
			t.Errorf("%s: %v %v, want %s", c.src, v, err, c.want)
		}
	}
	if v := run(t, s, "seq"); v[0].Type != "iter.Seq[C]" {
		t.Errorf("the type of seq is %s", v[0].Type)
	}
}

// TestUnexportedEmbedded: for package reflect, and so for encoding/json, the fields of an unnamed struct with methods are
// as exported as in compiled code.
func TestUnexportedEmbedded(t *testing.T) {
	s := fresh(t, Options{})
	const want = `error main false Err  true {"Err":1}`
	if got := run(t, s, `import ("encoding/json"; "errors"; "reflect"; "strings")
v := struct { error; Err int }{errors.New("x"), 1}
var words []string
for f := range reflect.TypeOf(v).Fields() { words = append(words, f.Name, f.PkgPath, map[bool]string{true: "true", false: "false"}[f.IsExported()]) }
text, _ := json.Marshal(v)
strings.Join(append(words, string(text)), " ")`)[0].Value; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
