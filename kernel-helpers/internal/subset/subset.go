// Package subset selects points of a data set by their indices, for splits,
// folds and batches.
package subset

import (
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rows returns a copy of the rows idx of X (n×d), in the order of idx: len(idx)×d.
func Rows(X mat.Matrix, idx []int) *mat.Dense {
	_, d := X.Dims()
	out := mat.NewDense(len(idx), d, nil)
	for r, i := range idx {
		mat.Row(out.RawRowView(r), i, X)
	}
	return out
}

// Values returns a copy of the elements y[i], for i in the order of idx.
func Values[T any](y []T, idx []int) []T {
	out := make([]T, len(idx))
	for r, i := range idx {
		out[r] = y[i]
	}
	return out
}

// Others returns the elements of all folds except fold f, in ascending order.
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

// KFold divides 0..n-1 at random into k folds, each in ascending order, with sizes that differ by at most one.
func KFold(n, k int, seed uint64) [][]int {
	order := rand.New(rand.NewPCG(seed, 0xf01d)).Perm(n)
	folds := make([][]int, k)
	for f := range folds {
		folds[f] = order[f*n/k : (f+1)*n/k]
		slices.Sort(folds[f])
	}
	return folds
}

// ByClass returns, for each class, the indices of its points in random order. Labels must not be negative.
func ByClass(y []int, rng *rand.Rand) [][]int {
	of := map[int][]int{}
	for i, c := range y {
		of[c] = append(of[c], i)
	}
	var classes [][]int
	for _, c := range slices.Sorted(maps.Keys(of)) {
		classes = append(classes, of[c])
	}
	for _, idx := range classes {
		rng.Shuffle(len(idx), func(a, b int) { idx[a], idx[b] = idx[b], idx[a] })
	}
	return classes
}

// Stratified divides the points 0..len(y)-1 at random into k folds, with sizes that differ by at most one and
// each class spread over the folds as evenly as possible. Each fold is in ascending order.
func Stratified(y []int, k int, seed uint64) [][]int {
	folds := make([][]int, k)
	next := 0 // continues from class to class, to keep the sizes even
	for _, idx := range ByClass(y, rand.New(rand.NewPCG(seed, 0xf01d))) {
		for _, i := range idx {
			folds[next%k] = append(folds[next%k], i)
			next++
		}
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}
