package ixengine

import "testing"

// TestInnerInstances: a type that is mentioned only by instances of generic code is the same in all cells.
func TestInnerInstances(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "fmt"
type entry[K comparable, V any] struct { key K; value V }
func (e *entry[K, V]) String() string { return fmt.Sprint("entry ", e.key) }
type cache[K comparable, V any] struct { last any }
func (c *cache[K, V]) put(k K, v V) { c.last = &entry[K, V]{k, v} }
func (c *cache[K, V]) get() V { return c.last.(*entry[K, V]).value }
type point struct{ x, y int }
func (p point) String() string { return fmt.Sprint(p.x, "|", p.y) }
func hold[T any](v T) any { type held struct { v T }; return []any{entry[string, T]{value: v}, held{v}} }
func held[T any](x any) T { return x.([]any)[0].(entry[string, T]).value }`)
	run(t, s, "c := &cache[point, string]{}\nh := hold(point{5, 6})")
	run(t, s, `c.put(point{1, 2}, "a")`)
	for src, want := range map[string]string{
		"c.get()": "a", "c.last.(*entry[point, string]).value": "a", "c.last.(fmt.Stringer).String()": "entry 1|2", "held[point](h).String()": "5|6",
	} {
		if got := run(t, s, src)[0].Value; got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
}
