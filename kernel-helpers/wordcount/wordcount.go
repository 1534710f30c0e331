package wordcount

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/option"
)

// A Score specifies how the tf-idf values of a word in the documents are reduced to one number.
type Score int

const (
	Total Score = iota // Σ_d c_dw idf_w
	Mean               // Σ_d (c_dw/c_d) idf_w / n
	Peak               // max_d c_dw idf_w
)

// Options are the options of Fit. The zero value is ready to use.
type Options struct {
	// Words is the size of the vocabulary. 0 means 5000. If there are fewer words, the vocabulary has all
	// words.
	Words int
	// Score is the reduction; the zero value is Total.
	Score Score
	// MinDocuments drops words that occur in fewer than MinDocuments documents. 0 means 1.
	MinDocuments int
	// LettersOnly drops tokens without a letter.
	LettersOnly bool
}

// A Vocabulary is a list of words, each with a column in Transform's matrix.
type Vocabulary struct {
	Words     []string  // V, in descending order of score
	Scores    []float64 // V
	Documents []int     // V: number of documents that contain the word
	place     map[string]int
}

// String returns a one-line summary.
func (v *Vocabulary) String() string {
	return fmt.Sprintf("vocabulary of %d words", len(v.Words))
}

// Fit returns the words with the highest tf-idf score in tokenized documents. opt may be nil.
func Fit(ctx context.Context, docs [][]string, opt *Options) (*Vocabulary, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if err := option.Check("wordcount: Fit", option.Count("Words", o.Words), option.Count("MinDocuments", o.MinDocuments)); err != nil {
		return nil, err
	}
	if o.Score < 0 || o.Score > Peak {
		return nil, fmt.Errorf("wordcount: Fit: unknown Score %d", o.Score)
	}
	if o.Words == 0 {
		o.Words = 5000
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("wordcount: Fit: there are no documents")
	}
	type entry struct {
		word      string
		documents int
		tf        float64 // reduced by Score, not yet times idf
		score     float64
	}
	entries := map[string]*entry{}
	for _, doc := range docs {
		if ctx != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("wordcount: Fit: %w", ctx.Err())
		}
		counts := map[string]int{}
		for _, w := range doc {
			counts[w]++
		}
		for w, c := range counts {
			e := entries[w]
			if e == nil {
				e = &entry{word: w}
				entries[w] = e
			}
			e.documents++
			switch o.Score {
			case Total:
				e.tf += float64(c)
			case Mean:
				e.tf += float64(c) / float64(len(doc)) / float64(len(docs))
			case Peak:
				e.tf = math.Max(e.tf, float64(c))
			}
		}
	}
	var chosen []*entry
	for w, e := range entries {
		if e.documents < o.MinDocuments || o.LettersOnly && !strings.ContainsFunc(w, unicode.IsLetter) {
			continue
		}
		e.score = e.tf * math.Log(float64(len(docs))/float64(e.documents))
		chosen = append(chosen, e)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("wordcount: Fit: no word of %d documents is left", len(docs))
	}
	slices.SortFunc(chosen, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.word, b.word))
	})
	chosen = chosen[:min(o.Words, len(chosen))]
	v := &Vocabulary{}
	for _, e := range chosen {
		v.Words, v.Scores, v.Documents = append(v.Words, e.word), append(v.Scores, e.score), append(v.Documents, e.documents)
	}
	v.index()
	if ctx != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("wordcount: Fit: %w", ctx.Err())
	}
	return v, nil
}

func (v *Vocabulary) index() {
	v.place = make(map[string]int, len(v.Words))
	for k, w := range v.Words {
		v.place[w] = k
	}
}

// fields is a Vocabulary without its methods.
type fields Vocabulary

// GobEncode encodes the vocabulary for package gob.
func (v *Vocabulary) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode((*fields)(v))
	return b.Bytes(), err
}

// GobDecode decodes what GobEncode has encoded.
func (v *Vocabulary) GobDecode(b []byte) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode((*fields)(v)); err != nil {
		return fmt.Errorf("wordcount: Vocabulary.GobDecode: %w", err)
	}
	v.index()
	return nil
}

// UnmarshalJSON decodes a vocabulary that package json has encoded.
func (v *Vocabulary) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, (*fields)(v)); err != nil {
		return fmt.Errorf("wordcount: Vocabulary.UnmarshalJSON: %w", err)
	}
	v.index()
	return nil
}

// Place returns the column of a word in Transform's matrix, or −1 if the vocabulary does not
// have the word.
func (v *Vocabulary) Place(word string) int {
	if k, ok := v.place[word]; ok {
		return k
	}
	return -1
}

// Transform returns the counts of each word of the vocabulary (columns) in each document (rows): n×V. Other words
// are skipped. The matrix is dense: 8nV bytes; csr.FromTriplets makes a sparse one. Transform panics if there
// are no documents, or if the matrix exceeds the limit of package memory.
func (v *Vocabulary) Transform(docs [][]string) *mat.Dense {
	if len(docs) == 0 {
		panic("wordcount: Transform: there are no documents")
	}
	if err := ram.Check(fmt.Sprintf("counts of %d words in %d documents", len(v.Words), len(docs)), 8*float64(len(docs))*float64(len(v.Words))); err != nil {
		panic("wordcount: Transform: " + err.Error())
	}
	X := mat.NewDense(len(docs), len(v.Words), nil)
	for i, doc := range docs {
		row := X.RawRowView(i)
		for _, w := range doc {
			if k, ok := v.place[w]; ok {
				row[k]++
			}
		}
	}
	return X
}

// Normalize divides each row of counts (n×V) by its sum. If a count is negative, NaN or infinite, or if a row is all
// zeros, it returns an error that gives the position.
func Normalize(counts mat.Matrix) (*mat.Dense, error) {
	if d, ok := counts.(*mat.Dense); counts == nil || ok && (d == nil || d.IsEmpty()) {
		return nil, fmt.Errorf("wordcount: Normalize: there are no counts")
	}
	if err := finite.Room("counts", counts); err != nil {
		return nil, fmt.Errorf("wordcount: Normalize: %w", err)
	}
	X := mat.DenseCopyOf(finite.AsDense(counts))
	n, _ := X.Dims()
	for i := range n {
		row := X.RawRowView(i)
		for k, c := range row {
			if !(c >= 0) || math.IsInf(c, 0) {
				return nil, fmt.Errorf("wordcount: Normalize: counts(%d, %d) is %v, must be finite and not negative", i, k, c)
			}
		}
		sum := floats.Sum(row)
		if sum == 0 {
			return nil, fmt.Errorf("wordcount: Normalize: document %d has no word of the vocabulary", i)
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return X, nil
}
