//go:build livesimd

package nnls

import (
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/wasmsimd"
)

// sweep does what sweepPortable does, up to rounding, with vector instructions if the machine has them.
func sweep(k int, order []int, G, inv, c, u []float64) {
	if !simd.Wasm() || len(order) == 0 {
		sweepPortable(k, order, G, inv, c, u)
		return
	}
	_, _, _, _ = G[k*k-1], inv[k-1], c[k*lanes-1], u[k*lanes-1]
	args := wasmsimd.Descent{K: k, Columns: len(order), Order: &order[0], G: &G[0], Inv: &inv[0], C: &c[0], U: &u[0]}
	wasmsimd.Descent64.Call(unsafe.Pointer(&args))
}
