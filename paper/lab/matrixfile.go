package lab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
)

// Single rounds m to float32, in place, and returns it. A rounded matrix takes half the space in a file.
func Single(m *mat.Dense) *mat.Dense {
	m.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, m)
	return m
}

// Rough rounds m to 16 significant bits, in place, and returns it. Each number changes by at most 2⁻¹⁶, or about
// 1.5·10⁻⁵, of its size. This is precise enough if only the mean of measurements is reported. In an archive (see Pack)
// a rough matrix takes a third less space than one rounded by Single.
func Rough(m *mat.Dense) *mat.Dense {
	m.Apply(func(_, _ int, v float64) float64 {
		fraction, exponent := math.Frexp(v)
		return math.Ldexp(math.RoundToEven(fraction*(1<<16)), exponent-16)
	}, m)
	return Single(m)
}

// A matrix file is sealed (see atomicfile.Seal). It contains the number of rows, the number of columns and the bytes
// per number, each as uint32, then the numbers, all little-endian. The first bytes of all numbers come first, then
// their second bytes, and so on, because adjacent exponents compress well. In a file of an older version the bytes of
// each number are adjacent.
const (
	magic    = "overcomplete matrix 2\n"
	oldMagic = "overcomplete matrix 1\n"
)

// WriteMatrix writes m to a file, through a temporary file. A number takes 4 bytes if all numbers are exact
// in float32, otherwise 8.
func WriteMatrix(path string, m *mat.Dense) error {
	r, c := m.Dims()
	width := uint32(4)
	for i := range r {
		for _, v := range m.RawRowView(i) {
			if float64(float32(v)) != v {
				width = 8
			}
		}
	}
	var head, numbers []byte
	for _, v := range []uint32{uint32(r), uint32(c), width} {
		head = binary.LittleEndian.AppendUint32(head, v)
	}
	for i := range r {
		for _, v := range m.RawRowView(i) {
			if width == 4 {
				numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(float32(v)))
			} else {
				numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(v))
			}
		}
	}
	return atomicfile.WriteSealed(path, magic, append(head, transposed(numbers, int(width))...), 0o644)
}

// transposed treats b as a matrix of bytes with the given number of columns, stored row by row, and returns the bytes
// of its transpose.
func transposed(b []byte, columns int) []byte {
	out := make([]byte, 0, len(b))
	for j := range columns {
		for i := j; i < len(b); i += columns {
			out = append(out, b[i])
		}
	}
	return out
}

// ReadMatrix reads a file that WriteMatrix has written, and returns an error
// for any other file.
func ReadMatrix(path string) (*mat.Dense, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parseMatrix(b)
	if err != nil {
		return nil, unreadableError(path, err)
	}
	return m, nil
}

func unreadableError(path string, err error) error {
	return fmt.Errorf("%s: %w; remove it, or get it anew from version control if it belongs there", path, err)
}

func parseMatrix(b []byte) (*mat.Dense, error) {
	rest, err := atomicfile.Unseal(magic, b)
	old := bytes.HasPrefix(b, []byte(oldMagic))
	if old {
		rest, err = atomicfile.Unseal(oldMagic, b)
	}
	if err != nil {
		return nil, err
	}
	if len(rest) < 12 {
		return nil, errors.New("it has no shape")
	}
	u := binary.LittleEndian.Uint32
	r, c, width := uint64(u(rest)), uint64(u(rest[4:])), uint64(u(rest[8:]))
	rest = rest[12:]
	if r == 0 || c == 0 || width != 4 && width != 8 || r*c > uint64(len(rest)) || r*c*width != uint64(len(rest)) {
		return nil, fmt.Errorf("%d×%d numbers of %d bytes do not fit its length", r, c, width)
	}
	if !old {
		rest = transposed(rest, int(r*c))
	}
	x := make([]float64, r*c)
	for i := range x {
		if width == 4 {
			x[i] = float64(math.Float32frombits(u(rest[4*i:])))
		} else {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		}
	}
	return mat.NewDense(int(r), int(c), x), nil
}
