package lecturesparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/autoencoder"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// drawHidden draws n directions (the columns of A, d×n) and N points (the columns of X, d×N). Each point is a weighted
// sum of directions chosen at random; active is their number. The weights are in [1/2, 3/2].
func drawHidden(seed uint64, d, n, N, active int) (X, A *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 6))
	A = gaussian(rng, d, n)
	for j := range n {
		c := A.ColView(j).(*mat.VecDense)
		c.ScaleVec(1/mat.Norm(c, 2), c)
	}
	S := mat.NewDense(n, N, nil)
	for j := range N {
		for _, i := range rng.Perm(n)[:active] {
			S.Set(i, j, 0.5+rng.Float64())
		}
	}
	X = mat.NewDense(d, N, nil)
	X.Mul(A, S)
	return X, A
}

// matchedShare returns the share of the columns of A that have a cosine of at least 0.9 with some column of
// B.
func matchedShare(A, B *mat.Dense) float64 {
	_, n := A.Dims()
	_, m := B.Dims()
	hits := 0
	for i := range n {
		best := 0.0
		for j := range m {
			a, b := A.ColView(i), B.ColView(j)
			best = math.Max(best, mat.Dot(a, b)/(mat.Norm(a, 2)*mat.Norm(b, 2)))
		}
		if best >= 0.9 {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

// Features trains sparse autoencoders with an L1 penalty and with TopK on data whose features are known.
func (l *Lab) Features() *figure.Grid {
	d, n, N := l.Pick(16, 32, 64), l.Pick(32, 64, 128), l.Pick(2000, 5000, 20000)
	const active = 3
	X, A := drawHidden(l.Seed, d, n, N, active)
	steps := l.Pick(1500, 2000, 10000)
	train := func(lambda float64, k int) *autoencoder.Result {
		r, err := autoencoder.Fit(l.Context(), X, &autoencoder.Options{Features: n, Lambda: lambda, TopK: k, Steps: steps, Every: steps, Seed: l.Seed})
		lab.Check(err)
		return r
	}
	power := mat.Norm(X, 2)
	power = power * power / float64(N)
	frontier := figure.New("Error versus sparsity", "active features per sample", "error as a share of ‖x‖²")
	recovered := figure.New("Features found", "active features per sample", "share of features")
	type series struct{ active, lost, found []float64 }
	run := func(rs []*autoencoder.Result) (s series) {
		for _, r := range rs {
			s.active = append(s.active, r.Loss.Active)
			s.lost = append(s.lost, math.Max(r.Loss.Error/power, 1e-6))
			s.found = append(s.found, matchedShare(A, r.Model.Wdec))
		}
		return s
	}
	lambdas, ks := []float64{1, 0.5, 0.25}, []int{2, 3, 5}
	results := make([]*autoencoder.Result, len(lambdas)+len(ks))
	lab.Parallel(l.Context(), len(results), func(i int) {
		if i < len(lambdas) {
			results[i] = train(lambdas[i], 0)
		} else {
			results[i] = train(0, ks[i-len(lambdas)])
		}
	})
	relu, topk := run(results[:len(lambdas)]), run(results[len(lambdas):])
	frontier.Marked("ReLU, L1", relu.active, relu.lost).Marked("TopK", topk.active, topk.lost).LogY()
	recovered.Marked("ReLU, L1", relu.active, relu.found).Marked("TopK", topk.active, topk.found)
	recovered.Range(0, recovered.X.Max, 0, 1.05)
	// Take the penalty whose number of active features is nearest to the true one.
	nearest := 0
	for i, a := range relu.active {
		if math.Abs(a-active) < math.Abs(relu.active[nearest]-active) {
			nearest = i
		}
	}
	data := record.Generated(fmt.Sprintf("%d sums of %d of %d directions in %d dimensions", N, active, n, d))
	const three = 1 // ks[three] is the true number
	l.Row(record.Row{
		ID: "topk-frontier", What: fmt.Sprintf("error as a share of ‖x‖²: TopK with %d active features, and L1 with the penalty whose mean number of active features is closest (%.1f)", ks[three], relu.active[nearest]),
		Published: gao.Quote(topK, "abstract"),
		Measured:  record.Bool(topk.lost[three] < relu.lost[nearest], fmt.Sprintf("%.3f and %.3f", topk.lost[three], relu.lost[nearest])), Rule: record.Holds(), Data: data, Figure: "autoencoders",
		Reason: "the paper's claim is about language models",
	})
	l.Row(record.Row{
		ID: "features-found", What: "share of the true directions found (cosine at least 0.9), best of all runs with TopK and L1",
		Measured: record.Number(100*math.Max(slices.Max(relu.found), slices.Max(topk.found)), "%"), Rule: record.AtLeast(90), Data: data, Figure: "autoencoders", Repeat: 8,
		Reason: "at smoke size, training is too short to reach 90 %",
	})
	g := figure.NewGrid("Two sparse autoencoders", 2, frontier, recovered).Size(3.6, 2.8)
	l.Save("autoencoders", fmt.Sprintf("L1: one point for each penalty. TopK: one point for each k. Data: %v.", data), g)
	return g
}
