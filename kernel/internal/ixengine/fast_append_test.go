package ixengine

import "testing"

func TestFastAppend(t *testing.T) {
	sameFast(t, `import ("errors"; "fmt")
type point struct { x, y int16; name string; err error }
type node struct{ next *node }
func f() (out []any) {
	var ints []int
	var bytes []byte
	var texts []string
	var points []point
	var errs []error
	var anys []any
	var nodes []*node
	var singles []float32
	var funcs []func() int
	var empty []struct{}
	var flags []bool
	caps := 0
	for i := range 70 {
		ints = append(ints, i, -i, i*i)
		bytes = append(append(bytes, byte(i)), "xy"...)
		texts = append(texts, fmt.Sprint(i))
		points = append(points, point{int16(i), -1, "p", nil}, point{err: errors.New("e")})
		errs = append(errs, nil, points[i].err, points[len(points)-1].err)
		anys = append(anys, i, nil, errs[i], texts[0])
		nodes = append(nodes, &node{})
		nodes[i].next = nodes[i/2]
		singles = append(singles, float32(i)/3)
		funcs = append(funcs, func() int { return i })
		empty = append(empty, struct{}{})
		flags = append(flags, i > 3 && i%2 == 0)
		caps += cap(ints) + cap(bytes) + cap(texts) + cap(points) + cap(errs)
	}
	ints = append(ints, ints[0], ints[len(ints)-1])
	ints = append(ints[:5], ints[3:]...)
	a := append([]int(nil), 1)
	b := append(a[:0:0], a...)
	b[0] = 2
	shared := make([]int, 1, 4)
	c, d := append(shared, 5), append(shared, 6)
	e := append(a, 7)
	texts = append(texts, texts...)
	n := copy(texts[1:], texts)
	n += copy(bytes, "hello")
	n += copy(errs[2:], errs)
	for i, p := range nodes { if p.next != nodes[i/2] { out = append(out, "lost", i) } }
	return append(out, ints, string(bytes), texts, len(points), points[5].name, fmt.Sprint(points[7].err), fmt.Sprint(errs), anys[3], singles, funcs[5](), len(empty), flags, caps, a, b, c, d, e, n)
}
f()`, "f()")
	// Large slices grow at a site, where the memory is checked.
	sameFast(t, "func f() (int, float64) { xs := make([]float64, 9<<20); xs = append(xs, 1, 2); return len(xs), xs[9<<20+1] }\nn, x := f()\n[]any{n, x}")
}
