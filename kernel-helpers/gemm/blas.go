package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's implementation of the BLAS, with faster versions of some methods. The zero value is ready
// to use and safe for concurrent use.
type BLAS struct{ gonum.Implementation }

// Use installs BLAS as the implementation behind gonum's matrices, decompositions, blas32 and blas64, for the
// whole program. Call it at the beginning of main, or in a notebook's first cell, before other goroutines use
// gonum. A second call has no effect.
func Use() {
	blas64.Use(BLAS{})
	blas32.Use(BLAS{})
}

// InstructionSet returns the name of the instruction set in use: "avx512", "avx2", "neon"
// or "gonum", and in WebAssembly "simd128" or "gonum".
func InstructionSet() string { return current.name }

// threads is the value that SetWorkers set.
var threads atomic.Int32

// SetWorkers sets the largest number of goroutines that one product uses, and returns the previous setting.
// 0, the default, means runtime.GOMAXPROCS(0). The setting does not change a single bit of the results.
// SetWorkers panics if n is negative.
func SetWorkers(n int) (previous int) {
	if n < 0 {
		panic("gemm: negative number of workers")
	}
	return int(threads.Swap(int32(n)))
}

// serial is the number of open Serial regions.
var serial atomic.Int32

// Serial limits products to one goroutine each. The limit ends when the returned function is called. Use Serial for
// work that already runs in parallel.
//
//	defer gemm.Serial()()
//
// Several limits may be in force at the same time. When the last one ends, the setting of SetWorkers applies again. A
// second call to the same returned function has no effect. As with SetWorkers, results do not change.
func Serial() (done func()) {
	serial.Add(1)
	var once sync.Once
	return func() { once.Do(func() { serial.Add(-1) }) }
}

// Workers returns the largest number of goroutines that one product uses at the moment.
func Workers() int {
	if serial.Load() > 0 {
		return 1
	}
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
