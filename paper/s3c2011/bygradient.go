package s3c2011

import (
	"math"

	"overcomplete/kernel-helpers/l2svm"
)

// byGradient returns the options for all machines of this paper. Training ends when the gradient has fallen
// to a thousandth of its norm at 0, which is the criterion used for the record. The duality gap is not used.
func byGradient() l2svm.Options { return l2svm.Options{Gap: math.Inf(1)} }
