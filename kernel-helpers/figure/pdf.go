package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/quickpng"
)

// A pdfCanvas draws a one-page PDF file. Unlike gonum/plot's PDF canvas, it embeds all fonts, including bold ones,
// and writes text in any script that the fonts support. The same drawing always gives the same bytes.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	w, h   vg.Length
	stack  []pdfState
	images int
}

type pdfState struct {
	color  color.Color
	width  vg.Length
	dashes []float64
	offset float64
}

func newPDF(w, h vg.Length, title string) *pdfCanvas {
	c := &pdfCanvas{w: w, h: h, stack: []pdfState{{color: color.Black, width: 1}},
		doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w.Points(), Ht: h.Points()}})}
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(time.Unix(0, 0).UTC())
	c.doc.SetModificationDate(time.Unix(0, 0).UTC())
	c.doc.SetTitle(title, true)
	c.doc.SetMargins(0, 0, 0)
	c.doc.SetAutoPageBreak(false, 0)
	c.doc.AddPage()
	// The y axis of fpdf points down.
	c.doc.TransformBegin()
	c.doc.TransformTranslate(0, h.Points())
	c.doc.TransformScale(100, -100, 0, 0)
	return c
}

// gonum/plot's own PDF canvas has no bold fonts, and only the characters of code page 1252. It is replaced, so that the
// Save method of plots draws titles, minus signs and Greek letters too.
func init() {
	draw.RegisterFormat("pdf", func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h, "") })
}

// WriteTo writes the document. Afterwards the canvas cannot be used again.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	b, err := c.bytes()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

func (c *pdfCanvas) now() *pdfState           { return &c.stack[len(c.stack)-1] }
func (c *pdfCanvas) Size() (w, h vg.Length)   { return c.w, c.h }
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.now().width = w }
func (c *pdfCanvas) Rotate(angle float64)     { c.doc.TransformRotate(-angle*180/math.Pi, 0, 0) }
func (c *pdfCanvas) Translate(by vg.Point)    { c.doc.TransformTranslate(by.X.Points(), by.Y.Points()) }
func (c *pdfCanvas) Scale(x, y float64)       { c.doc.TransformScale(100*x, 100*y, 0, 0) }
func (c *pdfCanvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.now().color = to
}

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	s := c.now()
	s.dashes, s.offset = nil, offset.Points()
	for _, d := range pattern {
		s.dashes = append(s.dashes, d.Points())
	}
}

func (c *pdfCanvas) Push() {
	c.stack = append(c.stack, *c.now())
	c.doc.TransformBegin()
}

func (c *pdfCanvas) Pop() {
	c.stack = c.stack[:len(c.stack)-1]
	c.doc.TransformEnd()
}

// paint writes the current color and opacity to the document, for the shape or text that is drawn next. SetColor only
// remembers the color.
func (c *pdfCanvas) paint() {
	n := color.NRGBAModel.Convert(c.now().color).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	s := c.now()
	if s.width <= 0 || len(p) == 0 {
		return
	}
	c.paint()
	c.doc.SetLineWidth(s.width.Points())
	c.doc.SetDashPattern(s.dashes, s.offset)
	c.trace(p)
	c.doc.DrawPath("D")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	if len(p) == 0 {
		return
	}
	c.paint()
	c.trace(p)
	c.doc.DrawPath("F")
}

func (c *pdfCanvas) trace(p vg.Path) {
	trace(p, func(to vg.Point) { c.doc.MoveTo(to.X.Points(), to.Y.Points()) },
		func(to vg.Point) { c.doc.LineTo(to.X.Points(), to.Y.Points()) },
		func(a, b, to vg.Point) {
			c.doc.CurveBezierCubicTo(a.X.Points(), a.Y.Points(), b.X.Points(), b.Y.Points(), to.X.Points(), to.Y.Points())
		},
		func() { c.doc.ClosePath() })
}

// trace goes through the path p and calls one of the given functions for each part of p. Arcs and quadratic curves
// become cubic curves: calls to curve(a, b, to).
func trace(p vg.Path, move, line func(to vg.Point), curve func(a, b, to vg.Point), end func()) {
	var now vg.Point
	open := false
	for _, s := range p {
		switch s.Type {
		case vg.MoveComp:
			move(s.Pos)
			now, open = s.Pos, true
		case vg.LineComp:
			line(s.Pos)
			now = s.Pos
		case vg.CurveComp:
			a, b := s.Control[0], s.Control[len(s.Control)-1]
			if len(s.Control) == 1 { // the control points of a cubic curve are at two thirds of the way to that of a quadratic one
				q := s.Control[0]
				a = vg.Point{X: now.X + (q.X-now.X)*2/3, Y: now.Y + (q.Y-now.Y)*2/3}
				b = vg.Point{X: s.Pos.X + (q.X-s.Pos.X)*2/3, Y: s.Pos.Y + (q.Y-s.Pos.Y)*2/3}
			}
			curve(a, b, s.Pos)
			now = s.Pos
		case vg.ArcComp:
			at := func(angle, along float64) vg.Point { // a point at an angle, and from there along the tangent
				sin, cos := math.Sincos(angle)
				r := float64(s.Radius)
				return vg.Point{X: s.Pos.X + vg.Length(r*cos-along*r*sin), Y: s.Pos.Y + vg.Length(r*sin+along*r*cos)}
			}
			if from := at(s.Start, 0); !open {
				move(from)
				open = true
			} else if math.Hypot(float64(from.X-now.X), float64(from.Y-now.Y)) > 1e-9 {
				line(from)
			}
			n := math.Max(1, math.Ceil(math.Abs(s.Angle)/(math.Pi/2)-1e-9))
			step := s.Angle / n
			k := 4. / 3 * math.Tan(step/4)
			for i := range int(n) {
				a := s.Start + float64(i)*step
				curve(at(a, k), at(a+step, -k), at(a+step, 0))
			}
			now = at(s.Start+s.Angle, 0)
		case vg.CloseComp:
			end()
		}
	}
}

func (c *pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	var source bytes.Buffer
	if _, err := f.Face.WriteSourceTo(nil, &source); err != nil {
		panic(fmt.Sprintf("figure: the font %s: %v", f.Name(), err))
	}
	c.doc.AddUTF8FontFromBytes(f.Name(), "", source.Bytes()) // does nothing if it is there
	c.paint()
	c.doc.SetFont(f.Name(), "", f.Font.Size.Points())
	c.doc.TransformBegin()
	c.doc.TransformTranslate(at.X.Points(), at.Y.Points())
	c.doc.TransformScale(100, -100, 0, 0)
	c.doc.Text(0, 0, text)
	c.doc.TransformEnd()
}

func (c *pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := quickpng.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("figure: %v", err))
	}
	c.images++
	name := fmt.Sprint("image", c.images)
	options := fpdf.ImageOptions{ImageType: "png"}
	c.doc.RegisterImageOptionsReader(name, options, &b)
	c.doc.SetAlpha(1, "Normal")
	c.doc.TransformBegin()
	c.doc.TransformTranslate(r.Min.X.Points(), r.Max.Y.Points())
	c.doc.TransformScale(100, -100, 0, 0)
	c.doc.ImageOptions(name, 0, 0, r.Size().X.Points(), r.Size().Y.Points(), false, options, 0, "")
	c.doc.TransformEnd()
}

// bytes returns the file.
func (c *pdfCanvas) bytes() ([]byte, error) {
	c.doc.TransformEnd()
	var b bytes.Buffer
	err := c.doc.Output(&b)
	return b.Bytes(), err
}
