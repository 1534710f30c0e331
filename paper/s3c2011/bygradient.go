package s3c2011

import (
	"math"

	"overcomplete/kernel-helpers/l2svm"
)

// byGradient returns the options for all machines of this paper. Training ends when the norm of the gradient has
// fallen to a thousandth of its value at 0. The record uses this criterion. The duality gap is not used.
func byGradient() l2svm.Options { return l2svm.Options{Gap: math.Inf(1)} }
