package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/figuremeta"
)

// An extent is the range of the data of a figure.
type extent struct {
	known          bool
	x0, x1, y0, y1 float64
	floor          bool // bars stand on y = 0
	places         bool // x has places at 0, 1, 2, ... instead of a scale
}

// include widens the extent so that it contains the rectangle from (x0, y0) to (x1, y1).
func (e *extent) include(x0, x1, y0, y1 float64) {
	if !e.known {
		e.known = true
		e.x0, e.x1, e.y0, e.y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	}
	e.x0, e.x1, e.y0, e.y1 = math.Min(e.x0, x0), math.Max(e.x1, x1), math.Min(e.y0, y0), math.Max(e.y1, y1)
}

// add adds plotters of this package to the figure. Unlike Add, it does not record their data for CSV.
func (f *Figure) add(plotters ...plot.Plotter) {
	f.Plot.Add(plotters...)
	f.layers = append(f.layers, plotters...)
	for _, p := range plotters {
		if d, ok := p.(plot.DataRanger); ok {
			f.data.include(d.DataRange())
		}
	}
}

const defaultMargin = 0.05

// leaveMargins widens the axes to leave margins around the data. It moves an end of an axis only if the data end
// exactly there, so an end that the caller has set elsewhere stays. x0 to x1 and y0 to y1 are the ranges that the axes
// had before prepare widened empty ranges.
func (f *Figure) leaveMargins(x0, x1, y0, y1 float64) {
	share := f.Margin
	if share == 0 {
		share = defaultMargin
	}
	if share < 0 || f.picture || f.fixed || !f.data.known {
		return
	}
	if !f.data.places {
		widen(&f.X, share, x0 == f.data.x0 && x0 < x1, x1 == f.data.x1 && x0 < x1)
	}
	widen(&f.Y, share, y0 == f.data.y0 && y0 < y1 && !(f.data.floor && y0 == 0), y1 == f.data.y1 && y0 < y1 && !(f.data.floor && y1 == 0))
}

// widen extends the range of axis a at its lower end if below is set, and at its upper end if above is set. The length
// of each extension is the given share of the length of the range (on a logarithmic axis, of the range of the
// logarithm).
func widen(a *plot.Axis, share float64, below, above bool) {
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if _, log := a.Scale.(plot.LogScale); log {
		to, from = math.Log, math.Exp
	}
	lo, hi := to(a.Min), to(a.Max)
	step := share * (hi - lo)
	if math.IsInf(step, 0) || math.IsNaN(step) {
		return
	}
	// On a logarithmic axis of the whole range of float64, there is no room for margins.
	if v := from(lo - step); below && to(v)-to(v) == 0 {
		a.Min = v
	}
	if v := from(hi + step); above && to(v)-to(v) == 0 {
		a.Max = v
	}
}

// tiltNames tilts the names below the horizontal axis if they would otherwise overlap.
func (f *Figure) tiltNames(c draw.Canvas) {
	ts, ok := f.X.Tick.Marker.(plot.ConstantTicks)
	if !ok || hasNumericLabels(ts) || len(ts) < 2 {
		return
	}
	dc := f.DataCanvas(c)
	widest := vg.Length(0)
	for _, t := range ts {
		widest = max(widest, f.X.Tick.Label.Width(t.Label))
	}
	apart := (dc.Max.X - dc.Min.X) * vg.Length((ts[1].Value-ts[0].Value)/(f.X.Max-f.X.Min))
	if widest+4 <= apart {
		return
	}
	sty := &f.X.Tick.Label
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/4, draw.XRight, draw.YTop
	if apart < sty.Font.Size*1.3 {
		sty.Rotation, sty.YAlign = math.Pi/2, draw.YCenter
	}
}

// tiltedRoom returns the space to leave free at the left edge of c, so that no tilted name below the horizontal axis
// is cut off.
func (f *Figure) tiltedRoom(c draw.Canvas) (room vg.Length) {
	ts, ok := f.X.Tick.Marker.(plot.ConstantTicks)
	if sty := f.X.Tick.Label; ok && sty.Rotation != 0 {
		dc := f.DataCanvas(c)
		for _, t := range ts {
			at := dc.X(f.X.Norm(t.Value))
			// Additional space at the left moves a name less if it is nearer the right end.
			if over := c.Min.X - at - sty.Rectangle(t.Label).Min.X; over > 0 && at < dc.Max.X {
				room = max(room, over*(dc.Max.X-dc.Min.X)/(dc.Max.X-at))
			}
		}
	}
	return min(room, (c.Max.X-c.Min.X)/2)
}

// A Place is the position of a legend.
type Place int

// These are the places of a legend. The default is Above. A legend at Above or Beside hides no data.
const (
	Above Place = iota
	Beside
	UpperRight
	UpperLeft
	LowerRight
	LowerLeft
	NoLegend
)

// LegendAt moves the legend. In a figure made by Classes, which writes the names of the classes into the plot, LegendAt
// replaces these names with a legend.
func (f *Figure) LegendAt(at Place) *Figure {
	if f.left != nil {
		f.left.LegendAt(at)
		return f
	}
	f.place = at
	for _, p := range f.layers {
		if s, ok := p.(*classes); ok && len(f.entries) == 0 {
			for i, k := range s.list {
				if k.name != "" && at != NoLegend {
					f.entries = append(f.entries, entry{name: k.name, color: k.color, kind: dotEntry})
				}
				s.list[i].name = ""
			}
		}
	}
	return f
}

// allEntries returns the entries of the legend, including those of the right axis.
func (f *Figure) allEntries() []entry {
	if f.right == nil {
		return f.entries
	}
	return append(f.entries[:len(f.entries):len(f.entries)], f.right.entries...)
}

// above returns the entries of the legend if it is above the plot, and otherwise nil.
func (f *Figure) above() []entry {
	if f.place != Above {
		return nil
	}
	return f.allEntries()
}

// legendWidth returns the width of a legend in which each entry has its own row.
func legendWidth(es []entry) vg.Length {
	w := vg.Length(0)
	for _, e := range es {
		w = max(w, thumb+4+legendStyle.Width(e.name))
	}
	return w
}

// rightRoom returns the space that a figure needs at the right of its plot.
func (f *Figure) rightRoom() vg.Length {
	w := vg.Length(0)
	if f.bar != nil && !f.bar.hidden {
		w += barWidth
	}
	if f.right != nil {
		w += f.right.rightAxisWidth()
	}
	if es := f.allEntries(); f.place == Beside && len(es) > 0 {
		w += legendWidth(es) + 14
	}
	return w
}

// drawPlaced draws a legend inside the data area, or beside it, to the right of x. It returns the entries of the
// legend for the figure's metadata. It draws nothing if the legend's place is Above or NoLegend.
func (f *Figure) drawPlaced(dc draw.Canvas, x vg.Length) (keys []figuremeta.Key) {
	es := f.allEntries()
	if f.place == Above || f.place == NoLegend || len(es) == 0 {
		return nil
	}
	w, h := legendWidth(es), vg.Length(len(es))*rowHeight
	const inset = 8
	left, top := x+14, dc.Max.Y
	switch f.place {
	case UpperRight, LowerRight:
		left = dc.Max.X - w - inset
	case UpperLeft, LowerLeft:
		left = dc.Min.X + inset
	}
	switch f.place {
	case UpperRight, UpperLeft:
		top = dc.Max.Y - inset
	case LowerRight, LowerLeft:
		top = dc.Min.Y + inset + h
	}
	if f.place != Beside { // a ground on which the names can be read
		const edge = 4
		a, b := vg.Point{X: left - edge, Y: top - h - edge}, vg.Point{X: left + w + edge, Y: top + edge}
		dc.FillPolygon(color.NRGBA{0xFF, 0xFF, 0xFF, 0xD8}, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
	}
	n := sketchOf(dc)
	for i, e := range es {
		mid := top - (vg.Length(i)+0.5)*rowHeight
		from := n.shapes()
		drawThumb(dc, e, left, mid)
		keys = append(keys, figuremeta.Key{Name: e.name, Color: hex(e.color), Shapes: figuremeta.Range{from, n.shapes()}})
		drawEntryName(dc, e, left, mid)
	}
	return keys
}

// Right returns a figure that has its own vertical axis, with the given label, on the right side of f. Layers added to
// the returned figure are drawn into f. Their colors continue the palette where the layers of f stopped when Right was
// first called. In the CSV, their values are in the column "y right". If f already has a right axis, Right returns the
// figure of that axis, and ignores the argument label. Calls can be chained: showing or saving the returned figure
// shows or saves f, and By, Note, Size, SizeCM, LegendAt, LogX and WholeX change f.
func (f *Figure) Right(label string) *Figure {
	if f.right == nil {
		f.right = New("", "", label)
		f.right.next, f.right.left = f.next, f
	}
	return f.right
}

// whole returns the figure to which f belongs if f is a right axis, and otherwise f itself.
func (f *Figure) whole() *Figure {
	if f.left != nil {
		return f.left
	}
	return f
}

// rightAxisWidth returns the width of the space that a right axis needs for its ticks and labels.
func (f *Figure) rightAxisWidth() vg.Length {
	w := f.Y.Padding + f.Y.Tick.Length + 3
	widest := vg.Length(0)
	lo, hi := f.Y.Min, f.Y.Max
	for _, t := range f.Y.Tick.Marker.Ticks(lo, hi) {
		widest = max(widest, f.Y.Tick.Label.Width(t.Label))
	}
	w += widest
	if f.Y.Label.Text != "" {
		w += f.Y.Label.Padding + f.Y.Label.TextStyle.Height(f.Y.Label.Text) + 4
	}
	return w
}

// drawRight draws the layers of the right axis, and then the axis itself.
func (f *Figure) drawRight(dc draw.Canvas) {
	r := f.right
	x, y := r.X, r.Y
	defer func() { r.X, r.Y = x, y }()
	r.prepare()
	r.X.Min, r.X.Max, r.X.Scale = f.X.Min, f.X.Max, f.X.Scale
	for _, p := range r.layers {
		p.Plot(dc, r.Plot)
	}
	at := dc.Max.X + r.Y.Padding
	dc.StrokeLine2(r.Y.LineStyle, at, dc.Min.Y, at, dc.Max.Y)
	sty := r.Y.Tick.Label
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	widest := vg.Length(0)
	for _, t := range r.Y.Tick.Marker.Ticks(r.Y.Min, r.Y.Max) {
		y := dc.Y(r.Y.Norm(t.Value))
		if !dc.ContainsY(y) {
			continue
		}
		length := r.Y.Tick.Length
		if t.IsMinor() {
			length /= 2
		}
		dc.StrokeLine2(r.Y.Tick.LineStyle, at, y, at+length, y)
		dc.FillText(sty, vg.Point{X: at + r.Y.Tick.Length + 3, Y: y}, t.Label)
		widest = max(widest, sty.Width(t.Label))
	}
	label := r.Y.Label.TextStyle
	label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XCenter, draw.YTop
	dc.FillText(label, vg.Point{X: at + r.Y.Tick.Length + 3 + widest + r.Y.Label.Padding, Y: (dc.Min.Y + dc.Max.Y) / 2}, r.Y.Label.Text)
}
