// Package programs contains the programs that kernel/bench measures. Each program is a Go function with everything that
// it needs, below a line //program: in one of the files; the Python code is in python.txtar. The Go code is compiled
// into this package, and is also passed to cells as text. The Go code is what a researcher would write, no faster and
// no slower.
//
//	numbers.go      loops and arithmetic
//	numerics.go     algorithms on slices of numbers
//	matrices.go     gonum's matrices
//	collections.go  slices, maps and trees
//	texts.go        strings, JSON, printing and logs
//	sorting.go      sorting and heaps
//	calls.go        closures, methods, interfaces, defer and recover
//	goroutines.go   goroutines and channels
//	text.go         programs as text for a cell
package programs

import "fmt"

// Compiled maps the names of programs to compiled programs. The program sum is the function Sum, deferclosure is
// DeferClosure, and so on. Each runs at size n and returns its checksum as fmt prints it.
var Compiled = map[string]func(n int) string{
	"appends":       printed(Appends),
	"buffered":      printed(Buffered),
	"builder":       printed(Builder),
	"closures":      printed(Closures),
	"colors":        printed(Colors),
	"concat":        printed(Concat),
	"deferclosure":  printed(DeferClosure),
	"deferunlock":   printed(DeferUnlock),
	"dot":           printed(Dot),
	"factorial":     printed(Factorial),
	"fft":           printed(FFT),
	"fib":           printed(Fib),
	"floydwarshall": printed(FloydWarshall),
	"globals":       printed(Globals),
	"handheap":      printed(HandHeap),
	"heaps":         printed(Heaps),
	"interfaces":    printed(Interfaces),
	"ista":          printed(ISTA),
	"jsons":         printed(JSONs),
	"kmeans":        printed(KMeans),
	"levbytes":      printed(LevBytes),
	"levrunes":      printed(LevRunes),
	"life":          printed(Life),
	"logs":          printed(Logs),
	"lu":            printed(LU),
	"mandelbrot":    printed(Mandelbrot),
	"mapints":       printed(MapInts),
	"mapstrings":    printed(MapStrings),
	"matapply":      printed(MatApply),
	"matat":         printed(MatAt),
	"matflat":       printed(MatFlat),
	"matmul":        printed(MatMul),
	"methodpointer": printed(MethodPointer),
	"methodvalue":   printed(MethodValue),
	"minimize":      printed(Minimize),
	"nbody":         printed(NBody),
	"nested":        printed(Nested),
	"pingpong":      printed(PingPong),
	"pipeline":      printed(Pipeline),
	"recovers":      printed(Recovers),
	"selects":       printed(Selects),
	"shapes":        printed(Shapes),
	"sieve":         printed(Sieve),
	"sortfunc":      printed(SortFunc),
	"sortslice":     printed(SortSlice),
	"sortsort":      printed(SortSort),
	"stringers":     printed(Stringers),
	"stringsmap":    printed(StringsMap),
	"sum":           printed(Sum),
	"tokens":        printed(Tokens),
	"treap":         printed(Treap),
	"trees":         printed(Trees),
	"twokeys":       printed(TwoKeys),
	"visitor":       printed(Visitor),
	"writers":       printed(Writers),
}

func printed[T any](run func(int) T) func(int) string {
	return func(n int) string { return fmt.Sprint(run(n)) }
}
