package ixengine

import (
	"strings"
	"testing"
)

// TestRecoverAcrossCells: a deferred function recovers even if it belongs to another cell's program. This is
// so if it is called through a func value or an interface, or if it was redeclared.
func TestRecoverAcrossCells(t *testing.T) {
	for name, c := range map[string]struct{ cells, want string }{
		"func value":     {"var r any\nf := func() { r = recover() }\n---\nfunc g() { defer f(); panic(1) }\ng()\n---\ng()\ng()\ng()\nr", "1"},
		"unshaped":       {"var r any\nf := func(a [100]int, s ...[40]string) { r = recover() }\n---\nfunc g() { defer f([100]int{}); panic(1) }\ng()\ng()\ng()\nr", "1"},
		"interface":      {"type T struct{ a [3]int }\nfunc (t T) M() { r = recover() }\nvar r any\nvar i interface{ M() } = &struct{ *T }{&T{}}\n---\nfunc g() { defer i.M(); panic(2) }\ng()\ng()\ng()\nr", "2"},
		"method value":   {"type T int\nfunc (t T) M() { r = recover() }\nvar r any\nf := T(1).M\n---\nfunc g(f func()) { defer f(); panic(3) }\ng(f)\ng(f)\ng(f)\nr", "3"},
		"declared again": {"var r any\nfunc f() { r = 0 }\nfunc g() { defer f(); panic(4) }\n---\nfunc f() { r = recover() }\n---\ng()\ng()\ng()\nr", "4"},
		"twice again":    {"var r any\nfunc f() { r = 0 }\nfunc g() { defer f(); panic(4) }\n---\nfunc f() { r = 1 }\n---\nfunc f() { r = recover() }\n---\ng()\ng()\ng()\nr", "4"},
		"method again":   {"var r any\ntype T int\nfunc (t T) M() { r = 0 }\ntype S struct{ T }\nfunc g(i interface{ M() }) { defer i.M(); panic(5) }\n---\nfunc (t T) M() { r = recover() }\n---\ng(S{})\ng(&S{})\ng(T(1))\nr", "5"},
		"value again":    {"var r any\nfunc f() { r = 0 }\nv := f\n---\nfunc f() { r = recover() }\n---\nfunc g() { defer v(); panic(6) }\ng()\ng()\ng()\nr", "6"},
		"not deferred":   {"var r any = 7\nf := func() { r = recover() }\n---\nfunc g() { defer func() { recover() }(); defer func() { f() }(); panic(8) }\ng()\ng()\ng()\nr", "<nil>"},
		"nested":         {"var r []any\nf := func() { r = append(r, recover()) }\n---\nh := func() { defer f(); panic(len(r)) }\n---\nfunc g() { defer f(); defer h(); panic(9) }\ng()\ng()\ng()\nr", "[0 9 2 9 4 9]"},
		"through callbacks": {"import \"sort\"\nvar r any = 7\nf := func(a, b int) bool { r = recover(); return a < b }\n---\n" +
			"func g() { defer func() { recover() }(); defer sort.Slice([]int{2, 1}, f); panic(8) }\ng()\ng()\ng()\nr", "<nil>"},
	} {
		for _, l := range append(Levels[:len(Levels):len(Levels)], warm) {
			undo := l.Force()
			if got := outcome(t, strings.Split(c.cells, "\n---\n")); got != c.want {
				t.Errorf("%s, %s: %s\nwant %s", name, l.Name, got, c.want)
			}
			undo()
		}
	}
}
