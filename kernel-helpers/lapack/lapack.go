package lapack

import (
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/kernel-helpers/gemm"
)

// implementation is gonum's, with faster versions of some methods. The arguments are gonum's. Small matrices,
// bad arguments, and queries for the size of the workspace are left to gonum; the workspace is not used.
type implementation struct{ gonum.Implementation }

// Use makes gonum's decompositions and lapack64 use this package, and calls [gemm.Use], for the whole program.
// Call it at the beginning of main, or in a notebook's first cell, before other goroutines use gonum. A second
// call has no effect.
func Use() {
	gemm.Use()
	lapack64.Use(implementation{})
}
