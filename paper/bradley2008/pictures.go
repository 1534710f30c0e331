package bradley2008

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
)

// Atoms shows columns of the basis as pictures, beginning with those that L1 codes use most.
func (l *Lab) Atoms() *figure.Figure {
	d, B, s := l.Digits(), l.Basis(), l.Settings()
	W := CodeL1(l.Context(), B, d.Train.First(l.Pick(100, 500, 2000)).X, s.L1Lambda)
	n, _ := W.Dims()
	use, order := make([]float64, n), ints(0, n)
	for j := range n {
		for _, w := range W.RawRowView(j) {
			use[j] += math.Abs(w)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, use[b]-use[a])) })
	order = order[:min(n, 128)]
	chosen := mat.NewDense(Dimensions, len(order), nil)
	for k, j := range order {
		chosen.SetCol(k, mat.Col(nil, j, B))
	}
	f := gallery.Signed(fmt.Sprintf("%d of %d atoms", len(order), n), d.Pixels(chosen, false), Side, Side, 16)
	l.Save("atoms", fmt.Sprintf("Columns of B, learned without labels by L1 sparse coding of digits in %d dimensions, most used first. Mid-gray is 0. Data: %v.", Dimensions, d.Data),
		f)
	return f
}

// withArticle returns a capitalized article and the number: "A 3", "An 8", "An 11".
func withArticle(n int) string {
	s := fmt.Sprint(n)
	if s[0] == '8' || n == 11 || n == 18 {
		return "An " + s
	}
	return "A " + s
}

// Decomposition shows a test digit, its reconstructions from L1 and KL codes, and
// the atoms with the largest coefficients in each code.
func (l *Lab) Decomposition(digit int) *figure.Figure {
	d, B, s := l.Digits(), l.Basis(), l.Settings()
	if digit < 0 || digit >= d.Test.N() {
		panic(fmt.Sprintf("bradley2008: there are test digits 0 to %d, not %d", d.Test.N()-1, digit))
	}
	x := d.Test.X.Slice(0, Dimensions, digit, digit+1)
	const shown = 8
	var rows []float64
	var labels []string
	add := func(label string, X mat.Matrix, mean bool) {
		rows, labels = append(rows, d.Pixels(X, mean).RawRowView(0)...), append(labels, label)
	}
	for _, c := range []struct {
		name string
		w    *mat.Dense
	}{{"L1", CodeL1(l.Context(), B, x, s.L1Lambda)}, {"KL", Signed(CodeKL(l.Context(), B, x, s.KLLambda, s.P))}} {
		var r mat.Dense
		r.Mul(B, c.w)
		add("digit", x, true)
		add(c.name, &r, true)
		n, _ := c.w.Dims()
		order := ints(0, n)
		slices.SortStableFunc(order, func(a, b int) int {
			return int(math.Copysign(1, math.Abs(c.w.At(b, 0))-math.Abs(c.w.At(a, 0))))
		})
		for _, j := range order[:shown] {
			v := mat.NewDense(Dimensions, 1, mat.Col(nil, j, B))
			v.Scale(math.Copysign(1, c.w.At(j, 0)), v)
			add(fmt.Sprintf("%+.2f", c.w.At(j, 0)), v, false)
		}
	}
	f := gallery.Figure(mat.NewDense(len(labels), Side*Side, rows), Side, Side, &gallery.Options{Title: fmt.Sprintf("%s as a sum of atoms", withArticle(d.Test.Y[digit])), Columns: shown + 2, Grays: gallery.PerTile, Labels: labels})
	l.Save("decomposition", fmt.Sprintf("Top: L1. Bottom: KL. From left to right: the digit, its reconstruction (the mean digit plus Bŵ), and the atoms with the largest coefficients, each multiplied by the sign of its coefficient. Data: %v.", d.Data),
		f)
	return f
}
