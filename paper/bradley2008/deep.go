package bradley2008

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/tape"
)

// deepOptions are the options of trainDeep.
type deepOptions struct {
	hidden  [2]int
	classes int
	alpha   float64 // α of the penalty (α/2) Σ ‖W‖², as in classify.Network
	epochs  int
	seed    uint64
}

// A deepNetwork has two hidden layers of rectified units and a softmax: the 3-layer network
// of table 4. (classify.Network, used for table 3, has one hidden layer.)
type deepNetwork struct{ W, b [3]*tape.Param }

// trainDeep trains a network on the rows of X (n×d), whose labels are y, by Adam with minibatches of 100. A tenth of
// the points is held out. As classify.FitNetwork does, trainDeep keeps the weights of the epoch with the fewest errors
// on the held-out points.
func trainDeep(ctx context.Context, X mat.Matrix, y []int, o deepOptions) (*deepNetwork, error) {
	_, d := X.Dims()
	train, held := classify.StratifiedSplit(y, 0.1, o.seed)
	V, yv := classify.Rows(X, held), classify.Labels(y, held)
	set := tape.NewSet(o.seed)
	m := &deepNetwork{}
	sizes := [4]int{d, o.hidden[0], o.hidden[1], o.classes}
	for i := range m.W {
		m.W[i] = set.Glorot(fmt.Sprint("W", i), sizes[i], sizes[i+1])
		m.b[i] = set.Zeros(fmt.Sprint("b", i), 1, sizes[i+1])
	}
	rng := rand.New(rand.NewPCG(o.seed, 0x64656570))
	adam := &tape.Adam{Rate: 1e-3}
	best, kept, t := 2., &deepNetwork{}, tape.New()
	const batch, patience = 100, 10
	last := 0
	for epoch := range o.epochs {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		for at := 0; at < len(train); at += batch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			of := train[at:min(at+batch, len(train))]
			t.Reset()
			z := m.scores(t, t.Const(classify.Rows(X, of)))
			t.Backward(t.CrossEntropy(z, classify.Labels(y, of), -1))
			for _, w := range m.W {
				var penalty mat.Dense
				penalty.Scale(o.alpha, w.X)
				w.Grad.Add(w.Grad, &penalty)
			}
			adam.Step(set.Params)
		}
		if e := classify.ErrorRate(m.Predict(V), yv); e < best {
			best, last = e, epoch
			for i := range m.W {
				kept.W[i] = &tape.Param{X: mat.DenseCopyOf(m.W[i].X)}
				kept.b[i] = &tape.Param{X: mat.DenseCopyOf(m.b[i].X)}
			}
		} else if epoch-last >= patience {
			break
		}
	}
	return kept, nil
}

// scores returns z = W2' max(0, W1' max(0, W0'x + b0) + b1) + b2, one point per row.
func (m *deepNetwork) scores(t *tape.Tape, x *tape.Value) *tape.Value {
	for i := range m.W {
		x = t.Add(t.MatMul(x, t.Param(m.W[i])), t.Param(m.b[i]))
		if i < len(m.W)-1 {
			x = t.ReLU(x)
		}
	}
	return x
}

// Predict returns the class with the largest score for each row of X.
func (m *deepNetwork) Predict(X mat.Matrix) []int {
	n, _ := X.Dims()
	out := make([]int, n)
	const part = 1000
	for from := 0; from < n; from += part {
		of := ints(from, min(from+part, n))
		t := tape.New()
		z := m.scores(t, t.Const(classify.Rows(X, of))).X
		for i := range of {
			out[from+i] = floats.MaxIdx(z.RawRowView(i))
		}
	}
	return out
}
