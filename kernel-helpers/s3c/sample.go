package s3c

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// A Draw holds samples drawn from a Model (equation (1) of the package comment), one per row.
type Draw struct {
	H, S *mat.Dense // n×N
	V    *mat.Dense // n×D
}

// Sample draws n samples from the model, equation (1) of the package comment. The same seed gives the same numbers.
func (m *Model) Sample(n int, seed uint64) (*Draw, error) {
	if n <= 0 {
		panic(fmt.Sprintf("s3c: Sample: cannot draw %d samples", n))
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	d, N := m.Dims()
	rng := rand.New(rand.NewPCG(seed, 0x53c))
	x := &Draw{mat.NewDense(n, N, nil), mat.NewDense(n, N, nil), mat.NewDense(n, d, nil)}
	hs := mat.NewDense(n, N, nil)
	for k := range n {
		h, s, p := x.H.RawRowView(k), x.S.RawRowView(k), hs.RawRowView(k)
		for i := range h {
			if rng.Float64() < sigmoid(m.Bias[i]) {
				h[i] = 1
			}
			s[i] = h[i]*m.Mu[i] + rng.NormFloat64()/math.Sqrt(m.Alpha[i])
			p[i] = h[i] * s[i]
		}
	}
	x.V.Mul(hs, m.W.T()) // (n×N)(N×D)
	for k := range n {
		for i, v := range x.V.RawRowView(k) {
			x.V.Set(k, i, v+rng.NormFloat64()/math.Sqrt(m.beta(i)))
		}
	}
	return x, nil
}

// sigmoid returns 1/(1+e^−x). It is accurate even for very negative x.
func sigmoid(x float64) float64 {
	if e := math.Exp(-math.Abs(x)); x < 0 {
		return e / (1 + e)
	} else {
		return 1 / (1 + e)
	}
}

// softplus returns log(1+e^x).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
