// Package iconplot draws the results of package icon.
//
//	r, err := icon.Minimize(ctx, o, nil)
//	iconplot.Loss(r)
//	iconplot.Embedding(r, labels)
//	iconplot.Matrices(o, labels) // p and q
package iconplot

import (
	"context"
	"fmt"
	"sort"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/pca"
)

// Loss plots the loss against the step number.
func Loss(r *icon.Result) *figure.Figure {
	given.Args("iconplot: Loss", "r", r)
	return history("I-Con: the loss", r.History)
}

// ContrastLoss plots the loss of each batch against the step number.
func ContrastLoss(r *icon.ContrastResult) *figure.Figure {
	given.Args("iconplot: ContrastLoss", "r", r)
	return history("SimCLR: the loss", r.History)
}

func history(title string, steps []icon.Step) *figure.Figure {
	y := make([]float64, len(steps))
	for i, s := range steps {
		y[i] = s.Loss
	}
	return figure.New(title, "step", "loss, nats").Series("", y)
}

// Embedding draws the embedding of a fit, with a color for each label; labels may be nil. If there are more
// than two coordinates, it shows the first two principal coordinates.
func Embedding(r *icon.Result, labels []int) *figure.Figure {
	given.Args("iconplot: Embedding", "r", r)
	if r.Embedding == nil {
		panic("iconplot: Embedding: the result has no embedding")
	}
	o := r.Objective
	return Scatter(o.Q.Name(), r.Embedding, labels).
		Note(fmt.Sprintf("%d things after %d steps; p: %s; loss %.4g.", rows(r.Embedding), r.Steps, o.P.Name(), r.Loss))
}

func rows(M mat.Matrix) int { n, _ := M.Dims(); return n }

// Scatter draws the rows of Z (n×k), with a color for each label; labels may be nil. If there are more than
// two columns, it shows the first two principal coordinates.
func Scatter(title string, Z mat.Matrix, labels []int) *figure.Figure {
	D, err := finite.Dense("Z", Z)
	if err != nil {
		panic("iconplot: Scatter: " + err.Error())
	}
	n, k := D.Dims()
	if labels != nil && len(labels) != n {
		panic(fmt.Sprintf("iconplot: Scatter: %d points, %d labels", n, len(labels)))
	}
	switch {
	case k == 1:
		D2 := mat.NewDense(n, 2, nil)
		for i := range n {
			D2.Set(i, 0, D.At(i, 0))
		}
		D = D2
	case k > 2:
		m, err := pca.Fit(context.Background(), D, &pca.Options{Components: 2})
		if err != nil {
			panic("iconplot: Scatter: " + err.Error())
		}
		D = m.Scores(D)
	}
	return figure.Classes(title, mat.Col(nil, 0, D), mat.Col(nil, 1, D), labels, nil)
}

// cells is the largest number of rows and columns in the picture of a matrix. Larger matrices are reduced to this size
// by averaging.
const cells = 200

// Matrices draws p and q as two heat maps with a common color scale, which ends at the 99.5th percentile of the nonzero
// elements of both. The things are sorted by label, or stay in their original order if labels is nil. A matrix with
// more than 200 rows or columns is reduced to that size by averaging.
func Matrices(o *icon.Objective, labels []int) *figure.Grid {
	given.Args("iconplot: Matrices", "o", o)
	P, Q := o.Supervisory(), o.Learned()
	n, m := P.Dims()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if labels != nil {
		if len(labels) != n {
			panic(fmt.Sprintf("iconplot: Matrices: %d things, %d labels", n, len(labels)))
		}
		sort.SliceStable(order, func(a, b int) bool { return labels[order[a]] < labels[order[b]] })
	}
	shrink := func(M *mat.Dense) *mat.Dense {
		r, c := min(n, cells), min(m, cells)
		out, count := mat.NewDense(r, c, nil), mat.NewDense(r, c, nil)
		for i := range n {
			for j := range m {
				col := j
				if m == n {
					col = order[j]
				}
				a, b := i*r/n, j*c/m
				out.Set(a, b, out.At(a, b)+M.At(order[i], col))
				count.Set(a, b, count.At(a, b)+1)
			}
		}
		out.DivElem(out, count)
		return out
	}
	p, q := shrink(P), shrink(Q)
	var values []float64
	for _, M := range []*mat.Dense{p, q} {
		for _, v := range M.RawMatrix().Data {
			if v > 0 {
				values = append(values, v)
			}
		}
	}
	sort.Float64s(values)
	top := values[min(len(values)-1, int(0.995*float64(len(values))))]
	draw := func(title string, M *mat.Dense) *figure.Figure {
		f := figure.HeatmapIn(title, M, 0, top, figure.Sequential)
		if n > cells || m > cells {
			f.HideAxes() // the cell numbers have no meaning
		}
		return f
	}
	g := figure.NewGrid("p and q", 2, draw("p: "+o.P.Name(), p), draw("q: "+o.Q.Name(), q))
	g.Caption = fmt.Sprintf("%d rows i, %d columns j", n, m)
	if labels != nil {
		g.Caption += ", in the order of their labels"
	}
	if n > cells || m > cells {
		g.Caption += "; cells are means"
	}
	g.Caption += "."
	return g
}
