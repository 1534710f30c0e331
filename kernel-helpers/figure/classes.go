package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Classes returns a scatter plot of points in the plane, colored by labels. The name of each class, names[label], is
// drawn at the median of its points, or beside it where names would overlap. Without names, each class is named by its
// label. Points with a negative label are gray and have no name. If labels is nil, all points look alike. Both axes
// have the same scale and no ticks. If there are too many names to read, call LegendAt, which replaces them with a
// legend.
func Classes(title string, x, y []float64, labels []int, names []string) *Figure {
	check("Classes", "x y", x, y)
	n := len(x)
	if labels != nil && len(labels) != n {
		panic(fmt.Sprintf("figure: Classes: %d labels for %d points", len(labels), n))
	}
	byLabel := map[int][]int{}
	if labels == nil {
		labels = make([]int, n)
	}
	for i, l := range labels {
		if l >= 0 && names != nil && l >= len(names) {
			panic(fmt.Sprintf("figure: Classes: label %d of point %d has no name: there are %d names", l, i, len(names)))
		}
		l = max(l, -1)
		byLabel[l] = append(byLabel[l], i)
	}
	order := make([]int, 0, len(byLabel))
	named := 0
	for l := range byLabel {
		order = append(order, l)
		if l >= 0 {
			named++
		}
	}
	slices.Sort(order)
	c := &classes{radius: vg.Points(math.Max(0.6, math.Min(2.4, 120/math.Sqrt(float64(n)))))}
	f := New(title, "", "")
	for _, l := range order {
		k := class{color: color.NRGBA{0x99, 0x99, 0x99, 0xFF}}
		for _, i := range byLabel[l] {
			k.xs, k.ys = append(k.xs, x[i]), append(k.ys, y[i])
		}
		if l >= 0 {
			k.color = classColor(len(c.list)-len(order)+named, named)
			if len(names) > 0 {
				k.name = names[l]
			} else if named > 1 {
				k.name = fmt.Sprint(l)
			}
		}
		c.list = append(c.list, k)
		series := k.name
		if l < 0 {
			series = "without a class"
		}
		f.record("points", series, xy(k.xs, k.ys))
	}
	f.Equal, f.Width, f.Height = true, 6, 6
	f.add(c)
	for _, a := range []*plot.Axis{&f.X, &f.Y} {
		a.Tick.Marker = plot.ConstantTicks{}
		a.LineStyle.Width = 0
	}
	return f
}

// tens holds ten colors: the palette without gray, and three more colors. Gray marks points without a class.
var tens = []color.Color{
	Palette[Blue], Palette[Vermilion], Palette[Green],
	Palette[Purple], Palette[Orange], Palette[Sky],
	Palette[Black],
	color.NRGBA{0x7F, 0x3F, 0x14, 0xFF}, color.NRGBA{0x9A, 0x9A, 0x00, 0xFF}, color.NRGBA{0x5E, 0x3C, 0xA8, 0xFF},
}

// classColor returns the color of class i of n. If n is at most 10, the color is tens[i]. Otherwise the classes have
// evenly spaced hues, alternately in a lighter and a darker shade.
func classColor(i, n int) color.NRGBA {
	if n <= len(tens) {
		return color.NRGBAModel.Convert(tens[i]).(color.NRGBA)
	}
	hue, light := 6*float64(i)/float64(n), 0.6
	if i%2 == 1 {
		light = 0.36
	}
	chroma := 0.75 * (1 - math.Abs(2*light-1))
	channel := func(shift float64) uint8 { // trapezoid function of the hue angle
		h := math.Mod(hue+shift, 6)
		t := math.Min(1, math.Max(0, math.Abs(h-3)-1))
		return uint8(255*(light+chroma*(t-0.5)) + 0.5)
	}
	return color.NRGBA{channel(0), channel(4), channel(2), 0xFF}
}

type class struct {
	xs, ys []float64
	color  color.NRGBA
	name   string
}

// classes is a plotter that draws points of several colors, with the classes' names on top.
type classes struct {
	list   []class
	radius vg.Length
}

// Plot implements plot.Plotter.
func (s *classes) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	// Each turn draws a part of every class, so that no class covers another completely.
	const turns = 8
	for turn := range turns {
		for _, k := range s.list {
			fill := k.color
			fill.A = 0xB0
			c.SetColor(fill)
			var path vg.Path
			for i := turn; i < len(k.xs); i += turns {
				pt := vg.Point{X: tx(k.xs[i]), Y: ty(k.ys[i])}
				path.Move(vg.Point{X: pt.X + s.radius, Y: pt.Y})
				path.Arc(pt, s.radius, 0, 2*math.Pi)
				path.Close()
			}
			if len(path) > 0 {
				c.Fill(path)
			}
		}
	}
	style := draw.TextStyle{
		Font:    font.From(p.Title.TextStyle.Font, vg.Points(15)),
		XAlign:  text.XCenter,
		YAlign:  text.YCenter,
		Handler: p.TextHandler,
	}
	var named []class
	var at []vg.Point
	var places []vg.Rectangle
	for _, k := range s.list {
		if k.name == "" {
			continue
		}
		named, at = append(named, k), append(at, vg.Point{X: tx(median(k.xs)), Y: ty(median(k.ys))})
		places = append(places, style.Rectangle(k.name).Add(at[len(at)-1]))
	}
	was := slices.Clone(places)
	separate(places)
	for i, k := range named {
		haloText(c, style, at[i].Add(places[i].Min.Sub(was[i].Min)), k.name, color.NRGBA{k.color.R / 2, k.color.G / 2, k.color.B / 2, 0xFF}, 1.6)
	}
}

// separate pushes overlapping rectangles apart, each pair along the axis on which they overlap less. If there are many
// in one place, some may still overlap.
func separate(places []vg.Rectangle) {
	const rounds = 100 // many names in one place may still overlap
	for range rounds {
		moved := false
		for i := range places {
			for j := range i {
				a, b := &places[j], &places[i]
				x, y := min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X), min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)
				if x <= 0 || y <= 0 {
					continue
				}
				moved = true
				by := vg.Point{X: x / 2}
				if a.Min.X > b.Min.X {
					by.X = -by.X
				}
				if y < x {
					by = vg.Point{Y: y / 2}
					if a.Min.Y > b.Min.Y {
						by.Y = -by.Y
					}
				}
				*a, *b = a.Add(vg.Point{X: -by.X, Y: -by.Y}), b.Add(by)
			}
		}
		if !moved {
			return
		}
	}
}

// DataRange implements plot.DataRanger.
func (s *classes) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for _, k := range s.list {
		xmin, xmax = math.Min(xmin, slices.Min(k.xs)), math.Max(xmax, slices.Max(k.xs))
		ymin, ymax = math.Min(ymin, slices.Min(k.ys)), math.Max(ymax, slices.Max(k.ys))
	}
	return
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
