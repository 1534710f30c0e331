package iconframework

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/icon"
)

// The identity of K-means (section 5 of the notebook) holds for a p that counts i among its own neighbors. With
// p(i|i) = 0, as for SNE, the divergence from q to p is infinite, because i is in its own cluster. If i is left out
// on both sides, the sum is different.
func TestKMeansIdentityNeedsItself(t *testing.T) {
	const n, k, sigma = 12, 3, 0.8
	X := icon.Normal(n, 2, 1, 5)
	labels := make([]int, n)
	count := make([]float64, k)
	for i := range labels {
		labels[i] = i % k
		count[i%k]++
	}
	// divergence returns Σ_i KL(q(·|i)‖p(·|i)) and Σ_i log Z_i. inP and inQ say whether i is among its own neighbors
	// on each side.
	divergence := func(inP, inQ bool) (sum, logZ float64) {
		for i := range n {
			Z := 0.0
			for j := range n {
				if j != i || inP {
					Z += math.Exp(-squaredDistance(X, i, j) / (2 * sigma * sigma))
				}
			}
			logZ += math.Log(Z)
			size := count[labels[i]]
			if !inQ {
				size--
			}
			for j := range n {
				if labels[j] != labels[i] || j == i && !inQ {
					continue
				}
				if j == i && !inP {
					return math.Inf(1), logZ // q log q/0
				}
				p := math.Exp(-squaredDistance(X, i, j)/(2*sigma*sigma)) / Z
				sum += math.Log(1/(size*p)) / size
			}
		}
		return sum, logZ
	}
	identity := func(logZ float64) float64 {
		sum := inertia(X, labels, k)/(sigma*sigma) + logZ
		for _, c := range labels {
			sum -= math.Log(count[c])
		}
		return sum
	}
	if left, logZ := divergence(true, true); math.Abs(left-identity(logZ)) > 1e-12*math.Abs(left) {
		t.Errorf("with i itself: %.6f and %.6f", left, identity(logZ))
	}
	if left, logZ := divergence(false, true); !math.IsInf(left, 1) || math.IsInf(identity(logZ), 0) {
		t.Errorf("p(i|i) = 0 alone: %.6f and %.6f", left, identity(logZ))
	}
	if left, logZ := divergence(false, false); math.Abs(left-identity(logZ)) < 0.1 {
		t.Errorf("without i on both sides: %.6f and %.6f, which should not be the same", left, identity(logZ))
	}
	// The p of the engine's instance is the p that the identity needs.
	o, err := icon.KMeans(X, k, sigma, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if p := mat.DenseCopyOf(o.Supervisory()).At(0, 0); !(p > 0) {
		t.Errorf("p(i|i) = %g", p)
	}
}
