package sparseapprox

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
)

// bound computes L, the largest eigenvalue of BᵀB + μI, from BBᵀ if BBᵀ is smaller than BᵀB. It makes L slightly larger
// to allow for rounding errors.
func (c *Coder) bound(ctx context.Context) error {
	var small mat.Matrix = c.atoms
	if c.d < c.n {
		small = c.atoms.T()
	}
	var g mat.SymDense
	err := parallel.Await(ctx, float64(c.d)*float64(c.n)*float64(min(c.d, c.n)), func() { g.SymOuterK(1, small) })
	if err != nil {
		return err
	}
	scale := mat.Max(&g) // largest diagonal element; near the limits of float64 EigenSym fails
	if scale == 0 {
		return nil // no atom is ever used
	}
	var e mat.EigenSym
	found := false
	n := float64(g.SymmetricDim())
	err = parallel.Await(ctx, 4*n*n*n, func() {
		g.ScaleSym(1/scale, &g)
		found = e.Factorize(&g, false)
	})
	if err != nil {
		return err
	}
	if !found {
		return errors.New("sparseapprox: FISTA: no eigenvalues of BᵀB")
	}
	v := e.Values(nil)
	c.lipschitz = (scale*v[len(v)-1] + c.ridge) * (1 + 1e-10)
	return nil
}

// fista runs the accelerated proximal gradient method with step 1/L:
//
//	w⁺ = soft(y + q(y)/L, λ/L),  q(y) = Bᵀ(x − By)                 (4.1)
//	t⁺ = (1 + √(1 + 4t²))/2                                        (4.2)
//	y⁺ = w⁺ + (t−1)/t⁺ (w⁺ − w)                                    (4.3)
//
// Because q is affine, q(y⁺) = q(w⁺) + (t−1)/t⁺ (q(w⁺) − q(w)). So a step takes one product with G, and the gap at w⁺
// needs no further product. When the momentum points uphill, (y − w⁺)'(w⁺ − w) > 0, t is reset to 1.
//
// Source: Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm,
// SIAM J. Imaging Sci. 2 (2009); restart: O'Donoghue and Candès, Found. Comput.
// Math. 15 (2015).
func (k *work) fista() ended.Status {
	L, lambda := k.coder.lipschitz, k.coder.lambda
	y, qy := k.v1, k.v2
	k.recorrelate(k.q)
	copy(y, k.w)
	copy(qy, k.q)
	for t := 1.0; ; k.iterations++ {
		obj, gap := k.gap()
		if gap <= k.coder.opt.Tolerance*obj {
			return ended.Converged
		}
		if math.IsNaN(gap) {
			return ended.NoProgress // overflow
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= k.coder.opt.MaxIterations {
			return ended.IterationLimit
		}
		k.q, k.v3 = k.v3, k.q // v3 is q(w), q will be q(w⁺)
		uphill := 0.0
		for j, v := range y {
			next := k.coder.shrink(v+qy[j]/L, lambda/L)
			uphill += (v - next) * (next - k.w[j])
			// Until q(w⁺) is known, y holds w⁺ − w.
			y[j], k.w[j] = next-k.w[j], next
		}
		k.recorrelate(k.q)
		beta := 0.0
		if uphill > 0 {
			t = 1
		} else {
			next := (1 + math.Sqrt(1+4*t*t)) / 2
			beta, t = (t-1)/next, next
		}
		floats.SubTo(qy, k.q, k.v3)
		for j := range y {
			y[j] = k.w[j] + beta*y[j]
			qy[j] = k.q[j] + beta*qy[j]
		}
	}
}
