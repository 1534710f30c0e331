package ixengine

import (
	"fmt"
	"runtime"
	"testing"
)

func TestMapUses(t *testing.T) {
	for _, c := range []struct {
		first  []bool // kinds of the uses, one after the other: true for a write
		then   bool
		refuse string
	}{
		{nil, true, "<nil>"},
		{[]bool{false}, false, "<nil>"},
		{[]bool{true}, true, "concurrent map writes"},
		{[]bool{true}, false, "concurrent map read and map write"},
		{[]bool{false}, true, "concurrent map read and map write"},
		{[]bool{false, false}, true, "concurrent map read and map write"},
	} {
		var u mapUses
		u.enter(2, true) // a use of another map does not conflict
		for _, w := range c.first {
			u.enter(1, w)
		}
		got := func() (got string) {
			defer func() { got = fmt.Sprint(recover()) }()
			u.enter(1, c.then)
			return ""
		}()
		if got != c.refuse {
			t.Errorf("%v, then %v: %s, want %s", c.first, c.then, got, c.refuse)
		}
		for range c.first {
			u.leave(1)
		}
		if got == "<nil>" {
			u.leave(1)
		}
		u.leave(2)
		if len(u.uses) != 0 {
			t.Errorf("%v, then %v: %v are left", c.first, c.then, u.uses)
		}
	}
}

// TestSharedMap makes goroutines use one map until the engine detects it. Go would end the process within
// milliseconds.
func TestSharedMap(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("goroutines that take turns may never meet")
	}
	for _, c := range []struct{ a, b, want string }{
		{"m[i] = 1", "m[i] = 2", "concurrent map writes"},
		{"m[i] = 1", "_ = m[i]", "concurrent map read and map write"},
		{"m[i] = 1", "for range m {}", "concurrent map read and map write"},
		{"m[i] = 1", "clear(m)", "concurrent map writes"},
		{"_, ok := m[i]; _ = ok", "delete(m, i)", "concurrent map read and map write"},
	} {
		v := run(t, fresh(t, Options{}), `import "fmt"
m := map[int]int{}
said := make(chan string, 3)
func note() { if r := recover(); r != nil { said <- fmt.Sprint(r) } }
go func() { defer note(); for len(said) == 0 { for i := range 100 { `+c.a+` } } }()
go func() { defer note(); for len(said) == 0 { for i := range 100 { `+c.b+` } } }()
text := <-said
said <- text // which ends the other one
text`)
		if v[0].Value != c.want {
			t.Errorf("%s beside %s: %v, want %s", c.a, c.b, v[0].Value, c.want)
		}
	}
}
