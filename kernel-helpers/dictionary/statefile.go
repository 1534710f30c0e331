package dictionary

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Save writes the state to a file, whole or not at all.
func (s *State) Save(path string) error { return write(path, stateFile, s.encode()) }

// LoadState reads a state that Save wrote. A file that is not one, or is damaged, is
// an error that wraps ErrFile and says what to do.
func LoadState(path string) (*State, error) {
	b, err := read(path, stateFile)
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
	c := &decoder{b: b}
	s := &State{}
	d, n := c.int(), c.int()
	if c.bad || d < 1 || n < 1 || n > len(c.b)/8/d {
		return nil, errContent
	}
	v := c.floats(d * n)
	if c.bad {
		return nil, errContent
	}
	s.B = mat.NewDense(d, n, v)
	for _, p := range []*int{&s.Step, &s.Pass, &s.Replaced, &s.Missed, &s.at, &s.coded, &s.since} {
		*p = c.int()
	}
	for _, p := range []*[]Record{&s.Steps, &s.Passes} {
		for range c.count(32) {
			*p = append(*p, Record{c.int(), c.int(), c.finite(), c.finite()})
		}
	}
	k := c.count(1)
	s.set, c.b = string(c.b[:k]), c.b[k:]
	s.data = c.uint()
	for _, p := range []*float64{&s.sum, &s.second, &s.unit} {
		*p = c.finite()
	}
	nn := -1 // n² may overflow, but then no list has that length
	if n <= math.MaxInt32 {
		nn = n * n
	}
	s.use, s.lastUse, s.window = c.floats(n), c.floats(0, n), c.floats(n)
	s.a, s.ct, s.lambda = c.floats(0, nn), c.floats(0, n*d), c.floats(0, n)
	for range c.count(16) {
		w := cell{size: c.int()}
		for range c.count(12) {
			j := binary.LittleEndian.Uint32(c.b)
			c.b = c.b[4:]
			w.at, w.v = append(w.at, j), append(w.v, c.finite())
			c.bad = c.bad || int(j) >= w.size
		}
		c.bad = c.bad || w.size > max(d, n)
		if c.bad {
			break
		}
		s.warm = append(s.warm, w)
	}
	if c.bad || len(c.b) > 0 || len(s.Steps) != s.Step || len(s.Passes) != s.Pass {
		return nil, errContent
	}
	return s, nil
}
