package drawing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/figuremeta"
)

// phone is the width of a picture on a phone, in points. A picture that is wider than this by the factor
// tooLarge is also drawn for a phone.
const (
	phone    = 250
	tooLarge = 1.3
)

// narrow returns a smaller version of the panel for a phone, with text and lines at their original size. It returns
// nil if the panel is small enough, or if no suitable width is possible. It also returns nil for a panel that can only
// be scaled as a whole. Such a panel contains pictures, has no axes, or has words below its axis that would overlap.
// Numbers that would overlap are left out.
func (p *panel) narrow() *panel {
	if p.bounds.width() < tooLarge*phone {
		return nil
	}
	if p.X.Scale == figuremeta.None || p.Y.Scale == figuremeta.None {
		return nil
	}
	left, below, named := p.Area[0], p.Area[3], p.Y.Scale == figuremeta.Names
	room := left - p.bounds.min.X
	k := (phone - room) / (p.bounds.max.X - left)
	if named { // named rows keep their distance, and their names may take more than half of the width
		k = math.Max(k, .3)
	}
	if !(k >= .3 && k < 1) || room+k*(p.bounds.max.X-left) > 1.15*phone {
		return nil
	}
	up := k
	if named {
		up = 1
	}
	// Labels outside of the axes keep their distance from the axes.
	to := func(q point) point {
		if q.X > left {
			q.X = left + k*(q.X-left)
		}
		if q.Y < below {
			q.Y = below + up*(q.Y-below)
		}
		return q
	}
	ground := asBox(p.Box)
	n := &panel{bounds: box{to(ground.min), to(ground.max)}}
	var labels []box  // below the axis
	var last struct { // the text before this one, as the beginning of a label such as 10⁻⁴
		known, omitted bool
		old            box
		by             point
	}
	for _, s := range p.shapes {
		switch {
		case s.image != "":
			return nil
		case s.text != "":
			old := s.bounds()
			from, at := old.middle(), to(old.middle())
			by := point{X: at.X - from.X, Y: at.Y - from.Y}
			continues := last.known && !s.turned && math.Abs(old.min.X-last.old.max.X) < 1 && old.min.Y < last.old.max.Y && last.old.min.Y < old.max.Y
			if continues {
				by = last.by
			} else {
				last.omitted = false
			}
			last.known, last.old, last.by = !s.turned, old, by
			s.at = point{X: s.at.X + by.X, Y: s.at.Y + by.Y}
			if b := s.bounds(); from.Y > below && !s.turned {
				switch {
				case continues && last.omitted:
					continue
				case continues && len(labels) > 0:
					labels[len(labels)-1] = labels[len(labels)-1].union(b)
				case overlaps(b, labels):
					if !number(s.text) {
						return nil // no word may be omitted
					}
					last.omitted = true
					continue // keep the tick of an omitted label
				default:
					labels = append(labels, b)
				}
			}
		default:
			last.known = false
			path := slices.Clone(s.path)
			for i := range path {
				path[i].To = to(path[i].To)
			}
			dots := slices.Clone(s.dots) // which stay round
			for i := range dots {
				dots[i] = to(dots[i])
			}
			s.path, s.dots = path, dots
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
				q := to(point{X: float64(s.At[j]) / 10, Y: float64(s.At[j+1]) / 10})
				at[j], at[j+1] = int(math.Round(10*q.X)), int(math.Round(10*q.Y))
			}
			v.Series[i].At = at
		}
		n.values = &v
	}
	return n
}

func overlaps(b box, others []box) bool {
	for _, o := range others {
		if b.min.X < o.max.X+2 && o.min.X < b.max.X+2 && b.min.Y < o.max.Y && o.min.Y < b.max.Y {
			return true
		}
	}
	return false
}

// number reports whether a label is a number, such as 0.01 or −3, or the beginning of one: the 10 of 10⁻⁵ or the 2×10
// of 2×10⁻⁵.
func number(label string) bool {
	_, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(label, "×10"), "−", "-"), 64)
	return err == nil
}
