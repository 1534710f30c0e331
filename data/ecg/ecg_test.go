package ecg

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"overcomplete/data"
)

const small = "  0.0e+00\t 1\t2\t3\t4\t5\t6\t7\t 8\t\n  2.0e-03\t-1\t-2\t-3\t-4\t-5\t-6\t-7\t-8.5e+00\t\n"

func TestRead(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, small)
	w.Close()
	for _, s := range []string{small, z.String()} {
		e, err := Read(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		if r, c := e.X.Dims(); r != 8 || c != 2 || e.X.At(7, 1) != -8.5 || e.X.At(2, 0) != 3 || !slices.Equal(e.Time, []float64{0, 0.002}) {
			t.Error(e)
		}
	}
	for s, want := range map[string]string{
		"":                                     "empty",
		"\n":                                   "line 1: 0 numbers",
		"1 2 3 4 5 6 7 8\n":                    "8 numbers",
		"0 1 2 3 x 5 6 7 8\n":                  `column 5: "x"`,
		"0 1 2 3 4 5 6 7 NaN\n":                "column 9",
		"0 1 2 3 4 5 6 7 1e999\n":              "column 9",
		"Inf 1 2 3 4 5 6 7 8\n":                "column 1",
		strings.Repeat(small, 2):               "line 3: the time 0",
		strings.Repeat(" ", 1<<20):             "too long",
		"\x1f\x8b\x08":                         "ecg",
		small + "0.003 1 2 3 4 5 6 7 8 9 10\n": "line 3: 11",
	} {
		if _, err := Read(strings.NewReader(s)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v", s, err)
		}
	}
}

// A file that was cut off inside a line is refused, in particular inside the last number: of "-8.5e+00" the
// part "-8.5" would have the right value, but the part "-8" would not.
func TestReadCut(t *testing.T) {
	for n := range len(small) {
		e, err := Read(strings.NewReader(small[:n]))
		if n > 0 && small[n-1] == '\n' {
			if err != nil || len(e.Time) != 1 {
				t.Errorf("one line of two: %v", err)
			}
		} else if err == nil || n > 0 && !strings.Contains(err.Error(), "in the middle") {
			t.Errorf("%q: %v", small[:n], err)
		}
	}
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, small)
	w.Close()
	for n := 2; n < z.Len(); n++ {
		if _, err := Read(bytes.NewReader(z.Bytes()[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n, z.Len(), err)
		}
	}
}

func TestRealSet(t *testing.T) {
	e, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, c := e.X.Dims(); r != 8 || c != 2500 || len(e.Time) != 2500 {
		t.Fatal(r, c)
	}
	for i, v := range e.Time {
		if math.Abs(v-0.002*float64(i)) > 1e-9 {
			t.Fatalf("sample %d is at %v s", i, v)
		}
	}
	// The package comment describes this trap. The mother's beats are the peaks above half of the largest
	// peak that are at least 60 samples apart.
	for c := Abdominal; c < Abdominal+Thoracic; c++ {
		y := slices.Clone(e.X.RawRowView(c))
		sorted := slices.Sorted(slices.Values(y))
		median := stat.Quantile(0.5, stat.Empirical, sorted, nil)
		top := max(sorted[len(sorted)-1]-median, median-sorted[0])
		var beats []int
		for i, v := range y {
			if math.Abs(v-median) > top/2 && (len(beats) == 0 || i-beats[len(beats)-1] > 60) {
				beats = append(beats, i)
			}
		}
		n := len(beats)
		if d := float64(beats[n-1]-beats[0]) / float64(n-1); n != 14 || math.Round(d) != 184 && math.Round(d) != 185 {
			t.Errorf("channel %d: %d beats, %v samples apart", c, n, d)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		if r, c := e.X.Dims(); r != channels || c != len(e.Time) || !slices.IsSorted(e.Time) {
			t.Fatal(r, c)
		}
		for _, v := range e.X.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatal(v)
			}
		}
	})
}

func Example() {
	e, err := Load()
	if err != nil {
		fmt.Println("no recording here:", err)
		return
	}
	fmt.Println(e.X.Dims())
}
