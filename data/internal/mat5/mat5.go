// Package mat5 reads one full numeric array from a MATLAB file of level 5
// (what MATLAB writes with save -v6 and, compressed, -v7), after "MAT-File
// Format", The MathWorks, chapter 1, "Level 5 MAT-File Format".
//
// A file is a header of 128 bytes and a sequence of elements. An element is a tag and its data, padded to 8
// bytes. The tag has the type and the number of bytes, 4 bytes each. In the "small" form, type and number
// share 4 bytes, and up to 4 bytes of data follow in the next 4. An array is an element of type miMATRIX that
// contains other elements: flags and class, dimensions, name, values. Compression wraps a whole array: an
// element of type miCOMPRESSED holds the array as a zlib stream.
//
// Values are in Fortran order: the first index varies fastest. MATLAB may store an array of doubles as small
// integers if no precision is lost, so the type of the stored values need not match the class of the array.
// Get returns float64 for every class except 64-bit integers. It refuses 64-bit integers, as well as complex,
// sparse, character, cell and structure arrays, and MATLAB 7.3 files, which are HDF5.
//
// Sizes in the file are checked against each other and against the limit
// before anything is read, and memory grows with the bytes that arrive.
package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"overcomplete/data/internal/archive"
)

// Types of elements, table 1-1 of the format.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miMATRIX     = 14
	miCOMPRESSED = 15
)

// sizes holds the bytes per value of each type.
var sizes = map[uint32]int64{miINT8: 1, miUINT8: 1, miINT16: 2, miUINT16: 2, miINT32: 4, miUINT32: 4, miSINGLE: 4, miDOUBLE: 8}

// Classes of arrays, table 1-3: full numeric arrays except those of 64-bit integers.
const (
	mxDOUBLE = 6
	mxUINT32 = 13
)

const (
	flagComplex = 1 << 11
	maxName     = 64 // MATLAB's own limit is 63
	maxDims     = 16
	maxElements = 10_000
)

// An Array is an array of two or more dimensions.
type Array struct {
	Name   string
	Dims   []int
	Values []float64 // the first index varies fastest
}

// Get reads the array with the given name. It returns an error if the file does not have the array, or if the number of
// values in the array exceeds limit. Get reads nothing after the array.
func Get(r io.Reader, name string, limit int) (*Array, error) {
	a, err := get(r, name, int64(limit))
	if err != nil {
		return nil, fmt.Errorf("mat5: %w", err)
	}
	return a, nil
}

func get(r io.Reader, name string, limit int64) (*Array, error) {
	var head [128]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("read %d of the %d bytes of the header: %w", n, len(head), noEOF(err))
	}
	if bytes.HasPrefix(head[:], []byte("MATLAB 7.3")) {
		return nil, errors.New("the file has the format of MATLAB 7.3 (HDF5), which cannot be read; save it with -v7")
	}
	var order binary.ByteOrder
	switch string(head[126:]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, errors.New("this is not a MATLAB level 5 file: bytes 126 and 127 are not IM or MI")
	}
	if v := order.Uint16(head[124:]); v>>8 != 1 {
		return nil, fmt.Errorf("the version of the format is %#x, not 0x100", v)
	}
	for i := range maxElements {
		kind, size, err := tag(r, order)
		if err == io.EOF {
			return nil, fmt.Errorf("there is no array %q among the %d arrays", name, i)
		}
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		body := &io.LimitedReader{R: r, N: size}
		a, err := element(body, order, kind, name, limit)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if a != nil {
			return a, nil
		}
		// Skip the rest of an array that was not requested. Elements at the top level have no padding:
		// uncompressed arrays are multiples of 8 bytes long, and the next tag immediately follows a
		// compressed array.
		if _, err := io.Copy(io.Discard, body); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		if body.N > 0 {
			return nil, fmt.Errorf("element %d: %d of %d bytes are missing: %w", i, body.N, size, io.ErrUnexpectedEOF)
		}
	}
	return nil, fmt.Errorf("there is no array %q among the first %d elements", name, maxElements)
}

// element reads the body of an element at the top level; kind is the type in its tag. It returns nil if the element is
// not the array with the given name.
func element(body io.Reader, order binary.ByteOrder, kind uint32, name string, limit int64) (*Array, error) {
	switch kind {
	case miMATRIX:
		return matrix(body, order, name, limit)
	case miCOMPRESSED:
		z, err := zlib.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("compressed: %w", noEOF(err))
		}
		kind, size, err := tag(z, order)
		if err != nil {
			return nil, fmt.Errorf("compressed: %w", noEOF(err))
		}
		if kind != miMATRIX {
			return nil, nil
		}
		inner := &io.LimitedReader{R: z, N: size}
		a, err := matrix(inner, order, name, limit)
		if a == nil || err != nil {
			return nil, err
		}
		// Read to the end to verify the checksum there. A real array has no imaginary part, so at most 8
		// bytes of padding may follow.
		if _, err := io.Copy(io.Discard, archive.Limited(z, 8)); err != nil {
			return nil, fmt.Errorf("after array %q: %w", name, err)
		}
		return a, nil
	}
	return nil, nil
}

// matrix reads an array from the body of its element. It returns nil if the array has another name or no name.
func matrix(r io.Reader, order binary.ByteOrder, name string, limit int64) (*Array, error) {
	flags, err := sub(r, order, miUINT32, 8)
	if err != nil {
		return nil, fmt.Errorf("flags: %w", err)
	}
	if len(flags) != 8 {
		return nil, fmt.Errorf("flags of %d bytes", len(flags))
	}
	dims, err := sub(r, order, miINT32, 4*maxDims)
	if err != nil {
		return nil, fmt.Errorf("dimensions: %w", err)
	}
	got, err := sub(r, order, miINT8, maxName)
	if err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	if string(got) != name {
		return nil, nil
	}
	word := order.Uint32(flags)
	if class := word & 0xff; class < mxDOUBLE || class > mxUINT32 {
		return nil, fmt.Errorf("array %q is of class %d; only full arrays of numbers up to 32 bits, single and double can be read", name, class)
	}
	if word&flagComplex != 0 {
		return nil, fmt.Errorf("array %q is complex", name)
	}
	a := &Array{Name: name}
	n := int64(1)
	if len(dims) < 8 || len(dims)%4 != 0 {
		return nil, fmt.Errorf("array %q: dimensions in %d bytes", name, len(dims))
	}
	for i := 0; i < len(dims); i += 4 {
		d := int64(int32(order.Uint32(dims[i:])))
		if d < 0 || d > limit {
			return nil, fmt.Errorf("array %q: dimension %d is %d, the limit is %d values", name, i/4, d, limit)
		}
		// Both factors are at most limit, which is an int: check before the product can overflow.
		if d > 0 && n > limit/d {
			return nil, fmt.Errorf("array %q: more than %d values", name, limit)
		}
		n *= d
		a.Dims = append(a.Dims, int(d))
	}
	kind, size, small, err := anyTag(r, order)
	if err != nil {
		return nil, fmt.Errorf("array %q: values: %w", name, noEOF(err))
	}
	width, ok := sizes[kind]
	if !ok {
		return nil, fmt.Errorf("array %q: values of type %d", name, kind)
	}
	if size != n*width {
		return nil, fmt.Errorf("array %q: %d bytes of values for the dimensions %v of %d bytes each", name, size, a.Dims, width)
	}
	var b []byte
	if small != nil {
		b = small
	} else if b, err = archive.ReadExactly(r, size); err != nil {
		return nil, fmt.Errorf("array %q: values: %w", name, err)
	}
	a.Values = make([]float64, n)
	convert(a.Values, b, kind, order)
	return a, nil
}

// convert decodes b into out. kind is the type of the values in b.
func convert(out []float64, b []byte, kind uint32, order binary.ByteOrder) {
	for i := range out {
		switch kind {
		case miINT8:
			out[i] = float64(int8(b[i]))
		case miUINT8:
			out[i] = float64(b[i])
		case miINT16:
			out[i] = float64(int16(order.Uint16(b[2*i:])))
		case miUINT16:
			out[i] = float64(order.Uint16(b[2*i:]))
		case miINT32:
			out[i] = float64(int32(order.Uint32(b[4*i:])))
		case miUINT32:
			out[i] = float64(order.Uint32(b[4*i:]))
		case miSINGLE:
			out[i] = float64(math.Float32frombits(order.Uint32(b[4*i:])))
		case miDOUBLE:
			out[i] = math.Float64frombits(order.Uint64(b[8*i:]))
		}
	}
}

// tag reads a tag of 8 bytes. It returns io.EOF if there are no more tags.
func tag(r io.Reader, order binary.ByteOrder) (kind uint32, size int64, err error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, 0, err
	}
	return order.Uint32(b[:]), int64(order.Uint32(b[4:])), nil
}

// anyTag reads a tag of either form. A tag in the small form has its size in the upper two bytes of the first word. For
// a tag in the small form, small is the tag's data; for a tag in the other form, it is nil.
func anyTag(r io.Reader, order binary.ByteOrder) (kind uint32, size int64, small []byte, err error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, 0, nil, err
	}
	first := order.Uint32(b[:])
	if n := first >> 16; n != 0 {
		if n > 4 {
			return 0, 0, nil, fmt.Errorf("a small element of %d bytes", n)
		}
		return first & 0xffff, int64(n), b[4 : 4+n], nil
	}
	return first, int64(order.Uint32(b[4:])), nil, nil
}

// sub reads an element of the given type, including its padding, and returns its data. It fails if the data is longer
// than limit, in bytes.
func sub(r io.Reader, order binary.ByteOrder, want uint32, limit int64) ([]byte, error) {
	kind, size, small, err := anyTag(r, order)
	if err != nil {
		return nil, noEOF(err)
	}
	if kind != want {
		return nil, fmt.Errorf("an element of type %d, not %d", kind, want)
	}
	if small != nil {
		return small, nil
	}
	if size > limit {
		return nil, fmt.Errorf("%w of %d bytes", archive.ErrLimit, limit)
	}
	b, err := archive.ReadExactly(r, (size+7)/8*8)
	if err != nil {
		return nil, err
	}
	return b[:size], nil
}

// noEOF converts io.EOF to io.ErrUnexpectedEOF where the input must not end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
