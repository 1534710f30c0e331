package klcoding

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Calibrate returns the value of Options.Tolerance that the paper's rule gives. It draws columns of X (D×N) at random,
// from the given seed, and codes each to the limit of machine precision; the last point of such a run is ŵ. The number
// of columns to draw is count. If it is 0 or above N, Calibrate codes all N columns. The result is the largest
// tolerance with which every one of these runs would have ended at a point w with ‖w − ŵ‖₁ <= eps‖ŵ‖₁. The Tolerance of
// the Coder itself is unchanged.
//
// Each run keeps its whole path, n numbers per step, so use few signals with EGD, which takes many steps.
func (c *Coder) Calibrate(ctx context.Context, X mat.Matrix, eps float64, count int, seed uint64) (float64, error) {
	if !(eps > 0) || count < 0 {
		return 0, fmt.Errorf("klcoding: Calibrate: eps %v must be positive, and count %d must not be negative", eps, count)
	}
	_, N := dims("Calibrate", "X", X)
	if count == 0 || count > N {
		count = N
	}
	if i, j := finite.Find(X); i >= 0 {
		return 0, fmt.Errorf("klcoding: Calibrate: X[%d,%d] is %v", i, j, X.At(i, j))
	}
	exact := *c
	exact.opt.Tolerance = -1
	x, tolerance := make([]float64, c.d), math.Inf(1)
	if d, _ := X.Dims(); d != c.d {
		panic(fmt.Sprintf("klcoding: Calibrate: X is %d×%d, a signal per COLUMN, and B has %d rows%s", d, N, c.d, transposeHint(d, N, c.d)))
	}
	for _, i := range rand.New(rand.NewPCG(seed, 0x6b6c)).Perm(N)[:count] {
		mat.Col(x, i, X)
		t, err := exact.Trace(ctx, x)
		if err != nil {
			return 0, fmt.Errorf("klcoding: Calibrate: signal %d: %w", i, err)
		}
		tolerance = min(tolerance, t.threshold(eps)/c.scale(x))
	}
	return tolerance, nil
}

// threshold returns the largest gradient threshold t for which this holds: with t or any lower threshold, the run
// would have stopped at a point w with ‖w − ŵ‖₁ <= eps‖ŵ‖₁, where ŵ is the last point of the run.
func (t *Trace) threshold(eps float64) float64 {
	n, steps := t.W.Dims()
	// A threshold ends a run where the gradient reaches a new minimum. Go through these points backwards
	// while they are within eps.
	end := mat.Col(nil, steps-1, t.W)
	var size float64
	for _, v := range end {
		size += math.Abs(v)
	}
	lowest := math.Inf(1)
	records := []int{}
	for i, g := range t.Gradient {
		if g < lowest {
			lowest = g
			records = append(records, i)
		}
	}
	best := lowest
	for len(records) > 0 {
		i := records[len(records)-1]
		records = records[:len(records)-1]
		var off float64
		for j := range n {
			off += math.Abs(t.W.At(j, i) - end[j])
		}
		if off > eps*size {
			break
		}
		best = t.Gradient[i]
	}
	return best
}
