package icon

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/tsne"
)

// KNNAccuracy returns the leave-one-out accuracy of k-nearest-neighbor classification: the share of rows of Z (n×d)
// for which KNNVotes predicts the correct label.
func KNNAccuracy(Z mat.Matrix, labels []int, k int) float64 {
	hits := 0
	for i, v := range knn("KNNAccuracy", Z, labels, k) {
		if v == labels[i] {
			hits++
		}
	}
	return float64(hits) / float64(len(labels))
}

// KNNVotes returns, for each row of Z (n×d), the most frequent label of its k nearest other rows. If several labels
// have the most votes, the one that occurs nearest to the row wins. KNNAccuracy is the share of these predictions that
// are correct. For a confusion matrix call classify.Confuse(icon.KNNVotes(Z, labels, k), labels).
func KNNVotes(Z mat.Matrix, labels []int, k int) []int { return knn("KNNVotes", Z, labels, k) }

func knn(what string, Z mat.Matrix, labels []int, k int) []int {
	D := mustPairwise(what, Z, k)
	n, _ := D.Dims()
	if len(labels) != n {
		panic(fmt.Sprintf("icon: %s: %d rows, %d labels", what, n, len(labels)))
	}
	out := make([]int, n)
	eachRow(n, func(i int) {
		votes := map[int]int{}
		near := nearest(D.RawRowView(i), i, k) // in ascending order of distance
		for _, j := range near {
			votes[labels[j]]++
		}
		best := labels[near[0]]
		for _, j := range near {
			if votes[labels[j]] > votes[best] {
				best = labels[j]
			}
		}
		out[i] = best
	})
	return out
}

// Trustworthiness measures whether the k nearest neighbors in the embedding Z (n×e) are also near in X (n×d)
// (J. Venna and S. Kaski, 2001). An intruder of i is a j that is among the k nearest neighbors of i in Z but
// not in X. The result is 1 minus a penalty for each intruder, which depends on its rank r(i, j) among the
// neighbors of i in X:
//
//	1 − 2/(n k (2n − 3k − 1)) Σ_i Σ_{j intruder} (r(i, j) − k),    k < n/2.
//
// 1 is perfect; about 0.5 is chance level. tsne.Trustworthiness computes the same value, but returns errors instead
// of panicking.
func Trustworthiness(X, Z mat.Matrix, k int) float64 {
	for _, a := range []struct {
		name string
		M    mat.Matrix
	}{{"X", X}, {"Z", Z}} {
		if _, err := finite.Dense(a.name, a.M); err != nil {
			panic(fmt.Sprintf("icon: Trustworthiness: %v", err))
		}
	}
	n, _ := X.Dims()
	if m, _ := Z.Dims(); m != n {
		panic(fmt.Sprintf("icon: Trustworthiness: X has %d rows, Z has %d", n, m))
	}
	T, err := tsne.Trustworthiness(X, Z, k)
	if err != nil {
		panic("icon: " + strings.TrimPrefix(err.Error(), "tsne: "))
	}
	return T
}

func mustPairwise(what string, Z mat.Matrix, k int) *mat.Dense {
	D, err := pairwise(what, Z, 2)
	if err != nil {
		panic(err.Error())
	}
	if n, _ := D.Dims(); k < 1 || k >= n {
		panic(fmt.Sprintf("icon: %s: k is %d, must be from 1 to %d", what, k, n-1))
	}
	return D
}
