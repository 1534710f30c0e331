package lewicki

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A control is the post's experiment with changes to some of four properties: the sign of z, the sources, the
// inference of ŝ, and the step lengths.
type control struct {
	sign, sources, inference, steps bool // whether each property is changed
}

// controls lists the post's unchanged experiment, each single change, the sign together with each of the other changes,
// and all changes with and without the sign.
var controls = []control{
	{},
	{sign: true}, {sources: true}, {inference: true}, {steps: true},
	{sign: true, sources: true}, {sign: true, inference: true}, {sign: true, steps: true},
	{sign: true, sources: true, inference: true},
	{sources: true, inference: true, steps: true},
	{sign: true, sources: true, inference: true, steps: true},
}

// String lists the changes of c.
func (c control) String() string {
	var list []string
	for i, on := range []bool{c.sign, c.sources, c.inference, c.steps} {
		if on {
			list = append(list, []string{"sign", "sources", "inference", "steps"}[i])
		}
	}
	switch len(list) {
	case 0:
		return "nothing"
	case 4:
		return "all four"
	}
	return strings.Join(list, ", ")
}

// learner returns a learner with the post's rule, except for what the control changes. A run of this learner ends when
// the columns of its basis vanish.
func (c control) learner(steps int) learner {
	w := postRule(0.1, steps)
	w.settings.MinNorm = 0.01
	if c.sign {
		w.settings.Rule = ica.Natural
		w.settings.MaxChange = -1 // no bound, as in the post's rule
	}
	if c.inference {
		w.settings.Infer = nil // basis pursuit: coefficients of either sign
	}
	if c.steps {
		w.settings.FinalRate = 1e-4
	}
	return w
}

// source returns the distribution of the sources: that of the post or, if c.sources is set, a sparse one with values of
// either sign.
func (c control) source() ica.Source {
	if c.sources {
		return ica.BernoulliLaplacian{P: 0.3}
	}
	return ica.Exponential{}
}

// Controls compares the post's experiment with the experiment that works, and finds out which difference is decisive.
// The two experiments differ in four properties, and only changing one property at a time shows which property matters:
//
//	sign        z = +sign(ŝ)/b            against  z = −sign(ŝ)/b
//	sources     exponential, all active   against  of either sign, active 30 %
//	inference   gradient steps with ReLU  against  basis pursuit
//	steps       η = 0.1                   against  η from 0.1 to 10⁻⁴
//
// Each setting uses the same seeds and the same starts, 10 degrees from the true basis. Controls returns a
// table.
func (l *Lab) Controls() Tableau {
	seeds, p, steps := l.Pick(3, 12, 50), l.Pick(60, 200, 1000), l.Pick(60, 200, 400)
	truth := planeBasis()
	t := Tableau{Title: "Controls: changes to the post's experiment", Head: []string{"changed from the post's experiment", "runaway runs", "end within 5°", "median worst angle", "end closer than the start"},
		Note: fmt.Sprintf("%d runs per row, started 10° from the truth; %d samples, at most %d steps. A run counts as a runaway if its inference fails, or if the longest column becomes shorter than 0.1 or longer than a million. Runaways are not counted in \"end within 5°\" and \"end closer than the start\" (final worst angle below 10°). –: more than half of the runs are runaways.", seeds, p, steps)}
	type outcome struct {
		away, within, nearer int
		angles               []float64
	}
	results := make([]outcome, len(controls))
	for i, c := range controls {
		away, angle := make([]bool, seeds), make([]float64, seeds)
		lab.Parallel(l.Context(), seeds, func(k int) {
			w := c.learner(steps)
			inf := ica.InferOptions{}
			if w.settings.Infer != nil {
				inf = *w.settings.Infer
			}
			inf.Workers = 1
			w.settings.Infer = &inf
			start := ica.PerturbBasis(truth, 10, l.Seed+600+uint64(k))
			r := w.run(l.Context(), start, ica.NewMixture(truth, c.source(), p, 0, l.Seed+620+uint64(k)))
			away[k], angle[k] = ranAway(r), finalAngle(r, truth)
		})
		o := outcome{angles: angle}
		for k := range seeds {
			if away[k] {
				o.away++
				continue
			}
			if angle[k] < threshold {
				o.within++
			}
			if angle[k] < 10-1e-9 {
				o.nearer++
			}
		}
		results[i] = o
		median := fmt.Sprintf("%.2g°", quantile(o.angles, 0.5))
		if o.away > seeds/2 {
			median = "–"
		}
		t.Cells = append(t.Cells, []string{c.String(), fmt.Sprintf("%d of %d", o.away, seeds), fmt.Sprintf("%d of %d", o.within, seeds), median, fmt.Sprintf("%d of %d", o.nearer, seeds)})
	}

	share := func(n int) float64 { return 100 * float64(n) / float64(seeds) }
	with, without, less, all := 100.0, 0.0, 0.0, 0.0
	for i, c := range controls {
		if c.sign {
			without = max(without, share(results[i].away))
		} else {
			with = min(with, share(results[i].away))
		}
		if c.sign && c.sources && c.inference {
			if !c.steps {
				all = share(results[i].within)
			}
		} else {
			less = max(less, share(results[i].within))
		}
	}
	list, data := seedList(l.Seed+600, seeds), record.Generated(fmt.Sprintf("%d mixtures of 3 sources, exponential or active 30 %%", p))
	l.Row(record.Row{
		ID: "controls-post-sign", What: "with the post's sign the columns run away whatever else is changed: smallest share of runaway runs over all such settings",
		Measured: record.Number(with, "%"), Rule: record.AtLeast(95), Data: data, Seeds: list,
		Reason: "in some runs, decreasing steps end before the columns vanish; none of these runs ends closer to the truth than it started",
	})
	l.Row(record.Row{
		ID: "controls-right-sign", What: "with the right sign the columns do not run away, whatever else is as in the post: largest share of runaway runs over all such settings",
		Measured: record.Number(without, "%"), Rule: record.AtMost(5), Data: data, Seeds: list,
		Reason: "the sign decides whether the columns run away; decreasing steps can only stop a run before that (controls-post-sign)",
	})
	l.Row(record.Row{
		ID: "controls-aligned", What: "sign, sources and inference changed, steps as in the post: share of runs that end within 5 degrees",
		Measured: record.Number(all, "%"), Rule: record.AtLeast(95), Data: data, Seeds: list,
	})
	l.Row(record.Row{
		ID: "controls-each-needed", What: "sign, sources or inference as in the post: largest share of runs that end within 5 degrees, over all such settings",
		Measured: record.Number(less, "%"), Rule: record.AtMost(5), Data: data, Seeds: list,
		Reason: "the right sign keeps A from running away; turning the columns to the truth also requires sparse sources of either sign and coefficients of either sign",
	})
	return t
}

// scheduleRow tests whether a learning-rate schedule prevents the runaway; the post names the lack of one as a
// possible cause. It runs the post's rule with rates that fall to 10⁻⁴.
func (l *Lab) scheduleRow() {
	seeds, p := l.Pick(2, 12, 50), l.Pick(60, 200, 1000)
	const steps = 300
	truth := planeBasis()
	learned, seen := 0, ""
	rates := []float64{0.1, 0.05, 0.02}
	nearest := make([]float64, len(rates)*seeds)
	for i, rate := range rates {
		away, angle := make([]bool, seeds), make([]float64, seeds)
		lab.Parallel(l.Context(), seeds, func(k int) {
			w := postRule(rate, steps)
			w.settings.FinalRate, w.settings.MinNorm, w.settings.Infer.Workers = 1e-4, 0.01, 1
			start := ica.PerturbBasis(truth, 10, l.Seed+640+uint64(k))
			r := w.run(l.Context(), start, ica.NewMixture(truth, ica.Exponential{}, p, 0, l.Seed+660+uint64(k)))
			away[k], angle[k] = ranAway(r), ica.Match(truth, r.A).Worst
			_, angles := history(r, worstAngle)
			nearest[i*seeds+k] = floats.Min(angles)
		})
		n := 0
		for k := range seeds {
			if away[k] {
				n++
			} else if angle[k] < 10-1e-9 {
				learned++
			}
		}
		seen += fmt.Sprintf("initial rate %g: %d of %d run away; ", rate, n, seeds)
	}
	l.Row(record.Row{
		ID: "e3-scheduler", What: "the lack of a schedule is the cause: share of runs (post's rule, start 10 degrees off, rates decreasing to 0.0001) that do not run away and end closer to the truth",
		Published: blog.Quote("this happens when the learning rate (α) is unsuitable (either too high, or no learning rate scheduler is used)", "E3"),
		Measured: record.Value{Kind: record.KindNumber, Number: 100 * float64(learned) / float64(seeds*len(rates)), Unit: "%",
			Text: strings.TrimSuffix(seen, "; ")},
		Rule: record.AtLeast(50), Data: record.Generated(fmt.Sprintf("%d mixtures of 3 exponential sources", p)), Seeds: seedList(l.Seed+640, seeds),
		Reason: fmt.Sprintf("the columns vanish once the rates sum to 1.2 or more (e3-learning-rate). A schedule with a smaller sum stops most runs before that, but no run was ever closer to the truth than at the start (smallest worst angle over all runs and steps: %.1f degrees)", floats.Min(nearest)),
	})
}
