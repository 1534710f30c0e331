package ixengine

import (
	"fmt"
	"runtime"
	"testing"
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
