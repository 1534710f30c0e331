package s3c

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MaxExact is the maximum number of hidden units of a model for Exact.
const MaxExact = 12

// An ExactPosterior is the true P(h, s | v), found by enumerating all 2^N values of h.
type ExactPosterior struct {
	LogEvidence []float64  // log P(v) of each patch
	H           *mat.Dense // P(h_i = 1 | v), n×N
	HS          *mat.Dense // E[h_i s_i | v], n×N
}

// Exact finds the true posterior of the rows of V (n×D), for models of at most MaxExact units. It panics for larger
// models. For a fixed h, the variables s and v are jointly normal:
//
//	Λ = diag(α) + W_h'βW_h,  E[s | h, v] = Λ⁻¹(αμ + W_h'βv),
//	log P(v | h) = ½ Σ_d log(β_d/2π) + ½ Σ log α − ½ log|Λ| − ½ (v'βv + μ'αμ − E'ΛE),
//
// where E is E[s | h, v], and s, μ, α, Λ and the columns of W are restricted to the units with h_i = 1. The slabs of
// the other units do not depend on v.
func (m *Model) Exact(V mat.Matrix) (*ExactPosterior, error) {
	x, err := m.patches("Exact", V)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	_, N := m.Dims()
	if N > MaxExact {
		panic(fmt.Sprintf("s3c: Exact: the model has %d hidden units, more than the maximum of %d", N, MaxExact))
	}
	out := &ExactPosterior{make([]float64, n), mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)}
	for k := range n {
		v := x.RawRowView(k)
		same := 0.0
		for j, u := range v {
			same += 0.5*math.Log(m.beta(j)/(2*math.Pi)) - 0.5*m.beta(j)*u*u
		}
		logs := make([]float64, 1<<N)
		slabs := make([][]float64, 1<<N) // E[h∘s | h, v]
		for set := range logs {
			var on []int
			f := same
			for i := range N {
				if set>>i&1 == 1 {
					on = append(on, i)
					f += logSigmoid(m.Bias[i])
				} else {
					f += logSigmoid(-m.Bias[i])
				}
			}
			slabs[set] = make([]float64, N)
			if c := len(on); c > 0 {
				precision, right := mat.NewSymDense(c, nil), mat.NewVecDense(c, nil)
				for a, i := range on {
					b := m.Alpha[i] * m.Mu[i]
					f += 0.5*math.Log(m.Alpha[i]) - 0.5*m.Alpha[i]*m.Mu[i]*m.Mu[i]
					for j := range d {
						b += m.W.At(j, i) * m.beta(j) * v[j]
					}
					right.SetVec(a, b)
					for a2, i2 := range on[:a+1] {
						var g float64
						for j := range d {
							g += m.W.At(j, i) * m.beta(j) * m.W.At(j, i2)
						}
						if a == a2 {
							g += m.Alpha[i]
						}
						precision.SetSym(a, a2, g)
					}
				}
				var chol mat.Cholesky
				if !chol.Factorize(precision) {
					return nil, fmt.Errorf("s3c: Exact: the precision of spikes %b is singular", set)
				}
				var s mat.VecDense
				if err := chol.SolveVecTo(&s, right); err != nil {
					return nil, fmt.Errorf("s3c: Exact: spikes %b: %w", set, err)
				}
				f += -0.5*chol.LogDet() + 0.5*mat.Dot(&s, right)
				for a, i := range on {
					slabs[set][i] = s.AtVec(a)
				}
			}
			logs[set] = f
		}
		top := math.Inf(-1)
		for _, f := range logs {
			top = max(top, f)
		}
		var sum float64
		for _, f := range logs {
			sum += math.Exp(f - top)
		}
		out.LogEvidence[k] = top + math.Log(sum)
		h, hs := out.H.RawRowView(k), out.HS.RawRowView(k)
		for set, f := range logs {
			p := math.Exp(f - out.LogEvidence[k])
			for i := range N {
				if set>>i&1 == 1 {
					h[i] += p
					hs[i] += p * slabs[set][i]
				}
			}
		}
	}
	return out, nil
}
