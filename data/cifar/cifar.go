package cifar

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
)

// Name is the set's name in the registry of package data.
const Name = "cifar10"

const (
	// Side is the height and width of an image.
	Side = 32
	// Size is the number of values of an image: three planes.
	Size = 3 * plane

	plane    = Side * Side
	classes  = 10
	inFile   = 10_000 // images in one file
	folder   = "cifar-10-batches-bin/"
	metaName = "batches.meta.txt"
)

var limits = archive.Limits{Members: 100, Member: 64 << 20, Total: 512 << 20}

// Data holds all of CIFAR-10.
type Data struct {
	Train, Test *Images
	Classes     []string // names of the classes: airplane, automobile, ...
}

// Images holds photographs with their classes.
type Images struct {
	Pixels []uint8 // Len() × Size: image after image; each image has its red, green and blue planes in turn
	Labels []int   // 0 to 9, one for each image
}

// Load reads the data set from the folder of package data, after checking its content. Load never downloads: if the
// file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Data, error) {
	f, err := data.Open(Name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads an archive of CIFAR-10 from r: a tar file, compressed with gzip or not. The archive must have all seven
// files of the set: five of training images, one of test images, and one with the names of the classes. They are either
// in the folder cifar-10-batches-bin or at the top level. Other files are skipped.
func Read(r io.Reader) (*Data, error) { return read(r, inFile) }

// read reads an archive that has inFile images in each file.
func read(r io.Reader, inFile int) (*Data, error) {
	d := &Data{}
	// The files may come in any order, but the images must end up in the order of the file numbers.
	batches := map[string]*Images{}
	err := archive.Walk(r, limits, func(name string, r io.Reader) error {
		name, ok := archive.Inside(name, folder, "")
		if !ok {
			return nil
		}
		if name == metaName {
			if d.Classes != nil {
				return fmt.Errorf("cifar: %s occurs twice", name)
			}
			var err error
			d.Classes, err = readNames(r)
			return err
		}
		if name != testName && trainNumber(name) == 0 {
			return nil
		}
		if batches[name] != nil {
			return fmt.Errorf("cifar: %s occurs twice", name)
		}
		s, err := Decode(r)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, name)
		}
		if s.Len() != inFile {
			return fmt.Errorf("cifar: %s has %d images, not %d", name, s.Len(), inFile)
		}
		batches[name] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cifar: %w", err)
	}
	if d.Classes == nil {
		return nil, fmt.Errorf("cifar: the archive has no %s", metaName)
	}
	if d.Test = batches[testName]; d.Test == nil {
		return nil, fmt.Errorf("cifar: the archive has no %s", testName)
	}
	for i := 1; i <= 5; i++ {
		if batches[trainName(i)] == nil {
			return nil, fmt.Errorf("cifar: the archive has no %s", trainName(i))
		}
	}
	d.Train = &Images{Pixels: make([]uint8, 0, 5*inFile*Size)}
	for i := 1; i <= 5; i++ {
		s := batches[trainName(i)]
		d.Train.Pixels = append(d.Train.Pixels, s.Pixels...)
		d.Train.Labels = append(d.Train.Labels, s.Labels...)
		delete(batches, trainName(i))
	}
	return d, nil
}

const testName = "test_batch.bin"

func trainName(i int) string { return fmt.Sprintf("data_batch_%d.bin", i) }

// trainNumber returns the number of a file of training images, 1 to 5, from the file's name. It returns 0 for any
// other name.
func trainNumber(name string) int {
	for i := 1; i <= 5; i++ {
		if name == trainName(i) {
			return i
		}
	}
	return 0
}

// readNames reads the names of the classes, one per line.
func readNames(r io.Reader) ([]string, error) {
	b, err := io.ReadAll(archive.Limited(r, 4096))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", metaName, err)
	}
	names := strings.Fields(string(b))
	if len(names) != classes {
		return nil, fmt.Errorf("%s has %d names, not %d", metaName, len(names), classes)
	}
	return names, nil
}

// Decode reads all images from r, the content of one of the archive's files with images. It returns an error if there
// is no image, or if there are more than 100,000.
func Decode(r io.Reader) (*Images, error) {
	s := &Images{}
	var record [1 + Size]byte
	for {
		switch _, err := io.ReadFull(r, record[:]); {
		case err == io.EOF && s.Len() > 0:
			return s, nil
		case err == io.EOF:
			return nil, errors.New("cifar: the file has no image")
		case err != nil:
			return nil, fmt.Errorf("cifar: image %d: %w", s.Len(), err)
		}
		if record[0] >= classes {
			return nil, fmt.Errorf("cifar: image %d has the class %d, must be 0 to 9", s.Len(), record[0])
		}
		if s.Len() == 100_000 {
			return nil, fmt.Errorf("cifar: %w of 100000 images", archive.ErrLimit)
		}
		s.Labels = append(s.Labels, int(record[0]))
		s.Pixels = append(s.Pixels, record[1:]...)
	}
}

// Len returns the number of images.
func (s *Images) Len() int { return len(s.Labels) }

func (s *Images) image(k int) []uint8 {
	if k < 0 || k >= s.Len() {
		panic(fmt.Sprintf("cifar: there is no image %d; there are %d images", k, s.Len()))
	}
	return s.Pixels[k*Size : (k+1)*Size]
}

// First returns the first n images as the rows of a matrix (n × 3072) with values from 0 to 1. It panics if n is less
// than 1 or more than Len.
func (s *Images) First(n int) *mat.Dense {
	if n <= 0 || n > s.Len() {
		panic(fmt.Sprintf("cifar: First: cannot take %d of %d images", n, s.Len()))
	}
	X := mat.NewDense(n, Size, nil)
	for i := range n {
		s.fill(X.RawRowView(i), i)
	}
	return X
}

// Rows returns the images with the given numbers, which count from 0, as the rows of a matrix (len(images) × 3072) with
// values from 0 to 1. It panics if images is empty or contains a number that no image has.
func (s *Images) Rows(images []int) *mat.Dense {
	if len(images) == 0 {
		panic("cifar: Rows: no images are given")
	}
	X := mat.NewDense(len(images), Size, nil)
	for i, k := range images {
		s.fill(X.RawRowView(i), k)
	}
	return X
}

func (s *Images) fill(row []float64, k int) {
	for j, v := range s.image(k) {
		row[j] = float64(v) / 255
	}
}

// Gray is like Rows, but converts the images to gray values: the matrix is len(images) × 1024, with the values 0.299 R
// + 0.587 G + 0.114 B (ITU-R BT.601), from 0 to 1.
func (s *Images) Gray(images []int) *mat.Dense {
	if len(images) == 0 {
		panic("cifar: Gray: no images are given")
	}
	X := mat.NewDense(len(images), plane, nil)
	for i, k := range images {
		row, p := X.RawRowView(i), s.image(k)
		for j := range row {
			row[j] = (0.299*float64(p[j]) + 0.587*float64(p[plane+j]) + 0.114*float64(p[2*plane+j])) / 255
		}
	}
	return X
}

// Picture returns image k, counted from 0, for display. It panics if there is no such image.
func (s *Images) Picture(k int) image.Image {
	p := s.image(k)
	m := image.NewRGBA(image.Rect(0, 0, Side, Side))
	for j := range plane {
		m.SetRGBA(j%Side, j/Side, color.RGBA{p[j], p[plane+j], p[2*plane+j], 255})
	}
	return m
}

// Of returns the indices of all images in a class (0 to 9), in ascending order.
func (s *Images) Of(class int) []int {
	var list []int
	for i, l := range s.Labels {
		if l == class {
			list = append(list, i)
		}
	}
	return list
}

// Counts returns the number of images in each class: element c is the count for class c.
func (s *Images) Counts() []int {
	n := make([]int, classes)
	for _, l := range s.Labels {
		n[l]++
	}
	return n
}
