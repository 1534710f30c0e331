package drawing

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A point is a position in points, relative to the upper left corner of a picture; y points down.
type point struct{ x, y float64 }

// A box is a rectangle. It is empty if max is less than min.
type box struct{ min, max point }

var emptyBox = box{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}}

func (b box) with(p point) box {
	return box{point{math.Min(b.min.x, p.x), math.Min(b.min.y, p.y)}, point{math.Max(b.max.x, p.x), math.Max(b.max.y, p.y)}}
}

func (b box) union(o box) box {
	if o.empty() {
		return b
	}
	return b.with(o.min).with(o.max)
}

func (b box) empty() bool     { return b.max.x < b.min.x }
func (b box) width() float64  { return b.max.x - b.min.x }
func (b box) height() float64 { return b.max.y - b.min.y }
func (b box) middle() point   { return point{(b.min.x + b.max.x) / 2, (b.min.y + b.max.y) / 2} }

// A shape is a path, a text or an image.
type shape struct {
	number  int // index of the shape in the SVG
	path    []segment
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

// textWidth returns the width of a text, and whether the width is exact.
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
			return box{point{s.at.x - .75*s.font, s.at.y - w}, point{s.at.x + .22*s.font, s.at.y}}
		}
		return box{point{s.at.x, s.at.y - .75*s.font}, point{s.at.x + w, s.at.y + .22*s.font}}
	case s.image != "":
		return box{s.at, point{s.at.x + s.size.x, s.at.y + s.size.y}}
	}
	b := emptyBox
	for _, g := range s.path {
		if g.op != 'Z' {
			b = b.with(g.to)
		}
		if g.op == 'A' { // an arc is at most half a circle, so no point is further from its start than the diameter
			b = b.with(point{g.to.x, g.to.y - g.radius}).with(point{g.to.x, g.to.y + g.radius})
		}
	}
	return b
}

// A document is an SVG in the form written by package figure.
type document struct {
	metadata      string
	width, height float64
	shapes        []shape
}

var errUnknown = errors.New("drawing: not an SVG of package figure")

func unknown(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnknown, fmt.Sprintf(format, args...))
}

// parse reads an SVG. The only elements are svg, title, desc, metadata, g, path, text and image.
func parse(svg []byte) (*document, error) {
	d := &document{}
	dec := xml.NewDecoder(strings.NewReader(string(svg)))
	var open []string
	var words strings.Builder
	var now *shape // the text element that is being read
	turned := false
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
				if attr["transform"] != fmt.Sprintf("scale(1, -1) translate(0, -%s)", strconv.FormatFloat(d.height, 'g', -1, 64)) {
					return nil, unknown("a group with the transform %q", attr["transform"])
				}
			case "svg g g":
				if attr["transform"] != "rotate(90)" {
					return nil, unknown("a group with the transform %q", attr["transform"])
				}
				turned = true
			case "svg g path", "svg g text", "svg g g text", "svg g image":
				s, err := d.shape(name, attr, turned)
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
			case "svg g text", "svg g g text":
				now.text = words.String()
				if strings.TrimSpace(now.text) == "" {
					d.shapes = d.shapes[:len(d.shapes)-1]
				}
				now = nil
			case "svg g g":
				turned = false
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

// shape reads a drawn element. The y axis of paths points up; texts and images have a flipped y axis.
func (d *document) shape(name string, attr map[string]string, turned bool) (*shape, error) {
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
	s.turned = turned
	switch name {
	case "path":
		var err error
		if s.path, err = parsePath(attr["d"], d.height); err != nil {
			return nil, err
		}
		delete(attr, "d")
		s.fill = colour("fill")
		if _, ok := attr["style stroke"]; ok {
			s.stroke = colour("stroke")
			s.width = num("style stroke-width")
			if v, ok := attr["style stroke-dasharray"]; ok {
				for _, x := range strings.Split(v, ",") {
					if _, err := strconv.ParseFloat(x, 64); err != nil {
						return nil, unknown("the dashes %q", v)
					}
				}
				s.dashes = v
				delete(attr, "style stroke-dasharray")
			}
			want("style stroke-dashoffset", "0")
		}
		for _, key := range []string{"style fill-opacity", "style stroke-opacity"} {
			if _, ok := attr[key]; ok {
				s.opacity = num(key)
			}
		}
	case "text":
		x, y := num("x"), num("y")
		s.at = point{x, d.height + y}
		if turned {
			s.at = point{y, d.height - x}
		}
		s.font = num("style font-size")
		s.bold = attr["style font-weight"] == "bold"
		want("style font-weight", "bold")
		want("style font-weight", "normal")
		want("style font-style", "normal")
		want("style font-variant", "normal")
		want("style font-family", "'Liberation Sans',Arial,Helvetica,sans-serif")
		want("transform", "scale(1, -1)")
		want("lengthAdjust", "spacingAndGlyphs")
		if _, ok := attr["textLength"]; ok {
			s.length = num("textLength")
		}
		s.fill = colour("fill")
	case "image":
		s.at = point{num("x"), d.height + num("y")}
		s.size = point{num("width"), num("height")}
		want("transform", "scale(1, -1)")
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
