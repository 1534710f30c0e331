package dictionary_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
)

// cauchy is a Coder with the prior λ Σ log(1 + (w/s)²). It uses gradient descent.
type cauchy struct{ lambda, s float64 }

func (c cauchy) Squared() bool  { return true }
func (c cauchy) String() string { return fmt.Sprint("Cauchy ", c.lambda, c.s) }

func (c cauchy) Code(_ context.Context, B, X, warm *mat.Dense) (*dictionary.Codes, error) {
	_, n := B.Dims()
	_, m := X.Dims()
	W, objective := mat.NewDense(n, m, nil), make([]float64, m)
	if warm != nil {
		W.Copy(warm)
	}
	norm := mat.Norm(B, 2)
	step := 1 / (norm*norm + 2*c.lambda/(c.s*c.s)) // the inverse of the largest curvature
	var R, G mat.Dense
	for range 300 {
		R.Mul(B, W) // D×n · n×m
		R.Sub(X, &R)
		G.Mul(B.T(), &R) // n×D · D×m
		W.Apply(func(i, j int, w float64) float64 { return w + step*(G.At(i, j)-2*c.lambda*w/(c.s*c.s+w*w)) }, W)
	}
	for j := range objective {
		objective[j] = mat.Dot(R.ColView(j), R.ColView(j)) / 2
		for i := range n {
			objective[j] += c.lambda * math.Log1p(W.At(i, j)*W.At(i, j)/(c.s*c.s))
		}
	}
	return &dictionary.Codes{W: W, Objective: objective, Warm: W}, nil
}

// To use a prior that this module does not provide, write a Coder.
func ExampleLearn_prior() {
	rng := rand.New(rand.NewPCG(1, 2))
	X := mat.NewDense(2, 600, nil)
	for i := range 600 {
		angle, size := math.Pi/180*[]float64{10, 60, 130}[i%3], 6*rng.Float64()-3
		X.Set(0, i, size*math.Cos(angle))
		X.Set(1, i, size*math.Sin(angle))
	}
	r, err := dictionary.Fit(context.Background(), X, &dictionary.Options{
		Coder: cauchy{0.05, 0.2},
		Atoms: 3,
		Start: dictionary.Gaussian,
		Seed:  1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range 3 {
		a := 180 / math.Pi * math.Atan2(r.B.At(1, j), r.B.At(0, j))
		fmt.Printf("%.0f°\n", math.Mod(a+180, 180))
	}
	// Unordered output:
	// 10°
	// 60°
	// 130°
}
