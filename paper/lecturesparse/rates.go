package lecturesparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// gaussian returns a d×n matrix of independent normal entries of variance 1/d: columns have lengths
// near 1.
func gaussian(rng *rand.Rand, d, n int) *mat.Dense {
	B := mat.NewDense(d, n, nil)
	B.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(float64(d)) }, B)
	return B
}

// sparseVector returns a vector with k normal values at random places.
func sparseVector(rng *rand.Rand, n, k int) *mat.VecDense {
	w := mat.NewVecDense(n, nil)
	for _, j := range rng.Perm(n)[:k] {
		w.SetVec(j, rng.NormFloat64())
	}
	return w
}

// lipschitz returns L, the largest eigenvalue of BᵀB.
func lipschitz(B *mat.Dense) float64 {
	var svd mat.SVD
	if !svd.Factorize(B, mat.SVDNone) {
		panic("lecturesparse: the singular value decomposition of the atoms failed")
	}
	s := svd.Values(nil)[0]
	return s * s
}

// proximal runs ISTA or, if accelerate is set, FISTA on the lasso problem of each column of X (d×N), starting at 0. The
// step length is 1/L. After each step it calls visit(k, W) with the step's number k (counted from 1) and the iterate W
// (n×N). The next step overwrites W, so the called function must not keep it.
func (l *Lab) proximal(B, X *mat.Dense, lambda, L float64, steps int, accelerate bool, visit func(k int, W *mat.Dense)) {
	_, n := B.Dims()
	d, N := X.Dims()
	W, Y, old := mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	R, G := mat.NewDense(d, N, nil), mat.NewDense(n, N, nil)
	t := 1.0
	for k := range steps {
		l.Heed()
		R.Mul(B, Y) // d×n · n×N
		R.Sub(X, R)
		G.Mul(B.T(), R) // n×d · d×N
		old.Copy(W)
		W.Apply(func(i, j int, y float64) float64 {
			v := y + G.At(i, j)/L
			return math.Copysign(math.Max(0, math.Abs(v)-lambda/L), v)
		}, Y)
		momentum := 0.0
		if accelerate {
			next := (1 + math.Sqrt(1+4*t*t)) / 2
			momentum, t = (t-1)/next, next
		}
		Y.Apply(func(i, j int, w float64) float64 { return w + momentum*(w-old.At(i, j)) }, W)
		visit(k+1, W)
	}
}

// Rates draws the excess of the objective over its minimum after each iteration of ISTA and FISTA, and the proved
// bounds on this excess.
func (l *Lab) Rates() *figure.Figure {
	d, n := l.Pick(50, 100, 200), l.Pick(150, 300, 600)
	const lambda, steps = 0.02, 1000
	rng := rand.New(rand.NewPCG(l.Seed, 1))
	B := gaussian(rng, d, n)
	X := mat.NewDense(d, 1, nil)
	X.Mul(B, sparseVector(rng, n, d/5))
	best, err := sparseapprox.Solve(l.Context(), B, X, &sparseapprox.Options{Lambda: lambda, Tolerance: 1e-13, Method: sparseapprox.FeatureSign})
	lab.Check(err)
	L, far := lipschitz(B), mat.Dot(best.W.ColView(0), best.W.ColView(0))
	least := best.Objective[0]

	data := record.Generated(fmt.Sprintf("a lasso with %d random atoms in %d dimensions", n, d))
	f := figure.New("Gap to the minimum", "iteration", "F(w) − F(w*)")
	reached := map[bool]int{}
	for _, c := range []struct {
		name, id, claim string
		fast            bool
		colour          int
		bound           func(k float64) float64
	}{
		{"ISTA", "ista-bound", istaBound, false, figure.Blue, func(k float64) float64 { return L * far / (2 * k) }},
		{"FISTA", "fista-bound", fistaBound, true, figure.Vermilion, func(k float64) float64 { return 2 * L * far / ((k + 1) * (k + 1)) }},
	} {
		var at, gap, bound []float64
		worst := 0.0
		reached[c.fast] = steps + 1
		l.proximal(B, X, lambda, L, steps, c.fast, func(k int, W *mat.Dense) {
			above := pursuit.LassoObjective(B, X, W, lambda)[0] - least
			at, bound = append(at, float64(k)), append(bound, c.bound(float64(k)))
			gap = append(gap, math.Max(above, 1e-14)) // smaller values are rounding
			worst = math.Max(worst, above/bound[k-1])
			if above < 1e-4*least {
				reached[c.fast] = min(reached[c.fast], k)
			}
		})
		f.Use(c.colour).Lines(c.name, at, gap)
		f.Use(c.colour).Dashed(c.name+" bound", at, bound)
		// The theorem holds in exact arithmetic; any remaining excess is rounding.
		l.Row(record.Row{
			ID: c.id, What: fmt.Sprintf("%s, %d iterations: largest ratio of the gap F(w) − F(w*) to its bound", c.name, steps),
			Published: beck.Quote(c.claim, map[bool]string{false: "theorem 3.1", true: "theorem 4.4"}[c.fast]),
			Measured:  record.Number(worst, ""), Rule: record.AtMost(1), Data: data, Figure: "rates", Repeat: 1e-6,
		})
	}
	l.Row(record.Row{
		ID: "fista-faster", What: fmt.Sprintf("iterations until F(w) − F(w*) is below 1e-4 F(w*): FISTA, and ISTA (%d means more than %d)", steps+1, steps),
		Measured: record.Bool(reached[true] < reached[false], fmt.Sprintf("%d and %d", reached[true], reached[false])), Rule: record.Holds(), Data: data, Figure: "rates",
	})
	f.LogX().LogY()
	l.Save("rates", fmt.Sprintf("Solid: measured gap. Dashed: upper bound proved for every sum of a smooth convex function and a convex penalty. Data: %v.", data), f)
	return f
}
