package lewicki

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// sharpness is the β of the rounded Laplacian in the Gaussian approximation. The Laplacian itself has β = ∞,
// for which the approximation does not exist.
const sharpness = 10

// GaussianApproximation compares the paper's Gaussian approximation of log P(x|A) with the exact value, which has a
// closed form because A has only three columns, all in the plane. It also splits the gradient of the approximation into
// terms, and examines the steps of the post's derivation.
func (l *Lab) GaussianApproximation() *figure.Grid {
	e := l.evidenceData()
	scatter := l.sampleBySample(e)
	l.constantRow()
	turn := l.turningColumn(e)
	terms := l.gradientSizes(e)
	l.determinantRow()
	l.filterRows()
	l.signRows()
	l.arithmeticRows()
	l.logDetRow(e)
	l.hessianRows()

	g := figure.NewGrid("The evidence and its Gaussian approximation", 3, scatter, turn, terms).Size(3, 3)
	l.Save("evidence", "Left: the approximation against the exact value, sample by sample. Middle: each curve minus its own maximum, as one column is rotated; the approximation is much flatter than the exact value. Right: two terms of the gradient. The noise term, which according to the post has no gradient, is the larger.", g)
	return g
}

// evidences holds the exact and the approximate evidence as functions of a basis, on the same samples.
type evidences struct {
	A, X     *mat.Dense
	data     record.Data
	exact    func(A *mat.Dense) *ica.Evidence
	gaussian func(A *mat.Dense) *ica.Evidence // with noise
}

// evidenceNoise is the σ of the Gaussian approximation.
const evidenceNoise = 0.05

func (l *Lab) evidenceData() *evidences {
	A := planeBasis()
	p := l.Pick(100, 1000, 5000)
	mix := ica.NewMixture(A, ica.Laplacian{}, p, 0, l.Seed+200)
	data := record.Generated(fmt.Sprintf("%d mixtures of 3 Laplacian sources", p))
	return &evidences{A: A, X: mix.X, data: data,
		gaussian: func(A *mat.Dense) *ica.Evidence {
			l.Heed()
			e, err := ica.GaussianEvidence(A, mix.X, &ica.GaussianOptions{Noise: evidenceNoise, Sharpness: sharpness, Gradient: true})
			lab.Check(err)
			return e
		},
		exact: func(A *mat.Dense) *ica.Evidence {
			l.Heed()
			e, err := ica.ExactEvidence(A, mix.X, &ica.EvidenceOptions{Gradient: true})
			lab.Check(err)
			return e
		},
	}
}

// sampleBySample compares the exact evidence with its Gaussian approximation at the true basis, sample by sample.
func (l *Lab) sampleBySample(e *evidences) *figure.Figure {
	truth, approx := e.exact(e.A), e.gaussian(e.A)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range truth.LogP {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	scatter := figure.New(fmt.Sprintf("Sample by sample, σ = %g", evidenceNoise), "exact log P(x|A)", "Gaussian approximation")
	scatter.Scatter("samples", truth.LogP, approx.LogP).Use(figure.Black).Lines("equal", []float64{lo, hi}, []float64{lo, hi})
	bias := approx.Mean - truth.Mean
	vary := stat.StdDev(floats.SubTo(make([]float64, len(truth.LogP)), approx.LogP, truth.LogP), nil)
	l.Row(record.Row{
		ID: "evidence-shape", What: fmt.Sprintf("the approximation equals the exact log P(x|A) up to a constant: standard deviation of the difference relative to that of log P, σ = %g, β = %d", evidenceNoise, sharpness),
		Published: blog.Quote("log P(x|A) ≈ const. + log P(ŝ) − …", "Derivation of Approximation"),
		Measured:  record.Number(vary/stat.StdDev(truth.LogP, nil), ""), Rule: record.AtMost(0.25), Data: e.data, Figure: "evidence",
		Reason: fmt.Sprintf("the difference is %.2f nats on average, with a standard deviation of %.2f over samples", bias, vary),
	})
	l.Row(record.Row{
		ID: "evidence-bias", What: fmt.Sprintf("the approximation, with its constants, minus the exact log P(x|A): mean at σ = %g, β = %d", evidenceNoise, sharpness),
		Measured: record.Number(bias, "nats a sample"), Spread: vary, SpreadOf: "standard deviation over samples",
		Rule: record.Between(-0.5, 0.5), Data: e.data, Figure: "evidence",
		Reason: "along the one free direction the posterior is piecewise exponential; a Gaussian at its corner is too low by a fraction of a nat",
	})
	return scatter
}

// constantRow tests whether the error of the approximation is the same for all A, as learning A requires. It
// measures how much the mean difference between the approximation and the exact evidence varies between bases.
func (l *Lab) constantRow() {
	bases, p := l.Pick(4, 12, 50), l.Pick(50, 200, 1000)
	var differences, exact []float64
	for k := range bases {
		l.Heed()
		seed := l.Seed + 220 + uint64(k)
		A, err := ica.RandomBasisApart(2, 3, 20, seed)
		lab.Check(err)
		X := ica.NewMixture(A, ica.Laplacian{}, p, 0, seed).X
		truth, err := ica.ExactEvidence(A, X, nil)
		lab.Check(err)
		approx, err := ica.GaussianEvidence(A, X, &ica.GaussianOptions{Noise: evidenceNoise, Sharpness: sharpness})
		lab.Check(err)
		differences, exact = append(differences, approx.Mean-truth.Mean), append(exact, truth.Mean)
	}
	l.Row(record.Row{
		ID: "evidence-constant", What: fmt.Sprintf("this constant does not depend on A: standard deviation over %d random bases of the mean difference, relative to that of the mean log P", bases),
		Published: blog.Quote("log P(x|A) ≈ const. + log P(ŝ) − …", "Derivation of Approximation"),
		Measured:  record.Number(stat.StdDev(differences, nil)/stat.StdDev(exact, nil), ""), Rule: record.AtMost(0.25),
		Data: record.Generated(fmt.Sprintf("%d mixtures of 3 Laplacian sources for each basis", p)), Seeds: seedList(l.Seed+220, bases),
		Reason: fmt.Sprintf("the mean difference is %.2f nats, with a standard deviation of %.2f over bases; that of the mean log P is %.2f", stat.Mean(differences, nil), stat.StdDev(differences, nil), stat.StdDev(exact, nil)),
	})
}

// turningColumn compares the exact evidence with its Gaussian approximation, both as functions of the direction of one
// column. It draws these functions for one data set, and measures the distance between their maxima on several.
func (l *Lab) turningColumn(e *evidences) *figure.Figure {
	turn := figure.New("Rotating one column", "degrees from the truth", "log P minus its maximum")
	step := float64(l.Pick(7, 2, 1))
	draws, p := l.Pick(2, 8, 20), l.Pick(50, 300, 1000)
	var apart, signed []float64
	for k := range draws {
		X := e.X
		if k > 0 {
			X = ica.NewMixture(e.A, ica.Laplacian{}, p, 0, l.Seed+240+uint64(k)).X
		}
		var deg, exact, gaussian []float64
		for d := -28.0; d <= 28; d += step {
			l.Heed()
			B := mat.DenseCopyOf(e.A)
			sin, cos := math.Sincos((150 + d) * math.Pi / 180)
			B.Set(0, 1, cos)
			B.Set(1, 1, sin)
			truth, err := ica.ExactEvidence(B, X, nil)
			lab.Check(err)
			approx, err := ica.GaussianEvidence(B, X, &ica.GaussianOptions{Noise: evidenceNoise, Sharpness: sharpness})
			lab.Check(err)
			deg, exact, gaussian = append(deg, d), append(exact, truth.Mean), append(gaussian, approx.Mean)
		}
		if k == 0 {
			turn.Lines("exact", deg, below(exact, floats.Max(exact))).Lines("Gaussian", deg, below(gaussian, floats.Max(gaussian)))
		}
		d := peak(deg, gaussian) - peak(deg, exact)
		signed, apart = append(signed, d), append(apart, math.Abs(d))
	}
	l.Row(record.Row{
		ID: "evidence-maximum", What: "the approximation leads to the same basis: distance between the two maxima as one column is rotated, mean over data sets",
		Published: blog.Quote("log P(x|A) ≈ const. + log P(ŝ) − …", "Derivation of Approximation"),
		Measured:  record.Number(stat.Mean(apart, nil), "degrees"), Spread: stat.StdErr(stat.StdDev(apart, nil), float64(draws)), SpreadOf: fmt.Sprintf("standard error of %d data sets", draws),
		Rule: record.AtMost(5), Data: e.data, Figure: "evidence", Seeds: append([]uint64{l.Seed + 200}, seedList(l.Seed+241, draws-1)...),
		Reason: fmt.Sprintf("the mean signed distance is %.1f ± %.1f degrees (0 would mean no bias to one side). The approximation is much flatter at its maximum, so the same samples move its maximum farther", stat.Mean(signed, nil), stat.StdErr(stat.StdDev(signed, nil), float64(draws))),
	})
	return turn
}

// peak returns the position of the maximum of a parabola through the largest value and its two neighbors. If
// the largest value is at an end of the range, peak returns that end.
func peak(x, y []float64) float64 {
	i := floats.MaxIdx(y)
	if i == 0 || i == len(y)-1 {
		return x[i]
	}
	l, m, r := y[i-1], y[i], y[i+1]
	return x[i] + (x[i+1]-x[i])*(l-r)/(2*(l-2*m+r))
}

// gradientSizes compares the terms of the approximation's gradient as the noise decreases.
func (l *Lab) gradientSizes(e *evidences) *figure.Figure {
	B := ica.PerturbBasis(e.A, 10, l.Seed+201)
	var sigmas, dropped, kept []float64
	for _, s := range []float64{0.4, 0.2, 0.1, 0.05, 0.025, 0.0125, 0.00625} {
		l.Heed()
		g := gradientTerms(B, e.X, s)
		sigmas, dropped, kept = append(sigmas, s), append(dropped, g.third), append(kept, g.noise)
	}
	terms := figure.New("Terms of the gradient", "noise σ", "relative size").LogX().LogY()
	terms.Marked("noise term, λ r ŝᵀ", sigmas, kept).Marked("dropped term", sigmas, dropped)

	last := len(sigmas) - 1
	l.Row(record.Row{
		ID: "evidence-gradient-terms", What: fmt.Sprintf("the noise term −λ/2 ‖x − Aŝ‖² has no gradient with respect to A: norm of its gradient relative to the whole gradient, σ = %g", sigmas[3]),
		Published: blog.Quote("There’s no gradient w.r.t. A from this term.", "Learning Rule, second term"),
		Measured:  record.Number(kept[3], ""), Rule: record.AtMost(0.1), Data: e.data, Figure: "evidence",
		Reason: "ŝ maximizes log P(ŝ) − λ/2‖x − Aŝ‖², so by the envelope theorem the gradient of this sum comes from the noise term alone. With r = x − Aŝ and λAᵀr = −z at the maximum, it equals the post's first term, −Wᵀzŝᵀ",
	})
	l.Row(record.Row{
		ID: "evidence-y-vanishes", What: fmt.Sprintf("the term with y vanishes for large λ: ratio of its relative size at σ = %g to that at σ = %g", sigmas[last], sigmas[0]),
		Published: blog.Quote("if log P(s) and its derivatives are smooth, y vanishes for large λ", "Learning Rule, third term"),
		Measured:  record.Number(dropped[last]/dropped[0], ""), Rule: record.AtMost(0.1), Data: e.data, Figure: "evidence",
		Reason: "in the null space of A (n > m), H does not grow with λ. There the curvature of the rounded prior alone determines the posterior, and this curvature changes with A for any λ",
	})
	return terms
}

// gradientParts holds the sizes of the three terms of the gradient in gradientTerms: the Frobenius norm of each,
// divided by that of the whole gradient. The norms are taken after averaging over the samples.
type gradientParts struct{ noise, volume, third float64 }

// gradientTerms splits the gradient of the Gaussian approximation at A into three terms, and returns their relative
// sizes. The first two, in the fields noise and volume, are
//
//	λ r ŝᵀ  and  −λ A H⁻¹,   with r = x − Aŝ, H = λAᵀA + B, λ = 1/σ².
//
// B is the diagonal matrix of the prior's curvatures at ŝ. The field third is for the remainder of the gradient, which
// is the term that the post drops.
func gradientTerms(A, X *mat.Dense, sigma float64) gradientParts {
	e, err := ica.GaussianEvidence(A, X, &ica.GaussianOptions{Noise: sigma, Sharpness: sharpness, Gradient: true})
	lab.Check(err)
	prior := ica.SmoothLaplacian{Scale: 1, Sharpness: sharpness}
	lambda := 1 / (sigma * sigma)
	m, n := A.Dims()
	_, p := X.Dims()
	var R mat.Dense // m×p
	R.Mul(A, e.S)
	R.Sub(X, &R)
	first := mat.NewDense(m, n, nil)
	first.Mul(&R, e.S.T())
	first.Scale(lambda/float64(p), first)

	second := mat.NewDense(m, n, nil)
	var gram mat.Dense
	gram.Mul(A.T(), A)
	gram.Scale(lambda, &gram)
	for j := range p {
		H := mat.DenseCopyOf(&gram)
		for i := range n {
			H.Set(i, i, H.At(i, i)+prior.Curvature(e.S.At(i, j)))
		}
		var inv, AH mat.Dense
		lab.Check(inv.Inverse(H))
		AH.Mul(A, &inv)
		second.Add(second, &AH)
	}
	second.Scale(-lambda/float64(p), second)

	var rest mat.Dense
	rest.Sub(e.Grad, first)
	rest.Sub(&rest, second)
	whole := mat.Norm(e.Grad, 2)
	return gradientParts{mat.Norm(first, 2) / whole, mat.Norm(second, 2) / whole, mat.Norm(&rest, 2) / whole}
}

// determinantRow checks the sign of the determinant of the Hessian of log P(s) + log P(x|A, s) with respect to s. The
// determinant should be positive for an even number of columns of A, and negative for an odd number.
func (l *Lab) determinantRow() {
	prior := ica.SmoothLaplacian{Scale: 1, Sharpness: sharpness}
	const lambda = 400
	holds, seen := true, ""
	for n := 2; n <= 5; n++ {
		A := ica.EvenBasis(n, 90)
		mix := ica.NewMixture(A, ica.Laplacian{}, 1, 0, l.Seed+210)
		var H mat.Dense // the Hessian of log P(s) + log P(x|A,s), which is negative definite
		H.Mul(A.T(), A)
		H.Scale(-lambda, &H)
		for i := range n {
			H.Set(i, i, H.At(i, i)-prior.Curvature(mix.S.At(i, 0)))
		}
		d := mat.Det(&H)
		holds = holds && (d > 0) == (n%2 == 0)
		sign := "+"
		if d < 0 {
			sign = "−"
		}
		seen += fmt.Sprintf("n = %d: %s  ", n, sign)
	}
	l.Row(record.Row{
		ID: "evidence-determinant", What: "the Hessian's determinant is positive for even n and negative for odd n, so |det| belongs in the formula",
		Published: blog.Quote("Where |K| is explicitly the absolute value of the determinant of H, and not the determinant of H, as the paper suggests.", "Derivation of Approximation"),
		Measured:  record.Bool(holds, seen), Rule: record.Holds(), Data: record.Generated("one sample for each n"),
		Reason: "correct, but the paper's H is minus the Hessian, so its formula holds as printed",
	})
}

// below returns v with max subtracted from each value.
func below(v []float64, max float64) []float64 {
	out := slices.Clone(v)
	floats.AddConst(-max, out)
	return out
}
