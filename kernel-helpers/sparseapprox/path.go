package sparseapprox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// A LassoPath holds w(λ) for one signal and for all λ down to the last knot. Between knots w is linear in λ; above the
// first knot w is 0.
type LassoPath struct {
	// Knots holds the values of λ at which an atom joins or leaves the support, in descending order. The path ends at
	// the last knot.
	Knots []float64
	// W is n×len(Knots), the solution at each knot.
	W *mat.Dense
	// Nonzeros is the number of nonzeros at each knot.
	Nonzeros []int
}

// At returns w(lambda) (n). It panics if lambda is below the last knot.
func (p *LassoPath) At(lambda float64) []float64 {
	n, m := p.W.Dims()
	if !(lambda >= p.Knots[m-1]) {
		panic(fmt.Sprintf("sparseapprox: At: lambda %v is below the end of the path, %v", lambda, p.Knots[m-1]))
	}
	w := make([]float64, n)
	// The first knot at or below λ.
	i := sort.Search(m, func(i int) bool { return p.Knots[i] <= lambda })
	if i == 0 {
		return w // λ is at or above the first knot
	}
	share := (p.Knots[i-1] - lambda) / (p.Knots[i-1] - p.Knots[i])
	for j := range w {
		w[j] = (1-share)*p.W.At(j, i-1) + share*p.W.At(j, i)
	}
	return w
}

// Path follows the solutions of the lasso for one signal x (D), from the λ above which w = 0 (the first knot) down to λ
// = smallest. If smallest is 0, Path ends at 1e-6 times the first knot. The Coder's prior must be L1 or L1NonNegative;
// its Lambda and Method are not used.
func (c *Coder) Path(x []float64, smallest float64) (*LassoPath, error) {
	if c.opt.Prior != L1 && c.opt.Prior != L1NonNegative {
		return nil, fmt.Errorf("sparseapprox: Path: there is no path for the prior %v", c.opt.Prior)
	}
	if len(x) != c.d {
		panic(fmt.Sprintf("sparseapprox: Path: B is %d×%d and x has %d entries", c.d, c.n, len(x)))
	}
	if !(smallest >= 0) || math.IsInf(smallest, 0) {
		return nil, fmt.Errorf("sparseapprox: Path: the smallest lambda is %v, must be 0 or more", smallest)
	}
	if err := checkFinite("Path: x", mat.NewDense(1, c.d, x)); err != nil {
		return nil, err
	}
	k := c.acquire(context.Background())
	defer c.release(k)
	corr := make([]float64, c.n)
	mat.NewVecDense(c.n, corr).MulVec(c.atoms, mat.NewVecDense(c.d, x)) // (n×D)(D)
	if smallest == 0 {
		for _, v := range corr {
			smallest = max(smallest, 1e-6*c.reach(v))
		}
	}
	k.load(corr, make([]float64, c.n), dot(x, x))
	p := &LassoPath{}
	var rows []float64
	status := k.homotopy(smallest, func(lambda float64) {
		if m := len(p.Knots); m > 0 && lambda == p.Knots[m-1] {
			// For two events at the same λ, w is the same, but the support may differ.
			rows = rows[:len(rows)-c.n]
			p.Knots, p.Nonzeros = p.Knots[:m-1], p.Nonzeros[:m-1]
		}
		count := 0
		for _, v := range k.w {
			if v != 0 {
				count++
			}
		}
		p.Knots, p.Nonzeros = append(p.Knots, lambda), append(p.Nonzeros, count)
		rows = append(rows, k.w...)
	})
	if len(p.Knots) == 0 {
		p.Knots, p.Nonzeros, rows = []float64{0}, []int{0}, make([]float64, c.n)
	}
	p.W = mat.DenseCopyOf(mat.NewDense(len(p.Knots), c.n, rows).T())
	switch status {
	case ended.IterationLimit:
		return p, fmt.Errorf("sparseapprox: Path: stopped at lambda %v after %d knots", p.Knots[len(p.Knots)-1], k.iterations)
	case ended.NoProgress:
		return p, errors.New("sparseapprox: Path: rounding ended the path early")
	}
	return p, nil
}
