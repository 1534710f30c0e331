package lab

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"

	"gonum.org/v1/gonum/mat"
)

// A Store keeps what takes long to make, a learned basis or an error rate, under
// a key, so that a run that was stopped goes on where it was. The key
// must name all that the matrix depends on. What the folder Kept has (it is under
// version control: small things that must last) is not made again; what is made
// is written to Folder. With an empty Folder a Store keeps nothing on disk.
type Store struct {
	Kept, Folder string
	memory       map[string]*mat.Dense
}

// Stages is the store of a run: at full size in the user's cache, else in memory
// alone; kept is a folder below the project's root, may be "".
func (l Lab) Stages(kept string) *Store {
	s := &Store{}
	if kept != "" {
		s.Kept = filepath.Join(l.Root, filepath.FromSlash(kept))
	}
	if l.Full() {
		cache, err := os.UserCacheDir()
		Check(err)
		s.Folder = filepath.Join(cache, "overcomplete", "stages", l.Paper)
	}
	return s
}

var keys = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// Matrix returns the matrix with this key (lower-case letters, digits, hyphens,
// points), made by make if it is nowhere yet. The caller must not modify it.
func (s *Store) Matrix(key string, make func() *mat.Dense) *mat.Dense {
	if !keys.MatchString(key) {
		panic(fmt.Sprintf("lab: Store.Matrix: key %q", key))
	}
	if m, ok := s.memory[key]; ok {
		return m
	}
	m := s.find(key)
	if m == nil {
		m = make()
		if s.Folder != "" {
			Check(os.MkdirAll(s.Folder, 0o777))
			Check(WriteMatrix(filepath.Join(s.Folder, key+".mat"), m))
		}
	}
	if s.memory == nil {
		s.memory = map[string]*mat.Dense{}
	}
	s.memory[key] = m
	return m
}

// Numbers is Matrix for a few numbers, an error rate and what was chosen.
func (s *Store) Numbers(key string, make func() []float64) []float64 {
	return s.Matrix(key, func() *mat.Dense {
		x := make()
		return mat.NewDense(1, len(x), x)
	}).RawRowView(0)
}

// Has reports whether Matrix would find the key.
func (s *Store) Has(key string) bool {
	return s.memory[key] != nil || s.find(key) != nil
}

// find looks on disk; a broken file is an error and not made anew in silence.
func (s *Store) find(key string) *mat.Dense {
	for _, folder := range []string{s.Kept, s.Folder} {
		if folder == "" {
			continue
		}
		m, err := ReadMatrix(filepath.Join(folder, key+".mat"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		Check(err)
		return m
	}
	return nil
}

// Single rounds m to float32, in place, and returns it: such a matrix takes
// half the place in a file.
func Single(m *mat.Dense) *mat.Dense {
	m.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, m)
	return m
}

// A file is the magic line, the sha256 of the rest, and the rest: rows,
// columns and bytes of a number as uint32, the numbers, all little-endian.
const magic = "overcomplete matrix 1\n"

// WriteMatrix writes m to a file, by way of a temporary name. Numbers that are all
// float32 take 4 bytes each, otherwise 8.
func WriteMatrix(path string, m *mat.Dense) error {
	r, c := m.Dims()
	width := uint32(4)
	for i := range r {
		for _, v := range m.RawRowView(i) {
			if float64(float32(v)) != v {
				width = 8
			}
		}
	}
	var b bytes.Buffer
	for _, v := range []uint32{uint32(r), uint32(c), width} {
		b.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
	for i := range r {
		for _, v := range m.RawRowView(i) {
			if width == 4 {
				b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
			} else {
				b.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
			}
		}
	}
	sum := sha256.Sum256(b.Bytes())
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(append([]byte(magic), sum[:]...), b.Bytes()...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// ReadMatrix reads what WriteMatrix writes and refuses anything else.
func ReadMatrix(path string) (*mat.Dense, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parseMatrix(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, and it will be made again", path, err)
	}
	return m, nil
}

func parseMatrix(b []byte) (*mat.Dense, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < sha256.Size+12 {
		return nil, errors.New("not a matrix, or cut off")
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if have := sha256.Sum256(rest); !bytes.Equal(sum, have[:]) {
		return nil, errors.New("broken: its checksum is wrong")
	}
	u := binary.LittleEndian.Uint32
	r, c, width := uint64(u(rest)), uint64(u(rest[4:])), uint64(u(rest[8:]))
	rest = rest[12:]
	if r == 0 || c == 0 || width != 4 && width != 8 || r*c > uint64(len(rest)) || r*c*width != uint64(len(rest)) {
		return nil, fmt.Errorf("%d×%d numbers of %d bytes do not fit its length", r, c, width)
	}
	x := make([]float64, r*c)
	for i := range x {
		if width == 4 {
			x[i] = float64(math.Float32frombits(u(rest[4*i:])))
		} else {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		}
	}
	return mat.NewDense(int(r), int(c), x), nil
}
