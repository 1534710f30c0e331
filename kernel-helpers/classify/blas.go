package classify

import "gonum.org/v1/gonum/blas"

const (
	noTrans = blas.NoTrans
	trans   = blas.Trans
)
