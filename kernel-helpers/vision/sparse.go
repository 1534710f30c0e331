package vision

import (
	"context"
	"fmt"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/sparseapprox"
)

// SparseEncoder returns the encoder that codes a patch x by the w that minimizes ½‖x − Dw‖² + λ‖w‖₁. D is the matrix
// of atoms in d. The encoder has one channel per atom. SplitSigns makes two channels per atom, as in Coates and Ng.
// The zero options are those of Coates and Ng, with λ = 1. If the iterations for a patch reach their limit, the code
// is the w reached so far; this is not an error. The fields Workers, Recorder and Warm of options are not used.
func SparseEncoder(d *Dictionary, options *sparseapprox.Options) (Encoder, error) {
	var opt sparseapprox.Options
	if options != nil {
		opt = *options
	}
	given.Args("vision: SparseEncoder", "d", d)
	if opt.Lambda == 0 {
		opt.Lambda = 1
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-3
	}
	opt.Workers, opt.Recorder, opt.Warm = 1, nil, nil
	c, err := sparseapprox.NewCoder(d.D, &opt)
	if err != nil {
		return nil, fmt.Errorf("vision: SparseEncoder: %w", err)
	}
	o, ridge := opt, ""
	if o.Ridge != 0 {
		ridge = fmt.Sprintf("ridge %v, ", o.Ridge)
	}
	return &sparseEncoder{coder: c, name: fmt.Sprintf("sparse code, %v, lambda %v, %sp %v, %v, tolerance %v, at most %d iterations, %d nonzeros, error %v, in float32, of %v",
		o.Prior, o.Lambda, ridge, o.P, o.Method, o.Tolerance, o.MaxIterations, o.Nonzeros, o.MaxError, d)}, nil
}

type sparseEncoder struct {
	coder *sparseapprox.Coder
	name  string
}

func (e *sparseEncoder) Dim() int       { return e.coder.Dim() }
func (e *sparseEncoder) Channels() int  { return e.coder.Atoms() }
func (e *sparseEncoder) String() string { return e.name }
func (e *sparseEncoder) Copy() Encoder  { return e } // a Coder may be shared

func (e *sparseEncoder) Encode(dst, X []float32, n int) {
	checkEncode(e, dst, X, n)
	if _, err := e.coder.Features(context.Background(), dst, X, n); err != nil {
		panic(fmt.Sprintf("vision: Encode: %v", err))
	}
}
