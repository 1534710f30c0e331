// Package heaps uses container/heap, which calls the methods of the heap's type.
package heaps

import "container/heap"

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// Run puts n numbers on a heap, takes them off, and returns a checksum of the order in which they come.
func Run(n int) int {
	h := &ints{}
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
