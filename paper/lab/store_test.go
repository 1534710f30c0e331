package lab

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/atomicfile"

	"gonum.org/v1/gonum/mat"
)

func TestStore(t *testing.T) {
	s := &Store{Kept: t.TempDir(), Folder: filepath.Join(t.TempDir(), "new")}
	made := 0
	third := func() *mat.Dense { made++; return mat.NewDense(1, 2, []float64{1. / 3, math.Inf(1)}) }
	a := NewKey("a", "lambda", 1.5)
	s.Matrix(a, third)
	var used []string
	again := &Store{Kept: s.Kept, Folder: s.Folder, Used: func(path string) { used = append(used, path) }}
	if got := again.Matrix(a, third); made != 1 || got.At(0, 0) != 1./3 || !again.Has(a) || again.Has("b") {
		t.Errorf("made %d times, %v", made, got)
	}
	if err := WriteMatrix(filepath.Join(s.Kept, "k.mat"), Single(mat.NewDense(2, 1, []float64{1. / 3, 2}))); err != nil {
		t.Fatal(err)
	}
	if got := again.Matrix("k", third); made != 1 || got.At(0, 0) != float64(float32(1./3)) {
		t.Errorf("kept: %v", got)
	}
	path := filepath.Join(s.Folder, "a-1.5.mat")
	if want := []string{filepath.Join(s.Kept, "a-1.5.mat"), filepath.Join(s.Kept, "a.zip"), path, filepath.Join(s.Kept, "b.mat"), filepath.Join(s.Kept, "b.zip"), filepath.Join(s.Kept, "k.mat")}; !slices.Equal(used, want) {
		t.Errorf("used %q, want %q", used, want)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMatrix(path); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("broken file: %v", err)
	}
	anew := &Store{Kept: s.Kept, Folder: s.Folder, Fresh: func() bool { return true }}
	anew.Matrix(a, third)
	anew.Matrix(a, third)
	anew.Matrix("k", third)
	if made != 2 {
		t.Errorf("made %d times, want once more", made)
	}
	memory := &Store{}
	memory.Numbers("x", func() []float64 { return []float64{7} })
	if got := memory.Numbers("x", nil); got[0] != 7 {
		t.Errorf("in memory: %v", got)
	}
}

func FuzzParseMatrix(f *testing.F) {
	f.Add([]byte(magic))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parseMatrix(b) })
}

// Files of an older version, in which the bytes of each number are adjacent, can still be read.
func TestOldMatrix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.mat")
	var b []byte
	for _, v := range []uint32{1, 2, 8} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range []float64{1. / 3, -2} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	if err := atomicfile.WriteSealed(path, oldMagic, b, 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := ReadMatrix(path)
	if err != nil || !mat.Equal(m, mat.NewDense(1, 2, []float64{1. / 3, -2})) {
		t.Errorf("%v %v", m, err)
	}
}

// Rough changes numbers by at most 2⁻¹⁷ of their size. A second call changes nothing.
func TestRough(t *testing.T) {
	x := []float64{0, 1. / 3, -math.Pi, 65535.7, 1e-30, math.Inf(1), -0.75}
	m := mat.NewDense(1, len(x), slices.Clone(x))
	Rough(m)
	for i, v := range m.RawRowView(0) {
		if v != x[i] && !(math.Abs(v-x[i]) <= math.Abs(x[i])/(1<<16)) {
			t.Errorf("%v has become %v", x[i], v)
		}
	}
	if again := Rough(mat.DenseCopyOf(m)); !mat.Equal(again, m) || m.At(0, 1) == 1./3 {
		t.Errorf("%v, then %v", m, again)
	}
}
