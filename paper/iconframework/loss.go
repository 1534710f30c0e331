package iconframework

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gallery"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/paper/internal/must"
	"overcomplete/paper/record"
)

// Neighbours shows some digits and, for each, the nine other digits with the largest p(·|i).
func (l *Lab) Neighbours() *figure.Figure {
	s := l.digitSet()
	p := must.Get(icon.PerplexityP(s.Z, 10))
	n, _ := p.P.Dims()
	const queries, near = 5, 9
	var rows []float64
	var labels []string
	for q := range queries {
		i := slices.Index(s.Labels, 2*q) // one of each even class
		order := make([]int, n)
		for j := range order {
			order[j] = j
		}
		row := p.P.RawRowView(i)
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case row[a] > row[b]:
				return -1
			case row[a] < row[b]:
				return 1
			}
			return 0
		})
		rows, labels = append(rows, s.X.RawRowView(i)...), append(labels, "i")
		for _, j := range order[:near] {
			rows, labels = append(rows, s.X.RawRowView(j)...), append(labels, fmt.Sprintf("%.2f", row[j]))
		}
	}
	f := gallery.Figure(mat.NewDense(len(labels), Side*Side, rows), Side, Side, &gallery.Options{
		Title: "A digit i and the nine digits j with the largest p(j|i)", Columns: near + 1, Labels: labels, Grays: gallery.Range, Hi: 1})
	l.Save("neighbours", fmt.Sprintf("Each row is one distribution: a Gaussian around digit i (left), with its width chosen so that the perplexity is 10. The numbers are p(j|i). Data: %v.", s.data()), f)
	return f
}

// Loss checks the post's statements about the loss itself, on 30 points.
func (l *Lab) Loss() *figure.Grid {
	X, _, _ := l.small()
	n, _ := X.Dims()
	N := float64(n)
	data := record.Generated(fmt.Sprintf("%d points in 6 dimensions", n))
	o := must.Get(icon.SNE(X, 7, 2, l.Seed))
	o.Params()[0].X.Copy(icon.Normal(n, 2, 1.2, l.Seed+12))
	P, Q := o.Supervisory(), o.Learned()
	sum, ofKL, worst := 0.0, 0.0, 0.0
	for i := range n {
		kl := 0.0
		for j := range n {
			if j != i {
				term := P.At(i, j) * math.Log(P.At(i, j)/Q.At(i, j))
				sum += term
				kl += term
			}
		}
		ofKL += kl
		worst = math.Max(worst, math.Max(math.Abs(mat.Sum(P.RowView(i))-1), math.Abs(mat.Sum(Q.RowView(i))-1)))
	}
	l.Row(record.Row{
		ID: "loss-double-sum", What: "n times the engine's loss, and the sum of the rows' KL divergences, each versus the post's double sum: larger of the two relative errors",
		Published: post.Quote("L(θ, φ) = ∫_{i∈X} D_KL(p_θ(·|i)||q_φ(·|i)) = ∫_{i∈X} ∫_{j∈X} p_θ(j|i) log p_θ(j|i)/q_φ(j|i)", motivation),
		Measured:  record.Number(math.Max(relativeError(N*o.Loss(), sum), relativeError(ofKL, sum)), ""), Rule: record.AtMost(1e-12), Data: data, Repeat: 1e-12,
		Reason: "the post does not specify the measure of its integrals. For n points they become sums over i and j ≠ i. The engine takes the mean over i, so its loss is n times smaller: the minimum is the same, but step lengths scale differently",
	})
	l.Row(record.Row{
		ID: "loss-conditional", What: "p(·|i) and q(·|i) are transition probabilities: largest deviation of a row sum from 1",
		Published: post.Quote("… the transition probability (i.e., conditional distribution) …", motivation),
		Measured:  record.Number(worst, ""), Rule: record.AtMost(1e-12), Data: data, Repeat: 1e-12,
		Reason: "measured for SNE. In t-SNE, P and Q each sum to 1 over all pairs, so they are not conditional distributions",
	})
	l.affinityGradient(P, data)

	// Show p and q before and after alignment.
	start := must.Get(icon.SNE(X, 7, 2, l.Seed))
	before := start.Learned()
	r := must.Get(icon.Minimize(l.Context(), start, &icon.Options{Steps: 400, Rate: 0.1, Decay: true}))
	l.Row(record.Row{
		ID: "loss-aligns", What: "SNE: loss after 400 steps as a percentage of the initial loss",
		Published: post.Quote("Representation learning aligns the transition probability (i.e., conditional distribution) from a supervisory signal to those of representations specified by a learnable function.", motivation),
		Measured:  record.Number(100*r.Loss/r.History[0].Loss, "%"), Rule: record.AtMost(50), Data: data, Figure: "aligned", Repeat: 1e-3,
		Reason: "q is fitted to p here, not p to the representation. A map in two dimensions cannot match p exactly",
	})
	top := largest(P)
	order := byClass(n)
	panel := func(title string, M *mat.Dense) *figure.Figure {
		f := figure.HeatmapIn(title, permute(M, order), 0, 0.7*top, figure.Sequential)
		f.HideAxes()
		return f
	}
	g := figure.NewGrid("SNE fits q to p", 3, panel("p(j|i), from the data", P), panel("q(j|i) before", before), panel("q(j|i) after 400 steps", start.Learned())).Size(2.7, 2.4)
	l.Save("aligned", fmt.Sprintf("SNE of 30 points in three classes, sorted by class; each row is one i. The loss fell from %.3f to %.3f nats.", r.History[0].Loss, r.Loss), g)
	return g
}

// byClass returns the indices of small's points, sorted by class. (The points' classes are 0, 1, 2, 0, 1, 2,
// ...)
func byClass(n int) []int {
	var order []int
	for c := range 3 {
		for i := c; i < n; i += 3 {
			order = append(order, i)
		}
	}
	return order
}

// permute returns M with rows and columns in the given order.
func permute(M *mat.Dense, order []int) *mat.Dense {
	n, _ := M.Dims()
	out := mat.NewDense(n, n, nil)
	for a, i := range order {
		for b, j := range order {
			out.Set(a, b, M.At(i, j))
		}
	}
	return out
}

// freeAffinities is a relation whose log-affinities (n×n) are themselves the parameters, without an
// underlying representation.
type freeAffinities struct{ a *tape.Param }

func (freeAffinities) Name() string                        { return "free affinities" }
func (r freeAffinities) Params() []*tape.Param             { return []*tape.Param{r.a} }
func (r freeAffinities) Affinity(t *tape.Tape) *tape.Value { return t.Param(r.a) }

// affinityGradient adds two rows. The first checks, by central differences, that ∂L/∂a_ij = (q_ij − p_ij)/n for any
// log-affinities a. The second checks that the loss is 0 where q is p.
func (l *Lab) affinityGradient(P *mat.Dense, data record.Data) {
	n, _ := P.Dims()
	a := &tape.Param{Name: "a", X: icon.Normal(n, n, 1, l.Seed+17), Grad: mat.NewDense(n, n, nil)}
	o := &icon.Objective{P: &icon.Given{Title: "p", P: P}, Q: freeAffinities{a}}
	o.Gradient()
	Q := o.Learned()
	grad := mat.DenseCopyOf(a.Grad)
	worst, engine, scale := 0.0, 0.0, 0.0
	const h = 1e-4
	for i := range n {
		for _, j := range []int{(i + 1) % n, (i + 9) % n} {
			v := a.X.At(i, j)
			a.X.Set(i, j, v+h)
			up := o.Loss()
			a.X.Set(i, j, v-h)
			down := o.Loss()
			a.X.Set(i, j, v)
			want := (Q.At(i, j) - P.At(i, j)) / float64(n)
			worst, scale = math.Max(worst, math.Abs((up-down)/(2*h)-want)), math.Max(scale, math.Abs(want))
			engine = math.Max(engine, math.Abs(grad.At(i, j)-want))
		}
	}
	l.Row(record.Row{
		ID: "loss-gradient", What: "∂L/∂a_ij = (q_ij − p_ij)/n for any log-affinities a: larger of the relative errors of central differences and of the engine",
		Measured: record.Number(math.Max(worst, engine)/scale, ""), Rule: record.AtMost(1e-6), Data: data, Repeat: 1e-6,
	})
	a.X.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0 // not used
		}
		return math.Log(P.At(i, j)) + float64(i) // plus a constant for each row
	}, P)
	l.Row(record.Row{
		ID: "loss-zero", What: "loss at q = p", Measured: record.Number(math.Abs(o.Loss()), "nats"), Rule: record.AtMost(1e-12), Data: data, Repeat: 1e-12,
	})
}
