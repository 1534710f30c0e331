package letters

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
)

// Name is the set's name in the registry of package data.
const Name = "letters"

const (
	// Height and Width are the sides of a letter in pixels.
	Height, Width = 16, 8
	// Folds is the number of parts that the words are split into.
	Folds = 10

	size       = Height * Width
	fields     = 6 + size
	maxBytes   = 64 << 20 // of the unpacked file
	maxLetters = 1 << 20
)

// Letters holds the words with the pixels of their letters.
type Letters struct{ Words []Word }

// A Word is a handwritten word.
type Word struct {
	ID      int
	Text    string // a to z, without the capital first letter
	Fold    int    // 0 to 9
	Letters []Letter
}

// A Letter is one letter of a word.
type Letter struct {
	Label  int     // 0 for a to 25 for z
	Pixels []uint8 // 128: row by row from the top; 1 is ink
}

// Load reads the set from the folder of package data, after checking its content. Load never downloads: if
// the file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Letters, error) {
	f, err := data.Open(Name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads letter.data, compressed or not. Errors name the line. If the reader fails in the middle of a
// line, as for a compressed file that was cut off, Read returns the reader's error.
func Read(r io.Reader) (*Letters, error) {
	u, err := archive.Unpack(r, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("letters: %w", err)
	}
	in := bufio.NewScanner(u)
	in.Buffer(make([]byte, 4096), 4096)
	cut := false // the current line has no end: it is the last line, or the reader failed in it
	in.Split(func(b []byte, end bool) (int, []byte, error) {
		cut = end && bytes.IndexByte(b, '\n') < 0
		return bufio.ScanLines(b, end)
	})
	l := &Letters{}
	var text []byte
	next := 0 // the next_id of the previous line, -1 at the end of a word
	n := 0
	for in.Scan() {
		n++
		if n > maxLetters {
			return nil, fmt.Errorf("letters: %w of %d lines", archive.ErrLimit, maxLetters)
		}
		x, err := parse(in.Text())
		if err != nil {
			if e := in.Err(); cut && e != nil {
				err = e
			}
			return nil, fmt.Errorf("letters: line %d: %w", n, err)
		}
		if n == 1 || next == -1 {
			if x.position != 1 {
				return nil, fmt.Errorf("letters: line %d: a word begins with position %d, not 1", n, x.position)
			}
			l.Words = append(l.Words, Word{ID: x.word, Fold: x.fold})
			text = text[:0]
		}
		w := &l.Words[len(l.Words)-1]
		switch {
		case next > 0 && x.id != next:
			return nil, fmt.Errorf("letters: line %d: the id is %d, not %d", n, x.id, next)
		case w.ID != x.word || w.Fold != x.fold || x.position != len(w.Letters)+1:
			return nil, fmt.Errorf("letters: line %d: word %d, fold %d, position %d in the middle of word %d, fold %d, after position %d", n, x.word, x.fold, x.position, w.ID, w.Fold, len(w.Letters))
		}
		w.Letters = append(w.Letters, Letter{Label: int(x.letter - 'a'), Pixels: x.pixels})
		text = append(text, x.letter)
		w.Text = string(text)
		next = x.next
	}
	switch err := in.Err(); {
	case err != nil:
		return nil, fmt.Errorf("letters: line %d: %w", n+1, err)
	case n == 0:
		return nil, errors.New("letters: the file is empty")
	case next != -1:
		return nil, fmt.Errorf("letters: the file ends in the middle of word %d", l.Words[len(l.Words)-1].ID)
	}
	return l, nil
}

type line struct {
	id, next, word, position, fold int
	letter                         byte
	pixels                         []uint8
}

func parse(s string) (line, error) {
	f := strings.Split(strings.TrimSuffix(s, "\t"), "\t")
	if len(f) != fields {
		return line{}, fmt.Errorf("%d fields, not %d", len(f), fields)
	}
	x := line{pixels: make([]uint8, size)}
	for _, c := range []struct {
		to       *int
		field    int
		what     string
		low, top int
	}{
		{&x.id, 0, "id", 1, 1 << 30}, {&x.next, 2, "next_id", -1, 1 << 30}, {&x.word, 3, "word_id", 0, 1 << 30},
		{&x.position, 4, "position", 1, 1000}, {&x.fold, 5, "fold", 0, Folds - 1},
	} {
		v, err := strconv.Atoi(f[c.field])
		if err != nil || v < c.low || v > c.top {
			return line{}, fmt.Errorf("%s is %q, not %d to %d", c.what, f[c.field], c.low, c.top)
		}
		*c.to = v
	}
	if x.next == 0 {
		return line{}, errors.New("next_id is 0, not -1 or an id")
	}
	if len(f[1]) != 1 || f[1][0] < 'a' || f[1][0] > 'z' {
		return line{}, fmt.Errorf("the letter is %q, not a to z", f[1])
	}
	x.letter = f[1][0]
	for i, p := range f[6:] {
		if p != "0" && p != "1" {
			return line{}, fmt.Errorf("pixel p_%d_%d is %q, not 0 or 1", i/Width, i%Width, p)
		}
		x.pixels[i] = p[0] - '0'
	}
	return x, nil
}

// Len returns the number of letters in all words.
func (l *Letters) Len() int {
	n := 0
	for _, w := range l.Words {
		n += len(w.Letters)
	}
	return n
}

// Pixels returns all letters, word after word, as rows of a matrix (Len() × 128),
// values 0 and 1. It panics if there are no letters.
func (l *Letters) Pixels() *mat.Dense {
	if l.Len() == 0 {
		panic("letters: Pixels: there are no letters")
	}
	X := mat.NewDense(l.Len(), size, nil)
	i := 0
	for _, w := range l.Words {
		for _, x := range w.Letters {
			row := X.RawRowView(i)
			for j, v := range x.Pixels {
				row[j] = float64(v)
			}
			i++
		}
	}
	return X
}

// Labels returns the label of each row of Pixels: 0 for a to 25 for z.
func (l *Letters) Labels() []int {
	y := make([]int, 0, l.Len())
	for _, w := range l.Words {
		for _, x := range w.Letters {
			y = append(y, x.Label)
		}
	}
	return y
}

// Fold returns the words of fold k, and the words of all other folds. Papers differ in which of the two they train on.
// The words are shared with l.
func (l *Letters) Fold(k int) (in, out *Letters) {
	if k < 0 || k >= Folds {
		panic(fmt.Sprintf("letters: there is no fold %d, there are %d", k, Folds))
	}
	in, out = &Letters{}, &Letters{}
	for _, w := range l.Words {
		if w.Fold == k {
			in.Words = append(in.Words, w)
		} else {
			out.Words = append(out.Words, w)
		}
	}
	return in, out
}
