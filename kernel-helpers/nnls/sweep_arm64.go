//go:build !noasm

package nnls

import "overcomplete/internal/simd"

// sweep does what sweepPortable does, up to rounding, with vector instructions if the machine has them.
func sweep(k int, order []int, G, inv, c, u []float64) {
	if !simd.NEON() || len(order) == 0 {
		sweepPortable(k, order, G, inv, c, u)
		return
	}
	_, _, _, _ = G[k*k-1], inv[k-1], c[k*lanes-1], u[k*lanes-1]
	sweepNEON(k, len(order), &order[0], &G[0], &inv[0], &c[0], &u[0])
}
