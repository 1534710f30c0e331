package bradley2008

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// The priors of figure 3. The paper does not state their λ and p; with the values below, all priors shift x by about
// the same amount where x is about 1.
const (
	shownLambda   = 0.5 // of L1, and of L2 as ½λw²
	shownKLLambda = 0.1
	shownP        = 0.01
)

var byFormula = record.Data{Name: "scalar signals on the identity basis", Generated: true}

// identityCodes returns ŵ for each x separately: B is the 1×1 identity.
func identityCodes(ctx context.Context, o sparseapprox.Options, x []float64) []float64 {
	o.Tolerance = 1e-12
	r, err := sparseapprox.Solve(ctx, mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, len(x), x), &o)
	lab.Check(err)
	return r.W.RawRowView(0)
}

// identityKL is like identityCodes for the KL prior on [−1 1]: it returns w⁺ − w⁻.
func identityKL(ctx context.Context, lambda, p float64, x []float64) []float64 {
	c, err := klcoding.New(mat.NewDense(1, 1, []float64{1}), &klcoding.Options{Lambda: lambda, P: p, Doubled: true, Tolerance: 1e-13})
	lab.Check(err)
	r, err := c.Code(ctx, mat.NewDense(1, len(x), x))
	lab.Check(err)
	return r.W.RawRowView(0)
}

// l2With returns the options for the L2 prior of figure 3, ½λw²; the L2 prior of sparseapprox lacks the
// factor ½.
func l2With(lambda float64) sparseapprox.Options {
	return sparseapprox.Options{Prior: sparseapprox.L2, Lambda: lambda / 2}
}

// linspace returns n equally spaced numbers from lo to hi.
func linspace(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return out
}

// furthest returns the largest |a_i − b_i| over all i.
func furthest(a, b []float64) float64 {
	out := 0.
	for i := range a {
		out = max(out, math.Abs(a[i]-b[i]))
	}
	return out
}

// apply returns f(x_i) for each element of x.
func apply(x []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// gradients returns the gradient of the prior at the coefficients w = ŵ that a solver found for the signals x: ∇D_P(ŵ)
// = (x − ŵ)/λ, which is (10) for B = I.
func gradients(x, w []float64, lambda float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = (x[i] - w[i]) / lambda
	}
	return out
}

// density returns exp(−λ D_P(w)) at each element of w, normalized so that its integral is 1. w must be ascending. D_P
// is the integral of its gradient g by the trapezoidal rule.
func density(w, g []float64, lambda float64) []float64 {
	D, mass := 0., 0.
	least := math.Inf(1)
	at := make([]float64, len(w))
	for i := range w {
		if i > 0 {
			D += (w[i] - w[i-1]) * (g[i] + g[i-1]) / 2
		}
		at[i] = D
		least = min(least, D)
	}
	out := apply(at, func(D float64) float64 { return math.Exp(-lambda * (D - least)) })
	for i := 1; i < len(w); i++ {
		mass += (w[i] - w[i-1]) * (out[i] + out[i-1]) / 2
	}
	return apply(out, func(v float64) float64 { return v / mass })
}

// equation17 returns the prior of (17) at w.
func equation17(w, p float64) float64 {
	return w*math.Asinh(w/(2*p)) - math.Sqrt(w*w+4*p*p)
}

// lowest returns the point in [lo, hi] at which a convex f is smallest. It uses golden-section search, which needs no
// derivatives.
func lowest(f func(float64) float64, lo, hi float64) float64 {
	g := (math.Sqrt(5) - 1) / 2
	for hi-lo > 1e-9 {
		a, b := hi-g*(hi-lo), lo+g*(hi-lo)
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2
}

// Figure3 draws what four priors do to the coefficients on the identity basis.
func (l *Lab) Figure3() *figure.Grid {
	x := linspace(-2, 2, 401)
	kl := identityKL(l.Context(), shownKLLambda, shownP, x)
	return (&figure3{&l.sharedState, x,
		identityCodes(l.Context(), sparseapprox.Options{Prior: sparseapprox.None}, x),
		identityCodes(l.Context(), l2With(shownLambda), x),
		identityCodes(l.Context(), sparseapprox.Options{Prior: sparseapprox.L1, Lambda: shownLambda}, x),
		kl, gradients(x, kl, shownKLLambda)}).run()
}

// A figure3 computes and draws figure 3, and adds its rows. It holds the signals x, their coefficients under each
// prior, and, for KL, the gradient of the prior.
type figure3 struct {
	*sharedState
	x, none, l2, l1, kl, gk []float64
}

func (t *figure3) run() *figure.Grid {
	t.rows()
	x, l1, l2, kl, gk := t.x, t.l1, t.l2, t.kl, t.gk
	g1, g2 := gradients(x, l1, shownLambda), gradients(x, l2, shownLambda)

	a := figure.New("A: coefficients", "x", "w")
	a.Use(figure.Gray).Lines("uniform", x, t.none)
	a.Use(figure.Green).Lines("L2", x, l2)
	a.Use(figure.Blue).Lines("L1", x, l1)
	a.Use(figure.Vermilion).Lines("KL", x, kl)

	b := figure.New("B: gradients of the priors, times λ", "w", "x − w")
	b.Use(figure.Gray).Lines("uniform", x, make([]float64, len(x)))
	by := func(lambda float64) func(float64) float64 { return func(g float64) float64 { return lambda * g } }
	b.Use(figure.Green).Lines("L2", l2, apply(g2, by(shownLambda)))
	b.Use(figure.Blue).Lines("L1", l1, apply(g1, by(shownLambda)))
	b.Use(figure.Vermilion).Lines("KL", kl, apply(gk, by(shownKLLambda)))

	// The points reach far enough out that the densities vanish; near 0 they are dense.
	far := make([]float64, 4001)
	for i := range far {
		u := float64(i-2000) / 2000
		far[i] = 60 * u * u * u
	}
	c := figure.New("C: densities", "w", "")
	const shown = 5
	c.Use(figure.Gray).Lines("uniform", []float64{-shown, shown}, []float64{0.5 / shown, 0.5 / shown})
	for _, p := range []struct {
		name   string
		colour int
		w      []float64
		lambda float64
	}{
		{"L2", figure.Green, identityCodes(t.Context(), l2With(shownLambda), far), shownLambda},
		{"L1", figure.Blue, identityCodes(t.Context(), sparseapprox.Options{Prior: sparseapprox.L1, Lambda: shownLambda}, far), shownLambda},
		{"KL", figure.Vermilion, identityKL(t.Context(), shownKLLambda, shownP, far), shownKLLambda},
	} {
		y := density(p.w, gradients(far, p.w, p.lambda), p.lambda)
		t.densityRow(p.name, p.w, y, p.lambda)
		var wx, wy []float64
		for i, w := range p.w {
			if math.Abs(w) <= shown {
				wx, wy = append(wx, w), append(wy, y[i])
			}
		}
		c.Use(p.colour).Lines(p.name, wx, wy)
	}
	g := figure.NewGrid("Figure 3: priors on the identity basis", 3, a, b, c).Size(2.9, 2.9)
	t.Save("figure3", fmt.Sprintf("L1 and L2 (½λw²) with λ = %v, KL on [−1 1] with λ = %v and p = %v. A and B show the solvers' results. C is exp(−∫B dw), normalized; the uniform density is that of the interval shown.", shownLambda, shownKLLambda, shownP),
		g)
	return g
}

func (t *figure3) rows() {
	x, l2, l1, kl, gk := t.x, t.l2, t.l1, t.kl, t.gk
	row := func(r record.Row) {
		r.Data, r.Figure = byFormula, "figure3"
		t.Row(r)
	}
	holds := func(id, what, quote, where string, off, tol float64) {
		v := record.Value{}
		if quote != "" {
			v = record.Text(quote, where)
		}
		row(record.Row{ID: "figure3-" + id, What: what, Published: v, Measured: record.Bool(off < tol, fmt.Sprintf("off by at most %.1g", off)), Rule: record.Holds()})
	}
	same := func(v float64) float64 { return v }
	holds("uniform", "uniform prior: ŵ = x", "produces the line ŵ_i = x_i", "appendix A", furthest(t.none, apply(x, same)), 1e-12)
	holds("l2-exact", "L2 prior ½λw²: ŵ = x/(1 + λ)", "", "", furthest(l2, apply(x, func(v float64) float64 { return v / (1 + shownLambda) })), 1e-12)
	slope := l2[len(x)-1] / x[len(x)-1]
	row(record.Row{ID: "figure3-l2-slope", What: fmt.Sprintf("slope of ŵ against x for the L2 prior, λ = %v", shownLambda),
		Published: table(1-shownLambda, "", "appendix A, ŵ_i = (1 − λ)x_i"), Measured: record.Number(slope, ""), Rule: record.Within(0.01),
		Reason: "a slip in the paper: ŵ = x − λŵ, not x − λx, so the factor is 1/(1 + λ); 1 − λ agrees with it to first order in λ, and is negative for λ > 1"})
	small := 0.01
	w := identityCodes(t.Context(), l2With(small), []float64{1})[0]
	row(record.Row{ID: "figure3-l2-slope-small", What: fmt.Sprintf("slope of ŵ against x for the L2 prior, λ = %v, where the first order in λ suffices", small),
		Published: table(1-small, "", "appendix A, ŵ_i = (1 − λ)x_i"), Measured: record.Number(w, ""), Rule: record.Within(small * small)})

	zero, beyond := true, true
	for i, v := range x {
		if inside := math.Abs(v) <= shownLambda; inside && l1[i] != 0 {
			zero = false
		} else if !inside && l1[i] == 0 {
			beyond = false
		}
	}
	row(record.Row{ID: "figure3-l1-zero", What: "L1: ŵ is exactly 0 for |x| up to λ and nowhere else",
		Published: record.Text("forces ŵ_i = 0 while |x_i| ≤ λ", "appendix A"), Measured: record.Bool(zero && beyond, ""), Rule: record.Holds()})
	holds("l1-exact", "L1: ŵ is x soft-thresholded at λ", "", "", furthest(l1, apply(x, func(v float64) float64 {
		return math.Copysign(max(math.Abs(v)-shownLambda, 0), v)
	})), 1e-12)

	for _, c := range []struct {
		id, text, where, reason string
		factor                  float64
	}{
		{"arcsinh-text", "corresponds to the arcsinh(w_i/p_i) function", "appendix A", "a slip in the paper's text: a factor of 2 is missing. (16), proved in its appendix B, has arcsinh(w/2p), as does the solver; for large w/p the two differ by log 2", 1},
		{"arcsinh-16", "arcsinh(ŵ/2p)", "(16)", "", 2},
	} {
		off := furthest(gk, apply(kl, func(v float64) float64 { return math.Asinh(v / (c.factor * shownP)) }))
		row(record.Row{ID: "figure3-" + c.id, What: "KL on [−B B]: the gradient (x − ŵ)/λ of the prior as a function of ŵ",
			Published: record.Text(c.text, c.where), Measured: record.Bool(off < 1e-9, fmt.Sprintf("off by at most %.2g", off)), Rule: record.Holds(), Reason: c.reason})
	}
	off := 0.
	for i, v := range x {
		if i%20 == 0 {
			f := func(w float64) float64 { return (v-w)*(v-w)/2 + shownKLLambda*equation17(w, shownP) }
			off = max(off, math.Abs(kl[i]-lowest(f, -3, 3)))
		}
	}
	// Golden-section search finds the minimum of a smooth f only to within the square root of the rounding error.
	holds("equation-17", "KL's w⁺ − w⁻ equals the MAP estimate under prior (17), which is computed by derivative-free search", "ŵ computed by KL-regularization is also the MAP estimate of (17)", "appendix B", off, 1e-6)

	// The gradient grows fast for small weights and slowly for large weights, without a bound.
	wide := linspace(0.001, 1000, 2001)
	kw := identityKL(t.Context(), shownKLLambda, shownP, wide)
	g := gradients(wide, kw, shownKLLambda)
	slows := true
	for i := 2; i < len(g); i++ {
		slows = slows && g[i] > g[i-1] && g[i]-g[i-1] < g[i-1]-g[i-2]
	}
	steep := (gk[201] - gk[199]) / (kl[201] - kl[199])
	last := len(gk) - 1
	flat := (gk[last] - gk[last-2]) / (kl[last] - kl[last-2])
	row(record.Row{ID: "figure3-kl-grows", What: "KL: the gradient grows without bound, at a decreasing rate",
		Published: record.Text("arcsinh grows quickly for small weights ... it grows slowly for large weights while still reaching ∞", "appendix A"),
		Measured:  record.Bool(slows && steep > 10*flat, fmt.Sprintf("slope %.3g at 0, %.3g at %.2f; gradient %.3g at %.3g", steep, flat, kl[last], g[len(g)-1], kw[len(kw)-1])), Rule: record.Holds()})

	t.limits(row)
}

// limits tests what section 3 says about p → 0 (KL approximates L1) and p → ∞ (KL approximates L2). For each p it
// chooses λ such that λ times the gradient of the KL prior at w = 1 is the same as for L1 and L2.
func (t *figure3) limits(row func(record.Row)) {
	for _, c := range []struct {
		id, quote, name string
		p               []float64
		to              []float64
	}{
		{"p-zero", "p → 0 approximates L1", "L1", []float64{1e-2, 1e-4, 1e-8, 1e-12, 1e-16}, t.l1},
		{"p-infinity", "p → ∞ approximates L2", "L2", []float64{0.1, 1, 10, 100, 1000}, t.l2},
	} {
		falls, last := true, math.Inf(1)
		var seen []string
		for _, p := range c.p {
			w := identityKL(t.Context(), shownLambda/math.Asinh(1/(2*p)), p, t.x)
			off := furthest(w, c.to)
			falls = falls && off < last
			last = off
			seen = append(seen, fmt.Sprintf("%.2g at p = %g", off, p))
		}
		reason := ""
		if c.id == "p-zero" {
			reason = "the convergence is as slow as 1/log(1/p)"
		}
		row(record.Row{ID: "figure3-" + c.id, What: "largest difference between the coefficients of KL and " + c.name + " falls from each listed p to the next, with λ adjusted for each p",
			Published: record.Text(c.quote, "section 3"), Measured: record.Bool(falls, strings.Join(seen, ", ")), Rule: record.Holds(), Reason: reason})
	}
}

// densityRow adds a row that compares two densities: the one computed from a solver's answers, and the one that the
// formula gives.
func (t *figure3) densityRow(name string, w, y []float64, lambda float64) {
	D := map[string]func(float64) float64{
		"L2": func(w float64) float64 { return w * w / 2 },
		"L1": math.Abs,
		"KL": func(w float64) float64 { return equation17(w, shownP) - equation17(0, shownP) },
	}[name]
	// Compare ratios to the largest value, because these ratios do not need the integral of the formula.
	most := 0.
	for _, v := range y {
		most = max(most, v)
	}
	off := 0.
	for i, v := range y {
		off = max(off, math.Abs(v/most-math.Exp(-lambda*D(w[i]))))
	}
	t.Row(record.Row{ID: "figure3-density-" + strings.ToLower(name), What: name + ": density from the integral of the solver's gradient is proportional to exp(−λD_P)",
		Measured: record.Bool(off < 2e-3, fmt.Sprintf("off by at most %.1g of its largest value %.3g", off, most)), Rule: record.Holds(), Data: byFormula, Figure: "figure3"})
}
