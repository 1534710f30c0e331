// Package pcaplot draws what package pca finds.
//
//	m, err := pca.Fit(ctx, X, nil)
//	pcaplot.Scree(m, "digits")           // the share of each axis
//	pcaplot.Scores(m, "digits", X, 0, 1) // the points on the first two axes
//	pcaplot.Biplot(m, "air", X, "temp", "no2") // and the variables' loadings
package pcaplot

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/pca"
)

// Scree returns a figure of each axis's share of the variance, in percent, on a logarithmic scale. It leaves out
// shares below 1e-12, which are only rounding.
func Scree(m *pca.Model, title string) *figure.Figure {
	given.Args("pcaplot: Scree", "m", m)
	var x, y []float64
	for i, r := range m.ExplainedRatio() {
		if r > 1e-12 {
			x, y = append(x, float64(i+1)), append(y, 100*r)
		}
	}
	f := figure.New(title, "axis", "% of the variance")
	if len(x) == 0 {
		return f
	}
	if len(x) <= 40 {
		f.Marked("", x, y).WholeX()
	} else {
		f.Lines("", x, y).LogX()
	}
	return decades(f.LogY())
}

// decades widens a logarithmic vertical axis to whole powers of ten.
func decades(f *figure.Figure) *figure.Figure {
	f.Y.Min = math.Pow(10, math.Floor(math.Log10(f.Y.Min)+1e-9))
	f.Y.Max = math.Pow(10, math.Ceil(math.Log10(f.Y.Max)-1e-9))
	return f
}

// Share returns a figure of the share of the variance that the first k axes have together, in percent, as a function
// of k. k begins at 0.
func Share(m *pca.Model, title string) *figure.Figure {
	given.Args("pcaplot: Share", "m", m)
	x, y := make([]float64, m.K()+1), make([]float64, m.K()+1)
	s := 0.0
	for i, r := range m.ExplainedRatio() {
		s += r
		x[i+1], y[i+1] = float64(i+1), 100*math.Min(1, s)
	}
	f := figure.New(title, "k", "% of the variance in the first k axes").Lines("", x, y)
	f.Y.Min, f.Y.Max = 0, 102
	return f
}

// Loss returns a figure of the reconstruction loss with the first k axes, in percent of ‖X̄‖_F, as a function of k. k
// begins at 0, and X̄ are the data that the model was fitted to.
func Loss(m *pca.Model, title string) *figure.Figure {
	given.Args("pcaplot: Loss", "m", m)
	x, y := make([]float64, m.K()+1), make([]float64, m.K()+1)
	for k := range x {
		x[k] = float64(k)
		if m.Total > 0 {
			y[k] = 100 * m.DiscardedLoss(k) / math.Sqrt(m.Total)
		}
	}
	f := figure.New(title, "k", "loss, % of the data's norm").Lines("", x, y)
	f.Y.Min = 0
	return f
}

// Scores returns a scatter plot of the scores of the rows of X (n×d) on axes i and j; the first axis is number 0.
func Scores(m *pca.Model, title string, X mat.Matrix, i, j int) *figure.Figure {
	given.Args("pcaplot: Scores", "m", m)
	if i < 0 || j < 0 || i >= m.K() || j >= m.K() {
		panic(fmt.Sprintf("pcaplot: Scores: axes %d and %d, the model has %d axes", i, j, m.K()))
	}
	Z := m.Scores(X)
	r := m.ExplainedRatio()
	f := figure.New(title, fmt.Sprintf("axis %d (%.1f %% of the variance)", i+1, 100*r[i]), fmt.Sprintf("axis %d (%.1f %%)", j+1, 100*r[j]))
	return f.Scatter("", mat.Col(nil, i, Z), mat.Col(nil, j, Z))
}

// Biplot returns a figure of the scores of the rows of X (n×d) on the first two axes, with the loadings of the
// variables as arrows. Arrow j points to (V_j1, V_j2) times a factor that the caption gives, where V = m.Components.
// Variables whose arrows point in the same direction rise together. names holds the d names of the variables; without
// names, the arrows are labeled with the variables' numbers.
func Biplot(m *pca.Model, title string, X mat.Matrix, names ...string) *figure.Figure {
	given.Args("pcaplot: Biplot", "m", m)
	if m.K() < 2 {
		panic(fmt.Sprintf("pcaplot: Biplot: the model has %d axis, need 2", m.K()))
	}
	if names == nil {
		for j := range m.D {
			names = append(names, fmt.Sprint(j))
		}
	}
	if len(names) != m.D {
		panic(fmt.Sprintf("pcaplot: Biplot: %d names of %d variables", len(names), m.D))
	}
	f := Scores(m, title, X, 0, 1)
	// The arrows are as long as they can be inside the box of the scores. But if the scores lie to one side of 0, arrows
	// to the other side may leave the box.
	inside, reach, longest := math.Inf(1), math.Max(math.Max(-f.X.Min, f.X.Max), math.Max(-f.Y.Min, f.Y.Max)), 0.0
	for j := range m.D {
		x, y := m.Components.At(j, 0), m.Components.At(j, 1)
		for _, c := range [][3]float64{{x, f.X.Min, f.X.Max}, {y, f.Y.Min, f.Y.Max}} {
			if c[0] != 0 {
				inside = math.Min(inside, math.Max(c[1]/c[0], c[2]/c[0]))
			}
		}
		longest = math.Max(longest, math.Hypot(x, y))
	}
	scale := 1.0
	if reach > 0 && longest > 0 {
		scale = 0.9 * math.Max(inside, reach/longest/3)
	}
	A := mat.NewDense(2, m.D, nil)
	A.Apply(func(i, j int, _ float64) float64 { return scale * m.Components.At(j, i) }, A)
	f.Equal = true
	return f.Use(figure.Vermilion).Vectors("", A, names).By("kernel-helpers/pca/pcaplot.Biplot").Note(fmt.Sprintf("Points: scores. Arrows: loadings times %.3g.", scale))
}

// PrincipalAxes returns a figure of points in the plane, the rows of X (n×2), minus their mean. The principal axes are
// arrows with a length of two standard deviations.
func PrincipalAxes(m *pca.Model, title string, X mat.Matrix) *figure.Figure {
	given.Args("pcaplot: PrincipalAxes", "m", m)
	if m.D != 2 {
		panic(fmt.Sprintf("pcaplot: PrincipalAxes: points of dimension %d", m.D))
	}
	D, err := finite.Dense("X", X)
	if err != nil {
		panic("pcaplot: PrincipalAxes: " + err.Error())
	}
	n, d := D.Dims()
	if d != 2 {
		panic(fmt.Sprintf("pcaplot: PrincipalAxes: X is %d×%d, the model has dimension 2", n, d))
	}
	C := mat.NewDense(n, 2, nil)
	C.Apply(func(_, j int, x float64) float64 { return x - m.Mean[j] }, D)
	var A mat.Dense // columns: axes with a length of two standard deviations
	A.CloneFrom(m.Components)
	for j, v := range m.Variances() {
		for i := range 2 {
			A.Set(i, j, 2*math.Sqrt(v)*A.At(i, j))
		}
	}
	return figure.Cloud(title, mat.DenseCopyOf(C.T())).Basis("principal axes, two standard deviations", &A, 1)
}
