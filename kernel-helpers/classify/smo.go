package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// smo solves one kernel machine by sequential minimal optimization with the working set selection of R.-E. Fan, P.-H.
// Chen and C.-J. Lin, Working set selection using second order information, JMLR 6 (2005), algorithm 2 (LIBSVM's). In
// terms of β_i = y_i α_i, the dual is
//
//	max D(β) = p'β − ½ β'Kβ,   Σβ_i = 0,   lo_i <= β_i <= hi_i,
//
// where [lo_i, hi_i] is [0, C s_i] if y_i = 1, and [−C s_i, 0] if y_i = −1. A step is β_i += t, β_j −= t. In this form,
// the two signs need no separate treatment. g = Kβ − p is kept up to date; g_i is y_i times LIBSVM's gradient.
//
// For classification, p = y. Regression with targets z_i has two variables for each point: one with p = z_i − ε and y =
// 1, the other with p = z_i + ε and y = −1. The coefficient of a point is the sum of its two variables.
type smo struct {
	y    []float64 // ±1
	p    []float64
	C    float64
	s    []float64 // weights of the variables; nil means 1
	gap  float64   // bound on the duality gap relative to the primal; 0 means no bound
	rows *kernelRows
	beta []float64
	g    []float64
	bias float64

	steps     int
	violation float64 // of the KKT conditions, at the end: m(α) − M(α) in the paper
}

func (s *smo) bounds(i int) (lo, hi float64) {
	C := s.C
	if s.s != nil {
		C *= s.s[i]
	}
	if s.y[i] > 0 {
		return 0, C
	}
	return -C, 0
}

// run starts at β = 0 and takes steps until two conditions are met: the violation of the KKT conditions, m(α) − M(α) in
// the paper, is at most tolerance, and the duality gap is within its bound. The argument steps is a limit on the number
// of steps. Rows are rounded to float32. With the RBF kernel, which is at most 1, rounding changes the values f of the
// machine by at most 6e-8 Σ|β|. The values of other kernels may be large. For them, run recomputes g from exact values,
// and continues until the exact g meets the tolerance too.
func (s *smo) run(ctx context.Context, tolerance float64, steps int) ended.Status {
	n := len(s.y)
	s.beta, s.g = make([]float64, n), make([]float64, n)
	for i := range n {
		s.g[i] = -s.p[i]
	}
	status := s.descend(ctx, tolerance, steps)
	if _, ok := s.rows.kernel.(RBF); ok || s.rows.isBad {
		return status
	}
	for best := math.Inf(1); ; {
		if !s.refresh(ctx) {
			return ended.Interrupted
		}
		if status != ended.Converged || s.violation <= tolerance && s.isConverged() {
			return status
		}
		if !(s.violation < best/2) {
			return ended.NoProgress
		}
		best = s.violation
		if status = s.descend(ctx, tolerance/2, steps); s.rows.isBad {
			return status
		}
	}
}

// refresh computes g, the bias and the violation from exact values of the kernel. If ctx is done, it returns false
// and changes nothing.
func (s *smo) refresh(ctx context.Context) bool {
	k := s.rows
	n := len(k.norm)
	g := make([]float64, len(s.g))
	for t := range g {
		g[t] = -s.p[t]
	}
	products := mat.NewVecDense(n, k.line)
	for i := range n {
		beta := 0.0
		for t := i; t < len(s.beta); t += n {
			beta += s.beta[t]
		}
		if beta == 0 {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		if ofProducts(k.kernel) {
			products.MulVec(k.X, k.X.RowView(i))
		}
		kernelValues(k.kernel, k.line, k.X.RawRowView(i), k.X, k.norm[i], k.norm)
		for t := 0; t < len(g); t += n {
			floats.AddScaled(g[t:t+n], beta, k.line)
		}
	}
	s.g = g
	m, M := math.Inf(-1), math.Inf(1)
	for t, g := range s.g {
		lo, hi := s.bounds(t)
		if s.beta[t] < hi {
			m = math.Max(m, -g)
		}
		if s.beta[t] > lo {
			M = math.Min(M, -g)
		}
	}
	s.violation = m - M
	s.setBias()
	return true
}

// descend takes steps from the current beta and g until m(α) − M(α), as computed from the rounded rows, is at most
// tolerance. If the duality gap then still exceeds its bound, descend goes on with smaller tolerances.
func (s *smo) descend(ctx context.Context, tolerance float64, steps int) ended.Status {
	n := len(s.y)
	// up[i] is 0 if β_i can rise and −∞ if not; down[i] is 0 if β_i can fall and +∞ if not. Points that
	// cannot move are excluded from the max and the min by adding up and down to −g.
	up, down := make([]float64, n), make([]float64, n)
	mark := func(i int) {
		lo, hi := s.bounds(i)
		up[i], down[i] = 0, 0
		if s.beta[i] >= hi {
			up[i] = math.Inf(-1)
		}
		if s.beta[i] <= lo {
			down[i] = math.Inf(1)
		}
	}
	for i := range n {
		mark(i)
	}
	status := ended.IterationLimit
	for ; ; s.steps++ {
		// i and m are arg max and max of −g over I_up; M is the min of −g over I_low.
		i, m, M := 0, math.Inf(-1), math.Inf(1)
		for t, g := range s.g {
			if v := up[t] - g; v > m {
				i, m = t, v
			}
			if v := down[t] - g; v < M {
				M = v
			}
		}
		s.violation = m - M
		s.bias = (m + M) / 2
		if m-M <= tolerance {
			if s.isConverged() {
				status = ended.Converged
				break
			}
			if tolerance /= 4; tolerance < 1e-9 { // below the rounding of float32 rows
				status = ended.NoProgress
				break
			}
			if m-M <= tolerance {
				continue
			}
		}
		if s.steps >= steps {
			break
		}
		if s.rows.isBad {
			status = ended.Failed
			break
		}
		if ctx.Err() != nil { // a row of the kernel matrix may take long
			status = ended.Interrupted
			break
		}
		// Choose j = t so that the pair's second-order gain b²/a is largest, where b = m + g_t > 0 and a = K_ii + K_tt
		// − 2K_it. If a is not positive, because points are equal or K is not positive semidefinite, the step ends at a
		// bound.
		Ki := s.rows.row(i, s)
		Kii := s.rows.diag[i]
		j, best := -1, -1.0
		for t, k := range Ki {
			if down[t] != 0 {
				continue
			}
			if b := m + s.g[t]; b > 0 {
				if gain := b * b / pairCurvature(Kii, s.rows.diag[t], k); gain > best {
					j, best = t, gain
				}
			}
		}
		Kj := s.rows.row(j, s)
		a := pairCurvature(Kii, s.rows.diag[j], Ki[j])
		_, hi := s.bounds(i)
		lo, _ := s.bounds(j)
		t := (m + s.g[j]) / a
		roomI, roomJ := hi-s.beta[i], s.beta[j]-lo
		switch {
		case t >= roomI && roomI <= roomJ:
			t = roomI
			s.beta[i], s.beta[j] = hi, s.beta[j]-t
		case t >= roomJ:
			t = roomJ
			s.beta[i], s.beta[j] = s.beta[i]+t, lo
		default:
			s.beta[i] += t
			s.beta[j] -= t
		}
		mark(i)
		mark(j)
		Kj = Kj[:len(Ki)]
		for r, k := range Ki {
			s.g[r] += t * (float64(k) - float64(Kj[r]))
		}
	}
	s.setBias()
	return status
}

// pairCurvature returns k_ii + k_jj − 2k_ij, or a small positive number if this sum is not positive.
func pairCurvature(kii, kjj float64, kij float32) float64 {
	size := kii + kjj
	least := 1e-12 / 2 * size
	if !(least > 0) {
		least = 1e-12
	}
	return math.Max(size-2*float64(kij), least)
}

// isConverged reports whether the duality gap is within the requested bound.
func (s *smo) isConverged() bool {
	if s.gap == 0 {
		return true
	}
	bias := s.bias
	s.setBias()
	primal, dual := s.values()
	s.bias = bias
	return primal-dual <= s.gap*primal
}

// setBias sets the bias b so that p_i − f(x_i) is 0 on average over the variables with 0 < α_i < C s_i. If there are
// no such variables, b is the middle of the interval that the KKT conditions allow.
func (s *smo) setBias() {
	sum, free := 0.0, 0
	m, M := math.Inf(-1), math.Inf(1)
	for i, g := range s.g {
		lo, hi := s.bounds(i)
		if s.beta[i] > lo && s.beta[i] < hi {
			sum -= g
			free++
		}
		if s.beta[i] < hi {
			m = math.Max(m, -g)
		}
		if s.beta[i] > lo {
			M = math.Min(M, -g)
		}
	}
	if free > 0 {
		s.bias = sum / float64(free)
	} else {
		s.bias = (m + M) / 2
	}
}

// values returns the primal and the dual value of β. The primal is
//
//	P(β, b) = ½β'Kβ + C Σ s_i max(0, y_i(p_i − f_i)),  f = Kβ + b,
//
// where b is the bias; Kβ is computed as g + p. The dual value D(β) is at most P(γ, b) for every γ and b. To see this,
// let f = Kγ + b: then C s_i max(0, y_i(p_i − f_i)) >= β_i(p_i − f_i), and b cancels because Σβ_i = 0. So
//
//	P(γ, b) >= ½γ'Kγ + β'(p − Kγ) = ½(γ − β)'K(γ − β) + D(β)
//
// The rows of K are in float32. If the kernel is at most 1, this changes D by up to 6e-8 (Σ|β_i|)².
func (s *smo) values() (primal, dual float64) {
	for i, b := range s.beta {
		primal += b * (s.g[i] + s.p[i]) / 2
		lo, hi := s.bounds(i)
		primal += (hi - lo) * math.Max(0, -s.y[i]*(s.g[i]+s.bias))
		dual += b * (s.p[i] - s.g[i]) / 2
	}
	return primal, dual
}
