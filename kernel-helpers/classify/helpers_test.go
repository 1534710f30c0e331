package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/internal/trial"
)

// blobs returns n points in d dimensions and their labels. Each of the K classes is normal; the means of the classes
// have standard deviation spread.
func blobs(n, d, K int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	M := random(K, d, spread, seed+100)
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		y[i] = i % K
		for j := range d {
			X.Set(i, j, M.At(y[i], j)+rng.NormFloat64())
		}
	}
	return X, y
}

func random(n, d int, scale float64, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 2)), n, d, scale)
}

func digits(tb testing.TB, n, size int, seed uint64) (*mat.Dense, []int) {
	tb.Helper()
	s, err := synth.Digits(tb.Context(), synth.DigitsOptions{N: n, Size: size, Seed: seed, Noise: 0.1, Balanced: true})
	if err != nil {
		tb.Fatal(err)
	}
	return s.Images, s.Labels
}

// send sends X and y to Python as arrays.
func send(tb testing.TB, py *peer.Python, X *mat.Dense, y []int) {
	tb.Helper()
	labels := mat.NewVecDense(len(y), nil)
	for i, k := range y {
		labels.SetVec(i, float64(k))
	}
	py.Array("X", X)
	py.Array("y", labels)
	py.Do("y = y.ravel().astype(int)")
}

// derivative returns the central difference of f at *p.
func derivative(p *float64, f func() float64) float64 {
	const h = 1e-5
	old := *p
	*p = old + h
	up := f()
	*p = old - h
	down := f()
	*p = old
	return (up - down) / (2 * h)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g (within %g)", what, got, want, tolerance)
	}
}
