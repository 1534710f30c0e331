package nmfimplicit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// A triplet holds the three variables of ADMM for one factor: tilde fits the data, x is the nonnegative copy, and bar
// is the dual variable. For the factor U, these are Ũ, U and Ū. The comments of the methods use these names for both
// factors.
type triplet struct{ tilde, x, bar *mat.Dense }

func newTriplet(x *mat.Dense) *triplet {
	r, c := x.Dims()
	return &triplet{mat.DenseCopyOf(x), mat.DenseCopyOf(x), mat.NewDense(r, c, nil)}
}

// fit sets tilde to the minimizer Ũ of the Lagrangian, with the other factor V (d×k) fixed. It solves
//
//	Ũ (V'V + ρI) = A V + ρU − Ū
func (t *triplet) fit(A mat.Matrix, V *mat.Dense, rho float64) {
	_, k := V.Dims()
	G := gram(V)
	for i := range k {
		G.Set(i, i, G.At(i, i)+rho)
	}
	C := productOf(A, V)
	var right mat.Dense
	right.Scale(rho, t.x)
	right.Sub(&right, t.bar)
	right.Add(&right, C)
	var solved mat.Dense
	if err := solved.Solve(G, right.T()); err != nil {
		panic(err)
	}
	t.tilde.Copy(solved.T())
}

// project sets x to the minimizer of the Lagrangian over nonnegative matrices: U = max(0, Ũ + Ū/ρ).
func (t *triplet) project(rho float64) {
	t.x.Apply(func(i, j int, _ float64) float64 { return math.Max(0, t.tilde.At(i, j)+t.bar.At(i, j)/rho) }, t.x)
}

// rise takes a step in the dual variable: Ū ← Ū + ρ(Ũ − U).
func (t *triplet) rise(rho float64) {
	t.bar.Apply(func(i, j int, v float64) float64 { return v + rho*(t.tilde.At(i, j)-t.x.At(i, j)) }, t.bar)
}

func (t *triplet) gap() float64 {
	var D mat.Dense
	D.Sub(t.tilde, t.x)
	return mat.Norm(&D, 2)
}

// terms returns the terms of the augmented Lagrangian that belong to this factor: the inner product of Ū and Ũ − U,
// plus (ρ/2)‖Ũ − U‖².
func (t *triplet) terms(rho float64) float64 {
	var D mat.Dense
	D.Sub(t.tilde, t.x)
	g := mat.Norm(&D, 2)
	return floats.Dot(t.bar.RawMatrix().Data, D.RawMatrix().Data) + rho/2*g*g
}

// Splitting minimizes the post's augmented Lagrangian by ADMM, with the post's three steps for each factor: over Ũ,
// over U, and in the dual variable Ū.
func (l *Lab) Splitting() *figure.Grid {
	r := l.split()
	l.splittingRows(r)
	l.splittingEnd(r)
	return l.splittingFigure(r)
}

// A splitting holds a run of ADMM on both factors, with what was measured in its steps.
type splitting struct {
	A         *mat.Dense
	data      record.Data
	rho       float64
	U, W      *triplet
	down, up  float64 // largest rise of the Lagrangian in a minimizing step; largest error of its rise in a dual step
	below     float64 // the smallest element of Ũ, divided by the largest
	outside   int     // iterations with negative elements of U or W
	it        []float64
	primal    []float64
	dual      []float64
	objective []float64 // the objective at the first iterations
	lag       []float64 // the augmented Lagrangian of the same iterations
}

// split runs the post's three steps for each factor to convergence.
func (l *Lab) split() *splitting {
	rng := l.stream(10)
	n, d, k := 30, 20, 4
	A := drawNoisy(rng, n, d, k)
	data := record.Generated(fmt.Sprintf("a %d × %d matrix in %d components", n, d, k))
	U, W := newTriplet(drawSparse(rng, n, k, 0)), newTriplet(drawSparse(rng, d, k, 0))
	rho := 2 * mat.Trace(gram(W.x)) / float64(k)
	lagrangian := func() float64 { return loss(A, U.tilde, W.tilde) + U.terms(rho) + W.terms(rho) }
	r := &splitting{A: A, data: data, rho: rho, U: U, W: W}
	const most, watched = 20_000, 300 // iterations; the first iterations, in which every step is checked
	for q := range most {
		l.Heed()
		before := mat.DenseCopyOf(U.x)
		watch := q < watched
		value := 0.0
		if watch {
			value = lagrangian()
		}
		falls := func(step func()) {
			step()
			if !watch {
				return
			}
			now := lagrangian()
			r.down = math.Max(r.down, (now-value)/math.Abs(value))
			value = now
		}
		for _, one := range []struct {
			t     *triplet
			A     mat.Matrix
			other *triplet
		}{{U, A, W}, {W, A.T(), U}} {
			falls(func() { one.t.fit(one.A, one.other.tilde, rho) })
			falls(func() { one.t.project(rho) })
			g := one.t.gap()
			one.t.rise(rho)
			if !watch {
				continue
			}
			now := lagrangian()
			r.up = math.Max(r.up, math.Abs(now-value-rho*g*g)/math.Abs(value))
			value = now
		}
		r.below = math.Min(r.below, mat.Min(U.tilde)/mat.Max(U.tilde))
		if mat.Min(U.x) < 0 || mat.Min(W.x) < 0 {
			r.outside++
		}
		var moved mat.Dense
		moved.Sub(U.x, before)
		r.it = append(r.it, float64(q+1))
		r.primal = append(r.primal, math.Max(U.gap()/mat.Norm(U.x, 2), W.gap()/mat.Norm(W.x, 2)))
		r.dual = append(r.dual, rho*mat.Norm(&moved, 2)/math.Max(mat.Norm(U.bar, 2), 1e-300))
		if watch {
			r.objective, r.lag = append(r.objective, loss(A, U.x, W.x)), append(r.lag, value)
		}
		if r.primal[q] < 1e-10 && r.dual[q] < 1e-7 {
			break
		}
	}
	return r
}

// splittingRows adds the rows about the iterations of the run r.
func (l *Lab) splittingRows(r *splitting) {
	l.Row(record.Row{
		ID: "admm-lagrangian", What: fmt.Sprintf("augmented Lagrangian in the first %d iterations: steps over Ũ, U, W̃, W never raise it; dual steps raise it by ρ‖Ũ − U‖² or ρ‖W̃ − W‖²", len(r.lag)),
		Published: post.Quote("Following standard ADMM practice, we create an augmented Lagrangian incorporating these constraints: …", section),
		Measured:  record.Bool(r.down < 1e-12 && r.up < 1e-10, fmt.Sprintf("largest relative errors %.1g and %.1g", math.Max(0, r.down), r.up)), Rule: record.Holds(), Data: r.data,
		Reason: "the post's Ū'(Ũ − U) is a matrix; we read it as its trace, the sum of the elements of Ū∘(Ũ − U)",
	})
	l.Row(record.Row{
		ID: "admm-separates", What: "Ũ, the solution of a linear system, leaves the nonnegative orthant; U and W never do",
		Published: post.Quote("Introducing Ũ,W̃ may seem redundant, but it separates the (1) unconstrained optimization from the (2) constraints (δ(⋅)) applied to U,W.", section),
		Measured:  record.Bool(r.below < 0 && r.outside == 0, fmt.Sprintf("smallest element of Ũ divided by its largest, minimum over the iterations: %.2g", r.below)), Rule: record.Holds(), Data: r.data,
	})
	end := len(r.primal) - 1
	l.Row(record.Row{
		ID: "admm-equality", What: fmt.Sprintf("‖Ũ − U‖/‖U‖, maximum over the two factors, after %d iterations (%.2g after the first)", len(r.it), r.primal[0]),
		Published: post.Quote("Note that Ũ,U and W̃,W differ during optimization but converge to equality at the limit.", section),
		Measured:  record.Number(r.primal[end], ""), Rule: record.AtMost(1e-6), Data: r.data, Figure: "splitting", Repeat: 1e-6,
		Reason: fmt.Sprintf("measured in one run with ρ = %.3g, twice the usual trace(W'W)/k of the initial W. The problem is not convex, and no theorem covers all ρ", r.rho),
	})
}

// splittingEnd adds the rows about the point to which the run r converges.
func (l *Lab) splittingEnd(r *splitting) {
	A, U, W, rho := r.A, r.U, r.W, r.rho
	n, k := U.x.Dims()
	kkt := stationary(A, U.x, W.x)
	l.Row(record.Row{
		ID: "admm-stationary", What: "KKT residual of the factorization to which ADMM converges",
		Measured: record.Number(kkt, ""), Rule: record.AtMost(1e-5), Data: r.data, Repeat: 1e-5,
	})
	// At the limit the duals are the negative gradients of the fit.
	Z := productOf(A, W.x)
	UG := productOf(U.x, gram(W.x))
	Z.Sub(UG, Z) // the multiplier (UW' − A)W
	var sum mat.Dense
	sum.Add(Z, U.bar)
	balance := mat.Norm(&sum, 2) / mat.Norm(U.bar, 2)
	l.Row(record.Row{
		ID: "admm-balance", What: "at convergence, the dual variable balances the gradient of the fit, Ū = −(UW' − A)W: relative difference",
		Published: post.Quote("During optimization, dual variables Ū,W̄ balance the objectives of (1) and (2).", section),
		Measured:  record.Number(balance, ""), Rule: record.AtMost(1e-4), Data: r.data, Repeat: 1e-4,
	})
	convex := math.Inf(1)
	var eig mat.EigenSym
	for _, V := range []*mat.Dense{U.x, W.x} {
		var G mat.SymDense
		G.SymOuterK(1, V.T())
		eig.Factorize(&G, false)
		convex = math.Min(convex, eig.Values(nil)[0]+rho)
	}
	l.Row(record.Row{
		ID: "admm-convex", What: "subproblems over Ũ and W̃ at convergence: smallest eigenvalue of their Hessians W̃'W̃ + ρI and Ũ'Ũ + ρI",
		Published: post.Quote("We solve this Lagrangian by decomposing it into a sequence of convex problems.", section),
		Measured:  record.Number(convex, ""), Rule: record.AtLeast(rho), Data: r.data, Repeat: 1e-6,
		Reason: fmt.Sprintf("always at least ρ = %.3g. The subproblem over U is a projection. One factorization of a %d × %d matrix serves all %d rows", rho, k, k, n),
	})
}

func (l *Lab) splittingFigure(r *splitting) *figure.Grid {
	a := figure.New("Residuals", "iteration", "relative residual").Lines("primal, ‖Ũ − U‖", r.it, r.primal).Lines("dual, ρ‖ΔU‖", r.it, r.dual).LogY()
	shown := len(r.lag)
	b := figure.New("Objective", "iteration", "½‖A − UW'‖²").Lines("", r.it[:shown], r.objective[:shown]).LogX()
	var at, between []float64
	for q := range shown {
		if v := math.Abs(r.lag[q]-r.objective[q]) / r.objective[q]; v > 0 { // a logarithmic axis cannot show 0
			at, between = append(at, r.it[q]), append(between, v)
		}
	}
	c := figure.New("Lagrangian minus objective", "iteration", "fraction of objective")
	if len(at) > 0 {
		c.Lines("", at, between).LogX().LogY()
	}
	g := figure.NewGrid("Convergence of ADMM", 3, a, b, c).Size(3.1, 2.8)
	l.Save("splitting", fmt.Sprintf("ADMM on both factors together, ρ = %.3g. Left: ΔU is the change of U in one iteration. Right: |augmented Lagrangian − ½‖A − UW'‖²|/½‖A − UW'‖². Data: %v.", r.rho, r.data), g)
	return g
}

// AsDisplayed runs the post's updates exactly as displayed: without a dual variable, and with both
// factors from the previous iteration.
func (l *Lab) AsDisplayed() *figure.Grid {
	rng := l.stream(11)
	n, d, k := 30, 20, 4
	A := drawNoisy(rng, n, d, k)
	data := record.Generated(fmt.Sprintf("a %d × %d matrix in %d components", n, d, k))
	U0, W0 := drawSparse(rng, n, k, 0), drawSparse(rng, d, k, 0)
	s := l.withoutDual(A, U0, W0)
	l.withoutDualRow(s, data)
	j := l.oldU(A, U0, W0)
	l.oldURow(j, data)

	b := figure.New("W from the new or old U", "iteration", "½‖A − UW'‖²").Lines("new U", j.it, j.gs).Lines("old U", j.it, j.jacobi).Dashed("new U, old W", j.it, j.chain).LogY()
	g := figure.NewGrid("The updates as displayed in the post", 2, s.panel, b).Size(3.8, 3.4)
	l.Save("displayed", fmt.Sprintf("Left: without the dual variable, the method converges to another point. Right: with the old U (U_t, as displayed) instead of the new one, U and W belong to two independent alternations; the dashed line pairs each new U with the W from which it was computed. Data: %v.", data), g)
	l.Rounded("displayed")
	return g
}

// A subproblem holds the results of solving for U with W fixed. The steps alternate between the copies Ũ and U. They
// run twice: with the dual variable, and without it.
type subproblem struct {
	panel               *figure.Figure
	gapWith, gapWithout float64 // relative excess of the objective over its minimum
	apartWithout        float64 // relative distance of Ũ from U
}

func (l *Lab) withoutDual(A, U0, W0 *mat.Dense) *subproblem {
	_, k := W0.Dims()
	_, W, _ := alternate(l.Context(), A, W0, 200)
	best := coefficients(l.Context(), A, W, nnls.LawsonHanson)
	least := loss(A, best, W)
	rho := mat.Trace(gram(W)) / float64(k)
	const steps = 300
	s := &subproblem{panel: figure.New("U with W fixed", "iteration", "objective / minimum − 1")}
	for _, c := range []struct {
		name string
		dual bool
		rho  float64
	}{{"with Ū", true, rho}, {"without Ū, ρ", false, rho}, {"without Ū, 10ρ", false, 10 * rho}} {
		t := newTriplet(U0)
		var x, y []float64
		for q := range steps {
			t.fit(A, W, c.rho)
			t.project(c.rho)
			if c.dual {
				t.rise(c.rho)
			}
			x, y = append(x, float64(q+1)), append(y, math.Max(loss(A, t.x, W)/least-1, 1e-16))
		}
		s.panel.Lines(c.name, x, y)
		switch {
		case c.dual:
			s.gapWith = y[steps-1]
		case c.rho == rho:
			s.gapWithout, s.apartWithout = y[steps-1], t.gap()/mat.Norm(t.x, 2)
		}
	}
	s.panel.LogY()
	return s
}

func (l *Lab) withoutDualRow(s *subproblem, data record.Data) {
	l.Row(record.Row{
		ID: "admm-without-dual", What: "the displayed update for U as alternating steps over Ũ and U, without the dual variable: relative excess of the final objective over its minimum",
		Measured: record.Value{Kind: record.KindNumber, Number: 100 * s.gapWithout, Unit: "%", Text: fmt.Sprintf("relative distance of Ũ from U: %.0f %%", 100*s.apartWithout)},
		Rule:     record.AtLeast(0.001), Data: data, Figure: "displayed", Repeat: 0.01,
		Reason: fmt.Sprintf("read as a problem with the constraint U = Ũ, the line is right: the penalty is zero, the problem is nonnegative least squares, and the surrounding sentences mention the dual variable. Read as the steps of an algorithm, the line lacks the dual variable. With + ⟨Ū, Ũ − U⟩ and Ū ← Ū + ρ(Ũ − U), the same steps end at a relative gap of %.1g. Without the dual variable, this is a penalty method, which is exact only for ρ → ∞", s.gapWith),
	})
}

// An oldFactorRun holds the objectives of two runs of alternating least squares. The first run computes both new
// factors from those of the previous iteration: jacobi is its objective after each iteration, and chain is the
// objective of each new U together with the old W from which it was computed. The second run computes the new W from
// the new U; gs is its objective.
type oldFactorRun struct {
	it, jacobi, chain, gs []float64
	rises                 int
}

func (l *Lab) oldU(A, U0, W0 *mat.Dense) *oldFactorRun {
	const rounds = 60
	j := &oldFactorRun{}
	_, _, j.gs = alternate(l.Context(), A, W0, rounds)
	U, V := mat.DenseCopyOf(U0), mat.DenseCopyOf(W0)
	for q := range rounds {
		nextU, nextV := coefficients(l.Context(), A, V, nnls.LawsonHanson), coefficients(l.Context(), A.T(), U, nnls.LawsonHanson)
		j.chain = append(j.chain, loss(A, nextU, V)) // U_{t+1} belongs to W_t, not to W_{t+1}
		U, V = nextU, nextV
		now := loss(A, U, V)
		if q > 0 && now > j.jacobi[q-1]*(1+1e-9) {
			j.rises++
		}
		j.it, j.jacobi = append(j.it, float64(q+1)), append(j.jacobi, now)
	}
	return j
}

func (l *Lab) oldURow(j *oldFactorRun, data record.Data) {
	rises, jacobi, gs, last := j.rises, j.jacobi, j.gs, len(j.it)-1
	l.Row(record.Row{
		ID: "admm-jacobi", What: fmt.Sprintf("the displayed updates, with U_t in the update for W, solved exactly: in %d iterations the objective never rises and ends within 5 %% of that with U_{t+1}", len(j.it)),
		Published: post.Quote("W_{t+1} = argmin_{W=W̃} ½‖A − U_tW̃'‖_F² + δ(W) + (ρ/2)‖W̃ − W‖²", section),
		Measured:  record.Bool(rises == 0 && jacobi[last] < 1.05*gs[last], fmt.Sprintf("it rises %d times and ends at %.1f times the objective with U_{t+1}", rises, jacobi[last]/gs[last])),
		Rule:      record.Holds(), Data: data, Figure: "displayed",
		Reason: "the update for W needs U_{t+1}. With U_t there are two independent alternations: U_1, W_2, U_3, ... and W_1, U_2, W_3, ... The objective falls along each of them, but U_t and W_t belong to different ones",
	})
}

// Methods compares algorithms for NMF. On a small problem, all algorithms begin near the same solution, and Methods
// compares the objectives at which they end. On faces, Methods shows their progress by iterations and by time. For the
// subproblem with W fixed, it compares the solutions of several algorithms with that of an exact one, the active set
// method of Lawson and Hanson.
func (l *Lab) Methods() *figure.Grid {
	// To convergence, on a small problem.
	rng := l.stream(12)
	n, d, k := 40, 30, 4
	A := drawNoisy(rng, n, d, k)
	data := record.Generated(fmt.Sprintf("a %d × %d matrix in %d components", n, d, k))
	// A solution, and a starting point near it for all algorithms.
	r := fit(l.Context(), A, &nmf.Options{Components: k, MaxIterations: 20_000, Tolerance: -1, KKT: 1e-9})
	W := r.W
	near := func(M *mat.Dense) *mat.Dense {
		N := mat.DenseCopyOf(M)
		top := mat.Max(M)
		N.Apply(func(_, _ int, v float64) float64 { return v + 0.02*top*rng.Float64() }, N)
		return N
	}
	U1, W1 := near(r.U), near(r.W)
	ends := []float64{r.Objective}
	for _, m := range []nmf.Method{nmf.CoordinateDescent, nmf.ADMM, nmf.Multiplicative} {
		ends = append(ends, fit(l.Context(), A, &nmf.Options{Method: m, U: U1, W: W1, MaxIterations: l.Pick(5000, 20_000, 20_000), Tolerance: -1, KKT: 1e-8}).Objective)
	}
	spread := floats.Max(ends)/floats.Min(ends) - 1
	l.Row(record.Row{
		ID: "methods-agree", What: "coordinate descent, ADMM and multiplicative updates, started near a solution: largest relative difference between the final objectives",
		Measured: record.Number(spread, ""), Rule: record.AtMost(1e-4), Data: data, Repeat: 1e-4,
		Reason: "if started far from all solutions, they may end in different local minima",
	})
	oracle := coefficients(l.Context(), A, W, nnls.LawsonHanson)
	off := 0.0
	for _, m := range []nnls.Method{nnls.BlockPivoting, nnls.ADMM, nnls.CoordinateDescent} {
		off = math.Max(off, relativeDistance(coefficients(l.Context(), A, W, m), oracle))
	}
	l.Row(record.Row{
		ID: "nnls-oracle", What: "W fixed: block pivoting, ADMM and coordinate descent against the active-set method of Lawson and Hanson, largest relative difference of U",
		Published: post.Quote("… fixing the value of one of the two factors and optimizing the other—makes the NMF problem into a pair of convex NNLS problems.", section),
		Measured:  record.Bool(off < 1e-7, fmt.Sprintf("%.1g", off)), Rule: record.Holds(), Data: data,
		Reason: "the problem is convex, and its solution is unique if W'W is nonsingular",
	})
	one := must.Get(nnls.Solve(l.Context(), W, A.T(), &nnls.Options{Method: nnls.ADMM}))
	l.Row(record.Row{
		ID: "nnls-admm-residuals", What: "ADMM for U with W fixed: final primal residual",
		Measured: record.Number(one.Primal, ""), Rule: record.AtMost(1e-7), Data: data, Repeat: 1e-7,
		Reason: fmt.Sprintf("KKT residual %.1g after %d iterations, with one factorization of a %d × %d matrix", one.KKT, one.Iterations, k, k),
	})

	// For a realistic waiting time, on faces.
	s := l.set()
	_, kf := l.Parts().W.Dims()
	iterations := l.Pick(60, 60, 400)
	byIteration := figure.New("By iteration", "iteration", "‖A − UW'‖² / ‖A‖²")
	byTime := figure.New("By time", "seconds", "‖A − UW'‖² / ‖A‖²")
	var at []float64
	for _, m := range []nmf.Method{nmf.CoordinateDescent, nmf.ADMM, nmf.Multiplicative} {
		r := fit(l.Context(), s.X, &nmf.Options{Components: kf, Method: m, MaxIterations: iterations, Tolerance: -1})
		var x, t, y []float64
		for _, h := range r.History[1:] {
			x, t, y = append(x, float64(h.Iteration)), append(t, h.Seconds), append(y, 1-h.Explained)
		}
		byIteration.Lines(m.String(), x, y)
		byTime.Lines(m.String(), t, y)
		at = append(at, 1-r.Explained)
	}
	byIteration.LogX()
	byTime.LogX()
	l.Row(record.Row{
		ID: "methods-faces", What: fmt.Sprintf("faces with %d components after %d iterations: unexplained fraction with multiplicative updates divided by that with coordinate descent", kf, iterations),
		Measured: record.Number(at[2]/at[0], "times"), Rule: record.AtLeast(1), Data: s.Data, Figure: "methods", Repeat: 0.05,
		Reason: fmt.Sprintf("the same ratio for ADMM: %.3f", at[1]/at[0]),
	})
	g := figure.NewGrid(fmt.Sprintf("Faces with %d components", kf), 2, byIteration, byTime).Size(3.6, 3)
	l.Save("methods", fmt.Sprintf("All methods start from NNDSVDa. Times were measured on this machine. Data: %v.", s.Data), g)
	l.Timed("methods")
	return g
}
