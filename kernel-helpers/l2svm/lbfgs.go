package l2svm

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/lbfgs"
	"overcomplete/kernel-helpers/internal/parallel"
)

// A machine is a linear classifier in training: it minimizes the objective of one column. It holds the current point,
// its gradient, and the past steps from which L-BFGS (J. Nocedal and S. Wright, Numerical Optimization, 2nd ed.,
// algorithm 7.5) computes the next direction. The line search is exact.
type machine struct {
	*column
	x []float64 // (w, b)
	z []float64 // X̂w + b

	g, p, v   []float64 // gradient, direction, its scores
	r         []float64 // ∂loss/∂z
	last      []float64 // the gradient before the last step
	past      *lbfgs.Memory
	taken     []float64 // the last step; nil once it is stored in past
	f         float64   // objective
	norm      float64   // ‖g‖
	reference float64   // ‖gradient at 0‖
	gap       float64   // f minus a value of the dual; NaN: not requested
	steps     int
	spent     int // steps already taken before this run
	history   []float64
	status    ended.Status
}

// errNotFinite is the error for a NaN or infinite gradient at w = 0.
var errNotFinite = errors.New("not finite")

// A solver trains many machines on the same points at the same time, so that each
// pass over the points serves all machines.
type solver struct {
	space     space
	tolerance float64
	gap       float64 // largest gap allowed, as a share of the objective; +∞: any
	steps     int
	memory    int
	each      func(step int, objective float64, open int) // may be nil
}

// start returns a machine for the column c at w = 0, with its buffers.
func (s *solver) start(c *column) *machine {
	k, n := s.space.size(), len(c.y)
	m := &machine{column: c, past: lbfgs.New(s.memory, func(a, b []float64) float64 { return inner(s.space, a, b) })}
	m.x, m.g, m.p, m.last = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	m.z, m.v, m.r = make([]float64, n), make([]float64, n), make([]float64, n)
	return m
}

// run trains the machines, each from its current point. The scores z of each machine must belong to this point. run
// returns an error if reading fails, if a gradient at w = 0 is not finite, or if ctx is done; the machines then keep
// the points that they have reached.
func (s *solver) run(ctx context.Context, all []*machine) error {
	if err := s.references(all); err != nil {
		return err
	}
	for _, m := range all {
		m.status, m.steps, m.history, m.gap = ended.Unknown, 0, nil, math.NaN()
		m.forget()
		if m.reference-m.reference != 0 {
			return errNotFinite
		}
	}
	// The steps update the scores and accumulate rounding. So the scores are recomputed before a machine
	// counts as finished.
	for range 3 {
		if err := s.descend(ctx, all); err != nil {
			return err
		}
		if err := s.rescore(all); err != nil {
			return err
		}
		if s.certifies() {
			for _, m := range all {
				m.settle()
			}
		}
		if err := s.gradients(all); err != nil {
			return err
		}
		again := false
		for _, m := range all {
			if s.certifies() {
				m.bound(s.space)
			}
			if m.status == ended.Converged && (m.norm > 2*s.tolerance*m.reference || m.gap > s.gap*m.f) {
				m.status = ended.Unknown
				m.forget()
				again = true
			}
		}
		if !again {
			return nil
		}
	}
	for _, m := range all {
		if m.status == ended.Unknown {
			m.status = ended.NoProgress
		}
	}
	return nil
}

// certifies reports whether the gap is part of the stopping rule.
func (s *solver) certifies() bool { return !math.IsInf(s.gap, 1) }

// settle moves the bias to the value that minimizes f. The dual variables α of the points are then feasible: Σ y_i α_i
// = 0 (see bound).
func (m *machine) settle() {
	var slope float64
	m.loss(m.r, m.z)
	for _, r := range m.r {
		slope += r
	}
	side := 1.0
	if slope > 0 {
		side = -1
	}
	for i := range m.v {
		m.v[i] = side
	}
	if t, ok := m.step(m.z, m.v, 0, 0); ok {
		m.x[len(m.x)-1] += side * t
		floats.AddConst(side*t, m.z)
	}
}

// bound computes the duality gap, which bounds how far f is above its minimum. In the following, c_i is the product of
// weight and s_i, where weight and s are fields of column. The dual variables are α_i = 2 c_i max(0, 1 − y_i z_i), and
// yα is the vector of all y_i α_i. After settle, Σ y_i α_i = 0, and the gap is ½‖w − X̂'(yα)‖² = ½‖∂f/∂w‖². For all
// weights w° and every bias b°,
//
//	f(w°, b°) >= ½‖w°‖² + Σ α_i (1 − y_i (w°'x̂_i + b°)) − Σ α_i²/(4 c_i) >= f(w, b) − ½‖w − X̂'(yα)‖²
//
// The first inequality holds because c_i max(0, m)² >= α_i m − α_i²/(4 c_i) for every m. The last expression is the
// minimum of the middle one over w°; b° has no influence there, because Σ y_i α_i = 0. After settle, ∂f/∂b is 0 only
// up to rounding, so bound adds |∂f/∂b| (1 + |b|) to the gap.
func (m *machine) bound(sp space) {
	b := len(m.x) - 1
	m.gap = math.Max(0, sp.dot(m.g, m.g))/2 + math.Abs(m.g[b])*(1+math.Abs(m.x[b]))
}

// relativeGradient returns ‖g‖ divided by the norm of the gradient at (w, b) = 0. If ‖g‖ is 0, it returns 0.
func (m *machine) relativeGradient() float64 {
	if m.norm == 0 {
		return 0
	}
	return m.norm / m.reference
}

// references computes the norms of the gradients at w = 0.
func (s *solver) references(all []*machine) error {
	var R, G [][]float64
	for _, m := range all {
		clear(m.v)
		m.loss(m.r, m.v)
		R, G = append(R, m.r), append(G, m.g)
	}
	if err := s.space.adjoint(G, R); err != nil {
		return err
	}
	for _, m := range all {
		m.reference = math.Sqrt(math.Max(0, inner(s.space, m.g, m.g)))
	}
	return nil
}

func (s *solver) rescore(list []*machine) error {
	var V, P [][]float64
	for _, m := range list {
		V, P = append(V, m.z), append(P, m.x)
	}
	return s.space.scores(V, P)
}

// gradients computes f, g and ‖g‖ of machines from their scores.
func (s *solver) gradients(list []*machine) error {
	R, G := make([][]float64, len(list)), make([][]float64, len(list))
	parallel.Do(len(list), 0, func(q int) {
		m := list[q]
		m.f = m.loss(m.r, m.z) + s.space.dot(m.x, m.x)/2
		R[q], G[q] = m.r, m.g
	})
	if err := s.space.adjoint(G, R); err != nil {
		return err
	}
	parallel.Do(len(list), 0, func(q int) {
		m := list[q]
		last := len(m.x) - 1
		b := m.g[last] // the bias is not penalized
		floats.Add(m.g, m.x)
		m.g[last] = b
		m.norm = math.Sqrt(math.Max(0, inner(s.space, m.g, m.g)))
	})
	return nil
}

// descend takes steps until every machine has a status.
func (s *solver) descend(ctx context.Context, all []*machine) error {
	var open []*machine
	for _, m := range all {
		if m.status == ended.Unknown {
			open = append(open, m)
		}
	}
	for round := 0; len(open) > 0; round++ {
		if err := s.gradients(open); err != nil {
			return err
		}
		if s.each != nil {
			var sum float64
			for _, m := range all {
				sum += m.f
			}
			s.each(round, sum/float64(len(all)), len(open))
		}
		stop := ctx.Err()
		parallel.Do(len(open), 0, func(q int) {
			m := open[q]
			m.history = append(m.history, m.f)
			switch {
			case m.f-m.f != 0 || m.norm-m.norm != 0:
				m.status = ended.NoProgress
			case m.norm <= s.tolerance*m.reference && (!s.certifies() || m.norm*m.norm <= s.gap*m.f):
				m.status = ended.Converged
			case stop != nil:
				m.status = ended.Interrupted
			case m.spent+m.steps >= s.steps:
				m.status = ended.IterationLimit
			default:
				m.direction(s)
			}
		})
		if stop != nil {
			return stop
		}
		open = unfinishedMachines(open)
		if len(open) == 0 {
			return nil
		}
		V, P := make([][]float64, len(open)), make([][]float64, len(open))
		for q, m := range open {
			V[q], P[q] = m.v, m.p
		}
		if err := s.space.scores(V, P); err != nil {
			return err
		}
		parallel.Do(len(open), 0, func(q int) { open[q].advance(s.space) })
		open = unfinishedMachines(open)
	}
	return nil
}

func unfinishedMachines(list []*machine) []*machine {
	var rest []*machine
	for _, m := range list {
		if m.status == ended.Unknown {
			rest = append(rest, m)
		}
	}
	return rest
}

// forget drops the past steps.
func (m *machine) forget() {
	if m.taken != nil {
		m.past.Reuse(m.taken)
		m.taken = nil
	}
	m.past.Reset()
}

// direction stores the L-BFGS direction in p: p = −Hg, where H approximates the inverse Hessian. Before that, it adds
// the last step, and the change of the gradient in that step, to the field past. If rounding has made p useless, it
// drops the past steps and begins again with the steepest descent.
func (m *machine) direction(s *solver) {
	if m.taken != nil {
		y := m.past.Vector(len(m.x))
		floats.SubTo(y, m.g, m.last)
		m.past.Keep(m.taken, y, 0)
		m.taken = nil
	}
	m.past.Direction(m.p, m.g)
	if slope := inner(s.space, m.g, m.p); !(slope < 0) { // lost to rounding
		m.forget()
		m.past.Direction(m.p, m.g)
	}
}

// advance moves the machine to the minimum of f along p. If rounding hides the minimum, advance drops the past steps
// instead, or sets the status NoProgress if there are none.
func (m *machine) advance(sp space) {
	t, ok := m.step(m.z, m.v, sp.dot(m.x, m.p), sp.dot(m.p, m.p))
	if !ok {
		if m.past.Len() == 0 {
			m.status = ended.NoProgress
			return
		}
		m.forget() // try again, along the steepest descent
		m.steps++
		return
	}
	floats.AddScaled(m.x, t, m.p)
	floats.AddScaled(m.z, t, m.v)
	copy(m.last, m.g)
	m.taken = m.past.Vector(len(m.x))
	floats.ScaleTo(m.taken, t, m.p)
	m.steps++
}
