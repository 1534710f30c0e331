package dictionary

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/statefile"
)

const (
	basisFile uint64 = 1 + iota
	stateFile
)

// ErrFile identifies errors about the content of a file: all of them wrap it.
var ErrFile = errors.New("not a usable dictionary file")

var format = &statefile.Format{
	Package: "dictionary", Magic: "OCDICT", Err: ErrFile, Again: "learn again",
	Kinds: []string{
		"it has a basis and no state: read it with Load and give it as Options.Init",
		"it has a state and no basis alone: read it with LoadState",
	},
}

// An encoder appends encoded values to b.
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

// A decoder reads values that an encoder wrote.
type decoder struct{ statefile.Decoder }

func newDecoder(b []byte) *decoder { return &decoder{statefile.Decoder{B: b}} }

// count reads the length of a list; size is the least number of bytes that an element takes. It rejects a length for
// which too few bytes are left, so that a corrupt length does not lead to a huge allocation.
func (d *decoder) count(size int) int {
	n := d.Int()
	if n > len(d.B)/size {
		d.Fail()
		return 0
	}
	return n
}

// floats reads a list of numbers. Its length must be one of the allowed lengths.
func (d *decoder) floats(allowed ...int) []float64 {
	n := d.count(8)
	ok := false
	for _, a := range allowed {
		ok = ok || n == a
	}
	if !ok {
		d.Fail()
	}
	if n == 0 || d.Bad {
		return nil
	}
	return d.Floats(n)
}

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

// Save writes the state to a file atomically: a failed Save leaves no partial file.
func (s *State) Save(path string) error { return format.Write(path, stateFile, s.encode()) }

// LoadState reads a state that Save wrote. For a damaged file, or a file of another kind, it returns an error
// that wraps ErrFile and says what to do.
func LoadState(path string) (*State, error) {
	b, err := format.Read(path, stateFile)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(b)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %s: %w", path, err)
	}
	return s, nil
}

func (s *State) encode() []byte {
	d, n := s.B.Dims()
	var e encoder
	e.int(d)
	e.int(n)
	e.floats(s.B.RawMatrix().Data)
	for _, v := range []int{s.Step, s.Pass, s.Replaced, s.Missed, s.at, s.coded, s.since} {
		e.int(v)
	}
	for _, list := range [][]Record{s.Steps, s.Passes} {
		e.int(len(list))
		for _, r := range list {
			e.int(r.Step)
			e.int(r.Signals)
			e.float(r.Seconds)
			e.float(r.Objective)
		}
	}
	e.int(len(s.set))
	e.b = append(e.b, s.set...)
	e.uint(s.data)
	for _, v := range []float64{s.sum, s.second, s.unit} {
		e.float(v)
	}
	for _, v := range [][]float64{s.use, s.lastUse, s.window, s.a, s.ct, s.lambda} {
		e.floats(v)
	}
	e.int(len(s.warm))
	for _, c := range s.warm {
		e.int(c.size)
		e.int(len(c.at))
		for k, j := range c.at {
			e.b = binary.LittleEndian.AppendUint32(e.b, j)
			e.float(c.v[k])
		}
	}
	return e.b
}

func decodeState(b []byte) (*State, error) {
	c := newDecoder(b)
	s := &State{}
	d, n := c.Int(), c.Int()
	if c.Bad || d < 1 || n < 1 || n > len(c.B)/8/d {
		return nil, errContent
	}
	v := c.floats(d * n)
	if c.Bad {
		return nil, errContent
	}
	s.B = mat.NewDense(d, n, v)
	for _, p := range []*int{&s.Step, &s.Pass, &s.Replaced, &s.Missed, &s.at, &s.coded, &s.since} {
		*p = c.Int()
	}
	for _, p := range []*[]Record{&s.Steps, &s.Passes} {
		for range c.count(32) {
			*p = append(*p, Record{c.Int(), c.Int(), c.Finite(), c.Finite()})
		}
	}
	k := c.count(1)
	s.set, c.B = string(c.B[:k]), c.B[k:]
	s.data = c.Uint()
	for _, p := range []*float64{&s.sum, &s.second, &s.unit} {
		*p = c.Finite()
	}
	nn := -1 // n² may overflow; no list has the overflowed length
	if n <= math.MaxInt32 {
		nn = n * n
	}
	s.use, s.lastUse, s.window = c.floats(n), c.floats(0, n), c.floats(n)
	s.a, s.ct, s.lambda = c.floats(0, nn), c.floats(0, n*d), c.floats(0, n)
	for range c.count(16) {
		w := cell{size: c.Int()}
		for range c.count(12) {
			j := binary.LittleEndian.Uint32(c.B)
			c.B = c.B[4:]
			w.at, w.v = append(w.at, j), append(w.v, c.Finite())
			c.Bad = c.Bad || int(j) >= w.size
		}
		c.Bad = c.Bad || w.size > max(d, n)
		if c.Bad {
			break
		}
		s.warm = append(s.warm, w)
	}
	if c.Bad || len(c.B) > 0 || len(s.Steps) != s.Step || len(s.Passes) != s.Pass {
		return nil, errContent
	}
	return s, nil
}
