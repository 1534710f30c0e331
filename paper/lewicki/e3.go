package lewicki

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A learner is a method of learning A. The experiments compare learners.
type learner struct {
	name     string
	settings ica.FitOptions
}

// postRule returns the learner with the post's unchanged rule: its sign, ŝ by gradient steps with a ReLU, and
// a fixed step length.
func postRule(rate float64, steps int) learner {
	return learner{"the post's rule", ica.FitOptions{
		Rule: ica.Blog, Rate: rate, FinalRate: rate, Steps: steps,
		Infer: &ica.InferOptions{Method: ica.ReLUGradient, Noise: inferenceNoise, MaxIterations: 100},
	}}
}

// rightRule returns the learner with the paper's rule: the paper's sign, noise-free ŝ of either sign by basis
// pursuit, and decreasing steps.
func rightRule(steps int) learner {
	return learner{"the right sign", ica.FitOptions{Rule: ica.Natural, Steps: steps}}
}

// run learns a basis from the mixture's samples. start is the initial basis. Divergence is not an error; the result's
// status reports it.
func (w learner) run(ctx context.Context, start *mat.Dense, mix *ica.Mixture) *ica.FitResult {
	s := w.settings
	s.Truth = mix.A
	if s.Scale == 0 {
		s.Scale = mix.Source.MeanAbs()
	}
	r, err := ica.Fit(ctx, start, mix.X, &s)
	lab.Heed(ctx)
	if r == nil {
		lab.Check(err)
	}
	return r
}

// sparseMixture returns data from sparse sources, from which the rule with the right sign can learn. Its counterpart
// exponentialMixture returns data from the exponential sources of the post.
func (l *Lab) sparseMixture(seed uint64) *ica.Mixture {
	return ica.NewMixture(planeBasis(), ica.BernoulliLaplacian{P: 0.3}, l.Pick(300, 1000, 1000), 0, l.Seed+seed)
}

func (l *Lab) exponentialMixture(seed uint64) *ica.Mixture {
	return ica.NewMixture(planeBasis(), ica.Exponential{}, l.Pick(200, 400, 1000), 0, l.Seed+seed)
}

// history returns the recorded steps of a run and the value of one quantity at each of them. It leaves out steps at
// which the value is not finite.
func history(r *ica.FitResult, quantity func(ica.FitStep) float64) (steps, values []float64) {
	for _, h := range r.History {
		if v := quantity(h); !math.IsNaN(v) && !math.IsInf(v, 0) {
			steps, values = append(steps, float64(h.Step)), append(values, v)
		}
	}
	return steps, values
}

func worstAngle(h ica.FitStep) float64 { return h.WorstAngle }
func longest(h ica.FitStep) float64    { return floats.Max(h.Norms) }

// finalAngle returns the worst angle at the end of a run, or 90 degrees if the run diverged.
func finalAngle(r *ica.FitResult, truth *mat.Dense) float64 {
	if r.Status == ended.Diverged {
		return 90
	}
	return ica.Match(truth, r.A).Worst
}

// ranAway reports whether a run ran away: it diverged, or its longest column shrank below 0.1. When the columns are
// that short, the steps may overshoot and make them oscillate.
func ranAway(r *ica.FitResult) bool { return r.Status == ended.Diverged || collapse(r) >= 0 }

// collapse returns the number of the first recorded step at whose start all columns are shorter than 0.1, or −1 if
// there is no such step.
func collapse(r *ica.FitResult) int {
	for _, h := range r.History {
		if floats.Max(h.Norms) < 0.1 {
			return h.Step
		}
	}
	return -1
}

// LearningPerturbed draws the first half of E3: learning from a basis near the truth, by the post's rule and
// by the right rule.
func (l *Lab) LearningPerturbed() *figure.Grid {
	const perturbed = 10 // degrees
	seeds := l.Pick(4, 12, 50)
	steps := 300
	post, right := postRule(0.1, steps), rightRule(steps)
	var postAngles, rightAngles []float64
	postDiverged := 0
	var shown [2]*ica.FitResult
	var shownStart *mat.Dense
	var shownMix *ica.Mixture
	for k := range seeds {
		start := ica.PerturbBasis(planeBasis(), perturbed, l.Seed+300+uint64(k))
		a := post.run(l.Context(), start, l.exponentialMixture(320+uint64(k)))
		mix := l.sparseMixture(340 + uint64(k))
		b := right.run(l.Context(), start, mix)
		if ranAway(a) {
			postDiverged++
		}
		postAngles = append(postAngles, finalAngle(a, planeBasis()))
		rightAngles = append(rightAngles, finalAngle(b, planeBasis()))
		if k == 0 {
			shown, shownStart, shownMix = [2]*ica.FitResult{a, b}, start, mix
		}
	}
	l.Row(record.Row{
		ID: "e3-perturbed", What: "the post's rule learns from a perturbed basis: share of runs that end within 5 degrees",
		Published: blog.Quote("I was able to get perfect learning behavior when initializing A with a perturbed version of A", "E3"),
		Measured:  record.Number(shareBelow(postAngles, threshold), "%"), Rule: record.AtLeast(target).Partly(partly),
		Data: record.Generated("mixtures of 3 exponential sources"), Seeds: seedList(l.Seed+300, seeds), Figure: "e3-perturbed",
		Reason: fmt.Sprintf("%d of %d runs run away: with z = +sign(s)/b, as printed, the columns shrink until the steps overshoot. The sign in the post's program may differ from that in its text", postDiverged, seeds),
	})
	l.Row(record.Row{
		ID: "e3-random-start", What: fmt.Sprintf("a random start is the cause: share of runs of the post's rule, started %d degrees off, that run away", perturbed),
		Published: blog.Quote("this happens when the learning rate (α) is unsuitable … and / or the initialization of A is random", "E3"),
		Measured:  record.Number(100*float64(postDiverged)/float64(seeds), "% of runs"), Rule: record.AtMost(50),
		Data: record.Generated("mixtures of 3 exponential sources"), Seeds: seedList(l.Seed+300, seeds), Figure: "e3-perturbed",
		Reason: "the start is not the cause: with the post's sign, runs run away whether they start near the truth or at random (e3-runaway); with the right sign, they do in neither case (e3-right-sign)",
	})
	l.Row(record.Row{
		ID: "e3-perturbed-right-sign", What: "right sign, with sources, inference and steps also changed (see the controls): share of runs that end within 5 degrees",
		Measured: record.Number(shareBelow(rightAngles, threshold), "%"), Rule: record.AtLeast(95),
		Data: record.Generated("mixtures of 3 sources, active 30 %"), Seeds: seedList(l.Seed+300, seeds), Figure: "e3-perturbed",
	})

	before := figure.Cloud("Before: every column 10° off", shownMix.X).Basis("columns of A", planeBasis(), 0).Basis("start", shownStart, 0)
	after := figure.Cloud("After, with the right sign", shownMix.X).Basis("columns of A", planeBasis(), 0).Basis("learned", shown[1].A, 0)
	g := figure.NewGrid(fmt.Sprintf("E3: learning from a basis %d degrees off", perturbed), 2, before, after, curves("Worst angle, degrees", shown, worstAngle, false), curves("Length of the longest column", shown, longest, true))
	l.Save("e3-perturbed", "Top: sparse data with the start (left) and with the basis learned by the rule with the right sign (right). Bottom: the post's rule (exponential sources, ReLU) does not turn the columns to the truth but shrinks them.", g.Size(3.2, 2.9))
	return g
}

// curves draws one quantity of two runs against the step; the first run is by the post's rule, and the second by the
// rule with the right sign. If log is set, the vertical axis is logarithmic.
func curves(title string, runs [2]*ica.FitResult, quantity func(ica.FitStep) float64, log bool) *figure.Figure {
	f := figure.New(title, "step", "")
	if log {
		f.LogY()
	}
	for i, name := range []string{"the post's rule", "the right sign"} {
		x, y := history(runs[i], quantity)
		if len(x) > 1 {
			f.Use([]int{figure.Vermilion, figure.Blue}[i]).Lines(name, x, y)
		}
	}
	return f
}

// LearningRandom draws the second half of E3: learning from random starts, over many seeds.
func (l *Lab) LearningRandom() *figure.Grid {
	seeds := l.Pick(4, 12, 50)
	const steps = 400
	norms := figure.New("Length of the longest column", "step", "").LogY()
	angles := figure.New("Worst angle, degrees", "step", "")
	diverged, rightDiverged := 0, 0
	var rightAngles []float64
	for k := range seeds {
		start := ica.RandomBasis(2, 3, l.Seed+400+uint64(k))
		a := postRule(0.1, steps).run(l.Context(), start, l.exponentialMixture(420+uint64(k)))
		b := rightRule(steps).run(l.Context(), start, l.sparseMixture(440+uint64(k)))
		if ranAway(a) {
			diverged++
		}
		if ranAway(b) {
			rightDiverged++
		}
		rightAngles = append(rightAngles, finalAngle(b, planeBasis()))
		for i, r := range []*ica.FitResult{a, b} {
			colour := []int{figure.Vermilion, figure.Blue}[i]
			name := ""
			if k == 0 {
				name = []string{"the post's rule", "the right sign"}[i]
			}
			if x, y := history(r, longest); len(x) > 1 {
				norms.Use(colour).Lines(name, x, y)
			}
			if x, y := history(r, worstAngle); len(x) > 1 {
				angles.Use(colour).Lines(name, x, y)
			}
		}
	}
	data := record.Generated("mixtures of 3 exponential sources")
	l.Row(record.Row{
		ID: "e3-runaway", What: "post's rule, random starts: share of runs that run away (columns shrink below a tenth of their length or diverge)",
		Published: blog.Quote("There is a failure mode where the updates to A fall into a runaway regime, resulting in exploding losses", "E3"),
		Measured:  record.Number(100*float64(diverged)/float64(seeds), "%"), Rule: record.AtLeast(50), Data: data, Seeds: seedList(l.Seed+400, seeds), Figure: "e3-random",
		Reason: "it runs away for any start; neither the start nor the learning rate, which the post suspects, is the cause",
	})
	l.Row(record.Row{
		ID: "e3-right-sign", What: "right sign, random starts, with sources, inference and steps also changed (see the controls): share of runs that run away",
		Measured: record.Number(100*float64(rightDiverged)/float64(seeds), "%"), Rule: record.AtMost(0),
		Data: record.Generated("mixtures of 3 sources, active 30 %"), Seeds: seedList(l.Seed+400, seeds), Figure: "e3-random",
		Reason: fmt.Sprintf("%.0f %% of these single random starts end within 5 degrees of the truth; a start that does not is in a local optimum (see recovery)", shareBelow(rightAngles, threshold)),
	})
	l.rateRow()
	l.scheduleRow()

	g := figure.NewGrid("E3: learning from random bases", 2, norms, angles)
	l.Save("e3-random", fmt.Sprintf("%d random starts for each rule. With the post's sign the columns shrink from any start: to nothing, or to a hundredth of their length, where the steps overshoot and the columns oscillate. With the right sign they converge.", seeds), g.Size(3.2, 2.9))
	return g
}

// rateRow tests whether a smaller constant rate prevents the runaway or only delays it. If it only delays the
// runaway, steps × rate at the collapse is the same for all rates.
func (l *Lab) rateRow() {
	seeds, p := l.Pick(2, 12, 50), l.Pick(60, 200, 1000)
	rates := []float64{0.2, 0.1, 0.05, 0.025}
	seen, worst := "", 100.0
	for _, rate := range rates {
		collapsed := make([]float64, seeds) // steps × rate, or NaN
		lab.Parallel(l.Context(), seeds, func(k int) {
			w := postRule(rate, int(8/rate))
			w.settings.MinNorm, w.settings.Infer.Workers = 0.09, 1 // only the collapse matters here
			start := ica.PerturbBasis(planeBasis(), 10, l.Seed+461+uint64(k))
			r := w.run(l.Context(), start, ica.NewMixture(planeBasis(), ica.Exponential{}, p, 0, l.Seed+480+uint64(k)))
			collapsed[k] = math.NaN()
			if ranAway(r) {
				collapsed[k] = rate * float64(r.Steps)
			}
		})
		var times []float64
		for _, v := range collapsed {
			if !math.IsNaN(v) {
				times = append(times, v)
			}
		}
		share := 100 * float64(len(times)) / float64(seeds)
		worst = min(worst, share)
		seen += fmt.Sprintf("rate %g: %.0f %%", rate, share)
		if len(times) > 0 {
			seen += fmt.Sprintf(", at steps × rate = %.2f ± %.2f", stat.Mean(times, nil), stat.StdDev(times, nil))
		}
		seen += "; "
	}
	l.Row(record.Row{
		ID: "e3-learning-rate", What: "too high a rate is the cause: share of runs whose columns collapse, at the best of four constant rates",
		Published: blog.Quote("this happens when the learning rate (α) is unsuitable (either too high, or no learning rate scheduler is used)", "E3"),
		Measured:  record.Value{Kind: record.KindNumber, Number: worst, Unit: "% of runs", Text: strings.TrimSuffix(seen, "; ")}, Rule: record.AtMost(50),
		Data: record.Generated(fmt.Sprintf("%d mixtures of 3 exponential sources", p)), Seeds: seedList(l.Seed+461, seeds),
		Reason: "steps × rate at the collapse is nearly the same for all rates, so a smaller rate only delays it. For decreasing rates, see e3-scheduler",
	})
}

// shareBelow returns the percentage of the values that are below a bound.
func shareBelow(v []float64, bound float64) float64 {
	n := 0
	for _, x := range v {
		if x < bound {
			n++
		}
	}
	return 100 * float64(n) / float64(len(v))
}

func seedList(first uint64, n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = first + uint64(i)
	}
	return list
}
