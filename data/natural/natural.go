package natural

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
	"overcomplete/internal/finite"
)

// Name is the set's name in the registry of package data.
const Name = "natural"

const (
	// Side is the height and width of an image.
	Side = 512
	// Number is the number of images.
	Number = 10
)

var limits = archive.Limits{Members: 100, Member: 8 << 20, Total: 64 << 20}

// A Set holds the ten images.
type Set struct{ Images []*mat.Dense } // each Side × Side, row 0 at the top

// Load reads the set from the folder of package data, after checking its content. Load never downloads: if
// the file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Set, error) {
	f, err := data.Open(Name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads the archive: a tar, compressed by gzip or not. The files image0 to image9 are in the folder trainset or at
// the archive's top. Other files are skipped.
func Read(r io.Reader) (*Set, error) {
	s := &Set{Images: make([]*mat.Dense, Number)}
	err := archive.Walk(r, limits, func(name string, r io.Reader) error {
		file, ok := archive.Inside(name, "trainset/", "")
		if !ok {
			return nil
		}
		for i := range s.Images {
			if file != imageName(i) {
				continue
			}
			if s.Images[i] != nil {
				return fmt.Errorf("%q occurs in two folders", file)
			}
			var err error
			if s.Images[i], err = Decode(r, Side, Side); err != nil {
				return fmt.Errorf("%q: %w", name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("natural: %w", err)
	}
	for i, m := range s.Images {
		if m == nil {
			return nil, fmt.Errorf("natural: the archive has no %s", imageName(i))
		}
	}
	return s, nil
}

func imageName(i int) string { return fmt.Sprintf("image%d", i) }

// Decode reads one image of height × width big-endian float32 values, row by row. It returns an error if a
// side is not between 1 and 16384, if a value is NaN or infinite, or if bytes follow the image.
func Decode(r io.Reader, height, width int) (*mat.Dense, error) {
	const most = 1 << 14
	if height < 1 || width < 1 || height > most || width > most {
		return nil, fmt.Errorf("natural: an image of %d x %d: the sides must be from 1 to %d", height, width, most)
	}
	b, err := archive.ReadExactly(r, 4*int64(height)*int64(width))
	if err != nil {
		return nil, err
	}
	if err := archive.AtEnd(r); err != nil {
		return nil, err
	}
	v := make([]float64, height*width)
	for i := range v {
		v[i] = float64(math.Float32frombits(binary.BigEndian.Uint32(b[4*i:])))
		if !finite.Is(v[i]) {
			return nil, fmt.Errorf("row %d, column %d is %v", i/width, i%width, v[i])
		}
	}
	return mat.NewDense(height, width, v), nil
}
