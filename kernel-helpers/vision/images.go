package vision

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
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
