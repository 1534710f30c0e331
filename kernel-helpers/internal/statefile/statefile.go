// Package statefile defines the format of files for models, and for the states from which runs are resumed. Files are
// written atomically, and a damaged file is never accepted.
//
// The format, with all numbers little-endian:
//
//	8 bytes   six for the package's name, and two digits for the version
//	8         the kind of the content
//	8         length of what follows, without the checksum
//	8         length of the content
//	          the content, reordered and then compressed with deflate. The order is: the first bytes of all words
//	          of eight bytes, their second bytes, and so on, then the bytes after the last whole word. This puts the
//	          exponents of numbers side by side, which compresses well.
//	8         CRC-64 (ECMA) of all bytes before it
//
// Files of version 01 can be read, too. They contain the content uncompressed and without its length.
package statefile

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math"
	"os"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/finite"
)

const (
	version = "02"
	plain   = "01" // the version whose content is not compressed
	head    = 24
	word    = 8
)

var crcTable = crc64.MakeTable(crc64.ECMA)

// A Format describes the files of one package.
type Format struct {
	Package string // prefix of the messages of Read and Write
	Magic   string // six bytes
	Err     error  // errors about the content of a file wrap Err
	Again   string // what the user can do if a file cannot be used, such as "learn again"
	// Kinds[k-1] is the message if a file is of kind k but another kind was requested. It says what the file holds and
	// what to do with it.
	Kinds []string
}

func (f *Format) damaged() string {
	return "it is cut short or damaged; take a copy of it, or delete it and " + f.Again
}

// Pack returns the bytes of a file that holds content of the given kind.
func (f *Format) Pack(kind uint64, content []byte) []byte {
	packed := compress(content)
	b := make([]byte, 0, head+len(packed)+8)
	b = append(b, f.Magic+version...)
	b = binary.LittleEndian.AppendUint64(b, kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(packed)))
	b = append(b, packed...)
	return binary.LittleEndian.AppendUint64(b, crc64.Checksum(b, crcTable))
}

// compress returns the content's length, followed by the compressed content.
func compress(content []byte) []byte {
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(content))))
	words := len(content) / word
	z, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = z.Write(transposed(content[:words*word], word))
		_, err2 := z.Write(content[words*word:])
		err = errors.Join(err, err2, z.Close())
	}
	if err != nil {
		panic(fmt.Sprintf("statefile: %v", err)) // cannot happen: writing to a bytes.Buffer does not fail
	}
	return b.Bytes()
}

// decompress reverses compress. ok is false if b is not what compress returns.
func decompress(b []byte) (content []byte, ok bool) {
	if len(b) < 8 {
		return nil, false
	}
	n := binary.LittleEndian.Uint64(b)
	if n/1100 > uint64(len(b)) { // deflate compresses at most by a factor of 1032
		return nil, false
	}
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[8:])), int64(n)+1))
	if err != nil || uint64(len(content)) != n {
		return nil, false
	}
	words := len(content) / word
	return append(transposed(content[:words*word], words), content[words*word:]...), true
}

// transposed takes b as the bytes of a matrix with the given number of columns, and returns the bytes of its transpose.
func transposed(b []byte, columns int) []byte {
	out := make([]byte, 0, len(b)+word)
	for j := range columns {
		for i := j; i < len(b); i += columns {
			out = append(out, b[i])
		}
	}
	return out
}

// Unpack returns the content of a file of the given kind, whose bytes are b. If that is impossible, the error says
// what is wrong with the file.
func (f *Format) Unpack(kind uint64, b []byte) ([]byte, error) {
	if len(b) < len(f.Magic) || string(b[:len(f.Magic)]) != f.Magic {
		return nil, fmt.Errorf("%w: it does not begin like a file of this package; is it another file?", f.Err)
	}
	if len(b) < head+8 {
		return nil, fmt.Errorf("%w: %s", f.Err, f.damaged())
	}
	v := string(b[len(f.Magic):8])
	if v != version && v != plain {
		return nil, fmt.Errorf("%w: its version is %q and this program reads %q: use the program that wrote it, or %s", f.Err, v, version, f.Again)
	}
	end := len(b) - 8
	if binary.LittleEndian.Uint64(b[16:]) != uint64(end-head) {
		return nil, fmt.Errorf("%w: it has %d bytes, but its header gives another length: %s", f.Err, len(b), f.damaged())
	}
	if crc64.Checksum(b[:end], crcTable) != binary.LittleEndian.Uint64(b[end:]) {
		return nil, fmt.Errorf("%w: the checksum is wrong: %s", f.Err, f.damaged())
	}
	switch k := binary.LittleEndian.Uint64(b[8:]); {
	case k == kind:
	case k >= 1 && k <= uint64(len(f.Kinds)):
		return nil, fmt.Errorf("%w: %s", f.Err, f.Kinds[k-1])
	default:
		return nil, fmt.Errorf("%w: its kind %d is unknown", f.Err, k)
	}
	if b = b[head:end]; v == plain {
		return b, nil
	}
	content, ok := decompress(b)
	if !ok {
		return nil, fmt.Errorf("%w: %s", f.Err, f.damaged())
	}
	return content, nil
}

// Write writes a file atomically: under a temporary name, which it then changes to path.
func (f *Format) Write(path string, kind uint64, content []byte) error {
	if err := atomicfile.Write(path, f.Pack(kind, content), 0o644); err != nil {
		return fmt.Errorf("%s: %w", f.Package, err)
	}
	return nil
}

// Read returns the content of a file of the given kind.
func (f *Format) Read(path string, kind uint64) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Package, err)
	}
	if b, err = f.Unpack(kind, b); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.Package, path, err)
	}
	return b, nil
}

// A Decoder reads numbers from the front of B. An error sets Bad. Check it at the end: what is read after an error has
// no meaning.
type Decoder struct {
	B   []byte
	Bad bool
}

// Fail sets Bad and ends the decoding: all later reads return 0 or nil.
func (d *Decoder) Fail() { d.Bad, d.B = true, nil }

// Uint reads an unsigned integer of 64 bits.
func (d *Decoder) Uint() uint64 {
	if len(d.B) < 8 {
		d.Fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(d.B)
	d.B = d.B[8:]
	return v
}

// Int reads an integer from 0 to 2⁵³. If it is larger, Int sets Bad and returns 0.
func (d *Decoder) Int() int {
	v := d.Uint()
	if v > 1<<53 {
		d.Bad = true
		return 0
	}
	return int(v)
}

// Finite reads a float64. If it is NaN or infinite, Finite sets Bad and returns 0.
func (d *Decoder) Finite() float64 {
	v := math.Float64frombits(d.Uint())
	if !finite.Is(v) {
		d.Bad = true
		return 0
	}
	return v
}

// Floats reads n finite numbers. If n is negative or B holds fewer than n numbers, Floats sets Bad and returns nil,
// without allocating memory.
func (d *Decoder) Floats(n int) []float64 {
	if n < 0 || n > len(d.B)/8 {
		d.Fail()
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = d.Finite()
	}
	return v
}
