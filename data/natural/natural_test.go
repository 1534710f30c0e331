package natural

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"overcomplete/data"
)

// picture returns an image file with the value base + p in pixel p.
func picture(base float32, n int) []byte {
	var b []byte
	for p := range n {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(base+float32(p)))
	}
	return b
}

func pack(files map[string][]byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, c := range files {
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(c))})
		w.Write(c)
	}
	w.Close()
	return b.Bytes()
}

func wholeArchive() map[string][]byte {
	m := map[string][]byte{"trainset/header": []byte("0")}
	for i := range Number {
		m["trainset/"+imageName(i)] = picture(float32(i)/2, Side*Side)
	}
	return m
}

func TestDecode(t *testing.T) {
	m, err := Decode(bytes.NewReader(picture(-1.5, 6)), 2, 3)
	if err != nil || m.At(0, 0) != -1.5 || m.At(0, 2) != 0.5 || m.At(1, 0) != 1.5 {
		t.Error(m, err)
	}
	if _, err := Decode(bytes.NewReader(picture(0, 5)), 2, 3); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if _, err := Decode(bytes.NewReader(picture(0, 7)), 2, 3); err == nil {
		t.Error("more bytes: no error")
	}
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		b := picture(0, 6)
		binary.BigEndian.PutUint32(b[16:], math.Float32bits(v))
		if _, err := Decode(bytes.NewReader(b), 2, 3); err == nil || !strings.Contains(err.Error(), "row 1, column 1 is") {
			t.Error(err)
		}
	}
	for _, side := range [][2]int{{0, 3}, {3, 0}, {-4, 4}, {-4, -4}, {1<<14 + 1, 1}, {1, 1<<14 + 1}, {1 << 32, 1 << 32}} {
		_, err := Decode(bytes.NewReader(picture(0, 16)), side[0], side[1])
		if err == nil || !strings.HasPrefix(err.Error(), "natural: an image of ") {
			t.Errorf("%v: %v", side, err)
		}
	}
}

func TestRead(t *testing.T) {
	s, err := Read(bytes.NewReader(pack(wholeArchive())))
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Images {
		if m.At(1, 2) != float64(i)/2+Side+2 {
			t.Errorf("image %d: %v", i, m.At(1, 2))
		}
	}
	for name, change := range map[string]func(m map[string][]byte){
		"no image7 ":  func(m map[string][]byte) { delete(m, "trainset/image7") },
		"two folders": func(m map[string][]byte) { m["image3"] = m["trainset/image3"] },
		"EOF":         func(m map[string][]byte) { m["trainset/image2"] = m["trainset/image2"][:100] },
		"after the":   func(m map[string][]byte) { m["trainset/image2"] = append(m["trainset/image2"], 0) },
	} {
		m := wholeArchive()
		change(m)
		if _, err := Read(bytes.NewReader(pack(m))); err == nil || !strings.Contains(err.Error()+" ", name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(strings.NewReader("x")); err == nil {
		t.Error("no archive: no error")
	}
}

func TestRealSet(t *testing.T) {
	s, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	variance, lowest, highest := 0.0, 0.0, 0.0
	for i, m := range s.Images {
		v := m.RawMatrix().Data
		mean, sd2 := stat.PopMeanVariance(v, nil)
		if math.Abs(mean) > 2e-9 {
			t.Errorf("image %d: mean %v", i, mean)
		}
		variance += sd2 / Number
		for _, x := range v {
			lowest, highest = min(lowest, x), max(highest, x)
		}
	}
	if got := fmt.Sprintf("%.4f %.2f %.2f", variance, lowest, highest); got != "0.0791 -2.03 2.86" {
		t.Error(got)
	}
	// Check the order of rows and bytes. In whitened images, neighbors have little correlation other than the
	// filter's own, but it is the same in both directions. With rows of a wrong length there would be no
	// correlation between rows.
	m := s.Images[0]
	var across, down float64
	for r := range Side - 1 {
		for c := range Side - 1 {
			across += m.At(r, c) * m.At(r, c+1)
			down += m.At(r, c) * m.At(r+1, c)
		}
	}
	if n := variance * Side * Side; across/n < 0.1 || down/n < 0.1 {
		t.Errorf("correlation of neighbours: %v across, %v down", across/n, down/n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(picture(1, 6))
	f.Add(picture(float32(math.NaN()), 6))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(bytes.NewReader(b), 2, 3)
		if err == nil && (len(b) != 24 || math.IsNaN(m.At(1, 2))) {
			t.Fatal(len(b))
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(pack(map[string][]byte{"trainset/image0": picture(0, 4)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := Read(bytes.NewReader(b)); err == nil && len(s.Images) != Number {
			t.Fatal(len(s.Images))
		}
	})
}

func Example() {
	s, err := Load()
	if err != nil {
		fmt.Println("no images here:", err)
		return
	}
	fmt.Println(s.Images[0].Dims())
}
