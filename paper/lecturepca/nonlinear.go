package lecturepca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Nonlinear trains autoencoders on points of the rolled sheet. Each has several layers and encodes a point as two
// numbers; some have a nonlinear transfer function, the others have none. Nonlinear compares their errors on new
// points of the sheet with the error of PCA's first two axes.
func (l *Lab) Nonlinear() *figure.Grid {
	n, steps, seeds := l.Pick(300, 1000, 1000), l.Pick(200, 4000, 20000), l.Pick(1, 3, 5)
	X, _, _ := roll(n, l.Seed)
	Y, _, _ := roll(n, l.Seed+1000) // new points
	m := fit(l.Context(), X, &pca.Options{Components: 2})
	axes := m.Project(Y, 2)
	best := meanSquare(axes, Y)

	const nonlinear, linear = 0, 1
	ratio := make([]float64, 2*seeds)
	nets := make([]*deepAutoencoder, 2*seeds)
	ctx := l.Context()
	lab.Parallel(ctx, 2*seeds, func(i int) {
		net := newDeep(X, i%2 == nonlinear, l.Seed+uint64(i/2))
		net.train(ctx, X, steps, l.Seed+uint64(i/2))
		nets[i], ratio[i] = net, meanSquare(net.reconstruct(Y), Y)/best
	})
	of := func(kind int) (list []float64) {
		for s := range seeds {
			list = append(list, ratio[2*s+kind])
		}
		return list
	}
	var list []uint64
	for s := range seeds {
		list = append(list, l.Seed+uint64(s))
	}
	data := record.Generated(fmt.Sprintf("%d points of a rolled sheet in space, and %d new ones; layers of 3, 32, 2, 32 and 3 numbers, %d steps of Adam with 100 points, %d seeds", n, n, steps, seeds))
	measured := func(kind int) record.Value {
		v := of(kind)
		value := record.Value{Kind: record.KindNumber, Number: stat.Mean(v, nil)}
		if len(v) > 1 {
			value.Text = fmt.Sprintf("%.3f ± %.3f", stat.Mean(v, nil), stat.StdDev(v, nil))
		}
		return value
	}
	l.Row(record.Row{
		ID: "autoencoder-nonlinear", What: "rolled sheet, autoencoder with two latent units and tanh in its 32-unit layers: mean squared error on new points, divided by that of two PCA axes",
		Published: slides.Quote("Can generalize by making non-linear transfers, and more layers, etc.", "PCA from neural networks!"),
		Measured:  measured(nonlinear), Rule: record.AtMost(0.5), Repeat: 0.3, Data: data, Seeds: list, Figure: "nonlinear",
		Reason: "a plane can only cut through the roll; a nonlinear network can encode a point's position along the sheet, if training finds this solution",
	})
	l.Row(record.Row{
		ID: "autoencoder-layers", What: "the same autoencoder without tanh: mean squared error on new points, divided by that of two PCA axes",
		Measured: measured(linear), Rule: record.Between(0.95, 1.1), Repeat: 0.1, Data: data, Seeds: list, Figure: "nonlinear",
		Reason: "the product of the weight matrices has rank at most 2, and PCA's matrix is the best of these: more linear layers gain nothing",
	})

	// The roll from the side, and its reconstruction.
	side := func(title string, A *mat.Dense) *figure.Figure {
		f := figure.New(title, "", "")
		f.Scatter("", mat.Col(nil, 0, A), mat.Col(nil, 2, A))
		f.Equal = true
		return f.Range(-14, 14, -14, 14)
	}
	g := figure.NewGrid("A rolled sheet reconstructed from two numbers per point", 4,
		side("new points", Y), side("PCA", axes),
		side("layers without tanh", nets[linear].reconstruct(Y)), side("layers with tanh", nets[nonlinear].reconstruct(Y)))
	l.Save("nonlinear", fmt.Sprintf("The sheet of the first figure from the side, and its reconstructions from two numbers per point. The mean squared error is %.0f %% of PCA's for the autoencoder with tanh and %.0f %% for the one without (new points, mean over %d seeds; the first seed is shown).",
		100*stat.Mean(of(nonlinear), nil), 100*stat.Mean(of(linear), nil), seeds), g.Size(2.2, 2.3))
	return g
}

// meanSquare returns the mean squared distance between the rows of A and B.
func meanSquare(A, B *mat.Dense) float64 {
	var off mat.Dense
	off.Sub(A, B)
	n, _ := off.Dims()
	return math.Pow(mat.Norm(&off, 2), 2) / float64(n)
}

// A deepAutoencoder has four affine maps between layers of 3, 32, 2, 32 and 3 numbers. If bent is set, a tanh follows
// the first and the third map; otherwise the network is linear.
type deepAutoencoder struct {
	set    *tape.Set
	W, b   [4]*tape.Param
	bent   bool
	mean   []float64 // of the training points
	spread float64   // root mean square distance from the mean, per coordinate
}

func newDeep(X *mat.Dense, bent bool, seed uint64) *deepAutoencoder {
	_, d := X.Dims()
	net := &deepAutoencoder{set: tape.NewSet(seed), bent: bent}
	sizes := []int{d, 32, 2, 32, d}
	for i := range net.W {
		net.W[i] = net.set.Glorot(fmt.Sprintf("W%d", i+1), sizes[i], sizes[i+1])
		net.b[i] = net.set.Zeros(fmt.Sprintf("b%d", i+1), 1, sizes[i+1])
	}
	square := 0.0
	for j := range d {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, j, X), nil)
		net.mean, square = append(net.mean, mean), square+variance/float64(d)
	}
	net.spread = math.Sqrt(square)
	return net
}

// scale returns the points in the form that the network uses: minus net.mean, and divided by net.spread.
func (net *deepAutoencoder) scale(X *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(X)
	out.Apply(func(_, j int, x float64) float64 { return (x - net.mean[j]) / net.spread }, out)
	return out
}

// forward returns the network's output (n×d) for the points X (n×d), which must be the result of the method named
// scale.
func (net *deepAutoencoder) forward(t *tape.Tape, X *mat.Dense) *tape.Value {
	h := t.Const(X)
	for i := range net.W {
		h = t.Add(t.MatMul(h, t.Param(net.W[i])), t.Param(net.b[i]))
		if net.bent && i%2 == 0 {
			h = t.Tanh(h)
		}
	}
	return h
}

// train minimizes the mean squared reconstruction error by Adam, on batches of 100 points of X. The learning rate
// falls linearly to zero.
func (net *deepAutoencoder) train(ctx context.Context, X *mat.Dense, steps int, seed uint64) {
	S := net.scale(X)
	n, d := S.Dims()
	const size, rate = 100, 0.01
	rng := rand.New(rand.NewPCG(seed, 0xae))
	batch := mat.NewDense(size, d, nil)
	adam := &tape.Adam{}
	t := tape.New()
	for step := range steps {
		lab.Heed(ctx)
		adam.Rate = rate * (1 - float64(step)/float64(steps))
		for i := range size {
			batch.SetRow(i, S.RawRowView(rng.IntN(n)))
		}
		t.Reset()
		off := t.Add(net.forward(t, batch), t.Scale(-1, t.Const(batch)))
		t.Backward(t.Scale(1/float64(size), t.Sum(t.Mul(off, off))))
		adam.Step(net.set.Params)
	}
}

// reconstruct encodes each point of X as two numbers, and returns the points decoded from them.
func (net *deepAutoencoder) reconstruct(X *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(net.forward(tape.New(), net.scale(X)).X)
	out.Apply(func(_, j int, x float64) float64 { return net.mean[j] + net.spread*x }, out)
	return out
}
