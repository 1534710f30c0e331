package sparseapprox

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// invert computes the matrix M (n×D) with w = Mx from the singular value
// decomposition B = U diag(s) Vᵀ:
//
//	L2    w = (BᵀB + 2λI)⁻¹ Bᵀx = V diag(s/(s² + 2λ)) Uᵀ x
//	None  w = B⁺x               = V diag(1/s) Uᵀ x  over s > max(D, n) ε s_1
//
// The factor 2 arises because P(w) = Σ w_j² has no ½.
func (c *Coder) invert() error {
	c.opt.Method = ClosedForm
	var svd mat.SVD
	if !svd.Factorize(c.atoms.T(), mat.SVDThin) {
		return errors.New("sparseapprox: the singular value decomposition of B failed")
	}
	s := svd.Values(nil)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
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
	c.linear.Mul(&v, u.T()) // (n×r)(r×D)
	return nil
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
