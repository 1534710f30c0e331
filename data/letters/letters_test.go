package letters

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"overcomplete/data"
	"overcomplete/internal/panics"
)

// row returns one line of the file, with ink only in pixel p.
func row(id int, letter string, next, word, position, fold, p int) string {
	s := fmt.Sprintf("%d\t%s\t%d\t%d\t%d\t%d\t", id, letter, next, word, position, fold)
	for i := range size {
		if i == p {
			s += "1\t"
		} else {
			s += "0\t"
		}
	}
	return s + "\n"
}

var small = row(1, "o", 2, 1, 1, 0, 3) + row(2, "m", -1, 1, 2, 0, 127) + row(3, "a", -1, 2, 1, 7, 0)

func TestRead(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, small)
	w.Close()
	for _, b := range []string{small, z.String(), strings.TrimSuffix(small, "\t\n")} {
		l, err := Read(strings.NewReader(b))
		if err != nil || len(l.Words) != 2 || l.Len() != 3 {
			t.Fatal(l, err)
		}
		if w := l.Words[0]; w.ID != 1 || w.Text != "om" || w.Fold != 0 || len(w.Letters) != 2 || w.Letters[1].Label != 12 {
			t.Error(w)
		}
		X := l.Pixels()
		for i, p := range []int{3, 127, 0} {
			for j, v := range X.RawRowView(i) {
				if want := map[bool]float64{true: 1}[j == p]; v != want {
					t.Errorf("letter %d, pixel %d: %v", i, j, v)
				}
			}
		}
		if y := l.Labels(); !slices.Equal(y, []int{14, 12, 0}) {
			t.Error(y)
		}
		in, out := l.Fold(7)
		if len(in.Words) != 1 || in.Words[0].Text != "a" || len(out.Words) != 1 || out.Words[0].Text != "om" {
			t.Error(in, out)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"", "empty"},
		"cut word":      {row(1, "o", 2, 1, 1, 0, 3), "middle of word 1"},
		"cut line":      {small[:len(small)-3], "fields"},
		"wrong id":      {row(1, "o", 3, 1, 1, 0, 3) + row(2, "m", -1, 1, 2, 0, 3), "line 2: the id is 2"},
		"other word":    {row(1, "o", 2, 1, 1, 0, 3) + row(2, "m", -1, 9, 2, 0, 3), "line 2: word 9"},
		"other fold":    {row(1, "o", 2, 1, 1, 0, 3) + row(2, "m", -1, 1, 2, 1, 3), "fold 1"},
		"position":      {row(1, "o", 2, 1, 1, 0, 3) + row(2, "m", -1, 1, 3, 0, 3), "position 3"},
		"no beginning":  {row(1, "o", -1, 1, 2, 0, 3), "begins with position 2"},
		"fold 10":       {row(1, "o", -1, 1, 1, 10, 3), "fold"},
		"next 0":        {row(1, "o", 0, 1, 1, 0, 3), "next_id"},
		"capital":       {row(1, "O", -1, 1, 1, 0, 3), `"O"`},
		"two letters":   {row(1, "oo", -1, 1, 1, 0, 3), `"oo"`},
		"pixel 2":       {strings.Replace(row(1, "o", -1, 1, 1, 0, 3), "\t1\t0\t", "\t2\t0\t", 1), "position"},
		"grey":          {strings.Replace(row(1, "o", -1, 1, 1, 0, 3), "\t0\t0\t1\t0", "\t0\t0\t7\t0", 1), "p_0_3"},
		"huge number":   {strings.Replace(small, "1\to", "99999999999999999999\to", 1), "id"},
		"endless line":  {strings.Repeat("x", 1<<20), "too long"},
		"more fields":   {strings.Replace(small, "\t\n", "\t0\t\n", 1), "135 fields"},
		"empty line":    {"\n" + small, "line 1: 1 fields"},
		"damaged gzip":  {"\x1f\x8b\x08", "letters"},
		"not a number":  {strings.Replace(small, "1\to", "x\to", 1), `"x"`},
		"negative word": {row(1, "o", -1, -1, 1, 0, 3), "word_id"},
	} {
		if _, err := Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The error for a truncated compressed file says so, and does not mention a short last line.
func TestReadCut(t *testing.T) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.NoCompression) // not compressed, so that a part can be read before the cut
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, small)
	w.Close()
	for n := range z.Len() {
		if n == 0 {
			continue // an empty file
		}
		_, err := Read(bytes.NewReader(z.Bytes()[:n]))
		if n >= 2 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d of %d bytes: %v", n, z.Len(), err)
		}
	}
	// An error in a complete line takes precedence.
	bad := "x\n" + small
	_, err = Read(io.MultiReader(strings.NewReader(bad[:30]), iotest.ErrReader(io.ErrClosedPipe)))
	if err == nil || !strings.Contains(err.Error(), "line 1: 1 fields") {
		t.Error(err)
	}
	_, err = Read(io.MultiReader(strings.NewReader(small[:300]), iotest.ErrReader(io.ErrClosedPipe)))
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"letters: there is no fold 10, there are 10": func() { (&Letters{}).Fold(10) },
		"letters: Pixels: there are no letters":      func() { (&Letters{}).Pixels() },
	} {
		if m := panics.Value(f); m != want {
			t.Errorf("%v, not %q", m, want)
		}
	}
}

func TestRealSet(t *testing.T) {
	l, err := Load()
	if errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Words) != 6877 || l.Len() != 52152 {
		t.Error(len(l.Words), l.Len())
	}
	if l.Words[0].Text != "ommanding" || l.Words[1].Fold != 7 {
		t.Error(l.Words[0].Text, l.Words[1].Fold)
	}
	words, letters := 0, 0
	for k := range Folds {
		in, out := l.Fold(k)
		if words += len(in.Words); len(in.Words)+len(out.Words) != 6877 || len(in.Words) < 600 {
			t.Errorf("fold %d: %d words", k, len(in.Words))
		}
		letters += in.Len()
	}
	if words != 6877 || letters != 52152 {
		t.Error(words, letters)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(row(1, "o", 2, 1, 1, 0, 3)))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, w := range l.Words {
			if len(w.Text) != len(w.Letters) || len(w.Text) == 0 || w.Fold < 0 || w.Fold >= Folds {
				t.Fatal(w)
			}
		}
		if n, _ := l.Pixels().Dims(); n != len(l.Labels()) {
			t.Fatal(n)
		}
	})
}

func Example() {
	l, err := Load()
	if err != nil {
		fmt.Println("no letters here:", err)
		return
	}
	train, test := l.Fold(0)
	fmt.Println(train.Len(), test.Len())
}
