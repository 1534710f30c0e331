package nmfimplicit

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// interpolate returns (1 − t)P + tQ.
func interpolate(P, Q *mat.Dense, t float64) *mat.Dense {
	var a, b mat.Dense
	a.Scale(1-t, P)
	b.Scale(t, Q)
	a.Add(&a, &b)
	return &a
}

// Convexity looks for line segments on which the objective is not convex: segments in both factors together, and in
// each factor alone.
func (l *Lab) Convexity() *figure.Grid {
	rng := l.stream(5)
	n, d, k := 20, 15, 3
	A := drawNoisy(rng, n, d, k)
	r := fit(l.Context(), A, &nmf.Options{Components: k, MaxIterations: 5000, Tolerance: 1e-12})
	U, W := r.U, r.W
	// The same solution with its components in another order.
	U2, W2 := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	for t := range k {
		U2.SetCol((t+1)%k, mat.Col(nil, t, U))
		W2.SetCol((t+1)%k, mat.Col(nil, t, W))
	}
	var ts, joint, single []float64
	for q := range 101 {
		t := float64(q) / 100
		ts = append(ts, t)
		joint = append(joint, loss(A, interpolate(U, U2, t), interpolate(W, W2, t)))
		single = append(single, loss(A, interpolate(U, U2, t), W))
	}
	data := record.Generated(fmt.Sprintf("a %d × %d matrix", n, d))
	excess := joint[50] / ((joint[0] + joint[100]) / 2)
	l.Row(record.Row{
		ID: "not-convex", What: "halfway between a solution and the same solution with its components reordered, the objective is higher than at both ends",
		Published: post.Quote("This problem is not convex w.r.t. the input pair (U,W), …", section),
		Measured:  record.Bool(excess > 1+1e-6, fmt.Sprintf("%.3g at the ends, %.3g at the midpoint", joint[0], joint[50])), Rule: record.Holds(), Data: data, Figure: "convexity",
	})
	// With one factor fixed, the Hessian is W'W for each row, and no segment violates convexity.
	violations, draws := 0, l.Pick(200, 2000, 2000)
	for range draws {
		P, Q, V := drawSparse(rng, n, k, 0.3), drawSparse(rng, n, k, 0.3), drawSparse(rng, d, k, 0.3)
		t := rng.Float64()
		if loss(A, interpolate(P, Q, t), V) > ((1-t)*loss(A, P, V)+t*loss(A, Q, V))*(1+1e-12) {
			violations++
		}
	}
	var WW mat.SymDense
	WW.SymOuterK(1, W.T())
	var eig mat.EigenSym
	eig.Factorize(&WW, false)
	least := eig.Values(nil)[0]
	l.Row(record.Row{
		ID: "convex-in-each", What: fmt.Sprintf("W fixed: violations of convexity in U, tested at one point on each of %d random segments", draws),
		Published: post.Quote("… fixing the value of one of the two factors and optimizing the other—makes the NMF problem into a pair of convex NNLS problems.", section),
		Measured:  record.Number(float64(violations), ""), Rule: record.AtMost(0), Data: data, Figure: "convexity",
		Reason: fmt.Sprintf("the Hessian is W'W for each row of U; its smallest eigenvalue at the solution is %.3g", least),
	})
	a := figure.New("Both factors move", "from solution to reordered solution", "½‖A − UW'‖²").Lines("", ts, joint)
	b := figure.New("U moves, W is fixed", "same path of U", "½‖A − UW'‖²").Lines("", ts, single)
	g := figure.NewGrid("Convex in each factor, not in both", 2, a, b).Size(3.3, 2.7)
	l.Save("convexity", "Both ends of the left curve have the same product UW'. A convex function would not rise between two minima.", g)
	return g
}

// alternate minimizes ½‖A − UV'‖² by alternating nonnegative least squares. It starts with V = W. Each step solves
// exactly for U with V fixed, and then for V with U fixed. The result objective holds the objective after each step. W
// is not modified.
func alternate(ctx context.Context, A, W *mat.Dense, steps int) (U, V *mat.Dense, objective []float64) {
	V = mat.DenseCopyOf(W)
	for range steps {
		U = coefficients(ctx, A, V, nnls.LawsonHanson)
		V = coefficients(ctx, A.T(), U, nnls.LawsonHanson)
		objective = append(objective, loss(A, U, V))
	}
	return U, V, objective
}

// Saddles shows that alternating minimization may stop at a point that is not a
// minimum.
func (l *Lab) Saddles() *figure.Grid {
	eps, way := l.boundarySaddle()
	stuck, free := l.interiorSaddle()
	l.saddleStarts()
	return l.saddlesFigure(eps, way, stuck, free)
}

// boundarySaddle adds the row on alternating minimization for A = diag(2, 1) with one component and the start w = (0,
// 1). Each half step has a unique solution there, and the iteration stops at a saddle. A descent path leads away from
// it: u = w = (ε, 1) has a lower objective for every small ε > 0. boundarySaddle returns points on this path, as the
// values of ε and the objective at each.
func (l *Lab) boundarySaddle() (eps, way []float64) {
	A := mat.NewDense(2, 2, []float64{2, 0, 0, 1})
	w0 := mat.NewDense(2, 1, []float64{0, 1})
	U, W, objective := alternate(l.Context(), A, w0, 50)
	kkt := stationary(A, U, W)
	falls := true
	for q := range 101 {
		e := 0.01 * float64(q)
		v := mat.NewDense(2, 1, []float64{e, 1})
		eps, way = append(eps, e), append(way, loss(A, v, v))
		falls = falls && (q == 0 || way[q] < way[q-1])
	}
	stays := math.Abs(objective[49]-2) < 1e-12
	l.Row(record.Row{
		ID: "alternating-minimum", What: "A = diag(2, 1), one component, start w = (0, 1): 50 steps of exact alternating minimization end in a local minimum",
		Published: post.Quote("… its convexity ensures that alternating minimization eventually leads to a local minimum.", section),
		Measured:  record.Bool(!(stays && falls && kkt < 1e-12), fmt.Sprintf("stationary (KKT residual %.1g) with objective %.3g from the first step on, but u = w = (ε, 1) has the lower objective 2 − ε² + ε⁴/2 for small ε > 0", kkt, objective[49])),
		Rule:      record.Holds(), Data: record.Example("the matrix diag(2, 1)"), Figure: "saddles",
		Reason: "what is guaranteed: the objective never rises, and limit points of alternating minimization over two blocks are stationary (L. Grippo and M. Sciandrone, Operations Research Letters 26, 2000). A stationary point may be a saddle, as it is here",
	})
	return eps, way
}

// interiorSaddle adds the row on a start without zeros, in which the two columns of each factor are equal. The updates
// keep them equal, so the run ends at the best matrix of rank 1, which is a saddle. interiorSaddle returns this run,
// and a run from a slightly perturbed start.
func (l *Lab) interiorSaddle() (stuck, free *nmf.Model) {
	rng := l.stream(6)
	n, d := 12, 10
	B := product(drawSparse(rng, n, 2, 0), drawSparse(rng, d, 2, 0))
	B.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.Float64() }, B)
	equal := func(r int, delta float64) *mat.Dense {
		M := drawSparse(rng, r, 1, 0)
		out := mat.NewDense(r, 2, nil)
		for i := range r {
			out.Set(i, 0, M.At(i, 0))
			out.Set(i, 1, M.At(i, 0)+delta*rng.Float64())
		}
		return out
	}
	const steps = 400
	run := func(delta float64) *nmf.Model {
		rng = l.stream(7)
		return fit(l.Context(), B, &nmf.Options{Components: 2, Method: nmf.Multiplicative, Inner: 1, U: equal(n, delta), W: equal(d, delta), MaxIterations: steps, Tolerance: -1})
	}
	stuck, free = run(0), run(1e-4)
	l.Row(record.Row{
		ID: "saddle-interior", What: "multiplicative updates from two equal columns without zeros: final objective divided by that from a start with the second column changed by up to 1e-4",
		Measured: record.Number(stuck.Objective/free.Objective, "times"), Rule: record.AtLeast(1.05), Data: record.Generated(fmt.Sprintf("a %d × %d matrix near rank 2", n, d)), Figure: "saddles", Repeat: 0.1,
		Reason: fmt.Sprintf("equal columns stay equal, so the run ends at the best matrix of rank 1, which is stationary (KKT residual %.1g) but a saddle", stuck.KKT),
	})
	return stuck, free
}

// saddleStarts adds two rows on runs from random starts. They say in how many runs the end point satisfies the
// second-order conditions of a minimum, and whether the objective ever rises.
func (l *Lab) saddleStarts() {
	starts := l.Pick(5, 20, 20)
	C := drawNoisy(l.stream(8), 14, 12, 3)
	minima, never := 0, true
	worst := math.Inf(1)
	for s := range starts {
		r := fit(l.Context(), C, &nmf.Options{Components: 3, Init: nmf.Random, Seed: l.Seed + uint64(s), MaxIterations: 200_000, Tolerance: -1, KKT: 1e-10})
		for i := 1; i < len(r.History); i++ {
			never = never && r.History[i].Objective <= r.History[i-1].Objective*(1+1e-12)
		}
		p := must.Get(nmfgrad.PointAt(C, r.U, r.W, &nmfgrad.Options{Degenerate: nmfgrad.LetFree}))
		low := leastEigenvalue(p)
		worst = math.Min(worst, low)
		if low > -1e-9 {
			minima++
		}
	}
	l.Row(record.Row{
		ID: "alternating-usually", What: fmt.Sprintf("number of the %d random starts that end where the Hessian on the free entries has no negative eigenvalue", starts),
		Measured: record.Number(float64(minima), ""), Rule: record.AtLeast(float64(starts)), Data: record.Generated("a 14 × 12 matrix in 3 components"),
		Reason: fmt.Sprintf("in practice, runs do not end at such saddles: the smallest eigenvalue is at worst %.1g of the largest. To second order, no change of the free entries alone lowers the objective", worst),
	})
	l.Row(record.Row{
		ID: "alternating-falls", What: "the objective never rises in the runs of row alternating-usually",
		Measured: record.Bool(never, ""), Rule: record.Holds(), Data: record.Generated("a 14 × 12 matrix in 3 components"),
	})
}

func (l *Lab) saddlesFigure(eps, way []float64, stuck, free *nmf.Model) *figure.Grid {
	a := figure.New("Descent path from (0, 1)", "ε in u = w = (ε, 1)", "½‖A − uw'‖²").Lines("", eps, way)
	a.Use(figure.Black).Scatter("alternating minimization stays here", []float64{0}, []float64{2})
	curve := func(r *nmf.Model) (x, y []float64) {
		for _, s := range r.History[1:] {
			x, y = append(x, float64(s.Iteration)), append(y, s.Objective)
		}
		return x, y
	}
	b := figure.New("Two equal columns, multiplicative rule", "iteration", "½‖A − UW'‖²")
	x, y := curve(stuck)
	b.Lines("equal", x, y)
	x, y = curve(free)
	b.Lines("up to 1e-4 apart", x, y).LogY()
	g := figure.NewGrid("Stationary points that are not minima", 2, a, b).Size(3.4, 2.8)
	l.Save("saddles", "Left: the matrix diag(2, 1) with one component. Right: under the multiplicative rule, equal columns stay equal. Rounding errors do not break the symmetry; a perturbation of at most 1e-4 does.", g)
	return g
}

// leastEigenvalue returns the smallest eigenvalue of the Hessian on the free entries of U and W, as a fraction of the
// largest eigenvalue.
func leastEigenvalue(p *nmfgrad.Point) float64 {
	c := p.Condition()
	n, _ := c.Dims()
	H := mat.NewSymDense(n, nil)
	e, col := make([]float64, n), make([]float64, n)
	for j := range n {
		e[j] = 1
		c.SolJVP(col, e)
		e[j] = 0
		for i := range j + 1 {
			H.SetSym(i, j, col[i])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(H, false) {
		panic("nmfimplicit: the eigenvalues were not found")
	}
	v := eig.Values(nil)
	return v[0] / v[n-1]
}

// stationary returns the larger of two KKT residuals: that of the least squares problem for U, and that for W.
func stationary(A, U, W *mat.Dense) float64 {
	u := nnls.Rows{G: gram(W), C: productOf(A, W), U: U}
	w := nnls.Rows{G: gram(U), C: productOf(A.T(), U), U: W}
	return math.Max(u.KKT(), w.KKT())
}

func gram(U *mat.Dense) *mat.Dense {
	var G mat.Dense
	G.Mul(U.T(), U)
	return &G
}

func productOf(A, B mat.Matrix) *mat.Dense {
	var P mat.Dense
	P.Mul(A, B)
	return &P
}

// Minima fits the same matrix by two methods, each from many random starts, and compares the objectives at which the
// fits end. The minimum is known to be 0.
func (l *Lab) Minima() *figure.Figure {
	// The matrix of the distances of a regular hexagon's corners from its sides has rank 3 and nonnegative rank 5, so
	// the minimum is 0 with 5 components.
	const k = 5
	A := mat.NewDense(6, 6, nil)
	A.Apply(func(i, j int, _ float64) float64 { return []float64{0, 1, 2, 2, 1, 0}[(j-i+6)%6] }, A)
	size := mat.Norm(A, 2)
	starts := l.Pick(12, 30, 200)
	type ends struct {
		name    string
		count   []float64 // number of starts by the power of ten of their error, from 1e-10
		reached int
		stuck   int // number of stationary results that are not the best
		under   int // number of fits that did not converge
	}
	const decades = 9 // 1e-10 to 1e-2, the last for all above
	var all []ends
	for _, m := range []nmf.Method{nmf.CoordinateDescent, nmf.Multiplicative} {
		e := ends{name: m.String(), count: make([]float64, decades)}
		for s := range starts {
			r := fit(l.Context(), A, &nmf.Options{Components: k, Method: m, Inner: 1, Init: nmf.Random, Seed: l.Seed + uint64(s), MaxIterations: 4000, Tolerance: 1e-9, Target: 1e-10 * size * size / 2, KeepDense: true})
			v := math.Max(2*r.Objective/(size*size), 1e-10)
			e.count[min(decades-1, max(0, int(math.Floor(math.Log10(v)))+10))]++
			switch {
			case v < 1e-6:
				e.reached++
			case r.KKT < 1e-3:
				e.stuck++
			default:
				e.under++
			}
		}
		all = append(all, e)
	}
	cd, mu := all[0], all[1]
	l.Row(record.Row{
		ID: "solves-np-hard", What: fmt.Sprintf("a matrix with an exact factorization: multiplicative updates reach ‖A − UW'‖² < 1e-6 ‖A‖² from all %d random starts", starts),
		Published: post.Quote("Previous blog post have explained the multiplicative update rule for NMF, which particularly solves the following NP-hard problem: …", section),
		Measured:  record.Bool(mu.reached == starts, fmt.Sprintf("multiplicative updates from %d, coordinate descent from %d; of the others, %d and %d end at stationary points (KKT residual below 1e-3) that are not global minima, and %d and %d have not converged", mu.reached, cd.reached, mu.stuck, cd.stuck, mu.under, cd.under)), Rule: record.Holds(), Data: record.Example("the distances of a hexagon's corners to its sides, 6 × 6, in 5 components"), Figure: "minima",
		Reason: "the problem is NP-hard (S. Vavasis, SIAM J. Optim. 20, 2009), so no such rule can be expected to solve it. The only guarantee is that the updates never raise the objective; even a guarantee of stationary limits requires a small change of the rule (C.-J. Lin, IEEE Trans. Neural Networks 18, 2007)",
	})
	var labels, names []string
	var counts [][]float64
	for q := range decades {
		labels = append(labels, fmt.Sprintf("1e−%d", 10-q))
	}
	outcome := func(e ends) string {
		return fmt.Sprintf("%s: %d of %d below 1e-6, %d at other stationary points, %d not converged", e.name, e.reached, starts, e.stuck, e.under)
	}
	for _, e := range all {
		names, counts = append(names, e.name), append(counts, e.count)
	}
	f := figure.Bars("Final errors from random starts", labels, names, counts)
	f.X.Label.Text, f.Y.Label.Text = "‖A − UW'‖² / ‖A‖², lower end of each decade", "starts"
	l.Save("minima", fmt.Sprintf("Distances of a hexagon's corners from its sides, 6 × 6, with 5 components; an exact factorization exists. %s. %s. Stationary: KKT residual below 1e-3. The first bar includes all smaller values, the last all larger ones.", outcome(cd), outcome(mu)), f)
	return f
}
