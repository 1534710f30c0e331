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

// A reader is a model that exposes the gradients with respect to its inputs.
type reader interface {
	attention.Model
	Sensitivity(seq []int, target int) ([]float64, error)
}

// readers returns the three models to compare, which have about the same number of parameters: their names, and
// functions that make a model for a task and a seed.
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

// LongRange compares a Transformer and two recurrent networks. It asks them for the first symbol of a sequence after
// a growing number of other symbols.
func (l *Lab) LongRange() *figure.Grid {
	r := l.recall()
	l.longRangeRows(r)
	return l.longRangeFigure(r)
}

// A recallResult holds the measurements of LongRange for each model.
type recallResult struct {
	distances    []int
	steps, seeds int
	names        []string
	params       []int
	// The gradient at each input before training, against the distance.
	gradientX, gradientY [][]float64
	// Means over the seeds, with their spreads, for each distance: the accuracy in percent, and the number of steps
	// until half of the achievable gain is learned.
	accuracy, accuracySpread, needed, neededSpread [][]float64
	// Accuracies of the Transformer and the GRU at twice the longest distance, for each seed.
	further [2][]float64
}

func (r *recallResult) longest() int { return r.distances[len(r.distances)-1] }

// far returns the last of a model's values, which belongs to the longest distance or sequence.
func far(v []float64) float64 { return v[len(v)-1] }

// recall trains each model, for each distance and seed, to recall the first symbol of a sequence, and returns the
// measurements.
func (l *Lab) recall() *recallResult {
	r := &recallResult{distances: []int{5, 10, 20, 40}}
	if l.Size == record.Smoke {
		r.distances = []int{4, 20}
	}
	r.steps, r.seeds = l.Pick(80, 250, 1000), l.Pick(1, 2, 5)
	D, seeds := len(r.distances), r.seeds
	task := func(distance int) attention.Task {
		return attention.Task{Kind: attention.Recall, Digits: distance, Symbols: 4}
	}
	names, makes := readers()
	r.names = names
	// accuracy[model][distance·seeds + seed], and needed, the steps until half of the achievable gain is learned.
	accuracy, needed := make([][]float64, len(names)), make([][]float64, len(names))
	for k := range names {
		accuracy[k], needed[k] = make([]float64, D*seeds), make([]float64, D*seeds)
	}
	ctx := l.Context()
	lab.Parallel(ctx, len(names)*D*seeds, func(i int) {
		// Start with the long tasks, so that no processor is left with one at the end.
		k, j := i%len(names), D*seeds-1-i/len(names)
		tk, seed := task(r.distances[j/seeds]), l.Seed+uint64(j%seeds)
		m := must.Get(makes[k](tk, seed))
		t := must.Get(train(ctx, m, tk, r.steps, seed))
		symbols, _, err := tk.Accuracy(m, 500, seed)
		lab.Check(err)
		accuracy[k][j], needed[k][j] = 100*symbols, halfway(t.History, math.Log(4)/2)
	})

	twice := task(2 * r.longest())
	for k := range r.further {
		r.further[k] = make([]float64, l.Pick(1, 3, 5))
	}
	lab.Parallel(ctx, 2*len(r.further[0]), func(i int) {
		k, seed := i%2, l.Seed+uint64(i/2)
		m := must.Get(makes[k](twice, seed))
		must.Get(train(ctx, m, twice, r.steps, seed))
		symbols, _, err := twice.Accuracy(m, 500, seed)
		lab.Check(err)
		r.further[k][i/2] = 100 * symbols
	})

	for k := range names {
		y, e := meansOf(accuracy[k], seeds)
		r.accuracy, r.accuracySpread = append(r.accuracy, y), append(r.accuracySpread, e)
		y, e = meansOf(needed[k], seeds)
		r.needed, r.neededSpread = append(r.needed, y), append(r.neededSpread, e)
		m := must.Get(makes[k](task(r.longest()), l.Seed))
		r.params = append(r.params, tape.Count(m.Params()))
		x, y := l.sensitivity(m, task(r.longest()))
		r.gradientX, r.gradientY = append(r.gradientX, x), append(r.gradientY, y)
	}
	return r
}

// meansOf returns the mean y and the standard deviation e of each group of runs. The groups follow one another in
// values; each group has one run for each seed.
func meansOf(values []float64, seeds int) (y, e []float64) {
	for j := range len(values) / seeds {
		runs := values[j*seeds : (j+1)*seeds]
		y, e = append(y, stat.Mean(runs, nil)), append(e, 0)
		if seeds > 1 {
			e[j] = stat.StdDev(runs, nil)
		}
	}
	return y, e
}

func (l *Lab) longRangeRows(r *recallResult) {
	longest := r.longest()
	for k, name := range r.names {
		gradient := far(r.gradientY[k])
		l.Row(record.Row{
			ID: []string{"far-gradient-attention", "far-gradient-gru", "far-gradient-recurrent"}[k], Data: record.Generated("random sequences of 4 symbols"),
			What:     label("%s before training: gradient norm at the first input (distance %d) divided by that at distance 1", name, longest),
			Measured: record.Number(gradient, ""), Repeat: gradient, Figure: "long-range",
			Rule: []record.Rule{record.AtLeast(0.1), record.AtMost(0.1), record.AtMost(0.01)}[k],
		})
	}

	var recall, speed []float64 // means at the longest distance
	for k := range r.names {
		recall, speed = append(recall, far(r.accuracy[k])), append(speed, far(r.needed[k]))
	}
	data := record.Generated(label("recall of the first of %d symbols (4 distinct), %d steps, batch size 16; %d, %d and %d parameters", longest, r.steps, r.params[0], r.params[1], r.params[2]))
	list := make([]uint64, r.seeds)
	for i := range list {
		list[i] = l.Seed + uint64(i)
	}
	const title = "Transformers pros and cons"
	claim := slides.Quote("+ Better long-range connections (compared to RNN).", title)
	l.Row(record.Row{
		ID: "far-recall", What: label("recall over %d symbols: accuracy of the Transformer minus that of the plain recurrent network", longest), Published: claim,
		Measured: record.Value{Kind: record.KindNumber, Number: recall[0] - recall[2], Unit: "points", Text: label("%.0f %% against %.0f %%", recall[0], recall[2])},
		Rule:     record.AtLeast(20), Repeat: 20, Data: data, Seeds: list, Figure: "long-range",
		Reason: "after the same small number of training steps, from random initial weights",
	})
	l.Row(record.Row{
		ID: "far-recall-gru", What: label("recall over %d symbols: accuracy of the Transformer minus that of the GRU", longest), Published: claim,
		Measured: record.Value{Kind: record.KindNumber, Number: recall[0] - recall[1], Unit: "points", Text: label("%.0f %% against %.0f %%", recall[0], recall[1])},
		Rule:     record.AtLeast(20), Repeat: 40, Data: data, Seeds: list, Figure: "long-range",
		Reason: gruReason(recall[0], recall[1], r.steps, longest),
	})
	further := []float64{stat.Mean(r.further[0], nil), stat.Mean(r.further[1], nil)}
	var seeds []uint64
	for i := range r.further[0] {
		seeds = append(seeds, l.Seed+uint64(i))
	}
	l.Row(record.Row{
		ID: "far-recall-gru-further", What: label("recall over twice as many symbols, %d: accuracy of the Transformer minus that of the GRU", 2*longest), Published: claim,
		Measured: record.Value{Kind: record.KindNumber, Number: further[0] - further[1], Unit: "points", Text: label("%.0f %% against %.0f %%", further[0], further[1])},
		Rule:     record.AtLeast(20), Repeat: 20, Seeds: seeds,
		Data:   record.Generated(label("recall of the first of %d symbols (4 distinct), %d steps, batch size 16; %d and %d parameters", 2*longest, r.steps, r.params[0], r.params[1])),
		Reason: label("the result depends on training steps and distance: here %d steps and distance %d", r.steps, 2*longest),
	})
	l.Row(record.Row{
		ID: "far-speed-gru", What: label("recall over %d symbols, training steps until the loss is half that of guessing: ratio of GRU to Transformer", longest),
		Measured: record.Value{Kind: record.KindNumber, Number: tenth(speed[1] / speed[0]), Text: label("%.0f against %.0f", speed[1], speed[0])},
		Rule:     record.AtLeast(1.5), Repeat: 2, Data: data, Seeds: list, Figure: "long-range",
		Reason: "a run that never reaches this loss counts with its total number of steps",
	})
	l.Row(record.Row{
		ID: "bottleneck", What: label("recall over %d symbols: accuracy of the plain recurrent network (chance: 25 %%)", longest),
		Published: slides.Quote("RNN bottleneck problem: all information about the conditioned sequence is contained in these activations", "Recall: RNN bottleneck problem"),
		Measured:  record.Number(recall[2], "%"), Rule: record.AtMost(50), Repeat: 25, Data: data, Seeds: list, Figure: "long-range",
		Reason: "the state of 63 numbers has room for 2 bits; the network fails to learn to keep them",
	})
	l.Row(record.Row{
		ID: "much-better", What: "Transformers work better than recurrent networks in general",
		Published: slides.Quote("Transformers work much better than RNNs in general.", title),
		Rule:      record.NoData("one small task (the far-recall rows) cannot support a statement \"in general\""),
	})
}

func (l *Lab) longRangeFigure(r *recallResult) *figure.Grid {
	left := figure.New("Gradient relative to distance 1", "distance to the last position", "").LogY()
	right := figure.New("Steps to half the chance loss", "distance", "")
	x := make([]float64, len(r.distances))
	for j, d := range r.distances {
		x[j] = float64(d)
	}
	for k, name := range r.names {
		right.ErrorBars(name, x, r.needed[k], r.neededSpread[k])
		left.Lines(name, r.gradientX[k], r.gradientY[k])
	}
	middle := accuracies(r.names, x, r.accuracy, r.accuracySpread)
	for _, f := range []*figure.Figure{middle, right} {
		f.X.Min, f.Y.Min = 0, 0
	}
	middle.Y.Max, right.Y.Max = 105, 1.05*float64(r.steps)
	g := figure.NewGrid("Recall of the first symbol in a sequence", 3, left, middle, right)
	l.Save("long-range", label("Left: gradient of the last output's loss at earlier inputs, before training. In a recurrent network it passes through every step in between; attention reaches each position in one step. Middle: accuracy after %d training steps (chance: 25 %%; where the Transformer's line coincides with another, the colors alternate). Right: training steps until the loss is half that of guessing; near the upper edge: never. Middle and right: mean and standard deviation over %d seeds.", r.steps, r.seeds),
		g.Size(3, 2.8))
	return g
}

// gruReason returns the reason for a row that compares the accuracies (%) of the Transformer and the GRU.
func gruReason(transformer, gru float64, steps, distance int) string {
	if transformer-gru >= 20 {
		return "after the same small number of training steps"
	}
	return label("gates were invented for this: after %d steps at learning rate %v the GRU has an accuracy of %.0f %% over %d symbols", steps, rate, gru, distance)
}

// accuracies draws one line for each name. The Transformer's line often coincides with the GRU's, so it is drawn
// again on top, dashed, to keep both colors visible.
func accuracies(names []string, x []float64, mean, spread [][]float64) *figure.Figure {
	f := figure.New("% correct after training", "distance", "")
	for k, name := range names {
		f.ErrorBars(name, x, mean[k], spread[k])
	}
	return f.Use(0).Dashed("", x, mean[0])
}

// halfway returns the first step for which the ten losses that begin there have a mean under bound. If there is no such
// step, it returns the number of steps.
func halfway(history []float64, bound float64) float64 {
	for i := 0; i+10 <= len(history); i++ {
		if stat.Mean(history[i:i+10], nil) < bound {
			return float64(i)
		}
	}
	return float64(len(history))
}

// sensitivity measures how strongly the loss at the last output depends on earlier inputs. For each distance x from
// the last position, y is the norm of the gradient with respect to the input there, as a mean over sequences, divided
// by that mean at distance 1.
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
