package s3c2011

import (
	"fmt"
	"math"
	"slices"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c/s3cplot"
	"overcomplete/paper/record"
)

// tiles returns options for rows of patches in color. If undo is set, whitened patches are
// converted to pixels by undoing the whitening.
func (l *learner) tiles(title string, columns int, undo bool) *s3cplot.TileOptions {
	opt := &s3cplot.TileOptions{Title: title, Columns: columns, Color: true}
	if undo {
		opt.Map = l.Whitening().Inverse
	}
	return opt
}

// Filters draws the columns of W twice: as they are, in the whitened space, and converted to pixels. The most used
// columns come first.
func (l *Lab) Filters() *figure.Grid {
	st := l.Train()
	_, N := st.Model.Dims()
	columns := 14
	panel := func(title string, undo bool) *figure.Figure {
		opt := l.tiles(title, columns, undo)
		opt.Use, opt.Most = st.Use, min(N, columns*columns)
		return s3cplot.Filters(st.Model, side, side, opt)
	}
	g := figure.NewGrid("Filters", 2, panel("in the whitened space", false), panel("converted to pixels", true))
	rows := (min(N, columns*columns) + columns - 1) / columns
	g.Size(4.2, 4.2*float64(rows)/float64(columns)+0.4)
	l.Save("filters", fmt.Sprintf("%d of the %d columns of W, row by row in descending order of mean ĥ: in the whitened space of the model (left), and with the whitening undone (right). Each filter is scaled to its own range, and gray is 0; a filter and its negative differ only in the sign of the slab. Data: %v.", min(N, columns*columns), N, l.Photographs().Data), g)
	return g
}

// Codes draws histograms of ĥ and ĥŝ for patches that the model has not seen.
func (l *Lab) Codes() *figure.Grid {
	m, V := l.Model(), l.HeldOut(l.Pick(100, 500, 1000))
	n, _ := V.Dims()
	_, N := m.Dims()
	q := infer(l.Context(), m, V, nil).Q
	a, b := s3cplot.H(q), s3cplot.HS(q)
	g := figure.NewGrid("Codes", 2, a, b).Size(3.8, 3)
	p := l.Photographs()
	sorted := slices.Clone(q.H().RawMatrix().Data)
	slices.Sort(sorted)
	prior := 0.0
	for _, b := range m.Bias {
		prior += 1 / (1 + math.Exp(-b))
	}
	l.Save("codes", fmt.Sprintf("%d patches of test images, %d units. Left: ĥ, with median %.2g; the mean prior probability is %.2g. Right: ĥŝ of the units with ĥ > 0.01. Counts are on a logarithmic scale. Data: %v.", n, N, sorted[len(sorted)/2], prior/float64(N), p.Data), g)
	l.Rounded("codes")
	return g
}

// Training draws the progress of the training of the model.
func (l *Lab) Training() *figure.Grid {
	st := l.Train()
	_, N := st.Model.Dims()
	var x, used, beta, alpha, negative []float64
	for _, r := range st.History {
		x, used = append(x, float64(r.Step)), append(used, float64(r.Used))
		beta, alpha, negative = append(beta, r.Beta), append(alpha, r.Alpha), append(negative, -r.Bias)
	}
	energy, sparsity := s3cplot.Training(st), s3cplot.Sparsity(st)
	energy.Title.Text, sparsity.Title.Text = "Energy", "Sparsity"
	units := figure.New("Units in use", "step", "").Lines("", x, used)
	units.Y.Min = math.Min(units.Y.Min, 0)
	parameters := figure.New("Parameters", "step", "mean").Lines("β", x, beta).Lines("α", x, alpha).Lines("−b", x, negative)
	g := figure.NewGrid("Training", 2, energy, sparsity, units, parameters).Size(3.8, 2.8)
	p := l.Photographs()
	l.Save("training", fmt.Sprintf("%d units, %d steps of 100 patches, with the settings of the published experiment. Energy is that of each batch after its E step; β is one number, α and b are means over the units. Data: %v.", N, st.Step, p.Data), g)
	tenth := max(1, len(st.History)/10)
	var first, last float64
	for k := range tenth {
		first += st.History[k].Energy / float64(tenth)
		last += st.History[len(st.History)-1-k].Energy / float64(tenth)
	}
	l.Row(record.Row{
		ID: "training-energy", What: fmt.Sprintf("%d steps: mean energy in the last tenth minus that in the first", st.Step),
		Measured: record.Number(last-first, "nats a patch"), Rule: record.AtLeast(0), Data: p.Data, Figure: "training", Repeat: 0.05,
		Reason: fmt.Sprintf("from %.1f to %.1f", first, last),
	})
	return g
}
