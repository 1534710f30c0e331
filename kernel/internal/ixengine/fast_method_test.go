package ixengine

import (
	"fmt"
	"io"
	"runtime"
	"sort"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

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
