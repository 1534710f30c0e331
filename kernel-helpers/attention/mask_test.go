package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/tape"
)

// someMask returns a random mask in which row 1 is fully masked.
func someMask(seed uint64, n, m int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	M := mat.NewDense(n, m, nil)
	M.Apply(func(l, _ int, _ float64) float64 {
		if l == 1 || rng.IntN(3) == 0 {
			return math.Inf(-1)
		}
		return 0
	}, M)
	return M
}

// TestMaskLeavesOut: attention with a mask is, query by query, attention to the keys that the query sees. A query that
// sees no key has weights and output 0. Hidden and Causal mask further keys.
func TestMaskLeavesOut(t *testing.T) {
	const n, d = 5, 3
	Q, K, V := random(1, n, d), random(2, n, d), random(3, n, 2)
	hidden := []bool{false, false, true, false, false}
	for seed := range uint64(8) {
		for _, opt := range []Options{{}, {Causal: true}, {Hidden: hidden}, {Causal: true, Hidden: hidden, Scaled: true}} {
			M := someMask(seed, n, n)
			opt.Mask = M
			out, err := Attend(Q, K, V, &opt)
			if err != nil {
				t.Fatal(err)
			}
			for l := range n {
				var seen []int
				for k := range n {
					if M.At(l, k) == 0 && !(opt.Causal && k > l) && !(opt.Hidden != nil && hidden[k]) {
						seen = append(seen, k)
					}
				}
				alpha, a := make([]float64, n), make([]float64, 2)
				if len(seen) > 0 {
					k, v := mat.NewDense(len(seen), d, nil), mat.NewDense(len(seen), 2, nil)
					for r, i := range seen {
						k.SetRow(r, K.RawRowView(i))
						v.SetRow(r, V.RawRowView(i))
					}
					one, err := Attend(Q.Slice(l, l+1, 0, d), k, v, &Options{Scaled: opt.Scaled})
					if err != nil {
						t.Fatal(err)
					}
					for r, i := range seen {
						alpha[i] = one.Alpha.At(0, r)
					}
					copy(a, one.A.RawRowView(0))
				}
				if !mat.EqualApprox(out.Alpha.RowView(l), mat.NewVecDense(n, alpha), 1e-14) || !mat.EqualApprox(out.A.RowView(l), mat.NewVecDense(2, a), 1e-14) {
					t.Errorf("seed %d, query %d: %v, want %v", seed, l, out.Alpha.RawRowView(l), alpha)
				}
			}
		}
	}
	// The value of a masked key does not matter, however large it is.
	K.Set(2, 0, 1e300)
	Q.Scale(1e200, Q)
	if _, err := Attend(Q, K, V, &Options{Hidden: hidden}); err != nil {
		t.Error(err)
	}
	heads := NewHeads(2, 4, 1)
	H := random(4, n, 4)
	y, err := MultiHead(H, heads, nil, &Options{Hidden: hidden})
	if err != nil {
		t.Fatal(err)
	}
	H.SetRow(2, []float64{9, 9, 9, 9})
	z, err := MultiHead(H, heads, nil, &Options{Hidden: hidden})
	if err != nil {
		t.Fatal(err)
	}
	for l := range n {
		if l != 2 && !mat.Equal(y.Y.RowView(l), z.Y.RowView(l)) {
			t.Errorf("position %d depends on a hidden position", l)
		}
	}
}

// TestMaskGradient compares the gradient of masked heads with central differences, also for queries that see no key.
func TestMaskGradient(t *testing.T) { eachWay(t, testMaskGradient) }

func testMaskGradient(t *testing.T) {
	const B, n, d, heads = 2, 4, 4, 2
	mask, hidden := someMask(5, n, n), [][]bool{nil, {true, false, true, false}}
	G := random(4, B*n, d)
	in := []*mat.Dense{random(1, B*n, d), random(2, B*n, d), random(3, B*n, d)}
	value := func() ([]*tape.Value, float64) {
		tp := tape.New()
		v := []*tape.Value{tp.Input(in[0]), tp.Input(in[1]), tp.Input(in[2])}
		y, alpha := attendHeads(tp, v[0], v[1], v[2], n, heads, Options{Causal: true, Scaled: true}, mask, hidden)
		for _, r := range []int{1, n + 1, n} { // fully masked rows: row 1 of both, and row 0 where key 0 is hidden
			if mat.Norm(y.X.RowView(r), 1) != 0 || mat.Norm(alpha[(r/n)*heads].RowView(r%n), 1) != 0 {
				t.Fatalf("row %d is not 0", r)
			}
		}
		loss := tp.Sum(tp.Mul(y, tp.Const(G)))
		tp.Backward(loss)
		return v, loss.Scalar()
	}
	v, _ := value()
	const h = 1e-5
	for k, X := range in {
		for i := range B * n {
			for j := range d {
				at := X.At(i, j)
				X.Set(i, j, at+h)
				_, up := value()
				X.Set(i, j, at-h)
				_, down := value()
				X.Set(i, j, at)
				if want, got := (up-down)/(2*h), v[k].Grad.At(i, j); math.Abs(got-want) > 1e-9 {
					t.Errorf("input %d (%d, %d): gradient %v, differences %v", k, i, j, got, want)
				}
			}
		}
	}
}

// paddedBatch is like smallBatch, with Padding before, within and after the tokens. With a causal mask, position 0
// of sequence 0 sees nothing.
var paddedBatch = Batch{
	Inputs:  [][]int{{Padding, 3, 1, 2}, {4, Padding, 0, 1}, {2, 1, 0, Padding}},
	Targets: [][]int{{Ignore, 1, 2, 0}, {Ignore, Ignore, 1, 4}, {1, Ignore, 3, Ignore}},
}

// TestPaddingGradient compares the gradients of all models for padded batches, and with a mask, with central
// differences.
func TestPaddingGradient(t *testing.T) {
	models := small(t)
	mask := mat.NewDense(6, 6, nil)
	for l := range 6 {
		mask.Set(l, 0, math.Inf(-1)) // with the mask of later positions, position 0 sees nothing
	}
	models["mask"] = newTransformer(t, Config{Vocabulary: 5, Length: 6, Width: 4, Heads: 2, Hidden: 5, Mask: mask})
	for name, m := range models {
		checkGradients(t, name, m, paddedBatch)
	}
	for _, attention := range []bool{false, true} {
		checkGradients(t, fmt.Sprintf("seq2seq %v", attention), newSeq2Seq(t, attention), Batch{
			Inputs:  [][]int{{Padding, 2, 1, 3, 0, 1}, {1, 0, Padding, 3, 2, Padding}},
			Targets: [][]int{{Ignore, Ignore, Ignore, 0, 1, 2}, {Ignore, Ignore, Ignore, 2, 1, Ignore}},
		})
	}
}

// TestPaddingHasNoEffect: logits are the same as those of the sequence without its Padding. For a Transformer, this
// holds if it has no positions, or if the Padding comes last. Sequences of a batch do not affect each other.
func TestPaddingHasNoEffect(t *testing.T) {
	models := map[string]Model{
		"mask":      newTransformer(t, Config{Vocabulary: 5, Length: 6, Width: 6, Heads: 2, Positions: NoPositions}),
		"no mask":   newTransformer(t, Config{Vocabulary: 5, Length: 6, Width: 6, Heads: 2, Positions: NoPositions, NoMask: true, Blocks: 2}),
		"positions": newTransformer(t, Config{Vocabulary: 5, Length: 6, Width: 6, Heads: 2, NoMask: true}),
	}
	for _, gated := range []bool{false, true} {
		m, err := NewRecurrent(RecurrentConfig{Vocabulary: 5, Width: 4, Gated: gated, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		models[fmt.Sprint("gated ", gated)] = m
	}
	const P = Padding
	for name, m := range models {
		batch := [][]int{{P, P, 3, 1, 2}, {3, P, 1, P, 2}, {0, 4, 4, 1, 0}, {3, 1, 2, P, P}}
		got, err := m.Logits(batch)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Logits([][]int{{3, 1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		for b, s := range batch {
			if b == 2 || name == "positions" && b < 3 {
				continue
			}
			next := 0
			for i, k := range s {
				row := got.RowView(b*5 + i)
				if k == P {
					if mat.Norm(row, 1) != 0 {
						t.Errorf("%s: logits of padding are %v", name, row)
					}
					continue
				}
				if !mat.EqualApprox(row, want.RowView(next), 1e-13) {
					t.Errorf("%s: sequence %d, position %d: %v, want %v", name, b, i, mat.Formatted(row.T()), mat.Formatted(want.RowView(next).T()))
				}
				next++
			}
		}
		a, err := Continue(m, [][]int{{P, 3, 1, 2}}, 2)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Continue(m, [][]int{{3, 1, 2}}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if name != "positions" && fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: continued by %v, without padding by %v", name, a, b)
		}
	}
	m := newSeq2Seq(t, true)
	got, err := m.Logits([][]int{{Padding, 2, 1, 3, 0, 1}, {1, 1, 1, 3, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Logits([][]int{{2, 1, 3, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got.Slice(1, 6, 0, 4), want, 1e-13) {
		t.Error("seq2seq: padding has an effect")
	}
}

func TestMaskRefuses(t *testing.T) {
	H := random(1, 3, 4)
	head := NewHead(4, 4, 4, 1)
	if _, err := SelfAttention(H, head, &Options{Mask: H.Slice(0, 3, 0, 3)}); err == nil || !strings.Contains(err.Error(), "Mask(0, 0) is") {
		t.Error(err)
	}
	if _, err := NewTransformer(Config{Vocabulary: 3, Length: 3, Mask: H.Slice(0, 3, 0, 3)}); err == nil || !strings.Contains(err.Error(), "Mask(0, 0) is") {
		t.Error(err)
	}
	m := newTransformer(t, Config{Vocabulary: 5, Length: 6, Width: 6, Heads: 2})
	_, err := m.Loss(tape.New(), Batch{Inputs: [][]int{{1, Padding}}, Targets: [][]int{{1, 1}}})
	_, all := m.Logits([][]int{{1, 2}, {Padding, Padding}})
	_, last := m.Sensitivity([]int{1, Padding}, 1)
	_, end := Continue(m, [][]int{{1, Padding}}, 1)
	for want, err := range map[string]error{
		"must be Ignore because its input is Padding": err,
		"sequence 1 is nothing but Padding":           all,
		"Sensitivity: sequence 0 ends with Padding":   last,
		"Continue: sequence 0 ends with Padding":      end,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	for _, opt := range []*Options{{Hidden: []bool{true}}, {Mask: mat.NewDense(2, 3, nil)}} {
		if s := fmt.Sprint(panics.Value(func() { _, _ = SelfAttention(H, head, opt) })); !strings.HasPrefix(s, "attention: SelfAttention") {
			t.Error(s)
		}
	}
}
