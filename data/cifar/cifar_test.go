package cifar

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"overcomplete/data"
	"overcomplete/internal/panics"
	"overcomplete/internal/patience"
)

// records returns n images; pixel j of image k is k+j mod 256.
func records(n int) []byte {
	b := make([]byte, 0, n*(1+Size))
	for k := range n {
		b = append(b, byte(k%classes))
		for j := range Size {
			b = append(b, byte(k+j))
		}
	}
	return b
}

func pack(t testing.TB, files ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		c := files[i+1].([]byte)
		if err := w.WriteHeader(&tar.Header{Name: files[i].(string), Mode: 0o644, Size: int64(len(c))}); err != nil {
			t.Fatal(err)
		}
		w.Write(c)
	}
	w.Close()
	return b.Bytes()
}

const meta = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n"

func TestRead(t *testing.T) {
	// Each file is identified by its first pixel. The files come in another order.
	batch := func(n byte) []byte { b := bytes.Clone(few); b[1] = n; return b }
	files := []any{folder + "test_batch.bin", batch(9), folder + "data_batch_3.bin", batch(3), folder + metaName, []byte(meta), folder + "readme.html", []byte("x"),
		folder + "data_batch_5.bin", batch(5), folder + "data_batch_2.bin", batch(2), folder + "data_batch_1.bin", batch(1), folder + "data_batch_4.bin", batch(4)}
	d, err := read(bytes.NewReader(pack(t, files...)), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d.Train.Len() != 15 || d.Test.Len() != 3 || d.Test.Pixels[0] != 9 || !slices.Equal(d.Classes, strings.Fields(meta)) {
		t.Error(d.Train.Len(), d.Test.Len(), d.Classes)
	}
	for i := range 5 {
		if got := d.Train.Pixels[i*3*Size]; got != byte(i+1) {
			t.Errorf("file %d stands at place %d", got, i+1)
		}
	}
	for i := 0; i < len(files); i += 2 {
		if files[i] == folder+"readme.html" {
			continue
		}
		_, err := read(bytes.NewReader(pack(t, slices.Delete(slices.Clone(files), i, i+2)...)), 3)
		if name := strings.TrimPrefix(files[i].(string), folder); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

var few = records(3)

func TestReadRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":     nil,
		"no archive":  []byte("hello"),
		"too few":     pack(t, folder+testName, records(2)),
		"class 10":    pack(t, folder+testName, append([]byte{10}, make([]byte, Size)...)),
		"twice":       pack(t, folder+testName, few, testName, few),
		"nine names":  pack(t, folder+metaName, []byte("a b c d e f g h i")),
		"long names":  pack(t, folder+metaName, bytes.Repeat([]byte("a "), 4096)),
		"names twice": pack(t, folder+metaName, []byte(meta), metaName, []byte(meta)),
		"other names": pack(t, "../"+folder+testName, few),
	} {
		if _, err := read(bytes.NewReader(b), 3); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Read(bytes.NewReader(pack(t, folder+testName, few))); err == nil || !strings.Contains(err.Error(), "not 10000") {
		t.Error(err)
	}
	if _, err := Decode(bytes.NewReader(records(2)[:2*Size])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestImages(t *testing.T) {
	s, err := Decode(bytes.NewReader(records(12)))
	if err != nil || s.Len() != 12 {
		t.Fatal(s, err)
	}
	if X := s.First(2); X.At(1, 2) != 3.0/255 || X.RawMatrix().Cols != Size {
		t.Error(X.At(1, 2))
	}
	if X := s.Rows([]int{5, 1}); X.At(0, 0) != 5.0/255 || X.At(1, 0) != 1.0/255 {
		t.Error(X.At(0, 0), X.At(1, 0))
	}
	// The planes begin at multiples of 1,024, where the pattern restarts.
	if X := s.Gray([]int{3}); math.Abs(X.At(0, 7)-10.0/255) > 1e-15 {
		t.Error(X.At(0, 7))
	}
	s.Pixels[7*Size+plane+33] = 200 // green of row 1, column 1
	if r, g, b, a := s.Picture(7).At(1, 1).RGBA(); r>>8 != 40 || g>>8 != 200 || b>>8 != 40 || a>>8 != 255 {
		t.Error(r>>8, g>>8, b>>8, a>>8)
	}
	if !slices.Equal(s.Of(1), []int{1, 11}) || !slices.Equal(s.Counts(), []int{2, 2, 1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Error(s.Of(1), s.Counts())
	}
	for name, f := range map[string]func(){
		"First": func() { s.First(13) }, "Rows": func() { s.Rows(nil) }, "Rows 12": func() { s.Rows([]int{12}) }, "Gray": func() { s.Gray(nil) }, "Picture": func() { s.Picture(-1) },
	} {
		if m, _ := panics.Value(f).(string); !strings.HasPrefix(m, "cifar: ") {
			t.Errorf("%s: %q", name, m)
		}
	}
}

func TestRealSet(t *testing.T) {
	if patience.RaceDetector {
		t.Skip("unpacking 180 MB takes a minute with the race detector, and nothing here is concurrent")
	}
	d, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k := range classes {
		if a, b := d.Train.Counts()[k], d.Test.Counts()[k]; a != 5000 || b != 1000 {
			t.Errorf("class %d: %d and %d images", k, a, b)
		}
	}
	if got := strings.Join(d.Classes, " "); got != "airplane automobile bird cat deer dog frog horse ship truck" {
		t.Error(got)
	}
	// The first training images are a frog and two trucks, the first test image a cat, as in the
	// tutorials on the home page.
	if !slices.Equal(d.Train.Labels[:3], []int{6, 9, 9}) || d.Test.Labels[0] != 3 {
		t.Error(d.Train.Labels[:3], d.Test.Labels[0])
	}
	// Means of the channels over the training set: 0.4914, 0.4822, 0.4465. Half of all programs for this set
	// normalize with these numbers.
	var sum [3]float64
	for i, v := range d.Train.Pixels {
		sum[i/plane%3] += float64(v)
	}
	n := float64(len(d.Train.Pixels)) / 3 * 255
	if got := fmt.Sprintf("%.4f %.4f %.4f", sum[0]/n, sum[1]/n, sum[2]/n); got != "0.4914 0.4822 0.4465" {
		t.Error(got)
	}
}

func FuzzRead(f *testing.F) {
	one := records(1)
	f.Add(pack(f, folder+metaName, []byte(meta), folder+testName, one))
	f.Add(pack(f, metaName, []byte(meta), testName, one, trainName(1), one, trainName(2), one, trainName(3), one, trainName(4), one, trainName(5), one))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := read(bytes.NewReader(b), 1); err == nil && (d.Train.Len() != 5 || d.Test.Len() != 1 || len(d.Classes) != classes) {
			t.Fatal(d.Train.Len(), d.Test.Len())
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(records(2))
	f.Add(records(1)[:100])
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(bytes.NewReader(b))
		if err == nil && (s.Len()*(1+Size) != len(b) || slices.Max(s.Labels) >= classes) {
			t.Fatal(s.Len(), len(b))
		}
	})
}

func Example() {
	d, err := Load()
	if err != nil {
		fmt.Println("no CIFAR-10 here:", err)
		return
	}
	X := d.Train.Rows(d.Train.Of(0)[:100]) // the first hundred airplanes
	fmt.Println(X.Dims())
}
