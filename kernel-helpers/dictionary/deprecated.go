package dictionary

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

// Learn does what Fit does.
//
// Deprecated: use Fit.
func Learn(ctx context.Context, X mat.Matrix, opt *Options) (*Result, error) { return Fit(ctx, X, opt) }

// Sparse does what SparseCoder does.
//
// Deprecated: use SparseCoder.
func Sparse(opt sparseapprox.Options) Coder { return SparseCoder(&opt) }

// KL does what KLCoder does.
//
// Deprecated: use KLCoder.
func KL(opt klcoding.Options) Coder { return KLCoder(&opt) }
