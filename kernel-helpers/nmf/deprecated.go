package nmf

import "gonum.org/v1/gonum/mat"

// Result is the old name of Model.
//
// Deprecated: use Model.
type Result = Model

// Normalised does what Normalized does.
//
// Deprecated: use Normalized.
func (r *Model) Normalised() (U, W *mat.Dense) { return r.Normalized() }
