package iconframework

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
	"overcomplete/ui/progress"
)

// Collapse learns the parameters θ of p together with the map. It compares four cases: θ is fixed, or is learned with
// cross-entropy, with KL, or with KL and an anchor, which is a penalty that keeps p near its initial value.
func (l *Lab) Collapse() *figure.Grid {
	t := l.newThetas()
	l.thetaGradient(t.data, t.objective())
	t.fit(l)
	l.collapseRows(t)
	return l.collapseFigure(t)
}

// A thetaRun is one case of Collapse: a run in which p is fixed, or is learned in one of three ways.
type thetaRun struct {
	name       string
	perplexity []float64
	r          *icon.Result
	moved      float64 // mean KL divergence of p from the p at the start
	share      float64 // share of neighbors in the map that are in the same group
}

func (r *thetaRun) end() float64 { return r.perplexity[len(r.perplexity)-1] }

// thetas holds the data of Collapse, which are points with side information, and its four runs.
type thetas struct {
	labels    []int
	data      record.Data
	objective func() *icon.Objective // returns a new, equal objective at each call

	fixed, cross, kl, held *thetaRun
}

func (t *thetas) runs() []*thetaRun { return []*thetaRun{t.fixed, t.cross, t.kl, t.held} }

// newThetas generates the data of Collapse: points whose side information is a vector in six dimensions. The points
// are in three groups; each group is shifted along its own coordinate, so only three of the six coordinates tell the
// groups apart.
func (l *Lab) newThetas() *thetas {
	const n = 60
	S := icon.Normal(n, 6, 1, l.Seed+20)
	labels := make([]int, n)
	for i := range n {
		labels[i] = i % 3
		S.Set(i, labels[i], S.At(i, labels[i])+3)
	}
	data := record.Generated(fmt.Sprintf("%d points in 6 dimensions, three groups", n))
	objective := func() *icon.Objective {
		p := icon.On(icon.NewLinear(S, icon.Normal(6, 4, 0.5, l.Seed+21)), icon.NewLearnedGaussian(1))
		return &icon.Objective{P: p, Q: icon.On(icon.NewPoints(icon.Normal(n, 2, 1, l.Seed+22)), icon.StudentT{})}
	}
	return &thetas{labels: labels, data: data, objective: objective}
}

func (t *thetas) fit(l *Lab) {
	steps := l.Pick(400, 600, 1000)
	for _, c := range []struct {
		run    **thetaRun
		name   string
		change func(*icon.Objective)
		fix    bool
	}{
		{&t.fixed, "θ fixed", func(*icon.Objective) {}, true},
		{&t.cross, "cross-entropy", func(o *icon.Objective) { o.CrossEntropy = true }, false},
		{&t.kl, "KL", func(*icon.Objective) {}, false},
		{&t.held, "KL with an anchor", func(o *icon.Objective) {
			o.Anchor, o.Prior = 1, &icon.Given{Title: "p at the start", P: o.Supervisory()}
		}, false},
	} {
		o := t.objective()
		first := o.Supervisory()
		c.change(o)
		ru := &thetaRun{name: c.name}
		ru.r = must.Get(icon.Minimize(l.Context(), o, &icon.Options{Steps: steps, Rate: 0.05, FixP: c.fix, Recorder: progress.Func(func(progress.Event) {
			ru.perplexity = append(ru.perplexity, icon.Perplexity(o.Supervisory()))
		})}))
		last := o.Supervisory()
		ru.moved = divergence(first, last)
		ru.share = icon.KNNAccuracy(ru.r.Embedding, t.labels, 5)
		*c.run = ru
	}
}

func (l *Lab) collapseRows(t *thetas) {
	n, data := len(t.labels), t.data
	fixed, cross, kl, held := t.fixed, t.cross, t.kl, t.held
	l.Row(record.Row{
		ID: "theta-cross-entropy", What: "θ and φ learned together with the cross-entropy, as in contrastive losses: perplexity of p at the end",
		Measured: record.Number(cross.end(), ""), Rule: record.AtMost(1.5), Data: data, Figure: "collapse", Repeat: 0.1,
		Reason: fmt.Sprintf("%.1f at the start. The p that minimizes the cross-entropy is a point mass on the j with the largest q, and the descent finds it", fixed.end()),
	})
	left := func(r *thetaRun) float64 { return 100 * r.r.Loss / r.r.History[0].Loss }
	l.Row(record.Row{
		ID: "theta-kl", What: "θ and φ learned together with KL: final loss as a percentage of the initial loss",
		Measured: record.Number(left(kl), "%"), Rule: record.AtMost(left(fixed) / 10), Data: data, Figure: "collapse", Repeat: 2,
		Reason: fmt.Sprintf("p = q has loss 0 whatever the data. Here the perplexity of p became %.1f (at most %d, for a uniform p), and p moved by %.2f nats (KL from the initial to the final p). With θ fixed, %.0f %% of the loss remains. So p has forgotten the data. The map is only %.2g wide (with θ fixed %.0f), but it retains groups from earlier in the descent: 5-nearest-neighbor accuracy %.0f %% (with θ fixed %.0f, by chance 33)", kl.end(), n-1, kl.moved, left(fixed), width(kl.r.Embedding), width(fixed.r.Embedding), 100*kl.share, 100*fixed.share),
	})
	l.Row(record.Row{
		ID: "theta-anchor", What: "θ and φ learned together with KL and an anchor, λ = 1: final perplexity of p divided by the initial one",
		Measured: record.Number(held.end()/fixed.end(), ""), Rule: record.Between(0.67, 1.5), Data: data, Figure: "collapse", Repeat: 0.02,
		Reason: fmt.Sprintf("p moved by %.3f nats", held.moved),
	})
}

func (l *Lab) collapseFigure(t *thetas) *figure.Grid {
	panel := func(title, y string) *figure.Figure { return figure.New(title, "step", y) }
	a, b := panel("perplexity of p", ""), panel("KL or cross-entropy", "nats")
	for _, r := range t.runs() {
		var x, loss []float64
		for i, h := range r.r.History {
			x, loss = append(x, float64(i)), append(loss, math.Max(h.Loss, 1e-6))
		}
		a.Lines(r.name, x, r.perplexity)
		b.Lines(r.name, x, loss)
	}
	a.Y.Min = 0
	b.LogY()
	g := &figure.Grid{Title: "Learning p as well", Width: 4, Height: 3.2}
	var maps []*figure.Figure
	for _, r := range t.runs() {
		maps = append(maps, scatter(fmt.Sprintf("%s: %.0f %%", r.name, 100*r.share), r.r.Embedding, t.labels))
	}
	g.Figures = [][]*figure.Figure{{a, b}, maps[:2], maps[2:]}
	l.Save("collapse", fmt.Sprintf("Top: perplexity of p, and the loss that is minimized (including the anchor term, if any). Bottom: the four maps, with 5-nearest-neighbor accuracy for the groups (a third by chance). Each map is scaled to fill its panel; the actual width is %.2f for KL alone and %.0f for θ fixed.", width(t.kl.r.Embedding), width(t.fixed.r.Embedding)), g)
	return g
}

// width returns the range of the first column of Z.
func width(Z *mat.Dense) float64 { return mat.Max(Z.ColView(0)) - mat.Min(Z.ColView(0)) }

// divergence returns the mean over rows of KL(P(·|i)‖Q(·|i)), without the diagonal.
func divergence(P, Q *mat.Dense) float64 {
	n, _ := P.Dims()
	s := 0.0
	for i := range n {
		for j := range n {
			if p := P.At(i, j); j != i && p > 0 {
				s += p * math.Log(p/Q.At(i, j)) / float64(n)
			}
		}
	}
	return s
}

// thetaGradient adds a row that checks the gradient with respect to θ by central differences.
func (l *Lab) thetaGradient(data record.Data, o *icon.Objective) {
	o.Gradient()
	worst, scale := 0.0, 0.0
	const h = 1e-5
	for _, p := range o.P.Params() {
		grad := mat.DenseCopyOf(p.Grad)
		r, c := p.X.Dims()
		for i := range r {
			for j := range c {
				x := p.X.At(i, j)
				p.X.Set(i, j, x+h)
				up := o.Loss()
				p.X.Set(i, j, x-h)
				down := o.Loss()
				p.X.Set(i, j, x)
				worst = math.Max(worst, math.Abs((up-down)/(2*h)-grad.At(i, j)))
				scale = math.Max(scale, math.Abs(grad.At(i, j)))
			}
		}
	}
	l.Row(record.Row{
		ID: "theta-gradient", What: "∂L/∂θ, with θ a linear map of side information and a width, versus central differences: relative error",
		Published: post.Quote("We can optimize both θ,φ (e.g., X-Sample), though most methods optimize only φ.", motivation),
		Measured:  record.Number(worst/scale, ""), Rule: record.AtMost(1e-6), Data: data, Repeat: 1e-6,
		Reason: "so θ can be learned; the next rows show what happens if it is. (X-Sample is not a clear example: in the experiments of Sobal and others, 2024, p comes from a pretrained text encoder that is kept fixed)",
	})
}
