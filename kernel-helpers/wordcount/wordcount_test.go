package wordcount

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
)

func documents(texts ...string) [][]string {
	docs := make([][]string, len(texts))
	for i, t := range texts {
		docs[i] = strings.Fields(t)
	}
	return docs
}

func TestScores(t *testing.T) {
	docs := documents("the cat the cat cat", "the dog", "the dog . a", "the")
	log := math.Log
	for _, c := range []struct {
		score Score
		want  map[string]float64
	}{
		{Total, map[string]float64{"cat": 3 * log(4), "dog": 2 * log(2), ".": log(4), "a": log(4), "the": 0}},
		{Mean, map[string]float64{"cat": 0.6 * log(4) / 4, "dog": (0.5 + 0.25) * log(2) / 4, ".": 0.25 * log(4) / 4, "a": 0.25 * log(4) / 4, "the": 0}},
		{Peak, map[string]float64{"cat": 3 * log(4), "dog": log(2), ".": log(4), "a": log(4), "the": 0}},
	} {
		v, err := Fit(t.Context(), docs, &Options{Score: c.score})
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Words) != 5 {
			t.Errorf("words %q", v.Words)
		}
		for k, w := range v.Words {
			if math.Abs(v.Scores[k]-c.want[w]) > 1e-14 || v.Place(w) != k {
				t.Errorf("score %d of %q at %d is %v, want %v", c.score, w, k, v.Scores[k], c.want[w])
			}
			if k > 0 && (v.Scores[k] > v.Scores[k-1] || v.Scores[k] == v.Scores[k-1] && w < v.Words[k-1]) {
				t.Errorf("%q stands after %q", w, v.Words[k-1])
			}
		}
		if v.Place("bird") != -1 {
			t.Error("bird has a place")
		}
	}
	v, err := Fit(t.Context(), docs, &Options{LettersOnly: true, MinDocuments: 2})
	if err != nil || !slices.Equal(v.Words, []string{"dog", "the"}) || !slices.Equal(v.Documents, []int{2, 4}) {
		t.Errorf("%v, %q in %d", err, v.Words, v.Documents)
	}
}

// TestTopics: counting a corpus's own tokens gives its counts, the order of documents does not matter, and a
// smaller vocabulary is a prefix of a larger vocabulary.
func TestTopics(t *testing.T) {
	corpus, err := synth.Topics(t.Context(), synth.TopicsOptions{Documents: 80, Vocabulary: 300, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	docs := make([][]string, 80)
	for i := range docs {
		docs[i] = strings.Fields(corpus.Text(i))
	}
	v, err := Fit(t.Context(), docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	X := v.Transform(docs)
	total := 0
	for j, w := range corpus.Words {
		k := v.Place(w)
		if k < 0 {
			if s := mat.Sum(corpus.Counts.ColView(j)); s != 0 {
				t.Errorf("%q is %v times in the corpus and not in the vocabulary", w, s)
			}
			continue
		}
		total++
		for i := range 80 {
			if X.At(i, k) != corpus.Counts.At(i, j) {
				t.Fatalf("%q is %v times in document %d, want %v", w, X.At(i, k), i, corpus.Counts.At(i, j))
			}
		}
	}
	if total != len(v.Words) {
		t.Errorf("%d words, %d of them in the corpus", len(v.Words), total)
	}
	P, err := Normalize(X)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		if s := floats.Sum(P.RawRowView(i)); math.Abs(s-1) > 1e-14 {
			t.Errorf("row %d sums to %v", i, s)
		}
		if math.Abs(P.At(i, 3)*mat.Sum(X.RowView(i))-X.At(i, 3)) > 1e-12 {
			t.Errorf("row %d is not in proportion", i)
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(80, func(a, b int) { docs[a], docs[b] = docs[b], docs[a] })
	small, err := Fit(t.Context(), docs, &Options{Words: 40})
	if err != nil || !slices.Equal(small.Words, v.Words[:40]) {
		t.Errorf("%v: another vocabulary", err)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		docs [][]string
		opt  *Options
		want string
	}{
		{nil, nil, "no documents"},
		{[][]string{{}, {}}, nil, "no word of 2"},
		{documents("a"), &Options{Words: -1}, "Words is -1"},
		{documents(". ,"), &Options{LettersOnly: true}, "no word"},
	} {
		if _, err := Fit(t.Context(), c.docs, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		X    mat.Matrix
		want string
	}{
		{mat.NewDense(2, 2, []float64{1, 0, 0, 0}), "document 1 has no word"},
		{mat.NewDense(1, 2, []float64{1, -1}), "counts(0, 1) is -1"},
		{mat.NewDense(1, 2, []float64{math.NaN(), 1}), "counts(0, 0) is NaN"},
		{&mat.Dense{}, "no counts"},
		{nil, "no counts"},
	} {
		if _, err := Normalize(c.X); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// FuzzCount: for any tokens, the counts of a full vocabulary sum to the number of tokens.
func FuzzCount(f *testing.F) {
	f.Add("a b a", "b , é")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		docs := documents(a, b)
		v, err := Fit(t.Context(), docs, &Options{Words: 1 << 30})
		if err != nil {
			if len(docs[0])+len(docs[1]) > 0 {
				t.Error(err)
			}
			return
		}
		X := v.Transform(docs)
		for i := range docs {
			if s := floats.Sum(X.RawRowView(i)); s != float64(len(docs[i])) {
				t.Errorf("%v counted of %d tokens", s, len(docs[i]))
			}
		}
		for k, n := range v.Documents {
			if n < 1 || n > 2 || v.Scores[k] < 0 {
				t.Errorf("%q: %d documents, score %v", v.Words[k], n, v.Scores[k])
			}
		}
	})
}

func Example() {
	docs := [][]string{
		{"the", "plot", "is", "thin", "thin", "thin"},
		{"the", "plot", "is", "great"},
		{"the", "acting", "is", "great"},
	}
	v, err := Fit(context.Background(), docs, &Options{Words: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Words)
	fmt.Println(mat.Formatted(v.Transform(docs)))
	// Output:
	// [thin acting great]
	// ⎡3  0  0⎤
	// ⎢0  0  1⎥
	// ⎣0  1  1⎦
}

// TestEncode checks that a vocabulary finds its words after encoding/gob and encoding/json have stored it.
func TestEncode(t *testing.T) {
	docs := [][]string{{"a", "b", "a"}, {"b", "c"}}
	v, err := Fit(t.Context(), docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	var byGob, byJSON Vocabulary
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(&byGob); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &byJSON); err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]*Vocabulary{"gob": &byGob, "JSON": &byJSON} {
		if !reflect.DeepEqual(w, v) || !mat.Equal(w.Transform(docs), v.Transform(docs)) {
			t.Errorf("%s: %+v, stored %+v", name, w, v)
		}
	}
}
