// Package transposed transposes large matrices. It copies one small square block at a time, which fits in the cache,
// so it does not wait for memory at every element.
package transposed

import "gonum.org/v1/gonum/mat"

// side is the side length of the squares in which Columns copies a matrix. Such a square stays in the L1 cache.
const side = 16

// Columns returns the transpose of the columns [from, to) of A (n×d): (to−from)×n.
func Columns(A mat.Matrix, from, to int) *mat.Dense {
	n, _ := A.Dims()
	t := mat.NewDense(to-from, n, nil)
	d, ok := A.(*mat.Dense)
	if !ok {
		for j := from; j < to; j++ {
			for i := range n {
				t.Set(j-from, i, A.At(i, j))
			}
		}
		return t
	}
	a := d.RawMatrix()
	for top := 0; top < n; top += side {
		for left := from; left < to; left += side {
			for j := left; j < min(left+side, to); j++ {
				row := t.RawRowView(j - from)
				for i := top; i < min(top+side, n); i++ {
					row[i] = a.Data[i*a.Stride+j]
				}
			}
		}
	}
	return t
}
