package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// isDecoration reports whether a plotter, such as a grid, draws no data.
func isDecoration(p plot.Plotter) bool {
	switch p.(type) {
	case *plotter.Grid, *plotter.GlyphBoxes, plotter.GlyphBoxes, *plotter.ColorBar:
		return true
	}
	return false
}

// plotterTable returns the data of a plotter from another package; p is the plot that draws the plotter.
func plotterTable(of plot.Plotter, p *plot.Plot) (kind string, columns []Column) {
	switch of := of.(type) {
	case Tabler:
		return of.Table()
	case *plotter.Line:
		return "line", points(of.XYs)
	case *plotter.Scatter:
		return "points", points(of.XYs)
	case *plotter.Labels:
		return "points", append(points(of.XYs), Column{Name: "label", Text: of.Labels})
	case *plotter.Polygon:
		return "polygon", rings(of.XYs)
	case *plotter.Function:
		return "line", sampleFunction(of, p)
	case *plotter.YErrorBars:
		lo, hi := make([]float64, len(of.XYs)), make([]float64, len(of.XYs))
		for i, e := range of.YErrors {
			lo[i], hi[i] = of.XYs[i].Y-math.Abs(e.Low), of.XYs[i].Y+math.Abs(e.High)
		}
		return "errorbars", append(points(of.XYs), Column{Name: "lo", Numbers: lo}, Column{Name: "hi", Numbers: hi})
	case *plotter.XErrorBars:
		lo, hi := make([]float64, len(of.XYs)), make([]float64, len(of.XYs))
		for i, e := range of.XErrors {
			lo[i], hi[i] = of.XYs[i].X-math.Abs(e.Low), of.XYs[i].X+math.Abs(e.High)
		}
		return "xerrorbars", append(points(of.XYs), Column{Name: "lo", Numbers: lo}, Column{Name: "hi", Numbers: hi})
	case *plotter.BarChart:
		x := upTo(len(of.Values))
		for i := range x {
			x[i] += of.XMin
		}
		return "bar", []Column{{Name: "x", Numbers: x}, {Name: "value", Numbers: of.Values}}
	case *plotter.Histogram: // the weights are counts or, after Normalize, shares
		var lo, hi, y []float64
		for _, b := range of.Bins {
			lo, hi, y = append(lo, b.Min), append(hi, b.Max), append(y, b.Weight)
		}
		return "histogram", []Column{{Name: "lo", Numbers: lo}, {Name: "hi", Numbers: hi}, {Name: "y", Numbers: y}}
	case *plotter.BoxPlot:
		return "box", located(of.Location, of.Values)
	case *plotter.QuartPlot:
		return "box", located(of.Location, of.Values)
	case *plotter.HeatMap:
		return "heatmap", gridColumns(of.GridXYZ)
	case *plotter.Contour:
		return "contour", gridColumns(of.GridXYZ)
	case *plotter.Field:
		return "field", fieldColumns(of.FieldXY)
	case *plotter.Image:
		return "image", imageColumns(pixels(of))
	case plotter.XYZer:
		cols := []Column{{Name: "x"}, {Name: "y"}, {Name: "value"}}
		for i := range of.Len() {
			x, y, z := of.XYZ(i)
			for k, v := range [...]float64{x, y, z} {
				cols[k].Numbers = append(cols[k].Numbers, v)
			}
		}
		return "points", cols
	case plotter.XYer:
		return "points", points(of)
	case plotter.Valuer:
		v := make([]float64, of.Len())
		for i := range v {
			v[i] = of.Value(i)
		}
		return "values", []Column{{Name: "x", Numbers: upTo(len(v))}, {Name: "value", Numbers: v}}
	}
	return "unread", []Column{{Name: "label", Text: []string{fmt.Sprintf("%T", of)}}}
}

func points(d plotter.XYer) []Column {
	x, y := make([]float64, d.Len()), make([]float64, d.Len())
	for i := range x {
		x[i], y[i] = d.XY(i)
	}
	return []Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}
}

func rings(list []plotter.XYs) []Column {
	var ring, x, y []float64
	for k, pts := range list {
		for _, pt := range pts {
			ring, x, y = append(ring, float64(k)), append(x, pt.X), append(y, pt.Y)
		}
	}
	return []Column{{Name: "ring", Numbers: ring}, {Name: "x", Numbers: x}, {Name: "y", Numbers: y}}
}

// sampleFunction returns the values of a function plotter at the points where gonum draws the function.
func sampleFunction(fn *plotter.Function, p *plot.Plot) []Column {
	lo, hi := fn.XMin, fn.XMax
	if lo == 0 && hi == 0 {
		lo, hi = p.X.Min, p.X.Max
	}
	n := max(2, fn.Samples)
	var x, y []float64
	for i := range n {
		at := lo + (hi-lo)*float64(i)/float64(n-1)
		x, y = append(x, at), append(y, fn.F(at))
	}
	return []Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}
}

func located(x float64, values []float64) []Column {
	at := make([]float64, len(values))
	for i := range at {
		at[i] = x
	}
	return []Column{{Name: "x", Numbers: at}, {Name: "value", Numbers: values}}
}

func gridColumns(g plotter.GridXYZ) []Column {
	cols := []Column{{Name: "row"}, {Name: "column"}, {Name: "x"}, {Name: "y"}, {Name: "value"}}
	c, r := g.Dims()
	for i := range r {
		for j := range c {
			for k, v := range [...]float64{float64(i), float64(j), g.X(j), g.Y(i), g.Z(j, i)} {
				cols[k].Numbers = append(cols[k].Numbers, v)
			}
		}
	}
	return cols
}

func fieldColumns(g plotter.FieldXY) []Column {
	cols := []Column{{Name: "row"}, {Name: "column"}, {Name: "x"}, {Name: "y"}, {Name: "dx"}, {Name: "dy"}}
	c, r := g.Dims()
	for i := range r {
		for j := range c {
			d := g.Vector(j, i)
			for k, v := range [...]float64{float64(i), float64(j), g.X(j), g.Y(i), d.X, d.Y} {
				cols[k].Numbers = append(cols[k].Numbers, v)
			}
		}
	}
	return cols
}

// pixels returns the image that a plotter.Image holds in a private field. To get the image, pixels draws it on linear
// axes, which do not distort it.
func pixels(of *plotter.Image) image.Image {
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = of.DataRange()
	var c recorder.Canvas
	of.Plot(draw.NewCanvas(&c, 100, 100), p)
	for _, a := range c.Actions {
		if d, ok := a.(*recorder.DrawImage); ok {
			return d.Image
		}
	}
	return image.NewGray(image.Rect(0, 0, 1, 1))
}

// imageColumns returns the table of a picture. If the picture consists of blocks of k×l equal pixels, the
// table has one pixel per block; k and l are as large as possible.
func imageColumns(img image.Image) []Column {
	b := img.Bounds()
	W, H := b.Dx(), b.Dy()
	at := make([]color.NRGBA, W*H)
	for y := range H {
		for x := range W {
			at[y*W+x] = color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
		}
	}
	k, l := max(W, 1), max(H, 1)
	gray, opaque := true, true
	for y := range H {
		for x := range W {
			c := at[y*W+x]
			gray, opaque = gray && c.R == c.G && c.G == c.B, opaque && c.A == 255
			if x > 0 && c != at[y*W+x-1] {
				k = gcd(k, x)
			}
			if y > 0 && c != at[(y-1)*W+x] {
				l = gcd(l, y)
			}
		}
	}
	names := []string{"row", "column", "red", "green", "blue"}
	if gray {
		names = []string{"row", "column", "value"}
	}
	channels := len(names)
	if !opaque {
		names = append(names, "alpha")
	}
	cols := make([]Column, len(names))
	for i := range cols {
		cols[i] = Column{Name: names[i], Numbers: make([]float64, 0, W/k*(H/l))}
	}
	for y := range H / l {
		for x := range W / k {
			c := at[y*l*W+x*k]
			v := [...]float64{float64(y), float64(x), float64(c.R), float64(c.G), float64(c.B)}
			for i := range channels {
				cols[i].Numbers = append(cols[i].Numbers, v[i])
			}
			if !opaque {
				cols[channels].Numbers = append(cols[channels].Numbers, float64(c.A))
			}
		}
	}
	return cols
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
