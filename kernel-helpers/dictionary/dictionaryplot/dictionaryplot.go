// Package dictionaryplot draws the results of package dictionary.
//
//	r, err := dictionary.Fit(ctx, X, &dictionary.Options{Atoms: 512, Coder: coder})
//	dictionaryplot.Objective(r.State)
//	dictionaryplot.Basis(r.B, 28, 28, &dictionaryplot.BasisOptions{Map: axes, Use: r.Use})
package dictionaryplot

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/internal/given"
)

// Objective draws the objective of each step, and the mean of each pass, against time.
func Objective(s *dictionary.State) *figure.Figure {
	given.Args("dictionaryplot: Objective", "s", s)
	xy := func(list []dictionary.Record) (x, y []float64) {
		for _, r := range list {
			x, y = append(x, r.Seconds), append(y, r.Objective)
		}
		return x, y
	}
	f := figure.New("Learning the basis", "seconds", "mean objective")
	if x, y := xy(s.Steps); len(s.Steps) > len(s.Passes) {
		f.Lines("batch", x, y)
	}
	if x, y := xy(s.Passes); len(x) > 0 {
		f.Marked("mean of a pass", x, y)
	}
	d, n := s.B.Dims()
	return f.Note(fmt.Sprintf("%d atoms for signals of %d numbers: each value is that of the basis from before the step, a pass has the mean of its steps.", n, d))
}

// BasisOptions configures Basis. nil and the zero value mean the defaults.
type BasisOptions struct {
	Title   string
	Columns int // number of columns of the grid. 0: 16
	// Most is the largest number of atoms shown. If Use is given, the most used atoms are shown. 0 means 128.
	Most int
	// Map is a linear map to pixels, (h·w)×D, for atoms that are not pixel images: Basis shows the columns of
	// Map·B. For signals after PCA, Map is the matrix of principal axes, one axis per column, without the
	// mean. If Map is nil, D must be h·w.
	Map mat.Matrix
	// Use has one number for each of the n atoms. The atoms are shown in descending order of these numbers. nil means
	// the order of the columns.
	Use []float64
}

// Basis draws the columns of B (D×n) as pictures of h rows and w columns. Each picture has its own gray range, with 0
// as middle gray. B may be any basis, such as that of a dictionary.Result. To draw the most used atoms first, set
// options.Use to the result's Use.
func Basis(B mat.Matrix, h, w int, options *BasisOptions) *figure.Figure {
	var opt BasisOptions
	if options != nil {
		opt = *options
	}
	d, n := dims("B", B)
	if opt.Use != nil && len(opt.Use) != n {
		panic(fmt.Sprintf("dictionaryplot: Basis: Use has %d elements, B has %d columns", len(opt.Use), n))
	}
	var P mat.Dense // one atom's pixels per row
	if opt.Map != nil {
		p, q := dims("Map", opt.Map)
		if q != d || p != h*w {
			panic(fmt.Sprintf("dictionaryplot: Basis: Map is %d×%d, must be %d×%d", p, q, h*w, d))
		}
		P.Mul(B.T(), opt.Map.T()) // (n×D)(D×hw)
	} else {
		if d != h*w {
			panic(fmt.Sprintf("dictionaryplot: Basis: B has %d rows, pictures of %d×%d need %d; is a Map missing?", d, h, w, h*w))
		}
		P.CloneFrom(B.T())
	}
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	caption := "Columns of the basis"
	if opt.Use != nil {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(opt.Use[j], opt.Use[i]) })
		caption += ", those with the largest mean |w| first"
	}
	if opt.Most == 0 {
		opt.Most = 128
	}
	if opt.Most < n {
		order = order[:opt.Most]
		caption = fmt.Sprintf("%d of %d: %s", opt.Most, n, caption)
	}
	if opt.Columns == 0 {
		opt.Columns = 16
	}
	if opt.Title == "" {
		opt.Title = "Atoms"
	}
	_, p := P.Dims()
	S := mat.NewDense(len(order), p, nil)
	for k, j := range order {
		S.SetRow(k, P.RawRowView(j))
	}
	return gallery.Figure(S, h, w, &gallery.Options{Title: opt.Title, Columns: opt.Columns, Grays: gallery.PerTileSigned}).
		Note(caption + ". Each has its own range of greys; 0 is the middle grey.")
}

func dims(name string, a mat.Matrix) (r, c int) {
	if d, ok := a.(*mat.Dense); a == nil || ok && (d == nil || d.IsEmpty()) {
		panic(fmt.Sprintf("dictionaryplot: Basis: %s is empty", name))
	}
	return a.Dims()
}
