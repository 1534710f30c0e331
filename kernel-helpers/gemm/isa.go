package gemm

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

//go:generate go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg gemm
//go:generate go run ./gen -isa avx2 -out avx2_amd64.s -stubs avx2_amd64.go -pkg gemm
//go:generate go run ./gen -isa neon -out neon_arm64.s -stubs neon_arm64.go -pkg gemm

// A number is an element type of the products.
type number interface{ float32 | float64 }

// kernels holds the assembly functions for one element type and one instruction set. The functions take strides in
// bytes, except for the one in the field whole, which takes them in elements.
type kernels[T number] struct {
	rows  int // maximum number of rows of a register tile
	lanes int // numbers in a vector; a tile has one or two vectors of columns
	// tile1 and tile2 are the micro-kernels: C = alpha A B + beta C with A rows×k (element (i, p) at a + i*rs + p*cs),
	// B k×n, C rows×n, and n columns in one or two vectors. Their last argument (last) is the number of columns in the
	// last vector.
	tile1, tile2 func(rows, k int, a *T, rs, cs int, b *T, bs int, c *T, ldc, last int, alpha, beta T)
	// copy copies rows × cols numbers.
	copy func(dst *T, dstStride int, src *T, srcStride, rows, cols int)
	// transpose stores the transpose of src in dst: src is rows × k with rows <= lanes, and dst is k × lanes. The last
	// columns of dst, those beyond the rows of src, get arbitrary values.
	transpose func(dst *T, dstStride int, src *T, srcStride, rows, k int)
	// dots1 and dots4 compute the dot products of x with 1 or 4 rows of a, and store them in out. axpys1 and axpys4 add
	// 1 or 4 rows of a, each times its factor in f, to y. The function in the field both takes a single row, a. It adds
	// a times f to y, and stores a · x in out. n must be at least 1.
	dots1, dots4   func(n int, a *T, stride int, x, out *T)
	axpys1, axpys4 func(n int, f, a *T, stride int, y *T)
	both           func(n int, f, a, x, y, out *T)
	// both4 is like the function in the field both, but for 4 rows of a. It may be nil.
	both4 func(n int, f, a *T, stride int, x, y, out *T)
	// If whole is not nil, it is a function that computes the product C = alpha A B + beta C without tiles. The
	// argument called work is scratch memory.
	whole func(m, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int, work *T)
	// workSize is the number of elements in the scratch memory for calls to whole.
	workSize int
	// jobs is a pool of *job[T].
	jobs sync.Pool
	// works is a pool of *work[T].
	works sync.Pool
}

// size is the size of a number in bytes.
func (*kernels[T]) size() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// An isa is an instruction set with its kernels. The isa without kernels uses gonum's own code.
type isa struct {
	name string
	f32  *kernels[float32]
	f64  *kernels[float64]
}

// environment is the name of the environment variable that selects the instruction set.
const environment = "OVERCOMPLETE_GEMM"

// current is the instruction set in use. Only tests change it.
var current = choose(os.Getenv(environment), available())

// available lists the instruction sets that this machine can execute, best first. The last is always gonum's
// own code.
func available() []*isa { return append(assembly(), &isa{name: "gonum"}) }

// choose returns the instruction set with the given name, which comes from the environment variable OVERCOMPLETE_GEMM.
// For "" it returns the best instruction set. choose panics if the name is unknown, or if this machine cannot execute
// the instruction set.
func choose(name string, sets []*isa) *isa {
	if name == "" {
		return sets[0]
	}
	var names []string
	for _, s := range sets {
		if s.name == name {
			return s
		}
		names = append(names, s.name)
	}
	panic(fmt.Sprintf("gemm: %s=%s: this machine has %v", environment, name, names))
}

// cacheLine is the alignment of packed operands, in bytes.
const cacheLine = 64

// grow returns a slice of n numbers aligned to a cache line. It reuses x if x is long enough.
func grow[T number](x []T, n int) []T {
	if len(x) >= n {
		return x
	}
	size := int(unsafe.Sizeof(*new(T)))
	x = make([]T, n+cacheLine/size)
	skip := -int(uintptr(unsafe.Pointer(&x[0]))) & (cacheLine - 1) / size
	return x[skip : skip+n]
}

// A work is a block of reusable memory.
type work[T number] struct{ x []T }

// workspace returns uninitialized memory for n numbers; release returns the memory to the pool.
func (q *kernels[T]) workspace(n int) *work[T] {
	w, _ := q.works.Get().(*work[T])
	if w == nil {
		w = new(work[T])
	}
	w.x = grow(w.x, n)
	return w
}

func (q *kernels[T]) release(w *work[T]) { q.works.Put(w) }
