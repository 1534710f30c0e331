package main

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// parabola is a plotter.XYer whose methods are interpreted.
type parabola int

func (p parabola) Len() int { return int(p) }
func (p parabola) XY(i int) (x, y float64) {
	x = float64(i)
	return x, x * x
}

// surface is a plotter.GridXYZ.
type surface struct{}

func (surface) Dims() (c, r int)   { return 4, 3 }
func (surface) Z(c, r int) float64 { return float64(c * r) }
func (surface) X(c int) float64    { return float64(c) }
func (surface) Y(r int) float64    { return float64(r) }

// cross is a plot.Plotter.
type cross struct{ drawn *int }

func (c cross) Plot(cv draw.Canvas, p *plot.Plot) {
	*c.drawn++
	cv.SetColor(color.RGBA{R: 255, A: 255})
	cv.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(1)}, cv.Min.X, cv.Min.Y, cv.Max.X, cv.Max.Y)
}

func Result() string {
	p := plot.New()
	p.Title.Text = "squares"
	line, points, err := plotter.NewLinePoints(parabola(5))
	if err != nil {
		return err.Error()
	}
	line.Color = plotutil.Color(1)
	points.Shape = draw.CircleGlyph{}
	drawn := 0
	pal, err := brewer.GetPalette(brewer.TypeSequential, "Blues", 5)
	if err != nil {
		return err.Error()
	}
	p.Add(line, points, cross{&drawn}, plotter.NewHeatMap(surface{}, pal), plotter.NewGrid())
	p.X.Tick.Marker = plot.TickerFunc(func(min, max float64) []plot.Tick {
		return []plot.Tick{{Value: 1, Label: "one"}, {Value: 2, Label: "two"}}
	})
	p.Legend.Add("squares", line, points)
	cm := moreland.SmoothBlueRed()
	cm.SetMax(1)
	w, err := p.WriterTo(4*vg.Inch, 3*vg.Inch, "png")
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return err.Error()
	}
	img, err := png.Decode(&b)
	if err != nil {
		return err.Error()
	}
	w, _ = p.WriterTo(4*vg.Inch, 3*vg.Inch, "svg")
	var s strings.Builder
	w.WriteTo(&s)
	return fmt.Sprint(img.Bounds(), drawn, p.X.Max, strings.Contains(s.String(), "squares"), len(line.XYs))
}

// want: (0,0)-(384,288) 2 4 true 5
