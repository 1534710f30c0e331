package iconframework

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/tsne/tsneplot"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// Gradients is one way to compute the gradients of t-SNE, with measurements of the map that it makes.
type Gradients struct {
	Way     string
	Points  int
	KL      string
	Share   string // share of digits whose 5 nearest neighbors in the map vote for their class
	Seconds string
}

// Scale makes one map with the forces of all pairs and one with the Barnes–Hut approximation, from the same start, and
// compares their losses. The I-Con engine computes both losses from all pairs.
func (l *Lab) Scale() []Gradients {
	n := l.Pick(200, 1000, 3000)
	s := l.part(0, n)
	opt := tsne.Options{Perplexity: 30, Steps: l.Pick(250, 500, 1000), ExaggeratedSteps: l.Pick(100, 150, 250)}
	var out []Gradients
	results := map[tsne.Method]*tsne.Result{}
	seconds := map[tsne.Method]float64{}
	var all *tsne.Affinities
	share := map[tsne.Method]float64{}
	for _, m := range []tsne.Method{tsne.Exact, tsne.BarnesHut} {
		opt.Method = m
		begin := time.Now()
		r := must.Get(tsne.Fit(l.Context(), s.Z, &opt))
		results[m], seconds[m] = r, time.Since(begin).Seconds()
		if m == tsne.Exact {
			all = r.Affinities
		}
		share[m] = votesInMap(r.Y, s.Labels)
		name := "exact, all pairs"
		if m == tsne.BarnesHut {
			name = "Barnes–Hut, 91 neighbors"
		}
		// Evaluate both with the P of all pairs; a different P would give a different divergence.
		out = append(out, Gradients{name, n, fmt.Sprintf("%.3f", all.KL(r.Y)), fmt.Sprintf("%.1f %%", 100*share[m]), fmt.Sprintf("%.2g", seconds[m])})
	}
	exact, fast := results[tsne.Exact], results[tsne.BarnesHut]
	o := must.Get(icon.TSNE(s.Z, 30, 2, l.Seed))
	Y := o.Params()[0]
	Y.X.Copy(exact.Y)
	L := o.Gradient()
	a, b := relativeError(L, all.KL(exact.Y)), 0.0
	// At the map's minimum the gradient nearly vanishes, so compare it elsewhere.
	Y.X.Copy(icon.Normal(n, 2, 3, l.Seed+30))
	o.Gradient()
	b = relativeDistance(Y.Grad, all.Gradient(Y.X))
	l.Row(record.Row{
		ID: "scale-engine", What: fmt.Sprintf("%d digits: the engine's joint t-SNE loss and gradient versus those of package tsne, larger of the relative errors", n),
		Measured: record.Number(max(a, b), ""), Rule: record.AtMost(1e-4), Data: s.data(), Repeat: 1e-5,
		Reason: "each finds the widths of p by its own bisection",
	})
	// Rounding errors grow over the steps that make a map, so other processors make different maps. Maps of few
	// digits differ more.
	repeatKL, repeatShare := 0.03, 2.0
	if l.Size == record.Smoke {
		repeatKL, repeatShare = 0.1, 12
	}
	ka, kb := all.KL(exact.Y), all.KL(fast.Y)
	l.Row(record.Row{
		ID: "scale-barnes-hut", What: fmt.Sprintf("%d digits: KL of the Barnes–Hut map divided by KL of the exact map, for the same P", n),
		Measured: record.Number(kb/ka, ""), Rule: record.AtMost(1.1), Data: s.data(), Repeat: repeatKL,
		Reason: fmt.Sprintf("%.3f and %.3f", kb, ka),
	})
	l.Row(record.Row{
		ID: "scale-same-quality", What: "same maps, 5-nearest-neighbor accuracy: Barnes–Hut minus exact",
		Measured: record.Number(100*(share[tsne.BarnesHut]-share[tsne.Exact]), "points"), Rule: record.AtLeast(-3), Data: s.data(), Repeat: repeatShare,
	})
	if l.Size != record.Smoke {
		l.Row(record.Row{
			ID: "scale-faster", What: fmt.Sprintf("%d digits: time of exact t-SNE divided by time of Barnes–Hut", n),
			Measured: record.Number(seconds[tsne.Exact]/seconds[tsne.BarnesHut], "times"), Rule: record.AtLeast(1.5),
			Data: record.Times(record.Data{}), Repeat: 1e4, Reason: "times of a single run; the ratio grows with the number of points",
		})
	}
	return out
}

// votesInMap returns the share of the points of a map (n×2) whose own label wins the vote of their 5 nearest other
// points. It examines at most 5,000 points; their neighbors may be any points of the map.
func votesInMap(Y *mat.Dense, labels []int) float64 {
	n, _ := Y.Dims()
	m := min(n, 5000)
	Q, asked, self := mat.NewDense(m, 2, nil), make([]int, m), make([]int, m)
	for q := range m {
		i := q * n / m
		Q.SetRow(q, Y.RawRowView(i))
		asked[q], self[q] = labels[i], i
	}
	return votes(Y, labels, Q, asked, 5, self)
}

// Map makes a map of many digits by t-SNE, and measures how well neighbors in the map vote for the class of a digit.
func (l *Lab) Map() *figure.Figure {
	a := l.allDigits()
	have, _ := a.X.Dims()
	n := min(have, l.Pick(400, 4000, 60_000))
	s := l.part(0, n)
	r := must.Get(tsne.Fit(l.Context(), s.Z, &tsne.Options{Perplexity: 30, Steps: l.Pick(400, 750, 1000), ExaggeratedSteps: l.Pick(150, 250, 250)}))
	share := votesInMap(r.Y, s.Labels)
	l.Row(record.Row{
		ID: "map-neighbours", What: fmt.Sprintf("t-SNE map of %d digits: 5-nearest-neighbor accuracy, measured on at most 5,000 of them", n),
		Measured: record.Number(100*share, "%"), Rule: record.AtLeast(80), Data: s.data(), Figure: "map", Repeat: 2,
		Reason: fmt.Sprintf("the map was made without labels; KL %.3f", r.KL),
	})
	// More dots would only overlap and make the file large.
	const dots = 15_000
	shown, labels := r, s.Labels
	drawn := ""
	if n > dots {
		shown, labels = &tsne.Result{Y: mat.NewDense(dots, 2, nil)}, make([]int, dots)
		for q := range dots {
			i := q * n / dots
			shown.Y.SetRow(q, r.Y.RawRowView(i))
			labels[q] = s.Labels[i]
		}
		drawn = fmt.Sprintf(" %d of the digits are drawn.", dots)
	}
	f := tsneplot.Map(shown, fmt.Sprintf("%d digits by t-SNE", n), labels, nil)
	l.Save("map", fmt.Sprintf("Perplexity 30, %d steps, KL %.2f, 5-nearest-neighbor accuracy %.1f %%.%s Data: %v.", r.Steps, r.KL, 100*share, drawn, s.data()), f)
	l.Rounded("map")
	return f
}
