package drawing

import (
	"math"
	"strings"
)

// A Drawing is a figure in parts.
type Drawing struct {
	Title, Caption string
	keys           []key // that all panels share
	panels         []*panel
}

// A panel is a picture with axes of its own.
type panel struct {
	name   string
	keys   []key
	shapes []shape
	ground box // of the panel
	bounds box // of all that is drawn
	row    int
	values *values // nil for none
}

// A key is an entry of a legend.
type key struct {
	thumb []shape
	name  string
}

// The sizes of texts by which package figure sets them apart.
const (
	titleSize, panelSize, legendSize, captionSize = 12, 10.5, 9.5, 8
)

// Parse takes an SVG of package figure apart. It returns an error for any other.
func Parse(svg []byte) (*Drawing, error) {
	doc, err := parse(svg)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Title: doc.title, Caption: doc.caption}
	whole := box{point{}, point{doc.width, doc.height}}
	var head []shape
	for i, s := range doc.shapes {
		if g, ok := rectangle(s.path); ok && s.fill == "#FFFFFF" && s.stroke == "" {
			switch {
			case i == 0: // the ground of the whole
				continue
			case g.width()*g.height() >= whole.width()*whole.height()/400:
				d.panels = append(d.panels, &panel{ground: g})
				continue
			}
		}
		if len(d.panels) == 0 {
			head = append(head, s)
			continue
		}
		p := d.panels[len(d.panels)-1]
		p.shapes = append(p.shapes, s)
	}
	if len(d.panels) == 0 {
		return nil, unknown("there are no panels")
	}
	head = d.words(head)
	d.keys, head = keysOf(head)
	name := ""
	name, head = nameOf(head)
	if len(head) > 0 {
		return nil, unknown("%d shapes before the first panel", len(head))
	}
	row, left := 0, math.Inf(-1)
	for i, p := range d.panels {
		p.keys, p.shapes = keysOf(p.shapes)
		p.name, p.shapes = nameOf(p.shapes)
		p.bounds = p.ground
		for k := range p.shapes {
			p.bounds = p.bounds.union(p.shapes[k].bounds())
		}
		if p.ground.min.x <= left+1 {
			row++
		}
		left = p.ground.min.x
		p.row = row
		if i == 0 && len(d.panels) == 1 && p.name == "" {
			p.name = name
		}
	}
	return d, nil
}

// words takes the title and the caption out of what is drawn above the panels: the document has them as text.
func (d *Drawing) words(head []shape) (rest []shape) {
	for _, s := range head {
		small := s.font == captionSize && !s.bold && s.fill == "#5F5F5F" && contains(d.Caption, s.text)
		large := s.font == titleSize && s.bold && contains(d.Title, s.text)
		if s.text == "" || !small && !large {
			rest = append(rest, s)
		}
	}
	return rest
}

// contains looks for a line of a text that was broken into lines.
func contains(text, line string) bool {
	flat := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " ")
	}
	return strings.Contains(flat(text), flat(line))
}

// keysOf takes the entries of a legend out of shapes: a text in the size of a legend with something drawn to
// the left of it.
func keysOf(shapes []shape) (keys []key, rest []shape) {
	for _, s := range shapes {
		if s.text == "" || s.font != legendSize || s.bold || s.turned {
			rest = append(rest, s)
			continue
		}
		place := box{point{s.at.x - 24, s.at.y - 12}, point{s.at.x - 2, s.at.y + 6}}
		n := len(rest)
		for n > 0 && rest[n-1].path != nil && rest[n-1].bounds().within(place) {
			n--
		}
		if n == len(rest) {
			rest = append(rest, s)
			continue
		}
		keys = append(keys, key{append([]shape(nil), rest[n:]...), s.text})
		rest = rest[:n]
	}
	return keys, rest
}

// nameOf takes the heading of a panel out of its shapes.
func nameOf(shapes []shape) (name string, rest []shape) {
	var lines []string
	for _, s := range shapes {
		if s.text != "" && s.font == panelSize && s.bold && !s.turned {
			lines = append(lines, s.text)
			continue
		}
		rest = append(rest, s)
	}
	return strings.Join(lines, " "), rest
}
