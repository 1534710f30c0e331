//go:build go1.27

package ixengine

import (
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestGenericMethods: cells can declare and call methods with type parameters of their own (Go 1.27).
func TestGenericMethods(t *testing.T) {
	s := fresh(t, Options{})
	for _, c := range []struct{ src, want string }{
		{`import "fmt"
type T struct{ n int }
func (t T) M[X any](x X) string { return fmt.Sprint(t.n, x) }
func (t *T) Set[X ~int | ~float64](x X) { t.n = int(x) }
func (t T) String() string { return t.M("s") }
fmt.Sprint(T{3}.M("x"), " ", T{3}.M(4.5), " ", T{4})`, "3x 3 4.5 4s"},
		{"t := &T{5}\nt.Set(7.5)\nt.M(true)", "7 true"},
		// Promoted methods, method values, and methods of generic types.
		{"type E struct { T; k int }\ne := E{T{9}, 1}\ne.Set(11)\nfmt.Sprint(e.M(true), \" \", e)", "11 true 11s"},
		{"f := e.M[int]\nf(3)", "11 3"},
		{`T.M[string](T{1}, "q")`, "1q"},
		{`type L[A any] struct{ list []A }
func (l L[A]) Map[B any](f func(A) B) L[B] {
	var o L[B]
	for _, a := range l.list {
		o.list = append(o.list, f(a))
	}
	return o
}
fmt.Sprint(L[int]{[]int{1, 2, 3}}.Map(func(i int) string { return fmt.Sprint(i * i) }))`, "{[1 4 9]}"},
		// Redeclared methods, and types that satisfy interfaces although they have generic methods.
		{`func (t T) M[X any](x X) string { return fmt.Sprint("new ", t.n, x) }
fmt.Sprint(e.M(1), " ", t.M(2))`, "new 11 1 new 7 2"},
		{"var st fmt.Stringer = T{8}\nst.String()", "new 8s"},
		{"func g() string { type inside struct{ T }; return inside{T{6}}.M(1) }\ng()", "new 6 1"},
	} {
		if got := run(t, s, c.src); got[0].Value != c.want {
			t.Errorf("%s\ngives %v, want %s", c.src, got[0].Value, c.want)
		}
	}
	// Unsupported uses are rejected at their position.
	_, err := s.Run(t.Context(), engine.Cell{Name: "In[2]", Source: "v := struct{ T }{T{6}}\nv.M(1)"})
	if err == nil || !strings.Contains(err.Error(), "In[2] line 1") || !strings.Contains(err.Error(), "generic method ") {
		t.Error(err)
	}
}
