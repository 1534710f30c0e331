package bradley2008

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/internal/must"
)

// init registers the exercises of the notebook, whose cells call check.Exercise. The inputs are a few short signals,
// so that the verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "dsc-1", Function: "shrink", Signature: (func(x, lambda, p float64) float64)(nil),
			Draw: drawShrink, Reference: shrink, Tolerance: 1e-6, Points: 1,
			Empty: func(c check.Case) any { return max(c.Args[0].(float64), c.Args[2].(float64)) },
			Nudges: [2]string{
				"Set the derivative of ½(x − w)² plus the divergence to 0. Which equation is left for w?",
				"It has no closed form. With w = e^u there is a start from which Newton's method cannot overshoot.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the soft threshold: KL shrinks, but never to 0.", Result: func(c check.Case) any {
					return max(c.Args[0].(float64)-c.Args[1].(float64)*math.Log(1/c.Args[2].(float64)), 0)
				}},
				{Says: "The prior p is missing: this solves w + λ log w = x.", Result: func(c check.Case) any { return shrinkFrom(c, 0, 100) }},
				{Says: "This is log w: the coefficient itself was asked for.", Result: func(c check.Case) any { return math.Log(shrink(c).(float64)) }},
				{Says: "This is one step of Newton's method: go on until nothing moves.", Result: func(c check.Case) any { return shrinkFrom(c, math.Log(c.Args[2].(float64)), 1) }},
			},
			Hint: func(check.Case) string {
				return "In u = log w the equation is e^u + λ(u − log p) = x, and its left side is convex and increasing: Newton's method from u = log max(x, p) never steps too far."
			},
		},
		{
			Name: "dsc-2", Function: "atomGradient", Signature: (func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64)(nil),
			Draw: drawAtom, Reference: atomGradient, Tolerance: 1e-4, Points: 1,
			Nudges: [2]string{
				"Which loss has dl/dŵ = 1 for one coefficient and 0 for all others?",
				"The backward pass gives dl/dB for all atoms at once. You need one column of it.",
			},
			Mistakes: []check.Mistake{
				{Says: "The basis is not doubled here: code with Doubled.", Result: func(c check.Case) any { return atomColumn(c, false, c.Args[2].(int)) }},
				{Says: "This has the opposite sign.", Result: func(c check.Case) any {
					g := atomGradient(c).([]float64)
					floats.Scale(-1, g)
					return g
				}},
				{Says: "This is the derivative by atom 0, whatever j is.", Result: func(c check.Case) any { return atomColumn(c, true, 0) }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Code with Doubled. The loss is coefficient %d alone, so dl/dŵ has a single 1; give one column of dl/dB.", c.Args[2])
			},
		},
		{
			Name: "dsc-3", Function: "eachCopy", Signature: (func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64)(nil),
			Draw: drawCopies, Reference: eachCopy, Tolerance: 1e-5, Points: 1,
			Empty: func(c check.Case) any { return sharedBy(c, 1, 1) },
			Nudges: [2]string{
				"Equal atoms have equal coefficients. What is their sum, as one atom?",
				"Write the m divergences as one, of the sum: with which p?",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the sum of all copies: each of them has one share of it.", Result: func(c check.Case) any { return sharedBy(c, float64(c.Args[2].(int)), 1) }},
				{Says: "This is the code without copies, divided by m: their prior weights add up, too.", Result: func(c check.Case) any { return sharedBy(c, 1, 1/float64(c.Args[2].(int))) }},
				{Says: "The prior is divided among the copies here: each copy brings the whole p.", Result: func(c check.Case) any {
					m := float64(c.Args[2].(int))
					return sharedBy(c, 1/m, 1/m)
				}},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("What each of the %d copies has, not what they have together: n numbers. The basis is not Doubled.", c.Args[2])
			},
		},
		{
			Name: "dsc-4", Function: "gap", Signature: (func(B *mat.Dense, x, w []float64, lambda, p float64) float64)(nil),
			Draw: drawGap, Reference: gap, Tolerance: 1e-7, Points: 2,
			Nudges: [2]string{
				"The gap is the objective (2) at w less the bound (4) at the residual. What is the residual?",
				"Take r = x − Bw as the point of the dual: then both numbers come from w alone.",
			},
			Mistakes: []check.Mistake{
				{Says: "The constant λ Σ p is missing on one side.", Result: func(c check.Case) any { return gapBy(c, 0, 1) }},
				{Says: "The constant λ Σ p counts twice here: it is in the objective and in the bound, with the same sign.", Result: func(c check.Case) any { return gapBy(c, 2, 1) }},
				{Says: "Half of ‖r‖² is missing: the loss has one half, and g has another.", Result: func(c check.Case) any { return gapBy(c, 1, 0.5) }},
				{Says: "This is the bound minus the objective: a gap is never negative.", Result: func(c check.Case) any { return -gapBy(c, 1, 1) }},
			},
			Hint: func(check.Case) string {
				return "At ŵ and its residual the gap is 0: try that first. If it is off by a constant there, the term λp of each atom in (4) is missing on one side."
			},
		},
		{
			Name: "dsc-5", Function: "lambdaFor", Signature: (func(B, X *mat.Dense, p, share float64) float64)(nil),
			Draw: drawShare, Reference: func(c check.Case) any { return c.Known }, Tolerance: 1e-3, Points: 2,
			Empty: func(check.Case) any { return 10.0 },
			Nudges: [2]string{
				"What happens to the share that is lost as λ grows?",
				"It only grows: an interval that contains the λ asked for can be halved. On which scale?",
			},
			Mistakes: []check.Mistake{
				{Says: "The share is one of squares, ‖X − BW‖² over ‖X‖²: here the squares are missing.", Result: func(c check.Case) any { return lambdaBy(c, true, 1) }},
				{Says: "The basis is not doubled here: code with Doubled.", Result: func(c check.Case) any { return lambdaBy(c, false, 2) }},
			},
			Hint: func(check.Case) string {
				return "The share that is lost grows with λ, so halve an interval of log λ that contains the answer, forty times. Code with Doubled, and sum over all signals before dividing."
			},
		},
		{
			Name: "dsc-6", Function: "twoLayers", Signature: (func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense)(nil),
			Draw: drawLayers, Reference: twoLayers, Tolerance: 1e-4, Points: 2,
			Nudges: [2]string{
				"What is the input of the second coder? Which derivative by it do you need?",
				"The chain rule, from the back: dl/dŵ₂, then dl/dŵ₁, then dl/dB₁.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the gradient of the sum of the first code: the second layer is missing.", Result: func(c check.Case) any { return layersBy(c, false) }},
				{Says: "This has the opposite sign.", Result: func(c check.Case) any {
					g := mat.DenseCopyOf(twoLayers(c).(mat.Matrix))
					g.Scale(-1, g)
					return g
				}},
			},
			Hint: func(check.Case) string {
				return "VJP of the second coder gives dl/dx of its signal. Its signal is the first code: hand it to VJP of the first coder. Both are Doubled."
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// drawBasis returns a D×n matrix of independent normal columns, scaled to length 1.
func drawBasis(rng *rand.Rand, D, n int) *mat.Dense {
	B := mat.NewDense(D, n, nil)
	for j := range n {
		b := drawSignal(rng, D)
		floats.Scale(1/floats.Norm(b, 2), b)
		B.SetCol(j, b)
	}
	return B
}

// drawSignal returns D independent normal numbers.
func drawSignal(rng *rand.Rand, D int) []float64 {
	x := make([]float64, D)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// logUniform returns a random number between lo and hi whose logarithm is uniform.
func logUniform(rng *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, rng.Float64())
}

// codeExactly codes the signal x on B to a tolerance of 1e-12, and returns the coder and the code (n×1).
func codeExactly(B *mat.Dense, x []float64, o klcoding.Options) (*klcoding.Coder, *mat.Dense) {
	o.Tolerance = 1e-12
	c := must.Get(klcoding.New(B, &o))
	return c, must.Get(c.Code(context.Background(), column(x))).W
}

func column(x []float64) *mat.Dense { return mat.NewDense(len(x), 1, append([]float64(nil), x...)) }

func drawShrink(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, lambda, p := 2*rng.Float64(), logUniform(rng, 0.05, 0.5), logUniform(rng, 1e-4, 0.1)
	return check.Case{Sizes: fmt.Sprintf("x = %.2f, λ = %.3f, p = %.4f", x, lambda, p), Args: []any{x, lambda, p}}
}

// shrink returns the solution w of w + λ log(w/p) = x, at which the gradient (6) is 0 for B = 1. The case c holds x, λ
// and p.
func shrink(c check.Case) any {
	return shrinkFrom(c, math.Log(c.Args[2].(float64)), 100)
}

// shrinkFrom solves e^u + λ(u − logP) = x for u by Newton's method, and returns w = e^u. Here x, λ and p are the
// arguments of the case. The method takes the given number of steps from u = log max(x, p).
func shrinkFrom(c check.Case, logP float64, steps int) float64 {
	x, lambda, p := c.Args[0].(float64), c.Args[1].(float64), c.Args[2].(float64)
	u := math.Log(max(x, p))
	for range steps {
		w := math.Exp(u)
		u -= (w + lambda*(u-logP) - x) / (w + lambda)
	}
	return math.Exp(u)
}

func drawAtom(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	D := 2 + rng.IntN(3)
	n := D + 1 + rng.IntN(3)
	B, x := drawBasis(rng, D, n), drawSignal(rng, D)
	return check.Case{Sizes: fmt.Sprintf("%d×%d", D, n), Args: []any{B, x, 1 + rng.IntN(n-1), logUniform(rng, 0.05, 0.3), logUniform(rng, 0.005, 0.05)}}
}

// atomGradient returns ∂ŵ_j/∂B_j, equation (9), for the doubled basis [−B B].
func atomGradient(c check.Case) any { return atomColumn(c, true, c.Args[2].(int)) }

// atomColumn returns ∂ŵ_j/∂B_i. The basis is [−B B] if doubled is set, and B otherwise.
func atomColumn(c check.Case, doubled bool, i int) []float64 {
	B, x, j := c.Args[0].(*mat.Dense), c.Args[1].([]float64), c.Args[2].(int)
	coder, W := codeExactly(B, x, klcoding.Options{Lambda: c.Args[3].(float64), P: c.Args[4].(float64), Doubled: doubled})
	_, n := B.Dims()
	G := mat.NewDense(n, 1, nil)
	G.Set(j, 0, 1)
	return mat.Col(nil, i, must.Get(coder.VJP(context.Background(), column(x), W, G)).B)
}

func drawCopies(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	D := 2 + rng.IntN(3)
	n, m := D+rng.IntN(3), 2+rng.IntN(4)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, each atom %d times", D, n, m), Args: []any{drawBasis(rng, D, n), drawSignal(rng, D), m, logUniform(rng, 0.1, 0.5), logUniform(rng, 0.01, 0.1)}}
}

// eachCopy returns the code of a signal if each atom occurs m times in the basis. It computes the code without copies,
// with m times the prior weight p, and divides each coefficient equally among the m copies of its atom.
func eachCopy(c check.Case) any {
	m := float64(c.Args[2].(int))
	return sharedBy(c, m, 1/m)
}

// sharedBy codes the signal, with priors times the prior weight p in place of p, and returns share times the code.
func sharedBy(c check.Case, priors, share float64) []float64 {
	_, W := codeExactly(c.Args[0].(*mat.Dense), c.Args[1].([]float64), klcoding.Options{Lambda: c.Args[3].(float64), P: priors * c.Args[4].(float64)})
	w := mat.Col(nil, 0, W)
	floats.Scale(share, w)
	return w
}

func drawGap(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	D := 2 + rng.IntN(4)
	n := D + 1 + rng.IntN(4)
	w := make([]float64, n)
	for j := range w {
		w[j] = logUniform(rng, 0.01, 0.5) // any w > 0
	}
	return check.Case{Sizes: fmt.Sprintf("%d×%d", D, n), Args: []any{drawBasis(rng, D, n), drawSignal(rng, D), w, logUniform(rng, 0.5, 2), logUniform(rng, 0.01, 0.2)}}
}

// gap returns the objective (2) at w, minus a lower bound of its minimum. With the residual r = x − Bw, the bound is
// r'x − ½‖r‖² + λΣ_j (p − p exp(B_j'r/λ)), where B_j is column j of B. The case c holds B, x, w, λ and p.
func gap(c check.Case) any { return gapBy(c, 1, 1) }

// gapBy computes the result of gap, but with two factors. Factors other than 1 give wrong answers that the exercise
// recognizes. The factor called constant multiplies the constant term λΣp of the objective. The factor called squares
// multiplies both the ½‖r‖² of the objective and the ½‖r‖² of the bound. If both factors are 1, the result is that of
// gap.
func gapBy(c check.Case, constant, squares float64) float64 {
	B, x, w, lambda, p := c.Args[0].(*mat.Dense), c.Args[1].([]float64), c.Args[2].([]float64), c.Args[3].(float64), c.Args[4].(float64)
	var r, h mat.VecDense
	r.MulVec(B, mat.NewVecDense(len(w), w))
	r.SubVec(mat.NewVecDense(len(x), x), &r)
	h.MulVec(B.T(), &r)
	rr := squares * mat.Dot(&r, &r)
	primal := rr / 2
	dual := mat.Dot(&r, mat.NewVecDense(len(x), x)) - rr/2
	for j, v := range w {
		primal += lambda * (v*math.Log(v/p) - v + constant*p)
		dual += lambda * (p - p*math.Exp(h.AtVec(j)/lambda))
	}
	return primal - dual
}

func drawShare(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	D, N := 3+rng.IntN(3), 5+rng.IntN(4)
	n := 2 * D
	B, X := drawBasis(rng, D, n), mat.NewDense(D, N, nil)
	for i := range N {
		X.SetCol(i, drawSignal(rng, D))
	}
	lambda, p := logUniform(rng, 0.03, 0.5), logUniform(rng, 0.005, 0.05)
	coder := must.Get(klcoding.New(B, &klcoding.Options{Lambda: lambda, P: p, Doubled: true, Tolerance: 1e-12}))
	var R mat.Dense
	R.Mul(B, must.Get(coder.Code(context.Background(), X)).W)
	R.Sub(X, &R)
	share := math.Pow(mat.Norm(&R, 2)/mat.Norm(X, 2), 2)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d signals, %.1f %% lost", D, n, N, 100*share), Args: []any{B, X, p, share}, Known: lambda}
}

// lambdaBy finds, by bisection of log λ, the λ at which (‖X − BW‖/‖X‖)^power equals the share in the case c. W holds
// the KL codes of the signals X on B or, if doubled is set, the signed codes w⁺ − w⁻ on [−B B].
func lambdaBy(c check.Case, doubled bool, power float64) float64 {
	B, X, p, share := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense), c.Args[2].(float64), c.Args[3].(float64)
	lo, hi := math.Log(1e-3), math.Log(10)
	for range 40 {
		mid := (lo + hi) / 2
		coder := must.Get(klcoding.New(B, &klcoding.Options{Lambda: math.Exp(mid), P: p, Doubled: doubled, Tolerance: 1e-12}))
		var R mat.Dense
		R.Mul(B, must.Get(coder.Code(context.Background(), X)).W)
		R.Sub(X, &R)
		if math.Pow(mat.Norm(&R, 2)/mat.Norm(X, 2), power) < share {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}

func drawLayers(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	D := 2 + rng.IntN(2)
	n := D + 1 + rng.IntN(2)
	m := n + rng.IntN(3)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, then %d×%d", D, n, n, m), Args: []any{drawBasis(rng, D, n), drawBasis(rng, n, m), drawSignal(rng, D), logUniform(rng, 0.05, 0.2), logUniform(rng, 0.01, 0.05)}}
}

// twoLayers returns ∂l/∂B₁ for two layers of coding: the code of a signal on B₁ is itself coded on B₂. The loss l is
// the sum of the coefficients of this second code.
func twoLayers(c check.Case) any { return layersBy(c, true) }

// layersBy returns ∂l/∂B₁ as twoLayers does. If second is false, l is the sum of the coefficients of the first code
// instead of the second.
func layersBy(c check.Case, second bool) *mat.Dense {
	B1, B2, x := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense), c.Args[2].([]float64)
	ctx, o := context.Background(), klcoding.Options{Lambda: c.Args[3].(float64), P: c.Args[4].(float64), Doubled: true}
	first, W1 := codeExactly(B1, x, o)
	up := ones(W1)
	if second {
		coder, W2 := codeExactly(B2, mat.Col(nil, 0, W1), o)
		up = must.Get(coder.VJP(ctx, W1, W2, ones(W2))).X
	}
	return must.Get(first.VJP(ctx, column(x), W1, up)).B
}

// ones returns a matrix of ones with the shape of W.
func ones(W *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(W)
	out.Apply(func(int, int, float64) float64 { return 1 }, out)
	return out
}
