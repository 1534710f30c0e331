package tsne

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/constant"
)

// small is the standard deviation of the initial map. It is small compared with the 1 in the denominator of w = 1/(1 +
// ‖y_i − y_j‖²), so that at first all points interact.
const small = 1e-4

// start returns the coordinates of the initial map (Dn numbers), point by point.
func start(ctx context.Context, X *mat.Dense, o *Options) ([]float64, error) {
	n, _ := X.Dims()
	if o.Start == Given {
		return coordinates(o.Init), nil
	}
	// If the data have fewer than D principal components, noise replaces the missing components, because the
	// gradient cannot leave a line.
	rnd := rand.New(rand.NewPCG(o.Seed, 0))
	D := o.Dimensions
	y := make([]float64, D*n)
	for k := range y {
		y[k] = small * rnd.NormFloat64()
	}
	if o.Start == Random || !slices.Contains(constant.Columns(X), false) {
		return y, nil
	}
	if o.Metric == Precomputed {
		B, err := scalarProducts(X)
		if err != nil {
			return nil, err
		}
		X = B
	}
	Z, err := principal(ctx, X, D, rnd)
	if err != nil {
		return nil, fmt.Errorf("tsne: start: %w", err)
	}
	if o.Metric == Precomputed { // λv becomes √λ v
		_, k := Z.Dims()
		for c := range k {
			z := mat.Col(nil, c, Z)
			if norm := floats.Norm(z, 2); norm > 0 {
				floats.Scale(1/math.Sqrt(norm), z)
				Z.SetCol(c, z)
			}
		}
	}
	_, k := Z.Dims()
	var first float64
	for c := range k {
		z := mat.Col(nil, c, Z)
		s := math.Sqrt(floats.Dot(z, z) / float64(n))
		if c == 0 {
			first = s
		}
		if s <= 1e-9*first {
			continue
		}
		for i := range n {
			y[D*i+c] = small * z[i] / first
		}
	}
	return y, nil
}

// principal returns the scores of X (n×d) on its first D principal axes, one row per point. There are min(D, n, d)
// columns. The scores are approximate, which is enough for a start. They have the same bits for any number of
// processors.
//
// It uses subspace iteration on X̄ᵀX̄, where X̄ is X minus the mean of its rows. The subspace has up to ten extra
// dimensions; at the end, the Rayleigh-Ritz method finds the axes in it. See N. Halko, P. G. Martinsson and J. A.
// Tropp, SIAM Review 53, 2011.
func principal(ctx context.Context, X *mat.Dense, D int, rnd *rand.Rand) (*mat.Dense, error) {
	n, d := X.Dims()
	const passes = 8
	l := min(D+10, n, d)
	mean := make([]float64, d)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), X.RawRowView(i))
	}
	W := mat.NewDense(d, l, nil)
	for i := range d {
		for j := range l {
			W.Set(i, j, rnd.NormFloat64())
		}
	}
	const rows = 1024
	block := mat.NewDense(min(rows, n), d, nil)
	Y := mat.NewDense(n, l, nil)
	for pass := range passes {
		Z := mat.NewDense(d, l, nil)
		var part mat.Dense
		for r := 0; r < n; r += rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			end := min(n, r+rows)
			C := block.Slice(0, end-r, 0, d).(*mat.Dense) // rows of X̄
			for i := r; i < end; i++ {
				floats.SubTo(C.RawRowView(i-r), X.RawRowView(i), mean)
			}
			V := Y.Slice(r, end, 0, l).(*mat.Dense)
			V.Mul(C, W) // rows×l
			if pass < passes-1 {
				part.Mul(C.T(), V) // d×l
				Z.Add(Z, &part)
			}
		}
		if pass < passes-1 {
			var qr mat.QR
			var Q mat.Dense
			Z.Scale(1/mat.Norm(Z, math.Inf(1)), Z)
			qr.Factorize(Z)
			qr.QTo(&Q)
			W.Copy(Q.Slice(0, d, 0, l))
		}
	}
	var S mat.SymDense
	S.SymOuterK(1, Y.T()) // YᵀY = WᵀX̄ᵀX̄W, l×l
	var e mat.EigenSym
	if !e.Factorize(&S, true) {
		return nil, errors.New("the eigenvalues did not converge")
	}
	var V, Z mat.Dense
	e.VectorsTo(&V) // in ascending order of eigenvalues
	Z.Mul(Y, &V)
	k := min(D, l)
	out := mat.NewDense(n, k, nil)
	for c := range k {
		z := mat.Col(nil, l-1-c, &Z)
		// The sign is arbitrary; make the largest score positive.
		if math.Abs(floats.Min(z)) > floats.Max(z) {
			floats.Scale(-1, z)
		}
		out.SetCol(c, z)
	}
	return out, nil
}
