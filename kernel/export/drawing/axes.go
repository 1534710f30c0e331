package drawing

import (
	"math"
	"strconv"
	"strings"
)

// A scale says where on a picture a number is: at offset + slope·number, or of its logarithm to base ten.
type scale struct {
	offset, slope float64
	log           bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	return s.offset + s.slope*v
}

// A tick is a label and where it stands.
type tick struct{ value, place float64 }

// The most that a tick may be away from where its scale has it, in points.
const offTick = .35

// axes returns the scales that a panel's axes may have, from the labels of ticks; none for an axis that has no two
// numbers.
func (p *panel) axes() (x, y []scale) {
	var across, up []tick
	for i := range p.shapes {
		t := &p.shapes[i]
		v, number := parseLabel(t.text)
		if !number || t.turned {
			continue
		}
		at := t.bounds()
		for k := range p.shapes {
			l := p.shapes[k].path
			if len(l) != 2 || p.shapes[k].stroke == "" || l[0].op != 'M' || l[1].op != 'L' {
				continue
			}
			b := lines(l)
			switch {
			case b.width() == 0 && b.height() > 3 && b.height() < 5 && math.Abs(b.min.x-at.middle().x) < .8 && at.min.y-b.max.y > -2.5 && at.min.y-b.max.y < 8:
				across = append(across, tick{v, b.min.x})
			case b.height() == 0 && b.width() > 3 && b.width() < 5 && math.Abs(b.min.y-(t.at.y-.33*t.font)) < 2.5 && b.min.x-at.max.x > -1 && b.min.x-at.max.x < 6:
				up = append(up, tick{v, b.min.y})
			}
		}
	}
	return fit(across), fit(up)
}

// lines returns the box of an outline of straight lines.
func lines(path []segment) box {
	b := emptyBox
	for _, g := range path {
		if g.op != 'Z' {
			b = b.with(g.to)
		}
	}
	return b
}

// parseLabel reads a label of a tick: 0.01, −3, 1e−5.
func parseLabel(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64)
	return v, err == nil && !math.IsNaN(v-v)
}

// fit returns the scales that ticks are on, linear or logarithmic; two ticks are on both.
func fit(ticks []tick) (list []scale) {
	for _, log := range []bool{false, true} {
		s, ok := through(ticks, log)
		for _, t := range ticks {
			ok = ok && math.Abs(s.at(t.value)-t.place) < offTick
		}
		if ok {
			list = append(list, s)
		}
	}
	return list
}

// through returns the line through ticks by least squares.
func through(list []tick, log bool) (scale, bool) {
	var n, sv, sp, svv, svp float64
	for _, t := range list {
		v := t.value
		if log {
			if v <= 0 {
				return scale{}, false
			}
			v = math.Log10(v)
		}
		n, sv, sp, svv, svp = n+1, sv+v, sp+t.place, svv+v*v, svp+v*t.place
	}
	det := n*svv - sv*sv
	if n < 2 || !(math.Abs(det) > 1e-12*n*svv) {
		return scale{}, false
	}
	slope := (n*svp - sv*sp) / det
	return scale{offset: (sp - slope*sv) / n, slope: slope, log: log}, slope != 0
}
