package mnist

import (
	"encoding/binary"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
)

// Name is the set's name in the registry of package data.
const Name = "mnist"

const (
	maxImages = 1 << 20
	maxSide   = 1 << 12
	maxBytes  = 256 << 20 // of an unpacked file
)

// Data holds all of MNIST.
type Data struct{ Train, Test *Images }

// Images holds digits with their labels.
type Images struct {
	Height, Width int
	Pixels        []uint8 // Len() × Height × Width: image by image, row by row; 0 is paper, 255 ink
	Labels        []int   // 0 to 9, one for each image
}

// Load reads the set from the folder of package data, after checking its content. Load never downloads: if a
// file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Data, error) {
	train, err := load("train")
	if err != nil {
		return nil, err
	}
	test, err := load("t10k")
	if err != nil {
		return nil, err
	}
	return &Data{Train: train, Test: test}, nil
}

func load(part string) (*Images, error) {
	// Read the labels first: they are small, and as likely to be missing as the images.
	f, err := data.Open(Name, part+"-labels-idx1-ubyte.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	labels, err := ReadLabels(f)
	if err != nil {
		return nil, err
	}
	g, err := data.Open(Name, part+"-images-idx3-ubyte.gz")
	if err != nil {
		return nil, err
	}
	defer g.Close()
	s, err := ReadImages(g)
	if err != nil {
		return nil, err
	}
	if len(labels) != s.Len() {
		return nil, fmt.Errorf("mnist: %d labels for %d images (%s)", len(labels), s.Len(), part)
	}
	s.Labels = labels
	return s, nil
}

// ReadImages reads a file of images, compressed or not; Labels stays empty.
func ReadImages(r io.Reader) (*Images, error) {
	dims, pixels, err := idx(r, 3)
	if err != nil {
		return nil, fmt.Errorf("mnist: images: %w", err)
	}
	return &Images{Height: dims[1], Width: dims[2], Pixels: pixels}, nil
}

// ReadLabels reads a file of labels, compressed or not. A label above 9 is an error.
func ReadLabels(r io.Reader) ([]int, error) {
	_, b, err := idx(r, 1)
	if err != nil {
		return nil, fmt.Errorf("mnist: labels: %w", err)
	}
	labels := make([]int, len(b))
	for i, v := range b {
		if v > 9 {
			return nil, fmt.Errorf("mnist: label %d is %d, must be 0 to 9", i, v)
		}
		labels[i] = int(v)
	}
	return labels, nil
}

// idx reads an IDX file of unsigned bytes with n dimensions. It returns the size of each dimension (the number of
// items and, for images, their height and width) and the bytes.
func idx(r io.Reader, n int) (dims []int, b []byte, err error) {
	u, err := archive.Unpack(r, maxBytes)
	if err != nil {
		return nil, nil, err
	}
	head := make([]byte, 4+4*n)
	if _, err := io.ReadFull(u, head); err != nil {
		return nil, nil, fmt.Errorf("the header: %w", err)
	}
	if m := binary.BigEndian.Uint32(head); m != 0x800+uint32(n) {
		return nil, nil, fmt.Errorf("it begins with %#08x, not %#08x", m, 0x800+n)
	}
	size := int64(1)
	for i := range n {
		d, limit := int64(binary.BigEndian.Uint32(head[4+4*i:])), int64(maxSide)
		if i == 0 {
			limit = maxImages
		}
		if d == 0 || d > limit {
			return nil, nil, fmt.Errorf("dimension %d is %d, not 1 to %d", i, d, limit)
		}
		size *= d // the product is at most 2^44
		dims = append(dims, int(d))
	}
	if size > maxBytes {
		return nil, nil, fmt.Errorf("%d bytes: %w of %d", size, archive.ErrLimit, maxBytes)
	}
	if b, err = archive.ReadExactly(u, size); err != nil {
		return nil, nil, err
	}
	return dims, b, archive.AtEnd(u)
}

func (s *Images) size() int { return s.Height * s.Width }

// Len returns the number of images.
func (s *Images) Len() int {
	if s.size() == 0 {
		return 0
	}
	return len(s.Pixels) / s.size()
}

// Pixel returns the pixel in row i, column j of image k, 0 to 255.
func (s *Images) Pixel(k, i, j int) int {
	if k < 0 || k >= s.Len() || i < 0 || i >= s.Height || j < 0 || j >= s.Width {
		panic(fmt.Sprintf("mnist: there is no pixel (%d, %d) in image %d: there are %d images of %d x %d", i, j, k, s.Len(), s.Height, s.Width))
	}
	return int(s.Pixels[k*s.size()+i*s.Width+j])
}

// First returns the first n images as rows of a matrix (n × 784), values 0 to 1.
func (s *Images) First(n int) *mat.Dense {
	if n <= 0 || n > s.Len() {
		panic(fmt.Sprintf("mnist: First: cannot take %d of %d images", n, s.Len()))
	}
	X := mat.NewDense(n, s.size(), nil)
	for i := range n {
		s.fill(X.RawRowView(i), i)
	}
	return X
}

// Rows returns the images with the given indices as rows of a matrix (len(images) × 784), values 0 to 1.
func (s *Images) Rows(images []int) *mat.Dense {
	if len(images) == 0 {
		panic("mnist: Rows: no images are given")
	}
	X := mat.NewDense(len(images), s.size(), nil)
	for i, k := range images {
		if k < 0 || k >= s.Len() {
			panic(fmt.Sprintf("mnist: there is no image %d, there are %d", k, s.Len()))
		}
		s.fill(X.RawRowView(i), k)
	}
	return X
}

func (s *Images) fill(row []float64, k int) {
	for j, v := range s.Pixels[k*s.size() : (k+1)*s.size()] {
		row[j] = float64(v) / 255
	}
}

// Of returns the indices of the images with the given label, in ascending order.
func (s *Images) Of(label int) []int {
	var list []int
	for i, l := range s.Labels {
		if l == label {
			list = append(list, i)
		}
	}
	return list
}

// Counts returns the number of images with each label, 0 to 9.
func (s *Images) Counts() []int {
	n := make([]int, 10)
	for _, l := range s.Labels {
		n[l]++
	}
	return n
}
