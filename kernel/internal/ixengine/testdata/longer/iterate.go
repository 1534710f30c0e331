package main

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Pipelines of iterators: lazy, infinite, pulled, nested, with defers and early ends.

type Seq[T any] iter.Seq[T]

func From[T any](v ...T) Seq[T] { return Seq[T](slices.Values(v)) }

func (s Seq[T]) Filter(keep func(T) bool) Seq[T] {
	return func(yield func(T) bool) {
		for v := range s {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func (s Seq[T]) Take(n int) Seq[T] {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for v := range s {
			if i++; !yield(v) || i == n {
				return
			}
		}
	}
}

func (s Seq[T]) Collect() []T { return slices.Collect(iter.Seq[T](s)) }

func Map[T, U any](s iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		s(func(v T) bool { return yield(f(v)) })
	}
}

func Zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for x := range a {
			y, ok := next()
			if !ok || !yield(x, y) {
				return
			}
		}
	}
}

func Reduce[T, A any](s iter.Seq[T], a A, f func(A, T) A) A {
	for v := range s {
		a = f(a, v)
	}
	return a
}

func Naturals() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
}

func GroupBy[T any, K comparable](s iter.Seq[T], key func(T) K) map[K][]T {
	m := map[K][]T{}
	for v := range s {
		k := key(v)
		m[k] = append(m[k], v)
	}
	return m
}

func Windows[T any](list []T, n int) iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		for i := 0; i+n <= len(list); i++ {
			if !yield(i, list[i:i+n]) {
				return
			}
		}
	}
}

type Tree[K cmp.Ordered] struct {
	left, right *Tree[K]
	key         K
}

func (t *Tree[K]) Insert(k K) *Tree[K] {
	if t == nil {
		return &Tree[K]{key: k}
	}
	switch c := cmp.Compare(k, t.key); {
	case c < 0:
		t.left = t.left.Insert(k)
	case c > 0:
		t.right = t.right.Insert(k)
	}
	return t
}

func (t *Tree[K]) All() iter.Seq[K] {
	return func(yield func(K) bool) { t.push(yield) }
}

func (t *Tree[K]) push(yield func(K) bool) bool {
	return t == nil || t.left.push(yield) && yield(t.key) && t.right.push(yield)
}

func search(t *Tree[string], log *[]string) (found string, err error) {
	defer func() { *log = append(*log, "search ends with "+found) }()
outer:
	for i := range Naturals() {
		defer func() { *log = append(*log, fmt.Sprint("round ", i)) }()
		for k := range t.All() {
			switch {
			case len(k) == i && i > 3:
				return k, nil
			case k > "m":
				continue outer
			case i > 8:
				break outer
			}
		}
	}
	return "", fmt.Errorf("nothing")
}

func broken() (text string) {
	defer func() { text = fmt.Sprint("recovered: ", recover()) }()
	for v := range Naturals() {
		for w := range From("a", "b").Filter(func(string) bool { return true }) {
			if v == 2 {
				panic(w + " went wrong")
			}
		}
	}
	return "not reached"
}

func main() {
	even := Seq[int](Naturals()).Filter(func(i int) bool { return i%2 == 0 })
	fmt.Println(even.Take(5).Collect(), even.Take(0).Collect() == nil)
	fmt.Println(slices.Collect(Map(iter.Seq[int](even.Take(3)), func(i int) string { return strings.Repeat("*", i) })))
	for a, b := range Zip(Naturals(), slices.Values([]string{"x", "y", "z"})) {
		fmt.Print(a, b, " ")
	}
	fmt.Println(Reduce(iter.Seq[int](even.Take(10)), 1.5, func(a float64, i int) float64 { return a + float64(i)/2 }))
	words := strings.Fields("one two three four five six seven eight nine ten")
	groups := GroupBy(slices.Values(words), func(s string) int { return len(s) })
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		fmt.Print(k, groups[k], " ")
	}
	fmt.Println()
	for i, w := range Windows(words, 3) {
		if i == 2 {
			continue
		}
		fmt.Print(i, w, cap(w) >= 3, " ")
		if i > 3 {
			break
		}
	}
	fmt.Println()
	var t *Tree[string]
	for _, w := range words {
		t = t.Insert(w)
	}
	fmt.Println(slices.Collect(t.All()))
	var log []string
	fmt.Println(search(t, &log))
	fmt.Println(len(log), log[:2], log[len(log)-1])
	fmt.Println(broken())
	next, stop := iter.Pull2(maps.All(map[string]int{"only": 1}))
	fmt.Println(next())
	fmt.Println(next())
	stop()
	pull, stop2 := iter.Pull(t.All())
	a, _ := pull()
	b, ok := pull()
	stop2()
	_, ok2 := pull()
	fmt.Println(a, b, ok, ok2)
	chunks := [][]int{}
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		chunks = append(chunks, c)
	}
	fmt.Println(chunks, slices.SortedFunc(slices.Values(words), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(b, a)) }))
	m := maps.Collect(Zip(slices.Values(words), Naturals()))
	keys := slices.AppendSeq([]string{"zero"}, maps.Keys(m))
	sort.Strings(keys[1:])
	fmt.Println(keys, m["ten"])
	for l := range strings.Lines("a\nb\n\nc") {
		fmt.Printf("%q ", l)
	}
	for s := range strings.SplitSeq("k=v=w", "=") {
		fmt.Print(s, ";")
	}
	var funcs []func() int
	for i := range 3 {
		for j := range Naturals() {
			if j > i {
				break
			}
			funcs = append(funcs, func() int { i += 10; j++; return i*100 + j })
		}
	}
	for _, f := range funcs {
		fmt.Print(" ", f(), " ", f())
	}
	fmt.Println()
}
