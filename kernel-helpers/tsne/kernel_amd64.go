//go:build !noasm

package tsne

import "overcomplete/internal/simd"

// The versions for AVX-512 and AVX2 do the same operations on every point in the same order, and give the
// same bits. The Go version rounds differently.

//go:noescape
func repelCells16(n int, x, y, mass *float32, own *block, acc *sums[float32])

//go:noescape
func repelPoints16(n int, x, y *float32, own *block, acc *sums[float32])

//go:noescape
func repelCells8(n int, x, y, mass *float32, own *block, acc *sums[float32])

//go:noescape
func repelPoints8(n int, x, y *float32, own *block, acc *sums[float32])

//go:noescape
func attract16(n int, col *int32, p, pos *float32, i int) (fx, fy float32)

func repelCells(x, y, mass []float32, own *block, acc *sums[float32]) {
	switch {
	case len(x) == 0:
	case len(y) != len(x) || len(mass) != len(x):
		panic("tsne: repelCells: lengths differ")
	case simd.AVX512():
		repelCells16(len(x), &x[0], &y[0], &mass[0], own, acc)
	case simd.AVX2():
		repelCells8(len(x), &x[0], &y[0], &mass[0], own, acc)
	default:
		repelCellsGo(x, y, mass, own, acc)
	}
}

func repelPoints(x, y []float32, own *block, acc *sums[float32]) {
	switch {
	case len(x) == 0:
	case len(y) != len(x):
		panic("tsne: repelPoints: lengths differ")
	case simd.AVX512():
		repelPoints16(len(x), &x[0], &y[0], own, acc)
	case simd.AVX2():
		repelPoints8(len(x), &x[0], &y[0], own, acc)
	default:
		repelPointsGo(x, y, own, acc)
	}
}

// attract returns the attraction of point i by its neighbors. Affinities guarantees that the elements of col
// are valid indices of points in pos.
func attract(col []int32, p, pos []float32, i int) (fx, fy float32) {
	if !simd.AVX512() || len(col) == 0 {
		return attractGo(col, p, pos, i)
	}
	if len(p) != len(col) || 2*i+1 >= len(pos) {
		panic("tsne: attract: lengths differ")
	}
	return attract16(len(col), &col[0], &p[0], &pos[0], i)
}
