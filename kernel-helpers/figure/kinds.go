package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/kernel-helpers/internal/given"
)

// Names sets the names of the rows and columns of a heat map. rows[0] is the name of row 0, which is on top. If rows
// or columns is nil, the corresponding axis keeps its numbers.
func (f *Figure) Names(rows, columns []string) *Figure {
	if f.bar == nil {
		panic("figure: Names: this is not a heat map; Bars, Box and Violin take their names when they are made")
	}
	return f.names("Names", rows, columns)
}

// names does what Names does. The argument what is the name of the function that was called.
func (f *Figure) names(what string, rows, columns []string) *Figure {
	r, c := f.bar.M.Dims()
	for _, a := range []struct {
		of    string
		names []string
		n     int
		axis  *plot.Axis
	}{{"rows", rows, r, &f.Y}, {"columns", columns, c, &f.X}} {
		if a.names == nil {
			continue
		}
		if len(a.names) != a.n {
			panic(fmt.Sprintf("figure: %s: %d names of %d %s", what, len(a.names), a.n, a.of))
		}
		nameTicks(a.axis, a.names)
		a.axis.Padding = vg.Points(3)
	}
	return f
}

// NoBar leaves out the color bar of a heat map. Use it if the values are classes, which have no order, and write the
// names of the classes into the picture with Text.
func (f *Figure) NoBar() *Figure {
	if f.bar == nil {
		panic("figure: NoBar: this is not a heat map")
	}
	f.bar.hidden = true
	return f
}

// Values writes the values of a heat map into its cells. format is a format of package fmt; "" means "%.2f", or "%.0f"
// if all values are whole numbers. Another call replaces the format.
func (f *Figure) Values(format string) *Figure {
	if f.bar == nil {
		panic("figure: Values: this is not a heat map")
	}
	if format == "" {
		format = "%.0f"
		r, c := f.bar.M.Dims()
		for i := range r {
			for j := range c {
				if x := f.bar.M.At(i, j); !math.IsNaN(x) && x != math.Trunc(x) {
					format = "%.2f"
				}
			}
		}
	}
	for _, p := range f.layers {
		if v, ok := p.(*cellValues); ok {
			v.format = format
			return f
		}
	}
	f.add(&cellValues{bar: f.bar, format: format})
	return f
}

// Annotated returns a heat map of M with the values in the cells and with names of the rows and columns. Either slice
// of names may be nil. Use it for a table of correlations or a confusion matrix.
func Annotated(title string, M mat.Matrix, rows, columns []string) *Figure {
	given.Args("figure: Annotated", "M", M)
	lo, hi := matrixSpan("Annotated", M, false)
	return heatmapBySign(title, M, lo, hi).names("Annotated", rows, columns).Values("")
}

// cellValues is a plotter that writes numbers into the cells of a heat map.
type cellValues struct {
	*bar
	format string
}

// Plot implements plot.Plotter.
func (v *cellValues) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	r, n := v.M.Dims()
	cell := math.Min(math.Abs(float64(tx(1)-tx(0))), 1.6*math.Abs(float64(ty(1)-ty(0))))
	widest := 1
	for i := range r {
		for j := range n {
			if math.IsNaN(v.M.At(i, j)) {
				continue
			}
			widest = max(widest, len(fmt.Sprintf(v.format, v.M.At(i, j))))
		}
	}
	sty := style(math.Max(3, math.Min(9, 1.55*cell/float64(widest))), false, ink)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for i := range r {
		for j := range n {
			x := v.M.At(i, j)
			if math.IsNaN(x) {
				continue
			}
			red, green, blue, _ := v.cmap((x - v.lo) / (v.hi - v.lo)).RGBA()
			sty.Color = ink
			if (0.299*float64(red)+0.587*float64(green)+0.114*float64(blue))/0xFFFF < 0.5 { // luma of BT.601
				sty.Color = color.White
			}
			c.FillText(sty, vg.Point{X: tx(float64(j)), Y: ty(float64(i))}, strings.Replace(fmt.Sprintf(v.format, x), "-", "−", 1))
		}
	}
}

// groups returns an empty figure with the names of the groups below the horizontal axis. values has one slice for each
// group. groups panics if there are no groups, if the numbers of names and slices differ, or if a slice is empty or
// has NaN or Inf.
func groups(what, title string, names []string, values [][]float64) *Figure {
	if len(names) != len(values) || len(names) == 0 {
		panic(fmt.Sprintf("figure: %s: %d names of %d groups", what, len(names), len(values)))
	}
	for k, v := range values {
		check(what, fmt.Sprintf("values[%d]", k), v)
	}
	f := New(title, "", "")
	f.data.places = true
	f.X.Min, f.X.Max = -0.5, float64(len(names))-0.5
	nameTicks(&f.X, names)
	return f
}

// Box returns a figure of box plots, one for each group of values. The box extends from the lower to the upper quartile
// (computed with linear interpolation), with a line at the median. Each whisker extends to the outermost value that is
// no farther from the box than 1.5 times the box's height (Tukey). Values farther out are drawn as dots.
func Box(title string, names []string, values [][]float64) *Figure {
	f := groups("Box", title, names, values)
	for k, v := range values {
		f.add(&box{at: float64(k), five: fiveOf(v), color: Color(f.next + k)})
		f.record("box", names[k], groupColumns(names[k], k, v))
	}
	return f
}

// Violin returns a figure of violins, one for each group of values. A violin shows the density of the values on both
// sides of its axis, from the smallest to the largest value. The density of n values is estimated with a Gaussian
// kernel whose width is n^(−1/5) times the standard deviation of the values (Scott's rule). All violins are equally
// wide. The bar inside a violin extends from the lower to the upper quartile, and the dot is the median.
func Violin(title string, names []string, values [][]float64) *Figure {
	f := groups("Violin", title, names, values)
	for k, v := range values {
		f.add(&violin{box: box{at: float64(k), five: fiveOf(v), color: Color(f.next + k)}, values: clone(v)})
		f.record("box", names[k], groupColumns(names[k], k, v))
	}
	return f
}

func groupColumns(name string, k int, v []float64) []Column {
	x := make([]float64, len(v))
	for i := range x {
		x[i] = float64(k)
	}
	return []Column{{Name: "label", Text: slices.Repeat([]string{name}, len(v))}, numbers("x", x), numbers("y", v)}
}

// five holds the numbers of a box plot: the ends of the whiskers, the quartiles and the values outside the whiskers.
type five struct {
	whiskerLow, low, median, high, whiskerHigh float64
	outside                                    []float64
}

func fiveOf(values []float64) five {
	v := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 { // linear interpolation between order statistics, numpy's default
		t := q * float64(len(v)-1)
		i := min(int(t), len(v)-1)
		if i+1 == len(v) {
			return v[i]
		}
		return v[i] + (t-float64(i))*(v[i+1]-v[i])
	}
	b := five{low: at(0.25), median: at(0.5), high: at(0.75)}
	reach := 1.5 * (b.high - b.low)
	b.whiskerLow, b.whiskerHigh = b.low, b.high
	for _, x := range v {
		switch {
		case x < b.low-reach || x > b.high+reach:
			b.outside = append(b.outside, x)
		case x < b.whiskerLow:
			b.whiskerLow = x
		case x > b.whiskerHigh:
			b.whiskerHigh = x
		}
	}
	return b
}

// box draws a box plot at x = at.
type box struct {
	at float64
	five
	color color.Color
}

const halfBox = 0.28

// Plot implements plot.Plotter.
func (b *box) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	l, m, r := tx(b.at-halfBox), tx(b.at), tx(b.at+halfBox)
	line := draw.LineStyle{Color: b.color, Width: vg.Points(1.2)}
	corners := []vg.Point{{X: l, Y: ty(b.low)}, {X: r, Y: ty(b.low)}, {X: r, Y: ty(b.high)}, {X: l, Y: ty(b.high)}}
	c.FillPolygon(fade(b.color, 0.25), c.ClipPolygonXY(corners))
	c.StrokeLines(line, c.ClipLinesXY(append(corners, corners[0]))...)
	cap := (r - l) / 4
	for _, w := range [][2]float64{{b.low, b.whiskerLow}, {b.high, b.whiskerHigh}} {
		c.StrokeLines(line, c.ClipLinesXY([]vg.Point{{X: m, Y: ty(w[0])}, {X: m, Y: ty(w[1])}},
			[]vg.Point{{X: m - cap, Y: ty(w[1])}, {X: m + cap, Y: ty(w[1])}})...)
	}
	line.Width = vg.Points(2.2)
	c.StrokeLines(line, c.ClipLinesXY([]vg.Point{{X: l, Y: ty(b.median)}, {X: r, Y: ty(b.median)}})...)
	x := make([]float64, len(b.outside))
	for i := range x {
		x[i] = b.at
	}
	(&dots{xs: x, ys: b.outside, color: fade(b.color, 0.8), radius: vg.Points(1.8), paths: 1}).Plot(c, p)
}

// DataRange implements plot.DataRanger.
func (b *box) DataRange() (xmin, xmax, ymin, ymax float64) {
	lo, hi := span(append([]float64{b.whiskerLow, b.whiskerHigh}, b.outside...))
	return b.at - 0.5, b.at + 0.5, lo, hi
}

type violin struct {
	box
	values []float64
}

// Plot implements plot.Plotter.
func (v *violin) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	y, density := densityOf(v.values)
	peak := slices.Max(density)
	var right, left []vg.Point
	for i := range y {
		half := 0.4 * density[i] / peak
		right = append(right, vg.Point{X: tx(v.at + half), Y: ty(y[i])})
		left = append(left, vg.Point{X: tx(v.at - half), Y: ty(y[i])})
	}
	slices.Reverse(left)
	outline := append(right, left...)
	c.FillPolygon(fade(v.color, 0.28), c.ClipPolygonXY(outline))
	c.StrokeLines(draw.LineStyle{Color: v.color, Width: vg.Points(1.1)}, c.ClipLinesXY(append(outline, outline[0]))...)
	m := tx(v.at)
	c.StrokeLines(draw.LineStyle{Color: v.color, Width: vg.Points(5)}, c.ClipLinesXY([]vg.Point{{X: m, Y: ty(v.low)}, {X: m, Y: ty(v.high)}})...)
	(&dots{xs: []float64{v.at}, ys: []float64{v.median}, color: fade(color.White, 1), radius: vg.Points(1.8), paths: 1}).Plot(c, p)
}

// DataRange implements plot.DataRanger.
func (v *violin) DataRange() (xmin, xmax, ymin, ymax float64) {
	lo, hi := span(v.values)
	return v.at - 0.5, v.at + 0.5, lo, hi
}

// densityOf estimates the density of the values with a Gaussian kernel. It returns 128 evenly spaced points y from the
// smallest to the largest value, and the density at each of them. If all values are equal, the range is widened a
// little.
func densityOf(values []float64) (y, density []float64) {
	lo, hi := span(values)
	n := float64(len(values))
	width := math.Pow(n, -0.2) * stat.StdDev(values, nil) // Scott 1992
	if !(width > 0) {                                     // one value, or equal values
		width = math.Max(1e-9, 0.01*math.Abs(lo))
		lo, hi = lo-width, hi+width
	}
	const places = 128
	y, density = make([]float64, places), make([]float64, places)
	for i := range y {
		y[i] = lo + (hi-lo)*float64(i)/(places-1)
		for _, v := range values {
			u := (y[i] - v) / width
			density[i] += math.Exp(-u*u/2) / (n * width * math.Sqrt(2*math.Pi))
		}
	}
	return y, density
}

// ScatterBy returns a scatter plot of points colored by classes, with a legend. names[k] is the name of the class with
// label k. Points with a negative label are left out. If the axes have no meaning, as in a two-dimensional embedding,
// use Classes instead.
func ScatterBy(title string, x, y []float64, labels []int, names []string) *Figure {
	check("ScatterBy", "x y", x, y)
	f := New(title, "", "")
	for k, points := range byClass("ScatterBy", len(x), labels, names) {
		if len(points) > 0 {
			f.Use(k).scatter(names[k], pick(x, points), pick(y, points), len(x)) // all classes look alike
		}
	}
	return f
}

// HistogramBy returns a figure with one histogram for each class, all with the same bins. labels[i] is the class of
// values[i], and names[k] is the name of the class with label k. Values with a negative label are left out. bins is
// the number of bins; 0 means about the square root of the number of values, at least 5 and at most 80.
func HistogramBy(title string, values []float64, labels []int, names []string, bins int) *Figure {
	f := New(title, "", "density")
	f.histograms("HistogramBy", values, labels, names, bins)
	return f
}

func (f *Figure) histograms(what string, values []float64, labels []int, names []string, bins int) {
	check(what, "values", values)
	by := byClass(what, len(values), labels, names)
	if bins <= 0 {
		bins = min(80, max(5, int(math.Sqrt(float64(len(values))))))
	}
	lo, hi := span(values)
	for k, points := range by {
		if len(points) > 0 {
			f.Use(k).histogram(names[k], pick(values, points), bins, lo, hi)
		}
	}
}

// byClass returns, for each class, the indices of its points. Points with a negative label are left out. n is the
// number of points. The argument what is the name of the calling function, for the messages of panics.
func byClass(what string, n int, labels []int, names []string) [][]int {
	if len(labels) != n {
		panic(fmt.Sprintf("figure: %s: %d labels for %d points", what, len(labels), n))
	}
	by := make([][]int, len(names))
	for i, l := range labels {
		if l >= len(names) {
			panic(fmt.Sprintf("figure: %s: label %d of point %d has no name: there are %d names", what, l, i, len(names)))
		}
		if l >= 0 {
			by[l] = append(by[l], i)
		}
	}
	return by
}

func pick(v []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, k := range at {
		out[i] = v[k]
	}
	return out
}

// Pairs returns a grid of scatter plots of the columns of X (n×d): each column against each other column, with
// histograms of the columns on the diagonal. names[j] is the name of column j. labels[i] is the class of row i and
// selects the color of its points, and classes[k] is the name of the class with label k; both slices may be nil. Points
// with a negative label are left out.
func Pairs(title string, X mat.Matrix, names []string, labels []int, classes []string) *Grid {
	given.Args("figure: Pairs", "X", X)
	n, d := X.Dims()
	if len(names) != d || d < 2 {
		panic(fmt.Sprintf("figure: Pairs: %d names of %d columns; at least 2 are needed", len(names), d))
	}
	matrixSpan("Pairs", X, false)
	if labels == nil {
		labels, classes = make([]int, n), []string{""}
	}
	by := byClass("Pairs", n, labels, classes)
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = mat.Col(nil, j, X)
	}
	var panels []*Figure
	for i := range d {
		for j := range d {
			f := New("", "", "")
			f.X.Tick.Marker, f.Y.Tick.Marker = fewLabels{Ticks{}}, fewLabels{Ticks{}}
			if i == j {
				unnamed := make([]string, len(classes))
				f.histograms("Pairs", columns[j], labels, unnamed, min(30, max(5, int(math.Sqrt(float64(n))))))
				f.Y.Tick.Marker = plot.ConstantTicks{}
				if i == 0 { // its name is beside it, so the axis has its values, as in the other panels of the row
					lo, hi := span(columns[0])
					f.Y.Tick.Marker = valuesOf{f.X.Tick.Marker, lo, hi}
				}
			} else {
				for k, points := range by {
					if len(points) > 0 {
						f.Use(k).Scatter(classes[k], pick(columns[j], points), pick(columns[i], points))
					}
				}
			}
			if i == d-1 {
				f.X.Label.Text = names[j]
			} else {
				f.X.Tick.Marker, f.X.Tick.Label.Font.Size = unlabeled{f.X.Tick.Marker}, unlabeledSize
			}
			if j == 0 {
				f.Y.Label.Text = names[i]
			} else if i != j {
				f.Y.Tick.Marker, f.Y.Tick.Label.Font.Size = unlabeled{f.Y.Tick.Marker}, unlabeledSize
			}
			panels = append(panels, f)
		}
	}
	return NewGrid(title, d, panels...).Size(math.Max(1.2, 7/float64(d)), math.Max(1.2, 7/float64(d)))
}

// unlabeledSize is the font size of the blank tick labels of an axis without labels. With this size, they take no
// space.
const unlabeledSize = vg.Length(0.5)

// A valuesOf is a ticker that labels an axis as if its range were from lo to hi, with the usual margins, whatever the
// axis shows. Pairs uses it for the vertical axis of the first histogram: the axis shows densities, but gets the same
// ticks as the other panels of its row.
type valuesOf struct {
	plot.Ticker
	lo, hi float64
}

// Ticks implements plot.Ticker.
func (v valuesOf) Ticks(lo, hi float64) []plot.Tick {
	values := plot.Axis{Min: v.lo, Max: v.hi, Scale: plot.LinearScale{}}
	widen(&values, defaultMargin, true, true)
	ts := slices.Clone(v.Ticker.Ticks(values.Min, values.Max))
	for i := range ts {
		ts[i].Value = lo + (ts[i].Value-values.Min)/(values.Max-values.Min)*(hi-lo)
	}
	return ts
}

// unlabeled is a ticker with the ticks of another ticker, but without labels.
type unlabeled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabeled) Ticks(lo, hi float64) []plot.Tick {
	ts := slices.Clone(u.Ticker.Ticks(lo, hi))
	for i := range ts {
		if ts[i].Label != "" {
			ts[i].Label = " " // a tick without any label is a short one
		}
	}
	return ts
}

// fewLabels is a ticker with the ticks of another ticker, but with at most three labels. Pairs uses it for
// its small panels.
type fewLabels struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (f fewLabels) Ticks(lo, hi float64) []plot.Tick {
	ts := slices.Clone(f.Ticker.Ticks(lo, hi))
	every := (len(ts) + 2) / 3
	for i := range ts {
		if i%every != 0 {
			ts[i].Label = " "
		}
	}
	return ts
}

// BarsWithErrors is like Bars, but draws an error bar on each bar, from values[k][i] − errors[k][i] to values[k][i] +
// errors[k][i].
func BarsWithErrors(title string, labels, names []string, values, errors [][]float64) *Figure {
	f := Bars(title, labels, names, values)
	if len(errors) != len(values) {
		panic(fmt.Sprintf("figure: BarsWithErrors: %d rows of errors, %d of values", len(errors), len(values)))
	}
	for k, e := range errors {
		check("BarsWithErrors", "values errors", values[k], e)
		x, lo, hi := make([]float64, len(e)), make([]float64, len(e)), make([]float64, len(e))
		for i, d := range e {
			if d < 0 {
				panic(fmt.Sprintf("figure: BarsWithErrors: errors[%d][%d] is %v", k, i, d))
			}
			w := barShare / float64(len(values))
			x[i], lo[i], hi[i] = float64(i)-barShare/2+(float64(k)+0.47)*w, values[k][i]-d, values[k][i]+d
		}
		f.add(&whiskers{xs: x, lo: lo, hi: hi, sty: draw.LineStyle{Color: ink, Width: vg.Points(1)}, cap: vg.Points(2.5)})
		f.record("errorbars", names[k]+", errors", []Column{numbers("x", x), numbers("y", values[k]), numbers("lo", lo), numbers("hi", hi)})
	}
	return f
}

// Text writes s into the plot, to the right of the point (x, y) and a little above it.
func (f *Figure) Text(x, y float64, s string) *Figure {
	check("Text", "x y", []float64{x}, []float64{y})
	f.add(&mark{x: x, y: y, text: s, dx: 3, dy: 3, xalign: draw.XLeft, yalign: draw.YBottom, color: ink})
	return f.record("text", "", []Column{{Name: "label", Text: []string{s}}, numbers("x", []float64{x}), numbers("y", []float64{y})})
}

// Arrow draws an arrow from one point to another, for example from a piece of text to the point that it describes.
func (f *Figure) Arrow(fromX, fromY, toX, toY float64) *Figure {
	check("Arrow", "fromX fromY toX toY", []float64{fromX}, []float64{fromY}, []float64{toX}, []float64{toY})
	f.add(&pointer{fromX, fromY, toX, toY})
	return f.record("arrow", "", []Column{numbers("x", []float64{fromX}), numbers("y", []float64{fromY}), numbers("x to", []float64{toX}), numbers("y to", []float64{toY})})
}

// Vectors adds the columns of A (2×n) as arrows from the origin, for example the loadings in a biplot. names[j] is
// written at the tip of the arrow of column j; names may be nil. name is the name of the layer in the legend.
func (f *Figure) Vectors(name string, A mat.Matrix, names []string) *Figure {
	given.Args("figure: Figure.Vectors", "A", A)
	xs, ys := columns("Vectors", A)
	if names != nil && len(names) != len(xs) {
		panic(fmt.Sprintf("figure: Vectors: %d names of %d vectors", len(names), len(xs)))
	}
	c := f.color(name, arrowEntry)
	f.add(&arrows{xs: xs, ys: ys, color: c, width: vg.Points(1.5)})
	var tips labels
	for i, s := range names {
		t := mark{x: xs[i], y: ys[i], text: s, xalign: draw.XLeft, yalign: draw.YCenter, dx: 3, color: c}
		if xs[i] < 0 {
			t.xalign, t.dx = draw.XRight, -3
		}
		if math.Abs(ys[i]) > math.Abs(xs[i]) {
			t.yalign, t.dy = draw.YBottom, 2
			if ys[i] < 0 {
				t.yalign, t.dy = draw.YTop, -2
			}
		}
		tips = append(tips, t)
	}
	if len(tips) > 0 {
		f.add(tips)
	}
	return f.record("arrow", name, append(xy(xs, ys), numbers("column", upTo(len(xs)))))
}

// labels are the names at the tips of arrows. A name that would cover another name is drawn below it.
type labels []mark

// Plot implements plot.Plotter.
func (l labels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	order := slices.Clone(l)
	slices.SortStableFunc(order, func(a, b mark) int { return cmp.Compare(float64(ty(b.y)+b.dy), float64(ty(a.y)+a.dy)) })
	var placed []vg.Rectangle
	for _, t := range order {
		sty := t.style()
		box := sty.Rectangle(t.text).Add(vg.Point{X: tx(t.x) + t.dx, Y: ty(t.y) + t.dy})
		for again := true; again; {
			again = false
			for _, other := range placed {
				if down := box.Max.Y - other.Min.Y; down > 0.01 && box.Min.Y < other.Max.Y && box.Min.X < other.Max.X && other.Min.X < box.Max.X {
					t.dy -= down
					box = box.Add(vg.Point{Y: -down})
					again = true
				}
			}
		}
		placed = append(placed, box)
		t.Plot(c, p)
	}
}

// DataRange implements plot.DataRanger. The range extends beyond the tips, to leave room for the names.
func (l labels) DataRange() (xmin, xmax, ymin, ymax float64) {
	var xs, ys []float64
	for _, t := range l {
		xs, ys = append(xs, 1.15*t.x), append(ys, 1.15*t.y)
	}
	xmin, xmax = span(xs)
	ymin, ymax = span(ys)
	return xmin, xmax, ymin, ymax
}

// mark is a piece of text at a point, with a white rim.
type mark struct {
	x, y   float64
	text   string
	dx, dy vg.Length
	xalign draw.XAlignment
	yalign draw.YAlignment
	color  color.Color
}

// Plot implements plot.Plotter.
func (t *mark) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	at := vg.Point{X: tx(t.x) + t.dx, Y: ty(t.y) + t.dy}
	if !c.Contains(vg.Point{X: tx(t.x), Y: ty(t.y)}) {
		return
	}
	haloText(c, t.style(), at, t.text, t.color, 1.3)
}

func (t *mark) style() draw.TextStyle {
	sty := style(9.5, false, color.White)
	sty.XAlign, sty.YAlign = t.xalign, t.yalign
	return sty
}

// haloText draws text with a white rim of the given width.
func haloText(c draw.Canvas, sty draw.TextStyle, at vg.Point, s string, col color.Color, width float64) {
	sty.Color = color.White
	for a := range 12 {
		sin, cos := math.Sincos(float64(a) * math.Pi / 6)
		c.FillText(sty, vg.Point{X: at.X + vg.Points(width*cos), Y: at.Y + vg.Points(width*sin)}, s)
	}
	sty.Color = col
	c.FillText(sty, at, s)
}

// DataRange implements plot.DataRanger.
func (t *mark) DataRange() (xmin, xmax, ymin, ymax float64) { return t.x, t.x, t.y, t.y }

// pointer is an arrow between two points.
type pointer struct{ x0, y0, x1, y1 float64 }

// Plot implements plot.Plotter.
func (a *pointer) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	drawArrow(c, vg.Point{X: tx(a.x0), Y: ty(a.y0)}, vg.Point{X: tx(a.x1), Y: ty(a.y1)}, ink, vg.Points(1), 0)
}

// DataRange implements plot.DataRanger.
func (a *pointer) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Min(a.x0, a.x1), math.Max(a.x0, a.x1), math.Min(a.y0, a.y1), math.Max(a.y0, a.y1)
}
