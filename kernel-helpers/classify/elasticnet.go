package classify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
)

// elasticNet minimizes the objective of a Maxent with an L1Ratio by a proximal Newton method: coordinate descent
// minimizes the quadratic model of the loss plus the penalty, and a line search chooses the length of the step (J.
// Lee, Y. Sun, M. Saunders, Proximal Newton-type methods for minimizing composite functions, SIAM J. Optimization 24
// (2014); J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for generalized linear models via coordinate
// descent, J. Statistical Software 33 (2010)).
//
// With three or more classes, there is a score for each class. With two classes, only the difference of their scores
// matters, and the penalty is smallest if the weights of one class are the negative weights of the other. A single
// score v'x + c of class 1 is then enough, where v = 2 W_1, and the score of class 0 is fixed at 0. The penalty
// becomes αρ‖v‖₁ + ½(α/2)(1−ρ)‖v‖².
type elasticNet struct {
	cols    []point   // the d features minus shift, then a column of ones for the bias
	shift   []float64 // d
	y       []int
	c       []float64 // n: the weights of the points, divided by n
	n, d    int
	classes int
	scores  int     // number of scores per point: 1 or the number of classes
	l1, l2  float64 // weights of |w| and of ½w²
	// w is (d+1)×scores: a feature per row, the biases in the last row. z is n×scores: a point per row.
	w, z []float64
	f    float64
}

func newElasticNet(F features, y []int, K int, s []float64, alpha, ratio float64) (*elasticNet, error) {
	n, d := F.dims()
	e := &elasticNet{y: y, n: n, d: d, classes: K, scores: K, l1: alpha * ratio, l2: alpha * (1 - ratio), c: make([]float64, n), shift: make([]float64, d), cols: make([]point, d+1)}
	if K == 2 {
		e.scores, e.l2 = 1, e.l2/2
	}
	for i := range e.c {
		e.c[i] = 1 / float64(n)
		if s != nil {
			e.c[i] *= s[i]
		}
	}
	e.w, e.z = make([]float64, (d+1)*e.scores), make([]float64, n*e.scores)
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	e.cols[d] = point{value: ones}
	var T *csr.Matrix
	if S, ok := F.(sparseFeatures); ok {
		T = S.Transpose()
	}
	fine := make([]bool, d)
	parallel.Do(d, 0, func(j int) {
		if T != nil {
			row, val := T.View(j)
			if row == nil {
				row = []int32{}
			}
			e.cols[j] = point{index: row, value: val}
		} else {
			e.cols[j] = compress(mat.NewDense(1, n, mat.Col(nil, j, F.(denseFeatures).Dense)))[0]
		}
		fine[j] = e.center(j)
	})
	for j, ok := range fine {
		if !ok {
			return nil, fmt.Errorf("the squares of feature %d overflow: scale the features", j)
		}
	}
	return e, nil
}

// center subtracts the mean from column j, unless the column is sparse and not far from 0. If the mean stayed, each
// change to the column's weight would require a change to the bias, which slows down the descent. center returns false
// if the squares of the column overflow.
func (e *elasticNet) center(j int) bool {
	x := &e.cols[j]
	mean, square := 0.0, 0.0
	for _, v := range x.value {
		mean += v / float64(e.n)
	}
	for _, v := range x.value {
		square += (v - mean) * (v - mean)
	}
	if !(square+float64(e.n)*mean*mean < 1e300) {
		return false
	}
	if x.index != nil && float64(len(x.value)) <= sparseShare*float64(e.n) && !(math.Abs(mean) > farFrom0*math.Sqrt(square/float64(e.n))) {
		return true
	}
	full := make([]float64, e.n)
	for p, v := range x.value {
		i := p
		if x.index != nil {
			i = int(x.index[p])
		}
		full[i] = v
	}
	for range 2 { // the second pass removes what the rounding of the first has left
		m := 0.0
		for _, v := range full {
			m += v / float64(e.n)
		}
		floats.AddConst(-m, full)
		e.shift[j] += m
	}
	*x = point{value: full}
	return true
}

// start sets e.w to the weights and biases of m.
func (e *elasticNet) start(m *Maxent) {
	row := func(k, j int) float64 {
		v := m.W.At(k, j)
		if e.scores == 1 {
			v -= m.W.At(0, j)
		}
		return v
	}
	for q := range e.scores {
		k := q
		if e.scores == 1 {
			k = 1
		}
		bias := m.B[k]
		if e.scores == 1 {
			bias -= m.B[0]
		}
		for j := range e.d {
			e.w[j*e.scores+q] = row(k, j)
			bias += row(k, j) * e.shift[j]
		}
		e.w[e.d*e.scores+q] = bias
	}
}

// store writes the weights and biases in e.w to m.
func (e *elasticNet) store(m *Maxent) {
	for k := range e.classes {
		q, factor := k, 1.0
		if e.scores == 1 {
			q, factor = 0, []float64{-0.5, 0.5}[k]
		}
		m.B[k] = factor * e.w[e.d*e.scores+q]
		for j := range e.d {
			w := factor * e.w[j*e.scores+q]
			m.W.Set(k, j, w)
			m.B[k] -= w * e.shift[j]
		}
	}
	floats.AddConst(-floats.Sum(m.B)/float64(e.classes), m.B) // the objective does not depend on this constant
}

// probabilities sets p to the probabilities P(y = k) of point i, for all classes k. z holds the scores of all points.
func (e *elasticNet) probabilities(z []float64, i int, p []float64) {
	if e.scores == 1 {
		v := z[i]
		p[0], p[1] = 1/(1+math.Exp(v)), 1/(1+math.Exp(-v))
		return
	}
	copy(p, z[i*e.scores:(i+1)*e.scores])
	top, sum := floats.Max(p), 0.0
	for k, v := range p {
		p[k] = math.Exp(v - top)
		sum += p[k]
	}
	floats.Scale(1/sum, p)
}

// loss returns the mean loss for the scores z.
func (e *elasticNet) loss(z []float64) (f float64) {
	for i, c := range e.y {
		if e.scores == 1 {
			v := z[i]
			if c == 1 {
				v = -v
			}
			f += e.c[i] * (math.Max(0, v) + math.Log1p(math.Exp(-math.Abs(v))))
			continue
		}
		row := z[i*e.scores : (i+1)*e.scores]
		top, rest := 0, 0.0
		for k, v := range row {
			if v > row[top] {
				top = k
			}
		}
		for k, v := range row {
			if k != top {
				rest += math.Exp(v - row[top])
			}
		}
		f += e.c[i] * (row[top] - row[c] + math.Log1p(rest))
	}
	return f
}

// penalty returns the penalty at w + t·step. Biases have no penalty.
func (e *elasticNet) penalty(step []float64, t float64) (f float64) {
	for q, w := range e.w[:e.d*e.scores] {
		if step != nil {
			w += t * step[q]
		}
		f += e.l1*math.Abs(w) + e.l2/2*w*w
	}
	return f
}

// label returns the target of score q for point i: 1 if the score belongs to the point's class, otherwise 0.
func (e *elasticNet) label(i, q int) float64 {
	if e.y[i] == q+e.classes-e.scores {
		return 1
	}
	return 0
}

// product returns X'R for R (n×scores), a (d+1)×scores matrix.
func (e *elasticNet) product(R []float64) []float64 {
	G := make([]float64, len(e.w))
	M := e.scores
	parallel.Do(e.d+1, 0, func(j int) {
		g := G[j*M : (j+1)*M]
		e.cols[j].visit(func(i int, x float64) {
			for q := range g {
				g[q] += x * R[i*M+q]
			}
		})
	})
	return G
}

// allScores returns the scores Xw.
func (e *elasticNet) allScores() []float64 {
	z := make([]float64, e.n*e.scores)
	for j := range e.cols {
		for q := range e.scores {
			if w := e.w[j*e.scores+q]; w != 0 {
				e.cols[j].visit(func(i int, x float64) { z[i*e.scores+q] += w * x })
			}
		}
	}
	return z
}

// gradient returns the gradient of the loss.
func (e *elasticNet) gradient() []float64 {
	R, p := make([]float64, e.n*e.scores), make([]float64, e.classes)
	for i, c := range e.c {
		e.probabilities(e.z, i, p)
		for q := range e.scores {
			if k := q + e.classes - e.scores; k == e.y[i] {
				R[i*e.scores+q] = -c * (floats.Sum(p[:k]) + floats.Sum(p[k+1:])) // p − 1, if p is nearly 1
			} else {
				R[i*e.scores+q] = c * p[k]
			}
		}
	}
	return e.product(R)
}

// slope returns a derivative of the objective f with respect to weight q: of all subgradients, the one nearest to 0. g
// is the derivative of the loss alone.
func (e *elasticNet) slope(q int, g float64) float64 {
	if q >= e.d*e.scores {
		return g
	}
	switch w := e.w[q]; {
	case w > 0:
		return g + e.l2*w + e.l1
	case w < 0:
		return g + e.l2*w - e.l1
	case g > e.l1:
		return g - e.l1
	case g < -e.l1:
		return g + e.l1
	}
	return 0
}

// gap returns f minus a lower bound of f. G is the gradient of the loss. The bound is the value of a feasible point of
// the dual problem. As in maxentWork.gap, that point consists of probabilities Q (n×K), which must give each class as
// much weight as the labels do. Its value is
//
//	(1/n) Σ_i s_i H(q_i) − Σ max(0, |g| − l1)² / (2 l2)
//
// where s_i is the weight of point i, and H is the entropy. The second sum is over the weights of the model, without
// the biases; g is the derivative of the loss with Q in place of P. For the lasso (l2 = 0), Q is feasible only if no
// |g| exceeds l1. With the labels in place of Q, all g would be 0. So a mixture of Q and the labels has smaller g, and
// gap mixes them until no |g| exceeds l1. If l2 > 0, gap also computes the value without mixing, and uses the larger of
// the two values.
func (e *elasticNet) gap(G []float64) float64 {
	K, M := e.classes, e.scores
	want := make([]float64, K)
	for i, c := range e.y {
		want[c] += e.c[i]
	}
	keep, share, missing := make([]float64, K), make([]float64, K), 0.0
	for k, v := range want {
		keep[k] = 1
		more := G[e.d*M+min(k, M-1)]
		if M == 1 && k == 0 {
			more = -more
		}
		if more > 0 {
			keep[k] = v / (v + more)
		} else {
			share[k] = -more
			missing -= more
		}
	}
	if missing > 0 {
		floats.Scale(1/missing, share)
	}
	Q, R := make([]float64, e.n*K), make([]float64, e.n*M)
	for i := range e.n {
		q := Q[i*K : (i+1)*K]
		e.probabilities(e.z, i, q)
		moved := 0.0
		for k, v := range q {
			moved += v * (1 - keep[k])
		}
		for k := range q {
			q[k] = q[k]*keep[k] + moved*share[k]
		}
		for m := range M {
			R[i*M+m] = e.c[i] * (q[m+K-M] - e.label(i, m))
		}
	}
	g := e.product(R)[:e.d*M]
	top := floats.Norm(g, math.Inf(1))
	mixes := []float64{1}
	if top > e.l1 {
		mixes = []float64{e.l1 / top * (1 - 1e-15)}
		if e.l2 > 0 {
			mixes = append(mixes, 1)
		}
	}
	best := 0.0 // 0 is a lower bound, because all losses are positive
	for _, mix := range mixes {
		bound := 0.0
		for i, c := range e.y {
			others, h := 0.0, 0.0
			for k, v := range Q[i*K : (i+1)*K] {
				if v *= mix; k != c && v > 0 {
					others += v
					h -= v * math.Log(v)
				}
			}
			if others < 1 {
				h -= (1 - others) * math.Log1p(-others)
			}
			bound += e.c[i] * h
		}
		for _, v := range g {
			if over := mix*math.Abs(v) - e.l1; over > 0 && e.l2 > 0 {
				bound -= over / e.l2 * over / 2
			}
		}
		best = math.Max(best, bound)
	}
	return math.Max(0, e.f-best)
}

// A quadratic is the quadratic model of the loss: its approximation around the weights e.w, as a function of step, the
// change of the weights. Damping is added to the second derivatives, for directions in which the loss is nearly linear.
type quadratic struct {
	e       *elasticNet
	active  []int     // the weights that may move
	G       []float64 // (d+1)·scores
	h, damp []float64 // for each weight in active: the curvature without damping, and the damping
	p       []float64 // n·scores: c_i times the probabilities; with one score, c_i p(1−p)
	prob    []float64 // n·scores: the probabilities; not used with one score
	step    []float64 // (d+1)·scores
	z       []float64 // n·scores: X·step
	mean    []float64 // n: Σ_k prob_k z_k; not used with one score
}

func (e *elasticNet) quadratic(G []float64, damping float64) *quadratic {
	M := e.scores
	u := &quadratic{e: e, G: G, step: make([]float64, len(e.w)), z: make([]float64, e.n*M), p: make([]float64, e.n*M), prob: make([]float64, e.n*M), mean: make([]float64, e.n)}
	row := make([]float64, e.classes)
	for i, c := range e.c {
		e.probabilities(e.z, i, row)
		if M == 1 {
			u.p[i] = c * row[0] * row[1]
			continue
		}
		for k, v := range row {
			u.p[i*M+k], u.prob[i*M+k] = c*v, v
		}
	}
	for j := range e.d + 1 {
		moves := j == e.d
		for q := j * M; q < (j+1)*M; q++ {
			moves = moves || e.w[q] != 0 || math.Abs(G[q]) > e.l1
		}
		for q := j * M; moves && q < (j+1)*M; q++ { // otherwise the feature's weights stay 0 in this step
			u.active = append(u.active, q)
		}
	}
	u.h, u.damp = make([]float64, len(u.active)), make([]float64, len(u.active))
	for a, q := range u.active {
		j, k := q/M, q%M
		e.cols[j].visit(func(i int, x float64) {
			v := u.p[i*M+k]
			if M > 1 {
				v *= 1 - u.prob[i*M+k]
			}
			u.h[a] += v * x * x
			u.damp[a] += damping * e.c[i] * x * x
		})
	}
	return u
}

// slope returns the derivative of the model with respect to weight active[a], at the current step.
func (u *quadratic) slope(a int) float64 {
	M := u.e.scores
	q := u.active[a]
	j, k := q/M, q%M
	col := &u.e.cols[j]
	s := u.G[q] + u.damp[a]*u.step[q]
	switch {
	case M == 1 && col.index == nil:
		for i, x := range col.value {
			s += x * u.p[i] * u.z[i]
		}
	case M == 1:
		for p, i := range col.index {
			s += col.value[p] * u.p[i] * u.z[i]
		}
	case col.index == nil:
		for i, x := range col.value {
			o := i*M + k
			s += x * u.p[o] * (u.z[o] - u.mean[i])
		}
	default:
		for p, i := range col.index {
			o := int(i)*M + k
			s += col.value[p] * u.p[o] * (u.z[o] - u.mean[i])
		}
	}
	return s
}

// move adds t to u.step[q], and updates u.z and u.mean to match.
func (u *quadratic) move(q int, t float64) {
	M := u.e.scores
	u.step[q] += t
	col := &u.e.cols[q/M]
	if M == 1 {
		col.addTo(u.z, t)
		return
	}
	k := q % M
	if col.index == nil {
		for i, x := range col.value {
			o := i*M + k
			u.z[o] += t * x
			u.mean[i] += t * x * u.prob[o]
		}
		return
	}
	col.visit(func(i int, x float64) {
		u.z[i*M+k] += t * x
		u.mean[i] += t * x * u.prob[i*M+k]
	})
}

// descend minimizes the sum of the quadratic model and the penalty, by sweeps over the active weights. It ends when ctx
// is done, after 1000 sweeps, or when a sweep changes little. A sweep changes little if it decreases the sum by at most
// share · (the decrease in the first sweep).
func (u *quadratic) descend(ctx context.Context, share float64) {
	e := u.e
	first := 0.0
	for sweep := range 1000 {
		lower := 0.0
		for a, q := range u.active {
			h := u.h[a] + u.damp[a]
			if h == 0 {
				continue
			}
			old := e.w[q] + u.step[q]
			v := old - u.slope(a)/h // the minimum without the penalty
			if q < e.d*e.scores {
				v *= h
				switch {
				case v > e.l1:
					v = (v - e.l1) / (h + e.l2)
				case v < -e.l1:
					v = (v + e.l1) / (h + e.l2)
				default:
					v = 0
				}
			}
			if v != old {
				u.move(q, v-old)
				lower += h * (v - old) * (v - old)
				if v == 0 {
					u.step[q] = -e.w[q] // set exactly, so that the weight becomes 0
				}
			}
		}
		if u.level(); sweep == 0 {
			first = lower
		}
		if lower <= share*first || ctx.Err() != nil {
			return
		}
		if sweep%slowDescent == slowDescent-1 {
			u.newton()
		}
	}
}

// After each block of slowDescent sweeps, descend takes a Newton step, unless more than mostNewton weights are nonzero
// or the products of their columns take more than mostWork multiplications (about a second).
const (
	slowDescent = 30
	mostNewton  = 500
	mostWork    = 2e9
)

// newton moves the nonzero weights and the biases toward the minimum of the model over these variables. It stops where
// a weight would change its sign. It is needed because descent alone is slow if features depend on each other.
func (u *quadratic) newton() {
	e := u.e
	M := e.scores
	var list []int // indices in active
	for a, q := range u.active {
		// One of the biases is redundant.
		if q >= e.d*M && (M == 1 || q > e.d*M) || q < e.d*M && e.w[q]+u.step[q] != 0 {
			list = append(list, a)
		}
	}
	m := len(list)
	if m == 0 || m > mostNewton || float64(m)*float64(m)*float64(e.n) > mostWork {
		return
	}
	g := mat.NewVecDense(m, nil)
	A, B := mat.NewDense(m, e.n, nil), mat.NewDense(m, e.n, nil)
	for r, a := range list {
		q := u.active[a]
		v := u.slope(a)
		if q < e.d*M {
			w := e.w[q] + u.step[q]
			v += math.Copysign(e.l1, w) + e.l2*w
		}
		g.SetVec(r, -v)
		of, with := A.RawRowView(r), B.RawRowView(r)
		e.cols[q/M].visit(func(i int, x float64) {
			p := u.p[i*M+q%M]
			if of[i] = math.Sqrt(p) * x; M > 1 && p > 0 {
				with[i] = math.Sqrt(p*u.prob[i*M+q%M]) * x
			}
		})
	}
	// The second derivative with respect to the weights of classes k and l is the sum of c p_k (δ_kl − p_l) xx'.
	var H, rest mat.SymDense
	H.SymOuterK(1, A)
	rest.SymOuterK(1, B)
	for r, a := range list {
		for s := r; s < m; s++ {
			q, other := u.active[a], u.active[list[s]]
			if M > 1 && q%M != other%M {
				// √(c p_k²) √(c p_l²) = c p_k p_l
				H.SetSym(r, s, -rest.At(r, s))
			} else {
				H.SetSym(r, s, H.At(r, s)-rest.At(r, s))
			}
		}
		v := H.At(r, r)*(1+1e-12) + u.damp[a]
		if u.active[a] < e.d*M {
			v += e.l2
		}
		H.SetSym(r, r, v)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&H) || chol.SolveVecTo(g, g) != nil && !finiteVector(g) {
		return
	}
	t, stops := 1.0, -1
	for r, a := range list {
		if q := u.active[a]; q < e.d*M {
			w := e.w[q] + u.step[q]
			if f := -w / g.AtVec(r); w*g.AtVec(r) < 0 && f < t {
				t, stops = f, q
			}
		}
	}
	for r, a := range list {
		u.move(u.active[a], t*g.AtVec(r))
	}
	if stops >= 0 {
		u.step[stops] = -e.w[stops]
	}
}

func finiteVector(v *mat.VecDense) bool {
	for _, x := range v.RawVector().Data {
		if !finite.Is(x) {
			return false
		}
	}
	return true
}

// level minimizes the penalty by shifting the weights of each feature, by the same number for all classes. Such a shift
// changes only the penalty. Descent alone would need many sweeps for such a shift, because a change to a single weight
// also changes the loss. level does not update the scores of the step, because only the differences between scores
// matter, and these stay the same.
func (u *quadratic) level() {
	e := u.e
	M := e.scores
	if M == 1 {
		return
	}
	w := make([]float64, M)
	for a := 0; a < len(u.active); a += M {
		q := u.active[a]
		if q >= e.d*M {
			return
		}
		floats.AddTo(w, e.w[q:q+M], u.step[q:q+M])
		slices.Sort(w)
		if c := leastPenalty(w, e.l1, e.l2); c != 0 {
			for k := q; k < q+M; k++ {
				if u.step[k] -= c; math.Abs(e.w[k]+u.step[k]) <= 1e-15*math.Abs(c) {
					u.step[k] = -e.w[k]
				}
			}
		}
	}
}

// leastPenalty returns the c that minimizes Σ_k (l1 |w_k − c| + ½ l2 (w_k − c)²). w must be ascending. If there are
// several such c, leastPenalty returns the one nearest to 0.
func leastPenalty(w []float64, l1, l2 float64) float64 {
	mean := floats.Sum(w) / float64(len(w))
	for below := range len(w) + 1 { // the number of w_k below c
		lo, hi := math.Inf(-1), math.Inf(1)
		if below > 0 {
			lo = w[below-1]
		}
		if below < len(w) {
			hi = w[below]
		}
		c := 0.0
		switch more := len(w) - 2*below; {
		case l2 > 0:
			c = mean + l1*float64(more)/(l2*float64(len(w)))
		case more != 0:
			c = math.Inf(more)
		}
		if c <= hi {
			return math.Max(c, lo)
		}
		if l2 == 0 && len(w) == 2*below {
			return hi
		}
	}
	return mean
}

// run minimizes f, starting at the current e.w, until the bounds in o are met. It also ends if ctx is done, after
// MaxIterations steps, or if rounding prevents progress. It records the objective, the gap and the status in m. It
// calls each(step, f) at the start and after every step.
func (e *elasticNet) run(ctx context.Context, o *MaxentOptions, m *Maxent, each func(step int, f float64)) {
	e.z = e.allScores()
	e.f = e.loss(e.z) + e.penalty(nil, 0)
	m.Evaluations++
	damping, idle := 1e-8, 0
	for ; ; m.Iterations++ {
		each(m.Iterations, e.f)
		G := e.gradient()
		m.Gradient, m.Gap = 0, e.gap(G)
		for q, g := range G {
			m.Gradient = math.Max(m.Gradient, math.Abs(e.slope(q, g)))
		}
		m.Objective = e.f
		switch {
		case m.Gradient <= o.Tolerance && m.Gap <= o.Gap*e.f:
			m.Status = ended.Converged
			return
		case math.IsNaN(e.f) || math.IsNaN(m.Gradient) || idle >= 5:
			m.Status = ended.NoProgress
			return
		case ctx.Err() != nil:
			m.Status = ended.Interrupted
			return
		case m.Iterations == o.MaxIterations:
			m.Status = ended.IterationLimit
			return
		}
		u := e.quadratic(G, damping)
		u.descend(ctx, math.Min(1e-2, math.Max(1e-10, 0.1*m.Gap/e.f)))
		before, slope := e.penalty(nil, 0), 0.0
		for q, d := range u.step {
			slope += G[q] * d
		}
		slope += e.penalty(u.step, 1) - before
		trial, t, found := make([]float64, len(e.z)), 1.0, false
		for range 50 {
			floats.AddScaledTo(trial, e.z, t, u.z)
			f := e.loss(trial) + e.penalty(u.step, t)
			m.Evaluations++
			if f <= e.f+1e-4*t*slope+1e-14*math.Abs(e.f) {
				found = true
				break
			}
			t /= 2
		}
		switch {
		case t == 1:
			damping = math.Max(damping/10, 1e-12)
		default:
			damping = math.Min(damping*10, 1)
		}
		idle++
		if !found {
			continue
		}
		floats.AddScaled(e.w, t, u.step)
		e.z = e.allScores()
		f := e.loss(e.z) + e.penalty(nil, 0)
		if f < e.f-1e-15*math.Abs(e.f) {
			idle = 0
		}
		e.f = f
	}
}

// alphaMax returns the smallest α·L1Ratio for which all weights are 0 at the minimum. This is the largest absolute
// derivative of the loss with respect to a weight, at weights 0 and optimal biases.
func (e *elasticNet) alphaMax() float64 {
	want := make([]float64, e.classes)
	for i, c := range e.y {
		want[c] += e.c[i]
	}
	floats.Scale(1/floats.Sum(want), want)
	R := make([]float64, e.n*e.scores)
	for i, c := range e.c {
		for q := range e.scores {
			R[i*e.scores+q] = c * (want[q+e.classes-e.scores] - e.label(i, q))
		}
	}
	return floats.Norm(e.product(R)[:e.d*e.scores], math.Inf(1))
}
