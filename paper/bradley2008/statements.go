package bradley2008

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Statements of the paper outside its tables: about derivatives (sections 4 and 5), the text model
// (appendix D), the threshold at which EGD ends (section 4), and EGD's selection of features
// (section 3).

// central returns the central difference of f at 0.
func central(f func(h float64) float64) float64 {
	const h = 1e-5
	return (f(h) - f(-h)) / (2 * h)
}

// more adds rows for further statements of the paper about derivatives: equation (7), equation (9) exactly as printed,
// ∂ŵ/∂x, and the gradient through two layers of codes. It also adds a row for the divergence in appendix D.
func (t derivatives) more() {
	B, x := t.B, t.x
	D, n := B.Dims()
	data := record.Data{Name: fmt.Sprintf("a random B (%d×%d)", D, n), Generated: true}
	o := klcoding.Options{Lambda: 0.3, P: 0.1, Tolerance: 1e-13}
	code := func(B *mat.Dense, x []float64) (*klcoding.Coder, []float64) {
		c, err := klcoding.New(B, &o)
		lab.Check(err)
		r, err := c.Code(t.Context(), mat.NewDense(len(x), 1, x))
		lab.Check(err)
		return c, mat.Col(nil, 0, r.W)
	}
	moved := func(x []float64, k int, h float64) []float64 {
		out := append([]float64{}, x...)
		out[k] += h
		return out
	}
	with := func(B *mat.Dense, k, i int, h float64) *mat.Dense {
		out := mat.DenseCopyOf(B)
		out.Set(k, i, out.At(k, i)+h)
		return out
	}
	// row compares derivatives with central differences.
	row := func(id, what, quote, source string, got, want []float64) {
		off, largest := 0., 0.
		for i, v := range want {
			off, largest = max(off, math.Abs(got[i]-v)), max(largest, math.Abs(v))
		}
		t.Row(record.Row{ID: "gradient-" + id, What: what + ": largest difference from central differences, relative to the largest derivative",
			Published: record.Text(quote, source), Measured: record.Number(off/largest, ""), Rule: record.AtMost(1e-5), Repeat: 1e-5, Data: data})
	}
	coder, w := code(B, x)
	X, W := mat.NewDense(D, 1, x), mat.NewDense(n, 1, w)

	// Evaluate (9) exactly as it is printed: B^k is a row of B.
	M := mat.NewDense(n, n, nil) // B'B + diag(λ/ŵ)
	M.Mul(B.T(), B)
	for i, v := range w {
		M.Set(i, i, M.At(i, i)+o.Lambda/v)
	}
	var got, want []float64
	for k := range D {
		Bk := B.RawRowView(k)
		residual := floats.Dot(Bk, w) - x[k]
		for i := range n {
			right := mat.NewVecDense(n, nil) // (B^k ŵ_i)ᵀ + e_i (f(B^k ŵ) − x_k)
			for j, b := range Bk {
				right.SetVec(j, -b*w[i])
			}
			right.SetVec(i, right.AtVec(i)-residual)
			var d mat.VecDense
			lab.Check(d.SolveVec(M, right))
			for j := range n {
				got = append(got, d.AtVec(j))
				want = append(want, central(func(h float64) float64 { _, v := code(with(B, k, i, h), x); return v[j] }))
			}
		}
	}
	row("typeset", "∂ŵ/∂B by (9) exactly as printed, all elements", "∂ŵ/∂B is given in (9)", "section 5", got, want)

	got, want = nil, nil
	for j := range n {
		G := mat.NewDense(n, 1, nil)
		G.Set(j, 0, 1)
		g, err := coder.VJP(t.Context(), X, W, G)
		lab.Check(err)
		for k := range D {
			got = append(got, g.X.At(k, 0))
			want = append(want, central(func(h float64) float64 { _, v := code(B, moved(x, k, h)); return v[j] }))
		}
	}
	row("x", "∂ŵ/∂x", "compute the gradient of ŵ with respect to B, and x", "section 5", got, want)

	// Two layers: ŵ of the first layer is the x of the second layer, whose codes are summed with weights.
	rng := rand.New(rand.NewPCG(t.Seed, 22))
	B2 := mat.NewDense(n, n+2, nil)
	B2.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(float64(n)) }, B2)
	v := mat.NewDense(n+2, 1, nil)
	v.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, v)
	top, w2 := code(B2, w)
	g2, err := top.VJP(t.Context(), W, mat.NewDense(n+2, 1, w2), v)
	lab.Check(err)
	g1, err := coder.VJP(t.Context(), X, W, g2.X)
	lab.Check(err)
	got, want = nil, nil
	for k := range D {
		for i := range n {
			got = append(got, g1.B.At(k, i))
			want = append(want, central(func(h float64) float64 {
				_, first := code(with(B, k, i, h), x)
				_, second := code(B2, first)
				return floats.Dot(second, v.RawMatrix().Data)
			}))
		}
	}
	row("stacked", "gradient of a loss on the second layer's codes with respect to the first layer's B", "multiple layers of sparse coding could be used", "section 5", got, want)

	// (7) treats w as constant. At ŵ the result is the derivative of the minimum.
	got, want = nil, nil
	for k := range D {
		for j := range n {
			got = append(got, w[j]*(floats.Dot(B.RawRowView(k), w)-x[k]))
			want = append(want, central(func(h float64) float64 {
				c, w := code(with(B, k, j, h), x)
				f, err := c.Objective(X, mat.NewDense(n, 1, w))
				lab.Check(err)
				return f[0]
			}))
		}
	}
	row("7", "gradient of the minimum of (2) with respect to B by (7), which treats ŵ as constant", "This update equation does not depend on the prior chosen for w and is given in (7)", "section 4", got, want)

	// Appendix D: −log P of (22) minus N times the divergence of (23) is the same for all r.
	counts, N := make([]float64, n), 0.
	for i := range counts {
		counts[i] = float64(rng.IntN(7))
		N += counts[i]
	}
	least, most := math.Inf(1), math.Inf(-1)
	for range 100 {
		r, sum := make([]float64, n), 0.
		for i := range r {
			r[i] = rng.ExpFloat64()
			sum += r[i]
		}
		poisson, kl := 0., 0.
		for i, c := range counts {
			r[i] /= sum
			gamma, _ := math.Lgamma(c + 1)
			poisson += N*r[i] - c*math.Log(N*r[i]) + gamma
			x := c / N
			kl += r[i] - x
			if x > 0 {
				kl += x * math.Log(x/r[i])
			}
		}
		least, most = min(least, poisson-N*kl), max(most, poisson-N*kl)
	}
	t.Row(record.Row{ID: "gradient-appendix-d", What: "−log of the constrained Poisson distribution minus N times the KL divergence: range over 100 reconstructions r, relative to the maximum",
		Published: record.Text("minimizing the KL-divergence ... is equivalent to maximizing the “constrained Poisson distribution”", "section 6.3.3, appendix D"),
		Measured:  record.Number((most-least)/math.Abs(most), ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: record.Data{Name: fmt.Sprintf("a document of %v words", N), Generated: true}})
}

// calibration adds a row about section 4's rule for choosing the gradient threshold at which EGD ends. The row says
// whether a threshold that was found on some digits also works for others.
func (t inference) calibration() {
	const eps = 0.01
	d, s := t.Digits(), t.Settings()
	sample, others := t.Pick(5, 10, 20), t.Pick(10, 30, 100)
	o := Coding(s.KLLambda, s.P)
	o.Method = klcoding.EGD
	c, err := klcoding.New(t.Basis(), &o)
	lab.Check(err)
	threshold, err := c.Calibrate(t.Context(), d.Test.First(sample).X, eps, 0, t.Seed)
	lab.Check(err)
	X := d.Test.X.Slice(0, Dimensions, sample, sample+others)
	codes := func(tolerance float64, method klcoding.Method) *mat.Dense {
		o.Tolerance, o.Method = tolerance, method
		c, err := klcoding.New(t.Basis(), &o)
		lab.Check(err)
		r, err := c.Code(t.Context(), X)
		lab.Check(err)
		return c.Parts(r.W)
	}
	within, most := 0., 0.
	for _, off := range change(codes(1e-10, klcoding.Newton), codes(threshold, klcoding.EGD)) {
		if off <= eps {
			within += 100 / float64(others)
		}
		most = max(most, off)
	}
	t.Claim(record.Row{ID: "egd-threshold", What: fmt.Sprintf("share of digits whose EGD code has a relative L1 error of at most ε = %v, with a gradient threshold calibrated on %d other digits", eps, sample),
		Published: record.Text("selecting the largest gradient threshold that produces ŵ within ε of the exact solution", "section 4"),
		Measured:  record.Number(within, "%"), Rule: record.AtLeast(90).Partly(10), Repeat: 5, Data: d.Data, Figure: "inference",
		Reason: fmt.Sprintf("threshold %.2g·(λ + ‖x‖ + p); %d digits, largest error %.2g; the largest error in a sample of %d is exceeded on average by one new digit in %d", threshold, others, most, sample, sample+1)})
}

// selects compares two ways to predict y = u'x online. In each round the d entries of x are random signs; the
// first three entries of u are 1, the others 0. It returns the sums of squared errors over all rounds. The first sum
// (eg) is for exponentiated gradient descent with positive and negative weights (J. Kivinen, M. Warmuth, 1997: EG±, η =
// 1/(3U²X²) with U = |u|₁ = 3 and X = max |x_i| = 1). The second (gd) is for gradient descent (η = 1/(4‖x‖²)).
func selects(d, rounds int, seed uint64) (eg, gd float64) {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	const U = 3.
	plus, minus, w, x := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for i := range d {
		plus[i], minus[i] = 1/float64(2*d), 1/float64(2*d)
	}
	for range rounds {
		for i := range x {
			x[i] = float64(2*rng.IntN(2) - 1)
		}
		y := x[0] + x[1] + x[2]
		p := 0.
		for i, v := range x {
			p += U * (plus[i] - minus[i]) * v
		}
		eg += (p - y) * (p - y)
		up := math.Exp(-2 * U * (p - y) / (3 * U * U)) // the factor where x_i = 1
		sum := 0.
		for i, v := range x {
			f := up
			if v < 0 {
				f = 1 / up
			}
			plus[i] *= f
			minus[i] /= f
			sum += plus[i] + minus[i]
		}
		floats.Scale(1/sum, plus)
		floats.Scale(1/sum, minus)

		q := floats.Dot(w, x)
		gd += (q - y) * (q - y)
		floats.AddScaled(w, -2*(q-y)/(4*float64(d)), x)
	}
	return eg, gd
}

// selection adds a row about section 3's statement that EGD can select a few relevant features from many irrelevant
// ones (see selects).
func (t inference) selection() {
	const few, many = 20, 2000
	rounds := t.Pick(4000, 20000, 20000)
	eg1, gd1 := selects(few, rounds, t.Seed)
	eg2, gd2 := selects(many, rounds, t.Seed)
	logs := math.Log(2*many) / math.Log(2*few)
	t.Row(record.Row{ID: "egd-selects", What: fmt.Sprintf("three relevant features among %d instead of %d: EGD's loss grows at most by a factor of twice %.2g (the ratio of the logarithms of the numbers of weights, two per feature), gradient descent's at least tenfold", many, few, logs),
		Published: record.Text("it can select a few relevant features to use for a prediction task from many irrelevant ones", "section 3"),
		Measured:  record.Bool(eg2/eg1 <= 2*logs && gd2/gd1 >= 10, fmt.Sprintf("EGD %.3g times, gradient descent %.3g times", eg2/eg1, gd2/gd1)), Rule: record.Holds(), Figure: "inference",
		Data:   record.Data{Name: fmt.Sprintf("random ±1 features, %d rounds", rounds), Generated: true},
		Reason: fmt.Sprintf("sums of squared errors: EGD %.4g and %.4g, gradient descent %.4g and %.4g", eg1, eg2, gd1, gd2)})
}

// priorVector adds a row about how section 3 chooses p: uniform, with |p|₁ equal to the expected |w|₁. On the doubled
// basis [−B B] no p satisfies this. At the minimum the two coefficients of an atom satisfy w⁺w⁻ = p². So w⁺ + w⁻ ≥ 2p,
// with equality only where w⁺ = w⁻ = p. Hence |w|₁ is larger than |p|₁ for every digit whose code is not 0.
func (t inference) priorVector() {
	d, s := t.Digits(), t.Settings()
	n := t.Pick(5, 20, 200)
	W := CodeKL(t.Context(), t.Basis(), d.Test.First(n).X, s.KLLambda, s.P) // 2·Atoms×n
	rows, _ := W.Dims()
	least, mean := math.Inf(1), 0.
	for j := range n {
		norm := mat.Norm(W.ColView(j), 1)
		least, mean = min(least, norm), mean+norm/float64(n)
	}
	p := float64(rows) * s.P
	t.Claim(record.Row{ID: "prior-vector", What: fmt.Sprintf("ratio of the mean |w̃|₁ of %d test digits on [−B B] to |p|₁", n),
		Published: record.Published(1, "times", "section 3: a uniform vector whose L1 magnitude equals the expected L1 magnitude of w"),
		Measured:  record.Number(mean/p, "times"), Rule: record.Within(0.1), Repeat: 0.01, Data: d.Data,
		Reason: fmt.Sprintf("%.3g / %.3g at the chosen λ and p; the smallest |w̃|₁ of a digit is %.3g. Because w⁺w⁻ = p², |w̃|₁ exceeds |p|₁ for every digit whose code is not 0, whatever λ and p are. On the doubled basis, p cannot be chosen this way", mean, p, least)})
}

// convexity adds rows about statements of the paper on convex functions and penalties, and calls implicitL2.
// Arithmetic refutes two of the statements: that the matching transfer function is ∇φ (footnote 1), and that the
// Fenchel dual of L1 is the maximum (section 3).
func (t derivatives) convexity() {
	// Footnote 1 with φ(x) = x log x − x, whose ∇φ is log and whose (∇φ)⁻¹ is exp. A transfer function f matches the
	// divergence if the slope of D_φ(x‖f(z)) in z is f(z) − x.
	const x, z = 1.5, 2.
	slope := func(f func(float64) float64) float64 {
		return central(func(h float64) float64 { y := f(z + h); return x*math.Log(x/y) - x + y })
	}
	gradient, inverse := slope(math.Log), slope(math.Exp)
	t.Row(record.Row{ID: "gradient-footnote-1", What: "φ(x) = x log x − x, f = ∇φ = log: ∂D_φ(x‖f(z))/∂z is f(z) − x, as for a matching transfer function",
		Published: record.Text("That matching transfer function is the gradient ∇φ of the function φ which is associated with the Bregman divergence", "footnote 1"),
		Measured:  record.Bool(math.Abs(gradient-(math.Log(z)-x)) < 1e-6, fmt.Sprintf("at x = %g, z = %g the derivative is %.4f and f(z) − x is %.4f; with f = exp both are %.4f (difference %.0e)", x, z, gradient, math.Log(z)-x, math.Exp(z)-x, math.Abs(inverse-(math.Exp(z)-x)))),
		Rule:      record.Holds(), Data: record.Example("two numbers"),
		Reason: "the matching transfer function is the inverse of the gradient, (∇φ)⁻¹. For this φ it is exp, as in the paper's own table. The two coincide only for φ = ½x²"})

	// The dual of |w|₁ at y is sup over w of y'w − |w|₁: 0 where no |y_i| is above 1, and infinite elsewhere.
	y := []float64{0.5, -0.25}
	dual := math.Inf(-1)
	for i := -200; i <= 200; i++ {
		for j := -200; j <= 200; j++ {
			w := [2]float64{float64(i) / 20, float64(j) / 20}
			dual = max(dual, y[0]*w[0]+y[1]*w[1]-math.Abs(w[0])-math.Abs(w[1]))
		}
	}
	t.Row(record.Row{ID: "gradient-fenchel", What: "the Fenchel dual of |w|₁ at y = (0.5, −0.25), computed from its definition, equals the maximum of y",
		Published: record.Text("L1 regularization provides sparse solutions because its Fenchel dual is the max function, meaning only the most useful basis vectors participate in the reconstruction", "section 3"),
		Measured:  record.Bool(math.Abs(dual-floats.Max(y)) < 1e-9, fmt.Sprintf("the dual is %.2g, the maximum %.2g", dual, floats.Max(y))), Rule: record.Holds(), Data: record.Example("two numbers"),
		Reason: "the dual of a norm is 0 inside the unit ball of the dual norm (here the largest |y_i|) and infinite outside. The maximum is that norm, not the dual"})
	// Σ eˣ has the dual Σ (y log y − y): KL(y‖1) minus the number of elements.
	offDual := 0.
	for v := 0.2; v < 4; v += 0.4 {
		best := math.Inf(-1)
		for x := -4.; x < 3; x += 1e-4 {
			best = max(best, v*x-math.Exp(x))
		}
		offDual = max(offDual, math.Abs(best-(v*math.Log(v)-v)))
	}
	t.Row(record.Row{ID: "gradient-fenchel-kl", What: "Fenchel dual of eˣ, computed from its definition: largest difference from y log y − y, which is KL(y‖1) up to a constant",
		Published: record.Text("Σ eˣ … whose dual is the KL-divergence", "section 3"),
		Measured:  record.Number(offDual, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: record.Example("ten numbers")})

	// |w|^q for q ≤ 1. At the midpoint of two points, a convex function is at most the mean of its values at the two
	// points.
	convex := func(q float64) bool {
		for a := -2.; a <= 2; a += 0.25 {
			for b := -2.; b <= 2; b += 0.25 {
				if math.Pow(math.Abs((a+b)/2), q) > (math.Pow(math.Abs(a), q)+math.Pow(math.Abs(b), q))/2+1e-12 {
					return false
				}
			}
		}
		return true
	}
	var found []float64
	for _, q := range []float64{0.1, 0.25, 0.5, 0.75, 0.9, 1} {
		if convex(q) {
			found = append(found, q)
		}
	}
	t.Row(record.Row{ID: "gradient-only-l1", What: "of |w|^q with q = 0.1, 0.25, 0.5, 0.75, 0.9 and 1, only the last is convex",
		Published: record.Text("of these only L1 leads to an efficient, convex procedure", "section 3"),
		Measured:  record.Bool(len(found) == 1 && found[0] == 1, fmt.Sprintf("convex: %v", found)), Rule: record.Holds(), Data: record.Example("pairs of numbers"),
		Reason: "this checks only convexity; efficiency is not measured"})

	// With B free, cB and w/c have the same reconstruction, and the penalty falls as 1/c.
	const size, penalty = 1e6, 0.3
	fitted := []float64{1.2, -0.7}
	at := func(c float64) float64 { return penalty * (math.Abs(fitted[0]) + math.Abs(fitted[1])) / c }
	t.Row(record.Row{ID: "gradient-trivial", What: "L1 penalty after scaling B by 10⁶ at the same reconstruction, as a fraction of the original penalty",
		Published: record.Text("constrained … to prevent the trivial solution", "section 4"),
		Measured:  record.Number(at(size)/at(1), ""), Rule: record.AtMost(1e-3), Repeat: 1e-9, Data: record.Example("two coefficients"),
		Reason: "without a bound on B, scaling makes the penalty arbitrarily small, so it has no effect"})
	t.implicitL2()
	t.Row(record.Row{ID: "each-application", What: "KL codes predict better than L1 codes in each of the paper's applications",
		Published: record.Text("In each application …", "section 6"),
		Rule:      record.NoData("the paper has no L1 codes of reviews (table 6 compares regressions on words), and the recordings of table 7 were never published; for digits and letters it holds (table2-kl-below-l1, table5-kl-improves)")})
}

// implicitL2 adds a row about SGD as a regularizer. For a linear model with more weights than samples, SGD from 0
// ends at the solution of least norm. This is the limit of the solutions with an L2 penalty as the penalty goes to 0.
func (t derivatives) implicitL2() {
	rng := rand.New(rand.NewPCG(t.Seed, 31))
	const samples, weights = 5, 20
	X, y := mat.NewDense(samples, weights, nil), mat.NewVecDense(samples, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, X)
	for i := range samples {
		y.SetVec(i, rng.NormFloat64())
	}
	var gram mat.Dense // XX'
	gram.Mul(X, X.T())
	var dual, least, off mat.VecDense
	lab.Check(dual.SolveVec(&gram, y))
	least.MulVec(X.T(), &dual)
	sgd := mat.NewVecDense(weights, nil)
	for step := range 20_000 {
		row := X.RowView(step % samples)
		sgd.AddScaledVec(sgd, (y.AtVec(step%samples)-mat.Dot(row, sgd))/40, row)
	}
	off.SubVec(sgd, &least)
	t.Row(record.Row{ID: "gradient-sgd-l2", What: fmt.Sprintf("least squares with %d weights and %d samples, SGD from 0: distance to the minimum-norm solution, relative to its norm", weights, samples),
		Published: record.Text("SGD implements an implicit L2 regularizer", "section 4"),
		Measured:  record.Number(mat.Norm(&off, 2)/mat.Norm(&least, 2), ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: record.Generated("a random linear model"),
		Reason: "read as a statement about linear models, for which it can be shown. The codes are not a linear function of B, so nothing is shown here for B"})
}
