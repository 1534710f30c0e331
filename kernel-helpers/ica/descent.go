package ica

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/lbfgs"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/vector"
)

// The fixed-point iteration of FastICA may cycle forever on small samples and on sources with both signs of kurtosis.
// The descent in this file ends at the same points, because each of its steps lowers
//
//	L(W) = −Σ_i σ_i E[G(y_i)],   y = Wz,   G' = g,   σ_i = sign(κ_i),   κ_i = E[g(y_i) y_i] − E[g'(y_i)],
//
// over the orthogonal W. Both end where σ_i C_ij = σ_j C_ji, with C = E[g(y) y']. A step is W <- (I + αE)W, made
// orthogonal, for a skew E. To second order near independent sources, dL = Σ_{i<j} (d_ij E_ij + ½ h_ij E_ij²) with
//
//	d_ij = σ_j C_ji − σ_i C_ij,   h_ij = |κ_i| + |κ_j|.
//
// Source: P. Ablin, J.-F. Cardoso and A. Gramfort, Faster ICA under orthogonal constraint, ICASSP 2018.

// settle is the number of iterations after which symmetric continues by descent.
const settle = 200

// A place is a point of the descent.
type place struct {
	w     *mat.Dense // k×k, orthogonal
	loss  float64
	sigma []float64 // k: the signs in loss and d
	signs []float64 // k: those of κ at w
	d, h  []float64 // derivatives for the pairs i < j, row by row
}

// placeAt returns the place of w, for the whitened data z (k×p). sigma holds the signs in L. If it is nil, they are
// the signs of κ at w.
func placeAt(ctx context.Context, z, w *mat.Dense, sigma []float64, g Contrast) (*place, error) {
	k, p := z.Dims()
	var y, gy, C mat.Dense
	if err := product.Mul(ctx, &y, w, z); err != nil {
		return nil, err
	}
	gy.CloneFrom(&y)
	slope, value := make([]float64, k), make([]float64, k)
	for i := range k {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, u := range y.RawRowView(i) {
			value[i] += g.integral(u)
		}
		value[i] /= float64(p)
		slope[i] = g.apply(gy.RawRowView(i))
	}
	if err := product.Mul(ctx, &C, &gy, y.T()); err != nil { // k×p · p×k
		return nil, err
	}
	C.Scale(1/float64(p), &C)
	at := &place{w: w, sigma: sigma, signs: make([]float64, k)}
	for i := range k {
		at.signs[i] = math.Copysign(1, C.At(i, i)-slope[i])
	}
	if sigma == nil {
		at.sigma = at.signs
	}
	for i, v := range value {
		at.loss -= at.sigma[i] * v
	}
	for i := range k {
		for j := i + 1; j < k; j++ {
			at.d = append(at.d, at.sigma[j]*C.At(j, i)-at.sigma[i]*C.At(i, j))
			at.h = append(at.h, math.Abs(C.At(i, i)-slope[i])+math.Abs(C.At(j, j)-slope[j]))
		}
	}
	return at, nil
}

// integral returns G(u), where G' = g and G(0) = 0.
func (c Contrast) integral(u float64) float64 {
	if c == Cube {
		return u * u * u * u / 4
	}
	return logCosh(math.Abs(u))
}

// moved returns (I + αE)w, made orthogonal, where e holds the elements of E above the diagonal.
func moved(ctx context.Context, w *mat.Dense, alpha float64, e []float64) (*mat.Dense, error) {
	k, _ := w.Dims()
	by := mat.NewDense(k, k, nil)
	for i, at := 0, 0; i < k; i++ {
		by.Set(i, i, 1)
		for j := i + 1; j < k; j++ {
			by.Set(i, j, alpha*e[at])
			by.Set(j, i, -alpha*e[at])
			at++
		}
	}
	next := &mat.Dense{}
	next.Mul(by, w)
	return next, decorrelate(ctx, next)
}

// descend minimizes L, starting from w, with the whitened data z (k×p). The results and the tolerance are as in
// symmetric. The change recorded for an iteration is that of a Newton step with the second derivatives h. This step is
// also taken if there is no memory of earlier steps.
func (res *FastICAModel) descend(ctx context.Context, z, w *mat.Dense, o *FastICAOptions) (converged bool, err error) {
	const flat = 1e-3 // the smallest h, as a part of the largest
	memory := lbfgs.New(10, nil)
	at, err := placeAt(ctx, z, mat.DenseCopyOf(w), nil, o.Contrast)
	for err == nil && res.Iterations < o.MaxIterations {
		newton := make([]float64, len(at.d))
		top := floats.Norm(at.h, math.Inf(1))
		for q, d := range at.d {
			newton[q] = -d / max(at.h[q], flat*top, 1e-300)
		}
		change := min(1, furthest(newton, len(at.sigma)))
		res.step(change, o.MaxIterations, o)
		if change <= o.Tolerance {
			converged = true
			break
		}
		step := memory.Vector(len(newton))
		memory.Direction(step, at.d)
		if memory.Len() == 0 || !(vector.DotInOrder(step, at.d) < 0) {
			memory.Reset()
			copy(step, newton)
		}
		var next *place
		if next, err = at.search(ctx, z, step, o.Contrast); err != nil {
			break
		}
		if next == nil { // rounding ends the descent, unless a plain step still helps
			if memory.Len() == 0 {
				break
			}
			memory.Reset()
			continue
		}
		memory.Keep(step, floats.SubTo(memory.Vector(len(step)), next.d, at.d), 0)
		if !slices.Equal(next.signs, next.sigma) { // L is another function from here on
			memory.Reset()
			if next, err = placeAt(ctx, z, next.w, nil, o.Contrast); err != nil {
				break
			}
		}
		at = next
	}
	if at != nil {
		w.Copy(at.w)
	}
	return converged, err
}

// search shortens the given step until L is lower at its end, and returns the place there. It returns nil if no such
// step is found.
func (at *place) search(ctx context.Context, z *mat.Dense, step []float64, g Contrast) (*place, error) {
	k, _ := at.w.Dims()
	alpha := 1.0
	if far := math.Sqrt(2 * furthest(step, k)); far > 1 { // no row turns by more than about 45 degrees
		alpha = 1 / far
	}
	down := vector.DotInOrder(step, at.d) // the derivative of L along the step
	for range 20 {
		w, err := moved(ctx, at.w, alpha, step)
		if err != nil {
			return nil, err
		}
		next, err := placeAt(ctx, z, w, at.sigma, g)
		if err != nil {
			return nil, err
		}
		if next.loss <= at.loss+1e-4*alpha*down {
			floats.Scale(alpha, step)
			return next, nil
		}
		alpha /= 2
	}
	return nil, nil
}

// furthest returns the largest 1 − |cosine| between a row of W before and after a small step, which is half of the
// squared norm of a row of E (k×k).
func furthest(e []float64, k int) float64 {
	squares := make([]float64, k)
	for i, at := 0, 0; i < k; i++ {
		for j := i + 1; j < k; j++ {
			squares[i] += e[at] * e[at]
			squares[j] += e[at] * e[at]
			at++
		}
	}
	return slices.Max(squares) / 2
}
