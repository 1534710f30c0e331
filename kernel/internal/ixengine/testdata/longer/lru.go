package main

import (
	"cmp"
	"container/list"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A generic LRU cache over container/list, an ordered map over slices, and an Option type.

type Option[T any] struct {
	value T
	ok    bool
}

func Some[T any](v T) Option[T] { return Option[T]{v, true} }
func None[T any]() Option[T]    { return Option[T]{} }

func (o Option[T]) OrElse(other T) T {
	if o.ok {
		return o.value
	}
	return other
}

func (o Option[T]) String() string {
	if !o.ok {
		return "None"
	}
	return fmt.Sprintf("Some(%v)", o.value)
}

func Map[T, U any](o Option[T], f func(T) U) Option[U] {
	if !o.ok {
		return None[U]()
	}
	return Some(f(o.value))
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

type LRU[K comparable, V any] struct {
	cap          int
	order        *list.List
	items        map[K]*list.Element
	onEvict      func(K, V)
	hits, misses int
}

func NewLRU[K comparable, V any](cap int, onEvict func(K, V)) *LRU[K, V] {
	return &LRU[K, V]{cap: cap, order: list.New(), items: make(map[K]*list.Element), onEvict: onEvict}
}

func (c *LRU[K, V]) Get(k K) Option[V] {
	if e, ok := c.items[k]; ok {
		c.hits++
		c.order.MoveToFront(e)
		return Some(e.Value.(*entry[K, V]).value)
	}
	c.misses++
	return None[V]()
}

func (c *LRU[K, V]) Put(k K, v V) {
	if e, ok := c.items[k]; ok {
		e.Value.(*entry[K, V]).value = v
		c.order.MoveToFront(e)
		return
	}
	c.items[k] = c.order.PushFront(&entry[K, V]{k, v})
	if c.order.Len() > c.cap {
		last := c.order.Back()
		c.order.Remove(last)
		old := last.Value.(*entry[K, V])
		delete(c.items, old.key)
		if c.onEvict != nil {
			c.onEvict(old.key, old.value)
		}
	}
}

func (c *LRU[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := c.order.Front(); e != nil; e = e.Next() {
			if ent := e.Value.(*entry[K, V]); !yield(ent.key, ent.value) {
				return
			}
		}
	}
}

type Ordered[K cmp.Ordered, V any] struct {
	keys   []K
	values []V
}

func (m *Ordered[K, V]) Set(k K, v V) {
	i, found := slices.BinarySearch(m.keys, k)
	if found {
		m.values[i] = v
		return
	}
	m.keys = slices.Insert(m.keys, i, k)
	m.values = slices.Insert(m.values, i, v)
}

func (m *Ordered[K, V]) Between(lo, hi K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		i, _ := slices.BinarySearch(m.keys, lo)
		for ; i < len(m.keys) && m.keys[i] <= hi; i++ {
			if !yield(m.keys[i], m.values[i]) {
				break
			}
		}
	}
}

type Point struct{ X, Y int }

func (p Point) String() string { return fmt.Sprintf("<%d,%d>", p.X, p.Y) }

func main() {
	var evicted []string
	c := NewLRU[Point, string](3, func(p Point, s string) { evicted = append(evicted, p.String()+s) })
	for i := range 6 {
		c.Put(Point{i, i * i}, strings.Repeat("x", i))
		if i == 3 {
			fmt.Println(c.Get(Point{1, 1}), c.Get(Point{0, 0}))
		}
	}
	c.Put(Point{1, 1}, "again")
	for k, v := range c.All() {
		fmt.Println(k, v)
	}
	fmt.Println(evicted, c.hits, c.misses, len(c.items))
	fmt.Println(Map(c.Get(Point{1, 1}), func(s string) int { return len(s) }), Map(None[int](), func(i int) bool { return i > 0 }))
	fmt.Println(c.Get(Point{9, 9}).OrElse("nothing"))

	var m Ordered[string, []int]
	for i, w := range strings.Fields("the quick brown fox jumps over the lazy dog") {
		m.Set(w, []int{i})
	}
	for k, v := range m.Between("d", "o") {
		fmt.Print(k, v, " ")
	}
	fmt.Println(len(m.keys))
	var big Ordered[float64, Option[Point]]
	for i := range 10 {
		big.Set(float64(i*7%10)/4, Some(Point{i, 0}))
	}
	for k, v := range big.Between(0.5, 1.5) {
		fmt.Printf("%.2f=%v ", k, v)
		if k > 1 {
			break
		}
	}
	fmt.Println()
}
