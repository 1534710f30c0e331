package lectureattention

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// Linearity examines in what sense "self-attention is linear". It applies the superposition test, f(aX + bY) = a f(X)
// + b f(Y), first with fixed attention weights, and then with the weights that the softmax computes from the input.
func (l *Lab) Linearity() *figure.Figure {
	const n, d = 6, 16
	_, H := l.sentence(d)
	X, Y := normal(l.Seed+1, n, d), normal(l.Seed+2, n, d)
	h1, h2 := attention.NewHead(d, d, d, l.Seed+3), attention.NewHead(d, d, d, l.Seed+4)
	first := must.Get(attention.SelfAttention(H, h1, nil))
	second := must.Get(attention.SelfAttention(first.A, h2, nil))
	relu := func(A *mat.Dense) *mat.Dense {
		var out mat.Dense
		out.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, A)
		return &out
	}
	// held uses fixed weights, those of the sentence, for every input.
	held := func(H *mat.Dense) *mat.Dense { return attention.Mix(first.Alpha, H, h1.Wv) }
	stack := func(H *mat.Dense) *mat.Dense { return attention.Mix(second.Alpha, held(H), h2.Wv) }
	between := func(H *mat.Dense) *mat.Dense { return attention.Mix(second.Alpha, relu(held(H)), h2.Wv) }
	free := selfAttention(h1, nil)
	gap := func(f attention.Layer) float64 { return superpositionGap(f, X, Y, 2, -3) }

	data := record.Generated("6 random vectors of width 16, random heads")
	claim := slides.Quote("a_l = Σ_t α_{l,t} v_t = Σ_t α_{l,t} W_v h_t = W_v Σ_t α_{l,t} h_t … Every self-attention \"layer\" is a linear transformation of the previous layer", "Self-Attention is Linear")
	l.Row(record.Row{
		ID: "linear-weights-held", What: "self-attention as a function of h, with fixed weights α: relative superposition error",
		Published: claim, Measured: record.Number(gap(held), ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: data, Figure: "linearity",
	})
	l.Row(record.Row{
		ID: "linear-in-h", What: "self-attention as a function of h, with weights computed from h: relative superposition error",
		Published: claim, Measured: record.Number(gap(free), ""), Rule: record.AtMost(1e-12), Repeat: 1e-6, Data: data, Figure: "linearity",
		Reason: "the weights depend on h through the softmax, so the layer is not linear; the slide's formula shows only that a layer takes weighted means of the values W_v h, and applies no nonlinear function to a single position",
	})
	var v1, both mat.Dense
	v1.Mul(h1.Wv, h2.Wv) // d×d · d×d
	both.Mul(second.Alpha, first.Alpha)
	var diff mat.Dense
	diff.Sub(stack(X), attention.Mix(&both, X, &v1))
	l.Row(record.Row{
		ID: "linear-stack", What: "two layers with fixed weights minus the single layer α₂α₁ H W_v1 W_v2: largest difference",
		Published: slides.Quote("so far, each successive layer is linear in the previous one", "From Self-Attention to Transformers"),
		Measured:  record.Number(maxAbs(&diff), ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: data,
	})
	l.Row(record.Row{
		ID: "linear-alternating", What: "two layers with fixed weights and a ReLU in between: relative superposition error",
		Published: slides.Quote("Alternating self-attention & non-linearity: just a neural net applied at every position after every self-attention layer", "Alternating self-attention & non-linearity"),
		Measured:  record.Number(gap(between), ""), Rule: record.AtLeast(0.01), Data: data, Figure: "linearity",
	})

	// One output along a straight line of inputs H + sX.
	const points = 121
	x := make([]float64, points)
	lines := map[string][]float64{}
	fs := []struct {
		name string
		f    attention.Layer
	}{{"fixed weights", held}, {"fixed, two layers", stack}, {"fixed, ReLU between", between}, {"softmax weights", free}}
	for k := range x {
		x[k] = -3 + 6*float64(k)/(points-1)
		var at mat.Dense
		at.Scale(x[k], X)
		at.Add(H, &at)
		for _, f := range fs {
			lines[f.name] = append(lines[f.name], f.f(&at).At(2, 0))
		}
	}
	fig := figure.New("One output as the input moves along a line", "s (input H + sX)", "first element of a₃, scaled")
	for _, f := range fs {
		y, top := lines[f.name], 0.0
		for _, v := range y {
			top = math.Max(top, math.Abs(v))
		}
		for k := range y {
			y[k] /= top
		}
		fig.Lines(f.name, x, y)
	}
	l.Save("linearity", "A linear function appears as a straight line. With fixed weights, one layer is linear and so are two; a ReLU between the layers makes the output nonlinear. With softmax weights, even one layer is nonlinear, because the weights change with the input.",
		fig)
	return fig
}

// superpositionGap returns max |f(aX + bY) − a f(X) − b f(Y)| divided by max |a f(X) + b f(Y)|: 0 up to
// rounding if f is linear.
func superpositionGap(f attention.Layer, X, Y *mat.Dense, a, b float64) float64 {
	combine := func(X, Y *mat.Dense) *mat.Dense {
		var u, v mat.Dense
		u.Scale(a, X)
		v.Scale(b, Y)
		u.Add(&u, &v)
		return &u
	}
	want := combine(f(X), f(Y))
	var diff mat.Dense
	diff.Sub(f(combine(X, Y)), want)
	return maxAbs(&diff) / maxAbs(want)
}
