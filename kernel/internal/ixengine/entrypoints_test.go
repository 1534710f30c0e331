package ixengine

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/goplus/ixgo"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestStaleResults: while compiled code calls a method of a cell's type, there is room on the stack for the
// results. This room contains leftovers of earlier calls, and the collector must not treat them as pointers.
func TestStaleResults(t *testing.T) {
	s := fresh(t, Options{})
	v := run(t, s, `import "runtime"
type name struct{ first, last string }
func (n name) String() string { runtime.GC(); return n.first + n.last }
name{"a", "b"}`)[0].Value.(fmt.Stringer)
	var kept, free []*[4]int
	for i := range 1000 {
		x := &[4]int{i}
		if i%2 == 0 {
			kept = append(kept, x)
		} else { // freed, to leave gaps between the kept objects
			free = append(free, x)
		}
	}
	if got := afterStale(free, v); got != "ab" {
		t.Fatal(got)
	}
	runtime.KeepAlive(kept)
}

// afterStale calls v's method after the argument of an earlier call has been freed.
//
//go:noinline
func afterStale(free []*[4]int, v fmt.Stringer) string {
	last := free[len(free)/2]
	four(last, last, last, last)
	last, free = nil, nil
	runtime.GC()
	runtime.GC()
	return v.String()
}

//go:noinline
func four(a, b, c, d *[4]int) int { return a[0] + b[0] + c[0] + d[0] }

// TestMethodArguments passes arguments and results of methods called by compiled code, in all stack layouts.
func TestMethodArguments(t *testing.T) {
	s := fresh(t, Options{})
	v := run(t, s, `type taker struct{ k int }
type empty struct{}
func (t taker) Take(small int8, n int, text string, none struct{}, xs *[4]int, b bool, rest ...any) (odd byte, sum int, same string, all []any) {
	for _, x := range xs { sum += x }
	return byte(small) + 1, sum + t.k + n, text, rest
}
func (t *taker) Add(k int) { t.k += k }
func (f empty) None(struct{}) struct{} { return struct{}{} }
type fn func() int
func (f fn) Call() int { return f() }
t := &taker{100}
t.Add(0)
[]any{t, *t, empty{}, &empty{}, fn(func() int { return 7 })}`)[0].Value.([]any)
	type taking interface {
		Take(int8, int, string, struct{}, *[4]int, bool, ...any) (byte, int, string, []any)
	}
	for _, x := range v[:2] {
		odd, sum, same, all := x.(taking).Take(3, 1<<28, "text", struct{}{}, &[4]int{1, 2, 3, 4}, true, 5, &[4]int{6})
		if odd != 4 || sum != 1<<28+110 || same != "text" || all[0] != 5 || all[1].(*[4]int)[0] != 6 {
			t.Errorf("Take gives %d, %d, %q, %v", odd, sum, same, all)
		}
		if a, ok := x.(interface{ Add(int) }); ok {
			a.Add(10)
			a.Add(-10)
		}
	}
	for _, x := range v[2:4] {
		if got := x.(interface{ None(struct{}) struct{} }).None(struct{}{}); got != struct{}{} {
			t.Errorf("None gives %v", got)
		}
	}
	if got := v[4].(interface{ Call() int }).Call(); got != 7 {
		t.Errorf("Call gives %d", got)
	}
}

// TestMethodsEnterTyped: compiled code calls the methods of cells without reflection, so a call allocates
// nothing, whatever the receiver.
func TestMethodsEnterTyped(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("on this processor all methods are called through reflection")
	}
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	s := fresh(t, Options{})
	run(t, s, `import ("io"; "sort"; "fmt")
type ints []int
func (x ints) Len() int { return len(x) }
func (x ints) Less(i, j int) bool { return x[i] < x[j] }
func (x ints) Swap(i, j int) { x[i], x[j] = x[j], x[i] }
type writer struct{ n int }
func (w *writer) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }
type named struct{ first, last string }
func (n named) String() string { return n.first }
type byName map[string]string
func (m byName) String() string { return m["a"] }
type generic[T any] struct{ x, y T }
func (g *generic[T]) Len() int { return 2 }
func (g *generic[T]) Less(i, j int) bool { return i < j }
func (g *generic[T]) Swap(i, j int) { g.x, g.y = g.y, g.x }
slice, pair := ints{2, 1}, &generic[string]{"x", "y"}
var w io.Writer = &writer{}
var text, ofMap fmt.Stringer = named{"a", "b"}, byName{"a": "c"}`)
	sorted := run(t, s, "sort.Interface(slice)")[0].Value.(sort.Interface)
	pair := run(t, s, "sort.Interface(pair)")[0].Value.(sort.Interface)
	w := run(t, s, "w")[0].Value.(io.Writer)
	text, ofMap := run(t, s, "text")[0].Value.(fmt.Stringer), run(t, s, "ofMap")[0].Value.(fmt.Stringer)
	buffer := []byte("abc")
	for name, call := range map[string]func(){
		"sort":    func() { sorted.Len(); sorted.Less(0, 1); sorted.Swap(0, 1) },
		"generic": func() { pair.Len(); pair.Less(0, 1); pair.Swap(0, 1) },
		"write":   func() { w.Write(buffer) },
		"struct":  func() { _ = text.String() },
		"map":     func() { _ = ofMap.String() },
	} {
		for range 10 { // until the methods have register code
			call()
		}
		if n := testing.AllocsPerRun(100, call); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	// If the method gets a new body, calls run the new body, even for values that were made before.
	run(t, s, "func (n named) String() string { return n.last + n.first }")
	if got := text.String(); got != "ba" {
		t.Errorf("after a new declaration of the method, String returns %q", got)
	}
}

// TestPanicsInMethods: a panic in a method that compiled code has called has the place of the panic in the cell.
func TestPanicsInMethods(t *testing.T) {
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			run(t, s, "import \"sort\"\ntype ints []int\nfunc (x ints) Len() int { return len(x) }\nfunc (x ints) Swap(i, j int) {}\nfunc (x ints) Less(i, j int) bool {\n\treturn x[i+9] < x[j]\n}")
			for range 3 {
				_, err := s.Run(t.Context(), engine.Cell{Name: "In[9]", Source: "sort.Sort(ints{1, 2, 3})"})
				e, ok := err.(*engine.Error)
				if !ok || !strings.Contains(e.Message, "index out of range") || len(e.Frames) < 2 || e.Frames[0].Line != 6 || e.Frames[len(e.Frames)-1].Cell != "In[9]" {
					t.Fatalf("%v", err)
				}
			}
			run(t, s, "sort.Sort(ints{})")
		})
	}
}

// TestMethodsRunOut declares methods until there are no entry points left, which must be an error of the cell
// and not end the process. Normally it does so in only one of three ways (see patience.LeftOut).
func TestMethodsRunOut(t *testing.T) {
	patience.SkipShort(t, "it declares methods until there is no room for more")
	if !alone(t) {
		return
	}
	methods := func(declare string) string {
		var src strings.Builder
		fmt.Fprint(&src, declare)
		for j := range 400 {
			fmt.Fprintf(&src, "func (t T) M%d() int { return %d }\n", j, j)
		}
		return src.String()
	}
	for name, source := range map[string]func(i int) string{
		"types": func(i int) string {
			return strings.ReplaceAll(methods("type T struct{ A int }\n"), "T", fmt.Sprint("T", i))
		},
		"types of a function": func(i int) string {
			var src strings.Builder // the function that declares the types is freed when the cell has run
			for j := range 4 * i {
				fmt.Fprintf(&src, "func() any { type U%d struct{ T; A int }; return U%d{} }()\n", j, j)
			}
			return src.String()
		},
		"types without a name": func(i int) string { return fmt.Sprintf("struct{ *T; A%d int }{}", i) },
	} {
		if patience.LeftOut("no room for " + name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ixgo.ResetAllIcall()          // frees entry points used by other tests; in a browser there are few
			t.Cleanup(ixgo.ResetAllIcall) // frees the entry points used here, for other tests
			s := fresh(t, Options{})
			run(t, s, methods("type T struct{ A int }\n"))
			for i := range 30 {
				_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: source(i)})
				if err == nil {
					continue
				}
				if !strings.Contains(err.Error(), "restart the kernel") {
					t.Fatal(err)
				}
				if got := run(t, s, "1 + 1")[0].Value; got != 2 {
					t.Errorf("after that 1 + 1 is %v", got)
				}
				return
			}
			t.Error("there is always room")
		})
	}
}
