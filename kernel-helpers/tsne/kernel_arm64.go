//go:build !noasm

package tsne

import "overcomplete/internal/simd"

func repelCells(x, y, mass []float32, own *block, acc *sums[float32]) {
	switch {
	case len(x) == 0:
	case len(y) != len(x) || len(mass) != len(x):
		panic("tsne: repelCells: lengths differ")
	case simd.NEON():
		repelCellsNEON(len(x), &x[0], &y[0], &mass[0], &own.x[0], &acc.z[0])
	default:
		repelCellsGo(x, y, mass, own, acc)
	}
}

func repelPoints(x, y []float32, own *block, acc *sums[float32]) {
	switch {
	case len(x) == 0:
	case len(y) != len(x):
		panic("tsne: repelPoints: lengths differ")
	case simd.NEON():
		repelPointsNEON(len(x), &x[0], &y[0], &own.x[0], &acc.z[0])
	default:
		repelPointsGo(x, y, own, acc)
	}
}

// attract returns the attraction of point i by its neighbors. It is in Go, because arm64 has no gather instruction.
func attract(col []int32, p, pos []float32, i int) (fx, fy float32) {
	return attractGo(col, p, pos, i)
}
