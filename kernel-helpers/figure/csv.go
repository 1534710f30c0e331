package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// digits is the precision of a CSV file. The field called numbers is the number of significant digits. The field called
// levels limits the rounding of a picture's pixels: the rounding step is at most the largest absolute value divided by
// levels. If this field is 0, pixels have as many digits as other numbers.
type digits struct{ numbers, levels int }

// The variable fine is the usual precision of a CSV file. If the file would then have more than large bytes, the
// variable coarse is used instead. Either precision is enough for a picture, which has 256 levels per color.
var (
	fine   = digits{6, 0}
	coarse = digits{4, 256}
)

const large = 64 << 10

// columnOrder is the order of this package's columns; other columns follow. A CSV file has only the columns
// that its layers need.
var columnOrder = []string{"tile", "label", "row", "column", "x", "y", "lo", "hi", "count", "value"}

// CSV returns the figure's data as comma-separated values, with one point, bar, bin or picture row per line. The data
// are the values given when the layers were added, including values outside the Range and values that a logarithmic
// axis cannot show.
//
// The first three columns are
//
//	panel   the panel of a grid: its title, or its number in reading order if it
//	        has none; 1 for a figure that is not in a grid
//	series  the layer: its name, or its number
//	kind    the kind of layer, which determines the other columns it uses
//
// and the kinds are
//
//	points      x, y
//	line        x, y; also for marked, dashed and drawn functions
//	errorbars   x, y, and the bar from lo to hi
//	band        x, lo, hi; the series is that of the next layer
//	box         label, x (the box's position), y: the values; also for violins
//	text        x, y, label
//	histogram   the bin from lo to hi, count, and the density y, which is drawn
//	bar         label, x (the bar's position), value
//	hline       y
//	vline       x
//	arrow       column (of the basis), and x and y of the column before scaling; an
//	            arrow between two points has the columns x, y, x to and y to
//	heatmap     row, value: the values of the row, separated by blanks
//	tiles       tile, row, value: the values of the row; label, if there are labels
//	image       row, and the row's pixels as value, or as red, green and blue (0 to
//	            255, with alpha if the picture is not opaque everywhere); a block of
//	            equal pixels, as in an enlarged picture, counts as one pixel
//
// Columns, tiles and rows of pixels are numbered from 0. A number has up to 6 significant digits; an integer has all of
// its digits. In a file that would otherwise be larger than 64 KiB, numbers have 4 digits, and the values of pixels
// are rounded to multiples of a step. The step is 1, 2 or 5 times a power of ten, and at most 1/256 of the largest
// absolute value in the picture or tile. A value that is not finite is an empty cell, or NaN in the row of a picture.
// The text is UTF-8.
//
// The file includes the data of a plotter passed to Add if it is one of gonum's plotters, or implements gonum's XYer
// or Valuer, or this package's interface Tabler. Any other plotter has one line of kind "unread", with the plotter's
// type as label. CSV does not include plotters that were added with f.Plot.Add.
func (f *Figure) CSV() []byte { return writeCSV([]panel{{"1", f.whole()}}) }

// CSV returns the data of all panels in the format of Figure.CSV. If several panels have the same title, a number is
// appended to the title of each but the first.
func (g *Grid) CSV() []byte {
	var panels []panel
	names := nameSet{}
	g.eachPanel(func(f *Figure) { panels = append(panels, panel{names.unique(f.Title.Text, len(panels)+1), f}) })
	return writeCSV(panels)
}

type panel struct {
	name string
	*Figure
}

// nameSet is a set of names in use.
type nameSet map[string]bool

// unique returns the name, or the number if the name is empty. It appends a suffix if the result is already in
// use.
func (d nameSet) unique(name string, number int) string {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		name = strconv.Itoa(number)
	}
	unique := name
	for k := 2; d[unique]; k++ {
		unique = fmt.Sprintf("%s (%d)", name, k)
	}
	d[unique] = true
	return unique
}

// A layer is the part of a CSV file that describes one layer of a figure.
type layer struct {
	panel, series, kind string
	columns             []Column
}

func writeCSV(panels []panel) []byte {
	var layers []layer
	header := slices.Clone(columnOrder)
	used := map[string]bool{}
	for _, p := range panels {
		names := nameSet{}
		for i, r := range p.allRecords() {
			l := layer{panel: p.name, kind: r.kind}
			if r.plotter != nil {
				l.kind, l.columns = plotterTable(r.plotter, p.Plot)
			} else {
				l.columns = r.table()
			}
			l.check()
			for _, c := range l.columns {
				if c.Name == "column" && l.isPicture() {
					continue
				}
				if !slices.Contains(header, c.Name) {
					header = append(header, c.Name)
				}
				used[c.Name] = true
			}
			if r.kind != "band" {
				l.series = names.unique(r.name, i+1)
				for j := len(layers) - 1; j >= 0 && layers[j].kind == "band" && layers[j].series == ""; j-- {
					layers[j].series = l.series
				}
			}
			layers = append(layers, l)
		}
		// A band without a layer after it gets its own number.
		for j := range layers {
			if layers[j].series == "" {
				layers[j].series = names.unique("", len(p.records))
			}
		}
	}
	header = slices.DeleteFunc(header, func(name string) bool { return !used[name] })
	if b := encode(header, layers, fine, large); len(b) <= large {
		return b
	}
	return encode(header, layers, coarse, math.MaxInt)
}

// check panics unless the column names are distinct and the columns have the same length.
func (l *layer) check() {
	seen := map[string]bool{"": true, "panel": true, "series": true, "kind": true}
	for _, c := range l.columns {
		if seen[c.Name] {
			panic(fmt.Sprintf("figure: CSV: a %s has two columns %q, or one without a name of its own", l.kind, c.Name))
		}
		seen[c.Name] = true
		if c.length() != l.columns[0].length() {
			panic(fmt.Sprintf("figure: CSV: column %q of a %s has %d values, column %q %d",
				c.Name, l.kind, c.length(), l.columns[0].Name, l.columns[0].length()))
		}
	}
}

// isPicture reports whether the layer consists of pixels, which have no coordinates except row and column.
func (l *layer) isPicture() bool {
	has := func(name string) bool {
		return slices.ContainsFunc(l.columns, func(c Column) bool { return c.Name == name && len(c.Numbers) > 0 })
	}
	return has("row") && has("column") && !has("x")
}

// linesByRow returns the columns of a CSV file for a layer that is a picture. The file has one line for each row of
// pixels, and its column "value" lists the values of the row's pixels. (With one line per pixel, the positions would
// take five to ten times as much space as the values.)
func (l *layer) linesByRow(digits digits) []Column {
	var lines []int // index of the first entry of each row
	same := func(i, j int) bool {
		for _, c := range l.columns {
			switch {
			case len(c.Text) > 0 && c.Text[i] != c.Text[j]:
				return false
			case (c.Name == "row" || c.Name == "tile") && c.Numbers[i] != c.Numbers[j]:
				return false
			}
		}
		return true
	}
	n := l.columns[0].length()
	for i := range n {
		if i == 0 || !same(i-1, i) {
			lines = append(lines, i)
		}
	}
	var out []Column
	for _, c := range l.columns {
		if c.Name == "column" {
			continue
		}
		line := Column{Name: c.Name}
		step := l.steps(&c, digits.levels)
		for k, from := range lines {
			to := n
			if k+1 < len(lines) {
				to = lines[k+1]
			}
			switch {
			case len(c.Text) > 0:
				line.Text = append(line.Text, c.Text[from])
			case c.Name == "row" || c.Name == "tile":
				line.Numbers = append(line.Numbers, c.Numbers[from])
			default:
				var b []byte
				for i := from; i < to; i++ {
					if i > from {
						b = append(b, ' ')
					}
					if v := c.Numbers[i]; math.IsNaN(v) || math.IsInf(v, 0) {
						b = append(b, "NaN"...) // an empty value would shift the later values
					} else {
						if s := step[l.tile(i)]; s > 0 {
							v = math.Round(v/s) * s
						}
						b = appendNumber(b, v, digits.numbers)
					}
				}
				line.Text = append(line.Text, string(b))
			}
		}
		out = append(out, line)
	}
	return out
}

// tile returns the number of the tile to which entry i of the layer's columns belongs, or 0 for a picture without
// tiles.
func (l *layer) tile(i int) float64 {
	for _, c := range l.columns {
		if c.Name == "tile" {
			return c.Numbers[i]
		}
	}
	return 0
}

// steps returns the rounding step of each tile for the values of column c. The step is 1, 2 or 5 times a power of ten:
// the largest such number that is at most the tile's largest absolute value divided by levels. If levels is 0, the
// result is empty.
func (l *layer) steps(c *Column, levels int) map[float64]float64 {
	step := map[float64]float64{}
	if levels == 0 {
		return step
	}
	for i, v := range c.Numbers {
		if v = math.Abs(v); v <= math.MaxFloat64 {
			step[l.tile(i)] = max(step[l.tile(i)], v)
		}
	}
	for k, v := range step {
		if v > 0 {
			v /= float64(levels)
			power := math.Pow(10, math.Floor(math.Log10(v)))
			step[k] = power
			for _, s := range []float64{2, 5} {
				if s*power <= v {
					step[k] = s * power
				}
			}
		}
	}
	return step
}

func (c Column) length() int { return max(len(c.Numbers), len(c.Text)) }

// encode returns the CSV file. most is a limit in bytes: once the file is longer, encode may stop early.
func encode(header []string, layers []layer, digits digits, most int) []byte {
	b := []byte("panel,series,kind")
	for _, name := range header {
		b = appendText(append(b, ','), name)
	}
	b = append(b, '\n')
	at := make([]*Column, len(header))
	for _, l := range layers {
		if l.isPicture() {
			l.columns = l.linesByRow(digits)
		}
		clear(at)
		rows := 0
		for i := range l.columns {
			at[slices.Index(header, l.columns[i].Name)] = &l.columns[i]
			rows = l.columns[i].length()
		}
		start := appendText(nil, l.panel)
		start = appendText(append(start, ','), l.series)
		start = appendText(append(start, ','), l.kind)
		for i := range rows {
			if len(b) > most {
				return b
			}
			b = append(b, start...)
			for _, c := range at {
				b = append(b, ',')
				switch {
				case c == nil:
				case len(c.Numbers) > 0:
					b = appendNumber(b, c.Numbers[i], digits.numbers)
				default:
					b = appendText(b, c.Text[i])
				}
			}
			b = append(b, '\n')
		}
	}
	return b
}

func appendNumber(b []byte, v float64, digits int) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return b
	case v == math.Trunc(v) && math.Abs(v) < 1e9: // counts and steps; avoids −0
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', digits, 64)
}

// appendText appends s, quoted if the format requires it.
func appendText(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return append(b, s...)
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
