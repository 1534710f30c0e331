//go:build (!amd64 && !arm64) || noasm

package nmf

import "gonum.org/v1/gonum/blas/blas64"

func combine(dst, val []float64, col []int32, W blas64.General) { combinePortable(dst, val, col, W) }
func inner(dst, u []float64, col []int32, W blas64.General)     { innerPortable(dst, u, col, W) }
