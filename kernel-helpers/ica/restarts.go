package ica

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// flatness is the lower bound that ActiveSetCost uses for the volume of the active columns, relative to the product
// of their norms. For two columns, the relative volume is the sine of their angle, and 0.1 is the sine of about 6
// degrees.
const flatness = 0.1

// ActiveSetCost returns the mean negative log-likelihood of the samples, the columns of X (m×p), in nats. Each sample
// is modeled as a square problem with the sample's active columns:
//
//	E[ ‖ŝ‖₁/b + log vol A_J + |J| log 2b ],  J the columns active in ŝ,
//
// with ŝ by basis pursuit, b = scale (0 means 1) and vol A_J = det(A_J'A_J)^½ (|det| for m columns). The learning rule
// called ActiveSet descends this objective sample by sample. ActiveSetCost does not depend on the truth, and
// FitRestarts uses it to choose a start.
//
// Like the likelihood of a mixture of Gaussians, this cost has singular optima: if many samples lie exactly on one
// line, log vol tends to −∞ as two columns approach this line. ActiveSetCost therefore uses at least 0.1 times the
// product of the columns' norms as the volume. A dead column itself adds no cost, but forces the other columns to
// represent its samples.
func ActiveSetCost(ctx context.Context, A, X mat.Matrix, scale float64) (float64, error) {
	a, x := dense("ActiveSetCost", "A", A), dense("ActiveSetCost", "X", X)
	m, n := dims("ActiveSetCost", "A", a)
	if mx, _ := dims("ActiveSetCost", "X", x); mx != m {
		panic(shapeMismatch("ActiveSetCost", "A", m, x))
	}
	b := scaleOr1(scale)
	if !(b > 0) || math.IsInf(b, 0) {
		return 0, fmt.Errorf("ica: ActiveSetCost: scale is %v, must be positive and finite", scale)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if m == 2 {
		return planarCost(ctx, a, columns(x), b)
	}
	_, p := x.Dims()
	r, err := Infer(ctx, a, x, nil)
	if err != nil {
		return 0, err
	}
	var total float64
	vol := map[string]float64{}
	for k := range p {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var key []byte
		var cols []int
		for j := range n {
			if v := r.S.At(j, k); v != 0 {
				total += math.Abs(v) / b
				cols = append(cols, j)
				key = append(key, byte(j), byte(j>>8))
			}
		}
		if len(cols) == 0 {
			continue
		}
		v, ok := vol[string(key)]
		if !ok {
			g := mat.NewSymDense(len(cols), nil)
			for s, i := range cols {
				for t, j := range cols[:s+1] {
					g.SetSym(s, t, mat.Dot(a.ColView(i), a.ColView(j)))
				}
			}
			var ch mat.Cholesky
			v = math.Inf(-1)
			if ch.Factorize(g) {
				v = 0.5 * ch.LogDet()
			}
			floor := math.Log(flatness)
			for _, j := range cols {
				floor += math.Log(mat.Norm(a.ColView(j), 2))
			}
			v = max(v, floor)
			vol[string(key)] = v
		}
		total += v + float64(len(cols))*math.Log(2*b)
	}
	return total / float64(p), ctx.Err()
}

// planarCost computes ActiveSetCost for m = 2 from samples stored one after another.
func planarCost(ctx context.Context, a *mat.Dense, xs []float64, b float64) (float64, error) {
	sec, err := sectors(ctx, a)
	if err != nil {
		return 0, err
	}
	list := sec.List
	logDet := make([]float64, len(list))
	for k := range list {
		v := &list[k].Inv
		norms := math.Hypot(a.At(0, list[k].I), a.At(1, list[k].I)) * math.Hypot(a.At(0, list[k].J), a.At(1, list[k].J))
		logDet[k] = math.Log(max(1/math.Abs(v[0][0]*v[1][1]-v[0][1]*v[1][0]), flatness*norms))
	}
	var total float64
	count := 0
	for k := 0; k+1 < len(xs); k += 2 {
		best, ba := -1, 0.0
		for q := range list {
			if v := math.Abs(list[q].Y[0]*xs[k] + list[q].Y[1]*xs[k+1]); v > ba {
				best, ba = q, v
			}
		}
		if best >= 0 {
			total += ba/b + logDet[best]
			count++
		}
	}
	return (total + float64(count)*2*math.Log(2*b)) / float64(len(xs)/2), nil
}

// RestartOptions controls FitRestarts. nil and the zero value mean the
// defaults.
type RestartOptions struct {
	// Starts is the number of random starts. 0 means 40.
	Starts int
	// ShortSteps is the number of steps from each start. 0 means 200.
	ShortSteps int
	// If FromSamples is true, the columns of a start are not random directions, but the directions of n random samples
	// at least a few degrees apart. If the sources are very sparse, many samples have the direction of a true column.
	FromSamples bool
	// Seed determines the starts.
	Seed uint64
	// Fit holds the rule, scale, rates and inference of all runs. Fit.Steps (0 means 600) is the number of
	// steps of the final run from the best start. nil means the defaults.
	Fit *FitOptions
	// Learn is the old name of Fit. It is used if Fit is nil.
	//
	// Deprecated: use Fit.
	Learn *FitOptions
}

// fit returns the field Fit. If it is nil, fit returns the field Learn, which is the old name of Fit.
func (o *RestartOptions) fit() *FitOptions {
	if o.Fit == nil {
		return o.Learn
	}
	return o.Fit
}

// RestartResult is the result of FitRestarts.
type RestartResult struct {
	*FitResult            // the final run
	Costs      []float64  // ActiveSetCost after each start's short run; +Inf if the run failed
	Chosen     int        // index of the smallest cost
	Start      *mat.Dense // the basis from which the final run started
}

// String returns a one-line summary.
func (r *RestartResult) String() string {
	return fmt.Sprintf("start %d of %d: %v", r.Chosen, len(r.Costs), r.FitResult)
}

// FitRestarts learns a basis of n columns from X (m×p), one sample per column, starting from many random bases. Each
// start gets a short annealed run. FitRestarts continues the run with the smallest ActiveSetCost, which depends only on
// the data and the learned basis. It anneals this run again from its last basis, with a tenth of the usual first rate,
// so that the basis stays in its basin of attraction.
//
// Several starts are needed because the likelihood has local optima, in which two columns share a source and
// another source has no column.
func FitRestarts(ctx context.Context, X mat.Matrix, n int, opt *RestartOptions) (*RestartResult, error) {
	x := dense("FitRestarts", "X", X)
	m, p, err := points("FitRestarts", "X", x)
	if err != nil {
		return nil, err
	}
	if n < m {
		panic(fmt.Sprintf("ica: FitRestarts: %d columns for %d mixtures", n, m))
	}
	var set RestartOptions
	if opt != nil {
		set = *opt
	}
	if set.Starts < 0 {
		return nil, fmt.Errorf("ica: FitRestarts: Starts is %d, must be positive", set.Starts)
	}
	if set.ShortSteps < 0 {
		return nil, fmt.Errorf("ica: FitRestarts: ShortSteps is %d, must be positive", set.ShortSteps)
	}
	if set.Starts == 0 {
		set.Starts = 40
	}
	if set.ShortSteps == 0 {
		set.ShortSteps = 200
	}
	var ls FitOptions
	if f := set.fit(); f != nil {
		ls = *f
	}
	short := ls
	short.Steps, short.RecordEvery, short.Snapshots, short.Recorder = set.ShortSteps, -1, nil, nil
	res := &RestartResult{Chosen: -1}
	var best *mat.Dense
	var failure error
	var w *wheel // shared by all starts
	if m == 2 && p > 0 && checkMatrix("FitRestarts", "X", x) == nil {
		w = newWheel(columns(x))
	}
	for k := range set.Starts {
		rng := newRand(set.Seed, streamStart+uint64(k)<<8)
		a := RandomBasis(m, n, rng.Uint64())
		if set.FromSamples {
			sampleBasis(a, x, rng)
		}
		r, err := learn(ctx, a, x, &short, w)
		cost := math.Inf(1)
		if err == nil && r.Status == ended.Done {
			cost, err = ActiveSetCost(ctx, r.A, x, ls.Scale)
		}
		if err != nil {
			if ctx != nil && ctx.Err() != nil {
				return res, err
			}
			failure = fmt.Errorf("start %d: %w", k, err)
			cost = math.Inf(1)
		}
		if math.IsNaN(cost) || math.IsInf(cost, -1) {
			cost = math.Inf(1)
		}
		res.Costs = append(res.Costs, cost)
		if !math.IsInf(cost, 1) && (res.Chosen < 0 || cost < res.Costs[res.Chosen]) {
			res.Chosen, best = k, r.A
		}
		progress.Report(ls.Recorder, progress.Event{What: "starts", Step: k + 1, Total: set.Starts, Objective: cost})
	}
	if best == nil {
		if failure == nil {
			failure = fmt.Errorf("every start diverged")
		}
		return res, fmt.Errorf("ica: FitRestarts: none of %d starts succeeded: %w", set.Starts, failure)
	}
	if ls.Rate == 0 {
		ls.Rate = 0.3
	}
	ls.Rate /= 10
	res.Start = best
	res.FitResult, err = learn(ctx, best, x, &ls, w)
	return res, err
}

// sampleBasis replaces the columns of a, one after the other, by directions of random samples that are more than 90/n
// degrees from all earlier columns. If 50 samples in a row are too close, the column is left unchanged.
func sampleBasis(a, x *mat.Dense, rng *rand.Rand) {
	_, n := a.Dims()
	_, p := x.Dims()
	for j := range n {
		for range 50 {
			c := mat.Col(nil, rng.IntN(p), x)
			r := math.Sqrt(vector.DotInOrder(c, c))
			ok := r > 0
			for i := range j {
				ok = ok && angle(mat.Col(nil, i, a), c) > 90/float64(n)
			}
			if ok {
				for i := range c {
					a.Set(i, j, c[i]/r)
				}
				break
			}
		}
	}
}

// Equilibrium returns E[sign(s_i) s_j]/b, n×n, for coefficients S (n×p): the matrix that the learning rule
// drives to I. For priors symmetric about 0 the matrix is diag(E|s_i|)/b. For nonnegative coefficients every
// row is about E[s_j]/b, and the truth is not a fixed point of the rule.
func Equilibrium(S mat.Matrix, b float64) *mat.Dense {
	s := dense("Equilibrium", "S", S)
	n, p := dims("Equilibrium", "S", s)
	sg := mat.NewDense(n, p, nil)
	sg.Apply(func(_, _ int, v float64) float64 {
		switch {
		case v > 0:
			return 1
		case v < 0:
			return -1
		}
		return 0
	}, s)
	var c mat.Dense
	c.Mul(sg, s.T())
	c.Scale(1/(scaleOr1(b)*float64(p)), &c)
	return &c
}
