package lectureattention

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/attention/attentionplot"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Heads draws the weights of three heads on the lecture's sentence, and checks
// the slide's formulas.
func (l *Lab) Heads() *figure.Grid {
	const d, number = 24, 3
	words, H := l.sentence(d)
	H = attention.WithPositions(H)
	heads := attention.NewHeads(number, d, l.Seed)
	out := must.Get(attention.MultiHead(H, heads, nil, nil))

	sums, apart := 0.0, 0.0
	var panels []*figure.Figure
	for i, h := range heads {
		for r := range words {
			sums = max(sums, math.Abs(mat.Sum(out.Alpha[i].RowView(r))-1))
		}
		alone := must.Get(attention.SelfAttention(H, h, nil)).A // n×d/3
		var diff mat.Dense
		diff.Sub(alone, out.A.Slice(0, len(words), i*d/number, (i+1)*d/number))
		apart = max(apart, maxAbs(&diff))
		panels = append(panels, attentionplot.Map(label("head %d", i+1), out.Alpha[i], words))
	}
	data := record.Generated("the lecture's sentence, random word vectors of width 24 with positions, 3 random heads")
	l.Row(record.Row{
		ID: "heads-weights-sum", What: "sum of the weights of each head and position: largest deviation from 1",
		Published: slides.Quote("α_{l,t,i} = exp(e_{l,t,i}) / Σ_t′ exp(e_{l,t′,i})", "Multi-head attention"),
		Measured:  record.Number(sums, ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: data, Figure: "heads",
	})
	l.Row(record.Row{
		ID: "heads-independent", What: "multi-head output minus the concatenation of separately computed heads: largest difference",
		Published: slides.Quote("full attention vector formed by concatenation … compute weights independently for each head", "Multi-head attention"),
		Measured:  record.Number(apart, ""), Rule: record.AtMost(1e-12), Repeat: 1e-12, Data: data, Figure: "heads",
	})
	l.Row(record.Row{
		ID: "heads-eight", What: "best number of heads in big models",
		Published: slides.Quote("around 8 heads seems to work pretty well for big models", "Multi-head attention"),
		Rule:      record.NoData("big models take days to train on many machines; the row ablation-heads compares one and four heads in a small model"),
	})
	g := figure.NewGrid("Three heads on one sentence", 3, panels...)
	l.Save("heads", "Weights of three random heads of width 8. Each head has its own queries and keys, so each looks at different words. The weights in a row sum to 1, so a head that looks at two words must divide its weight between them.",
		g.Size(2.6, 2.2))
	return g
}

// TrainedHeads trains a model to reverse sequences and draws what its heads attend to while it
// answers.
func (l *Lab) TrainedHeads() *figure.Grid {
	task := attention.Task{Kind: attention.Reverse, Digits: 6, Symbols: 10}
	steps := l.Pick(150, 600, 1200)
	m := must.Get(attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Length: task.Length(), Seed: l.Seed}))
	must.Get(train(l.Context(), m, task, steps, l.Seed))
	symbols, _, err := task.Accuracy(m, 200, l.Seed)
	lab.Check(err)

	question := []int{3, 1, 4, 1, 5, 9}
	seq := append(append(append([]int(nil), question...), task.Symbols), task.Answer(question)...)[:task.Length()]
	names := make([]string, len(seq))
	for i, k := range seq {
		names[i] = strconv.Itoa(k)
	}
	names[len(question)] = "|"
	maps := must.Get(m.Maps(seq))[0]
	// right is the largest weight that a head gives to the symbol to be written, averaged over the answer.
	right := 0.0
	for k := range question {
		at := len(question) + k       // this position writes symbol k of the answer
		from := len(question) - 1 - k // the symbol's position in the question
		best := 0.0
		for _, alpha := range maps {
			best = max(best, alpha.At(at, from))
		}
		right += best / float64(len(question))
	}
	l.Row(record.Row{
		ID: "heads-reverse-map", What: "model trained to reverse: largest weight of any head on the symbol to be written, mean over the answer",
		Measured: record.Number(right, ""), Rule: record.AtLeast(0.5), Repeat: 0.2, Figure: "trained-heads",
		Data:   record.Generated(label("3 1 4 1 5 9, model trained for %d steps, %.1f %% of symbols correct", steps, 100*symbols)),
		Reason: "uniform weights would give 0.08 to 0.14",
	})
	var panels []*figure.Figure
	for i, alpha := range maps {
		panels = append(panels, attentionplot.Map(label("head %d", i+1), alpha, names))
	}
	g := figure.NewGrid(label("A model that reverses: 3 1 4 1 5 9 | 9 5 1 4 1 3 (%.1f %% of symbols correct)", 100*symbols), 2, panels...)
	l.Save("trained-heads", "Weights of the four heads after training. Each row looks at the columns up to its own; masked columns are white. From the separator | on, each row writes the next symbol of the answer, which is one column further to the left each time: hence the diagonal from upper right to lower left.",
		g.Size(3, 2.6))
	return g
}
