package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// An epsCanvas draws an EPS file. Unlike gonum/plot's EPS canvas, it draws images. It also draws letters as outlines,
// so that no reader needs the fonts. EPS has no transparency: colors are mixed with white instead.
type epsCanvas struct {
	w, h  vg.Length
	b     bytes.Buffer
	stack []epsState
}

type epsState struct {
	color  color.Color
	width  vg.Length
	dashes string
}

func newEPS(w, h vg.Length, title string) *epsCanvas {
	c := &epsCanvas{w: w, h: h, stack: []epsState{{color: color.Black, width: 1, dashes: "[] 0"}}}
	fmt.Fprintf(&c.b, "%%!PS-Adobe-3.0 EPSF-3.0\n%%%%BoundingBox: 0 0 %d %d\n%%%%HiResBoundingBox: 0 0 %s %s\n%%%%LanguageLevel: 3\n%%%%Title: %s\n%%%%EndComments\n",
		int(w.Points()+0.999), int(h.Points()+0.999), decimal(w), decimal(h), strconv.QuoteToASCII(title))
	c.b.WriteString("/m {moveto} def /l {lineto} def /c {curveto} def /z {closepath} def /f {fill} def /s {stroke} def\n")
	return c
}

// decimal returns a length in points, with at most three decimals.
func decimal(v vg.Length) string {
	s := strconv.FormatFloat(v.Points(), 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func (c *epsCanvas) now() *epsState           { return &c.stack[len(c.stack)-1] }
func (c *epsCanvas) Size() (w, h vg.Length)   { return c.w, c.h }
func (c *epsCanvas) SetLineWidth(w vg.Length) { c.now().width = w }

func (c *epsCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var d []string
	for _, p := range pattern {
		d = append(d, decimal(p))
	}
	c.now().dashes = "[" + strings.Join(d, " ") + "] " + decimal(offset)
}

func (c *epsCanvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.now().color = to
}

func (c *epsCanvas) Rotate(angle float64) {
	fmt.Fprintf(&c.b, "%.6g rotate\n", angle*180/math.Pi)
}
func (c *epsCanvas) Translate(by vg.Point) {
	fmt.Fprintf(&c.b, "%s %s translate\n", decimal(by.X), decimal(by.Y))
}
func (c *epsCanvas) Scale(x, y float64) { fmt.Fprintf(&c.b, "%.6g %.6g scale\n", x, y) }

func (c *epsCanvas) Push() {
	c.stack = append(c.stack, *c.now())
	c.b.WriteString("gsave\n")
}

func (c *epsCanvas) Pop() {
	c.stack = c.stack[:len(c.stack)-1]
	c.b.WriteString("grestore\n")
}

// onWhite returns a color as it looks on white.
func onWhite(to color.Color) (r, g, b float64) {
	n := color.NRGBAModel.Convert(to).(color.NRGBA)
	mix := func(v uint8) float64 { return 1 - float64(n.A)/255*(1-float64(v)/255) }
	return mix(n.R), mix(n.G), mix(n.B)
}

func (c *epsCanvas) paint() {
	r, g, b := onWhite(c.now().color)
	fmt.Fprintf(&c.b, "%.4g %.4g %.4g setrgbcolor\n", r, g, b)
}

func (c *epsCanvas) trace(p vg.Path) {
	at := func(to vg.Point) string { return decimal(to.X) + " " + decimal(to.Y) + " " }
	trace(p, func(to vg.Point) { c.b.WriteString(at(to) + "m\n") },
		func(to vg.Point) { c.b.WriteString(at(to) + "l\n") },
		func(p, q, to vg.Point) { c.b.WriteString(at(p) + at(q) + at(to) + "c\n") },
		func() { c.b.WriteString("z\n") })
}

func (c *epsCanvas) Stroke(p vg.Path) {
	s := c.now()
	if s.width <= 0 || len(p) == 0 {
		return
	}
	c.paint()
	fmt.Fprintf(&c.b, "%s setlinewidth %s setdash\n", decimal(s.width), s.dashes)
	c.trace(p)
	c.b.WriteString("s\n")
}

func (c *epsCanvas) Fill(p vg.Path) {
	if len(p) == 0 {
		return
	}
	c.paint()
	c.trace(p)
	c.b.WriteString("f\n")
}

func (c *epsCanvas) FillString(f font.Face, at vg.Point, text string) {
	var buf sfnt.Buffer
	units := f.Face.UnitsPerEm()
	em := fixed.I(int(units)) // so that coordinates are in units of the font
	scale := float64(f.Font.Size) / float64(units)
	x := float64(at.X)
	var before sfnt.GlyphIndex
	var p vg.Path
	for i, r := range text {
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic(fmt.Sprintf("figure: the font %s: %v", f.Name(), err))
		}
		if i > 0 {
			if k, err := f.Face.Kern(&buf, before, g, em, xfont.HintingNone); err == nil {
				x += scale * float64(k) / 64
			}
		}
		segments, err := f.Face.LoadGlyph(&buf, g, em, nil)
		if err != nil {
			panic(fmt.Sprintf("figure: the font %s: %v", f.Name(), err))
		}
		point := func(q fixed.Point26_6) vg.Point { // y points down in the font's outlines
			return vg.Point{X: vg.Length(x + scale*float64(q.X)/64), Y: at.Y - vg.Length(scale*float64(q.Y)/64)}
		}
		for k, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					p.Close()
				}
				p.Move(point(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				p.Line(point(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				p.QuadTo(point(s.Args[0]), point(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				p.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			p.Close()
		}
		advance, err := f.Face.GlyphAdvance(&buf, g, em, xfont.HintingNone)
		if err != nil {
			panic(fmt.Sprintf("figure: the font %s: %v", f.Name(), err))
		}
		x += scale * float64(advance) / 64
		before = g
	}
	c.Fill(p)
}

func (c *epsCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	b := img.Bounds()
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	row := make([]byte, 3*b.Dx())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := range b.Dx() {
			red, green, blue := onWhite(img.At(b.Min.X+x, y))
			row[3*x], row[3*x+1], row[3*x+2] = uint8(255*red+0.5), uint8(255*green+0.5), uint8(255*blue+0.5)
		}
		z.Write(row) // a bytes.Buffer takes everything
	}
	z.Close()
	var text bytes.Buffer
	e := ascii85.NewEncoder(&text)
	e.Write(data.Bytes())
	e.Close()
	fmt.Fprintf(&c.b, "gsave %s %s translate %s %s scale\n/DeviceRGB setcolorspace\n", decimal(r.Min.X), decimal(r.Min.Y), decimal(r.Size().X), decimal(r.Size().Y))
	fmt.Fprintf(&c.b, "<< /ImageType 1 /Width %d /Height %d /BitsPerComponent 8 /Decode [0 1 0 1 0 1] /ImageMatrix [%d 0 0 %d 0 %d]\n/DataSource currentfile /ASCII85Decode filter /FlateDecode filter >> image\n",
		b.Dx(), b.Dy(), b.Dx(), -b.Dy(), b.Dy())
	for line := text.Bytes(); len(line) > 0; {
		n := min(len(line), 250) // a line of PostScript has at most 255 characters
		if line[0] == '%' {      // would begin a comment of the document's structure
			c.b.WriteByte(' ')
		}
		c.b.Write(line[:n])
		c.b.WriteByte('\n')
		line = line[n:]
	}
	c.b.WriteString("~>\ngrestore\n")
}

// bytes returns the file.
func (c *epsCanvas) bytes() []byte {
	return append(bytes.Clone(c.b.Bytes()), "showpage\n%%EOF\n"...)
}
