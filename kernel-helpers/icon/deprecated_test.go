package icon

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	ctx, X := t.Context(), Normal(12, 4, 1, 1)
	objective := func() *Objective { return must(SNE(X, 4, 2, 1)) }
	same := func(name string, was, is mat.Matrix) {
		t.Helper()
		if !mat.Equal(was, is) {
			t.Errorf("%s: %v, by the new name %v", name, was, is)
		}
	}
	same("Fit", must(Fit(ctx, objective(), Options{Steps: 3})).Embedding, must(Minimize(ctx, objective(), &Options{Steps: 3})).Embedding)
	same("Learn", must(Learn(ctx, "Laplacian eigenmaps", X, nil, LearnOptions{Steps: 3, Neighbours: 3})).Embedding,
		must(FitMethod(ctx, X, nil, "Laplacian eigenmaps", &FitOptions{Steps: 3, Neighbors: 3})).Embedding)
	o := ContrastOptions{Height: 2, Width: 2, Steps: 2, Batch: 4, Hidden: 5, Features: 3, Projection: 2}
	was, is := must(Contrast(ctx, X, o)), must(FitContrast(ctx, X, &o))
	same("Contrast", was.Features(X), is.Transform(X))
	same("Features", was.Net.Features(X), is.Net.Transform(X))
	p := must(NeighborsP(X, 3))
	same("NeighboursP", must(NeighboursP(X, 3)).P, p.P)
	same("Symmetrised", Symmetrised(p).P, Symmetrized(p).P)
}
