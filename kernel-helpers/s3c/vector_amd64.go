//go:build !noasm

package s3c

import (
	"unsafe"

	"overcomplete/internal/simd"
)

func (c *sweep) address() *byte { return (*byte)(unsafe.Pointer(c)) }

func slabRows(c *sweep) {
	switch {
	case simd.AVX512():
		slabRowsAVX512(c.address())
	case simd.AVX2():
		slabRowsAVX2(c.address())
	default:
		c.slabPortable(true)
	}
}

func slabList(c *sweep) {
	switch {
	case simd.AVX512():
		slabListAVX512(c.address())
	case simd.AVX2():
		slabListAVX2(c.address())
	default:
		c.slabPortable(false)
	}
}

func spikeRows(c *sweep) {
	switch {
	case simd.AVX512():
		spikeRowsAVX512(c.address())
	case simd.AVX2():
		spikeRowsAVX2(c.address())
	default:
		c.spikePortable(true, false)
	}
}

func spikeStoreRows(c *sweep) {
	switch {
	case simd.AVX512():
		spikeStoreRowsAVX512(c.address())
	case simd.AVX2():
		spikeStoreRowsAVX2(c.address())
	default:
		c.spikePortable(true, true)
	}
}

func spikeList(c *sweep) {
	switch {
	case simd.AVX512():
		spikeListAVX512(c.address())
	case simd.AVX2():
		spikeListAVX2(c.address())
	default:
		c.spikePortable(false, false)
	}
}

func screenRows(c *sweep) {
	switch {
	case simd.AVX512():
		screenRowsAVX512(c.address())
	case simd.AVX2():
		screenRowsAVX2(c.address())
	default:
		c.screenPortable()
	}
}

// respond computes u <- keep·u + step·(g + c r), for vectors of the same length, a multiple of 16.
func respond(keep, step float32, g, c, r, u []float32) {
	n := len(u)
	g, c, r = g[:n], c[:n], r[:n]
	switch {
	case n == 0:
	case simd.AVX512():
		respondAVX512(n, keep, step, &g[0], &c[0], &r[0], &u[0])
	case simd.AVX2():
		respondAVX2(n, keep, step, &g[0], &c[0], &r[0], &u[0])
	default:
		respondPortable(keep, step, g, c, r, u)
	}
}

// column copies src[0], src[stride], ... to dst.
func column(dst, src []float32, stride int) {
	n := 0
	if simd.AVX2() {
		n = len(dst) &^ 15
	}
	if n > 0 {
		_ = src[(len(dst)-1)*stride]
		if simd.AVX512() {
			columnAVX512(n, &src[0], 4*stride, &dst[0])
		} else {
			columnAVX2(n, &src[0], 4*stride, &dst[0])
		}
	}
	columnPortable(dst[n:], src[min(len(src), n*stride):], stride)
}

type (
	dotsFunc func(units int, w *float32, stride int, r, out *float32)
	sumsFunc func(units int, w *float32, stride int, m, r *float32)
)

// The index into both tables is the number of vectors in a row, minus one.
var (
	dotsWide = [...]dotsFunc{dots1AVX512, dots2AVX512, dots3AVX512, dots4AVX512, dots5AVX512, dots6AVX512, dots7AVX512, dots8AVX512}
	sumsWide = [...]sumsFunc{sums1AVX512, sums2AVX512, sums3AVX512, sums4AVX512, sums5AVX512, sums6AVX512, sums7AVX512, sums8AVX512}
	dotsHalf = [...]dotsFunc{dots1AVX2, dots2AVX2, dots3AVX2, dots4AVX2, dots5AVX2, dots6AVX2, dots7AVX2, dots8AVX2}
	sumsHalf = [...]sumsFunc{sums1AVX2, sums2AVX2, sums3AVX2, sums4AVX2, sums5AVX2, sums6AVX2, sums7AVX2, sums8AVX2}
)

// dots stores the product W r in the slice out. The number of rows of W is units, which must be a multiple of 4. The
// number of columns is len(r), which must be a multiple of 16.
func dots(units int, w, r, out []float32) {
	w, out = w[:units*len(r)], out[:units]
	if !simd.AVX2() {
		dotsPortable(units, w, r, out)
		return
	}
	clear(out)
	if units == 0 {
		return
	}
	lanes, f := 8, &dotsHalf
	if simd.AVX512() {
		lanes, f = 16, &dotsWide
	}
	for at := 0; at < len(r); {
		c := min(len(f), (len(r)-at)/lanes)
		f[c-1](units, &w[at], 4*len(r), &r[at], &out[0])
		at += c * lanes
	}
}

// sums subtracts W'm from r. W has len(m) rows and len(r) columns. len(r) is a multiple of 16.
func sums(w, m, r []float32) {
	w = w[:len(m)*len(r)]
	if len(m) == 0 {
		return
	}
	if !simd.AVX2() {
		sumsPortable(w, m, r)
		return
	}
	lanes, f := 8, &sumsHalf
	if simd.AVX512() {
		lanes, f = 16, &sumsWide
	}
	for at := 0; at < len(r); {
		c := min(len(f), (len(r)-at)/lanes)
		f[c-1](len(m), &w[at], 4*len(r), &m[0], &r[at])
		at += c * lanes
	}
}
