package s3c

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/statefile"
)

const (
	modelFile uint64 = 1 + iota
	stateFile
)

// ErrFile identifies errors about the content of a file: they wrap it.
var ErrFile = errors.New("not a usable S3C file")

var (
	crcTable   = crc64.MakeTable(crc64.ECMA) // for the data's checksum
	errContent = fmt.Errorf("%w: its content is inconsistent", ErrFile)
)

var format = &statefile.Format{
	Package: "s3c", Magic: "OCS3CM", Err: ErrFile, Again: "train again",
	Kinds: []string{
		"it has a model but no state: read it with Load and pass it as Options.Init",
		"it has a state, not a model alone: read it with LoadState",
	},
}

// Save writes the model to a file, atomically.
func (m *Model) Save(path string) error {
	if err := m.Check(); err != nil {
		return err
	}
	return format.Write(path, modelFile, m.encode(nil))
}

// Load reads a model that Model.Save wrote. If the file was not written by Model.Save, or
// is damaged, the error wraps ErrFile and says what to do.
func Load(path string) (*Model, error) {
	b, err := format.Read(path, modelFile)
	if err != nil {
		return nil, err
	}
	d := &statefile.Decoder{B: b}
	m := decodeModel(d)
	if m == nil || d.Bad || len(d.B) > 0 {
		return nil, fmt.Errorf("s3c: %s: %w", path, errContent)
	}
	return m, nil
}

// Save writes the state to a file, atomically.
func (s *State) Save(path string) error { return format.Write(path, stateFile, s.encode()) }

// LoadState reads a state that State.Save wrote. If the file was not written by
// State.Save, or is damaged, the error wraps ErrFile and says what to do.
func LoadState(path string) (*State, error) {
	b, err := format.Read(path, stateFile)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(b)
	if err != nil {
		return nil, fmt.Errorf("s3c: %s: %w", path, err)
	}
	return s, nil
}

// Checksum returns a 64-bit checksum of the model's parameters, in hexadecimal. Different models almost certainly have
// different checksums.
func (m *Model) Checksum() string {
	return fmt.Sprintf("%016x", crc64.Checksum(m.encode(nil), crcTable))
}

func (m *Model) encode(b []byte) []byte {
	d, n := m.Dims()
	b = binary.LittleEndian.AppendUint64(b, uint64(d))
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(m.Beta)))
	for k := range d {
		b = appendFloats(b, m.W.RawRowView(k))
	}
	for _, x := range [][]float64{m.Bias, m.Mu, m.Alpha, m.Beta} {
		b = appendFloats(b, x)
	}
	return b
}

func appendFloats(b []byte, x []float64) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func (s *State) encode() []byte {
	b := s.Model.encode(nil)
	u := func(v int) { b = binary.LittleEndian.AppendUint64(b, uint64(v)) }
	u(s.Step)
	u(s.from)
	for _, r := range s.History {
		u(r.Step)
		u(r.Patches)
		u(r.Used)
		b = appendFloats(b, []float64{r.Seconds, r.Energy, r.H, r.Beta, r.Alpha, r.Bias})
	}
	b = appendFloats(b, s.Use)
	b = appendFloats(b, []float64{s.second})
	b = binary.LittleEndian.AppendUint64(b, s.data)
	u(len(s.set))
	return append(b, s.set...)
}

// decodeModel reads a model from c. It returns nil if c does not continue with a valid model. It checks shapes before
// it allocates memory, because a damaged file may contain arbitrary numbers.
func decodeModel(c *statefile.Decoder) *Model {
	d, n, betas := c.Int(), c.Int(), c.Int()
	if c.Bad || d < 1 || n < 1 || betas != 1 && betas != d || n > len(c.B)/8/d {
		return nil
	}
	w := c.Floats(d * n)
	m := &Model{Bias: c.Floats(n), Mu: c.Floats(n), Alpha: c.Floats(n), Beta: c.Floats(betas)}
	if c.Bad {
		return nil
	}
	m.W = mat.NewDense(d, n, w)
	if m.Check() != nil {
		return nil
	}
	return m
}

func decodeState(b []byte) (*State, error) {
	c := &statefile.Decoder{B: b}
	s := &State{Model: decodeModel(c)}
	if s.Model == nil {
		return nil, errContent
	}
	s.Step, s.from = c.Int(), c.Int()
	if s.Step > len(c.B)/72 {
		return nil, errContent
	}
	for range s.Step {
		r := Record{Step: c.Int(), Patches: c.Int(), Used: c.Int()}
		r.Seconds, r.Energy, r.H, r.Beta, r.Alpha, r.Bias = c.Finite(), c.Finite(), c.Finite(), c.Finite(), c.Finite(), c.Finite()
		s.History = append(s.History, r)
	}
	_, n := s.Model.Dims()
	s.Use = c.Floats(n)
	s.second = c.Finite()
	s.data = c.Uint()
	if k := c.Int(); c.Bad || k != len(c.B) {
		return nil, errContent
	}
	s.set = string(c.B)
	return s, nil
}
