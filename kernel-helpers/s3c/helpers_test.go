package s3c

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
)

func TestMain(m *testing.M) {
	gemm.Use()
	os.Exit(m.Run())
}

var bg = context.Background()

func gaussian(r, c int, scale float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	a := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			a.Set(i, j, scale*rng.NormFloat64())
		}
	}
	return a
}

// aModel returns a model whose parameters are all different.
func aModel(t testing.TB, d, n int, diagonal bool, seed uint64) *Model {
	t.Helper()
	m, err := NewModel(gaussian(d, n, 1, seed), -2, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range n {
		m.Bias[i] += rng.NormFloat64()
		m.Mu[i] = rng.NormFloat64()
		m.Alpha[i] = math.Exp(0.5 * rng.NormFloat64())
	}
	if diagonal {
		m.Beta = make([]float64, d)
		for i := range m.Beta {
			m.Beta[i] = 3 * math.Exp(0.5*rng.NormFloat64())
		}
	}
	return m
}

// aPosterior returns a random Q.
func aPosterior(n, N int, seed uint64) *Posterior {
	return &Posterior{gaussian(n, N, 2, seed), gaussian(n, N, 1, seed+1)}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func infer(t testing.TB, m *Model, V mat.Matrix, o InferOptions) *Inference {
	t.Helper()
	return must[*Inference](t)(m.Infer(t.Context(), V, &o))
}

func largest(a mat.Matrix) float64 {
	r, c := a.Dims()
	var x float64
	for i := range r {
		for j := range c {
			x = max(x, math.Abs(a.At(i, j)))
		}
	}
	return x
}

func single(a *mat.Dense) []float32 {
	r, c := a.Dims()
	x := make([]float32, 0, r*c)
	for i := range r {
		for _, v := range a.RawRowView(i) {
			x = append(x, float32(v))
		}
	}
	return x
}

// apart returns the largest difference between elements of a and b.
func apart(a []float32, b *mat.Dense) float64 {
	_, c := b.Dims()
	var x float64
	for i, v := range a {
		x = max(x, math.Abs(float64(v)-b.At(i/c, i%c)))
	}
	return x
}
