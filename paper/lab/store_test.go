package lab

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
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
	if want := []string{filepath.Join(s.Kept, "a-1.5.mat"), filepath.Join(s.Kept, "a.zip.br"), path, filepath.Join(s.Kept, "b.mat"), filepath.Join(s.Kept, "b.zip.br"), filepath.Join(s.Kept, "k.mat")}; !slices.Equal(used, want) {
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

func TestKey(t *testing.T) {
	data := NewSettings("data", "generated", "digits", 300)
	k := NewKey("table2-kl", "size", "full", data, "lambda", 1e-5, "prior", "KL").With("part", "head")
	if want := Key("table2-kl size=full data=generated digits=300 lambda=1e-05 prior=kl part=head"); k != want {
		t.Errorf("%q, want %q", k, want)
	}
	if want := "table2-kl-full-generated-300-1e-05-kl-head"; k.Name() != want {
		t.Errorf("the name %q, want %q", k.Name(), want)
	}
	if again, err := parseKey(" " + string(k) + "\n"); again != k || err != nil {
		t.Errorf("read as %q, %v", again, err)
	}
	if bare := NewKey("letters-search"); bare != "letters-search" || bare.Name() != "letters-search" {
		t.Errorf("%q, the name %q", bare, bare.Name())
	}
	if s := NewSettings(); s != "" || NewKey("x", s) != "x" || NewSettings(s, data, s) != data {
		t.Errorf("no settings: %q, %q, %q", s, NewKey("x", s), NewSettings(s, data, s))
	}
	for _, line := range []string{"", "a=b", "Search", "search λ=1", "search p", "search p=", "search p=a/b", "search p=.."} {
		if k, err := parseKey(line); err == nil {
			t.Errorf("%q was read as %q", line, k)
		}
	}
	for _, settings := range [][]any{{"p"}, {"p", "a b"}, {"p", "../x"}, {"p", ""}, {"P", 1}, {1, "p"}, {"a=b", 1}} {
		func() {
			defer func() { _ = recover() }()
			t.Errorf("%v became %q", settings, NewSettings(settings...))
		}()
	}
}
