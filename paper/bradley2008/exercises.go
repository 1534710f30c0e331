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

// init registers the exercises of the notebook, which a cell tries with check.Exercise. Their
// inputs are a few short signals, so that a verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "dsc-1", Function: "shrink", Signature: (func(x, lambda, p float64) float64)(nil),
			Draw: drawShrink, Reference: shrink, Tolerance: 1e-6, Points: 1,
			Empty: func(c check.Case) any { return max(c.Args[0].(float64), c.Args[2].(float64)) },
			Hint: func(check.Case) string {
				return "In u = log w the equation is e^u + λ(u − log p) = x, and its left side is convex and increasing: Newton's method from u = log max(x, p) never steps too far."
			},
		},
		{
			Name: "dsc-2", Function: "atomGradient", Signature: (func(B *mat.Dense, x []float64, j int, lambda, p float64) []float64)(nil),
			Draw: drawAtom, Reference: atomGradient, Tolerance: 1e-4, Points: 1,
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Code with Doubled. The loss is coefficient %d alone, so dl/dŵ has a single 1; of dl/dB one column is asked for.", c.Args[2])
			},
		},
		{
			Name: "dsc-3", Function: "eachCopy", Signature: (func(B *mat.Dense, x []float64, m int, lambda, p float64) []float64)(nil),
			Draw: drawCopies, Reference: eachCopy, Tolerance: 1e-5, Points: 1,
			Empty: func(c check.Case) any {
				_, W := codeExactly(c.Args[0].(*mat.Dense), c.Args[1].([]float64), klcoding.Options{Lambda: c.Args[3].(float64), P: c.Args[4].(float64)})
				return mat.Col(nil, 0, W)
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("What each of the %d copies has, not what they have together: n numbers. The basis is not Doubled.", c.Args[2])
			},
		},
		{
			Name: "dsc-4", Function: "gap", Signature: (func(B *mat.Dense, x, w []float64, lambda, p float64) float64)(nil),
			Draw: drawGap, Reference: gap, Tolerance: 1e-7, Points: 2,
			Hint: func(check.Case) string {
				return "At ŵ and its residual the gap is 0: try that first. If it is off by a constant there, the term λp of each atom in (4) is missing on one side."
			},
		},
		{
			Name: "dsc-5", Function: "lambdaFor", Signature: (func(B, X *mat.Dense, p, share float64) float64)(nil),
			Draw: drawShare, Reference: func(c check.Case) any { return c.Known }, Tolerance: 1e-3, Points: 2,
			Empty: func(check.Case) any { return 10.0 },
			Hint: func(check.Case) string {
				return "The share that is lost grows with λ, so halve an interval of log λ that contains the answer, forty times. Code with Doubled, and sum over all signals before dividing."
			},
		},
		{
			Name: "dsc-6", Function: "twoLayers", Signature: (func(B1, B2 *mat.Dense, x []float64, lambda, p float64) *mat.Dense)(nil),
			Draw: drawLayers, Reference: twoLayers, Tolerance: 1e-4, Points: 2,
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

// codeExactly codes one signal and returns the coder with the code (n×1).
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

// shrink solves w + λ log(w/p) = x: the gradient (6) is 0 for B = 1.
func shrink(c check.Case) any {
	x, lambda, p := c.Args[0].(float64), c.Args[1].(float64), c.Args[2].(float64)
	u := math.Log(max(x, p))
	for range 100 {
		w := math.Exp(u)
		u -= (w + lambda*(u-math.Log(p)) - x) / (w + lambda)
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

// atomGradient returns ∂ŵ_j/∂B_j on [−B B], (9).
func atomGradient(c check.Case) any {
	B, x, j := c.Args[0].(*mat.Dense), c.Args[1].([]float64), c.Args[2].(int)
	coder, W := codeExactly(B, x, klcoding.Options{Lambda: c.Args[3].(float64), P: c.Args[4].(float64), Doubled: true})
	_, n := B.Dims()
	G := mat.NewDense(n, 1, nil)
	G.Set(j, 0, 1)
	return mat.Col(nil, j, must.Get(coder.VJP(context.Background(), column(x), W, G)).B)
}

func drawCopies(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	D := 2 + rng.IntN(3)
	n, m := D+rng.IntN(3), 2+rng.IntN(4)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, each atom %d times", D, n, m), Args: []any{drawBasis(rng, D, n), drawSignal(rng, D), m, logUniform(rng, 0.1, 0.5), logUniform(rng, 0.01, 0.1)}}
}

// eachCopy codes with the prior weight mp, and divides each coefficient equally among the m copies.
func eachCopy(c check.Case) any {
	B, m := c.Args[0].(*mat.Dense), float64(c.Args[2].(int))
	_, W := codeExactly(B, c.Args[1].([]float64), klcoding.Options{Lambda: c.Args[3].(float64), P: m * c.Args[4].(float64)})
	w := mat.Col(nil, 0, W)
	floats.Scale(1/m, w)
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

// gap returns the objective (2) at w minus the bound λΣp − g(r) at the residual r = x − Bw.
func gap(c check.Case) any {
	B, x, w, lambda, p := c.Args[0].(*mat.Dense), c.Args[1].([]float64), c.Args[2].([]float64), c.Args[3].(float64), c.Args[4].(float64)
	var r, h mat.VecDense
	r.MulVec(B, mat.NewVecDense(len(w), w))
	r.SubVec(mat.NewVecDense(len(x), x), &r)
	h.MulVec(B.T(), &r)
	rr := mat.Dot(&r, &r)
	primal := rr / 2
	dual := mat.Dot(&r, mat.NewVecDense(len(x), x)) - rr/2
	for j, v := range w {
		primal += lambda * (v*math.Log(v/p) - v + p)
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

func drawLayers(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	D := 2 + rng.IntN(2)
	n := D + 1 + rng.IntN(2)
	m := n + rng.IntN(3)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, then %d×%d", D, n, n, m), Args: []any{drawBasis(rng, D, n), drawBasis(rng, n, m), drawSignal(rng, D), logUniform(rng, 0.05, 0.2), logUniform(rng, 0.01, 0.05)}}
}

// twoLayers returns ∂l/∂B₁, where l is the sum of the second code's coefficients.
func twoLayers(c check.Case) any {
	B1, B2, x := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense), c.Args[2].([]float64)
	o := klcoding.Options{Lambda: c.Args[3].(float64), P: c.Args[4].(float64), Doubled: true}
	first, W1 := codeExactly(B1, x, o)
	second, W2 := codeExactly(B2, mat.Col(nil, 0, W1), o)
	ones := mat.DenseCopyOf(W2)
	ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
	up := must.Get(second.VJP(context.Background(), W1, W2, ones))
	return must.Get(first.VJP(context.Background(), column(x), W1, up.X)).B
}
