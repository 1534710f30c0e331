package dictionary

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"os"

	"overcomplete/data/atomicfile"
)

// A file is, all numbers little-endian,
//
//	8 bytes   "OCDICT" and two digits, the version
//	8         what it holds: a basis or a state
//	8         length of the content
//	          the content
//	8         CRC-64 (ECMA) of all that is before
const (
	magic   = "OCDICT"
	version = "01"
	head    = 24
)

const (
	basisFile uint64 = 1 + iota
	stateFile
)

// ErrFile is wrapped by the errors about the content of a file.
var ErrFile = errors.New("not a usable dictionary file")

const damaged = "it is cut short or damaged; take a copy of it, or delete it and learn again"

func pack(kind uint64, content []byte) []byte {
	b := make([]byte, 0, head+len(content)+8)
	b = append(b, magic+version...)
	b = binary.LittleEndian.AppendUint64(b, kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(content)))
	b = append(b, content...)
	return binary.LittleEndian.AppendUint64(b, crc64.Checksum(b, crcTable))
}

// unpack gives the content of a file, or says what is wrong with it.
func unpack(kind uint64, b []byte) ([]byte, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as one that this package wrote; is it another file?", ErrFile)
	}
	if len(b) < head+8 {
		return nil, fmt.Errorf("%w: %s", ErrFile, damaged)
	}
	if v := string(b[len(magic):8]); v != version {
		return nil, fmt.Errorf("%w: its version is %q and this program reads %q: use the program that wrote it, or learn again", ErrFile, v, version)
	}
	end := len(b) - 8
	if binary.LittleEndian.Uint64(b[16:]) != uint64(end-head) {
		return nil, fmt.Errorf("%w: it has %d bytes, its beginning tells of another length: %s", ErrFile, len(b), damaged)
	}
	if crc64.Checksum(b[:end], crcTable) != binary.LittleEndian.Uint64(b[end:]) {
		return nil, fmt.Errorf("%w: the checksum is wrong: %s", ErrFile, damaged)
	}
	switch k := binary.LittleEndian.Uint64(b[8:]); {
	case k == kind:
	case k == basisFile:
		return nil, fmt.Errorf("%w: it has a basis and no state: read it with Load and give it as Options.Init", ErrFile)
	case k == stateFile:
		return nil, fmt.Errorf("%w: it has a state and no basis alone: read it with LoadState", ErrFile)
	default:
		return nil, fmt.Errorf("%w: it has something unknown, number %d", ErrFile, k)
	}
	return b[head:end], nil
}

func write(path string, kind uint64, content []byte) error {
	if err := atomicfile.Write(path, pack(kind, content), 0o644); err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	return nil
}

func read(path string, kind uint64) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	if b, err = unpack(kind, b); err != nil {
		return nil, fmt.Errorf("dictionary: %s: %w", path, err)
	}
	return b, nil
}

// An encoder appends to b.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) int(v int)       { e.uint(uint64(v)) }
func (e *encoder) float(v float64) { e.uint(math.Float64bits(v)) }

func (e *encoder) floats(v []float64) {
	e.int(len(v))
	for _, x := range v {
		e.float(x)
	}
}

// A decoder takes from b. After the first mistake bad is set, and zeros come.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	if len(d.b) < 8 {
		d.bad, d.b = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return v
}

// int takes a number from 0 to 2⁵³.
func (d *decoder) int() int {
	v := d.uint()
	if v > 1<<53 {
		d.bad = true
		return 0
	}
	return int(v)
}

// finite takes a number that is not NaN or infinite.
func (d *decoder) finite() float64 {
	v := math.Float64frombits(d.uint())
	if v-v != 0 {
		d.bad = true
		return 0
	}
	return v
}

// count takes the length of a list whose elements have size bytes or more: never more
// than there is, so that a wrong one allocates nothing.
func (d *decoder) count(size int) int {
	n := d.int()
	if n > len(d.b)/size {
		d.bad, d.b = true, nil
		return 0
	}
	return n
}

// floats takes a list that has one of the allowed lengths.
func (d *decoder) floats(allowed ...int) []float64 {
	n := d.count(8)
	ok := false
	for _, a := range allowed {
		ok = ok || n == a
	}
	if !ok {
		d.bad, d.b = true, nil
	}
	if n == 0 || d.bad {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = d.finite()
	}
	return v
}
