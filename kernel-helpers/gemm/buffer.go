package gemm

import "unsafe"

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

// workspace returns uncleared memory for n numbers; release returns the memory to the pool.
func (q *kernels[T]) workspace(n int) *work[T] {
	w, _ := q.works.Get().(*work[T])
	if w == nil {
		w = new(work[T])
	}
	w.x = grow(w.x, n)
	return w
}

func (q *kernels[T]) release(w *work[T]) { q.works.Put(w) }
