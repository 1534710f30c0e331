// Package visionplot draws filters, and the steps from an image to its features.
//
//	visionplot.Filters(D.D, 3, &visionplot.FilterOptions{Unwhiten: w})
//	g, err := visionplot.Pooling(im, 0, w, e, []int{0, 1, 2}, nil)
package visionplot

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/vision"
)

// FilterOptions are the options of Filters. nil and the zero value show the first 100 columns unchanged.
type FilterOptions struct {
	Title   string
	Columns int // the number of columns of the grid. 0 means 20
	Most    int // the maximum number of filters shown, starting with the first. 0 means 100
	// Unwhiten is the whitening to undo, so that the atoms are drawn as patches of pixels. nil means that the atoms are
	// drawn unchanged, in the whitened space.
	Unwhiten *vision.Whitening
}

// Filters draws the columns of D (D×N) as square pictures of one or three planes, each scaled by its own
// largest absolute value; gray is 0.
func Filters(D mat.Matrix, channels int, options *FilterOptions) *figure.Figure {
	given.Args("visionplot: Filters", "D", D)
	var opt FilterOptions
	if options != nil {
		opt = *options
	}
	d, n := D.Dims()
	if channels != 1 && channels != 3 || d%channels != 0 {
		panic(fmt.Sprintf("visionplot: Filters: columns of %d values do not divide into %d planes", d, channels))
	}
	side := int(math.Round(math.Sqrt(float64(d / channels))))
	if channels*side*side != d {
		panic(fmt.Sprintf("visionplot: Filters: columns of %d values are not squares of %d planes", d, channels))
	}
	if opt.Columns == 0 {
		opt.Columns = 20
	}
	if opt.Most == 0 {
		opt.Most = 100
	}
	shown := min(n, opt.Most)
	caption := fmt.Sprintf("%d of %d", shown, n)
	if opt.Unwhiten != nil {
		if opt.Unwhiten.Dim() != d {
			panic(fmt.Sprintf("visionplot: Filters: columns of %d values, the whitening is for %d", d, opt.Unwhiten.Dim()))
		}
		var M mat.Dense
		M.Mul(opt.Unwhiten.Inverse, D) // (D×D)(D×N)
		D = &M
		caption += ", whitening undone"
	} else {
		caption += ", in the whitened space"
	}
	columns := min(opt.Columns, shown)
	rows := (shown + columns - 1) / columns
	img := image.NewNRGBA(image.Rect(0, 0, columns*(side+1)+1, rows*(side+1)+1))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for k := range shown {
		var largest float64
		for j := range d {
			v := D.At(j, k)
			if !finite.Is(v) {
				panic(fmt.Sprintf("visionplot: Filters: element %d of column %d is %v", j, k, v))
			}
			largest = math.Max(largest, math.Abs(v))
		}
		level := func(j int) uint8 {
			if largest == 0 {
				return 128
			}
			return uint8(math.Round(127.5 + 127.5*D.At(j, k)/largest))
		}
		x0, y0 := k%columns*(side+1)+1, k/columns*(side+1)+1
		for p := range side * side {
			c := color.NRGBA{level(p), 0, 0, 255}
			c.G, c.B = c.R, c.R
			if channels == 3 {
				c.G, c.B = level(side*side+p), level(2*side*side+p)
			}
			img.SetNRGBA(x0+p%side, y0+p/side, c)
		}
	}
	return picture(opt.Title, img).By("kernel-helpers/vision/visionplot.Filters").Note("Filters, " + caption + ". Each has its own range; grey is 0.")
}

// picture returns a figure of an image, with pixels as squares.
func picture(title string, img image.Image) *figure.Figure {
	b := img.Bounds()
	zoom := max(1, min(12, 6*figure.DPI/b.Dx()))
	big := image.NewNRGBA(image.Rect(0, 0, b.Dx()*zoom, b.Dy()*zoom))
	for y := range b.Dy() * zoom {
		for x := range b.Dx() * zoom {
			big.Set(x, y, img.At(b.Min.X+x/zoom, b.Min.Y+y/zoom))
		}
	}
	f := figure.New(title, "", "")
	f.HideAxes()
	f.X.Padding, f.Y.Padding = 0, 0
	f.Equal = true
	f.Add(plotter.NewImage(big, 0, 0, float64(b.Dx()), float64(b.Dy())))
	const margins = 2 * 6 / 72.0 // of a figure, in inches
	f.Width = math.Max(2, float64(b.Dx()*zoom)/figure.DPI+margins)
	f.Height = float64(b.Dy()*zoom)/figure.DPI + margins
	if title != "" {
		f.Height += 20 / 72.0
	}
	return f
}

// Pooling draws the steps from one image to its features: the image and, for each given channel, its values
// at all positions and its pooled values in the cells.
func Pooling(im *vision.Images, k int, w *vision.Whitening, e vision.Encoder, channels []int, opt *vision.ExtractOptions) (*figure.Grid, error) {
	given.Args("visionplot: Pooling", "im", im, "w", w, "e", e)
	maps, pooled, err := vision.PoolMaps(im, k, w, e, channels, opt)
	if err != nil {
		return nil, err
	}
	var pooling vision.Pooling
	if opt != nil {
		pooling = opt.Pooling
	}
	panels := []*figure.Figure{picture("image", im.Picture(k))}
	var below []*figure.Figure
	for c, m := range maps {
		g, _ := pooled[c].Dims()
		panels = append(panels, figure.Heatmap(fmt.Sprintf("channel %d", channels[c]), m))
		below = append(below, figure.Heatmap(fmt.Sprintf("%v over %d×%d", pooling, g, g), pooled[c]))
	}
	all := append(panels, nil)
	grid := figure.NewGrid("From an image to its features", len(panels), append(all, below...)...)
	side := int(math.Round(math.Sqrt(float64(w.Dim() / im.Channels))))
	return grid.Note(fmt.Sprintf("Features of %d×%d patches at %d×%d positions, and pooled.", side, side, im.Height-side+1, im.Width-side+1)), nil
}
