package corners

import (
	"fmt"
	"sort"
	"strings"
)

var other = step("other", a)

// byLength is sorted by compiled code.
type byLength []string

func (l byLength) Len() int           { return len(l) }
func (l byLength) Less(i, j int) bool { return len(l[i]) < len(l[j]) }
func (l byLength) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// upper is written to by compiled code.
type upper struct{ strings.Builder }

func (u *upper) Write(b []byte) (int, error) { return u.WriteString(strings.ToUpper(string(b))) }

type number interface{ ~int | ~float64 }

type matrix[T number] [][]T

func (m matrix[T]) times(o matrix[T]) matrix[T] {
	out := make(matrix[T], len(m))
	for i := range m {
		out[i] = make([]T, len(o[0]))
		for j := range o[0] {
			for k := range o {
				out[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return out
}

type option func(*options)

type options struct {
	name string
	n    int
}

func with(n int) option { return func(o *options) { o.n = n } }

func configure(list ...option) options {
	o := options{name: "default"}
	for _, f := range list {
		f(&o)
	}
	return o
}

type state func(*machine) state

type machine struct{ steps int }

func start(m *machine) state {
	m.steps++
	if m.steps < 5 {
		return start
	}
	return finish
}

func finish(m *machine) state { m.steps *= 10; return nil }

type inner interface{ hidden() string }

type impl struct{}

func (impl) hidden() string { return "hidden" }

type outer struct{ inner }

type chain struct {
	value int
	next  *chain
}

func deep(n int) (c *chain) {
	if n > 0 {
		c = &chain{n, deep(n - 1)}
	}
	return c
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func primes(n int) (list []int) {
	sieve := make([]bool, n)
	for i := 2; i < n; i++ {
		if sieve[i] {
			continue
		}
		list = append(list, i)
		for j := i * i; j < n; j += i {
			sieve[j] = true
		}
	}
	return list
}

func moreReport() (out []string) {
	say := func(what string, values ...any) { out = append(out, fmt.Sprintf("%s: %v", what, values)) }
	words := byLength(strings.Fields("ccc a bb dddd"))
	sort.Sort(sort.Reverse(words))
	say("sort", words)
	u := new(upper)
	n, err := fmt.Fprintf(u, "written %d", 5)
	say("writer", u.String(), n, err)
	say("matrix", matrix[float64]{{1, 2}, {3, 4}}.times(matrix[float64]{{0, 1}, {1, 0}}))
	say("options", configure(with(3)), configure())
	m := new(machine)
	for s := state(start); s != nil; {
		s = s(m)
	}
	say("machine", m.steps)
	say("hidden", outer{impl{}}.hidden(), inner(outer{impl{}}).hidden())
	length := 0
	for c := deep(2000); c != nil; c = c.next {
		length++
	}
	say("deep", length, fib(15), len(primes(1000)))
	var nothing *chain
	func() {
		defer func() { say("nil", recover()) }()
		_ = nothing.next
	}()
	func() {
		defer func() { say("index", recover()) }()
		_ = primes(10)[len(words)*10]
	}()
	func() {
		defer func() { say("type", recover()) }()
		var x any = words
		_ = x.(fmt.Stringer)
	}()
	func() {
		defer func() { say("closed", recover()) }()
		c := make(chan int)
		close(c)
		close(c)
	}()
	return out
}

// Package is a type by which others find the path of this package.
type Package struct{}
