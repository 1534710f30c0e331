package nmfimplicit

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Sensitivity shows the five largest coefficients of a face. For each of them it shows the part to which the
// coefficient belongs, and how each pixel of the face would change the coefficient. The argument face is the number of
// the face, counted from 0. Sensitivity panics if there is no such face.
func (l *Lab) Sensitivity(face int) *figure.Grid {
	s := l.set()
	n, _ := s.X.Dims()
	if face < 0 || face >= n {
		panic(fmt.Sprintf("nmfimplicit: no face %d, there are %d", face, n))
	}
	e := l.explain(s, face)
	l.closedFormRow(e)
	l.differencesRow(e)
	return l.sensitivityFigure(e)
}

// shownParts is how many parts Sensitivity shows.
const shownParts = 5

// An explanation holds a face, its coefficients U for the parts W, and the derivatives of the coefficients with respect
// to the pixels of the face.
type explanation struct {
	A, U, W *mat.Dense
	rows    *nmfgrad.Rows
	order   []int // indices of the coefficients, largest coefficient first
	data    record.Data
}

func (l *Lab) explain(s *faceSet, face int) *explanation {
	_, W := l.Parts().Normalized()
	_, k := W.Dims()
	A := mat.DenseCopyOf(s.X.Slice(face, face+1, 0, Side*Side))
	U := coefficients(l.Context(), A, W, nnls.BlockPivoting)
	rows := must.Get(nmfgrad.RowsAt(A, U, W, &nmfgrad.Options{Degenerate: nmfgrad.KeepZero}))

	order := make([]int, k)
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, func(a, b int) int {
		if U.At(0, a) > U.At(0, b) {
			return -1
		}
		return 1
	})
	return &explanation{A, U, W, rows, order, s.Data}
}

// gradient returns ∂u_t/∂a, the derivative of coefficient t with respect to the pixels of the face.
func (e *explanation) gradient(t int) []float64 {
	_, k := e.U.Dims()
	one := mat.NewDense(1, k, nil)
	one.Set(0, t, 1)
	g, _, _, err := e.rows.VJP(one)
	lab.Check(err)
	return g.RawRowView(0)
}

// closedFormRow adds the row that compares the derivatives with their closed form: the derivative of coefficient t is
// a row of the pseudo-inverse of W_S, which consists of the columns of W whose coefficients are positive.
func (l *Lab) closedFormRow(e *explanation) {
	_, k := e.U.Dims()
	var support []int
	for t := range k {
		if e.rows.U.At(0, t) > 0 {
			support = append(support, t)
		}
	}
	WS := mat.NewDense(Side*Side, len(support), nil)
	for c, t := range support {
		WS.SetCol(c, mat.Col(nil, t, e.W))
	}
	var inverse mat.Dense
	lab.Check(inverse.Solve(gram(WS), WS.T()))
	closed := 0.0
	for c, t := range support {
		g := e.gradient(t)
		diff := floats.Distance(g, inverse.RawRowView(c), 2) / floats.Norm(g, 2)
		closed = math.Max(closed, diff)
	}
	l.Row(record.Row{
		ID: "fixed-closed-form", What: fmt.Sprintf("W fixed: ∂u/∂a of a face for the %d parts in use is the pseudo-inverse of these columns of W, largest relative difference", len(support)),
		Measured: record.Bool(closed < 1e-8, fmt.Sprintf("%.1g", closed)), Rule: record.Holds(), Data: e.data,
		Reason: "with the concepts fixed, the derivative needs no gauge and no iterations, only one system of at most k × k per row",
	})
}

// differencesRow adds the row that compares the derivatives with central differences, at randomly drawn pixels.
func (l *Lab) differencesRow(e *explanation) {
	rng := l.stream(30)
	const h = 1e-6
	worst := 0.0
	for range l.Pick(8, 30, 100) {
		j := rng.IntN(Side * Side)
		at := func(step float64) *mat.Dense {
			B := mat.DenseCopyOf(e.A)
			B.Set(0, j, B.At(0, j)+step)
			return coefficients(l.Context(), B, e.W, nnls.LawsonHanson)
		}
		up, down := at(h), at(-h)
		for _, t := range e.order[:shownParts] {
			g := e.gradient(t)
			worst = math.Max(worst, math.Abs(g[j]-(up.At(0, t)-down.At(0, t))/(2*h))/floats.Norm(g, math.Inf(1)))
		}
	}
	l.Row(record.Row{
		ID: "fixed-differences", What: "W fixed: ∂u/∂a of the five largest coefficients of a face, at random pixels, against central differences (active-set method): largest error relative to the largest derivative of the same coefficient",
		Measured: record.Number(worst, ""), Rule: record.AtMost(1e-5), Data: e.data, Figure: "sensitivity", Repeat: 1e-5,
	})
}

func (l *Lab) sensitivityFigure(e *explanation) *figure.Grid {
	parts, pixels := mat.NewDense(shownParts+1, Side*Side, nil), mat.NewDense(shownParts+1, Side*Side, nil)
	parts.SetRow(0, e.A.RawRowView(0))
	var cosine []float64
	labels := []string{"face"}
	below := []string{"residual"}
	back := product(e.U, e.W)
	back.Sub(e.A, back)
	pixels.SetRow(0, back.RawRowView(0))
	for i, t := range e.order[:shownParts] {
		part := mat.Col(nil, t, e.W)
		g := e.gradient(t)
		pixels.SetRow(i+1, g)
		cosine = append(cosine, floats.Dot(part, g)/(floats.Norm(part, 2)*floats.Norm(g, 2)))
		floats.Scale(1/floats.Max(part), part)
		parts.SetRow(i+1, part)
		labels = append(labels, fmt.Sprintf("u = %.1f", e.U.At(0, t)))
		below = append(below, fmt.Sprintf("cosine %.2f", cosine[i]))
	}
	slices.Sort(cosine)
	l.Row(record.Row{
		ID: "sensitivity-is-not-part", What: "cosine between a part and the derivative of its coefficient with respect to the pixels: median over the five parts with the largest coefficients",
		Measured: record.Number(cosine[shownParts/2], ""), Rule: record.AtMost(0.9), Data: e.data, Figure: "sensitivity", Repeat: 0.01,
		Reason: "other parts in use can explain some of the same pixels. The derivative contains only what they cannot explain, with negative weights where another part fits better",
	})
	g := figure.NewGrid("Which pixels change a coefficient?", 1,
		gallery.Figure(parts, Side, Side, &gallery.Options{Title: "A face and its five largest parts", Columns: shownParts + 1, Grays: gallery.PerTile, Labels: labels}),
		gallery.Figure(pixels, Side, Side, &gallery.Options{Title: "∂u/∂pixel", Columns: shownParts + 1, Grays: gallery.PerTileSigned, Labels: below})).Size(6.5, 1.55)
	l.Save("sensitivity", fmt.Sprintf("Top: the face and the parts with their coefficients, each image on its own gray scale. Bottom: the residual a − Wu of the face; then, for each part, the derivative of its coefficient (white raises it, black lowers it) and the cosine between derivative and part. Gray is 0, each image on its own scale. Data: %v.", e.data), g)
	return g
}
