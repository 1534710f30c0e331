package drawing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// The largest numbers of data points in a page, per panel and per series.
const (
	mostPoints = 1500
	mostSeries = 300
)

// values is a panel's data for script.js. Each series has a name and some of its data points: their positions in the
// panel, in tenths of a typographic point, and their coordinates or texts.
type values struct {
	X      string   `json:"x"` // axis labels
	Y      string   `json:"y"`
	Series []series `json:"s"`
}

type series struct {
	Name string    `json:"n"`
	At   []int     `json:"p"`           // positions x0, y0, x1, y1, … in tenths of a point
	V    []float64 `json:"v,omitempty"` // numbers x0, y0, x1, y1, …
	Said []string  `json:"t,omitempty"` // or a text for each point
}

func (v *values) json() string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("drawing: " + err.Error()) // cannot happen: its numbers are finite
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

// setValues reads a figure's data from the CSV written by package figure, and assigns them to the panels.
func (d *Drawing) setValues(csv []byte) {
	data := readData(csv)
	for _, p := range d.panels {
		p.values = p.place(data[p.Data])
	}
}

// readData returns, for each panel, the series that have points. A series has x and y, or the positions and
// values of bars.
func readData(b []byte) map[string][]column {
	r := csv.NewReader(bytes.NewReader(b))
	head, err := r.Read()
	if err != nil {
		return nil
	}
	field := map[string]int{}
	for i, name := range head {
		field[name] = i
	}
	panels := map[string][]column{}
	for {
		row, err := r.Read()
		if err != nil {
			return panels
		}
		cell := func(name string) string {
			if i, ok := field[name]; ok {
				return row[i]
			}
			return ""
		}
		panel, kind, name := cell("panel"), cell("kind"), cell("series")
		x, okx := parseNumber(cell("x"))
		y, oky := parseNumber(cell("y"))
		value, okv := parseNumber(cell("value"))
		switch kind {
		case "line", "points", "errorbars":
			if !okx || !oky {
				continue
			}
		case "bar":
			if y = value; !okx || !okv {
				continue
			}
		case "heatmap":
		default:
			continue
		}
		list := panels[panel]
		if n := len(list); n == 0 || list[n-1].name != name || list[n-1].kind != kind {
			list = append(list, column{name: name, kind: kind})
		}
		c := &list[len(list)-1]
		if kind == "heatmap" {
			c.rows = append(c.rows, strings.Fields(cell("value")))
		} else {
			c.x, c.y, c.label = append(c.x, x), append(c.y, y), append(c.label, cell("label"))
		}
		panels[panel] = list
	}
}

func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v-v)
}

// place returns the data of a panel and their positions, or nil if there are no data.
func (p *panel) place(list []column) *values {
	v := &values{X: p.X.Label, Y: p.Y.Label}
	bars := 0 // number of bar series
	for _, c := range list {
		if c.kind == "bar" {
			bars++
		}
	}
	total, bar := 0, 0
	for _, c := range list {
		s := series{Name: c.name}
		if _, err := strconv.Atoi(c.name); err == nil {
			s.Name = "" // the name is only a number from the CSV
		}
		switch c.kind {
		case "bar":
			s.bars(c, p, p.Bars*((float64(bar)+.5)/float64(bars)-.5))
			bar++
		case "heatmap":
			s.cells(c, p)
		default:
			s.points(c, p)
		}
		if len(s.At) == 0 || total+len(s.V)/2 > mostPoints {
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

// add adds the position of a point. The result ok is false if the point is not visible.
func (s *series) add(p *panel, x, y float64) (ok bool) {
	left, top, ok := p.Place(x, y)
	if ok {
		s.At = append(s.At, int(math.Round(10*left)), int(math.Round(10*top)))
	}
	return ok
}

// points adds the points of a line or cloud. If there are too many, it adds only every second, third, ... of them.
func (s *series) points(c column, p *panel) {
	if p.X.Scale == figuremeta.Names || p.Y.Scale == figuremeta.Names {
		return
	}
	step := max(1, (len(c.x)+mostSeries-1)/mostSeries)
	for i := 0; i < len(c.x); i += step {
		if s.add(p, c.x[i], c.y[i]) {
			s.V = append(s.V, c.x[i], c.y[i])
		}
	}
}

// bars adds the heights of bars, positioned above them.
func (s *series) bars(c column, p *panel, shift float64) {
	if p.Y.Scale != figuremeta.Linear {
		return
	}
	for i, height := range c.y {
		if height != 0 && s.add(p, c.x[i]+shift, height) { // bars of height zero are not drawn
			s.Said = append(s.Said, strings.TrimPrefix(c.label[i]+": "+strconv.FormatFloat(height, 'g', 6, 64), ": "))
		}
	}
}

// cells adds the values of a matrix, positioned on its picture.
func (s *series) cells(c column, p *panel) {
	n := 0
	for _, row := range c.rows {
		n += len(row)
	}
	if n > mostPoints {
		return
	}
	for i, row := range c.rows {
		for j, v := range row {
			if s.add(p, float64(j), float64(i)) {
				s.Said = append(s.Said, fmt.Sprintf("row %d, column %d: %s", i, j, v))
			}
		}
	}
}
