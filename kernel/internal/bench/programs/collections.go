package programs

import (
	"cmp"
	"sort"
	"strconv"
	"strings"
)

//program:appends

// Appends appends n numbers one by one and returns their sum. It grows a slice.
func Appends(n int) int {
	var list []int
	for i := 0; i < n; i++ {
		list = append(list, i^5)
	}
	sum := 0
	for _, x := range list {
		sum += x
	}
	return sum
}

//program:mapints

// MapInts counts how often each number occurs among n numbers, and returns the sum of the squares of the counts. The
// counts are kept in a map.
func MapInts(n int) int {
	counts := map[int]int{}
	for i := 0; i < n; i++ {
		counts[i*i%10007]++
	}
	total := 0
	for _, c := range counts {
		total += c * c
	}
	return total
}

//program:mapstrings

// Count returns how often each word occurs.
func Count(words []string) map[string]int {
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	return counts
}

// MapStrings counts the same n words ten times, and returns the sum of the squares of all counts. It counts words in
// a map.
func MapStrings(n int) int {
	words := make([]string, n)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i*i%5003)
	}
	total := 0
	for range 10 {
		for _, c := range Count(words) {
			total += c * c
		}
	}
	return total
}

//program:stringsmap

// StringsMap replaces each letter of a text of about n letters with the letter three places later in the alphabet, and
// returns a checksum. It passes a closure to strings.Map, which calls it for each rune.
func StringsMap(n int) int {
	shift := rune(3)
	text := strings.Map(func(r rune) rune { return (r-'a'+shift)%26 + 'a' }, strings.Repeat("gopher", n/6))
	return strings.Count(text, "j") + int(text[len(text)-1])
}

//program:twokeys

type result struct {
	team  string
	score float64
	index int
}

// TwoKeys sorts n structs and returns a checksum of the order. It sorts structs with sort.Slice, by a string and then
// by a number.
func TwoKeys(n int) int {
	teams := []string{"red", "green", "blue", "white", "black", "yellow", "orange"}
	results := make([]result, n)
	seed := 1
	for i := range results {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		results[i] = result{teams[(seed>>16)%len(teams)], float64(seed), i}
	}
	sort.Slice(results, func(i, j int) bool {
		a, b := results[i], results[j]
		if a.team != b.team {
			return a.team < b.team
		}
		return a.score > b.score
	})
	sum := 0
	for i, r := range results {
		sum += i * r.index % 1009
	}
	return sum
}

//program:nested

// Nested convolves an image of n×n pixels with a 5×5 window and adds up the result. It smooths the image with
// nested loops over slices.
func Nested(n int) float64 {
	picture := make([][]float64, n)
	for i := range picture {
		picture[i] = make([]float64, n)
		for j := range picture[i] {
			picture[i][j] = float64(i * j % 255)
		}
	}
	window := make([][]float64, 5)
	for i := range window {
		window[i] = make([]float64, 5)
		for j := range window[i] {
			window[i][j] = 1 / float64(1+(i-2)*(i-2)+(j-2)*(j-2))
		}
	}
	total := 0.0
	for i := 2; i < n-2; i++ {
		for j := 2; j < n-2; j++ {
			s := 0.0
			for k, row := range window {
				for l, w := range row {
					s += w * picture[i+k-2][j+l-2]
				}
			}
			total += s
		}
	}
	return total
}

//program:trees

// A TreesTree is a node with two subtrees, or with none.
type TreesTree struct{ Left, Right *TreesTree }

// Make returns a full tree of the given depth.
func Make(depth int) *TreesTree {
	if depth == 0 {
		return &TreesTree{}
	}
	return &TreesTree{Make(depth - 1), Make(depth - 1)}
}

// Count returns the number of nodes.
func (t *TreesTree) Count() int {
	if t.Left == nil {
		return 1
	}
	return 1 + t.Left.Count() + t.Right.Count()
}

// Trees builds four full binary trees of depth n, counts their nodes, and returns the total number.
func Trees(n int) int {
	total := 0
	for range 4 {
		total += Make(n).Count()
	}
	return total
}

//program:treap

type treapNode[K cmp.Ordered, V any] struct {
	key         K
	value       V
	priority    int
	left, right *treapNode[K, V]
}

// A TreapTree maps keys to values, and keeps the keys in order.
type TreapTree[K cmp.Ordered, V any] struct {
	root *treapNode[K, V]
	seed int
}

// Set stores a value under a key, in place of the key's earlier value if there is one.
func (t *TreapTree[K, V]) Set(key K, value V) {
	t.seed = (t.seed*1103515245 + 12345) & 0x7fffffff
	t.root = t.root.set(key, value, t.seed>>8)
}

func (n *treapNode[K, V]) set(key K, value V, priority int) *treapNode[K, V] {
	switch {
	case n == nil:
		return &treapNode[K, V]{key: key, value: value, priority: priority}
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
func (t *TreapTree[K, V]) Get(key K) (value V, found bool) {
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
func (t *TreapTree[K, V]) Each(f func(K, V)) { t.root.each(f) }

func (n *treapNode[K, V]) each(f func(K, V)) {
	if n != nil {
		n.left.each(f)
		f(n.key, n.value)
		n.right.each(f)
	}
}

// Treap sets n keys, looks up n keys, and returns a checksum of the values found and of the order of the keys. It
// uses a generic search tree that random priorities keep balanced.
func Treap(n int) int {
	t := &TreapTree[int, float64]{seed: 7}
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
