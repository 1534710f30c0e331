package vision

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
)

// Images holds images of the same size, stored as bytes.
type Images struct {
	// Pixels holds the values 0..255, image by image, plane by plane, row by row. This is the order of
	// CIFAR-10.
	Pixels                  []uint8
	Channels, Height, Width int
}

// NewImages returns images with the given pixels, which are not copied:
//
//	vision.NewImages(d.Train.Pixels, 3, 32, 32) // d from package cifar
func NewImages(pixels []uint8, channels, height, width int) *Images {
	size := channels * height * width
	if channels <= 0 || height <= 0 || width <= 0 || len(pixels) == 0 || len(pixels)%size != 0 {
		panic(fmt.Sprintf("vision: NewImages: %d pixels do not divide into images of %d×%d×%d", len(pixels), channels, height, width))
	}
	return &Images{pixels, channels, height, width}
}

// Gray returns images of one plane from the rows of X (n×(height·width)). Values from 0 to 1 become 0 to 255,
// rounded; other values are an error.
func Gray(X mat.Matrix, height, width int) (*Images, error) {
	given.Args("vision: Gray", "X", X)
	n, p := X.Dims()
	if height <= 0 || width <= 0 || p != height*width {
		panic(fmt.Sprintf("vision: Gray: rows of %d values are not images of %d×%d", p, height, width))
	}
	if n == 0 {
		return nil, fmt.Errorf("vision: Gray: no images")
	}
	pixels := make([]uint8, n*p)
	for i := range n {
		for j := range p {
			v := X.At(i, j)
			if !(v >= 0 && v <= 1) {
				return nil, fmt.Errorf("vision: Gray: pixel %d of image %d is %v, must be from 0 to 1", j, i, v)
			}
			pixels[i*p+j] = uint8(math.Round(255 * v))
		}
	}
	return NewImages(pixels, 1, height, width), nil
}

// size returns the number of values of an image.
func (im *Images) size() int { return im.Channels * im.Height * im.Width }

// Len returns the number of images.
func (im *Images) Len() int { return len(im.Pixels) / im.size() }

// Slice returns the images [from, to). They share the pixels of im.
func (im *Images) Slice(from, to int) *Images {
	if from < 0 || to <= from || to > im.Len() {
		panic(fmt.Sprintf("vision: Slice: %d to %d of %d images", from, to, im.Len()))
	}
	return NewImages(im.Pixels[from*im.size():to*im.size()], im.Channels, im.Height, im.Width)
}

// Picture returns image k for display. It panics unless the images have one or three planes.
func (im *Images) Picture(k int) image.Image {
	if k < 0 || k >= im.Len() || im.Channels != 1 && im.Channels != 3 {
		panic(fmt.Sprintf("vision: Picture: cannot show image %d of %d with %d planes", k, im.Len(), im.Channels))
	}
	p := im.Pixels[k*im.size():]
	plane := im.Height * im.Width
	img := image.NewNRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range plane {
		c := color.NRGBA{p[i], p[i], p[i], 255}
		if im.Channels == 3 {
			c.G, c.B = p[plane+i], p[2*plane+i]
		}
		img.SetNRGBA(i%im.Width, i/im.Width, c)
	}
	return img
}

// String returns a one-line description with a checksum of the pixels.
func (im *Images) String() string {
	return fmt.Sprintf("%d images of %d×%d×%d (sha256 %.16x)", im.Len(), im.Channels, im.Height, im.Width, sha256.Sum256(im.Pixels))
}

// checksum returns a checksum of the given matrices. The String methods of this package include checksums of all data
// on which features depend. So two such strings are equal only if the data are equal.
func checksum(list ...mat.Matrix) string {
	h := sha256.New()
	var b [8]byte
	for _, m := range list {
		r, c := m.Dims()
		fmt.Fprintf(h, "%d×%d:", r, c)
		for i := range r {
			for j := range c {
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(m.At(i, j)))
				h.Write(b[:])
			}
		}
	}
	return fmt.Sprintf("sha256 %.16x", h.Sum(nil))
}

// LeavesOptions are the options of NewLeaves. In each field zero means the default.
type LeavesOptions struct {
	N       int // images. 0: 1000
	Classes int // 2 to 10. 0: 10
	Seed    uint64
}

// NewLeaves returns generated color images of 32×32 pixels and their classes, for use where no photographs are
// available. The images are dead leaves (package synth) in random colors. The classes differ in the size and elongation
// of the leaves, not in color, and they overlap. Results on these images say nothing about results on photographs.
func NewLeaves(ctx context.Context, options *LeavesOptions) (*Images, []int, error) {
	var opt LeavesOptions
	if options != nil {
		opt = *options
	}
	if opt.N == 0 {
		opt.N = 1000
	}
	if opt.Classes == 0 {
		opt.Classes = 10
	}
	if opt.N < 0 || opt.Classes < 2 || opt.Classes > 10 {
		return nil, nil, fmt.Errorf("vision: NewLeaves: %d images of %d classes; need 2 to 10 classes", opt.N, opt.Classes)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	const side = 32
	pixels, labels := make([]uint8, opt.N*3*side*side), make([]int, opt.N)
	errs := make([]error, opt.N)
	parallel.Do(opt.N, 0, func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(i)))
		class := rng.IntN(opt.Classes)
		labels[i] = class
		radius := []float64{1, 1.7, 2.9, 4.9, 8.3}[class%5]
		l, err := synth.DeadLeaves(synth.LeavesOptions{Size: side,
			RMin:       radius,
			RMax:       4 * radius,
			Elongation: []float64{1, 8}[class/5],
			Seed:       rng.Uint64()})
		if err != nil {
			errs[i] = err
			return
		}
		// A gray value identifies a leaf. Each color plane maps it with a different sine function.
		var slope, phase [3]float64
		for c := range 3 {
			slope[c], phase[c] = 1+2*rng.Float64(), 2*math.Pi*rng.Float64()
		}
		for c := range 3 {
			for p := range side * side {
				g := l.Image.At(p/side, p%side)
				v := 0.5 + 0.35*math.Sin(2*math.Pi*slope[c]*g*0.4+phase[c]) + 0.02*rng.NormFloat64()
				pixels[(i*3+c)*side*side+p] = uint8(math.Round(255 * math.Max(0, math.Min(1, v))))
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, fmt.Errorf("vision: NewLeaves: %w", err)
		}
	}
	return NewImages(pixels, 3, side, side), labels, nil
}
