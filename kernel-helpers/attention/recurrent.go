package attention

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// RecurrentConfig describes a recurrent network.
type RecurrentConfig struct {
	Vocabulary int  // number of different tokens
	Width      int  // width of the embeddings and of the state; 0 means 32
	Gated      bool // GRU instead of the plain network
	Seed       uint64
}

// A Recurrent is a recurrent network that predicts the next token, for comparison with a Transformer. It knows the
// past only through its state h_t. The plain network (J. Elman, 1990) is
//
//	h_t = tanh(W x_t + U h_{t−1} + b)
//
// where x_t is the embedding of token t. The gated network (GRU; K. Cho et al., 2014) is
//
//	z_t = σ(W_z x_t + U_z h_{t−1} + b_z)    r_t = σ(W_r x_t + U_r h_{t−1} + b_r)
//	h_t = (1 − z_t) ∘ h_{t−1} + z_t ∘ tanh(W_h x_t + U_h (r_t ∘ h_{t−1}) + b_h)
//
// where σ is the logistic function and ∘ is the elementwise product.
type Recurrent struct {
	RecurrentConfig // with the defaults filled in

	set        *tape.Set
	embed      *tape.Param // V×d
	w, b       *tape.Param // d×d, 1×d; gated: d×3d, 1×3d for z, r, h
	u, uh      *tape.Param // d×d, nil; gated: d×2d for z, r, and d×d for h
	wOut, bOut *tape.Param // d×V, 1×V
}

// NewRecurrent returns a network with random parameters. An invalid config is an error, and so is a config
// that needs more than MaxParameters parameters.
func NewRecurrent(c RecurrentConfig) (*Recurrent, error) {
	if c.Width == 0 {
		c.Width = 32
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("attention: NewRecurrent: %w", err)
	}
	d := c.Width
	s := tape.NewSet(c.Seed)
	m := &Recurrent{RecurrentConfig: c, set: s, embed: s.Normal("embedding", c.Vocabulary, d, 1)}
	if c.Gated {
		m.w, m.b = s.Glorot("W", d, 3*d), s.Zeros("b", 1, 3*d)
		m.u, m.uh = s.Glorot("U", d, 2*d), s.Glorot("Uh", d, d)
	} else {
		m.w, m.b = s.Glorot("W", d, d), s.Zeros("b", 1, d)
		m.u = s.Glorot("U", d, d)
	}
	m.wOut, m.bOut = s.Glorot("output.W", d, c.Vocabulary), s.Zeros("output.b", 1, c.Vocabulary)
	return m, nil
}

// check returns an error that says what is wrong with the config c. The defaults of c must already be filled
// in.
func (c *RecurrentConfig) check() error {
	if err := atLeast("vocabulary", c.Vocabulary, 2); err != nil {
		return err
	}
	if err := atLeast("width", c.Width, 1); err != nil {
		return err
	}
	return checkSize(c.parameters())
}

// parameters returns the number of parameters of the network that c describes.
func (c *RecurrentConfig) parameters() float64 {
	v, d := float64(c.Vocabulary), float64(c.Width)
	gates := 1.0
	if c.Gated {
		gates = 3
	}
	return 2*v*d + v + gates*(2*d*d+d)
}

// Params returns the parameters.
func (m *Recurrent) Params() []*tape.Param { return m.set.Params }

// GobEncode encodes the model for package gob, without the gradients of its parameters.
func (m *Recurrent) GobEncode() ([]byte, error) { return encode(m.RecurrentConfig, m) }

// GobDecode decodes what GobEncode has encoded.
func (m *Recurrent) GobDecode(b []byte) error {
	n, err := decode(b, NewRecurrent)
	if err == nil {
		*m = *n
	}
	return err
}

// Tokens returns the size of the vocabulary, and 0 as the length of the longest sequence, because sequences may have
// any length.
func (m *Recurrent) Tokens() (vocabulary, length int) { return m.Vocabulary, 0 }

// embedding returns the embeddings x_t of the tokens of B sequences. The rows are in order of time: row t·B+b is for
// token t of sequence b.
func (m *Recurrent) embedding(t *tape.Tape, seqs [][]int) *tape.Value {
	return t.Gather(t.Param(m.embed), anyToken(byTime(seqs)))
}

// states computes the states h_1 to h_n, each B×d, from the embeddings x and the first state h_0. The rows of x are in
// order of time, as in the result of a call to embedding. h is h_0; nil means zeros. hidden is the result of a call to
// padding: it marks positions at which the state does not change (h_t = h_{t−1}).
func (m *Recurrent) states(t *tape.Tape, x, h *tape.Value, B int, hidden [][]bool) []*tape.Value {
	d := m.Width
	rows, _ := x.Dims()
	if h == nil {
		h = t.Const(t.Matrix(B, d))
	}
	u := t.Param(m.u)
	var uh *tape.Value
	if m.Gated {
		uh = t.Param(m.uh)
	}
	input := t.Add(t.MatMul(x, t.Param(m.w)), t.Param(m.b)) // (n·B)×d · d×d or d×3d
	var hs []*tape.Value
	for at := 0; at < rows; at += B {
		in, before := t.SliceRows(input, at, at+B), h
		if m.Gated {
			gates := t.Sigmoid(t.Add(t.SliceCols(in, 0, 2*d), t.MatMul(h, u))) // B×d · d×2d
			z, r := t.SliceCols(gates, 0, d), t.SliceCols(gates, d, 2*d)
			c := t.Tanh(t.Add(t.SliceCols(in, 2*d, 3*d), t.MatMul(t.Mul(r, h), uh))) // B×d · d×d
			h = t.Add(h, t.Mul(z, t.Add(c, t.Scale(-1, h))))                         // h + z ∘ (c − h)
		} else {
			h = t.Tanh(t.Add(in, t.MatMul(h, u))) // B×d · d×d
		}
		if hidden != nil {
			keep := make([]int, B) // row numbers in h_t stacked on h_{t−1}
			for b := range keep {
				if keep[b] = b; hidden[b] != nil && hidden[b][at/B] {
					keep[b] = B + b
				}
			}
			h = t.Gather(t.ConcatRows(h, before), keep)
		}
		hs = append(hs, h)
	}
	return hs
}

func (m *Recurrent) output(t *tape.Tape, h *tape.Value) *tape.Value {
	return t.Add(t.MatMul(h, t.Param(m.wOut)), t.Param(m.bOut))
}

// Loss returns the mean cross-entropy of a batch's targets, 1×1, in nats.
func (m *Recurrent) Loss(t *tape.Tape, b Batch) (*tape.Value, error) {
	n, err := b.check(m)
	if err != nil {
		return nil, err
	}
	hs := m.states(t, m.embedding(t, b.Inputs), nil, len(b.Inputs), padding(b.Inputs))
	targets := byTime(b.Targets)
	// The output is computed only for time steps with a target.
	var with []*tape.Value
	var wanted []int
	for s := range n {
		part := targets[s*len(b.Inputs) : (s+1)*len(b.Inputs)]
		for _, k := range part {
			if k != Ignore {
				with, wanted = append(with, hs[s]), append(wanted, part...)
				break
			}
		}
	}
	return t.CrossEntropy(m.output(t, t.ConcatRows(with...)), wanted, Ignore), nil
}

// Logits computes the scores of the next token, (B·n)×V: row b·n+t has the scores after token t of sequence
// b. All sequences must have the same length.
func (m *Recurrent) Logits(seqs [][]int) (*mat.Dense, error) {
	n, err := checkTokens(m, "Logits", seqs)
	if err != nil {
		return nil, err
	}
	t := tape.New()
	B := len(seqs)
	hs := m.states(t, m.embedding(t, seqs), nil, B, padding(seqs))
	y := m.output(t, t.ConcatRows(hs...)).X // rows are in order of time
	out := mat.NewDense(B*n, m.Vocabulary, nil)
	for b := range B {
		for s := range n {
			copy(out.RawRowView(b*n+s), y.RawRowView(s*B+b))
		}
	}
	clearPadding(out, seqs)
	return out, nil
}

// Sensitivity returns ‖∂ℓ/∂x_t‖ for each position t; see Transformer.Sensitivity.
func (m *Recurrent) Sensitivity(seq []int, target int) ([]float64, error) {
	n, err := checkTokens(m, "Sensitivity", [][]int{seq})
	if err == nil {
		err = lastIsToken("Sensitivity", [][]int{seq})
	}
	if err != nil {
		return nil, err
	}
	t := tape.New()
	x := t.Input(m.embedding(t, [][]int{seq}).X)
	return lastGradient(t, x, m.output(t, m.states(t, x, nil, 1, padding([][]int{seq}))[n-1]), target)
}

// byTime lists the elements of sequences of the same length in order of time: the first elements of all sequences, then
// the second elements, and so on.
func byTime(seqs [][]int) []int {
	var out []int
	for s := range seqs[0] {
		for _, seq := range seqs {
			out = append(out, seq[s])
		}
	}
	return out
}
