package lectureattention

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/attention/attentionplot"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// WordOrder applies self-attention to the words of the lecture's sentence in the slide's four orders, with and without
// positional encodings, and measures whether the order matters.
func (l *Lab) WordOrder() *figure.Grid {
	const d = 16
	words, H := l.sentence(d)
	head := attention.NewHead(d, d, d, l.Seed)
	plain := selfAttention(head, nil)
	placed := func(H *mat.Dense) *mat.Dense { return plain(attention.WithPositions(H)) }
	masked := selfAttention(head, &attention.Options{Causal: true})

	// The slide's three other orders of the words.
	var orders [][]int
	for _, s := range []string{"a pie hit me with he", "a hit with me he pie", "he pie me with a hit"} {
		var perm []int
		for _, w := range strings.Fields(s) {
			perm = append(perm, slices.Index(words, w))
		}
		orders = append(orders, perm)
	}
	gap := func(f attention.Layer) float64 {
		worst := 0.0
		for _, perm := range orders {
			worst = max(worst, attention.PermutationGap(f, H, perm))
		}
		return worst / maxAbs(f(H))
	}
	data := record.Generated("the lecture's sentence in its four orders, random word vectors of width 16")
	l.Row(record.Row{
		ID: "order-equivariant", What: "self-attention of the permuted sentence minus permuted self-attention: largest difference, relative to the output",
		Published: slides.Quote("Permutation Equivariant!", "Positional encoding: what is the order?"),
		Measured:  record.Number(gap(plain), ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: data, Figure: "word-order",
		Reason: "not exactly 0 because the terms of the sums are added in a different order",
	})
	l.Row(record.Row{
		ID: "order-positions", What: "the same with positional encodings: the order matters",
		Published: slides.Quote("Idea: add \"positional\" information, i.e. that indicates where it is in the sequence!", "Positional encoding: what is the order?"),
		Measured:  record.Number(gap(placed), ""), Rule: record.AtLeast(0.01), Data: data, Figure: "word-order",
	})
	l.Row(record.Row{
		ID: "order-mask", What: "the same with a causal mask and no positional encodings: the order matters too",
		Measured: record.Number(gap(masked), ""), Rule: record.AtLeast(0.01), Data: data,
		Reason: "each position sees different words, namely those up to it; the lecture introduces positional encodings before the mask and does not return to this",
	})

	scrambled := orders[2]
	other := make([]string, len(words))
	for i, p := range scrambled {
		other[i] = words[p]
	}
	weights := func(title string, H *mat.Dense, names []string) *figure.Figure {
		return attentionplot.Map(title, must.Get(attention.SelfAttention(H, head, nil)).Alpha, names)
	}
	S := attention.Permute(H, scrambled)
	g := figure.NewGrid("Attention weights in a six-word sentence", 2,
		weights("Original order", H, words), weights("Other order: same weights, moved", S, other),
		weights("Original order, with positions", attention.WithPositions(H), words), weights("Other order, with positions", attention.WithPositions(S), other))
	l.Save("word-order", "Weights α of one random head. Rows: the word that looks (query); columns: the word looked at (key). Top: a word looks at the same words wherever they stand (compare the row \"pie\"). Bottom, with positional encodings: it does not.",
		g.Size(3, 2.7))
	return g
}

// Encodings draws the sinusoidal positional encodings, and the similarity of pairs of positions.
func (l *Lab) Encodings() *figure.Grid {
	const n, d = 48, 48
	pe := attention.Sinusoid(n, d)
	picture := figure.HeatmapIn("Encodings", pe, -1, 1, figure.Diverging)
	picture.X.Label.Text, picture.Y.Label.Text = "dimension", "position"

	alike := figure.New("PE(pos) · PE(pos′)", "pos′", "")
	x := make([]float64, n)
	for pos := range n {
		x[pos] = float64(pos)
	}
	for _, at := range []int{4, 16, 36} {
		y := make([]float64, n)
		for pos := range n {
			y[pos] = mat.Dot(pe.RowView(at), pe.RowView(pos))
		}
		alike.Lines(label("pos = %d", at), x, y)
	}

	worst := 0.0
	for k := 1; k <= 16; k++ {
		var moved, diff mat.Dense
		moved.Mul(pe, attention.Shift(k, d)) // n×d · d×d
		diff.Sub(moved.Slice(0, n-k, 0, d), pe.Slice(k, n, 0, d))
		worst = max(worst, maxAbs(&diff))
	}
	l.Row(record.Row{
		ID: "positions-shift", What: "one matrix for each k moves all encodings by k positions, k = 1 to 16: largest error",
		Published: record.Text("for any fixed offset k, PE_{pos+k} can be represented as a linear function of PE_pos", "Vaswani et al. 2017, section 3.5"),
		Measured:  record.Number(worst, ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: record.Generated("encodings of 48 positions, width 48"), Figure: "encodings",
	})
	g := figure.NewGrid("Sinusoidal positional encodings", 2, picture, alike)
	l.Save("encodings", "Left: each pair of columns (sine and cosine) is like a clock hand, fast on the left, slow on the right. Right: the inner product of two encodings depends only on their distance and is largest at distance 0, so a query can ask for \"near position 16\".",
		g.Size(3.1, 3))
	return g
}
