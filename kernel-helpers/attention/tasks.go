package attention

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Task is a small problem on sequences of symbols 0 to Symbols−1. A sequence
// is the question, the separator (token Symbols), and the answer:
//
//	Copy     3 1 4 | 3 1 4
//	Reverse  3 1 4 | 4 1 3
//	Sort     3 1 4 | 1 3 4
//	Add      3 1 4 | 4 5 4    each symbol plus its right neighbor, modulo Symbols
//	Recall   3 1 4 | 3        the first symbol only
//
// Only predictions of the answer's symbols count in the loss.
type Task struct {
	Kind    Kind
	Digits  int // symbols in the question; 0 means 5
	Symbols int // number of different symbols; 0 means 10
}

// A Kind says how the answer of a Task follows from the question.
type Kind int

// The kinds of tasks.
const (
	Copy Kind = iota
	Reverse
	Sort
	Add
	Recall
)

// String returns "copy", "reverse", "sort", "add" or "recall".
func (k Kind) String() string {
	if k < Copy || k > Recall {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return []string{"copy", "reverse", "sort", "add", "recall"}[k]
}

func (k Task) withDefaults() Task {
	if k.Digits == 0 {
		k.Digits = 5
	}
	if k.Symbols == 0 {
		k.Symbols = 10
	}
	if k.Kind < Copy || k.Kind > Recall || k.Digits < 1 || k.Symbols < 2 {
		panic(fmt.Sprintf("attention: Task: %v of %d digits of %d symbols", k.Kind, k.Digits, k.Symbols))
	}
	return k
}

// Vocabulary returns the number of tokens: the symbols and the separator.
func (k Task) Vocabulary() int { return k.withDefaults().Symbols + 1 }

// Length returns the length of the model's input: the question, the separator, and
// the answer without its last symbol.
func (k Task) Length() int { k = k.withDefaults(); return k.Digits + k.answer() }

func (k Task) answer() int {
	if k.Kind == Recall {
		return 1
	}
	return k.Digits
}

// Answer returns the right answer to a question.
func (k Task) Answer(question []int) []int {
	k = k.withDefaults()
	if len(question) == 0 {
		panic("attention: Task.Answer: an empty question")
	}
	a := slices.Clone(question)
	switch k.Kind {
	case Reverse:
		slices.Reverse(a)
	case Sort:
		slices.Sort(a)
	case Add:
		for i := range len(a) - 1 {
			a[i] = (question[i] + question[i+1]) % k.Symbols
		}
	case Recall:
		a = a[:1]
	}
	return a
}

// Questions draws the given number of random questions. The same arguments always give the same questions. Another seed
// or another stream gives other questions.
func (k Task) Questions(number int, seed uint64, stream int) [][]int {
	k = k.withDefaults()
	if number < 0 {
		panic(fmt.Sprintf("attention: Task.Questions: %d questions", number))
	}
	rng := rand.New(rand.NewPCG(seed, uint64(stream)))
	qs := make([][]int, number)
	for i := range qs {
		qs[i] = make([]int, k.Digits)
		for j := range qs[i] {
			qs[i][j] = rng.IntN(k.Symbols)
		}
	}
	return qs
}

// Batch draws the batch for one step of training: the given number of questions, each with its answer. The same
// arguments always give the same batch.
func (k Task) Batch(number int, seed uint64, step int) Batch {
	k = k.withDefaults()
	if number < 1 {
		panic(fmt.Sprintf("attention: Task.Batch: %d questions", number))
	}
	var b Batch
	for _, q := range k.Questions(number, seed, step) {
		full := append(append(slices.Clone(q), k.Symbols), k.Answer(q)...)
		target := make([]int, len(full)-1)
		for t := range target {
			target[t] = Ignore
			if t >= k.Digits { // from the separator on
				target[t] = full[t+1]
			}
		}
		b.Inputs, b.Targets = append(b.Inputs, full[:len(full)-1]), append(b.Targets, target)
	}
	return b
}

// testStream is the number of the random stream from which Accuracy draws its questions. No training step uses this
// number.
const testStream = -1

// Accuracy asks the model questions that it has not seen in training (except by chance). It returns the share of
// symbols that are right and the share of answers that are entirely right. A model that guesses gets, on
// average, 1/Symbols of the symbols right.
func (k Task) Accuracy(m Model, number int, seed uint64) (symbols, answers float64, err error) {
	k = k.withDefaults()
	qs := k.Questions(number, seed, testStream)
	prompts := make([][]int, len(qs))
	for i, q := range qs {
		prompts[i] = append(slices.Clone(q), k.Symbols)
	}
	got, err := Continue(m, prompts, k.answer())
	if err != nil {
		return 0, 0, err
	}
	right, whole := 0, 0
	for i, q := range qs {
		want := k.Answer(q)
		for j := range want {
			if got[i][j] == want[j] {
				right++
			}
		}
		if slices.Equal(got[i], want) {
			whole++
		}
	}
	return float64(right) / float64(number*k.answer()), float64(whole) / float64(number), nil
}
