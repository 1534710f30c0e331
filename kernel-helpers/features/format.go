package features

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Format is the encoding in which numbers are stored.
type Format int

const (
	// Float16 is IEEE half precision: 2 bytes, a relative error of at most 2⁻¹¹
	// for numbers from 6e-5 to 65504.
	Float16 Format = iota
	// Bytes divides the range of each column in a shard into 255 equal steps: 1 byte, an error of at most
	// half a step.
	Bytes
	// Float32 is exact: 4 bytes.
	Float32
)

// String returns the format's name.
func (f Format) String() string {
	switch f {
	case Float16:
		return "float16"
	case Bytes:
		return "bytes"
	case Float32:
		return "float32"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// width returns the number of bytes per number.
func (f Format) width() int { return []int{2, 1, 4}[f] }

// tableLen returns the size in bytes of the table that precedes the numbers of a shard with d columns. Only Bytes has
// such a table; see decodeTable.
func (f Format) tableLen(d int) int {
	if f == Bytes {
		return 8 * d
	}
	return 0
}

// encode appends the encoded X (n×d) to b. In format Bytes, it first appends the table that decodeTable reads. Then it
// appends the numbers row by row.
func (f Format) encode(b []byte, X []float32, n, d int) ([]byte, error) {
	for k, v := range X[:n*d] {
		if bad := v - v; bad != 0 {
			return nil, fmt.Errorf("row %d, column %d is %v", k/d, k%d, v)
		}
		if f == Float16 && (v >= largest16+16 || v <= -largest16-16) {
			return nil, fmt.Errorf("row %d, column %d is %v; the largest float16 is %d", k/d, k%d, v, largest16)
		}
	}
	le := binary.LittleEndian
	switch f {
	case Float16:
		for _, v := range X[:n*d] {
			b = le.AppendUint16(b, toHalf(v))
		}
	case Float32:
		for _, v := range X[:n*d] {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
	case Bytes:
		lo, hi := make([]float32, d), make([]float32, d)
		copy(lo, X[:d])
		copy(hi, X[:d])
		for i := 1; i < n; i++ {
			for j, v := range X[i*d : (i+1)*d] {
				lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
			}
		}
		step, inverse := make([]float32, d), make([]float64, d)
		for j := range step {
			step[j] = float32((float64(hi[j]) - float64(lo[j])) / 255)
			if step[j] > 0 {
				inverse[j] = 1 / float64(step[j])
			}
			b = le.AppendUint32(b, math.Float32bits(lo[j]))
			b = le.AppendUint32(b, math.Float32bits(step[j]))
		}
		for i := range n {
			for j, v := range X[i*d : (i+1)*d] {
				b = append(b, byte(min(255, math.Round((float64(v)-float64(lo[j]))*inverse[j]))))
			}
		}
	}
	return b, nil
}

// decode converts the encoded rows b, of d columns each, to numbers in dst. lo and step come from decodeTable; only
// Bytes uses them.
func (f Format) decode(dst []float32, b []byte, d int, lo, step []float32) {
	switch f {
	case Float16:
		decodeHalves(dst, b)
	case Bytes:
		for ; len(dst) > 0; dst, b = dst[d:], b[d:] {
			decodeBytes(dst[:d], b[:d], lo, step)
		}
	case Float32:
		b = b[:4*len(dst)]
		for k := range dst {
			dst[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		}
	}
}

// halvesPortable is the plain Go version of decodeHalves.
func halvesPortable(dst []float32, from []byte) {
	for k := range dst {
		dst[k] = halves[binary.LittleEndian.Uint16(from[2*k:])]
	}
}

// bytesPortable is the plain Go version of decodeBytes.
func bytesPortable(dst []float32, from []byte, lo, step []float32) {
	for j := range dst {
		dst[j] = lo[j] + float32(step[j]*float32(from[j])) // the conversion prevents a fused multiply-add, so every processor rounds twice
	}
}

// decodeTable reads the table of a shard in format Bytes. For each of the d columns, the table has two numbers: lo is
// the smallest value, and step is the difference between the values of successive bytes.
func decodeTable(b []byte, d int) (lo, step []float32, err error) {
	lo, step = make([]float32, d), make([]float32, d)
	for j := range d {
		lo[j] = math.Float32frombits(binary.LittleEndian.Uint32(b[8*j:]))
		step[j] = math.Float32frombits(binary.LittleEndian.Uint32(b[8*j+4:]))
		if lo[j]-lo[j] != 0 || step[j]-step[j] != 0 || step[j] < 0 {
			return nil, nil, fmt.Errorf("column %d goes from %v in steps of %v", j, lo[j], step[j])
		}
	}
	return lo, step, nil
}
