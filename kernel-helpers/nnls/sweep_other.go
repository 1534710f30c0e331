//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package nnls

func sweep(k int, order []int, G, inv, c, u []float64) { sweepPortable(k, order, G, inv, c, u) }
