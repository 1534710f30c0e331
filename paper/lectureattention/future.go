package lectureattention

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/attention/attentionplot"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Future changes each input in turn and measures which outputs change, with and
// without the mask.
func (l *Lab) Future() *figure.Grid {
	const d = 16
	words, H := l.sentence(d)
	H = attention.WithPositions(H)
	head := attention.NewHead(d, d, d, l.Seed)
	open, masked := selfAttention(head, nil), selfAttention(head, &attention.Options{Causal: true})
	leak, none := attention.FutureLeak(open, H, 0.5), attention.FutureLeak(masked, H, 0.5)

	data := record.Generated("the lecture's sentence, random word vectors of width 16 with positions, a change of 0.5")
	const title = "Self-attention can see the future!"
	l.Row(record.Row{
		ID: "future-leak", What: "without the mask: largest change of any output when a later input changes",
		Published: slides.Quote("Step 1 can look at future values (hence inputs)", title),
		Measured:  record.Number(leak, ""), Rule: record.AtLeast(0.01), Data: data, Figure: "future",
	})
	l.Row(record.Row{
		ID: "future-mask", What: "with the mask, e_{l,t} = −∞ for t > l: the same change (must be exactly 0)",
		Published: slides.Quote("Solution: e_{l,t} = q_l · k_t if t ≤ l, −∞ otherwise", title),
		Measured:  record.Number(none, ""), Rule: record.AtMost(0), Data: data, Figure: "future",
	})
	// Test the whole model, two blocks deep: no logit before a changed token may change.
	m := must.Get(attention.NewTransformer(attention.Config{Vocabulary: 10, Blocks: 2, Seed: l.Seed}))
	worst := 0.0
	for t := 1; t < 8; t++ {
		seq := []int{3, 1, 4, 1, 5, 9, 2, 6}
		before := must.Get(m.Logits([][]int{seq}))
		seq[t] = (seq[t] + 1) % 10
		after := must.Get(m.Logits([][]int{seq}))
		var diff mat.Dense
		diff.Sub(after.Slice(0, t, 0, 10), before.Slice(0, t, 0, 10))
		worst = max(worst, maxAbs(&diff))
	}
	l.Row(record.Row{
		ID: "future-mask-model", What: "full two-block model with the mask: largest change of any logit before the changed token",
		Measured: record.Number(worst, ""), Rule: record.AtMost(0), Data: record.Generated("3 1 4 1 5 9 2 6, each token changed in turn, random parameters"),
	})
	a, b := attention.Influence(open, H, 0.5), attention.Influence(masked, H, 0.5)
	hi := max(maxAbs(a), maxAbs(b))
	a.Scale(1/hi, a)
	b.Scale(1/hi, b)
	g := figure.NewGrid("Effect of each input on each output", 2,
		attentionplot.Map("no mask", a, words), attentionplot.Map("with the mask", b, words))
	l.Save("future", "Rows: outputs; columns: the input that was changed. Dark: large change; both panels are divided by the same number, the largest change in either. Right of the diagonal is the influence of later inputs. With the mask it is exactly 0.",
		g.Size(3, 2.5))
	return g
}

// A Writer holds the results of one of the two language models that the experiment Cheating trains.
type Writer struct {
	Model        string
	TrainingLoss float64 // nats per letter at the end of training
	NextLetter   float64 // % right when only the past can be seen
	Writes       string  // what it writes after "this is the "
}

// A CheatReport holds the results of Cheating.
type CheatReport struct {
	Writers []Writer
	fig     *figure.Figure
}

// Figure returns a plot of the losses during training.
func (r *CheatReport) Figure() *figure.Figure { return r.fig }

// Cheating trains two language models of letters, one with the mask and one without it, and lets both write text.
func (l *Lab) Cheating() *CheatReport {
	text := must.Get(NewText(Rhyme))
	steps, n := l.Pick(100, 600, 1500), l.Pick(24, 48, 48)
	const prompt = "this is the "
	rep := &CheatReport{Writers: make([]Writer, 2)}
	history := make([][]float64, 2)
	names := []string{"with the mask", "without the mask"}
	ctx := l.Context()
	lab.Parallel(ctx, 2, func(i int) {
		m := must.Get(attention.NewTransformer(attention.Config{Vocabulary: len(text.Letters), Length: n, NoMask: i == 1, Seed: l.Seed}))
		r := must.Get(attention.Fit(ctx, m, func(step int) attention.Batch { return text.Batch(8, n, l.Seed, step) }, &attention.FitOptions{Steps: steps, Rate: 0.01}))
		// Predict the next letter after half a window.
		test := text.Batch(200, n/2, l.Seed, -1)
		next := must.Get(attention.Continue(m, test.Inputs, 1))
		right := 0
		for k := range next {
			if next[k][0] == test.Targets[k][n/2-1] {
				right++
			}
		}
		start := must.Get(text.Encode(prompt))
		out := must.Get(attention.Continue(m, [][]int{start}, n-len(start)))
		history[i] = r.History
		rep.Writers[i] = Writer{names[i], r.Final(), 100 * float64(right) / float64(len(next)), text.Decode(out[0])}
	})
	mask, open := rep.Writers[0], rep.Writers[1]

	const title = "Self-attention can see the future!"
	data := record.Real(label("The House That Jack Built, %d letters; %d steps, windows of %d", len(text.Tokens), steps, n))
	l.Row(record.Row{
		ID: "cheat-loss", What: "training loss without the mask, nats per letter",
		Published: slides.Quote("output 1 depends on input 2 which depends on output 1. So it can see itself, thereby \"cheating\"", title),
		Measured:  record.Number(open.TrainingLoss, "nats"), Rule: record.AtMost(0.2).Partly(1), Repeat: 0.3, Data: data, Figure: "cheating",
		Reason: label("uniform guessing costs %.2f nats; each target but the last in a window is also the model's next input, so the loss says nothing about prediction", math.Log(float64(len(text.Letters)))),
	})
	l.Row(record.Row{
		ID: "cheat-prediction", What: "next-letter accuracy given only the past, as at test time: with the mask minus without it",
		Published: slides.Quote("At test time (\"decoding\"), the output at step 1 will see the input at step 2", title),
		Measured:  record.Value{Kind: record.KindNumber, Number: mask.NextLetter - open.NextLetter, Unit: "points", Text: label("without: %.3g %%, with: %.3g %%", open.NextLetter, mask.NextLetter)},
		Rule:      record.AtLeast(20), Repeat: 20, Data: data,
		Reason: "at test time there is no step 2 yet: the input that the model has learned to look at is missing",
	})
	l.Row(record.Row{
		ID: "mask-prediction", What: "next-letter accuracy given only the past: with the mask",
		Published: slides.Quote("Solution: e_{l,t} = q_l · k_t if t ≤ l, −∞ otherwise", title),
		Measured:  record.Number(mask.NextLetter, "%"), Rule: record.AtLeast(80).Partly(50), Repeat: 15, Data: data,
		Reason: "the text is short and both models were trained on all of it: this is memorization, not a model of language",
	})

	fig := figure.New("Training loss with and without the mask", "training step", "loss, nats per letter")
	for i, h := range history {
		x, y := smooth(h, max(1, steps/60))
		fig.Use([]int{figure.Blue, figure.Vermilion}[i]).Lines(names[i], x, y)
	}
	fig.Use(figure.Black).HLine("uniform guess", math.Log(float64(len(text.Letters))))
	fig.Y.Min = 0
	ends := "smaller"
	if open.TrainingLoss >= mask.TrainingLoss {
		ends = "larger"
	}
	on := ""
	if from, to, ok := longestAbove(history[1], history[0], max(1, steps/60)); ok && ends == "smaller" && to-from > float64(steps)/10 {
		on = label(" (between steps %.0f and %.0f its loss is larger, because it has not yet learned where to find the answer)", from, to)
	}
	l.Save("cheating", label("Loss on the training text. The model without the mask ends with the %s loss%s. Given only the past, it predicts %.3g %% of the next letters correctly; the model with the mask, %.3g %%.", ends, on, open.NextLetter, mask.NextLetter),
		fig)
	rep.fig = fig
	return rep
}

// longestAbove returns the first and the last step of the longest stretch in which a is above b, after both are
// averaged over blocks of w values. It ignores a stretch that continues to the end. If there is no other stretch, ok
// is false.
func longestAbove(a, b []float64, w int) (from, to float64, ok bool) {
	x, y := smooth(a, w)
	_, z := smooth(b, w)
	for i := 0; i < len(y); i++ {
		k := i
		for k < len(y) && y[k] > z[k] {
			k++
		}
		if k > i && k < len(y) && (!ok || x[k-1]-x[i] > to-from) {
			from, to, ok = x[i], x[k-1], true
		}
		i = k
	}
	return from, to, ok
}

// smooth divides v into blocks of w values, and returns the middle step x and the mean y of each block. It drops an
// incomplete last block.
func smooth(v []float64, w int) (x, y []float64) {
	for i := 0; i+w <= len(v); i += w {
		s := 0.0
		for _, u := range v[i : i+w] {
			s += u / float64(w)
		}
		x, y = append(x, float64(i)+float64(w)/2), append(y, s)
	}
	return x, y
}
