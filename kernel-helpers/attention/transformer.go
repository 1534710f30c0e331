package attention

import (
	"encoding/gob"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/tape"
)

// Positions selects how a Transformer encodes the position of a token.
type Positions int

const (
	// Sinusoidal adds Sinusoid to the embeddings.
	Sinusoidal Positions = iota
	// NoPositions adds nothing.
	NoPositions
	// LearnedPositions adds a trained vector for each position.
	LearnedPositions
)

// Nonlinearity selects σ, the function between the two layers of a Transformer's position-wise network.
type Nonlinearity int

const (
	// ReLU is max(x, 0), as in Vaswani et al. 2017.
	ReLU Nonlinearity = iota
	// GELU is x Φ(x).
	GELU
	// Linear leaves out σ: the network is then a product of two matrices.
	Linear
)

// Config describes a Transformer. Vocabulary is required; the zero value of any other
// field means its default.
type Config struct {
	Vocabulary int // number of different tokens
	Length     int // longest sequence; 0 means 64
	Width      int // d; 0 means 32
	Heads      int // must divide Width; 0 means 4
	Blocks     int // 0 means 1
	Hidden     int // width inside the position-wise network; 0 means 2·Width
	Positions  Positions
	Nonlinear  Nonlinearity
	// NoMask lets every position see later positions. Training can then reach a small loss by looking at the answer.
	NoMask bool
	// Mask (Length×Length) applies in addition to the mask of later positions. It has −Inf where a position may not see
	// another, and 0 elsewhere. nil adds no mask. Padding in sequences is masked in any case.
	Mask mat.Matrix
	// Unscaled leaves out the division of the scores q·k by √dk, where dk is Width/Heads. The lecture
	// mentioned in the package comment leaves it out too.
	Unscaled bool
	// PreNorm normalizes the input of each layer and the final output. Without PreNorm, normalization comes after each
	// residual sum, as in the original paper.
	PreNorm bool
	// Seed determines the initial parameters.
	Seed uint64
}

// A Transformer is a language model: the decoder half of Vaswani et al. 2017, used alone. It adds position vectors to
// the embedded tokens, and passes the sums through blocks of masked multi-head attention and a position-wise network,
// each with a residual connection and layer normalization. A linear layer and a softmax then give the distribution of
// the next token.
type Transformer struct {
	Config // with the defaults filled in

	set              *tape.Set
	embed, positions *tape.Param // V×d, Length×d or nil
	blocks           []block
	last             norm        // only with PreNorm
	wOut, bOut       *tape.Param // d×V, 1×V
	pe               *mat.Dense  // Sinusoid(Length, d)
	mask             *mat.Dense  // Config.Mask, or nil
}

type norm struct{ gamma, beta *tape.Param } // 1×d

type block struct {
	wq, wk, wv, wo *tape.Param // d×d
	w1, b1         *tape.Param // d×hidden, 1×hidden
	w2, b2         *tape.Param // hidden×d, 1×d
	norm1, norm2   norm
}

// NewTransformer returns a model with random parameters. An invalid Config is an error, and so is a Config
// that needs more than MaxParameters parameters.
func NewTransformer(c Config) (*Transformer, error) {
	for _, f := range []struct {
		v   *int
		def int
	}{{&c.Length, 64}, {&c.Width, 32}, {&c.Heads, 4}, {&c.Blocks, 1}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if c.Hidden == 0 {
		c.Hidden = 2 * c.Width
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("attention: NewTransformer: %w", err)
	}
	var mask *mat.Dense
	if !given.Nil(c.Mask) {
		var err error
		if mask, err = checkMask("NewTransformer", c.Mask, c.Length, c.Length); err != nil {
			return nil, err
		}
		mask = mat.DenseCopyOf(mask)
	}
	d := c.Width
	s := tape.NewSet(c.Seed)
	m := &Transformer{Config: c, mask: mask, set: s, embed: s.Normal("embedding", c.Vocabulary, d, 1)}
	switch c.Positions {
	case Sinusoidal:
		m.pe = Sinusoid(c.Length, d)
	case LearnedPositions:
		m.positions = s.Normal("positions", c.Length, d, 0.5)
	}
	newNorm := func(name string) norm { return norm{s.Ones(name+".gamma", 1, d), s.Zeros(name+".beta", 1, d)} }
	for b := range c.Blocks {
		at := func(name string) string { return fmt.Sprintf("block%d.%s", b+1, name) }
		m.blocks = append(m.blocks, block{
			wq: s.Glorot(at("Wq"), d, d), wk: s.Glorot(at("Wk"), d, d), wv: s.Glorot(at("Wv"), d, d), wo: s.Glorot(at("Wo"), d, d),
			w1: s.Glorot(at("W1"), d, c.Hidden), b1: s.Zeros(at("b1"), 1, c.Hidden),
			w2: s.Glorot(at("W2"), c.Hidden, d), b2: s.Zeros(at("b2"), 1, d),
			norm1: newNorm(at("norm1")), norm2: newNorm(at("norm2")),
		})
	}
	if c.PreNorm {
		m.last = newNorm("norm")
	}
	m.wOut, m.bOut = s.Glorot("output.W", d, c.Vocabulary), s.Zeros("output.b", 1, c.Vocabulary)
	return m, nil
}

// MaxParameters is the largest number of parameters of a model. The parameters,
// their gradients and Adam's two moments then take 4 GiB.
const MaxParameters = 1 << 27

// maxBlocks is the largest number of blocks. It is limited because each block has twelve matrices, even if
// Width is small.
const maxBlocks = 1024

// check returns an error that says what is wrong with the Config c. The defaults of c must already be filled
// in.
func (c *Config) check() error {
	if err := atLeast("vocabulary", c.Vocabulary, 2); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		v    int
	}{{"length", c.Length}, {"width", c.Width}, {"heads", c.Heads}, {"blocks", c.Blocks}, {"hidden", c.Hidden}} {
		if err := atLeast(f.name, f.v, 1); err != nil {
			return err
		}
	}
	if c.Blocks > maxBlocks {
		return fmt.Errorf("blocks %d is more than %d", c.Blocks, maxBlocks)
	}
	if c.Width%c.Heads != 0 {
		return fmt.Errorf("heads %d does not divide width %d", c.Heads, c.Width)
	}
	if c.Positions < Sinusoidal || c.Positions > LearnedPositions {
		return fmt.Errorf("unknown positions %d", c.Positions)
	}
	if c.Nonlinear < ReLU || c.Nonlinear > Linear {
		return fmt.Errorf("unknown nonlinearity %d", c.Nonlinear)
	}
	return checkSize(c.parameters())
}

// parameters returns the number of parameters that the model will have. The result is a float64, because the count may
// exceed the largest int.
func (c *Config) parameters() float64 {
	v, d, hidden := float64(c.Vocabulary), float64(c.Width), float64(c.Hidden)
	block := 4*d*d + 2*d*hidden + hidden + 5*d
	table := 0.0
	if c.Positions != NoPositions { // a table of sinusoids takes memory, too
		table = float64(c.Length) * d
	}
	last := 0.0
	if c.PreNorm {
		last = 2 * d
	}
	return 2*v*d + v + table + float64(c.Blocks)*block + last
}

func atLeast(name string, v, least int) error {
	if v < least {
		return fmt.Errorf("%s %d is less than %d", name, v, least)
	}
	return nil
}

// checkSize returns an error if a model with that many parameters is too large. Call it before allocating memory.
func checkSize(parameters float64) error {
	if parameters > MaxParameters {
		return fmt.Errorf("%.4g parameters, at most %d are allowed", parameters, MaxParameters)
	}
	return nil
}

// Params returns the parameters in the order in which forward uses them.
func (m *Transformer) Params() []*tape.Param { return m.set.Params }

// GobEncode encodes the model for package gob, without the gradients of its parameters.
func (m *Transformer) GobEncode() ([]byte, error) {
	c := m.Config
	c.Mask = nil
	if m.mask != nil {
		c.Mask = m.mask
	}
	return encode(c, m)
}

// GobDecode decodes what GobEncode has encoded.
func (m *Transformer) GobDecode(b []byte) error {
	n, err := decode(b, NewTransformer)
	if err == nil {
		*m = *n
	}
	return err
}

// Package encoding/gob needs to know what the field Config.Mask may hold.
func init() { gob.Register(&mat.Dense{}) }

// Tokens returns the size of the vocabulary and the length of the longest sequence.
func (m *Transformer) Tokens() (vocabulary, length int) { return m.Vocabulary, m.Length }

// embedding returns the embedded tokens x_t of B sequences of length n, stacked: (B·n)×d.
func (m *Transformer) embedding(t *tape.Tape, seqs [][]int) *tape.Value {
	return t.Gather(t.Param(m.embed), anyToken(flatten(seqs)))
}

// forward returns the logits (B·n)×V for the embedded tokens x (B·n)×d of B sequences of length n, and the attention
// weights of each block: n×n matrices, with the heads of one sequence adjacent. hidden is the result of a call to
// padding: it marks the positions that are Padding.
func (m *Transformer) forward(t *tape.Tape, x *tape.Value, n int, hidden [][]bool) (logits *tape.Value, weights [][]*mat.Dense) {
	h := x
	switch m.Positions { // h_t = x_t + p_t
	case Sinusoidal:
		h = t.Add(h, t.Const(m.stackEncodings(t, x, n)))
	case LearnedPositions:
		rows, _ := x.Dims()
		index := make([]int, rows)
		for r := range index {
			index[r] = r % n
		}
		h = t.Add(h, t.Gather(t.Param(m.positions), index))
	}
	var mask *mat.Dense
	if m.mask != nil {
		mask = m.mask.Slice(0, n, 0, n).(*mat.Dense)
	}
	for _, b := range m.blocks {
		var alpha []*mat.Dense
		attention := func(h *tape.Value) *tape.Value {
			q, k, v := t.MatMul(h, t.Param(b.wq)), t.MatMul(h, t.Param(b.wk)), t.MatMul(h, t.Param(b.wv)) // (B·n)×d · d×d
			var a *tape.Value
			a, alpha = attendHeads(t, q, k, v, n, m.Heads, Options{Causal: !m.NoMask, Scaled: !m.Unscaled}, mask, hidden)
			return t.MatMul(a, t.Param(b.wo)) // (B·n)×d · d×d
		}
		network := func(h *tape.Value) *tape.Value {
			z := m.sigma(t, t.Add(t.MatMul(h, t.Param(b.w1)), t.Param(b.b1))) // (B·n)×hidden
			return t.Add(t.MatMul(z, t.Param(b.w2)), t.Param(b.b2))           // (B·n)×d
		}
		if m.PreNorm {
			h = t.Add(h, attention(b.norm1.apply(t, h)))
			h = t.Add(h, network(b.norm2.apply(t, h)))
		} else {
			h = b.norm1.apply(t, t.Add(h, attention(h)))
			h = b.norm2.apply(t, t.Add(h, network(h)))
		}
		weights = append(weights, alpha)
	}
	if m.PreNorm {
		h = m.last.apply(t, h)
	}
	return t.Add(t.MatMul(h, t.Param(m.wOut)), t.Param(m.bOut)), weights // (B·n)×d · d×V
}

// stackEncodings returns the encodings of positions 0 to n−1, repeated once per sequence so that the result
// has the shape of x.
func (m *Transformer) stackEncodings(t *tape.Tape, x *tape.Value, n int) *mat.Dense {
	rows, d := x.Dims()
	p := t.Matrix(rows, d)
	for r := range rows {
		copy(p.RawRowView(r), m.pe.RawRowView(r%n))
	}
	return p
}

func (n norm) apply(t *tape.Tape, h *tape.Value) *tape.Value {
	return t.LayerNorm(h, t.Param(n.gamma), t.Param(n.beta))
}

func (m *Transformer) sigma(t *tape.Tape, z *tape.Value) *tape.Value {
	switch m.Nonlinear {
	case ReLU:
		return t.ReLU(z)
	case GELU:
		return t.GELU(z)
	}
	return z
}

// Loss returns the mean cross-entropy of a batch's targets, 1×1, in nats.
func (m *Transformer) Loss(t *tape.Tape, b Batch) (*tape.Value, error) {
	n, err := b.check(m)
	if err != nil {
		return nil, err
	}
	logits, _ := m.forward(t, m.embedding(t, b.Inputs), n, padding(b.Inputs))
	return t.CrossEntropy(logits, flatten(b.Targets), Ignore), nil
}

// Logits computes the scores of the next token, (B·n)×V: row b·n+t has the scores after token t of sequence
// b. All sequences must have the same length.
func (m *Transformer) Logits(seqs [][]int) (*mat.Dense, error) {
	n, err := checkTokens(m, "Logits", seqs)
	if err != nil {
		return nil, err
	}
	t := tape.New()
	logits, _ := m.forward(t, m.embedding(t, seqs), n, padding(seqs))
	clearPadding(logits.X, seqs)
	return logits.X, nil
}

// Maps returns the attention weights α for one sequence; element [block][head] is n×n, with a row for each query. The
// columns of positions that are Padding are 0, because no query sees them. The rows of these positions mean nothing.
func (m *Transformer) Maps(seq []int) ([][]*mat.Dense, error) {
	if _, err := checkTokens(m, "Maps", [][]int{seq}); err != nil {
		return nil, err
	}
	t := tape.New()
	_, maps := m.forward(t, m.embedding(t, [][]int{seq}), len(seq), padding([][]int{seq}))
	return maps, nil
}

// Sensitivity returns ‖∂ℓ/∂x_t‖ for each position t of a sequence, where x_t is the embedded token at position t, and ℓ
// is the cross-entropy of predicting the given token after the last token. It measures how well the last output can
// learn from position t.
func (m *Transformer) Sensitivity(seq []int, target int) ([]float64, error) {
	n, err := checkTokens(m, "Sensitivity", [][]int{seq})
	if err == nil {
		err = lastIsToken("Sensitivity", [][]int{seq})
	}
	if err != nil {
		return nil, err
	}
	t := tape.New()
	x := t.Input(m.embedding(t, [][]int{seq}).X)
	logits, _ := m.forward(t, x, n, padding([][]int{seq}))
	return lastGradient(t, x, t.SliceRows(logits, n-1, n), target)
}

// lastGradient returns ‖∂ℓ/∂x_t‖ for each row x_t of x, where ℓ is the cross-entropy of the given token for the logits
// (1×V).
func lastGradient(t *tape.Tape, x, logits *tape.Value, target int) ([]float64, error) {
	if _, v := logits.Dims(); target < 0 || target >= v {
		return nil, fmt.Errorf("attention: Sensitivity: target %d, the vocabulary has %d", target, v)
	}
	t.Backward(t.CrossEntropy(logits, []int{target}, Ignore))
	n, _ := x.Dims()
	norms := make([]float64, n)
	for r := range norms {
		norms[r] = mat.Norm(x.Grad.RowView(r), 2)
	}
	return norms, nil
}
