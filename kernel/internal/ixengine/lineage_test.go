package ixengine

import (
	"strings"
	"testing"
)

// TestTypesOf checks which types of cells are found in the types of variables.
func TestTypesOf(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "time"
type A struct{ b B }
type B int
type G[E any] struct{ list []E }
type Alias = A
func (a A) M() {}
a := A{}
p := map[string][]*A{}
g := G[B]{}
f := func(a A) (b B, c chan time.Duration) { return }
alias := Alias{}
n := 1
var nothing any = a
local := func() any { type A struct{}; return A{} }()`)
	for name, want := range map[string]string{
		"a": "A", "p": "A", "g": "B G", "f": "A B", "alias": "A", "n": "", "nothing": "", "local": "", "A": "", "unknown": "",
	} {
		if got := strings.Join(s.TypesOf(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	run(t, s, `a := 1`)
	if got := s.TypesOf("a"); len(got) > 0 {
		t.Errorf("a, declared again, has %v", got)
	}
}
