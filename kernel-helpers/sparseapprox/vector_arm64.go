//go:build !noasm

package sparseapprox

import (
	"unsafe"

	"overcomplete/internal/simd"
)

// axpy adds a x to y; x and y have the same length.
func axpy(a float64, x, y []float64) {
	x = x[:len(y)]
	switch {
	case len(y) == 0:
	case simd.NEON():
		axpys1F64NEON(len(y), &a, &x[0], &y[0])
	default:
		axpyPortable(a, x, y)
	}
}

// axpy32 is like axpy, in float32.
func axpy32(a float32, x, y []float32) {
	x = x[:len(y)]
	switch {
	case len(y) == 0:
	case simd.NEON():
		axpys1F32NEON(len(y), &a, &x[0], &y[0])
	default:
		axpyPortable(a, x, y)
	}
}

// axpy4 adds f_0 a + f_1 b + f_2 c + f_3 d to y. The five vectors a, b, c, d and y have the same length.
func axpy4(f *[4]float64, a, b, c, d, y []float64) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	switch {
	case n == 0:
	case simd.NEON():
		axpys4F64NEON(n, &f[0], &a[0], &b[0], &c[0], &d[0], &y[0])
	default:
		axpy4Portable(f, a, b, c, d, y)
	}
}

// axpy4x32 is like axpy4, in float32.
func axpy4x32(f *[4]float32, a, b, c, d, y []float32) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	switch {
	case n == 0:
	case simd.NEON():
		axpys4F32NEON(n, &f[0], &a[0], &b[0], &c[0], &d[0], &y[0])
	default:
		axpy4Portable(f, a, b, c, d, y)
	}
}

// dot returns x'y for x and y of the same length.
func dot(x, y []float64) float64 {
	x = x[:len(y)]
	switch {
	case len(y) == 0:
		return 0
	case simd.NEON():
		return dotF64NEON(len(y), &x[0], &y[0])
	}
	return dotPortable(x, y)
}

// run makes one sweep over the block; see sweepPortable.
func (b *block32) run(low float32) float32 {
	switch m := b.m; {
	case m == 0:
		return 0
	case simd.NEON():
		return sweepF32NEON(m, &b.a[:m*b.stride][0], 4*b.stride, &b.w[:b.stride][0], &b.q[:b.stride][0], &b.g[:b.stride][0], &b.inverse[:b.stride][0], low)
	}
	return b.sweepPortable(low)
}

// excess returns the largest of 0 and all max(q_j, sign·q_j) − bound_j.
func excess(q, bound []float32, sign float32) float32 {
	bound = bound[:len(q)]
	switch {
	case len(q) == 0:
		return 0
	case simd.NEON():
		return excessF32NEON(len(q), &q[0], &bound[0], sign)
	}
	return excessPortable(q, bound, sign)
}

// above sets bit j of bits (64 bits in a word) to 1 if max(q_j, sign·q_j) − bound_j >= least, and to 0 otherwise.
// least must be positive.
func above(q, bound []float32, sign, least float32, bits []uint64) {
	bound = bound[:len(q)]
	bits = bits[:(len(q)+63)/64]
	switch {
	case len(q) == 0:
	case simd.NEON():
		bits[len(bits)-1] = 0
		aboveF32NEON(len(q), &q[0], &bound[0], sign, least, (*byte)(unsafe.Pointer(&bits[0])))
	default:
		abovePortable(q, bound, sign, least, bits)
	}
}
