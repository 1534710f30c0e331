package nmfimplicit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A network classifies digits through a factorization of its activations:
//
//	A = relu(X V + b)     N×H, the activations
//	Y = U W'              N×H, the best nonnegative factorization of A into k concepts
//	P = softmax(Y C + c)  N×classes
type network struct {
	set        *tape.Set
	V, b, C, c *tape.Param
	block      *nmfgrad.Block
	U, W       *mat.Dense // the last solution, a warm start for the next
	kkt        float64    // the tolerance of the factorization
}

func newNetwork(ctx context.Context, seed uint64, D, H, classes, k int) *network {
	set := tape.NewSet(seed)
	m := &network{kkt: 1e-9, set: set, V: set.Glorot("V", D, H), b: set.Zeros("b", 1, H), C: set.Glorot("C", H, classes), c: set.Zeros("c", 1, classes)}
	// If no image excites a unit, the unit's zeros have zero multipliers. These entries stay zero.
	m.block = &nmfgrad.Block{Options: nmfgrad.Options{Degenerate: nmfgrad.KeepZero, Tolerance: 1e-5}, Solve: func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) {
		o := &nmf.Options{Components: k, MaxIterations: 50_000, Tolerance: -1, KKT: m.kkt, KeepDense: true}
		if m.U != nil && isAlive(m.U) && isAlive(m.W) {
			o.U, o.W = m.U, m.W
		}
		r := fit(ctx, A, o)
		m.U, m.W = r.U, r.W
		return r.U, r.W, nil
	}}
	return m
}

// isAlive reports whether every column of M has a positive element.
func isAlive(M *mat.Dense) bool {
	_, k := M.Dims()
	for t := range k {
		if mat.Max(M.ColView(t)) <= 0 {
			return false
		}
	}
	return true
}

// loss puts the cross entropy of the network on the tape and returns it, with the share of images that the network
// labels correctly.
func (m *network) loss(t *tape.Tape, X *mat.Dense, label []int) (*tape.Value, float64) {
	a := t.ReLU(t.Add(t.MatMul(t.Const(X), t.Param(m.V)), t.Param(m.b)))
	y := must.Get(m.block.Product(t, a))
	logits := t.Add(t.MatMul(y, t.Param(m.C)), t.Param(m.c))
	right := 0
	for i, c := range label {
		if floats.MaxIdx(logits.X.RawRowView(i)) == c {
			right++
		}
	}
	return t.CrossEntropy(logits, label, -1), float64(right) / float64(len(label))
}

// fourDigits returns n generated digits 0 to 3 of 14 × 14 pixels.
func fourDigits(ctx context.Context, n int, seed uint64) (X *mat.Dense, label []int) {
	s := must.Get(synth.Digits(ctx, synth.DigitsOptions{N: 4 * n, Balanced: true, Seed: seed}))
	small := lab.Shrink(s.Images, s.Size, s.Size, 2)
	var rows []float64
	for i, c := range s.Labels {
		if c < 4 && len(label) < n {
			rows = append(rows, small.RawRowView(i)...)
			label = append(label, c)
		}
	}
	_, d := small.Dims()
	return mat.NewDense(len(label), d, rows), label
}

// Network trains a network that contains a factorization, end to end.
func (l *Lab) Network() *figure.Grid {
	n := l.Pick(48, 160, 320)
	X, label := fourDigits(l.Context(), n, l.Seed)
	n, D := X.Dims()
	data := record.Generated(fmt.Sprintf("%d digits 0 to 3, 14 × 14", n))
	m := newNetwork(l.Context(), l.Seed, D, hidden, digits, concepts)
	l.networkGradientRow(m, X, label, data)
	r := l.trainNetwork(m, X, label)
	l.networkRows(r, data)
	l.heldOutRow(m, X)
	l.conceptsRow(r, label, data)
	return l.networkFigure(r, data)
}

// The sizes of the network's hidden layer and output, and of the factorization between them.
const (
	hidden   = 24
	digits   = 4
	concepts = 4
)

// networkGradientRow adds the row on the gradient through the whole network, compared with central
// differences.
func (l *Lab) networkGradientRow(m *network, X *mat.Dense, label []int, data record.Data) {
	rng := l.stream(50)
	worst, residual := m.check(X, label, rng, l.Pick(3, 8, 16))
	l.Row(record.Row{
		ID: "network-gradient", What: "derivatives of the loss in random directions of all weights, through the factorization, against central differences: largest error divided by the norm of the gradient",
		Published: post.Quote("(3) Use the chain rule to compute ∂U/∂X = ∂A/∂X ∂U/∂A.", implicitly),
		Measured:  record.Number(worst, ""), Rule: record.AtMost(1e-4), Data: data, Repeat: 1e-4,
		Reason: fmt.Sprintf("residual of the linear system %.1g. With Jacobians in the usual layout, the factors are in the opposite order: ∂U/∂A ∂A/∂X", residual),
	})
}

// A trainedNetwork holds what was measured during training, step by step: the losses, the percentage of images labeled
// correctly, and the losses of a control. It also holds the concepts before and after training.
type trainedNetwork struct {
	it, losses, right []float64
	control           []float64 // the losses of the same network when only its last layer learns
	before, after     *conceptSet
}

func (l *Lab) trainNetwork(m *network, X *mat.Dense, label []int) *trainedNetwork {
	_, D := X.Dims()
	t := tape.New()
	r := &trainedNetwork{before: m.concepts(X)}
	steps := l.Pick(25, 80, 200)
	adam := &tape.Adam{Rate: 0.02}
	for q := range steps {
		t.Reset()
		v, share := m.loss(t, X, label)
		r.it, r.losses, r.right = append(r.it, float64(q)), append(r.losses, v.Scalar()), append(r.right, 100*share)
		t.Backward(v)
		lab.Check(m.block.Err())
		adam.Step(m.set.Params)
	}
	r.after = m.concepts(X)
	// The control has the same network and steps but no gradient through the block, so that only the last layer
	// learns.
	last := newNetwork(l.Context(), l.Seed, D, hidden, digits, concepts)
	only := &tape.Adam{Rate: 0.02}
	for range steps {
		t.Reset()
		v, _ := last.loss(t, X, label)
		r.control = append(r.control, v.Scalar())
		t.Backward(v)
		lab.Check(last.block.Err())
		tape.Zero([]*tape.Param{last.V, last.b})
		only.Step([]*tape.Param{last.C, last.c})
	}
	return r
}

func (l *Lab) networkRows(r *trainedNetwork, data record.Data) {
	losses, right, control, steps := r.losses, r.right, r.control, len(r.it)
	end := steps - 1
	l.Row(record.Row{
		ID: "network-through", What: "a network with an NMF block: final loss divided by that of the same network with only the last layer trained",
		Measured: record.Number(losses[end]/control[end], ""), Rule: record.AtMost(0.5), Data: data, Figure: "network", Repeat: 0.1,
		Reason: fmt.Sprintf("%.3f against %.3f: the benefit of the gradient through the factorization", losses[end], control[end]),
	})
	l.Row(record.Row{
		ID: "network-trains", What: fmt.Sprintf("a network with an NMF block between two layers, %d training steps: final loss divided by initial loss", steps),
		Published: post.Quote("Interestingly, an NMF block can be seamlessly integrated into deep neural networks … while still benefiting from the effectiveness of automatic backpropagation in neural networks.", motivation),
		Measured:  record.Number(losses[end]/losses[0], ""), Rule: record.AtMost(0.5), Data: data, Figure: "network", Repeat: 0.1,
		Reason: fmt.Sprintf("loss from %.3f to %.3f, training accuracy from %.0f to %.0f %%. 'Seamlessly' requires a solution accurate enough to differentiate, a warm start from the last solution to stay at the same minimum, functions of UW' or a gauge, and a rule for degenerate entries", losses[0], losses[end], right[0], right[end]),
	})
}

// heldOutRow adds the row on digits that the network has not seen. It computes their coefficients with the learned
// concepts, which stay fixed.
func (l *Lab) heldOutRow(m *network, X *mat.Dense) {
	n, _ := X.Dims()
	Y, y := fourDigits(l.Context(), 2*n, l.Seed+1)
	held := m.heldOut(l.Context(), X, Y, y)
	l.Row(record.Row{
		ID: "network-held-out", What: "accuracy on held-out digits, with coefficients from nonnegative least squares on the learned concepts",
		Measured: record.Number(100*held, "%"), Rule: record.AtLeast(80), Data: record.Generated(fmt.Sprintf("%d digits 0 to 3, 14 × 14", len(y))), Repeat: 3,
	})
}

func (l *Lab) conceptsRow(r *trainedNetwork, label []int, data record.Data) {
	before, after := r.before, r.after
	purity := func(U *mat.Dense) float64 { return purity(U, label, digits) }
	l.Row(record.Row{
		ID: "network-concepts", What: "share of a concept's weight on its main digit, mean over the concepts: ratio of after to before training",
		Measured: record.Number(purity(after.U)/purity(before.U), "times"), Rule: record.AtLeast(1.05), Data: data, Figure: "network", Repeat: 0.1,
		Reason: fmt.Sprintf("from %.2f to %.2f; chance is 0.25", purity(before.U), purity(after.U)),
	})
}

func (l *Lab) networkFigure(r *trainedNetwork, data record.Data) *figure.Grid {
	const side = 14
	curve := figure.New("Training", "step", "cross entropy").Lines("through the block", r.it, r.losses).Lines("last layer only", r.it, r.control)
	curve.Y.Min = 0
	panel := func(title string, c *conceptSet) *figure.Figure {
		return gallery.Figure(c.pictures, side, side, &gallery.Options{Title: title, Columns: 2, Grays: gallery.PerTileSigned})
	}
	g := figure.NewGrid("A factorization inside a network", 3, curve, panel("Concepts before", r.before), panel("Concepts after", r.after)).Size(2.9, 2.9)
	l.Save("network", fmt.Sprintf("Image of a concept: mean of the input images weighted by its coefficients, minus the mean of all images; gray is 0. Data: %v.", data), g)
	return g
}

// activations returns A for images (N×D).
func (m *network) activations(X *mat.Dense) *mat.Dense {
	A := productOf(X, m.V.X)
	A.Apply(func(_, j int, v float64) float64 { return math.Max(0, v+m.b.X.At(0, j)) }, A)
	return A
}

// heldOut returns the share of the images Y that the network labels correctly; label holds their true labels. It keeps
// the concepts fixed, as learned from the images X.
func (m *network) heldOut(ctx context.Context, X, Y *mat.Dense, label []int) float64 {
	m.concepts(X) // factorizes X with the present weights
	logits := productOf(product(coefficients(ctx, m.activations(Y), m.W, nnls.BlockPivoting), m.W), m.C.X)
	right := 0
	for i, c := range label {
		row := logits.RawRowView(i)
		floats.Add(row, m.c.X.RawRowView(0))
		if floats.MaxIdx(row) == c {
			right++
		}
	}
	return float64(right) / float64(len(label))
}

// check compares the derivatives of the loss in random directions of the weights with central differences. The result
// worst is the largest difference, relative to the norm of the gradient, and residual is the residual of the linear
// system from which the gradient was computed.
func (m *network) check(X *mat.Dense, label []int, rng *rand.Rand, directions int) (worst, residual float64) {
	defer func(old float64) { m.kkt = old }(m.kkt)
	m.kkt = 1e-13 // differences divide the factorization's error by h
	t := tape.New()
	v, _ := m.loss(t, X, label)
	t.Backward(v)
	lab.Check(m.block.Err())
	residual = m.block.Report().Residual
	U, W := m.U, m.W // all differences start here
	norm := tape.GradNorm(m.set.Params)
	at := func(D []*mat.Dense, h float64) float64 {
		for i, p := range m.set.Params {
			var step mat.Dense
			step.Scale(h, D[i])
			p.X.Add(p.X, &step)
		}
		m.U, m.W = U, W
		t.Reset()
		v, _ := m.loss(t, X, label)
		value := v.Scalar()
		for i, p := range m.set.Params {
			var step mat.Dense
			step.Scale(-h, D[i])
			p.X.Add(p.X, &step)
		}
		return value
	}
	// A larger step may cross one of thousands of kinks, where a rectifier switches or a support changes.
	const h = 1e-7
	for range directions {
		var D []*mat.Dense
		dot := 0.0
		for _, p := range m.set.Params {
			r, c := p.X.Dims()
			one := drawNormal(rng, r, c)
			dot += floats.Dot(one.RawMatrix().Data, p.Grad.RawMatrix().Data)
			D = append(D, one)
		}
		difference := (at(D, h) - at(D, -h)) / (2 * h)
		// The unit is a typical directional derivative.
		worst = math.Max(worst, math.Abs(dot-difference)/norm)
	}
	m.U, m.W = U, W
	tape.Zero(m.set.Params)
	return worst, residual
}

// A conceptSet holds the concepts at one time during training.
type conceptSet struct {
	U        *mat.Dense // N×k, for unit columns of W
	pictures *mat.Dense // k×D
}

// concepts factorizes the activations of X and returns the concepts. The picture of a concept is the mean of the
// images, weighted by the concept's coefficients, minus the unweighted mean of the images.
func (m *network) concepts(X *mat.Dense) *conceptSet {
	t := tape.New()
	must.Get(m.block.Product(t, t.Const(m.activations(X))))
	U, _ := nmfgrad.Normalize(m.U, m.W, nmfgrad.UnitW)
	n, D := X.Dims()
	_, k := U.Dims()
	out := mat.NewDense(k, D, nil)
	for c := range k {
		row := out.RawRowView(c)
		total := 0.0
		for i := range n {
			total += U.At(i, c)
		}
		for i := range n {
			floats.AddScaled(row, U.At(i, c)/total-1/float64(n), X.RawRowView(i))
		}
	}
	return &conceptSet{U, out}
}

// purity returns how well the concepts match single classes, from 1/classes to 1. For each concept it takes the share
// of the coefficients that belongs to each class of images, and keeps the largest share. The result is the mean over
// all concepts.
func purity(U *mat.Dense, label []int, classes int) float64 {
	n, k := U.Dims()
	mean := 0.0
	for c := range k {
		share := make([]float64, classes)
		for i := range n {
			share[label[i]] += U.At(i, c)
		}
		mean += floats.Max(share) / floats.Sum(share) / float64(k)
	}
	return mean
}
