package s3c2011

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// variational locates the paper's statements about inference.
const variational = "section 'Variational inference for S3C'"

// A Way is a method of inference, with what was measured when it performed the E step for a batch of patches.
type Way struct {
	Name     string
	Updates  int     // updates of Algorithm 1, alternations, or sweeps
	Energy   float64 // mean over patches at the end
	Gain     float64 // energy gained since the start, in % of the gain by conjugate gradients
	Fell     int     // number of updates that lowered the mean energy
	Products float64 // products with W or W' for a batch; 0 if there are none
	To99     float64 // products until the gain is 99 % of that by conjugate gradients; 0 means not reached
	Seconds  float64 // processor time of one run

	patches []float64 // energy of each patch at the end
}

// A Heat is one race between Algorithm 1 and conjugate gradients. Both methods are measured until they reach the mean
// energy that Algorithm 1 has after a given number of updates (Updates).
type Heat struct {
	Energy   float64
	Updates  int     // updates of ĥ by Algorithm 1
	Gradient int     // updates of ĥ by conjugate gradients; 0 means that the energy was not reached
	Products float64 // ratio of numbers of products with W: conjugate gradients divided by Algorithm 1
	Time     float64 // processor time: conjugate gradients divided by Algorithm 1; the median of several paired runs
	From, To float64 // the smallest and the largest of the ratios whose median is Time
}

// A DampingResult shows the effect of damping and clipping: energy curves, and two tables.
type DampingResult struct {
	*figure.Grid
	Ways  []Way
	Heats []Heat
}

// constant returns a schedule of n updates with constant η and ρ.
func constant(n int, eta, rho float64) s3c.Schedule {
	s := s3c.Schedule{Rho: rho}
	for range n {
		s.H, s.S = append(s.H, eta), append(s.S, eta)
	}
	return s
}

// free is a value of ρ that clips nothing.
const free = 1e9

// Indices of ways in DampingResult.Ways.
const (
	asPublished = iota
	notClipped
	notDamped
	neither
	gradients
	gradientsUndamped
	ascent
	patient
	patientGradients
)

// A trial is a method of inference and its options, before it is measured. A Way holds the results.
type trial struct {
	name  string
	curve bool // false: only in the table
	opt   s3c.InferOptions
}

// trials returns the trials of Damping. The constants asPublished, notClipped and so on are their indices.
func trials() []trial {
	published := s3c.DefaultSchedule()
	updates := len(published.H)
	longer := s3c.DefaultSchedule()
	for range 3 * updates {
		longer.H, longer.S = append(longer.H, 0.4), append(longer.S, 0.1)
	}
	unclipped := published
	unclipped.Rho = free
	undampedH := published
	undampedH.H = constant(updates, 1, 0).H
	return []trial{
		{"Algorithm 1, as published", true, s3c.InferOptions{Schedule: published}},
		{"without clipping", true, s3c.InferOptions{Schedule: unclipped}},
		{"without damping", true, s3c.InferOptions{Schedule: constant(updates, 1, published.Rho)}},
		{"without damping or clipping", true, s3c.InferOptions{Schedule: constant(updates, 1, free)}},
		// This tolerance is loose but sufficient. It favors conjugate gradients when times are compared.
		{"conjugate gradients", true, s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: published, Tolerance: 1e-2}},
		{"conjugate gradients, ĥ undamped", true, s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: undampedH, Tolerance: 1e-2}},
		{"coordinate ascent", true, s3c.InferOptions{Method: s3c.Coordinate, Schedule: constant(updates, 1, 0)}},
		{"Algorithm 1, four times as many updates", false, s3c.InferOptions{Schedule: longer}},
		{"conjugate gradients, four times as many updates", false, s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: longer, Tolerance: 1e-2}},
	}
}

// Damping compares Algorithm 1 with three kinds of rivals: Algorithm 1 without damping, clipping or both;
// conjugate gradients, which Algorithm 1 replaced; and exact coordinate ascent.
func (l *Lab) Damping() *DampingResult {
	d := &damping{sharedLab: &l.sharedLab, n: l.Pick(40, 100, 500), list: trials()}
	V := l.HeldOut(d.n)
	d.ways, d.curves = climb(l.Context(), l.Model(), V, d.list)
	d.race(l.Model(), V)
	var err error
	d.prior, err = l.Model().Energy(V, l.Model().Prior(d.n))
	lab.Check(err)
	out := &DampingResult{Grid: d.plot(), Ways: d.ways, Heats: d.heats}
	d.rows()
	return out
}

// A damping holds the state of the experiment Damping while it runs.
type damping struct {
	*sharedLab
	n      int // patches
	list   []trial
	ways   []Way
	curves [][]float64 // of each way, the mean energy before the first update and after each update
	heats  []Heat
	// The next four fields are for the race of coordinate ascent to the energy that Algorithm 1 has after the published
	// updates. The number of sweeps is 0 if coordinate ascent does not reach this energy. The other three fields are
	// the processor time of coordinate ascent divided by that of Algorithm 1: the median, the minimum and the maximum
	// of several runs.
	sweeps                  int
	slower, lowest, highest float64
	prior                   []float64 // energy of each patch at the start, which is the same for all ways
}

// race compares how long Algorithm 1 and conjugate gradients take to reach the same energy. It does so for four
// energies: those of Algorithm 1 after the published number of updates, and after two, three and four times as many.
// Both methods have the same start and the same schedule of updates, and stop at the update that reaches the energy.
// Their runs alternate, so that other programs on the machine slow down both alike. Coordinate ascent takes part only
// in the race to the first energy.
func (d *damping) race(m *s3c.Model, V *mat.Dense) {
	const turns = 3
	spent := func(k, updates int) float64 {
		o := d.list[k].opt
		o.Trace, o.Schedule.H, o.Schedule.S = false, o.Schedule.H[:updates], o.Schedule.S[:updates]
		begin := cputime.Used()
		infer(d.Context(), m, V, &o)
		return (cputime.Used() - begin).Seconds()
	}
	inTurn := func(k, updates, byAlgorithm1 int) (median, from, to float64) {
		var ratios []float64
		for range turns {
			t := spent(k, updates)
			ratios = append(ratios, t/spent(patient, byAlgorithm1))
		}
		slices.Sort(ratios)
		return ratios[turns/2], ratios[0], ratios[turns-1]
	}
	for rounds := 1; rounds <= 4; rounds++ {
		h := Heat{Updates: rounds * len(s3c.DefaultSchedule().H)}
		h.Energy = d.curves[patient][h.Updates]
		h.Gradient = max(0, slices.IndexFunc(d.curves[patientGradients], func(e float64) bool { return e >= h.Energy }))
		if h.Gradient > 0 {
			a, by := d.ways[patient], d.ways[patientGradients]
			h.Products = by.Products * float64(h.Gradient) / float64(by.Updates) / (a.Products * float64(h.Updates) / float64(a.Updates))
			h.Time, h.From, h.To = inTurn(patientGradients, h.Gradient, h.Updates)
		}
		d.heats = append(d.heats, h)
	}
	published := d.heats[0]
	d.sweeps = max(0, slices.IndexFunc(d.curves[ascent], func(e float64) bool { return e >= published.Energy }))
	if d.sweeps > 0 {
		d.slower, d.lowest, d.highest = inTurn(ascent, d.sweeps, published.Updates)
	}
}

// gained compares two gains, from start to a and from start to b. It returns the first gain as a percentage of the
// second, and the standard error of this percentage. The three arguments hold energies of the same patches; a gain is
// the mean increase. Because both gains are means over the same patches, the error is computed as that of a ratio of
// means.
func gained(start, a, b []float64) (share, se float64) {
	n := float64(len(start))
	var ga, gb float64
	for i, s := range start {
		ga, gb = ga+(a[i]-s)/n, gb+(b[i]-s)/n
	}
	ratio := ga / gb
	var sum float64
	for i, s := range start {
		r := (a[i] - s) - ratio*(b[i]-s)
		sum += r * r
	}
	return 100 * ratio, 100 * math.Sqrt(sum/(n*(n-1))) / math.Abs(gb)
}

// climb performs the E step for the patches V with each of the listed methods. For each method, it returns what was
// measured, and the curve of the mean energy (see the type damping).
func climb(ctx context.Context, m *s3c.Model, V *mat.Dense, list []trial) (ways []Way, curves [][]float64) {
	for _, w := range list {
		way := Way{Name: w.name}
		begin := cputime.Used()
		if w.curve { // trials without a curve take long, so they run only once, and their time includes computing energies
			infer(ctx, m, V, &w.opt)
			way.Seconds = (cputime.Used() - begin).Seconds()
		}
		w.opt.Trace = true
		r := infer(ctx, m, V, &w.opt)
		if !w.curve {
			way.Seconds = (cputime.Used() - begin).Seconds()
		}
		way.patches = r.Energy
		way.Updates, way.Energy = r.Updates, r.Trace[len(r.Trace)-1]
		for k := range r.Updates {
			if fell(r.Trace[k], r.Trace[k+1]) > 0 {
				way.Fell++
			}
		}
		switch w.opt.Method {
		case s3c.FixedPoint:
			way.Products = float64(4 * r.Updates)
		case s3c.ConjugateGradient: // two products per step, and seven more per alternation
			way.Products = float64(2*r.CGSteps + 7*r.Updates)
		}
		ways, curves = append(ways, way), append(curves, r.Trace)
	}
	start, by := curves[0][0], &ways[gradients]
	for k := range ways {
		w := &ways[k]
		w.Gain = 100 * (w.Energy - start) / (by.Energy - start)
		for u, e := range curves[k] {
			if w.To99 == 0 && e-start >= 0.99*(by.Energy-start) {
				w.To99 = w.Products * float64(u) / float64(w.Updates)
			}
		}
	}
	return ways, curves
}

// plot draws and saves the curves, which show how far the energy of each method is below the best energy that any
// method reaches. For the methods without damping this distance is larger by orders of magnitude, so they have a panel
// of their own. Algorithm 1 is drawn in both panels.
func (d *damping) plot() *figure.Grid {
	best := math.Inf(-1)
	for k := range d.ways {
		best = math.Max(best, slices.Max(d.curves[k]))
	}
	panel := func(title string) *figure.Figure {
		return figure.New(title, "update", "nats below the best energy").LogY().WholeX()
	}
	undamped, climbing := panel("Algorithm 1 and undamped methods"), panel("Damped methods and coordinate ascent")
	const least = 0.01 // nats: what is below is drawn here, because a logarithmic axis has no 0
	draw := func(k int, layer func(name string, x, y []float64) *figure.Figure) {
		var x, y []float64
		for u, e := range d.curves[k] {
			x, y = append(x, float64(u)), append(y, math.Max(best-e, least))
		}
		layer(d.list[k].name, x, y)
	}
	// Each kind of line occurs once in a panel, so that the panel can be read without the colors.
	draw(asPublished, undamped.Use(figure.Blue).Lines)
	draw(notDamped, undamped.Use(figure.Orange).Marked)
	draw(neither, undamped.Use(figure.Vermilion).Dashed)
	draw(gradientsUndamped, undamped.Use(figure.Purple).Scatter) // up and down: a line would be a zigzag
	draw(asPublished, climbing.Use(figure.Blue).Lines)
	draw(notClipped, climbing.Use(figure.Vermilion).Dashed)
	draw(gradients, climbing.Use(figure.Green).Marked)
	draw(ascent, climbing.Use(figure.Black).Scatter)
	g := figure.NewGrid(fmt.Sprintf("The E step of %d patches", d.n), 2, undamped, climbing).Size(4.6, 3.2)
	p := d.Photographs()
	d.Save("damping", fmt.Sprintf("How far the mean energy per patch lies below the best mean energy of all methods, which is %.4g nats (smaller is better; the two runs with four times as many updates count for the best energy, but are not drawn). Gaps below %g nats are drawn as %[2]g. All methods start from ĥ = σ(b), ŝ = μ, with η and ρ as published unless stated otherwise. One update of conjugate gradients solves for ŝ and updates ĥ once; one update of coordinate ascent is a sweep over all units. Patches of test images. Data: %v.", best, least, p.Data), g)
	return g
}

// rows adds the rows that compare the methods of inference with each other and with the paper's statements.
func (d *damping) rows() {
	p, ways, start := d.Photographs(), d.ways, d.curves[0][0] // all methods begin with the same energy
	by := ways[gradients]
	quote := record.Text("a faster algorithm that reaches equally good solutions by replacing the conjugate gradient update", variational)
	a, patiently := ways[asPublished], ways[patient]
	// The paper's sentence is about final values, not about the values after nineteen updates.
	atLast := ways[patientGradients]
	share, se := gained(d.prior, patiently.patches, atLast.patches)
	d.Claim(record.Row{
		ID: "algorithm1-equally-good", What: fmt.Sprintf("%d patches, %d updates of ĥ per method: energy gain of Algorithm 1 as a fraction of that of conjugate gradients", d.n, patiently.Updates),
		Published: quote, Measured: record.Number(share, "%"), Rule: record.AtLeast(99 + 2*se).Partly(4 + 2*se), Data: p.Data, Figure: "damping", Repeat: 0.1,
		Spread: se, SpreadOf: fmt.Sprintf("standard error over %d patches", d.n),
		Reason: fmt.Sprintf("%.2f ± %.2f %%, with the published schedule extended by repeating its last step: %.3f and %.3f nats per patch, starting from %.1f", share, se, patiently.Energy, atLast.Energy, start),
	})
	d.Claim(record.Row{
		ID: "algorithm1-nineteen", What: "the same patches, the 19 published updates per method: energy gain of Algorithm 1 as a fraction of that of conjugate gradients",
		Published: quote, Measured: record.Number(a.Gain, "%"), Rule: record.AtLeast(99).Partly(4), Data: p.Data, Figure: "damping", Repeat: 0.1,
		Reason: fmt.Sprintf("%.3f and %.3f nats per patch. Per update of ĥ, Algorithm 1 makes one damped update of ŝ, whereas conjugate gradients solve for ŝ. Algorithm 1 therefore lags, but catches up with more updates (algorithm1-equally-good)", a.Energy, by.Energy),
	})
	faster := 0
	told := make([]string, len(d.heats))
	for i, h := range d.heats {
		if h.Gradient == 0 || h.Time > 1 {
			faster++
		}
		told[i] = fmt.Sprintf("energy after %d updates: not reached by conjugate gradients", h.Updates)
		if h.Gradient > 0 {
			told[i] = fmt.Sprintf("energy after %d updates, reached by conjugate gradients after %d: %.2f times the processor time (%.2f to %.2f), %.2f times the products with W", h.Updates, h.Gradient, h.Time, h.From, h.To, h.Products)
		}
	}
	d.Claim(record.Row{
		ID: "algorithm1-faster", What: fmt.Sprintf("the same %d patches: number of the %d target energies (those of Algorithm 1 after 19, 38, 57 and 76 updates) that it reaches in less processor time than conjugate gradients, or that these do not reach", d.n, len(d.heats)),
		Published: quote, Measured: record.Number(float64(faster), "energies"), Rule: record.AtLeast(float64(len(d.heats))).Partly(float64(len(d.heats) - 1)), Data: record.Times(p.Data), Repeat: float64(len(d.heats)),
		Reason: "ratios of conjugate gradients to Algorithm 1 (processor time: medians over three pairs of alternating runs) with the float64 reference programs, in which the logarithms needed for damping cost at least as much as the products with W. " + strings.Join(told, "; "),
	})
	seen := "coordinate ascent does not reach that energy"
	if d.sweeps > 0 {
		seen = fmt.Sprintf("%d sweeps, one unit after another, against %d updates of all units at once; ratios from %.2f to %.2f", d.sweeps, d.heats[0].Updates, d.lowest, d.highest)
	}
	d.Claim(record.Row{
		ID: "coordinate-ascent-slower", What: fmt.Sprintf("the same %d patches, up to the energy after the published updates: processor time of coordinate ascent divided by that of Algorithm 1", d.n),
		Published: record.Text("Previous methods obtained poor runtimes on parallel architectures such as GPUs or suffered from instability", variational),
		Measured:  record.Number(d.slower, "times"), Rule: record.AtLeast(1), Data: record.Times(p.Data), Repeat: 100,
		Reason: "processor time, median ratio of three pairs of alternating runs. It says nothing about machines with thousands of cores, on which a sweep still takes one sequential step per unit. " + seen,
	})
	d.Row(record.Row{
		ID: "algorithm1-gpu", What: "time of Algorithm 1 on a GPU relative to the same updates on a CPU",
		Published: record.Text("appropriate for use with GPUs", "the abstract"),
		Rule:      record.NoData("measured on CPUs only; an update consists of four products of large matrices and elementwise functions, which suit a GPU"),
	})
	// If Algorithm 1 never reaches that energy, it is not faster.
	ratio := 0.0
	if patiently.To99 > 0 {
		ratio = by.To99 / patiently.To99
	}
	if !p.Data.Generated {
		d.Row(record.Row{
			ID: "algorithm1-products", What: fmt.Sprintf("the same %d patches, up to 99 %% of the gain of conjugate gradients in 19 updates: their products with W divided by those of Algorithm 1, which needs more updates", d.n),
			Measured: record.Number(ratio, "times"), Rule: record.AtLeast(1.1), Data: p.Data, Repeat: 0.2,
			Reason: fmt.Sprintf("%.0f and %.0f products; in 19 updates, %.0f and %.0f. Conjugate gradients solve each system only to a tolerance of 0.01, with two products per step and seven more per update. The products grow with D·N, the elementwise functions only with N, so that for large D the products dominate the cost. At the highest target energies of algorithm1-faster the order is reversed", by.To99, patiently.To99, by.Products, a.Products),
		})
	}
	if d.Size == record.Smoke {
		return // forty units are too few for competition
	}
	d.Row(record.Row{
		ID: "damping-needed", What: "the same patches, without damping or clipping: number of the 19 updates that lower the mean energy",
		Measured: record.Number(float64(ways[neither].Fell), ""), Rule: record.AtLeast(1), Data: p.Data, Figure: "damping", Repeat: 3,
		Reason: fmt.Sprintf("final energy %.3g; without damping but with clipping, %.3g after %d decreases; with damping but without clipping, %.3f", ways[neither].Energy, ways[notDamped].Energy, ways[notDamped].Fell, ways[notClipped].Energy),
	})
}

// fell returns how much an energy fell (start − end). It returns 0 if the energy did not fall, or fell by no more
// than rounding can explain.
func fell(start, end float64) float64 {
	if d := start - end; d > 1e-9*math.Abs(end) {
		return d
	}
	return 0
}

// A Step counts how often one kind of inference step lowers the energy of a patch.
type Step struct {
	Step      string
	Trials    int     // number of patches × steps
	Fell      int     // trials in which the energy of the patch fell
	WorstNats float64 // the largest fall
}

// Guarantees tests the two halves of an update separately: conjugate gradients for ŝ, which must never lower the
// energy, and the parallel update of ĥ, which may lower it.
func (l *Lab) Guarantees() []Step {
	g := &guarantees{
		sharedLab: &l.sharedLab,
		climbs:    Step{Step: "one step of conjugate gradients for ŝ"},
		damped:    Step{Step: "parallel update of ĥ, damped as published"},
		whole:     Step{Step: "parallel update of ĥ, undamped"},
	}
	g.measure(l.Model(), l.HeldOut(l.Pick(20, 100, 200)), l.Pick(5, 10, 10))
	g.rows()
	g.pendulum()
	return []Step{g.climbs, g.damped, g.whole}
}

// guarantees holds the counts of the experiment Guarantees while it runs.
type guarantees struct {
	*sharedLab
	climbs, damped, whole Step
}

// count adds one trial for each patch. The two arguments hold the energies of the patches before and after the step.
func (s *Step) count(before, after []float64) {
	for k, f := range after {
		s.Trials++
		if d := fell(before[k], f); d > 0 {
			s.Fell++
			s.WorstNats = math.Max(s.WorstNats, d)
		}
	}
}

// measure performs two runs of updates on the patches V, one with damped updates of ĥ and one with undamped updates,
// and counts how often the update of ĥ lowers the energy of a patch. Before every sixth update of the damped run, it
// also performs the given number of single steps of conjugate gradients for ŝ, and counts how often one of them lowers
// the energy of a patch.
func (g *guarantees) measure(m *s3c.Model, V *mat.Dense, steps int) {
	n, _ := V.Dims()
	schedule := s3c.DefaultSchedule()
	// Keep ĥ fixed: the damping is so strong that no digit of ĥ changes.
	still := s3c.Schedule{H: []float64{1e-300}, S: []float64{1}}
	for _, s := range []*Step{&g.damped, &g.whole} {
		q := m.Prior(n)
		for k := range schedule.H {
			// Update ŝ by conjugate gradients, and then ĥ from that state.
			now, err := m.Energy(V, q)
			lab.Check(err)
			if s == &g.damped && k%6 == 0 {
				for j := range steps {
					r := infer(g.Context(), m, V, &s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: still, Init: q, CGSteps: j + 1})
					g.climbs.count(now, r.Energy)
					now = r.Energy
				}
			}
			solved := infer(g.Context(), m, V, &s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: still, Init: q, Tolerance: 1e-6})
			eta := 1.0
			if s == &g.damped {
				eta = schedule.H[k]
			}
			both := infer(g.Context(), m, V, &s3c.InferOptions{Method: s3c.ConjugateGradient, Schedule: s3c.Schedule{H: []float64{eta}, S: []float64{1}}, Init: q, Tolerance: 1e-6})
			s.count(solved.Energy, both.Energy)
			q = both.Q
		}
	}
}

func (g *guarantees) rows() {
	p, climbs, damped, whole := g.Photographs(), g.climbs, g.damped, g.whole
	// These two rows do not depend on photographs.
	g.Row(record.Row{
		ID: "cg-improves", What: fmt.Sprintf("%d single steps of conjugate gradients for ŝ (one patch each), ĥ fixed: number that raise KL(Q‖P)", climbs.Trials),
		Published: record.Text("This step is guaranteed to improve the KL divergence on each iteration.", variational),
		Measured:  record.Number(float64(climbs.Fell), ""), Rule: record.AtMost(0), Data: p.Data,
		Reason: "the energy is a concave quadratic in ŝ, which conjugate gradients never lower; rounding (1e-9 of the energy) is not counted",
	})
	g.Row(record.Row{
		ID: "h-parallel-damped", What: fmt.Sprintf("%d parallel updates of ĥ (one patch each), damped as published: share that raise KL(Q‖P)", damped.Trials),
		Measured: record.Number(100*float64(damped.Fell)/float64(damped.Trials), "%"), Rule: record.AtMost(10), Data: p.Data, Repeat: 0.5,
		Reason: fmt.Sprintf("largest increase %.2g nats. Undamped: %.1f %%, largest increase %.3g nats", damped.WorstNats, 100*float64(whole.Fell)/float64(whole.Trials), whole.WorstNats),
	})
}

// pendulum adds the row on the smallest case in which the parallel update of ĥ can lower the energy: two equal units,
// and a patch that either of them can explain alone.
func (g *guarantees) pendulum() {
	m := fan(2, 4, 16, -2, 45, 45)
	v := mat.NewDense(1, 2, []float64{math.Sqrt2, math.Sqrt2})
	var worst float64
	before := math.Inf(-1)
	falls := 0
	eachUpdate(g.Context(), m, v, constant(10, 1, free), func(_ int, _ *s3c.Posterior, e []float64) {
		if d := fell(before, e[0]); d > 0 {
			falls, worst = falls+1, math.Max(worst, d)
		}
		before = e[0]
	})
	g.Row(record.Row{
		ID: "h-parallel", What: "two identical units, Algorithm 1 without damping or clipping: number of 10 updates that raise KL(Q‖P)",
		Published: record.Text("This approach is not guaranteed to decrease the KL divergence on each iteration", variational),
		Measured:  record.Number(float64(falls), ""), Rule: record.AtLeast(1), Data: record.Generated("one patch, which either unit explains"),
		Reason: fmt.Sprintf("one counterexample is enough. Largest increase %.3g nats: while v is unexplained, both units switch on; then v is explained twice, and both switch off", worst),
	})
}
