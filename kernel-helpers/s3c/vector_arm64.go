//go:build !noasm

package s3c

import (
	"unsafe"

	"overcomplete/internal/simd"
)

func (c *sweep) address() *byte { return (*byte)(unsafe.Pointer(c)) }

func slabRows(c *sweep) {
	switch {
	case simd.NEON():
		slabRowsNEON(c.address())
	default:
		c.slabPortable(true)
	}
}

func slabList(c *sweep) {
	switch {
	case simd.NEON():
		slabListNEON(c.address())
	default:
		c.slabPortable(false)
	}
}

func spikeRows(c *sweep) {
	switch {
	case simd.NEON():
		spikeRowsNEON(c.address())
	default:
		c.spikePortable(true, false)
	}
}

func spikeStoreRows(c *sweep) {
	switch {
	case simd.NEON():
		spikeStoreRowsNEON(c.address())
	default:
		c.spikePortable(true, true)
	}
}

func spikeList(c *sweep) {
	switch {
	case simd.NEON():
		spikeListNEON(c.address())
	default:
		c.spikePortable(false, false)
	}
}

func screenRows(c *sweep) {
	switch {
	case simd.NEON():
		screenRowsNEON(c.address())
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
	case simd.NEON():
		respondNEON(n, keep, step, &g[0], &c[0], &r[0], &u[0])
	default:
		respondPortable(keep, step, g, c, r, u)
	}
}

// column copies src[0], src[stride], ... to dst. arm64 has no gather instruction.
func column(dst, src []float32, stride int) { columnPortable(dst, src, stride) }

// The index into both tables is the number of vectors in a row (a multiple of 4), divided by 4, minus one.
var (
	dotsBy = [...]func(units int, w *float32, stride int, r, out *float32){dots4NEON, dots8NEON, dots12NEON, dots16NEON}
	sumsBy = [...]func(units int, w *float32, stride int, m, r *float32){sums4NEON, sums8NEON, sums12NEON, sums16NEON}
)

// dots stores the product W r in the slice out. The number of rows of W is units, which must be a multiple of 4. The
// number of columns is len(r), which must be a multiple of 16.
func dots(units int, w, r, out []float32) {
	w, out = w[:units*len(r)], out[:units]
	if !simd.NEON() {
		dotsPortable(units, w, r, out)
		return
	}
	clear(out)
	if units == 0 {
		return
	}
	for at := 0; at < len(r); {
		c := min(len(dotsBy), (len(r)-at)/16)
		dotsBy[c-1](units, &w[at], 4*len(r), &r[at], &out[0])
		at += 16 * c
	}
}

// sums subtracts W'm from r. W has len(m) rows and len(r) columns. len(r) is a multiple of 16.
func sums(w, m, r []float32) {
	w = w[:len(m)*len(r)]
	if len(m) == 0 {
		return
	}
	if !simd.NEON() {
		sumsPortable(w, m, r)
		return
	}
	for at := 0; at < len(r); {
		c := min(len(sumsBy), (len(r)-at)/16)
		sumsBy[c-1](len(m), &w[at], 4*len(r), &m[0], &r[at])
		at += 16 * c
	}
}
