package dictionary

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// initialBasis returns the initial B' (n×D), from the options and the signals x (N×D).
func initialBasis(x blas64.General, o *Options) (blas64.General, error) {
	n, d := o.Atoms, x.Cols
	m := mat.NewDense(n, d, nil)
	bt := m.RawMatrix()
	if o.Init != nil {
		m.Copy(o.Init.T())
		for j := range n {
			for i, v := range row(bt, j) {
				if !finite.Is(v) {
					return bt, fmt.Errorf("dictionary: Fit: Init is %v in row %d, column %d", v, i, j)
				}
				if v < 0 && o.NonNegative {
					return bt, fmt.Errorf("dictionary: Fit: Init is %v in row %d, column %d, but NonNegative is set", v, i, j)
				}
			}
			if !scaleTo1(row(bt, j)) {
				return bt, fmt.Errorf("dictionary: Fit: column %d of Init has a norm that is 0 or overflows", j)
			}
		}
		return bt, nil
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	j := 0
	if o.Start == Signals {
		for _, k := range rng.Perm(x.Rows) {
			if j == n {
				break
			}
			b := row(bt, j)
			copy(b, row(x, k))
			if o.NonNegative {
				clip(b)
			}
			if scaleTo1(b) {
				j++
			}
		}
	}
	// Use random directions for the remaining atoms: all atoms with Start Gaussian, and any missing atoms
	// with Start Signals.
	for ; j < n; j++ {
		b := row(bt, j)
		for i := range b {
			b[i] = rng.NormFloat64()
			if o.NonNegative {
				b[i] = max(b[i], -b[i])
			}
		}
		scaleTo1(b)
	}
	return bt, nil
}

// scaleTo1 scales b to norm 1 and reports whether that is possible.
func scaleTo1(b []float64) bool {
	s := norm(b)
	if !(s > 0) || s*0 != 0 {
		return false
	}
	for i := range b { // 1/s may overflow
		b[i] /= s
	}
	return true
}

// clip sets negative elements to 0.
func clip(b []float64) {
	for i, v := range b {
		b[i] = max(v, 0)
	}
}
