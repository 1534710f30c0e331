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

//go:generate go run ./gen -out decode_amd64.s -stubs decode_amd64.go -pkg features
//go:generate go run ./gen -isa neon -out decode_arm64.s -stubs decode_arm64.go -pkg features

// Half-precision numbers are IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. The relative
// rounding error is at most 2⁻¹¹ for numbers from 2⁻¹⁴ to 65504. For smaller numbers, the absolute error is
// at most 2⁻²⁵.

// largest16 is the largest finite half. Numbers that round to a larger value become infinite.
const largest16 = 65504

// toHalf returns the bits of the half-precision number that is nearest to x. If two are equally near, it returns the
// one whose last bit is 0. If x is too large, the result is infinite.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x47800000: // at least 2¹⁶
		return sign | 0x7c00
	case b < 0x38800000: // below 2⁻¹⁴: subnormal
		// Adding ½ moves the bit of weight 2⁻²⁴ to the last place of the fraction. The addition rounds to
		// nearest, ties to even.
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-0x3f000000)
	}
	b += 0xfff + b>>13&1 // ties to even; may carry into the exponent, up to infinity
	return sign | uint16((b-0x38000000)>>13)
}

// fromHalf converts the half-precision number with the bits h to float32. The conversion is exact.
func fromHalf(h uint16) float32 {
	const scale = 1 << 112 // the exponents' biases differ by 112; exact for subnormals too
	b := uint32(h&0x7fff) << 13
	if b >= 0x0f800000 { // Inf, NaN
		b |= 0x7f800000
		return math.Float32frombits(b | uint32(h&0x8000)<<16)
	}
	f := math.Float32frombits(b) * scale
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}

// halves holds the result of fromHalf for every half: a table lookup in the L2 cache takes less time than the
// arithmetic.
var halves = func() *[1 << 16]float32 {
	var t [1 << 16]float32
	for h := range t {
		t[h] = fromHalf(uint16(h))
	}
	return &t
}()

// A Loss holds the errors that a format causes.
type Loss struct {
	Largest  float64 // largest absolute error
	RMS      float64 // root mean square error
	Relative float64 // RMS divided by the root mean square deviation from the column means; 0 if all deviations are 0
	Bytes    int     // encoded size, without the file's head
}

// String summarizes the loss in a line.
func (l Loss) String() string {
	return fmt.Sprintf("largest error %.2g, root mean square %.2g (%.2g of the standard deviation), %d bytes", l.Largest, l.RMS, l.Relative, l.Bytes)
}

// Measure returns the loss of a format for X (n×d, row by row), encoded as one shard.
func Measure(f Format, X []float32, n, d int) (Loss, error) {
	if n <= 0 || d <= 0 || len(X) != n*d {
		panic(fmt.Sprintf("features: Measure: %d numbers are not %d×%d", len(X), n, d))
	}
	if f < Float16 || f > Float32 {
		panic(fmt.Sprintf("features: Measure: unknown format %d", f))
	}
	b, err := f.encode(nil, X, n, d)
	if err != nil {
		return Loss{}, fmt.Errorf("features: Measure: %w", err)
	}
	l := Loss{Bytes: len(b)}
	var lo, step []float32
	if f == Bytes {
		if lo, step, err = decodeTable(b, d); err != nil {
			return Loss{}, fmt.Errorf("features: Measure: %w", err)
		}
	}
	Y := make([]float32, n*d)
	f.decode(Y, b[f.tableLen(d):], d, lo, step)
	mean := make([]float64, d)
	for k, v := range X {
		mean[k%d] += float64(v) / float64(n)
	}
	var spread float64
	for k, v := range X {
		e := float64(Y[k]) - float64(v)
		l.Largest = math.Max(l.Largest, math.Abs(e))
		l.RMS += e * e
		c := float64(v) - mean[k%d]
		spread += c * c
	}
	if spread > 0 {
		l.Relative = math.Sqrt(l.RMS / spread)
	}
	l.RMS = math.Sqrt(l.RMS / float64(n*d))
	return l, nil
}
