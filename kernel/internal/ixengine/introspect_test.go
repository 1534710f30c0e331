package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/engine"
)

func TestNames(t *testing.T) {
	s := fresh(t, Options{Predeclared: map[string]string{"clock": "time"}})
	if n := s.Names(); len(n.Variables) != 0 || len(n.Decls) != 0 || n.Imports["clock"] != "time" {
		t.Errorf("an empty session has %+v", n)
	}
	run(t, s, `import ("fmt"; "time")
import . "errors"
// T is a type.
type T struct{ A int }
// String gives A.
func (t T) String() string { return fmt.Sprint(t.A) }
const ( a = iota; b )
func f() {}
d := map[string]*T{}
e := func(time.Duration) error { return New("") }`)
	n := s.Names()
	if n.Imports["fmt"] != "fmt" || n.Imports["time"] != "time" || len(n.Dots) != 1 || n.Dots[0] != "errors" {
		t.Errorf("imports %v, with dots %v", n.Imports, n.Dots)
	}
	var got []string
	for _, d := range n.Decls {
		got = append(got, strings.Join(d.Names, "+"))
		if !strings.Contains(d.Cell.Source, "// T is a type.") || d.Cell.Name != "In[1]" || strings.Contains(d.Source, "oc__") {
			t.Errorf("%v: %+v", d.Names, d)
		}
	}
	for _, v := range n.Variables {
		got = append(got, fmt.Sprint(v.Name, " ", v.Type, " ", v.Packages))
	}
	if got, want := strings.Join(got, "; "), "T; T.String; a+b; f; d map[string]*T map[]; e func(time.Duration) error map[time:time]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Names() != n {
		t.Error("nothing has changed, but the answer has")
	}
	run(t, s, `clock := 3`)
	if path := s.Names().Imports["clock"]; path != "" {
		t.Errorf("clock is a variable now, and the package %s too", path)
	}
	if _, err := s.Run(context.Background(), engine.Cell{Name: "In[2]", Source: "wrong := 1 + nothing"}); err == nil {
		t.Fatal("no error")
	}
	for _, v := range s.Names().Variables {
		if v.Name == "wrong" {
			t.Error("a cell that does not type-check has declared something")
		}
	}
}

func TestPeek(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "x := 42")
	var got any
	if !s.Peek("x", func(p any) { got = *p.(*int) }) || got != 42 {
		t.Errorf("x is %v", got)
	}
	for _, name := range []string{"y", "", "T"} {
		if s.Peek(name, func(any) {}) {
			t.Errorf("%q can be seen", name)
		}
	}
}

// TestPeekHoldsCells: no cell writes to a variable while Peek reads it.
func TestPeekHoldsCells(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, stopPrelude+"\nm := map[int]int{}\nbig := make([]float64, 1<<20)\nf := func() string { return \"called\" }")
	if name, bytes := s.largest(); name != "big" || bytes != 8<<20 {
		t.Errorf("largest is %s, %d bytes", name, bytes)
	}
	// The reader can call functions of cells.
	var text string
	if !s.Peek("f", func(p any) { text = (*p.(*func() string))() }) || text != "called" {
		t.Errorf("f gives %q", text)
	}
	// Meanwhile a timer's function waits.
	run(t, s, "written := make(chan bool, 1)\nlater := func() { slow.Later(20*time.Millisecond, func() { m[1]++; written <- true }) }")
	var later func()
	s.Peek("later", func(p any) { later = *p.(*func()) })
	if !s.Peek("m", func(p any) {
		later()
		time.Sleep(60 * time.Millisecond)
		if n := len(*p.(*map[int]int)); n != 0 {
			t.Errorf("%d elements came while they were looked at", n)
		}
	}) {
		t.Error("m cannot be seen")
	}
	if n := run(t, s, "<-written\nlen(m)")[0].Value; n != 1 {
		t.Errorf("the timer's function has written %v elements", n)
	}
	run(t, s, "go func() { for { m[len(m)] = 1 } }()")
	if s.Peek("m", func(any) {}) {
		t.Error("a map can be seen that a goroutine writes to")
	}
	if name, _ := s.largest(); name != "" {
		t.Errorf("%s was looked at while a goroutine runs", name)
	}
	s.StopGoroutines()
	if !s.Peek("m", func(any) {}) {
		t.Error("m cannot be seen when its goroutine has ended")
	}
}

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
