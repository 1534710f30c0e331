//go:build !noasm

package features

import "overcomplete/internal/simd"

// decodeHalves converts half-precision numbers to float32: the first len(dst) numbers of src.
func decodeHalves(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	if n := len(dst) &^ 7; simd.NEON() && n > 0 {
		halvesNEON(n, &dst[0], &src[0])
		dst, src = dst[n:], src[2*n:]
	}
	halvesPortable(dst, src)
}

// decodeBytes stores lo[j] + step[j]·from[j] in dst[j], for each j.
func decodeBytes(dst []float32, from []byte, lo, step []float32) {
	n := len(dst)
	from, lo, step = from[:n], lo[:n], step[:n]
	if n &^= 7; simd.NEON() && n > 0 {
		bytesNEON(n, &dst[0], &from[0], &lo[0], &step[0])
		dst, from, lo, step = dst[n:], from[n:], lo[n:], step[n:]
	}
	bytesPortable(dst, from, lo, step)
}
