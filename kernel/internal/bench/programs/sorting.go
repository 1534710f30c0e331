package programs

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

//program:sortslice

// A Point is a sort key and its original index.
type Point struct {
	Key   float64
	Index int
}

// SortSlice sorts n points and returns a checksum of the order. It sorts structs with sort.Slice and a closure.
func SortSlice(n int) int {
	points := make([]Point, n)
	seed := 1
	for i := range points {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		points[i] = Point{float64(seed), i}
	}
	sort.Slice(points, func(i, j int) bool { return points[i].Key < points[j].Key })
	sum := 0
	for i, p := range points {
		sum += i * p.Index % 1009
	}
	return sum
}

//program:sortfunc

// SortFunc sorts n numbers by their distance from a central number and returns a checksum of the resulting order. It
// sorts numbers with slices.SortFunc and a closure.
func SortFunc(n int) int {
	numbers := make([]int, n)
	seed := 1
	for i := range numbers {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		numbers[i] = seed
	}
	middle := 1 << 30
	distance := func(x int) int { return max(2*(x-middle), 2*(middle-x)+1) } // no two numbers have the same distance
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	sum := 0
	for i, x := range numbers {
		sum += i * (x % 1009) % 1009
	}
	return sum
}

//program:sortsort

type sortsortInts []int

func (x sortsortInts) Len() int { return len(x) }

func (x sortsortInts) Less(i, j int) bool { return x[i] < x[j] }

func (x sortsortInts) Swap(i, j int) { x[i], x[j] = x[j], x[i] }

// SortSort sorts n numbers and returns a checksum of the order. It sorts a slice of its own type with sort.Sort,
// which calls the type's methods.
func SortSort(n int) int {
	numbers := make(sortsortInts, n)
	seed := 1
	for i := range numbers {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		numbers[i] = seed
	}
	sort.Sort(numbers)
	sum := 0
	for i, x := range numbers {
		sum += i * (x % 1009) % 1009
	}
	return sum
}

//program:heaps

type heapsInts []int

func (h heapsInts) Len() int { return len(h) }

func (h heapsInts) Less(i, j int) bool { return h[i] < h[j] }

func (h heapsInts) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *heapsInts) Push(x any) { *h = append(*h, x.(int)) }

func (h *heapsInts) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// Heaps puts n numbers on a heap, takes them off, and returns a checksum of the order in which they come. It uses
// container/heap, which calls the methods of the heap's type.
func Heaps(n int) int {
	h := &heapsInts{}
	seed := 1
	for range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		heap.Push(h, seed)
	}
	sum := 0
	for i := 0; h.Len() > 0; i++ {
		sum += i * (heap.Pop(h).(int) % 1009) % 1009
	}
	return sum
}

//program:handheap

type item struct{ distance, cell int }

type minHeap struct{ items []item }

func (h *minHeap) push(x item) {
	h.items = append(h.items, x)
	i := len(h.items) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if h.items[parent].distance <= h.items[i].distance {
			break
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

func (h *minHeap) pop() item {
	least := h.items[0]
	last := len(h.items) - 1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return least
		}
		if child+1 < last && h.items[child+1].distance < h.items[child].distance {
			child++
		}
		if h.items[i].distance <= h.items[child].distance {
			return least
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
}

// HandHeap finds the shortest paths from a corner of an n×n grid to all its cells, and returns the sum of their
// lengths. It uses Dijkstra's algorithm and a heap written by hand.
func HandHeap(n int) int {
	cost, distance := make([]int, n*n), make([]int, n*n)
	seed := 1
	for i := range cost {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		cost[i] = (seed>>16)%9 + 1
		distance[i] = 1 << 60
	}
	distance[0] = 0
	h := &minHeap{}
	h.push(item{0, 0})
	for len(h.items) > 0 {
		at := h.pop()
		if at.distance > distance[at.cell] {
			continue
		}
		x, y := at.cell%n, at.cell/n
		for _, step := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			u, v := x+step[0], y+step[1]
			if u < 0 || u >= n || v < 0 || v >= n {
				continue
			}
			next := v*n + u
			if d := at.distance + cost[next]; d < distance[next] {
				distance[next] = d
				h.push(item{d, next})
			}
		}
	}
	sum := 0
	for _, d := range distance {
		sum += d
	}
	return sum
}
