// Package subset selects points of a data set by their indices, for splits,
// folds and batches.
package subset

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rows returns a copy of the given rows of X (n×d), in the order given: len(idx)×d.
func Rows(X mat.Matrix, idx []int) *mat.Dense {
	_, d := X.Dims()
	out := mat.NewDense(len(idx), d, nil)
	for r, i := range idx {
		mat.Row(out.RawRowView(r), i, X)
	}
	return out
}

// Values returns a copy of the given elements of y, in the order given.
func Values[T any](y []T, idx []int) []T {
	out := make([]T, len(idx))
	for r, i := range idx {
		out[r] = y[i]
	}
	return out
}

// Others returns the elements of all folds except fold f, ascending.
func Others(folds [][]int, f int) []int {
	var idx []int
	for g, fold := range folds {
		if g != f {
			idx = append(idx, fold...)
		}
	}
	slices.Sort(idx)
	return idx
}
