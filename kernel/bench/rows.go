package main

// A program is a row of the first table: one of the programs in package programs, with its sizes and its goal.
type program struct {
	name   string
	folder string // folder in package programs
	n      int    // size of the problem
	quick  int    // size with -quick: a tenth of the work
	goal   goal
	atCell bool   // the body of its function Run is at the top level of the cell
	python string // folder of the Python program, if different
	calls  func(n int) int
}

func (p program) pythonFolder() string {
	if p.python != "" {
		return p.python
	}
	return p.folder
}

func square(n int) int { return n * n }
func itself(n int) int { return n }

// rows lists the programs.
var rows = []program{
	{name: "sum", folder: "sum", n: 10_000_000, quick: 1_000_000, goal: numeric},
	{name: "sum, at cell level", folder: "sum", n: 10_000_000, quick: 1_000_000, goal: numeric, atCell: true},
	{name: "dot", folder: "dot", n: 1_000_000, quick: 100_000, goal: numeric},
	{name: "matrix product, rows", folder: "matmul", n: 200, quick: 93, goal: numeric},
	{name: "matrix product, rows, at cell level", folder: "matmul", n: 200, quick: 93, goal: numeric, atCell: true},
	{name: "matrix product, flat", folder: "matflat", n: 200, quick: 93, goal: numeric},
	{name: "matrix product, gonum's At and Set", folder: "matat", n: 150, quick: 70, goal: numeric},
	{name: "Mandelbrot", folder: "mandelbrot", n: 250, quick: 80, goal: numeric},
	{name: "Mandelbrot, at cell level", folder: "mandelbrot", n: 250, quick: 80, goal: numeric, atCell: true},
	{name: "n-body, structs", folder: "nbody", n: 40_000, quick: 4_000, goal: numeric},
	{name: "sieve", folder: "sieve", n: 2_000_000, quick: 200_000, goal: numeric},
	{name: "sieve, at cell level", folder: "sieve", n: 2_000_000, quick: 200_000, goal: numeric, atCell: true},
	{name: "Levenshtein, bytes", folder: "levbytes", n: 1500, quick: 474, goal: numeric},
	{name: "Levenshtein, runes", folder: "levrunes", n: 1500, quick: 474, goal: numeric},
	{name: "Floyd-Warshall", folder: "floydwarshall", n: 180, quick: 84, goal: numeric},
	{name: "ISTA", folder: "ista", n: 300, quick: 30, goal: numeric},
	{name: "nested loops", folder: "nested", n: 400, quick: 126, goal: numeric},
	{name: "nested loops, at cell level", folder: "nested", n: 400, quick: 126, goal: numeric, atCell: true},
	{name: "package variables, at cell level", folder: "globals", n: 5_000_000, quick: 500_000, goal: numeric, atCell: true},
	{name: "LU decomposition", folder: "lu", n: 200, quick: 93, goal: numeric},
	{name: "FFT, recursive", folder: "fft", n: 15, quick: 12, goal: numeric},
	{name: "Game of Life", folder: "life", n: 150, quick: 47, goal: numeric},
	{name: "k-means", folder: "kmeans", n: 5_000, quick: 500, goal: numeric},
	{name: "fib(35)", folder: "fib", n: 35, quick: 30, goal: likePython},
	{name: "binary trees", folder: "trees", n: 16, quick: 13, goal: likePython},
	{name: "map counts, strings", folder: "mapstrings", n: 100_000, quick: 10_000, goal: likePython},
	{name: "map counts, ints", folder: "mapints", n: 2_000_000, quick: 200_000, goal: likePython},
	{name: "map counts, ints, at cell level", folder: "mapints", n: 2_000_000, quick: 200_000, goal: likePython, atCell: true},
	{name: "string +=", folder: "concat", n: 5_000, quick: 500, goal: likePython},
	{name: "strings.Builder", folder: "builder", n: 1_000_000, quick: 100_000, goal: likePython},
	{name: "sort.Slice", folder: "sortslice", n: 200_000, quick: 20_000, goal: likePython},
	{name: "sort.Slice (Python by key)", folder: "sortslice", n: 200_000, quick: 20_000, python: "sortkey"},
	{name: "slices.SortFunc", folder: "sortfunc", n: 200_000, quick: 20_000, goal: likePython},
	{name: "append", folder: "appends", n: 1_000_000, quick: 100_000, goal: likePython},
	{name: "append, at cell level", folder: "appends", n: 1_000_000, quick: 100_000, goal: likePython, atCell: true},
	{name: "methods, value receiver", folder: "methodvalue", n: 500_000, quick: 50_000, goal: likePython},
	{name: "methods, pointer receiver", folder: "methodpointer", n: 3_000_000, quick: 300_000, goal: likePython},
	{name: "interface calls", folder: "interfaces", n: 3_000_000, quick: 300_000, goal: likePython},
	{name: "closures", folder: "closures", n: 2_000_000, quick: 200_000, goal: likePython},
	{name: "log lines, fmt.Fprintf and regexp", folder: "logs", n: 20_000, quick: 2_000, goal: twicePython},
	{name: "shapes, a type switch and fmt.Fprintf", folder: "shapes", n: 30_000, quick: 3_000, goal: likePython},
	{name: "JSON of structs", folder: "jsons", n: 10_000, quick: 1_000, goal: likePython},
	{name: "tokens in a map of structs", folder: "tokens", n: 50_000, quick: 5_000, goal: likePython},
	{name: "treap, generic", folder: "treap", n: 20_000, quick: 2_000, goal: likePython},
	{name: "digits of 3000!, big.Int", folder: "factorial", n: 3_000, quick: 950, goal: likePython},
	{name: "sort.Slice by two keys (Python by key)", folder: "twokeys", n: 50_000, quick: 5_000, goal: twicePython},
	{name: "visitor of a tree", folder: "visitor", n: 16, quick: 13, goal: likePython},
	{name: "Dijkstra, heap written out (Python's heapq)", folder: "handheap", n: 180, quick: 57, goal: twicePython},
	{name: "pipeline of four goroutines", folder: "pipeline", n: 50_000, quick: 5_000, goal: likePython},
	{name: "ping-pong of two goroutines", folder: "pingpong", n: 20_000, quick: 2_000, goal: likePython},
	{name: "buffered channel", folder: "buffered", n: 5_000, quick: 500, goal: likePython},
	{name: "select with default", folder: "selects", n: 500_000, quick: 50_000, goal: likePython},
	{name: "defer of a closure", folder: "deferclosure", n: 300_000, quick: 30_000, goal: likePython},
	{name: "defer mu.Unlock()", folder: "deferunlock", n: 300_000, quick: 30_000, goal: likePython},
	{name: "recover without a panic", folder: "recovers", n: 300_000, quick: 30_000, goal: likePython},
	{name: "mat.Apply", folder: "matapply", n: 1000, quick: 316, calls: square},
	{name: "strings.Map", folder: "stringsmap", n: 1_200_000, quick: 120_000, calls: itself},
	{name: "sort.Sort of a cell's type", folder: "sortsort", n: 50_000, quick: 5_000, goal: called},
	{name: "container/heap", folder: "heaps", n: 30_000, quick: 3_000, goal: called},
	{name: "fmt.Sprint of a cell's Stringer", folder: "stringers", n: 100_000, quick: 10_000, goal: called},
	{name: "a cell's io.Writer", folder: "writers", n: 100_000, quick: 10_000, goal: called},
	{name: "color.Color (through reflection)", folder: "colors", n: 20_000, quick: 2_000},
	{name: "optimize.Minimize", folder: "minimize", n: 40, quick: 4},
}
