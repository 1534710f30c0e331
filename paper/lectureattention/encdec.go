package lectureattention

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// EncoderDecoder compares three models in the order of the lecture: a recurrent encoder and decoder, a recurrent
// encoder and decoder with attention, and a Transformer. They learn to write sequences of two lengths backwards. For
// the shorter length EncoderDecoder also tries a Transformer's encoder alone.
func (l *Lab) EncoderDecoder() *figure.Figure {
	lengths := []int{5, 15}
	if l.Size == record.Smoke {
		lengths = []int{2, 4}
	}
	symbols, steps, seeds := l.Pick(4, 10, 10), l.Pick(60, 800, 2000), l.Pick(1, 10, 10)
	names := []string{"recurrent", "recurrent with attention", "Transformer"}
	makes := []func(task attention.Task, seed uint64) (attention.Model, error){
		func(task attention.Task, seed uint64) (attention.Model, error) {
			return attention.NewSeq2Seq(attention.Seq2SeqConfig{Vocabulary: task.Vocabulary(), Separator: task.Symbols, Width: 26, Seed: seed})
		},
		func(task attention.Task, seed uint64) (attention.Model, error) {
			return attention.NewSeq2Seq(attention.Seq2SeqConfig{Vocabulary: task.Vocabulary(), Separator: task.Symbols, Width: 23, Attention: true, Seed: seed})
		},
		func(task attention.Task, seed uint64) (attention.Model, error) {
			return attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Length: task.Length(), Seed: seed})
		},
	}
	task := func(n int) attention.Task {
		return attention.Task{Kind: attention.Reverse, Digits: n, Symbols: symbols}
	}
	M, N := len(names), len(lengths)
	right := make([][]float64, M) // [model][length·seeds + seed], percent
	for k := range right {
		right[k] = make([]float64, N*seeds)
	}
	alone := make([]float64, seeds) // share of correct symbols with an encoder alone
	ctx := l.Context()
	lab.Parallel(ctx, M*N*seeds+seeds, func(i int) {
		if i >= M*N*seeds {
			alone[i-M*N*seeds] = l.encoderAlone(task(lengths[0]), steps, l.Seed+uint64(i-M*N*seeds))
			return
		}
		// Start with the long tasks, so that no processor is left with one at the end.
		k, j := i%M, N*seeds-1-i/M
		tk, seed := task(lengths[j/seeds]), l.Seed+uint64(j%seeds)
		m := must.Get(makes[k](tk, seed))
		must.Get(train(ctx, m, tk, steps, seed))
		share, _, err := tk.Accuracy(m, 200, seed)
		lab.Check(err)
		right[k][j] = 100 * share
	})
	var mean, spread [][]float64
	for k := range names {
		y, e := meansOf(right[k], seeds)
		mean, spread = append(mean, y), append(spread, e)
	}
	l.encoderDecoderRows(lengths, mean, stat.Mean(alone, nil), label("reversing sequences over %d symbols, %d steps, batch size 16, %d seeds", symbols, steps, seeds), seeds)

	x := make([]float64, N)
	for j, n := range lengths {
		x[j] = float64(n)
	}
	f := figure.New("Reversing a sequence", "number of digits", "% of symbols correct")
	for k, name := range names {
		f.ErrorBars(name, x, mean[k], spread[k])
	}
	f.Use(figure.Black).HLine("chance", 100/float64(symbols))
	f.X.Min, f.Y.Min, f.Y.Max = 0, 0, 105
	l.Save("encoder-decoder", label("Accuracy after %d training steps. The recurrent encoder passes a single state to the decoder, however long the question; with attention the decoder sees all encoder states; the Transformer has no recurrence. About 9000 parameters each; mean and standard deviation over %d seeds.", steps, seeds), f)
	return f
}

// encoderAlone trains a Transformer without a mask to turn all digits at once into the answer, each
// at its own place, and returns the share of correct symbols in percent.
func (l *Lab) encoderAlone(task attention.Task, steps int, seed uint64) float64 {
	m := must.Get(attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Length: task.Digits, NoMask: true, Seed: seed}))
	draw := func(number, step int) attention.Batch {
		b := attention.Batch{Inputs: task.Questions(number, seed, step)}
		for _, q := range b.Inputs {
			b.Targets = append(b.Targets, task.Answer(q))
		}
		return b
	}
	must.Get(attention.Fit(l.Context(), m, func(step int) attention.Batch { return draw(16, step) }, &attention.FitOptions{Steps: steps, Rate: rate}))
	b := draw(200, -1) // not a step number of training
	y := must.Get(m.Logits(b.Inputs))
	hits := 0
	for i, answer := range b.Targets {
		for j, want := range answer {
			row := y.RawRowView(i*task.Digits + j)
			if slices.Index(row, slices.Max(row)) == want {
				hits++
			}
		}
	}
	return 100 * float64(hits) / float64(200*task.Digits)
}

// encoderDecoderRows adds the rows for the lecture's statements. mean[model][length] is the mean accuracy over the
// seeds; encoderOnly is the accuracy of an encoder without a decoder. Both are in percent.
func (l *Lab) encoderDecoderRows(lengths []int, mean [][]float64, encoderOnly float64, what string, seeds int) {
	const pair, peeking, transformer = 0, 1, 2
	list := make([]uint64, seeds)
	for i := range list {
		list[i] = l.Seed + uint64(i)
	}
	data := record.Generated(what)
	short, long := lengths[0], lengths[len(lengths)-1]
	difference := func(a, b float64) record.Value {
		return record.Value{Kind: record.KindNumber, Number: tenth(a - b), Unit: "points", Text: label("%.0f %% against %.0f %%", a, b)}
	}
	l.Row(record.Row{
		ID: "bottleneck-length", What: label("recurrent encoder and decoder: accuracy with %d digits minus accuracy with %d", short, long),
		Published: slides.Quote("RNN bottleneck problem: all information about the conditioned sequence is contained in these activations", "Recall: RNN bottleneck problem"),
		Measured:  difference(mean[pair][0], far(mean[pair])), Rule: record.AtLeast(20), Repeat: 25, Data: data, Seeds: list, Figure: "encoder-decoder",
		Reason: "one state of 26 numbers has to hold all digits",
	})
	l.Row(record.Row{
		ID: "peek", What: label("%d digits: accuracy of the recurrent networks with attention to all encoder states minus accuracy without attention", long),
		Published: slides.Quote("Idea: what if we could somehow \"peek\" at the source sentence while decoding? Attention to the rescue!", "Recall: RNN bottleneck problem"),
		Measured:  difference(far(mean[peeking]), far(mean[pair])), Rule: record.AtLeast(20), Repeat: 25, Data: data, Seeds: list, Figure: "encoder-decoder",
		Reason: "about the same number of parameters and the same number of training steps",
	})
	l.Row(record.Row{
		ID: "no-recurrence", What: label("%d digits: accuracy of the Transformer minus that of the recurrent networks with attention", long),
		Published: slides.Quote("If we have attention, do we even need recurrent connections?", "Recall: Is Attention All We Need?"),
		Measured:  difference(far(mean[transformer]), far(mean[peeking])), Rule: record.AtLeast(-5), Repeat: 25, Data: data, Seeds: list, Figure: "encoder-decoder",
		Reason: "interpreted as: nothing is lost without recurrence. Recurrent networks can count positions themselves; the Transformer has positional encodings",
	})
	l.Row(record.Row{
		ID: "just-decoder", What: label("%d digits: accuracy of a Transformer decoder alone", short),
		Published: slides.Quote("Can use just encoder, just decoder.", "Transformers pros and cons"),
		Measured:  record.Number(tenth(mean[transformer][0]), "%"), Rule: record.AtLeast(95), Repeat: 5, Data: data, Seeds: list, Figure: "encoder-decoder",
	})
	l.Row(record.Row{
		ID: "just-encoder", What: label("%d digits: accuracy of a Transformer encoder alone that outputs the whole answer at once", short),
		Published: slides.Quote("Can use just encoder, just decoder.", "Transformers pros and cons"),
		Measured:  record.Number(tenth(encoderOnly), "%"), Rule: record.AtLeast(95), Repeat: 5, Data: data, Seeds: list,
		Reason: "no mask and no separator: each position must output the answer symbol of that position",
	})
}
