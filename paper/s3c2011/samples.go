package s3c2011

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c/s3cplot"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Samples draws patches sampled from the model, next to real ones.
func (l *Lab) Samples() *figure.Grid {
	m := l.Model()
	const shown, columns = 96, 12
	n := l.Pick(1000, 5000, 5000)
	x, err := m.Sample(n, l.Seed+3)
	lab.Check(err)
	patches := l.HeldOut(n)
	var hs, made mat.Dense // made is W(h∘s), without the model's noise
	hs.MulElem(x.H, x.S)
	made.Mul(&hs, m.W.T()) // (n×N)(N×D)
	panel := func(title string, V *mat.Dense) *figure.Figure {
		return s3cplot.Tiles(lab.First(V, shown), side, side, l.tiles(title, columns, true), "")
	}
	g := figure.NewGrid("Samples of the model and real patches", 3,
		panel("patches of test images", patches), panel("samples of the model", x.V), panel("the same samples without noise", &made)).Size(3.2, 2.6)
	squares := func(V *mat.Dense) float64 {
		s := mat.Norm(V, 2)
		return s * s / float64(n) / float64(V.RawMatrix().Cols)
	}
	ratio := squares(x.V) / squares(patches)
	p := l.Photographs()
	_, N := m.Dims()
	on := mat.Sum(x.H) / float64(n)
	l.Save("samples", fmt.Sprintf("Left: real patches with normalized contrast. Middle: samples of the model with %d units, of which %.1f are on per sample on average, with the whitening undone. Right: W(hs) of the same samples. Gray is 0, and each patch is scaled to its own range. The model draws its units independently of each other. Data: %v.", N, on, p.Data), g)
	rule := record.Between(0.3, 3) // few units learned from few patches
	if l.Full() {
		rule = record.Between(0.8, 1.25)
	}
	l.Row(record.Row{
		ID: "samples-variance", What: fmt.Sprintf("%d samples of the model and as many whitened patches of test images: mean square of the samples divided by that of the patches", n),
		Measured: record.Number(ratio, ""), Rule: rule, Data: p.Data, Figure: "samples", Repeat: 0.02,
		Reason: fmt.Sprintf("%.3f and %.3f", squares(x.V), squares(patches)),
	})
	return g
}
