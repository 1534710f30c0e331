package lapack

import (
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// LAPACK is gonum's implementation of LAPACK, with faster versions of some methods. The zero value is ready
// to use and safe for concurrent use.
type LAPACK struct{ gonum.Implementation }

// Use installs LAPACK as the implementation behind gonum's decompositions and lapack64, for the whole program.
func Use() { lapack64.Use(LAPACK{}) }
