package lecturesparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/superposition"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// countRepresented returns the number of features whose direction has length at least one half.
func countRepresented(m *superposition.Model) int {
	n := 0
	for _, v := range m.Norms() {
		if v >= 0.25 {
			n++
		}
	}
	return n
}

// Superposition shows where five features of decreasing importance lie in two dimensions, for
// features that are present always, sometimes, and rarely.
func (l *Lab) Superposition() *figure.Grid {
	importance := []float64{1, 0.9, 0.81, 0.729, 0.656}
	samples := l.Pick(1000, 4000, 10000)
	var panels []*figure.Figure
	var losses []float64
	var models []*superposition.Model
	probabilities := []float64{1, 0.2, 0.05}
	titles := []string{"Always present", "Present 1 time in 5", "Present 1 time in 20"}
	for k, p := range probabilities {
		data := superposition.Sparse(5, samples, p, l.Seed)
		o := superposition.Options{Hidden: 2, Importance: importance, Starts: 4, Steps: l.Pick(1000, 1500, 4000), Seed: l.Seed}
		r, err := superposition.Fit(l.Context(), data, &o)
		lab.Check(err)
		o.Linear, o.Starts = true, 1 // a linear model has only global minima
		linear, err := superposition.Fit(l.Context(), data, &o)
		lab.Check(err)
		models, losses = append(models, r.Model), append(losses, r.Loss/linear.Loss)
		f := figure.New(titles[k], "", "")
		f.Basis("", r.Model.Directions(), 1)
		panels = append(panels, f.Limit(1.4))
	}
	data := record.Generated(fmt.Sprintf("5 features of decreasing importance, %d samples", samples))
	dense, rare := models[0], models[2]
	apart := 0.0
	for i, v := range dense.Interference() {
		if dense.Norms()[i] >= 0.25 {
			apart = math.Max(apart, v)
		}
	}
	l.Row(record.Row{
		ID: "superposition-dense", What: "features always present: number represented in two dimensions, and their largest interference",
		Published: elhage.Quote(densely, "Demonstrating superposition"),
		Measured:  record.Bool(countRepresented(dense) == 2 && apart < 0.1, fmt.Sprintf("%d, %.3f", countRepresented(dense), apart)), Rule: record.Holds(), Data: data, Figure: "superposition",
		Reason: "successive importances differ by only 10 %, so the loss is flat and convergence is slow",
	})
	l.Row(record.Row{
		ID: "superposition-sparse", What: "features present with probability 0.05: number represented in two dimensions, and loss divided by that of the best linear model",
		Published: elhage.Quote(superposed, "abstract"),
		Measured:  record.Bool(countRepresented(rare) > 2 && losses[2] < 0.9, fmt.Sprintf("%d, %.2f", countRepresented(rare), losses[2])), Rule: record.Holds(), Data: data, Figure: "superposition",
	})
	g := figure.NewGrid("Five features in two dimensions", 3, panels...).Size(2.4, 2.4)
	l.Save("superposition", "Each arrow is the direction of one feature; dropped features have none. If features are always present, two of them get a dimension each. Rare features share the dimensions.", g)
	return g
}

// The classes of the phase diagram.
const (
	first  = iota // only the first feature is represented
	second        // only the second
	both          // both, in one dimension
	none
)

// class returns which of the two features a model in one dimension represents: none, the first, the second, or both.
func class(m *superposition.Model) int {
	n := m.Norms()
	switch a, b := n[0] >= 0.25, n[1] >= 0.25; {
	case a && b:
		return both
	case a:
		return first
	case b:
		return second
	}
	return none
}

// Phases draws the phase diagram of two features in one dimension. Its axes are how often the features are
// present, and the importance of the second feature.
func (l *Lab) Phases() *figure.Figure {
	n := l.Pick(7, 15, 31)
	grid := mat.NewDense(n, n, nil)
	probability := func(j int) float64 { return math.Pow(10, -2*float64(j)/float64(n-1)) } // 1 to 0.01
	importance := func(i int) float64 { return math.Pow(10, 1-2*float64(i)/float64(n-1)) } // 10 to 0.1
	lab.Parallel(l.Context(), n*n, func(c int) {
		i, j := c/n, c%n
		r, err := superposition.Fit(l.Context(), superposition.Pair(probability(j)), &superposition.Options{
			Importance: []float64{1, importance(i)}, Steps: l.Pick(250, 400, 1500), Starts: 4, Rate: 0.05, Seed: l.Seed})
		lab.Check(err)
		grid.Set(i, j, map[int]float64{second: 0, both: 0.5, first: 1, none: math.NaN()}[class(r.Model)])
	})
	at := func(i, j int) float64 { return grid.At(i, j) }
	count := map[float64]int{}
	most := 0 // changes along a row: a sharp boundary is crossed once
	for i := range n {
		changes := 0
		for j := range n {
			count[at(i, j)]++
			if j > 0 && at(i, j) != at(i, j-1) {
				changes++
			}
		}
		most = max(most, changes)
	}
	data := record.Data{Name: "the expected loss of two features, by quadrature", Generated: true}
	l.Row(record.Row{
		ID: "phases", What: "two features in one dimension: grid points where only the second, both, or only the first are represented; changes along a row of fixed importance",
		Published: elhage.Quote(phases, "Superposition as a phase change"),
		Measured: record.Bool(count[0] > 0 && count[0.5] > 0 && count[1] > 0 && most <= 1,
			fmt.Sprintf("%d, %d, %d; at most %d", count[0], count[0.5], count[1], most)), Rule: record.Holds(), Data: data, Figure: "phases",
	})
	l.Row(record.Row{
		ID: "phases-rare", What: "equal importance: one feature is dropped at probability 1, both are kept at probability 0.01",
		Measured: record.Bool(at(n/2, 0) != 0.5 && at(n/2, n-1) == 0.5, fmt.Sprintf("%g and %g (0.5 is both)", at(n/2, 0), at(n/2, n-1))), Rule: record.Holds(), Data: data, Figure: "phases",
	})
	f := figure.HeatmapIn("Which features are kept?", grid, 0, 1, figure.Sequential).NoBar()
	f.X.Label.Text, f.Y.Label.Text = "probability that a feature is present", "importance of the second"
	ticks := func(label func(i int) float64) (t plot.ConstantTicks) {
		for _, i := range []int{0, (n - 1) / 2, n - 1} {
			t = append(t, plot.Tick{Value: float64(i), Label: fmt.Sprintf("%.2g", label(i))})
		}
		return t
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = ticks(probability), ticks(importance)
	for k, name := range []string{"only the second", "both", "only the first"} {
		value := float64(k) / 2
		x, y, points := 0.0, 0.0, 0.0
		for i := range n {
			for j := range n {
				if at(i, j) == value {
					x, y, points = x+float64(j), y+float64(i), points+1
				}
			}
		}
		if points > 0 { // in the middle of its region; a letter is about a fortieth of the width
			f.Text(max(0, x/points-float64(len(name)*n)/80), y/points, name)
		}
	}
	l.Save("phases", "Labels: the features that are represented. If both are, they share the one dimension with opposite signs. The loss is an expectation, computed by quadrature, so no sampling noise blurs the boundaries.", f)
	return f
}
