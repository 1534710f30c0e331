package lectureattention

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"overcomplete/kernel-helpers/attention"
)

// Rhyme is a training text for models of letters: the last verses of This Is the House That Jack Built
// (English nursery rhyme, printed 1755; public domain).
const Rhyme = `this is the farmer sowing his corn,
that kept the cock that crowed in the morn,
that waked the priest all shaven and shorn,
that married the man all tattered and torn,
that kissed the maiden all forlorn,
that milked the cow with the crumpled horn,
that tossed the dog,
that worried the cat,
that killed the rat,
that ate the malt
that lay in the house that jack built.
`

// A Text is a text as a sequence of letters, on which a language model can be trained.
type Text struct {
	Letters []rune // the vocabulary, sorted
	Tokens  []int  // the text: indices into Letters
}

// NewText returns text as a sequence of letters. It returns an error if text has fewer than two different letters.
func NewText(text string) (*Text, error) {
	letters := []rune(text)
	slices.Sort(letters)
	letters = slices.Compact(letters)
	if len(letters) < 2 {
		return nil, fmt.Errorf("lectureattention: NewText: the text has %d different letters, must have at least 2", len(letters))
	}
	t := &Text{Letters: letters}
	var err error
	t.Tokens, err = t.Encode(text)
	return t, err
}

// Encode converts s to tokens. It returns an error if s has a letter outside the vocabulary.
func (t *Text) Encode(s string) ([]int, error) {
	var out []int
	for _, r := range s {
		i, ok := slices.BinarySearch(t.Letters, r)
		if !ok {
			return nil, fmt.Errorf("lectureattention: Encode: %q is not in the vocabulary", r)
		}
		out = append(out, i)
	}
	return out, nil
}

// Decode converts tokens to text. It panics if a token is outside the vocabulary.
func (t *Text) Decode(tokens []int) string {
	var b strings.Builder
	for i, k := range tokens {
		if k < 0 || k >= len(t.Letters) {
			panic(fmt.Sprintf("lectureattention: Text.Decode: token %d is %d, the vocabulary has %d", i, k, len(t.Letters)))
		}
		b.WriteRune(t.Letters[k])
	}
	return b.String()
}

// Batch returns the given number of windows, each with n successive letters of the text. Their places are random, and
// are determined by seed and step. The target of each letter is the next letter. Batch panics if number or n is less
// than 1, or if n is not less than the length of the text.
func (t *Text) Batch(number, n int, seed uint64, step int) attention.Batch {
	if n < 1 || n >= len(t.Tokens) || number < 1 {
		panic(fmt.Sprintf("lectureattention: Text.Batch: %d windows of %d letters from a text of %d", number, n, len(t.Tokens)))
	}
	rng := rand.New(rand.NewPCG(seed, uint64(step)))
	var b attention.Batch
	for range number {
		at := rng.IntN(len(t.Tokens) - n)
		b.Inputs = append(b.Inputs, t.Tokens[at:at+n])
		b.Targets = append(b.Targets, t.Tokens[at+1:at+n+1])
	}
	return b
}
