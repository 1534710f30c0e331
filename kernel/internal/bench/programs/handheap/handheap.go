// Package handheap finds shortest paths on a grid with Dijkstra's algorithm and a heap written by hand.
package handheap

type item struct{ distance, cell int }

type heap struct{ items []item }

func (h *heap) push(x item) {
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

func (h *heap) pop() item {
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

// Run finds the shortest paths from a corner of an n×n grid to all its cells, and returns the sum of their lengths.
func Run(n int) int {
	cost, distance := make([]int, n*n), make([]int, n*n)
	seed := 1
	for i := range cost {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		cost[i] = (seed>>16)%9 + 1
		distance[i] = 1 << 60
	}
	distance[0] = 0
	h := &heap{}
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
