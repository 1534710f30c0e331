package lectureattention

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// reader is a model whose gradients with respect to its inputs can be seen.
type reader interface {
	attention.Model
	Sensitivity(seq []int, target int) ([]float64, error)
}

// readers makes the three models that are compared, with about the same number
// of parameters: names, and functions of task and seed.
func readers() (names []string, makes []func(task attention.Task, seed uint64) (reader, error)) {
	names = []string{"Transformer", "GRU", "plain recurrent network"}
	makes = []func(task attention.Task, seed uint64) (reader, error){
		func(task attention.Task, seed uint64) (reader, error) {
			return attention.NewTransformer(attention.Config{Vocabulary: task.Vocabulary(), Length: task.Length(), Seed: seed})
		},
		func(task attention.Task, seed uint64) (reader, error) {
			return attention.NewRecurrent(attention.RecurrentConfig{Vocabulary: task.Vocabulary(), Width: 37, Gated: true, Seed: seed})
		},
		func(task attention.Task, seed uint64) (reader, error) {
			return attention.NewRecurrent(attention.RecurrentConfig{Vocabulary: task.Vocabulary(), Width: 63, Seed: seed})
		},
	}
	return names, makes
}

// LongRange asks for the first symbol of a sequence after more and more others: a
// Transformer beside two recurrent networks.
func (l *Lab) LongRange() *figure.Grid {
	distances := []int{5, 10, 20, 40}
	if l.Size == record.Smoke {
		distances = []int{4, 20}
	}
	steps, seeds := l.Pick(80, 250, 1000), l.Pick(1, 2, 5)
	task := func(distance int) attention.Task {
		return attention.Task{Kind: attention.Recall, Digits: distance, Symbols: 4}
	}
	names, makes := readers()
	D := len(distances)
	longest := distances[D-1]
	// [model][distance·seeds + seed]: accuracy, and steps until half of what can be
	// learned is learned.
	accuracy, needed := make([][]float64, len(names)), make([][]float64, len(names))
	for k := range names {
		accuracy[k], needed[k] = make([]float64, D*seeds), make([]float64, D*seeds)
	}
	ctx := l.Context()
	lab.Parallel(ctx, len(names)*D*seeds, func(i int) {
		// The long ones first, so that no processor is left with one at the end.
		k, j := i%len(names), D*seeds-1-i/len(names)
		tk, seed := task(distances[j/seeds]), l.Seed+uint64(j%seeds)
		m := must.Get(makes[k](tk, seed))
		r := must.Get(train(ctx, m, tk, steps, seed))
		symbols, _, err := tk.Accuracy(m, 500, seed)
		lab.Check(err)
		accuracy[k][j], needed[k][j] = 100*symbols, halfway(r.History, math.Log(4)/2)
	})

	left := figure.New("Gradient, relative to the nearest", "distance to the last position", "").LogY()
	right := figure.New("Steps until half is learned", "distance", "")
	x := make([]float64, D)
	for j, d := range distances {
		x[j] = float64(d)
	}
	var means, spreads [][]float64 // of the accuracy: [model][distance]
	var far, speed []float64       // means at the longest distance
	var params []int
	for k, name := range names {
		meanOf := func(all []float64) (y, e []float64) {
			for j := range D {
				runs := all[j*seeds : (j+1)*seeds]
				y, e = append(y, stat.Mean(runs, nil)), append(e, 0)
				if seeds > 1 {
					e[j] = stat.StdDev(runs, nil)
				}
			}
			return y, e
		}
		y, e := meanOf(accuracy[k])
		means, spreads = append(means, y), append(spreads, e)
		far = append(far, y[D-1])
		y, e = meanOf(needed[k])
		right.ErrorBars(name, x, y, e)
		speed = append(speed, y[D-1])

		m := must.Get(makes[k](task(longest), l.Seed))
		params = append(params, tape.Count(m.Params()))
		gx, gy := l.sensitivity(m, task(longest))
		left.Lines(name, gx, gy)
		l.Row(record.Row{
			ID: []string{"far-gradient-attention", "far-gradient-gru", "far-gradient-recurrent"}[k], Data: record.Generated("random sequences of 4 symbols"),
			What:     label("%s before training: gradient at the first input over that at the last but one, distance %d", name, longest),
			Measured: record.Number(gy[len(gy)-1], ""), Repeat: gy[len(gy)-1], Figure: "long-range",
			Rule: []record.Rule{record.AtLeast(0.1), record.AtMost(0.1), record.AtMost(0.01)}[k],
		})
	}
	middle := accuracies(names, x, means, spreads)
	for _, f := range []*figure.Figure{middle, right} {
		f.X.Min, f.Y.Min = 0, 0
	}
	middle.Y.Max, right.Y.Max = 105, 1.05*float64(steps)

	data := record.Generated(label("recall of the first of %d symbols (4 different ones), %d steps of 16, %d, %d and %d parameters", longest, steps, params[0], params[1], params[2]))
	list := make([]uint64, seeds)
	for i := range list {
		list[i] = l.Seed + uint64(i)
	}
	const title = "Transformers pros and cons"
	claim := slides.Quote("+ Better long-range connections (compared to RNN).", title)
	l.Row(record.Row{
		ID: "far-recall", What: label("recall over %d symbols: the Transformer's accuracy less that of a plain recurrent network", longest), Published: claim,
		Measured: record.Value{Kind: record.KindNumber, Number: far[0] - far[2], Unit: "points", Text: label("%.0f %% against %.0f %%", far[0], far[2])},
		Rule:     record.AtLeast(20), Repeat: 20, Data: data, Seeds: list, Figure: "long-range",
		Reason: "with the same few steps of training, and with weights that begin at random",
	})
	l.Row(record.Row{
		ID: "far-recall-gru", What: label("recall over %d symbols: the Transformer's accuracy less that of a GRU", longest), Published: claim,
		Measured: record.Value{Kind: record.KindNumber, Number: far[0] - far[1], Unit: "points", Text: label("%.0f %% against %.0f %%", far[0], far[1])},
		Rule:     record.AtLeast(20), Repeat: 40, Data: data, Seeds: list, Figure: "long-range",
		Reason: gruReason(far[0], far[1], steps, longest),
	})
	l.Row(record.Row{
		ID: "far-speed-gru", What: label("steps of training until half is learned over %d symbols: the GRU's over the Transformer's", longest),
		Measured: record.Value{Kind: record.KindNumber, Number: tenth(speed[1] / speed[0]), Text: label("%.0f against %.0f", speed[1], speed[0])},
		Rule:     record.AtLeast(1.5), Repeat: 2, Data: data, Seeds: list, Figure: "long-range",
		Reason: "what is never learned counts as the last step",
	})
	l.Row(record.Row{
		ID: "bottleneck", What: label("recall over %d symbols by the plain recurrent network (chance: 25 %%)", longest),
		Published: slides.Quote("RNN bottleneck problem: all information about the conditioned sequence is contained in these activations", "Recall: RNN bottleneck problem"),
		Measured:  record.Number(far[2], "%"), Rule: record.AtMost(50), Repeat: 25, Data: data, Seeds: list, Figure: "long-range",
		Reason: "the state has 63 numbers, room enough for 2 bits; what fails is learning to keep them",
	})
	l.Row(record.Row{
		ID: "much-better", What: "Transformers beat recurrent networks in general",
		Published: slides.Quote("Transformers work much better than RNNs in general.", title),
		Rule:      record.NoData("one small task (the rows far-recall) is no \"in general\""),
	})
	g := figure.NewGrid("A symbol from long ago", 3, left, middle, right)
	l.Save("long-range", label("Left: how much of the last output's gradient arrives at earlier inputs before training. In a recurrent network it goes through every step between; attention reaches each position in one. Middle: accuracy after %d steps of training (chance: 25 %%; where two lines are equal they share the dashes). Right: steps until the loss is half that of a guess; at the upper edge: never. Mean and standard deviation over %d seeds.", steps, seeds),
		g.Size(3, 2.8))
	return g
}

// gruReason explains the accuracies (%) of the Transformer and the GRU.
func gruReason(transformer, gru float64, steps, distance int) string {
	if transformer-gru >= 20 {
		return "with the same few steps of training"
	}
	return label("gates were invented for this: after %d steps of length %v the GRU has %.0f %% right over %d symbols", steps, rate, gru, distance)
}

// accuracies draws one line for each name. The Transformer's is often equal to
// the GRU's: it is drawn again over all, dashed, so that both colours are seen.
func accuracies(names []string, x []float64, mean, spread [][]float64) *figure.Figure {
	f := figure.New("% right after training", "distance", "")
	for k, name := range names {
		f.ErrorBars(name, x, mean[k], spread[k])
	}
	return f.Use(0).Dashed("", x, mean[0])
}

// halfway is the first step from which the mean loss of ten is below a value, or
// the number of steps.
func halfway(history []float64, below float64) float64 {
	for i := 0; i+10 <= len(history); i++ {
		if stat.Mean(history[i:i+10], nil) < below {
			return float64(i)
		}
	}
	return float64(len(history))
}

// sensitivity is the mean over sequences of the gradient at each distance from
// the end, relative to that at distance 1.
func (l *Lab) sensitivity(m reader, task attention.Task) (x, y []float64) {
	const sequences = 20
	n := task.Length()
	y = make([]float64, n-1)
	near := 0.0
	for _, q := range task.Questions(sequences, l.Seed, 0) {
		s := must.Get(m.Sensitivity(append(append([]int(nil), q...), task.Symbols), q[0]))
		near += s[n-2]
		for d := range y {
			y[d] += s[n-2-d]
		}
	}
	for d := range y {
		x = append(x, float64(d+1))
		y[d] /= near
	}
	return x, y
}
