package lecturepca

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// offIdentity returns the largest absolute element of S − I, where S is the sample covariance of Z.
func offIdentity(Z *mat.Dense) float64 {
	n, d := Z.Dims()
	S, err := pca.Scatter(Z)
	lab.Check(err)
	S.ScaleSym(1/float64(n-1), S)
	eye := mat.NewDense(d, d, nil)
	for i := range d {
		eye.Set(i, i, 1)
	}
	return maxDiff(S, eye)
}

// Sphering draws a Gaussian cloud, the cloud rotated to its axes, and the cloud whitened in two ways.
func (l *Lab) Sphering() *figure.Grid {
	n := l.Pick(300, 800, 800)
	X := ellipse(n, 2, 0.6, 35, l.Seed+1)
	m := fit(l.Context(), X, nil)
	w, err := m.Whiten(0)
	lab.Check(err)
	z, err := m.ZCA(0)
	lab.Check(err)
	Z := w.Transform(X)
	heading := "Diagonalizing a MVG (\"sphering\")"
	l.Row(record.Row{
		ID: "sphering-identity", What: "after sphering, the covariance is the identity: largest absolute deviation of an element",
		Published: slides.Quote("make all its contour lines be spheres", heading), Measured: record.Bool(offIdentity(Z) < 1e-12, fmt.Sprintf("%.1g", offIdentity(Z))),
		Rule: record.Holds(), Data: record.Generated(fmt.Sprintf("%d points of a Gaussian in the plane", n)), Figure: "sphering",
	})
	S, err := pca.Scatter(X)
	lab.Check(err)
	var QD, QDQ mat.Dense
	QD.Mul(m.Components, mat.NewDiagDense(2, m.Eigenvalues))
	QDQ.Mul(&QD, m.Components.T())
	off := maxDiff(&QDQ, S) / m.Eigenvalues[0]
	l.Row(record.Row{
		ID: "spectral-theorem", What: "QDQᵀ equals the covariance: largest difference of an element, as a fraction of λ₁",
		Published: slides.Quote("A = QDQᵀ, an \"eigen\" or \"spectral\"-decomposition", "Recall: to diagonalize a MVG distribution"),
		Measured:  record.Bool(off < 1e-13, fmt.Sprintf("%.1g", off)), Rule: record.Holds(),
		Data: record.Generated(fmt.Sprintf("%d points of a Gaussian in the plane", n)),
	})
	// A pitfall: with ε > 0, an axis of variance v gets variance v/(v + ε), not 1.
	eps := m.Variances()[1]
	we, err := m.Whiten(eps)
	lab.Check(err)
	Ze, err := pca.Scatter(we.Transform(X))
	lab.Check(err)
	l.Row(record.Row{
		ID: "sphering-epsilon", What: "with ε equal to the second axis's variance, that axis gets half of the variance it should have",
		Measured: record.Number(Ze.At(1, 1)/float64(n-1), ""), Rule: record.Between(0.499, 0.501),
		Data: record.Generated(fmt.Sprintf("%d points of a Gaussian in the plane", n)),
	})

	panel := func(title string, P *mat.Dense) *figure.Figure {
		f := figure.Cloud(title, mat.DenseCopyOf(P.T()))
		f.Width, f.Height = 0, 0
		f.X.Label.Text, f.Y.Label.Text = "", ""
		// The ellipse of two standard deviations.
		pm := fit(l.Context(), P, nil)
		var ex, ey []float64
		for i := range 101 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 100)
			a, b := 2*math.Sqrt(pm.Variances()[0])*cos, 2*math.Sqrt(pm.Variances()[1])*sin
			ex = append(ex, pm.Mean[0]+a*pm.Components.At(0, 0)+b*pm.Components.At(0, 1))
			ey = append(ey, pm.Mean[1]+a*pm.Components.At(1, 0)+b*pm.Components.At(1, 1))
		}
		f.Use(figure.Vermilion).Lines("", ex, ey)
		return f
	}
	g := figure.NewGrid("Sphering", 4,
		panel("centered data", subtractMean(X)), panel("rotated: XQ", m.Scores(X)),
		panel("rotated and scaled (PCA)", Z), panel("rotated back (ZCA)", z.Transform(X))).Size(2.2, 2.4).SameRange()
	l.Save("sphering", "The curve is the ellipse of two standard deviations at each step. Both whitenings give a round cloud. ZCA rotates it back, so that each point stays as close as possible to its original position.", g)
	return g
}
