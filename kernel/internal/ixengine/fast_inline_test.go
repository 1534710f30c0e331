package ixengine

import (
	"strings"
	"testing"
)

// TestInlined runs loops whose calls native code inlines, and from which it exits in the middle of a call.
func TestInlined(t *testing.T) {
	sameFast(t, `
type Random struct { state, calls int }
func (r *Random) Next() int { r.state = (r.state*1103515245 + 12345) & 0x7fffffff; r.calls++; return r.state >> 16 }

type Shape interface { Area() float64; Grow(by float64) Shape }
type Square struct { Side float64 }
type Circle struct { Radius float64; name string }
type Box struct { W, H, D float64; parts []Shape }
type None struct{}
func (s Square) Area() float64 { return s.Side * s.Side }
func (s Square) Grow(by float64) Shape { return Square{s.Side + by} }
func (c Circle) Area() float64 { return 3 * c.Radius * c.Radius + float64(len(c.name)) }
func (c Circle) Grow(by float64) Shape { c.Radius += by; c.name += "."; return c }
func (b *Box) Area() (sum float64) { sum = b.W * b.H; for _, p := range b.parts { if p != nil { sum += p.Area() } }; return sum }
func (b *Box) Grow(by float64) Shape { b.W += by; if len(b.parts) < 3 { b.parts = append(b.parts, Square{by}) }; return b }
func (None) Area() float64 { return 0.5 }
func (None) Grow(float64) Shape { return None{} }

func areas(shapes []Shape, n int) (sum float64) {
	for i := 0; i < n; i++ {
		k := i % len(shapes)
		sum += shapes[k].Area()
		if i%7 == 0 { shapes[k] = shapes[k].Grow(0.5) }
	}
	return sum
}

func counter(step float64) func() float64 { x := 0.0; return func() float64 { x += step; return x } }
func total(n int, f func(int) int) (s int) { for i := range n { s += f(i) }; return s }
func swap(a, b int, p, q *int) (int, int, *int, *int) { return b, a, q, p }
func divide(a, b int) int { writes++; return a / b }
func at(list []int, i int) int { writes += 10; x := list[i]; writes += 100; return x }
var writes int

func collatz(n int) (steps int) { for n != 1 { if n%2 == 0 { n /= 2 } else { n = 3*n + 1 }; steps++ }; return steps }
func even(n int) bool { if n == 0 { return true }; return odd(n - 1) }
func odd(n int) bool { if n == 0 { return false }; return even(n - 1) }
func describe(v any) int {
	switch v := v.(type) {
	case int: return v
	case string: return len(v)
	case Square: return int(v.Side)
	case *Box: return len(v.parts)
	case Shape: return int(v.Area())
	case nil: return -1
	}
	return -2
}
func first(v any) float64 { return v.(Square).Side }

func f() (out []any) {
	r, sum := &Random{state: 1}, 0
	for range 400 { sum += r.Next() }
	out = append(out, sum, r.calls)
	out = append(out, areas([]Shape{Square{2}}, 300), areas([]Shape{Square{2}, Circle{1.5, "c"}, &Box{W: 3, H: 4}}, 300),
		areas([]Shape{None{}, Square{0.5}, Circle{2, ""}, &Box{W: 1, H: 1}, Square{3}}, 300))
	next, other := counter(0.5), counter(2)
	s := 0.0
	for i := range 300 { s += next(); if i%50 == 0 { next, other = other, next } }
	out = append(out, s)
	scale, list := 3, []int{}
	out = append(out, total(300, func(i int) int { return scale*i + 1 }), total(300, func(i int) int { list = append(list, i); return len(list) }),
		total(300, func(i int) int { scale++; return scale }))
	a, b, p, q := 1, 2, new(int), new(int)
	for i := range 301 { a, b, p, q = swap(a+i, b, p, q); *p += a }
	out = append(out, a, b, *p, *q)
	try := func(f func()) { defer func() { out = append(out, writes, recover() != nil) }(); f() }
	try(func() { for i := 200; i > -5; i-- { sum += divide(1000, i) } })
	try(func() { l := make([]int, 150); for i := range 300 { sum += at(l, i) } })
	try(func() { var fs [3]func(int) int; fs[0], fs[1] = collatz, func(i int) int { return -i }; for i := 1; ; i++ { sum += fs[i/100](i) } })
	try(func() { shapes := []Shape{Square{1}, None{}, nil}; for i := 0; ; i++ { s += shapes[i/100].Area() } })
	for i := 1; i < 200; i++ { sum += collatz(i); if even(i) { sum++ } }
	vs := []any{1, "two", Square{3}, &Box{parts: make([]Shape, 4)}, Circle{2, "x"}, nil, 4.5}
	for i := range 350 { sum += describe(vs[i%len(vs)]) }
	try(func() { for i := range 400 { s += first(vs[2+i/399]) } })
	return append(out, sum, s)
}`)
}

// TestInlinedPanic: a panic in an inlined call has the places of all calls.
func TestInlinedPanic(t *testing.T) {
	for _, l := range Levels {
		undo := l.Force()
		s := fresh(t, Options{})
		run(t, s, "type T struct { list []int }\nfunc (t *T) get(i int) int {\n\treturn t.list[i]\n}\nfunc twice(t *T, i int) int {\n\treturn t.get(i) +\n\t\tt.get(i+1)\n}")
		err := fails(t, s, "t := &T{make([]int, 300)}\nsum := 0\nfor i := range 300 {\n\tsum += twice(t, i)\n}")
		undo()
		if got, want := strings.Join(strings.Fields(lines(err)), " "), "[3 7 4]"; got != want {
			t.Errorf("%s: %s", l.Name, got)
		}
	}
}

// TestNativeRecursion runs recursions through interface methods and func values, with few and with many types, with
// panics, and with types that occur only later.
func TestNativeRecursion(t *testing.T) {
	skipOnOneThread(t, "in a browser all tests together have room for a thousand methods")
	sameFast(t, `
type Env struct { x, y float64; depth int }
type Expr interface { Eval(e *Env) float64; Size() int }
type Num float64
type Var struct{}
type Small int
type Pair struct { name string; L, R Expr }
type Add struct { L, R Expr }
type Mul struct { L, R Expr }
type If struct { c func(*Env) bool; a, b Expr }
type List []Expr
type Index struct { xs []float64; i int }
type Neg struct { Expr }
type Loop struct { n int; body Expr }
func (n Num) Eval(*Env) float64 { return float64(n) }
func (Num) Size() int { return 1 }
func (Var) Eval(e *Env) float64 { return e.x }
func (Var) Size() int { return 1 }
func (s Small) Eval(*Env) float64 { return float64(s) }
func (Small) Size() int { return 1 }
func (p Pair) Eval(e *Env) float64 { return p.L.Eval(e) - p.R.Eval(e) + float64(len(p.name)) }
func (p Pair) Size() int { return p.L.Size() + p.R.Size() + 1 }
func (a Add) Eval(e *Env) float64 { return a.L.Eval(e) + a.R.Eval(e) }
func (a Add) Size() int { return a.L.Size() + a.R.Size() }
func (m *Mul) Eval(e *Env) float64 { return m.L.Eval(e) * m.R.Eval(e) / 2 }
func (m *Mul) Size() int { return m.L.Size() + m.R.Size() }
func (i *If) Eval(e *Env) float64 { if i.c(e) { return i.a.Eval(e) }; return i.b.Eval(e) }
func (i *If) Size() int { return i.a.Size() + i.b.Size() }
func (l List) Eval(e *Env) (s float64) { for i, x := range l { s += float64(i) * x.Eval(e) }; return s }
func (l List) Size() (n int) { for _, x := range l { n += x.Size() }; return n }
func (x Index) Eval(e *Env) float64 { return x.xs[x.i+int(e.y)] }
func (Index) Size() int { return 1 }
func (n Neg) Size() int { return n.Expr.Size() + 10 }
func (l *Loop) Eval(e *Env) float64 { e.depth++; s := 0.0; for range l.n { s += l.body.Eval(e) }; e.depth--; return s }
func (l *Loop) Size() int { return l.body.Size() }

func tree(d, kinds int) Expr {
	if d <= 0 {
		switch d & 3 { case 0: return Num(d) + 0.5; case 1: return Small(-d); case 2: return Var{} }
		return Index{[]float64{1, 2, 3}, -d & 1}
	}
	switch d * 7 % kinds {
	case 0: return Add{tree(d-1, kinds), tree(d-2, kinds)}
	case 1: return &Mul{tree(d-1, kinds), tree(d-3, kinds)}
	case 2: return Pair{"abc"[:d&3], tree(d-1, kinds), tree(d-2, kinds)}
	case 3: return &If{func(e *Env) bool { return e.x > float64(d) }, tree(d-2, kinds), tree(d-1, kinds)}
	case 4: return List{tree(d-1, kinds), tree(d-2, kinds), tree(d-3, kinds)}
	case 5: return Neg{tree(d-1, kinds)}
	}
	return &Loop{2, tree(d-2, kinds)}
}

func try(f func()) (err any) { defer func() { err = recover() }(); f(); return nil }

func f() (out []any) {
	for kinds := 1; kinds <= 7; kinds++ {
		e := tree(14, kinds)
		env := &Env{x: 3, y: 1}
		out = append(out, e.Size())
		for i := range 6 { env.x = float64(i); out = append(out, e.Eval(env)) }
		env.y = 9
		out = append(out, try(func() { e.Eval(env) }) != nil, env.depth >= 0)
		env.depth = 0
		out = append(out, try(func() { e.Eval(nil) }) != nil, try(func() { Add{e, nil}.Eval(env) }) != nil)
	}
	var fib func(n int) int
	calls := 0
	fib = func(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
	counted := func(n int) int { calls++; return fib(n) }
	for n := range 18 { out = append(out, fib(n), counted(n)) }
	out = append(out, calls)
	var even, odd func(n int) bool
	even = func(n int) bool { return n == 0 || odd(n-1) }
	odd = func(n int) bool { return n != 0 && even(n-1) }
	for n := range 300 { if even(n) == odd(n) { out = append(out, n) } }
	out = append(out, even(3000), odd(3001))
	step := 1
	var sum func(n int, f func(int) int) int
	sum = func(n int, f func(int) int) int { if n == 0 { return 0 }; return f(n) + sum(n-step, f) }
	for k := range 12 { out = append(out, sum(60, func(n int) int { return n * k })) }
	step = 2
	out = append(out, sum(60, func(n int) int { return n }), try(func() { sum(3, nil) }) != nil)
	return out
}`, "f()", `type Late struct { x float64 }
func (l Late) Eval(e *Env) float64 { return l.x * e.x }
func (Late) Size() int { return 100 }
func g() (out []any) {
	e := tree(12, 2)
	env := &Env{x: 2}
	for i := range 400 { s := Add{e, Late{float64(i)}}; if i > 390 { out = append(out, s.Eval(env), s.Size()) } else { s.Eval(env) } }
	return out
}
g()`)
}

// TestNativeReslices runs loops that store slices with the same pointer and another length, and some with another
// pointer.
func TestNativeReslices(t *testing.T) {
	sameFast(t, `
type Stack struct { st []int; names []string; next *Stack; last int }
func (v *Stack) push(x int) { v.st = append(v.st, x) }
func (v *Stack) pop() int { x := v.st[len(v.st)-1]; v.st = v.st[:len(v.st)-1]; return x }
func (v *Stack) Len() int { return len(v.st) }
func try(f func()) (err any) { defer func() { err = recover() }(); f(); return nil }
var global []float64
func f() (out []any) {
	v := &Stack{}
	for i := range 500 { v.push(i); if i%3 == 0 { v.push(v.pop() + v.pop0(i)) } }
	for v.Len() > 7 { v.last += v.pop() * v.Len() }
	out = append(out, v.last, v.Len(), v.st)
	for i := range 900 {
		if len(v.st) == 0 { v.st = v.st[:5] }
		v.st[i%len(v.st)] += i
		v.st = v.st[:len(v.st)-1]
		v.last += len(v.st) + cap(v.st)
	}
	out = append(out, v.last, len(v.st), v.st[:5])
	for i := range 300 { v.st = v.st[1:]; v.push(i); v.last ^= v.st[0] + len(v.st) }
	out = append(out, v.last, len(v.st))
	for i := range 400 { v.names = append(v.names, "ab"[:i%3]); if len(v.names) > 5 { v.names = v.names[:2] }; v.last += len(v.names[len(v.names)-1]) }
	out = append(out, v.last, v.names)
	for i := range 300 { global = append(global, float64(i)); if len(global) == 40 { global = global[:0] } }
	out = append(out, len(global), cap(global) >= 40, global[len(global)-1])
	s := v.st[:cap(v.st)]
	v.st = s[:min(200, len(s))]
	for i := range 400 { v.last += len(v.st); if i > 2 && len(v.st) > 3 { v.st = v.st[:len(v.st)-1] } }
	for i := 0; i < 500; i++ { n := len(v.st); if n < len(s) { v.st = s[:n+1] } else { v.st = s[:0] }; v.last += n * i }
	out = append(out, v.last, len(v.st))
	v.st = s[:3]
	a, b := &Stack{last: 1}, &Stack{last: 2}
	a.next, b.next = b, b
	for i := range 400 { a.next = b; if i%100 == 99 { a, b = b, a }; v.last += a.next.last*i; a.next.next = a.next.next }
	out = append(out, v.last, a.next == b, b.next == b)
	out = append(out, try(func() { for range 1000 { v.pop() } }) != nil, v.Len())
	return out
}
func (v *Stack) pop0(i int) int { if i%2 == 0 { v.push(i); v.push(i); v.st = v.st[:len(v.st)-1] } else { v.push(1) }; return v.pop() }`, "f()")
}
