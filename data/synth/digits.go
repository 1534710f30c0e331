package synth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// DigitsOptions configures Digits.
type DigitsOptions struct {
	N    int // number of images; 0: 1000
	Size int // pixels per side, 8 to 128; 0: 28
	// Balanced makes the classes equally large, to within one image; the order of the labels is random. Otherwise each
	// label is drawn with probability 1/10.
	Balanced bool
	// Variation, from 0 to 3, multiplies the spread of all random properties of a digit's shape; 0 means 1. A very
	// small value shows the styles themselves.
	Variation float64
	Noise     float64 // standard deviation of the noise added to each pixel; 0 means none
	Seed      uint64
}

// A Digit is the ground truth for one image. A point (x, y) of the unit square, with x to the right and y
// down, is mapped to the pixel coordinates
//
//	center + 0.62 Size (R K D (x−½, y−½)' + Shift)
//
// with D = diag(Scale), K = [1 −Shear; 0 1] and R the rotation by Rotation.
type Digit struct {
	Label     int        // 0 to 9
	Style     int        // index of the way to write the digit, from 0
	Rotation  float64    // in radians, clockwise as seen
	Shear     float64    // positive values lean to the right
	Scale     [2]float64 // along x and along y
	Shift     [2]float64 // of the center, in units of 0.62 Size
	Thickness float64    // of the pen stroke, in pixels
}

// A DigitSet holds generated digits and their ground truth.
type DigitSet struct {
	Images *mat.Dense // N × Size², one image per row, pixels row by row, 0 (paper) to 1 (ink)
	Labels []int      // 0 to 9
	Size   int        // pixels per side
	Truth  []Digit
}

// Digits draws handwriting-like digits; see the package comment for the method. The same options give the
// same images for any number of processors.
func Digits(ctx context.Context, opt DigitsOptions) (*DigitSet, error) {
	if opt.N == 0 {
		opt.N = 1000
	}
	if opt.Size == 0 {
		opt.Size = 28
	}
	if opt.Variation == 0 {
		opt.Variation = 1
	}
	switch {
	case opt.Size < 8 || opt.Size > 128:
		return nil, fmt.Errorf("synth: Digits: images of %d pixels a side, must be 8 to 128", opt.Size)
	case opt.N < 0 || opt.N > maxValues/(opt.Size*opt.Size):
		return nil, fmt.Errorf("synth: Digits: %d images of %d pixels a side, must be 1 to %d images", opt.N, opt.Size, maxValues/(opt.Size*opt.Size))
	case !(opt.Variation > 0 && opt.Variation <= 3):
		return nil, fmt.Errorf("synth: Digits: variation %v, must be from 0 to 3", opt.Variation)
	case !(opt.Noise >= 0 && opt.Noise <= 10):
		return nil, fmt.Errorf("synth: Digits: noise of standard deviation %v, must be from 0 to 10", opt.Noise)
	}
	s := &DigitSet{
		Images: mat.NewDense(opt.N, opt.Size*opt.Size, nil),
		Labels: make([]int, opt.N),
		Size:   opt.Size,
		Truth:  make([]Digit, opt.N),
	}
	rnd := random(opt.Seed, streamDigitLabels, 0)
	for i := range s.Labels {
		if opt.Balanced {
			s.Labels[i] = i % 10
		} else {
			s.Labels[i] = rnd.IntN(10)
		}
	}
	if opt.Balanced {
		rnd.Shuffle(opt.N, func(i, j int) { s.Labels[i], s.Labels[j] = s.Labels[j], s.Labels[i] })
	}
	err := forEach(ctx, "Digits", opt.N, func(i int) {
		rnd := random(opt.Seed, streamDigits, i)
		image := s.Images.RawRowView(i)
		s.Truth[i] = write(image, opt, s.Labels[i], rnd)
		if opt.Noise > 0 {
			for k, v := range image {
				image[k] = clamp(v+opt.Noise*rnd.NormFloat64(), 0, 1)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// write draws a digit into image, which holds only zeros, and returns the digit's ground truth. label is the digit's
// class.
func write(image []float64, opt DigitsOptions, label int, rnd *rand.Rand) Digit {
	size, v := float64(opt.Size), opt.Variation
	d := Digit{
		Label:    label,
		Style:    rnd.IntN(len(styles[label])),
		Rotation: 0.13 * v * truncatedNormal(rnd),
		Shear:    0.12 + 0.2*v*truncatedNormal(rnd),
		Scale:    [2]float64{math.Exp(0.12 * v * truncatedNormal(rnd)), math.Exp(0.05 * v * truncatedNormal(rnd))},
		Shift:    [2]float64{0.045 * v * truncatedNormal(rnd), 0.028 * v * truncatedNormal(rnd)},
	}
	d.Thickness = size / 28 * 2.6 * math.Exp(0.22*v*truncatedNormal(rnd))
	sin, cos := math.Sincos(d.Rotation)
	place := func(p point) point {
		x, y := d.Scale[0]*(p.x-0.5), d.Scale[1]*(p.y-0.5)
		x -= d.Shear * y
		x, y = cos*x-sin*y, sin*x+cos*y
		return point{size/2 + 0.62*size*(x+d.Shift[0]), size/2 + 0.62*size*(y+d.Shift[1])}
	}
	// The bend displaces the whole digit smoothly, the jitter each knot independently.
	var bend [4]float64
	for k := range bend {
		bend[k] = 0.04 * v * truncatedNormal(rnd)
	}
	ink := make([]float64, len(image)) // distance from each pixel to the nearest stroke
	for i := range ink {
		ink[i] = math.Inf(1)
	}
	for _, stroke := range styles[label][d.Style] {
		knots := make([]point, len(stroke))
		for k, p := range stroke {
			if k > 0 && p == stroke[k-1] { // a corner stays a corner
				knots[k] = knots[k-1]
				continue
			}
			b := point{
				p.x + bend[0]*math.Sin(math.Pi*p.y) + bend[1]*math.Sin(2*math.Pi*p.y) + 0.028*v*truncatedNormal(rnd),
				p.y + bend[2]*math.Sin(math.Pi*p.x) + bend[3]*math.Sin(2*math.Pi*p.x) + 0.028*v*truncatedNormal(rnd),
			}
			knots[k] = place(b)
		}
		path := smooth(knots)
		for k := 1; k < len(path); k++ {
			updateDistances(ink, opt.Size, path[k-1], path[k], d.Thickness/2+1)
		}
	}
	for i, dist := range ink {
		image[i] = clamp(d.Thickness/2+0.5-dist, 0, 1)
	}
	blur(image, ink, opt.Size)
	return d
}

// A point has x to the right and y down.
type point struct{ x, y float64 }

// smooth returns a polyline close to the Catmull-Rom spline through the knots (E. Catmull, R. Rom, "A class of local
// interpolating splines", 1974). Repeating a knot makes a corner there.
func smooth(knots []point) []point {
	const steps = 6
	at := func(k int) point { return knots[min(len(knots)-1, max(0, k))] }
	path := []point{knots[0]}
	for k := range len(knots) - 1 {
		p0, p1, p2, p3 := at(k-1), at(k), at(k+1), at(k+2)
		if p1 == p2 {
			continue
		}
		for s := 1; s <= steps; s++ {
			t := float64(s) / steps
			spline := func(a, b, c, d float64) float64 {
				return b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
			}
			path = append(path, point{spline(p0.x, p1.x, p2.x, p3.x), spline(p0.y, p1.y, p2.y, p3.y)})
		}
	}
	return path
}

// updateDistances updates dist, the distance from each pixel's center to the nearest stroke, after the segment a–b has
// been added: it lowers a value if the segment is nearer. It may skip pixels whose distance from the segment is more
// than reach.
func updateDistances(dist []float64, size int, a, b point, reach float64) {
	dx, dy := b.x-a.x, b.y-a.y
	length2 := dx*dx + dy*dy
	lo := func(u, v float64) int { return int(clamp(min(u, v)-reach, 0, float64(size))) }
	hi := func(u, v float64) int { return int(clamp(max(u, v)+reach+1, 0, float64(size))) }
	for i := lo(a.y, b.y); i < hi(a.y, b.y); i++ {
		y := float64(i) + 0.5 - a.y
		for j := lo(a.x, b.x); j < hi(a.x, b.x); j++ {
			x := float64(j) + 0.5 - a.x
			t := 0.0
			if length2 > 0 {
				t = clamp((x*dx+y*dy)/length2, 0, 1)
			}
			ex, ey := x-t*dx, y-t*dy
			if e := ex*ex + ey*ey; e < dist[i*size+j]*dist[i*size+j] {
				dist[i*size+j] = math.Sqrt(e)
			}
		}
	}
}

// blur convolves an image with (1 6 1)/8 along both axes; pixels outside the image count as 0. The contents of work are
// overwritten.
func blur(image, work []float64, size int) {
	const side = 1.0 / 8
	get := func(v []float64, i, j int) float64 {
		if i < 0 || j < 0 || i >= size || j >= size {
			return 0
		}
		return v[i*size+j]
	}
	for i := range size {
		for j := range size {
			work[i*size+j] = (1-2*side)*image[i*size+j] + side*(get(image, i, j-1)+get(image, i, j+1))
		}
	}
	for i := range size {
		for j := range size {
			image[i*size+j] = (1-2*side)*work[i*size+j] + side*(get(work, i-1, j)+get(work, i+1, j))
		}
	}
}

// styles lists the ways of writing each digit. A style is a list of strokes. A stroke is a list of knots of a
// curve in the unit square, x to the right and y down. A knot that occurs twice in a row is a corner.
var styles = [10][][][]point{
	0: {
		{{{.5, 0}, {.27, .14}, {.18, .5}, {.28, .87}, {.52, 1}, {.75, .85}, {.82, .48}, {.72, .13}, {.5, 0}}},
		{{{.62, .03}, {.38, .15}, {.28, .55}, {.4, .95}, {.6, .92}, {.74, .5}, {.68, .12}, {.5, .02}}},
		{{{.64, .08}, {.35, .08}, {.12, .4}, {.2, .85}, {.52, .97}, {.85, .75}, {.86, .35}, {.6, .06}, {.45, .14}}},
	},
	1: {
		{{{.52, 0}, {.5, .5}, {.48, 1}}},
		{{{.32, .22}, {.52, 0}, {.52, 0}, {.52, .5}, {.52, 1}}},
		{{{.3, .22}, {.52, 0}, {.52, 0}, {.52, .5}, {.52, 1}}, {{.26, 1}, {.5, .99}, {.76, 1}}},
	},
	2: {
		{{{.2, .25}, {.32, .05}, {.6, 0}, {.78, .2}, {.66, .5}, {.4, .78}, {.18, 1}, {.18, 1}, {.5, .97}, {.85, .98}}},
		{{{.2, .2}, {.45, 0}, {.75, .15}, {.68, .5}, {.4, .85}, {.22, .98}, {.14, .87}, {.32, .8}, {.6, .97}, {.88, .92}}},
		{{{.15, .12}, {.45, .02}, {.74, .1}, {.7, .38}, {.42, .7}, {.15, 1}, {.15, 1}, {.5, 1}, {.85, 1}}},
	},
	3: {
		{{{.2, .12}, {.48, 0}, {.75, .15}, {.68, .4}, {.42, .48}, {.42, .48}, {.72, .56}, {.8, .8}, {.52, 1}, {.18, .9}}},
		{{{.18, .03}, {.5, .04}, {.75, .03}, {.75, .03}, {.42, .4}, {.42, .4}, {.75, .5}, {.8, .78}, {.5, 1}, {.18, .9}}},
		{{{.25, .08}, {.58, .02}, {.72, .2}, {.55, .42}, {.4, .5}, {.54, .48}, {.76, .65}, {.65, .95}, {.22, .97}}},
	},
	4: {
		{{{.26, .02}, {.22, .3}, {.18, .58}, {.18, .58}, {.5, .57}, {.84, .55}}, {{.7, .05}, {.67, .5}, {.64, 1}}},
		{{{.62, 1}, {.63, .5}, {.64, 0}, {.64, 0}, {.38, .35}, {.12, .65}, {.12, .65}, {.5, .66}, {.86, .65}}},
		{{{.22, .05}, {.2, .38}, {.42, .54}, {.74, .4}}, {{.78, .02}, {.7, .5}, {.62, 1}}},
	},
	5: {
		{{{.78, .02}, {.5, .03}, {.28, .02}, {.28, .02}, {.24, .42}, {.24, .42}, {.5, .36}, {.78, .55}, {.74, .85}, {.45, 1}, {.18, .9}}},
		{{{.3, .04}, {.25, .44}, {.25, .44}, {.6, .4}, {.8, .65}, {.62, .95}, {.2, .95}}, {{.3, .04}, {.55, .03}, {.84, 0}}},
		{{{.77, .04}, {.42, .07}, {.27, .3}, {.5, .44}, {.74, .65}, {.6, .93}, {.2, .95}}},
	},
	6: {
		{{{.65, 0}, {.38, .25}, {.22, .65}, {.38, .98}, {.68, .92}, {.75, .68}, {.55, .52}, {.28, .68}}},
		{{{.5, 0}, {.27, .45}, {.2, .8}, {.45, 1}, {.75, .85}, {.65, .6}, {.4, .58}, {.22, .78}}},
		{{{.75, .1}, {.52, .02}, {.26, .3}, {.2, .75}, {.48, 1}, {.8, .78}, {.62, .5}, {.35, .55}, {.22, .7}}},
	},
	7: {
		{{{.15, .05}, {.5, .05}, {.82, .03}, {.82, .03}, {.55, .5}, {.4, 1}}},
		{{{.15, .05}, {.5, .05}, {.82, .03}, {.82, .03}, {.58, .5}, {.4, 1}}, {{.32, .52}, {.55, .5}, {.78, .48}}},
		{{{.17, .22}, {.2, .06}, {.2, .06}, {.5, .08}, {.8, .03}, {.8, .03}, {.62, .4}, {.52, 1}}},
	},
	8: {
		{{{.72, .12}, {.45, 0}, {.25, .2}, {.45, .43}, {.72, .68}, {.6, .98}, {.35, .96}, {.25, .72}, {.5, .46}, {.74, .22}, {.68, .08}}},
		{{{.5, .45}, {.28, .3}, {.35, .05}, {.62, .04}, {.7, .28}, {.5, .45}}, {{.5, .45}, {.24, .65}, {.3, .95}, {.68, .96}, {.78, .66}, {.5, .45}}},
		{{{.5, .02}, {.3, .16}, {.4, .42}, {.66, .66}, {.64, .92}, {.44, .98}, {.32, .8}, {.48, .5}, {.68, .2}, {.52, .02}}},
	},
	9: {
		{{{.75, .2}, {.5, .02}, {.25, .22}, {.4, .48}, {.68, .36}, {.76, .12}, {.76, .12}, {.72, .6}, {.6, 1}}},
		{{{.72, .12}, {.4, .02}, {.22, .3}, {.45, .5}, {.7, .32}, {.74, .1}, {.78, .6}, {.6, .95}, {.28, .95}}},
		{{{.7, .22}, {.45, .03}, {.22, .25}, {.42, .5}, {.7, .25}, {.7, .25}, {.68, .6}, {.66, 1}}},
	},
}
