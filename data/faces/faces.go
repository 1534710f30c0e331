package faces

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
	"overcomplete/data/internal/mat5"
	"overcomplete/internal/finite"
)

// The names of the sets in the registry of package data.
const (
	OlivettiName = "olivetti"
	ATTName      = "att-faces"
	CourseName   = "course-faces"
)

const (
	people    = 40
	perPerson = 10
)

// Faces holds photographs of one size.
type Faces struct {
	X             *mat.Dense // faces × (Height × Width): one face in each row, pixels row by row from the top
	Height, Width int
	Subject       []int // number of the person, 0 to 39, for each face; empty if not known
}

// Len returns the number of faces.
func (f *Faces) Len() int { n, _ := f.X.Dims(); return n }

// Face returns a copy of face k as a matrix of pixels, Height × Width.
func (f *Faces) Face(k int) *mat.Dense {
	if k < 0 || k >= f.Len() {
		panic(fmt.Sprintf("faces: there is no face %d, there are %d", k, f.Len()))
	}
	return mat.NewDense(f.Height, f.Width, slices.Clone(f.X.RawRowView(k)))
}

// Of returns the indices of a person's faces.
func (f *Faces) Of(subject int) []int {
	var list []int
	for i, s := range f.Subject {
		if s == subject {
			list = append(list, i)
		}
	}
	return list
}

// Olivetti reads the Olivetti faces (400 of 64 × 64, values 0 to 1) from the folder of package data, after
// checking their content. Olivetti never downloads: if the file is missing, the error wraps data.ErrAbsent
// and says how to get it.
func Olivetti() (*Faces, error) { return load(OlivettiName, ReadOlivetti) }

// ATT reads the AT&T faces (400 of 112 × 92, values 0 to 1) in the same way as
// Olivetti.
func ATT() (*Faces, error) { return load(ATTName, ReadATT) }

// Course reads the faces of the machine-learning course (5,000 of 32 × 32) in the same
// way as Olivetti, but does not check their content. Subject is empty.
func Course() (*Faces, error) { return load(CourseName, ReadCourse) }

func load(set string, read func(io.Reader) (*Faces, error)) (*Faces, error) {
	f, err := data.Open(set, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f)
}

// ReadOlivetti reads olivettifaces.mat.
func ReadOlivetti(r io.Reader) (*Faces, error) { return readOlivetti(r, people*perPerson) }

// readOlivetti is like ReadOlivetti for a file of n faces.
func readOlivetti(r io.Reader, n int) (*Faces, error) {
	const side = 64
	a, err := mat5.Get(r, "faces", side*side*n)
	if err != nil {
		return nil, fmt.Errorf("faces: olivetti: %w", err)
	}
	if !slices.Equal(a.Dims, []int{side * side, n}) {
		return nil, fmt.Errorf("faces: olivetti: the array is %v, not %d x %d", a.Dims, side*side, n)
	}
	f := &Faces{X: mat.NewDense(n, side*side, nil), Height: side, Width: side, Subject: make([]int, n)}
	for k := range n {
		f.Subject[k] = k / perPerson
		if err := transpose(f.X.RawRowView(k), a.Values[k*side*side:(k+1)*side*side], side); err != nil {
			return nil, fmt.Errorf("faces: olivetti: face %d: %w", k, err)
		}
	}
	for i, v := range f.X.RawMatrix().Data {
		if v != math.Trunc(v) || v < 0 || v > 255 {
			return nil, fmt.Errorf("faces: olivetti: face %d has the pixel %v, which is not a byte", i/(side*side), v)
		}
	}
	f.X.Scale(1.0/255, f.X)
	return f, nil
}

// ReadCourse reads ex7faces.mat.
func ReadCourse(r io.Reader) (*Faces, error) { return readCourse(r, 5000) }

// readCourse is like ReadCourse for a file of n faces.
func readCourse(r io.Reader, n int) (*Faces, error) {
	const side = 32
	a, err := mat5.Get(r, "X", side*side*n)
	if err != nil {
		return nil, fmt.Errorf("faces: course: %w", err)
	}
	if !slices.Equal(a.Dims, []int{n, side * side}) {
		return nil, fmt.Errorf("faces: course: the array is %v, not %d x %d", a.Dims, n, side*side)
	}
	f := &Faces{X: mat.NewDense(n, side*side, nil), Height: side, Width: side}
	face := make([]float64, side*side)
	for k := range n {
		for p := range face {
			face[p] = a.Values[k+n*p] // row k of an array in Fortran order
		}
		if err := transpose(f.X.RawRowView(k), face, side); err != nil {
			return nil, fmt.Errorf("faces: course: face %d: %w", k, err)
		}
	}
	return f, nil
}

// transpose writes the square picture src, which is in column-major order, to dst in row-major order. It returns an
// error if a pixel is NaN or infinite.
func transpose(dst, src []float64, side int) error {
	for p, v := range src {
		if !finite.Is(v) {
			return fmt.Errorf("pixel %d is %v", p, v)
		}
		dst[p%side*side+p/side] = v
	}
	return nil
}

var limits = archive.Limits{Members: 2000, Member: 1 << 20, Total: 64 << 20}

// ReadATT reads the AT&T archive: a zip or a tar, compressed by gzip or not, with s1/1.pgm to s40/10.pgm. These are in
// the folder orl_faces or att_faces, or at the top of the archive. Other files are skipped.
func ReadATT(r io.Reader) (*Faces, error) {
	const height, width, n = 112, 92, people * perPerson
	places := make(map[string]int, n)
	for k := range n {
		places[fmt.Sprintf("s%d/%d.pgm", k/perPerson+1, k%perPerson+1)] = k
	}
	var pixels [n][]uint8
	err := archive.Walk(r, limits, func(name string, r io.Reader) error {
		file, ok := archive.Inside(name, "orl_faces/", "att_faces/", "")
		k, known := places[file]
		if !ok || !known {
			return nil
		}
		if pixels[k] != nil {
			return fmt.Errorf("%q occurs in two folders", file)
		}
		b, h, w, err := DecodePGM(r)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if h != height || w != width {
			return fmt.Errorf("%q is %d x %d, not %d x %d", name, h, w, height, width)
		}
		pixels[k] = b
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("faces: att: %w", err)
	}
	for k, p := range pixels {
		if p == nil {
			return nil, fmt.Errorf("faces: att: the archive has no s%d/%d.pgm", k/perPerson+1, k%perPerson+1)
		}
	}
	f := &Faces{X: mat.NewDense(n, height*width, nil), Height: height, Width: width, Subject: make([]int, n)}
	for k, p := range pixels {
		f.Subject[k] = k / perPerson
		row := f.X.RawRowView(k)
		for j, v := range p {
			row[j] = float64(v) / 255
		}
	}
	return f, nil
}

// DecodePGM reads a binary PGM (P5) with one byte for each pixel and at most 4096 pixels on a side. It
// returns the pixels row by row from the top. The header may contain comments, and the largest value must be
// 255.
func DecodePGM(r io.Reader) (pixels []uint8, height, width int, err error) {
	h := &header{r: r}
	if m := h.word(); m != "P5" && h.err == nil {
		return nil, 0, 0, fmt.Errorf("pgm: it begins with %q, not P5", m)
	}
	width, height = h.number(4096), h.number(4096)
	if top := h.number(65535); top != 255 && h.err == nil {
		return nil, 0, 0, fmt.Errorf("pgm: the largest value is %d, not 255", top)
	}
	if h.err != nil {
		return nil, 0, 0, fmt.Errorf("pgm: header: %w", h.err)
	}
	if pixels, err = archive.ReadExactly(r, int64(width)*int64(height)); err != nil {
		return nil, 0, 0, fmt.Errorf("pgm: %w", err)
	}
	if err := archive.AtEnd(r); err != nil {
		return nil, 0, 0, fmt.Errorf("pgm: %w", err)
	}
	return pixels, height, width, nil
}

// A header reads the words of a PGM's header. Exactly one byte separates the last word from the pixels, so
// the reader must not read ahead.
type header struct {
	r   io.Reader
	n   int // number of bytes read
	err error
}

func (h *header) byte() byte {
	var b [1]byte
	if h.err == nil {
		if h.n++; h.n > 1024 {
			h.err = errors.New("longer than 1024 bytes")
		} else if _, err := io.ReadFull(h.r, b[:]); err == io.EOF {
			h.err = io.ErrUnexpectedEOF
		} else {
			h.err = err
		}
	}
	return b[0]
}

// word returns the next word, and also consumes the byte that follows it.
func (h *header) word() string {
	var w []byte
	for h.err == nil {
		switch b := h.byte(); {
		case b == '#' && len(w) == 0:
			for h.err == nil && h.byte() != '\n' {
			}
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			if len(w) > 0 {
				return string(w)
			}
		default:
			w = append(w, b)
		}
	}
	return ""
}

// number returns the next word as a number from 1 to limit.
func (h *header) number(limit int) int {
	w := h.word()
	n := 0
	for _, c := range []byte(w) {
		if n = 10*n + int(c) - '0'; c < '0' || c > '9' || n > limit {
			n = 0
			break
		}
	}
	if n == 0 && h.err == nil {
		h.err = fmt.Errorf("%q is not a number from 1 to %d", w, limit)
	}
	return n
}
