// Package life plays Conway's Game of Life on a torus.
package life

func step(from, to [][]bool) {
	n := len(from)
	for y := range n {
		for x := range n {
			neighbors := 0
			for dy := -1; dy <= 1; dy++ {
				row := from[(y+dy+n)%n]
				for dx := -1; dx <= 1; dx++ {
					if (dx != 0 || dy != 0) && row[(x+dx+n)%n] {
						neighbors++
					}
				}
			}
			to[y][x] = neighbors == 3 || neighbors == 2 && from[y][x]
		}
	}
}

// Run plays 20 generations on a board of n×n, and returns a checksum of the living cells.
func Run(n int) int {
	board, next := make([][]bool, n), make([][]bool, n)
	seed := 1
	for y := range n {
		board[y], next[y] = make([]bool, n), make([]bool, n)
		for x := range n {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			board[y][x] = (seed>>16)%3 == 0
		}
	}
	for range 20 {
		step(board, next)
		board, next = next, board
	}
	sum := 0
	for y := range n {
		for x := range n {
			if board[y][x] {
				sum += x + 7*y
			}
		}
	}
	return sum
}
