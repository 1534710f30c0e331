package gemm

import (
	"runtime"
	"sync"
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

// threads is what SetWorkers set.
var threads atomic.Int32

// SetWorkers sets the most goroutines that one product uses, and gives the
// number that was set before. 0, which is also the default, stands for
// runtime.GOMAXPROCS(0). The result of a product does not depend on it, not
// even in the last bit. It panics if n is negative.
func SetWorkers(n int) (previous int) {
	if n < 0 {
		panic("gemm: negative number of workers")
	}
	return int(threads.Swap(int32(n)))
}

// serial is how many of Serial's regions are open.
var serial atomic.Int32

// Serial has every product that is begun from now on use one goroutine, until done is
// called: for work that is done side by side already, where more would only be in
// each other's way.
//
//	defer gemm.Serial()()
//
// Regions may be open in several goroutines at once and within one another; the last to
// be closed brings back what SetWorkers has set. Calling done again changes
// nothing. As with SetWorkers, no result depends on it.
func Serial() (done func()) {
	serial.Add(1)
	var once sync.Once
	return func() { once.Do(func() { serial.Add(-1) }) }
}

// Workers is the most goroutines that one product uses at the moment.
func Workers() int {
	if serial.Load() > 0 {
		return 1
	}
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
