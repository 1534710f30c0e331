package lecturepca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// smallFaces returns at most n generated faces of 16 × 16 pixels (8 × 8 at size smoke), for experiments with many
// steps. The second result describes these data, for the rows.
func (l *Lab) smallFaces(n int) (*mat.Dense, record.Data) {
	f := l.Pick(4, 2, 2)
	X := lab.First(lab.Shrink(l.generatedSet().X, Side, Side, f), n)
	r, _ := X.Dims()
	return X, record.Generated(fmt.Sprintf("%d faces averaged to %d × %d", r, Side/f, Side/f))
}

// Probabilistic compares probabilistic PCA with PCA as σ² goes to 0.
func (l *Lab) Probabilistic() *figure.Figure {
	X, data := l.smallFaces(l.Pick(200, 1000, 1000))
	const k = 10
	p, err := pca.FitProbabilistic(l.Context(), X, k)
	lab.Check(err)
	m := fit(l.Context(), X, &pca.Options{Components: k})
	target := m.Project(X, k)
	size := math.Sqrt(m.Total)
	var s2, off []float64
	for e := 0; e >= -10; e-- {
		v := p.Sigma2 * math.Pow(10, float64(e))
		var d mat.Dense
		d.Sub(p.WithNoise(v).Project(X), target)
		s2, off = append(s2, v), append(off, mat.Norm(&d, 2)/size)
	}
	n := len(off) - 1
	heading := "Can be derived with MLE for params μ, W"
	l.Row(record.Row{
		ID: "ppca-limit", What: "probabilistic PCA: distance of its reconstruction from PCA's as a fraction of ‖X̄‖, at the maximum-likelihood σ² and at 1e-10 of it",
		Published: slides.Quote("Can be derived with MLE for params μ,W, assuming p(x ∈ ℝ^d) = N(μ + xW; Iσ²), for σ² → 0 and W ∈ ℝ^{d×k}", heading),
		Measured:  record.Bool(off[n] < 1e-8 && off[n] < 1e-6*off[0], fmt.Sprintf("%.2g and %.1g", off[0], off[n])), Rule: record.Holds(), Data: data, Figure: "ppca",
		Reason: "the slide's mean is μ + xW; in terms of the latent z it is μ + Wz",
	})
	l.Row(record.Row{
		ID: "ppca-same-space", What: "the maximum-likelihood W spans PCA's subspace: largest angle",
		Measured: record.Number(pca.LargestAngle(p.W, m.Components), "degrees"), Rule: record.AtMost(1e-6), Data: data, Repeat: 1e-6,
	})
	em, err := pca.FitProbabilisticEM(l.Context(), X, k, &pca.EMOptions{MaxIterations: l.Pick(500, 500, 5000), Seed: l.Seed, Tolerance: 1e-12})
	lab.Check(ended.Accept(err)) // the row shows how far it got
	gap := (p.LogLikelihood - em.LogLikelihood) / math.Abs(p.LogLikelihood)
	l.Row(record.Row{
		ID: "ppca-em", What: "EM from a random W: relative gap between its log likelihood and that of the closed form",
		Measured: record.Number(gap, ""), Rule: record.Between(-1e-12, 1e-3), Data: data, Repeat: 1e-3,
		Reason: fmt.Sprintf("%d steps, largest angle to PCA's subspace %.2g degrees", len(em.History)-1, pca.LargestAngle(em.W, m.Components)),
	})
	f := figure.New("Probabilistic PCA becomes PCA as σ² → 0", "σ²", "relative distance")
	decades(f.Marked("", s2, off).LogX())
	l.Save("ppca", "Distance between the reconstructions of probabilistic PCA and PCA as a fraction of ‖X̄‖. The posterior mean is shrunk toward the mean of the data; for small σ² the shrinkage is proportional to σ². The rightmost point is the maximum-likelihood σ².", f)
	return f
}

// Autoencoder trains a linear network with one hidden layer on faces.
func (l *Lab) Autoencoder() *figure.Grid {
	X, data := l.smallFaces(l.Pick(200, 1000, 1000))
	const k = 8
	m := fit(l.Context(), X, nil)
	_, d := X.Dims()
	n, _ := X.Dims()
	Qk := mat.DenseCopyOf(m.Components.Slice(0, d, 0, k))
	ae, err := FitAutoencoder(l.Context(), X, k, &AutoencoderOptions{MaxIterations: l.Pick(1500, 3000, 3000), Seed: l.Seed, Reference: Qk})
	lab.Check(ended.Accept(err)) // the row shows how far it got
	best := math.Pow(m.DiscardedLoss(k), 2) / float64(2*n)
	last := ae.Angle[len(ae.Angle)-1]
	// Compare the hidden layer with the scores: the angle between the spaces that their columns span.
	hidden := pca.LargestAngle(ae.Transform(X), m.Scores(X).Slice(0, n, 0, k))
	heading := "PCA from neural networks!"
	l.Row(record.Row{
		ID: "autoencoder-subspace", What: fmt.Sprintf("linear autoencoder, %d hidden units, trained by conjugate gradients: largest angle between decoder and PCA axes, and between hidden layer and PCA scores", k),
		Published: slides.Quote("Special kind of neural network, called an autoencoder recovers the same subspace as PC-k.", heading),
		Measured:  record.Bool(math.Max(last, hidden) < 0.05, fmt.Sprintf("%.1g and %.1g degrees after %d steps", last, hidden, len(ae.History)-1)), Rule: record.Holds(), Data: data, Figure: "autoencoder",
		Reason: fmt.Sprintf("the encoder's weights span a subspace %.2g degrees from PCA's: in directions of small variance they converge slowly, with little effect on the loss", pca.LargestAngle(ae.A, Qk)),
	})
	l.Row(record.Row{
		ID: "autoencoder-loss", What: "linear autoencoder: loss divided by PCA's", Measured: record.Number(ae.Loss/best, ""), Rule: record.Between(1-1e-9, 1+1e-4), Data: data, Figure: "autoencoder", Repeat: 1e-4,
	})
	// The decoder's columns: how orthogonal are they, and how close to axes?
	G := gram(ae.B)
	var skew float64
	for i := range k {
		for j := range i {
			skew = math.Max(skew, math.Abs(G.At(i, j))/math.Sqrt(G.At(i, i)*G.At(j, j)))
		}
	}
	l.Row(record.Row{
		ID: "autoencoder-other-vectors", What: "linear autoencoder: the decoder's columns are another basis of PCA's subspace, largest cosine between two of them (0 for principal axes)",
		Published: slides.Quote("although W may correspond to different eigenvectors that span the same space", heading),
		Measured:  record.Bool(skew > 0.05, fmt.Sprintf("%.2f", skew)), Rule: record.Holds(), Data: data,
		Reason: "they are not eigenvectors: any invertible linear transformation of the axes gives the same loss",
	})
	x := make([]float64, len(ae.History))
	excess := make([]float64, len(ae.History))
	angle := make([]float64, len(ae.History))
	for i := range x {
		x[i] = float64(i)
		excess[i] = math.Max(ae.History[i]/best-1, 1e-16)
		angle[i] = math.Max(ae.Angle[i], 1e-12)
	}
	a := figure.New("Excess loss over PCA", "step", "excess").Lines("", x, excess)
	b := figure.New("Angle to PCA's subspace", "step", "degrees").Lines("", x, angle)
	decades(a)
	decades(b)
	g := figure.NewGrid("A linear autoencoder finds PCA's subspace", 2, a, b).Size(3.6, 2.8)
	l.Save("autoencoder", "Excess: loss / PCA's loss − 1. The weights are trained by conjugate gradients from a random start, without using the axes. The excess falls as the square of the angle.", g)
	l.Rounded("autoencoder")
	return g
}

// Regression draws three lines through a cloud of points: the first principal axis, the regression of y on x, and the
// regression of x on y.
func (l *Lab) Regression() *figure.Figure {
	n := l.Pick(100, 200, 200)
	X := ellipse(n, 2, 1, 40, l.Seed+3)
	lines, err := pca.FitLines(X)
	lab.Check(err)
	y, p, x := lines.YonX, lines.TLS, lines.XonY
	data := record.Generated(fmt.Sprintf("%d points of a Gaussian in the plane", n))
	between := math.Abs(y.Slope) < math.Abs(p.Slope) && math.Abs(p.Slope) < math.Abs(x.Slope)
	wins := y.Vertical < p.Vertical && p.Orthogonal < y.Orthogonal && p.Orthogonal < x.Orthogonal && x.Horizontal < p.Horizontal
	l.Row(record.Row{
		ID: "not-regression", What: "slopes of three lines (regression of y on x, first principal axis, regression of x on y): each line is best for its own residual, and the axis lies in between",
		Published: slides.Quote("PCA is not linear regression", "PCA is not linear regression"),
		Measured:  record.Bool(between && wins, fmt.Sprintf("%.3f, %.3f, %.3f", y.Slope, p.Slope, x.Slope)), Rule: record.Holds(), Data: data, Figure: "regression",
	})
	f := figure.New("PCA is not linear regression", "x", "y")
	f.Use(figure.Gray).Scatter("", mat.Col(nil, 0, X), mat.Col(nil, 1, X))
	f.Use(figure.Blue)
	lo, hi := lines.X-5, lines.X+5
	ends := func(b pca.Line) ([]float64, []float64) {
		u, v := lo, hi
		if math.Abs(b.Slope) > 1 {
			u, v = lines.X-5/math.Abs(b.Slope), lines.X+5/math.Abs(b.Slope)
		}
		return []float64{u, v}, []float64{b.At(u, lines.X, lines.Y), b.At(v, lines.X, lines.Y)}
	}
	for _, b := range []pca.Line{y, p, x} {
		ex, ey := ends(b)
		f.Lines(b.Name, ex, ey)
	}
	f.Equal = true
	l.Save("regression", "Regression of y on x measures residuals vertically, and regression of x on y horizontally. The first principal axis measures them perpendicular to the line, and treats both variables alike.", f)
	return f
}

// EckartYoung compares the truncated SVD with other matrices of the same rank.
func (l *Lab) EckartYoung() *figure.Figure {
	X, data := l.smallFaces(l.Pick(100, 300, 300))
	const k = 10
	count := l.Pick(10, 30, 100)
	c, err := EckartYoung(subtractMean(X), k, count, l.Seed)
	lab.Check(err)
	all := slices.Concat(c.Random, c.Perturbed, c.Optimized)
	heading := "\"Eckart Young theorem\" 1936"
	nearest := slices.Min(all) / c.Best
	l.Row(record.Row{
		ID: "eckart-young", What: fmt.Sprintf("%d other matrices of rank %d, a third of them locally optimized: smallest error divided by that of the truncated SVD", len(all), k),
		Published: slides.Quote("The SVD \"k-reconstruction\" produces the best k-rank approximation by the matrix norm, ‖X − X_recon-k‖_F.", heading),
		Measured:  record.Bool(nearest > 1-1e-12, fmt.Sprintf("%.10f", nearest)), Rule: record.Holds(), Data: data, Figure: "eckart-young",
		Reason: "the theorem says that none is better; a search can fail to refute this, but cannot prove it",
	})
	l.Row(record.Row{
		ID: "eckart-young-tail", What: "error of the truncated SVD and √(σ²_{k+1} + ..): relative difference",
		Measured: record.Bool(math.Abs(c.Best/c.Tail-1) < 1e-10, fmt.Sprintf("%.1g", math.Abs(c.Best/c.Tail-1))), Rule: record.Holds(), Data: data, Figure: "eckart-young",
	})
	l.Row(record.Row{
		ID: "eckart-young-norms", What: fmt.Sprintf("%d other matrices B of rank %d: largest amount by which any σ_i(X − B) is below σ_{i+%d}(X), as a fraction of σ₁", 2*count, k, k),
		Published: slides.Quote("Later rediscovered by Eckart & Young 1936, also generalized to other norms..", heading),
		Measured:  record.Number(l.mostBelow(subtractMean(X), k, count), ""), Rule: record.AtMost(1e-12), Data: data,
		Reason: "the residual of the truncated SVD has exactly the singular values σ_{i+k}(X). A residual whose singular values are all at least as large is at least as large in any norm that grows with them: spectral, nuclear or Frobenius (Mirsky, 1960)",
	})
	ratio := func(v []float64) (x, y []float64) {
		v = slices.Sorted(slices.Values(v))
		for i, e := range v {
			x, y = append(x, float64(i+1)), append(y, math.Max(e/c.Best-1, 1e-16))
		}
		return x, y
	}
	f := figure.New(fmt.Sprintf("Rank %d: no matrix beats the truncated SVD", k), "competitor, ranked by error", "excess")
	for _, s := range []struct {
		name string
		v    []float64
	}{{"random subspaces", c.Random}, {"perturbed SVD subspaces", c.Perturbed}, {fmt.Sprintf("random start, %d least-squares rounds", c.Steps), c.Optimized}} {
		x, y := ratio(s.v)
		f.Marked(s.name, x, y)
	}
	decades(f)
	l.Save("eckart-young", "Excess: error / error of the truncated SVD − 1. With enough rounds of alternating least squares, the excess approaches 0 from above.", f)
	return f
}

// mostBelow tests a lower bound: if B has rank k, then singular value i of X − B is at least singular value i + k of
// X. mostBelow returns the largest amount by which a singular value of X − B is below its bound, relative to the
// largest singular value of X.
//
// The matrices B are projections of X on 2·count subspaces of dimension k. Half of the subspaces are random; each of
// the others is a perturbation of the span of the first k right singular vectors of X.
func (l *Lab) mostBelow(X *mat.Dense, k, count int) float64 {
	var svd mat.SVD
	if !svd.Factorize(X, mat.SVDThin) {
		panic("lecturepca: no singular value decomposition")
	}
	var V mat.Dense
	svd.VTo(&V)
	sigma := svd.Values(nil)
	d, _ := V.Dims()
	rng := rand.New(rand.NewPCG(l.Seed, 0xe1))
	most := math.Inf(-1)
	for c := range 2 * count {
		G := mat.NewDense(d, k, nil)
		G.Apply(func(i, j int, _ float64) float64 {
			if c < count {
				return rng.NormFloat64()
			}
			return V.At(i, j) + 0.1*rng.NormFloat64()/math.Sqrt(float64(d))
		}, G)
		var qr mat.QR
		qr.Factorize(G)
		var Q, XQ, B mat.Dense
		qr.QTo(&Q)
		basis := Q.Slice(0, d, 0, k)
		XQ.Mul(X, basis)      // n×d · d×k
		B.Mul(&XQ, basis.T()) // n×k · k×d
		B.Sub(X, &B)
		if !svd.Factorize(&B, mat.SVDNone) {
			panic("lecturepca: no singular value decomposition")
		}
		for i, s := range svd.Values(nil)[:len(sigma)-k] {
			most = max(most, (sigma[i+k]-s)/sigma[0])
		}
	}
	return most
}

// Denoise adds noise to faces and removes it again by keeping only a few axes.
func (l *Lab) Denoise() *figure.Figure {
	s := l.faceSet()
	X := lab.First(s.X, l.Pick(250, 2000, 5000))
	n, d := X.Dims()
	lo, hi := span(X)
	noise := 0.15 * (hi - lo)
	rng := rand.New(rand.NewPCG(l.Seed, 0xde))
	Y := mat.DenseCopyOf(X)
	for i := range n {
		row := Y.RawRowView(i)
		for j := range row {
			row[j] += noise * rng.NormFloat64()
		}
	}
	m := fit(l.Context(), Y, &pca.Options{Components: min(300, n-1)})
	rms := func(A *mat.Dense) float64 {
		var e mat.Dense
		e.Sub(A, X)
		return mat.Norm(&e, 2) / math.Sqrt(float64(n*d)) / noise
	}
	ks := []int{1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300}
	var x, y []float64
	for _, k := range ks {
		if k <= m.K() {
			x, y = append(x, float64(k)), append(y, rms(m.Project(Y, k)))
		}
	}
	best := slices.Min(y)
	at := int(x[slices.Index(y, best)])
	l.Row(record.Row{
		ID: "denoise", What: "noisy faces: root-mean-square error of the reconstruction at the best k, divided by the noise's standard deviation",
		Published: slides.Quote("To denoise the data, or remove systematic artifacts", why),
		Measured:  record.Bool(best < 0.9, fmt.Sprintf("%.2f at k = %d", best, at)), Rule: record.Holds(), Data: s.Data, Figure: "denoise",
		Reason: "axes computed from the noisy faces only; the best k chosen with the clean faces",
	})
	f := figure.New("Denoising", "k", "error / noise").Marked("reconstruction from k axes of the noisy faces", x, y)
	f.Use(figure.Black).HLine("noisy faces", 1)
	f.Y.Min = 0
	l.Save("denoise", "Root-mean-square error divided by the noise's standard deviation. Too few axes lose the face; too many bring back the noise.", f)
	return f
}
