package lectureattention

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/check"
	"overcomplete/paper/lab"
)

// init registers the exercises of the notebook, whose cells call check.Exercise.
func init() {
	for _, t := range []check.Task{
		{
			Name: "attention-1", Function: "bag", Signature: (func(H *mat.Dense, head attention.Head) []float64)(nil),
			Draw: drawSentence, Reference: bag, Points: 1,
			Nudges: [2]string{
				"How many numbers does one word have at the output, and over what is the mean taken?",
				"Attend first, then average: the mean is over the words, so one number remains for each column.",
			},
			Mistakes: []check.Mistake{
				{Says: "These are sums over the words, and not means.", Result: func(c check.Case) any { return columnMeans(attend(c, nil).A, 1) }},
				{Says: "These outputs are masked: without a mask each word also sees the later ones.", Result: func(c check.Case) any { return meanOf(attend(c, &attention.Options{Causal: true})) }},
				{Says: "These scores are divided by √d: this exercise has no options at all.", Result: func(c check.Case) any { return meanOf(attend(c, &attention.Options{Scaled: true})) }},
				{Says: "Positions are added to the words here: without them the mean does not know the order.", Result: func(c check.Case) any {
					return meanOf(attend(check.Case{Args: []any{attention.WithPositions(c.Args[0].(*mat.Dense)), c.Args[1]}}, nil))
				}},
				{Says: "This is the mean of the input: the words have not attended to each other.", Result: func(c check.Case) any {
					H := c.Args[0].(*mat.Dense)
					n, _ := H.Dims()
					return columnMeans(H, float64(n))
				}},
			},
			Hint: func(check.Case) string {
				return "No mask, no positions, no √d: the mean of the rows of SelfAttention's A, one number for each column, as many as Wv has."
			},
		},
		{
			Name: "attention-2", Function: "looksAt", Signature: (func(Q, K *mat.Dense, scaled bool) float64)(nil),
			Draw: drawQueries, Reference: looksAt, Tolerance: 1e-6, Points: 2,
			Nudges: [2]string{
				"A uniform choice of k positions must give k. Does yours?",
				"The entropy of each row of weights, their mean over the queries, and only then the exponential.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the mean entropy itself: its exponential is a number of positions.", Result: func(c check.Case) any { return mean(entropies(c, c.Args[2].(bool))) }},
				{Says: "The exponential comes before the mean here: average the entropies first.", Result: func(c check.Case) any {
					h := entropies(c, c.Args[2].(bool))
					for i, x := range h {
						h[i] = math.Exp(x)
					}
					return mean(h)
				}},
				{Says: "These weights are always scaled: the third argument decides.", Result: func(c check.Case) any { return math.Exp(mean(entropies(c, true))) }},
				{Says: "These weights are never scaled: the third argument decides.", Result: func(c check.Case) any { return math.Exp(mean(entropies(c, false))) }},
				{Says: "The sum of the entropies has taken the place of their mean.", Result: func(c check.Case) any {
					h := entropies(c, c.Args[2].(bool))
					return math.Exp(float64(len(h)) * mean(h))
				}},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("Scaled is %v. The entropy of each query's weights is averaged first; then comes exp. 0 log 0 is 0.", c.Args[2])
			},
		},
		{
			Name: "attention-3", Function: "previousWord", Signature: (func(d int) attention.Head)(nil),
			Draw: drawWidth, Reference: func(check.Case) any { return nil }, Agree: copiesPrevious, Points: 2,
			Nudges: [2]string{
				"At which position should word l look, and which half of [h, PE] knows where it is?",
				"The query is the position turned back by one, the key the position as it is, and the value the word. One product is hardly larger than the next: how do you make the softmax decide?",
			},
			Mistakes: []check.Mistake{
				{Says: "Word l looks at itself: turn the position of the query back by one.", Result: func(c check.Case) any { return copier(c, 0, 20) }},
				{Says: "The right position is only slightly preferred: the scores must be larger, so that the softmax decides.", Result: func(c check.Case) any { return copier(c, -1, 1) }},
			},
			Hint: func(c check.Case) string {
				return fmt.Sprintf("The matrices are %d×%d: rows for the word above rows for the position. The query asks by position, sharply: each word but the first must arrive with an error of at most 5 %% of its length. The value hands over the word.", 2*c.Args[0].(int), c.Args[0])
			},
		},
		{
			Name: "attention-4", Function: "parameters", Signature: (func(V, d, m, L int) int)(nil),
			Draw: drawModelSize, Reference: parameters, Points: 1,
			Nudges: [2]string{
				"Which matrices does one block have, and what stands before and after the blocks?",
				"Three lists: the embedding; one block, times L; the last layer. Which of their parts have biases?",
			},
			Mistakes: []check.Mistake{
				{Says: "The biases are missing.", Result: func(c check.Case) any {
					return count(c, func(V, d, m, L int) int { return V*d + L*(4*d*d+2*d*m+4*d) + d*V })
				}},
				{Says: "This is a model of one block: L is not used.", Result: func(c check.Case) any {
					return count(c, func(V, d, m, L int) int { return 2*V*d + V + 4*d*d + 2*d*m + m + 5*d })
				}},
				{Says: "The normalizations are missing: they have parameters too.", Result: func(c check.Case) any {
					return count(c, func(V, d, m, L int) int { return 2*V*d + V + L*(4*d*d+2*d*m+m+d) })
				}},
				{Says: "The matrix that mixes the heads is missing.", Result: func(c check.Case) any {
					return count(c, func(V, d, m, L int) int { return 2*V*d + V + L*(3*d*d+2*d*m+m+5*d) })
				}},
				{Says: "The last layer is missing: it is not the transposed embedding here.", Result: func(c check.Case) any {
					return count(c, func(V, d, m, L int) int { return V*d + L*(4*d*d+2*d*m+m+5*d) })
				}},
				{Says: "The biases and the normalizations are missing.", Result: func(c check.Case) any { return count(c, func(V, d, m, L int) int { return 2*V*d + L*(4*d*d+2*d*m) }) }},
			},
			Hint: func(check.Case) string {
				return "A block: four d×d matrices (W_q, W_k, W_v and the one that mixes the heads), the network with two biases, two normalizations. Around the blocks: embeddings, and the last layer with its bias."
			},
		},
		{
			Name: "attention-5", Function: "causal", Signature: (func(H *mat.Dense, head attention.Head) *mat.Dense)(nil),
			Draw: drawSentence, Reference: causal, Points: 2,
			Empty: func(c check.Case) any { return c.Args[0] },
			Nudges: [2]string{
				"What do the weights of a row sum to, once the later ones are 0?",
				"The later positions must be out of the game before the softmax shares out the weight.",
			},
			Mistakes: []check.Mistake{
				{Says: "This is the leak itself: the weights are set to 0 after the softmax, so their rows do not sum to 1.", Result: leak},
				{Says: "There is no mask: each word sees the later ones.", Result: func(c check.Case) any { return attend(c, &attention.Options{Scaled: true}).A }},
				{Says: "The scores are not divided by √d_k.", Result: func(c check.Case) any { return attend(c, &attention.Options{Causal: true}).A }},
				{Says: "The scores are divided by the root of the width of the words, and not of the keys.", Result: func(c check.Case) any {
					_, d := c.Args[0].(*mat.Dense).Dims()
					return scaledBy(c, math.Sqrt(float64(d)))
				}},
				{Says: "The scores are divided by the root of the width of the values, and not of the keys.", Result: func(c check.Case) any {
					_, dv := c.Args[1].(attention.Head).Wv.Dims()
					return scaledBy(c, math.Sqrt(float64(dv)))
				}},
			},
			Hint: func(check.Case) string {
				return "Divide by √d_k (the width of the queries and keys, not that of the values), mask with −∞ before the softmax: the rows of weights must sum to 1."
			},
		},
		{
			Name: "attention-6", Function: "secondCopy", Signature: (func(c attention.Config, tokens []int) float64)(nil),
			Draw: drawTwice, Reference: secondCopy, Agree: sameGap, Points: 2,
			Empty: func(check.Case) any { return -1.0 },
			Nudges: [2]string{
				"How many rows of scores do the tokens have, read twice in a row?",
				"Only the last rows of the second reading count; compare each with one row of the first.",
			},
			Mistakes: []check.Mistake{
				{Says: "This compares the first copy, and not the second.", Result: func(c check.Case) any { return copyGap(c, false) }},
				{Says: "The largest difference is taken without absolute values here.", Result: func(c check.Case) any { return mat.Max(copies(c, true)) }},
				{Says: "This sums the differences, and does not take the largest.", Result: func(c check.Case) any {
					sum := 0.0
					for _, x := range copies(c, true).RawMatrix().Data {
						sum += math.Abs(x)
					}
					return sum
				}},
			},
			Hint: func(check.Case) string {
				return "Read the tokens once, and then twice in a row. Row t of the first scores belongs beside row n + t of the second, the second half: the largest absolute difference."
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

// drawSentence returns a case for two exercises: a matrix with a word in each row, and a head that is narrower than
// the words.
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

func bag(c check.Case) any { return meanOf(attend(c, nil)) }

// meanOf returns the mean of the output's rows.
func meanOf(out *attention.Output) []float64 {
	n, _ := out.A.Dims()
	return columnMeans(out.A, float64(n))
}

// columnMeans returns the sums of A's columns, each divided by n.
func columnMeans(A *mat.Dense, n float64) []float64 {
	_, d := A.Dims()
	out := make([]float64, d)
	for j := range out {
		out[j] = mat.Sum(A.ColView(j)) / n
	}
	return out
}

func causal(c check.Case) any { return attend(c, &attention.Options{Causal: true, Scaled: true}).A }

// leak returns the result of a mistake: attention computed without the mask, with the weights of later positions set
// to 0 only after the softmax.
func leak(c check.Case) any {
	out := attend(c, &attention.Options{Scaled: true})
	out.Alpha.Apply(func(l, t int, a float64) float64 {
		if t > l {
			return 0
		}
		return a
	}, out.Alpha)
	var V, A mat.Dense
	V.Mul(c.Args[0].(*mat.Dense), c.Args[1].(attention.Head).Wv)
	A.Mul(out.Alpha, &V)
	return &A
}

// scaledBy returns the result of causal attention, with the scores divided by the given divisor.
func scaledBy(c check.Case, divisor float64) *mat.Dense {
	head := c.Args[1].(attention.Head)
	head.Wq = mat.DenseCopyOf(head.Wq)
	head.Wq.Scale(1/divisor, head.Wq)
	return attend(check.Case{Args: []any{c.Args[0], head}}, &attention.Options{Causal: true}).A
}

func drawQueries(seed uint64) check.Case {
	rng := rand.New(rand.NewPCG(seed, 2))
	n, m, d, scaled := 5+rng.IntN(10), 4+rng.IntN(12), 2+rng.IntN(30), seed%2 == 0
	return check.Case{
		Sizes: fmt.Sprintf("%d queries, %d keys of width %d, scaled %v", n, m, d, scaled),
		Args:  []any{gaussian(rng, n, d), gaussian(rng, m, d), scaled},
	}
}

func looksAt(c check.Case) any { return math.Exp(mean(entropies(c, c.Args[2].(bool)))) }

// entropies returns the entropy, in nats, of each query's attention weights.
func entropies(c check.Case, scaled bool) []float64 {
	Q, K := c.Args[0].(*mat.Dense), c.Args[1].(*mat.Dense)
	n, _ := Q.Dims()
	m, _ := K.Dims()
	out, err := attention.Attend(Q, K, mat.NewDense(m, 1, nil), &attention.Options{Scaled: scaled})
	lab.Check(err)
	h := make([]float64, n)
	for l := range n {
		for _, a := range out.Alpha.RawRowView(l) {
			if a > 0 {
				h[l] -= a * math.Log(a)
			}
		}
	}
	return h
}

func mean(x []float64) float64 { return floats.Sum(x) / float64(len(x)) }

func drawWidth(seed uint64) check.Case {
	d := 8 * (2 + int(seed%3))
	return check.Case{Sizes: fmt.Sprintf("d = %d", d), Args: []any{d}, Known: seed}
}

// copier returns a head that copies words. Its query is the positional encoding, shifted by the given number of
// positions, and multiplied by sharp. Its key is the positional encoding, and its value is the word.
func copier(c check.Case, shift int, sharp float64) attention.Head {
	d := c.Args[0].(int)
	h := attention.Head{Wq: mat.NewDense(2*d, d, nil), Wk: mat.NewDense(2*d, d, nil), Wv: mat.NewDense(2*d, d, nil)}
	back := attention.Shift(shift, d)
	for i := range d {
		for j := range d {
			h.Wq.Set(d+i, j, sharp*back.At(i, j))
		}
		h.Wk.Set(d+i, i, 1)
		h.Wv.Set(i, i, 1)
	}
	return h
}

// copiesPrevious reports whether the head copies previous words. It applies the head to random words: each position
// except the first must get the word before it, with a relative error of at most 0.05.
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
	return count(c, func(V, d, m, L int) int {
		block := 4*d*d + d*m + m + m*d + d + 2*2*d
		return V*d + L*block + d*V + V
	})
}

// count returns the formula's value for the sizes of the case.
func count(c check.Case, formula func(V, d, m, L int) int) int {
	return formula(c.Args[0].(int), c.Args[1].(int), c.Args[2].(int), c.Args[3].(int))
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

func secondCopy(c check.Case) any { return copyGap(c, true) }

// copyGap returns the largest absolute difference of scores in the result of copies(c, second).
func copyGap(c check.Case, second bool) float64 {
	off := copies(c, second)
	return max(mat.Max(off), -mat.Min(off))
}

// copies returns how a model's scores differ if it reads the same tokens twice in a row instead of once: the scores at
// the first copy, or at the second copy if second is true, minus the scores for the tokens read once.
func copies(c check.Case, second bool) *mat.Dense {
	tokens := c.Args[1].([]int)
	m, err := attention.NewTransformer(c.Args[0].(attention.Config))
	lab.Check(err)
	once, err := m.Logits([][]int{tokens})
	lab.Check(err)
	twice, err := m.Logits([][]int{append(append([]int{}, tokens...), tokens...)})
	lab.Check(err)
	n, vocabulary := once.Dims()
	from := 0
	if second {
		from = n
	}
	var off mat.Dense
	off.Sub(twice.Slice(from, from+n, 0, vocabulary), once)
	return &off
}

// sameGap reports whether two results of copyGap are equal up to rounding, even if want is 0.
func sameGap(_ check.Case, got, want any) bool {
	g, w := got.(float64), want.(float64)
	return math.Abs(g-w) <= 1e-9+1e-6*w
}
