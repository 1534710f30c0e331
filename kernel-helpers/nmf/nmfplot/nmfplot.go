// Package nmfplot draws what package nmf finds.
//
//	r, err := nmf.Fit(ctx, A, &nmf.Options{Components: 49})
//	nmfplot.History(r)       // loss, residuals, sparseness by iteration
//	nmfplot.Parts(r, 32, 32) // the columns of W as pictures
//	nmfplot.Components(r, []string{"no2", "pm25"}) // or as numbers, for variables with names
package nmfplot

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/nmf"
)

// History draws, against the iteration, the unexplained part of A, the residuals of ADMM and the sparseness of the
// factors.
func History(r *nmf.Model) *figure.Grid {
	given.Args("nmfplot: History", "r", r)
	var x, unexplained, primal, dual, su, sw []float64
	for _, s := range r.History {
		x = append(x, float64(s.Iteration))
		unexplained = append(unexplained, 1-s.Explained)
		primal, dual = append(primal, s.Primal), append(dual, s.Dual)
		su, sw = append(su, s.SparsenessU), append(sw, s.SparsenessW)
	}
	loss := figure.New("Loss", "iteration", "")
	if px, py := dropNonPositive(x, unexplained); len(px) > 0 {
		loss.LogY().Lines("1 − explained", px, py)
	}
	panels := []*figure.Figure{loss}
	if r.Method == nmf.ADMM {
		res := figure.New("Residuals of ADMM", "iteration", "")
		for _, c := range []struct {
			name string
			y    []float64
		}{{"primal", primal}, {"dual", dual}} {
			if px, py := dropNonPositive(x, c.y); len(px) > 0 {
				res.LogY().Lines(c.name, px, py)
			}
		}
		panels = append(panels, res)
	}
	sparse := figure.New("Sparseness", "iteration", "").Lines("U", x, su).Lines("W", x, sw)
	panels = append(panels, sparse)
	n, k := r.U.Dims()
	d, _ := r.W.Dims()
	return figure.NewGrid(fmt.Sprintf("NMF by %v, %v loss", r.Method, r.Loss), len(panels), panels...).
		Note(fmt.Sprintf("%d×%d in %d components, %v after %d iterations: %.2f %% explained, KKT residual %.2g. Sparseness is Hoyer's.", n, d, k, r.Status, r.Iterations, 100*r.Explained, r.KKT))
}

// dropNonPositive drops the points that a logarithmic axis cannot show.
func dropNonPositive(x, y []float64) (px, py []float64) {
	for i, v := range y {
		if v > 0 && !math.IsInf(v, 1) {
			px, py = append(px, x[i]), append(py, v)
		}
	}
	return px, py
}

// Parts draws the columns of W as pictures of h rows and w columns, in the order of Normalized. Each has its
// own gray scale, with black for 0.
func Parts(r *nmf.Model, h, w int) *figure.Figure {
	given.Args("nmfplot: Parts", "r", r)
	if d, _ := r.W.Dims(); d != h*w {
		panic(fmt.Sprintf("nmfplot: Parts: W has %d rows, pictures of %d×%d need %d", d, h, w, h*w))
	}
	_, W := r.Normalized()
	d, k := W.Dims()
	for t := range k { // white is the largest element of each column; black is 0, not the smallest element
		if m := mat.Max(W.ColView(t)); m > 0 {
			for j := range d {
				W.Set(j, t, W.At(j, t)/m)
			}
		}
	}
	columns := 1
	for columns*columns < k {
		columns++
	}
	return gallery.Figure(W.T(), h, w, &gallery.Options{Title: "Parts", Columns: columns, Grays: gallery.Range, Lo: 0, Hi: 1}).
		Note(fmt.Sprintf("The %d columns of W, those that carry most of the data first; black is 0, white the largest number of each.", k)).
		By("kernel-helpers/nmf/nmfplot.Parts")
}

// Components draws the columns of W, in the order of Normalized, as a table of numbers and colors. It is for data whose
// variables have names: names[j] is the name of variable j, which is row j of W. For pictures use Parts.
func Components(r *nmf.Model, names []string) *figure.Figure {
	given.Args("nmfplot: Components", "r", r)
	_, W := r.Normalized()
	d, k := W.Dims()
	if len(names) != d {
		panic(fmt.Sprintf("nmfplot: Components: %d names of %d variables", len(names), d))
	}
	columns := make([]string, k)
	for t := range columns {
		columns[t] = fmt.Sprint(t + 1)
	}
	f := figure.Annotated("Components", W, names, columns)
	f.X.Label.Text = "component"
	return f.Note(fmt.Sprintf("The %d columns of W, those that carry most of the data first.", k)).By("kernel-helpers/nmf/nmfplot.Components")
}

// CrossValidation draws the error on held-out data against the number of components.
func CrossValidation(c *nmf.CV) *figure.Figure {
	given.Args("nmfplot: CrossValidation", "c", c)
	var x []float64
	for _, k := range c.Ranks {
		x = append(x, float64(k))
	}
	_, folds := c.Folds.Dims()
	return figure.New("Choice of the rank", "components", "mean squared error, held out").WholeX().
		ErrorBars("", x, c.Error, c.StdErr).
		Use(figure.Gray).VLine(fmt.Sprintf("least error: %d", c.Best), float64(c.Best)).
		Note(fmt.Sprintf("Bi-cross-validation, %d folds; bars are standard errors. Within one of the least: %d components.", folds, c.Simplest))
}

// Stability draws the cophenetic correlation and the dispersion against the number of components.
func Stability(s *nmf.Stability) *figure.Figure {
	given.Args("nmfplot: Stability", "s", s)
	var x []float64
	for _, k := range s.Ranks {
		x = append(x, float64(k))
	}
	return figure.New("Agreement of fits from random starts", "components", "").WholeX().
		Marked("cophenetic correlation", x, s.Cophenetic).Marked("dispersion", x, s.Dispersion).
		Note("1 if all fits cluster alike; a rank after which the correlation falls is a good choice.")
}

// Consensus draws the consensus matrix of one rank, in the order of the linkage tree.
func Consensus(s *nmf.Stability, rank int) *figure.Figure {
	given.Args("nmfplot: Consensus", "s", s)
	for i, k := range s.Ranks {
		if k != rank {
			continue
		}
		n := len(s.Order[i])
		M := mat.NewDense(n, n, nil)
		for a, p := range s.Order[i] {
			for b, q := range s.Order[i] {
				M.Set(a, b, s.Consensus[i].At(p, q))
			}
		}
		return figure.HeatmapIn(fmt.Sprintf("Consensus, %d components", rank), M, 0, 1, figure.Sequential).
			Note(fmt.Sprintf("Share of fits in which two are in one cluster, ordered by average linkage. Cophenetic correlation %.3f.", s.Cophenetic[i]))
	}
	panic(fmt.Sprintf("nmfplot: Consensus: rank %d is not one of %v", rank, s.Ranks))
}
