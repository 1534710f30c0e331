package main

import (
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Graphs and matrices: Dijkstra, Tarjan, topological order, max flow, LU, Floyd, union-find.

type Edge struct {
	to     string
	weight float64
}

type Graph map[string][]Edge

type item struct {
	node string
	dist float64
	at   int
}

type pq []*item

func (q pq) Len() int { return len(q) }
func (q pq) Less(i, j int) bool {
	return q[i].dist < q[j].dist || q[i].dist == q[j].dist && q[i].node < q[j].node
}
func (q pq) Swap(i, j int) { q[i], q[j] = q[j], q[i]; q[i].at, q[j].at = i, j }
func (q *pq) Push(x any)   { it := x.(*item); it.at = len(*q); *q = append(*q, it) }
func (q *pq) Pop() any {
	old := *q
	it := old[len(old)-1]
	*q = old[:len(old)-1]
	return it
}

func (g Graph) dijkstra(from string) (map[string]float64, map[string]string) {
	dist, prev := map[string]float64{from: 0}, map[string]string{}
	items := map[string]*item{from: {node: from}}
	q := &pq{items[from]}
	for q.Len() > 0 {
		u := heap.Pop(q).(*item)
		for _, e := range g[u.node] {
			d := u.dist + e.weight
			old, seen := dist[e.to]
			if seen && old <= d {
				continue
			}
			dist[e.to], prev[e.to] = d, u.node
			if it, ok := items[e.to]; ok && it.at < q.Len() && (*q)[it.at] == it {
				it.dist = d
				heap.Fix(q, it.at)
			} else {
				items[e.to] = &item{node: e.to, dist: d}
				heap.Push(q, items[e.to])
			}
		}
	}
	return dist, prev
}

func path(prev map[string]string, to string) (p []string) {
	for n, ok := to, true; ok; n, ok = prev[n] {
		p = append(p, n)
	}
	slices.Reverse(p)
	return p
}

func (g Graph) components() (list [][]string) {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for _, e := range g[v] {
			if index[e.to] == 0 {
				visit(e.to)
				low[v] = min(low[v], low[e.to])
			} else if on[e.to] {
				low[v] = min(low[v], index[e.to])
			}
		}
		if low[v] == index[v] {
			i := slices.Index(stack, v)
			c := slices.Clone(stack[i:])
			stack = stack[:i]
			for _, n := range c {
				on[n] = false
			}
			slices.Sort(c)
			list = append(list, c)
		}
	}
	for _, v := range slices.Sorted(maps.Keys(g)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return list
}

var errCycle = errors.New("cycle")

func (g Graph) order() (out []string, err error) {
	const white, grey, black = 0, 1, 2
	colour := make(map[string]int)
	var visit func(n string, trail ...string) error
	visit = func(n string, trail ...string) error {
		switch colour[n] {
		case black:
			return nil
		case grey:
			return fmt.Errorf("%w: %s", errCycle, strings.Join(append(trail, n), "->"))
		}
		colour[n] = grey
		defer func() { colour[n] = black; out = append(out, n) }()
		for _, e := range g[n] {
			if err := visit(e.to, append(trail, n)...); err != nil {
				return err
			}
		}
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(g)) {
		if err = visit(n); err != nil {
			return nil, err
		}
	}
	slices.Reverse(out)
	return out, nil
}

type Matrix[T ~float64 | ~int] [][]T

func (m Matrix[T]) Mul(n Matrix[T]) Matrix[T] {
	out := make(Matrix[T], len(m))
	for i := range m {
		out[i] = make([]T, len(n[0]))
		for j := range n[0] {
			for k := range n {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

func (m Matrix[T]) Pow(n uint) Matrix[T] {
	out := make(Matrix[T], len(m))
	for i := range out {
		out[i] = make([]T, len(m))
		out[i][i] = 1
	}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out.Mul(m)
		}
		m = m.Mul(m)
	}
	return out
}

func det(m [][]float64) float64 {
	a := make([][]float64, len(m))
	for i := range m {
		a[i] = append([]float64(nil), m[i]...)
	}
	d := 1.0
	for c := range a {
		p := c
		for r := c + 1; r < len(a); r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		if a[p][c] == 0 {
			return 0
		}
		if p != c {
			a[p], a[c] = a[c], a[p]
			d = -d
		}
		d *= a[c][c]
		for r := c + 1; r < len(a); r++ {
			f := a[r][c] / a[c][c]
			for k := c; k < len(a); k++ {
				a[r][k] -= float64(f * a[c][k])
			}
		}
	}
	return d
}

type sets [10]int

func (s *sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func main() {
	g := Graph{
		"a": {{"b", 7}, {"c", 9}, {"f", 14}}, "b": {{"c", 10}, {"d", 15}}, "c": {{"d", 11}, {"f", 2}},
		"d": {{"e", 6}}, "f": {{"e", 9}}, "e": nil,
	}
	dist, prev := g.dijkstra("a")
	for _, n := range slices.Sorted(maps.Keys(dist)) {
		fmt.Print(n, "=", dist[n], path(prev, n), " ")
	}
	fmt.Println()
	fmt.Println(g.order())
	g["e"] = []Edge{{to: "c"}}
	fmt.Println(g.order())
	fmt.Println(g.components())
	fmt.Println(Matrix[int]{{1, 1}, {1, 0}}.Pow(50)[0][1], Matrix[float64]{{0.5, 0.5}, {0.25, 0.75}}.Pow(20))
	fmt.Printf("%.4f %.4f\n", det([][]float64{{2, -1, 0}, {1, 3, 5}, {4, 0.5, 1}}), det([][]float64{{1, 2}, {2, 4}}))
	var s sets
	for i := range s {
		s[i] = i
	}
	for _, p := range [...][2]int{{0, 1}, {2, 3}, {1, 3}, {8, 9}} {
		s[s.find(p[0])] = s.find(p[1])
	}
	roots := map[int][]int{}
	for i := range s {
		roots[s.find(i)] = append(roots[s.find(i)], i)
	}
	fmt.Println(roots, s)
	const n = 4
	var fw [n][n]int
	for i := range fw {
		for j := range fw[i] {
			fw[i][j] = (i*7+j*5)%9 + 1
		}
	}
	before := fw
	for k := range n {
		for i := range n {
			for j := range n {
				fw[i][j] = min(fw[i][j], fw[i][k]+fw[k][j])
			}
		}
	}
	fmt.Println(fw, fw == before, before != [n][n]int{})
}
