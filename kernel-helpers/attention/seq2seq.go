package attention

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// Seq2SeqConfig describes an encoder and a decoder.
type Seq2SeqConfig struct {
	Vocabulary int // number of different tokens, including the separator
	// Separator is the token that ends the encoder's input. For a Task, it is Task.Symbols.
	Separator int
	Width     int  // width of the embeddings and of the states; 0 means 24
	Attention bool // let the decoder see all states of the encoder
	Seed      uint64
}

// A Seq2Seq is a pair of recurrent networks (GRUs, see Recurrent). The encoder reads the m tokens before the
// separator; its states are h_1 … h_m. The decoder starts in the encoder's last state, s_0 = h_m, and reads the
// separator and the tokens after it; its states are s_1, s_2, …. From each state it predicts the next token:
//
//	logits_t = W_o s_t + b_o
//
// (I. Sutskever, O. Vinyals and Q. V. Le, NIPS 2014; K. Cho et al., EMNLP 2014). All that the decoder knows about the
// encoder's input is in s_0. With attention, the decoder looks at all states of the encoder at each step,
//
//	e_tj = s_t · W_a h_j    α_tj = exp(e_tj)/Σ_k exp(e_tk)    c_t = Σ_j α_tj h_j
//	logits_t = W_o tanh(W_c (s_t, c_t) + b_c) + b_o
//
// (D. Bahdanau, K. Cho and Y. Bengio, ICLR 2015, in the form of M.-T. Luong, H. Pham and C. D. Manning, EMNLP 2015).
type Seq2Seq struct {
	Seq2SeqConfig // with the defaults filled in

	set              *tape.Set
	encoder, decoder *Recurrent   // only their embedding and states are used
	wa, wc, bc       *tape.Param  // d×d, 2d×d, 1×d; nil without attention
	wOut, bOut       *tape.Param  // d×V, 1×V
	alpha            []*mat.Dense // weights of the last forward pass, one matrix per sequence
}

// NewSeq2Seq returns an encoder and a decoder with random parameters. An invalid config is an error, and so
// is a config that needs more than MaxParameters parameters.
func NewSeq2Seq(c Seq2SeqConfig) (*Seq2Seq, error) {
	if c.Width == 0 {
		c.Width = 24
	}
	one := RecurrentConfig{Vocabulary: c.Vocabulary, Width: c.Width, Gated: true, Seed: c.Seed}
	if err := one.check(); err != nil {
		return nil, fmt.Errorf("attention: NewSeq2Seq: %w", err)
	}
	if err := checkSize(2*one.parameters() + 3*float64(c.Width)*float64(c.Width+1)); err != nil {
		return nil, fmt.Errorf("attention: NewSeq2Seq: %w", err)
	}
	if c.Separator < 0 || c.Separator >= c.Vocabulary {
		return nil, fmt.Errorf("attention: NewSeq2Seq: Separator is %d, the vocabulary has %d tokens", c.Separator, c.Vocabulary)
	}
	d := c.Width
	s := tape.NewSet(c.Seed)
	m := &Seq2Seq{Seq2SeqConfig: c, set: s}
	cell := func(name string) *Recurrent {
		r := &Recurrent{RecurrentConfig: one, set: s}
		r.w, r.b = s.Glorot(name+".W", d, 3*d), s.Zeros(name+".b", 1, 3*d)
		r.u, r.uh = s.Glorot(name+".U", d, 2*d), s.Glorot(name+".Uh", d, d)
		return r
	}
	embed := s.Normal("embedding", c.Vocabulary, d, 1)
	m.encoder, m.decoder = cell("encoder"), cell("decoder")
	m.encoder.embed, m.decoder.embed = embed, embed
	if c.Attention {
		m.wa = s.Glorot("attention.W", d, d)
		m.wc, m.bc = s.Glorot("context.W", 2*d, d), s.Zeros("context.b", 1, d)
	}
	m.wOut, m.bOut = s.Glorot("output.W", d, c.Vocabulary), s.Zeros("output.b", 1, c.Vocabulary)
	return m, nil
}

// Params returns the parameters.
func (m *Seq2Seq) Params() []*tape.Param { return m.set.Params }

// GobEncode encodes the model for package gob, without the gradients of its parameters.
func (m *Seq2Seq) GobEncode() ([]byte, error) { return encode(m.Seq2SeqConfig, m) }

// GobDecode decodes what GobEncode has encoded.
func (m *Seq2Seq) GobDecode(b []byte) error {
	n, err := decode(b, NewSeq2Seq)
	if err == nil {
		*m = *n
	}
	return err
}

// Tokens returns the size of the vocabulary, and 0 as the length of the longest sequence, because sequences may have
// any length.
func (m *Seq2Seq) Tokens() (vocabulary, length int) { return m.Vocabulary, 0 }

// separatorIndex returns the position of the separator, which must be the same in all sequences.
func (m *Seq2Seq) separatorIndex(fn string, seqs [][]int) (int, error) {
	at := slices.Index(seqs[0], m.Separator)
	if at < 1 {
		return 0, fmt.Errorf("attention: Seq2Seq.%s: sequence 0 has no separator %d after a question", fn, m.Separator)
	}
	for i, s := range seqs {
		if j := slices.Index(s, m.Separator); j != at {
			return 0, fmt.Errorf("attention: Seq2Seq.%s: the separator is at place %d of sequence 0 and at %d of sequence %d; they must agree (-1: none)", fn, at, j, i)
		}
	}
	return at, nil
}

// forward computes the logits at the k positions from the separator to the end, (B·k)×V: row b·k+t is step t of the
// decoder in sequence b. cut is the separator's position. With attention, forward also stores the weights in m.alpha.
func (m *Seq2Seq) forward(t *tape.Tape, seqs [][]int, cut int) (logits *tape.Value) {
	B, k := len(seqs), len(seqs[0])-cut
	parts := func(from, to int) [][]int {
		var out [][]int
		for _, s := range seqs {
			out = append(out, s[from:to])
		}
		return out
	}
	question, answer := parts(0, cut), parts(cut, cut+k)
	h := m.encoder.states(t, m.encoder.embedding(t, question), nil, B, padding(question))  // cut times B×d
	s := m.decoder.states(t, m.decoder.embedding(t, answer), h[cut-1], B, padding(answer)) // k times B×d
	states := t.Gather(t.ConcatRows(s...), bySequence(B, k))                               // (B·k)×d
	if m.Attention {
		keys := t.Gather(t.ConcatRows(h...), bySequence(B, cut)) // (B·cut)×d
		var context *tape.Value
		context, m.alpha = attendHeads(t, t.MatMul(states, t.Param(m.wa)), keys, keys, k, 1, Options{}, nil, padding(question))
		states = t.Tanh(t.Add(t.MatMul(t.ConcatCols(states, context), t.Param(m.wc)), t.Param(m.bc))) // (B·k)×2d · 2d×d
	}
	return t.Add(t.MatMul(states, t.Param(m.wOut)), t.Param(m.bOut))
}

// bySequence returns the row numbers with which tape.Gather reorders rows from order of time (row t·B+b) to order
// of sequence (row b·n+t).
func bySequence(B, n int) []int {
	var out []int
	for b := range B {
		for t := range n {
			out = append(out, t*B+b)
		}
	}
	return out
}

// Loss returns the mean cross-entropy of a batch's targets, 1×1, in nats. Targets before
// the separator, where there are no predictions, must be Ignore.
func (m *Seq2Seq) Loss(t *tape.Tape, b Batch) (*tape.Value, error) {
	if _, err := b.check(m); err != nil {
		return nil, err
	}
	cut, err := m.separatorIndex("Loss", b.Inputs)
	if err != nil {
		return nil, err
	}
	var wanted []int
	for i, row := range b.Targets {
		for j, k := range row[:cut] {
			if k != Ignore {
				return nil, fmt.Errorf("attention: Seq2Seq.Loss: sequence %d has a target at place %d, before the separator", i, j)
			}
		}
		wanted = append(wanted, row[cut:]...)
	}
	return t.CrossEntropy(m.forward(t, b.Inputs, cut), wanted, Ignore), nil
}

// Logits computes the scores of the next token, (B·n)×V: row b·n+t has the scores after token t of sequence b. Rows
// before the separator are 0. All sequences must have the same length, with the separator at the same position.
func (m *Seq2Seq) Logits(seqs [][]int) (*mat.Dense, error) {
	n, err := checkTokens(m, "Logits", seqs)
	if err != nil {
		return nil, err
	}
	cut, err := m.separatorIndex("Logits", seqs)
	if err != nil {
		return nil, err
	}
	y := m.forward(tape.New(), seqs, cut).X
	out := mat.NewDense(len(seqs)*n, m.Vocabulary, nil)
	for b := range seqs {
		for s := range n - cut {
			copy(out.RawRowView(b*n+cut+s), y.RawRowView(b*(n-cut)+s))
		}
	}
	clearPadding(out, seqs)
	return out, nil
}

// Map returns the weights α of one sequence: row t is the decoder's step t, and column j the encoder's state j. Without
// attention, it returns nil.
func (m *Seq2Seq) Map(seq []int) (*mat.Dense, error) {
	if _, err := m.Logits([][]int{seq}); err != nil || !m.Attention {
		return nil, err
	}
	return mat.DenseCopyOf(m.alpha[0]), nil
}
