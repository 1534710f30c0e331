package klcoding

import "gonum.org/v1/gonum/mat"

// NewCoder does what New does.
//
// Deprecated: use New.
func NewCoder(B mat.Matrix, opt Options) (*Coder, error) { return New(B, &opt) }

// Reconstruct does what Inverse does.
//
// Deprecated: use Inverse.
func (c *Coder) Reconstruct(W mat.Matrix) *mat.Dense { return c.Inverse(W) }
