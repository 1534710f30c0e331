package nmfimplicit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
)

// init registers the exercises of the notebook, whose cells call check.Exercise. The matrices are small, so that the
// verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "nmf-1", Function: "stuck", Signature: (func(A, U, W *mat.Dense) int)(nil),
			Draw: drawStuck, Reference: stuck, Points: 1,
			Nudges: [2]string{
				"When does an entry that is 0 want to grow?",
				"The slope by an entry is its multiplier: the objective falls where it is negative. Count over both factors.",
			},
			Mistakes: []check.Mistake{
				{Says: "Only U is counted here: W has zeros, too.", Result: func(c check.Case) any { return stuckBy(c, false, true, 1) }},
				{Says: "Entries above 0 are counted, too: these can move.", Result: func(c check.Case) any { return stuckBy(c, true, false, 1) }},
				{Says: "This counts the zeros with a positive multiplier: they are right to be 0.", Result: func(c check.Case) any { return stuckBy(c, true, true, -1) }},
			},
			Hint: func(check.Case) string {
				return "Of both factors, the entries that are exactly 0 and whose multiplier, (UW' − A)W or (WU' − A')U, is below 0."
			},
		},
		{
			Name: "nmf-2", Function: "cornerGradient", Signature: (func(A *mat.Dense) *mat.Dense)(nil),
			Draw: drawPositive, Reference: cornerGradient, Tolerance: 1e-4, Points: 1,
			Nudges: [2]string{
				"Which entries of A does the best UW' of one component depend on, at its first entry?",
				"All of them: move each entry of A a little, and see what becomes of (UW')₁₁.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the derivative by entry (1, 1) only: the others matter, too.", Result: func(c check.Case) any {
					G := cornerGradient(c).(*mat.Dense)
					r, d := G.Dims()
					out := mat.NewDense(r, d, nil)
					out.Set(0, 0, G.At(0, 0))
					return out
				}},
				{Says: "This is transposed.", Result: func(c check.Case) any { return mat.DenseCopyOf(cornerGradient(c).(*mat.Dense).T()) }},
				{Says: "This is the gradient of another entry, (2, 1).", Result: func(c check.Case) any { return entryGradient(c, 1) }},
			},
			Hint: func(c check.Case) string {
				r, d := c.Args[0].(*mat.Dense).Dims()
				return fmt.Sprintf("A gradient is as large as A, %d×%d. By differences: change one entry, factor again in one component, look at entry (1, 1) of UW'. Solve tightly.", r, d)
			},
		},
		{
			Name: "nmf-3", Function: "stepsToLeave", Signature: (func(a, b, eps float64) int)(nil),
			Draw: drawSaddle, Reference: stepsToLeave, Points: 1,
			Empty: func(check.Case) any { return 1000 },
			Nudges: [2]string{
				"What does one step do to w₁/w₂?",
				"Follow w and u by hand for A = diag(a, b): both halves of a step multiply the same ratio.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is one step too many.", Result: func(c check.Case) any { return stepsToLeave(c).(int) + 1 }},
				{Says: "This is one step too few.", Result: func(c check.Case) any { return stepsToLeave(c).(int) - 1 }},
			},
			Hint: func(check.Case) string {
				return "A step is both: the best u for w, then the best w for that u. For A = diag(a, b) the best u is Aw/‖w‖², the best w is A'u/‖u‖². Count until w₁ > w₂."
			},
		},
		{
			Name: "nmf-4", Function: "penalized", Signature: (func(A, W *mat.Dense, lambda float64) *mat.Dense)(nil),
			Draw: drawPenalty, Reference: penalized, Tolerance: 1e-6, Points: 2,
			Empty: func(c check.Case) any { return penalizedBy(c, 0) },
			Nudges: [2]string{
				"What does λ Σ U add to the derivative by one entry of U?",
				"The same number everywhere: it can go into AW, and the problem is one that you can solve already.",
			},
			Mistakes: []check.Mistake{
				{Says: "The penalty counts twice here: the loss has the factor ½, the penalty has none.", Result: func(c check.Case) any { return penalizedBy(c, 2*c.Args[2].(float64)) }},
				{Says: "The penalty has the wrong sign: it rewards large entries.", Result: func(c check.Case) any { return penalizedBy(c, -c.Args[2].(float64)) }},
				{Says: "This shrinks the solution without a penalty: entries depend on each other.", Result: func(c check.Case) any {
					U := penalizedBy(c, 0)
					U.Apply(func(_, _ int, u float64) float64 { return max(0, u-c.Args[2].(float64)) }, U)
					return U
				}},
			},
			Hint: func(check.Case) string {
				return "λ is a part of the gradient of each entry of U: (UW' − A)W + λ. In the loop of coordinate descent it changes one number, in nnls.SolveGram too. Sweep until nothing moves."
			},
		},
		{
			Name: "nmf-5", Function: "inGauge", Signature: (func(U, W, dU, dW *mat.Dense) *mat.Dense)(nil),
			Draw: drawGauge, Reference: inGauge, Tolerance: 1e-5, Points: 2,
			Empty: func(c check.Case) any { return gaugeBy(c, 0) },
			Nudges: [2]string{
				"Which change of U and W leaves UW' as it is?",
				"The normalized column is a product, u_j times ‖w_j‖. Use the product rule.",
			},
			Mistakes: []check.Mistake{
				{Says: "The change of ‖w_j‖ has the wrong sign.", Result: func(c check.Case) any { return gaugeBy(c, -1) }},
				{Says: "This is dU as it was given.", Result: func(c check.Case) any { return c.Args[2] }},
			},
			Hint: func(check.Case) string {
				return "Column j of the normalized U is u_j‖w_j‖. Both factors of that product move, and the change of ‖w_j‖ is w_j'dw_j/‖w_j‖. If (dU, dW) is (u_j, −w_j) in column j, nothing may move."
			},
		},
		{
			Name: "nmf-6", Function: "sensitivity", Signature: (func(W *mat.Dense, a []float64, j int) []float64)(nil),
			Draw: drawSensitivity, Reference: sensitivity, Tolerance: 1e-5, Points: 2,
			Nudges: [2]string{
				"Which entries of u can move at all, if a changes a little?",
				"The zeros stay. On the other columns u is an ordinary least-squares solution, which is linear in a.",
			},
			Mistakes: []check.Mistake{
				{Says: "All columns of W are used: those with u = 0 do not move.", Result: func(c check.Case) any {
					W := c.Args[0].(*mat.Dense)
					var pseudo mat.Dense
					if err := pseudo.Solve(productOf(W.T(), W), W.T()); err != nil {
						panic(err) // cannot happen: drawSensitivity's W is well conditioned
					}
					return mat.Row(nil, c.Args[2].(int), &pseudo)
				}},
				{Says: "This is column j of W: the derivative has its pseudo-inverse.", Result: func(c check.Case) any { return mat.Col(nil, c.Args[2].(int), c.Args[0].(*mat.Dense)) }},
				{Says: "This is the derivative of the next entry of u.", Result: func(c check.Case) any {
					_, k := c.Args[0].(*mat.Dense).Dims()
					return sensitivity(check.Case{Args: []any{c.Args[0], c.Args[1], (c.Args[2].(int) + 1) % k}})
				}},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Solve for u first. If u_%d is 0 the answer is %d zeros; else form the pseudo-inverse of only the columns of W with u > 0, and take its row for this entry of u.", c.Args[2], len(c.Args[1].([]float64)))
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// drawMatrix returns a random r×c matrix. The argument zero is the expected fraction of entries that are 0; the
// others lie between 0.05 and 1.05.
func drawMatrix(rng *rand.Rand, r, c int, zero float64) *mat.Dense {
	M := mat.NewDense(r, c, nil)
	M.Apply(func(int, int, float64) float64 {
		if v := rng.Float64(); rng.Float64() >= zero {
			return 0.05 + v
		}
		return 0
	}, M)
	return M
}

// multipliers returns the multipliers of the constraints U ≥ 0 and W ≥ 0: Ubar = (UW' − A)W and Wbar = (WU' − A')U.
func multipliers(A, U, W *mat.Dense) (Ubar, Wbar *mat.Dense) {
	var R mat.Dense
	R.Mul(U, W.T())
	R.Sub(&R, A)
	return productOf(&R, W), productOf(R.T(), U)
}

func drawStuck(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, d, k := 4+rng.IntN(4), 3+rng.IntN(4), 2+rng.IntN(2)
	A, U, W := drawMatrix(rng, n, d, 0.2), drawMatrix(rng, n, k, 0.4), drawMatrix(rng, d, k, 0.4)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d components", n, d, k), Args: []any{A, U, W}}
}

// stuck counts the entries of U and W that are 0 although their Lagrange multiplier is negative. A solution has no such
// entries: the objective would fall if they became positive, but the multiplicative rule keeps them at 0.
func stuck(c check.Case) any { return stuckBy(c, true, true, 1) }

// stuckBy counts the entries of U whose multiplier, times sign, is negative. If the argument both is true, it also
// counts such entries of W. If zeros is true, it counts only entries that are 0.
func stuckBy(c check.Case, both, zeros bool, sign float64) int {
	A, U, W := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense), c.Args[2].(*mat.Dense)
	Ubar, Wbar := multipliers(A, U, W)
	count := 0
	for _, f := range [][2]*mat.Dense{{U, Ubar}, {W, Wbar}} {
		if f[0] == W && !both {
			continue
		}
		for i, v := range f[0].RawMatrix().Data {
			if (v == 0 || !zeros) && sign*f[1].RawMatrix().Data[i] < 0 {
				count++
			}
		}
	}
	return count
}

func drawPositive(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	n, d := 3+rng.IntN(3), 3+rng.IntN(2)
	return check.Case{Sizes: fmt.Sprintf("%d×%d", n, d), Args: []any{drawMatrix(rng, n, d, 0)}}
}

// cornerGradient returns the derivative of the entry M₁₁ with respect to A, for M = PA, where P = uu' and u is the
// leading eigenvector of AA'. By the theorem of Perron and Frobenius, this M is the best UW' with one component. Let μ
// be the eigenvalue of u, and let u_m and μ_m be the other eigenvectors and their eigenvalues. Then
//
//	dM = dP A + P dA,   dP = Σ_m (u_m u' + u u_m') u_m'(dA A' + A dA')u/(μ − μ_m).
func cornerGradient(c check.Case) any { return entryGradient(c, 0) }

// entryGradient returns the derivative, with respect to A, of the entry of M in the first column and the given row,
// counted from 0. The matrix M is that of cornerGradient, which returns the derivative for row 0.
func entryGradient(c check.Case, row int) *mat.Dense {
	A := c.Args[0].(*mat.Dense)
	n, d := A.Dims()
	var S mat.SymDense
	S.SymOuterK(1, A) // AA'
	var e mat.EigenSym
	if !e.Factorize(&S, true) {
		panic("nmfimplicit: cornerGradient: no eigenvectors")
	}
	var V mat.Dense
	e.VectorsTo(&V)
	mu := e.Values(nil) // ascending
	u := V.ColView(n - 1)
	gradient := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			dA, T, dP := mat.NewDense(n, d, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			dA.Set(i, j, 1)
			T.Mul(dA, A.T())
			T.Add(mat.DenseCopyOf(T.T()), T) // dA A' + A dA'
			for m := range n - 1 {
				um := V.ColView(m)
				s := mat.Inner(um, T, u) / (mu[n-1] - mu[m])
				dP.RankOne(dP, s, um, u)
				dP.RankOne(dP, s, u, um)
			}
			v := mat.Dot(dP.RowView(row), A.ColView(0))
			if j == 0 {
				v += u.AtVec(row) * u.AtVec(i) // the entry of P dA
			}
			gradient.Set(i, j, v)
		}
	}
	return gradient
}

func drawSaddle(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	a, b, eps := 1.2+2*rng.Float64(), 0.5+0.5*rng.Float64(), math.Pow(10, -2-8*rng.Float64())
	return check.Case{Sizes: fmt.Sprintf("diag(%.2f, %.2f), ε = %.1e", a, b, eps), Args: []any{a, b, eps}}
}

// stepsToLeave counts the steps of alternating least squares until w₁ > w₂, for the matrix diag(a, b) and the start w
// = (ε, 1). Each step multiplies w₁/w₂ by (a/b)².
func stepsToLeave(c check.Case) any {
	a, b, eps := c.Args[0].(float64), c.Args[1].(float64), c.Args[2].(float64)
	w1, w2, steps := eps, 1.0, 0
	for w1 <= w2 {
		s := w1*w1 + w2*w2
		u1, u2 := a*w1/s, b*w2/s
		s = u1*u1 + u2*u2
		w1, w2 = a*u1/s, b*u2/s
		steps++
	}
	return steps
}

func drawPenalty(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	n, d, k := 4+rng.IntN(4), 6+rng.IntN(4), 2+rng.IntN(3)
	A, W := drawMatrix(rng, n, d, 0.2), drawMatrix(rng, d, k, 0.3)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d components", n, d, k), Args: []any{A, W, 0.1 + rng.Float64()}}
}

// penalized returns the U ≥ 0 that minimizes ½‖A − UW'‖² + λΣU, where ΣU is the sum of the entries of U. It solves the
// nonnegative least squares problem without the penalty, but with AW − λ in place of AW.
func penalized(c check.Case) any { return penalizedBy(c, c.Args[2].(float64)) }

func penalizedBy(c check.Case, lambda float64) *mat.Dense {
	A, W := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	C := productOf(W.T(), A.T())
	C.Apply(func(_, _ int, v float64) float64 { return v - lambda }, C)
	return mat.DenseCopyOf(must.Get(nnls.SolveGram(context.Background(), productOf(W.T(), W), C, nil)).X.T())
}

func drawGauge(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	n, d, k := 3+rng.IntN(3), 3+rng.IntN(3), 2+rng.IntN(2)
	change := func(r int) *mat.Dense {
		M := mat.NewDense(r, k, nil)
		M.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, M)
		return M
	}
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d components", n, d, k), Args: []any{drawMatrix(rng, n, k, 0.2), drawMatrix(rng, d, k, 0), change(n), change(d)}}
}

// inGauge returns the change of the normalized U if U changes by dU and W by dW. Normalizing makes ‖w_j‖ = 1 and turns
// column u_j into u_j‖w_j‖, so both the change of u_j and the change of ‖w_j‖ count.
func inGauge(c check.Case) any { return gaugeBy(c, 1) }

// gaugeBy returns the result of inGauge, but with the change of ‖w_j‖ multiplied by share. A share other than 1 gives
// the wrong answer that results from a typical mistake.
func gaugeBy(c check.Case, share float64) *mat.Dense {
	U, W, dU, dW := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense), c.Args[2].(*mat.Dense), c.Args[3].(*mat.Dense)
	var out mat.Dense
	out.Apply(func(i, j int, u float64) float64 {
		s := mat.Norm(W.ColView(j), 2)
		return dU.At(i, j)*s + share*u*mat.Dot(W.ColView(j), dW.ColView(j))/s
	}, U)
	return &out
}

// drawSensitivity draws a case in which each coefficient is well above 0, or is 0 with a multiplier well above 0. A
// coefficient that is 0 with a zero multiplier would have no derivative. At least two coefficients are positive, and W
// is well conditioned.
func drawSensitivity(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	for {
		d, k := 5+rng.IntN(4), 3+rng.IntN(2)
		W, a := drawMatrix(rng, d, k, 0.3), mat.Col(nil, 0, drawMatrix(rng, d, 1, 0.2))
		r := must.Get(nnls.Solve(context.Background(), W, mat.NewDense(d, 1, append([]float64(nil), a...)), nil))
		away := true
		positive := 0
		for j := range k {
			away = away && math.Max(r.X.At(j, 0), r.Gradient.At(j, 0)) > 0.02
			if r.X.At(j, 0) > 0 {
				positive++
			}
		}
		var svd mat.SVD
		if !away || positive < 2 || !svd.Factorize(W, mat.SVDNone) || svd.Cond() > 20 {
			continue
		}
		return check.Case{Sizes: fmt.Sprintf("%d×%d, %d of u positive", d, k, positive), Args: []any{W, a, rng.IntN(k)}}
	}
}

// sensitivity returns ∂u_j/∂a, where u ≥ 0 minimizes ‖a − Wu‖. It is the row for u_j of (W_S'W_S)⁻¹W_S', where W_S
// consists of the columns of W whose coefficients in u are positive. If u_j is 0, so is the derivative.
func sensitivity(c check.Case) any {
	W, a, j := c.Args[0].(*mat.Dense), c.Args[1].([]float64), c.Args[2].(int)
	d, k := W.Dims()
	u := mat.Col(nil, 0, must.Get(nnls.Solve(context.Background(), W, mat.NewDense(d, 1, append([]float64(nil), a...)), nil)).X)
	out := make([]float64, d)
	if u[j] == 0 {
		return out
	}
	var columns []float64 // of the support: the rows of W_S'
	at, size := 0, 0
	for t := range k {
		if u[t] > 0 {
			if t == j {
				at = size
			}
			columns = append(columns, mat.Col(nil, t, W)...)
			size++
		}
	}
	Ws := mat.NewDense(size, d, columns)
	var pseudo mat.Dense
	if err := pseudo.Solve(productOf(Ws, Ws.T()), Ws); err != nil {
		panic(err)
	}
	return mat.Row(nil, at, &pseudo)
}
