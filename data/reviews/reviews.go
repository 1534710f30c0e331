package reviews

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"overcomplete/data"
	"overcomplete/data/internal/archive"
)

// Name is the set's name in the registry of package data.
const Name = "reviews"

const folder = "scaledata/"

var limits = archive.Limits{Members: 1000, Member: 16 << 20, Total: 128 << 20}

// authors lists the authors in the set, in the order of the results.
var authors = []string{"Dennis+Schwartz", "James+Berardinelli", "Scott+Renshaw", "Steve+Rhodes"}

// kinds lists the kinds of files that each author has.
var kinds = []string{"id", "subj", "rating", "label.3class", "label.4class"}

// Reviews holds reviews grouped by author. The reviews of each author are in the order of the author's files.
type Reviews struct{ Reviews []Review }

// A Review holds the subjective sentences of one movie review, and its rating.
type Review struct {
	Author string
	ID     string  // number of the web page from which the review was taken
	Text   string  // in lower case, tokens separated by blanks
	Rating float64 // 0 to 1
	Three  int     // class of the rating, 0 to 2
	Four   int     // class of the rating, 0 to 3
}

// Tokens returns the words and punctuation marks of the text.
func (r Review) Tokens() []string { return strings.Fields(r.Text) }

// Load reads the set from the folder of package data, after checking its content. Load never downloads: if
// the file is missing, the error wraps data.ErrAbsent and says how to get it.
func Load() (*Reviews, error) {
	f, err := data.Open(Name, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads the archive: a tar, compressed by gzip or not. The folders of the four authors are in the folder scaledata
// or at the archive's top. Other files are skipped.
func Read(r io.Reader) (*Reviews, error) {
	wanted := map[string]bool{}
	for _, a := range authors {
		for _, k := range kinds {
			wanted[a+"/"+k+"."+a] = true
		}
	}
	files := map[string][]string{} // lines by file
	err := archive.Walk(r, limits, func(name string, r io.Reader) error {
		file, ok := archive.Inside(name, folder, "")
		if !ok || !wanted[file] {
			return nil
		}
		if files[file] != nil {
			return fmt.Errorf("%q occurs in two folders", file)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if files[file], err = lines(b); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reviews: %w", err)
	}
	all := &Reviews{}
	for _, a := range authors {
		var column [5][]string
		for i, k := range kinds {
			name := a + "/" + k + "." + a
			if column[i] = files[name]; column[i] == nil {
				return nil, fmt.Errorf("reviews: the archive has no %s", name)
			}
			if len(column[i]) != len(column[0]) {
				return nil, fmt.Errorf("reviews: %s has %d lines, id.%s has %d", name, len(column[i]), a, len(column[0]))
			}
		}
		for i := range column[0] {
			x, err := review(column[0][i], column[1][i], column[2][i], column[3][i], column[4][i])
			if err != nil {
				return nil, fmt.Errorf("reviews: %s, line %d: %w", a, i+1, err)
			}
			x.Author = a
			all.Reviews = append(all.Reviews, x)
		}
	}
	return all, nil
}

// lines splits b at newlines; the last line need not end in one. It returns an error if b is empty or not UTF-8.
func lines(b []byte) ([]string, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("the text is not UTF-8")
	}
	s := strings.TrimSuffix(string(b), "\n")
	if s == "" {
		return nil, errors.New("it is empty")
	}
	return strings.Split(s, "\n"), nil
}

func review(id, text, rating, three, four string) (Review, error) {
	if _, err := strconv.ParseUint(id, 10, 32); err != nil {
		return Review{}, fmt.Errorf("the id is %q, which is not a number", id)
	}
	if strings.TrimSpace(text) == "" {
		return Review{}, errors.New("there is no text")
	}
	v, err := strconv.ParseFloat(rating, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return Review{}, fmt.Errorf("the rating is %q, not 0 to 1", rating)
	}
	x := Review{ID: id, Text: text, Rating: v, Three: threeClass(v), Four: fourClass(v)}
	if three != strconv.Itoa(x.Three) || four != strconv.Itoa(x.Four) {
		return Review{}, fmt.Errorf("the rating %s belongs to classes %d and %d, but the labels say %q and %q", rating, x.Three, x.Four, three, four)
	}
	return x, nil
}

func threeClass(v float64) int {
	switch {
	case v <= 0.4:
		return 0
	case v < 0.7:
		return 1
	}
	return 2
}

func fourClass(v float64) int {
	switch {
	case v < 0.4:
		return 0
	case v < 0.6:
		return 1
	case v < 0.8:
		return 2
	}
	return 3
}

// Len returns the number of reviews.
func (r *Reviews) Len() int { return len(r.Reviews) }

// Authors returns the names of the authors, in the order of the reviews.
func (r *Reviews) Authors() []string {
	var list []string
	for _, x := range r.Reviews {
		if len(list) == 0 || list[len(list)-1] != x.Author {
			list = append(list, x.Author)
		}
	}
	return list
}

// By returns the reviews of one author.
func (r *Reviews) By(author string) *Reviews {
	out := &Reviews{}
	for _, x := range r.Reviews {
		if x.Author == author {
			out.Reviews = append(out.Reviews, x)
		}
	}
	return out
}

// Texts returns the texts of all reviews.
func (r *Reviews) Texts() []string {
	list := make([]string, r.Len())
	for i, x := range r.Reviews {
		list[i] = x.Text
	}
	return list
}

// Ratings returns the ratings of all reviews, 0 to 1.
func (r *Reviews) Ratings() []float64 {
	list := make([]float64, r.Len())
	for i, x := range r.Reviews {
		list[i] = x.Rating
	}
	return list
}

// Labels returns the class of each review's rating, in the scheme with the given number of classes, which must be 3 or
// 4.
func (r *Reviews) Labels(classes int) []int {
	if classes != 3 && classes != 4 {
		panic(fmt.Sprintf("reviews: Labels: the number of classes must be 3 or 4, not %d", classes))
	}
	list := make([]int, r.Len())
	for i, x := range r.Reviews {
		if list[i] = x.Three; classes == 4 {
			list[i] = x.Four
		}
	}
	return list
}
