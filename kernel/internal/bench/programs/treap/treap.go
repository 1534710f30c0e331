// Package treap is a generic search tree that random priorities keep balanced.
package treap

import "cmp"

type node[K cmp.Ordered, V any] struct {
	key         K
	value       V
	priority    int
	left, right *node[K, V]
}

// A Tree maps keys to values, and keeps the keys in order.
type Tree[K cmp.Ordered, V any] struct {
	root *node[K, V]
	seed int
}

// Set stores a value under a key, in place of the key's earlier value if there is one.
func (t *Tree[K, V]) Set(key K, value V) {
	t.seed = (t.seed*1103515245 + 12345) & 0x7fffffff
	t.root = t.root.set(key, value, t.seed>>8)
}

func (n *node[K, V]) set(key K, value V, priority int) *node[K, V] {
	switch {
	case n == nil:
		return &node[K, V]{key: key, value: value, priority: priority}
	case key < n.key:
		n.left = n.left.set(key, value, priority)
		if l := n.left; l.priority > n.priority {
			n.left, l.right = l.right, n
			return l
		}
	case key > n.key:
		n.right = n.right.set(key, value, priority)
		if r := n.right; r.priority > n.priority {
			n.right, r.left = r.left, n
			return r
		}
	default:
		n.value = value
	}
	return n
}

// Get returns a key's value, and whether the tree has the key.
func (t *Tree[K, V]) Get(key K) (value V, found bool) {
	for n := t.root; n != nil; {
		switch {
		case key < n.key:
			n = n.left
		case key > n.key:
			n = n.right
		default:
			return n.value, true
		}
	}
	return value, false
}

// Each calls f with each key and its value, in the order of the keys.
func (t *Tree[K, V]) Each(f func(K, V)) { t.root.each(f) }

func (n *node[K, V]) each(f func(K, V)) {
	if n != nil {
		n.left.each(f)
		f(n.key, n.value)
		n.right.each(f)
	}
}

// Run sets n keys, looks up n keys, and returns a checksum of the values found and of the order of the keys.
func Run(n int) int {
	t := &Tree[int, float64]{seed: 7}
	seed := 1
	for i := range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		t.Set((seed>>8)%(2*n), float64(i))
	}
	sum := 0
	for i := range n {
		if v, found := t.Get(i); found {
			sum += int(v) % 1009
		}
	}
	i := 0
	t.Each(func(key int, value float64) {
		sum += i * key % 1009
		i++
	})
	return sum
}
