// Command gen writes simd.wasm, the module of package wasmsimd. Use go generate to run it.
//
// Reading order: kernel.go (tools for functions of either precision), vmath.go (exponentials and logarithms),
// gemm.go (matrix products), rows.go (sums and products of rows), sparse.go (the lasso's sweeps), s3c.go (the
// updates of spike-and-slab sparse coding), nnls.go (coordinate descent for non-negative least squares).
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	code, err := module()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("simd.wasm", code, 0o666); err != nil {
		log.Fatal(err)
	}
}
