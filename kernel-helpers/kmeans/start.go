package kmeans

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// firstCenters returns k of the points (k×d) as first centers.
func firstCenters(ctx context.Context, p *points, k int, start Start, rng *rand.Rand) (*mat.Dense, error) {
	_, d := p.dims()
	M := mat.NewDense(k, d, nil)
	if start == RandomPoints {
		for a, i := range p.drawn(k, rng) {
			p.row(i, M.RawRowView(a))
		}
		return M, nil
	}
	return M, plusPlus(ctx, p, M, rng)
}

// drawn returns the indices of k distinct points. They are drawn one after the other; each time, the probability of a
// remaining point is proportional to its weight.
func (p *points) drawn(k int, rng *rand.Rand) []int {
	n, _ := p.dims()
	if p.weights == nil {
		return rng.Perm(n)[:k]
	}
	// The points are taken in the order of exponential waiting times with rates s_i (P. S. Efraimidis and P. G.
	// Spirakis, Weighted random sampling with a reservoir, Inf. Process. Lett. 97, 2006).
	order, wait := make([]int, n), make([]float64, n)
	for i, w := range p.weights {
		order[i], wait[i] = i, rng.ExpFloat64()/w
	}
	slices.SortStableFunc(order, func(i, l int) int { return cmp.Compare(wait[i], wait[l]) })
	return order[:k]
}

// plusPlus runs greedy k-means++ and stores the centers in M. The first center is point i with a probability
// proportional to its weight s_i (1 without weights). For each further center, a few candidates are drawn, each with a
// probability proportional to s_i D_i², where D_i is the distance of point i from the nearest center so far. The
// candidate that leaves the least inertia becomes the center.
func plusPlus(ctx context.Context, p *points, M *mat.Dense, rng *rand.Rand) error {
	n, d := p.dims()
	k, _ := M.Dims()
	trials := 2 + int(math.Log(float64(k)))
	D2 := make([]float64, n) // squared distance to the nearest center so far
	for i := range D2 {
		D2[i] = math.Inf(1)
	}
	first := 0
	if p.weights == nil {
		first = rng.IntN(n)
	} else {
		first = p.drawn(1, rng)[0]
	}
	p.row(first, M.RawRowView(0))
	if err := p.updateNearest(ctx, D2, M.Slice(0, 1, 0, d).(*mat.Dense), [][]float64{D2}); err != nil {
		return err
	}
	cumulative := make([]float64, n)
	candidates := mat.NewDense(trials, d, nil)
	after := make([][]float64, trials) // D² if the candidate became a center
	for t := range after {
		after[t] = make([]float64, n)
	}
	for a := 1; a < k; a++ {
		sum := 0.0
		for i, v := range D2 {
			sum += p.weight(i) * v
			cumulative[i] = sum
		}
		picked := make([]int, trials)
		for t := range trials {
			if sum > 0 {
				picked[t] = min(n-1, sort.SearchFloat64s(cumulative, math.Nextafter(sum*rng.Float64(), math.Inf(1))))
			} else { // every point lies on a center: any will do
				picked[t] = rng.IntN(n)
			}
			p.row(picked[t], candidates.RawRowView(t))
		}
		if err := p.updateNearest(ctx, D2, candidates, after); err != nil {
			return err
		}
		best, least := 0, math.Inf(1)
		for t := range trials {
			s := 0.0
			for i, v := range after[t] {
				s += p.weight(i) * v
			}
			if s < least {
				best, least = t, s
			}
		}
		p.row(picked[best], M.RawRowView(a))
		copy(D2, after[best])
	}
	return nil
}
