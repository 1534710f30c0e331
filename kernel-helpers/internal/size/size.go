// Package size reads the sizes of matrices that may be missing.
package size

import "gonum.org/v1/gonum/mat"

// Of returns the numbers of rows and columns of m, or 0 and 0 if m is nil.
func Of(m *mat.Dense) (rows, columns int) {
	if m == nil {
		return 0, 0
	}
	return m.Dims()
}
