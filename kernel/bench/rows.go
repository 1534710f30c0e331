package main

// A program is a row of the first table: one of the programs in package programs, with its sizes and its goal.
type program struct {
	name   string
	source string // name in package programs
	n      int    // size of the problem
	quick  int    // size with -quick: a tenth of the work
	goal   goal
	atCell bool   // the body of its function is at the top level of the cell
	python string // name of the Python program, if different
	calls  func(n int) int
}

func (p program) pythonSource() string {
	if p.python != "" {
		return p.python
	}
	return p.source
}

func square(n int) int { return n * n }
func itself(n int) int { return n }

// rows lists the programs.
var rows = []program{
	{name: "sum", source: "sum", n: 10_000_000, quick: 1_000_000, goal: numeric},
	{name: "sum, at cell level", source: "sum", n: 10_000_000, quick: 1_000_000, goal: numeric, atCell: true},
	{name: "dot", source: "dot", n: 1_000_000, quick: 100_000, goal: numeric},
	{name: "matrix product, rows", source: "matmul", n: 200, quick: 93, goal: numeric},
	{name: "matrix product, rows, at cell level", source: "matmul", n: 200, quick: 93, goal: numeric, atCell: true},
	{name: "matrix product, flat", source: "matflat", n: 200, quick: 93, goal: numeric},
	{name: "matrix product, gonum's At and Set", source: "matat", n: 150, quick: 70, goal: numeric},
	{name: "Mandelbrot", source: "mandelbrot", n: 250, quick: 80, goal: numeric},
	{name: "Mandelbrot, at cell level", source: "mandelbrot", n: 250, quick: 80, goal: numeric, atCell: true},
	{name: "n-body, structs", source: "nbody", n: 40_000, quick: 4_000, goal: numeric},
	{name: "sieve", source: "sieve", n: 2_000_000, quick: 200_000, goal: numeric},
	{name: "sieve, at cell level", source: "sieve", n: 2_000_000, quick: 200_000, goal: numeric, atCell: true},
	{name: "Levenshtein, bytes", source: "levbytes", n: 1500, quick: 474, goal: numeric},
	{name: "Levenshtein, runes", source: "levrunes", n: 1500, quick: 474, goal: numeric},
	{name: "Floyd-Warshall", source: "floydwarshall", n: 180, quick: 84, goal: numeric},
	{name: "ISTA", source: "ista", n: 300, quick: 30, goal: numeric},
	{name: "nested loops", source: "nested", n: 400, quick: 126, goal: numeric},
	{name: "nested loops, at cell level", source: "nested", n: 400, quick: 126, goal: numeric, atCell: true},
	{name: "package variables, at cell level", source: "globals", n: 5_000_000, quick: 500_000, goal: numeric, atCell: true},
	{name: "LU decomposition", source: "lu", n: 200, quick: 93, goal: numeric},
	{name: "FFT, recursive", source: "fft", n: 15, quick: 12, goal: numeric},
	{name: "Game of Life", source: "life", n: 150, quick: 47, goal: numeric},
	{name: "k-means", source: "kmeans", n: 5_000, quick: 500, goal: numeric},
	{name: "fib(35)", source: "fib", n: 35, quick: 30, goal: likePython},
	{name: "binary trees", source: "trees", n: 16, quick: 13, goal: likePython},
	{name: "map counts, strings", source: "mapstrings", n: 100_000, quick: 10_000, goal: likePython},
	{name: "map counts, ints", source: "mapints", n: 2_000_000, quick: 200_000, goal: likePython},
	{name: "map counts, ints, at cell level", source: "mapints", n: 2_000_000, quick: 200_000, goal: likePython, atCell: true},
	{name: "string +=", source: "concat", n: 5_000, quick: 500, goal: likePython},
	{name: "strings.Builder", source: "builder", n: 1_000_000, quick: 100_000, goal: likePython},
	{name: "sort.Slice", source: "sortslice", n: 200_000, quick: 20_000, goal: likePython},
	{name: "sort.Slice (Python by key)", source: "sortslice", n: 200_000, quick: 20_000, python: "sortkey"},
	{name: "slices.SortFunc", source: "sortfunc", n: 200_000, quick: 20_000, goal: likePython},
	{name: "append", source: "appends", n: 1_000_000, quick: 100_000, goal: likePython},
	{name: "append, at cell level", source: "appends", n: 1_000_000, quick: 100_000, goal: likePython, atCell: true},
	{name: "methods, value receiver", source: "methodvalue", n: 500_000, quick: 50_000, goal: likePython},
	{name: "methods, pointer receiver", source: "methodpointer", n: 3_000_000, quick: 300_000, goal: likePython},
	{name: "interface calls", source: "interfaces", n: 3_000_000, quick: 300_000, goal: likePython},
	{name: "closures", source: "closures", n: 2_000_000, quick: 200_000, goal: likePython},
	{name: "log lines, fmt.Fprintf and regexp", source: "logs", n: 20_000, quick: 2_000, goal: twicePython},
	{name: "shapes, a type switch and fmt.Fprintf", source: "shapes", n: 30_000, quick: 3_000, goal: likePython},
	{name: "JSON of structs", source: "jsons", n: 10_000, quick: 1_000, goal: likePython},
	{name: "tokens in a map of structs", source: "tokens", n: 50_000, quick: 5_000, goal: likePython},
	{name: "treap, generic", source: "treap", n: 20_000, quick: 2_000, goal: likePython},
	{name: "digits of 3000!, big.Int", source: "factorial", n: 3_000, quick: 950, goal: likePython},
	{name: "sort.Slice by two keys (Python by key)", source: "twokeys", n: 50_000, quick: 5_000, goal: twicePython},
	{name: "visitor of a tree", source: "visitor", n: 16, quick: 13, goal: likePython},
	{name: "Dijkstra, heap written out (Python's heapq)", source: "handheap", n: 180, quick: 57, goal: twicePython},
	{name: "pipeline of four goroutines", source: "pipeline", n: 50_000, quick: 5_000, goal: likePython},
	{name: "ping-pong of two goroutines", source: "pingpong", n: 20_000, quick: 2_000, goal: likePython},
	{name: "buffered channel", source: "buffered", n: 5_000, quick: 500, goal: likePython},
	{name: "select with default", source: "selects", n: 500_000, quick: 50_000, goal: likePython},
	{name: "defer of a closure", source: "deferclosure", n: 300_000, quick: 30_000, goal: likePython},
	{name: "defer mu.Unlock()", source: "deferunlock", n: 300_000, quick: 30_000, goal: likePython},
	{name: "recover without a panic", source: "recovers", n: 300_000, quick: 30_000, goal: likePython},
	{name: "mat.Apply", source: "matapply", n: 1000, quick: 316, calls: square},
	{name: "strings.Map", source: "stringsmap", n: 1_200_000, quick: 120_000, calls: itself},
	{name: "sort.Sort of a cell's type", source: "sortsort", n: 50_000, quick: 5_000, goal: called},
	{name: "container/heap", source: "heaps", n: 30_000, quick: 3_000, goal: called},
	{name: "fmt.Sprint of a cell's Stringer", source: "stringers", n: 100_000, quick: 10_000, goal: called},
	{name: "a cell's io.Writer", source: "writers", n: 100_000, quick: 10_000, goal: called},
	{name: "color.Color (through reflection)", source: "colors", n: 20_000, quick: 2_000},
	{name: "optimize.Minimize", source: "minimize", n: 40, quick: 4},
}
