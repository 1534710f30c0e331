package tape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/trial"
)

func random(rng *rand.Rand, r, c int) *mat.Dense {
	return trial.Normal(rng, r, c, 1)
}

// causal returns the mask with −Inf above the diagonal.
func causal(r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := i + 1; j < c; j++ {
			m.Set(i, j, math.Inf(-1))
		}
	}
	return m
}

// TestGradients compares the gradient of each operation with central differences, for all inputs. The loss is
// a randomly weighted sum of the result, so that errors do not cancel.
func TestGradients(t *testing.T) {
	type dims [2]int
	tests := []struct {
		name   string
		inputs []dims
		f      func(t *Tape, v []*Value) *Value
	}{
		{"MatMul", []dims{{3, 4}, {4, 2}}, func(t *Tape, v []*Value) *Value { return t.MatMul(v[0], v[1]) }},
		{"MatMul with itself", []dims{{3, 3}}, func(t *Tape, v []*Value) *Value { return t.MatMul(v[0], v[0]) }},
		{"Add", []dims{{3, 4}, {3, 4}}, func(t *Tape, v []*Value) *Value { return t.Add(v[0], v[1]) }},
		{"Add to itself", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Add(v[0], v[0]) }},
		{"Add a row", []dims{{3, 4}, {1, 4}}, func(t *Tape, v []*Value) *Value { return t.Add(v[0], v[1]) }},
		{"Mul", []dims{{3, 4}, {3, 4}}, func(t *Tape, v []*Value) *Value { return t.Mul(v[0], v[1]) }},
		{"Mul with itself", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Mul(v[0], v[0]) }},
		{"Mul by a row", []dims{{3, 4}, {1, 4}}, func(t *Tape, v []*Value) *Value { return t.Mul(v[0], v[1]) }},
		{"Scale", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Scale(-1.7, v[0]) }},
		{"Transpose", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Transpose(v[0]) }},
		{"ReLU", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.ReLU(v[0]) }},
		{"GELU", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.GELU(v[0]) }},
		{"Tanh", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Tanh(v[0]) }},
		{"Sigmoid", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Sigmoid(v[0]) }},
		{"Softmax", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Softmax(v[0], nil) }},
		{"Softmax with a mask", []dims{{4, 4}}, func(t *Tape, v []*Value) *Value { return t.Softmax(v[0], causal(4, 4)) }},
		{"LayerNorm", []dims{{3, 5}, {1, 5}, {1, 5}}, func(t *Tape, v []*Value) *Value { return t.LayerNorm(v[0], v[1], v[2]) }},
		{"Gather", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Gather(v[0], []int{2, 0, 2, 2}) }},
		{"SliceCols", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.SliceCols(v[0], 1, 3) }},
		{"SliceRows", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.SliceRows(v[0], 1, 3) }},
		{"ConcatCols", []dims{{3, 1}, {3, 2}}, func(t *Tape, v []*Value) *Value { return t.ConcatCols(v[0], v[1], v[0]) }},
		{"ConcatRows", []dims{{1, 3}, {2, 3}}, func(t *Tape, v []*Value) *Value { return t.ConcatRows(v[0], v[1], v[0]) }},
		{"Sum", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Sum(v[0]) }},
		{"Mean", []dims{{3, 4}}, func(t *Tape, v []*Value) *Value { return t.Mean(v[0]) }},
		{"CrossEntropy", []dims{{4, 3}}, func(t *Tape, v []*Value) *Value { return t.CrossEntropy(v[0], []int{2, -1, 0, 2}, -1) }},
		{"a chain that uses a value twice", []dims{{3, 4}, {4, 4}}, func(t *Tape, v []*Value) *Value {
			h := t.Tanh(t.MatMul(v[0], v[1]))
			return t.Add(v[0], t.MatMul(t.Softmax(t.MatMul(h, t.Transpose(v[0])), nil), h))
		}},
	}
	for k, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			var X []*mat.Dense
			for _, d := range test.inputs {
				X = append(X, random(rng, d[0], d[1]))
			}
			weigh := uint64(k)
			run := func(backward bool) (float64, []*Value) {
				tp := New()
				var v []*Value
				for _, x := range X {
					v = append(v, tp.Input(x))
				}
				y := test.f(tp, v)
				r, c := y.Dims()
				w := tp.Const(random(rand.New(rand.NewPCG(weigh, 2)), r, c))
				loss := tp.Sum(tp.Mul(y, w))
				if backward {
					tp.Backward(loss)
				}
				return loss.Scalar(), v
			}
			_, v := run(true)
			const h = 1e-5
			for n, x := range X {
				r, c := x.Dims()
				for i := range r {
					for j := range c {
						at := x.At(i, j)
						x.Set(i, j, at+h)
						up, _ := run(false)
						x.Set(i, j, at-h)
						down, _ := run(false)
						x.Set(i, j, at)
						want := (up - down) / (2 * h)
						if got := v[n].Grad.At(i, j); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
							t.Errorf("input %d, element (%d, %d): gradient %v, differences %v", n, i, j, got, want)
						}
					}
				}
			}
		})
	}
}

func TestValues(t *testing.T) {
	tp := New()
	a := tp.Const(mat.NewDense(2, 3, []float64{0, math.Log(2), math.Log(5), 1e4, -1e4, 0}))
	want := mat.NewDense(2, 3, []float64{1. / 8, 2. / 8, 5. / 8, 1, 0, 0})
	if y := tp.Softmax(a, nil).X; !mat.EqualApprox(y, want, 1e-15) {
		t.Errorf("softmax is %v", mat.Formatted(y))
	}
	// The probabilities above give the cross-entropy of targets 2 and 0; a
	// difference of 20000 between logits must not overflow.
	if got, want := tp.CrossEntropy(a, []int{2, 0}, -1).Scalar(), -math.Log(5./8)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("cross-entropy %v, want %v", got, want)
	}
	if got := tp.CrossEntropy(a, []int{2, 1}, -1).Scalar(); math.Abs(got-(20000-math.Log(5./8))/2) > 1e-9 {
		t.Errorf("cross-entropy of an all but impossible target is %v", got)
	}
	// Φ(1) from a table of the normal distribution.
	if got := tp.GELU(tp.Const(mat.NewDense(1, 1, []float64{1}))).Scalar(); math.Abs(got-0.8413447460685429) > 1e-15 {
		t.Errorf("GELU(1) = %v", got)
	}
	ln := tp.LayerNorm(tp.Const(mat.NewDense(1, 4, []float64{1, 2, 3, 6})), tp.Const(mat.NewDense(1, 4, []float64{1, 1, 1, 2})), tp.Const(mat.NewDense(1, 4, []float64{0, 0, 0, 5}))).X
	sd := math.Sqrt(3.5 + NormEpsilon) // mean 3, variance (4+1+0+9)/4
	if want := mat.NewDense(1, 4, []float64{-2 / sd, -1 / sd, 0, 6/sd + 5}); !mat.EqualApprox(ln, want, 1e-14) {
		t.Errorf("layer norm is %v", mat.Formatted(ln))
	}
}

func TestMaskIsExactZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	tp := New()
	in := tp.Input(random(rng, 5, 5))
	y := tp.Softmax(in, causal(5, 5))
	tp.Backward(tp.Sum(tp.Mul(y, tp.Const(random(rng, 5, 5)))))
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			if y.X.At(i, j) != 0 || in.Grad.At(i, j) != 0 {
				t.Errorf("(%d, %d): weight %v, gradient %v", i, j, y.X.At(i, j), in.Grad.At(i, j))
			}
		}
	}
}

// Inputs keep their values, gradients of parameters accumulate, and values that the loss does not depend on
// have no gradient.
func TestBackward(t *testing.T) {
	set := NewSet(3)
	W, unused := set.Normal("W", 3, 2, 1), set.Ones("unused", 1, 1)
	X := random(rand.New(rand.NewPCG(1, 1)), 4, 3)
	before, wBefore := mat.DenseCopyOf(X), mat.DenseCopyOf(W.X)
	var once mat.Dense
	for k := range 2 {
		tp := New()
		x := tp.Const(X)
		tp.Param(unused)
		tp.Backward(tp.Mean(tp.ReLU(tp.MatMul(x, tp.Param(W)))))
		if x.Grad != nil {
			t.Error("a constant has a gradient")
		}
		if k == 0 {
			once.CloneFrom(W.Grad)
		}
	}
	once.Scale(2, &once)
	if !mat.EqualApprox(&once, W.Grad, 1e-15) || mat.Norm(W.Grad, 2) == 0 {
		t.Error("gradients of two passes are not twice that of one")
	}
	if !mat.Equal(X, before) || !mat.Equal(W.X, wBefore) {
		t.Error("an input was changed")
	}
	if unused.Grad.At(0, 0) != 0 {
		t.Error("an unused parameter has a gradient")
	}
	tp := New()
	tp.Backward(tp.Sum(tp.Const(X))) // nothing to do
}

// A reused tape gives the same results as a new one, in the same memory.
func TestReset(t *testing.T) {
	set := NewSet(3)
	W := set.Normal("W", 40, 30, 1)
	X := random(rand.New(rand.NewPCG(1, 1)), 50, 40)
	tp := New()
	pass := func(tp *Tape, scale float64) (loss float64, grad *mat.Dense) {
		Zero(set.Params)
		h := tp.Softmax(tp.MatMul(tp.Scale(scale, tp.Const(X)), tp.Param(W)), nil)
		l := tp.CrossEntropy(h, make([]int, 50), -1)
		tp.Backward(l)
		return l.Scalar(), mat.DenseCopyOf(W.Grad)
	}
	slabs := 0
	for k := range 5 {
		tp.Reset()
		loss, grad := pass(tp, float64(k))
		wantLoss, wantGrad := pass(New(), float64(k))
		if loss != wantLoss || !mat.Equal(grad, wantGrad) {
			t.Errorf("pass %d differs from that on a new tape", k)
		}
		if k == 0 {
			slabs = len(tp.slabs)
		}
	}
	if len(tp.slabs) != slabs {
		t.Errorf("%d slabs of memory after one pass, %d after five", slabs, len(tp.slabs))
	}
	// Matrices do not overlap, for any sizes.
	tp.Reset()
	var all []*mat.Dense
	for k := range 40 {
		m := tp.Matrix(k+1, 2*k+1)
		if mat.Norm(m, 1) != 0 {
			t.Errorf("matrix %d is not 0", k)
		}
		m.Apply(func(_, _ int, _ float64) float64 { return float64(k) }, m)
		all = append(all, m)
	}
	for k, m := range all {
		if mat.Max(m) != float64(k) || mat.Min(m) != float64(k) {
			t.Errorf("matrix %d was overwritten", k)
		}
	}
}

func TestPanics(t *testing.T) {
	tp := New()
	v := func(r, c int) *Value { return tp.Const(mat.NewDense(r, c, nil)) }
	one := mat.NewDense(1, 1, []float64{1})
	for want, f := range map[string]func(){
		"tape: MatMul: a is 2×3, b is 2×3":                              func() { tp.MatMul(v(2, 3), v(2, 3)) },
		"tape: Add: a is 2×3, b is 2×1":                                 func() { tp.Add(v(2, 3), v(2, 1)) },
		"tape: Const: element (0, 1) is NaN":                            func() { tp.Const(mat.NewDense(1, 2, []float64{0, math.NaN()})) },
		"tape: Input: element (1, 0) is +Inf":                           func() { tp.Input(mat.NewDense(2, 1, []float64{0, math.Inf(1)})) },
		"tape: Const: the matrix is empty":                              func() { tp.Const(&mat.Dense{}) },
		"tape: Gather: index[1] is 3, the table has 3 rows":             func() { tp.Gather(v(3, 2), []int{0, 3}) },
		"tape: CrossEntropy: target[0] is 7, there are 3 classes":       func() { tp.CrossEntropy(v(1, 3), []int{7}, -1) },
		"tape: CrossEntropy: every target is ignored":                   func() { tp.CrossEntropy(v(1, 3), []int{-1}, -1) },
		"tape: Softmax: the mask leaves no element of row 0":            func() { tp.Softmax(v(1, 1), mat.NewDense(1, 1, []float64{math.Inf(-1)})) },
		"tape: Backward: the loss is 2×1, not 1×1":                      func() { tp.Backward(v(2, 1)) },
		"tape: ConcatCols: a part is 3×1, the parts before it make 2×1": func() { tp.ConcatCols(v(2, 1), v(3, 1)) },
		"tape: SliceCols: rows 0..2 and columns 2..4 of a 2×3 value":    func() { tp.SliceCols(v(2, 3), 2, 4) },
		"tape: LayerNorm: a is 2×3, γ or β is 1×2, not 1×3":             func() { tp.LayerNorm(v(2, 3), v(1, 2), v(1, 3)) },
		"tape: parameter W exists already":                              func() { s := NewSet(1); s.Zeros("W", 1, 1); s.Ones("W", 1, 1) },
		"tape: Softmax: a is 2×3, the mask is 3×3":                      func() { tp.Softmax(v(2, 3), causal(3, 3)) },
		"tape: CrossEntropy: 1 rows of logits, 2 targets":               func() { tp.CrossEntropy(v(1, 3), []int{0, 0}, -1) },
		"tape: Adam: 0 parameters, but the previous step had 1":         func() { a := &Adam{}; a.Step(NewSet(1).withOne()); a.Step(nil) },
		"tape: Adam: parameter p is not the one of the previous step": func() {
			a := &Adam{}
			a.Step(NewSet(1).withOne())
			s := NewSet(1)
			s.Zeros("p", 2, 2)
			a.Step(s.Params)
		},
		"tape: Scalar: the value is 1×2": func() { v(1, 2).Scalar() },
		"tape: parameter q: 0×3":         func() { NewSet(1).Zeros("q", 0, 3) },
		"tape: ConcatRows: no parts":     func() { tp.ConcatRows() },
		"tape: Gather: no rows":          func() { tp.Gather(v(1, 1), nil) },
		"tape: Backward: called twice on one tape: call Reset first": func() {
			tp := New()
			l := tp.Sum(tp.Input(one))
			tp.Backward(l)
			tp.Backward(l)
		},
		"tape: an operation after Backward: call Reset first": func() {
			tp := New()
			l := tp.Sum(tp.Input(one))
			tp.Backward(l)
			tp.Scale(2, l)
		},
		"tape: an operation: a value of another tape": func() { tp.Add(v(1, 1), New().Const(one)) },
		"tape: Backward: a value of another tape":     func() { tp.Backward(New().Input(one)) },
		"tape: an operation: a value from before Reset": func() {
			tp := New()
			x := tp.Input(one)
			tp.Reset()
			tp.Add(tp.Const(one), x)
		},
		"tape: Backward: a value from before Reset": func() {
			tp := New()
			l := tp.Sum(tp.Input(one))
			tp.Reset()
			tp.Backward(l)
		},
		"tape: Scalar: the value is from before Reset": func() {
			tp := New()
			l := tp.Sum(tp.Input(one))
			tp.Reset()
			l.Scalar()
		},
		"tape: Softmax: element (1, 0) of the mask is NaN, not 0 or −Inf": func() { tp.Softmax(v(2, 1), mat.NewDense(2, 1, []float64{0, math.NaN()})) },
		"tape: Softmax: element (0, 1) of the mask is 1, not 0 or −Inf":   func() { tp.Softmax(v(1, 2), mat.NewDense(1, 2, []float64{0, 1})) },
		"tape: Scale: the factor is NaN, must be finite":                  func() { tp.Scale(math.NaN(), v(1, 1)) },
		"tape: Scale: the factor is -Inf, must be finite":                 func() { tp.Scale(math.Inf(-1), v(1, 1)) },
		"tape: Adam: rate -1, β1 0.9, β2 0.999, ε 1e-08":                  func() { (&Adam{Rate: -1}).Step(nil) },
		"tape: Adam: rate 0.001, β1 2,":                                   func() { (&Adam{Beta1: 2}).Step(nil) },
		"tape: Adam: rate 0.001, β1 0.9, β2 NaN":                          func() { (&Adam{Beta2: math.NaN()}).Step(nil) },
		"tape: Adam: rate 0.001, β1 0.9, β2 0.999, ε -1":                  func() { (&Adam{Epsilon: -1}).Step(nil) },
		"tape: SGD: the rate is +Inf, must be positive and finite":        func() { (&SGD{Rate: math.Inf(1)}).Step(nil) },
	} {
		if got := fmt.Sprint(panics.Value(f)); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func (s *Set) withOne() []*Param { s.Zeros("p", 1, 1); return s.Params }

func TestSet(t *testing.T) {
	a, b := NewSet(7), NewSet(7)
	wa, wb := a.Glorot("W", 30, 70), b.Glorot("W", 30, 70)
	if !mat.Equal(wa.X, wb.X) {
		t.Error("the same seed gives other values")
	}
	if c := NewSet(8).Glorot("W", 30, 70); mat.Equal(wa.X, c.X) {
		t.Error("another seed gives the same values")
	}
	limit := math.Sqrt(6. / 100)
	top, sum := 0.0, 0.0
	for _, v := range wa.X.RawMatrix().Data {
		top, sum = max(top, math.Abs(v)), sum+v*v
	}
	// A uniform value in ±l has variance l²/3: 2/(r+c).
	if top > limit || math.Abs(sum/2100/(2./100)-1) > 0.1 {
		t.Errorf("largest %v of %v, variance %v", top, limit, sum/2100)
	}
	if a.Get("W") != wa || a.Get("V") != nil || Count(a.Params) != 2100 {
		t.Error("Get or Count")
	}
	wa.Grad.Set(0, 0, 3)
	wa.Grad.Set(1, 1, 4)
	if n := Clip(a.Params, 10); n != 5 || wa.Grad.At(0, 0) != 3 {
		t.Errorf("a norm of %v was clipped to 10", n)
	}
	if Clip(a.Params, 1); math.Abs(GradNorm(a.Params)-1) > 1e-15 {
		t.Errorf("clipped to %v", GradNorm(a.Params))
	}
}

// TestAdam compares three steps with algorithm 1 written out, and with torch.optim.Adam (PyTorch 1.13,
// float64, lr 0.1, otherwise defaults) for gradients 1, −2, 0.5 on a parameter that starts at 1.
func TestAdam(t *testing.T) {
	torch := []float64{0.900000001, 0.9366103534720749, 0.9502794196738216}
	set := NewSet(1)
	p := set.Ones("p", 1, 1)
	adam := &Adam{Rate: 0.1}
	var m, v float64
	want := 1.0
	for k, g := range []float64{1, -2, 0.5} {
		m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
		mh, vh := m/(1-math.Pow(0.9, float64(k+1))), v/(1-math.Pow(0.999, float64(k+1)))
		want -= 0.1 * mh / (math.Sqrt(vh) + 1e-8)
		p.Grad.Set(0, 0, g)
		adam.Step(set.Params)
		if got := p.X.At(0, 0); math.Abs(got-want) > 1e-15 || math.Abs(got-torch[k]) > 1e-14 {
			t.Errorf("step %d: %v, want %v", k+1, got, want)
		}
		if p.Grad.At(0, 0) != 0 {
			t.Error("the gradient was not cleared")
		}
	}
}

// Both optimizers find the least-squares solution, which has a closed form.
func TestOptimizersConverge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	X, Y := random(rng, 20, 3), random(rng, 20, 2)
	var want mat.Dense
	if err := want.Solve(X, Y); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Optimizer{&SGD{Rate: 0.3}, &Adam{Rate: 0.02}} {
		set := NewSet(1)
		W := set.Zeros("W", 3, 2)
		minus := mat.DenseCopyOf(Y)
		minus.Scale(-1, minus)
		for range 1500 {
			tp := New()
			e := tp.Add(tp.MatMul(tp.Const(X), tp.Param(W)), tp.Const(minus))
			tp.Backward(tp.Mean(tp.Mul(e, e)))
			o.Step(set.Params)
		}
		if !mat.EqualApprox(W.X, &want, 1e-6) {
			t.Errorf("%T: %v, want %v", o, mat.Formatted(W.X), mat.Formatted(&want))
		}
	}
}

// Until ends a recording at the next operation after the end of the context, and lets other panics pass.
func TestUntil(t *testing.T) {
	p := NewSet(1).Normal("p", 3, 3, 1)
	loss := func(tp *Tape) *Value { return tp.Sum(tp.MatMul(tp.Param(p), tp.Param(p))) }
	tp := New()
	first := loss(tp)
	tp.Backward(first)
	want := first.Scalar()
	grad := mat.DenseCopyOf(p.Grad)
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		tp := New()
		Zero([]*Param{p})
		var got *Value
		if err := tp.Until(ctx, func() { got = loss(tp); tp.Backward(got) }); err != nil || got.Scalar() != want || !mat.Equal(p.Grad, grad) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
	for name, record := range map[string]func(cancel func()){
		"an operation": func(cancel func()) {
			v := loss(tp)
			cancel()
			tp.Scale(2, v)
			t.Error("an operation after the end of the context")
		},
		"Backward": func(cancel func()) {
			in := loss(tp)
			tp.Backward(tp.Op(tp.Matrix(1, 1), func(g *mat.Dense) {
				in.Accumulate().Add(in.Accumulate(), g)
				cancel()
			}, in))
			t.Error("Backward went on after the end of the context")
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		tp.Reset()
		if err := tp.Until(ctx, func() { record(cancel) }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		tp.Reset()
		if got := loss(tp); got.Scalar() != want { // as if nothing had happened
			t.Errorf("%s: afterwards %v", name, got.Scalar())
		}
		tp.Reset()
		if err := tp.Until(ctx, func() { t.Error("called") }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := panics.Value(func() { tp.Until(t.Context(), func() { panic("mine") }) }); r != "mine" {
		t.Errorf("panicked with %v", r)
	}
}
