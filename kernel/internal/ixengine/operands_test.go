package ixengine

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/internal/randprog"
)

// TestOperands executes each instruction with values of each kind of type, above all with zero values: nil
// interfaces, nil pointers to arrays, empty structs, nil functions. The interpreter executes many instructions by
// package reflect, which treats such values differently, and register code has a case for each kind. Normally the test
// takes only a third of the types (see patience.LeftOut).
func TestOperands(t *testing.T) {
	patience.SkipShort(t, "it runs programs again and again, at each level")
	if !alone(t) {
		return
	}
	var names, sources []string
	for _, o := range operandTypes {
		if patience.LeftOut(o.typ) {
			continue
		}
		names, sources = append(names, o.typ), append(sources, o.program())
	}
	want := compiledOutput(t, names, sources)
	for i, src := range sources {
		t.Run(names[i], func(t *testing.T) {
			if d := differs(t, src, randprog.TwoCells, want[i]); d != nil {
				t.Errorf("%s: %s", d.level.Name, firstDifference(d.want, d.got))
			}
			_, cells := randprog.Again(src, timesWarm)
			compareWarm(t, cells, strings.Repeat(want[i], timesWarm))
		})
	}
}

// An operandType is a type whose values are operands. value is an expression other than the zero value.
type operandType struct {
	typ, value string
	compare    bool // values can be compared, and be keys
}

var operandTypes = []operandType{
	{"any", "any(7)", true},
	{"error", "error(oops)", true},
	{"fmt.Stringer", "fmt.Stringer(name(\"s\"))", true},
	{"failing", "failing(oops)", true},
	{"*int", "new(int)", true},
	{"*[2]int", "&[2]int{1, 2}", true},
	{"*struct{ f any }", "&struct{ f any }{3}", true},
	{"[]any", "[]any{nil, 1}", false},
	{"map[any]error", "map[any]error{nil: nil}", false},
	{"func() any", "func() any { return nil }", false},
	{"chan any", "make(chan any, 1)", true},
	{"<-chan error", "make(<-chan error)", true},
	{"struct{}", "struct{}{}", true},
	{"[0]any", "[0]any{}", true},
	{"[2]any", "[2]any{nil, 2}", true},
	{"[1]error", "[1]error{oops}", true},
	{"struct{ a any; e error }", "struct{ a any; e error }{1, oops}", true},
	{"struct{ p *[3]int; f func() }", "struct{ p *[3]int; f func() }{new([3]int), nil}", false},
	{"[2]struct{ a any; n int8 }", "[2]struct{ a any; n int8 }{{nil, 1}, {2, 3}}", true},
	{"name", "name(\"n\")", true},
	{"number", "number(5)", true},
	{"bool", "true", true},
	{"int8", "int8(-3)", true},
	{"uint64", "uint64(1<<63)", true},
	{"float32", "float32(1.5)", true},
	{"complex64", "complex64(1+2i)", true},
	{"complex128", "complex(0, -1)", true},
	{"string", "\"text\"", true},
	{"[]byte", "[]byte(\"b\")", false},
	{"uintptr", "uintptr(9)", true},
	{"unsafe.Pointer", "unsafe.Pointer(&oops)", true},
	{"list", "list{1, nil}", false},
	{"pair[any]", "pair[any]{1, nil}", true},
	{"*pair[error]", "&pair[error]{oops, nil}", true},
	{"reflect.Value", "reflect.ValueOf(3)", false},
	{"reflect.Type", "reflect.TypeOf(3)", true},
}

// operations holds bodies of functions. In them T stands for the type, V for the value that is not zero, and Z
// for the zero value.
var operations = []struct {
	body    string
	compare bool // the body needs values that can be compared
}{
	{"var x T; p := &x; show(*p); *p = V; show(x); *p = Z; show(*p)", false},
	{"global = V; show(global); p := &global; *p = Z; show(global)", false},
	{"var p *T; show(*p)", false},
	{"var p *T; *p = V", false},
	{"var p *T; *p = Z", false},
	{"type S struct { n int8; f T; g *S }; s := S{1, V, nil}; show(s.f); s.f = Z; show(s.f); p := &s; p.f = V; show(p.f); q := *p; show(q.f); p.g.f = Z", false},
	{"type S struct { n int8; f T }; f := func(x T) S { return S{2, x} }; show(f(V).f); show(f(Z).f)", false},
	{"type S struct { T1 struct { f T } }; var p *S; show(p.T1.f)", false},
	{"f := func(x T) [2]T { return [2]T{1: x} }; i := len(os); show(f(V)[i]); show(f(V)[1]); show(f(Z)[i]); show(f(V)[i+2])", false},
	{"var a [2]T; i := len(os); a[i] = V; show(a[0]); show(a[i]); p := &a; p[i] = Z; show(p[i]); show(p[i+5])", false},
	{"var p *[2]T; i := len(os); show(len(p)); p[i] = V", false},
	{"var p *[2]T; i := len(os); show(p[i])", false},
	{"var p *[2]T; s := p[:]; show(len(s))", false},
	{"var p *[0]T; s := p[:]; show(len(s))", false},
	{"var p *[2]T; for i := range p { show(i) }; for i, x := range p { show(i); show(x) }", false},
	{"a := [2]T{V, Z}; for i, x := range a { show(i); show(x) }; for _, x := range &a { show(x) }; for _, x := range a[:1] { show(x) }", false},
	{"s := []T{V, Z}; s = append(s, Z, V); s = append(s, s[1:]...); for _, x := range s { show(x) }; show(copy(s, s[2:])); show(s[0]); clear(s); show(s[0]); show(s[9])", false},
	{"var s []T; s = append(s, s...); show(s == nil); s = append(s, Z); show(s[0]); s = append(s[:0:0], V); show(s[0]); show(cap(s[:0:0])); s[1] = Z", false},
	{"s := []T{V, Z, V}; a := [2]T(s); show(a[0]); show(a[1]); p := (*[2]T)(s); p[1] = V; show(s[1]); s = nil; q := (*[0]T)(s); show(q == nil); _ = [1]T(s)", false},
	{"m := map[int]T{1: V, 2: Z}; show(len(m)); show(m[1]); show(m[2]); show(m[3]); x, ok := m[2]; show(x); show(ok); x, ok = m[7]; show(x); show(ok); m[1] = Z; m[4] = Z; show(len(m)); delete(m, 1); delete(m, 9); show(len(m)); clear(m); show(len(m))", false},
	{"var m map[int]T; show(m[0]); x, ok := m[1]; show(x); show(ok); delete(m, 1); for range m { show(0) }; m[1] = Z", false},
	{"m := map[string]T{\"a\": V, \"b\": Z}; n := 0; for k, x := range m { if k == \"b\" { show(x) }; n++ }; show(n)", false},
	{"m := map[T]int{V: 1, Z: 2}; show(len(m)); show(m[Z]); m[Z]++; m[Z] += 3; show(m[Z]); x, ok := m[Z]; show(x); show(ok); delete(m, Z); show(m[Z]); m[Z] = 5; for k, x := range m { if k == Z { show(k); show(x) } }", true},
	{"m := map[[1]T]T{{Z}: Z, {V}: V}; show(len(m)); x, ok := m[[1]T{}]; show(x); show(ok); delete(m, [1]T{Z}); show(len(m))", true},
	{"m := map[struct{ a, b T }][]T{}; k := struct{ a, b T }{b: Z}; m[k] = append(m[k], Z, V); show(len(m[k])); show(m[k][1])", true},
	{"m := map[any]T{}; m[Z] = Z; show(len(m)); x, ok := m[any(Z)]; show(x); show(ok)", true},
	{"x, y := V, Z; show(x == y); show(y == Z); show(any(x) == any(y)); show(any(y) == any(Z)); show(any(y) == nil); show([1]T{y} == [1]T{}); show(struct{ a T }{x} != struct{ a T }{})", true},
	{"c := make(chan T, 3); c <- V; c <- Z; show(<-c); show(<-c); close(c); show(<-c); x, ok := <-c; show(x); show(ok); c <- Z", false},
	{"c, d := make(chan T, 1), make(chan T); select { case c <- Z: show(1); case x := <-d: show(x) }; select { case x, ok := <-c: show(x); show(ok); case d <- V: show(2) }; close(d); select { case x, ok := <-d: show(x); show(ok) }; select { case x := <-c: show(x); default: show(3) }", false},
	{"c := make(chan T); go func() { c <- Z; c <- V; close(c) }(); for x := range c { show(x) }", false},
	{"var x any = V; show(x.(T)); y, ok := x.(T); show(y); show(ok); x = Z; y, ok = x.(T); show(y); show(ok); x = wrong{}; y, ok = x.(T); show(y); show(ok); show(x.(T))", false},
	{"var x any = Z; switch y := x.(type) { case nil: show(1); case T: show(y) }; x = V; switch y := x.(type) { case wrong: show(2); case T, *wrong: show(y); default: show(3) }", false},
	{"var x any; y, ok := x.(T); show(y); show(ok); show(x.(T))", false},
	{"x := Z; if len(os) > 0 { x = V }; show(x); for i := range 3 { if i == 1 { x = Z }; show(x) }", false},
	{"x := V; f := func() T { return x }; show(f()); x = Z; show(f()); g := func(y T) func() T { return func() T { x, y = y, x; return y } }; h := g(V); show(h()); show(h())", false},
	{"f := func(x T, more ...T) (T, int, T) { return x, len(more), append(more, x)[0] }; show3(f(Z)); show3(f(V, Z)); show3(f(Z, []T{V, Z}...)); show3(f(Z, nil...))", false},
	{"defer func(x, y T) { show(x); show(y) }(V, Z); defer show(Z); defer show(V); x := V; defer func() { show(x) }(); x = Z", false},
	{"done := make(chan int); go func(x, y T) { defer close(done); show(x); show(y) }(Z, V); <-done", false},
	{"f := func() (x T, err error) { defer func() { recover(); show(x) }(); x = V; defer func() { x = Z }(); panic(1) }; x, err := f(); show(x); show(err)", false},
	{"b := &box[T]{}; show(b.get()); b.set(V); show(b.get()); f := b.get; g := b.set; b.set(Z); show(f()); g(V); show(b.v); (*box[T]).set(b, Z); show((*box[T]).get(b)); var i interface { get() T; set(T) } = b; i.set(V); show(i.get())", false},
	{"var b *box[T]; show(b.get())", false},
	{"var b *box[T]; b.set(V)", false},
	{"var i interface{ get() T }; show(i.get())", false},
	{"x, y := two(V, Z); show(x); show(y); x, y = two(x, y); show(x); show(y); x, y = y, x; show(x); a := [2]T{x, y}; a[0], a[1] = a[1], a[0]; show(a[0])", false},
	{"type U T; u := U(V); show(T(u)); u = U(Z); show(T(u)); type A struct { x T }; type B struct { x T }; b := B(A{V}); show(b.x); p := (*B)(&A{}); show(p.x)", false},
	{"show(id(V)); show(id(Z)); show(zero[T]()); f := id[T]; show(f(Z)); show(apply(Z, id[T])); for i, x := range pairs(V, Z) { show(i); show(x) }", false},
	{"p := new(T); show(*p); q := &struct{ p *T }{p}; *q.p = V; show(*p); r := &q.p; **r = Z; show(*p); *r = nil; show(**r)", false},
	{"var a [2][2]T; i := len(os); a[i][i] = V; b := a; b[i][i] = Z; show(a[i][i]); show(b[i][i]); a[0], a[1] = a[1], a[0]; show(a[0][i]); s := a[:]; show(s[0][1]); s[i] = [2]T{}; show(a[i][i])", false},
	{"s := make([]T, 2, 4); show(s[1]); show(cap(s)); s[1] = V; u := s[1:3:3]; show(u[0]); show(u[1]); u = append(u, V); u[0] = Z; show(s[1]); ss := [][]T{s, nil}; ss[1] = append(ss[1], ss[0]...); show(ss[1][1])", false},
	{"v := reflect.ValueOf(V); show(v.IsValid()); w := reflect.New(reflect.TypeFor[T]()).Elem(); show(w.IsZero()); show(w.Interface()); x := Z; y := reflect.ValueOf(&x).Elem(); z := V; y.Set(reflect.ValueOf(&z).Elem()); show(x)", false},
}

var valueWords = regexp.MustCompile(`\b[VZ]\b`)

// program returns a program that executes all operations with values of type o.
func (o operandType) program() string {
	var b strings.Builder
	fmt.Fprintf(&b, `package main

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

var os = []int{1}
var oops = errors.New("oops")
type wrong struct{ w int }
type name string
func (n name) String() string { return "name " + string(n) }
type number int
func (n *number) inc() { *n++ }
type list []any
type failing interface{ Error() string }
type pair[E any] struct{ a, b E }
type box[E any] struct{ v E }
func (b *box[E]) get() E { return b.v }
func (b *box[E]) set(v E) { b.v = v }
func id[E any](e E) E { return e }
func zero[E any]() (e E) { return }
func apply[E any](e E, f func(E) E) E { return f(e) }
func two[E any](a, b E) (E, E) { return b, a }
func pairs[E any](a, b E) func(func(int, E) bool) { return func(yield func(int, E) bool) { _ = yield(0, a) && yield(1, b) } }
var _ unsafe.Pointer

type T = %s
var global T
func Z() (z T) { return }
func V() T { return %s }

// show prints a value without addresses.
func show(x any) {
	v := reflect.ValueOf(x)
	if !v.IsValid() { fmt.Println("nil"); return }
	fmt.Print(v.Type(), " ")
	if e, ok := x.(error); ok && e != nil { fmt.Println(e); return }
	if u, ok := x.(reflect.Value); ok { fmt.Println(u.IsValid()); return }
	if u, ok := x.(reflect.Type); ok { fmt.Println(u); return }
	describe(v)
	fmt.Println()
}
func describe(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Print("nil ", v.IsNil())
	case reflect.Interface:
		if v.IsNil() { fmt.Print("nil"); return }
		describe(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() { fmt.Print("nil"); return }
		for i := range v.Len() { fmt.Print("["); describe(v.Index(i)); fmt.Print("]") }
	case reflect.Struct:
		for i := range v.NumField() { fmt.Print("{"); describe(v.Field(i)); fmt.Print("}") }
	case reflect.Map:
		fmt.Print(v.IsNil(), v.Len())
	default:
		fmt.Print(v)
	}
}
func show3(a T, n int, b T) { show(a); show(n); show(b) }
func try(f func()) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok { fmt.Println("error", e); return }
			fmt.Printf("%%T %%v\n", p, p)
		}
	}()
	f()
}
`, o.typ, o.value)
	var calls strings.Builder
	for i, op := range operations {
		if op.compare && !o.compare {
			continue
		}
		fmt.Fprintf(&b, "func F%d() { %s }\n", i, valueWords.ReplaceAllString(op.body, "$0()"))
		fmt.Fprintf(&calls, "\tfmt.Println(%d)\n\ttry(F%d)\n", i, i)
	}
	return b.String() + "func Run() {\n" + calls.String() + "}\n"
}
