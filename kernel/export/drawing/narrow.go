package drawing

import (
	"math"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// phone is the width of a picture on a phone, in points. A picture that is wider by the factor tooLarge is also
// drawn for a phone.
const (
	phone    = 250
	tooLarge = 1.3
)

// narrow returns a panel drawn for a phone, which is smaller but has letters and lines of the same size. It
// returns nil if the panel is small enough, or must be scaled as a whole because it contains pictures, has no
// axes, or has long words below its axis.
func (p *panel) narrow() *panel {
	if p.bounds.width() < tooLarge*phone {
		return nil
	}
	if p.X.Scale == figuremeta.None || p.Y.Scale == figuremeta.None {
		return nil
	}
	left, below, named := p.Area[0], p.Area[3], p.Y.Scale == figuremeta.Names
	room := left - p.bounds.min.x
	k := (phone - room) / (p.bounds.max.x - left)
	if named { // named rows keep their distance, and their names may take more than half of the width
		k = math.Max(k, .3)
	}
	if !(k >= .3 && k < 1) || room+k*(p.bounds.max.x-left) > 1.15*phone {
		return nil
	}
	up := k
	if named {
		up = 1
	}
	// Labels outside of the axes keep their distance from the axes.
	to := func(q point) point {
		if q.x > left {
			q.x = left + k*(q.x-left)
		}
		if q.y < below {
			q.y = below + up*(q.y-below)
		}
		return q
	}
	ground := asBox(p.Box)
	n := &panel{bounds: box{to(ground.min), to(ground.max)}}
	var labels []box // below the axis
	for _, s := range p.shapes {
		switch {
		case s.image != "":
			return nil
		case s.text != "":
			old := s.bounds()
			from, at := old.middle(), to(old.middle())
			s.at = point{s.at.x + at.x - from.x, s.at.y + at.y - from.y}
			if b := s.bounds(); from.y > below && !s.turned {
				if overlaps(b, labels) {
					if !number(s.text) {
						return nil // no word may be omitted
					}
					continue // keep the tick of an omitted label
				}
				labels = append(labels, b)
			}
		default:
			path := make([]segment, len(s.path))
			for i, g := range s.path {
				g.to = to(g.to)
				path[i] = g
			}
			if centres, radius := dots(s.path); len(centres) > 0 { // dots stay round
				path = path[:0]
				for _, c := range centres {
					path = append(path, circle(to(c), radius)...)
				}
			}
			s.path = path
		}
		n.shapes = append(n.shapes, s)
		n.bounds = n.bounds.union(s.bounds())
	}
	if p.values != nil {
		v := *p.values
		v.Series = append([]series(nil), v.Series...)
		for i, s := range v.Series {
			at := make([]int, len(s.At))
			for j := 0; j+1 < len(at); j += 2 {
				q := to(point{float64(s.At[j]) / 10, float64(s.At[j+1]) / 10})
				at[j], at[j+1] = int(math.Round(10*q.x)), int(math.Round(10*q.y))
			}
			v.Series[i].At = at
		}
		n.values = &v
	}
	return n
}

func overlaps(b box, others []box) bool {
	for _, o := range others {
		if b.min.x < o.max.x+2 && o.min.x < b.max.x+2 && b.min.y < o.max.y && o.min.y < b.max.y {
			return true
		}
	}
	return false
}

// circle returns the outline of a dot.
func circle(c point, r float64) []segment {
	right, left := point{c.x + r, c.y}, point{c.x - r, c.y}
	return []segment{{op: 'M', to: right}, {op: 'A', to: left, radius: r, large: true}, {op: 'A', to: right, radius: r, large: true}, {op: 'Z'}}
}

// number reports whether a label is a number, such as 0.01, −3 or 1e−5.
func number(label string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(label, "−", "-"), 64)
	return err == nil
}
