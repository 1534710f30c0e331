package attention

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/ui/progress"
)

// TestMaskDoesNotCount checks that a causal mask alone does not tell equal tokens apart. Without positions,
// attention is a mean of the tokens so far, and a mean of equal tokens does not depend on their number. With
// a different token in front, such as a separator, or with positions, equal tokens differ.
func TestMaskDoesNotCount(t *testing.T) {
	spread := func(c Config, seq []int, from int) float64 { // largest difference between a logit in row 'from' and in a later row
		c.Vocabulary, c.Blocks, c.Seed = 3, 2, 1
		m, err := NewTransformer(c)
		if err != nil {
			t.Fatal(err)
		}
		L, err := m.Logits([][]int{seq})
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i := from; i < len(seq); i++ {
			for v := range 3 {
				worst = max(worst, math.Abs(L.At(i, v)-L.At(from, v)))
			}
		}
		return worst
	}
	equal, marked := []int{1, 1, 1, 1, 1, 1}, []int{2, 1, 1, 1, 1, 1}
	if d := spread(Config{Positions: NoPositions}, equal, 0); d > 1e-12 {
		t.Errorf("equal tokens behind a mask differ by %g", d)
	}
	if d := spread(Config{Positions: NoPositions}, marked, 1); d < 1e-3 {
		t.Errorf("equal tokens after another one differ by %g only", d)
	}
	if d := spread(Config{}, equal, 0); d < 1e-3 {
		t.Errorf("equal tokens with positions differ by %g only", d)
	}
	// Without a mask, a different first token does not help: all positions see the same tokens.
	if d := spread(Config{Positions: NoPositions, NoMask: true}, marked, 1); d > 1e-12 {
		t.Errorf("equal tokens without a mask differ by %g", d)
	}
}

// TestHeads compares attendHeads with a chain of basic tape operations. It compares values and gradients.
func TestHeads(t *testing.T) { eachWay(t, testHeads) }

// eachWay calls f twice: with attention computed element by element, and by matrix products.
func eachWay(t *testing.T, f func(t *testing.T)) {
	defer func(usual int) { worthProducts = usual }(worthProducts)
	for name, n := range map[string]int{"by elements": math.MaxInt, "by products": 0} {
		worthProducts = n
		t.Run(name, f)
	}
}

func testHeads(t *testing.T) {
	const B, n, d, heads = 2, 4, 6, 3
	for _, opt := range []Options{{}, {Causal: true, Scaled: true}} {
		run := func(f func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value) []*mat.Dense {
			tp := tape.New()
			in := []*tape.Value{tp.Input(random(1, B*n, d)), tp.Input(random(2, B*n, d)), tp.Input(random(3, B*n, d))}
			y := f(tp, in[0], in[1], in[2])
			tp.Backward(tp.Sum(tp.Mul(y, tp.Const(random(4, B*n, d)))))
			return []*mat.Dense{y.X, in[0].Grad, in[1].Grad, in[2].Grad}
		}
		fast := run(func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value {
			y, _ := attendHeads(tp, q, k, v, n, heads, opt, nil, nil)
			return y
		})
		slow := run(func(tp *tape.Tape, q, k, v *tape.Value) *tape.Value {
			var mask *mat.Dense
			if opt.Causal {
				mask = mat.NewDense(n, n, nil)
				mask.Apply(func(l, t int, _ float64) float64 {
					if t > l {
						return math.Inf(-1)
					}
					return 0
				}, mask)
			}
			var rows []*tape.Value
			for b := range B {
				var cols []*tape.Value
				for i := range heads {
					part := func(x *tape.Value) *tape.Value {
						return tp.SliceCols(tp.SliceRows(x, b*n, (b+1)*n), i*d/heads, (i+1)*d/heads)
					}
					e := tp.MatMul(part(q), tp.Transpose(part(k)))
					if opt.Scaled {
						e = tp.Scale(1/math.Sqrt(d/heads), e)
					}
					cols = append(cols, tp.MatMul(tp.Softmax(e, mask), part(v)))
				}
				rows = append(rows, tp.ConcatCols(cols...))
			}
			return tp.ConcatRows(rows...)
		})
		for k, name := range []string{"output", "dQ", "dK", "dV"} {
			if !mat.EqualApprox(fast[k], slow[k], 1e-13) {
				t.Errorf("%+v: %s differs", opt, name)
			}
		}
	}
}

func newTransformer(t *testing.T, c Config) *Transformer {
	t.Helper()
	m, err := NewTransformer(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small returns one model of each kind, small enough for finite differences with respect to every parameter.
func small(t *testing.T) map[string]Model {
	base := Config{Vocabulary: 5, Length: 6, Width: 6, Heads: 2, Blocks: 2, Hidden: 7, Seed: 1}
	out := map[string]Model{}
	for name, f := range map[string]func(c *Config){
		"post-norm":         func(c *Config) {},
		"pre-norm, learned": func(c *Config) { c.PreNorm, c.Positions = true, LearnedPositions },
		"no mask, GELU":     func(c *Config) { c.NoMask, c.Nonlinear, c.Positions = true, GELU, NoPositions },
		"unscaled, linear":  func(c *Config) { c.Unscaled, c.Nonlinear = true, Linear },
	} {
		c := base
		f(&c)
		out[name] = newTransformer(t, c)
	}
	for _, gated := range []bool{false, true} {
		m, err := NewRecurrent(RecurrentConfig{Vocabulary: 5, Width: 4, Gated: gated, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("recurrent, gated %v", gated)] = m
	}
	return out
}

var smallBatch = Batch{
	Inputs:  [][]int{{0, 3, 1, 2}, {4, 4, 0, 1}, {2, 1, 0, 3}},
	Targets: [][]int{{Ignore, 1, 2, 0}, {Ignore, 0, Ignore, 4}, {Ignore, Ignore, 3, 3}},
}

// TestModelGradient compares the gradient of the whole model with central differences, for every parameter.
func TestModelGradient(t *testing.T) {
	for name, m := range small(t) {
		checkGradients(t, name, m, smallBatch)
	}
}

// checkGradients compares the gradients of a model's loss on b with central differences, for all parameters.
func checkGradients(t *testing.T, name string, m Model, b Batch) {
	t.Helper()
	loss := func() (*tape.Tape, *tape.Value) {
		tp := tape.New()
		l, err := m.Loss(tp, b)
		if err != nil {
			t.Fatal(name, err)
		}
		return tp, l
	}
	tp, l := loss()
	tp.Backward(l)
	const h = 1e-5
	for _, p := range m.Params() {
		r, c := p.X.Dims()
		for i := range r {
			for j := range c {
				at := p.X.At(i, j)
				p.X.Set(i, j, at+h)
				_, up := loss()
				p.X.Set(i, j, at-h)
				_, down := loss()
				p.X.Set(i, j, at)
				want := (up.Scalar() - down.Scalar()) / (2 * h)
				if got := p.Grad.At(i, j); math.Abs(got-want) > 1e-8 {
					t.Errorf("%s: %s(%d, %d): gradient %v, differences %v", name, p.Name, i, j, got, want)
				}
			}
		}
	}
}

// TestForward compares the model's output for one sequence with a reference computed by plain loops and the
// package's matrix functions.
func TestForward(t *testing.T) {
	for name, m := range small(t) {
		tr, ok := m.(*Transformer)
		if !ok {
			continue
		}
		seq := []int{3, 0, 2, 2, 4}
		got, err := tr.Logits([][]int{{1, 1, 0, 2, 3}, seq})
		if err != nil {
			t.Fatal(err)
		}
		want := naive(t, tr, seq)
		if !mat.EqualApprox(got.Slice(5, 10, 0, 5), want, 1e-12) {
			t.Errorf("%s: got\n%v\nwant\n%v", name, mat.Formatted(got.Slice(5, 10, 0, 5)), mat.Formatted(want))
		}
	}
}

func naive(t *testing.T, m *Transformer, seq []int) *mat.Dense {
	n, d := len(seq), m.Width
	get := func(name string) *mat.Dense { return m.set.Get(name).X }
	H := mat.NewDense(n, d, nil)
	for t, k := range seq {
		for j := range d {
			p := 0.0
			switch m.Positions {
			case Sinusoidal:
				w := float64(t) / math.Pow(10000, float64(j-j%2)/float64(d))
				p = []float64{math.Sin(w), math.Cos(w)}[j%2]
			case LearnedPositions:
				p = get("positions").At(t, j)
			}
			H.Set(t, j, get("embedding").At(k, j)+p)
		}
	}
	norm := func(H *mat.Dense, name string) *mat.Dense {
		out := LayerNorm(H)
		out.Apply(func(_, j int, v float64) float64 {
			return v*get(name+".gamma").At(0, j) + get(name+".beta").At(0, j)
		}, out)
		return out
	}
	for b := range m.Blocks {
		at := func(name string) string { return fmt.Sprintf("block%d.%s", b+1, name) }
		attention := func(H *mat.Dense) *mat.Dense {
			var heads []Head
			k := d / m.Heads
			for i := range m.Heads {
				part := func(name string) *mat.Dense { return mat.DenseCopyOf(get(at(name)).Slice(0, d, i*k, (i+1)*k)) }
				heads = append(heads, Head{part("Wq"), part("Wk"), part("Wv")})
			}
			out, err := MultiHead(H, heads, get(at("Wo")), &Options{Causal: !m.NoMask, Scaled: !m.Unscaled})
			if err != nil {
				t.Fatal(err)
			}
			return out.Y
		}
		network := func(H *mat.Dense) *mat.Dense {
			out := mat.NewDense(n, d, nil)
			for t := range n {
				for k := range m.Hidden {
					z := get(at("b1")).At(0, k)
					for j := range d {
						z += H.At(t, j) * get(at("W1")).At(j, k)
					}
					switch m.Nonlinear {
					case ReLU:
						z = max(z, 0)
					case GELU:
						z *= 0.5 * math.Erfc(-z/math.Sqrt2)
					}
					for j := range d {
						out.Set(t, j, out.At(t, j)+z*get(at("W2")).At(k, j))
					}
				}
				for j := range d {
					out.Set(t, j, out.At(t, j)+get(at("b2")).At(0, j))
				}
			}
			return out
		}
		sum := func(A, B *mat.Dense) *mat.Dense { var s mat.Dense; s.Add(A, B); return &s }
		if m.PreNorm {
			H = sum(H, attention(norm(H, at("norm1"))))
			H = sum(H, network(norm(H, at("norm2"))))
		} else {
			H = norm(sum(H, attention(H)), at("norm1"))
			H = norm(sum(H, network(H)), at("norm2"))
		}
	}
	if m.PreNorm {
		H = norm(H, "norm")
	}
	var y mat.Dense
	y.Mul(H, get("output.W"))
	y.Apply(func(_, j int, v float64) float64 { return v + get("output.b").At(0, j) }, &y)
	return &y
}

// TestRecurrentForward compares a recurrent network's state after a sequence with scalar loops.
func TestRecurrentForward(t *testing.T) {
	for _, gated := range []bool{false, true} {
		m, err := NewRecurrent(RecurrentConfig{Vocabulary: 3, Width: 4, Gated: gated, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		m.b.X.Apply(func(_, j int, _ float64) float64 { return 0.1 * float64(j) }, m.b.X)
		seqs := [][]int{{0, 1, 2}, {2, 2, 1}}
		got, err := m.Logits(seqs)
		if err != nil {
			t.Fatal(err)
		}
		const d = 4
		for b, seq := range seqs {
			h := make([]float64, d)
			for s, k := range seq {
				// in returns (W x_t + b)_j and rec returns (U h)_j. Both use column j of the matrices.
				in := func(j int) float64 {
					v := m.b.X.At(0, j)
					for i := range d {
						v += m.embed.X.At(k, i) * m.w.X.At(i, j)
					}
					return v
				}
				rec := func(U *mat.Dense, h []float64, j int) float64 {
					v := 0.0
					for i := range d {
						v += h[i] * U.At(i, j)
					}
					return v
				}
				next := make([]float64, d)
				sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
				rh := make([]float64, d)
				if gated {
					for j := range d {
						rh[j] = sigma(in(d+j)+rec(m.u.X, h, d+j)) * h[j]
					}
				}
				for j := range d {
					if gated {
						z := sigma(in(j) + rec(m.u.X, h, j))
						next[j] = (1-z)*h[j] + z*math.Tanh(in(2*d+j)+rec(m.uh.X, rh, j))
					} else {
						next[j] = math.Tanh(in(j) + rec(m.u.X, h, j))
					}
				}
				h = next
				for c := range 3 {
					want := m.bOut.X.At(0, c)
					for j := range d {
						want += h[j] * m.wOut.X.At(j, c)
					}
					if y := got.At(b*3+s, c); math.Abs(y-want) > 1e-13 {
						t.Errorf("gated %v, sequence %d, step %d: %v, want %v", gated, b, s, y, want)
					}
				}
			}
		}
	}
}

// TestModelMask checks the mask in the whole model: changing a token does not change the logits before it.
func TestModelMask(t *testing.T) {
	for name, m := range small(t) {
		a, err := m.Logits([][]int{{1, 2, 3, 0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := m.Logits([][]int{{1, 2, 3, 4, 1}})
		same := mat.Equal(a.Slice(0, 3, 0, 5), b.Slice(0, 3, 0, 5))
		if same == strings.HasPrefix(name, "no mask") {
			t.Errorf("%s: outputs before the change are the same: %v", name, same)
		}
		if mat.Equal(a.Slice(3, 4, 0, 5), b.Slice(3, 4, 0, 5)) {
			t.Errorf("%s: the changed token has no effect", name)
		}
	}
}

// TestSensitivity compares Sensitivity with finite differences in the embedding of a token that occurs once.
func TestSensitivity(t *testing.T) {
	for name, m := range small(t) {
		seq := []int{3, 0, 2, 4}
		s, ok := m.(interface {
			Sensitivity([]int, int) ([]float64, error)
		})
		if !ok {
			t.Fatal(name)
		}
		got, err := s.Sensitivity(seq, 1)
		if err != nil {
			t.Fatal(err)
		}
		loss := func() float64 {
			y, err := m.Logits([][]int{seq})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for j := range 5 {
				sum += math.Exp(y.At(3, j) - y.At(3, 1))
			}
			return math.Log(sum)
		}
		E := m.Params()[0].X
		for at, k := range seq {
			_, d := E.Dims()
			norm := 0.0
			for j := range d {
				const h = 1e-5
				v := E.At(k, j)
				E.Set(k, j, v+h)
				up := loss()
				E.Set(k, j, v-h)
				down := loss()
				E.Set(k, j, v)
				norm = math.Hypot(norm, (up-down)/(2*h))
			}
			if math.Abs(norm-got[at]) > 1e-8 {
				t.Errorf("%s, position %d: %v, differences %v", name, at, got[at], norm)
			}
		}
		if _, err := s.Sensitivity(seq, 5); err == nil {
			t.Errorf("%s: target 5 of 5", name)
		}
	}
}

func trained(t *testing.T, c Config, task Task, steps int) (*Transformer, *FitResult) {
	t.Helper()
	c.Vocabulary, c.Length = task.Vocabulary(), task.Length()
	m := newTransformer(t, c)
	r, err := Fit(context.Background(), m, func(s int) Batch { return task.Batch(16, 1, s) }, &FitOptions{Steps: steps, Rate: 0.01})
	if err != nil || r.Status != ended.Done || r.Steps != steps || len(r.History) != steps {
		t.Fatalf("%v after %d steps: %v", r.Status, r.Steps, err)
	}
	return m, r
}

// TestTrain checks that a model learns to reverse a sequence, and that it does not learn this without
// positions or without the mask.
func TestTrain(t *testing.T) {
	task := Task{Kind: Reverse, Digits: 4, Symbols: 5}
	m, r := trained(t, Config{Width: 16, Seed: 1}, task, 300)
	symbols, answers, err := task.Accuracy(m, 100, 1)
	if err != nil || symbols < 0.98 || answers < 0.95 || answers > symbols || r.Final() > 0.1 {
		t.Errorf("accuracy %.3f, %.3f, loss %v, %v", symbols, answers, r.Final(), err)
	}
	m, _ = trained(t, Config{Width: 16, Seed: 1, Positions: NoPositions}, task, 300)
	if symbols, _, _ := task.Accuracy(m, 100, 1); symbols > 0.7 {
		t.Errorf("without positions %.3f", symbols)
	}
	m, r = trained(t, Config{Width: 16, Seed: 1, NoMask: true}, task, 300)
	if symbols, _, _ := task.Accuracy(m, 100, 1); symbols > 0.9 || r.Final() > 0.2 {
		t.Errorf("without mask %.3f, loss %v", symbols, r.Final())
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	task := Task{Kind: Copy, Digits: 3, Symbols: 3}
	a, ra := trained(t, Config{Width: 8, Heads: 2, Seed: 3}, task, 20)
	b, rb := trained(t, Config{Width: 8, Heads: 2, Seed: 3}, task, 20)
	if !slices.Equal(ra.History, rb.History) || !mat.Equal(a.wOut.X, b.wOut.X) {
		t.Error("two runs with one seed differ")
	}
}

func TestTrainEnds(t *testing.T) {
	task := Task{Kind: Copy, Digits: 3, Symbols: 3}
	draw := func(s int) Batch { return task.Batch(4, 1, s) }
	m := newTransformer(t, Config{Vocabulary: 4, Width: 8, Seed: 1})
	ctx, stop := context.WithCancel(context.Background())
	events := 0
	r, err := Fit(ctx, m, draw, &FitOptions{Recorder: progress.Func(func(e progress.Event) {
		if e.What != "train" || e.Total != 500 || e.Step != events {
			t.Errorf("event %+v", e)
		}
		if events++; events == 3 {
			stop()
		}
	})})
	if r.Status != ended.Interrupted || r.Steps != 3 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v after %d steps: %v", r.Status, r.Steps, err)
	}
	m.bOut.X.Set(0, 0, math.NaN())
	if r, err := Fit(context.Background(), m, draw, nil); err == nil || r.Status != ended.Diverged {
		t.Errorf("%v: %v", r.Status, err)
	}
	short := func(int) Batch { return Batch{} }
	if r, err := Fit(context.Background(), m, short, nil); err == nil || r.Status != ended.Failed || r.Steps != 0 {
		t.Errorf("%v: %v", r.Status, err)
	}
	if _, err := Fit(context.Background(), m, draw, &FitOptions{Rate: math.NaN()}); err == nil {
		t.Error("a rate of NaN")
	}
}

func TestErrors(t *testing.T) {
	m := newTransformer(t, Config{Vocabulary: 3, Length: 4, Width: 4, Heads: 1})
	for want, err := range map[string]error{
		"token 1 of sequence 0 is 3, the vocabulary has 3": second(m.Logits([][]int{{0, 3}})),
		"a sequence of 5 tokens, the longest is 4":         second(m.Logits([][]int{{0, 0, 0, 0, 0}})),
		"sequence 0 has 2 tokens, sequence 1 has 1":        second(m.Logits([][]int{{0, 1}, {0}})),
		"no tokens": second(m.Logits(nil)),
		"3 tokens after a prompt of 3 exceed the longest sequence, 4": second(Continue(m, [][]int{{0, 1, 2}}, 3)),
		"Maps: token 0 of sequence 0 is -1":                           second(m.Maps([]int{-1})),
		"1 sequences, 0 lists of targets":                             second(m.Loss(tape.New(), Batch{Inputs: [][]int{{0}}})),
		"every target is Ignore":                                      second(m.Loss(tape.New(), Batch{[][]int{{0}}, [][]int{{Ignore}}})),
		"target 0 of sequence 0 is 7, the vocabulary has 3":           second(m.Loss(tape.New(), Batch{[][]int{{0}}, [][]int{{7}}})),
		"sequence 0 has 1 tokens and 2 targets":                       second(m.Loss(tape.New(), Batch{[][]int{{0}}, [][]int{{1, 1}}})),
		"NewTransformer: heads 3 does not divide width 32":            second(NewTransformer(Config{Vocabulary: 3, Heads: 3})),
		"NewTransformer: vocabulary 0 is less than 2":                 second(NewTransformer(Config{})),
		"NewTransformer: length -1 is less than 1":                    second(NewTransformer(Config{Vocabulary: 3, Length: -1})),
		"NewTransformer: blocks 1025 is more than 1024":               second(NewTransformer(Config{Vocabulary: 3, Blocks: 1025})),
		"NewTransformer: unknown positions 7":                         second(NewTransformer(Config{Vocabulary: 3, Positions: 7})),
		"NewTransformer: unknown nonlinearity -1":                     second(NewTransformer(Config{Vocabulary: 3, Nonlinear: -1})),
		"NewTransformer: 7.147e+13 parameters, at most 134217728":     second(NewTransformer(Config{Vocabulary: 1 << 40})),
		"NewTransformer: 3.518e+13 parameters":                        second(NewTransformer(Config{Vocabulary: 3, Length: 1 << 40})),
		"NewTransformer: 7.379e+19 parameters":                        second(NewTransformer(Config{Vocabulary: 3, Width: 1 << 32, Heads: 1, Hidden: 1})),
		"NewRecurrent: vocabulary 1 is less than 2":                   second(NewRecurrent(RecurrentConfig{Vocabulary: 1})),
		"NewRecurrent: width -1 is less than 1":                       second(NewRecurrent(RecurrentConfig{Vocabulary: 2, Width: -1})),
		"NewRecurrent: 7.147e+13 parameters":                          second(NewRecurrent(RecurrentConfig{Vocabulary: 1 << 40})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "attention: ") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// This is the longest possible continuation: the model never reads the last token.
	if out, err := Continue(m, [][]int{{0, 1, 2}}, 2); err != nil || len(out[0]) != 2 {
		t.Errorf("%v, %v", out, err)
	}
}

// TestParameterCount checks that the function parameters, whose result is compared with MaxParameters, returns the
// number of parameters that a model really has.
func TestParameterCount(t *testing.T) {
	count := func(m Model) float64 { return float64(tape.Count(m.Params())) }
	c := Config{Vocabulary: 7, Length: 5, Width: 6, Heads: 2, Blocks: 3, Hidden: 9, Positions: LearnedPositions}
	if got, want := c.parameters(), count(newTransformer(t, c)); got != want {
		t.Errorf("Transformer: %v, %v are made", got, want)
	}
	for _, gated := range []bool{false, true} {
		c := RecurrentConfig{Vocabulary: 7, Width: 6, Gated: gated}
		m, err := NewRecurrent(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.parameters(), count(m); got != want {
			t.Errorf("Recurrent, gated %v: %v, %v are made", gated, got, want)
		}
	}
}

// TestModelPanics checks that panics caused by wrong arguments name the function.
func TestModelPanics(t *testing.T) {
	task := Task{Kind: Copy, Digits: 3, Symbols: 3}
	m := newTransformer(t, Config{Vocabulary: 4, Width: 8, Seed: 1})
	draw := func(s int) Batch { return task.Batch(4, 1, s) }
	ctx := context.Background()
	for want, f := range map[string]func(){
		"attention: Fit: draw is nil":             func() { Fit(ctx, m, nil, nil) },
		"attention: Fit: the model is nil":        func() { Fit(ctx, nil, draw, nil) },
		"attention: Continue: the model is nil":   func() { Continue((*Seq2Seq)(nil), [][]int{{0}}, 1) },
		"attention: Maps: the model is nil":       func() { (*Transformer)(nil).Maps([]int{0}) },
		"attention: Logits: the model is nil":     func() { (*Recurrent)(nil).Logits([][]int{{0}}) },
		"attention: Task.Batch: -1 questions":     func() { task.Batch(-1, 1, 0) },
		"attention: Task.Questions: -1 questions": func() { task.Questions(-1, 1, 0) },
	} {
		if got := fmt.Sprint(panics.Value(f)); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestMaps(t *testing.T) {
	m := newTransformer(t, Config{Vocabulary: 3, Width: 4, Heads: 2, Blocks: 3})
	maps, err := m.Maps([]int{0, 1, 2, 1})
	if err != nil || len(maps) != 3 || len(maps[2]) != 2 {
		t.Fatalf("%d blocks, %v", len(maps), err)
	}
	for l := range 4 {
		sum := 0.0
		for t2, w := range maps[2][1].RawRowView(l) {
			if sum += w; t2 > l && w != 0 {
				t.Errorf("weight (%d, %d) is %v", l, t2, w)
			}
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("row %d sums to %v", l, sum)
		}
	}
}
