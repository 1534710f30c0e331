package drawing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
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
	At   []int     `json:"p"` // x0, y0, x1, y1, … in tenths of a point
	V    []float64 `json:"v"` // likewise
}

func (v *values) json() string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("drawing: " + err.Error()) // its numbers are finite
	}
	return string(b)
}

// A column of a series is one of these.
type column struct {
	name, kind string
	x, y       []float64
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
		kind := row[field["kind"]]
		switch kind {
		case "line", "points", "errorbars":
		default:
			continue
		}
		i, okx := field["x"]
		j, oky := field["y"]
		if !okx || !oky {
			continue
		}
		x, err1 := strconv.ParseFloat(row[i], 64)
		y, err2 := strconv.ParseFloat(row[j], 64)
		if err1 != nil || err2 != nil || math.IsNaN(x-x) || math.IsNaN(y-y) {
			continue
		}
		list, name := panels[k], row[field["series"]]
		if n := len(list); n == 0 || list[n-1].name != name || list[n-1].kind != kind {
			panels[k] = append(list, column{name: name, kind: kind})
		}
		c := &panels[k][len(panels[k])-1]
		c.x, c.y = append(c.x, x), append(c.y, y)
	}
}

// place returns the data of a panel with their places, nil if the picture does not have them there.
func (p *panel) place(list []column) *values {
	x, y, ok := p.axes()
	if !ok {
		return nil
	}
	drawn := p.corners()
	v := &values{}
	v.X, v.Y = p.labels()
	total := 0
	for _, c := range list {
		if x.log && !positive(c.x) || y.log && !positive(c.y) {
			continue
		}
		s := series{Name: c.name}
		if _, err := strconv.Atoi(c.name); err == nil {
			s.Name = "" // a number that the CSV gave
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
