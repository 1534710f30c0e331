package ixengine

import (
	"strings"
	"testing"
)

// TestUnnamedInterface: a variable of an unnamed interface type keeps its value, type and address across
// cells.
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
	// A variable with an unnamed interface type that mentions a type of a cell still loses its value, and a
	// message says so.
	run(t, s, "type Q int\ntype R struct{}\nfunc (R) Q() Q { return 1 }\nvar q interface{ Q() Q } = R{}")
	if e := fails(t, s, "q.Q()"); !strings.Contains(e.Message, "is lost") {
		t.Error(e)
	}
}
