package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Constraints: heap, Result, sets, numbers, builders with pointer methods, recursive constraints.

type Number interface {
	~int | ~int8 | ~int32 | ~int64 | ~uint | ~uint8 | ~float32 | ~float64
}

func Sum[T Number](v ...T) (s T) {
	for _, x := range v {
		s += x
	}
	return
}

func Mean[T Number](v []T) float64 { return float64(Sum(v...)) / float64(len(v)) }

type Heap[T any] struct {
	data []T
	less func(a, b T) bool
}

func NewHeap[T cmp.Ordered](v ...T) *Heap[T] {
	h := &Heap[T]{less: func(a, b T) bool { return a < b }}
	for _, x := range v {
		h.Push(x)
	}
	return h
}

func (h *Heap[T]) Push(v T) {
	h.data = append(h.data, v)
	for i := len(h.data) - 1; i > 0; {
		p := (i - 1) / 2
		if !h.less(h.data[i], h.data[p]) {
			break
		}
		h.data[i], h.data[p] = h.data[p], h.data[i]
		i = p
	}
}

func (h *Heap[T]) Pop() (v T, ok bool) {
	if len(h.data) == 0 {
		return
	}
	v, ok = h.data[0], true
	n := len(h.data) - 1
	h.data[0] = h.data[n]
	h.data = h.data[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && h.less(h.data[c+1], h.data[c]) {
			c++
		}
		if !h.less(h.data[c], h.data[i]) {
			return
		}
		h.data[i], h.data[c] = h.data[c], h.data[i]
		i = c
	}
}

func (h *Heap[T]) Drain() (out []T) {
	for v, ok := h.Pop(); ok; v, ok = h.Pop() {
		out = append(out, v)
	}
	return
}

type Result[T any] struct {
	val T
	err error
}

func Try[T any](f func() (T, error)) (r Result[T]) {
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("recovered %v", p)
		}
	}()
	v, err := f()
	return Result[T]{v, err}
}

func Then[T, U any](r Result[T], f func(T) (U, error)) Result[U] {
	if r.err != nil {
		return Result[U]{err: r.err}
	}
	return Try(func() (U, error) { return f(r.val) })
}

type Set[T comparable] map[T]struct{}

func SetOf[T comparable](v ...T) Set[T] {
	s := Set[T]{}
	for _, x := range v {
		s[x] = struct{}{}
	}
	return s
}

func (s Set[T]) Union(o Set[T]) Set[T] {
	out := make(Set[T], len(s)+len(o))
	for _, m := range []Set[T]{s, o} {
		for k := range m {
			out[k] = struct{}{}
		}
	}
	return out
}

func (s Set[T]) Has(v T) bool { _, ok := s[v]; return ok }

func SortedKeys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

type Parser[T any] interface {
	*T
	Parse(string) error
}

type Celsius struct{ deg float64 }

func (c *Celsius) Parse(s string) (err error) {
	c.deg, err = strconv.ParseFloat(strings.TrimSuffix(s, "C"), 64)
	return err
}

type ID int

func (i *ID) Parse(s string) error { n, err := strconv.Atoi(s); *i = ID(n); return err }
func (i ID) String() string        { return "#" + strconv.Itoa(int(i)) }

func ParseAll[T any, P Parser[T]](list ...string) (out []T, err error) {
	for _, s := range list {
		var v T
		if e := P(&v).Parse(s); e != nil {
			err = errors.Join(err, e)
			continue
		}
		out = append(out, v)
	}
	return
}

type Comparable[T any] interface{ Compare(T) int }

type Version struct{ major, minor int }

func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.major, o.major), cmp.Compare(v.minor, o.minor))
}

func Max[T Comparable[T]](first T, rest ...T) T {
	for _, x := range rest {
		if x.Compare(first) > 0 {
			first = x
		}
	}
	return first
}

type Node[T any] interface {
	Children() []T
	comparable
}

type dir struct {
	name string
	subs *[]dir
}

func (d dir) Children() []dir {
	if d.subs == nil {
		return nil
	}
	return *d.subs
}

func Walk[T Node[T]](n T, depth int, visit func(T, int)) {
	visit(n, depth)
	for _, c := range n.Children() {
		Walk(c, depth+1, visit)
	}
}

type List[T any] struct {
	head *node[T]
	size int
}

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *List[T]) Push(v T) *List[T] {
	l.head = &node[T]{v, l.head}
	l.size++
	return l
}

func MapList[T, U any](l *List[T], f func(T) U) *List[U] {
	out := &List[U]{}
	var rec func(n *node[T])
	rec = func(n *node[T]) {
		if n != nil {
			rec(n.next)
			out.Push(f(n.v))
		}
	}
	rec(l.head)
	return out
}

func kindOf[T any](v T) string {
	switch any(v).(type) {
	case int, int8:
		return "int"
	case string:
		return "string"
	case []T:
		return "slice of itself"
	case fmt.Stringer:
		return "stringer"
	case error:
		return "error"
	case nil:
		return "nil"
	}
	return fmt.Sprintf("%T", v)
}

type Num8 int8

func Curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}

func main() {
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[Num8](100, 27, 1), Sum[uint8](), Mean([]float32{1, 2, 4}))
	fmt.Println(NewHeap(5, 2, 8, 1, 9, 3).Drain(), NewHeap("b", "c", "a").Drain())
	h := &Heap[Version]{less: func(a, b Version) bool { return a.Compare(b) < 0 }}
	for i := range 6 {
		h.Push(Version{i * 7 % 3, i})
	}
	fmt.Println(h.Drain())
	r := Then(Try(func() (string, error) { return "42", nil }), strconv.Atoi)
	fmt.Println(r, Then(r, func(i int) (float64, error) { return float64(i) / 4, nil }))
	z := Then(r, func(i int) (int, error) { return i / (i - 42), nil })
	fmt.Println(z.err, Then(z, func(int) (string, error) { return "never", nil }).err == z.err)
	s := SetOf(3, 1, 2).Union(SetOf(7))
	fmt.Println(SortedKeys(s), s.Has(7), s.Has(8), SortedKeys(map[string]bool{"b": true, "a": false}))
	cs, err := ParseAll[Celsius]("1.5C", "x", "-3C")
	fmt.Println(cs, err)
	ids, err := ParseAll[ID]("7", "8")
	fmt.Println(ids, err)
	fmt.Println(Max(Version{1, 2}, Version{1, 10}, Version{0, 99}))
	root := dir{"root", &[]dir{{"a", &[]dir{{name: "b"}}}, {name: "c"}}}
	Walk(root, 0, func(d dir, n int) { fmt.Print(strings.Repeat("-", n), d.name, " ") })
	fmt.Println()
	l := MapList((&List[int]{}).Push(1).Push(2).Push(3), func(i int) string { return fmt.Sprint(i * i) })
	for n := l.head; n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	fmt.Println(l.size)
	fmt.Println(kindOf(1), kindOf("s"), kindOf(ID(3)), kindOf(errors.New("x")), kindOf[any](nil), kindOf([]int{}), kindOf[any]([]any{}), kindOf(Num8(1)))
	fmt.Println(Curry(func(a int, b string) string { return strings.Repeat(b, a) })(3)("ab"))
	f := Sum[float64]
	fmt.Printf("%T %v %v\n", f, f(1, 2), slices.IndexFunc([]int{4, 5}, func(i int) bool { return i > 4 }))
}
