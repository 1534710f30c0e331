package autoencoder

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// keepLargest sets all but the k largest values of each column of S (n×N) to 0. In a tie, the values in earlier rows
// are kept. If ctx is done first, the remaining columns are left as they were.
func keepLargest(ctx context.Context, S *mat.Dense, k int) {
	n, N := S.Dims()
	column, order := make([]float64, n), make([]int, n)
	for j := range N {
		if ctx.Err() != nil {
			return
		}
		mat.Col(column, j, S)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case column[a] > column[b]:
				return -1
			case column[a] < column[b]:
				return 1
			}
			return 0
		})
		for _, i := range order[k:] {
			S.Set(i, j, 0)
		}
	}
}
