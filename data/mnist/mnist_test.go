package mnist

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
	"overcomplete/internal/panics"
)

func file(magic uint32, values []byte, dims ...uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, magic)
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, values...)
}

func pack(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

var small = file(0x803, []byte{0, 51, 102, 153, 204, 255, 1, 2, 3, 4, 5, 6}, 2, 2, 3)

func TestReadImages(t *testing.T) {
	for _, b := range [][]byte{small, pack(small)} {
		s, err := ReadImages(bytes.NewReader(b))
		if err != nil || s.Len() != 2 || s.Height != 2 || s.Width != 3 {
			t.Fatal(s, err)
		}
		if got := s.Pixel(0, 1, 0); got != 153 {
			t.Errorf("pixel %d, not 153", got)
		}
		if got := s.First(1).RawRowView(0); !slices.Equal(got, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}) {
			t.Error(got)
		}
		if X := s.Rows([]int{1, 0, 1}); X.At(0, 5) != 6.0/255 || X.At(1, 5) != 1 || X.At(2, 0) != 1.0/255 {
			t.Error(X)
		}
	}
	l, err := ReadLabels(bytes.NewReader(pack(file(0x801, []byte{7, 0, 9, 7}, 4))))
	if err != nil || !slices.Equal(l, []int{7, 0, 9, 7}) {
		t.Error(l, err)
	}
	s := &Images{Labels: l}
	if got := s.Of(7); !slices.Equal(got, []int{0, 3}) {
		t.Error(got)
	}
	if got := s.Counts(); !slices.Equal(got, []int{1, 0, 0, 0, 0, 0, 0, 2, 0, 1}) {
		t.Error(got)
	}
	if s.Len() != 0 {
		t.Error(s.Len())
	}
}

func TestReadRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing": nil, "cut header": small[:10], "cut": small[:len(small)-1], "more": append(slices.Clone(small), 0),
		"labels": file(0x801, []byte{1}, 1), "no images": file(0x803, nil, 0, 28, 28), "huge": file(0x803, []byte{1}, 1<<20, 4096, 4096),
		"many": file(0x803, nil, 1<<31, 1, 1), "promise": file(0x803, []byte{1}, 200_000, 28, 28), "cut gzip": pack(small)[:20],
	} {
		if _, err := ReadImages(bytes.NewReader(b)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := ReadImages(bytes.NewReader(file(0x803, []byte{1}, 1<<20, 4096, 4096))); !errors.Is(err, archive.ErrLimit) {
		t.Error(err)
	}
	if _, err := ReadLabels(bytes.NewReader(file(0x801, []byte{10}, 1))); err == nil {
		t.Error("a label of 10: no error")
	}
	if _, err := ReadLabels(bytes.NewReader(file(0x801, []byte{1}, 2))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestPanics(t *testing.T) {
	s, err := ReadImages(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"First 0": func() { s.First(0) }, "First 3": func() { s.First(3) }, "Rows of none": func() { s.Rows(nil) },
		"Rows 2": func() { s.Rows([]int{2}) }, "Pixel": func() { s.Pixel(0, 2, 0) },
	} {
		if m, _ := panics.Value(f).(string); len(m) < 6 || m[:6] != "mnist:" {
			t.Errorf("%s: %q", name, m)
		}
	}
}

func TestAbsent(t *testing.T) {
	t.Setenv(data.Variable, "") // ignore the user's cache
	if _, err := Load(); !errors.Is(err, data.ErrAbsent) {
		t.Error(err)
	}
}

func TestRealSet(t *testing.T) {
	d, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d.Train.Len() != 60000 || d.Test.Len() != 10000 || d.Train.Height != 28 || d.Test.Width != 28 {
		t.Fatal(d.Train.Len(), d.Test.Len())
	}
	// The counts are well known; the first labels are the digits shown in most introductions.
	if got := d.Train.Counts(); !slices.Equal(got, []int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}) {
		t.Error(got)
	}
	if got := d.Test.Counts(); !slices.Equal(got, []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}) {
		t.Error(got)
	}
	if !slices.Equal(d.Train.Labels[:5], []int{5, 0, 4, 1, 9}) || !slices.Equal(d.Test.Labels[:5], []int{7, 2, 1, 0, 4}) {
		t.Error(d.Train.Labels[:5], d.Test.Labels[:5])
	}
	// The mean and standard deviation of the training pixels, as in PyTorch's
	// examples: 0.1307 and 0.3081.
	sum, sq := 0.0, 0.0
	for _, v := range d.Train.Pixels {
		x := float64(v) / 255
		sum, sq = sum+x, sq+x*x
	}
	n := float64(len(d.Train.Pixels))
	if m, v := sum/n, sq/n-sum/n*sum/n; fmt.Sprintf("%.4f %.4f", m, v) != "0.1307 0.0949" { // 0.3081² = 0.0949
		t.Errorf("mean %v, variance %v", m, v)
	}
}

func FuzzReadImages(f *testing.F) {
	f.Add(small)
	f.Add(pack(small))
	f.Add(file(0x803, nil, 1<<20, 16, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadImages(bytes.NewReader(b))
		if err == nil && (s.Len() < 1 || len(s.Pixels) != s.Len()*s.Height*s.Width) {
			t.Fatalf("%d pixels, %d x %d", len(s.Pixels), s.Height, s.Width)
		}
	})
}

func FuzzReadLabels(f *testing.F) {
	f.Add(file(0x801, []byte{1, 2}, 2))
	f.Add(pack(file(0x801, []byte{10}, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ReadLabels(bytes.NewReader(b))
		if err == nil && (len(l) == 0 || slices.Max(l) > 9) {
			t.Fatal(l)
		}
	})
}

func Example() {
	d, err := Load()
	if err != nil {
		fmt.Println("no MNIST here:", err)
		return
	}
	X := d.Train.First(100) // rows are images
	fmt.Println(X.Dims())
}
