package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"overcomplete/data/internal/archive"
)

type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// A writer makes files according to the description of the format. It shares no code with the reader.
type writer struct {
	o order
	b []byte
}

func newWriter(o order) *writer {
	w := &writer{o: o}
	w.b = append(w.b, "MATLAB 5.0 MAT-file, made by a test"...)
	for len(w.b) < 124 {
		w.b = append(w.b, ' ')
	}
	w.b = o.AppendUint16(w.b, 0x100)
	w.b = o.AppendUint16(w.b, 'M'<<8|'I')
	return w
}

func (w *writer) element(kind uint32, data []byte) []byte {
	if kind != miMATRIX && kind != miCOMPRESSED && len(data) > 0 && len(data) <= 4 {
		b := w.o.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(b, append(data, make([]byte, 4-len(data))...)...)
	}
	b := w.o.AppendUint32(nil, kind)
	b = w.o.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	for kind != miCOMPRESSED && len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func (w *writer) array(name string, class, flags, kind uint32, data []byte, dims ...int32) []byte {
	f := w.o.AppendUint32(w.o.AppendUint32(nil, class|flags), 0)
	var d []byte
	for _, x := range dims {
		d = w.o.AppendUint32(d, uint32(x))
	}
	m := append(w.element(miUINT32, f), w.element(miINT32, d)...)
	m = append(m, w.element(miINT8, []byte(name))...)
	return w.element(miMATRIX, append(m, w.element(kind, data)...))
}

func (w *writer) compress(b []byte) []byte {
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	c.Write(b)
	c.Close()
	return w.element(miCOMPRESSED, z.Bytes())
}

func (w *writer) doubles(v ...float64) (b []byte) {
	for _, x := range v {
		b = w.o.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func TestGet(t *testing.T) {
	for _, o := range []order{binary.LittleEndian, binary.BigEndian} {
		w := newWriter(o)
		x := w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, -2.5, 3, math.Inf(1), 5, 6), 3, 2)
		other := w.array("other", mxDOUBLE, 0, miUINT8, []byte{1, 2, 3}, 1, 3)
		text := w.array("text", 4, 0, miUINT16, []byte{'a', 0}, 1, 1)
		signed := w.array("signed", 8, 0, miINT8, []byte{0xff, 0x80}, 2, 1)
		var floats []byte
		for _, f := range []float32{1.5, -0.25, 3} {
			floats = o.AppendUint32(floats, math.Float32bits(f))
		}
		single := w.array("single", 7, 0, miSINGLE, floats, 1, 3)
		words := w.array("words", 12, 0, miINT32, o.AppendUint32(nil, 0xfffffffe), 1, 1)
		halves := w.array("halves", 10, 0, miINT16, o.AppendUint16(o.AppendUint16(nil, 0xfffe), 7), 1, 2)
		head := slices.Clone(w.b)
		for _, c := range [][]byte{
			slices.Concat(head, text, other, signed, single, words, halves, x),
			slices.Concat(head, w.compress(text), w.compress(other), w.compress(signed), w.compress(single), words, w.compress(halves), w.compress(x)),
		} {
			for name, want := range map[string]Array{
				"X":      {"X", []int{3, 2}, []float64{1, -2.5, 3, math.Inf(1), 5, 6}},
				"other":  {"other", []int{1, 3}, []float64{1, 2, 3}},
				"signed": {"signed", []int{2, 1}, []float64{-1, -128}},
				"single": {"single", []int{1, 3}, []float64{1.5, -0.25, 3}},
				"words":  {"words", []int{1, 1}, []float64{-2}},
				"halves": {"halves", []int{1, 2}, []float64{-2, 7}},
			} {
				a, err := Get(bytes.NewReader(c), name, 10)
				if err != nil || a.Name != name || !slices.Equal(a.Dims, want.Dims) || !slices.Equal(a.Values, want.Values) {
					t.Errorf("%v %s: %v, %v, want %v", o, name, a, err, want)
				}
			}
			if _, err := Get(bytes.NewReader(c), "none", 10); err == nil || !strings.Contains(err.Error(), `"none" among the 7`) {
				t.Error(err)
			}
			if _, err := Get(bytes.NewReader(c), "text", 10); err == nil || !strings.Contains(err.Error(), "class 4") {
				t.Error(err)
			}
			// Every truncation of the file is an error.
			for n := range c {
				if _, err := Get(bytes.NewReader(c[:n]), "X", 10); err == nil {
					t.Fatalf("%v: cut to %d of %d bytes: no error", o, n, len(c))
				}
			}
		}
	}
}

func TestGetRefuses(t *testing.T) {
	w := newWriter(binary.LittleEndian)
	head := slices.Clone(w.b)
	file := func(parts ...[]byte) []byte { return slices.Concat(append([][]byte{head}, parts...)...) }
	change := func(b []byte, at int, v byte) []byte { b = bytes.Clone(b); b[at] = v; return b }
	good := w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3), 3, 1)
	if _, err := Get(bytes.NewReader(file(good)), "X", 3); err != nil {
		t.Fatal(err)
	}
	packed := w.compress(good)
	for name, b := range map[string][]byte{
		"endian":      change(file(good), 126, 'X'),
		"version":     change(file(good), 125, 2),
		"7.3":         append([]byte("MATLAB 7.3"), file(good)[10:]...),
		"complex":     file(w.array("X", mxDOUBLE, flagComplex, miDOUBLE, w.doubles(1, 2, 3), 3, 1)),
		"sparse":      file(w.array("X", 5, 0, miDOUBLE, w.doubles(1, 2, 3), 3, 1)),
		"64 bits":     file(w.array("X", 14, 0, 12, w.doubles(1, 2, 3), 3, 1)),
		"64 stored":   file(w.array("X", mxDOUBLE, 0, 12, w.doubles(1, 2, 3), 3, 1)),
		"too few":     file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2), 3, 1)),
		"too many":    file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3, 4), 3, 1)),
		"limit":       file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3, 4), 2, 2)),
		"huge":        file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1), math.MaxInt32, math.MaxInt32)),
		"negative":    file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1), -1, -1)),
		"one dim":     file(w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3), 3)),
		"long name":   file(w.array(strings.Repeat("X", 100), mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3), 3, 1)),
		"not zlib":    file(w.element(miCOMPRESSED, []byte("hello, hello"))),
		"zlib sum":    file(change(packed, len(packed)-1, packed[len(packed)-1]^1)),
		"zlib more":   file(w.compress(append(bytes.Clone(good), make([]byte, 1000)...))),
		"no elements": file(),
	} {
		if a, err := Get(bytes.NewReader(b), "X", 3); err == nil {
			t.Errorf("%s: %v", name, a)
		}
	}
	// A decompression bomb before the requested array is skipped without decompression. A bomb inside the
	// requested array is limited.
	bomb := w.array("X", mxDOUBLE, 0, miUINT8, make([]byte, 1<<20), 1<<10, 1<<10)
	if _, err := Get(bytes.NewReader(file(w.compress(bomb))), "X", 1000); err == nil {
		t.Error("a bomb is no error")
	}
	if _, err := Get(bytes.NewReader(file(w.compress(append(bytes.Clone(good), make([]byte, 1000)...)))), "X", 3); !errors.Is(err, archive.ErrLimit) {
		t.Error(err)
	}
	if _, err := Get(bytes.NewReader(head[:100]), "X", 3); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestPeer reads files that scipy.io.savemat wrote (testdata/write.py).
func TestPeer(t *testing.T) {
	for _, compressed := range []string{"0", "1"} {
		b, err := os.ReadFile("testdata/scipy-" + compressed + ".mat")
		if err != nil {
			t.Fatal(err)
		}
		x, err := Get(bytes.NewReader(b), "X", 100)
		if err != nil || !slices.Equal(x.Dims, []int{3, 4}) {
			t.Fatal(x, err)
		}
		for i := range 3 {
			for j := range 4 {
				if got, want := x.Values[i+3*j], float64(4*i+j)/8; got != want {
					t.Errorf("X[%d,%d] is %v, not %v", i, j, got, want)
				}
			}
		}
		u, err := Get(bytes.NewReader(b), "u", 100)
		if err != nil || !slices.Equal(u.Values, []float64{0, 3, 1, 4, 2, 5}) {
			t.Error(u, err)
		}
	}
}

func FuzzGet(f *testing.F) {
	for _, o := range []order{binary.LittleEndian, binary.BigEndian} {
		w := newWriter(o)
		x := w.array("X", mxDOUBLE, 0, miDOUBLE, w.doubles(1, 2, 3), 3, 1)
		f.Add(append(slices.Clone(w.b), x...))
		f.Add(append(slices.Clone(w.b), w.compress(x)...))
		f.Add(slices.Concat(w.b, w.array("y", 4, 0, miUINT8, []byte("ab"), 1, 2), w.array("X", 9, 0, miUINT8, []byte{7}, 1, 1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Get(bytes.NewReader(b), "X", 1000)
		if err != nil {
			return
		}
		n := 1
		for _, d := range a.Dims {
			n *= d
		}
		if n != len(a.Values) || n > 1000 || a.Name != "X" {
			t.Fatalf("%v with %d values", a.Dims, len(a.Values))
		}
	})
}
