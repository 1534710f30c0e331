package lapack

import (
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/kernel-helpers/gemm"
)

// implementation is gonum's LAPACK with faster versions of some methods, which take the same arguments. These methods
// pass small matrices, bad arguments, and queries for the size of the workspace on to gonum. Only the estimates of
// condition numbers use the workspace.
type implementation struct{ gonum.Implementation }

// Use makes gonum's decompositions and lapack64 use this package, and calls [gemm.Use], for the whole program.
// Call it at the beginning of main, or in a notebook's first cell, before other goroutines use gonum. A second
// call has no effect.
func Use() {
	gemm.Use()
	lapack64.Use(implementation{})
}
