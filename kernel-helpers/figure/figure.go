package figure

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/module"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/mosaic"
	"overcomplete/kernel-helpers/internal/signs"
)

// A Figure is a plot with a heading, a legend above its data and a caption. Each method that adds a layer uses the
// next color of the palette, unless Use selected another color, and returns the Figure, so that calls can be chained.
// A layer with the name "" has no legend entry.
type Figure struct {
	*plot.Plot

	// Caption says what the figure shows. Caption and Maker are drawn below the plot.
	Caption string
	// Maker is the function that made the figure, such as "kernel-helpers/pca.(*Model).Scree". New sets Maker
	// if the function belongs to this module.
	Maker string
	// Width and Height are the size in inches, without the caption; 0 means 6 and 4.
	Width, Height float64
	// Equal sets the same scale on both axes, so that angles are not distorted.
	Equal bool
	// Margin is the part of the data's range that stays free at each end of an axis. 0 means 0.05, and a negative
	// number means no margin. There is no margin where a range was set, below bars and histograms, and around pictures.
	Margin float64

	next    int
	entries []entry
	place   Place
	records []record
	layers  []plot.Plotter // those of this package
	data    extent         // of the layers
	fixed   bool           // Range was called
	bar     *bar
	picture bool // the data is an image, and the axes end at its edges
	right   *Figure
	left    *Figure // the figure into which this one is drawn, if Right returned this one; otherwise nil
	saved   figuremeta.Name
}

type entryKind int

const (
	dotEntry entryKind = iota
	lineEntry
	dashEntry
	patchEntry
	arrowEntry
)

type entry struct {
	name  string
	color color.Color
	kind  entryKind
	// dashes of a dashEntry; nil means those of Dashed
	dashes []vg.Length
	tight  bool // see compact
}

type bar struct {
	lo, hi float64
	cmap   ColorMap
	M      *mat.Dense // of the heat map
	hidden bool       // not drawn
}

// New returns an empty figure with a heading and axis labels. Any of these texts may be empty.
func New(title, xlabel, ylabel string) *Figure {
	p := plot.New()
	Theme(p)
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, xlabel, ylabel
	p.Add(gridLines())
	return &Figure{Plot: p, Maker: maker()}
}

// maker returns the name of the function that is making a figure: the innermost function on the stack that belongs to
// this module but not to this package. The search stops, and maker returns "", at a function of another module, or at
// a function through which notebook cells call compiled code. The functions that called these, such as an interpreter,
// did not make the figure.
func maker() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		name, ours := module.Folder(f.Function)
		switch {
		case strings.HasPrefix(name, "kernel/internal/rt."):
			return ""
		case ours && !strings.HasPrefix(f.Function, own+"."):
			name, _, _ = strings.Cut(name, ".func")
			return name
		case !ours && isForeign(f.Function), !more:
			return ""
		}
	}
}

// own is the import path of this package.
var own = reflect.TypeFor[Figure]().PkgPath()

// isForeign reports whether a function belongs to another module, given the runtime's name for it. It does if the first
// element of the function's import path contains a dot. In the standard library, the first element has no dot.
func isForeign(name string) bool {
	host, _, ok := strings.Cut(name, "/")
	return ok && strings.Contains(host, ".")
}

// By sets Maker, which says what made the figure. Use it for a figure made in a notebook, for example
// By("notebooks/x.ipynb, E1").
func (f *Figure) By(maker string) *Figure { f.whole().Maker = maker; return f }

// Note sets the caption.
func (f *Figure) Note(caption string) *Figure { f.whole().Caption = caption; return f }

// Size sets width and height in inches.
func (f *Figure) Size(width, height float64) *Figure {
	all := f.whole()
	all.Width, all.Height = width, height
	return f
}

// SizeCM sets width and height in centimeters; a journal column is 8 to 9 cm wide. The text keeps its size.
func (f *Figure) SizeCM(width, height float64) *Figure { return f.Size(width/2.54, height/2.54) }

// Use selects color i of Palette for the next layer: f.Use(figure.Black).
func (f *Figure) Use(i int) *Figure {
	f.next = i
	// Layers on the left and the right axis take colors from one sequence.
	if f.right != nil {
		f.right.next = i
	}
	if f.left != nil {
		f.left.next = i
	}
	return f
}

// Range sets the ranges of both axes. Points outside are not drawn.
func (f *Figure) Range(xmin, xmax, ymin, ymax float64) *Figure {
	if !(xmin < xmax) || !(ymin < ymax) || math.IsInf(xmax-xmin, 0) || math.IsInf(ymax-ymin, 0) {
		panic(fmt.Sprintf("figure: Range: %v..%v, %v..%v is not a range", xmin, xmax, ymin, ymax))
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = xmin, xmax, ymin, ymax
	f.fixed = true
	return f
}

// Limit sets the range of both axes to −r..r, with equal scales.
func (f *Figure) Limit(r float64) *Figure { f.Equal = true; return f.Range(-r, r, -r, r) }

// LogX makes the horizontal axis logarithmic. The data must be positive.
func (f *Figure) LogX() *Figure {
	x := &f.whole().X
	x.Scale, x.Tick.Marker = plot.LogScale{}, LogTicks{}
	unpad(x)
	return f
}

// LogY makes the vertical axis logarithmic. The data must be positive.
func (f *Figure) LogY() *Figure {
	f.Y.Scale, f.Y.Tick.Marker = plot.LogScale{}, LogTicks{}
	unpad(&f.Y)
	return f
}

// unpad makes the label of a logarithmic axis take no space along the axis. gonum/plot draws the label in the
// middle of the axis, but reserves space for it around the mean of the range. On a logarithmic scale the mean
// is near one end, so the data area would shrink.
func unpad(a *plot.Axis) {
	a.Label.TextStyle.Handler = noWidth{signs.Handler}
}

// noWidth is a text handler that reports a width of 0.
type noWidth struct{ text.Handler }

func (n noWidth) Box(s string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = n.Handler.Box(s, f)
	return 0, height, depth
}

// WholeX places ticks on the horizontal axis only at whole numbers, for example for counts.
func (f *Figure) WholeX() *Figure { f.whole().X.Tick.Marker = indexTicks{}; return f }

func (f *Figure) color(name string, kind entryKind) color.Color {
	c := Color(f.next)
	f.Use(f.next + 1)
	if name != "" {
		f.entries = append(f.entries, entry{name: name, color: c, kind: kind})
	}
	return c
}

// largest is the largest number that is drawn. Differences of larger numbers, with their margins, may overflow.
const (
	largest  = 1e300
	tooLarge = ", too large to be drawn: divide the numbers by a power of ten, or draw their logarithms"
)

// check panics if the slices are empty, differ in length or contain NaN, Inf or a number that is too large to be drawn.
func check(what string, names string, v ...[]float64) {
	n := strings.Fields(names)
	for k, s := range v {
		if len(s) == 0 {
			panic(fmt.Sprintf("figure: %s: %s is empty", what, n[k]))
		}
		if len(s) != len(v[0]) {
			panic(fmt.Sprintf("figure: %s: %s has %d values, %s has %d", what, n[0], len(v[0]), n[k], len(s)))
		}
		for i, x := range s {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				hint := ""
				if math.IsNaN(x) {
					hint = " (leave out missing values: figure.Finite, frame.Present)"
					if (what == "Lines" || what == "Series") && n[k] == "y" {
						hint = " (LinesWithGaps leaves a gap there; or leave out missing values: figure.Finite, frame.Present)"
					}
				}
				panic(fmt.Sprintf("figure: %s: %s[%d] is %v%s", what, n[k], i, x, hint))
			}
			if math.Abs(x) > largest {
				panic(fmt.Sprintf("figure: %s: %s[%d] is %v%s", what, n[k], i, x, tooLarge))
			}
		}
	}
}

// Finite returns the points (x[i], y[i]) whose coordinates are both finite.
func Finite(x, y []float64) (fx, fy []float64) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("figure: Finite: x has %d values, y has %d", len(x), len(y)))
	}
	for i := range x {
		if !math.IsNaN(x[i]-x[i]) && !math.IsNaN(y[i]-y[i]) {
			fx, fy = append(fx, x[i]), append(fy, y[i])
		}
	}
	return fx, fy
}

func clone(v []float64) []float64 { return append([]float64(nil), v...) }

// Scatter adds points.
func (f *Figure) Scatter(name string, x, y []float64) *Figure {
	check("Scatter", "x y", x, y)
	return f.scatter(name, x, y, len(x))
}

// scatter adds points that look like n points.
func (f *Figure) scatter(name string, x, y []float64, n int) *Figure {
	f.dots(x, y, n, f.color(name, dotEntry))
	return f.record("points", name, xy(x, y))
}

// dots adds points. Their size and opacity are chosen for n points.
func (f *Figure) dots(x, y []float64, n int, c color.Color) {
	d := &dots{xs: clone(x), ys: clone(y), paths: 1}
	switch {
	case n <= 60:
		d.radius, d.color = vg.Points(2.6), fade(c, 1)
	case n <= 500:
		d.radius, d.color, d.paths = vg.Points(1.9), fade(c, 0.75), 6
	default:
		d.radius, d.color, d.paths = vg.Points(1.3), fade(c, 0.45), 12
	}
	f.add(d)
}

// Lines adds a line through points.
func (f *Figure) Lines(name string, x, y []float64) *Figure {
	check("Lines", "x y", x, y)
	f.add(&polyline{xs: clone(x), ys: clone(y), sty: f.line(name, 1.6)})
	return f.record("line", name, xy(x, y))
}

// LinesWithGaps is like Lines, but y may be NaN where a value is missing. The line then has a gap. A value between two
// gaps is drawn as a dot.
func (f *Figure) LinesWithGaps(name string, x, y []float64) *Figure {
	filled, missing := clone(y), 0
	for i, v := range y {
		if math.IsNaN(v) {
			filled[i] = 0
			missing++
		}
	}
	check("LinesWithGaps", "x y", x, filled)
	if missing == len(y) {
		panic("figure: LinesWithGaps: all values of y are NaN")
	}
	f.add(&polyline{xs: clone(x), ys: clone(y), sty: f.line(name, 1.6)})
	return f.record("line", name, xy(x, y))
}

// line returns the style of the next line. After the last color of the palette, the colors are used again, with dashed
// lines.
func (f *Figure) line(name string, width float64) draw.LineStyle {
	round := f.next / len(Palette)
	if round == 0 {
		return draw.LineStyle{Color: f.color(name, lineEntry), Width: vg.Points(width)}
	}
	sty := draw.LineStyle{Color: f.color(name, dashEntry), Width: vg.Points(width), Dashes: dashPatterns[(round-1)%len(dashPatterns)]}
	if name != "" {
		f.entries[len(f.entries)-1].dashes = sty.Dashes
	}
	return sty
}

// dashPatterns are the dashes of the second round of colors and of later rounds.
var dashPatterns = [][]vg.Length{{6, 2.5}, {1.6, 2}, {6, 2, 1.6, 2}}

// Dashed adds a dashed line through points.
func (f *Figure) Dashed(name string, x, y []float64) *Figure {
	check("Dashed", "x y", x, y)
	f.add(&polyline{xs: clone(x), ys: clone(y), sty: dashes(f.color(name, dashEntry), 1.4)})
	return f.record("line", name, xy(x, y))
}

func dashes(c color.Color, width float64) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(width), Dashes: []vg.Length{vg.Points(5), vg.Points(3)}}
}

// Series adds a line through the points (i, y[i]).
func (f *Figure) Series(name string, y []float64) *Figure {
	check("Series", "y", y)
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return f.Lines(name, x, y)
}

// Marked adds a line through points, with a dot at each.
func (f *Figure) Marked(name string, x, y []float64) *Figure {
	check("Marked", "x y", x, y)
	f.addMarked(name, x, y)
	return f.record("line", name, xy(x, y))
}

func (f *Figure) addMarked(name string, x, y []float64) {
	sty := f.line(name, 1.4)
	f.add(&polyline{xs: clone(x), ys: clone(y), sty: sty},
		&dots{xs: clone(x), ys: clone(y), color: fade(sty.Color, 1), radius: vg.Points(2.8), paths: 1})
}

// Curve adds the graph of fn over lo..hi.
func (f *Figure) Curve(name string, fn func(float64) float64, lo, hi float64) *Figure {
	given.Args("figure: Figure.Curve", "fn", fn)
	const n = 400
	x, y := make([]float64, n+1), make([]float64, n+1)
	for i := range x {
		x[i] = lo + (hi-lo)*float64(i)/n
		y[i] = fn(x[i])
	}
	check("Curve", "x fn(x)", x, y)
	f.add(&polyline{xs: x, ys: y, sty: draw.LineStyle{Color: f.color(name, lineEntry), Width: vg.Points(1.6)}})
	return f.record("line", name, xy(x, y))
}

// ErrorBars adds a line through points with bars from y-e to y+e.
func (f *Figure) ErrorBars(name string, x, y, e []float64) *Figure {
	check("ErrorBars", "x y e", x, y, e)
	lo, hi := make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		if e[i] < 0 {
			panic(fmt.Sprintf("figure: ErrorBars: e[%d] is %v", i, e[i]))
		}
		lo[i], hi[i] = y[i]-e[i], y[i]+e[i]
	}
	c := Color(f.next)
	f.add(&whiskers{xs: clone(x), lo: lo, hi: hi, sty: draw.LineStyle{Color: c, Width: vg.Points(1.1)}, cap: vg.Points(3)})
	f.addMarked(name, x, y)
	return f.record("errorbars", name, append(xy(x, y), numbers("lo", lo), numbers("hi", hi)))
}

// Band adds a shaded area between the curves lo and hi in the next color. The following layer uses the same color:
// f.Band(x, lo, hi).Lines("median", x, y).
func (f *Figure) Band(x, lo, hi []float64) *Figure {
	check("Band", "x lo hi", x, lo, hi)
	f.add(&area{xs: clone(x), lo: clone(lo), hi: clone(hi), color: fade(Color(f.next), 0.18)})
	return f.record("band", "", []Column{numbers("x", x), numbers("lo", lo), numbers("hi", hi)})
}

// Histogram adds the density of the values, in bins of equal width; the areas of its columns sum to 1. bins is the
// number of bins; 0 means about the square root of the number of values, at least 5 and at most 80.
func (f *Figure) Histogram(name string, values []float64, bins int) *Figure {
	check("Histogram", "values", values)
	lo, hi := span(values)
	return f.histogram(name, values, bins, lo, hi)
}

// mostBins is the largest number of bins of a histogram, several for each pixel.
const mostBins = 10000

// histogram adds a histogram with bins between lo and hi.
func (f *Figure) histogram(name string, values []float64, bins int, lo, hi float64) *Figure {
	if bins <= 0 {
		bins = min(80, max(5, int(math.Sqrt(float64(len(values))))))
	}
	if bins > mostBins {
		panic(fmt.Sprintf("figure: Histogram: %d bins: at most %d can be told apart", bins, mostBins))
	}
	if hi-lo < 1e-290 { // equal, or too close for a density
		lo, hi = lo-0.5, hi+0.5
	}
	w := (hi - lo) / float64(bins)
	// One column of height 0 at each end closes the outline.
	x, y := make([]float64, 0, bins+2), make([]float64, bins+2)
	x = append(x, lo)
	for i := range bins {
		x = append(x, lo+float64(i)*w)
	}
	x = append(x, hi)
	count := make([]float64, bins)
	for _, v := range values {
		k := min(bins-1, int((v-lo)/w))
		count[k]++
		y[1+k] += 1 / (w * float64(len(values)))
	}
	c := f.color(name, patchEntry)
	// Bins at the ends that have only values of other classes are left out of the outline.
	first, last := 1, bins
	for first < last && count[first-1] == 0 {
		first++
	}
	for first < last && count[last-1] == 0 {
		last--
	}
	outX := append([]float64{x[first]}, x[first:last+2]...)
	outY := append(append([]float64{0}, y[first:last+1]...), 0)
	// The filled area is the same staircase, as a polygon.
	var sx, sy, zero []float64
	for i := first; i <= last; i++ {
		sx, sy, zero = append(sx, x[i], x[i+1]), append(sy, y[i], y[i]), append(zero, 0, 0)
	}
	f.data.floor = true
	f.add(&area{xs: sx, lo: zero, hi: sy, color: fade(c, 0.28)},
		&polyline{xs: outX, ys: outY, steps: true, sty: draw.LineStyle{Color: c, Width: vg.Points(1.1)}})
	return f.record("histogram", name, []Column{numbers("lo", x[1:bins+1]), numbers("hi", x[2:]), numbers("count", count), numbers("y", y[1:bins+1])})
}

// HLine adds a dashed horizontal line.
func (f *Figure) HLine(name string, y float64) *Figure {
	check("HLine", "y", []float64{y})
	f.Y.Min, f.Y.Max = math.Min(f.Y.Min, y), math.Max(f.Y.Max, y)
	f.data.include(math.Inf(1), math.Inf(-1), y, y)
	f.add(&rule{dx: 1, y: y, sty: dashes(f.color(name, dashEntry), 1.1)})
	return f.record("hline", name, []Column{numbers("y", []float64{y})})
}

// VLine adds a dashed vertical line.
func (f *Figure) VLine(name string, x float64) *Figure {
	check("VLine", "x", []float64{x})
	f.X.Min, f.X.Max = math.Min(f.X.Min, x), math.Max(f.X.Max, x)
	f.data.include(x, x, math.Inf(1), math.Inf(-1))
	f.add(&rule{dy: 1, x: x, sty: dashes(f.color(name, dashEntry), 1.1)})
	return f.record("vline", name, []Column{numbers("x", []float64{x})})
}

// Basis adds the columns of A (2 × n) as arrows from the origin. It sets Equal, so that one unit has the same length on
// both axes. Through each arrow it draws a thin dashed line in both directions. Each column is multiplied by scale. If
// scale is 0, the longest arrow is 0.7 times as long as the distance from 0 to the farthest end of an axis.
func (f *Figure) Basis(name string, A mat.Matrix, scale float64) *Figure {
	given.Args("figure: Figure.Basis", "A", A)
	xs, ys := columns("Basis", A)
	if scale == 0 {
		reach, longest := 0.0, 0.0
		for _, v := range []float64{f.X.Min, f.X.Max, f.Y.Min, f.Y.Max} {
			if !math.IsInf(v, 0) {
				reach = math.Max(reach, math.Abs(v))
			}
		}
		for i := range xs {
			longest = math.Max(longest, math.Hypot(xs[i], ys[i]))
		}
		scale = 1
		if reach > 0 && longest > 0 {
			scale = 0.7 * reach / longest
		}
	}
	c := f.color(name, arrowEntry)
	f.record("arrow", name, append(xy(xs, ys), numbers("column", upTo(len(xs)))))
	f.Equal = true
	for i := range xs {
		if xs[i] != 0 || ys[i] != 0 {
			f.add(&rule{dx: xs[i], dy: ys[i], sty: draw.LineStyle{Color: fade(c, 0.75), Width: vg.Points(0.8),
				Dashes: []vg.Length{vg.Points(3), vg.Points(2.5)}}})
		}
		xs[i] *= scale
		ys[i] *= scale
	}
	f.add(&arrows{xs: xs, ys: ys, color: c, width: vg.Points(2)})
	return f
}

// columns checks that A is 2 × n and returns its rows.
func columns(what string, A mat.Matrix) (xs, ys []float64) {
	r, c := A.Dims()
	if r != 2 || c == 0 {
		panic(fmt.Sprintf("figure: %s: the matrix is %d × %d, not 2 × n", what, r, c))
	}
	xs, ys = mat.Row(nil, 0, A), mat.Row(nil, 1, A)
	check(what, "row-0 row-1", xs, ys)
	return xs, ys
}

// Scatter returns a figure of points.
func Scatter(title string, x, y []float64) *Figure { return New(title, "", "").Scatter("", x, y) }

// Lines returns a figure of one line.
func Lines(title string, x, y []float64) *Figure { return New(title, "", "").Lines("", x, y) }

// Series returns a figure of a line through the points (i, y[i]).
func Series(title string, y []float64) *Figure { return New(title, "", "").Series("", y) }

// Histogram returns a figure of the density of the given values; see Figure.Histogram.
func Histogram(title string, values []float64, bins int) *Figure {
	f := New(title, "", "density").Histogram("", values, bins)
	f.Y.Min = 0
	return f
}

// Cloud returns a figure of the columns of X (2 × N) as pale points with equal axis scales, as a background for Basis.
// The first layer added to it is black.
func Cloud(title string, X mat.Matrix) *Figure {
	given.Args("figure: Cloud", "X", X)
	xs, ys := columns("Cloud", X)
	f := New(title, "x₁", "x₂")
	f.dots(xs, ys, len(xs), color.NRGBA{0x3F, 0x6D, 0x94, 0xFF})
	f.record("points", "", xy(xs, ys))
	f.Equal, f.Width, f.Height = true, 4.6, 4.6
	f.next = Black
	return f
}

// Bars returns a bar chart with a group of len(names) bars at each label: values[k][i] is the height, at label i, of
// the bar called names[k].
func Bars(title string, labels, names []string, values [][]float64) *Figure {
	if len(values) != len(names) || len(names) == 0 {
		panic(fmt.Sprintf("figure: Bars: %d names, %d rows of values", len(names), len(values)))
	}
	f := New(title, "", "")
	f.data.floor, f.data.places = true, true
	for k, v := range values {
		check("Bars", "values", v)
		if len(v) != len(labels) {
			panic(fmt.Sprintf("figure: Bars: %d labels, but %d values of %q", len(labels), len(v), names[k]))
		}
		name := names[k]
		if len(names) == 1 {
			name = ""
		}
		f.add(&bars{values: clone(v), k: k, n: len(names), color: f.color(name, patchEntry)})
		f.record("bar", names[k], []Column{{Name: "label", Text: slices.Clone(labels)}, {Name: "x", Numbers: upTo(len(v))}, numbers("value", v)})
	}
	nameTicks(&f.X, labels)
	return f
}

// nameTicks labels the positions 0, 1, 2, ... of an axis with the given names.
func nameTicks(a *plot.Axis, names []string) {
	ts := plot.ConstantTicks{}
	for i, l := range names {
		ts = append(ts, plot.Tick{Value: float64(i), Label: l})
	}
	a.Tick.Marker = ts
	a.Tick.LineStyle.Width = 0
}

// Heatmap returns a figure of a matrix with a color bar. Row 0 is on top, as in a printed matrix. (gonum's HeatMap has
// row 0 at the bottom.) If the matrix has values of both signs, the colors are Diverging and symmetric about 0;
// otherwise they are Sequential. The method Names adds names of rows and columns, and the method Values writes the
// numbers into the cells.
func Heatmap(title string, M mat.Matrix) *Figure {
	given.Args("figure: Heatmap", "M", M)
	lo, hi := matrixSpan("Heatmap", M, false)
	return heatmapBySign(title, M, lo, hi)
}

// HeatmapWithGaps is like Heatmap, but elements of M may be NaN where a value is missing. Their cells are light gray,
// which is not the color of any value. (White may mean 0.)
func HeatmapWithGaps(title string, M mat.Matrix) *Figure {
	given.Args("figure: HeatmapWithGaps", "M", M)
	lo, hi := matrixSpan("HeatmapWithGaps", M, true)
	return heatmapBySign(title, M, lo, hi)
}

// heatmapBySign returns a heat map with values from lo to hi. Its color map depends on the signs of lo and hi.
func heatmapBySign(title string, M mat.Matrix, lo, hi float64) *Figure {
	if lo < 0 && hi > 0 {
		a := math.Max(-lo, hi)
		return heatmap(title, M, -a, a, Diverging)
	}
	return heatmap(title, M, lo, hi, Sequential)
}

// HeatmapIn is like Heatmap, but with a given color map over the range lo to hi. Values outside the range get the
// color of the nearer end.
func HeatmapIn(title string, M mat.Matrix, lo, hi float64, cmap ColorMap) *Figure {
	given.Args("figure: HeatmapIn", "M", M, "cmap", cmap)
	matrixSpan("HeatmapIn", M, false)
	if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		panic(fmt.Sprintf("figure: HeatmapIn: %v..%v is not a range", lo, hi))
	}
	return heatmap(title, M, lo, hi, cmap)
}

// heatmap returns a heat map in which cells with NaN are gray.
func heatmap(title string, M mat.Matrix, lo, hi float64, cmap ColorMap) *Figure {
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	r, c := M.Dims()
	p := plot.New()
	Theme(p)
	p.Title.Text = title
	f := &Figure{Plot: p, Maker: maker(), Equal: true, picture: true, bar: &bar{lo: lo, hi: hi, cmap: cmap}, Width: 5}
	// The picture takes about 3.6 inches of the width; its shape determines the height.
	f.Height = math.Min(6, math.Max(1.8, 0.8+3.6*float64(r)/float64(c)))
	f.bar.M = mat.DenseCopyOf(M)
	gaps := false
	for i := range r {
		gaps = gaps || slices.ContainsFunc(f.bar.M.RawRowView(i), math.IsNaN)
	}
	at := func(i, j int) color.Color {
		if v := f.bar.M.At(i, j); !math.IsNaN(v) {
			return cmap((v - lo) / (hi - lo))
		}
		return color.NRGBA{}
	}
	if max(r, c) <= fewCells {
		f.add(&cells{rows: r, cols: c, at: at})
	} else {
		f.add(&raster{img: blocks(r, c, at), x0: -0.5, x1: float64(c) - 0.5, y0: -0.5, y1: float64(r) - 0.5, frame: true, gaps: gaps})
	}
	f.recordLater("heatmap", "", cellColumns(f.bar.M))
	f.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	for _, a := range []*plot.Axis{&f.X, &f.Y} {
		a.LineStyle.Width, a.Padding = 0, 0
		a.Tick.Marker = indexTicks{}
	}
	return f
}

// indexTicks places ticks only at whole numbers.
type indexTicks struct{}

func (indexTicks) Ticks(lo, hi float64) []plot.Tick {
	var ts []plot.Tick
	if hi-lo <= 8 {
		for i := math.Ceil(lo); i <= hi; i++ {
			ts = append(ts, plot.Tick{Value: i, Label: fmt.Sprint(int(i))}) // avoids −0
		}
		return ts
	}
	for _, t := range (Ticks{}).Ticks(lo, hi) {
		if t.Value == math.Trunc(t.Value) {
			ts = append(ts, t)
		}
	}
	return ts
}

// matrixSpan returns the least and the largest element of M. It panics if M is empty, or if an element is infinite or
// NaN. If gaps is set, elements may be NaN, but it panics if all are.
func matrixSpan(what string, M mat.Matrix, gaps bool) (lo, hi float64) {
	r, c := M.Dims()
	if r == 0 || c == 0 {
		panic(fmt.Sprintf("figure: %s: the matrix is empty", what))
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range r {
		for j := range c {
			v := M.At(i, j)
			if math.IsNaN(v) && gaps {
				continue
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				hint := ""
				if math.IsNaN(v) && (what == "Heatmap" || what == "Annotated") {
					hint = " (HeatmapWithGaps draws such a cell in gray)"
				}
				panic(fmt.Sprintf("figure: %s: element (%d, %d) is %v%s", what, i, j, v, hint))
			}
			if math.Abs(v) > largest {
				panic(fmt.Sprintf("figure: %s: element (%d, %d) is %v%s", what, i, j, v, tooLarge))
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		panic(fmt.Sprintf("figure: %s: all elements are NaN", what))
	}
	return lo, hi
}

// Tiles returns a figure of the columns of A (h·w × n) as images of h rows and w columns, and puts the given number of
// images in each row. A column of A holds the pixels of its image row by row. Each image is scaled by its own largest
// absolute value. 0 is middle gray; positive values are lighter and negative values darker.
func Tiles(title string, A mat.Matrix, h, w, across int) *Figure {
	given.Args("figure: Tiles", "A", A)
	r, n := A.Dims()
	if h <= 0 || w <= 0 || across <= 0 || r != h*w {
		panic(fmt.Sprintf("figure: Tiles: columns of %d values are not %d × %d images (%d across)", r, h, w, across))
	}
	matrixSpan("Tiles", A, false)
	rows := (n + across - 1) / across
	peak := make([]float64, n)
	for k := range n {
		for i := range r {
			peak[k] = math.Max(peak[k], math.Abs(A.At(i, k)))
		}
	}
	H, W := rows*(h+1)+1, across*(w+1)+1
	img := blocks(H, W, func(i, j int) color.Color {
		ti, tj := i/(h+1), j/(w+1)
		y, x := i%(h+1)-1, j%(w+1)-1
		k := ti*across + tj
		if y < 0 || x < 0 || k >= n || tj >= across {
			return color.White
		}
		v := 0.5
		if peak[k] > 0 {
			v = 0.5 + 0.5*A.At(y*w+x, k)/peak[k]
		}
		return color.Gray{Y: uint8(math.Round(255 * v))}
	})
	p := plot.New()
	Theme(p)
	p.HideAxes()
	p.Title.Text = title
	f := &Figure{Plot: p, Maker: maker(), Equal: true, picture: true, Width: 5, Height: 0.4 + 5*float64(H)/float64(W)}
	f.add(&raster{img: img, x0: 0, x1: float64(W), y0: float64(H), y1: 0}) // the top row has the largest y
	f.recordLater("tiles", "", tileColumns(mat.DenseCopyOf(A.T()), h, w))
	f.records[len(f.records)-1].gaps = mosaic.Gaps(n, across, h, w, 0)
	return f
}
