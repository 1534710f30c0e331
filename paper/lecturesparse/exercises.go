package lecturesparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/check"
)

// init registers the exercises of the notebook; cells try answers to them with check.Exercise. The reference solutions
// repeat the notebook's cells: plain loops, at sizes at which a verdict comes at once.
func init() {
	for _, t := range []check.Task{
		{
			Name: "sparse-1", Function: "silent", Signature: (func(B *mat.Dense, x *mat.VecDense) float64)(nil),
			Draw: drawAnySignal, Reference: silent, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"At w = 0, what is the gradient of the loss?",
				"w = 0 stays where it is as long as no element of the gradient is larger than λ.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the λ of one step, divided by L: at the fixed point L cancels.", Result: func(c check.Case) any { return silent(c).(float64) / lipschitz(c.Args[0].(*mat.Dense)) }},
				{Says: "This is twice the λ: the loss has a factor of ½.", Result: func(c check.Case) any { return 2 * silent(c).(float64) }},
				{Says: "This is the sum over the atoms: the last one to fall silent decides.", Result: func(c check.Case) any { return mat.Norm(correlations(c), 1) }},
				{Says: "This leaves out the sign: an atom can also be used with a negative coefficient.", Result: func(c check.Case) any { return mat.Max(correlations(c)) }},
			},
			Hint: func(check.Case) string {
				return "Begin ISTA at w = 0. Its first step stays there if the threshold swallows each b_jᵀx."
			},
		},
		{
			Name: "sparse-2", Function: "longSteps", Signature: (func(B *mat.Dense, x *mat.VecDense, lambda, c float64, steps int) *mat.VecDense)(nil),
			Draw: drawLongSteps, Reference: longSteps, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"Which two things in a step of ISTA contain the length of the step?",
				"With the step c/L the gradient is multiplied by c/L, and so is λ in the threshold.",
			},
			Mistakes: []check.Mistake{
				{Says: "The threshold has not grown with the step.", Result: func(c check.Case) any {
					step := c.Args[3].(float64) / lipschitz(c.Args[0].(*mat.Dense))
					return istaBy(c, step, step/c.Args[3].(float64))
				}},
				{Says: "The step is 1/L: c is not used.", Result: func(c check.Case) any { L := lipschitz(c.Args[0].(*mat.Dense)); return istaBy(c, 1/L, 1/L) }},
				{Says: "The step is not divided by L.", Result: func(c check.Case) any { step := c.Args[3].(float64); return istaBy(c, step, step) }},
				{Says: "L is the largest singular value here: it must be squared.", Result: func(c check.Case) any {
					step := c.Args[3].(float64) / math.Sqrt(lipschitz(c.Args[0].(*mat.Dense)))
					return istaBy(c, step, step)
				}},
				{Says: "The threshold is missing.", Result: func(c check.Case) any { return istaBy(c, c.Args[3].(float64)/lipschitz(c.Args[0].(*mat.Dense)), 0) }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Here c = %.2f. Both the gradient and the threshold are multiplied by c/L, and L is the square of B's largest singular value.", c.Args[3])
			},
		},
		{
			Name: "sparse-3", Function: "restarted", Signature: (func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense)(nil),
			Draw: drawMomentum, Reference: func(c check.Case) any { return momentum(c, true) }, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"When is the momentum too much, and which number shows that?",
				"After the step, compare F with its last value. If it has risen, t is 1 before the next t and y are computed.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is FISTA without a restart.", Result: func(c check.Case) any { return momentum(c, false) }},
				{Says: "This is one step too many.", Result: func(c check.Case) any { return momentum(withSteps(c, 1), true) }},
				{Says: "This is one step too few.", Result: func(c check.Case) any { return momentum(withSteps(c, -1), true) }},
				{Says: "This is ISTA: there is no momentum.", Result: func(c check.Case) any {
					L := lipschitz(c.Args[0].(*mat.Dense))
					return istaBy(check.Case{Args: []any{c.Args[0], c.Args[1], c.Args[2], 1.0, c.Args[3]}}, 1/L, 1/L)
				}},
			},
			Hint: func(check.Case) string {
				return "F is compared with its value before the step, at w and not at y. After t = 1 the next y is w itself."
			},
		},
		{
			Name: "sparse-4", Function: "elasticNet", Signature: (func(B *mat.Dense, x *mat.VecDense, lambda, mu float64, sweeps int) *mat.VecDense)(nil),
			Draw: drawTwins, Reference: elasticNet, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"What does μw²/2 add to the derivative by w?",
				"Only the divisor changes: the numerator is the lasso's.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the lasso: μ is not used.", Result: func(c check.Case) any { return sweep(c, func(b2, mu float64) float64 { return b2 }) }},
				{Says: "μ counts twice here: the penalty has a factor of ½.", Result: func(c check.Case) any { return sweep(c, func(b2, mu float64) float64 { return b2 + 2*mu }) }},
				{Says: "The atoms do not have length 1: ‖b‖² is missing in the divisor.", Result: func(c check.Case) any { return sweep(c, func(_, mu float64) float64 { return 1 + mu }) }},
			},
			Hint: func(check.Case) string {
				return "For one coefficient the derivative of the smooth part is ‖b‖²w − bᵀr + μw, with its own share put back into r. Which number divides now?"
			},
		},
		{
			Name: "sparse-5", Function: "nonNegativeISTA", Signature: (func(B *mat.Dense, x *mat.VecDense, lambda float64, steps int) *mat.VecDense)(nil),
			Draw: drawNonNegative, Reference: nonNegativeISTA, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"Where can the best w ≥ 0 lie, if the best w of either sign is negative?",
				"The slope of the penalty is λ for all w ≥ 0, so there is one threshold, and nothing below 0.",
			},
			Mistakes: []check.Mistake{
				{Says: "Negative coefficients are left: this is the soft threshold of the lasso.", Result: func(c check.Case) any { return nonNegativeBy(c, 1, false) }},
				{Says: "The penalty is missing.", Result: func(c check.Case) any { return nonNegativeBy(c, 0, true) }},
				{Says: "λ is subtracted without the step: the threshold is λ/L.", Result: func(c check.Case) any { return nonNegativeBy(c, lipschitz(c.Args[0].(*mat.Dense)), true) }},
				{Says: "The negative coefficients are removed at the end: they must go in each step.", Result: func(c check.Case) any {
					w := nonNegativeBy(c, 1, false)
					for j := range w.Len() {
						w.SetVec(j, math.Max(0, w.AtVec(j)))
					}
					return w
				}},
			},
			Hint: func(check.Case) string {
				return "Minimize ½(v − w)² + λw over w ≥ 0 as section 2 does: what becomes of a negative v?"
			},
		},
		{
			Name: "sparse-6", Function: "partners", Signature: (func(A, C *mat.Dense) float64)(nil),
			Draw: drawAtoms, Reference: partners, Tolerance: 1e-6, Points: 1,
			Nudges: [2]string{
				"Which dictionary's atoms are counted, and does the sign of a cosine matter?",
				"For each atom of A the largest absolute cosine in its row, and then the share of rows above 0.8.",
			},
			Mistakes: []check.Mistake{
				{Says: "An atom and its negative are one atom: the cosine needs its absolute value.", Result: func(c check.Case) any { return shareOf(c, func(g float64) float64 { return g }) }},
				{Says: "This is the share of the atoms of C.", Result: func(c check.Case) any { return partners(check.Case{Args: []any{c.Args[1], c.Args[0]}}) }},
				{Says: "This is a number of atoms, and not a share.", Result: func(c check.Case) any {
					_, n := c.Args[0].(*mat.Dense).Dims()
					return float64(n) * partners(c).(float64)
				}},
			},
			Hint: func(c check.Case) string {
				_, n := c.Args[0].(*mat.Dense).Dims()
				return fmt.Sprintf("A share of the %d atoms of A, each counted once. An atom and its negative are the same atom.", n)
			},
		},
		{
			Name: "sparse-7", Function: "pairOrOne", Signature: (func(p float64) float64)(nil),
			Draw: drawProbability, Reference: pairOrOne, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"In which of the four cases does each of the two models lose anything?",
				"Write the two expected losses separately. With a bias, one feature alone loses the variance of the other.",
			},
			Mistakes: []check.Mistake{
				{Says: "The sign is the other way round: the pair comes first.", Result: func(c check.Case) any { return -pairOrOne(c).(float64) }},
				{Says: "The bias is missing: the feature that was dropped is replaced by its mean.", Result: func(c check.Case) any { p := c.Args[0].(float64); return p*p/3 - p/3 }},
				{Says: "When both are present, both are lost: the loss counts two features.", Result: func(c check.Case) any { p := c.Args[0].(float64); return p*p/6 - (p/3 - p*p/4) }},
				{Says: "The bias is the mean of a feature that is present: its mean over all cases is smaller.", Result: func(c check.Case) any { p := c.Args[0].(float64); return p*p/3 - (p/3 - p/2 + 0.25) }},
			},
			Hint: func(check.Case) string {
				return "The pair loses only when both are present: twice the square of the smaller. One alone loses the variance of the other, which is 0 with probability 1 − p."
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// unitAtoms returns n random atoms of length 1 in d dimensions.
func unitAtoms(rng *rand.Rand, d, n int) *mat.Dense {
	B := gaussian(rng, d, n)
	for j := range n {
		b := B.ColView(j).(*mat.VecDense)
		b.ScaleVec(1/mat.Norm(b, 2), b)
	}
	return B
}

// signal returns a signal Bw plus a little noise, where w is sparse and random. If nonNegative is set, w has no
// negative elements.
func signal(rng *rand.Rand, B *mat.Dense, nonNegative bool) *mat.VecDense {
	d, n := B.Dims()
	w := mat.NewVecDense(n, nil)
	for _, j := range rng.Perm(n)[:d/4] {
		w.SetVec(j, 1+rng.Float64())
		if !nonNegative && rng.IntN(2) == 0 {
			w.SetVec(j, -w.AtVec(j))
		}
	}
	x := mat.NewVecDense(d, nil)
	x.MulVec(B, w)
	for i := range d {
		x.SetVec(i, x.AtVec(i)+0.05*rng.NormFloat64())
	}
	return x
}

// soft returns v moved toward 0 by lambda, or 0 if |v| ≤ lambda: the soft threshold.
func soft(v, lambda float64) float64 {
	return math.Copysign(math.Max(math.Abs(v)-lambda, 0), v)
}

// gradient returns the negative gradient g = Bᵀ(x − Bw) of the loss ½‖x − Bw‖², and the loss.
func gradient(B *mat.Dense, x, w *mat.VecDense) (g *mat.VecDense, loss float64) {
	var r mat.VecDense
	r.MulVec(B, w)
	r.SubVec(x, &r)
	g = &mat.VecDense{}
	g.MulVec(B.T(), &r)
	return g, mat.Dot(&r, &r) / 2
}

func drawAnySignal(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	d, n := 8+rng.IntN(8), 20+rng.IntN(10)
	B := gaussian(rng, d, n) // of any length, so that products with normalized atoms are wrong
	x := signal(rng, B, false)
	return check.Case{Sizes: fmt.Sprintf("%d×%d", d, n), Args: []any{B, x}}
}

func silent(c check.Case) any { return mat.Norm(correlations(c), math.Inf(1)) }

// correlations returns Bᵀx, for the dictionary B and the signal x of c.
func correlations(c check.Case) *mat.VecDense {
	var p mat.VecDense
	p.MulVec(c.Args[0].(*mat.Dense).T(), c.Args[1].(*mat.VecDense))
	return &p
}

func drawLongSteps(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	d, n, steps := 8+rng.IntN(8), 20+rng.IntN(10), 5+rng.IntN(20)
	B := unitAtoms(rng, d, n)
	x := signal(rng, B, false)
	lambda, c := 0.05+0.1*rng.Float64(), 0.5+1.4*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("%d×%d, c = %.2f, %d steps", d, n, c, steps), Args: []any{B, x, lambda, c, steps}}
}

func longSteps(c check.Case) any {
	step := c.Args[3].(float64) / lipschitz(c.Args[0].(*mat.Dense))
	return istaBy(c, step, step)
}

// istaBy returns the result of ISTA with the given step length, and with a soft threshold of threshold·λ. In correct
// ISTA, step and threshold are equal.
func istaBy(c check.Case, step, threshold float64) *mat.VecDense {
	B, x, lambda, steps := c.Args[0].(*mat.Dense), c.Args[1].(*mat.VecDense), c.Args[2].(float64), c.Args[4].(int)
	_, n := B.Dims()
	w := mat.NewVecDense(n, nil)
	for range steps {
		g, _ := gradient(B, x, w)
		for j := range n {
			w.SetVec(j, soft(w.AtVec(j)+step*g.AtVec(j), threshold*lambda))
		}
	}
	return w
}

// withSteps returns a copy of c, a case of the exercise sparse-3. The copy's number of steps is that of c plus the
// argument more, which may be negative.
func withSteps(c check.Case, more int) check.Case {
	return check.Case{Args: []any{c.Args[0], c.Args[1], c.Args[2], c.Args[3].(int) + more}}
}

// drawMomentum draws a problem on which FISTA with restarts and FISTA without them give different results. Successive
// values of the objective are never so close that rounding could decide which is larger.
func drawMomentum(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 3))
	for {
		const d, n = 20, 30
		B := unitAtoms(rng, d, n)
		x := signal(rng, B, false)
		c := check.Case{Sizes: fmt.Sprintf("%d×%d", d, n), Args: []any{B, x, 0.02 + 0.03*rng.Float64(), 50}}
		var differ mat.VecDense
		if differ.SubVec(momentum(c, true), momentum(c, false)); mat.Norm(&differ, 2) > 1e-4 && smallestChange(c) > 1e-10 {
			return c
		}
	}
}

// momentum returns the result of FISTA. If restart is set, the momentum is reset after each step in which the
// objective has increased.
func momentum(c check.Case, restart bool) *mat.VecDense {
	w, _ := restarts(c, restart)
	return w
}

// smallestChange returns the smallest change, up or down, of the objective F in a step of FISTA with restarts.
func smallestChange(c check.Case) float64 {
	_, F := restarts(c, true)
	least := math.Inf(1)
	for i := 1; i < len(F); i++ {
		least = math.Min(least, math.Abs(F[i]-F[i-1]))
	}
	return least
}

// restarts returns the result of FISTA: the last w, and the objective F before the first step and after each step. If
// restart is set, the momentum is reset after each step in which F has increased.
func restarts(c check.Case, restart bool) (w *mat.VecDense, F []float64) {
	B, x, lambda, steps := c.Args[0].(*mat.Dense), c.Args[1].(*mat.VecDense), c.Args[2].(float64), c.Args[3].(int)
	_, n := B.Dims()
	L, t := lipschitz(B), 1.0
	w = mat.NewVecDense(n, nil)
	y := mat.NewVecDense(n, nil)
	F = []float64{mat.Dot(x, x) / 2}
	for k := range steps {
		g, _ := gradient(B, x, y)
		old := mat.VecDenseCopyOf(w)
		for j := range n {
			w.SetVec(j, soft(y.AtVec(j)+g.AtVec(j)/L, lambda/L))
		}
		_, loss := gradient(B, x, w)
		F = append(F, loss+lambda*mat.Norm(w, 1))
		if restart && F[k+1] > F[k] {
			t = 1
		}
		next := (1 + math.Sqrt(1+4*t*t)) / 2
		y.SubVec(w, old)
		y.AddScaledVec(w, (t-1)/next, y)
		t = next
	}
	return w, F
}

// drawTwins draws a dictionary in which the last atom is a copy of an atom that the signal contains.
func drawTwins(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	d, n, sweeps := 10+rng.IntN(5), 16, 3+rng.IntN(20)
	B := unitAtoms(rng, d, n)
	twin := rng.IntN(n - 1)
	B.SetCol(n-1, mat.Col(nil, twin, B))
	x := signal(rng, B, false)
	x.AddScaledVec(x, 2, B.ColView(twin))
	B.Scale(1.5, B) // with atoms of length 1 an answer could omit ‖b‖²
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d sweeps", d, n, sweeps), Args: []any{B, x, 0.05 + 0.1*rng.Float64(), 0.2 + rng.Float64(), sweeps}}
}

func elasticNet(c check.Case) any {
	return sweep(c, func(length2, mu float64) float64 { return length2 + mu })
}

// sweep runs coordinate descent for the elastic net. Each new coefficient is a quotient whose denominator is
// divisor(‖b‖², μ). Here b is the coefficient's atom, and μ is the weight of the squared penalty.
func sweep(c check.Case, divisor func(length2, mu float64) float64) *mat.VecDense {
	B, x, lambda, mu, sweeps := c.Args[0].(*mat.Dense), c.Args[1].(*mat.VecDense), c.Args[2].(float64), c.Args[3].(float64), c.Args[4].(int)
	_, n := B.Dims()
	w, r := mat.NewVecDense(n, nil), mat.VecDenseCopyOf(x)
	for range sweeps {
		for j := range n {
			b := B.ColView(j)
			next := soft(mat.Dot(b, r)+mat.Dot(b, b)*w.AtVec(j), lambda) / divisor(mat.Dot(b, b), mu)
			r.AddScaledVec(r, w.AtVec(j)-next, b)
			w.SetVec(j, next)
		}
	}
	return w
}

func drawNonNegative(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	d, n, steps := 8+rng.IntN(8), 20+rng.IntN(10), 10+rng.IntN(30)
	B := unitAtoms(rng, d, n)
	x := signal(rng, B, true)
	return check.Case{Sizes: fmt.Sprintf("%d×%d, %d steps", d, n, steps), Args: []any{B, x, 0.05 + 0.1*rng.Float64(), steps}}
}

func nonNegativeISTA(c check.Case) any { return nonNegativeBy(c, 1, true) }

// nonNegativeBy returns the result of ISTA with factor·λ as the weight of the penalty. If positive is set, w is kept
// nonnegative; otherwise it may have either sign.
func nonNegativeBy(c check.Case, factor float64, positive bool) *mat.VecDense {
	B, x, lambda, steps := c.Args[0].(*mat.Dense), c.Args[1].(*mat.VecDense), factor*c.Args[2].(float64), c.Args[3].(int)
	_, n := B.Dims()
	w, L := mat.NewVecDense(n, nil), lipschitz(B)
	for range steps {
		g, _ := gradient(B, x, w)
		for j := range n {
			v := w.AtVec(j) + g.AtVec(j)/L
			if positive {
				w.SetVec(j, math.Max(0, v-lambda/L))
			} else {
				w.SetVec(j, soft(v, lambda/L))
			}
		}
	}
	return w
}

// drawAtoms draws two dictionaries. The second has some atoms of the first, slightly rotated, some
// negated, and in another order. The two dictionaries have different numbers of atoms.
func drawAtoms(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 6))
	const d = 16
	n, more := 10+rng.IntN(6), 5+rng.IntN(5)
	A, C := unitAtoms(rng, d, n), unitAtoms(rng, d, n+more)
	shared := 3 + rng.IntN(n-5)
	for j, to := range rng.Perm(n + more)[:shared] {
		a := C.ColView(to).(*mat.VecDense)
		a.AddScaledVec(A.ColView(j), 0.5, a) // a cosine of about 0.9
		a.ScaleVec(float64(2*rng.IntN(2)-1)/mat.Norm(a, 2), a)
	}
	return check.Case{Sizes: fmt.Sprintf("%d and %d atoms", n, n+more), Args: []any{A, C}}
}

func partners(c check.Case) any { return shareOf(c, math.Abs) }

// shareOf returns the share of the atoms of A that have a partner in C. A and C are the two dictionaries of the case.
// Two atoms are partners if the given function maps the cosine of the angle between them to a number above 0.8.
func shareOf(c check.Case, of func(cosine float64) float64) float64 {
	A, C := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	var G mat.Dense
	G.Mul(A.T(), C)
	rows, cols := G.Dims()
	hits := 0
	for i := range rows {
		best := 0.0
		for j := range cols {
			best = math.Max(best, of(G.At(i, j)))
		}
		if best > 0.8 {
			hits++
		}
	}
	return float64(hits) / float64(rows)
}

func drawProbability(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := 0.05 + 0.9*rng.Float64()
	return check.Case{Sizes: fmt.Sprintf("p = %.2f", p), Args: []any{p}}
}

func pairOrOne(c check.Case) any {
	p := c.Args[0].(float64)
	return p*p/3 - (p/3 - p*p/4)
}
