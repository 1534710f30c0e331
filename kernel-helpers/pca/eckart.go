package pca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/symeig"
)

// A Contest compares the truncated SVD with other matrices of the same rank, by their distance ‖M − M'‖_F (C.
// Eckart and G. Young, The approximation of one matrix by another of lower rank, Psychometrika 1 (1936); E.
// Schmidt 1907). By the theorem no entry of the lists is below Best.
type Contest struct {
	Rank int
	// Best is the error of the truncated SVD, computed from the product UΣVᵀ.
	Best float64
	// Tail is the theorem's value √(σ²_{k+1} + .. + σ²_p).
	Tail float64
	// Random holds the errors of M projected on random subspaces of dimension k.
	Random []float64
	// Perturbed holds the errors of M projected on perturbed subspaces, V_k + δ·noise with δ from 1e-3 to 1.
	Perturbed []float64
	// Optimized holds the errors of random factors AB after Steps rounds of alternating least squares. Each
	// round finds the best A for B, then the best B for A.
	Optimized []float64
	// Optimised is Optimized under its old name.
	//
	// Deprecated: use Optimized.
	Optimised []float64
	Steps     int
}

// EckartYoung runs a contest for rank k on M (m×n) with the given number of competitors of each kind, at
// least 1. It returns an error if k is not between 1 and min(m, n).
func EckartYoung(M mat.Matrix, k, competitors int, seed uint64) (*Contest, error) {
	f, err := factorize("EckartYoung", M, mat.SVDThin)
	if err != nil {
		return nil, err
	}
	n := f.Cols
	if err := within("k", k, 1, len(f.S)); err != nil {
		return nil, fmt.Errorf("pca: EckartYoung: %w", err)
	}
	if competitors < 1 {
		return nil, fmt.Errorf("pca: EckartYoung: competitors is %d, must be at least 1", competitors)
	}
	data := finite.AsDense(M)
	if _, _, err := moments(data, true); err != nil { // errors are sums of squares
		return nil, fmt.Errorf("pca: EckartYoung: %w", err)
	}
	c := &Contest{Rank: k, Steps: 30}
	best := f.cut(k)
	c.Best = distance(data, best.Matrix())
	for i := len(f.S) - 1; i >= k; i-- {
		c.Tail += f.S[i] * f.S[i]
	}
	c.Tail = math.Sqrt(c.Tail)

	rng := rand.New(rand.NewPCG(seed, 0xec))
	noise := func() *mat.Dense { // n×k
		g := mat.NewDense(n, k, nil)
		for i := range n {
			for j := range k {
				g.Set(i, j, rng.NormFloat64())
			}
		}
		return g
	}
	for i := range competitors {
		c.Random = append(c.Random, projected(data, noise(), rng))

		delta := math.Pow(10, -3*float64(i)/float64(max(1, competitors-1)))
		g := noise()
		g.Scale(delta/math.Sqrt(float64(n)), g)
		g.Add(g, best.V)
		c.Perturbed = append(c.Perturbed, projected(data, g, rng))

		V := noise()
		for range c.Steps {
			// The best A for an orthonormal V is MV; the best V for that A spans MᵀA.
			V = orthonormalColumns(V, rng)
			var A, B mat.Dense
			A.Mul(data, V)
			B.Mul(data.T(), &A)
			V = &B
		}
		c.Optimized = append(c.Optimized, projected(data, V, rng))
	}
	c.Optimised = c.Optimized
	return c, nil
}

// projected makes the columns of V orthonormal and returns ‖M − M VVᵀ‖_F.
func projected(M, V *mat.Dense, rng *rand.Rand) float64 {
	Q := orthonormalColumns(V, rng)
	var z, back mat.Dense
	z.Mul(M, Q)
	back.Mul(&z, Q.T())
	return distance(M, &back)
}

func distance(A, B *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return mat.Norm(&d, 2)
}

func orthonormalColumns(V *mat.Dense, rng *rand.Rand) *mat.Dense {
	n, _ := V.Dims()
	t := mat.DenseCopyOf(V.T())
	symeig.Orthonormalise(t.RawMatrix(), blas64.General{Cols: n, Stride: n}, rng)
	return mat.DenseCopyOf(t.T())
}
