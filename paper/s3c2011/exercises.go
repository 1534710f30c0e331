package s3c2011

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
)

// init registers the exercises of the notebook, which are about models with a few units. Cells of the notebook call
// check.Exercise to check a reader's answers.
func init() {
	for _, t := range []check.Task{
		{
			Name: "s3c-1", Function: "oneUnit", Signature: (func(t, b, alpha, beta float64) float64)(nil),
			Draw: drawOne, Reference: oneUnit, Points: 1,
			Nudges: [2]string{
				"Which distribution does t have with the spike off, and which with the spike on?",
				"Two normal densities with mean 0 and different variances, and the prior odds e^b: Bayes.",
			},
			Mistakes: []check.Mistake{
				{Says: "The normalizing factors of the two densities are missing: a wider one is lower.", Result: func(c check.Case) any { return oneUnitBy(c, 1, 0) }},
				{Says: "The prior odds e^b are missing.", Result: func(c check.Case) any { return oneUnitBy(c, 0, 1) }},
				{Says: "This takes the slab at its best: it must be integrated out, with its prior.", Result: func(c check.Case) any {
					t, b, beta := c.Args[0].(float64), c.Args[1].(float64), c.Args[3].(float64)
					return 1 / (1 + math.Exp(-b-beta*t*t/2))
				}},
				{Says: "This is the prior probability of the spike: v is not used.", Result: func(c check.Case) any { return 1 / (1 + math.Exp(-c.Args[1].(float64))) }},
			},
			Hint: func(check.Case) string {
				return "With the spike on v has the variance 1/β + 1/α along W₁, with the spike off 1/β; across W₁ nothing differs. Take the ratio of the two normal densities, and the prior odds."
			},
		},
		{
			Name: "s3c-2", Function: "lacks", Signature: (func(W *mat.Dense, v []float64) float64)(nil),
			Draw: drawRivals, Reference: lacks, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"Which of the two numbers is larger, always?",
				"Both come from the package: one sums over all states of the spikes, the other is a bound at the end of an ascent.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the bound minus log P(v): what the bound lacks is never negative.", Result: func(c check.Case) any { return -lacks(c).(float64) }},
				{Says: "This is the paper's algorithm 1: the exercise asks for coordinate ascent.", Result: func(c check.Case) any { return lacksBy(c, 1, 4, nil) }},
				{Says: "α and β are exchanged.", Result: func(c check.Case) any { return lacksBy(c, 4, 1, &s3c.InferOptions{Method: s3c.Coordinate}) }},
			},
			Hint: func(check.Case) string {
				return "log P(v) from Exact, less the energy where s3c.Coordinate ends, with b = −1, α = 1 and β = 4. It is never negative."
			},
		},
		{
			Name: "s3c-3", Function: "largestEta", Signature: (func(n int, alpha, beta float64) float64)(nil),
			Draw: drawAlike, Reference: largestEta, Points: 2,
			Empty: func(check.Case) any { return 1.0 },
			Nudges: [2]string{
				"By which factor does the distance from the resting point change in one update?",
				"All slabs move together, each seeing itself once and n − 1 others. The factor must lie between −1 and 1.",
			},
			Mistakes: []check.Mistake{
				{Says: "This η never overshoots: up to twice that, the steps still shrink.", Result: func(c check.Case) any { return largestEta(c).(float64) / 2 }},
				{Says: "Each unit counts itself among the others here.", Result: func(c check.Case) any {
					n, alpha, beta := float64(c.Args[0].(int)), c.Args[1].(float64), c.Args[2].(float64)
					return 2 / (1 + n*beta/(alpha+beta))
				}},
				{Says: "The prior of the slab is missing: an update divides by α + β.", Result: func(c check.Case) any { return 2 / float64(c.Args[0].(int)) }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("With all %d slabs at the same value s the update is s ← s − η(A s − B). For which η is |1 − ηA| < 1? How large is A, when each unit sees all others?", c.Args[0])
			},
		},
		{
			Name: "s3c-4", Function: "covariance", Signature: (func(m *s3c.Model) *mat.Dense)(nil),
			Draw: drawSmall, Reference: covariance, Points: 2,
			Nudges: [2]string{
				"Are the products h_i s_i of different units independent? What follows for their covariances?",
				"One variance for each unit, one outer product W_i W_i' for each, and the noise.",
			},
			Mistakes: []check.Mistake{
				{Says: "The noise 1/β is missing on the diagonal.", Result: func(c check.Case) any { return covarianceBy(c, 0, productVariance) }},
				{Says: "This is the second moment: E[h s]² is not subtracted.", Result: func(c check.Case) any {
					return covarianceBy(c, 1, func(on, mu, alpha float64) float64 { return on * (1/alpha + mu*mu) })
				}},
				{Says: "This leaves out μ: a spike that goes on and off moves the slab's mean, too.", Result: func(c check.Case) any {
					return covarianceBy(c, 1, func(on, _, alpha float64) float64 { return on / alpha })
				}},
				{Says: "All spikes are on here.", Result: func(c check.Case) any {
					return covarianceBy(c, 1, func(_, _, alpha float64) float64 { return 1 / alpha })
				}},
			},
			Hint: func(check.Case) string {
				return "The h_i s_i are independent: Σ Var(h_i s_i) W_i W_i' and the noise. Var(h s) = E[h s²] − E[h s]², and E[h s²] has μ² in it as well as 1/α."
			},
		},
		{
			Name: "s3c-5", Function: "restingBias", Signature: (func(meanH, penalty float64) float64)(nil),
			Draw: drawPenalty, Reference: restingBias, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"What is the gradient of the penalized bound by the bias?",
				"It is 0 where meanH = x + penalty·x(1 − x) with x = σ(b): a quadratic equation.",
			},
			Mistakes: []check.Mistake{
				{Says: "The penalty is missing: this is the logit of meanH.", Result: func(c check.Case) any { h := c.Args[0].(float64); return math.Log(h / (1 - h)) }},
				{Says: "This is σ(b): the bias itself was asked for.", Result: func(c check.Case) any { return 1 / (1 + math.Exp(-restingBias(c).(float64))) }},
				{Says: "The derivative of σ is σ(1 − σ), and not σ.", Result: func(c check.Case) any {
					x := c.Args[0].(float64) / (1 + c.Args[1].(float64))
					return math.Log(x / (1 - x))
				}},
			},
			Hint: func(check.Case) string {
				return "The derivative of penalty·σ(b) is penalty·σ(b)(1 − σ(b)). With x = σ(b) the condition is quadratic in x; of its two roots one is a probability that tends to meanH as the penalty goes to 0."
			},
		},
		{
			Name: "s3c-6", Function: "signed", Signature: (func(H, S *mat.Dense) *mat.Dense)(nil),
			Draw: drawCodes, Reference: signed, Points: 1,
			Nudges: [2]string{
				"How many features has a unit here, and can one of them be negative?",
				"Split ĥŝ by its sign: what is positive goes left, and the rest right. With which sign?",
			},
			Mistakes: []check.Mistake{
				{Says: "The right half is negative: both halves hold amounts.", Result: func(c check.Case) any { return splitCode(c, 1, -1) }},
				{Says: "The halves are exchanged.", Result: func(c check.Case) any { return splitCode(c, -1, 1) }},
				{Says: "This is ĥŝ itself, not split by sign.", Result: func(c check.Case) any {
					var out mat.Dense
					out.MulElem(c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense))
					return &out
				}},
			},
			Hint: func(c check.Case) string {
				_, N := c.Args[0].(*mat.Dense).Dims()
				return fmt.Sprintf("The first %d columns have max(0, ĥŝ), the last %d have max(0, −ĥŝ).", N, N)
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

func drawOne(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	t, b, alpha, beta := 6*rng.Float64()-3, -3*rng.Float64(), 0.5+2*rng.Float64(), 1+5*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("t = %.2f, b = %.2f, α = %.2f, β = %.2f", t, b, alpha, beta), Args: []any{t, b, alpha, beta}}
}

// oneUnit solves exercise s3c-1: for a model with one unit, it returns P(h = 1|v) as the exact sum over the two states
// of the spike.
func oneUnit(c check.Case) any {
	t, b, alpha, beta := c.Args[0].(float64), c.Args[1].(float64), c.Args[2].(float64), c.Args[3].(float64)
	m, err := s3c.NewModel(mat.NewDense(2, 1, []float64{1, 0}), b, alpha, beta)
	lab.Check(err)
	p, err := m.Exact(mat.NewDense(1, 2, []float64{t, 0.3})) // the component orthogonal to W₁ (here 0.3) does not matter
	lab.Check(err)
	return p.H.At(0, 0)
}

// oneUnitBy computes the result of oneUnit by a formula. The argument bias multiplies the unit's bias. The argument
// widths multiplies ½log(α/(α + β)), which the formula contains because P(v|h = 0) and P(v|h = 1) have different
// widths. Both arguments are 1 for the right answer; other values give wrong answers that result from typical mistakes.
func oneUnitBy(c check.Case, bias, widths float64) float64 {
	t, b, alpha, beta := c.Args[0].(float64), c.Args[1].(float64), c.Args[2].(float64), c.Args[3].(float64)
	odds := bias*b + widths*math.Log(alpha/(alpha+beta))/2 + beta*beta*t*t/(2*(alpha+beta))
	return 1 / (1 + math.Exp(-odds))
}

// drawRivals draws two or three units, with neighboring directions less than 60 degrees apart, and a patch between
// them.
func drawRivals(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	N := 2 + rng.IntN(2)
	W := mat.NewDense(2, N, nil)
	first, apart := 360*rng.Float64(), 20+35*rng.Float64()
	middle := first + apart*float64(N-1)/2
	for i := range N {
		sin, cos := math.Sincos((first + apart*float64(i)) * math.Pi / 180)
		W.SetCol(i, []float64{cos, sin})
	}
	sin, cos := math.Sincos((middle + 5) * math.Pi / 180)
	length := 1 + rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d units %.0f degrees apart", N, apart), Args: []any{W, []float64{length * cos, length * sin}}}
}

func lacks(c check.Case) any { return lacksBy(c, 1, 4, &s3c.InferOptions{Method: s3c.Coordinate}) }

// lacksBy returns log P(v) minus the energy at the end of inference. This difference is never negative, because the
// energy is a lower bound. With the arguments that exercise s3c-2 asks for (see lacks), it gives the right answer; with
// others, it gives a wrong answer that results from a typical mistake.
func lacksBy(c check.Case, alpha, beta float64, o *s3c.InferOptions) float64 {
	m, err := s3c.NewModel(c.Args[0].(*mat.Dense), -1, alpha, beta)
	lab.Check(err)
	v := mat.NewDense(1, 2, append([]float64(nil), c.Args[1].([]float64)...))
	p, err := m.Exact(v)
	lab.Check(err)
	return p.LogEvidence[0] - infer(context.Background(), m, v, o).Energy[0]
}

func drawAlike(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	n, alpha, beta := 2+rng.IntN(60), 0.5+2*rng.Float64(), 0.5+5*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d units, α = %.2f, β = %.2f", n, alpha, beta), Args: []any{n, alpha, beta}}
}

// largestEta solves exercise s3c-3, which is about the update s ← s − η(As − b) of all slabs at once. A has 1 on the
// diagonal and β/(α + β) elsewhere, and b is a constant. The update converges if η is below 2 divided by the largest
// eigenvalue of A; largestEta returns this bound.
func largestEta(c check.Case) any {
	n, alpha, beta := c.Args[0].(int), c.Args[1].(float64), c.Args[2].(float64)
	A := mat.NewSymDense(n, nil)
	for i := range n {
		A.SetSym(i, i, 1)
		for j := range i {
			A.SetSym(i, j, beta/(alpha+beta))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(A, false) {
		panic("s3c2011: no eigenvalues")
	}
	return 2 / e.Values(nil)[n-1]
}

// drawSmall draws a model with two to four units, each with its own bias, μ and α.
func drawSmall(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	D, N := 2+rng.IntN(3), 2+rng.IntN(3)
	W := mat.NewDense(D, N, nil)
	W.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, W)
	m, err := s3c.NewModel(W, -1, 1, 1+4*rng.Float64())
	lab.Check(err)
	for i := range N {
		m.Bias[i], m.Mu[i], m.Alpha[i] = rng.NormFloat64()-1, rng.NormFloat64(), 0.5+2*rng.Float64()
	}
	return check.Case{Sizes: fmt.Sprintf("%d units in %d dimensions", N, D), Args: []any{m}}
}

// covariance solves exercise s3c-4: it returns the covariance of v under the model, as a sum over all states h of the
// spikes. Given h, v is normal with mean Σ h_i μ_i W_i and covariance I/β + Σ h_i W_i W_i'/α_i.
func covariance(c check.Case) any {
	m := c.Args[0].(*s3c.Model)
	D, N := m.Dims()
	mean, second := mat.NewVecDense(D, nil), mat.NewDense(D, D, nil)
	for set := range 1 << N {
		p, at, within := 1.0, mat.NewVecDense(D, nil), mat.NewDense(D, D, nil)
		for d := range D {
			within.Set(d, d, 1/m.Beta[0])
		}
		for i := range N {
			on := 1 / (1 + math.Exp(-m.Bias[i]))
			if set>>i&1 == 0 {
				p *= 1 - on
				continue
			}
			p *= on
			w := m.W.ColView(i)
			at.AddScaledVec(at, m.Mu[i], w)
			within.RankOne(within, 1/m.Alpha[i], w, w)
		}
		within.RankOne(within, 1, at, at)
		within.Scale(p, within)
		second.Add(second, within)
		mean.AddScaledVec(mean, p, at)
	}
	second.RankOne(second, -1, mean, mean)
	return second
}

// productVariance returns Var(h s) for a spike h, with P(h = 1) = on, and a slab s, with mean mu and precision alpha.
func productVariance(on, mu, alpha float64) float64 { return on*(1/alpha+mu*mu) - on*on*mu*mu }

// covarianceBy computes the result of covariance by a formula. The argument noise multiplies the variance of the noise;
// it is 1 for the right answer. The function variance computes Var(h_i s_i); it is productVariance for the right
// answer. Other arguments give wrong answers that result from typical mistakes.
func covarianceBy(c check.Case, noise float64, variance func(on, mu, alpha float64) float64) *mat.Dense {
	m := c.Args[0].(*s3c.Model)
	D, N := m.Dims()
	C := mat.NewDense(D, D, nil)
	for i := range N {
		w := m.W.ColView(i)
		C.RankOne(C, variance(1/(1+math.Exp(-m.Bias[i])), m.Mu[i], m.Alpha[i]), w, w)
	}
	for d := range D {
		C.Set(d, d, C.At(d, d)+noise/m.Beta[0])
	}
	return C
}

func drawPenalty(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	h, penalty := 0.01+0.4*rng.Float64(), 0.1+0.9*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("mean ĥ %.3f, penalty %.2f", h, penalty), Args: []any{h, penalty}}
}

// restingBias solves exercise s3c-5. It returns the bias b that maximizes the mean energy minus penalty·σ(b), where σ
// is the logistic function. The exercise gives the penalty and the mean h of ĥ. The gradient is h − σ(b) −
// penalty·σ(b)(1 − σ(b)). It decreases as b grows, so bisection finds where it is 0.
func restingBias(c check.Case) any {
	h, penalty := c.Args[0].(float64), c.Args[1].(float64)
	lo, hi := -50.0, 50.0
	for range 100 {
		b := (lo + hi) / 2
		on := 1 / (1 + math.Exp(-b))
		if h-on-penalty*on*(1-on) > 0 {
			lo = b
		} else {
			hi = b
		}
	}
	return lo
}

func drawCodes(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	n, N := 2+rng.IntN(5), 2+rng.IntN(5)
	H, S := mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	H.Apply(func(int, int, float64) float64 { return rng.Float64() }, H)
	S.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, S)
	return check.Case{Sizes: fmt.Sprintf("%d×%d", n, N), Args: []any{H, S}}
}

func signed(c check.Case) any { return splitCode(c, 1, 1) }

// splitCode returns an n×2N matrix. With left = right = 1 it solves exercise s3c-6: the left half is max(0, ĥŝ), and
// the right half is max(0, −ĥŝ). Other arguments give wrong answers that result from typical mistakes: left = −1
// exchanges the halves, and the right half is multiplied by right.
func splitCode(c check.Case, left, right float64) *mat.Dense {
	H, S := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	n, N := H.Dims()
	out := mat.NewDense(n, 2*N, nil)
	for k := range n {
		for i := range N {
			hs := left * H.At(k, i) * S.At(k, i)
			out.Set(k, i, max(0, hs))
			out.Set(k, N+i, right*max(0, -hs))
		}
	}
	return out
}
