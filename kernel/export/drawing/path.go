package drawing

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A segment is a part of an outline: M moves, L draws a line, A draws an arc of a circle, Z closes the outline.
type segment struct {
	op           byte
	to           point
	radius       float64
	large, sweep bool
}

// parsePath parses path data with a y axis that points up from the lower edge of a picture of the given height.
func parsePath(data string, height float64) ([]segment, error) {
	var path []segment
	wrong := func() ([]segment, error) { return nil, unknown("the path %.40q", data) }
	for rest := data; rest != ""; {
		g := segment{op: rest[0]}
		end := strings.IndexAny(rest[1:], "MLAZ") + 1
		if end == 0 {
			end = len(rest)
		}
		var v []float64
		for _, f := range strings.FieldsFunc(rest[1:end], func(r rune) bool { return r == ',' || r == ' ' }) {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil || math.IsNaN(x-x) {
				return wrong()
			}
			v = append(v, x)
		}
		rest = rest[end:]
		switch {
		case g.op == 'Z' && len(v) == 0:
		case (g.op == 'M' || g.op == 'L') && len(v) == 2:
			g.to = point{v[0], height - v[1]}
		case g.op == 'A' && len(v) == 7 && v[0] == v[1]:
			g.to, g.radius = point{v[5], height - v[6]}, v[0]
			g.large, g.sweep = v[3] == 1, v[4] == 0 // sweep is reversed because the axis is flipped
		default:
			return wrong()
		}
		path = append(path, g)
	}
	if len(path) == 0 || path[0].op != 'M' {
		return wrong()
	}
	return path, nil
}

// dots returns the centers and the common radius of the circles in a path. It returns no centers if the path
// contains anything but equal circles.
func dots(path []segment) (centres []point, radius float64) {
	if len(path) == 0 || len(path)%4 != 0 {
		return nil, 0
	}
	for i := 0; i < len(path); i += 4 {
		m, a, b, z := path[i], path[i+1], path[i+2], path[i+3]
		if m.op != 'M' || a.op != 'A' || b.op != 'A' || z.op != 'Z' || a.radius != path[1].radius || b.radius != a.radius {
			return nil, 0
		}
		// The first arc ends at the opposite point, and the second returns to the start.
		if math.Abs(math.Hypot(a.to.x-m.to.x, a.to.y-m.to.y)-2*a.radius) > .03 || math.Hypot(b.to.x-m.to.x, b.to.y-m.to.y) > .03 {
			return nil, 0
		}
		centres = append(centres, point{(m.to.x + a.to.x) / 2, (m.to.y + a.to.y) / 2})
	}
	return centres, path[1].radius
}

// short formats a number with at most two decimals.
func short(x float64) string {
	s := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
	switch {
	case s == "-0" || s == "":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	}
	return s
}

// unseen is the largest deviation of a simplified line, in points of the picture: less than a fifteenth of a
// pixel on the page.
const unseen = .05

// thinned returns a path without the points that do not visibly change its straight lines (Douglas and Peucker,
// 1973).
func thinned(path []segment) []segment {
	out := make([]segment, 0, len(path))
	for i := 0; i < len(path); {
		j := i + 1
		for j < len(path) && path[j].op == 'L' {
			j++
		}
		if path[i].op == 'Z' || path[i].op == 'A' || j-i < 3 {
			out = append(out, path[i])
			i++
			continue
		}
		// keep marks the points of path[i:j] that are kept.
		keep := make([]bool, j-i)
		keep[0], keep[j-i-1] = true, true
		open := [][2]int{{i, j - 1}}
		for len(open) > 0 {
			a, b := open[len(open)-1][0], open[len(open)-1][1]
			open = open[:len(open)-1]
			far, at := unseen, 0
			for k := a + 1; k < b; k++ {
				if d := distance(path[k].to, path[a].to, path[b].to); d > far {
					far, at = d, k
				}
			}
			if at > 0 {
				keep[at-i] = true
				open = append(open, [2]int{a, at}, [2]int{at, b})
			}
		}
		for k := i; k < j; k++ {
			if keep[k-i] {
				out = append(out, path[k])
			}
		}
		i = j
	}
	return out
}

// distance returns the distance of p from the line through a and b.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.
	if l := dx*dx + dy*dy; l > 0 {
		t = math.Max(0, math.Min(1, ((p.x-a.x)*dx+(p.y-a.y)*dy)/l))
	}
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy)
}

// data returns an outline as path data.
func data(path []segment) string {
	var b strings.Builder
	pair := func(p point) {
		x, y := short(p.x), short(p.y)
		b.WriteString(x)
		if !strings.HasPrefix(y, "-") {
			b.WriteByte(' ')
		}
		b.WriteString(y)
	}
	bit := map[bool]int{true: 1}
	for _, g := range path {
		b.WriteByte(g.op)
		switch g.op {
		case 'A':
			fmt.Fprintf(&b, "%s %[1]s 0 %d %d ", short(g.radius), bit[g.large], bit[g.sweep])
			pair(g.to)
		case 'M', 'L':
			pair(g.to)
		}
	}
	return b.String()
}
