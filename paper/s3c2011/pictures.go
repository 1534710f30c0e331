package s3c2011

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/vision"
)

// A colourImage is an image of three planes (red, green, blue), each in row-major order. The scale is that of pixels,
// where 0 is dark and 255 is full intensity. Values need not be integers, and noise may put them outside this range.
type colourImage struct {
	height, width int
	x             []float64
}

// asColour returns image k as a colourImage.
func asColour(im *vision.Images, k int) *colourImage {
	size := 3 * im.Height * im.Width
	c := &colourImage{im.Height, im.Width, make([]float64, size)}
	for i, v := range im.Pixels[k*size : (k+1)*size] {
		c.x[i] = float64(v)
	}
	return c
}

// psnr returns the peak signal-to-noise ratio of y in dB, where truth is the original image. It first clips the values
// of y to the range from 0 to 255.
func psnr(truth, y *colourImage) float64 {
	s := 0.0
	for i, v := range y.x {
		d := math.Min(math.Max(v, 0), 255) - truth.x[i]
		s += d * d / float64(len(y.x))
	}
	return 10 * math.Log10(255*255/s)
}

// row draws images of the same size side by side, with square pixels.
func row(title string, images []*colourImage) *figure.Figure {
	const zoom, gap = 4, 2
	h, w := images[0].height, images[0].width
	img := image.NewNRGBA(image.Rect(0, 0, zoom*((w+gap)*len(images)-gap), zoom*h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	level := func(v float64) uint8 { return uint8(math.Round(math.Min(math.Max(v, 0), 255))) }
	for k, c := range images {
		for y := range zoom * h {
			for x := range zoom * w {
				p := y/zoom*w + x/zoom
				img.SetNRGBA(zoom*(w+gap)*k+x, y, color.NRGBA{level(c.x[p]), level(c.x[h*w+p]), level(c.x[2*h*w+p]), 255})
			}
		}
	}
	return pictureFigure(title, img)
}

// pictureFigure returns a picture as a figure without axes.
func pictureFigure(title string, img image.Image) *figure.Figure {
	f := figure.New(title, "", "")
	f.HideAxes()
	f.X.Padding, f.Y.Padding = 0, 0
	f.Equal = true
	b := img.Bounds()
	f.Add(plotter.NewImage(img, 0, 0, float64(b.Dx()), float64(b.Dy())))
	return f
}
