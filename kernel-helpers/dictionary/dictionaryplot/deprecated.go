package dictionaryplot

import (
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
)

// AtomsOptions is the old name of BasisOptions.
//
// Deprecated: use BasisOptions.
type AtomsOptions = BasisOptions

// Atoms does what Basis does.
//
// Deprecated: use Basis.
func Atoms(B mat.Matrix, h, w int, opt AtomsOptions) *figure.Figure { return Basis(B, h, w, &opt) }
