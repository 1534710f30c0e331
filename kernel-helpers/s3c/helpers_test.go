package s3c

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/cifar"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/trial"
)

func init() { gemm.Use() }

var bg = context.Background()

func gaussian(r, c int, scale float64, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 7)), r, c, scale)
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

// whitened returns n whitened patches of D = 108 numbers, one per row, and a description of their source: 6×6×3 patches
// of CIFAR-10 if available, otherwise 12×9 patches of dead leaves. The constants are those of the published experiment,
// for pixels 0 to 255.
func whitened(t testing.TB, n int) (*mat.Dense, string) {
	t.Helper()
	const side, D = 6, 108
	X := mat.NewDense(n, D, nil)
	from := "CIFAR-10"
	rng := rand.New(rand.NewPCG(5, 3))
	if d, err := cifar.Load(); err == nil {
		for k := range n {
			img, y, x := rng.IntN(d.Train.Len()), rng.IntN(cifar.Side-side+1), rng.IntN(cifar.Side-side+1)
			pixels, row := d.Train.Pixels[img*cifar.Size:], X.RawRowView(k)
			for i := range row {
				plane, at := i/(side*side), i%(side*side)
				row[i] = float64(pixels[plane*cifar.Side*cifar.Side+(y+at/side)*cifar.Side+x+at%side])
			}
		}
	} else {
		from = "dead leaves"
		l, err := synth.DeadLeaves(synth.LeavesOptions{Size: 512, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			y, x := rng.IntN(512-12+1), rng.IntN(512-9+1)
			row := X.RawRowView(k)
			for i := range row {
				row[i] = 255 * l.Image.At(y+i/9, x+i%9)
			}
		}
	}
	mean := make([]float64, D)
	for k := range n {
		row := X.RawRowView(k)
		var m, s float64
		for _, v := range row {
			m += v / D
		}
		for _, v := range row {
			s += (v - m) * (v - m) / D
		}
		for i := range row {
			row[i] = (row[i] - m) / math.Sqrt(s+10)
			mean[i] += row[i] / float64(n)
		}
	}
	for k := range n {
		for i := range mean {
			X.Set(k, i, X.At(k, i)-mean[i])
		}
	}
	var C mat.SymDense
	C.SymOuterK(1/float64(n), X.T())
	var e mat.EigenSym
	if !e.Factorize(&C, true) {
		t.Fatal("no eigenvectors")
	}
	var U, S mat.Dense
	e.VectorsTo(&U)
	S.CloneFrom(&U)
	for i, v := range e.Values(nil) {
		for k := range D {
			S.Set(k, i, U.At(k, i)/math.Sqrt(v+0.1))
		}
	}
	var P, Z mat.Dense
	P.Mul(&S, U.T())
	Z.Mul(X, &P)
	return &Z, from
}
