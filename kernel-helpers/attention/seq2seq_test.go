package attention

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

var seqTask = Task{Kind: Reverse, Digits: 4, Symbols: 3}

func newSeq2Seq(t *testing.T, attention bool) *Seq2Seq {
	t.Helper()
	m, err := NewSeq2Seq(Seq2SeqConfig{Vocabulary: seqTask.Vocabulary(), Separator: seqTask.Symbols, Width: 4, Attention: attention, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSeq2SeqGradient compares each parameter's gradient with central differences.
func TestSeq2SeqGradient(t *testing.T) {
	for _, attention := range []bool{false, true} {
		m := newSeq2Seq(t, attention)
		b := seqTask.Batch(3, 1, 0)
		checkGradients(t, fmt.Sprint("attention ", attention), m, b)
	}
}

// TestSeq2SeqSees checks what the decoder knows about the question. Without attention, it knows the encoder's
// last state. With attention, it also knows a weighted mean of all states, with weights that sum to 1.
func TestSeq2SeqSees(t *testing.T) {
	for _, attention := range []bool{false, true} {
		m := newSeq2Seq(t, attention)
		seq := []int{0, 2, 1, 1, 3, 1, 1}
		y, err := m.Logits([][]int{{1, 1, 0, 2, 3, 0, 0}, seq})
		if err != nil {
			t.Fatal(err)
		}
		for s := range 4 {
			if mat.Norm(y.RowView(7+s), 2) != 0 {
				t.Errorf("scores before the separator: %v", mat.Formatted(y.RowView(7+s).T()))
			}
		}
		// A symbol of the answer affects only later steps.
		other, err := m.Logits([][]int{{0, 2, 1, 1, 3, 1, 0}})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(y.Slice(11, 13, 0, 4), other.Slice(4, 6, 0, 4), 1e-14) || mat.EqualApprox(y.Slice(13, 14, 0, 4), other.Slice(6, 7, 0, 4), 1e-9) {
			t.Errorf("attention %v: a later symbol is seen, or one that is there is not", attention)
		}
		a, err := m.Map(seq)
		if err != nil || (a != nil) != attention {
			t.Fatal(a, err)
		}
		if attention {
			if r, c := a.Dims(); r != 3 || c != 4 {
				t.Errorf("weights %d×%d", r, c)
			}
			for s := range 3 {
				if math.Abs(mat.Sum(a.RowView(s))-1) > 1e-14 {
					t.Errorf("the weights of step %d sum to %v", s, mat.Sum(a.RowView(s)))
				}
			}
		}
	}
}

// TestHeadsAcross compares attendHeads with basic tape operations, when keys and values come from other sequences. It
// compares values and gradients.
func TestHeadsAcross(t *testing.T) { eachWay(t, testHeadsAcross) }

func testHeadsAcross(t *testing.T) {
	const B, n, m, d, heads = 2, 3, 5, 4, 2
	run := func(f func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value) []*mat.Dense {
		tp := tape.New()
		in := []*tape.Value{tp.Input(random(1, B*n, d)), tp.Input(random(2, B*m, d)), tp.Input(random(3, B*m, d))}
		y := f(tp, in[0], in[1], in[2])
		tp.Backward(tp.Sum(tp.Mul(y, tp.Const(random(4, B*n, d)))))
		return []*mat.Dense{y.X, in[0].Grad, in[1].Grad, in[2].Grad}
	}
	fast := run(func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value {
		y, _ := attendHeads(tp, q, k, v, n, heads, Options{}, nil, nil)
		return y
	})
	slow := run(func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value {
		var rows []*tape.Value
		for b := range B {
			var cols []*tape.Value
			for i := range heads {
				part := func(x *tape.Value, n int) *tape.Value {
					return tp.SliceCols(tp.SliceRows(x, b*n, (b+1)*n), i*d/heads, (i+1)*d/heads)
				}
				cols = append(cols, tp.MatMul(tp.Softmax(tp.MatMul(part(q, n), tp.Transpose(part(k, m))), nil), part(v, m)))
			}
			rows = append(rows, tp.ConcatCols(cols...))
		}
		return tp.ConcatRows(rows...)
	})
	for k, name := range []string{"output", "dQ", "dK", "dV"} {
		if !mat.EqualApprox(fast[k], slow[k], 1e-13) {
			t.Errorf("%s differs", name)
		}
	}
}

func TestSeq2SeqRefuses(t *testing.T) {
	m := newSeq2Seq(t, true)
	for want, seqs := range map[string][][]int{
		"no separator 3":    {{0, 1, 2}},
		"at -1 of sequence": {{0, 3, 2}, {0, 1, 2}},
		"at 2 of sequence":  {{0, 3, 2}, {0, 1, 3}},
		"after a question":  {{3, 1, 2}},
	} {
		if _, err := m.Logits(seqs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", seqs, err)
		}
	}
	b := Batch{Inputs: [][]int{{0, 3, 2}}, Targets: [][]int{{1, 1, 1}}}
	if _, err := m.Loss(tape.New(), b); err == nil || !strings.Contains(err.Error(), "before the separator") {
		t.Error(err)
	}
	for _, c := range []Seq2SeqConfig{{Vocabulary: 1}, {Vocabulary: 4, Separator: 4}, {Vocabulary: 4, Separator: -1}, {Vocabulary: 4, Width: -1}, {Vocabulary: 4, Width: 1 << 20}} {
		if _, err := NewSeq2Seq(c); err == nil || !strings.HasPrefix(err.Error(), "attention: NewSeq2Seq: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
