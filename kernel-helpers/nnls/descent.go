package nnls

import (
	"context"

	"overcomplete/kernel-helpers/internal/parallel"
)

//go:generate go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg nnls

// lanes is the number of rows that a sweep processes at a time.
const lanes = 32

// CoordinateDescent makes the given number of passes over the columns of U. Each pass takes the columns in the given
// order; nil means 0 to k−1. A step minimizes over one element,
//
//	U_it ← max(0, U_it − (U G − C)_it / G_tt)
//
// as in A. Cichocki and A.-H. Phan, Fast local algorithms for large scale nonnegative matrix and tensor factorizations
// (HALS), IEICE Trans. E92-A (2009), and C.-J. Hsieh and I. Dhillon, Fast coordinate descent methods with variable
// selection for NMF, KDD 2011. If G_tt = 0, column t does not change.
//
// Rows do not depend on each other, so it does not matter whether rows or columns are the outer loop. Here all columns
// are processed for 32 rows at a time, while these rows are in the L1 cache. The rows are copied to a k×32 array, so
// that a vector instruction processes the same column of many rows.
func (r *Rows) CoordinateDescent(passes int, order []int) {
	r.coordinateDescent(context.Background(), passes, order)
}

// coordinateDescent is like CoordinateDescent, but ends early when ctx is done.
func (r *Rows) coordinateDescent(ctx context.Context, passes int, order []int) {
	n, k := r.check(false)
	if order == nil {
		order = make([]int, k)
		for t := range order {
			order[t] = t
		}
	}
	seen := make([]bool, k)
	for _, t := range order {
		if t < 0 || t >= k || seen[t] {
			panic("nnls: Rows: the order of columns is not a permutation")
		}
		seen[t] = true
	}
	raw, C, U := r.G.RawMatrix(), r.C.RawMatrix(), r.U.RawMatrix()
	G := make([]float64, k*k)
	inv := make([]float64, k) // 1/G_tt
	for t := range k {
		copy(G[t*k:(t+1)*k], raw.Data[t*raw.Stride:])
		if g := G[t*k+t]; g > 0 {
			inv[t] = 1 / g
		}
	}
	const group = 8 // blocks of 32 rows for one goroutine
	blocks := (n + lanes*group - 1) / (lanes * group)
	parallel.Do(blocks, 0, func(b int) {
		u, c := make([]float64, k*lanes), make([]float64, k*lanes)
		for from := b * lanes * group; from < min(n, (b+1)*lanes*group); from += lanes {
			to := min(n, from+lanes)
			for i := from; i < to; i++ {
				ui, ci := U.Data[i*U.Stride:][:k], C.Data[i*C.Stride:][:k]
				for t := range k {
					u[t*lanes+i-from], c[t*lanes+i-from] = ui[t], ci[t]
				}
			}
			for i := to - from; i < lanes; i++ { // unused lanes
				for t := range k {
					u[t*lanes+i], c[t*lanes+i] = 0, 0
				}
			}
			for range passes {
				if ctx.Err() != nil {
					break
				}
				sweep(k, order, G, inv, c, u)
			}
			for i := from; i < to; i++ {
				ui := U.Data[i*U.Stride:][:k]
				for t := range k {
					ui[t] = u[t*lanes+i-from]
				}
			}
		}
	})
}

// sweepPortable performs one sweep of coordinate descent on 32 rows of U, column by column in the given order. u and c
// (k×32) hold these rows of U and C, transposed; inv holds 1/G_tt.
func sweepPortable(k int, order []int, G, inv, c, u []float64) {
	var s [lanes]float64
	for _, t := range order {
		copy(s[:], c[t*lanes:])
		for r, g := range G[t*k : (t+1)*k] {
			ur := (*[lanes]float64)(u[r*lanes:])
			for i := range s {
				s[i] -= g * ur[i]
			}
		}
		ut := (*[lanes]float64)(u[t*lanes:])
		for i, v := range s {
			ut[i] = max(0, ut[i]+v*inv[t])
		}
	}
}
