// Package svgpath reads and writes the path data of SVG documents. It keeps the data short: coordinates have few
// decimals, lines use absolute or relative coordinates, whichever are shorter, and points that nobody would see can be
// left out. A figure's data are in its metadata, so its picture needs no more digits than the eye can see.
package svgpath

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Point is a position in the units of a document; y points down.
type Point struct{ X, Y float64 }

// A Segment is a part of an outline: M moves, L draws a line, A draws an arc of a circle, Q and C draw Bézier
// curves with one and two control points, Z closes the outline.
type Segment struct {
	Op           byte
	To           Point
	Radius       float64
	Large, Sweep bool
	Control      [2]Point
}

// A Path is an outline. It begins with a segment M.
type Path []Segment

// These are the numbers of decimals of coordinates. (A thousandth of an inch is 0.07 points.) Dots and the points of
// long lines have fewer: the eye follows their course, and rounding moves them by no more than the constant unseen.
const (
	decimals       = 2
	coarseDecimals = 1
)

// longLine is the number of segments at which a line counts as long; its points then have coarseDecimals.
const longLine = 50

// Parse parses path data with the commands M, L, H, V, A and Z, absolute and relative. It returns an error for other
// commands, such as Bézier curves, and for arcs with two different radii.
func Parse(data string) (Path, error) {
	var path Path
	wrong := func() (Path, error) { return nil, fmt.Errorf("svgpath: the path %.40q", data) }
	var at, start Point
	var op byte
	fresh := false // op was written, not implied
	for rest := skipSeparators(data); rest != ""; rest = skipSeparators(rest) {
		if c := rest[0]; strings.IndexByte("MmLlHhVvAaZz", c) >= 0 {
			op, rest, fresh = c, rest[1:], true
		}
		count := map[byte]int{'m': 2, 'l': 2, 'h': 1, 'v': 1, 'a': 7}[op|0x20]
		if !fresh && count == 0 {
			return wrong() // numbers without a command, or after Z
		}
		var v [7]float64
		for i := range count {
			var err error
			if v[i], rest, err = number(rest); err != nil {
				return wrong()
			}
		}
		base := at
		if op < 'a' {
			base = Point{}
		}
		g := Segment{Op: op &^ 0x20}
		switch g.Op {
		case 'M', 'L':
			g.To = Point{base.X + v[0], base.Y + v[1]}
		case 'H':
			g.Op, g.To = 'L', Point{base.X + v[0], at.Y}
		case 'V':
			g.Op, g.To = 'L', Point{at.X, base.Y + v[0]}
		case 'A':
			if v[0] != v[1] {
				return wrong()
			}
			g.To, g.Radius, g.Large, g.Sweep = Point{base.X + v[5], base.Y + v[6]}, v[0], v[3] == 1, v[4] == 1
		case 'Z':
			g.To = Point{}
			at = start
		}
		if len(path) == 0 && g.Op != 'M' {
			return wrong()
		}
		if g.Op != 'Z' {
			at = g.To
		}
		if g.Op == 'M' {
			start = at
			op-- // further numbers draw lines: L after M, l after m
		}
		path, fresh = append(path, g), false
	}
	if len(path) == 0 {
		return wrong()
	}
	return path, nil
}

func skipSeparators(s string) string { return strings.TrimLeft(s, " ,\n\t") }

// number parses the number at the start of s, and returns the number and the text that follows it.
func number(s string) (x float64, rest string, err error) {
	s = skipSeparators(s)
	end, dot, digits := 0, false, false
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.' && !dot:
			dot = true
		case (c == '-' || c == '+') && (end == 0 || s[end-1]|0x20 == 'e'):
		case c|0x20 == 'e' && digits:
			dot = true
		default:
			goto done
		}
	}
done:
	if x, err = strconv.ParseFloat(s[:end], 64); err == nil && math.IsInf(x, 0) {
		err = strconv.ErrRange
	}
	return x, s[end:], err
}

// Short formats a number with at most two decimals and without a zero before the decimal point: 0.5 becomes .5.
func Short(x float64) string { return short(x, decimals) }

func short(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	switch {
	case s == "-0":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	}
	return s
}

// A writer writes path data. It computes the current point from the rounded numbers that it has written, as a program
// that reads the data would, so rounding errors do not add up.
type writer struct {
	b        strings.Builder
	decimals int
	x, y     float64
	start    [2]float64
	implied  byte // the command that applies to numbers without a letter
}

func (w *writer) round(v float64) float64 {
	p := math.Pow10(w.decimals)
	return math.Round(v*p) / p
}

// command returns a command with its numbers, as short as possible: without the letter if it is implied, and without
// separators that are not needed.
func (w *writer) command(op byte, numbers ...float64) string {
	var b strings.Builder
	last := "" // the number before
	if op != w.implied {
		b.WriteByte(op)
	} else {
		last = "0" // a digit may be before it
	}
	for _, v := range numbers {
		s := short(v, w.decimals)
		if last != "" && s[0] != '-' && (s[0] != '.' || !strings.Contains(last, ".")) {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		last = s
	}
	return b.String()
}

// either writes one of two equivalent commands, whichever is shorter. The arguments a and av are the letter and the
// numbers of the first command; b and bv are those of the second.
func (w *writer) either(a byte, av []float64, b byte, bv []float64) {
	s, t := w.command(a, av...), w.command(b, bv...)
	op := a
	if len(t) < len(s) {
		s, op = t, b
	}
	w.b.WriteString(s)
	w.implied = op
}

func (w *writer) move(to Point) {
	x, y := w.round(to.X), w.round(to.Y)
	if w.b.Len() == 0 {
		w.b.WriteString(w.command('M', x, y))
		w.implied = 'L'
	} else {
		w.either('m', []float64{x - w.x, y - w.y}, 'M', []float64{x, y})
		w.implied-- // L after M, l after m
	}
	w.x, w.y = x, y
	w.start = [2]float64{x, y}
}

func (w *writer) line(to Point) {
	x, y := w.round(to.X), w.round(to.Y)
	switch {
	case y == w.y:
		w.either('h', []float64{x - w.x}, 'H', []float64{x})
	case x == w.x:
		w.either('v', []float64{y - w.y}, 'V', []float64{y})
	default:
		w.either('l', []float64{x - w.x, y - w.y}, 'L', []float64{x, y})
	}
	w.x, w.y = x, y
}

// decimals returns the number of decimals of the path's coordinates.
func (p Path) decimals() int {
	if len(p) >= longLine && !slices.ContainsFunc(p, func(g Segment) bool { return g.Op != 'M' && g.Op != 'L' }) {
		return coarseDecimals
	}
	return decimals
}

// String returns the path data.
func (p Path) String() string {
	w := writer{decimals: p.decimals()}
	bit := map[bool]float64{true: 1}
	for _, g := range p {
		x, y := w.round(g.To.X), w.round(g.To.Y)
		switch g.Op {
		case 'M':
			w.move(g.To)
			continue
		case 'L':
			w.line(g.To)
			continue
		case 'Z':
			w.b.WriteByte('z')
			w.x, w.y, w.implied = w.start[0], w.start[1], 'z'
			continue
		case 'A':
			w.b.WriteString(w.command('a', g.Radius, g.Radius, 0, bit[g.Large], bit[g.Sweep], x-w.x, y-w.y))
			w.implied = 'a'
		case 'Q':
			w.b.WriteString(w.command('q', g.Control[0].X-w.x, g.Control[0].Y-w.y, x-w.x, y-w.y))
			w.implied = 'q'
		case 'C':
			w.b.WriteString(w.command('c', g.Control[0].X-w.x, g.Control[0].Y-w.y, g.Control[1].X-w.x, g.Control[1].Y-w.y, x-w.x, y-w.y))
			w.implied = 'c'
		}
		w.x, w.y = x, y
	}
	return w.b.String()
}

// strip is the width of the strips into which Dots divides the plane. Dots finishes one strip before it begins the
// next.
const strip = 8

// Dots returns path data with a line of length zero at each center. If the path is drawn with round line ends, each of
// these lines appears as a dot. Dots reorders the centers so that each is near the one before. The steps between the
// centers are then small, and take few digits.
func Dots(centers []Point) string {
	order := slices.Clone(centers)
	key := func(p Point) (float64, float64) {
		k := math.Floor(p.X / strip)
		if math.Mod(k, 2) != 0 {
			return k, -p.Y
		}
		return k, p.Y
	}
	slices.SortStableFunc(order, func(p, q Point) int {
		a, b := key(p)
		c, d := key(q)
		return cmp.Or(cmp.Compare(a, c), cmp.Compare(b, d), cmp.Compare(p.X, q.X))
	})
	w := writer{decimals: coarseDecimals}
	for _, p := range order {
		w.move(p)
		w.b.WriteString("h0")
		w.implied = 'h'
	}
	return w.b.String()
}

// Centers returns the centers of the dots of a path that Dots has written. It returns nil for any other path.
func (p Path) Centers() []Point {
	var list []Point
	for i := 0; i+1 < len(p); i += 2 {
		if p[i].Op != 'M' || p[i+1].Op != 'L' || p[i].To != p[i+1].To {
			return nil
		}
		list = append(list, p[i].To)
	}
	if 2*len(list) != len(p) {
		return nil
	}
	return list
}

// unseen is the largest deviation of a thinned line, in points: less than a fifteenth of a pixel on a page.
const unseen = .05

// Thinned returns a copy of p with fewer points where p is a chain of straight lines (Douglas and Peucker, 1973). No
// omitted point is farther from the new lines than a tiny distance (the constant unseen), so nobody sees the
// difference.
func (p Path) Thinned() Path {
	out := make(Path, 0, len(p))
	for i := 0; i < len(p); {
		j := i + 1
		for j < len(p) && p[j].Op == 'L' {
			j++
		}
		if p[i].Op == 'Z' || j-i < 3 {
			out = append(out, p[i])
			i++
			continue
		}
		// keep marks the points of p[i:j] that are kept.
		keep := make([]bool, j-i)
		keep[0], keep[j-i-1] = true, true
		open := [][2]int{{i, j - 1}}
		for len(open) > 0 {
			a, b := open[len(open)-1][0], open[len(open)-1][1]
			open = open[:len(open)-1]
			far, at := unseen, 0
			for k := a + 1; k < b; k++ {
				if d := distance(p[k].To, p[a].To, p[b].To); d > far {
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
				out = append(out, p[k])
			}
		}
		i = j
	}
	return out
}

// distance returns the distance of p from the line segment between a and b.
func distance(p, a, b Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := 0.
	if l := dx*dx + dy*dy; l > 0 {
		t = math.Max(0, math.Min(1, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/l))
	}
	return math.Hypot(p.X-a.X-t*dx, p.Y-a.Y-t*dy)
}
