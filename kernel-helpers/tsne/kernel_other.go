//go:build (!amd64 && !arm64) || noasm

package tsne

func repelCells(x, y, mass []float32, own *block, acc *sums[float32]) {
	repelCellsGo(x, y, mass, own, acc)
}

func repelPoints(x, y []float32, own *block, acc *sums[float32]) {
	repelPointsGo(x, y, own, acc)
}

func attract(col []int32, p, pos []float32, i int) (fx, fy float32) {
	return attractGo(col, p, pos, i)
}
