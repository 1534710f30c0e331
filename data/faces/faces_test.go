package faces

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/internal/panics"
)

// matFile returns a MATLAB file with one array of doubles. If the array is large it is uncompressed, as with
// save -v6, otherwise compressed.
func matFile(name string, rows, cols int, at func(i, j int) float64) []byte {
	le := binary.LittleEndian
	element := func(kind uint32, data []byte) []byte {
		b := le.AppendUint32(le.AppendUint32(nil, kind), uint32(len(data)))
		b = append(b, data...)
		return append(b, make([]byte, -len(b)&7)...)
	}
	var values []byte
	for j := range cols {
		for i := range rows {
			values = le.AppendUint64(values, math.Float64bits(at(i, j)))
		}
	}
	m := slices.Concat(element(6, []byte{6, 0, 0, 0, 0, 0, 0, 0}),
		element(5, le.AppendUint32(le.AppendUint32(nil, uint32(rows)), uint32(cols))), element(1, []byte(name)), element(9, values))
	b := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte(" "), 105)...)
	b = append(b, 0, 1, 'I', 'M')
	if len(m) > 8<<20 {
		return append(b, element(14, m)...)
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(element(14, m))
	w.Close()
	b = le.AppendUint32(le.AppendUint32(b, 15), uint32(z.Len()))
	return append(b, z.Bytes()...)
}

// A pixel's value identifies its row, column and face.
func TestReadCourse(t *testing.T) {
	value := func(k, r, c int) float64 { return float64(k) + float64(r)/64 + float64(c)/4096 - 128 }
	b := matFile("X", 60, 1024, func(k, p int) float64 { return value(k, p%32, p/32) })
	f, err := readCourse(bytes.NewReader(b), 60)
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != 60 || f.Height != 32 || f.Width != 32 || f.Subject != nil {
		t.Fatal(f.Len(), f.Height, f.Width)
	}
	for _, k := range []int{0, 1, 37, 59} {
		face := f.Face(k)
		for r := range 32 {
			for c := range 32 {
				if got := face.At(r, c); got != value(k, r, c) {
					t.Fatalf("face %d, row %d, column %d: %v, not %v", k, r, c, got, value(k, r, c))
				}
			}
		}
	}
}

// TestCourse reads a full-size file through the registry.
func TestCourse(t *testing.T) {
	b := matFile("X", 5000, 1024, func(k, p int) float64 { return float64(k ^ p) })
	dir := t.TempDir()
	t.Setenv(data.Variable, dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // ignore the user's cache
	t.Setenv("HOME", t.TempDir())
	if _, err := Course(); !errors.Is(err, data.ErrAbsent) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ex7faces.mat"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Course()
	if err != nil || f.Len() != 5000 {
		t.Fatal(err)
	}
	if got := f.Face(4321).At(5, 7); got != 4321^(5+32*7) {
		t.Error(got)
	}
}

func TestReadMATRefuses(t *testing.T) {
	nan := func(i, j int) float64 {
		if i == 3 && j == 2 {
			return math.NaN()
		}
		return 0
	}
	zero := func(i, j int) float64 { return 0 }
	course := func(r io.Reader) (*Faces, error) { return readCourse(r, 8) }
	olivetti := func(r io.Reader) (*Faces, error) { return readOlivetti(r, 8) }
	for name, c := range map[string]struct {
		read func(io.Reader) (*Faces, error)
		b    []byte
		want string
	}{
		"nothing":       {ReadCourse, nil, "header"},
		"other name":    {ReadCourse, matFile("Y", 2, 2, zero), `"X"`},
		"few":           {ReadCourse, matFile("X", 8, 1024, zero), "[8 1024]"},
		"other size":    {course, matFile("X", 1024, 8, zero), "[1024 8]"},
		"NaN":           {course, matFile("X", 8, 1024, nan), "face 3: pixel 2 is NaN"},
		"cut":           {course, matFile("X", 8, 1024, zero)[:200], "EOF"},
		"no faces":      {ReadOlivetti, matFile("X", 2, 2, zero), `"faces"`},
		"few faces":     {ReadOlivetti, matFile("faces", 4096, 8, zero), "[4096 8]"},
		"NaN in a face": {olivetti, matFile("faces", 4096, 8, nan), "face 2: pixel 3 is NaN"},
		"no byte":       {olivetti, matFile("faces", 4096, 8, func(i, j int) float64 { return float64(i * j) }), "not a byte"},
		"half a byte":   {olivetti, matFile("faces", 4096, 8, func(i, j int) float64 { return 0.5 }), "not a byte"},
	} {
		if _, err := c.read(bytes.NewReader(c.b)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func pgm(h, w int, at func(r, c int) byte) []byte {
	b := fmt.Appendf(nil, "P5\n# made by a test\n%d %d\n255\n", w, h)
	for r := range h {
		for c := range w {
			b = append(b, at(r, c))
		}
	}
	return b
}

func TestDecodePGM(t *testing.T) {
	b := pgm(2, 3, func(r, c int) byte { return byte(10*r + c) })
	p, h, w, err := DecodePGM(bytes.NewReader(b))
	if err != nil || h != 2 || w != 3 || !bytes.Equal(p, []byte{0, 1, 2, 10, 11, 12}) {
		t.Error(p, h, w, err)
	}
	// The first pixel may look like white space.
	if p, _, _, err := DecodePGM(strings.NewReader("P5 2 1 255\n\n#")); err != nil || string(p) != "\n#" {
		t.Errorf("%q, %v", p, err)
	}
	for _, s := range []string{"", "P5", "P5 2 1 255", "P2 2 1 255\n12", "P5 0 1 255\n", "P5 5000 1 255\n", "P5 2 1 15\n12", "P5 2 1 65535\n1212", "P5 2 1 255\n1", "P5 2 1 255\n123",
		"P5 -2 1 255\n12", "P5 2x 1 255\n12", "P5 " + strings.Repeat(" ", 2000) + "2 1 255\n12", "P5 #" + strings.Repeat("x", 2000), "P5 99999999999999999999 1 255\n", string(b[:len(b)-1])} {
		if _, _, _, err := DecodePGM(strings.NewReader(s)); err == nil {
			t.Errorf("%.30q: no error", s)
		}
	}
}

// attZip returns an archive in the official form, without the faces in skip.
func attZip(t testing.TB, folder string, skip ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for s := 40; s >= 1; s-- {
		for n := 1; n <= 10; n++ {
			name := fmt.Sprintf("s%d/%d.pgm", s, n)
			if slices.Contains(skip, name) {
				continue
			}
			w, err := z.Create(folder + name)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(pgm(112, 92, func(r, c int) byte { return byte(s + n*r + c) }))
		}
	}
	for name, content := range map[string]string{"README": "hello", "../s1/1.pgm": "hostile", "s41/1.pgm": "unknown"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadATT(t *testing.T) {
	for _, folder := range []string{"", "orl_faces/"} {
		f, err := ReadATT(bytes.NewReader(attZip(t, folder)))
		if err != nil {
			t.Fatal(err)
		}
		if f.Len() != 400 || f.Height != 112 || f.Width != 92 || !slices.Equal(f.Of(39), []int{390, 391, 392, 393, 394, 395, 396, 397, 398, 399}) {
			t.Error(f.Len(), f.Height, f.Width, f.Of(39))
		}
		// s2/10.pgm is the last face of person 1, after s2/9.pgm.
		if got, want := f.Face(19).At(3, 5), float64(2+10*3+5)/255; got != want {
			t.Errorf("%v, not %v", got, want)
		}
	}
	if _, err := ReadATT(bytes.NewReader(attZip(t, "", "s7/3.pgm"))); err == nil || !strings.Contains(err.Error(), "s7/3.pgm") {
		t.Error(err)
	}
	if _, err := ReadATT(bytes.NewReader(attZip(t, "elsewhere/"))); err == nil {
		t.Error("another folder: no error")
	}
}

func TestFacePanics(t *testing.T) {
	f, err := ReadATT(bytes.NewReader(attZip(t, "")))
	if err != nil {
		t.Fatal(err)
	}
	if m, _ := panics.Value(func() { f.Face(400) }).(string); m != "faces: there is no face 400, there are 400" {
		t.Error(m)
	}
}

func TestRealOlivetti(t *testing.T) {
	f, err := Olivetti()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The example in scikit-learn's documentation begins with 0.3099 0.3678 0.4174 0.4421, which are 75, 89,
	// 101 and 107 divided by 242.
	top := 0.0
	for _, v := range f.X.RawMatrix().Data {
		top = max(top, v)
	}
	if math.Round(top*255) != 242 {
		t.Errorf("the largest value is %v", top*255)
	}
	got := ""
	for _, v := range f.X.RawRowView(0)[:4] {
		got += fmt.Sprintf("%.4f ", v/top)
	}
	if got != "0.3099 0.3678 0.4174 0.4421 " {
		t.Error(got)
	}
	if f.Len() != 400 || len(f.Of(39)) != 10 || f.Subject[10] != 1 {
		t.Error(f.Len(), f.Subject)
	}
	checkUpright(t, f)
}

func TestRealATT(t *testing.T) {
	f, err := ATT()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{48, 49, 45, 47, 49, 57, 39, 42, 53, 49} { // pixels of s1/1.pgm
		if got := f.X.At(0, j) * 255; math.Abs(got-want) > 1e-9 {
			t.Errorf("pixel %d is %v, not %v", j, got, want)
		}
	}
	checkUpright(t, f)
}

// checkUpright checks that the faces are not rotated and that their rows have the right length: the mean face
// must be more symmetric about its vertical middle than about its horizontal middle.
func checkUpright(t *testing.T, f *Faces) {
	t.Helper()
	mean := make([]float64, f.Height*f.Width)
	for k := range f.Len() {
		for j, v := range f.X.RawRowView(k) {
			mean[j] += v / float64(f.Len())
		}
	}
	var sides, ends float64
	for r := range f.Height {
		for c := range f.Width {
			v := mean[r*f.Width+c]
			sides += math.Abs(v - mean[r*f.Width+f.Width-1-c])
			ends += math.Abs(v - mean[(f.Height-1-r)*f.Width+c])
		}
	}
	if sides > 0.8*ends {
		t.Errorf("asymmetry %v from left to right, %v from top to bottom", sides, ends)
	}
}

func FuzzReadATT(f *testing.F) {
	f.Add(attZip(f, "")[:4000])
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, err := ReadATT(bytes.NewReader(b)); err == nil && g.Len() != 400 {
			t.Fatal(g.Len())
		}
	})
}

func FuzzDecodePGM(f *testing.F) {
	f.Add(pgm(2, 3, func(r, c int) byte { return byte(r + c) }))
	f.Add([]byte("P5 #\n1 1 255 x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, h, w, err := DecodePGM(bytes.NewReader(b))
		if err == nil && (len(p) != h*w || h < 1 || w < 1) {
			t.Fatal(len(p), h, w)
		}
	})
}

func FuzzReadOlivetti(f *testing.F) {
	f.Add(matFile("faces", 2, 2, func(i, j int) float64 { return 1 }))
	f.Add(matFile("faces", 4096, 1, func(i, j int) float64 { return float64(i % 256) }))
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, err := readOlivetti(bytes.NewReader(b), 1); err == nil && (g.Len() != 1 || !(mat.Max(g.X) <= 1) || !(mat.Min(g.X) >= 0)) {
			t.Fatal(g.Len(), mat.Max(g.X))
		}
	})
}

func FuzzReadCourse(f *testing.F) {
	f.Add(matFile("X", 2, 2, func(i, j int) float64 { return 1 }))
	f.Add(matFile("X", 1, 1024, func(i, j int) float64 { return float64(j) - 500 }))
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, err := readCourse(bytes.NewReader(b), 1); err == nil && (g.Len() != 1 || math.IsNaN(mat.Sum(g.X))) {
			t.Fatal(g.Len())
		}
	})
}

func Example() {
	f, err := Olivetti()
	if err != nil {
		fmt.Println("no faces here:", err)
		return
	}
	fmt.Println(f.X.Dims()) // a face in each row
}
