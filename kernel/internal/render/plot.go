package render

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"reflect"
	"runtime"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	plotdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"overcomplete/internal/fittedsvg"
	"overcomplete/internal/quickpng"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// The size at which a plot is shown, and the pixels per inch of its PNG: twice the 96 pixels of a CSS inch,
// so that the plot is sharp on high-density screens.
const (
	PlotWidth  = 6 * vg.Inch
	PlotHeight = 4 * vg.Inch
	cssDPI     = 96
	plotDPI    = 2 * cssDPI
)

const (
	maxPixels = 64 << 20 // maximum number of pixels of a picture
)

// plotData draws a plot at the default size.
func plotData(v any) (display.Data, bool) {
	p, ok := v.(*plot.Plot)
	if !ok {
		return display.Data{}, false
	}
	return Plot(p, PlotWidth, PlotHeight), true
}

// Plot draws p at the given size, as SVG and PNG. If the SVG is larger than maxSVG, the result contains only the PNG.
// Otherwise, if the kernel runs in a browser, the result contains only the SVG, because drawing the pixels there takes
// ten times as long. Plot panics if a plotter panics.
func Plot(p *plot.Plot, w, h vg.Length) display.Data {
	s := fittedsvg.New(w, h)
	s.Fit = true
	p.Draw(plotdraw.New(s))
	svg := s.String()
	d := display.Data{Data: map[string]any{}}
	if runtime.GOOS != "js" || len(svg) > maxSVG {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(plotDPI))
		p.Draw(plotdraw.New(c))
		d = pictureAt(c.Image(), plotDPI/cssDPI)
	}
	d.Data[display.MIMETypeSVG] = svg
	sharePicture(&d)
	title := p.Title.Text
	if title == "" {
		title = "without title"
	}
	d.Data[display.MIMETypeText] = "plot: " + cell(title)
	return d
}

// imageData shows a picture, or one of gonum's canvases that hold a picture. It returns false for other values.
func imageData(v any) (display.Data, bool) {
	switch x := v.(type) {
	case image.Rectangle: // it has the methods of a picture, but is a place in one
		return display.Data{}, false
	case image.Image:
		return picture(x), true
	case *vgsvg.Canvas:
		var buf bytes.Buffer
		if _, err := x.WriteTo(&buf); err != nil {
			return display.Text("cannot show the canvas: " + err.Error()), true
		}
		return display.SVG(buf.String()), true
	case interface{ Image() draw.Image }: // vgimg.Canvas and types that embed it
		return picture(x.Image()), true
	}
	return display.Data{}, false
}

// mostPictures is the maximum number of pictures from a list that are shown.
const mostPictures = 24

// spread returns vals with each short list of plots or images replaced by its elements, so that each picture has its
// own output.
func spread(vals []engine.Value) (all []engine.Value) {
	for _, v := range vals {
		list := reflect.ValueOf(v.Value)
		if (list.Kind() != reflect.Slice && list.Kind() != reflect.Array) || list.Len() == 0 || list.Len() > mostPictures {
			all = append(all, v)
			continue
		}
		var each []engine.Value
		for i := range list.Len() {
			e := list.Index(i)
			if !e.CanInterface() || isNil(e.Interface()) {
				break
			}
			switch e.Interface().(type) {
			case image.Rectangle:
			case *plot.Plot, image.Image:
				each = append(each, engine.Value{Value: e.Interface()})
			}
		}
		if len(each) < list.Len() {
			each = []engine.Value{v}
		}
		all = append(all, each...)
	}
	return all
}

func picture(m image.Image) display.Data { return pictureAt(m, 1) }

// pictureAt shows m. density is the number of m's pixels per CSS pixel.
func pictureAt(m image.Image, density int) display.Data {
	size := m.Bounds().Size()
	text := fmt.Sprintf("%T, %d×%d", m, size.X, size.Y)
	if size.X <= 0 || size.Y <= 0 {
		return display.Text(text + " (no pixels)")
	}
	if size.X > maxPixels/size.Y {
		return display.Text(text + " (too large to show)")
	}
	var buf bytes.Buffer
	if err := quickpng.Encode(&buf, m); err != nil {
		return display.Text(text + ": " + err.Error())
	}
	return display.Data{
		Data: map[string]any{display.MIMETypePNG: buf.Bytes(), display.MIMETypeText: text},
		Metadata: map[string]any{display.MIMETypePNG: map[string]any{
			"width": max(1, size.X/density), "height": max(1, size.Y/density),
		}},
	}
}
