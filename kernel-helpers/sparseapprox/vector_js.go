//go:build livesimd

package sparseapprox

import (
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/internal/wasmhost"
	"overcomplete/kernel-helpers/internal/wasmsimd"
)

// short is the length below which a call to the WebAssembly module costs more time than it saves.
const short = 24

// axpy adds a x to y; x and y have the same length.
func axpy(a float64, x, y []float64) { addRow(wasmsimd.F64.Axpy, a, x, y) }

// axpy32 is like axpy, in float32.
func axpy32(a float32, x, y []float32) { addRow(wasmsimd.F32.Axpy, a, x, y) }

func addRow[T float32 | float64](f wasmhost.Func, a T, x, y []T) {
	x = x[:len(y)]
	if len(y) < short || !simd.Wasm() {
		axpyPortable(a, x, y)
		return
	}
	args := wasmsimd.Rows[T]{N: len(y), F: [4]T{a}, A: [4]*T{&x[0]}, Y: &y[0]}
	f.Call(unsafe.Pointer(&args))
}

// axpy4 adds f_0 a + f_1 b + f_2 c + f_3 d to y. The five vectors a, b, c, d and y have the same length.
func axpy4(f *[4]float64, a, b, c, d, y []float64) { addRows(wasmsimd.F64.Axpy4, f, a, b, c, d, y) }

// axpy4x32 is like axpy4, in float32.
func axpy4x32(f *[4]float32, a, b, c, d, y []float32) { addRows(wasmsimd.F32.Axpy4, f, a, b, c, d, y) }

func addRows[T float32 | float64](call wasmhost.Func, f *[4]T, a, b, c, d, y []T) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	if n < short || !simd.Wasm() {
		axpy4Portable(f, a, b, c, d, y)
		return
	}
	args := wasmsimd.Rows[T]{N: n, F: *f, A: [4]*T{&a[0], &b[0], &c[0], &d[0]}, Y: &y[0]}
	call.Call(unsafe.Pointer(&args))
}

// dot returns x'y for x and y of the same length.
func dot(x, y []float64) float64 {
	x = x[:len(y)]
	if len(y) < short || !simd.Wasm() {
		return dotPortable(x, y)
	}
	args := wasmsimd.Rows[float64]{N: len(y), A: [4]*float64{&x[0]}, Y: &y[0]}
	wasmsimd.F64.Dot.Call(unsafe.Pointer(&args))
	return args.F[0]
}

// run makes one sweep over the block; see sweepPortable.
func (b *block32) run(low float32) float32 {
	if b.m == 0 || !simd.Wasm() {
		return b.sweepPortable(low)
	}
	args := wasmsimd.Sweep{
		M: b.m, A: &b.a[:b.m*b.stride][0], Stride: b.stride,
		W: &b.w[:b.stride][0], Q: &b.q[:b.stride][0], G: &b.g[:b.stride][0], Inv: &b.inverse[:b.stride][0], Low: low,
	}
	wasmsimd.Sweep32.Call(unsafe.Pointer(&args))
	return args.Change
}

// excess returns the largest of 0 and all max(q_j, sign·q_j) − bound_j.
func excess(q, bound []float32, sign float32) float32 {
	bound = bound[:len(q)]
	if len(q) < short || !simd.Wasm() {
		return excessPortable(q, bound, sign)
	}
	args := wasmsimd.Bounds{N: len(q), Q: &q[0], Bound: &bound[0], Sign: sign}
	wasmsimd.Excess32.Call(unsafe.Pointer(&args))
	return args.Worst
}

// above sets bit j of bits (64 bits in a word) to 1 if max(q_j, sign·q_j) − bound_j >= least, and to 0 otherwise.
// least must be positive.
func above(q, bound []float32, sign, least float32, bits []uint64) {
	bound = bound[:len(q)]
	if len(q) < short || !simd.Wasm() {
		abovePortable(q, bound, sign, least, bits)
		return
	}
	bits = bits[:(len(q)+63)/64]
	bits[len(bits)-1] = 0
	args := wasmsimd.Bounds{N: len(q), Q: &q[0], Bound: &bound[0], Bits: &bits[0], Sign: sign, Least: least}
	wasmsimd.Above32.Call(unsafe.Pointer(&args))
}
