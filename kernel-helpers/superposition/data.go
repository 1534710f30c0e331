package superposition

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// Data holds samples with weights that sum to 1.
type Data struct {
	X      *mat.Dense // n×S, one sample per column
	Weight []float64  // S
}

// Sparse draws the given number of samples, each of n features. Each feature is nonzero with probability p; if it
// is, it is uniform in [0, 1]. It panics unless n and samples are positive and 0 < p <= 1.
func Sparse(n, samples int, p float64, seed uint64) *Data {
	if n <= 0 || samples <= 0 || !(p > 0 && p <= 1) {
		panic(fmt.Sprintf("superposition: Sparse: %d features, %d samples, probability %v", n, samples, p))
	}
	rng := rand.New(rand.NewPCG(seed, 0x70f))
	d := &Data{X: mat.NewDense(n, samples, nil), Weight: make([]float64, samples)}
	for s := range samples {
		d.Weight[s] = 1 / float64(samples)
		for i := range n {
			if rng.Float64() < p {
				d.X.Set(i, s, rng.Float64())
			}
		}
	}
	return d
}

// nodes is the number of quadrature points along a line. The integrands are polynomials except for the kink
// of the ReLU.
const nodes = 8

// Pair returns the distribution of two features, each nonzero with probability p: the points and weights of a
// Gauss-Legendre quadrature for each of the four cases of zero and nonzero features. Where both features are nonzero,
// the quadrature treats the two triangles on either side of the diagonal x_1 = x_2 separately. For W = (w, −w) and b =
// 0 the kink of the ReLU is on this diagonal, so it causes no error. Pair panics unless 0 < p <= 1.
func Pair(p float64) *Data {
	if !(p > 0 && p <= 1) {
		panic(fmt.Sprintf("superposition: Pair: probability %v, must be above 0 and at most 1", p))
	}
	at, w := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(at, w, 0, 1)
	var x, y, weight []float64
	add := func(a, b, q float64) { x, y, weight = append(x, a), append(y, b), append(weight, q) }
	if p < 1 {
		add(0, 0, (1-p)*(1-p))
	}
	for i, a := range at {
		if p < 1 {
			add(a, 0, p*(1-p)*w[i])
			add(0, a, p*(1-p)*w[i])
		}
		for j, b := range at { // (a, ab) fills the triangle below the diagonal, with the density a
			add(a, a*b, p*p*a*w[i]*w[j])
			add(a*b, a, p*p*a*w[i]*w[j])
		}
	}
	return &Data{X: mat.NewDense(2, len(x), append(x, y...)), Weight: weight}
}
