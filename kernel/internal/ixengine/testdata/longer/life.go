package main

import (
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"sort"
	"strings"
)

// Games and simulations: life, sudoku, n queens, mandelbrot, knapsack, maze, with hot loops, arrays and labels.

const W, H = 24, 10

type Grid [H][W]bool

func (g *Grid) neighbours(y, x int) (n int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dy == 0 && dx == 0 {
				continue
			}
			if g[(y+dy+H)%H][(x+dx+W)%W] {
				n++
			}
		}
	}
	return
}

func (g Grid) next() (out Grid) {
	for y := range g {
		for x, alive := range g[y] {
			switch n := g.neighbours(y, x); {
			case n == 3, alive && n == 2:
				out[y][x] = true
			}
		}
	}
	return
}

func (g Grid) String() string {
	var b strings.Builder
	for _, row := range g {
		for _, c := range row {
			b.WriteByte(" #"[map[bool]int{true: 1}[c]])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

type Sudoku [9][9]int8

func (s *Sudoku) solve(count *int) bool {
	*count++
	for r := range s {
		for c := range s[r] {
			if s[r][c] != 0 {
				continue
			}
		digit:
			for d := int8(1); d <= 9; d++ {
				for i := range 9 {
					if s[r][i] == d || s[i][c] == d || s[r/3*3+i/3][c/3*3+i%3] == d {
						continue digit
					}
				}
				s[r][c] = d
				if s.solve(count) {
					return true
				}
			}
			s[r][c] = 0
			return false
		}
	}
	return true
}

func queens(n int) (count int, first []int) {
	cols, d1, d2 := make([]bool, n), make([]bool, 2*n), make([]bool, 2*n)
	place := make([]int, 0, n)
	var put func(r int)
	put = func(r int) {
		if r == n {
			if count++; count == 1 {
				first = append(first, place...)
			}
			return
		}
		for c := range n {
			if cols[c] || d1[r+c] || d2[r-c+n] {
				continue
			}
			cols[c], d1[r+c], d2[r-c+n] = true, true, true
			place = append(place, c)
			put(r + 1)
			place = place[:len(place)-1]
			cols[c], d1[r+c], d2[r-c+n] = false, false, false
		}
	}
	put(0)
	return
}

func mandel(w, h int) (rows []string) {
	for y := range h {
		row := make([]byte, w)
		for x := range row {
			c := complex(float64(x)/float64(w)*3-2.2, float64(y)/float64(h)*2-1)
			z, n := 0i, 0
			for ; n < 30 && real(z)*real(z)+imag(z)*imag(z) < 4; n++ {
				z = z*z + c
			}
			row[x] = " .:-=+*#%@"[n/3-n/30]
		}
		rows = append(rows, string(row))
	}
	return
}

type Item struct {
	name          string
	weight, value int
}

func knapsack(items []Item, cap int) (best int, taken []string) {
	table := make([][]int, len(items)+1)
	for i := range table {
		table[i] = make([]int, cap+1)
	}
	for i, it := range items {
		for w := 0; w <= cap; w++ {
			table[i+1][w] = table[i][w]
			if it.weight <= w {
				table[i+1][w] = max(table[i+1][w], table[i][w-it.weight]+it.value)
			}
		}
	}
	for i, w := len(items), cap; i > 0; i-- {
		if table[i][w] != table[i-1][w] {
			taken = append(taken, items[i-1].name)
			w -= items[i-1].weight
		}
	}
	sort.Strings(taken)
	return table[len(items)][cap], taken
}

func maze(n int, seed uint64) string {
	r := randv2.New(randv2.NewPCG(seed, 1))
	size := 2*n + 1
	cells := make([][]rune, size)
	for i := range cells {
		cells[i] = []rune(strings.Repeat("█", size))
	}
	type at struct{ y, x int }
	stack := []at{{1, 1}}
	cells[1][1] = ' '
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		var free []at
		for _, d := range [...]at{{0, 2}, {2, 0}, {0, -2}, {-2, 0}} {
			q := at{p.y + d.y, p.x + d.x}
			if q.y > 0 && q.x > 0 && q.y < size && q.x < size && cells[q.y][q.x] != ' ' {
				free = append(free, q)
			}
		}
		if len(free) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		q := free[r.IntN(len(free))]
		cells[(p.y+q.y)/2][(p.x+q.x)/2], cells[q.y][q.x] = ' ', ' '
		stack = append(stack, q)
	}
	var b strings.Builder
	for _, row := range cells {
		b.WriteString(string(row) + "\n")
	}
	return b.String()
}

func levenshtein(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	prev := make([]int, len(rb)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, x := range ra {
		cur := append(make([]int, 0, len(prev)), i+1)
		for j, y := range rb {
			cost := 1
			if x == y {
				cost = 0
			}
			cur = append(cur, min(prev[j]+cost, prev[j+1]+1, cur[j]+1))
		}
		prev = cur
	}
	return prev[len(rb)]
}

func main() {
	var g Grid
	for _, p := range [][2]int{{1, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {6, 10}, {6, 11}, {6, 12}} {
		g[p[0]][p[1]] = true
	}
	start := g
	for range 20 {
		g = g.next()
	}
	fmt.Print(g, g == start, "\n")
	s := Sudoku{{5, 3, 0, 0, 7}, {6, 0, 0, 1, 9, 5}, {0, 9, 8, 0, 0, 0, 0, 6}, {8, 0, 0, 0, 6, 0, 0, 0, 3}, {4, 0, 0, 8, 0, 3, 0, 0, 1}, {7, 0, 0, 0, 2, 0, 0, 0, 6}, {0, 6, 0, 0, 0, 0, 2, 8}, {3: 4, 4: 1, 5: 9, 8: 5}, {4: 8, 7: 7, 8: 9}}
	count := 0
	fmt.Println(s.solve(&count), s[0], s[8], count)
	fmt.Println(queens(6))
	fmt.Println(strings.Join(mandel(40, 8), "\n"))
	fmt.Println(knapsack([]Item{{"map", 9, 150}, {"compass", 13, 35}, {"water", 153, 200}, {"sandwich", 50, 160}, {"glucose", 15, 60}, {"tin", 68, 45}, {"banana", 27, 60}, {"apple", 39, 40}}, 200))
	fmt.Print(maze(6, 7))
	r := rand.New(rand.NewSource(42))
	fmt.Println(r.Intn(100), r.Perm(5), r.Float64() < 1, levenshtein("kitten größe", "sitting grösse"))
	sieve := make([]bool, 1000)
	sum := 0
	for i := 2; i < len(sieve); i++ {
		if sieve[i] {
			continue
		}
		sum += i
		for j := i * i; j < len(sieve); j += i {
			sieve[j] = true
		}
	}
	fmt.Println(sum)
}
