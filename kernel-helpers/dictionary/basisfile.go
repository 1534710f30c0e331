package dictionary

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Save writes B (D×n) to a file atomically: a failed Save leaves no partial file. If single is true, the elements are
// rounded to float32, which halves the size; the norms of the columns then differ from 1 by about 1e-8.
func Save(path string, B mat.Matrix, single bool) error {
	d, n := dims("Save", "B", B)
	var e encoder
	e.int(d)
	e.int(n)
	width := 8
	if single {
		width = 4
	}
	e.int(width)
	for i := range d {
		for j := range n {
			v := B.At(i, j)
			if single {
				f := float32(v)
				if v = float64(f); finite.Is(v) {
					e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(f))
				}
			} else {
				e.float(v)
			}
			if !finite.Is(v) {
				return fmt.Errorf("dictionary: Save: B is %v in row %d, column %d", v, i, j)
			}
		}
	}
	return format.Write(path, basisFile, e.b)
}

// Load reads a basis B (D×n) that Save wrote. For a damaged file, or a file of another kind, it returns an
// error that wraps ErrFile and says what to do.
func Load(path string) (*mat.Dense, error) {
	b, err := format.Read(path, basisFile)
	if err != nil {
		return nil, err
	}
	B, err := decodeBasis(b)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %s: %w", path, err)
	}
	return B, nil
}

var errContent = fmt.Errorf("%w: the content is inconsistent; delete it and learn again", ErrFile)

func decodeBasis(b []byte) (*mat.Dense, error) {
	c := newDecoder(b)
	d, n, width := c.Int(), c.Int(), c.Int()
	if c.Bad || d < 1 || n < 1 || width != 4 && width != 8 || n > len(c.B)/width/d || d*n*width != len(c.B) {
		return nil, errContent
	}
	v := make([]float64, d*n)
	for k := range v {
		if width == 8 {
			v[k] = c.Finite()
			continue
		}
		v[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(c.B[4*k:])))
		c.Bad = c.Bad || v[k]-v[k] != 0
	}
	if c.Bad {
		return nil, errContent
	}
	return mat.NewDense(d, n, v), nil
}

// Save writes B to a file; see the function Save.
func (r *Result) Save(path string, single bool) error {
	if r == nil || r.B == nil {
		return errors.New("dictionary: Save: the result has no basis")
	}
	return Save(path, r.B, single)
}
