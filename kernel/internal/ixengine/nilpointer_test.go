package ixengine

import "testing"

// TestNilPointers: cells recover Go's own runtime errors for nil pointers.
func TestNilPointers(t *testing.T) {
	const want = "runtime error: invalid memory address or nil pointer dereference"
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `type pair struct{ a, b int }
type named interface{ name() int }
func message(f func()) (s string) {
	defer func() { s = recover().(error).Error() }()
	f()
	return
}
var number *int
var text *string
var both *pair
var list *[]int
var anything *any
var failure error
var thing named
var function func()`)
			for _, src := range []string{
				"*number = 2", "*number++", "x := *number; _ = x", "*text = \"a\"", "*both = pair{}", "both.b = 1", "x := both.a; _ = x",
				"*list = nil", "(*list)[0] = 1", "*anything = nil", "failure.Error()", "thing.name()", "function()",
			} {
				if got := run(t, s, "message(func() { "+src+" })")[0].Value; got != want {
					t.Errorf("%s: %v", src, got)
				}
			}
		})
	}
}
