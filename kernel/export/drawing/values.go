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

// values is a panel's data for script.js, which shows values at the pointer. For each series it has the name, the
// positions of the data points in the panel, and what to show at each position: two numbers or a string. A long
// series contains only some of its points.
type values struct {
	X      string   `json:"x"` // axis labels
	Y      string   `json:"y"`
	Series []series `json:"s"`
}

type series struct {
	Name string    `json:"n"`
	At   []int     `json:"p"`           // positions x0, y0, x1, y1, … in tenths of a point
	V    []float64 `json:"v,omitempty"` // numbers x0, y0, x1, y1, …
	Said []string  `json:"t,omitempty"` // or a string for each point
}

func (v *values) json() string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("drawing: " + err.Error()) // cannot happen: its numbers are finite
	}
	return string(b)
}

// A column is a series of data from a figure's CSV. Points have coordinates x and y; bars have positions x, heights y
// and labels; a heatmap has rows.
type column struct {
	name, kind string
	x, y       []float64
	label      []string
	rows       [][]string
}

// setValues reads a figure's data from the CSV written by package figure, and stores each panel's data in the panel.
func (d *Drawing) setValues(csv []byte) {
	data := readData(csv)
	for _, p := range d.panels {
		p.values = p.place(data[p.Data])
	}
}

// readData parses the CSV b, and returns the series of each panel by the panel's name. It omits rows of an unknown
// kind, and points and bars without valid numbers.
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

// place converts the series of a panel to the form for script.js. It omits a series that has no visible points, and a
// series that would make the panel's data too long. It returns nil if no series remains.
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

// add appends the position at which panel p shows the data point (x, y). If the point is not visible, add appends
// nothing and returns false.
func (s *series) add(p *panel, x, y float64) (ok bool) {
	left, top, ok := p.Place(x, y)
	if ok {
		s.At = append(s.At, int(math.Round(10*left)), int(math.Round(10*top)))
	}
	return ok
}

// points adds the points of a line or point cloud. If there are too many, it adds only every second, third, … point.
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

// bars adds the label and height of each bar, positioned at the bar's top. For bars that stand side by side, shift is
// the distance of the bars from their positions x.
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

// cells adds the values of a heatmap, each positioned at its cell. It adds nothing if there are too many values.
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
