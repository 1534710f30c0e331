package ixengine

import (
	"fmt"
	"testing"
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
