package ixengine

import (
	"context"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/engine"
)

// ends runs a cell that must end by itself with a panic; the string what must be part of the panic's text.
func ends(t *testing.T, s *Session, src, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := s.Run(ctx, engine.Cell{Name: "In[1]", Source: src})
	e, ok := err.(*engine.Error)
	if !ok || e.Kind != engine.Panic || !strings.Contains(e.Message, what) {
		t.Errorf("%s\nended with %v, want %q", src, err, what)
	}
	if got := run(t, s, "kept + 1")[0].Value; got != 42 {
		t.Errorf("%s\nkept + 1 is %v afterwards", src, got)
	}
}

// TestDeepRecursion recurses far deeper than the browser's own stack allows, and returns.
func TestDeepRecursion(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "fmt"
kept := 41
func down(n int) int { if n == 0 { return 0 }; return down(n-1) + 1 }
func text(n int) string { if n == 0 { return "" }; return "x" + text(n-1) }
type nest struct { n int }
func (d nest) String() string { if d.n == 0 { return "end" }; return fmt.Sprint(nest{d.n-1}) }
func caught(n int) (err any) { defer func() { if r := recover(); r != nil { err = r } }(); if n > 0 { return caught(n-1) }; panic("bottom") }`)
	for src, want := range map[string]any{
		"down(9000)": 9000, "down(30000)": 30000, "len(text(5000))": 5000, "fmt.Sprint(nest{1000})": "end", "caught(2000)": "bottom",
	} {
		if got := run(t, s, src)[0].Value; got != want {
			t.Errorf("%s is %v", src, got)
		}
	}
}

// TestEndlessRecursion: an overflow of the browser's stack would end the kernel.
func TestEndlessRecursion(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("encoding/json"; "fmt"; "sort")
kept := 41
func number(n int) int { return number(n+1) + 1 }
func text(s string) string { return text("x") + s }
func ping(n int) { pong(n) }
func pong(n int) { defer func() { n++ }(); ping(n) }
type T struct{}
func (T) String() string { return fmt.Sprint(T{}) }
type E struct{}
func (E) Error() string { return fmt.Sprintf("%v", E{}) }
type J struct{}
func (J) MarshalJSON() ([]byte, error) { return json.Marshal(J{}) }
func sorts() { xs := []int{2, 1}; sort.Slice(xs, func(i, j int) bool { sorts(); return i < j }) }`)
	for _, c := range []struct{ src, what string }{
		{"number(0)", stackOverflow},
		{"text(\"\")", stackOverflow},
		{"fmt.Println(T{})", "endless recursion in T.String"},
		{"fmt.Println(E{})", "endless recursion in E.Error"},
		{"json.Marshal(J{})", "endless recursion in J.MarshalJSON"},
		{"go number(0); select {}", stackOverflow},
		{"sorts()", "endless recursion in "},
		{"ping(0)", stackOverflow},
	} {
		begin := time.Now()
		ends(t, s, c.src, c.what)
		t.Log(c.src, "ended after", time.Since(begin))
	}
}

// TestMemoryOfBrowser: of 4 GiB, 3 GiB may be in use; the rest is for uncollected garbage.
func TestMemoryOfBrowser(t *testing.T) {
	s := fresh(t, Options{})
	if n := s.memory.limit; n != 3<<30 {
		t.Errorf("limit %s", gib(float64(n)))
	}
	run(t, s, "kept := 41\nvar big []byte\nvar all [][]byte\ntext := \"ab\"")
	ends(t, s, "big = make([]byte, 3<<30)", "make([]byte, 3221225472) needs 3.0 GiB")
	ends(t, s, "n := 1 << 29; _ = make([]float64, n)", "needs 4.0 GiB")
	// The cases below use less memory, because this machine may not have 4 GiB.
	s = fresh(t, Options{MemoryLimit: used() + 200<<20})
	run(t, s, "kept := 41\nvar all [][]byte\ntext := \"ab\"")
	ends(t, s, "for { all = append(all, make([]byte, 50<<20)) }", "out of memory: make([]byte")
	run(t, s, "all = nil")
	ends(t, s, "for { all = append(all, make([]byte, 1000)) }", "; all holds ")
	run(t, s, "all = nil")
	ends(t, s, "for { text += text }", "out of memory: the longer string needs ")
}

// alone returns true: in a browser there is only one process.
func alone(*testing.T) bool { return true }
