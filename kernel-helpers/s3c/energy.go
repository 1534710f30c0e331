package s3c

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/vmath"
)

// Energy returns the energy functional E_Q[log P(v,h,s)] + H(Q) of each row of V (n×D), which is the log evidence minus
// KL(Q||P), (2). After substituting the variances of Q, most terms cancel:
//
//	F = Σ_d ½ log(β_d/2π) − ½ (v − Wm)'β(v − Wm) − ½ Σ_i w_i ĥ_i(1−ĥ_i)ŝ_i²
//	    + Σ_i [ĥ_i b_i − log(1+e^b_i) + H(ĥ_i) − ½ ĥ_i (α_i(ŝ_i − μ_i)² + log(γ_i/α_i))],
//
// where m = ĥ∘ŝ, w_i = W_i'βW_i and γ = α + w. EnergyReference computes the definition itself.
func (m *Model) Energy(V mat.Matrix, q *Posterior) ([]float64, error) {
	given.Args("s3c: Model.Energy", "q", q)
	x, err := m.patches("Energy", V)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	_, N := m.Dims()
	if err := q.checkShape("Energy", n, N); err != nil {
		return nil, err
	}
	return m.energy(context.Background(), x, q), nil
}

// energy is like Energy, but returns early when ctx is done.
func (m *Model) energy(ctx context.Context, V *mat.Dense, q *Posterior) []float64 {
	n, d := V.Dims()
	_, N := m.Dims()
	w := m.weights()
	same := 0.0 // terms that do not depend on Q
	for k := range d {
		same += 0.5 * math.Log(m.beta(k)/(2*math.Pi))
	}
	ratio := make([]float64, N) // ½ log(γ/α)
	for i, b := range m.Bias {
		same -= softplus(b)
		ratio[i] = 0.5 * math.Log1p(w[i]/m.Alpha[i])
	}
	H, M := mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	for k := 0; k < n && ctx.Err() == nil; k++ {
		h := H.RawRowView(k)
		vmath.Sigmoid(h, q.Logit.RawRowView(k))
		p := M.RawRowView(k)
		for i, s := range q.S.RawRowView(k) {
			p[i] = h[i] * s
		}
	}
	var R mat.Dense
	product.Mul(ctx, &R, M, m.W.T()) // (n×N)(N×D)
	F := make([]float64, n)
	soft, low := make([]float64, N), make([]float64, N)
	for k := 0; k < n && ctx.Err() == nil; k++ {
		f := same
		v := V.RawRowView(k)
		for i, r := range R.RawRowView(k) {
			f -= 0.5 * m.beta(i) * (v[i] - r) * (v[i] - r)
		}
		h, t, s := H.RawRowView(k), q.Logit.RawRowView(k), q.S.RawRowView(k)
		// H(σ(t)) = log(1+e^−|t|) + |t| σ(−|t|) is accurate for every t.
		for i, t := range t {
			low[i] = -math.Abs(t)
		}
		vmath.Softplus(soft, low)
		for i, a := range low {
			lesser := min(h[i], 1-h[i])
			if t[i] > 0 { // 1−h loses its digits if h is near 1
				lesser = sigmoid(a)
			}
			f += soft[i] - a*lesser
			e := s[i] - m.Mu[i]
			f += h[i]*(m.Bias[i]-ratio[i]-0.5*m.Alpha[i]*e*e) - 0.5*w[i]*lesser*(1-lesser)*s[i]*s[i]
		}
		F[k] = f
	}
	return F
}

// EnergyReference returns what Energy returns, but computes it by the definition, unit by unit, without cancelling
// terms. It is slow and intended for tests.
func (m *Model) EnergyReference(V mat.Matrix, q *Posterior) ([]float64, error) {
	given.Args("s3c: Model.EnergyReference", "q", q)
	logP, err := m.ExpectedLogP(V, q)
	if err != nil {
		return nil, err
	}
	for k, h := range m.Entropy(q) {
		logP[k] += h
	}
	return logP, nil
}

// ExpectedLogP returns E_Q[log P(v,h,s)] for each row of V (n×D), by the definition.
func (m *Model) ExpectedLogP(V mat.Matrix, q *Posterior) ([]float64, error) {
	given.Args("s3c: Model.ExpectedLogP", "q", q)
	x, err := m.patches("ExpectedLogP", V)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	_, N := m.Dims()
	if err := q.checkShape("ExpectedLogP", n, N); err != nil {
		return nil, err
	}
	return m.expectedLogP(x, q, m.slabVariances()), nil
}

// slabVariances returns the variances of Q(s_i | h_i): 1/γ_i for h_i = 1, then 1/α_i for h_i = 0.
func (m *Model) slabVariances() [][2]float64 {
	d, N := m.Dims()
	v := make([][2]float64, N)
	for i := range v {
		gamma := m.Alpha[i]
		for k := range d {
			gamma += m.W.At(k, i) * m.beta(k) * m.W.At(k, i)
		}
		v[i] = [2]float64{1 / gamma, 1 / m.Alpha[i]}
	}
	return v
}

// expectedLogP is like ExpectedLogP, but takes Q's variances as an argument, because in the M step they
// belong to the previous parameters.
func (m *Model) expectedLogP(V *mat.Dense, q *Posterior, variance [][2]float64) []float64 {
	n, d := V.Dims()
	_, N := m.Dims()
	out := make([]float64, n)
	mean, second := make([]float64, N), make([]float64, N) // of h_i s_i
	for k := range n {
		var f float64
		for i := range N {
			t, s := q.Logit.At(k, i), q.S.At(k, i)
			one, none := sigmoid(t), sigmoid(-t)
			mean[i] = one * s
			second[i] = one * (s*s + variance[i][0])
			// log P(h_i) and log P(s_i | h_i)
			f += -one*softplus(-m.Bias[i]) - none*softplus(m.Bias[i])
			e := s - m.Mu[i]
			f += 0.5*math.Log(m.Alpha[i]/(2*math.Pi)) - 0.5*m.Alpha[i]*(one*(e*e+variance[i][0])+none*variance[i][1])
		}
		for j := range d {
			// E (v_d − Σ_i W_di h_i s_i)² is the square of the mean plus the variance.
			r, spread := V.At(k, j), 0.0
			for i := range N {
				w := m.W.At(j, i)
				r -= w * mean[i]
				spread += w * w * (second[i] - mean[i]*mean[i])
			}
			f += 0.5*math.Log(m.beta(j)/(2*math.Pi)) - 0.5*m.beta(j)*(r*r+spread)
		}
		out[k] = f
	}
	return out
}

// Entropy returns H(Q) for each patch, by the definition.
func (m *Model) Entropy(q *Posterior) []float64 {
	given.Args("s3c: Model.Entropy", "q", q)
	n, N := q.Logit.Dims()
	variance := m.slabVariances()
	out := make([]float64, n)
	for k := range n {
		for i := range N {
			t := q.Logit.At(k, i)
			one, none := sigmoid(t), sigmoid(-t)
			// −log σ(t) = log(1+e^−t)
			out[k] += one*softplus(-t) + none*softplus(t)
			out[k] += 0.5*one*math.Log(2*math.Pi*math.E*variance[i][0]) + 0.5*none*math.Log(2*math.Pi*math.E*variance[i][1])
		}
	}
	return out
}
