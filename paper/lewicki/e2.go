package lewicki

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// inferenceNoise is σ of the lasso in E2: alpha = σ²/b with b = 1.
const inferenceNoise = 0.05

// Solvers compares all methods for finding ŝ on one batch of samples of sparse sources: first for the
// noise-free problem, min ‖s‖₁ subject to As = x, then for the lasso. It returns a table.
func (l *Lab) Solvers() Tableau {
	A := planeBasis()
	p := l.Pick(60, 400, 2000)
	mix := ica.NewMixture(A, ica.BernoulliLaplacian{P: 0.5}, p, 0, l.Seed+100)
	data := record.Generated(fmt.Sprintf("%d mixtures of 3 sources, active 50 %%, no noise", p))
	t := Tableau{
		Title: "All solvers on one batch",
		Head:  []string{"method", "problem", "excess over the optimum", "nonzeros", "reconstruction error", "SNR of ŝ, dB"},
		Note: fmt.Sprintf("Excess over the optimum: relative excess of the objective, mean over %d samples. Reconstruction error: root mean square of x − Aŝ. "+
			"SNR of ŝ: that of the worst source, relative to the true s. It is low even at the exact optimum: the cause is the problem, not the solver.", p),
	}

	// The noise-free problem.
	interior, enumerated := mat.NewDense(3, p, nil), mat.NewDense(3, p, nil)
	for j := range p {
		l.Heed()
		x := mat.Col(nil, j, mix.X)
		r, err := pursuit.BasisPursuit(l.Context(), A, x, nil)
		lab.Check(err)
		interior.SetCol(j, r.S)
		r, err = pursuit.BasisPursuitEnumerate(A, x, nil)
		lab.Check(err)
		enumerated.SetCol(j, r.S)
	}
	sectors, err := ica.Infer(l.Context(), A, mix.X, nil)
	lab.Check(err)
	best := columnL1(enumerated)
	noiseFree := func(name string, S *mat.Dense) float64 {
		worst := t.addSolver(name, "‖s‖₁, As = x", relativeExcess(columnL1(S), best), A, mix, S)
		return worst
	}
	noiseFree("enumeration of pairs", enumerated)
	gap := noiseFree("interior point (linear program)", interior)
	noiseFree("sectors of the plane", sectors.S)
	l.Row(record.Row{
		ID: "e2-interior-point", What: "largest relative excess of ‖s‖₁ of the interior-point solution over exact enumeration",
		Published: blog.Quote("coefficients were solved using BPMPD … a primal-dual interior point algorithm", "E2, of the paper"),
		Measured:  record.Number(gap, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: data,
	})
	most := 0
	for j := range p {
		most = max(most, nonzeros(mat.Col(nil, j, sectors.S), 1e-9))
	}
	l.Row(record.Row{
		ID: "e2-sparse", What: "a noise-free ŝ has at most m = 2 nonzeros, whatever the truth: largest number found",
		Measured: record.Number(float64(most), ""), Rule: record.AtMost(2), Data: data,
	})

	// The lasso.
	alpha := inferenceNoise * inferenceNoise
	lasso, err := pursuit.Lasso(l.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-12})
	lab.Check(err)
	optimum := lasso.Objective
	noisy := func(name string, S *mat.Dense) {
		t.addSolver(name, fmt.Sprintf("lasso, σ = %g", inferenceNoise), relativeExcess(pursuit.LassoObjective(A, mix.X, S, alpha), optimum), A, mix, S)
	}
	noisy("coordinate descent", lasso.S)
	fista, err := pursuit.FISTA(l.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-6, MaxIterations: 100000})
	lab.Check(err)
	noisy("FISTA", fista.S)
	for _, steps := range []int{200, 2000} {
		g, err := pursuit.GradientDescent(l.Context(), A, mix.X, alpha, &pursuit.GradientOptions{Steps: steps})
		lab.Check(err)
		noisy(fmt.Sprintf("gradient, %d steps", steps), g.S)
	}
	relu, err := pursuit.GradientDescent(l.Context(), A, mix.X, alpha, &pursuit.GradientOptions{ReLU: true, Steps: 2000})
	lab.Check(err)
	noisy("the post's ReLU gradient, 2000 steps", relu.S)

	l.reluRow(A)
	l.limitRow(A, mix, sectors.S, data)
	return t
}

// reluRow adds a row that measures the post's method on the post's kind of data: exponential sources and nonnegative
// coefficients.
func (l *Lab) reluRow(A *mat.Dense) {
	p := l.Pick(60, 400, 2000)
	mix := ica.NewMixture(A, ica.Exponential{}, p, 0, l.Seed+101)
	alpha := inferenceNoise * inferenceNoise
	best, err := pursuit.Lasso(l.Context(), A, mix.X, alpha, &pursuit.LassoOptions{NonNegative: true, Tolerance: 1e-12})
	lab.Check(err)
	g, err := pursuit.GradientDescent(l.Context(), A, mix.X, alpha, &pursuit.GradientOptions{ReLU: true, Steps: 2000})
	lab.Check(err)
	excess := relativeExcess(pursuit.LassoObjective(A, mix.X, g.S, alpha), best.Objective)
	l.Row(record.Row{
		ID: "e2-relu-gradient", What: "s := ReLU(s − ∇L) finds ŝ: mean relative excess of the objective after 2000 steps",
		Published: blog.Quote("Implementing the learning of ŝ is rather straightforward", "E2"),
		Measured:  record.Number(stat.Mean(excess, nil), ""), Spread: stat.StdDev(excess, nil), SpreadOf: "standard deviation over samples",
		Rule: record.AtMost(0.01).Partly(0.1), Data: record.Generated(fmt.Sprintf("%d mixtures of 3 exponential sources", p)),
		Reason: "this is projected gradient descent on a convex function; the step is 1/‖A‖², since the post's step of 1 would overshoot",
	})
	l.unitStepRow(A, mix.X)
}

// unitStepRow adds a row about the post's update as printed, which amounts to a step of 1.
func (l *Lab) unitStepRow(A *mat.Dense, x *mat.Dense) {
	_, p := x.Dims()
	S, R := mat.NewDense(3, p, nil), mat.DenseCopyOf(x)
	first, steps := mat.Norm(x, 2), 0
	for ; steps < 100 && mat.Norm(R, 2) < 1000*first; steps++ {
		var G mat.Dense
		G.Mul(A.T(), R)
		S.Apply(func(i, j int, s float64) float64 {
			return math.Max(0, s+G.At(i, j)/(inferenceNoise*inferenceNoise)-1)
		}, S)
		R.Mul(A, S)
		R.Sub(x, R)
	}
	l.Row(record.Row{
		ID: "e2-unit-step", What: "the update as printed, s := ReLU(s − ∇L) with step length 1: over 100 steps, the error stays below a thousand times that of s = 0",
		Measured: record.Bool(steps == 100, fmt.Sprintf("it exceeds that after %d steps", steps)), Rule: record.Holds(), Data: record.Generated(fmt.Sprintf("%d mixtures of 3 exponential sources", p)),
		Reason: fmt.Sprintf("the step length may be at most 2σ²/‖A‖², %.4f here; the post does not give its step length", 2*inferenceNoise*inferenceNoise/1.5),
	})
}

// limitRow compares the lasso's coefficients, for noise close to zero, with the solution lp of the linear program.
func (l *Lab) limitRow(A *mat.Dense, mix *ica.Mixture, lp *mat.Dense, data record.Data) {
	const sigma = 1e-3
	s, err := pursuit.Lasso(l.Context(), A, mix.X, sigma*sigma, &pursuit.LassoOptions{Tolerance: 1e-12})
	lab.Check(err)
	var d mat.Dense
	d.Sub(s.S, lp)
	l.Row(record.Row{
		ID: "e2-lp-limit", What: fmt.Sprintf("the lasso approaches the linear program for small σ: largest absolute difference of the coefficients at σ = %g", sigma),
		Published: blog.Quote("Use linear programming methods … while minimizing 1ᵀs = |s|₁", "Approaches considered"),
		Measured:  record.Number(mat.Max(absolute(&d)), ""), Rule: record.AtMost(1e-4), Repeat: 1e-6, Data: data,
	})
}

// exact is a bound on the relative excess of an objective. An excess below this bound is only rounding error.
const exact = 1e-10

// A solverPath holds how far a method's objective is above the optimum after different numbers of iterations. The last
// of these numbers is the first at which the relative excess is at most the constant exact or, if there is no such
// number, the largest that was tried.
type solverPath struct {
	name       string
	iterations []float64
	excess     []float64 // relative excess of the mean objective, or the constant exact if exact is larger
}

// arrives returns the largest number of iterations that was tried, and reports in ok whether this number suffices to
// make the method exact.
func (p solverPath) arrives() (iterations int, ok bool) {
	last := len(p.excess) - 1
	return int(p.iterations[last]), p.excess[last] <= exact
}

// solverPaths runs each method on one batch, again and again from the start, each time with more iterations.
func (l *Lab) solverPaths() []solverPath {
	A := planeBasis()
	p := l.Pick(40, 200, 1000)
	mix := ica.NewMixture(A, ica.BernoulliLaplacian{P: 0.5}, p, 0, l.Seed+102)
	alpha := inferenceNoise * inferenceNoise
	best, err := pursuit.Lasso(l.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-13})
	lab.Check(err)
	objective := func(S *mat.Dense) float64 { return stat.Mean(pursuit.LassoObjective(A, mix.X, S, alpha), nil) }
	optimum := objective(best.S)

	path := func(name string, run func(iterations int) *mat.Dense) solverPath {
		p := solverPath{name: name}
		for n := 1; n <= mostIterations; n = n*3/2 + 1 {
			gap := max(exact, objective(run(n))/optimum-1)
			p.iterations, p.excess = append(p.iterations, float64(n)), append(p.excess, gap)
			if gap <= exact {
				break
			}
		}
		return p
	}
	// A method that is stopped early returns its latest iterate with an error.
	lasso := func(solve func(ctx context.Context, a, x mat.Matrix, alpha float64, s *pursuit.LassoOptions) (*pursuit.LassoResult, error)) func(int) *mat.Dense {
		return func(n int) *mat.Dense {
			r, err := solve(l.Context(), A, mix.X, alpha, &pursuit.LassoOptions{Tolerance: 1e-13, MaxIterations: n})
			l.Heed()
			if r == nil {
				panic(err)
			}
			return r.S
		}
	}
	gradient := func(relu bool) func(int) *mat.Dense {
		return func(n int) *mat.Dense {
			r, err := pursuit.GradientDescent(l.Context(), A, mix.X, alpha, &pursuit.GradientOptions{ReLU: relu, Steps: n})
			lab.Check(err)
			return r.S
		}
	}
	return []solverPath{
		path("the post's ReLU gradient", gradient(true)),
		path("gradient", gradient(false)),
		path("FISTA", lasso(pursuit.FISTA)),
		path("coordinate descent", lasso(pursuit.Lasso)),
	}
}

// mostIterations limits the iterations that SolverPaths tries.
const mostIterations = 3000

// SolverPaths draws the excess of each method's objective over the optimum, against the number of iterations.
func (l *Lab) SolverPaths() *figure.Figure {
	f := figure.New("E2: convergence of the solvers", "iterations", "relative excess over the optimum").LogX().LogY()
	var arrived []string
	for _, p := range l.solverPaths() {
		f.Marked(p.name, p.iterations, p.excess)
		if n, ok := p.arrives(); ok {
			arrived = append(arrived, fmt.Sprintf("%s after %d iterations", p.name, n))
		}
	}
	l.Save("e2-paths", fmt.Sprintf("Symmetric sparse sources, so about half of the samples lie outside the cone of the columns. The ReLU gradient stops above the optimum because it requires non-negative coefficients, which is a different problem. "+
		"A point at %.0e is exact up to rounding: %s. Coordinate descent is fast because, after 20 sweeps, package sparseapprox also moves along the direction in which A s is constant.", exact, strings.Join(arrived, ", ")),
		f)
	return f
}

// addSolver adds to t a row about the solution S that a method finds. S has one column for each sample. For each
// sample, excess holds the amount by which the solution's objective exceeds the optimum. addSolver returns the
// largest element of excess.
func (t *Tableau) addSolver(name, problem string, excess []float64, A *mat.Dense, mix *ica.Mixture, S *mat.Dense) float64 {
	_, p := S.Dims()
	count, worst := 0, 0.0
	for j := range p {
		count += nonzeros(mat.Col(nil, j, S), 1e-6)
		worst = math.Max(worst, excess[j])
	}
	var R mat.Dense
	R.Mul(A, S)
	R.Sub(mix.X, &R)
	m, _ := R.Dims()
	rms := mat.Norm(&R, 2) / math.Sqrt(float64(m*p))
	snr := math.Inf(1)
	for _, v := range ica.Match(A, A).SNR(mix.S, S) {
		snr = math.Min(snr, v)
	}
	t.Cells = append(t.Cells, []string{
		name, problem, small(stat.Mean(excess, nil)), fmt.Sprintf("%.2f", float64(count)/float64(p)), small(rms), fmt.Sprintf("%.1f", snr),
	})
	return worst
}

// small formats a number, and writes 0 for a number that is 0 up to rounding, so that the output is the same on any
// processor.
func small(x float64) string {
	if math.Abs(x) < 1e-9 {
		return "0"
	}
	return fmt.Sprintf("%.2g", x)
}

func columnL1(S *mat.Dense) []float64 {
	_, p := S.Dims()
	out := make([]float64, p)
	for j := range p {
		out[j] = mat.Norm(S.ColView(j), 1)
	}
	return out
}

// relativeExcess returns got/best − 1 for each element, but at least 0. Where best is 0, the result is 0 if got is also
// 0, and +Inf otherwise.
func relativeExcess(got, best []float64) []float64 {
	out := make([]float64, len(got))
	for i := range got {
		if best[i] > 0 {
			out[i] = math.Max(0, got[i]/best[i]-1)
		} else if got[i] > 1e-12 {
			out[i] = math.Inf(1)
		}
	}
	return out
}

func nonzeros(s []float64, tol float64) int {
	n := 0
	for _, v := range s {
		if math.Abs(v) > tol {
			n++
		}
	}
	return n
}

func absolute(m *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return &out
}
