package icon

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/tape"
	"overcomplete/kernel-helpers/vmath"
)

// A Relation says how strongly thing i is related to thing j, as log-affinities a_ij. An Objective normalizes
// exp(a_ij) to a distribution. Given and Pair are relations.
type Relation interface {
	// Name describes the relation in a few words.
	Name() string
	// Params returns the learnable parameters: θ in a supervisory relation, φ in a learned relation. nil
	// means no parameters.
	Params() []*tape.Param
	// Affinity records the log-affinities (n×m) on a tape, together with their gradient with respect to
	// Params. Log-affinities must be finite, except those of Given.
	Affinity(t *tape.Tape) *tape.Value
}

// A Pair is a relation that consists of an embedding with coordinates z_i and a kernel that compares the
// coordinates.
type Pair struct {
	Embedding Embedding
	Kernel    Kernel
}

// On returns the relation given by the kernel k on the embedding e.
func On(e Embedding, k Kernel) *Pair { return &Pair{e, k} }

// Name returns the names of the kernel and of the embedding.
func (r *Pair) Name() string { return r.Kernel.Name() + " on " + r.Embedding.Name() }

// Params returns the parameters of the embedding and the kernel.
func (r *Pair) Params() []*tape.Param {
	return append(append([]*tape.Param(nil), r.Embedding.Params()...), r.Kernel.Params()...)
}

// Affinity implements Relation.
func (r *Pair) Affinity(t *tape.Tape) *tape.Value {
	return r.Kernel.LogAffinity(t, r.Embedding.Coordinates(t))
}

// An Objective is the I-Con loss of two relations,
//
//	L(θ, φ) = 1/n Σ_i Σ_j p_θ(j|i) log p_θ(j|i)/q_φ(j|i).
//
// The gradient with respect to the log-affinities a of q is the same for all kernels: ∂L/∂a_ij = (q_ij −
// p_ij)/n. A kernel only converts this gradient to the gradient of the parameters.
type Objective struct {
	// P is the supervisory relation, and Q is the learned relation. Both are n×m. m = n if things are related
	// to each other.
	P, Q Relation
	// Joint treats P, and likewise Q, as ONE distribution over all pairs, as t-SNE does:
	//
	//	L = Σ_ij P_ij log P_ij/Q_ij,    Σ_ij P_ij = Σ_ij Q_ij = 1.
	//
	// This loss differs from L(θ, φ) above; see the package comment. If Joint is false, each row is a
	// distribution.
	Joint bool
	// Self includes j = i. If Self is false, p(i|i) = q(i|i) = 0, which is usual if things are related to
	// each other. Self must be true if m ≠ n.
	Self bool
	// CrossEntropy leaves out Σ p log p. For a fixed P the omitted term is constant; for a learned P this term keeps p
	// from collapsing.
	CrossEntropy bool
	// Anchor is the weight λ >= 0 of the term λ/n Σ_i KL(p0(·|i)‖p_θ(·|i)), which keeps a learned P near a prior p0. It
	// cannot be combined with Joint.
	Anchor float64
	Prior  *Given
}

// rowsAtOnce is the number of rows that a goroutine processes at a time.
const rowsAtOnce = 16

func eachRow(n int, f func(i int)) {
	parallel.Do((n+rowsAtOnce-1)/rowsAtOnce, 0, func(b int) {
		for i := b * rowsAtOnce; i < min(n, (b+1)*rowsAtOnce); i++ {
			f(i)
		}
	})
}

// normalize stores in Y the probabilities for the log-affinities A (both n×m). It returns the log of each row's
// normalizer, the number by which exp(a_ij) is divided. If Joint is set, all rows have the same normalizer.
func (o *Objective) normalize(Y *mat.Dense, A *mat.Dense) (logZ []float64) {
	n, _ := A.Dims()
	logZ = make([]float64, n)
	top, sum := make([]float64, n), make([]float64, n)
	eachRow(n, func(i int) {
		y := Y.RawRowView(i)
		copy(y, A.RawRowView(i))
		if !o.Self {
			y[i] = math.Inf(-1)
		}
		m := math.Inf(-1)
		for _, v := range y {
			if v > m {
				m = v
			}
		}
		if math.IsInf(m, -1) { // an empty row: all probabilities are 0
			m = 0
		}
		for j := range y {
			y[j] -= m
		}
		vmath.Exp(y, y)
		s := 0.0
		for _, v := range y {
			s += v
		}
		top[i], sum[i], logZ[i] = m, s, m+math.Log(s)
	})
	if o.Joint {
		all := vmath.LogSumExp(logZ)
		for i := range logZ {
			sum[i] = math.Exp(all - top[i])
			logZ[i] = all
		}
	}
	eachRow(n, func(i int) {
		if sum[i] == 0 {
			return
		}
		c := 1 / sum[i]
		y := Y.RawRowView(i)
		for j := range y {
			y[j] *= c
		}
	})
	return logZ
}

// On records the loss on the tape t, and returns it as a 1×1 value.
func (o *Objective) On(t *tape.Tape) *tape.Value { return o.recordOn(t, 1) }

// recordOn is like On, but if P is a Given, the gradient with respect to q's log-affinities has q − pull·p in place of
// q − p. The loss does not change. A pull > 1 is t-SNE's early exaggeration.
func (o *Objective) recordOn(t *tape.Tape, pull float64) *tape.Value {
	aq := o.Q.Affinity(t)
	n, m := aq.Dims()
	if !o.Self && n != m {
		panic(fmt.Sprintf("icon: Objective: Q is %d×%d: Self must be true", n, m))
	}
	Q := t.Matrix(n, m)
	zq := o.normalize(Q, aq.X)
	w := 1 / float64(n) // weight of each row
	if o.Joint {
		w = 1
	}
	if g, fixed := o.P.(*Given); fixed {
		o.checkShape("P", g, n, m)
		rows := make([]float64, n)
		entropy := 0.0
		if !o.CrossEntropy {
			entropy = g.negEntropy()
		}
		eachRow(n, func(i int) {
			p, a := g.P.RawRowView(i), aq.X.RawRowView(i)
			s := 0.0 // Σ_j p log q
			for j, v := range p {
				if v != 0 { // 0 log q is 0 even if q is 0
					s += v * (a[j] - zq[i])
				}
			}
			rows[i] = -s
		})
		L := entropy
		for _, v := range rows {
			L += v
		}
		y := t.Matrix(1, 1)
		y.Set(0, 0, w*L)
		return t.Op(y, func(grad *mat.Dense) {
			d := aq.Accumulate()
			if d == nil {
				return
			}
			c := w * grad.At(0, 0)
			eachRow(n, func(i int) {
				p, q, di := g.P.RawRowView(i), Q.RawRowView(i), d.RawRowView(i)
				for j := range di {
					di[j] += c * (q[j] - pull*p[j])
				}
			})
		}, aq)
	}
	return o.lossWithLearnedP(t, aq, Q, zq, w)
}

// lossWithLearnedP records the loss if P is not a Given, so p may have parameters too. aq, Q and zq are q's
// log-affinities, probabilities and log-normalizers, and w is the weight of each row. If each row is a distribution,
// the gradient with respect to p's log-affinities b is ∂L/∂b_ij = p_ij (l_ij − Σ_k p_ik l_ik)/n with l = log p/q.
func (o *Objective) lossWithLearnedP(t *tape.Tape, aq *tape.Value, Q *mat.Dense, zq []float64, w float64) *tape.Value {
	n, m := aq.Dims()
	ap := o.P.Affinity(t)
	if r, c := ap.Dims(); r != n || c != m {
		panic(fmt.Sprintf("icon: Objective: P is %d×%d, Q is %d×%d", r, c, n, m))
	}
	if o.Anchor != 0 {
		if o.Joint || o.Prior == nil || !(o.Anchor > 0) {
			panic(fmt.Sprintf("icon: Objective: Anchor %v needs a Prior, and rows that are distributions", o.Anchor))
		}
		o.checkShape("Prior", o.Prior, n, m)
	}
	P := t.Matrix(n, m)
	zp := o.normalize(P, ap.X)
	// l_ij, or −log q_ij for the cross-entropy
	l := t.Matrix(n, m)
	rows, anchor := make([]float64, n), make([]float64, n)
	eachRow(n, func(i int) {
		li, p, xp, xq := l.RawRowView(i), P.RawRowView(i), ap.X.RawRowView(i), aq.X.RawRowView(i)
		for j := range li {
			if j == i && !o.Self {
				continue
			}
			lp := xp[j] - zp[i]
			li[j] = zq[i] - xq[j]
			if !o.CrossEntropy {
				li[j] += lp
			}
			if p[j] == 0 {
				li[j] = 0
			}
			rows[i] += p[j] * li[j]
			if o.Anchor > 0 {
				if p0 := o.Prior.P.At(i, j); p0 > 0 {
					anchor[i] += p0 * (math.Log(p0) - lp)
				}
			}
		}
	})
	L := 0.0
	for i, v := range rows {
		L += v + o.Anchor*anchor[i]
	}
	y := t.Matrix(1, 1)
	y.Set(0, 0, w*L)
	mean := 0.0 // mean of l under P, for Joint
	for _, v := range rows {
		mean += v
	}
	return t.Op(y, func(grad *mat.Dense) {
		dp, dq := ap.Accumulate(), aq.Accumulate()
		c := w * grad.At(0, 0)
		eachRow(n, func(i int) {
			p, q, li := P.RawRowView(i), Q.RawRowView(i), l.RawRowView(i)
			center := rows[i]
			if o.Joint {
				center = mean
			}
			for j := range p {
				if dq != nil {
					dq.RawRowView(i)[j] += c * (q[j] - p[j])
				}
				if dp != nil {
					g := p[j] * (li[j] - center)
					if o.Anchor > 0 {
						g += o.Anchor * (p[j] - o.Prior.P.At(i, j))
					}
					dp.RawRowView(i)[j] += c * g
				}
			}
		})
	}, ap, aq)
}

// checkShape panics unless g is n×m, g.Joint equals o.Joint and, if Self is false, the diagonal of g is 0.
func (o *Objective) checkShape(name string, g *Given, n, m int) {
	if r, c := g.P.Dims(); r != n || c != m {
		panic(fmt.Sprintf("icon: Objective: %s is %d×%d, Q is %d×%d", name, r, c, n, m))
	}
	if g.Joint != o.Joint {
		panic(fmt.Sprintf("icon: Objective: Joint is %v, but %s (%s) has Joint %v", o.Joint, name, g.Title, g.Joint))
	}
	if !o.Self {
		for i := range n {
			if g.P.At(i, i) != 0 {
				panic(fmt.Sprintf("icon: Objective: %s(%d|%d) is %v, and Self is false", name, i, i, g.P.At(i, i)))
			}
		}
	}
}

// Params returns θ and φ, the parameters of P and of Q.
func (o *Objective) Params() []*tape.Param {
	return append(append([]*tape.Param(nil), o.P.Params()...), o.Q.Params()...)
}

// Loss returns L.
func (o *Objective) Loss() float64 { return o.On(tape.New()).Scalar() }

// Gradient returns L, and stores ∂L/∂θ and ∂L/∂φ in the field Grad of the parameters.
func (o *Objective) Gradient() float64 {
	tape.Zero(o.Params())
	t := tape.New()
	L := o.On(t)
	t.Backward(L)
	return L.Scalar()
}

// Supervisory returns p as a matrix (n×m). Each row sums to 1; if Joint is set, the whole matrix sums to 1.
func (o *Objective) Supervisory() *mat.Dense { return o.distribution(o.P) }

// Learned returns q as a matrix (n×m).
func (o *Objective) Learned() *mat.Dense { return o.distribution(o.Q) }

func (o *Objective) distribution(r Relation) *mat.Dense {
	if g, ok := r.(*Given); ok {
		return mat.DenseCopyOf(g.P)
	}
	a := r.Affinity(tape.New()).X
	n, m := a.Dims()
	Y := mat.NewDense(n, m, nil)
	o.normalize(Y, a)
	return Y
}

// Perplexity returns e^h, where h is the mean entropy (in nats) of the rows of P (n×m), each scaled to sum to 1. It is
// roughly the number of things j to which each i is related.
func Perplexity(P mat.Matrix) float64 {
	given.Args("icon: Perplexity", "P", P)
	mustBeFinite("Perplexity", "P", P)
	n, m := P.Dims()
	h := 0.0
	for i := range n {
		s := 0.0
		for j := range m {
			s += P.At(i, j)
		}
		for j := range m {
			if v := P.At(i, j) / s; v > 0 {
				h -= v * math.Log(v) / float64(n)
			}
		}
	}
	return math.Exp(h)
}
