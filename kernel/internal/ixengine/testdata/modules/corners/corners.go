// Package corners visits the corners of the language. Report must be the same text whether the package is
// compiled or run from source.
package corners

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/template"
	"time"
)

//go:embed files/*.txt
var files embed.FS

// A directive may have comments after it.
//
// which say why
//
//go:embed files/a.txt
var first []byte

var (
	order []string
	a     = step("a", b)
	b     = step("b", c)
	c     = step("c", 1)
)

func step(name string, n int) int {
	order = append(order, fmt.Sprint(name, n))
	return n + 1
}

func init() { order = append(order, "init1") }

func init() { order = append(order, "init2") }

type shape interface {
	area() float64
	fmt.Stringer
}

type base struct{ name string }

func (b base) String() string { return "base " + b.name }
func (b *base) rename(n string) {
	b.name = n
}

type square struct {
	base
	side float64
}

func (s square) area() float64 { return s.side * s.side }

type circle struct {
	*base
	R float64 `json:"radius,omitempty"`
}

func (c circle) area() float64              { return 3 * c.R * c.R }
func (c circle) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "circle formatted") }

type weekday int

const (
	monday weekday = iota + 1
	tuesday
	_
	thursday
)

func (d weekday) String() string { return [...]string{"?", "Mo", "Tu", "We", "Th"}[d] }
func (d weekday) MarshalText() ([]byte, error) {
	return []byte("day " + d.String()), nil
}
func (d *weekday) UnmarshalText(b []byte) error {
	*d = weekday(len(b))
	return nil
}

type fault struct{ code int }

func (f *fault) Error() string        { return fmt.Sprint("fault ", f.code) }
func (f *fault) Is(target error) bool { return target == io.EOF }

type tree[K cmp.Ordered, V any] struct {
	left, right *tree[K, V]
	key         K
	value       V
}

func (t *tree[K, V]) put(k K, v V) *tree[K, V] {
	if t == nil {
		return &tree[K, V]{key: k, value: v}
	}
	switch cmp.Compare(k, t.key) {
	case -1:
		t.left = t.left.put(k, v)
	case 1:
		t.right = t.right.put(k, v)
	default:
		t.value = v
	}
	return t
}

func (t *tree[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.walk(yield) }
}

func (t *tree[K, V]) walk(yield func(K, V) bool) bool {
	return t == nil || t.left.walk(yield) && yield(t.key, t.value) && t.right.walk(yield)
}

type set[T comparable] map[T]struct{}

func (s set[T]) add(list ...T) set[T] {
	for _, x := range list {
		s[x] = struct{}{}
	}
	return s
}

func collect[K cmp.Ordered, V any, R any](seq iter.Seq2[K, V], f func(K, V) R) (list []R) {
	for k, v := range seq {
		list = append(list, f(k, v))
	}
	return list
}

func deferred() (n int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("recovered: %v", p)
			n *= 2
		}
	}()
	for i := range 3 {
		defer func() { n += i }()
	}
	n = 10
	var m map[string]int
	m["x"] = 1
	return 1, nil
}

func nested() (text string) {
	defer func() { text += fmt.Sprint(" outer ", recover()) }()
	defer func() {
		defer func() { text += fmt.Sprint(" inner ", recover()) }()
		panic("second")
	}()
	panic("first")
}

func divide(x, y int) (q int, err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	return x / y, nil
}

func labels() (n int) {
outer:
	for i := range 5 {
		for j := range 5 {
			switch {
			case j == 3:
				continue outer
			case i == 3:
				break outer
			case i == j:
				continue
			}
			n += i*10 + j
		}
	}
	return n
}

func channels() string {
	var wg sync.WaitGroup
	in, out := make(chan int, 3), make(chan string)
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for x := range in {
				out <- fmt.Sprint(x * x)
			}
		}()
	}
	go func() {
		for i := range 10 {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	var list []string
	for s := range out {
		list = append(list, s)
	}
	sort.Strings(list)
	select {
	case x, ok := <-out:
		list = append(list, fmt.Sprint(x == "", ok))
	default:
		list = append(list, "default")
	}
	var none chan int
	select {
	case <-none:
	case <-time.After(time.Millisecond):
		list = append(list, "late")
	}
	return strings.Join(list, " ")
}

func contexts() string {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), weekday(1), "value"), 5*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	return fmt.Sprint(ctx.Err(), errors.Is(ctx.Err(), context.DeadlineExceeded), ctx.Value(monday))
}

type visitor struct{ seen []string }

func (v *visitor) Visit(d weekday) string {
	v.seen = append(v.seen, d.String())
	return strings.Join(v.seen, "+")
}

func sum[T ~int | ~float64](list ...T) (s T) {
	for _, x := range list {
		s += x
	}
	return s
}

// Report says what happens in each corner.
func Report() []string {
	var out []string
	say := func(what string, values ...any) {
		out = append(out, fmt.Sprintf("%s: %v", what, values))
	}
	say("order", order, a, b, c, other)
	sq := square{base{"s"}, 3}
	sq.rename("renamed")
	ci := circle{&base{"c"}, 2}
	shapes := []shape{sq, &sq, ci}
	for _, s := range shapes {
		switch s := s.(type) {
		case square:
			say("square", s.side, s.area(), s)
		case *square:
			s.side = 4
			say("pointer", s.area(), s.String())
		default:
			say("default", s.area(), s, fmt.Sprintf("%T", s))
		}
	}
	_, isStringer := any(sq).(fmt.Stringer)
	_, isShape := any(sq.base).(shape)
	say("assert", isStringer, isShape, sq == square{base{"renamed"}, 4}, any(sq) == any(sq))
	f, g, h := square.area, sq.area, (*base).rename
	h(&sq.base, "again")
	sq.side = 1
	say("methods", f(sq), g(), sq.name)

	js, err := json.Marshal(map[string]any{"d": thursday, "c": ci, "m": map[weekday]int{tuesday: 2}})
	say("json", string(js), err)
	var back struct {
		D weekday
		C circle `json:"c"`
		X struct{ A, B int }
	}
	err = json.Unmarshal([]byte(`{"D":"abc","c":{"radius":2.5},"X":{"a":1}}`), &back)
	say("unmarshal", int(back.D), back.C.R, back.X, err)

	err = fmt.Errorf("wrapped: %w", errors.Join(&fault{3}, errors.New("other")))
	var ft *fault
	say("errors", errors.As(err, &ft), ft, errors.Is(err, io.EOF), err)
	_, err = divide(1, 0)
	say("divide", err)
	n, err := deferred()
	say("deferred", n, err)
	say("nested", nested(), labels())
	say("channels", channels(), contexts())

	var t *tree[string, int]
	for i, w := range strings.Fields("the quick brown fox jumps over the lazy dog") {
		t = t.put(w, i)
	}
	say("tree", collect(t.all(), func(k string, v int) string { return fmt.Sprint(k, v) }))
	for k, v := range t.all() {
		if k > "f" {
			say("first", k, v)
			break
		}
	}
	say("set", len(set[weekday]{}.add(monday, tuesday, monday)), slices.Sorted(maps.Keys(set[int]{}.add(3, 1, 2))))
	say("types", fmt.Sprintf("%T %T %T %T", t, set[weekday]{}, sum[weekday], struct{ A weekday }{}))
	say("sum", sum(1, 2, 3), sum(monday, tuesday), sum(1.5, 2))

	next, stop := iter.Pull2(t.all())
	k, v, ok := next()
	stop()
	say("pull", k, v, ok)

	var funcs []func() int
	for i := 0; i < 3; i++ {
		funcs = append(funcs, func() int { i *= 10; return i })
	}
	say("closures", funcs[0](), funcs[1](), funcs[2](), funcs[2]())

	arr := [3][]int{{1}, {2, 3}}
	brr := arr
	brr[1][0] = 9
	brr[2] = append(brr[0], 5)
	say("arrays", arr, brr, len(arr), min(3, 1, 2), max("a", "b"))
	x := []int{1, 2, 3, 4}
	copy(x[1:], x)
	y := x[1:2:2]
	y = append(y, 7)
	say("slices", x, y, cap(x[1:2:2]), [4]int(x), *(*[2]int)(x))
	var u8 uint8 = 200
	var i8 int8 = -128
	u8 += 100
	say("numbers", u8, -i8, i8>>1, uint32(1)<<31, 7&^5, -7/2, -7%3, 1<<3|1, bits.Len(255), complex(1, 2)*complex(0, 1), '\u00e9', "é"[0], []rune("é"), string(rune(233)))
	for i, r := range "aé" {
		say("rune", i, r, string(r))
	}
	m := map[square]weekday{sq: monday}
	m[sq]++
	delete(m, square{})
	say("maps", m[sq], len(m), m)
	clear(m)
	say("cleared", len(m))
	say("print", fmt.Sprintf("%v %+v %#v %d %s %q %x", sq, back.X, back.X, tuesday, tuesday, tuesday, "hi"))

	rt := reflect.TypeOf(&visitor{})
	vis := &visitor{}
	vis.Visit(monday)
	res := reflect.ValueOf(vis).MethodByName("Visit").Call([]reflect.Value{reflect.ValueOf(tuesday)})
	say("reflect", rt, rt.Method(0).Name, res[0], reflect.TypeOf(ci).Field(1).Tag.Get("json"), reflect.TypeOf(ci).NumMethod(), reflect.TypeFor[shape]().Kind())
	var buf bytes.Buffer
	err = template.Must(template.New("").Parse("{{range .}}{{.}};{{end}}{{(index . 0).String}}")).Execute(&buf, []weekday{monday, tuesday})
	say("template", buf.String(), err)
	slices.SortFunc(shapes, func(a, b shape) int { return cmp.Compare(a.area(), b.area()) })
	say("sorted", shapes[0].area(), shapes[2].area())

	var once sync.Once
	times := 0
	for range 3 {
		once.Do(func() { times++ })
	}
	pool := sync.Pool{New: func() any { return new(visitor) }}
	say("sync", times, pool.Get().(*visitor).Visit(thursday))
	names, err := fs.Glob(files, "files/*")
	text, _ := files.ReadFile("files/b.txt")
	say("embed", names, err, string(first), string(text))
	goto end
end:
	say("anonymous", struct {
		A int
		B func() string
	}{1, nil}.A, func(list ...int) int { return len(list) }(x...), new(fault).Error())
	return append(out, moreReport()...)
}
