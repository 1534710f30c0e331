package attention

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/ui/progress"
)

// Ignore marks a target that does not count in the loss.
const Ignore = -1

// A Batch is the training data of one step. Inputs are sequences of the same length, padded with Padding. Targets
// holds, for each position, the token that should come next, or Ignore.
type Batch struct{ Inputs, Targets [][]int }

// A Model predicts the next token. *Transformer, *Recurrent and *Seq2Seq are Models.
type Model interface {
	// Params returns the parameters that training changes.
	Params() []*tape.Param
	// Tokens returns the size of the vocabulary and the length of the longest
	// sequence; a length of 0 means no limit.
	Tokens() (vocabulary, length int)
	// Loss records the mean cross-entropy of a batch, 1×1, on a tape.
	Loss(t *tape.Tape, b Batch) (*tape.Value, error)
	// Logits computes the scores of the next token after each position, (B·n)×V.
	Logits(seqs [][]int) (*mat.Dense, error)
}

// encode returns, for package gob, the config of a model and the values of its parameters.
func encode(config any, m Model) ([]byte, error) {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	err := e.Encode(config)
	for _, p := range m.Params() {
		if err == nil {
			err = e.Encode(p.X)
		}
	}
	return b.Bytes(), err
}

// decode decodes what encode has encoded. build returns the model with a config.
func decode[C any, M Model](b []byte, build func(C) (M, error)) (m M, err error) {
	d := gob.NewDecoder(bytes.NewReader(b))
	var config C
	if err = d.Decode(&config); err != nil {
		return m, fmt.Errorf("attention: GobDecode: %w", err)
	}
	if m, err = build(config); err != nil {
		return m, err
	}
	for _, p := range m.Params() {
		var X mat.Dense
		if err := d.Decode(&X); err != nil {
			return m, fmt.Errorf("attention: GobDecode: parameter %s: %w", p.Name, err)
		}
		r, c := p.X.Dims()
		if xr, xc := X.Dims(); xr != r || xc != c {
			return m, fmt.Errorf("attention: GobDecode: parameter %s is %d×%d, must be %d×%d", p.Name, xr, xc, r, c)
		}
		p.X.Copy(&X)
	}
	return m, nil
}

// FitOptions controls Fit. nil and the zero value mean the defaults.
type FitOptions struct {
	Steps int // 0 means 500
	// Rate is the peak step size of Adam. The step size rises to Rate over the first tenth of the steps and
	// then falls to Rate/20 at the end. 0 means 0.005.
	Rate float64
	// Clip bounds the norm of the gradient. 0 means 1, negative means no bound.
	Clip     float64
	What     string // the name of the training in progress events; "" means "train"
	Recorder progress.Recorder
}

// FitResult reports how training went; the model itself holds the parameters.
type FitResult struct {
	Status  ended.Status
	Steps   int       // number of steps made
	History []float64 // loss of each step's batch before the step, nats per target
}

// String returns a one-line summary.
func (r *FitResult) String() string {
	if len(r.History) == 0 {
		return fmt.Sprintf("no step made (%v)", r.Status)
	}
	return fmt.Sprintf("loss %.4g nats per target at the last of %d steps (%v)", r.History[len(r.History)-1], r.Steps, r.Status)
}

// Final returns the mean loss of the last tenth of the steps.
func (r *FitResult) Final() float64 {
	n := len(r.History)
	if n == 0 {
		return math.NaN()
	}
	s, from := 0.0, n-max(1, n/10)
	for _, v := range r.History[from:] {
		s += v / float64(n-from)
	}
	return s
}

// Fit trains the model m: it changes the parameters to minimize the cross-entropy of batches, by Adam. draw(step)
// returns the batch for a step; the first step is 0. Fit returns the result so far with an error if the context is
// done, if the model cannot use a batch, or if the loss is not finite. For invalid options it returns only an error.
// Fit panics if m or draw is nil.
func Fit(ctx context.Context, m Model, draw func(step int) Batch, opt *FitOptions) (*FitResult, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	mustHaveModel("Fit", m)
	if draw == nil {
		panic("attention: Fit: draw is nil")
	}
	var o FitOptions
	if opt != nil {
		o = *opt
	}
	if o.Steps == 0 {
		o.Steps = 500
	}
	if o.Rate == 0 {
		o.Rate = 0.005
	}
	if o.Clip == 0 {
		o.Clip = 1
	}
	if o.What == "" {
		o.What = "train"
	}
	if o.Steps < 0 || !(o.Rate > 0) || math.IsInf(o.Rate, 0) || math.IsNaN(o.Clip) {
		return nil, fmt.Errorf("attention: Fit: %d steps, rate %v, clip %v", o.Steps, o.Rate, o.Clip)
	}
	res := &FitResult{Status: ended.Done}
	adam := &tape.Adam{}
	params := m.Params()
	tape.Zero(params)
	t := tape.New()
	interrupted := func(step int) (*FitResult, error) {
		tape.Zero(params)
		res.Status = ended.Interrupted
		return res, fmt.Errorf("attention: Fit: after %d steps: %w", step, ctx.Err())
	}
	for step := range o.Steps {
		if ctx.Err() != nil {
			return interrupted(step)
		}
		batch := draw(step)
		t.Reset()
		var l float64
		var err error
		stop := t.Until(ctx, func() {
			var loss *tape.Value
			if loss, err = m.Loss(t, batch); err != nil {
				return
			}
			if l = loss.Scalar(); finite.Is(l) {
				t.Backward(loss)
			}
		})
		if stop != nil {
			return interrupted(step)
		}
		if err != nil {
			res.Status = ended.Failed
			return res, fmt.Errorf("attention: Fit: step %d: %w", step, err)
		}
		if !finite.Is(l) {
			res.Status = ended.Diverged
			return res, fmt.Errorf("attention: Fit: the loss of step %d is %v", step, l)
		}
		res.History = append(res.History, l)
		progress.Report(o.Recorder, progress.Event{What: o.What, Step: step, Total: o.Steps, Objective: l})
		if o.Clip > 0 {
			tape.Clip(params, o.Clip)
		}
		adam.Rate = o.Rate * schedule(step, o.Steps)
		adam.Step(params)
		res.Steps++
	}
	if ctx.Err() != nil {
		return interrupted(res.Steps)
	}
	return res, nil
}

// schedule returns the factor by which Fit multiplies the peak step size. It rises linearly to 1 over the first tenth
// of the steps, and then falls linearly toward 1/20.
func schedule(step, steps int) float64 {
	warm := max(1, steps/10)
	if step < warm {
		return float64(step+1) / float64(warm)
	}
	return 1 - 0.95*float64(step-warm)/float64(max(1, steps-warm))
}

// Continue extends each prompt by k tokens, and returns these k tokens for each prompt. Each new token is the most
// probable next token (greedy generation). All prompts must have the same length; pad shorter prompts with Padding at
// the beginning. The model sees only the tokens before the one it predicts.
func Continue(m Model, prompts [][]int, k int) ([][]int, error) {
	n, err := checkTokens(m, "Continue", prompts)
	if err == nil {
		err = lastIsToken("Continue", prompts)
	}
	if err != nil {
		return nil, err
	}
	vocabulary, length := m.Tokens()
	if k < 0 || length > 0 && n+k-1 > length {
		return nil, fmt.Errorf("attention: Continue: %d tokens after a prompt of %d exceed the longest sequence, %d", k, n, length)
	}
	seqs, made := make([][]int, len(prompts)), make([][]int, len(prompts))
	for b, p := range prompts {
		seqs[b] = append(make([]int, 0, n+k), p...)
	}
	for range k {
		logits, err := m.Logits(seqs)
		if err != nil {
			return nil, err
		}
		n := len(seqs[0])
		for b := range seqs {
			best, row := 0, logits.RawRowView(b*n+n-1)
			for c := range vocabulary {
				if row[c] > row[best] {
					best = c
				}
			}
			seqs[b], made[b] = append(seqs[b], best), append(made[b], best)
		}
	}
	return made, nil
}

// check returns the length of the batch's sequences, and an error if the model cannot use the batch.
func (b Batch) check(m Model) (int, error) {
	n, err := checkTokens(m, "Batch", b.Inputs)
	if err != nil {
		return 0, err
	}
	if len(b.Targets) != len(b.Inputs) {
		return 0, fmt.Errorf("attention: Batch: %d sequences, %d lists of targets", len(b.Inputs), len(b.Targets))
	}
	vocabulary, _ := m.Tokens()
	count := 0
	for i, list := range b.Targets {
		if len(list) != n {
			return 0, fmt.Errorf("attention: Batch: sequence %d has %d tokens and %d targets", i, n, len(list))
		}
		for t, k := range list {
			if k != Ignore && (k < 0 || k >= vocabulary) {
				return 0, fmt.Errorf("attention: Batch: target %d of sequence %d is %d, the vocabulary has %d", t, i, k, vocabulary)
			}
			if k != Ignore {
				if b.Inputs[i][t] == Padding {
					return 0, fmt.Errorf("attention: Batch: target %d of sequence %d is %d, must be Ignore because its input is Padding", t, i, k)
				}
				count++
			}
		}
	}
	if count == 0 {
		return 0, fmt.Errorf("attention: Batch: every target is Ignore")
	}
	return n, nil
}

// checkTokens returns the common length of the sequences, and an error if the model cannot use them.
func checkTokens(m Model, fn string, seqs [][]int) (int, error) {
	mustHaveModel(fn, m)
	vocabulary, length := m.Tokens()
	if len(seqs) == 0 || len(seqs[0]) == 0 {
		return 0, fmt.Errorf("attention: %s: no tokens", fn)
	}
	n := len(seqs[0])
	if length > 0 && n > length {
		return 0, fmt.Errorf("attention: %s: a sequence of %d tokens, the longest is %d", fn, n, length)
	}
	for i, s := range seqs {
		if len(s) != n {
			return 0, fmt.Errorf("attention: %s: sequence 0 has %d tokens, sequence %d has %d", fn, n, i, len(s))
		}
		tokens := 0
		for t, k := range s {
			if k == Padding {
				continue
			}
			tokens++
			if k < 0 || k >= vocabulary {
				return 0, fmt.Errorf("attention: %s: token %d of sequence %d is %d, the vocabulary has %d", fn, t, i, k, vocabulary)
			}
		}
		if tokens == 0 {
			return 0, fmt.Errorf("attention: %s: sequence %d is nothing but Padding", fn, i)
		}
	}
	if t, ok := m.(*Transformer); ok { // the forward pass keeps the weights of all heads
		heads := float64(len(seqs)) * float64(t.Blocks) * float64(t.Heads)
		if err := ram.Check(fmt.Sprintf("the weights of %.0f heads of %d tokens", heads, n), 8*heads*float64(n)*float64(n)); err != nil {
			return 0, fmt.Errorf("attention: %s: %w", fn, err)
		}
	}
	return n, nil
}

// lastIsToken returns an error if a sequence ends with Padding.
func lastIsToken(fn string, seqs [][]int) error {
	for i, s := range seqs {
		if s[len(s)-1] == Padding {
			return fmt.Errorf("attention: %s: sequence %d ends with Padding, which has no next token: put it first", fn, i)
		}
	}
	return nil
}

// mustHaveModel panics if m is nil.
func mustHaveModel(fn string, m Model) {
	missing := m == nil
	switch m := m.(type) {
	case *Transformer:
		missing = m == nil
	case *Recurrent:
		missing = m == nil
	case *Seq2Seq:
		missing = m == nil
	}
	if missing {
		panic("attention: " + fn + ": the model is nil")
	}
}

func flatten(seqs [][]int) []int {
	var out []int
	for _, s := range seqs {
		out = append(out, s...)
	}
	return out
}
