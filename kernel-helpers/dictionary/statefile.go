package dictionary

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

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
