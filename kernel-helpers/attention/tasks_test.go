package attention

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

func TestTasks(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		want []int
	}{{Copy, []int{3, 1, 4}}, {Reverse, []int{4, 1, 3}}, {Sort, []int{1, 3, 4}}, {Add, []int{4, 0, 4}}, {Recall, []int{3}}} {
		task := Task{Kind: c.kind, Digits: 3, Symbols: 5}
		q := []int{3, 1, 4}
		if got := task.Answer(q); !slices.Equal(got, c.want) || !slices.Equal(q, []int{3, 1, 4}) {
			t.Errorf("%v: %v, want %v", c.kind, got, c.want)
		}
		b := task.Batch(8, 1, 2)
		for i, in := range b.Inputs {
			ans := task.Answer(in[:3])
			full := append(append(slices.Clone(in[:3]), 5), ans...)
			if len(in) != task.Length() || !slices.Equal(in, full[:len(full)-1]) {
				t.Errorf("%v: input %v", c.kind, in)
			}
			if want := append([]int{Ignore, Ignore, Ignore}, ans...); !slices.Equal(b.Targets[i], want) {
				t.Errorf("%v: targets %v, want %v", c.kind, b.Targets[i], want)
			}
		}
	}
	task := Task{}
	if !slices.Equal(task.Questions(1, 1, 3)[0], task.Questions(2, 1, 3)[0]) || slices.Equal(task.Questions(1, 1, 3)[0], task.Questions(1, 1, 4)[0]) {
		t.Error("questions do not follow from seed and stream")
	}
}

// TestAccuracy checks that a model with only right answers scores 1, and that guessing scores about 1/Symbols.
func TestAccuracy(t *testing.T) {
	task := Task{Kind: Sort, Digits: 4, Symbols: 5}
	s, a, err := task.Accuracy(oracle{task, 0}, 50, 1)
	if err != nil || math.Abs(s-1) > 1e-12 || math.Abs(a-1) > 1e-12 {
		t.Errorf("the oracle scores %v, %v, %v", s, a, err)
	}
	if s, a, _ := task.Accuracy(oracle{task, 1}, 50, 1); s > 0.3 || a != 0 {
		t.Errorf("a wrong oracle scores %v, %v", s, a)
	}
}

// oracle is a model that answers correctly, except that it adds off to each symbol.
type oracle struct {
	task Task
	off  int
}

func (o oracle) Params() []*tape.Param                       { return nil }
func (o oracle) Tokens() (int, int)                          { return o.task.Vocabulary(), 0 }
func (o oracle) Loss(*tape.Tape, Batch) (*tape.Value, error) { return nil, errors.New("no") }
func (o oracle) Logits(seqs [][]int) (*mat.Dense, error) {
	n, d := len(seqs[0]), o.task.Digits
	y := mat.NewDense(len(seqs)*n, o.task.Vocabulary(), nil)
	for b, s := range seqs {
		y.Set(b*n+n-1, (o.task.Answer(s[:d])[n-d-1]+o.off)%o.task.Symbols, 1)
	}
	return y, nil
}
