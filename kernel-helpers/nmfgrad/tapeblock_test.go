package nmfgrad

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// A net is x → activations ReLU(x V) → factorization → classes.
type net struct {
	x      *mat.Dense
	labels []int
	V, O   *tape.Param
	set    *tape.Set
}

func newNet(seed uint64, n, in, d, head int) *net {
	rng := rand.New(rand.NewPCG(seed, 21))
	m := &net{x: random(rng, n, in), set: tape.NewSet(seed)}
	for i := range n {
		m.labels = append(m.labels, i%3)
		m.x.Set(i, i%3, m.x.At(i, i%3)+2)
	}
	m.V, m.O = m.set.Normal("V", in, d, 1), m.set.Glorot("O", head, 3)
	return m
}

func (m *net) activations(t *tape.Tape) *tape.Value {
	return t.ReLU(t.MatMul(t.Const(m.x), t.Param(m.V)))
}

func (m *net) loss(t *tape.Tape, features *tape.Value) *tape.Value {
	return t.CrossEntropy(t.MatMul(t.Tanh(features), t.Param(m.O)), m.labels, -1)
}

// check compares the gradients of the loss with respect to all weights, by the tape and by finite
// differences.
func (m *net) check(t *testing.T, forward func(tp *tape.Tape) *tape.Value, params ...*tape.Param) {
	t.Helper()
	tape.Zero(params)
	tp := tape.New()
	tp.Backward(forward(tp))
	for _, p := range params {
		want := mat.NewDense(p.X.RawMatrix().Rows, p.X.RawMatrix().Cols, nil)
		for i, v := range p.X.RawMatrix().Data {
			want.RawMatrix().Data[i] = slope(func(e float64) float64 {
				p.X.RawMatrix().Data[i] = v + e
				l := forward(tape.New()).Scalar()
				p.X.RawMatrix().Data[i] = v
				return l
			}, 2e-5)
		}
		if mat.Norm(want, 2) < 1e-4 {
			t.Errorf("%s: a gradient of %v shows nothing", p.Name, mat.Norm(want, 2))
		}
		near(t, p.Name, p.Grad, want, 1e-6)
	}
}

// TestBlock: gradients through the whole network agree with finite differences of
// loss(network(NMF(activations(x)))), in which an independent solver computes the NMF.
func TestBlock(t *testing.T) {
	for _, gauge := range []Gauge{GaugeFree, UnitW, SumW} {
		head := 2 // U
		if gauge == GaugeFree {
			head = 6 // UW'
		}
		m := newNet(4, 9, 4, 6, head)
		_, U0, W0 := problem(2, 9, 6, 2)
		b := &Block{Options: Options{Gauge: gauge}, Solve: func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) {
			u, w := factorise(t, A, U0, W0)
			return u, w, nil
		}}
		forward := func(tp *tape.Tape) *tape.Value {
			a := m.activations(tp)
			if gauge == GaugeFree {
				y, err := b.Product(tp, a)
				if err != nil {
					t.Fatal(err)
				}
				return m.loss(tp, y)
			}
			U, W, err := b.Factors(tp, a)
			if err != nil {
				t.Fatal(err)
			}
			// both factors are used
			return tp.Add(m.loss(tp, U), tp.Mean(tp.Mul(tp.Tanh(W), W)))
		}
		m.check(t, forward, m.V, m.O)
		if err := b.Err(); err != nil {
			t.Error(err)
		}
		if b.Report().Residual > 1e-8 || b.Report().Unknowns == 0 {
			t.Errorf("%+v", b.Report())
		}
	}
}

// TestRowsBlock: gradients through the coefficients agree with finite differences, also for a W that is learned.
func TestRowsBlock(t *testing.T) {
	m := newNet(5, 9, 4, 6, 3)
	W := m.set.Normal("W", 6, 3, 1)
	// Some samples have no activation: their rows of U are degenerate, and zero on both sides, because ReLU
	// is flat there.
	b := &RowsBlock{Options: Options{Degenerate: KeepZero}, Solve: func(A, W *mat.Dense) (*mat.Dense, error) { return bestRows(t, A, W), nil }}
	m.check(t, func(tp *tape.Tape) *tape.Value {
		U, err := b.Coefficients(tp, m.activations(tp), tp.Param(W))
		if err != nil {
			t.Fatal(err)
		}
		return m.loss(tp, U)
	}, m.V, m.O, W)
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}

// Training through the block reduces the loss more than training only the last layer.
func TestTraining(t *testing.T) {
	run := func(all bool) (first, last float64) {
		m := newNet(4, 12, 4, 7, 7)
		_, U, W := problem(2, 12, 7, 2)
		b := &Block{Options: Options{Degenerate: KeepZero}, Solve: func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) {
			r, err := Unroll(context.Background(), A, U, W, 1200, HALS)
			if err != nil {
				return nil, nil, err
			}
			return r.U(), r.W(), nil
		}}
		params := []*tape.Param{m.O}
		if all {
			params = append(params, m.V)
		}
		adam := &tape.Adam{Rate: 0.02}
		tp := tape.New()
		for step := range 50 {
			tp.Reset()
			y, err := b.Product(tp, m.activations(tp))
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			loss := m.loss(tp, y)
			last = loss.Scalar()
			if step == 0 {
				first = last
			}
			tp.Backward(loss)
			if err := b.Err(); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			adam.Step(params)
			tape.Zero(m.set.Params)
		}
		return first, last
	}
	first, last := run(true)
	_, fixed := run(false)
	t.Logf("loss %.4f before, %.4f after training all, %.4f the last layer alone", first, last, fixed)
	if !(last < 0.6*first) || !(last < 0.8*fixed) {
		t.Errorf("loss %v before, %v after, %v with fixed activations", first, last, fixed)
	}
}

// Errors are not lost.
func TestBlockErrors(t *testing.T) {
	m := newNet(4, 9, 4, 6, 2)
	_, U0, W0 := problem(2, 9, 6, 2)
	solve := func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) {
		u, w := factorise(t, A, U0, W0)
		return u, w, nil
	}
	b := &Block{Solve: solve} // no gauge, but the loss uses U
	tp := tape.New()
	U, _, err := b.Factors(tp, m.activations(tp))
	if err != nil {
		t.Fatal(err)
	}
	tp.Backward(m.loss(tp, U))
	if err := b.Err(); !errors.Is(err, ErrGauge) {
		t.Errorf("%v", err)
	}
	if b.Err() != nil {
		t.Error("Err does not forget")
	}
	if g := m.V.Grad.At(0, 0) + m.V.Grad.At(1, 1); !math.IsNaN(g) {
		t.Errorf("the gradient is %v and not NaN", g)
	}
	none := errors.New("no")
	b.Solve = func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) { return nil, nil, none }
	if _, err := b.Product(tape.New(), tape.New().Const(m.x)); !errors.Is(err, none) {
		t.Error(err)
	}
	b.Solve = func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) { return U0, W0, nil }
	tp = tape.New()
	if _, err := b.Product(tp, m.activations(tp)); !errors.Is(err, ErrNotSolution) {
		t.Error(err)
	}
	rows := &RowsBlock{Solve: func(A, W *mat.Dense) (*mat.Dense, error) { return U0, none }}
	tp = tape.New()
	if _, err := rows.Coefficients(tp, m.activations(tp), tp.Const(W0)); !errors.Is(err, none) {
		t.Error(err)
	}
}
