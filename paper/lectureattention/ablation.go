package lectureattention

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// An AblationRow gives, for each of four tasks, the share of correct symbols, in percent, in the answers of one model.
// The shares are means over the seeds.
type AblationRow struct {
	Model                    string
	Copy, Reverse, Sort, Add float64
	Loss                     float64 // training loss, mean over the tasks, nats
}

// An AblationReport holds the results of Ablation.
type AblationReport struct {
	Rows []AblationRow
	fig  *figure.Figure
}

// Figure returns a bar chart of the shares in Rows.
func (r *AblationReport) Figure() *figure.Figure { return r.fig }

// Ablation trains the whole model, and four models that each lack one part, on
// four tasks: to copy, reverse and sort digits, and to add neighbors modulo 10.
func (l *Lab) Ablation() *AblationReport {
	variants := []struct {
		name   string
		change func(c *attention.Config)
	}{
		{"full model", func(c *attention.Config) {}},
		{"no positions", func(c *attention.Config) { c.Positions = attention.NoPositions }},
		{"no mask", func(c *attention.Config) { c.NoMask = true }},
		{"no nonlinearity", func(c *attention.Config) { c.Nonlinear = attention.Linear }},
		{"one head", func(c *attention.Config) { c.Heads = 1 }},
	}
	digits, symbols := l.Pick(3, 5, 6), l.Pick(5, 10, 10)
	tasks := []struct {
		kind  attention.Kind
		steps int
	}{
		{attention.Copy, l.Pick(80, 300, 1000)},
		{attention.Reverse, l.Pick(80, 300, 1000)},
		{attention.Sort, l.Pick(80, 500, 1500)},
		{attention.Add, l.Pick(80, 800, 4000)},
	}
	seeds := l.Pick(1, 3, 10)
	T, V := len(tasks), len(variants)
	// score and loss are indexed by variant, task and seed.
	score, loss := make([]float64, V*T*seeds), make([]float64, V*T*seeds)
	placed := make([]orderlessScore, seeds) // reverse without positions
	ctx := l.Context()
	lab.Parallel(ctx, V*T*seeds, func(i int) {
		i = V*T*seeds - 1 - i // the long task first
		k, v, s := i/(V*seeds), i/seeds%V, i%seeds
		task := attention.Task{Kind: tasks[k].kind, Digits: digits, Symbols: symbols}
		c := attention.Config{Vocabulary: task.Vocabulary(), Length: task.Length(), Seed: l.Seed + uint64(s)}
		variants[v].change(&c)
		m := must.Get(attention.NewTransformer(c))
		r := must.Get(train(ctx, m, task, tasks[k].steps, c.Seed))
		at := (v*T+k)*seeds + s
		right, _, err := task.Accuracy(m, 200, c.Seed)
		lab.Check(err)
		score[at], loss[at] = 100*right, r.Final()
		if c.Positions == attention.NoPositions && task.Kind == attention.Reverse {
			placed[s] = withoutPlaces(m, task, 200, c.Seed)
		}
	})
	// The effect of heads varies a lot between seeds, so the two models that the statement compares run with more
	// seeds on the statement's task.
	const whole, oneHead, add = 0, 4, 3
	more := max(0, l.Pick(1, 9, 10)-seeds)
	extra := make([]float64, 2*more)
	lab.Parallel(ctx, 2*more, func(i int) {
		task := attention.Task{Kind: attention.Add, Digits: digits, Symbols: symbols}
		c := attention.Config{Vocabulary: task.Vocabulary(), Length: task.Length(), Seed: l.Seed + uint64(seeds+i/2)}
		variants[[2]int{whole, oneHead}[i%2]].change(&c)
		m := must.Get(attention.NewTransformer(c))
		must.Get(train(ctx, m, task, tasks[add].steps, c.Seed))
		right, _, err := task.Accuracy(m, 200, c.Seed)
		lab.Check(err)
		extra[i] = 100 * right
	})
	scores := func(v, k int) []float64 {
		list := slices.Clone(score[(v*T+k)*seeds : (v*T+k+1)*seeds])
		for i, x := range extra {
			if k == add && v == [2]int{whole, oneHead}[i%2] {
				list = append(list, x)
			}
		}
		return list
	}

	rep := &AblationReport{}
	var names []string
	bars, spread := make([][]float64, V), make([][]float64, V)
	for v, variant := range variants {
		for k := range tasks {
			y, e := meansOf(score[(v*T+k)*seeds:(v*T+k+1)*seeds], seeds)
			bars[v], spread[v] = append(bars[v], y...), append(spread[v], e...)
		}
		b := bars[v]
		rep.Rows = append(rep.Rows, AblationRow{variant.name, tenth(b[0]), tenth(b[1]), tenth(b[2]), tenth(b[3]), stat.Mean(loss[v*T*seeds:(v+1)*T*seeds], nil)})
		names = append(names, variant.name)
	}
	bag := 100 * anyOrder(digits, symbols)
	l.ablationRows(bars, scores, rep, bag, label("%d digits (%d symbols), %d to %d steps, batch size 16", digits, symbols, tasks[0].steps, tasks[T-1].steps), seeds)
	l.orderlessRows(placed, bag, label("%d digits (%d symbols), %d steps, batch size 16", digits, symbols, tasks[1].steps))

	fig := figure.Bars("Accuracy of the full model and of four ablations", []string{"copy", "reverse", "sort", "add"}, names, bars)
	fig.Y.Label.Text = "% of symbols correct"
	errorBars(fig, bars, spread)
	fig.Use(figure.Black).HLine("the question's digits in random order", bag)
	fig.Y.Min, fig.Y.Max = 0, 105
	l.Save("ablation", label("Accuracy when the model generates the answer by itself: one block of width 32, mean and standard deviation over %d seeds. First bar of each group: the full model; other bars: one part changed or removed. Dashed (copy, reverse and sort): the question's digits in random order are %.0f %% correct on average. Uniform guessing gives %.0f %%.", seeds, bag, 100/float64(symbols)),
		fig.Size(7, 3.6))
	rep.fig = fig
	return rep
}

// errorBars adds a line from y−e to y+e to each bar of figure.Bars. The n bars at a label are together 0.76 wide, and
// each bar has a gap of 6 % on its right.
func errorBars(f *figure.Figure, y, e [][]float64) {
	w := 0.76 / float64(len(y))
	for k := range y {
		points := struct {
			plotter.XYs
			plotter.YErrors
		}{make(plotter.XYs, len(y[k])), make(plotter.YErrors, len(y[k]))}
		for i := range y[k] {
			points.XYs[i] = plotter.XY{X: float64(i) - 0.38 + (float64(k)+0.47)*w, Y: y[k][i]}
			points.YErrors[i].Low, points.YErrors[i].High = e[k][i], e[k][i]
		}
		lines := must.Get(plotter.NewYErrorBars(points))
		lines.LineStyle.Width, lines.CapWidth = vg.Points(0.9), vg.Points(4)
		f.Add(lines)
	}
}

// anyOrder returns the expected share of correct symbols if an answer consists of the question's digits in random
// order. A place gets the right one of these digits with probability 1/digits. Otherwise it gets another one, which is
// equal to the right one with probability 1/symbols.
func anyOrder(digits, symbols int) float64 {
	own := 1 / float64(digits)
	return own + (1-own)/float64(symbols)
}

// An orderlessScore says how many of the symbols in a model's answers occur in the question, and how many are at the
// right places.
type orderlessScore struct {
	known    float64 // share of written symbols that occur in the question, in percent
	right    float64 // share of correct symbols
	shuffled float64 // the share of correct symbols, averaged over all orders of each written answer
}

// withoutPlaces asks a model the given number of questions and returns the score of the answers.
func withoutPlaces(m attention.Model, task attention.Task, number int, seed uint64) orderlessScore {
	qs := task.Questions(number, seed, -1)
	prompts := make([][]int, number)
	for i, q := range qs {
		prompts[i] = append(slices.Clone(q), task.Symbols)
	}
	var o orderlessScore
	each := 100 / float64(number*task.Digits) // the share of one symbol, in percent
	for i, wrote := range must.Get(attention.Continue(m, prompts, task.Digits)) {
		for j, want := range task.Answer(qs[i]) {
			if wrote[j] == want {
				o.right += each
			}
			if slices.Contains(qs[i], wrote[j]) {
				o.known += each
			}
			for _, other := range wrote { // in a random order, each symbol may be at place j
				if other == want {
					o.shuffled += each / float64(task.Digits)
				}
			}
		}
	}
	return o
}

// orderlessRows adds rows about what the model without positions knows: which digits the question has, but not their
// places. scores holds the scores of this model, one for each seed. bag is the result of anyOrder, in percent, and the
// argument what describes the data.
func (l *Lab) orderlessRows(scores []orderlessScore, bag float64, what string) {
	var known, right, shuffled []float64
	var seeds []uint64
	for i, o := range scores {
		known, right, shuffled = append(known, o.known), append(right, o.right), append(shuffled, o.shuffled)
		seeds = append(seeds, l.Seed+uint64(i))
	}
	data := record.Generated(label("%s, %d seeds", what, len(scores)))
	l.Row(record.Row{
		ID: "ablation-positions-digits", What: "reverse without positional encodings: share of written symbols that occur in the question",
		Measured: record.Number(tenth(stat.Mean(known, nil)), "%"), Rule: record.AtLeast(99), Repeat: 2,
		Data: data, Seeds: seeds, Figure: "ablation",
		Reason: "a mean of values shows which digits occur and how often, but not where; the model was trained for only a few steps",
	})
	y, shuffle := stat.Mean(right, nil), stat.Mean(shuffled, nil)
	l.Row(record.Row{
		ID: "ablation-positions-places", What: "reverse without positional encodings: accuracy minus the mean accuracy over all orders of the same written symbols",
		Measured: record.Value{Kind: record.KindNumber, Number: tenth(y - shuffle), Unit: "points", Text: label("%.1f %% against %.1f %%", y, shuffle)},
		Rule:     record.Between(-3, 3), Repeat: 3, Data: data, Seeds: seeds, Figure: "ablation",
		Reason: label("the model does not know the digits' positions: the question's digits in random order are %.0f %% correct on average", bag),
	})
}

// ablationRows adds the rows for the lecture's statements. bars[variant][task] is the mean over the seeds that all
// variants share; variants and tasks are in the order of Ablation. scores(v, k) returns the scores of variant v and
// task k for all seeds, including additional ones. bag is the result of anyOrder in percent; desc describes the data.
func (l *Lab) ablationRows(bars [][]float64, scores func(v, k int) []float64, rep *AblationReport, bag float64, desc string, seeds int) {
	const (
		whole, places, mask, nonlinear, heads = 0, 1, 2, 3, 4
		reverse, add                          = 1, 3
	)
	seeded := func(n int) (list []uint64) {
		for i := range n {
			list = append(list, l.Seed+uint64(i))
		}
		return list
	}
	const title = "From Self-Attention to Transformers"
	row := func(id, text string, published record.Value, v, k int, rule record.Rule, repeat float64, reason string) {
		// If one of the two models was tried with more seeds than the other, compare with the smaller number of
		// seeds.
		a, b := scores(whole, k), scores(v, k)
		n := min(len(a), len(b))
		with, sdWith := stat.MeanStdDev(a[:n], nil)
		without, sdWithout := stat.MeanStdDev(b[:n], nil)
		r := record.Row{
			ID: id, What: text, Published: published, Rule: rule, Repeat: repeat, Reason: reason,
			Measured: record.Value{Kind: record.KindNumber, Number: tenth(with - without), Unit: "points", Text: label("%.0f %% against %.0f %%", with, without)},
			Data:     record.Generated(label("%s, %d seeds", desc, n)), Seeds: seeded(n), Figure: "ablation",
		}
		if n > 1 {
			r.Spread, r.SpreadOf = tenth(math.Hypot(sdWith, sdWithout)), label("standard deviations of both models over %d seeds, added in quadrature", n)
			// The bound must hold beyond chance, so it is applied to the mean minus its standard error.
			low := (with - without) - math.Hypot(sdWith, sdWithout)/math.Sqrt(float64(n))
			r.What += "; mean difference minus its standard error"
			r.Measured.Number = tenth(low)
			r.Measured.Text += label(", mean difference %.1f", with-without)
		}
		l.Row(r)
	}
	l.Row(record.Row{
		ID: "ablation-whole", What: "full model: accuracy on the worst of the four tasks",
		Measured: record.Number(tenth(min(bars[whole][0], bars[whole][1], bars[whole][2], bars[whole][3])), "% of symbols"), Rule: record.AtLeast(95).Partly(30), Repeat: 5,
		Data: record.Generated(label("%s, %d seeds", desc, seeds)), Seeds: seeded(seeds), Figure: "ablation", Reason: "sorting takes the longest to learn completely",
	})
	row("ablation-positions", "reverse: accuracy with positional encodings minus accuracy without them", slides.Quote("Positional encoding addresses lack of sequence information", title), places, reverse, record.AtLeast(30), 10,
		label("without positional encodings the model knows the question's digits but not their positions: in random order %.0f %% of them are correct (rows ablation-positions-digits and ablation-positions-places)", bag))
	row("ablation-mask", "reverse, answer generated by the model itself: accuracy with the mask minus accuracy without it", slides.Quote("Masked decoding: how to prevent attention lookups into the future?", title), mask, reverse, record.AtLeast(10), 20,
		label("without the mask the model can read the answer during training: its training loss is %.3f nats against %.3f with the mask (mean over all tasks)", rep.Rows[mask].Loss, rep.Rows[whole].Loss))
	row("ablation-heads", "add: accuracy with four heads minus accuracy with one head of the same total width", slides.Quote("Multi-headed attention allows querying multiple positions at each layer", title), heads, add, record.AtLeast(10).Partly(10), 25,
		"a sum needs two digits at once, and a single head has to mix both into one mean; with more training or a lucky initialization it can still learn the task")
	row("ablation-nonlinearity", "add: accuracy with the ReLU minus accuracy without it", slides.Quote("Adding nonlinearities: so far, each successive layer is linear in the previous one", title), nonlinear, add, record.AtLeast(2).Partly(2), 10,
		"the task is learned sooner with the ReLU; softmax and layer normalization are nonlinear too (see row linear-in-h), so with more steps the model without the ReLU also learns to add")
}
