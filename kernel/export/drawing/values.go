package drawing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The most that a page carries of the data of a figure: points of a panel, and of a series.
const (
	mostPoints = 1500
	mostSeries = 300
)

// values is what script.js shows: for each series its name, and for each of some points the place in tenths of a
// point and the numbers.
type values struct {
	X      string   `json:"x"` // what the axes are
	Y      string   `json:"y"`
	Series []series `json:"s"`
}

type series struct {
	Name string    `json:"n"`
	At   []int     `json:"p"`           // x0, y0, x1, y1, … in tenths of a point
	V    []float64 `json:"v,omitempty"` // likewise
	Said []string  `json:"t,omitempty"` // or what is said of each
}

func (v *values) json() string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("drawing: " + err.Error()) // its numbers are finite
	}
	return string(b)
}

// A column is a series of the CSV: points, bars with labels and heights y, or the rows of a picture.
type column struct {
	name, kind string
	x, y       []float64
	label      []string
	rows       [][]string
}

// Values puts the data of a figure, its CSV as package figure writes it, beside its panels. A panel whose scales are not
// found, or in which the picture has not the data where they say, goes without.
func (d *Drawing) Values(csv []byte) {
	panels := readData(csv)
	if len(panels) != len(d.panels) {
		return
	}
	for i, p := range d.panels {
		p.values = p.place(panels[i])
	}
}

// readData returns the series of each panel that have points: x and y, or the bars' places and values.
func readData(b []byte) (panels [][]column) {
	r := csv.NewReader(bytes.NewReader(b))
	head, err := r.Read()
	if err != nil {
		return nil
	}
	field := map[string]int{}
	for i, name := range head {
		field[name] = i
	}
	for _, name := range []string{"panel", "series", "kind"} {
		if _, ok := field[name]; !ok {
			return nil
		}
	}
	at := map[string]int{}
	for {
		row, err := r.Read()
		if err != nil {
			return panels
		}
		k, ok := at[row[field["panel"]]]
		if !ok {
			k = len(panels)
			at[row[field["panel"]]] = k
			panels = append(panels, nil)
		}
		cell := func(name string) string {
			if i, ok := field[name]; ok {
				return row[i]
			}
			return ""
		}
		kind, name := cell("kind"), cell("series")
		x, okx := parseNumber(cell("x"))
		y, oky := parseNumber(cell("y"))
		value, okv := parseNumber(cell("value"))
		switch kind {
		case "line", "points", "errorbars":
			if !okx || !oky {
				continue
			}
		case "bar":
			if y = value; !okv {
				continue
			}
		case "heatmap":
		default:
			continue
		}
		if n := len(panels[k]); n == 0 || panels[k][n-1].name != name || panels[k][n-1].kind != kind {
			panels[k] = append(panels[k], column{name: name, kind: kind})
		}
		c := &panels[k][len(panels[k])-1]
		if kind == "heatmap" {
			c.rows = append(c.rows, strings.Fields(cell("value")))
			continue
		}
		c.x, c.y, c.label = append(c.x, x), append(c.y, y), append(c.label, cell("label"))
	}
}

func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v-v)
}

// place returns the data of a panel with their places, nil if the picture does not have them there.
func (p *panel) place(list []column) *values {
	xs, ys := p.axes()
	var best *values
	for _, y := range append(ys, scale{}) { // none, for matrices
		for _, x := range append(xs, scale{}) { // and bars
			if v := p.placeOn(list, x, y); v != nil && (best == nil || len(v.Series) > len(best.Series)) {
				best = v
			}
		}
	}
	return best
}

func (p *panel) placeOn(list []column, x, y scale) *values {
	drawn := p.corners()
	v := &values{}
	v.X, v.Y = p.labels()
	total, bars := 0, p.boxes()
	for _, c := range list {
		s := series{Name: c.name}
		if _, err := strconv.Atoi(c.name); err == nil {
			s.Name = "" // a number that the CSV gave
		}
		if c.kind == "bar" {
			if y.slope == 0 || y.log {
				continue
			}
			if bars = s.bars(c, bars, y); s.Said != nil {
				v.Series = append(v.Series, s)
			}
			continue
		}
		if c.kind == "heatmap" {
			if s.cells(c, p); s.Said != nil {
				v.Series = append(v.Series, s)
			}
			continue
		}
		if x.slope == 0 || y.slope == 0 || x.log && !positive(c.x) || y.log && !positive(c.y) {
			continue
		}
		inside, found := 0, 0
		step := max(1, (len(c.x)+mostSeries-1)/mostSeries)
		for i := range c.x {
			at := point{x.at(c.x[i]), y.at(c.y[i])}
			if !(box{at, at}).within(p.ground) {
				continue
			}
			inside++
			if drawn.has(at) {
				found++
			}
			if i%step == 0 {
				s.At = append(s.At, int(math.Round(10*at.x)), int(math.Round(10*at.y)))
				s.V = append(s.V, c.x[i], c.y[i])
			}
		}
		// A corner of a line may have been cut off at the edge.
		if inside == 0 || float64(found) < .9*float64(inside) || total+len(s.V)/2 > mostPoints {
			continue
		}
		total += len(s.V) / 2
		v.Series = append(v.Series, s)
	}
	if len(v.Series) == 0 {
		return nil
	}
	return v
}

// boxes returns the filled rectangles of a panel, in the order in which they are drawn.
func (p *panel) boxes() (list []box) {
	for i := range p.shapes {
		if b, ok := rectangle(p.shapes[i].path); ok && p.shapes[i].stroke == "" {
			list = append(list, b)
		}
	}
	return list
}

// bars puts the heights of bars above them, if the first of the boxes are these bars, and returns the others.
func (s *series) bars(c column, boxes []box, y scale) []box {
	var at []int
	var said []string
	k := 0
	for i, height := range c.y {
		if height == 0 {
			continue // nothing is drawn
		}
		if k == len(boxes) {
			return boxes
		}
		b := boxes[k]
		k++
		top, zero := y.at(height), y.at(0)
		if height < 0 {
			top, zero = zero, top
		}
		if math.Abs(b.min.y-top) > .5 || math.Abs(b.max.y-zero) > .5 {
			return boxes
		}
		at = append(at, int(math.Round(10*b.middle().x)), int(math.Round(10*y.at(height))))
		said = append(said, strings.TrimPrefix(c.label[i]+": "+strconv.FormatFloat(height, 'g', 6, 64), ": "))
	}
	s.At, s.Said = at, said
	return boxes[k:]
}

// cells puts the values of a matrix onto its picture.
func (s *series) cells(c column, p *panel) {
	n := 0
	for _, row := range c.rows {
		n += len(row)
		if len(row) != len(c.rows[0]) {
			return
		}
	}
	if n == 0 || n > mostPoints {
		return
	}
	var place box // of the largest image: the other is the bar of colours
	for _, i := range p.shapes {
		if b := i.bounds(); i.image != "" && b.width()*b.height() > place.width()*place.height() {
			place = b
		}
	}
	if place.width() == 0 {
		return
	}
	w, h := place.width()/float64(len(c.rows[0])), place.height()/float64(len(c.rows))
	for i, row := range c.rows {
		for j, v := range row {
			s.At = append(s.At, int(math.Round(10*(place.min.x+w*(float64(j)+.5)))), int(math.Round(10*(place.min.y+h*(float64(i)+.5)))))
			s.Said = append(s.Said, fmt.Sprintf("row %d, column %d: %s", i, j, v))
		}
	}
}

func positive(v []float64) bool {
	for _, x := range v {
		if !(x > 0) {
			return false
		}
	}
	return true
}

// labels returns what stands below the horizontal axis and beside the vertical one.
func (p *panel) labels() (x, y string) {
	for i := range p.shapes {
		s := &p.shapes[i]
		switch {
		case s.text == "" || s.font != panelSize || s.bold:
		case s.turned:
			y = s.text
		default:
			x = s.text
		}
	}
	return x, y
}

// corners are the places that outlines pass, in a grid of points.
type corners map[[2]int][]point

func (p *panel) corners() corners {
	c := corners{}
	add := func(at point) {
		k := [2]int{int(math.Floor(at.x)), int(math.Floor(at.y))}
		c[k] = append(c[k], at)
	}
	for i := range p.shapes {
		if centres, _ := dots(p.shapes[i].path); len(centres) > 0 {
			for _, at := range centres {
				add(at)
			}
			continue
		}
		for _, g := range p.shapes[i].path {
			if g.op != 'Z' {
				add(g.to)
			}
		}
	}
	return c
}

// has reports whether something is drawn at a place, to half a point.
func (c corners) has(at point) bool {
	x, y := int(math.Floor(at.x)), int(math.Floor(at.y))
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, q := range c[[2]int{x + dx, y + dy}] {
				if math.Hypot(q.x-at.x, q.y-at.y) < .5 {
					return true
				}
			}
		}
	}
	return false
}
