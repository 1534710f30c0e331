package s3c

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/given"
)

// A Posterior is the distribution Q of the paper's equation (3) for n patches, one per row. Q(s_i | h_i) is normal,
// with mean ŝ_i and variance 1/γ_i if h_i = 1, and with mean 0 and variance 1/α_i if h_i = 0.
type Posterior struct {
	// Logit is log ĥ − log(1−ĥ) (n×N). It is stored instead of ĥ because near ĥ = 1 the digits of 1−ĥ would
	// be lost.
	Logit *mat.Dense
	S     *mat.Dense // ŝ (n×N)
}

// H returns ĥ (n×N).
func (q *Posterior) H() *mat.Dense {
	n, N := q.Logit.Dims()
	H := mat.NewDense(n, N, nil)
	H.Apply(func(_, _ int, t float64) float64 { return sigmoid(t) }, q.Logit)
	return H
}

// HS returns E_Q[h∘s] = ĥ∘ŝ (n×N).
func (q *Posterior) HS() *mat.Dense {
	M := q.H()
	M.MulElem(M, q.S)
	return M
}

// Clone returns a copy of the posterior.
func (q *Posterior) Clone() *Posterior {
	return &Posterior{mat.DenseCopyOf(q.Logit), mat.DenseCopyOf(q.S)}
}

// Prior returns the Q at which Algorithm 1 starts: ĥ = σ(b) and ŝ = μ for each of n patches.
func (m *Model) Prior(n int) *Posterior {
	if n <= 0 {
		panic(fmt.Sprintf("s3c: Prior: cannot make a posterior of %d patches", n))
	}
	_, N := m.Dims()
	q := &Posterior{mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)}
	for k := range n {
		q.Logit.SetRow(k, m.Bias)
		q.S.SetRow(k, m.Mu)
	}
	return q
}

// checkShape panics unless q is for n patches and N units. It returns an error if q has NaN or Inf.
func (q *Posterior) checkShape(where string, n, N int) error {
	for _, x := range []*mat.Dense{q.Logit, q.S} {
		if x == nil || x.IsEmpty() {
			panic("s3c: " + where + ": the posterior is empty")
		}
		if r, c := x.Dims(); r != n || c != N {
			panic(fmt.Sprintf("s3c: %s: the posterior is %d×%d, must be %d×%d", where, r, c, n, N))
		}
		if k, i := finite.Find(x); k >= 0 {
			return fmt.Errorf("s3c: %s: the posterior has %v for patch %d, unit %d", where, x.At(k, i), k, i)
		}
	}
	return nil
}

// Inverse returns the reconstructions of the n patches of q: E_Q[W(h∘s)] (n×D).
func (m *Model) Inverse(q *Posterior) *mat.Dense {
	given.Args("s3c: Model.Inverse", "q", q)
	var R mat.Dense
	R.Mul(q.HS(), m.W.T()) // (n×N)(N×D)
	return &R
}
