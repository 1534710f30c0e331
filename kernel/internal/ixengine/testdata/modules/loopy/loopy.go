package loopy

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync/atomic"
	"time"
)

//go:embed data.txt
var Opened string

var N int

func init() { N = 41; N++ }

func Count(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i
	}
	return s
}
func Forever() {
	for {
		N++
	}
}
func Sleep()           { time.Sleep(time.Hour) }
func Crash(p *int) int { return *p }
func Exit()            { os.Exit(3) }
func Ticks(n int) chan int {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	return c
}

type Namer interface{ Name() string }

func Hello(n Namer) string { return "hello " + n.Name() }

type Shape interface{ Area() float64 }
type Square struct{ A float64 }

func (s Square) Area() float64  { return s.A * s.A }
func (s Square) String() string { return fmt.Sprintf("square of %g", s.A) }
func Total(l []Shape) (t float64) {
	for _, s := range l {
		t += s.Area()
	}
	return
}

var made atomic.Int64

func Made() int64 { return made.Load() }

type Stack[T any] struct{ items []T }

func NewStack[T any]() *Stack[T] { made.Add(1); return new(Stack[T]) }
func (s *Stack[T]) Push(x T)     { s.items = append(s.items, x) }
func (s *Stack[T]) Len() int     { return len(s.items) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return
	}
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}
func (s *Stack[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, x := range s.items {
			if !yield(i, x) {
				return
			}
		}
	}
}
func MapOf[T, U any](s *Stack[T], f func(T) U) *Stack[U] {
	r := NewStack[U]()
	for _, x := range s.items {
		r.Push(f(x))
	}
	count()
	return r
}
func count() { made.Add(100) }

var ErrBase = errors.New("base")

type MyErr struct{ Code int }

func (e MyErr) Error() string { return fmt.Sprint("code ", e.Code) }
func (e MyErr) Unwrap() error { return ErrBase }
func Fail() error             { return fmt.Errorf("wrapped: %w", MyErr{7}) }

type node struct {
	V    int
	next *node
}

func Deep(n int) *node {
	if n == 0 {
		return nil
	}
	return &node{n, Deep(n - 1)}
}

type tally struct{ n int }

func (t *tally) add(by int) int { t.n += by; return t.n }

var kept tally

// Keep uses what other packages cannot name.
func Keep[T any](list ...T) int { return kept.add(len(list)) }

// Pair has a local type and a method with a generic result.
func Pair[A, B any](a A, b B) string {
	type both struct {
		A A
		B B
	}
	return fmt.Sprintf("%+v", both{a, b})
}

// Numbers is a constraint.
type Numbers interface{ ~int | ~float64 }

func Sum[T Numbers](list ...T) (sum T) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// Sorted is generic in a map and ranges over a function.
func Sorted[K ~string, V any](m map[K]V) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// List refers to itself.
type List[T any] struct {
	Value T
	Next  *List[T]
}

func (l *List[T]) Len() int {
	if l == nil {
		return 0
	}
	return 1 + l.Next.Len()
}

// Any is generic code that does not mention its type parameter's type by name elsewhere.
func (l *List[T]) Any() any { return Wrapped[T]{l} }

type Wrapped[T any] struct{ *List[T] }

func (w Wrapped[T]) String() string { return fmt.Sprint("wrapped ", w.Len()) }
