package figure

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/figuremeta"
	"overcomplete/internal/quickpng"
	"overcomplete/kernel-helpers/internal/signs"
	"overcomplete/ui/display"
)

// DPI is the resolution of PNG files: 1.5 times the resolution of a standard screen. This is sharp enough
// next to the SVG, and the files are small enough for a notebook with many figures.
const DPI = 144

// browser reports whether the program runs as WebAssembly, where drawing pixels is slow.
const browser = runtime.GOOS == "js"

// largestSVG is the size in bytes of the largest SVG that Render returns in a browser.
const largestSVG = 96 << 10

const (
	margin   = vg.Length(6) // around everything, in points
	barWidth = vg.Length(52)
)

var (
	titleStyle   = style(12, true, ink)
	panelStyle   = style(10.5, true, ink)
	legendStyle  = style(9.5, false, ink)
	captionStyle = style(8, false, quiet)
)

// A drawing is anything that the functions behind Save, SVG and PNG can draw: a Figure, a Grid, or a plot from
// outside this package.
type drawing interface {
	extent() (w, h vg.Length)
	draw(c draw.Canvas)
	words() (title, caption string)
}

func (f *Figure) extent() (w, h vg.Length) {
	w, h = inches(f.Width, 6), inches(f.Height, 4)
	return w, h + captionHeight(f.caption(), w)
}

func inches(x, def float64) vg.Length {
	if x == 0 {
		x = def
	}
	if !(x > 0) || x > 100 {
		panic(fmt.Sprintf("figure: a width or height of %v inches", x))
	}
	return vg.Length(x) * vg.Inch
}

func (f *Figure) caption() string            { return captionText(f.Caption, f.Maker) }
func (f *Figure) words() (title, cap string) { return f.Title.Text, f.caption() }

func captionText(caption, maker string) string {
	if maker == "" {
		return caption
	}
	if caption == "" {
		return "Made by " + maker + "."
	}
	end := ""
	if !strings.HasSuffix(caption, ".") && !strings.HasSuffix(caption, "!") && !strings.HasSuffix(caption, "?") {
		end = "."
	}
	return caption + end + " Made by " + maker + "."
}

func (f *Figure) draw(c draw.Canvas) {
	c = drawCaption(c, f.caption())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	above := compact(f.above(), c.Max.X-c.Min.X)
	h := headerHeight(f.Title.Text, above, titleStyle, c.Max.X-c.Min.X)
	keys := drawHeader(c, f.Title.Text, above, titleStyle)
	keys = append(keys, f.body(draw.Crop(c, 0, 0, 0, -h))...)
	sketchOf(c).setKeys(keys)
}

// body draws the axes and the data, and also the legend unless it is above the data. It leaves the plot unchanged. It
// returns metadata about the entries of the legend that it has drawn.
func (f *Figure) body(c draw.Canvas) (keys []figuremeta.Key) {
	p := f.Plot
	title, x, y := p.Title.Text, p.X, p.Y
	defer func() { p.Title.Text, p.X, p.Y = title, x, y }()
	p.Title.Text = ""
	f.prepare()
	c = draw.Crop(c, 0, -f.rightRoom(), 0, 0)
	f.tiltNames(c)
	c = draw.Crop(c, f.tiltedRoom(c), 0, 0, 0)
	c = f.equalizeUnits(c)
	defer suppressBackground(c, p)()
	n := sketchOf(c)
	n.begin(c, f)
	defer n.end()
	p.Draw(c)
	return f.finish(c, 10)
}

// finish draws the parts of a figure that do not belong to its plot: the color bar; the right axis; and the legend,
// unless it is above the plot. gap is the distance of the color bar from the data. finish returns metadata about the
// entries of the legend that it has drawn.
func (f *Figure) finish(c draw.Canvas, gap vg.Length) []figuremeta.Key {
	dc := f.DataCanvas(c)
	x := dc.Max.X
	if f.bar != nil && !f.bar.hidden {
		drawBar(c, f.bar, x+gap, dc.Min.Y, dc.Max.Y)
		x += barWidth
	}
	if f.right != nil {
		f.drawRight(dc)
		x += f.right.rightAxisWidth()
	}
	return f.drawPlaced(dc, x)
}

// suppressBackground keeps p from painting a white background, if c is a pixel canvas, until the returned function
// is called. A pixel canvas is already white, and painting it takes a considerable part of the time for a plot.
func suppressBackground(c draw.Canvas, p *plot.Plot) (restore func()) {
	if _, pixels := c.Canvas.(*vgimg.Canvas); !pixels || p.BackgroundColor != color.White {
		return func() {}
	}
	p.BackgroundColor = nil
	return func() { p.BackgroundColor = color.White }
}

// prepare sets the ranges of the axes for drawing: it widens empty ranges and adds margins around the data. It panics
// if a logarithmic axis begins at 0 or below, with a clearer message than gonum/plot does.
func (f *Figure) prepare() {
	if r := f.right; r != nil {
		f.X.Min, f.X.Max = math.Min(f.X.Min, r.X.Min), math.Max(f.X.Max, r.X.Max)
		if r.data.known {
			f.data.include(r.data.x0, r.data.x1, math.Inf(1), math.Inf(-1))
		}
	}
	defer f.leaveMargins(f.X.Min, f.X.Max, f.Y.Min, f.Y.Max)
	for _, a := range []struct {
		name string
		axis *plot.Axis
	}{{"horizontal", &f.X}, {"vertical", &f.Y}} {
		_, log := a.axis.Scale.(plot.LogScale)
		if log && a.axis.Min <= 0 && !math.IsInf(a.axis.Max, -1) {
			panic(fmt.Sprintf("figure: the %s axis is logarithmic and the data begin at %v", a.name, a.axis.Min))
		}
		if a.axis.Min == a.axis.Max || log && math.Log(a.axis.Max)-math.Log(a.axis.Min) < 1e-12 { // equal logarithms
			if log {
				a.axis.Min, a.axis.Max = a.axis.Min/2, a.axis.Max*2
			} else {
				a.axis.Min, a.axis.Max = a.axis.Min-0.5, a.axis.Max+0.5
			}
		}
		if math.IsInf(a.axis.Min, 0) { // no data: draw an empty frame
			a.axis.Min, a.axis.Max = 0, 1
			if log {
				a.axis.Min = 0.1
			}
		}
	}
}

// equalizeUnits gives one unit the same length on both axes if f.Equal is set. It widens the range of one axis, or, for
// a picture, shrinks the canvas. It returns the canvas to use.
func (f *Figure) equalizeUnits(c draw.Canvas) draw.Canvas {
	dc := f.DataCanvas(c)
	w, h := float64(dc.Max.X-dc.Min.X), float64(dc.Max.Y-dc.Min.Y)
	if !f.Equal || w <= 0 || h <= 0 {
		return c
	}
	unit := math.Max((f.X.Max-f.X.Min)/w, (f.Y.Max-f.Y.Min)/h)
	if f.picture {
		across := vg.Length(w - (f.X.Max-f.X.Min)/unit)
		down := vg.Length(h - (f.Y.Max-f.Y.Min)/unit)
		// Keep the picture at the top left, below the heading.
		return draw.Crop(c, 0, -across, down, 0)
	}
	widen := func(a *plot.Axis, size float64) {
		mid := (a.Min + a.Max) / 2
		a.Min, a.Max = mid-unit*size/2, mid+unit*size/2
	}
	widen(&f.X, w)
	widen(&f.Y, h)
	return c
}

func drawBar(c draw.Canvas, b *bar, x, y0, y1 vg.Length) {
	const n = 128
	img := image.NewNRGBA(image.Rect(0, 0, 1, n))
	for i := range n {
		img.Set(0, i, b.cmap(1-(float64(i)+0.5)/n))
	}
	r := vg.Rectangle{Min: vg.Point{X: x, Y: y0}, Max: vg.Point{X: x + 9, Y: y1}}
	c.DrawImage(r, stretch(img, 8, 2))
	c.StrokeLines(draw.LineStyle{Color: axis, Width: vg.Points(0.5)}, []vg.Point{
		r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
	sty := style(8.5, false, ink)
	sty.YAlign = draw.YCenter
	for _, t := range (Ticks{}).Ticks(b.lo, b.hi) {
		y := y0 + vg.Length((t.Value-b.lo)/(b.hi-b.lo))*(y1-y0)
		c.StrokeLines(draw.LineStyle{Color: axis, Width: vg.Points(0.6)}, []vg.Point{{X: x + 9, Y: y}, {X: x + 12, Y: y}})
		c.FillText(sty, vg.Point{X: x + 14, Y: y}, t.Label)
	}
}

func stretch(img *image.NRGBA, kx, ky int) *image.NRGBA {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx()*kx, b.Dy()*ky))
	for y := range out.Bounds().Dy() {
		for x := range out.Bounds().Dx() {
			out.Set(x, y, img.At(x/kx, y/ky))
		}
	}
	return out
}

// The header consists of the title and one or more rows of legend entries.

const (
	rowHeight = vg.Length(14)
	thumb     = vg.Length(18)
	legendGap = vg.Length(14)

	column = vg.Length(300) // figures narrower than this are for a column of a journal
)

// compact returns the legend entries unchanged, unless the figure is narrow and drawing them closer together saves rows.
// Then it returns a copy with the entries marked to be drawn in this way.
func compact(es []entry, width vg.Length) []entry {
	if width >= column {
		return es
	}
	tight := slices.Clone(es)
	for i := range tight {
		tight[i].tight = true
	}
	if len(legendRows(tight, width)) < len(legendRows(es, width)) {
		return tight
	}
	return es
}

// thumb returns the width of the entry's symbol.
func (e entry) thumb() vg.Length {
	if e.tight {
		return 12
	}
	return thumb
}

// width returns the width of the entry, including the gap before the next entry.
func (e entry) width() vg.Length { return e.thumb() + 4 + legendStyle.Width(e.name) + e.gap() }

func (e entry) gap() vg.Length {
	if e.tight {
		return 8
	}
	return legendGap
}

// legendRows divides the legend entries into rows that fit the width.
func legendRows(es []entry, width vg.Length) [][]entry {
	var rows [][]entry
	x := vg.Length(0)
	for _, e := range es {
		w := e.width()
		if len(rows) == 0 || x+w-e.gap() > width {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += w
	}
	return rows
}

func headerHeight(title string, es []entry, sty text.Style, width vg.Length) vg.Length {
	h := vg.Length(0)
	if title != "" {
		h += vg.Length(len(wrapText(title, sty, width))) * lineHeight(sty)
		h += 4
	}
	if rows := legendRows(es, width); len(rows) > 0 {
		h += vg.Length(len(rows))*rowHeight + 6
	}
	return h
}

// drawHeader draws the title and the legend. It returns metadata about the entries of the legend: the name, the color
// and the symbol of each.
func drawHeader(c draw.Canvas, title string, es []entry, sty text.Style) (keys []figuremeta.Key) {
	n := sketchOf(c)
	y := c.Max.Y
	if title != "" {
		for _, line := range wrapText(title, sty, c.Max.X-c.Min.X) {
			c.FillText(sty, vg.Point{X: c.Min.X, Y: y}, line)
			y -= lineHeight(sty)
		}
		y -= 4
	}
	for _, row := range legendRows(es, c.Max.X-c.Min.X) {
		x := c.Min.X
		mid := y - rowHeight/2
		for _, e := range row {
			from := n.shapes()
			drawThumb(c, e, x, mid)
			keys = append(keys, figuremeta.Key{Name: e.name, Color: hex(e.color), Shapes: figuremeta.Range{from, n.shapes()}})
			drawEntryName(c, e, x, mid)
			x += e.width()
		}
		y -= rowHeight
	}
	return keys
}

func drawEntryName(c draw.Canvas, e entry, x, mid vg.Length) {
	sty := legendStyle
	sty.YAlign = draw.YCenter
	c.FillText(sty, vg.Point{X: x + e.thumb() + 4, Y: mid}, e.name)
}

func drawThumb(c draw.Canvas, e entry, x, y vg.Length) {
	a, b := vg.Point{X: x, Y: y}, vg.Point{X: x + e.thumb(), Y: y}
	switch e.kind {
	case dotEntry:
		mid := vg.Point{X: (a.X + b.X) / 2, Y: y}
		var p vg.Path
		p.Move(vg.Point{X: mid.X + 2.8, Y: mid.Y})
		p.Arc(mid, 2.8, 0, 2*math.Pi)
		p.Close()
		c.SetColor(e.color)
		c.Fill(p)
	case lineEntry:
		c.StrokeLines(draw.LineStyle{Color: e.color, Width: vg.Points(2)}, []vg.Point{a, b})
	case dashEntry:
		sty := dashes(e.color, 1.5)
		if e.dashes != nil {
			sty.Dashes = e.dashes
		}
		c.StrokeLines(sty, []vg.Point{a, b})
	case patchEntry:
		in := (e.thumb() - 12) / 2
		c.FillPolygon(e.color, []vg.Point{{X: a.X + in, Y: y - 4}, {X: b.X - in, Y: y - 4}, {X: b.X - in, Y: y + 4}, {X: a.X + in, Y: y + 4}})
	case arrowEntry:
		drawArrow(c, a, b, e.color, vg.Points(2), 0)
	}
}

func lineHeight(sty text.Style) vg.Length { return 1.25 * sty.Font.Size }

// wrapText breaks s at spaces into lines of at most the given width; a word that is wider gets its own line. It does
// not break at no-break spaces.
func wrapText(s string, sty text.Style, width vg.Length) []string {
	var lines []string
	for _, para := range strings.Split(s, "\n") {
		cur := ""
		for _, w := range signs.Words(para) {
			switch {
			case cur == "":
				cur = w
			case sty.Width(cur+" "+w) <= width:
				cur += " " + w
			default:
				lines, cur = append(lines, cur), w
			}
		}
		if cur != "" {
			lines = append(lines, cur)
		}
	}
	return lines
}

func captionHeight(s string, width vg.Length) vg.Length {
	n := len(wrapText(s, captionStyle, width-2*margin))
	if n == 0 {
		return 0
	}
	return vg.Length(n)*lineHeight(captionStyle) + 6
}

// drawCaption draws the caption at the bottom and returns the canvas above it.
func drawCaption(c draw.Canvas, s string) draw.Canvas {
	width := c.Max.X - c.Min.X
	h := captionHeight(s, width)
	y := c.Min.Y + h - 2
	for _, line := range wrapText(s, captionStyle, width-2*margin) {
		c.FillText(captionStyle, vg.Point{X: c.Min.X + margin, Y: y}, line)
		y -= lineHeight(captionStyle)
	}
	return draw.Crop(c, 0, 0, h, 0)
}

func render(d drawing, c vg.CanvasSizer) {
	dc := draw.New(c)
	if _, pixels := c.(*vgimg.Canvas); !pixels { // pixels are white already
		dc.SetColor(color.White)
		dc.Fill(dc.Rectangle.Path())
	}
	d.draw(dc)
}

func svg(d drawing, csv []byte) []byte {
	w, h := d.extent()
	c := newSketch(w, h)
	render(d, c)
	s := c.String()
	// Screen readers read this text aloud, and text searches find it.
	title, caption := d.words()
	if i := strings.Index(s, "<svg"); i >= 0 {
		if j := strings.Index(s[i:], ">\n"); j >= 0 {
			at := i + j + 2
			var extra string
			if title != "" {
				extra += "<title>" + html.EscapeString(title) + "</title>\n"
			}
			if caption != "" {
				extra += "<desc>" + html.EscapeString(caption) + "</desc>\n"
			}
			s = s[:at] + extra + s[at:]
		}
	}
	c.about.Title, c.about.Caption = title, caption
	c.about.SetData(csv)
	return figuremeta.Write([]byte(s), &c.about)
}

func png(d drawing, dpi int) []byte {
	w, h := d.extent()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	render(d, c)
	var b bytes.Buffer
	if err := quickpng.Encode(&b, c.Image()); err != nil {
		panic(fmt.Sprintf("figure: %v", err))
	}
	return b.Bytes()
}

// SVG returns the figure as an SVG document.
func (f *Figure) SVG() string { return string(svg(f.whole(), nil)) }

// Render returns the figure for a notebook, as PNG at the figure's size. Outside a browser it does not return SVG,
// because the SVG of a point cloud is large and some notebook converters drop SVG. Save writes both formats. If the
// program itself runs in a browser, as WebAssembly, drawing an SVG takes a tenth as long as drawing a PNG, so Render
// returns the SVG unless it is large.
func (f *Figure) Render() display.Data {
	f = f.whole()
	return shown(f, f.String(), f.saved)
}

// String describes the figure in text, for places that cannot show a picture.
func (f *Figure) String() string {
	f = f.whole()
	return describe("figure", f.Title.Text, f.Caption, f.Maker)
}

// PNG returns the figure as a PNG file.
func (f *Figure) PNG() []byte { return png(f.whole(), DPI) }

// Save writes the figure to a file. The file's extension selects the format: .pdf, .eps, .svg, .png (at 300 dots per
// inch), or .csv for the data. The captions in these files do not include Maker. A PDF embeds its fonts. An EPS has
// outlines instead of letters, and areas that overlap hide each other, because EPS has no transparency. An SVG refers
// to its fonts by name, and also names fonts of the same width for readers who lack them. Save makes missing folders.
//
// If the path has none of these extensions, Save writes three files: path.svg, path.png (at DPI dots per inch) and
// path.csv. If the program runs in a browser, as WebAssembly, Save does not write the PNG. Drawing it would take most
// of the time of many notebook cells. The extension of another image format, such as .jpg, is an error. A figure
// that cannot be drawn is also an error here, whereas Render and SVG panic.
func (f *Figure) Save(path string) (err error) {
	f = f.whole()
	f.saved, err = save(f, path)
	return err
}

// Save writes a plot of the given width and height in inches (0 means 6 and 4), as Figure.Save does. The plot keeps
// its own title, legend and style. No CSV is written, because the plot's data are not known here.
func Save(p *plot.Plot, path string, width, height float64) error {
	if p == nil {
		return fmt.Errorf("figure: Save: the plot is nil")
	}
	_, err := save(plainPlot{p, width, height}, path)
	return err
}

// plainPlot is a plot from outside this package.
type plainPlot struct {
	p    *plot.Plot
	w, h float64
}

func (b plainPlot) extent() (w, h vg.Length) { return inches(b.w, 6), inches(b.h, 4) }
func (b plainPlot) draw(c draw.Canvas) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	n := sketchOf(c)
	n.begin(c, &Figure{Plot: b.p})
	b.p.Draw(c)
	n.end()
}
func (b plainPlot) words() (title, caption string) { return b.p.Title.Text, "" }

// paperDPI is the resolution of the PNGs that file(d, path) returns.
const paperDPI = 300

// file returns the drawing d as the content of a file, in the format that the path's extension selects. known is false
// if this extension belongs neither to an image format nor to CSV. An image format that is not supported, such as .jpg,
// is an error.
func file(d drawing, path string) (b []byte, known bool, err error) {
	switch f := d.(type) { // a paper does not say which function drew its figures
	case *Figure:
		unsigned := *f
		unsigned.Maker = ""
		d = &unsigned
	case *Grid:
		unsigned := *f
		unsigned.Maker = ""
		d = &unsigned
	}
	title, _ := d.words()
	w, h := d.extent()
	csv := func() []byte {
		if d, ok := d.(interface{ CSV() []byte }); ok {
			return d.CSV()
		}
		return nil
	}
	switch end := strings.ToLower(filepath.Ext(path)); end {
	case ".pdf":
		c := newPDF(w, h, title)
		render(d, c)
		b, err = c.bytes()
		return b, true, err
	case ".eps":
		c := newEPS(w, h, title)
		render(d, c)
		return c.bytes(), true, nil
	case ".svg":
		return svg(d, csv()), true, nil
	case ".png":
		return png(d, paperDPI), true, nil
	case ".csv":
		if b = csv(); b == nil {
			return nil, true, fmt.Errorf("the data of a plot that is not a Figure are not known")
		}
		return b, true, nil
	case ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".ps", ".webp":
		return nil, true, fmt.Errorf("figures are saved as .pdf, .eps, .svg or .png, not as %s", end)
	}
	return nil, false, nil
}

func save(d drawing, path string) (saved figuremeta.Name, err error) {
	defer func() { // drawing panics if there is a formula that cannot be set, or data that do not fit the axes
		switch e := recover().(type) {
		case nil:
		case string:
			if err = errors.New(e); !strings.HasPrefix(e, "figure: ") {
				panic(e)
			}
		default:
			panic(e)
		}
	}()
	if b, known, err := file(d, path); err != nil {
		return saved, fmt.Errorf("figure: Save: %s: %w", path, err)
	} else if known {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return saved, fmt.Errorf("figure: %w", err)
		}
		return saved, write(path, b)
	}
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return saved, fmt.Errorf("figure: %w", err)
		}
	}
	var csv []byte
	if d, ok := d.(interface{ CSV() []byte }); ok {
		csv = d.CSV()
	}
	b := svg(d, csv)
	if err := write(path+".svg", b); err != nil {
		return saved, err
	}
	if !browser {
		if err := write(path+".png", png(d, DPI)); err != nil {
			return saved, err
		}
	}
	if csv != nil {
		if err := write(path+".csv", csv); err != nil {
			return saved, err
		}
	}
	return savedAs(path, b), nil
}

// write writes a file atomically.
func write(path string, b []byte) error {
	if err := atomicfile.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// A Grid arranges figures in rows, with aligned data areas. If all legends are the same, the grid shows the
// legend once, on top.
type Grid struct {
	// Figures holds the panels by row and column; nil leaves a cell of the grid empty.
	Figures [][]*Figure
	Title   string
	Caption string
	Maker   string
	// Width and Height are the size of one panel in inches. 0 means 3 and 2.6.
	Width, Height float64

	saved figuremeta.Name
}

// NewGrid returns a Grid with the given number of columns, filled with the figures row by row.
func NewGrid(title string, columns int, figures ...*Figure) *Grid {
	if columns <= 0 || len(figures) == 0 {
		panic(fmt.Sprintf("figure: NewGrid: %d figures in %d columns", len(figures), columns))
	}
	columns = min(columns, len(figures))
	g := &Grid{Title: title, Maker: maker()}
	for i := 0; i < len(figures); i += columns {
		row := make([]*Figure, columns)
		for j, f := range figures[i:min(i+columns, len(figures))] {
			if f != nil {
				row[j] = f.whole()
			}
		}
		g.Figures = append(g.Figures, row)
	}
	return g
}

// By sets Maker, which says what made the grid.
func (g *Grid) By(maker string) *Grid { g.Maker = maker; return g }

// Note sets the caption.
func (g *Grid) Note(caption string) *Grid { g.Caption = caption; return g }

// Size sets the width and height of one panel in inches.
func (g *Grid) Size(width, height float64) *Grid { g.Width, g.Height = width, height; return g }

// SizeCM sets the width and height of one panel in centimeters.
func (g *Grid) SizeCM(width, height float64) *Grid { return g.Size(width/2.54, height/2.54) }

// SameRange gives all panels the same axis ranges, wide enough for all data, so that the panels can be
// compared by eye.
func (g *Grid) SameRange() *Grid {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	g.eachPanel(func(f *Figure) {
		x0, x1 = math.Min(x0, f.X.Min), math.Max(x1, f.X.Max)
		y0, y1 = math.Min(y0, f.Y.Min), math.Max(y1, f.Y.Max)
	})
	g.eachPanel(func(f *Figure) {
		f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = x0, x1, y0, y1
		f.data.include(x0, x1, y0, y1) // so that all panels get the same margins
	})
	return g
}

func (g *Grid) eachPanel(do func(*Figure)) {
	for _, row := range g.Figures {
		for _, f := range row {
			if f != nil {
				do(f)
			}
		}
	}
}

func (g *Grid) shape() (rows, cols int) {
	if len(g.Figures) == 0 || len(g.Figures[0]) == 0 {
		panic("figure: the Grid is empty")
	}
	for i, r := range g.Figures {
		if len(r) != len(g.Figures[0]) {
			panic(fmt.Sprintf("figure: row %d of a Grid has %d places, row 0 has %d", i, len(r), len(g.Figures[0])))
		}
	}
	return len(g.Figures), len(g.Figures[0])
}

// sharedLegend returns the common legend if at least two panels have a legend and all these legends are the same.
// Otherwise it returns nil.
func (g *Grid) sharedLegend() []entry {
	var es []entry
	n, same := 0, true
	g.eachPanel(func(f *Figure) {
		own := f.above()
		if len(own) == 0 {
			return
		}
		if n == 0 {
			es = own
		}
		same = same && slices.EqualFunc(es, own, func(a, b entry) bool {
			return a.name == b.name && a.color == b.color && a.kind == b.kind
		})
		n++
	})
	if n < 2 || !same {
		return nil
	}
	return es
}

func (g *Grid) caption() string             { return captionText(g.Caption, g.Maker) }
func (g *Grid) words() (title, capt string) { return g.Title, g.caption() }

const gutter = vg.Length(14)

func (g *Grid) extent() (w, h vg.Length) {
	rows, cols := g.shape()
	w = vg.Length(cols)*inches(g.Width, 3) + vg.Length(cols-1)*gutter + 2*margin
	h = vg.Length(rows)*inches(g.Height, 2.6) + vg.Length(rows-1)*gutter + 2*margin
	h += headerHeight(g.Title, g.sharedLegend(), titleStyle, w-2*margin)
	return w, h + captionHeight(g.caption(), w)
}

func (g *Grid) draw(c draw.Canvas) {
	rows, cols := g.shape()
	c = drawCaption(c, g.caption())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	shared := g.sharedLegend()
	n := sketchOf(c)
	n.setKeys(drawHeader(c, g.Title, shared, titleStyle))
	c = draw.Crop(c, 0, 0, 0, -headerHeight(g.Title, shared, titleStyle, c.Max.X-c.Min.X))

	// Reserve room above every row for the panels' own headers, and for color bars.
	panel := inches(g.Width, 3)
	head, left, right := vg.Length(0), vg.Length(0), vg.Length(0)
	legend := func(f *Figure) []entry {
		if shared != nil {
			return nil
		}
		return f.above()
	}
	g.eachPanel(func(f *Figure) {
		head = max(head, headerHeight(f.Title.Text, legend(f), panelStyle, panel-8))
		right = max(right, f.rightRoom())
	})
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, cols)
	}
	// While the panels are laid out, the grid draws their titles.
	titles := make([][]string, rows)
	for i, row := range g.Figures {
		titles[i] = make([]string, cols)
		for j, f := range row {
			if f == nil {
				continue
			}
			p := f.Plot
			title, x, y := p.Title.Text, p.X, p.Y
			defer func() { p.Title.Text, p.X, p.Y = title, x, y }()
			titles[i][j], p.Title.Text = title, ""
			f.prepare()
			one := draw.Crop(c, 0, panel-(c.Max.X-c.Min.X), 0, 0)
			f.tiltNames(one)
			left = max(left, f.tiltedRoom(one))
			plots[i][j] = p
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: cols, PadTop: head, PadX: gutter + left + right, PadLeft: left, PadRight: right, PadY: gutter + head}
	cells := plot.Align(plots, tiles, c)
	names, number := nameSet{}, 0
	for i, row := range g.Figures {
		// The headings of a row are at the same height, even if its axes need different amounts of space.
		heading := c.Min.Y
		for j, f := range row {
			if f != nil {
				heading = max(heading, cells[i][j].Max.Y)
			}
		}
		for j, f := range row {
			if f == nil {
				continue
			}
			cell := f.equalizeUnits(cells[i][j])
			n.begin(cell, f)
			func() {
				defer suppressBackground(cell, f.Plot)()
				f.Draw(cell)
			}()
			dc := f.DataCanvas(cell)
			top := cell
			top.Min.X, top.Max.X = max(c.Min.X, dc.Min.X-20), max(dc.Max.X, dc.Min.X-20+panel-8)
			top.Max.Y = heading + head
			from := n.shapes()
			keys := drawHeader(top, titles[i][j], legend(f), panelStyle)
			heading := figuremeta.Range{from, n.shapes()}
			keys = append(keys, f.finish(cell, 8)...)
			number++
			n.setGrid(titles[i][j], names.unique(titles[i][j], number), i, keys, heading)
			n.end()
		}
	}
}

// SVG returns the grid as an SVG document.
func (g *Grid) SVG() string { return string(svg(g, nil)) }

// Render returns the grid for a notebook; see Figure.Render.
func (g *Grid) Render() display.Data { return shown(g, g.String(), g.saved) }

// String describes the grid in text, for places that cannot show a picture.
func (g *Grid) String() string { return describe("figures", g.Title, g.Caption, g.Maker) }

func shown(d drawing, text string, saved figuremeta.Name) display.Data {
	const perPoint = 96.0 / 72 // pixels of a web page in a point
	meta := outputMetadata(d, saved)
	if browser {
		if s := svg(d, nil); len(s) <= largestSVG {
			return display.Data{Data: map[string]any{display.MIMETypeSVG: string(s), display.MIMETypeText: text}, Metadata: meta}
		}
	}
	w, h := d.extent()
	size := map[string]any{"width": int(math.Round(w.Points() * perPoint)), "height": int(math.Round(h.Points() * perPoint))}
	meta[display.MIMETypePNG] = size
	return display.Data{
		Data:     map[string]any{display.MIMETypePNG: png(d, DPI), display.MIMETypeText: text},
		Metadata: meta,
	}
}

func describe(kind, title, caption, maker string) string {
	s := "[" + kind + "] " + title
	if caption != "" {
		s += ": " + caption
	}
	if maker != "" {
		s += " (made by " + maker + ")"
	}
	return s
}

// PNG returns the grid as a PNG file.
func (g *Grid) PNG() []byte { return png(g, DPI) }

// Save writes the grid to files as Figure.Save does.
func (g *Grid) Save(path string) (err error) {
	g.saved, err = save(g, path)
	return err
}
