package s3c

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/atomicfile"
)

// A file is, all numbers little-endian,
//
//	8 bytes   "OCS3CM" and two digits, the version
//	8         what it holds: a model or a state
//	8         length of the content
//	          the content
//	8         CRC-64 (ECMA) of all that is before
const (
	magic   = "OCS3CM"
	version = "01"
	head    = 24
)

const (
	modelFile uint64 = 1 + iota
	stateFile
)

// ErrFile is wrapped by the errors about the content of a file.
var ErrFile = errors.New("not a usable S3C file")

var (
	crcTable   = crc64.MakeTable(crc64.ECMA)
	errContent = fmt.Errorf("%w: its content contradicts itself", ErrFile)
)

const damaged = "it is cut short or damaged; take a copy of it, or delete it and train again"

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
		return nil, fmt.Errorf("%w: its version is %q and this program reads %q: use the program that wrote it, or train again", ErrFile, v, version)
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
	case k == modelFile:
		return nil, fmt.Errorf("%w: it has a model and no state: read it with Load and give it as Options.Init", ErrFile)
	case k == stateFile:
		return nil, fmt.Errorf("%w: it has a state and not a model alone: read it with LoadState", ErrFile)
	default:
		return nil, fmt.Errorf("%w: it has something unknown, number %d", ErrFile, k)
	}
	return b[head:end], nil
}

func write(path string, kind uint64, content []byte) error {
	if err := atomicfile.Write(path, pack(kind, content), 0o644); err != nil {
		return fmt.Errorf("s3c: %w", err)
	}
	return nil
}

func read(path string, kind uint64) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("s3c: %w", err)
	}
	if b, err = unpack(kind, b); err != nil {
		return nil, fmt.Errorf("s3c: %s: %w", path, err)
	}
	return b, nil
}

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error {
	if err := m.Check(); err != nil {
		return err
	}
	return write(path, modelFile, m.encode(nil))
}

// Load reads a model that Model.Save wrote. A file that is not one, or is damaged, is an
// error that wraps ErrFile and says what to do.
func Load(path string) (*Model, error) {
	b, err := read(path, modelFile)
	if err != nil {
		return nil, err
	}
	d := &decoder{b: b}
	m := decodeModel(d)
	if m == nil || d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("s3c: %s: %w", path, errContent)
	}
	return m, nil
}

// Save writes the state to a file, whole or not at all.
func (s *State) Save(path string) error { return write(path, stateFile, s.encode()) }

// LoadState reads a state that State.Save wrote. A file that is not one, or is damaged,
// is an error that wraps ErrFile and says what to do.
func LoadState(path string) (*State, error) {
	b, err := read(path, stateFile)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(b)
	if err != nil {
		return nil, fmt.Errorf("s3c: %s: %w", path, err)
	}
	return s, nil
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

func (d *decoder) floats(n int) []float64 {
	if n < 0 || n > len(d.b)/8 {
		d.bad, d.b = true, nil
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = d.finite()
	}
	return v
}

// decodeModel gives nil if there is no model: shapes are looked at before memory is
// taken.
func decodeModel(c *decoder) *Model {
	d, n, betas := c.int(), c.int(), c.int()
	if c.bad || d < 1 || n < 1 || betas != 1 && betas != d || n > len(c.b)/8/d {
		return nil
	}
	w := c.floats(d * n)
	m := &Model{Bias: c.floats(n), Mu: c.floats(n), Alpha: c.floats(n), Beta: c.floats(betas)}
	if c.bad {
		return nil
	}
	m.W = mat.NewDense(d, n, w)
	if m.Check() != nil {
		return nil
	}
	return m
}

func decodeState(b []byte) (*State, error) {
	c := &decoder{b: b}
	s := &State{Model: decodeModel(c)}
	if s.Model == nil {
		return nil, errContent
	}
	s.Step, s.from = c.int(), c.int()
	if s.Step > len(c.b)/72 {
		return nil, errContent
	}
	for range s.Step {
		r := Record{Step: c.int(), Patches: c.int(), Used: c.int()}
		r.Seconds, r.Energy, r.H, r.Beta, r.Alpha, r.Bias = c.finite(), c.finite(), c.finite(), c.finite(), c.finite(), c.finite()
		s.History = append(s.History, r)
	}
	_, n := s.Model.Dims()
	s.Use = c.floats(n)
	s.second = c.finite()
	s.data = c.uint()
	if k := c.int(); c.bad || k != len(c.b) {
		return nil, errContent
	}
	s.set = string(c.b)
	return s, nil
}
