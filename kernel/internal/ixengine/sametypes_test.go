package ixengine

import "testing"

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
