package gemm

import (
	"runtime"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's implementation of the BLAS with the methods that profit
// replaced. The zero value is ready; it is safe for concurrent use.
type BLAS struct{ gonum.Implementation }

// Use makes gonum's matrices, decompositions and blas32 and blas64 calculate
// with BLAS, for the whole program. Call it at the beginning of main, or in a
// notebook's first cell, before other goroutines calculate. A second call
// changes nothing.
func Use() {
	blas64.Use(BLAS{})
	blas32.Use(BLAS{})
}

// InstructionSet names what is in use: "avx512", "avx2" or "gonum".
func InstructionSet() string { return current.name }

// threads is what SetThreads set.
var threads atomic.Int32

// SetThreads sets the most goroutines that one product uses, and gives the
// number that was set before. 0, which is also the default, stands for
// runtime.GOMAXPROCS(0). The result of a product does not depend on it, not
// even in the last bit. It panics if n is negative.
func SetThreads(n int) (previous int) {
	if n < 0 {
		panic("gemm: negative number of threads")
	}
	return int(threads.Swap(int32(n)))
}

// Threads is the most goroutines that one product uses.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
