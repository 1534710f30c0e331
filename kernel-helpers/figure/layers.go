package figure

import (
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// dots is a plotter that draws many points as a few paths, which keeps the SVG of a point cloud small.
type dots struct {
	xs, ys []float64
	color  color.NRGBA
	radius vg.Length
	paths  int // number of paths; where points of different paths overlap, the color is darker
}

func (d *dots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	c.SetColor(d.color)
	for k := range d.paths {
		var path vg.Path
		for i := k; i < len(d.xs); i += d.paths {
			pt := vg.Point{X: tx(d.xs[i]), Y: ty(d.ys[i])}
			if !c.Contains(pt) {
				continue
			}
			path.Move(vg.Point{X: pt.X + d.radius, Y: pt.Y})
			path.Arc(pt, d.radius, 0, 2*math.Pi)
			path.Close()
		}
		if len(path) > 0 {
			c.Fill(path)
		}
	}
}

func (d *dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = span(d.xs)
	ymin, ymax = span(d.ys)
	return
}

func span(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if math.IsNaN(x) { // a gap
			continue
		}
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}

// polyline is a line through points, cut at the edges of the data area. It has a gap where y is NaN. A point between
// two gaps is drawn as a dot.
type polyline struct {
	xs, ys []float64
	sty    draw.LineStyle
	steps  bool // hold each y until the next x
}

// pieces returns the points of the line between its gaps.
func (l *polyline) pieces(tx, ty func(float64) vg.Length) [][]vg.Point {
	var list [][]vg.Point
	var pts []vg.Point
	for i := range l.xs {
		if math.IsNaN(l.ys[i]) {
			list, pts = append(list, pts), nil
			continue
		}
		if l.steps && i > 0 {
			pts = append(pts, vg.Point{X: tx(l.xs[i]), Y: ty(l.ys[i-1])})
		}
		pts = append(pts, vg.Point{X: tx(l.xs[i]), Y: ty(l.ys[i])})
	}
	return append(list, pts)
}

func (l *polyline) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, pts := range l.pieces(tx, ty) {
		if len(pts) > 0 {
			c.StrokeLines(l.sty, c.ClipLinesXY(pts)...)
		}
	}
	alone := &dots{color: fade(l.sty.Color, 1), radius: 0.8 * l.sty.Width, paths: 1}
	gap := func(i int) bool { return i < 0 || i >= len(l.ys) || math.IsNaN(l.ys[i]) }
	for i := range l.ys {
		if !gap(i) && gap(i-1) && gap(i+1) && len(l.ys) > 1 {
			alone.xs, alone.ys = append(alone.xs, l.xs[i]), append(alone.ys, l.ys[i])
		}
	}
	if len(alone.xs) > 0 {
		alone.Plot(c, p)
	}
}

func (l *polyline) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = span(l.xs)
	ymin, ymax = span(l.ys)
	return
}

// area is the filled region between two curves over the same xs.
type area struct {
	xs, lo, hi []float64
	color      color.Color
}

func (a *area) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var pts []vg.Point
	for i := range a.xs {
		pts = append(pts, vg.Point{X: tx(a.xs[i]), Y: ty(a.hi[i])})
	}
	for i := len(a.xs) - 1; i >= 0; i-- {
		pts = append(pts, vg.Point{X: tx(a.xs[i]), Y: ty(a.lo[i])})
	}
	c.FillPolygon(a.color, c.ClipPolygonXY(pts))
}

func (a *area) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = span(a.xs)
	ymin, _ = span(a.lo)
	_, ymax = span(a.hi)
	return
}

// whiskers are vertical error bars.
type whiskers struct {
	xs, lo, hi []float64
	sty        draw.LineStyle
	cap        vg.Length
}

func (w *whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range w.xs {
		x, lo, hi := tx(w.xs[i]), ty(w.lo[i]), ty(w.hi[i])
		c.StrokeLines(w.sty, c.ClipLinesXY(
			[]vg.Point{{X: x, Y: lo}, {X: x, Y: hi}},
			[]vg.Point{{X: x - w.cap, Y: lo}, {X: x + w.cap, Y: lo}},
			[]vg.Point{{X: x - w.cap, Y: hi}, {X: x + w.cap, Y: hi}})...)
	}
}

func (w *whiskers) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = span(w.xs)
	ymin, _ = span(w.lo)
	_, ymax = span(w.hi)
	return
}

// barShare is the total width of the bars at one label, as a share of the distance between labels.
const barShare = 0.76

// bars is a plotter that draws the bars of one series, number k of n. The bars stand on y = 0, at x = 0, 1, 2, ...,
// and those of the n series are side by side at each x.
type bars struct {
	values []float64
	k, n   int
	color  color.Color
}

func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	w := barShare / float64(b.n)
	for i, v := range b.values {
		x0 := float64(i) - barShare/2 + float64(b.k)*w
		l, r, y0, y1 := tx(x0), tx(x0+w*0.94), ty(0), ty(v)
		c.FillPolygon(b.color, c.ClipPolygonXY([]vg.Point{{X: l, Y: y0}, {X: r, Y: y0}, {X: r, Y: y1}, {X: l, Y: y1}}))
	}
}

func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	lo, hi := span(b.values)
	return -0.5, float64(len(b.values)) - 0.5, math.Min(0, lo), math.Max(0, hi)
}

// rule is a straight line across the whole data area: horizontal, vertical, or
// through the origin.
type rule struct {
	dx, dy, x, y float64 // a direction and a point
	sty          draw.LineStyle
}

func (r *rule) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	switch {
	case r.dy == 0:
		c.StrokeLines(r.sty, c.ClipLinesXY([]vg.Point{{X: c.Min.X, Y: ty(r.y)}, {X: c.Max.X, Y: ty(r.y)}})...)
		return
	case r.dx == 0:
		c.StrokeLines(r.sty, c.ClipLinesXY([]vg.Point{{X: tx(r.x), Y: c.Min.Y}, {X: tx(r.x), Y: c.Max.Y}})...)
		return
	}
	// The line is long enough to leave the data area at both ends, wherever its point is.
	reach := (math.Abs(p.X.Min-r.x) + math.Abs(p.X.Max-r.x) + math.Abs(p.Y.Min-r.y) + math.Abs(p.Y.Max-r.y)) / math.Hypot(r.dx, r.dy)
	c.StrokeLines(r.sty, c.ClipLinesXY([]vg.Point{
		{X: tx(r.x - reach*r.dx), Y: ty(r.y - reach*r.dy)},
		{X: tx(r.x + reach*r.dx), Y: ty(r.y + reach*r.dy)}})...)
}

// arrows are arrows from the origin to the points (xs[i], ys[i]).
type arrows struct {
	xs, ys []float64
	color  color.Color
	width  vg.Length
}

func (a *arrows) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	o := vg.Point{X: tx(0), Y: ty(0)}
	// Draw a white outline first, so that an arrow stays visible in a dense cloud and where arrows cross.
	for i := range a.xs {
		drawArrow(c, o, vg.Point{X: tx(a.xs[i]), Y: ty(a.ys[i])}, color.White, a.width+vg.Points(2), vg.Points(1.2))
		drawArrow(c, o, vg.Point{X: tx(a.xs[i]), Y: ty(a.ys[i])}, a.color, a.width, 0)
	}
}

func drawArrow(c draw.Canvas, from, to vg.Point, col color.Color, width, rim vg.Length) {
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	n := math.Hypot(dx, dy)
	if n == 0 {
		return
	}
	dx, dy = dx/n, dy/n
	head, half := vg.Length(math.Min(9, n)), vg.Length(3.6)
	base := vg.Point{X: to.X - head*vg.Length(dx), Y: to.Y - head*vg.Length(dy)}
	c.StrokeLines(draw.LineStyle{Color: col, Width: width}, []vg.Point{from, base})
	at := func(along, across vg.Length) vg.Point {
		return vg.Point{
			X: base.X + along*vg.Length(dx) - across*vg.Length(dy),
			Y: base.Y + along*vg.Length(dy) + across*vg.Length(dx),
		}
	}
	c.FillPolygon(col, []vg.Point{at(head+1.6*rim, 0), at(-rim, half+rim), at(-rim, -half-rim)})
}

func (a *arrows) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = span(append([]float64{0}, a.xs...))
	ymin, ymax = span(append([]float64{0}, a.ys...))
	return
}

// raster is an image over a rectangle in data coordinates.
type raster struct {
	img            image.Image
	x0, x1, y0, y1 float64 // y0 is the top of the image
	frame          bool
	gaps           bool // transparent pixels are drawn in the color of cells without a value
}

func (r *raster) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	a, b := vg.Point{X: tx(r.x0), Y: ty(r.y1)}, vg.Point{X: tx(r.x1), Y: ty(r.y0)}
	img := r.img
	if r.gaps {
		filled := image.NewNRGBA(img.Bounds())
		imagedraw.Draw(filled, filled.Rect, image.NewUniform(blank), image.Point{}, imagedraw.Src)
		imagedraw.Draw(filled, filled.Rect, img, img.Bounds().Min, imagedraw.Over)
		img = filled
	}
	c.DrawImage(vg.Rectangle{Min: a, Max: b}, img)
	if r.frame { // without a frame, white cells at the edge are invisible
		c.StrokeLines(draw.LineStyle{Color: axis, Width: vg.Points(0.5)},
			[]vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}, a})
	}
}

func (r *raster) DataRange() (xmin, xmax, ymin, ymax float64) {
	return r.x0, r.x1, math.Min(r.y0, r.y1), math.Max(r.y0, r.y1)
}

// fewCells is the largest number of rows, and of columns, of a matrix that is drawn as areas and not as an image. A
// canvas that enlarges an image smooths it, which blurs the edges of large cells.
const fewCells = 14

// cells is a plotter that draws a matrix as colored rectangles, one for each element, with row 0 at y = 0. A
// transparent color stands for an element without a value.
type cells struct {
	rows, cols int
	at         func(i, j int) color.Color
}

// Plot implements plot.Plotter.
func (m *cells) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range m.rows {
		for j := range m.cols {
			fill := m.at(i, j)
			if _, _, _, alpha := fill.RGBA(); alpha == 0 {
				fill = blank
			}
			// Each rectangle extends under its neighbors to the right and below, so that no background shows
			// between them.
			l, t := tx(float64(j)-0.5), ty(float64(i)-0.5)
			r, b := tx(math.Min(float64(j)+0.7, float64(m.cols)-0.5)), ty(math.Min(float64(i)+0.7, float64(m.rows)-0.5))
			c.FillPolygon(fill, []vg.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}})
		}
	}
	l, r, t, b := tx(-0.5), tx(float64(m.cols)-0.5), ty(-0.5), ty(float64(m.rows)-0.5)
	c.StrokeLines(draw.LineStyle{Color: axis, Width: vg.Points(0.5)}, []vg.Point{{X: l, Y: t}, {X: r, Y: t}, {X: r, Y: b}, {X: l, Y: b}, {X: l, Y: t}})
}

// DataRange implements plot.DataRanger.
func (m *cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(m.cols) - 0.5, -0.5, float64(m.rows) - 0.5
}

// blocks returns an image with one block of pixels per cell. The blocks are large enough that viewers do
// not smooth them.
func blocks(rows, cols int, at func(i, j int) color.Color) *image.NRGBA {
	k := max(1, min(32, 480/max(rows, cols)))
	img := image.NewNRGBA(image.Rect(0, 0, cols*k, rows*k))
	for i := range rows {
		for j := range cols {
			c := color.NRGBAModel.Convert(at(i, j)).(color.NRGBA)
			for y := i * k; y < (i+1)*k; y++ {
				for x := j * k; x < (j+1)*k; x++ {
					img.SetNRGBA(x, y, c)
				}
			}
		}
	}
	return img
}

func gridLines() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical = draw.LineStyle{Color: faint, Width: vg.Points(0.6)}
	g.Horizontal = g.Vertical
	return g
}
