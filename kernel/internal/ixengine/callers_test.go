package ixengine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"overcomplete/kernel/internal/callers"
	"overcomplete/ui/cell"
)

// TestFunctionPointers compares functions of several cells by reflect.Value.Pointer, and asks for their names.
func TestFunctionPointers(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("reflect"; "runtime"; "strings")
type T struct{}
func (T) M() {}
func f() {}
func g() {}
func name(x any) string { return runtime.FuncForPC(reflect.ValueOf(x).Pointer()).Name() }
func line(x any) int { p := runtime.FuncForPC(reflect.ValueOf(x).Pointer()); _, n := p.FileLine(p.Entry()); return n }
func same(x, y any) bool { return reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer() }
var all = map[string]any{"f": f, "g": g, "T.M": T.M, "bound": T{}.M, "literal": func() {}, "compiled": strings.ToUpper}
maker := func(n int) func() int { return func() int { return n } }
first := maker(1)`)
	run(t, s, `func name2(x any) string { return runtime.FuncForPC(reflect.ValueOf(x).Pointer()).Name() }`)
	for src, want := range map[string]string{
		`[]string{name(f), name(g), name(T.M), name(T{}.M), name(strings.ToUpper)}`:                                  "[main.f main.g main.T.M main.T.M-fm strings.ToUpper]",
		`[]string{name2(all["f"]), name2(all["T.M"]), name2(all["bound"]), name(all["compiled"])}`:                   "[main.f main.T.M main.T.M-fm strings.ToUpper]",
		`[]bool{same(f, f), same(f, all["f"]), same(all["g"], g), same(T.M, all["T.M"]), same(T{}.M, all["bound"])}`: "[true true true true true]",
		`[]bool{same(f, g), same(f, all["g"]), same(all["literal"], f), same(f, strings.ToUpper), same(first, f)}`:   "[false false false false false]",
		`[]bool{same(first, maker(2)), reflect.ValueOf(f).Pointer() == uintptr(reflect.ValueOf(f).UnsafePointer())}`: "[true true]",
		`[]int{line(f), line(all["g"]), line(all["T.M"])}`:                                                           "[4 5 3]",
		`runtime.FuncForPC(^uintptr(0)) == nil`:                                                                      "true",
	} {
		if got := fmt.Sprint(run(t, s, src)[0].Value); got != want {
			t.Errorf("%s gives %s, want %s", src, got, want)
		}
	}
	run(t, s, "func f() { g() }")
	if got := run(t, s, `same(f, all["f"])`)[0].Value; got != false {
		t.Error("a function that was declared again has the pointer of the older one")
	}
}

// TestCalls: code that looks at the stack sees the calls of cells, in cells and in compiled code that they call. The
// compiled function is cell.Panicked.
func TestCalls(t *testing.T) {
	s := fresh(t, Options{})
	before := cell.SetPanicked(func(value any) bool {
		value.(func([]string))(describe(callers.CallersFrames(s.Calls())))
		return true
	})
	t.Cleanup(func() { cell.SetPanicked(before) })
	callers.Watch()
	run(t, s, `import ("overcomplete/ui/cell"; "runtime"; "sort"; "fmt")
var seen []string
func look() { cell.Panicked(func(calls []string) { seen = calls }) }
func f(n int) { if n == 0 { look(); return }; f(n - 1) }
type T struct{}
func (T) String() string { look(); return "T" }
func own() (list []string) {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for {
		f, more := frames.Next()
		if !more { return list } // the last is runtime.goexit
		list = append(list, f.Function)
	}
}`)
	run(t, s, "func f(n int) {\nif n == 0 { look(); return }\nf(n - 1) }")
	for src, want := range map[string]string{
		"f(1)\nseen": "[main.look:3 main.f:2 main.f:3 main.main:1]",
		"xs := []int{2, 1}\nsort.Slice(xs, func(i, j int) bool {\nlook(); return false })\nseen": "[main.look:3 main.main.func1:3 main.main:2]",
		"_ = fmt.Sprint(T{})\nseen": "[main.look:3 main.T.String:6 main.main:1]",
		"done := make(chan bool)\ngo func() { f(0); done <- true }()\n<-done; seen": "[main.look:3 main.f:2 main.main.func1:2]",
		"func() { defer func() { recover(); f(0) }()\npanic(1) }()\nseen":           "[main.look:3 main.f:2 main.main.func1.1:1 runtime.gopanic main.main.func1:2 main.main:2]",
		"own()": "[runtime.Callers main.own main.main]",
	} {
		for range 2 {
			if got := fmt.Sprint(run(t, s, src)[0].Value); got != want {
				t.Errorf("%s gives\n%s, want\n%s", src, got, want)
			}
		}
	}
}

// describe returns the functions and lines of frames.
func describe(frames *runtime.Frames) (list []string) {
	for {
		f, more := frames.Next()
		if name := f.Function; strings.HasPrefix(name, "runtime.") {
			list = append(list, name)
		} else {
			list = append(list, fmt.Sprintf("%s:%d", name, f.Line))
		}
		if !more {
			return list
		}
	}
}
