package crossval

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"overcomplete/kernel-helpers/internal/subset"
)

// KFold divides the points 0..n-1 at random into k folds, each ascending, with sizes that differ by at most one.
func KFold(n, k int, seed uint64) [][]int {
	mustDivide("KFold", n, k, "points")
	return subset.KFold(n, k, seed)
}

// Stratified divides the points 0..len(y)-1 at random into k folds whose sizes differ by at most one, with each class
// spread over the folds as evenly as possible. y has the labels of the points, 0 or more. Each fold is ascending.
func Stratified(y []int, k int, seed uint64) [][]int {
	mustDivide("Stratified", len(y), k, "points")
	for i, c := range y {
		if c < 0 {
			panic(fmt.Sprintf("crossval: Stratified: label y[%d] is %d", i, c))
		}
	}
	return subset.Stratified(y, k, seed)
}

// Grouped divides the points 0..len(groups)-1 into k folds, such that all points of a group are in the same fold;
// groups[i] is the group of point i. The groups are taken in descending order of size, those of equal size in random
// order, and each goes to the fold that is smallest so far. Each fold is ascending.
func Grouped(groups []int, k int, seed uint64) [][]int {
	var of [][]int
	number := map[int]int{}
	for i, g := range groups {
		m, known := number[g]
		if !known {
			m = len(of)
			number[g], of = m, append(of, nil)
		}
		of[m] = append(of[m], i)
	}
	mustDivide("Grouped", len(of), k, "groups")
	rand.New(rand.NewPCG(seed, 0xf01d)).Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
	slices.SortStableFunc(of, func(a, b []int) int { return len(b) - len(a) })
	folds := make([][]int, k)
	for _, points := range of {
		least := 0
		for f := range folds {
			if len(folds[f]) < len(folds[least]) {
				least = f
			}
		}
		folds[least] = append(folds[least], points...)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}

// mustDivide panics unless k is at least 2 and at most n, so that each fold gets at least one of the n points or
// groups. The message names the function fn, and says what is divided: "points" or "groups".
func mustDivide(fn string, n, k int, what string) {
	if k < 2 || k > n {
		panic(fmt.Sprintf("crossval: %s: %d folds of %d %s: need 2 folds or more, and one of the %s in each", fn, k, n, what, what))
	}
}

// Others returns the points of all folds except fold f, ascending: the points to train on when fold f is the test set.
func Others(folds [][]int, f int) []int {
	if f < 0 || f >= len(folds) {
		panic(fmt.Sprintf("crossval: Others: fold %d of %d", f, len(folds)))
	}
	return subset.Others(folds, f)
}

// mustBeFolds panics unless each of the points 0..n-1 is in exactly one fold, no fold is empty, and there are at least
// two folds. It returns n.
func mustBeFolds(folds [][]int) int {
	n := 0
	for f, fold := range folds {
		if len(fold) == 0 {
			panic(fmt.Sprintf("crossval: fold %d is empty", f))
		}
		n += len(fold)
	}
	if len(folds) < 2 {
		panic(fmt.Sprintf("crossval: there are %d folds, need 2 or more", len(folds)))
	}
	in := make([]bool, n)
	for f, fold := range folds {
		for _, i := range fold {
			if i < 0 || i >= n || in[i] {
				panic(fmt.Sprintf("crossval: point %d of fold %d is in another fold too, or not one of the %d points", i, f, n))
			}
			in[i] = true
		}
	}
	return n
}
