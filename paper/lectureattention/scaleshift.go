package lectureattention

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// ScaleShift trains a network with batch normalization, h = σ(γẑ + β), to tell points of the plane inside a circle
// from those outside, with and without the learned γ and β.
//
// Without β the network hardly learns this. If the batch is symmetric about 0, ẑ is an odd function of the point x,
// and so is σ(γẑ) − ½. The difference of the two scores is then a constant plus an odd function. But the target is
// even: x and −x have the same class. Since the loss is convex in the difference of the scores, the loss of x and −x
// together is least if the odd function is 0. Then all points get the same answer, which is right for half of them.
func (l *Lab) ScaleShift() *figure.Grid {
	variants := []struct {
		name         string
		scale, shift bool
	}{{"neither", false, false}, {"γ", true, false}, {"β", false, true}, {"γ and β", true, true}}
	const neither, onlyScale, onlyShift, both = 0, 1, 2, 3
	n, steps, seeds := l.Pick(100, 400, 400), l.Pick(100, 300, 1000), l.Pick(1, 5, 20)

	V := len(variants)
	nets := make([]*normedNetwork, V*seeds)
	accuracy, loss := make([]float64, V*seeds), make([]float64, V*seeds)
	ctx := l.Context()
	lab.Parallel(ctx, V*seeds, func(i int) {
		v, seed := i/seeds, l.Seed+uint64(i%seeds)
		X, inside := circle(n, seed, 0)
		net := newNormed(12, variants[v].scale, variants[v].shift, seed)
		loss[i] = net.train(ctx, X, inside, steps)
		Y, truth := circle(1000, seed, 1)
		nets[i], accuracy[i] = net, 100*share(net.inside(Y), truth)
	})

	mean, spread := meansOf(accuracy, seeds)
	final, _ := meansOf(loss, seeds)
	list := make([]uint64, seeds)
	for i := range list {
		list[i] = l.Seed + uint64(i)
	}
	data := record.Generated(label("%d points from a normal distribution in the plane, about half of them inside a circle; 12 sigmoids after batch normalization, %d steps of Adam, %d seeds; 1000 held-out points", n, steps, seeds))
	l.Row(record.Row{
		ID: "norm-learned-both", What: "inside or outside a circle: accuracy on held-out points with learned scale γ and shift β",
		Measured: record.Number(tenth(mean[both]), "%"), Rule: record.AtLeast(90), Repeat: 5, Data: data, Seeds: list, Figure: "scale-shift",
		Reason: "trained for only a few steps",
	})
	l.Row(record.Row{
		ID: "norm-learned-no-shift", What: "the same with a learned scale γ but no shift",
		Measured: record.Number(tenth(mean[onlyScale]), "%"), Rule: record.AtMost(60), Repeat: 5, Data: data, Seeds: list, Figure: "scale-shift",
		Reason: "each ẑ has mean 0, so the output is nearly a constant plus an odd function of the point, but being inside is an even function",
	})
	l.Row(record.Row{
		ID: "norm-learned-scale", What: "with a learned shift β: final training loss without γ divided by that with γ",
		Measured: record.Value{Kind: record.KindNumber, Number: tenth(final[onlyShift] / final[both]), Text: label("%.3f against %.3f nats", final[onlyShift], final[both])},
		Rule:     record.AtLeast(1.5), Repeat: 2, Data: data, Seeds: list, Figure: "scale-shift",
		Reason: "without a scale the sigmoids are nearly linear (row norm-gamma-one), so a sharp edge needs large weights after them",
	})

	var panels []*figure.Figure
	for v, variant := range variants {
		f := figure.HeatmapIn(label("%s: %.0f ± %.0f %%", variant.name, mean[v], spread[v]), nets[v*seeds].picture(2.5, 41), 0, 1, figure.Diverging)
		f.HideAxes()
		panels = append(panels, f)
	}
	g := figure.NewGrid("Inside or outside a circle, with and without learned scale and shift", 4, panels...)
	l.Save("scale-shift", label("Probability of \"inside\" (red: high) over the plane, for a network of 12 sigmoids after batch normalization, first seed. Titles: which of γ and β are learned, and the accuracy on held-out points (mean and standard deviation over %d seeds). Without a shift, every sigmoid is centered on the mean of the data, and the output is nearly a constant plus an odd function of the point.", seeds),
		g.Size(2.4, 2))
	return g
}

// circle draws n points of a standard normal distribution in the plane. It also returns their labels: 1 for the points
// in the circle that contains half of the mass, |x|² < 2 ln 2, and 0 for the others.
func circle(n int, seed, stream uint64) (X *mat.Dense, labels []int) {
	rng := rand.New(rand.NewPCG(seed, 0x63697263+stream))
	X = mat.NewDense(n, 2, nil)
	for i := range n {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		X.SetRow(i, []float64{x, y})
		is := 0
		if x*x+y*y < 2*math.Ln2 {
			is = 1
		}
		labels = append(labels, is)
	}
	return X, labels
}

// share returns the share of the indices at which got and want are equal.
func share(got, want []int) float64 {
	right := 0.0
	for i := range got {
		if got[i] == want[i] {
			right += 1 / float64(len(got))
		}
	}
	return right
}

// A normedNetwork is a network with one layer of sigmoids after batch normalization: ẑ = (xW −
// E[xW])/√Var[xW], h = σ(γẑ + β), scores = hU + u.
type normedNetwork struct {
	W, U, u     *tape.Param // 2×m, m×2, 1×2
	gamma, beta *tape.Param // 1×m
	learned     []*tape.Param
	moments     attention.BatchNorm // of the training set
}

// newNormed makes a network of m sigmoids with random weights. If scale is false, γ is not learned but fixed
// at 1; if shift is false, β is fixed at 0.
func newNormed(m int, scale, shift bool, seed uint64) *normedNetwork {
	set := tape.NewSet(seed)
	net := &normedNetwork{W: set.Glorot("W", 2, m), U: set.Glorot("U", m, 2), u: set.Zeros("u", 1, 2), gamma: set.Ones("gamma", 1, m), beta: set.Zeros("beta", 1, m)}
	net.learned = []*tape.Param{net.W, net.U, net.u}
	if scale {
		net.learned = append(net.learned, net.gamma)
	}
	if shift {
		net.learned = append(net.learned, net.beta)
	}
	return net
}

// train minimizes the cross-entropy, with all rows of X as one batch. It returns the loss before the last step. After
// the last step it stores the moments of xW in net.moments.
func (net *normedNetwork) train(ctx context.Context, X *mat.Dense, inside []int, steps int) (loss float64) {
	n, _ := X.Dims()
	// tape.LayerNorm has a scale and a shift too: set them to 1 and 0, for the n columns of a
	// transposed batch.
	one, zero := mat.NewDense(1, n, nil), mat.NewDense(1, n, nil)
	one.Apply(func(_, _ int, _ float64) float64 { return 1 }, one)
	adam := &tape.Adam{Rate: rate}
	t := tape.New()
	for range steps {
		lab.Heed(ctx)
		t.Reset()
		z := t.MatMul(t.Const(X), t.Param(net.W))                                     // n×2 · 2×m
		zhat := t.Transpose(t.LayerNorm(t.Transpose(z), t.Const(one), t.Const(zero))) // each feature over the batch
		h := t.Sigmoid(t.Add(t.Mul(zhat, t.Param(net.gamma)), t.Param(net.beta)))     // n×m
		e := t.CrossEntropy(t.Add(t.MatMul(h, t.Param(net.U)), t.Param(net.u)), inside, -1)
		loss = e.Scalar()
		t.Backward(e)
		adam.Step(net.learned)
		tape.Zero([]*tape.Param{net.gamma, net.beta}) // ignore the gradients of parameters that are not learned
	}
	var z mat.Dense
	z.Mul(X, net.W.X)
	net.moments = attention.BatchNorm{}
	net.moments.Train(&z)
	return loss
}

// scores returns two scores for each row of X, for the classes outside and inside.
func (net *normedNetwork) scores(X *mat.Dense) *mat.Dense {
	var z, out mat.Dense
	z.Mul(X, net.W.X)
	h := net.moments.Test(&z)
	h.Apply(func(_, j int, zhat float64) float64 {
		return 1 / (1 + math.Exp(-(net.gamma.X.At(0, j)*zhat + net.beta.X.At(0, j))))
	}, h)
	out.Mul(h, net.U.X)
	out.Apply(func(_, k int, s float64) float64 { return s + net.u.X.At(0, k) }, &out)
	return &out
}

// inside returns a class for each row of X: 1 if the score for inside is larger than the score for outside, and 0
// otherwise.
func (net *normedNetwork) inside(X *mat.Dense) []int {
	s := net.scores(X)
	n, _ := s.Dims()
	is := make([]int, n)
	for i := range n {
		if s.At(i, 1) > s.At(i, 0) {
			is[i] = 1
		}
	}
	return is
}

// picture returns the probability that the network gives to the class "inside", at cells×cells points of the square
// from −r to r in both coordinates.
func (net *normedNetwork) picture(r float64, cells int) *mat.Dense {
	X := mat.NewDense(cells*cells, 2, nil)
	at := func(i int) float64 { return r * (2*float64(i)/float64(cells-1) - 1) }
	for i := range cells {
		for j := range cells {
			X.SetRow(i*cells+j, []float64{at(j), -at(i)})
		}
	}
	s := net.scores(X)
	P := mat.NewDense(cells, cells, nil)
	P.Apply(func(i, j int, _ float64) float64 {
		k := i*cells + j
		return 1 / (1 + math.Exp(s.At(k, 0)-s.At(k, 1)))
	}, P)
	return P
}
