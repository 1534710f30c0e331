// Package smallpng makes committed pictures small by converting them to PNG with a small palette.
//
// A figure's PNG has thousands of colors, nearly all of them from smoothed edges. A palette of 8 to 128 colors, chosen
// for the picture, reduces the file to a third of its size without a visible difference. The palette is the smallest
// for which the root mean square error, over pixels and channels, is at most 3 (of 255). If no size achieves that, the
// palette has 128 colors.
package smallpng

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
)

// The palette sizes to try, in this order; tolerance is the error at which the search stops.
var sizes = []int{8, 12, 16, 24, 32, 48, 64, 96, 128}

const tolerance = 3 // of 255; root mean square over pixels and channels

// mostPixels limits the size of pictures that are reduced, because of the memory needed.
const mostPixels = 1 << 24

// Reduce reduces the number of colors of the picture in a PNG file. It returns the file unchanged if the result is not
// smaller, if the picture has transparency or already has a small palette, or if the picture is too large or cannot be
// read. The result depends only on the file, and Reduce is idempotent.
func Reduce(file []byte) []byte {
	config, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > mostPixels/config.Height {
		return file
	}
	if p, ok := config.ColorModel.(color.Palette); ok && len(p) <= sizes[len(sizes)-1] {
		return file // already small
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return file
	}
	hist, ok := histogram(m)
	if !ok {
		return file
	}
	index := hist.index(palette(hist))
	out := image.NewPaletted(image.Rect(0, 0, config.Width, config.Height), index.colors)
	b := m.Bounds()
	for y := range config.Height {
		for x := range config.Width {
			out.Pix[y*out.Stride+x] = index.of[opaque(m.At(b.Min.X+x, b.Min.Y+y))]
		}
	}
	var small bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&small, out); err != nil || small.Len() >= len(file) {
		return file
	}
	return small.Bytes()
}

// An rgb is a color without transparency.
type rgb [3]uint8

func opaque(c color.Color) rgb {
	r, g, b, _ := c.RGBA()
	return rgb{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// A weightedColor is a color with its number of pixels.
type weightedColor struct {
	color rgb
	n     float64
}

// A value of type colors lists each color of a picture once, in a fixed order.
type colors []weightedColor

// histogram counts the colors of m. It returns false if m has transparent pixels.
func histogram(m image.Image) (colors, bool) {
	count := map[rgb]int{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := m.At(x, y)
			if _, _, _, a := c.RGBA(); a != 0xffff {
				return nil, false
			}
			count[opaque(c)]++
		}
	}
	list := make(colors, 0, len(count))
	for c, n := range count {
		list = append(list, weightedColor{c, float64(n)})
	}
	slices.SortFunc(list, func(a, b weightedColor) int { return slices.Compare(a.color[:], b.color[:]) })
	return list, true
}

// palette returns the smallest palette with a tolerable error. If there is none, it returns the palette of the largest
// size.
func palette(hist colors) []rgb {
	var p []rgb
	for _, n := range sizes {
		if len(hist) <= n { // no loss of colors
			p = p[:0:0]
			for _, c := range hist {
				p = append(p, c.color)
			}
			return p
		}
		p = hist.cluster(n)
		if hist.distance(p) <= tolerance {
			break
		}
	}
	return p
}

// cluster returns at most n colors. Frequent colors, such as those of the background and of lines, are kept unchanged.
// The other palette colors are the means of clusters of the remaining colors.
//
// To find the clusters, cluster splits a box of colors at the mean of the channel with the largest variance. It
// repeats this with the box that has the largest sum of squares. A few steps of Lloyd's algorithm improve the result.
//
// Each product is converted to float64 before it is added. This prevents fused multiply-add, so every processor
// chooses the same colors.
func (hist colors) cluster(n int) []rgb {
	total := 0.0
	for _, c := range hist {
		total += c.n
	}
	frequent := slices.Clone(hist)
	slices.SortStableFunc(frequent, func(a, b weightedColor) int { return cmp.Compare(b.n, a.n) })
	var p []rgb
	kept := map[rgb]bool{}
	for _, c := range frequent[:n/2] {
		if c.n*500 >= total {
			p, kept[c.color] = append(p, c.color), true
		}
	}
	fixed := len(p)
	rest := slices.DeleteFunc(slices.Clone(hist), func(c weightedColor) bool { return kept[c.color] })
	boxes := []box{newBox(rest)}
	for len(boxes) < n-fixed {
		largest := 0
		for i, b := range boxes {
			if b.squares > boxes[largest].squares {
				largest = i
			}
		}
		a, b, ok := boxes[largest].split()
		if !ok {
			break
		}
		boxes[largest] = a
		boxes = append(boxes, b)
	}
	for _, b := range boxes {
		p = append(p, roundColor(b.mean))
	}
	for range 4 {
		sums := make([][3]float64, len(p))
		ns := make([]float64, len(p))
		for _, c := range hist {
			i := nearest(p, c.color)
			ns[i] += c.n
			for k := range 3 {
				sums[i][k] += float64(c.n * float64(c.color[k]))
			}
		}
		for i := fixed; i < len(p); i++ {
			if ns[i] > 0 {
				p[i] = roundColor([3]float64{sums[i][0] / ns[i], sums[i][1] / ns[i], sums[i][2] / ns[i]})
			}
		}
	}
	return p
}

// distance returns the root mean square error, over all pixels and channels, if each color of the picture is replaced
// by the nearest color in p.
func (hist colors) distance(p []rgb) float64 {
	sum, n := 0.0, 0.0
	for _, c := range hist {
		sum += float64(c.n * float64(squaredDistance(p[nearest(p, c.color)], c.color)))
		n += float64(3 * c.n)
	}
	return math.Sqrt(sum / n)
}

// An index holds a palette and, for each color of a picture, the index of its nearest color in this palette.
type index struct {
	colors color.Palette
	of     map[rgb]uint8
}

func (hist colors) index(p []rgb) index {
	x := index{of: make(map[rgb]uint8, len(hist))}
	for _, c := range p {
		x.colors = append(x.colors, color.RGBA{c[0], c[1], c[2], 255})
	}
	for _, c := range hist {
		x.of[c.color] = uint8(nearest(p, c.color))
	}
	return x
}

// A box holds some of a picture's colors.
type box struct {
	colors  colors
	mean    [3]float64
	squares float64 // sum of the squared distances from the mean, in the channel with the largest sum
	channel int
}

func newBox(list colors) box {
	b := box{colors: list}
	n := 0.0
	for _, c := range list {
		n += c.n
		for k := range 3 {
			b.mean[k] += float64(c.n * float64(c.color[k]))
		}
	}
	for k := range 3 {
		b.mean[k] /= max(n, 1)
		sum := 0.0
		for _, c := range list {
			d := float64(c.color[k]) - b.mean[k]
			sum += float64(c.n * d * d)
		}
		if sum > b.squares {
			b.squares, b.channel = sum, k
		}
	}
	return b
}

// split divides b at the mean of the channel with the largest variance. ok is false if b cannot be divided, for
// example because all its colors are the same.
func (b box) split() (low, high box, ok bool) {
	if b.squares == 0 {
		return b, b, false
	}
	var l, h colors
	for _, c := range b.colors {
		if float64(c.color[b.channel]) <= b.mean[b.channel] {
			l = append(l, c)
		} else {
			h = append(h, c)
		}
	}
	if len(l) == 0 || len(h) == 0 { // the mean was rounded to an end of the range
		return b, b, false
	}
	return newBox(l), newBox(h), true
}

// nearest returns the index of the color in p that is nearest to c; of several equally near colors it takes
// the first.
func nearest(p []rgb, c rgb) int {
	best, at := math.MaxInt, 0
	for i, q := range p {
		if d := squaredDistance(q, c); d < best {
			best, at = d, i
		}
	}
	return at
}

func squaredDistance(a, b rgb) int {
	x, y, z := int(a[0])-int(b[0]), int(a[1])-int(b[1]), int(a[2])-int(b[2])
	return x*x + y*y + z*z
}

func roundColor(c [3]float64) rgb {
	return rgb{uint8(math.Round(c[0])), uint8(math.Round(c[1])), uint8(math.Round(c[2]))}
}
