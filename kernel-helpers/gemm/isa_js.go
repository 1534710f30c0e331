//go:build livesimd

package gemm

import (
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/wasmsimd"
)

// assembly lists the instruction sets besides gonum's own code. If the browser supports vectors, there is one,
// simd128, with the functions of package wasmsimd. Otherwise there is none.
func assembly() []*isa {
	if !simd.Wasm() {
		return nil
	}
	return []*isa{{name: "simd128", f32: moduleKernels[float32](&wasmsimd.F32), f64: moduleKernels[float64](&wasmsimd.F64)}}
}

func moduleKernels[T number](f *wasmsimd.Set) *kernels[T] {
	size := int(unsafe.Sizeof(*new(T)))
	// row returns row i of a matrix whose rows are stride bytes apart.
	row := func(a *T, stride, i int) *T { return (*T)(unsafe.Add(unsafe.Pointer(a), i*stride)) }
	return &kernels[T]{
		rows: wasmsimd.TileRows, lanes: 16 / size,
		workSize: wasmsimd.WorkSize(size),
		whole: func(m, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int, work *T) {
			args := wasmsimd.Product[T]{
				M: m, N: n, K: k, Alpha: alpha, Beta: beta,
				A: &a.data[0], ARow: a.rs, ACol: a.cs,
				B: &b.data[0], BRow: b.rs, BCol: b.cs,
				C: &c[0], CRow: ldc, Work: work,
			}
			f.Gemm.Call(unsafe.Pointer(&args))
		},
		dots1: func(n int, a *T, stride int, x, out *T) {
			args := wasmsimd.Rows[T]{N: n, Y: x, A: [4]*T{a}}
			f.Dot.Call(unsafe.Pointer(&args))
			*out = args.F[0]
		},
		dots4: func(n int, a *T, stride int, x, out *T) {
			args := wasmsimd.Rows[T]{N: n, Y: x, A: [4]*T{a, row(a, stride, 1), row(a, stride, 2), row(a, stride, 3)}}
			f.Dot4.Call(unsafe.Pointer(&args))
			*(*[4]T)(unsafe.Pointer(out)) = args.F
		},
		axpys1: func(n int, by, a *T, stride int, y *T) {
			args := wasmsimd.Rows[T]{N: n, Y: y, A: [4]*T{a}, F: [4]T{*by}}
			f.Axpy.Call(unsafe.Pointer(&args))
		},
		axpys4: func(n int, by, a *T, stride int, y *T) {
			args := wasmsimd.Rows[T]{N: n, Y: y, A: [4]*T{a, row(a, stride, 1), row(a, stride, 2), row(a, stride, 3)}, F: *(*[4]T)(unsafe.Pointer(by))}
			f.Axpy4.Call(unsafe.Pointer(&args))
		},
		both: func(n int, by, a, x, y, out *T) {
			args := wasmsimd.Rows[T]{N: n, Y: y, A: [4]*T{a, x}, F: [4]T{*by}}
			f.Both.Call(unsafe.Pointer(&args))
			*out = args.F[1]
		},
	}
}
