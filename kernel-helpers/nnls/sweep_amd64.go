//go:build !noasm

package nnls

import "golang.org/x/sys/cpu"

// wide says that the processor has AVX-512 and the operating system saves its
// registers.
var wide = cpu.X86.HasAVX512F

// sweep512 is sweepPortable with fused multiply-adds and even and odd r in two sums.
//
//go:noescape
func sweep512(k, columns int, order *int, G, inv, c, u *float64)

// sweep makes one sweep over k×32 numbers u with c alike.
func sweep(k int, order []int, G, inv, c, u []float64) {
	if !wide || len(order) == 0 {
		sweepPortable(k, order, G, inv, c, u)
		return
	}
	_, _, _, _ = G[k*k-1], inv[k-1], c[k*lanes-1], u[k*lanes-1]
	sweep512(k, len(order), &order[0], &G[0], &inv[0], &c[0], &u[0])
}
