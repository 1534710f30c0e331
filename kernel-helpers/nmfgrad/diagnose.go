package nmfgrad

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/implicit"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A Trial is the run of one solver on one system.
type Trial struct {
	System System
	Solver string
	// Of names the differentiated function: "UW'", "U with unit W", "the sum of U".
	Of       string
	Products int
	Residual float64 // ‖g − Jx‖/‖g‖ as reported by the solver; NaN if it reported none
	// Error is the error of ∂l/∂A, relative to the result of conjugate gradients on the
	// support; NaN if the solver found no solution.
	Error float64
	Err   error // the solver's error, nil if it reported success
}

// A Diagnosis shows, on a small problem, the properties of the Jacobian J of the KKT map (see KKT), and which solvers
// can be used on it. Fields that begin with Support are about the Hessian on the support instead.
type Diagnosis struct {
	// Singular and SupportSingular hold the singular values, largest first.
	Singular, SupportSingular []float64
	// Nullity and SupportNullity count the singular values below 1e-9 of the largest.
	Nullity, SupportNullity int
	// Gauge is the largest ‖J z_j‖/(‖J‖‖z_j‖) over the k null directions z_j; see KKT.NullDirections.
	Gauge float64
	// Asymmetry is ‖J − J'‖/‖J‖ (Frobenius), 0 for a symmetric matrix.
	Asymmetry, SupportAsymmetry float64
	// Index1 is the least cosine between the left and the right null space of J, 1 if they are empty. If it is
	// above 0, range and null space intersect only in 0, J has index 1, and GMRES solves every consistent
	// system with J (P. Brown and H. Walker, GMRES on (nearly) singular systems, SIAM J. Matrix Anal. Appl.
	// 18, 1997).
	Index1 float64
	K      int
	Trials []Trial
}

// DiagnoseAt forms the matrices of both systems, Full and Support, at a solution, and tries the solvers of package
// implicit on them. It does so for three functions. l = ½‖UW'‖² does not depend on the scales of the components. l =
// ½‖U‖² is taken with unit columns of W. The sum of U is taken without a gauge, and has no derivative. Use DiagnoseAt
// for small problems: it takes about S³ operations for the S = 2(n+d)k unknowns of Full, so S should be at most a few
// hundred.
func DiagnoseAt(ctx context.Context, A, U, W mat.Matrix, options *Options) (*Diagnosis, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	opt.Plain, opt.System, opt.Gauge, opt.Solver = true, Support, GaugeFree, nil
	p, err := PointAt(A, U, W, &opt)
	if err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	S, _ := p.kkt.Dims()
	var out *Diagnosis
	var failure error
	err = parallel.Await(ctx, 100*float64(S)*float64(S)*float64(S), func() { out, failure = diagnose(ctx, p) })
	if err != nil {
		return nil, err
	}
	return out, failure
}

// diagnose does what DiagnoseAt does, at the point p.
func diagnose(ctx context.Context, p *Point) (out *Diagnosis, err error) {
	_, _, k := p.kkt.sizes()
	J := p.kkt.Jacobian()
	free := len(p.sup.index)
	H := matrixOf(free, p.sup.SolJVP)
	out = &Diagnosis{K: k, Asymmetry: asymmetry(J), SupportAsymmetry: asymmetry(H)}
	if out.Singular, out.Nullity, err = spectrum(J); err != nil {
		return nil, err
	}
	if out.Index1, err = nullCosine(J, out.Nullity); err != nil {
		return nil, err
	}
	if out.SupportSingular, out.SupportNullity, err = spectrum(H); err != nil {
		return nil, err
	}
	for _, z := range p.kkt.NullDirections() {
		jz := make([]float64, len(z))
		p.kkt.SolJVP(jz, z)
		out.Gauge = max(out.Gauge, floats.Norm(jz, 2)/(out.Singular[0]*floats.Norm(z, 2)))
	}

	var g, ones mat.Dense
	g.Mul(p.U, p.W.T())
	ones.CloneFrom(p.U)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, &ones)
	var gu, gw mat.Dense
	gu.Mul(&g, p.W)
	gw.Mul(g.T(), p.U)
	type function struct {
		name   string
		gu, gw *mat.Dense
		gauge  Gauge
		pose   bool // the system has no solution: solve it without checking the gauge
	}
	functions := []function{
		{"UW'", &gu, &gw, GaugeFree, false},
		{"U with unit W", p.U, nil, UnitW, false},
		{"the sum of U", &ones, nil, GaugeFree, true},
	}
	solvers := []struct {
		name string
		s    implicit.Solver
	}{
		{"CG", &implicit.CG{}}, {"LU", &implicit.LU{}}, {"GMRES", &implicit.GMRES{MaxIterations: 2000, Restart: 200}},
		{"normal CG", &implicit.NormalCG{MaxIterations: 5000}}, {"LSMR", &implicit.LSMR{MaxIterations: 5000}},
	}
	for _, f := range functions {
		var want *mat.Dense
		for _, system := range []System{Support, Full} {
			for _, s := range solvers {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				q := *p
				q.opt.Solver, q.opt.System, q.opt.Gauge = s.s, system, f.gauge
				tr := Trial{System: system, Solver: s.name, Of: f.name, Error: math.NaN()}
				var got *mat.Dense
				var rep Report
				if f.pose {
					rep, tr.Err = q.solveUnprojected(ctx, f.gu)
				} else {
					got, rep, tr.Err = q.VJP(ctx, f.gu, f.gw)
				}
				tr.Products, tr.Residual = rep.Solve.Products, rep.Solve.Residual
				if tr.Err != nil && tr.Residual == 0 { // the factorization failed before there was a residual
					tr.Residual = math.NaN()
				}
				if want == nil {
					want = got
				}
				if got != nil && want != nil {
					tr.Error = distance(got, want)
				}
				out.Trials = append(out.Trials, tr)
			}
		}
	}
	return out, nil
}

// solveUnprojected passes ∂l/∂U to the solver without projecting out the null directions.
func (p *Point) solveUnprojected(ctx context.Context, gU *mat.Dense) (rep Report, err error) {
	n, d, k := p.kkt.sizes()
	rep.System = p.opt.System
	if p.opt.System == Full {
		g := make([]float64, 2*(n+d)*k)
		copy(g, gU.RawMatrix().Data)
		_, err = p.solveFull(ctx, &rep, g, true)
		return rep, err
	}
	g := make([]float64, len(p.sup.index))
	p.sup.gather(g, gU, mat.NewDense(d, k, nil))
	_, rep.Solve, err = implicit.VJP(p.sup, g, p.opt.Solver)
	return rep, err
}

func spectrum(m *mat.Dense) ([]float64, int, error) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return nil, 0, fmt.Errorf("nmfgrad: DiagnoseAt: the singular values did not converge")
	}
	v := svd.Values(nil)
	null := 0
	for _, s := range v {
		if s <= 1e-9*v[0] {
			null++
		}
	}
	return v, null, nil
}

// nullCosine returns the least cosine between the left and the right null space of m. null is the dimension of these
// spaces, which are spanned by the singular vectors of m for its smallest singular values.
func nullCosine(m *mat.Dense, null int) (float64, error) {
	if null == 0 {
		return 1, nil
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDFull) {
		return 0, fmt.Errorf("nmfgrad: DiagnoseAt: the singular vectors did not converge")
	}
	n, _ := m.Dims()
	var Y, Z, C mat.Dense
	svd.UTo(&Y)
	svd.VTo(&Z)
	C.Mul(Y.Slice(0, n, n-null, n).T(), Z.Slice(0, n, n-null, n)) // null×null
	if !svd.Factorize(&C, mat.SVDNone) {
		return 0, fmt.Errorf("nmfgrad: DiagnoseAt: the singular values did not converge")
	}
	return svd.Values(nil)[null-1], nil
}

func asymmetry(m *mat.Dense) float64 {
	var x mat.Dense
	x.Sub(m, m.T())
	return mat.Norm(&x, 2) / mat.Norm(m, 2)
}

// String returns the diagnosis as a table.
func (d *Diagnosis) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d components: J is %d×%d of nullity %d, asymmetry %.2g; the support's Hessian %d×%d of nullity %d, asymmetry %.2g\n",
		d.K, len(d.Singular), len(d.Singular), d.Nullity, d.Asymmetry, len(d.SupportSingular), len(d.SupportSingular), d.SupportNullity, d.SupportAsymmetry)
	fmt.Fprintf(&b, "%-14s %-13s %-10s %9s %10s %10s\n", "function of", "system", "solver", "products", "residual", "error")
	for _, t := range d.Trials {
		verdict := ""
		if t.Err != nil {
			verdict = "  refused"
		}
		fmt.Fprintf(&b, "%-14s %-13s %-10s %9d %10.1e %10.1e%s\n", t.Of, t.System, t.Solver, t.Products, t.Residual, t.Error, verdict)
	}
	return b.String()
}
