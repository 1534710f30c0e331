package sparseapprox

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
)

// invert computes the matrix M (n×D) with w = Mx from the singular value
// decomposition B = U diag(s) Vᵀ:
//
//	L2    w = (BᵀB + 2λI)⁻¹ Bᵀx = V diag(s/(s² + 2λ)) Uᵀ x
//	None  w = B⁺x               = V diag(1/s) Uᵀ x  over s > max(D, n) ε s_1
//
// The factor 2 arises because P(w) = Σ w_j² has no ½.
func (c *Coder) invert(ctx context.Context) error {
	c.opt.Method = ClosedForm
	var svd mat.SVD
	var u, v mat.Dense
	found := false
	cost := float64(c.d) * float64(c.n) * float64(min(c.d, c.n)) // multiplications of a product with u or v
	err := parallel.Await(ctx, 20*cost, func() {
		if found = svd.Factorize(c.atoms.T(), mat.SVDThin); found {
			svd.UTo(&u)
			svd.VTo(&v)
		}
	})
	if err != nil {
		return err
	}
	if !found {
		return errors.New("sparseapprox: the singular value decomposition of B failed")
	}
	s := svd.Values(nil)
	least := float64(max(c.d, c.n)) * 0x1p-52 * s[0]
	c.curvature = 1 // B = 0: the gradient is 0 too
	for i, x := range s {
		f := 0.0
		switch {
		case c.opt.Prior == L2:
			f = x / (x*x + 2*c.lambda)
		case x > least:
			f = 1 / x
			c.curvature = x * x // s is descending: the last value remains
		}
		for j := range c.n {
			v.Set(j, i, f*v.At(j, i))
		}
	}
	if c.opt.Prior == L2 {
		c.curvature = 2 * c.lambda
	}
	c.linear = mat.NewDense(c.n, c.d, nil)
	return parallel.Await(ctx, cost, func() { c.linear.Mul(&v, u.T()) }) // (n×r)(r×D)
}

// isOrthonormal reports whether BᵀB = I to 1e-12.
func (c *Coder) isOrthonormal() bool {
	for i := range c.n {
		for j, v := range c.gram(i) {
			if i == j {
				v--
			}
			if math.Abs(v) > 1e-12 {
				return false
			}
		}
	}
	return true
}
