package nmfimplicit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nmfgrad/nmfgradplot"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A smoothProblem is a matrix with a factorization that has a derivative: the factors have zeros, no entry is
// degenerate (zero with a zero multiplier), and only the scales of the components are free.
type smoothProblem struct {
	A, U, W *mat.Dense
	data    record.Data
}

// drawSmooth draws n×d matrices until one has a smooth factorization into k components; see smoothProblem. It panics if
// 50 draws are not enough.
func drawSmooth(ctx context.Context, rng *rand.Rand, n, d, k int) *smoothProblem {
	for draw := 1; ; draw++ {
		if draw > 50 {
			panic("nmfimplicit: no smooth problem in 50 draws")
		}
		A := drawNoisy(rng, n, d, k)
		r := fit(ctx, A, &nmf.Options{Components: k, Init: nmf.Random, Seed: rng.Uint64(), MaxIterations: 100_000, Tolerance: -1, KKT: 1e-13})
		// Require a margin, so that differences do not cross a kink.
		p, err := nmfgrad.PointAt(A, r.U, r.W, &nmfgrad.Options{Tolerance: 1e-9, Border: 1e-3})
		if err != nil {
			continue
		}
		unique, err := p.Unique(ctx)
		lab.Check(err)
		if unique && p.Free() < (n+d)*k-4 {
			return &smoothProblem{A, p.U, p.W, record.Generated(fmt.Sprintf("a %d × %d matrix in %d components, draw %d: the first without degenerate entries (by a margin of 1e-3) and with zeros in its factors", n, d, k, draw))}
		}
	}
}

func (l *Lab) problem() *smoothProblem { return drawSmooth(l.Context(), l.stream(20), 8, 7, 3) }

// Optimality evaluates the blog post's map F, which is 0 at a solution, and examines the Jacobian of F.
func (l *Lab) Optimality() *figure.Figure {
	s := l.problem()
	l.zeroRows(s)
	l.dualSignRow(s)
	dg := must.Get(nmfgrad.DiagnoseAt(l.Context(), s.A, s.U, s.W, &nmfgrad.Options{}))
	l.jacobianRows(s, dg)
	f := nmfgradplot.Diagnosis(dg)
	l.Save("singular-values", fmt.Sprintf("%d singular values of the Jacobian and %d of the Hessian are zero up to rounding, because the scales of the components are free. Data: %v.", dg.Nullity, dg.SupportNullity, s.data), f)
	l.Rounded("singular-values")
	return f
}

// scale returns ‖A‖(‖U‖ + ‖W‖). Values of F are given as multiples of it.
func (s *smoothProblem) scale() float64 {
	return mat.Norm(s.A, 2) * (mat.Norm(s.U, 2) + mat.Norm(s.W, 2))
}

// zeroRows adds rows that show that F is zero at a solution, but also elsewhere.
func (l *Lab) zeroRows(s *smoothProblem) {
	n, _ := s.A.Dims()
	d, k := s.W.Dims()
	size := s.scale()
	map0 := must.Get(nmfgrad.NewKKT(s.A, s.U, s.W))
	F := largest(nmfgrad.Map(s.A, s.U, s.W, map0.Ubar, map0.Wbar)) / size
	const construct = "(1) Construct optimality function F((U,W,Ū,W̄),A) = ((UW'−A)W−Ū, (WU'−A')U−W̄, Ū⊙U, W̄⊙W)."
	l.Row(record.Row{
		ID: "map-zero", What: "F at a solution, with the multipliers (UW' − A)W and (WU' − A')U: largest element, in units of ‖A‖(‖U‖ + ‖W‖)",
		Published: post.Quote(construct, implicitly), Measured: record.Bool(F < 1e-10, fmt.Sprintf("%.1g", F)), Rule: record.Holds(), Data: s.data,
	})
	// F = 0 is necessary but not sufficient: find a zero of F that is not a solution.
	zeroU, zeroW := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	corner := largest(nmfgrad.Map(s.A, zeroU, zeroW, zeroU, zeroW))
	U1 := mat.DenseCopyOf(s.U)
	W1 := mat.DenseCopyOf(s.W)
	U1.Apply(func(_, j int, v float64) float64 {
		if j == 0 {
			return -v
		}
		return v
	}, U1)
	W1.Apply(func(_, j int, v float64) float64 {
		if j == 0 {
			return -v
		}
		return v
	}, W1)
	flip := must.Get(nmfgrad.NewKKT(s.A, U1, W1))
	negative := largest(nmfgrad.Map(s.A, U1, W1, flip.Ubar, flip.Wbar)) / size
	l.Row(record.Row{
		ID: "map-not-enough", What: "F is also 0 at points that are not solutions",
		Measured: record.Bool(corner == 0 && negative < 1e-10, fmt.Sprintf("F is %.1g at U = W = 0, and %.1g with the signs of one column of U and of W reversed", corner, negative)),
		Rule:     record.Holds(), Data: s.data,
		Reason: "F ignores signs: the KKT conditions also require U, W, Ū, W̄ ≥ 0. To differentiate at a known solution, the sign conditions are not needed; to find a solution, F = 0 is not sufficient",
	})
}

// dualSignRow adds the row on the dual variables of ADMM: their sign is opposite to that of the multipliers that F
// needs.
func (l *Lab) dualSignRow(s *smoothProblem) {
	size := s.scale()
	r := fit(l.Context(), s.A, &nmf.Options{Method: nmf.ADMM, U: s.U, W: s.W, Inner: 50, InnerTolerance: 1e-13, MaxIterations: 500, Tolerance: -1})
	bad := largest(nmfgrad.Map(s.A, r.U, r.W, r.DualU, r.DualW)) / size
	var minusU, minusW mat.Dense
	minusU.Scale(-1, r.DualU)
	minusW.Scale(-1, r.DualW)
	good := largest(nmfgrad.Map(s.A, r.U, r.W, &minusU, &minusW)) / size
	l.Row(record.Row{
		ID: "dual-sign", What: "F is zero with the dual variables of the post's Lagrangian",
		Published: post.Quote("… +Ū'(Ũ−U)+W̄'(W̃−W) …", section),
		Measured:  record.Bool(bad < 1e-8, fmt.Sprintf("%.1g with the final Ū and W̄ of ADMM, %.1g with −Ū and −W̄", bad, good)),
		Rule:      record.Holds(), Data: s.data,
		Reason: "the post uses Ū for two quantities of opposite sign: with + ⟨Ū, Ũ − U⟩, ADMM converges to Ū = −(UW' − A)W ≤ 0, but F needs the multiplier (UW' − A)W ≥ 0. Use −Ū in F",
	})
}

// jacobianRows adds the rows on the Jacobian of F at a solution.
func (l *Lab) jacobianRows(s *smoothProblem, dg *nmfgrad.Diagnosis) {
	_, k := s.W.Dims()
	l.Row(record.Row{
		ID: "jacobian-inverse", What: fmt.Sprintf("the Jacobian ∂₁F, %d × %d, is invertible at the solution", len(dg.Singular), len(dg.Singular)),
		Published: post.Quote("(2) Jaxopt computes ∂(U,W,Ū,W̄)/∂A = −(∂₁F)⁻¹∂₂F.", implicitly),
		Measured:  record.Bool(dg.Nullity == 0, fmt.Sprintf("%d singular values are below 1e-9 of the largest, for %d components", dg.Nullity, k)),
		Rule:      record.Holds(), Data: s.data, Figure: "singular-values",
		Reason: "(UD, WD⁻¹) is also a solution, for every positive diagonal D: one null direction per component, at every solution. Remedies: fix the scales (unit columns of W), differentiate a function that does not depend on them (UW'), or take the least-norm solution",
	})
	l.Row(record.Row{
		ID: "null-directions", What: "null directions z = (u_j, −w_j, −ū_j, w̄_j) of J = ∂₁F: largest ‖Jz‖/(‖J‖‖z‖)",
		Measured: record.Bool(dg.Gauge < 1e-10, fmt.Sprintf("%.1g", dg.Gauge)), Rule: record.Holds(), Data: s.data,
	})
	l.Row(record.Row{
		ID: "jacobian-symmetric", What: "∂₁F is symmetric, as conjugate gradients require",
		Published: post.Quote("Instead, (∂₁F) ∂(U,W,Ū,W̄)/∂A = −∂₂F is solved by conjugate gradient using JVP v ↦ (∂₁F)v.", implicitly),
		Measured:  record.Bool(dg.Asymmetry < 1e-10, fmt.Sprintf("‖J − J'‖/‖J‖ is %.2f; for the Hessian on the support, %.1g", dg.Asymmetry, dg.SupportAsymmetry)),
		Rule:      record.Holds(), Data: s.data, Figure: "singular-values",
		Reason: "only its upper left block, a Hessian, is symmetric; the complementarity rows are not",
	})
	l.Row(record.Row{
		ID: "gmres-condition", What: "smallest cosine between the left and right null spaces of ∂₁F; if it is positive, range and null space intersect only in 0",
		Measured: record.Number(dg.Index1, ""), Rule: record.AtLeast(1e-6), Data: s.data, Repeat: 1e-4,
		Reason: "a singular matrix with this property has index 1, and GMRES solves every consistent system with this matrix (P. Brown and H. Walker, SIAM J. Matrix Anal. Appl. 18, 1997)",
	})
}

// An Attempt is the result of one linear solver on one system.
type Attempt struct {
	Of, System, Solver string
	Products           int
	Residual           string // empty if the solver returned no solution
	Error              string // relative difference from the gradient that conjugate gradients on the support find
	Answer             string
}

// Attempts tries every available solver on the linear systems that define the derivative, and returns the outcomes.
func (l *Lab) Attempts() []Attempt {
	s := l.problem()
	out, o := outcomes(must.Get(nmfgrad.DiagnoseAt(l.Context(), s.A, s.U, s.W, &nmfgrad.Options{})).Trials)
	l.cgRow(s)
	l.cureRows(s, o)
	return out
}

// A trialSummary summarizes the trials of nmfgrad.DiagnoseAt, by linear system and solver.
type trialSummary struct {
	ok       map[string]bool    // whether all trials were right
	worst    map[string]float64 // the largest error of the solved trials
	refused  bool               // whether all solvers refused to differentiate the sum of U with free scales
	residual float64            // the largest residual of conjugate gradients on the support
}

func outcomes(trials []nmfgrad.Trial) (out []Attempt, o trialSummary) {
	o = trialSummary{ok: map[string]bool{}, worst: map[string]float64{}, refused: true}
	for _, t := range trials {
		a := Attempt{Of: t.Of, System: t.System.String(), Solver: t.Solver, Products: t.Products, Answer: "solved"}
		if !math.IsNaN(t.Residual) {
			a.Residual = fmt.Sprintf("%.0e", t.Residual)
		}
		if !math.IsNaN(t.Error) {
			a.Error = fmt.Sprintf("%.0e", t.Error)
		}
		if t.Err != nil {
			a.Answer = "refused"
		}
		out = append(out, a)
		if t.Of == "the sum of U" {
			o.refused = o.refused && t.Err != nil
			continue
		}
		key := t.System.String() + " " + t.Solver
		if key == nmfgrad.Support.String()+" CG" {
			o.residual = math.Max(o.residual, t.Residual)
		}
		good := t.Err == nil && t.Error < 1e-5
		if _, seen := o.ok[key]; !seen {
			o.ok[key] = true
		}
		o.ok[key] = o.ok[key] && good
		if t.Err == nil {
			o.worst[key] = math.Max(o.worst[key], t.Error)
		}
	}
	return out, o
}

// cgRow adds the row that says how often conjugate gradients find the derivative if they are applied directly to the
// post's linear system. Its matrix is ∂₁F, the Jacobian of the post's map F with respect to the factors and the dual
// variables. cgRow draws new problems for this, and takes only the description of the data from s. The function that
// is differentiated depends only on UW', so the scales of the components need not be fixed.
func (l *Lab) cgRow(s *smoothProblem) {
	problems, found := l.Pick(4, 20, 50), 0
	rng := l.stream(23)
	for range problems {
		q := drawSmooth(l.Context(), rng, 8, 7, 3)
		y := drawNormal(rng, 8, 7)
		right, _, err := must.Get(nmfgrad.PointAt(q.A, q.U, q.W, &nmfgrad.Options{})).VJPProduct(l.Context(), y)
		lab.Check(err)
		g, _, err := must.Get(nmfgrad.PointAt(q.A, q.U, q.W, &nmfgrad.Options{System: nmfgrad.Full, Solver: &implicit.CG{}})).VJPProduct(l.Context(), y)
		if err == nil && relativeDistance(g, right) < 1e-5 {
			found++
		}
	}
	l.Row(record.Row{
		ID: "cg-on-map", What: fmt.Sprintf("conjugate gradients on the system with ∂₁F find the gradient of ⟨G, UW'⟩, a linear function of UW', for each of %d matrices", problems),
		Published: post.Quote("Instead, (∂₁F) ∂(U,W,Ū,W̄)/∂A = −∂₂F is solved by conjugate gradient using JVP v ↦ (∂₁F)v.", implicitly),
		Measured:  record.Bool(found == problems, fmt.Sprintf("for %d; the method fails on a direction without positive curvature, or its residual does not decrease", found)),
		Rule:      record.Holds(), Data: s.data,
		Reason: "plain conjugate gradients need a symmetric positive semidefinite matrix. Jaxopt's own default, conjugate gradients on the normal equations (solve_normal_cg, the default of root_vjp), is a valid method (row cure-normal-cg), but its default tolerance is too loose (row jaxopt-default). To backpropagate one gradient, the transposed system is solved once, instead of one system per element of A",
	})
}

func (l *Lab) cureRows(s *smoothProblem, o trialSummary) {
	full, support := nmfgrad.Full.String(), nmfgrad.Support.String()
	off := l.supportError(s)
	l.Row(record.Row{
		ID: "cure-support", What: "conjugate gradients on the support (Hessian of the free entries): gradients of ½‖UW'‖² and, with unit columns of W, of ½‖U‖² match central differences",
		Measured: record.Bool(o.ok[support+" CG"] && o.residual < 1e-8 && off < 1e-5, fmt.Sprintf("relative error at most %.0e, residual of the linear system at most %.0e", off, o.residual)),
		Rule:     record.Holds(), Data: s.data,
	})
	for _, c := range []struct{ id, key, what string }{
		{"cure-normal-cg", full + " normal CG", "conjugate gradients on the normal equations of the full map"},
		{"cure-lsmr", full + " LSMR", "LSMR on the full map"},
		{"cure-gmres", full + " GMRES", "GMRES on the full map"},
	} {
		l.Row(record.Row{
			ID: c.id, What: c.what + ": same gradients as conjugate gradients on the support",
			Measured: record.Bool(o.ok[c.key], fmt.Sprintf("relative difference at most %.0e", o.worst[c.key])), Rule: record.Holds(), Data: s.data,
		})
	}
	l.Row(record.Row{
		ID: "no-gauge-no-derivative", What: "gradient of the sum of U, scales not fixed: every solver reports that it does not exist",
		Measured: record.Bool(o.refused, ""), Rule: record.Holds(), Data: s.data,
		Reason: "the right-hand side is not in the range of the matrix",
	})
}

// supportError computes two gradients by conjugate gradients on the support (the positive entries), and returns their
// largest relative error against central differences. The two functions are ½‖UW'‖², and ½‖U‖² with the columns of W
// scaled to length 1.
func (l *Lab) supportError(s *smoothProblem) float64 {
	ctx := l.Context()
	options := nmfgrad.Options{System: nmfgrad.Support, Solver: &implicit.CG{}}
	gP, _, err := must.Get(nmfgrad.PointAt(s.A, s.U, s.W, &options)).VJPProduct(ctx, product(s.U, s.W))
	lab.Check(err)
	options.Gauge = nmfgrad.UnitW
	U, W := nmfgrad.Normalize(s.U, s.W, nmfgrad.UnitW)
	gU, _, err := must.Get(nmfgrad.PointAt(s.A, U, W, &options)).VJP(ctx, U, nil)
	lab.Check(err)
	half := func(M mat.Matrix) float64 { x := mat.Norm(M, 2); return x * x / 2 }
	rng := l.stream(24)
	n, d := s.A.Dims()
	const h = 1e-5
	worst := 0.0
	for range l.Pick(2, 5, 10) {
		D := drawNormal(rng, n, d)
		at := func(t float64) (ofProduct, ofU float64) {
			var M mat.Dense
			M.Scale(t, D)
			M.Add(&M, s.A)
			U, W := s.solveNear(l.Context(), &M)
			u, _ := nmfgrad.Normalize(U, W, nmfgrad.UnitW)
			return half(product(U, W)), half(u)
		}
		p1, u1 := at(h)
		p0, u0 := at(-h)
		for _, c := range []struct {
			g    *mat.Dense
			want float64
		}{{gP, (p1 - p0) / (2 * h)}, {gU, (u1 - u0) / (2 * h)}} {
			got := floats.Dot(c.g.RawMatrix().Data, D.RawMatrix().Data)
			worst = math.Max(worst, math.Abs(got-c.want)/(mat.Norm(c.g, 2)*mat.Norm(D, 2)))
		}
	}
	return worst
}

// solveNear factorizes a matrix A near s.A by alternating exact least squares. It starts from the solution for s.A,
// because the solution moves only a little, and continues until the KKT residual is a rounding error, for at most
// 10,000 steps.
func (s *smoothProblem) solveNear(ctx context.Context, A *mat.Dense) (U, W *mat.Dense) {
	W = s.W
	for range 400 {
		U, W, _ = alternate(ctx, A, W, 25)
		if stationary(A, U, W) < 1e-13 {
			break
		}
	}
	return U, W
}

// A Gradient compares a derivative with central differences.
type Gradient struct {
	Of    string
	Gauge string
	Error string // relative, the largest over the directions
}

// Gradients compares implicit derivatives with central differences. The differences use solutions of an independent
// solver: exact alternating least squares, started from the known solution.
func (l *Lab) Gradients() []Gradient {
	s := l.problem()
	g := l.implicitGradients(s)
	l.againstDifferences(s, g)
	var out []Gradient
	for i, f := range g.list {
		out = append(out, Gradient{f.name, f.gauge, fmt.Sprintf("%.0e", g.worst[i])})
	}
	out = append(out, Gradient{"⟨C, U⟩, W fixed", "none needed", fmt.Sprintf("%.0e", g.worstFixed)},
		Gradient{"⟨E, W⟩, U fixed", "none needed", fmt.Sprintf("%.0e", g.worstFixedU)})
	l.gradientRows(s, g)
	return out
}

// A function is a real function of U and W, with its implicit gradient g with respect to A.
type function struct {
	name, gauge string
	of          func(U, W *mat.Dense) float64
	g           *mat.Dense
}

// implicitGradients holds the gradients that Gradients compares with central differences, and their errors.
type implicitGradients struct {
	rng     *rand.Rand
	list    []function                   // two functions of UW', then one function in each gauge
	sums    map[nmfgrad.Gauge]*mat.Dense // the gradients of the sum of U
	C       *mat.Dense
	inFixed *mat.Dense // the gradient of ⟨C, U⟩ with W fixed

	// inFixedU is the gradient of ⟨E, W⟩ with U fixed. It is computed like inFixed, from A' with U and W exchanged.
	E, inFixedU *mat.Dense

	directions int
	worst      []float64 // largest relative errors of the gradients in list; worstFixed is for inFixed, worstFixedU for inFixedU
	worstFixed float64

	worstFixedU float64
}

func (l *Lab) implicitGradients(s *smoothProblem) *implicitGradients {
	rng := l.stream(21)
	n, d := s.A.Dims()
	_, k := s.U.Dims()
	G, C, E := drawNormal(rng, n, d), drawNormal(rng, n, k), drawNormal(rng, d, k)
	ctx := l.Context()
	free := must.Get(nmfgrad.PointAt(s.A, s.U, s.W, &nmfgrad.Options{}))
	list := []function{
		{name: "½‖UW'‖²", gauge: "none needed", of: func(U, W *mat.Dense) float64 { x := mat.Norm(product(U, W), 2); return x * x / 2 }},
		{name: "⟨G, UW'⟩", gauge: "none needed", of: func(U, W *mat.Dense) float64 { return inner(product(U, W), G) }},
	}
	var err error
	list[0].g, _, err = free.VJPProduct(ctx, product(s.U, s.W))
	lab.Check(err)
	list[1].g, _, err = free.VJPProduct(ctx, G)
	lab.Check(err)
	sums := map[nmfgrad.Gauge]*mat.Dense{}
	for _, gauge := range []nmfgrad.Gauge{nmfgrad.UnitW, nmfgrad.SumW, nmfgrad.UnitU} {
		U, W := nmfgrad.Normalize(s.U, s.W, gauge)
		p := must.Get(nmfgrad.PointAt(s.A, U, W, &nmfgrad.Options{Gauge: gauge}))
		f := function{name: "⟨C, U⟩ + ⟨E, W⟩", gauge: gauge.String(), of: func(U, W *mat.Dense) float64 {
			u, w := nmfgrad.Normalize(U, W, gauge)
			return inner(u, C) + inner(w, E)
		}}
		f.g, _, err = p.VJP(ctx, C, E)
		lab.Check(err)
		list = append(list, f)
		sums[gauge], _, err = p.VJP(ctx, mat.NewDense(n, k, ones(n*k)), nil)
		lab.Check(err)
	}
	l.principle(s, free, G, list[1].g)
	fixed := must.Get(nmfgrad.RowsAt(s.A, s.U, s.W, &nmfgrad.Options{}))
	inFixed, _, _, err := fixed.VJP(C)
	lab.Check(err)
	fixedU := must.Get(nmfgrad.RowsAt(mat.DenseCopyOf(s.A.T()), s.W, s.U, &nmfgrad.Options{}))
	inFixedU, _, _, err := fixedU.VJP(E) // with respect to A', d×n
	lab.Check(err)
	return &implicitGradients{rng: rng, list: list, sums: sums, C: C, inFixed: inFixed, E: E, inFixedU: mat.DenseCopyOf(inFixedU.T())}
}

func inner(A, B *mat.Dense) float64 { return floats.Dot(A.RawMatrix().Data, B.RawMatrix().Data) }

// againstDifferences compares the gradients in g with central differences in random directions, and stores the largest
// relative errors in g.
func (l *Lab) againstDifferences(s *smoothProblem, g *implicitGradients) {
	n, d := s.A.Dims()
	g.directions = l.Pick(3, 10, 40)
	const h = 1e-5
	g.worst = make([]float64, len(g.list))
	for range g.directions {
		D := drawNormal(g.rng, n, d)
		move := func(t float64) *mat.Dense {
			var M mat.Dense
			M.Scale(t, D)
			M.Add(&M, s.A)
			return &M
		}
		up, down := move(h), move(-h)
		Up, Wp := s.solveNear(l.Context(), up)
		Um, Wm := s.solveNear(l.Context(), down)
		for i, f := range g.list {
			want := (f.of(Up, Wp) - f.of(Um, Wm)) / (2 * h)
			g.worst[i] = math.Max(g.worst[i], math.Abs(inner(f.g, D)-want)/(mat.Norm(f.g, 2)*mat.Norm(D, 2)))
		}
		want := (inner(coefficients(l.Context(), up, s.W, nnls.LawsonHanson), g.C) - inner(coefficients(l.Context(), down, s.W, nnls.LawsonHanson), g.C)) / (2 * h)
		wantU := (inner(coefficients(l.Context(), up.T(), s.U, nnls.LawsonHanson), g.E) - inner(coefficients(l.Context(), down.T(), s.U, nnls.LawsonHanson), g.E)) / (2 * h)
		g.worstFixedU = math.Max(g.worstFixedU, math.Abs(inner(g.inFixedU, D)-wantU)/(mat.Norm(g.inFixedU, 2)*mat.Norm(D, 2)))
		g.worstFixed = math.Max(g.worstFixed, math.Abs(inner(g.inFixed, D)-want)/(mat.Norm(g.inFixed, 2)*mat.Norm(D, 2)))
	}
}

func (l *Lab) gradientRows(s *smoothProblem, g *implicitGradients) {
	l.Row(record.Row{
		ID: "gradient-product", What: fmt.Sprintf("implicit gradients of functions of UW' against central differences by exact alternating least squares, %d directions: largest relative error", g.directions),
		Measured: record.Number(math.Max(g.worst[0], g.worst[1]), ""), Rule: record.AtMost(1e-5), Data: s.data, Repeat: 1e-5,
		Reason: "computed by package nmfgrad, which solves on the support",
	})
	l.Row(record.Row{
		ID: "gradient-closed-form", What: "the gradient of ½‖UW'‖² is UW': relative difference",
		Measured: record.Bool(relativeDistance(g.list[0].g, product(s.U, s.W)) < 1e-8, fmt.Sprintf("%.1g", relativeDistance(g.list[0].g, product(s.U, s.W)))), Rule: record.Holds(), Data: s.data,
		Reason: "at a stationary point ‖UW'‖² = ⟨A, UW'⟩, so ½‖UW'‖² is ½‖A‖² minus the objective, whose gradient is A − UW' (the envelope theorem)",
	})
	l.Row(record.Row{
		ID: "gradient-gauge", What: "implicit gradients of a function of U and W in three gauges, against central differences: largest relative error",
		Measured: record.Number(floats.Max(g.worst[2:]), ""), Rule: record.AtMost(1e-5), Data: s.data, Repeat: 1e-5,
	})
	l.Row(record.Row{
		ID: "gradient-fixed", What: "implicit gradient of a function of U with W fixed, against central differences: largest relative error",
		Measured: record.Number(g.worstFixed, ""), Rule: record.AtMost(1e-6), Data: s.data, Repeat: 1e-6,
	})
	l.Row(record.Row{
		ID: "gradient-fixed-u", What: "implicit gradient of a function of W with U fixed, against central differences: largest relative error",
		Measured: record.Number(g.worstFixedU, ""), Rule: record.AtMost(1e-6), Data: s.data, Repeat: 1e-6,
	})
	differ := relativeDistance(g.sums[nmfgrad.SumW], g.sums[nmfgrad.UnitW])
	l.Row(record.Row{
		ID: "derivative-of-u", What: "the derivative of U (of the sum of its elements) does not depend on how the components are scaled",
		Published: post.Quote("Our goal is to compute ∂U/∂X, ∂W/∂X.", implicitly),
		Measured:  record.Bool(differ < 1e-6, fmt.Sprintf("the gradients for columns of W with norm 1 and with sum 1 differ in direction by %.0f degrees", angle(g.sums[nmfgrad.SumW], g.sums[nmfgrad.UnitW]))),
		Rule:      record.Holds(), Data: s.data,
		Reason: "U and W have derivatives only after their scales are fixed (by a gauge); a function of UW' needs no gauge",
	})
}

// principle computes the gradient of ⟨G, UW'⟩ from two descriptions of the same solution: all KKT conditions, and
// stationarity of the positive entries alone. Both go through the general function implicit.VJP. principle adds the
// row with the larger relative difference from want, the known gradient.
func (l *Lab) principle(s *smoothProblem, p *nmfgrad.Point, G, want *mat.Dense) {
	n, d := s.A.Dims()
	gU, gW := productOf(G, s.W).RawMatrix().Data, productOf(G.T(), s.U).RawMatrix().Data
	all := make([]float64, 2*(len(gU)+len(gW)))
	copy(all, gU)
	copy(all[len(gU):], gW)
	var free []float64
	for i, v := range append(append([]float64(nil), s.U.RawMatrix().Data...), s.W.RawMatrix().Data...) {
		if v > 0 {
			free = append(free, all[i])
		}
	}
	worst := 0.0
	for _, c := range []struct {
		condition implicit.Condition
		g         []float64
	}{{p.KKT(), all}, {p.Condition(), free}} {
		got, _, err := implicit.VJP(c.condition, c.g, &implicit.LSMR{MaxIterations: 50_000})
		lab.Check(err)
		worst = math.Max(worst, relativeDistance(mat.NewDense(n, d, got), want))
	}
	l.Row(record.Row{
		ID: "one-principle", What: "gradient of ⟨G, UW'⟩ from two optimality maps (all KKT conditions; stationarity on the free entries) by one function for any F: largest relative difference from nmfgrad's",
		Published: post.Quote("General principles are omitted here, but Blondel et al. shows that various families of optimality conditions (including stationary conditions, KKT, etc.) reduce to the general principle by choosing an appropriate optimality function F.", implicitly),
		Measured:  record.Number(worst, ""), Rule: record.AtMost(1e-7), Data: s.data, Repeat: 1e-7,
	})
}

// angle returns the angle between two matrices as vectors, in degrees.
func angle(A, B *mat.Dense) float64 {
	c := floats.Dot(A.RawMatrix().Data, B.RawMatrix().Data) / (mat.Norm(A, 2) * mat.Norm(B, 2))
	return math.Acos(math.Max(-1, math.Min(1, c))) * 180 / math.Pi
}

// Kinks shows where a factorization has no derivative: at entries that are zero with a zero multiplier.
func (l *Lab) Kinks() *figure.Figure {
	// A is an exact product: all zeros of its factors are degenerate.
	rng := l.stream(22)
	n, d, k := 8, 7, 3
	U, W := drawSparse(rng, n, k, 0.4), drawSparse(rng, d, k, 0.4)
	zero := 0
	for _, M := range []*mat.Dense{U, W} {
		for _, v := range M.RawMatrix().Data {
			if v == 0 {
				zero++
			}
		}
	}
	_, err := nmfgrad.PointAt(product(U, W), U, W, &nmfgrad.Options{})
	var bad *nmfgrad.DegenerateError
	found := 0
	if errors.As(err, &bad) {
		found = len(bad.Entries)
	}
	l.Row(record.Row{
		ID: "degenerate-exact", What: fmt.Sprintf("exact product whose factors have %d zeros: number of zeros reported as degenerate", zero),
		Measured: record.Number(float64(found), ""), Rule: record.Between(float64(zero), float64(zero)), Data: record.Generated(fmt.Sprintf("a %d × %d product of rank %d", n, d, k)),
		Reason: "the residual is 0, so every multiplier is 0: synthetic data without noise are a poor test case for derivatives",
	})
	// One coefficient as a function of one pixel.
	V := mat.NewDense(2, 2, []float64{1, 0.5, 0, 1})
	var x, y []float64
	at := func(a float64) float64 {
		return coefficients(l.Context(), mat.NewDense(1, 2, []float64{1, a}), V, nnls.LawsonHanson).At(0, 1)
	}
	for q := range 201 {
		a := -1 + float64(q)/100
		x, y = append(x, a), append(y, at(a))
	}
	const h = 1e-6
	left, right := (at(0)-at(-h))/h, (at(h)-at(0))/h
	// At a = (1, 0), u₂ is 0, and so is its multiplier.
	A0, U0 := mat.NewDense(1, 2, []float64{1, 0}), mat.NewDense(1, 2, []float64{1, 0})
	side := func(p nmfgrad.Policy) float64 {
		rows := must.Get(nmfgrad.RowsAt(A0, U0, V, &nmfgrad.Options{Degenerate: p}))
		g, _, _, err := rows.VJP(mat.NewDense(1, 2, []float64{0, 1}))
		lab.Check(err)
		return g.At(0, 1)
	}
	keep, free := side(nmfgrad.KeepZero), side(nmfgrad.LetFree)
	l.Row(record.Row{
		ID: "degenerate-sides", What: "one-sided derivatives of a coefficient that is zero with a zero multiplier: differences on the left and right match the policies KeepZero and LetFree",
		Measured: record.Bool(math.Abs(left-keep) < 1e-6 && math.Abs(right-free) < 1e-6 && left != right, fmt.Sprintf("left %.3g, right %.3g; KeepZero %.3g, LetFree %.3g", left, right, keep, free)),
		Rule:     record.Holds(), Data: record.Example("two concepts in the plane"), Figure: "kink",
	})
	f := figure.New("A coefficient at its bound", "pixel value", "coefficient of the second concept").Lines("", x, y)
	f.Use(figure.Black).Scatter("no derivative here", []float64{0}, []float64{0})
	f.Size(4.5, 3)
	l.Save("kink", "Concepts (1, 0) and (½, 1), data (1, pixel). At pixel value 0, the coefficient and its multiplier are both zero.", f)
	return f
}
