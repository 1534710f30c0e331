package drawing

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"overcomplete/internal/svgpath"
)

// A point is a position in typographic points, relative to the upper left corner of a picture; y points down.
type point = svgpath.Point

// A box is a rectangle. It is empty if max is less than min.
type box struct{ min, max point }

var emptyBox = box{point{X: math.Inf(1), Y: math.Inf(1)}, point{X: math.Inf(-1), Y: math.Inf(-1)}}

func (b box) with(p point) box {
	return box{point{X: math.Min(b.min.X, p.X), Y: math.Min(b.min.Y, p.Y)}, point{X: math.Max(b.max.X, p.X), Y: math.Max(b.max.Y, p.Y)}}
}

func (b box) union(o box) box {
	if o.empty() {
		return b
	}
	return b.with(o.min).with(o.max)
}

func (b box) empty() bool     { return b.max.X < b.min.X }
func (b box) width() float64  { return b.max.X - b.min.X }
func (b box) height() float64 { return b.max.Y - b.min.Y }
func (b box) middle() point   { return point{X: (b.min.X + b.max.X) / 2, Y: (b.min.Y + b.max.Y) / 2} }

// A shape is a path, a text or an image.
type shape struct {
	number  int // index of the shape in the SVG
	path    svgpath.Path
	dots    []point // centers of dots, instead of a path
	radius  float64 // of the dots
	text    string
	image   string // base64 data of a PNG
	at      point  // start of a text's baseline, or corner of an image
	size    point  // size of an image
	turned  bool   // vertical text, read upwards
	bold    bool
	font    float64 // font size of a text
	length  float64 // length of a text, or 0 if the SVG does not say
	fill    string  // color such as "#0072B2", or "" for none
	stroke  string
	opacity float64
	width   float64 // width of a stroke
	dashes  string
}

// textWidth returns the width of the shape's text. If known is false, w is only an estimate.
func (s *shape) textWidth() (w float64, known bool) {
	if s.length > 0 {
		return s.length, true
	}
	return textWidth(s.text, s.font, s.bold)
}

// bounds returns the bounding box of a shape, ignoring the width of its line.
func (s *shape) bounds() box {
	switch {
	case s.text != "":
		w, _ := s.textWidth()
		if s.turned {
			return box{point{X: s.at.X - .75*s.font, Y: s.at.Y - w}, point{X: s.at.X + .22*s.font, Y: s.at.Y}}
		}
		return box{point{X: s.at.X, Y: s.at.Y - .75*s.font}, point{X: s.at.X + w, Y: s.at.Y + .22*s.font}}
	case s.image != "":
		return box{s.at, point{X: s.at.X + s.size.X, Y: s.at.Y + s.size.Y}}
	}
	b := emptyBox
	for _, c := range s.dots {
		b = b.with(point{X: c.X - s.radius, Y: c.Y - s.radius}).with(point{X: c.X + s.radius, Y: c.Y + s.radius})
	}
	for _, g := range s.path {
		if g.Op != 'Z' {
			b = b.with(g.To)
		}
		if g.Op == 'A' { // an arc is at most half a circle, so no point is further from its start than the diameter
			b = b.with(point{X: g.To.X, Y: g.To.Y - g.Radius}).with(point{X: g.To.X, Y: g.To.Y + g.Radius})
		}
	}
	return b
}

// A document is a parsed SVG of the form that package figure writes.
type document struct {
	metadata      string
	width, height float64
	shapes        []shape
}

var errUnknown = errors.New("drawing: not an SVG of package figure")

func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnknown, fmt.Sprintf(format, args...))
}

// parse reads an SVG. It returns an error if the SVG has an element, attribute or style that package figure does not
// write.
func parse(svg []byte) (*document, error) {
	d := &document{}
	dec := xml.NewDecoder(strings.NewReader(string(svg)))
	var open []string
	var words strings.Builder
	var now *shape              // the text element that is being read
	var group map[string]string // the style of a group, which is that of each of its shapes
	shapes := 0
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unknown("%v", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			name := t.Name.Local
			at := strings.Join(append(open, name), " ")
			attr, err := attributes(t)
			if err != nil {
				return nil, err
			}
			switch at {
			case "svg":
				if err = d.open(attr); err != nil {
					return nil, err
				}
			case "svg title", "svg desc", "svg metadata":
				words.Reset()
			case "svg g":
				group = attr
			case "svg path", "svg text", "svg image", "svg g path", "svg g text":
				if len(open) > 1 {
					for k, v := range group {
						if _, twice := attr[k]; twice {
							return nil, unknown("%s twice", k)
						}
						attr[k] = v
					}
				}
				s, err := d.shape(name, attr)
				if err != nil {
					return nil, err
				}
				s.number = shapes
				shapes++
				d.shapes = append(d.shapes, *s)
				if name == "text" {
					now = &d.shapes[len(d.shapes)-1]
					words.Reset()
				}
			default:
				return nil, unknown("an element %s", at)
			}
			open = append(open, name)
		case xml.EndElement:
			switch at := strings.Join(open, " "); at {
			case "svg metadata":
				d.metadata = words.String()
			case "svg text", "svg g text":
				now.text = words.String()
				if strings.TrimSpace(now.text) == "" {
					d.shapes = d.shapes[:len(d.shapes)-1]
				}
				now = nil
			}
			open = open[:len(open)-1]
		case xml.CharData:
			words.Write(t)
		case xml.Directive:
			return nil, unknown("a directive")
		}
	}
	if d.width == 0 || len(d.shapes) == 0 {
		return nil, unknown("nothing is in it")
	}
	return d, nil
}

// attributes returns the attributes of an element, including the properties in its style attribute. It is an
// error if an attribute or property occurs twice.
func attributes(t xml.StartElement) (map[string]string, error) {
	attr := map[string]string{}
	put := func(k, v string) error {
		if _, twice := attr[k]; twice {
			return unknown("%s twice", k)
		}
		attr[k] = strings.TrimSpace(v)
		return nil
	}
	for _, a := range t.Attr {
		switch {
		case a.Name.Local == "xmlns" || a.Name.Space == "xmlns":
		case a.Name.Local == "style":
			for _, p := range strings.Split(a.Value, ";") {
				k, v, ok := strings.Cut(p, ":")
				if !ok && strings.TrimSpace(p) != "" {
					return nil, unknown("the style %q", a.Value)
				}
				if ok {
					if err := put("style "+strings.TrimSpace(k), v); err != nil {
						return nil, err
					}
				}
			}
		default:
			if err := put(a.Name.Local, a.Value); err != nil {
				return nil, err
			}
		}
	}
	return attr, nil
}

func (d *document) open(attr map[string]string) error {
	f := strings.Fields(attr["viewBox"])
	if len(f) != 4 || f[0] != "0" || f[1] != "0" {
		return unknown("the view %q", attr["viewBox"])
	}
	var err1, err2 error
	d.width, err1 = strconv.ParseFloat(f[2], 64)
	d.height, err2 = strconv.ParseFloat(f[3], 64)
	if err1 != nil || err2 != nil || !(d.width > 0 && d.width < 1e5 && d.height > 0 && d.height < 1e5) {
		return unknown("the view %q", attr["viewBox"])
	}
	return nil
}

// shape converts an element that is drawn (a path, text or image) to a shape. name is the element's name, and attr has
// the element's attributes. shape removes from attr the attributes that it has read.
func (d *document) shape(name string, attr map[string]string) (*shape, error) {
	s := &shape{opacity: 1}
	num := func(key string) (x float64) {
		v, ok := attr[key]
		delete(attr, key)
		x, err := strconv.ParseFloat(strings.TrimSuffix(v, "px"), 64)
		if !ok || err != nil || math.IsNaN(x-x) {
			attr["no "+key] = v
		}
		return x
	}
	want := func(key, value string) {
		if attr[key] == value {
			delete(attr, key)
		}
	}
	colour := func(key string) string {
		v, said := attr["style "+key]
		if !said && key == "fill" {
			return "#000000" // SVG's default
		}
		if _, ok := rgb(v); ok || v == "none" {
			delete(attr, "style "+key)
		}
		return strings.TrimPrefix(v, "none")
	}
	switch name {
	case "path":
		var err error
		if s.path, err = svgpath.Parse(attr["d"]); err != nil {
			return nil, unknown("%v", err)
		}
		delete(attr, "d")
		s.fill = colour("fill")
		if _, ok := attr["style stroke"]; ok {
			s.stroke = colour("stroke")
			if s.width = 1; attr["style stroke-width"] != "" {
				s.width = num("style stroke-width")
			}
			if v, ok := attr["style stroke-dasharray"]; ok {
				for _, x := range strings.Split(v, ",") {
					if _, err := strconv.ParseFloat(x, 64); err != nil {
						return nil, unknown("the dashes %q", v)
					}
				}
				s.dashes = v
				delete(attr, "style stroke-dasharray")
			}
			if attr["style stroke-linecap"] == "round" {
				delete(attr, "style stroke-linecap")
				if s.dots = s.path.Centers(); s.dots == nil || s.fill != "" {
					return nil, unknown("round ends of a line")
				}
				s.path, s.radius = nil, s.width/2
				s.fill, s.stroke = s.stroke, ""
			}
		}
		for _, key := range []string{"style fill-opacity", "style stroke-opacity"} {
			if _, ok := attr[key]; ok {
				s.opacity = num(key)
			}
		}
	case "text":
		x, y := num("x"), num("y")
		s.at = point{X: x, Y: y}
		if attr["transform"] == fmt.Sprintf("matrix(0 -1 1 0 0 %s)", strconv.FormatFloat(d.height, 'g', -1, 64)) {
			delete(attr, "transform")
			s.turned, s.at = true, point{X: y, Y: d.height - x}
		}
		s.font = num("style font-size")
		s.bold = attr["style font-weight"] == "bold"
		want("style font-weight", "bold")
		want("lengthAdjust", "spacingAndGlyphs")
		if _, ok := attr["textLength"]; ok {
			s.length = num("textLength")
		}
		s.fill = colour("fill")
	case "image":
		s.at = point{X: num("x"), Y: num("y")}
		s.size = point{X: num("width"), Y: num("height")}
		want("preserveAspectRatio", "none")
		data, ok := strings.CutPrefix(attr["href"], "data:image/png;base64,")
		if !ok || data == "" || strings.Trim(data, base64Letters) != "" {
			return nil, unknown("an image that is no PNG")
		}
		s.image = data
		delete(attr, "href")
	}
	for k, v := range attr {
		return nil, unknown("%s with %s %q", name, k, v)
	}
	return s, nil
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// rgb parses a color such as #0072B2.
func rgb(s string) (c [3]float64, ok bool) {
	if len(s) != 7 || s[0] != '#' {
		return c, false
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return c, false
	}
	return [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}, true
}
