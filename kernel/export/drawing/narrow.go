package drawing

import "math"

// How wide a picture is on a phone, in points, and from how much more on it is drawn for a phone as well.
const (
	phone    = 250
	tooLarge = 1.3
)

// narrow returns a panel as it is drawn for a phone: less wide and high, with letters and lines as large as they were.
// nil means that it is small enough, or has pictures in it, no axes or long words below them, and shrinks as a whole.
func (p *panel) narrow() *panel {
	if p.bounds.width() < tooLarge*phone {
		return nil
	}
	left, below, named, ok := p.corner()
	if !ok {
		return nil
	}
	room := left - p.bounds.min.x
	k := (phone - room) / (p.bounds.max.x - left)
	if named { // rows stay as far apart as their names need, which may take more than half of the width
		k = math.Max(k, .3)
	}
	if !(k >= .3 && k < 1) || room+k*(p.bounds.max.x-left) > 1.15*phone {
		return nil
	}
	up := k
	if named {
		up = 1
	}
	// Beyond the axes is the place of labels, which stays.
	to := func(q point) point {
		if q.x > left {
			q.x = left + k*(q.x-left)
		}
		if q.y < below {
			q.y = below + up*(q.y-below)
		}
		return q
	}
	n := &panel{ground: box{to(p.ground.min), to(p.ground.max)}}
	n.bounds = n.ground
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
					if _, number := parseLabel(s.text); !number {
						return nil // no word may be left out
					}
					continue // the tick stays
				}
				labels = append(labels, b)
			}
		default:
			path := make([]segment, len(s.path))
			for i, g := range s.path {
				g.to = to(g.to)
				path[i] = g
			}
			if centres, radius := dots(s.path); len(centres) > 0 { // which stay round
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

// corner returns where the axes are: the ends of their ticks, or the lines of those that have names in place of ticks, as
// below bars; named, where that is the axis on the left.
func (p *panel) corner() (left, below float64, named, ok bool) {
	left, below = math.Inf(-1), math.Inf(1)
	lineLeft, lineBelow := left, below
	for i := range p.shapes {
		s := &p.shapes[i]
		if s.stroke != "#707070" || len(s.path) != 2 {
			continue
		}
		switch b := lines(s.path); {
		case b.height() == 0 && b.width() > 3 && b.width() < 5:
			left = math.Max(left, b.max.x)
		case b.width() == 0 && b.height() > 3 && b.height() < 5:
			below = math.Min(below, b.min.y)
		case b.height() == 0 && b.width() > 100: // the lower axis, which begins on the right of the names
			lineLeft, lineBelow = b.min.x, b.min.y
		}
	}
	if math.IsInf(left, 0) && math.IsInf(below, 0) {
		return 0, 0, false, false
	}
	if math.IsInf(left, 0) {
		left, named = lineLeft, true
	}
	if math.IsInf(below, 0) {
		below = lineBelow
	}
	return left, below, named, !math.IsInf(left, 0) && !math.IsInf(below, 0)
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
