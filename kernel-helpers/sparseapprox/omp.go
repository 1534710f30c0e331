package sparseapprox

import (
	"math"

	"overcomplete/kernel-helpers/ended"
)

// pursue runs orthogonal matching pursuit. Each step selects the atom with the largest |q_j|/‖b_j‖, the product of the
// atom's direction with the residual. It then fits all selected atoms by least squares, G_PP w_P = c_P; for this, the
// Cholesky factor of G_PP grows by one atom. pursue ends after Nonzeros atoms, when ‖r‖ <= MaxError, or when all other
// atoms are orthogonal to the residual.
//
// Source: Pati, Rezaiifar and Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993; with the Gram matrix and the
// factor: Rubinstein, Zibulevsky and Elad, Efficient implementation of the K-SVD algorithm using batch OMP, Technion
// CS-2008-08.
func (k *work) pursue() ended.Status {
	c, s := k.coder, &k.sup
	clear(k.w)
	s.reset()
	for j := range k.in {
		k.in[j] = false // true if the atom is selected, or is in the span of the selected atoms
	}
	for {
		k.recorrelate(k.q)
		// r is orthogonal to the atoms in use, so ‖r‖² = x'r = x'x − w'c.
		rr := k.xx
		for _, j := range s.p {
			rr -= k.w[j] * k.c[j]
		}
		// When r is only rounding error, the sum loses all digits.
		if rr <= max(c.opt.MaxError*c.opt.MaxError, 1e-15*k.xx) || len(s.p) >= c.opt.Nonzeros {
			return ended.Greedy
		}
		// An atom whose product with r is at most this is orthogonal to r up to rounding.
		at, most := -1, 1e-12*math.Sqrt(k.xx)
		for j, q := range k.q {
			if g := c.gram(j)[j]; !k.in[j] && g > 0 {
				if v := math.Abs(q) / math.Sqrt(g); v > most {
					at, most = j, v
				}
			}
		}
		if at < 0 {
			return ended.Greedy
		}
		if k.isOver() {
			return ended.Interrupted
		}
		k.in[at] = true
		if !s.add(c, at, 1) {
			continue
		}
		k.iterations++
		for i, v := range s.target(k.c, 0) {
			k.w[s.p[i]] = v
		}
	}
}
