package kmeansplot_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/kmeans/kmeansplot"
)

func TestFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	X := mat.NewDense(50, 4, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, X)
	r, err := kmeans.Fit(context.Background(), X, &kmeans.Options{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	for want, svg := range map[string]string{"inertia": kmeansplot.Inertia(r).SVG(), "Centres": kmeansplot.Centers(r, 2, 2, 3).SVG()} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in its figure", want)
		}
	}
	if panics.Value(func() { kmeansplot.Centers(r, 3, 3, 3) }) == nil {
		t.Error("centres of 4 numbers were drawn as pictures of 3 × 3")
	}
}
