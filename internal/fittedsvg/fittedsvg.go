// Package fittedsvg draws small SVG documents. A viewer may use fonts other than those with which the text was laid
// out, and wider letters would overlap other text or run over the edge. So a document can fix the width of each text
// (Canvas.Fit).
//
// gonum's own SVG canvas writes three to eight times as much: it uses absolute coordinates of five digits, names the
// font for each text, and draws a dot as two arcs.
package fittedsvg

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"overcomplete/internal/svgpath"
)

// A Canvas writes an SVG document.
type Canvas struct {
	// Shapes counts the paths, texts and images of the document.
	Shapes int
	// Fit gives each text the width for which it was laid out. Without Fit, only texts that wider letters would
	// push over the right edge have this width.
	Fit bool
	// PNG encodes images. If it is nil, images are encoded without loss.
	PNG func(image.Image) []byte

	w, h     vg.Length
	elements []element
	family   string // font family of the first text, which the document declares
	stack    []state
}

// An element is a shape of the document. Its style is separate, because neighboring elements with the same style
// are written as one group with that style.
type element struct{ begin, style, end string }

// A state is the drawing state, which Push saves.
type state struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
	to     matrix
}

// A matrix [a b c d e f] maps (x, y) to (ax + cy + e, bx + dy + f). The y axis points up.
type matrix [6]float64

var unit = matrix{1, 0, 0, 1, 0, 0}

// after returns the matrix that maps by n first and then by m.
func (m matrix) after(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// New returns a canvas of the given size, rounded to hundredths of a point. Transformations depend on the height, and
// are written with six decimals: without the rounding, they could differ from the height that the document states.
func New(w, h vg.Length) *Canvas {
	round := func(v vg.Length) vg.Length { return vg.Length(math.Round(100*v.Points()) / 100) }
	c := &Canvas{w: round(w), h: round(h), stack: []state{{to: unit}}}
	vg.Initialize(c)
	return c
}

func (c *Canvas) now() *state { return &c.stack[len(c.stack)-1] }

// Size returns the size of the document.
func (c *Canvas) Size() (w, h vg.Length) { return c.w, c.h }

// SetLineWidth sets the width of lines. Lines of width 0 are not drawn.
func (c *Canvas) SetLineWidth(w vg.Length) { c.now().width = w }

// SetLineDash sets the lengths of dashes and gaps.
func (c *Canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.now().dashes, c.now().offset = slices.Clone(pattern), offset
}

// SetColor sets the color of lines, areas and texts. nil means black.
func (c *Canvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.now().color = to
}

// Rotate rotates what is drawn next. The angle is counterclockwise, in radians.
func (c *Canvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.now().to = c.now().to.after(matrix{cos, sin, -sin, cos, 0, 0})
}

// Translate moves what is drawn next.
func (c *Canvas) Translate(by vg.Point) {
	c.now().to = c.now().to.after(matrix{1, 0, 0, 1, by.X.Points(), by.Y.Points()})
}

// Scale scales what is drawn next.
func (c *Canvas) Scale(x, y float64) { c.now().to = c.now().to.after(matrix{x, 0, 0, y, 0, 0}) }

// Push saves the drawing state.
func (c *Canvas) Push() { c.stack = append(c.stack, *c.now()) }

// Pop restores the state saved by the last Push.
func (c *Canvas) Pop() { c.stack = c.stack[:len(c.stack)-1] }

// place returns origin, the y coordinate to which y = 0 of a path is converted (see outline), and the attribute that
// transforms what is drawn next. Without a transformation, origin is the lower edge of the document and attribute is
// empty. Otherwise origin is 0.
func (c *Canvas) place() (origin float64, attribute string) {
	m := c.now().to
	if m == unit {
		return c.h.Points(), ""
	}
	six := []float64{m[0], -m[1], -m[2], m[3], m[4], c.h.Points() - m[5]}
	s := make([]string, len(six))
	for i, v := range six {
		s[i] = strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', -1, 64)
	}
	return 0, ` transform="matrix(` + strings.Join(s, " ") + `)"`
}

// outline converts a path to the document's coordinates, in which y points down. place returns origin.
func outline(p vg.Path, origin float64) svgpath.Path {
	var out svgpath.Path
	point := func(p vg.Point) svgpath.Point { return svgpath.Point{X: p.X.Points(), Y: origin - p.Y.Points()} }
	for _, s := range p {
		switch s.Type {
		case vg.MoveComp:
			out = append(out, svgpath.Segment{Op: 'M', To: point(s.Pos)})
		case vg.LineComp:
			out = append(out, svgpath.Segment{Op: 'L', To: point(s.Pos)})
		case vg.CloseComp:
			out = append(out, svgpath.Segment{Op: 'Z'})
		case vg.CurveComp:
			g := svgpath.Segment{Op: 'Q', To: point(s.Pos)}
			for i, q := range s.Control {
				g.Control[i] = point(q)
			}
			if len(s.Control) == 2 {
				g.Op = 'C'
			}
			out = append(out, g)
		case vg.ArcComp:
			r := s.Radius.Points()
			at := func(angle float64) svgpath.Point {
				sin, cos := math.Sincos(angle)
				return svgpath.Point{X: s.Pos.X.Points() + r*cos, Y: origin - s.Pos.Y.Points() - r*sin}
			}
			from := at(s.Start)
			switch n := len(out); {
			case n == 0:
				out = append(out, svgpath.Segment{Op: 'M', To: from})
			case math.Hypot(out[n-1].To.X-from.X, out[n-1].To.Y-from.Y) > 1e-9:
				out = append(out, svgpath.Segment{Op: 'L', To: from})
			}
			// An arc of SVG cannot be a whole circle.
			n := max(1, math.Ceil(math.Abs(s.Angle)/math.Pi-1e-9))
			for k := 1.; k <= n; k++ {
				out = append(out, svgpath.Segment{Op: 'A', To: at(s.Start + s.Angle*k/n), Radius: r, Sweep: s.Angle < 0})
			}
		}
	}
	return out
}

// dots returns the centers and the common radius if p consists of whole circles of the same radius. For any other path
// it returns no centers.
func dots(p vg.Path, origin float64) (centers []svgpath.Point, radius float64) {
	if len(p)%3 != 0 {
		return nil, 0
	}
	for i := 0; i < len(p); i += 3 {
		m, a, z := p[i], p[i+1], p[i+2]
		if m.Type != vg.MoveComp || a.Type != vg.ArcComp || z.Type != vg.CloseComp || math.Abs(a.Angle) < 2*math.Pi-1e-9 || a.Radius != p[1].Radius {
			return nil, 0
		}
		centers = append(centers, svgpath.Point{X: a.Pos.X.Points(), Y: origin - a.Pos.Y.Points()})
	}
	if len(p) == 0 {
		return nil, 0
	}
	return centers, p[1].Radius.Points()
}

// Stroke draws a path as a line.
func (c *Canvas) Stroke(p vg.Path) {
	s := c.now()
	if s.width <= 0 {
		return
	}
	style := "fill:none" + paint("stroke", s.color)
	if s.width != 1 {
		style += ";stroke-width:" + number(s.width)
	}
	if len(s.dashes) > 0 {
		var list []string
		for _, d := range s.dashes {
			list = append(list, number(d))
		}
		style += ";stroke-dasharray:" + strings.Join(list, ",")
		if s.offset != 0 {
			style += ";stroke-dashoffset:" + number(s.offset)
		}
	}
	origin, transform := c.place()
	c.path(outline(p, origin).Thinned().String(), style, transform)
}

// Fill fills a path. If the path consists of dots of the same size, each dot becomes a line of length zero with round
// ends, which takes a tenth of the space of a circle's outline.
func (c *Canvas) Fill(p vg.Path) {
	origin, transform := c.place()
	if centers, radius := dots(p, origin); len(centers) > 0 {
		c.path(svgpath.Dots(centers), "fill:none"+paint("stroke", c.now().color)+";stroke-width:"+number(vg.Length(2*radius))+";stroke-linecap:round", transform)
		return
	}
	c.path(outline(p, origin).Thinned().String(), strings.TrimPrefix(paint("fill", c.now().color), ";"), transform)
}

func (c *Canvas) path(data, style, transform string) {
	c.Shapes++
	c.elements = append(c.elements, element{`<path d="` + data + `"`, style, transform + "/>\n"})
}

// DrawImage draws an image.
func (c *Canvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.Shapes++
	origin, transform := c.place()
	encode := c.PNG
	if encode == nil {
		encode = lossless
	}
	c.elements = append(c.elements, element{begin: fmt.Sprintf(`<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none"%s xlink:href="data:image/png;base64,%s"/>`+"\n",
		svgpath.Short(r.Min.X.Points()), svgpath.Short(origin-r.Max.Y.Points()), svgpath.Short(r.Size().X.Points()), svgpath.Short(r.Size().Y.Points()),
		transform, base64.StdEncoding.EncodeToString(encode(img)))})
}

func lossless(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("fittedsvg: %v", err))
	}
	return b.Bytes()
}

// FillString draws text.
func (c *Canvas) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 {
		return
	}
	c.Shapes++
	origin, transform := c.place()
	begin := "<text"
	w := f.Width(text).Points()
	near := transform == "" && at.X.Points()+widerLetters*w > c.w.Points()
	if w > 0 && (c.Fit || near) {
		begin += fmt.Sprintf(` textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, w)
	}
	begin += fmt.Sprintf(` x="%s" y="%s"%s`, svgpath.Short(at.X.Points()), svgpath.Short(origin-at.Y.Points()), transform)
	style := "font-size:" + number(f.Font.Size) + "px"
	if family := familyOf(f); c.family == "" {
		c.family = family
	} else if family != c.family {
		style += ";font-family:" + family
	}
	switch f.Font.Style {
	case xfont.StyleItalic:
		style += ";font-style:italic"
	case xfont.StyleOblique:
		style += ";font-style:oblique"
	}
	if w := f.Font.Weight; w == xfont.WeightBold {
		style += ";font-weight:bold"
	} else if w != xfont.WeightNormal {
		style += fmt.Sprintf(";font-weight:%d", 400+100*int(w))
	}
	style += paint("fill", c.now().color)
	c.elements = append(c.elements, element{begin, style, ">" + html.EscapeString(text) + "</text>\n"})
}

// widerLetters is greater than the factor by which a string is wider in DejaVu Sans than in Liberation Sans. DejaVu
// Sans is the widest font that viewers commonly fall back on.
const widerLetters = 1.25

// familyOf returns the font family of a font in CSS. For the Liberation fonts, this includes fallbacks of the same
// width for viewers that lack them.
func familyOf(f font.Face) string {
	var buf sfnt.Buffer
	name, err := f.Face.Name(&buf, sfnt.NameIDFamily)
	switch {
	case err != nil:
		return "sans-serif"
	case name == "Liberation Sans":
		return "'Liberation Sans',Arial,Helvetica,sans-serif"
	case name == "Liberation Serif":
		return "'Liberation Serif','Times New Roman',Times,serif"
	}
	return "'" + strings.NewReplacer("'", "", `"`, "", "<", "", "&", "").Replace(name) + "'"
}

// paint returns the style that sets a property to the color c; key is the name of the property, fill or stroke. The
// style begins with a semicolon. Color components are truncated to eight bits, as in gonum's canvas. An opaque black
// fill needs no style, because it is SVG's default.
func paint(key string, c color.Color) (style string) {
	r, g, b, a := c.RGBA()
	byteOf := func(v uint32) int { return int(float64(v) * (255 / float64(max(a, 1)))) }
	if v := fmt.Sprintf("#%02X%02X%02X", byteOf(r), byteOf(g), byteOf(b)); key != "fill" || v != "#000000" {
		style = ";" + key + ":" + v
	}
	if a != math.MaxUint16 {
		style += fmt.Sprintf(";%s-opacity:%.5g", key, float64(a)/math.MaxUint16)
	}
	return style
}

func number(v vg.Length) string { return fmt.Sprintf("%.5g", v.Points()) }

// String returns the document so far.
func (c *Canvas) String() string {
	w, h := strconv.FormatFloat(c.w.Points(), 'g', -1, 64), strconv.FormatFloat(c.h.Points(), 'g', -1, 64)
	family := ""
	if c.family != "" {
		family = ` font-family="` + c.family + `"`
	}
	var body strings.Builder
	for i := 0; i < len(c.elements); {
		style, n := c.elements[i].style, 1
		for i+n < len(c.elements) && c.elements[i+n].style == style {
			n++
		}
		attribute, inside := "", "" // of each element, or of the group
		if style != "" {
			attribute = ` style="` + style + `"`
		}
		if n > 1 && style != "" {
			attribute, inside = "", attribute
			body.WriteString("<g" + inside + ">\n")
		}
		for _, e := range c.elements[i : i+n] {
			body.WriteString(e.begin + attribute + e.end)
		}
		if inside != "" {
			body.WriteString("</g>\n")
		}
		i += n
	}
	return fmt.Sprintf(`<?xml version="1.0"?>
<svg width="%spt" height="%spt" viewBox="0 0 %s %s"%s xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
%s</svg>
`, w, h, w, h, family, body.String())
}
