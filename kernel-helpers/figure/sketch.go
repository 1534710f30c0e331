package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/fittedsvg"
	"overcomplete/internal/quickpng"
	"overcomplete/internal/smallpng"
)

// A sketch is an SVG canvas that also records what is drawn where.
type sketch struct {
	*fittedsvg.Canvas
	height vg.Length
	about  figuremeta.Figure
}

func newSketch(w, h vg.Length) *sketch {
	c := fittedsvg.New(w, h)
	c.Fit = browser // text without textLength attributes makes the file smaller; Save also writes a PNG
	if !browser {
		c.PNG = smallPNG
	}
	return &sketch{Canvas: c, height: h, about: figuremeta.Figure{Version: figuremeta.Version,
		Colors: figuremeta.Colors{Ground: hex(color.White), Ink: hex(ink), Quiet: hex(quiet), Axis: hex(axis), Grid: hex(faint)}}}
}

// smallPNG encodes img as a PNG, with fewer colors if that makes the file smaller. The colors may change a little, but
// the values that they stand for are kept exactly in the figure's data.
func smallPNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := quickpng.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("figure: %v", err))
	}
	return smallpng.Reduce(b.Bytes())
}

// sketchOf returns the sketch that c draws on. It returns nil if c draws pixels, because nothing is recorded
// for pixels.
func sketchOf(c draw.Canvas) *sketch {
	for {
		switch below := c.Canvas.(type) {
		case draw.Canvas: // c is a part of another canvas
			c = below
		case *sketch:
			return below
		default:
			return nil
		}
	}
}

// shapes returns the number of shapes drawn so far. It returns 0 if s is nil.
func (s *sketch) shapes() int {
	if s == nil {
		return 0
	}
	return s.Shapes
}

// setKeys records the legend of the whole figure or grid.
func (s *sketch) setKeys(keys []figuremeta.Key) {
	if s != nil {
		s.about.Keys = keys
	}
}

// begin begins the record of a panel: the figure f, which is drawn next on c.
func (s *sketch) begin(c draw.Canvas, f *Figure) {
	if s == nil {
		return
	}
	from := s.Shapes
	if f.BackgroundColor != nil {
		from++ // the background
	}
	p := figuremeta.Panel{Data: "1", Box: s.box(c.Rectangle), Area: s.box(f.DataCanvas(c).Rectangle),
		X: axisOf(&f.X), Y: axisOf(&f.Y), Shapes: figuremeta.Range{from, from}, Pixels: f.picture, Gaps: s.gaps(c, f)}
	for _, r := range f.records {
		if r.kind == "bar" {
			p.Bars = barShare
		}
	}
	s.about.Panels = append(s.about.Panels, p)
}

// A tiler is a plotter of images with gaps, which show the figure's background. Gaps returns the corners x0, y0, x1,
// y1 of the gaps, as values on the axes.
type tiler interface{ Gaps() [][4]float64 }

// gaps returns the gaps of f's images in SVG coordinates. c is the canvas on which f is drawn.
func (s *sketch) gaps(c draw.Canvas, f *Figure) (list []figuremeta.Box) {
	data := f.DataCanvas(c)
	tx, ty := f.Transforms(&data)
	for _, r := range f.records {
		gaps := r.gaps
		if t, ok := r.plotter.(tiler); ok {
			gaps = t.Gaps()
		}
		for _, g := range gaps {
			list = append(list, s.box(vg.Rectangle{Min: vg.Point{X: tx(g[0]), Y: ty(g[1])}, Max: vg.Point{X: tx(g[2]), Y: ty(g[3])}}))
		}
	}
	return list
}

// setGrid records what the grid knows about the last panel drawn: its title, the name of its data in the CSV, its row
// in the grid, its legend, and which shapes are its heading.
func (s *sketch) setGrid(title, data string, row int, keys []figuremeta.Key, heading figuremeta.Range) {
	if s == nil {
		return
	}
	p := &s.about.Panels[len(s.about.Panels)-1]
	p.Title, p.Data, p.Row, p.Keys, p.Heading = title, data, row, keys, heading
}

// end completes the record of the last panel, after the panel has been drawn.
func (s *sketch) end() {
	if s != nil {
		s.about.Panels[len(s.about.Panels)-1].Shapes[1] = s.Shapes
	}
}

// box converts a rectangle to SVG coordinates, with the origin at the top.
func (s *sketch) box(r vg.Rectangle) figuremeta.Box {
	round := func(v vg.Length) float64 {
		x, err := strconv.ParseFloat(strconv.FormatFloat(v.Points(), 'f', 4, 64), 64)
		if err != nil {
			panic(fmt.Sprintf("figure: %v", err)) // cannot happen: the number has just been formatted
		}
		return x
	}
	return figuremeta.Box{round(r.Min.X), round(s.height - r.Max.Y), round(r.Max.X), round(s.height - r.Min.Y)}
}

// axisOf describes an axis for the figure's metadata: its label, its range and the kind of its scale.
func axisOf(a *plot.Axis) figuremeta.Axis {
	m := figuremeta.Axis{Label: a.Label.Text, Min: a.Min, Max: a.Max, Scale: figuremeta.Linear}
	switch s := a.Scale.(type) {
	case plot.LinearScale:
	case plot.LogScale:
		m.Scale = figuremeta.Log
	case plot.InvertedScale:
		m.Min, m.Max = a.Max, a.Min
		if _, ok := s.Normalizer.(plot.LinearScale); !ok {
			m.Scale = figuremeta.None
		}
	default:
		m.Scale = figuremeta.None
	}
	if ts, ok := a.Tick.Marker.(plot.ConstantTicks); ok && m.Scale == figuremeta.Linear {
		switch numbers := hasNumericLabels(ts); {
		case len(ts) == 0:
			m.Scale = figuremeta.None
		case !numbers:
			m.Scale = figuremeta.Names
		}
	}
	return m
}

// hasNumericLabels reports whether all tick labels that are not empty are numbers.
func hasNumericLabels(ts plot.ConstantTicks) bool {
	for _, t := range ts {
		if t.Label == "" {
			continue
		}
		if _, err := strconv.ParseFloat(strings.ReplaceAll(t.Label, "−", "-"), 64); err != nil {
			return false
		}
	}
	return true
}

// hex returns a color in SVG notation.
func hex(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02X%02X%02X", n.R, n.G, n.B)
}

// savedAs returns the name by which the outputs of notebooks refer to a figure that was written to path.svg. svg is
// the content of that file.
func savedAs(path string, svg []byte) figuremeta.Name {
	path, err := filepath.Abs(path)
	if err != nil {
		return figuremeta.Name{}
	}
	return figuremeta.Name{Figure: filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path), Sum: figuremeta.Sum(svg)}
}

// outputMetadata returns the metadata of a notebook's output that shows d. saved is the name under which d was saved,
// or empty if d was not saved. The metadata contain this name only if d has not changed since then.
func outputMetadata(d drawing, saved figuremeta.Name) map[string]any {
	meta := map[string]any{}
	if saved.Figure != "" && figuremeta.Sum(svg(d, nil)) == saved.Sum {
		saved.Put(meta)
	}
	return meta
}
