// Package programs contains the programs that kernel/bench measures. Each has a folder with its Go code; the
// Python code is in python.txtar. The Go code is compiled into this package, and is also passed to cells as text. The Go
// code is what a researcher would write, no faster and no slower.
package programs

import (
	"embed"
	"fmt"

	"overcomplete/kernel/internal/bench/programs/appends"
	"overcomplete/kernel/internal/bench/programs/buffered"
	"overcomplete/kernel/internal/bench/programs/builder"
	"overcomplete/kernel/internal/bench/programs/closures"
	"overcomplete/kernel/internal/bench/programs/colors"
	"overcomplete/kernel/internal/bench/programs/concat"
	"overcomplete/kernel/internal/bench/programs/deferclosure"
	"overcomplete/kernel/internal/bench/programs/deferunlock"
	"overcomplete/kernel/internal/bench/programs/dot"
	"overcomplete/kernel/internal/bench/programs/factorial"
	"overcomplete/kernel/internal/bench/programs/fft"
	"overcomplete/kernel/internal/bench/programs/fib"
	"overcomplete/kernel/internal/bench/programs/floydwarshall"
	"overcomplete/kernel/internal/bench/programs/globals"
	"overcomplete/kernel/internal/bench/programs/handheap"
	"overcomplete/kernel/internal/bench/programs/heaps"
	"overcomplete/kernel/internal/bench/programs/interfaces"
	"overcomplete/kernel/internal/bench/programs/ista"
	"overcomplete/kernel/internal/bench/programs/jsons"
	"overcomplete/kernel/internal/bench/programs/kmeans"
	"overcomplete/kernel/internal/bench/programs/levbytes"
	"overcomplete/kernel/internal/bench/programs/levrunes"
	"overcomplete/kernel/internal/bench/programs/life"
	"overcomplete/kernel/internal/bench/programs/logs"
	"overcomplete/kernel/internal/bench/programs/lu"
	"overcomplete/kernel/internal/bench/programs/mandelbrot"
	"overcomplete/kernel/internal/bench/programs/mapints"
	"overcomplete/kernel/internal/bench/programs/mapstrings"
	"overcomplete/kernel/internal/bench/programs/matapply"
	"overcomplete/kernel/internal/bench/programs/matat"
	"overcomplete/kernel/internal/bench/programs/matflat"
	"overcomplete/kernel/internal/bench/programs/matmul"
	"overcomplete/kernel/internal/bench/programs/methodpointer"
	"overcomplete/kernel/internal/bench/programs/methodvalue"
	"overcomplete/kernel/internal/bench/programs/minimize"
	"overcomplete/kernel/internal/bench/programs/nbody"
	"overcomplete/kernel/internal/bench/programs/nested"
	"overcomplete/kernel/internal/bench/programs/pingpong"
	"overcomplete/kernel/internal/bench/programs/pipeline"
	"overcomplete/kernel/internal/bench/programs/recovers"
	"overcomplete/kernel/internal/bench/programs/selects"
	"overcomplete/kernel/internal/bench/programs/shapes"
	"overcomplete/kernel/internal/bench/programs/sieve"
	"overcomplete/kernel/internal/bench/programs/sortfunc"
	"overcomplete/kernel/internal/bench/programs/sortslice"
	"overcomplete/kernel/internal/bench/programs/sortsort"
	"overcomplete/kernel/internal/bench/programs/stringers"
	"overcomplete/kernel/internal/bench/programs/stringsmap"
	"overcomplete/kernel/internal/bench/programs/sum"
	"overcomplete/kernel/internal/bench/programs/tokens"
	"overcomplete/kernel/internal/bench/programs/treap"
	"overcomplete/kernel/internal/bench/programs/trees"
	"overcomplete/kernel/internal/bench/programs/twokeys"
	"overcomplete/kernel/internal/bench/programs/visitor"
	"overcomplete/kernel/internal/bench/programs/writers"
)

//go:embed */*.go
var files embed.FS

//go:embed python.txtar
var python []byte

// Compiled maps folder names to compiled programs. Each runs at size n and returns its checksum as fmt prints
// it.
var Compiled = map[string]func(n int) string{
	"appends":       printed(appends.Run),
	"buffered":      printed(buffered.Run),
	"builder":       printed(builder.Run),
	"closures":      printed(closures.Run),
	"colors":        printed(colors.Run),
	"concat":        printed(concat.Run),
	"deferclosure":  printed(deferclosure.Run),
	"deferunlock":   printed(deferunlock.Run),
	"dot":           printed(dot.Run),
	"factorial":     printed(factorial.Run),
	"fft":           printed(fft.Run),
	"fib":           printed(fib.Run),
	"floydwarshall": printed(floydwarshall.Run),
	"globals":       printed(globals.Run),
	"handheap":      printed(handheap.Run),
	"heaps":         printed(heaps.Run),
	"interfaces":    printed(interfaces.Run),
	"ista":          printed(ista.Run),
	"jsons":         printed(jsons.Run),
	"kmeans":        printed(kmeans.Run),
	"levbytes":      printed(levbytes.Run),
	"levrunes":      printed(levrunes.Run),
	"life":          printed(life.Run),
	"logs":          printed(logs.Run),
	"lu":            printed(lu.Run),
	"mandelbrot":    printed(mandelbrot.Run),
	"mapints":       printed(mapints.Run),
	"mapstrings":    printed(mapstrings.Run),
	"matapply":      printed(matapply.Run),
	"matat":         printed(matat.Run),
	"matflat":       printed(matflat.Run),
	"matmul":        printed(matmul.Run),
	"methodpointer": printed(methodpointer.Run),
	"methodvalue":   printed(methodvalue.Run),
	"minimize":      printed(minimize.Run),
	"nbody":         printed(nbody.Run),
	"nested":        printed(nested.Run),
	"pingpong":      printed(pingpong.Run),
	"pipeline":      printed(pipeline.Run),
	"recovers":      printed(recovers.Run),
	"selects":       printed(selects.Run),
	"shapes":        printed(shapes.Run),
	"sieve":         printed(sieve.Run),
	"sortfunc":      printed(sortfunc.Run),
	"sortslice":     printed(sortslice.Run),
	"sortsort":      printed(sortsort.Run),
	"stringers":     printed(stringers.Run),
	"stringsmap":    printed(stringsmap.Run),
	"sum":           printed(sum.Run),
	"tokens":        printed(tokens.Run),
	"treap":         printed(treap.Run),
	"trees":         printed(trees.Run),
	"twokeys":       printed(twokeys.Run),
	"visitor":       printed(visitor.Run),
	"writers":       printed(writers.Run),
}

func printed[T any](run func(int) T) func(int) string {
	return func(n int) string { return fmt.Sprint(run(n)) }
}
