package lectureattention

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/check"
	"overcomplete/paper/lab"
)

// init registers the exercises of the notebook, which a cell tries with check.Exercise.
func init() {
	for _, t := range []check.Task{
		{
			Name: "attention-1", Function: "bag", Signature: (func(H *mat.Dense, head attention.Head) []float64)(nil),
			Draw: drawSentence, Reference: bag, Points: 1,
			Hint: func(check.Case) string {
				return "No mask, no positions, no √d: the mean of the rows of SelfAttention's A, one number for each column, as many as Wv has."
			},
		},
		{
			Name: "attention-2", Function: "looksAt", Signature: (func(Q, K *mat.Dense, scaled bool) float64)(nil),
			Draw: drawQueries, Reference: looksAt, Tolerance: 1e-6, Points: 2,
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Scaled is %v. The entropy of each query's weights is averaged first; then comes exp. 0 log 0 is 0.", c.Args[2])
			},
		},
		{
			Name: "attention-3", Function: "previousWord", Signature: (func(d int) attention.Head)(nil),
			Draw: drawWidth, Reference: func(check.Case) any { return nil }, Agree: copiesPrevious, Points: 2,
			Hint: func(c check.Case) string {
				return fmt.Sprintf("The matrices are %d×%d: rows for the word above rows for the position. The query asks by position, sharply: each word but the first must arrive with an error of at most 5 %% of its length. The value hands over the word.", 2*c.Args[0].(int), c.Args[0])
			},
		},
		{
			Name: "attention-4", Function: "parameters", Signature: (func(V, d, m, L int) int)(nil),
			Draw: drawModelSize, Reference: parameters, Points: 1,
			Hint: func(check.Case) string {
				return "A block: four d×d matrices (W_q, W_k, W_v and the one that mixes the heads), the network with two biases, two normalisations. Around the blocks: embeddings, and the last layer with its bias."
			},
		},
		{
			Name: "attention-5", Function: "causal", Signature: (func(H *mat.Dense, head attention.Head) *mat.Dense)(nil),
			Draw: drawSentence, Reference: causal, Points: 2,
			Hint: func(check.Case) string {
				return "Divide by √d_k (the width of the queries and keys, which is not that of the values here), mask with −∞ before the softmax: the rows of weights must sum to 1."
			},
		},
		{
			Name: "attention-6", Function: "secondCopy", Signature: (func(c attention.Config, tokens []int) float64)(nil),
			Draw: drawTwice, Reference: secondCopy, Agree: sameGap, Points: 2,
			Hint: func(check.Case) string {
				return "Read the tokens alone, and then twice in a row. Row t of the first scores belongs beside row n + t of the second, the second half: the largest absolute difference."
			},
		},
	} {
		t.Notebook = Paper
		check.Register(t)
	}
}

// gaussian returns a matrix of independent normal numbers.
func gaussian(rng *rand.Rand, r, c int) *mat.Dense {
	X := mat.NewDense(r, c, nil)
	X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, X)
	return X
}

// drawSentence draws the case of two exercises: words in the rows, and a head narrower than they
// are.
func drawSentence(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, d, dk := 4+rng.IntN(4), 6+rng.IntN(4), 3+rng.IntN(2)
	return check.Case{
		Sizes: fmt.Sprintf("%d words of width %d, a head with keys of width %d and values of width %d", n, d, dk, dk+1),
		Args:  []any{gaussian(rng, n, d), attention.NewHead(d, dk, dk+1, seed)},
	}
}

func attend(c check.Case, o *attention.Options) *attention.Output {
	out, err := attention.SelfAttention(c.Args[0].(*mat.Dense), c.Args[1].(attention.Head), o)
	lab.Check(err)
	return out
}

func bag(c check.Case) any {
	A := attend(c, nil).A
	n, d := A.Dims()
	mean := make([]float64, d)
	for j := range mean {
		mean[j] = mat.Sum(A.ColView(j)) / float64(n)
	}
	return mean
}

func causal(c check.Case) any { return attend(c, &attention.Options{Causal: true, Scaled: true}).A }

func drawQueries(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	n, m, d, scaled := 5+rng.IntN(10), 4+rng.IntN(12), 2+rng.IntN(30), seed%2 == 0
	return check.Case{
		Sizes: fmt.Sprintf("%d queries, %d keys of width %d, scaled %v", n, m, d, scaled),
		Args:  []any{gaussian(rng, n, d), gaussian(rng, m, d), scaled},
	}
}

func looksAt(c check.Case) any {
	Q, K := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	n, _ := Q.Dims()
	m, _ := K.Dims()
	out, err := attention.Attend(Q, K, mat.NewDense(m, 1, nil), &attention.Options{Scaled: c.Args[2].(bool)})
	lab.Check(err)
	entropy := 0.0
	for l := range n {
		for _, a := range out.Alpha.RawRowView(l) {
			if a > 0 {
				entropy -= a * math.Log(a)
			}
		}
	}
	return math.Exp(entropy / float64(n))
}

func drawWidth(seed uint64) check.Case {
	d := 8 * (2 + int(seed%3))
	return check.Case{Sizes: fmt.Sprintf("d = %d", d), Args: []any{d}, Known: seed}
}

// copiesPrevious applies the head to random words: each position except the first must get the word
// before it, with a relative error of at most 0.05.
func copiesPrevious(c check.Case, got, _ any) bool {
	const n = 6
	d := c.Args[0].(int)
	H := gaussian(rand.New(rand.NewPCG(c.Known.(uint64), 3)), n, d)
	beside := mat.NewDense(n, 2*d, nil)
	beside.Slice(0, n, 0, d).(*mat.Dense).Copy(H)
	beside.Slice(0, n, d, 2*d).(*mat.Dense).Copy(attention.Sinusoid(n, d))
	out, err := attention.SelfAttention(beside, got.(attention.Head), &attention.Options{Causal: true})
	if err != nil {
		return false
	}
	for l := 1; l < n; l++ {
		var off mat.VecDense
		off.SubVec(out.A.RowView(l), H.RowView(l-1))
		if !(mat.Norm(&off, 2) <= 0.05*mat.Norm(H.RowView(l-1), 2)) {
			return false
		}
	}
	return true
}

func drawModelSize(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 4))
	V, d, m, L := 5+rng.IntN(100), 8*(1+rng.IntN(20)), 16+rng.IntN(500), 1+rng.IntN(6)
	return check.Case{Sizes: fmt.Sprintf("V = %d, d = %d, m = %d, L = %d", V, d, m, L), Args: []any{V, d, m, L}}
}

func parameters(c check.Case) any {
	V, d, m, L := c.Args[0].(int), c.Args[1].(int), c.Args[2].(int), c.Args[3].(int)
	block := 4*d*d + d*m + m + m*d + d + 2*2*d
	return V*d + L*block + d*V + V
}

func drawTwice(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 5))
	config := attention.Config{Vocabulary: 3, Width: 8, Heads: 2, Hidden: 8, Blocks: 2, Seed: seed, NoMask: seed%2 == 0}
	positions := "Sinusoidal"
	if rng.IntN(2) == 0 {
		config.Positions, positions = attention.NoPositions, "NoPositions"
	}
	tokens := make([]int, 3+rng.IntN(3))
	for i := range tokens {
		tokens[i] = i % 3
	}
	return check.Case{
		Sizes: fmt.Sprintf("%d tokens, Positions: attention.%s, NoMask: %v", len(tokens), positions, config.NoMask),
		Args:  []any{config, tokens},
	}
}

func secondCopy(c check.Case) any {
	tokens := c.Args[1].([]int)
	m, err := attention.NewTransformer(c.Args[0].(attention.Config))
	lab.Check(err)
	once, err := m.Logits([][]int{tokens})
	lab.Check(err)
	twice, err := m.Logits([][]int{append(append([]int{}, tokens...), tokens...)})
	lab.Check(err)
	n, vocabulary := once.Dims()
	var off mat.Dense
	off.Sub(twice.Slice(n, 2*n, 0, vocabulary), once)
	return max(mat.Max(&off), -mat.Min(&off))
}

// sameGap allows for rounding where the gap is 0.
func sameGap(_ check.Case, got, want any) bool {
	g, w := got.(float64), want.(float64)
	return math.Abs(g-w) <= 1e-9+1e-6*w
}
