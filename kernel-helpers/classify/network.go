package classify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/ui/progress"
)

// Activation is the activation function σ of a Network's hidden units.
type Activation int

const (
	ReLU Activation = iota // max(0, a)
	Tanh
)

// A Network has one hidden layer and a softmax: with a = W1 x + b1, h = σ(a) and z = W2 h + b2, it models P(y = k | x)
// = e^{z_k} / Σ_j e^{z_j}. The field Activation selects σ.
type Network struct {
	W1         *mat.Dense // H×d, a hidden unit per row
	B1         []float64  // H
	W2         *mat.Dense // K×H
	B2         []float64  // K
	Activation Activation

	Status ended.Status // Done, EarlyStop or Interrupted
	Epochs int          // number of epochs made
	Best   int          // the epoch, counted from 1, that produced these weights
	// History holds, for each epoch, the mean objective of its minibatches, measured while the weights change.
	History []float64
	// Validation is the error rate on the validation points after each epoch.
	Validation []float64
}

// String returns a one-line summary.
func (m *Network) String() string {
	H, d := size.Of(m.W1)
	K, _ := size.Of(m.W2)
	return fmt.Sprintf("network: %d features, %d hidden units, %d classes; best epoch %d of %d (%v)", d, H, K, m.Best, m.Epochs, m.Status)
}

// NetworkOptions configures FitNetwork. The zero value suits features whose values are of order 1.
type NetworkOptions struct {
	Hidden     int        // H. 0 means 100
	Activation Activation // the zero value is ReLU
	// Alpha is the strength of the penalty (α/2)(‖W1‖² + ‖W2‖²). 0 means no penalty.
	Alpha float64
	// SGD chooses stochastic gradient descent with Momentum in place of Adam (D.
	// Kingma and J. Ba, ICLR 2015; β1 0.9, β2 0.999, ε 1e-8).
	SGD bool
	// Momentum is the momentum of SGD. 0 means 0.9, and a negative number means no momentum.
	Momentum float64
	// Rate is the step size. 0 means 0.001 for Adam and 0.05 for SGD.
	Rate float64
	// Batch is the number of points per step. 0 means 100.
	Batch int
	// Epochs is the largest number of passes over the points. 0 means 100.
	Epochs int
	// ValidX (m×d) and ValidY (m) are the points for early stopping. If they are nil, a tenth of the points of each
	// class is drawn at random and held out.
	ValidX mat.Matrix
	ValidY []int
	// NoValidation trains for all Epochs on all points and keeps the last weights.
	NoValidation bool
	// Training ends after Patience epochs without a lower validation error. 0 means 10.
	Patience int
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. Errors on the validation points are counted without weights.
	ClassWeights, SampleWeights []float64
	// Classes is K. 0 means one more than the largest label.
	Classes int
	// Seed determines the initial weights, the order of the points and the split.
	Seed uint64
	// Recorder receives an event for each epoch. It may be nil.
	Recorder progress.Recorder
}

// NewNetwork returns a network with d inputs, H hidden units and K classes. Its weights are random and uniform, with
// variance 2/(fan-in + fan-out) for tanh (X. Glorot and Y. Bengio, AISTATS 2010) and 2/fan-in for ReLU (K. He and
// others, ICCV 2015). b1 and b2 are 0.
func NewNetwork(d, H, K int, act Activation, seed uint64) *Network {
	if d < 1 || H < 1 || K < 2 || act < 0 || act > Tanh {
		panic(fmt.Sprintf("classify: NewNetwork: %d inputs, %d hidden units, %d classes, activation %d", d, H, K, act))
	}
	rng := rand.New(rand.NewPCG(seed, 0x4e7))
	random := func(rows, cols int) *mat.Dense {
		variance := 2 / float64(rows+cols)
		if act == ReLU {
			variance = 2 / float64(cols)
		}
		W := mat.NewDense(rows, cols, nil)
		for i := range rows {
			w := W.RawRowView(i)
			for j := range w {
				w[j] = math.Sqrt(3*variance) * (2*rng.Float64() - 1)
			}
		}
		return W
	}
	return &Network{W1: random(H, d), B1: make([]float64, H), W2: random(K, H), B2: make([]float64, K), Activation: act}
}

// parameters returns the weights and biases as slices, in a fixed order.
func (m *Network) parameters() [][]float64 {
	return [][]float64{m.W1.RawMatrix().Data, m.B1, m.W2.RawMatrix().Data, m.B2}
}

func (m *Network) clone() *Network {
	c := *m
	c.W1, c.W2 = mat.DenseCopyOf(m.W1), mat.DenseCopyOf(m.W2)
	c.B1, c.B2 = append([]float64{}, m.B1...), append([]float64{}, m.B2...)
	return &c
}

// FitNetwork fits a Network, in minibatches, to the rows of X (n×d) with labels y (n). opt may be nil. Unless
// opt.NoValidation is set, FitNetwork keeps the weights of the epoch with the lowest error rate on the validation
// points. The fit depends on the units and the origins of the features, because the initial weights, Rate and Alpha
// suit features of about 1. Standardize removes this dependence. If ctx is done, FitNetwork returns the best network so
// far with an error.
func FitNetwork(ctx context.Context, X mat.Matrix, y []int, opt *NetworkOptions) (*Network, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var o NetworkOptions
	if opt != nil {
		o = *opt
	}
	if err := inRange("FitNetwork", count("Hidden", o.Hidden), number("Alpha", o.Alpha), number("Rate", o.Rate),
		option{"Momentum", o.Momentum, o.Momentum < 1, "less than 1"}, count("Batch", o.Batch), count("Epochs", o.Epochs), count("Patience", o.Patience),
		option{"Activation", int(o.Activation), o.Activation >= 0 && o.Activation <= Tanh, "ReLU or Tanh"}); err != nil {
		return nil, err
	}
	D, K, err := checkLabeled("FitNetwork", X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	s, err := pointWeights("FitNetwork", o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	o.setDefaults()
	var V *mat.Dense
	vy := o.ValidY
	switch {
	case o.NoValidation:
	case o.ValidX != nil:
		if V, _, err = checkLabeled("FitNetwork: validation", o.ValidX, vy, K); err != nil {
			return nil, err
		}
	default:
		train, valid := StratifiedSplit(y, 0.1, o.Seed)
		if len(valid) == 0 {
			return nil, fmt.Errorf("classify: FitNetwork: %d points are too few to keep back a tenth of each class for validation", len(y))
		}
		V, vy = Rows(D, valid), Labels(y, valid)
		D, y = Rows(D, train), Labels(y, train)
		if s != nil {
			s = subset.Values(s, train)
		}
	}
	n, d := D.Dims()
	m := NewNetwork(d, o.Hidden, K, o.Activation, o.Seed)
	best := m
	lowest, since := math.Inf(1), 0
	step := newStepper(m, &o)
	rng := rand.New(rand.NewPCG(o.Seed, 0xba7c4))
	order := rng.Perm(n)
	var history, validation []float64
	finish := func(s ended.Status) *Network {
		if o.NoValidation {
			best = m
			best.Best = len(history)
		}
		best.Status, best.Epochs, best.History, best.Validation = s, len(history), history, validation
		return best
	}
	for epoch := 1; epoch <= o.Epochs; epoch++ {
		rng.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
		sum := 0.0
		for from := 0; from < n; from += o.Batch {
			idx := order[from:min(n, from+o.Batch)]
			var of []float64
			if s != nil {
				of = subset.Values(s, idx)
			}
			f, g, err := m.gradient(ctx, "FitNetwork", Rows(D, idx), Labels(y, idx), of, o.Alpha)
			if err != nil {
				return finish(ended.Interrupted), fmt.Errorf("classify: FitNetwork: %w in epoch %d", err, epoch)
			}
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return nil, fmt.Errorf("classify: FitNetwork: the objective is %v in epoch %d: choose a smaller Rate", f, epoch)
			}
			sum += f * float64(len(idx)) / float64(n)
			step(g)
		}
		history = append(history, sum)
		progress.Report(o.Recorder, progress.Event{What: "network", Step: epoch, Total: o.Epochs, Objective: sum})
		if V == nil {
			continue
		}
		_, _, Z, err := m.forward(ctx, "FitNetwork", V)
		if err != nil {
			return finish(ended.Interrupted), fmt.Errorf("classify: FitNetwork: %w in epoch %d", err, epoch)
		}
		e := ErrorRate(largest(Z), vy)
		validation = append(validation, e)
		if since++; e < lowest {
			lowest, since = e, 0
			best = m.clone()
			best.Best = epoch
		}
		if since >= o.Patience {
			return finish(ended.EarlyStop), nil
		}
	}
	return finish(ended.Done), nil
}

func (o *NetworkOptions) setDefaults() {
	if o.Hidden == 0 {
		o.Hidden = 100
	}
	if o.Momentum == 0 {
		o.Momentum = 0.9
	}
	o.Momentum = math.Max(o.Momentum, 0)
	if o.Rate == 0 {
		o.Rate = 0.001
		if o.SGD {
			o.Rate = 0.05
		}
	}
	if o.Batch == 0 {
		o.Batch = 100
	}
	if o.Epochs == 0 {
		o.Epochs = 100
	}
	if o.Patience == 0 {
		o.Patience = 10
	}
}

// newStepper returns a function that makes one descent step for m's weights, given the gradient g.
func newStepper(m *Network, o *NetworkOptions) func(g *Network) {
	theta := m.parameters()
	first, second := make([][]float64, len(theta)), make([][]float64, len(theta))
	for i, p := range theta {
		first[i], second[i] = make([]float64, len(p)), make([]float64, len(p))
	}
	if o.SGD {
		return func(g *Network) {
			for i, grad := range g.parameters() {
				v := first[i]
				for j, q := range grad {
					v[j] = o.Momentum*v[j] - o.Rate*q
				}
				floats.Add(theta[i], v)
			}
		}
	}
	const b1, b2, eps = 0.9, 0.999, 1e-8
	t := 0
	return func(g *Network) {
		t++
		rate := o.Rate * math.Sqrt(1-math.Pow(b2, float64(t))) / (1 - math.Pow(b1, float64(t)))
		for i, grad := range g.parameters() {
			m, v, p := first[i], second[i], theta[i]
			for j, q := range grad {
				m[j] = b1*m[j] + (1-b1)*q
				v[j] = b2*v[j] + (1-b2)*q*q
				p[j] -= rate * m[j] / (math.Sqrt(v[j]) + eps)
			}
		}
	}
}

// forward returns X as a dense matrix D (n×d), the hidden layer Hd (n×H) and the scores Z (n×K).
func (m *Network) forward(ctx context.Context, fn string, X mat.Matrix) (D, Hd, Z *mat.Dense, err error) {
	mustBeTrained(fn, m.W1)
	_, d := m.W1.Dims()
	D = input(fn, X, d)
	if Hd, err = affine(ctx, fn, D, m.W1, m.B1); err != nil {
		return nil, nil, nil, err
	}
	n, _ := Hd.Dims()
	for i := range n {
		h := Hd.RawRowView(i)
		for j, a := range h {
			if m.Activation == Tanh {
				h[j] = math.Tanh(a)
			} else {
				h[j] = math.Max(0, a)
			}
		}
	}
	Z = new(mat.Dense)
	Z.Mul(Hd, m.W2.T())
	for i := range n {
		floats.Add(Z.RawRowView(i), m.B2)
	}
	return D, Hd, Z, nil
}

// backward returns the mean cross entropy and its gradients: R (n×K) with respect to the scores, and A (n×H) with
// respect to a = W1 x + b1. Without weights, R is (P − Y)/n, where P holds the predicted probabilities and Y is 1 at
// the labels. D and Hd are the results of a call to forward. s holds the weights of the points, which multiply losses
// and gradients; nil means 1.
func (m *Network) backward(ctx context.Context, fn string, X mat.Matrix, y []int, s []float64) (loss float64, D, Hd, R, A *mat.Dense, err error) {
	if D, Hd, R, err = m.forward(ctx, fn, X); err != nil {
		return 0, nil, nil, nil, nil, err
	}
	n, K := R.Dims()
	checkLabels(fn, y, n, K)
	for i, c := range y {
		l := crossEntropy(R.RawRowView(i), c)
		if s != nil {
			l *= s[i]
			floats.Scale(s[i], R.RawRowView(i))
		}
		loss += l / float64(n)
	}
	R.Scale(1/float64(n), R)
	A = new(mat.Dense)
	A.Mul(R, m.W2) // n×K times K×H
	for i := range n {
		h := Hd.RawRowView(i)
		a := A.RawRowView(i)
		for j := range a {
			switch {
			case m.Activation == Tanh:
				a[j] *= 1 - h[j]*h[j]
			case h[j] <= 0:
				a[j] = 0
			}
		}
	}
	return loss, D, Hd, R, A, nil
}

// Gradient returns the objective, mean cross entropy + (α/2)(‖W1‖² + ‖W2‖²), on the rows of X (n×d) with
// labels y, and its gradient as a Network: W1 of the result is ∂f/∂W1, and so on. At a = 0 the derivative of
// ReLU is taken as 0.
func (m *Network) Gradient(X mat.Matrix, y []int, alpha float64) (f float64, g *Network) {
	f, g, _ = m.gradient(context.Background(), "Gradient", X, y, nil, alpha) // this context never ends
	return f, g
}

func (m *Network) gradient(ctx context.Context, fn string, X mat.Matrix, y []int, s []float64, alpha float64) (f float64, g *Network, err error) {
	f, D, Hd, R, A, err := m.backward(ctx, fn, X, y, s)
	if err != nil {
		return 0, nil, err
	}
	g = &Network{W1: new(mat.Dense), W2: new(mat.Dense), B1: columnSums(A), B2: columnSums(R), Activation: m.Activation}
	g.W2.Mul(R.T(), Hd)                                      // K×n times n×H
	if err := product.Mul(ctx, g.W1, A.T(), D); err != nil { // H×n times n×d
		return 0, nil, err
	}
	for _, w := range []struct{ W, G *mat.Dense }{{m.W1, g.W1}, {m.W2, g.W2}} {
		norm := mat.Norm(w.W, 2)
		f += alpha / 2 * norm * norm
		floats.AddScaled(w.G.RawMatrix().Data, alpha, w.W.RawMatrix().Data)
	}
	return f, g, nil
}

func columnSums(A *mat.Dense) []float64 {
	n, d := A.Dims()
	s := make([]float64, d)
	for i := range n {
		floats.Add(s, A.RawRowView(i))
	}
	return s
}

// InputGradient returns the mean cross entropy and its gradient with respect to the
// points, n×d; see Maxent.InputGradient.
func (m *Network) InputGradient(X mat.Matrix, y []int) (loss float64, dX *mat.Dense) {
	loss, _, _, _, A, _ := m.backward(context.Background(), "InputGradient", X, y, nil) // this context never ends
	dX = new(mat.Dense)
	dX.Mul(A, m.W1) // n×H times H×d
	return loss, dX
}

// Scores returns z for the rows of X (n×d): n×K.
func (m *Network) Scores(X mat.Matrix) *mat.Dense {
	_, _, Z, _ := m.forward(context.Background(), "Scores", X) // this context never ends
	return Z
}

// Probabilities returns P(y = k | x) for the rows of X (n×d): n×K.
func (m *Network) Probabilities(X mat.Matrix) *mat.Dense {
	P := m.Scores(X)
	softmaxRows(P)
	return P
}

// Predict returns the class with the largest probability for each row of X (n×d).
func (m *Network) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }
