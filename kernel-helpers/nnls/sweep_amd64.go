//go:build !noasm

package nnls

import "overcomplete/internal/simd"

// sweep512 does what sweepPortable does, with AVX-512. Results differ by rounding: in each sum over the rows of u,
// sweep512 adds the even and the odd rows separately, and it uses fused multiply-adds. columns is the number of
// elements that order points to.
//
//go:noescape
func sweep512(k, columns int, order *int, G, inv, c, u *float64)

// sweep256 does what sweep512 does, with AVX2 instead of AVX-512. The results have the same bits.
//
//go:noescape
func sweep256(k, columns int, order *int, G, inv, c, u *float64)

// sweep does what sweepPortable does, up to rounding, with vector instructions if the machine has them.
func sweep(k int, order []int, G, inv, c, u []float64) {
	if !simd.AVX2() || len(order) == 0 {
		sweepPortable(k, order, G, inv, c, u)
		return
	}
	_, _, _, _ = G[k*k-1], inv[k-1], c[k*lanes-1], u[k*lanes-1]
	if simd.AVX512() {
		sweep512(k, len(order), &order[0], &G[0], &inv[0], &c[0], &u[0])
	} else {
		sweep256(k, len(order), &order[0], &G[0], &inv[0], &c[0], &u[0])
	}
}
