package s3c2011

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// fan returns a model of units in the plane. The directions of the units have the given angles in degrees; all other
// parameters are the same for every unit.
func fan(mu, alpha, beta, bias float64, degrees ...float64) *s3c.Model {
	W := mat.NewDense(2, len(degrees), nil)
	for i, a := range degrees {
		sin, cos := math.Sincos(a * math.Pi / 180)
		W.SetCol(i, []float64{cos, sin})
	}
	m, err := s3c.NewModel(W, bias, alpha, beta)
	lab.Check(err)
	for i := range m.Mu {
		m.Mu[i] = mu
	}
	return m
}

// toy returns the model m of the toy experiments, which has five units in the plane, and a patch v whose direction is
// between those of units 2 and 3. The experiments infer which units explain v.
func toy() (m *s3c.Model, v *mat.Dense) {
	return fan(1, 1, 6, -1.4, 10, 45, 80, 115, 150), mat.NewDense(1, 2, []float64{0.9, 1.4})
}

// unitNames returns 1, 2, ..., n.
func unitNames(n int) []string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprint(i+1))
	}
	return s
}

// toyData describes the data of the toy experiments.
func toyData(m *s3c.Model) record.Data {
	_, N := m.Dims()
	return record.Generated(fmt.Sprintf("samples of a model of %d units in the plane", N))
}

// A SpikeSet is one of the 2^N states of the spikes of N units.
type SpikeSet struct {
	Spikes   string  // the numbers of the units that are on
	Prior    float64 // P(h)
	Evidence float64 // P(v|h)
	Truth    float64 // P(h|v)
	Q        float64 // Q(h), for the best product distribution that coordinate ascent finds
}

// spikeSets returns all states of the spikes of the two-dimensional model m, in descending order of P(h|v) for the
// patch v. The argument h holds the probabilities P(h_i = 1) of the product distribution Q. Given the spikes h, v is
// normal with mean Σ h_i μ_i W_i and covariance I/β + Σ h_i W_i W_i'/α_i. (Package s3c computes P(h|v) differently,
// from the posterior of the slabs; a test compares the two computations.)
func spikeSets(m *s3c.Model, v []float64, h []float64) []SpikeSet {
	_, N := m.Dims()
	var list []SpikeSet
	total := 0.0
	for bits := range 1 << N {
		on := []string{}
		x, y := v[0], v[1]
		a, b, c := 1/m.Beta[0], 0.0, 1/m.Beta[0] // [a b; b c]
		s := SpikeSet{Prior: 1, Q: 1}
		for i := range N {
			p := 1 / (1 + math.Exp(-m.Bias[i]))
			if bits>>i&1 == 0 {
				s.Prior, s.Q = s.Prior*(1-p), s.Q*(1-h[i])
				continue
			}
			s.Prior, s.Q = s.Prior*p, s.Q*h[i]
			on = append(on, fmt.Sprint(i+1))
			w0, w1 := m.W.At(0, i), m.W.At(1, i)
			x, y = x-m.Mu[i]*w0, y-m.Mu[i]*w1
			a, b, c = a+w0*w0/m.Alpha[i], b+w0*w1/m.Alpha[i], c+w1*w1/m.Alpha[i]
		}
		det := a*c - b*b
		s.Evidence = math.Exp(-(c*x*x-2*b*x*y+a*y*y)/(2*det)) / (2 * math.Pi * math.Sqrt(det))
		s.Spikes = "none"
		if len(on) > 0 {
			s.Spikes = strings.Join(on, ", ")
		}
		s.Truth = s.Prior * s.Evidence
		total += s.Truth
		list = append(list, s)
	}
	for k := range list {
		list[k].Truth /= total
	}
	slices.SortStableFunc(list, func(a, b SpikeSet) int { return cmp.Compare(b.Truth, a.Truth) })
	return list
}

// on reports whether unit i is on. Units are numbered from 1.
func (s SpikeSet) on(i int) bool {
	return slices.Contains(strings.Split(s.Spikes, ", "), fmt.Sprint(i))
}

// Toy draws the model of five units in the plane: samples of it, the directions of its units, and the patch that the
// next experiments explain.
func (l *Lab) Toy() *figure.Figure {
	l.arithmetic()
	m, v := toy()
	x, err := m.Sample(l.Pick(300, 800, 800), l.Seed)
	lab.Check(err)
	f := figure.Cloud("A model of five units in the plane", mat.DenseCopyOf(x.V.T()))
	f.Basis("directions W", m.W, 1.6)
	f.Use(figure.Vermilion).Scatter("the patch v", []float64{v.At(0, 0)}, []float64{v.At(0, 1)})
	_, N := m.Dims()
	l.Save("toy", fmt.Sprintf("Samples of the model: each of %d units is on with probability %.2f, and then adds about 1 ± 1 times its direction; the noise is %.2f in each coordinate. Generated data.", N, 1/(1+math.Exp(-m.Bias[0])), 1/math.Sqrt(m.Beta[0])), f)
	return f
}

// An ExplainingResult shows the true posterior of the toy's patch. One bar chart shows how probable each unit is; the
// other shows the most probable states of the spikes, which are also listed in Sets.
type ExplainingResult struct {
	*figure.Grid
	Sets []SpikeSet // the most probable states
}

// Explaining shows why inference is hard: spikes that are independent before the patch is observed are not
// independent afterwards, and the sum over all states of the spikes has 2^N terms.
func (l *Lab) Explaining() *ExplainingResult {
	m, v := toy()
	_, N := m.Dims()
	exact, err := m.Exact(v)
	lab.Check(err)
	q := infer(l.Context(), m, v, &s3c.InferOptions{Method: s3c.Coordinate}).Q.H().RawRowView(0)
	all := spikeSets(m, v.RawRowView(0), q)
	const i, j = 2, 3 // the two units next to v
	P := make([]float64, N)
	var both, pj, given, without float64
	for _, s := range all {
		for u := range N {
			if s.on(u + 1) {
				P[u] += s.Truth
			}
		}
		if s.on(j) {
			pj += s.Truth
			if s.on(i) {
				both += s.Truth
			}
		}
	}
	given, without = both/pj, (P[i-1]-both)/(1-pj)
	prior, if3 := make([]float64, N), make([]float64, N)
	for u := range N {
		prior[u] = 1 / (1 + math.Exp(-m.Bias[u]))
		for _, s := range all {
			if s.on(u+1) && s.on(j) {
				if3[u] += s.Truth / pj
			}
		}
	}
	off := 0.0
	for u := range N {
		off = math.Max(off, math.Abs(P[u]-exact.H.At(0, u)))
	}
	l.Row(record.Row{
		ID: "toy-exact-twice", What: "P(h_i = 1 | v) of the toy, enumerated with the covariance of v and with the posterior of the slabs (package s3c): largest difference",
		Measured: record.Bool(off < 1e-12, fmt.Sprintf("%.1g", off)), Rule: record.Holds(), Data: toyData(m), Figure: "toy-explaining",
	})
	l.Row(record.Row{
		ID: "toy-explaining-away", What: fmt.Sprintf("P(unit %d on | v, unit %d off) minus P(unit %d on | v, unit %d on); 0 under the prior", i, j, i, j),
		Measured: record.Number(without-given, ""), Rule: record.AtLeast(0.1), Data: toyData(m), Figure: "toy-explaining",
		Reason: fmt.Sprintf("%.2f and %.2f: either unit explains the patch", without, given),
	})
	e := &ExplainingResult{Sets: all[:min(8, len(all))]}
	a := figure.Bars("Probability of each unit", unitNames(N), []string{"prior", "given v", fmt.Sprintf("given v and unit %d on", j)}, [][]float64{prior, P, if3})
	a.X.Label.Text = "unit"
	var names []string
	var truth, product []float64
	for _, s := range e.Sets {
		names, truth, product = append(names, s.Spikes), append(truth, s.Truth), append(product, s.Q)
	}
	b := figure.Bars("Probability of each set of units", names, []string{"P(h | v)", "Q(h), a product"}, [][]float64{truth, product})
	b.X.Label.Text = "units that are on"
	b.Y.Max = 0.1 * math.Ceil(10*b.Y.Max+0.5)
	e.Grid = figure.NewGrid("Explaining away", 2, a, b).Size(4.2, 2.9)
	l.Save("toy-explaining", fmt.Sprintf("Left: the units are independent under the prior. Given v, units 2 and 3 compete: if 3 is on, 2 is less needed. Right: the most probable of the 2^%d = %d sets. The product found by coordinate ascent favors sets with unit 2; it gives almost no probability to unit 3 alone, the second most probable set of the true posterior. For 1600 units there are 2^1600 sets, a number of 482 digits. Generated data.", N, 1<<N), e.Grid)
	return e
}

// Algorithm1 draws how Algorithm 1 infers ĥ for the toy's patch, update by update, next to the true P(h|v). It also
// adds rows on the energy that inference reaches on many samples of the model.
func (l *Lab) Algorithm1() *figure.Grid {
	m, v := toy()
	_, N := m.Dims()
	exact, err := m.Exact(v)
	lab.Check(err)
	var x []float64
	var energy []float64
	H := make([][]float64, N)
	eachUpdate(l.Context(), m, v, s3c.DefaultSchedule(), func(made int, q *s3c.Posterior, e []float64) {
		x, energy = append(x, float64(made)), append(energy, e[0])
		h := q.H()
		for i := range N {
			H[i] = append(H[i], h.At(0, i))
		}
	})
	a := figure.New("ĥ (solid) and true P(h|v) (dashed)", "update", "probability")
	a.Range(0, x[len(x)-1], 0, 1)
	for i := range N {
		a.Use(i).Lines(fmt.Sprint(i+1), x, H[i])
		p := exact.H.At(0, i)
		a.Use(i).Dashed("", []float64{x[0], x[len(x)-1]}, []float64{p, p})
	}
	b := figure.New("Energy", "update", "nats").Marked("energy functional", x, energy)
	b.HLine("log P(v)", exact.LogEvidence[0])
	b.WholeX()
	g := figure.NewGrid("Algorithm 1 on the toy model", 2, a, b).Size(3.8, 3)
	l.Save("toy-algorithm1", fmt.Sprintf("Left: one color per unit. Units 2 and 3 both rise at first; then 2 wins and explains 3 away. Under the true posterior both remain possible, but a product cannot express \"one or the other\". Right: the final gap to log P(v), %.2f nats, is KL(Q‖P(h,s|v)). Generated data.", exact.LogEvidence[0]-energy[len(energy)-1]), g)

	n := l.Pick(300, 1000, 2000)
	s, err := m.Sample(n, l.Seed+7)
	lab.Check(err)
	truth, err := m.Exact(s.V)
	lab.Check(err)
	above := math.Inf(-1)
	var end float64
	eachUpdate(l.Context(), m, s.V, s3c.DefaultSchedule(), func(_ int, _ *s3c.Posterior, e []float64) {
		for k, f := range e {
			above = math.Max(above, f-truth.LogEvidence[k])
		}
		end = mean(e)
	})
	ascent := infer(l.Context(), m, s.V, &s3c.InferOptions{Method: s3c.Coordinate})
	for k, f := range ascent.Energy {
		above = math.Max(above, f-truth.LogEvidence[k])
	}
	long := s3c.DefaultSchedule()
	for range 60 {
		long.H, long.S = append(long.H, 0.4), append(long.S, 0.1)
	}
	further, exactly := mean(infer(l.Context(), m, s.V, &s3c.InferOptions{Schedule: long}).Energy), mean(ascent.Energy)
	data := toyData(m)
	l.Row(record.Row{
		ID: "toy-energy-bound", What: fmt.Sprintf("%d samples, before and after each update and after coordinate ascent: maximum of energy minus log P(v)", n),
		Measured: record.Number(above, "nats"), Rule: record.AtMost(1e-9), Data: data, Figure: "toy-algorithm1", Repeat: 1e-6,
		Reason: "the energy functional is a lower bound: log P(v) = F + KL",
	})
	l.Row(record.Row{
		ID: "toy-coordinate", What: fmt.Sprintf("%d samples: mean energy after the 19 published updates minus that of converged coordinate ascent", n),
		Measured: record.Number(end-exactly, "nats"), Rule: record.Between(-0.25, 0.25), Data: data, Figure: "toy-algorithm1", Repeat: 1e-3,
		Reason: fmt.Sprintf("%.3f and %.3f, log evidence %.3f", end, exactly, mean(truth.LogEvidence)),
	})
	l.Row(record.Row{
		ID: "toy-patience", What: "the same samples, 60 more damped updates: mean energy minus that of converged coordinate ascent",
		Measured: record.Number(further-exactly, "nats"), Rule: record.AtLeast(0), Data: data, Repeat: 1e-3,
		Reason: "coordinate ascent never lowers the energy, yet ends lower: it assigns the patch to the first suitable unit, whereas damped updates move all units a little before one wins",
	})
	return g
}

// Alike rotates a patch from one unit's direction to the nearly equal direction of another, and
// shows the probabilities of both units.
func (l *Lab) Alike() *figure.Grid {
	const apart, middle = 20.0, 45.0
	m := fan(2, 4, 16, -2, middle-apart/2, middle+apart/2)
	const steps = 81
	V, x := mat.NewDense(steps, 2, nil), make([]float64, steps)
	for k := range steps {
		x[k] = apart * (float64(k)/(steps-1) - 0.5) // degrees from the middle
		sin, cos := math.Sincos((middle + x[k]) * math.Pi / 180)
		V.SetRow(k, []float64{2 * cos, 2 * sin})
	}
	truth, err := m.Exact(V)
	lab.Check(err)
	fixed := infer(l.Context(), m, V, nil)
	ascent := infer(l.Context(), m, V, &s3c.InferOptions{Method: s3c.Coordinate})
	onward := infer(l.Context(), m, V, &s3c.InferOptions{Method: s3c.Coordinate, Init: fixed.Q})
	gap := func(energy []float64) []float64 {
		var d []float64
		for k, f := range energy {
			d = append(d, truth.LogEvidence[k]-f)
		}
		return d
	}
	column := func(H *mat.Dense) []float64 { return mat.Col(nil, 1, H) }
	a := figure.New("Probability of the second unit", "angle of v from the middle, degrees", "probability").
		Lines("true P(h|v)", x, column(truth.H)).
		Lines("Algorithm 1", x, column(fixed.Q.H())).
		Lines("coordinate ascent", x, column(ascent.Q.H())).
		Lines("ascent from Algorithm 1's result", x, column(onward.Q.H()))
	b := figure.New("Divergence of Q", "angle of v from the middle, degrees", "KL(Q‖P), nats").
		Use(figure.Vermilion).Lines("Algorithm 1", x, gap(fixed.Energy)).
		Lines("coordinate ascent", x, gap(ascent.Energy)).
		Lines("ascent from Algorithm 1's result", x, gap(onward.Energy))
	b.Use(figure.Black).HLine("log 2", math.Ln2)
	b.Y.Min = 0
	g := figure.NewGrid(fmt.Sprintf("Two units %g degrees apart", apart), 2, a, b).Size(4.2, 3)
	l.Save("toy-alike", "Which of two similar units generated v? In the middle, the true posterior says one of the two, equally likely, and almost never both; a product cannot express this. Coordinate ascent chooses the unit that it updates first, and keeps it even where v belongs to the other. After the 19 updates of Algorithm 1, both units are still active in the middle. Coordinate ascent that starts there finds the better unit, which is the best that a product can do; in the middle its divergence is about log 2. Generated data.", g)

	mid := steps / 2
	pair := spikeSets(m, V.RawRowView(mid), ascent.Q.H().RawRowView(mid))
	var both float64
	for _, s := range pair {
		if s.on(1) && s.on(2) {
			both = s.Truth
		}
	}
	p1, p2 := truth.H.At(mid, 0), truth.H.At(mid, 1)
	h := ascent.Q.H()
	data := record.Generated("patches between two alike units in the plane")
	l.Row(record.Row{
		ID: "toy-alike-truth", What: fmt.Sprintf("v between two units %g degrees apart: covariance of their spikes under the true posterior (a product has 0)", apart),
		Measured: record.Number(both-p1*p2, ""), Rule: record.AtMost(-0.2), Data: data, Figure: "toy-alike",
		Reason: fmt.Sprintf("P = %.3f and %.3f, both at once %.4f", p1, p2, both),
	})
	l.Row(record.Row{
		ID: "toy-alike-gap", What: "the same v: KL(Q‖P) after coordinate ascent; choosing one of two equally likely units costs log 2 = 0.693",
		Measured: record.Number(truth.LogEvidence[mid]-ascent.Energy[mid], "nats"), Rule: record.Between(0.68, 0.72), Data: data, Figure: "toy-alike",
		Reason: fmt.Sprintf("ĥ = %.3f and %.3f", h.At(mid, 0), h.At(mid, 1)),
	})
	return g
}
